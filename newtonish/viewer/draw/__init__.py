"""Draws abstract scenes with OpenGL: the only part of the package that imports pyglet.

:class:`Renderer` draws a :class:`newtonish.viewer.scene.Scene` into a framebuffer of its own and reads colours, depth and what is seen
where; :class:`OffscreenRenderer` is the same with an OpenGL context that needs no display. Importing this package without
pyglet or without the OpenGL library raises :class:`newtonish.viewer.errors.ViewerUnavailable`, whose one line says what is missing.

pyglet is imported without its hidden window, which would need a display, and without a check after each call, which costs more
than the calls do.
"""

from newtonish.viewer.errors import ViewerUnavailable

try:
    import pyglet

    pyglet.options["shadow_window"] = False
    pyglet.options["debug_gl"] = False
    import pyglet.gl
except ImportError as missing:
    if getattr(missing, "name", None) == "pyglet":
        raise ViewerUnavailable("pyglet", "pip install pyglet") from missing
    raise ViewerUnavailable(f"the OpenGL library ({missing})", "on Debian and Ubuntu: apt install libgl1 libegl1 libgl1-mesa-dri") from missing

from newtonish.viewer.draw.offscreen import OffscreenRenderer
from newtonish.viewer.draw.renderer import Renderer

__all__ = ["OffscreenRenderer", "Renderer"]
