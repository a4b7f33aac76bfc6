"""Keeping a moment of a simulation: as a keyframe of its model, and as an MJCF file with it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.exporters.mjcf import to_mjcf
from newtonish.exporters.options import with_options
from newtonish.exporters.pictures import write_png
from newtonish.files import write_file
from newtonish.viewer.physics import PhysicsOption

__all__ = ["add_keyframe", "save_model"]

_KEY_FIELDS = {
    "key_time": "time", "key_qpos": "qpos", "key_qvel": "qvel", "key_act": "act", "key_plastic": "plastic", "key_mpos": "mocap_pos", "key_mquat": "mocap_quat",
}  # fmt: skip
_WORDS = {"euler": "Euler", "rk4": "RK4", "pgs": "PGS", "cg": "CG", "newton": "Newton"}


def add_keyframe(simulation: Any, name: str) -> None:
    """Make the state and the controls of the world shown a keyframe of the model, in place of one of the same name.

    Args:
        simulation: A Simulation.
        name: Of the keyframe.
    """
    m, d, compiled, world = simulation.solver.mjw_model, simulation.solver.mjw_data, simulation.solver.compiled, simulation.world
    names = compiled.key_names
    place = names.index(name) if name in names else len(names)
    values = {key: getattr(d, field).numpy()[world] for key, field in _KEY_FIELDS.items()} | {"key_ctrl": simulation.ctrl[world]}
    for key, value in values.items():
        for rows, put in ((m.key[key], m.key.__setitem__), (getattr(compiled, key), lambda at, array: setattr(compiled, at, array))):
            kept = np.resize(rows, (max(len(rows), place + 1), *rows.shape[1:])) if rows.size else np.zeros((place + 1, *rows.shape[1:]), rows.dtype)
            kept[place] = np.asarray(value).reshape(rows.shape[1:])
            put(key, kept)
    if place == len(names):
        names.append(name)
    m.nkey = compiled.nkey = len(names)


def save_model(simulation: Any, path: str | PathLike[str], before: list[PhysicsOption]) -> None:
    """Write the world shown as an MJCF file, with its keyframes, and with the options that have been changed.

    Args:
        simulation: A Simulation.
        path: File to write; textures are written beside it, as :func:`newtonish.exporters.mjcf.save_to_mjcf` does.
        before: The options that the model was loaded with.
    """
    path = Path(path)
    pictures: dict[str, Any] = {}
    text = to_mjcf(simulation.solver, simulation.world, path.stem, pictures)
    now = simulation.physics()
    changed = {option.name.split(" ")[0] for option, old in zip(now, before, strict=True) if option != old}
    if changed:
        text = with_options(text, *_words_of([option for option in now if option.name.split(" ")[0] in changed]))
    for name, texture in pictures.items():
        write_png(texture, path.parent / name)
    write_file(path, text)


def _words_of(options: list[PhysicsOption]) -> tuple[dict[str, str], dict[str, str]]:
    """Attributes of ``option`` and of ``flag`` that stand for options; components of vectors follow one another."""
    found: dict[str, str] = {}
    flags: dict[str, str] = {}
    for option in options:
        word, _, part = option.name.partition(" ")
        if word in ("disable", "enable"):
            flags[part] = "enable" if bool(option.value) == (word == "enable") else "disable"
        elif isinstance(option.value, str):
            found[word] = _WORDS.get(option.value, option.value)
        else:
            found[word] = f"{found[word]} {option.value!r}" if word in found else repr(option.value)
    return found, flags
