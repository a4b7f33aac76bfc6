"""Last steps: derive the constants of distinct worlds, put tables into a CompiledModel, and add what is in no table.

The constants of qpos0 do not depend on where a tree stands in the world. Worlds that differ only in the poses of their
root bodies (a grid of robots) therefore share one set, computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.common.compiled_fields import FIELDS
from newtonish.common.enums import JointType, TrnType, WrapType
from newtonish.convert.compiled import CompiledModel
from newtonish.convert.const0 import const0
from newtonish.convert.equalities import active_by_world
from newtonish.convert.gains import has_springs
from newtonish.convert.geoms import gain_tables
from newtonish.convert.kept import Kept, keeps_pictures
from newtonish.convert.meshes import MeshSet
from newtonish.convert.parts import Parts
from newtonish.convert.sizes import count_sizes
from newtonish.convert.source import Source
from newtonish.convert.statistics import statistics
from newtonish.convert.tendons import jacobian_weights
from newtonish.convert.worlds import Worlds

__all__ = ["CONSTANT_INPUTS", "add_differences", "assemble", "authored_statistics", "by_world", "derive", "keep_pictures"]

Table = dict[str, np.ndarray]
CONSTANT_INPUTS = (
    "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis", "qpos0",
    "dof_armature", "actuator_gear", "actuator_armature", "geom_pos", "geom_rbound", "geom_size", "site_pos", "wrap_prm",
    "tendon_armature", "site_quat", "geom_quat", "actuator_cranklength", "tendon_length0", "_kinematic_dof",
)  # fmt: skip
"""What the constants of the reference pose follow from."""
_CHUNK = 512
"""Worlds treated at once; bounds the memory of the dense mass matrices."""


def _with_template_roots(t: Table) -> Table:
    """The tables with every world's root bodies where they are in the template world."""
    if np.any(t["wrap_type"] != WrapType.JOINT) or np.any(t["actuator_trntype"] > TrnType.JOINTINPARENT):
        return t  # a tendon or an actuator may reach from one root to another, or to the world
    rooted = t["body_parentid"] == 0
    free = [int(a) + k for a, kind in zip(t["jnt_qposadr"], t["jnt_type"]) if kind == JointType.FREE for k in range(7)]
    moved = {name: t[name].copy() for name in ("body_pos", "body_quat", "qpos0")}
    for name, which in (("body_pos", rooted), ("body_quat", rooted), ("qpos0", free)):
        moved[name][:, which] = moved[name][:1, which]
    return {**t, **moved}


def _groups(t: Table) -> tuple[np.ndarray, np.ndarray]:
    """First world of each group with equal constants, and each world's group."""
    columns = []
    for name in CONSTANT_INPUTS:
        flat = t[name].reshape(len(t[name]), -1)
        if np.any(flat != flat[:1]):
            columns.append(flat)
    if not columns:
        return np.zeros(1, dtype=np.int64), np.zeros(len(t["qpos0"]), dtype=np.int64)
    table = np.ascontiguousarray(np.concatenate(columns, axis=1))
    groups: dict[bytes, int] = {}
    member = np.array([groups.setdefault(row.tobytes(), len(groups)) for row in table], dtype=np.int64)
    first = np.full(len(groups), -1, dtype=np.int64)
    first[member[::-1]] = np.arange(len(member))[::-1]
    return first, member


def derive(t: Table, name_of_dof: Callable[[int], str]) -> tuple[Table, SimpleNamespace]:
    """Constants of qpos0 of every distinct world, and the statistics of the template.

    Args:
        t: All tables so far.
        name_of_dof: Name of a dof for messages.
    """
    t = _with_template_roots(t)
    first, member = _groups(t)
    of_worlds = [name for name in t if name in FIELDS and FIELDS[name][0] == "f"] + ["_kinematic_dof"]
    keep = {*FIELDS, "_actuator_mass", "_meaninertia"}
    parts: list[Table] = []
    stat: dict[str, Any] = {}
    for start in range(0, len(first), _CHUNK):
        chunk = {**t, **{name: t[name][first[start : start + _CHUNK]] for name in of_worlds}}
        derived = const0(chunk, name_of_dof)
        length, summary = statistics(chunk, derived)
        stat = stat or {"meaninertia": float(derived["_meaninertia"][0]), **summary}
        parts.append({name: value for name, value in {**derived, **length}.items() if name in keep})
    joined = {name: np.concatenate([part[name] for part in parts])[member] for name in parts[0]}
    return joined, SimpleNamespace(**stat)


def authored_statistics(source: Source, stat: SimpleNamespace) -> SimpleNamespace:
    """Statistics with the values that ``mujoco:stat_*`` gives in place of the derived ones."""
    result = SimpleNamespace(**vars(stat))
    for name in vars(stat):
        value = source.custom(f"stat_{name}")[0]
        if not np.any(np.isnan(value)):
            setattr(result, name, np.array(value) if np.ndim(value) else float(value))
    return result


_ONCE = ("key_", "mesh_", "oct_", "numeric_", "tuple_", "cam_ipd")
"""Beginnings of floats that have no axis of distinct worlds."""


def by_world(name: str) -> bool:
    """Whether a compiled field may differ between worlds."""
    return FIELDS[name][0] == "f" and not name.startswith(_ONCE) and not name.endswith("_user")


def assemble(worlds: Worlds, t: Table, sizes: dict[str, Any], nq: int, nkey: int) -> CompiledModel:
    """Fill a CompiledModel: the template's values, and ``batched`` where distinct worlds differ.

    Args:
        worlds: The worlds.
        t: All tables.
        sizes: Integer sizes that tables of their own came with, among arrays that are fields.
        nq: Number of coordinates.
        nkey: Number of keyframes.
    """
    fields = {**t, **{k: v for k, v in sizes.items() if k in FIELDS}}
    counted = {**count_sizes(t, nkey, nq), **{k: v for k, v in sizes.items() if k not in FIELDS}}
    compiled = CompiledModel(**counted)
    compiled.nworld = worlds.count
    for name, value in fields.items():
        if name.startswith("_"):  # intermediate results of the conversion
            continue
        if not by_world(name):
            compiled.set(name, value)
            continue
        compiled.set(name, value[0])
        if np.any(value != value[:1]):
            compiled.batched[name] = value[worlds.inverse]
    mean = t["_meaninertia"]
    if np.any(mean != mean[:1]) and np.isnan(worlds.source.custom("stat_meaninertia")[0]):
        compiled.batched["meaninertia"] = mean[worlds.inverse]
    compiled.flg_gravcomp = compiled.ngravcomp > 0
    compiled.flg_surfacevel = bool(np.any(t["geom_surfacevel"] != 0))
    compiled.flg_adhesion = bool(np.any(t["geom_adhesion"] != 0) or np.any(t["pair_adhesion"] != 0))
    compiled.flg_spring = has_springs(worlds.source)
    return compiled


def add_differences(compiled: CompiledModel, worlds: Worlds, parts: Parts, t: Table) -> None:
    """What mjModel has no fields for, and ``batched`` where worlds differ in what is in no table."""
    compiled.geom_filter_pairs = parts.rules.pairs
    compiled.mesh_plugin = t["_mesh_plugin"]
    for name, value in parts.fields.tables().items():
        setattr(compiled, name, value)
    compiled.mesh_maxhullvert = np.array([mesh.maxhullvert for mesh in parts.meshes.meshes], dtype=np.int32)
    compiled.maps.several_controls = bool(np.any(t["actuator_ctrlnum"] > 1))
    compiled.mesh_points = np.concatenate([np.zeros((0, 3)), *(mesh.points for mesh in parts.meshes.meshes)])
    for name, table in (gain_tables(worlds, parts.shapes) | {"geom_dataid": t["_geom_dataid"]}).items():
        setattr(compiled, name, table[0])
        if np.any(table != table[:1]):
            compiled.batched[name] = table[worlds.inverse]
    active = active_by_world(worlds, parts.equalities)
    if np.any(active != active[:1]):
        compiled.batched["eq_active0"] = active
    if (samples := parts.hfields.samples_by_world()) is not None:
        compiled.batched["hfield_data"] = samples[worlds.inverse]
    if (weights := jacobian_weights(compiled)) is not None:
        compiled.batched["tendon_coef"] = weights


def keep_pictures(compiled: CompiledModel, model: Any, meshes: MeshSet) -> None:
    """What viewers and writers need of the model itself, where it has any of it."""
    if keeps_pictures(model):
        compiled.mat_names, compiled.tex_names = model.mujoco.mat_names, model.mujoco.tex_names
        compiled.kept = Kept(model, compiled.maps.mjc_body[0], [mesh.source for mesh in meshes.meshes])
