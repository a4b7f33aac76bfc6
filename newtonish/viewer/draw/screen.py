"""A window on the screen, with its input as plain names: the rest of the viewer knows nothing of pyglet.

Places are pixels from the upper left corner, keys have pyglet's names (``"SPACE"``, ``"F1"``, ``"L"``), modifiers are ``"ctrl"``,
``"shift"`` and ``"alt"``, buttons ``"left"``, ``"middle"`` and ``"right"``.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol

import pyglet
import pyglet.display
from pyglet.window import key, mouse

from newtonish.viewer.draw.context import check_version
from newtonish.viewer.errors import ViewerUnavailable

__all__ = ["Listener", "Screen"]

REMEDY = "set DISPLAY, or on Debian and Ubuntu: apt install xvfb libgl1 libgl1-mesa-dri, and run it as: xvfb-run newtonish view MODEL"
MISSING = (pyglet.window.WindowException, pyglet.gl.ContextException, pyglet.gl.ConfigException)
if sys.platform.startswith("linux"):
    from pyglet.display.xlib import NoSuchDisplayException

    MISSING += (NoSuchDisplayException,)
DOUBLE = 0.4
"""Seconds within which two clicks are one double click."""

BACK_TAB = key.user_key(23)
"""What pyglet makes of the tab key with shift on X11, where it has a symbol of its own (ISO_Left_Tab); 23 is the key's code."""

Modifiers = frozenset[str]


class Listener(Protocol):
    """Who is told what the user does."""

    def key(self, name: str, modifiers: Modifiers) -> None:
        """A key went down."""

    def text(self, letters: str) -> None:
        """Letters were typed; told after the key that they are on."""

    def press(self, x: float, y: float, button: str, modifiers: Modifiers, double: bool) -> None:
        """A button of the mouse went down; ``double``: for the second time at this place."""

    def drag(self, x: float, y: float, dx: float, dy: float, button: str, modifiers: Modifiers) -> None:
        """The mouse moved with a button held."""

    def release(self, x: float, y: float, button: str, modifiers: Modifiers) -> None:
        """A button of the mouse went up."""

    def scroll(self, x: float, y: float, steps: float) -> None:
        """The wheel was turned, away from the user is positive."""

    def drop(self, paths: list[str]) -> None:
        """Files were dropped."""

    def resize(self, width: int, height: int) -> None:
        """The window has another size [pixels]."""


class Screen:
    """A window with an OpenGL 3.3 context.

    Args:
        width, height: Of its picture [pixels].
        title: In its head.
        listener: Who is told what the user does.

    Attributes:
        window: pyglet's window.
        closed: Whether the user has closed it.

    Raises:
        ViewerUnavailable: Without a display or without OpenGL 3.3.
    """

    def __init__(self, width: int, height: int, title: str, listener: Listener) -> None:
        self._listener = listener
        self.closed = False
        self._last_click = (0.0, "", 0.0, 0.0)
        self._down: set[int] = set()
        try:
            config = pyglet.gl.Config(major_version=3, minor_version=3, double_buffer=True, depth_size=0)
            display = pyglet.display.Display()  # pyglet would keep the first one it found
            self.window: Any = pyglet.window.Window(width, height, caption=title, resizable=True, vsync=False, file_drops=True, config=config, display=display)
        except pyglet.window.NoSuchConfigException as error:
            raise ViewerUnavailable("OpenGL 3.3 on this display", REMEDY) from error
        except MISSING as error:
            raise ViewerUnavailable(f"a display ({error})" if str(error) else "a display", REMEDY) from error
        check_version()
        self.window.push_handlers(
            on_key_press=self._key, on_key_release=self._key_up, on_text=self._text, on_deactivate=self._down.clear,
            on_mouse_press=self._press, on_mouse_drag=self._drag, on_mouse_release=self._release, on_mouse_scroll=self._scroll,
            on_file_drop=self._drop, on_resize=self._resize, on_close=self._close,
        )  # fmt: skip

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture [pixels]."""
        return self.window.get_framebuffer_size()

    def pump(self) -> None:
        """Pass on what the user has done since the last time, and make the window's context current."""
        self.window.switch_to()
        self.window.dispatch_events()

    def flip(self) -> None:
        """Show what has been drawn."""
        self.window.flip()

    def set_title(self, title: str) -> None:
        """What stands in the window's head."""
        self.window.set_caption(title)

    def full_screen(self) -> None:
        """Cover the whole screen, or no longer."""
        self.window.set_fullscreen(not self.window.fullscreen)

    def close(self) -> None:
        """Take it off the screen."""
        self.closed = True
        self.window.close()

    # -- events -------------------------------------------------------------------------------------------------------

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """From pyglet's lower left corner to the upper left one."""
        return float(x), float(self.window.height - 1 - y)

    def is_down(self, name: str | int) -> bool:
        """Whether a key is held: a character, a name as "space" or "enter", or pyglet's number."""
        if isinstance(name, int):
            return name in self._down
        word = name.upper()
        symbol = getattr(key, f"_{word}" if word.isdigit() else word, None)
        return isinstance(symbol, int) and symbol in self._down

    def _key_up(self, symbol: int, modifiers: int) -> None:
        self._down.discard(symbol)

    def _key(self, symbol: int, modifiers: int) -> bool:
        self._down.add(symbol)
        name = "TAB" if symbol == BACK_TAB else key.symbol_string(symbol)
        self._listener.key(name, _modifiers(modifiers))
        return True  # pyglet itself would close the window on escape

    def _text(self, letters: str) -> None:
        self._listener.text(letters)

    def _press(self, x: int, y: int, button: int, modifiers: int) -> None:
        name, place, now = _button(button), self._place(x, y), time.perf_counter()
        then, before, x0, y0 = self._last_click
        double = now - then < DOUBLE and before == name and abs(place[0] - x0) + abs(place[1] - y0) < 6
        self._last_click = (0.0 if double else now, name, *place)
        self._listener.press(*place, name, _modifiers(modifiers), double)

    def _drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        self._listener.drag(*self._place(x, y), float(dx), float(-dy), _button(buttons), _modifiers(modifiers))

    def _release(self, x: int, y: int, button: int, modifiers: int) -> None:
        self._listener.release(*self._place(x, y), _button(button), _modifiers(modifiers))

    def _scroll(self, x: int, y: int, _across: float, steps: float) -> None:
        self._listener.scroll(*self._place(x, y), float(steps))

    def _drop(self, _x: int, _y: int, paths: list[str]) -> None:
        self._listener.drop(list(paths))

    def _resize(self, width: int, height: int) -> bool:
        self._listener.resize(*self.window.get_framebuffer_size())
        return True

    def _close(self) -> bool:
        self.closed = True
        return True


def _modifiers(bits: int) -> Modifiers:
    """Names of the modifiers that are held; a Mac's command key counts as ctrl."""
    names = (("ctrl", key.MOD_CTRL | key.MOD_COMMAND), ("shift", key.MOD_SHIFT), ("alt", key.MOD_ALT))
    return frozenset(name for name, bit in names if bits & bit)


def _button(bits: int) -> str:
    """Name of a button; of several that are held, the first of right, left, middle."""
    names = (("right", mouse.RIGHT), ("left", mouse.LEFT), ("middle", mouse.MIDDLE))
    return next((name for name, bit in names if bits & bit), "other")
