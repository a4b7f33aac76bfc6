"""Merging bodies that fixed joints connect: the child's shapes, mass and joints go to the parent.

Rows are taken out of the columns by kind of entity and everything that counts them is re-numbered, with the same table by which
builders are merged. A body that a row of a custom frequency refers to keeps its joint, because such a row may say something
in the body's frame; so does one with custom attributes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import AttributeFrequency as F
from newtonish.model.enums import BodyFlags, JointType
from newtonish.model.tables import COLUMNS
from newtonish.model.transforms import transform_inverse, transform_multiply

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

__all__ = ["collapse_fixed_joints"]

# of custom attributes of bodies: what describes the mass, which is summed, and what says that a body is static
_OF_MASS = ("inertial_quat", "inertial_diag")
_STATIC = ("mocap", 0)


def collapse_fixed_joints(builder: ModelBuilder, verbose: bool, joints_to_keep: Sequence[str | int] | None) -> dict[str, Any]:
    """Merge bodies; see :meth:`newtonish.ModelBuilder.collapse_fixed_joints`."""
    merged = _merged(builder, _kept_joints(builder, joints_to_keep))
    parents = {body: (parent, pose) for body, (parent, pose, _) in merged.items()}
    for body, (parent, pose) in parents.items():
        _move(builder, body, parent, pose)
    _filter_siblings(builder, parents)
    joints = {joint for _, _, joint in merged.values()}
    columns = builder._columns
    left = np.bincount(np.delete(columns["joint_articulation"].array, sorted(joints)) + 1, minlength=builder.articulation_count + 1)[1:]
    first = np.append(columns["joint_cts_start"].array, builder.joint_constraint_count)
    gone = {
        F.BODY: set(parents),
        F.JOINT: joints,
        F.JOINT_CONSTRAINT: {row for joint in joints for row in range(first[joint], first[joint + 1])},
        F.ARTICULATION: set(np.flatnonzero(left == 0).tolist()),
    }
    remap = _take_out(builder, gone)
    builder._topology.invalidate()
    if verbose:
        print(f"{len(parents)} bodies were merged into those that fixed joints connect them with")
    return {
        "body_remap": {old: int(new) for old, new in enumerate(remap[F.BODY][:-1]) if new >= 0},
        "joint_remap": {old: int(new) for old, new in enumerate(remap[F.JOINT][:-1]) if new >= 0},
        "body_merged_parent": {body: parent for body, (parent, _) in parents.items()},
        "body_merged_transform": {body: pose for body, (_, pose) in parents.items()},
    }


def _kept_joints(builder: ModelBuilder, wanted: Sequence[str | int] | None) -> set[int]:
    """Joints that stay: those asked for, by index or label, and those above bodies that rows of custom frequencies name."""
    kept: set[int] = set()
    labels = list(builder.joint_label)
    for entry in () if wanted is None else wanted:
        found = [entry] if isinstance(entry, (int, np.integer)) else [i for i, label in enumerate(labels) if label == entry]
        if not found or not 0 <= found[0] < builder.joint_count:
            given, allowed = f"joint {entry!r}", f"labels of joints, or indices from 0 to {builder.joint_count - 1}"
            raise ModelError(problem("collapse_fixed_joints: joints_to_keep", given, allowed, "correct the entry"))
        kept.update(int(i) for i in found)
    named: set[int] = set()
    counted = {"body": named, "joint": kept}
    for attribute in builder.custom_attributes.values():
        for _, values, kinds in _references(builder, attribute):
            for value, kind in zip(values, kinds):
                if kind in counted and value >= 0:
                    counted[kind].add(int(value))
    child, parent = (builder._columns[f"joint_{end}"].array for end in ("child", "parent"))
    own = [a for a in builder.custom_attributes.values() if a.frequency == F.BODY and a.name not in _OF_MASS]
    kept |= {j for j in range(builder.joint_count) if any(_is_own(a, int(child[j]), int(parent[j])) for a in own)}
    return kept | {joint for joint in range(builder.joint_count) if int(child[joint]) in named}


def _is_own(attribute: Any, body: int, parent: int) -> bool:
    """Whether a body has a value that the body it would go to has not."""
    values = [attribute.default if value is None else value for value in map(attribute.values.get, (body, parent))]
    is_static = parent < 0 and (attribute.name, values[0]) == _STATIC
    return not is_static and not np.array_equal(values[0], values[1])


def _references(builder: ModelBuilder, attribute: Any) -> Iterator[tuple[int, list[Any], list[str]]]:
    """(row, numbers, what each counts) of the values of an attribute that refer to something."""
    mapped = attribute.values.items() if hasattr(attribute.values, "items") else enumerate(attribute.values or ())
    rows = [(int(row), value) for row, value in mapped if value is not None]
    if attribute.references is not None:
        name = getattr(attribute.references, "name", str(attribute.references)).lower()
        for row, value in rows:
            numbers = np.asarray(value).reshape(-1).tolist()
            yield row, numbers, [name] * len(numbers)
    elif hasattr(attribute.reference_value_transformer, "counted"):
        counted = attribute.reference_value_transformer.counted(builder, [row for row, _ in rows])
        for (row, value), kinds in zip(rows, counted):
            numbers = np.asarray(value).reshape(-1).tolist()
            yield row, numbers, [*kinds, *[""] * (len(numbers) - len(kinds))]


def _merged(builder: ModelBuilder, kept: set[int]) -> dict[int, tuple[int, np.ndarray, int]]:
    """Bodies that go: the body they go to (which stays), their pose in it, and their joint."""
    columns = builder._columns
    kind, parent, child = (columns[f"joint_{name}"].array for name in ("type", "parent", "child"))
    above = np.bincount(child[columns["joint_articulation"].array >= 0], minlength=builder.body_count)
    direct: dict[int, tuple[int, np.ndarray, int]] = {}
    for joint in range(builder.joint_count):
        body = int(child[joint])
        inside = columns["joint_articulation"].array[joint] >= 0
        fixed = kind[joint] == int(JointType.FIXED) and joint not in kept and inside
        if fixed and above[body] == 1 and not columns["body_flags"].array[body] & int(BodyFlags.KINEMATIC):
            pose = transform_multiply(columns["joint_X_p"].array[joint], transform_inverse(columns["joint_X_c"].array[joint]))
            direct[body] = (int(parent[joint]), pose, joint)
    result = {}
    for body, (target, pose, joint) in direct.items():
        while target in direct:
            pose = transform_multiply(direct[target][1], pose)
            target = direct[target][0]
        result[body] = (target, pose, joint)
    return result


def _move(builder: ModelBuilder, body: int, parent: int, pose: np.ndarray) -> None:
    """Give a body's shapes, mass and joints to another body; ``pose``: its frame in that body."""
    columns = builder._columns
    shapes = columns["shape_body"].array == body
    columns["shape_transform"].array[shapes] = transform_multiply(pose[None], columns["shape_transform"].array[shapes])
    columns["shape_body"].array[shapes] = parent
    for end, frame in (("parent", "X_p"), ("child", "X_c")):
        joints = columns[f"joint_{end}"].array == body
        if end == "child":  # those that close loops; the fixed joint itself goes
            joints &= columns["joint_articulation"].array < 0
        columns[f"joint_{frame}"].array[joints] = transform_multiply(pose[None], columns[f"joint_{frame}"].array[joints])
        columns[f"joint_{end}"].array[joints] = parent
    if parent < 0:
        return
    inertia = (float(builder.body_mass[body]), columns["body_com"].array[body].copy(), columns["body_inertia"].array[body].copy())
    builder._add_body_mass(parent, inertia, pose)


def _filter_siblings(builder: ModelBuilder, merged: dict[int, tuple[int, np.ndarray]]) -> None:
    """Keep joints' filters between the merged bodies and their new neighbours as they were between the old ones."""
    if not merged:
        return
    columns, targets = builder._columns, {parent for parent, _ in merged.values()} - {-1}
    builder._topology.invalidate()
    for joint in range(builder.joint_count):
        ends = int(columns["joint_parent"].array[joint]), int(columns["joint_child"].array[joint])
        if columns["joint_collision_filter_parent"].array[joint] and targets.intersection(ends) and -1 not in ends:
            builder._filter_bodies(*ends)


def _take_out(builder: ModelBuilder, gone: dict[F, set[int]]) -> dict[F, np.ndarray]:
    """Take rows out of every column and re-number what counts them; returns the new index of every old one, -1 at the end."""
    counts, remap, keep = builder.entity_counts(), {}, {}
    for kind, number in counts.items():
        keep[kind] = np.ones(number, dtype=bool)
        keep[kind][sorted(gone.get(kind, ()))] = False
        fresh = np.where(keep[kind], np.cumsum(keep[kind]) - 1, -1)
        remap[kind] = np.append(fresh, -1)
    # where what was at a row, or came after it, begins now
    begins = {kind: np.append(np.cumsum(rows) - rows, rows.sum()) for kind, rows in keep.items()}
    for name, spec in COLUMNS.items():
        column, rows = builder._columns[name], keep[spec.entity]
        if isinstance(column, list):
            column[:] = [value for value, stays in zip(column, rows) if stays]
            continue
        values = column.array[rows]
        if name in ("articulation_start", "articulation_end", "joint_cts_start"):
            values = begins[spec.references][values]
        elif spec.references in gone:
            values = np.where(values < 0, values, remap[spec.references][values])
        builder._columns[name] = type(column)(spec, values)
    for attribute in builder.custom_attributes.values():
        _renumber(builder, attribute, {kind: table for kind, table in remap.items() if kind in gone})
    return remap


def _like(value: Any, numbers: list[int]) -> Any:
    """Numbers in the form of a value: one of them, an array, or one of Warp's vectors."""
    if isinstance(value, np.ndarray):
        return np.array(numbers, dtype=value.dtype).reshape(value.shape)
    return numbers[0] if len(numbers) == 1 else type(value)(*numbers)


def _renumber(builder: ModelBuilder, attribute: Any, remap: dict[F, np.ndarray]) -> None:
    """Re-number what an attribute's values count, and move the values of entities to their new rows."""
    tables = {kind.name.lower(): table for kind, table in remap.items()}
    for row, numbers, kinds in list(_references(builder, attribute)):
        fresh = [int(tables[kind][n]) if kind in tables and n >= 0 else int(n) for n, kind in zip(numbers, kinds)]
        if fresh != [int(n) for n in numbers]:
            attribute.values[row] = _like(attribute.values[row], fresh)
    table = remap.get(attribute.frequency)
    if table is not None and len(attribute.values):
        moved = {int(table[row]): value for row, value in attribute.values.items() if table[row] >= 0}
        attribute.values.clear()
        attribute.values.update(moved)
