"""An OpenGL context without a window and without a display, by EGL.

The context belongs to a ``with`` block: inside it is current, afterwards what was current before is current again. So pictures can be
taken while a window of pyglet's is open in the same thread, although GLX and EGL contexts exclude each other there.
"""

from __future__ import annotations

import ctypes
import functools

from pyglet import gl

from newtonish.viewer.errors import ViewerUnavailable

__all__ = ["HeadlessContext", "check_version"]

REMEDY = "on Debian and Ubuntu: apt install libegl1 libgl1-mesa-dri (a software renderer, no display needed)"
PLATFORM_DEVICE, PLATFORM_SURFACELESS = 0x313F, 0x31DD
CORE_PROFILE = (0x30FD, 0x1)  # EGL_CONTEXT_OPENGL_PROFILE_MASK, its core bit


def check_version() -> None:
    """Raise :class:`ViewerUnavailable` if the current context is older than OpenGL 3.3."""
    major, minor = gl.GLint(), gl.GLint()
    gl.glGetIntegerv(gl.GL_MAJOR_VERSION, major)
    gl.glGetIntegerv(gl.GL_MINOR_VERSION, minor)
    if (major.value, minor.value) < (3, 3):
        raise ViewerUnavailable(f"OpenGL 3.3 (the driver has {major.value}.{minor.value})", REMEDY)


def _function(egl, name: str, result, *arguments):
    """An extension's function, or None."""
    address = egl.eglGetProcAddress(name.encode())
    return ctypes.CFUNCTYPE(result, *arguments)(address) if address else None


@functools.cache
def _library():
    """libEGL with the signatures used here."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        raise ViewerUnavailable("libEGL", REMEDY) from error
    pointer, integers = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
    for name, result, arguments in (
        ("eglGetProcAddress", pointer, [ctypes.c_char_p]),
        ("eglGetDisplay", pointer, [pointer]),
        ("eglInitialize", ctypes.c_uint, [pointer, integers, integers]),
        ("eglBindAPI", ctypes.c_uint, [ctypes.c_uint]),
        ("eglChooseConfig", ctypes.c_uint, [pointer, integers, ctypes.POINTER(pointer), ctypes.c_int, integers]),
        ("eglCreateContext", pointer, [pointer, pointer, pointer, integers]),
        ("eglDestroyContext", ctypes.c_uint, [pointer, pointer]),
        ("eglCreatePbufferSurface", pointer, [pointer, pointer, integers]),
        ("eglDestroySurface", ctypes.c_uint, [pointer, pointer]),
        ("eglMakeCurrent", ctypes.c_uint, [pointer, pointer, pointer, pointer]),
        ("eglGetCurrentContext", pointer, []),
        ("eglGetCurrentDisplay", pointer, []),
        ("eglGetCurrentSurface", pointer, [ctypes.c_int]),
    ):
        function = getattr(egl, name)
        function.restype, function.argtypes = result, arguments
    return egl


def _displays(egl) -> list[int]:
    """Displays worth trying: every device (graphics cards first), Mesa's surfaceless platform, the default."""
    pointer, number = ctypes.c_void_p, ctypes.c_int()
    found = []
    get_display = _function(egl, "eglGetPlatformDisplayEXT", pointer, ctypes.c_uint, pointer, ctypes.c_void_p)
    query = _function(egl, "eglQueryDevicesEXT", ctypes.c_uint, ctypes.c_int, ctypes.POINTER(pointer), ctypes.POINTER(ctypes.c_int))
    if get_display and query and query(0, None, ctypes.byref(number)) and number.value:
        devices = (pointer * number.value)()
        query(number.value, devices, ctypes.byref(number))
        found += [get_display(PLATFORM_DEVICE, device, None) for device in devices]
    if get_display:
        found.append(get_display(PLATFORM_SURFACELESS, None, None))
    found.append(egl.eglGetDisplay(None))
    return [display for display in found if display]


@functools.cache
def _platform():
    """The first display on which a context of OpenGL 3.3 can be made, with a configuration for it."""
    egl = _library()
    # EGL_SURFACE_TYPE pbuffer, EGL_RENDERABLE_TYPE OpenGL, EGL_NONE
    wanted = (ctypes.c_int * 5)(0x3033, 0x1, 0x3040, 0x8, 0x3038)
    for display in _displays(egl):
        if not egl.eglInitialize(display, None, None):
            continue
        config, number = ctypes.c_void_p(), ctypes.c_int()
        egl.eglBindAPI(0x30A2)  # EGL_OPENGL_API
        if not egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(number)) or not number.value:
            continue
        context = _create(egl, display, config)
        if context:
            egl.eglDestroyContext(display, context)
            return egl, display, config
    raise ViewerUnavailable("an EGL device with OpenGL 3.3", REMEDY)


def _create(egl, display, config):
    """A core context of OpenGL 3.3, or None."""
    attributes = (ctypes.c_int * 7)(0x3098, 3, 0x30FB, 3, *CORE_PROFILE, 0x3038)  # major, minor, profile, none
    return egl.eglCreateContext(display, config, None, attributes)


class HeadlessContext:
    """An OpenGL 3.3 context of its own; ``with context:`` makes it current.

    Raises:
        ViewerUnavailable: Without libEGL or without a device that can draw.
    """

    def __init__(self) -> None:
        self._egl, self._display, config = _platform()
        self._egl.eglBindAPI(0x30A2)
        self._context = _create(self._egl, self._display, config)
        size = (ctypes.c_int * 5)(0x3057, 16, 0x3056, 16, 0x3038)  # a surface only because drivers may ask for one
        self._surface = self._egl.eglCreatePbufferSurface(self._display, config, size)
        if not self._context:
            raise ViewerUnavailable("an EGL context", REMEDY)
        self._before: list[tuple] = []
        with self:
            check_version()

    def __enter__(self) -> HeadlessContext:
        egl, window = self._egl, gl.current_context
        current = (egl.eglGetCurrentDisplay(), egl.eglGetCurrentSurface(0x3059), egl.eglGetCurrentContext())
        self._before.append((window, current))
        if window is not None and not current[2]:
            _release(window)
        if not egl.eglMakeCurrent(self._display, self._surface, self._surface, self._context):
            self._before.pop()
            raise ViewerUnavailable("a free OpenGL context in this thread", "close other windows first")
        gl.current_context = window or self  # pyglet's functions may have been asked to look for one
        return self

    def __exit__(self, *_: object) -> None:
        window, (display, surface, context) = self._before.pop()
        gl.current_context = window
        if context:
            self._egl.eglMakeCurrent(display, surface, surface, context)
            return
        self._egl.eglMakeCurrent(self._display, None, None, None)
        if window is not None and window.canvas is not None:
            window.set_current()

    def close(self) -> None:
        """Give the context back; nothing may be drawn with it afterwards."""
        if self._context:
            self._egl.eglDestroyContext(self._display, self._context)
            self._egl.eglDestroySurface(self._display, self._surface)
            self._context = None


def _release(window) -> None:
    """Let go of a window's context, which excludes one of EGL's in the same thread."""
    if hasattr(window, "glx_context"):
        from pyglet.gl import glx

        glx.glXMakeCurrent(window.x_display, 0, None)
