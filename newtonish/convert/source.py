"""Source: read access to a Newton model for the conversion, plain numpy in, defaults where an attribute is absent.

Only public Newton attributes and ``model.mujoco.*`` are read, so that a real ``newton.Model`` converts as well as
our own. The defaults of the custom attributes are those of the table in ``newtonish.namespaces.mujoco_table``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from newtonish.convert.shape_sources import source_contents
from newtonish.convert.targets import JOINT, SITE, TENDON, resolve_targets
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES, Row

__all__ = ["Source"]

SITE_FLAG = 8
_TARGETS = ("actuator_trntype", "actuator_trnid")
_ROWS: dict[str, Row] = {row.name: row for row in MUJOCO_ATTRIBUTES}
_DTYPES = {"int": np.int32, "vec2i": np.int32, "int64": np.int64, "bool": np.bool_, "str": object}


def _numpy(value: Any) -> Any:
    """A Warp array as numpy; lists and numpy arrays pass."""
    return value.numpy() if hasattr(value, "numpy") else value


class Source:
    """Arrays of a Newton model by name; floats come out as float64."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._cache: dict[str, np.ndarray] = {}
        self._labels: dict[str, list[str]] = {}

    def array(self, name: str) -> np.ndarray:
        """A public array of the model, e.g. ``joint_axis``."""
        if name not in self._cache:
            value = np.asarray(_numpy(getattr(self.model, name)))
            self._cache[name] = value.astype(np.float64) if value.dtype.kind == "f" else value
        return self._cache[name]

    def has(self, name: str) -> bool:
        """Whether the model has a public attribute that is not None."""
        return getattr(self.model, name, None) is not None

    def labels(self, kind: str) -> list[str]:
        """Labels of ``body``, ``joint`` or ``shape``."""
        if kind not in self._labels:
            self._labels[kind] = [str(label) for label in getattr(self.model, f"{kind}_label")]
        return self._labels[kind]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of rows by attribute frequency."""
        model = self.model
        return {
            "once": 1,
            "world": self.world_count,
            "body": int(model.body_count),
            "joint": int(model.joint_count),
            "joint_dof": int(model.joint_dof_count),
            "joint_coord": int(model.joint_coord_count),
            "shape": int(model.shape_count),
            "constraint_mimic": int(getattr(model, "constraint_mimic_count", 0) or 0),
        }

    @cached_property
    def geometry(self) -> np.ndarray:
        """A number for the mesh or heightfield behind each shape, by its content; -1: none."""
        return source_contents(self.model, self.rows("shape"))

    @property
    def world_count(self) -> int:
        """Number of worlds, at least one."""
        return max(1, int(self.model.world_count))

    def authored(self, name: str) -> bool:
        """Whether ``model.mujoco`` has this attribute."""
        return getattr(getattr(self.model, "mujoco", None), name, None) is not None

    @property
    def has_own_namespace(self) -> bool:
        """Whether ``model.mujoco`` was declared from our table, which has more than Newton's (e.g. ``plane_grid``)."""
        return self.authored("plane_grid")

    def rows(self, frequency: str) -> int:
        """Number of rows of an attribute frequency; 0 for a custom one that the model has not declared."""
        if frequency in self.counts:
            return self.counts[frequency]
        names = [row.name for row in MUJOCO_ATTRIBUTES if row.frequency == frequency and row.assignment == "model"]
        lengths = [len(_numpy(getattr(self.model.mujoco, name))) for name in names if self.authored(name)]
        return max(lengths, default=0)

    @cached_property
    def tendon_dofs(self) -> np.ndarray:
        """Dof of every row of ``mujoco:tendon_joint``: the named one, or the joint's if it has just one; -1 otherwise."""
        return self._dofs(self.custom("tendon_joint_dof"), self.custom("tendon_joint"))

    @cached_property
    def equality_dofs(self) -> np.ndarray:
        """The two dofs (n, 2) of every row of ``mujoco:equality_constraint``, by the same rule."""
        ends = [(self.custom(f"equality_constraint_joint{i}_dof"), self.custom(f"equality_constraint_joint{i}")) for i in (1, 2)]
        return np.stack([self._dofs(*end) for end in ends], axis=-1)

    def _dofs(self, dof: np.ndarray, joint: np.ndarray) -> np.ndarray:
        start = np.append(self.array("joint_qd_start")[: self.rows("joint")], self.rows("joint_dof"))
        single = np.append(np.where(np.diff(start) == 1, start[:-1], -1), -1)
        return np.where(dof >= 0, dof, single[np.clip(joint, -1, len(single) - 1)])

    def custom(self, name: str) -> np.ndarray:
        """Rows of ``model.mujoco.<name>``, or the table's default for every row; strings as an object array."""
        key = f"mujoco:{name}"
        if key not in self._cache:
            row = _ROWS[name]
            dtype = _DTYPES.get(row.dtype, np.float64)
            if self.authored(name):
                raw = _numpy(getattr(self.model.mujoco, name))
                value = np.array(list(raw), dtype=object) if dtype is object else np.asarray(raw).astype(dtype)
            else:
                shape = (self.rows(row.frequency), *np.shape(row.default))
                value = np.broadcast_to(np.array(row.default, dtype=dtype), shape)
            self._cache[key] = value
            if name in _TARGETS:
                self._name_targets()
        return self._cache[key]

    def solref(self, name: str) -> np.ndarray:
        """Rows of a pair of solver reference numbers, the second filled in where a file gave the time constant alone.

        Newton's importer fills up with the zeros by which it knows pairs that nobody wrote; MuJoCo's damping ratio is then 1.
        """
        pair = self.custom(name)
        if self.has_own_namespace:
            return pair
        alone = (pair[:, :1] > 0.0) & (pair[:, 1:] == 0.0)
        return np.where(alone, np.concatenate([pair[:, :1], np.ones_like(pair[:, 1:])], axis=-1), pair)

    def _name_targets(self) -> None:
        """Give actuators that know their target by name only its index."""
        keys = [f"mujoco:{name}" for name in _TARGETS]
        if not all(key in self._cache for key in keys):
            self.custom(next(name for name, key in zip(_TARGETS, keys) if key not in self._cache))
            return
        if not np.any(self._cache[keys[1]][:, 0] < 0):
            return
        flags = self.array("shape_flags")
        sites = [label if flags[i] & SITE_FLAG else None for i, label in enumerate(self.labels("shape"))]
        names = ((JOINT, self.custom("joint_dof_label")), (TENDON, self.custom("tendon_label")), (SITE, sites))
        trntype, trnid = (self._cache[key] for key in keys)
        targets = resolve_targets(trntype, trnid, self.custom("actuator_target_label"), names)
        self._cache |= dict(zip(keys, targets))
