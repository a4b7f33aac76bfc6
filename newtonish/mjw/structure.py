"""The structure of a model on the device, which stays as it was put there: how many of each there are, and who refers to whom.

Kernels follow these numbers without looking, and host tables were made from them, so another number would be followed into foreign
memory. They are compared with a copy of what was put: when an array is replaced, after ``touch()``, and when one was handed out by its
flat name, since it may have been written in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import GeomType
from newtonish.errors import ModelError, problem, raise_all
from newtonish.kernels.structs.container import FOLLOWED, Model
from newtonish.mjw.tables.actuator_reflection import follow_actuators

__all__ = ["FREE", "Structure", "check_structure", "keep_structure"]

FREE = frozenset(
    {
        "jnt_limited", "jnt_actfrclimited", "jnt_actgravcomp", "geom_contype", "geom_conaffinity", "geom_group", "geom_opaque", "geom_priority",
        "actuator_group", "actuator_actlimited", "actuator_actearly", "actuator_forcelimited", "actuator_ctrllimited", "tendon_limited",
        "tendon_actfrclimited", "eq_active0", "sensor_datatype", "body_simple", "body_fluid",
    }
)  # fmt: skip
"""Integers that switch something and that nothing is looked up by."""
_LATER = ("nfluid", "iterations", "initpoints")
"""Numbers that follow from options."""
_KINDS = (wp.int32, wp.vec2i, wp.vec3i)
_REMEDY = "change the source of the model and put it again"


class Structure:
    """What the integers of a model were when it was put.

    Attributes:
        arrays: by flat name, the array that was found in order last, and a copy of what was put.
        sizes: by group and name, the numbers.
    """

    def __init__(self, m: Model) -> None:
        self.arrays: dict[str, tuple[wp.array, np.ndarray]] = {}
        self.sizes: dict[tuple[str, str], int] = {}
        for g in m.GROUPS:
            struct = getattr(m, g.name)
            for f in g.fields:
                name = g.flat_name(f)
                if g.name == "opt" or name in FREE:
                    continue
                if f.dims is None and f.name in _LATER:
                    continue
                if f.dims is None:
                    self.sizes[g.name, f.name] = getattr(struct, f.name)
                elif f.dtype in _KINDS and not f.per_world:
                    array = getattr(struct, f.name)
                    self.arrays[name] = (array, array.numpy().copy())

    def copy(self) -> Structure:
        """The same for a copy of the model."""
        other = object.__new__(Structure)
        other.arrays, other.sizes = dict(self.arrays), self.sizes
        return other

    def check(self, m: Model, handed: Iterable[str], everything: bool) -> None:
        """Raise ModelError for each array that differs from what was put.

        Args:
            m: the model.
            handed: flat names of arrays that somebody may have written into.
            everything: look at all arrays.
        """
        problems = []
        for (group, name), number in self.sizes.items():
            given = getattr(getattr(m, group), name)
            if given != number:
                problems.append(problem(f"m.{group}.{name}", str(given), f"{number}, as when the model was put", _REMEDY))
        for name, (seen, wanted) in self.arrays.items():
            g, f = Model.FLAT[name]
            array = getattr(getattr(m, g.name), f.name)
            if not (everything or name in handed or array is not seen):
                continue
            found = array.numpy()
            if found.shape == wanted.shape and np.array_equal(found, wanted):
                self.arrays[name] = (array, wanted)
            else:
                problems.append(_difference(name, found, wanted))
        _check_meshes(m, self.arrays["geom_type"][1], problems)
        raise_all(ModelError, "structure of the model", problems)


def _difference(name: str, found: np.ndarray, wanted: np.ndarray) -> str:
    """The first entry that is another one."""
    if found.shape != wanted.shape:
        return problem(f"m.{name}", f"shape {found.shape}", f"shape {wanted.shape}, as when the model was put", _REMEDY)
    at = np.argwhere(found != wanted)[0].tolist()
    place = ", ".join(map(str, at))
    return problem(f"m.{name}[{place}]", str(found[tuple(at)]), f"{wanted[tuple(at)]}, as when the model was put", _REMEDY)


def _check_meshes(m: Model, kinds: np.ndarray, problems: list[str]) -> None:
    """Meshes and heightfields of geoms, which may differ between worlds, are there."""
    number = {GeomType.MESH: int(m.hull.vertnum.shape[0]), GeomType.HFIELD: int(m.hfield.nrow.shape[0])}
    ids = m.geom.dataid.numpy()
    for kind, count in number.items():
        wrong = (kinds == kind) & ((ids < 0) | (ids >= count))
        if wrong.any():
            at = np.argwhere(wrong)[0].tolist()
            place = ", ".join(map(str, at))
            problems.append(problem(f"m.geom_dataid[{place}]", str(ids[tuple(at)]), f"0 to {count - 1}", f"name a {kind.name.lower()} of the model"))


def keep_structure(m: Any) -> None:
    """From now on, compare with what the model holds now: called by what has put other numbers there, checked by itself."""
    m.structure, m.checked, m.touched = Structure(m), m.version, False
    m.handed.clear()


def check_structure(m: Any) -> None:
    """Compare what may have changed since the last call, and let sums follow actuators; costs nothing where nothing may have changed."""
    known = m.__dict__
    handed = known["handed"]
    if not handed and known["checked"] == known["version"]:  # as in nearly every call
        return
    structure, touched = known.get("structure"), known["touched"]
    if structure is None or m.device.is_capturing:
        return
    structure.check(m, frozenset(handed), touched)
    if touched or not handed.isdisjoint(FOLLOWED):
        follow_actuators(m)
    handed.clear()
    m.__dict__["checked"], m.__dict__["touched"] = m.version, False
