"""The properties of a Newton model that kinds of edits are made of, as they were when they were last looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish.convert.worlds import ALIASES
from newtonish.model.enums import ModelFlags
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES

__all__ = ["ACTUATORS", "BODIES", "GRAVITY", "JOINTS", "KINDS", "SHAPES", "Kind", "Properties"]

_JOINT_ARRAYS = (
    "joint_axis", "joint_armature", "joint_damping", "joint_stiffness", "joint_friction", "joint_limit_lower", "joint_limit_upper", "joint_limit_ke",
    "joint_limit_kd", "joint_effort_limit", "joint_target_ke", "joint_target_kd", "joint_target_mode", "joint_rest_q", "joint_X_p", "joint_X_c", "joint_enabled",
)  # fmt: skip
_BODY_ARRAYS = ("body_mass", "body_com", "body_inertia", "body_flags")


@dataclass(frozen=True)
class Kind:
    """Properties that are edited together.

    Attributes:
        flags: Bits of ``ModelFlags`` that stand for them.
        arrays: Names of the model's arrays; one that ends in ``_`` stands for all that begin so.
        frequencies: Rows of MuJoCo's namespace that belong to them.
        rows: The map that says which number of the model's is behind each of a field's; empty: a row of each world.
        direct: Arrays of the solver that are the model's numbers as they are, with the names of these: one for all of a field, or one
            for each component.
    """

    flags: int
    arrays: tuple[str, ...]
    frequencies: tuple[str, ...]
    rows: str
    direct: dict[str, tuple[str, ...]]


JOINTS = Kind(
    int(
        ModelFlags.JOINT_DOF_PROPERTIES
        | ModelFlags.JOINT_DOF_FORCE_PROPERTIES
        | ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES
        | ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES
    ),
    _JOINT_ARRAYS,
    ("joint", "joint_dof", "joint_coord"),
    "mjc_dof",
    {"dof_damping": ("joint_damping",), "dof_frictionloss": ("joint_friction",)},
)
SHAPES = Kind(
    int(ModelFlags.SHAPE_PROPERTIES),
    ("shape_",),
    ("shape", "mujoco:pair"),
    "mjc_geom",
    {"geom_friction": ("shape_material_mu", "shape_material_mu_torsional", "shape_material_mu_rolling")},
)
GRAVITY = Kind(int(ModelFlags.MODEL_PROPERTIES), ("gravity",), (), "", {"gravity": ("gravity",)})
BODIES = Kind(int(ModelFlags.BODY_INERTIAL_PROPERTIES), _BODY_ARRAYS, ("body",), "", {})
ACTUATORS = Kind(int(ModelFlags.ACTUATOR_PROPERTIES), (), ("mujoco:actuator",), "", {})
KINDS = (JOINTS, SHAPES, GRAVITY, BODIES, ACTUATORS)


class Properties:
    """Copies of all arrays of all kinds, to tell which rows were edited since.

    Args:
        model: The Newton model.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._known: dict[int, dict[str, np.ndarray]] = {}

    def note(self, kind: Kind) -> None:
        """Take a kind's properties for known as they are."""
        self._known[kind.flags] = {name: array.numpy().copy() for name, array in self._arrays(kind)}

    def accept(self, kind: Kind, edited: Iterable[str]) -> None:
        """Take edited arrays for known."""
        for name in edited:
            self._known[kind.flags][name] = self.array(name).numpy().copy()

    def edited(self, kind: Kind) -> dict[str, np.ndarray] | None:
        """Rows that were edited, a boolean for each, by the names of their arrays; None if arrays were added, removed or made larger."""
        known, found = self._known[kind.flags], {}
        now = dict(self._arrays(kind))
        if now.keys() != known.keys():
            return None
        for name, array in now.items():
            values = array.numpy()
            if values.shape != known[name].shape or values.dtype != known[name].dtype:
                return None
            different = _bits(values) != _bits(known[name])
            if different.any():
                found[name] = different.any(axis=1)
        return found

    def array(self, name: str) -> wp.array:
        """An array by its name; ``mujoco:`` begins those of the namespace."""
        space, _, own = name.rpartition(":")
        array = getattr(self._model.mujoco if space else self._model, own)
        assert isinstance(array, wp.array)
        return array

    def _arrays(self, kind: Kind) -> Iterable[tuple[str, wp.array]]:
        own = [name for name in kind.arrays if not name.endswith("_")]
        for start in set(kind.arrays) - set(own):
            own += [name for name in dir(self._model) if name.startswith(start) and not isinstance(getattr(type(self._model), name, None), property)]
        rows = (row for row in MUJOCO_ATTRIBUTES if row.frequency in kind.frequencies and row.assignment == "model")
        custom = (row.name for row in rows if row.dtype != "str" and row.name not in ALIASES)
        for names, holder, prefix in ((own, self._model, ""), (custom, getattr(self._model, "mujoco", None), "mujoco:")):
            for name in names:
                array = getattr(holder, name, None)
                if isinstance(array, wp.array) and array.size:
                    yield prefix + name, array


def _bits(values: np.ndarray) -> np.ndarray:
    """Numbers as integers of their bits, a row each, so that a NaN equals itself."""
    flat = np.ascontiguousarray(values)
    whole = np.int32 if flat.dtype.itemsize % 4 == 0 else np.uint8
    return flat.view(whole).reshape(len(flat), -1)
