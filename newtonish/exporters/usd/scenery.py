"""Which prims of a stage follow which bodies of a model: of a stage that is written for the model, or of the one it was read from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from newtonish.convert import convert
from newtonish.errors import ModelError, NewtonishWarning, problem
from newtonish.exporters.usd.stage import save_to_usd
from newtonish.importers import frames
from newtonish.importers.mjcf.roots import axis_rotation
from newtonish.importers.usd.poses import closeness, local, rigid
from newtonish.model.enums import Axis

__all__ = ["Carried", "Scenery", "read_scenery", "written_scenery"]

Frame = tuple[np.ndarray, np.ndarray]
HERE = (np.zeros(3), frames.IDENTITY)
SAME = 1e-5
"""Distance [m] and angle [rad] of two frames that is rounding."""


@dataclass
class Carried:
    """A prim that follows a body.

    Attributes:
        path: Its path on the stage.
        rows: (nworld,) rows of its body in ``state.body_q``.
        offset: The prim's frame in the body's.
    """

    path: str
    rows: np.ndarray
    offset: Frame = HERE


@dataclass
class Scenery:
    """A stage and what moves on it.

    Attributes:
        path: The stage's file.
        prims: What moves, those above before those below.
        base: Frame of the stage in the model's world, in metres.
        left_out: Four-part lines of what cannot be shown as it is.
    """

    path: Path
    prims: list[Carried]
    base: Frame
    left_out: list[str]


def written_scenery(model: Any, path: Path) -> Scenery:
    """Write the first world of a model, ours or Newton's, as a stage of its own at ``path``."""
    compiled = convert(model)
    written = save_to_usd(SimpleNamespace(model=model, compiled=compiled), path)
    rows = np.asarray(compiled.maps.mjc_body).reshape(-1, len(written.bodies))
    prims = [Carried(prim, rows[:, body]) for body, prim in enumerate(written.bodies) if body]
    return Scenery(Path(path), prims, HERE, written.left_out)


def read_scenery(model: Any, path: Path) -> Scenery:
    """The stage that a model was read from with ``add_usd``'s usual arguments, once or as copies in several worlds.

    Raises:
        ImporterError: The stage cannot be read.
        ModelError: The model's worlds do not hold what the stage does.
    """
    from newtonish.model.builder import ModelBuilder

    one = ModelBuilder(up_axis=Axis.from_any(model.up_axis))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)  # whoever read the model has heard them
        result = one.add_usd(str(path))
    rows = _rows(model, one, path)
    base = (np.zeros(3), axis_rotation(Axis.from_any(result["up_axis"]), one.up_axis))
    stage, left_out, prims = Usd.Stage.Open(str(path)), [], []
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    for prim_path, row in result["path_body_map"].items():
        prim = stage.GetPrimAtPath(prim_path)
        if not prim:
            left_out.append(problem(prim_path, "a copy that a point instancer makes", "prims of the stage", "write the copies as references"))
        elif row >= 0:
            pose = rigid(np.array(cache.GetLocalToWorldTransform(prim)).T, result["linear_unit"])
            body = np.array(one.body_q[row], dtype=np.float64)
            offset = local((body[:3], np.roll(body[3:], 1)), frames.compose(*base, *pose.frame))
            prims.append(Carried(prim_path, rows[:, row], HERE if max(closeness(offset)) < SAME else offset))
    prims.sort(key=lambda item: item.path.count("/"))
    return Scenery(Path(path), prims, base, left_out)


def _rows(model: Any, one: Any, path: Path) -> np.ndarray:
    """(nworld, nbody) rows of the bodies of a stage in a model."""
    count = one.body_count
    labels = [str(label) for label in model.body_label]
    copies = len(labels) // max(count, 1)
    whole = count > 0 and len(labels) == copies * count
    if not whole or any(not label.endswith(one.body_label[i % count]) for i, label in enumerate(labels)):
        given = f"a model of {len(labels)} bodies, '{labels[0]}' first" if labels else "a model without bodies"
        raise ModelError(
            problem("recording", given, f"the {count} bodies of {path}, once in each world", "name the stage that the model was read from, or none")
        )
    return np.arange(len(labels)).reshape(copies, count)
