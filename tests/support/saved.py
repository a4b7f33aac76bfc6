"""Written models against the arrays they come from: compiled again by our importer and by MuJoCo, field by field.

    python tests/support/saved.py [MODEL ...]

does it for every shared model (or those whose names contain a word), and prints a line for each.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from paths import OWN, SHARED

from newtonish import ModelBuilder
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import CompiledModel, convert
from newtonish.errors import NewtonishError
from newtonish.exporters.mjcf import to_mjcf

TOLERANCE = 1e-5
DERIVED = ("mesh_graph", "mesh_graphadr", "mesh_normal", "mesh_normaladr", "mesh_normalnum", "body_bvhadr", "body_bvhnum")
"""MuJoCo's own hulls, normals and bounding volumes, which have no counterpart in ours."""
FILES = ("tex_", "mat_texid", "light_texid")
"""Textures that are files are not in the text alone; test_kept.py compares them."""
KINDS = {
    "body": "body",
    "jnt": "joint",
    "geom": "geom",
    "site": "site",
    "cam": "camera",
    "tendon": "tendon",
    "actuator": "actuator",
    "sensor": "sensor",
    "key": "key",
}


def compiled(source: str | Path) -> CompiledModel:
    """What our importer and conversion make of a file or text."""
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(str(source))
        return convert(builder.finalize(device="cpu"))


def difference(name: str, ours: Any, theirs: Any) -> list[str]:
    """A line if two values of a field differ; quaternions count up to their sign."""
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if ours.shape != theirs.shape:
        return [f"{name}: shape {ours.shape} against {theirs.shape}"]
    if name.endswith("quat") and ours.size and ours.shape[-1] == 4:
        ours = ours * np.where(np.sum(ours * theirs, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    error = np.abs(ours - theirs) - TOLERANCE * np.abs(theirs)
    if not error.size or error.max() <= TOLERANCE:
        return []
    at = np.unravel_index(int(error.argmax()), error.shape)
    return [f"{name}{list(map(int, at))}: {ours[at]:.8g} against {theirs[at]:.8g}"]


def differences(origin: CompiledModel, text: str, world: int = 0) -> list[str]:
    """What differs between the arrays of one world and those of the text that was written of them."""
    again, theirs = compiled(text), mujoco.MjModel.from_xml_string(text)
    given = {name: origin.world(name, world) for name in FIELDS if not name.startswith(FILES)}
    wrong = [line for name in given for line in difference(name, getattr(again, name), given[name])]
    for name in vars(origin.opt):
        value = origin.batched[name][world] if name in origin.batched else getattr(origin.opt, name)
        wrong += difference(f"opt.{name}", getattr(again.opt, name), value)
        wrong += difference(f"MuJoCo's opt.{name}", getattr(theirs.opt, name), value)
    for name, value in vars(origin.stat).items():
        wrong += difference(f"stat.{name}", getattr(again.stat, name), value) if world == 0 else []
    found = ~np.any(origin.actuator_lengthrange, axis=1)  # those that are found by simulation when a model is loaded
    for name in given:
        if hasattr(theirs, name) and name not in DERIVED:
            value = getattr(theirs, name)
            value = np.frombuffer(value, dtype=np.uint8) if isinstance(value, bytes) else np.array(value)
            if name == "actuator_lengthrange":
                value[found] = 0.0
            wrong += difference(f"MuJoCo's {name}", value, given[name])
    for kind, word in KINDS.items():
        names = list(getattr(origin, f"{kind}_names"))
        if names != list(getattr(again, f"{kind}_names")):
            wrong.append(f"{kind}_names: {getattr(again, f'{kind}_names')} against {names}")
        wrong += [
            f"MuJoCo's {word} {i}: no '{n}'"
            for i, n in enumerate(names)
            if n and mujoco.mj_id2name(theirs, getattr(mujoco.mjtObj, f"mjOBJ_{word.upper()}"), i) != n
        ]
    return wrong


def main(words: list[str]) -> int:
    """Write and compare every model; returns the number of those that differ."""
    failed = 0
    for path in sorted([*OWN.glob("*.xml"), *SHARED.rglob("*.xml")]):
        if (words and not any(word in str(path) for word in words)) or "<mujocoinclude" in path.read_text(errors="replace"):
            continue
        start = time.perf_counter()
        try:
            origin = compiled(path)
            wrong = differences(origin, to_mjcf(origin))
        except NewtonishError as error:
            wrong = [f"{type(error).__name__}: {line}" for line in error.problems or [str(error)]]
        failed += bool(wrong)
        print(f"{path.parent.name}/{path.name}: {'; '.join(wrong) or 'equal'} ({time.perf_counter() - start:.1f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
