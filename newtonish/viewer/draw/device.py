"""What draws on this machine."""

from __future__ import annotations

import ctypes

from pyglet import gl

from newtonish.viewer.draw.context import HeadlessContext
from newtonish.viewer.draw.renderer import is_software

__all__ = ["drawing_device"]


def drawing_device() -> tuple[str, bool]:
    """The name of what draws pictures without a display, and whether that is the processor.

    Raises:
        ViewerUnavailable: Without EGL or without a driver of OpenGL 3.3.
    """
    context = HeadlessContext()
    try:
        with context:
            name = ctypes.cast(gl.glGetString(gl.GL_RENDERER), ctypes.c_char_p).value or b"unknown"
            return name.decode(errors="replace"), is_software()
    finally:
        context.close()
