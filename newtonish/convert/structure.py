"""Structural equality of worlds: everything that is not a number that may be randomised must equal the template's."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.convert.shape_sources import source_kinds
from newtonish.errors import ModelError, problem, raise_all
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES

__all__ = ["MODES", "check_structure"]

_INTEGERS = {
    "joint": ("joint_type", "joint_dof_dim"),
    "joint_dof": ("joint_target_mode",),
    "shape": ("shape_type", "shape_flags", "shape_collision_group"),
}
MODES = ("tendon_solref_limit_mode", "equality_constraint_solref_mode")
"""Attributes that say how numbers are meant, which may differ between worlds as the numbers do."""
_FREE = (*MODES, "equality_constraint_enabled", "equality_constraint_target")
"""Attributes that may differ between worlds, or that refer to other rows."""
_GROUPS = ("collision_mask_domain",)
"""Attributes of which only says something which rows have equal values."""


def _integer_columns(worlds: Any) -> list[tuple[str, str, np.ndarray]]:
    """(kind, name, values by row) of everything that must be equal in all worlds."""
    source = worlds.source
    columns = [(kind, name, source.array(name)) for kind, names in _INTEGERS.items() for name in names if source.has(name)]
    for row in MUJOCO_ATTRIBUTES:
        kind = row.frequency
        if row.dtype in ("int", "int64", "bool") and kind in worlds.index and not row.references and row.name not in _FREE and source.authored(row.name):
            values = source.custom(row.name)
            columns.append((kind, row.name, _groups(worlds, kind, values) if row.name in _GROUPS else values))
    for name, kind, target in (
        ("joint_parent", "joint", "body"),
        ("joint_child", "joint", "body"),
        ("shape_body", "shape", "body"),
    ):
        columns.append((kind, name, _positions(worlds, target, source.array(name))))
    columns.append(("joint", "joint_articulation", np.where(source.array("joint_articulation") >= 0, 0, -1)))
    if source.rows("mujoco:actuator"):
        on_joint = source.custom("actuator_trntype") <= 1
        dofs = np.where(on_joint, source.custom("actuator_trnid")[:, 0], -1)
        columns.append(("mujoco:actuator", "actuator_trnid", _positions(worlds, "joint_dof", dofs)))
    for table, names, target in (
        ("mujoco:pair", ("pair_geom1", "pair_geom2"), "shape"),
        ("mujoco:exclude", ("exclude_body1", "exclude_body2"), "body"),
    ):
        columns += [(table, name, _positions(worlds, target, source.custom(name))) for name in names if source.rows(table)]
    if source.rows("mujoco:tendon_joint"):
        columns.append(("mujoco:tendon_joint", "joint", _positions(worlds, "joint_dof", source.tendon_dofs)))
    columns += _equality_columns(worlds)
    for name in ("tendon_wrap_shape", "tendon_wrap_sidesite"):
        if source.rows("mujoco:tendon_wrap"):
            columns.append(("mujoco:tendon_wrap", name, _positions(worlds, "shape", source.custom(name))))
    columns.append(("shape", "shape_source", source_kinds(source)))
    return columns


def _equality_columns(worlds: Any) -> list[tuple[str, str, np.ndarray]]:
    """What equality and mimic constraints couple."""
    source, columns = worlds.source, []
    table = "mujoco:equality_constraint"
    for name, target in (("body", "body"), ("site", "shape"), ("tendon", "mujoco:tendon")):
        for i in (1, 2) if source.rows(table) else ():
            column = f"equality_constraint_{name}{i}"
            columns.append((table, column, _positions(worlds, target, source.custom(column))))
    if source.rows(table):
        columns += [(table, f"joint{i + 1}", _positions(worlds, "joint_dof", source.equality_dofs[:, i])) for i in (0, 1)]
    mimic = "constraint_mimic"
    for name in ("joint0", "joint1") if source.rows(mimic) else ():
        columns.append((mimic, name, _positions(worlds, "joint", source.array(f"{mimic}_{name}"))))
    if source.has("joint_mimic_joint"):
        columns.append(("joint", "joint_mimic_joint", _positions(worlds, "joint", source.array("joint_mimic_joint"))))
    return columns


def _groups(worlds: Any, kind: str, values: np.ndarray) -> np.ndarray:
    """Numbers of groups, counted in each world from its first row on; what the groups are called may differ."""
    result = np.array(values, dtype=np.int64)
    index = worlds.index[kind]
    steps = np.diff(result[index], axis=1)
    alike = bool(np.all(steps == steps[:1]))  # worlds made by copying count the same way
    for rows in index[:1] if alike else index:
        number: dict[int, int] = {}
        result[rows] = [number.setdefault(int(v), len(number)) for v in values[rows]]
    if alike:
        result[index] = result[index[0]]
    return result


def _positions(worlds: Any, kind: str, values: np.ndarray) -> np.ndarray:
    """Indices of rows as positions within their world, so that they can be compared between worlds."""
    lookup = np.full(worlds.source.rows(kind) + 1, -1, dtype=np.int64)
    lookup[worlds.index[kind]] = np.arange(worlds.index[kind].shape[1])
    return np.where(np.asarray(values) < 0, -1, lookup[values])


def check_structure(worlds: Any) -> None:
    """Raise a ModelError that names the first difference between a world and the template."""
    for kind, name, values in _integer_columns(worlds):
        rows = values[worlds.index[kind]]
        same = rows == rows[:1]
        if bool(np.all(same)):
            continue
        world, entry = (int(k) for k in np.argwhere(~same)[0][:2])
        label = _label(worlds, kind, worlds.index[kind][world, entry])
        given, wanted = (np.asarray(rows[w, entry]).tolist() for w in (world, 0))
        raise_all(
            ModelError,
            "conversion",
            [
                problem(
                    f"world {world}: {label}",
                    f"{name} = {given}",
                    f"{wanted}, as in world 0; only numbers such as masses, poses, friction and gains may differ",
                    "make the structure equal, or convert the worlds as separate models",
                )
            ],
        )


def _label(worlds: Any, kind: str, row: Any) -> str:
    """Name of a row for a message."""
    if kind in ("body", "joint", "shape"):
        return f"{kind} '{worlds.source.labels(kind)[int(row)]}'"
    return f"{kind.removeprefix('mujoco:')} {int(row)}"
