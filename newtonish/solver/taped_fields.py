"""Gradients by numbers of a Newton model, for steps that a tape records: which entries of MuJoCo's fields are which numbers.

A number's gradient is the sum of those by the entries that are it, or its opposite; whatever else the conversion makes of it, such as inverse weights, stays.
Where an entry is not the number itself (a damping ratio, the armature of a kinematic body), or its field has no derivative in this model, the gradient is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.convert.maps import CTRL_DIRECT, TARGET_POSITION, TARGET_VELOCITY
from newtonish.errors import UnsupportedError
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.gradient_fields import FIELDS, check_names
from newtonish.solver.bridge_adjoint import collect_kernel

__all__ = ["FieldLinks", "wanted_arrays"]

SOURCES = (
    "body_mass", "joint_armature", "joint_damping", "joint_friction", "joint_stiffness", "joint_target_ke", "joint_target_kd", "shape_material_mu",
    "shape_material_mu_torsional", "shape_material_mu_rolling", "gravity", "mujoco.actuator_gainprm", "mujoco.actuator_biasprm",
)  # fmt: skip
"""Arrays of a model whose numbers have gradients, with ``mujoco.`` in front of those of the namespace."""
_BOTH = 3
"""joint_target_mode with an actuator for each target."""


@dataclass(frozen=True)
class _Column:
    """Numbers of the model in one component of a field.

    Attributes:
        source: array of the model, one of ``SOURCES``.
        part: component of its elements.
        field: field of ``newtonish.mjw``.
        component: component of the field's entries.
        index: (nworld, entries) element of ``source`` in each entry, -1 where there is none.
        share: 1, or -1 for opposites.
    """

    source: str
    part: int
    field: str
    component: int
    index: np.ndarray
    share: float = 1.0


@dataclass(frozen=True)
class _Link:
    """Entries of ``field`` that are numbers of one array: those of number i are ``first[i]`` to ``first[i + 1] - 1``; no field: gradients are NaN."""

    field: str
    first: wp.array
    at: wp.array
    share: wp.array


class FieldLinks:
    """Which numbers of a model that want gradients stand in which fields.

    Args:
        model: The Newton model.
        compiled: Its conversion.
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        arrays: As ``wanted_arrays`` found them.

    Attributes:
        arrays: As given.
        bars: Arrays for the gradients by fields.
    """

    def __init__(self, model: Any, compiled: Any, m: Model, d: Data, arrays: dict[str, wp.array]) -> None:
        self.arrays, self._device = arrays, d.device
        self._nothing = wp.zeros(1, dtype=float, device=d.device)
        columns = [column for column in _columns(model, compiled, m) if column.source in arrays and (column.index >= 0).any()] if arrays else []
        known = {name for name in {column.field for column in columns} if _has_gradient(m, name)}
        self.bars = {name: wp.zeros((d.nworld, *_field(m, name).shape[1:]), dtype=FIELDS[name].dtype, device=d.device) for name in sorted(known)}
        self._links: list[tuple[str, _Link]] = []
        for source, name in dict.fromkeys((column.source, column.field) for column in columns):
            mine = [column for column in columns if (column.source, column.field) == (source, name)]
            self._links.append((source, self._link(mine, _values(compiled, name, d.nworld), name if name in known else "")))

    def collect(self) -> None:
        """Add gradients by fields to those by numbers of the model."""
        for source, link in self._links:
            bar = _floats(self.bars[link.field]) if link.field else self._nothing
            inputs = [link.first, link.at, link.share, bar, _floats(self.arrays[source].grad)]
            wp.launch(collect_kernel, link.first.size - 1, inputs, device=self._device)

    def _link(self, columns: list[_Column], values: np.ndarray, field: str) -> _Link:
        """The entries of one field, (nworld, entries, components), sorted by the numbers of one array that they are."""
        array = self.arrays[columns[0].source]
        numbers, width = _floats(array).numpy(), wp.types.type_size_in_bytes(array.dtype) // 4
        place = np.arange(values.size).reshape(values.shape)
        found = []
        for column in columns:
            linked = column.index >= 0
            number = column.index[linked] * width + column.part
            same = values[..., column.component][linked].astype(np.float32) == np.float32(column.share) * numbers[number]
            share = np.where(same & (field != ""), column.share, np.nan)
            found.append((number, np.where(np.isnan(share), 0, place[..., column.component][linked]), share))
        number, at, share = (np.concatenate(parts) for parts in zip(*found))
        order = np.argsort(number, kind="stable")  # sums have the same bits each time
        first = np.searchsorted(number[order], np.arange(numbers.size + 1))
        return _Link(field, *(wp.array(a, dtype=t, device=self._device) for a, t in ((first, int), (at[order], int), (share[order], float))))


def _columns(model: Any, compiled: Any, m: Model) -> list[_Column]:
    """Every number of the model that is an entry of a field as it is, or with the opposite sign."""
    maps = compiled.maps
    none = np.full_like(maps.mjc_dof, -1)
    first_dof = maps.mjc_dof[:, m.jnt.dofadr.numpy()] if m.size.njnt else none[:, :0]
    geoms = np.where(maps.geom_empty, -1, maps.mjc_geom)
    found = [
        _Column("body_mass", 0, "body_mass", 0, maps.mjc_body),
        _Column("joint_armature", 0, "dof_armature", 0, maps.mjc_dof),
        _Column("joint_damping", 0, "dof_damping", 0, maps.mjc_dof),
        _Column("joint_friction", 0, "dof_frictionloss", 0, maps.mjc_dof),
        _Column("joint_stiffness", 0, "jnt_stiffness", 0, first_dof),
        _Column("shape_material_mu", 0, "geom_friction", 0, geoms),
        _Column("shape_material_mu_torsional", 0, "geom_friction", 1, geoms),
        _Column("shape_material_mu_rolling", 0, "geom_friction", 2, geoms),
    ]
    count = len(maps.mjc_body)
    worlds = np.arange(count) if model.gravity.shape[0] >= count else np.zeros(count, dtype=np.int32)
    found += [_Column("gravity", k, "opt.gravity", k, worlds[:, None]) for k in range(3)]
    return found + (_gains(model, maps, m) if m.size.nactuator else [])


def _gains(model: Any, maps: Any, m: Model) -> list[_Column]:
    """Gains of joint targets, and those of rows of the table of actuators."""
    source = maps.actuator_source
    position, velocity, direct = (source == kind for kind in (TARGET_POSITION, TARGET_VELOCITY, CTRL_DIRECT))
    joint = np.where(direct, 0, m.actuator.trnid.numpy()[:, 0])
    dofs = maps.mjc_dof[:, m.jnt.dofadr.numpy()[joint] + np.maximum(maps.actuator_axis, 0)] if m.size.njnt else np.full_like(maps.actuator_index, -1)
    dofs = np.where(velocity, maps.actuator_index, dofs)
    both = model.joint_target_mode.numpy()[np.maximum(dofs, 0)] == _BOTH if model.joint_target_mode.size else np.zeros_like(dofs, dtype=bool)
    found = [
        _Column("joint_target_ke", 0, "actuator_gainprm", Affine.CONSTANT, np.where(position, dofs, -1)),
        _Column("joint_target_ke", 0, "actuator_biasprm", Affine.LENGTH, np.where(position, dofs, -1), -1.0),
        _Column("joint_target_kd", 0, "actuator_gainprm", Affine.CONSTANT, np.where(velocity, dofs, -1)),
        _Column("joint_target_kd", 0, "actuator_biasprm", Affine.VELOCITY, np.where(velocity | (position & ~both), dofs, -1), -1.0),
    ]
    rows = np.where(direct, maps.actuator_index, -1)
    return found + [_Column(f"mujoco.{name}", k, name, k, rows) for name in ("actuator_gainprm", "actuator_biasprm") for k in range(10)]


def wanted_arrays(model: Any) -> dict[str, wp.array]:
    """Those of ``SOURCES`` that the model has with a gradient."""
    found = {}
    for source in SOURCES:
        space, _, name = source.rpartition(".")
        array = getattr(getattr(model, space, None) if space else model, name, None)
        if isinstance(array, wp.array) and array.requires_grad and array.size and array.is_contiguous:
            found[source] = array
    return found


def _floats(array: wp.array) -> wp.array:
    """An array as a row of floats in the same memory."""
    size = array.size * (wp.types.type_size_in_bytes(array.dtype) // 4)
    view: Any = wp.array(ptr=array.ptr, shape=(size,), dtype=wp.float32, device=array.device)
    view._ref = array
    return view


def _field(m: Model, name: str) -> wp.array:
    space, _, flat = name.rpartition(".")
    array = getattr(m.opt if space else m, flat)
    assert isinstance(array, wp.array)
    return array


def _values(compiled: Any, name: str, nworld: int) -> np.ndarray:
    """A field as it was converted, (nworld, entries, components)."""
    own = name.removeprefix("opt.")
    values = np.asarray(compiled.batched[own] if own in compiled.batched else np.asarray(getattr(compiled.opt if own != name else compiled, own))[None])
    entries = 1 if own != name else values.shape[1]
    return np.broadcast_to(values, (nworld, *values.shape[1:])).reshape(nworld, entries, -1)


def _has_gradient(m: Model, name: str) -> bool:
    """Whether steps of this model have a gradient by a field."""
    try:
        check_names("SolverMuJoCo.step", m, [name])
    except UnsupportedError:
        return False
    return True
