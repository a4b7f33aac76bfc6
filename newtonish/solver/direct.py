"""Edits that need no conversion: each number of the solver's array is one of the model's.

Damping and dry friction of joints, friction of shapes and gravity are what scripts randomise most often, in some worlds between
episodes. Whether nothing else was edited is seen by fingerprints of the properties that a kind of edit may follow from, taken at
the last conversion; anything else is converted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish.convert.options import plain
from newtonish.convert.worlds import ALIASES
from newtonish.kernels.structs.container import Model
from newtonish.kernels.structs.field import Field, Group
from newtonish.model.enums import ModelFlags
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES

__all__ = ["DirectEdits"]

_JOINTS = (
    "joint_axis", "joint_armature", "joint_damping", "joint_stiffness", "joint_friction", "joint_limit_lower", "joint_limit_upper", "joint_limit_ke",
    "joint_limit_kd", "joint_effort_limit", "joint_target_ke", "joint_target_kd", "joint_target_mode", "joint_rest_q", "joint_X_p", "joint_X_c", "joint_enabled",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """Properties that are edited together.

    Attributes:
        flags: Bits of ``ModelFlags`` that stand for them.
        fields: Arrays of the solver, and those of the model whose numbers they are: one for all of a field, or one for each component.
        rows: The map that says which number of the model's is behind each of a field's; empty: a row of each world.
        frequencies: Rows of MuJoCo's namespace that belong to them.
    """

    flags: int
    fields: dict[str, tuple[str, ...]]
    rows: str
    frequencies: tuple[str, ...] = ()


_KINDS = (
    Kind(
        int(
            ModelFlags.JOINT_DOF_PROPERTIES
            | ModelFlags.JOINT_DOF_FORCE_PROPERTIES
            | ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES
            | ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES
        ),
        {"dof_damping": ("joint_damping",), "dof_frictionloss": ("joint_friction",)},
        "mjc_dof",
        ("joint", "joint_dof", "joint_coord"),
    ),
    Kind(
        int(ModelFlags.SHAPE_PROPERTIES),
        {"geom_friction": ("shape_material_mu", "shape_material_mu_torsional", "shape_material_mu_rolling")},
        "mjc_geom",
        ("shape", "mujoco:pair"),
    ),
    Kind(int(ModelFlags.MODEL_PROPERTIES), {"gravity": ("gravity",)}, ""),
)


class DirectEdits:
    """What a solver's arrays stand for, to tell edits of numbers that are taken over as they are from others.

    Args:
        model: The Newton model.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._last: dict[int, dict[str, bytes]] = {}

    def note(self, m: Model, compiled: Any) -> None:
        """Everything was converted: keep what it was converted from, where the numbers of a field are the model's."""
        self._last = {}
        for kind in _KINDS:
            if all(self._stand_for(m, compiled, kind, name) for name in kind.fields):
                self._last[kind.flags] = self._fingerprints(kind)

    def take_over(self, m: Model, compiled: Any, flags: int) -> list[wp.array] | None:
        """Write edited numbers into the solver's arrays.

        Args:
            m: The solver's model.
            compiled: The conversion that it stands on; follows.
            flags: Kinds of properties that were edited.

        Returns:
            Arrays that were replaced, as of ``newtonish.solver.notify.take_over``; None if something else was edited as well, or
            the numbers are not the model's alone, such as damping that actuators have a share in: the model has to be converted.
        """
        flagged = [kind for kind in _KINDS if kind.flags & flags]
        if flags & ~sum(kind.flags for kind in flagged) or any(kind.flags not in self._last for kind in flagged):
            return None
        edited: list[tuple[Kind, str]] = []
        now = {kind.flags: self._fingerprints(kind) for kind in flagged}
        for kind in flagged:
            changed = _changed(self._last[kind.flags], now[kind.flags])
            names = [name for name, sources in kind.fields.items() if changed & set(sources)]
            if changed - {source for name in names for source in kind.fields[name]}:
                return None
            edited += [(kind, name) for name in names]
        if not edited:
            return None  # arrays of the solver may have been edited themselves: they become the model's again
        self._last |= now
        written = (_write(m, compiled, name, self._values(compiled, kind, name)) for kind, name in edited)
        return [array for array in written if array is not None]

    def _values(self, compiled: Any, kind: Kind, name: str) -> np.ndarray:
        """The model's numbers as the solver has them, (nworld, n) or with components."""
        columns = [getattr(self._model, source).numpy() for source in kind.fields[name]]
        if not kind.rows:
            rows, worlds = columns[0], int(compiled.nworld)
            return np.broadcast_to(rows[:1], (worlds, *rows.shape[1:])) if len(rows) < worlds else rows[:worlds]
        index = getattr(compiled.maps, kind.rows)
        return columns[0][index] if len(columns) == 1 else np.stack([column[index] for column in columns], axis=-1)

    def _stand_for(self, m: Model, compiled: Any, kind: Kind, name: str) -> bool:
        """Whether the solver's numbers are the model's."""
        if not all(isinstance(getattr(self._model, source, None), wp.array) for source in kind.fields[name]):
            return False
        if kind.rows and (np.asarray(getattr(compiled.maps, kind.rows)) < 0).any():
            return False
        values = self._values(compiled, kind, name)
        own = _array(m, name).numpy()
        return own.shape[1:] == values.shape[1:] and np.array_equal(np.broadcast_to(own, values.shape), values.astype(np.float32))

    def _fingerprints(self, kind: Kind) -> dict[str, bytes]:
        """A fingerprint of each array that the fields of a kind may follow from."""
        found = dict(self._arrays(kind))
        return {name: hashlib.blake2b(np.ascontiguousarray(array.numpy()).data, digest_size=16).digest() for name, array in found.items()}

    def _arrays(self, kind: Kind) -> Iterable[tuple[str, wp.array]]:
        own: Iterable[str] = (source for sources in kind.fields.values() for source in sources)
        if kind.rows == "mjc_dof":
            own = _JOINTS
        elif kind.rows == "mjc_geom":
            own = (name for name in dir(self._model) if name.startswith("shape_"))
        namespace = getattr(self._model, "mujoco", None)
        rows = (row for row in MUJOCO_ATTRIBUTES if row.frequency in kind.frequencies and row.assignment == "model")
        custom = (row.name for row in rows if row.dtype != "str" and row.name not in ALIASES)
        for names, holder, prefix in ((own, self._model, ""), (custom, namespace, "mujoco:")):
            for name in names:
                array = getattr(holder, name, None)
                if isinstance(array, wp.array) and array.size:
                    yield prefix + name, array


def _changed(last: dict[str, bytes], now: dict[str, bytes]) -> set[str]:
    """Names of arrays that are not what they were."""
    return {name for name in last.keys() | now.keys() if last.get(name) != now.get(name)}


def _place(m: Model, name: str) -> tuple[Group, Field]:
    """Where a field is, options included."""
    return next((group, field) for group in m.GROUPS for field in group.fields if group.flat_name(field) == name)


def _array(m: Model, name: str) -> wp.array:
    group, field = _place(m, name)
    array = getattr(getattr(m, group.name), field.name)
    assert isinstance(array, wp.array)
    return array


def _write(m: Model, compiled: Any, name: str, values: np.ndarray) -> wp.array | None:
    """Put numbers (nworld, ...) on the device and into the conversion; the array that had to be replaced, if one had."""
    same = bool((values == values[:1]).all())
    if name == "gravity":
        compiled.opt.gravity = plain(values[0])
    else:
        setattr(compiled, name, values[0].astype(np.float64))
    if same:
        compiled.batched.pop(name, None)
    else:
        compiled.batched[name] = values.astype(np.float64)
    old = _array(m, name)
    if len(old) == 1 and not same:
        m.set_field(*_place(m, name), values)
        return old
    old.assign(values[: len(old)])
    return None
