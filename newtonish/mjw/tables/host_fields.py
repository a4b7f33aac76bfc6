"""Fields of an MjModel that no kernel reads, but scripts do: colours, meshes, keyframes, what actuators add to joints.

They go to the device when they are first read. ``actuator_armature`` and its kin are part of the sums on the joints and tendons
(``actuator_reflection.py``), which follow when they are set by name, as does what rays pass through for want of colour.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.structs.container import Model
from newtonish.kernels.structs.host_fields import HOST_FIELD_ENTRIES
from newtonish.mjw.capacity import is_sparse
from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.actuator_reflection import NAMES, reflect
from newtonish.mjw.tables.sensors import opaque_geoms

__all__ = ["HostFields"]

_NUMBERS = "nmesh nmeshvert nmeshface nmat nexclude nwrap nhfielddata nM"
_VECTORS = {2: wp.vec2, 3: wp.vec3, 4: wp.vec4}
_FLEXES = ("nflex", "nflexnode", "nflexvert", "nflexedge", "nflexelem")
_ELLIPSOIDS = 2  # in body_fluid


def _free_bodies(m: Model) -> wp.array:
    """Whether each body carries a tree by itself: its only joint is free, and nothing in its tree moves against it."""
    types, bodies, dofs = m.jnt_type.numpy(), m.jnt_bodyid.numpy(), m.jnt_dofadr.numpy()
    free = np.zeros(int(m.size.nbody), dtype=bool)
    for j in np.flatnonzero(types == JointType.FREE):
        free[bodies[j]] = m.tree_dofnum.numpy()[m.dof_treeid.numpy()[dofs[j]]] == 6
    return wp.array(free, dtype=wp.bool, device=m.device)


_DERIVED: dict[str, Callable[[Model], Any]] = {
    "is_sparse": is_sparse,
    "has_fluid": lambda m: m.size.nfluid > 0 or any(np.any(getattr(m.opt, name).numpy()) for name in ("density", "viscosity", "wind")),
    "body_is_free": _free_bodies,
    "body_fluid_ellipsoid": lambda m: wp.array(m.body_fluid.numpy() == _ELLIPSOIDS, dtype=wp.bool, device=m.device),
    "nrangefinder": lambda m: int(m.ranging.nray),
    **dict.fromkeys(_FLEXES, lambda _m: 0),  # they are refused, or left out
}
"""What mujoco_warp keeps beside MuJoCo's fields and scripts may ask for; read only."""
_COLOURS = ("geom_rgba", "geom_matid", "mat_rgba")
_REFLECTED = tuple(f"actuator_{name}" for name in NAMES)


class HostFields:
    """The fields of one Model, by name."""

    def __init__(self, m: Model, record: ModelRecord) -> None:
        self._device = m.device
        self._numbers = {name: int(getattr(record, name)) for name in _NUMBERS.split()}
        self._arrays: dict[str, np.ndarray | wp.array] = {}
        self._width: dict[str, int] = {}
        self._batched: set[str] = set()
        batched = record.batched
        for name, width, per_world in HOST_FIELD_ENTRIES:
            given = np.zeros(0) if name in record.absent else getattr(record, name)  # older models, and those of other makers, lack some
            given = np.array(batched.get(name, given[None] if per_world else given))
            if width > 1 and not given.size:
                given = np.zeros((*given.shape[: int(per_world)], 0, width))
            elif width > 1 and given.shape[-1] != width:  # several vectors in one row
                given = given.reshape(*given.shape[:-1], -1, width)
            self._arrays[name] = given
            self._width[name] = width
            self._batched |= {name} if per_world else set()

    def copy(self) -> HostFields:
        """The same fields, to be replaced apart."""
        other = object.__new__(HostFields)
        other.__dict__.update(self.__dict__, _arrays=dict(self._arrays))
        return other

    def __contains__(self, name: str) -> bool:
        return name in self._arrays or name in self._numbers or name in _DERIVED

    def is_batched(self, name: str) -> bool:
        """Whether a field has a world axis in front."""
        return name in self._batched

    def get(self, m: Model, name: str) -> Any:
        """A number, or an array on the device."""
        if name in _DERIVED:
            return _DERIVED[name](m)
        if name in self._numbers:
            return self._numbers[name]
        found = self._arrays[name]
        if isinstance(found, np.ndarray):
            found = self._arrays[name] = self._upload(name, found)
        return found

    def set(self, m: Model, name: str, value: Any) -> None:
        """Replace an array, which may have another number of worlds; sums that it is part of follow."""
        if name not in self._arrays:
            raise AttributeError(f"Model.{name}: got a value; allowed: reading it, as it follows from the model; leave it as it is.")
        old = self.get(m, name)
        new: Any = value if isinstance(value, wp.array) else self._upload(name, np.asarray(value))
        tail = slice(1 if name in self._batched else 0, None)
        if new.dtype != old.dtype or new.shape[tail] != old.shape[tail] or new.device != self._device:
            shape = ("1 or nworld", *old.shape[1:]) if name in self._batched else old.shape
            allowed = f"array of shape ({', '.join(map(str, shape))}) of {old.dtype.__name__} on {self._device}"
            raise ValueError(f"Model.{name}: got array of shape {new.shape} of {new.dtype.__name__} on {new.device}; allowed: {allowed}; convert it.")
        if name in _REFLECTED:
            reflect(m, name.removeprefix("actuator_"), new.numpy())
        new._is_batched = name in self._batched
        self._arrays[name] = new
        if name in _COLOURS:
            self._follow_colours(m)

    def _follow_colours(self, m: Model) -> None:
        """Let rays pass through geoms that are drawn in no world any more."""
        given = [np.asarray(a.numpy() if isinstance(a, wp.array) else a) for a in (self._arrays[name] for name in _COLOURS)]
        worlds = max(len(array) for array in given)
        if given[0].size:
            m.geom_opaque = np.max([opaque_geoms(*(array[min(w, len(array) - 1)] for array in given)) for w in range(worlds)], axis=0)

    def _upload(self, name: str, host: np.ndarray) -> wp.array:
        """A copy on the device in MuJoCo's shape, vectors folded into the type."""
        width = self._width[name]
        kind = np.int32 if host.dtype.kind in "iu" else np.bool_ if host.dtype.kind == "b" else np.float32
        dtype: Any = {np.int32: wp.int32, np.bool_: wp.bool, np.float32: wp.float32}[kind]
        if width > 1:
            dtype = wp.vec3i if kind is np.int32 else _VECTORS[width]
        ndim = max(1, host.ndim - (width > 1))  # what the model has none of may lack the axis of its vectors
        shape = host.shape[:ndim]
        array: Any
        if host.size:
            array = wp.array(np.ascontiguousarray(host, dtype=kind), dtype=dtype, ndim=ndim, device=self._device)
        else:
            array = wp.zeros(shape, dtype=dtype, device=self._device)
        array._is_batched = name in self._batched
        return array
