"""Edits of joints' damping alone, which need no conversion: each number of the solver's array is one of the model's.

Randomised damping is the edit that scripts make most often, in some worlds between episodes. Whether it was the only one
is seen by comparing the properties of joints and dofs with those that were converted last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.convert.worlds import ALIASES
from newtonish.kernels.structs.container import Model
from newtonish.model.enums import ModelFlags
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES

__all__ = ["DampingEdits"]

_KINDS = ("joint", "joint_dof", "joint_coord")
_OWN = (
    "joint_axis", "joint_armature", "joint_damping", "joint_stiffness", "joint_friction", "joint_limit_lower", "joint_limit_upper", "joint_limit_ke",
    "joint_limit_kd", "joint_effort_limit", "joint_target_ke", "joint_target_kd", "joint_target_mode", "joint_rest_q", "joint_X_p", "joint_X_c", "joint_enabled",
)  # fmt: skip
_ATTRIBUTES = [row.name for row in MUJOCO_ATTRIBUTES if row.frequency in _KINDS and row.assignment == "model" and row.dtype != "str" and row.name not in ALIASES]
_FLAGS = int(
    ModelFlags.JOINT_DOF_PROPERTIES
    | ModelFlags.JOINT_DOF_FORCE_PROPERTIES
    | ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES
    | ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES
)


class DampingEdits:
    """What a solver's arrays stand for, to tell an edit of ``joint_damping`` from others.

    Args:
        model: The Newton model.
        dofs: Newton's dof behind each of MuJoCo's, (nworld, nv).
    """

    def __init__(self, model: Any, dofs: np.ndarray) -> None:
        self._model, self._dofs = model, np.asarray(dofs)
        self._last: dict[str, np.ndarray] | None = None

    def note(self) -> None:
        """Everything was converted: keep the properties of joints that it was converted from."""
        self._last = self._columns()

    def take_over(self, m: Model, compiled: Any, flags: int) -> list[wp.array] | None:
        """Write edited damping into the solver's array.

        Args:
            m: The solver's model.
            compiled: The conversion that it stands on; follows.
            flags: Kinds of properties that were edited.

        Returns:
            Arrays that were replaced, as of ``newtonish.solver.notify.take_over``; None if something else was edited as well, or
            actuators or springs have their share in the array: the model has to be converted.
        """
        if flags & ~_FLAGS or self._last is None or (self._dofs < 0).any():
            return None
        now, last = self._columns(), self._last
        others = (name for name in now if name != "joint_damping")
        if set(now) != set(last) or not all(np.array_equal(now[name], last[name], equal_nan=True) for name in others):
            return None
        old = m.dof_damping
        if not np.array_equal(np.broadcast_to(old.numpy(), self._dofs.shape), last["joint_damping"][self._dofs]):
            return None
        values, self._last = now["joint_damping"][self._dofs], now
        return _write(m, compiled, values)

    def _columns(self) -> dict[str, np.ndarray]:
        """Copies of the properties of joints and dofs that the model has."""
        own = {name: getattr(self._model, name, None) for name in _OWN}
        namespace = getattr(self._model, "mujoco", None)
        found = own | {f"mujoco:{name}": getattr(namespace, name, None) for name in _ATTRIBUTES}
        return {name: array.numpy().copy() for name, array in found.items() if isinstance(array, wp.array)}


def _write(m: Model, compiled: Any, values: np.ndarray) -> list[wp.array]:
    """Put damping (nworld, nv) on the device and into the conversion."""
    same = bool((values == values[:1]).all())
    compiled.dof_damping = values[0].astype(np.float64)
    if same:
        compiled.batched.pop("dof_damping", None)
    else:
        compiled.batched["dof_damping"] = values.astype(np.float64)
    old = m.dof_damping
    if len(old) == 1 and not same:
        m.dof_damping = values
        return [old]
    old.assign(values[: len(old)])
    return []
