"""Which key and which movement of the mouse does what; the help overlay and the documentation show the same tables."""

from __future__ import annotations

from newtonish.viewer.scene import Mouse, PerturbBit

__all__ = ["FLAG_KEYS", "KEYS", "MOUSE", "command_of", "drag_action", "key_text"]

KEYS: tuple[tuple[str, str, str], ...] = (
    ("F1", "help", "this help"),
    ("F2", "info", "info: time, real-time factor, contacts"),
    ("F3", "profiler", "profiler: stage times and iterations"),
    ("F4", "sensors", "sensors as bars"),
    ("F5", "full_screen", "full screen"),
    ("F6", "next_frame", "frames of bodies, geoms, sites, …"),
    ("F7", "next_label", "labels of bodies, joints, geoms, …"),
    ("F8", "physics", "physics: every option, live"),
    ("F9", "gains", "gains in N/m, bad ones first"),
    ("F10", "watch", "watch fields of m and d"),
    ("F11", "timeline", "timeline"),
    ("TAB", "left_panel", "left panels: what is shown"),
    ("shift TAB", "right_panel", "right panels: controls"),
    ("SPACE", "pause", "pause and go on"),
    ("RIGHT", "step", "one step (pauses)"),
    ("LEFT", "back", "one step back (pauses)"),
    ("shift RIGHT", "step_many", "twenty steps"),
    ("shift LEFT", "back_many", "twenty steps back"),
    ("BACKSPACE", "reset", "reset"),
    ("K", "next_keyframe", "next keyframe"),
    ("MINUS", "slower", "slower"),
    ("EQUAL", "faster", "faster"),
    ("BRACKETLEFT", "previous_camera", "previous camera"),
    ("BRACKETRIGHT", "next_camera", "next camera"),
    ("ESCAPE", "free_camera", "free camera, close the message"),
    ("PAGEUP", "select_parent", "select the parent body"),
    ("PAGEDOWN", "next_world", "next world"),
    ("ctrl A", "align", "show the whole model"),
    ("ctrl L", "reload", "read the file again"),
    ("ctrl K", "keep_keyframe", "keep this moment as a keyframe"),
    ("ctrl S", "save_model", "save the model as MJCF, with this moment as a keyframe"),
    ("ctrl P", "picture", "save a picture"),
    ("ctrl Q", "quit", "close"),
    ("S", "toggle_shadows", "shadows"),
    ("W", "toggle_wireframe", "wireframe"),
    ("R", "toggle_reflections", "reflections"),
)
"""Key, command (a method of the session or the window), and what it is for."""

FLAG_KEYS: dict[str, str] = {
    "H": "convexhull", "X": "texture", "J": "joint", "Q": "camera", "U": "actuator", "COMMA": "activation", "Z": "light",
    "V": "tendon", "Y": "rangefinder", "N": "constraint", "I": "inertia", "B": "perturbforce", "O": "perturbobj",
    "C": "contactpoint", "F": "contactforce", "P": "contactsplit", "T": "transparent", "A": "autoconnect", "M": "com", "E": "select",
    "D": "static", "SEMICOLON": "skin", "G": "invisible",
}  # fmt: skip
"""Keys that switch what is shown, MuJoCo's where it has one; digits switch groups of geoms, with shift groups of sites."""

MOUSE: tuple[tuple[str, str], ...] = (
    ("left drag", "rotate the view (shift: about the horizontal)"),
    ("right drag", "move the view (shift: level with the ground)"),
    ("wheel, middle drag", "nearer and farther"),
    ("double click", "select a body; beside it, none"),
    ("right double click", "look at this point (ctrl: follow this body)"),
    ("ctrl left drag", "turn the selected body"),
    ("ctrl right drag", "push or pull the selected body (shift: level)"),
    ("drop a file", "open it"),
)
"""What the mouse does."""

_COMMANDS = {name: command for name, command, _ in KEYS}
_SAME = {"PLUS": "EQUAL", "NUM_ADD": "EQUAL", "NUM_SUBTRACT": "MINUS", "UNDERSCORE": "MINUS", "DELETE": "BACKSPACE"}
_WITH_SHIFT = {"PARENRIGHT": "_0", "EXCLAMATION": "_1", "AT": "_2", "HASH": "_3", "POUND": "_3", "DOLLAR": "_4", "PERCENT": "_5"}
"""X11 calls a digit with shift by the sign on it; these are the signs of English keyboards."""

_SIGNS = {"MINUS": "-", "EQUAL": "+", "BRACKETLEFT": "[", "BRACKETRIGHT": "]", "COMMA": ",", "SEMICOLON": ";", "LEFT": "left arrow",
          "RIGHT": "right arrow"}  # fmt: skip


def command_of(key: str, modifiers: frozenset[str]) -> tuple[str, str | int | None]:
    """The command of a key and its argument: ``("flag", name)``, ``("geom_group", 2)``, or a command alone; ``("", None)`` for none."""
    key = _WITH_SHIFT.get(key, key) if "shift" in modifiers else key
    key = _SAME.get(key, key)
    held = [name for name in ("ctrl", "shift") if name in modifiers]
    full = " ".join([*held, key])
    if full in _COMMANDS:
        return _COMMANDS[full], None
    if "ctrl" in modifiers:
        return "", None
    digit = key.removeprefix("_").removeprefix("NUM_")
    if digit in ("0", "1", "2", "3", "4", "5"):
        return ("site_group" if "shift" in modifiers else "geom_group"), int(digit)
    if key in FLAG_KEYS:
        return "flag", FLAG_KEYS[key]
    return (_COMMANDS[key], None) if key in _COMMANDS else ("", None)


def drag_action(button: str, modifiers: frozenset[str], selected: bool) -> tuple[Mouse, int]:
    """What dragging does, and to which bits of the perturbation (0: to the camera)."""
    level = "shift" in modifiers
    if button == "middle":
        return Mouse.ZOOM, 0
    if button == "left":
        action = Mouse.ROTATE_H if level else Mouse.ROTATE_V
        return action, PerturbBit.ROTATE if "ctrl" in modifiers and selected else 0
    if button == "right":
        action = Mouse.MOVE_H if level else Mouse.MOVE_V
        return action, PerturbBit.TRANSLATE if "ctrl" in modifiers and selected else 0
    return Mouse.NONE, 0


def key_text(name: str) -> str:
    """A key as people call it."""
    *held, key = name.split(" ")
    return " ".join([*held, _SIGNS.get(key, key if len(key) == 1 or key[1:].isdigit() else key.lower())])
