"""Turning a builder's columns into a model's arrays, driven by the column table.

Besides the columns themselves: the closed start arrays, where each world's rows begin, each joint's ancestor, inverse
masses and inertias, shape bounds, collision filters, gravity and the custom attributes.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from newtonish.arguments import shown
from newtonish.errors import ModelError, NewtonishWarning, problem
from newtonish.model.attributes import AttributeNamespace
from newtonish.model.enums import AttributeAssignment, GeoType
from newtonish.model.inertia import shape_bounds
from newtonish.model.model import COUNT_NAMES, Model
from newtonish.model.tables import COLUMNS
from newtonish.model.validate import corrected_inertia

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

_WORLD_STARTS = ("body", "shape", "joint", "articulation")
_SPACE_STARTS = {
    "joint_dof_world_start": ("joint_qd_start", "joint_dof_count"),
    "joint_coord_world_start": ("joint_q_start", "joint_coord_count"),
    "joint_constraint_world_start": ("joint_cts_start", "joint_constraint_count"),
}


def _device(device: Any) -> wp.Device:
    """The Warp device of this name, or an error that lists those there are."""
    try:
        return wp.get_device(device)
    except (ValueError, RuntimeError, TypeError, AttributeError):
        known = ", ".join(str(entry) for entry in wp.get_devices())
        raise ModelError(problem("finalize: device", shown(device), known, "choose one of these")) from None


def finalize(builder: ModelBuilder, device: Any, requires_grad: bool, correct_inertia: bool) -> Model:
    """Return the model of a builder that was checked.

    Args:
        builder: What to turn into a model; it is not changed.
        device: Warp device; the current one if None.
        requires_grad: Whether float arrays record gradients.
        correct_inertia: Whether impossible inertias are replaced, with a warning.
    """
    with wp.ScopedDevice(_device(device)):
        model = Model(device)
        model.requires_grad = requires_grad
        model.up_axis = builder.up_axis
        model.world_count = max(1, builder.world_count)
        model.world_label = list(builder.world_label) or ["world_0"]
        model.import_reports = list(builder.import_reports)
        model.libraries = builder.libraries.copy()
        model._requested_state_attributes = set(builder._requested_state_attributes)
        model._requested_contact_attributes = set(builder._requested_contact_attributes)
        for kind, count in builder.entity_counts().items():
            setattr(model, COUNT_NAMES[kind], count)
        _columns(model, builder, requires_grad)
        _starts(model, builder)
        _masses(model, builder, requires_grad, correct_inertia)
        _shapes(model, builder)
        gravity = [*builder.world_gravity, builder.gravity] if builder.world_count else [builder.gravity]
        model.gravity = wp.array(np.array(gravity, dtype=np.float32), dtype=wp.vec3, requires_grad=requires_grad)
        _custom_attributes(model, builder, requires_grad)
    return model


def _array(values: np.ndarray, dtype: Any, requires_grad: bool = False) -> wp.array:
    """Return a Warp array of values kept in a wider type."""
    scalar = getattr(dtype, "_wp_scalar_type_", dtype)
    kind = wp.dtype_to_numpy(scalar)
    grad = requires_grad and kind == np.float32
    fresh = np.array(values, dtype=kind, order="C")
    # on a CPU the array keeps it instead of copying it once more; without rows its strides would look odd
    return wp.array(fresh, dtype=dtype, requires_grad=grad, copy=fresh.size == 0)


def _columns(model: Model, builder: ModelBuilder, requires_grad: bool) -> None:
    """Set every column of the table."""
    for name, spec in COLUMNS.items():
        if not spec.in_model:
            continue
        column = builder._columns[name]
        model_value = list(column) if spec.storage is None else _array(column.array, spec.dtype, requires_grad)
        setattr(model, name, model_value)


def world_starts(worlds: np.ndarray, sizes: np.ndarray, world_count: int) -> np.ndarray:
    """Return where each world's rows begin, then where those of all worlds at the end begin, then the total.

    Args:
        worlds: World of each entity, -1 for all worlds.
        sizes: Rows that each entity has.
        world_count: Number of worlds.
    """
    mine = worlds >= 0
    leading = len(worlds) if not np.any(mine) else int(np.argmax(mine))
    rows = np.bincount(worlds[mine], weights=sizes[mine], minlength=world_count).astype(np.int64)
    first = int(sizes[:leading].sum())
    return np.concatenate([[first], first + np.cumsum(rows), [int(sizes.sum())]])


def _starts(model: Model, builder: ModelBuilder) -> None:
    """Set the closed start arrays, the world start arrays, joint ancestors and the largest articulation."""
    columns = builder._columns
    for kind in _WORLD_STARTS:
        worlds = columns[f"{kind}_world"].array
        starts = world_starts(worlds, np.ones(len(worlds), dtype=np.int64), model.world_count)
        setattr(model, f"{kind}_world_start", _array(starts, wp.int32))
    closed = {}
    for name, (start_name, count_name) in _SPACE_STARTS.items():
        closed[start_name] = np.append(columns[start_name].array, getattr(builder, count_name))
        worlds = columns["joint_world"].array
        starts = world_starts(worlds, np.diff(closed[start_name]), model.world_count)
        setattr(model, name, _array(starts, wp.int32))
    for name in ("joint_q_start", "joint_qd_start"):
        setattr(model, name, _array(closed[name], wp.int32))
    first, last = columns["articulation_start"].array, columns["articulation_end"].array
    model.articulation_start = _array(np.append(first, builder.joint_count), wp.int32)
    dofs = closed["joint_qd_start"]
    model.max_joints_per_articulation = int(np.max(last - first, initial=0))
    model.max_dofs_per_articulation = int(np.max(dofs[last] - dofs[first], initial=0))
    model.joint_ancestor = _array(joint_ancestors(builder), wp.int32)


def joint_ancestors(builder: ModelBuilder) -> np.ndarray:
    """Return for each joint the joint of the same articulation that holds its parent body, -1 for none."""
    columns = builder._columns
    parent, child = columns["joint_parent"].array, columns["joint_child"].array
    tree = columns["joint_articulation"].array
    holder = np.full(builder.body_count + 1, -1, dtype=np.int64)
    inside = np.flatnonzero(tree >= 0)
    holder[child[inside]] = inside
    above = holder[parent]
    above[parent < 0] = -1
    same = (above >= 0) & (tree[np.maximum(above, 0)] == tree) & (tree >= 0)
    return np.where(same, above, -1)


def _masses(model: Model, builder: ModelBuilder, requires_grad: bool, correct: bool) -> None:
    """Set inverse masses and inertias, after replacing impossible inertias if asked."""
    masses, moments = builder._columns["body_mass"].array, builder._columns["body_inertia"].array
    # equal bodies of many worlds are checked once
    where, which = distinct_rows(np.column_stack([masses, moments.reshape(len(masses), 9)]))
    masses, moments = masses[where], moments[where]
    if correct and len(masses):
        masses, moments, changed = corrected_inertia(masses, moments, builder.balance_inertia, builder.bound_mass, builder.bound_inertia)
        if len(changed):
            changed = np.flatnonzero(np.isin(which, changed))
            names = ", ".join(f"'{builder.body_label[body]}'" for body in changed[:5].tolist())
            warnings.warn(
                f"Mass or inertia of {len(changed)} bodies was replaced by the nearest one that a rigid body can have "
                f"({names}{', ...' if len(changed) > 5 else ''}). Give symmetric, positive inertias of which no two "
                "principal moments sum to less than the third.",
                NewtonishWarning,
                stacklevel=5,
            )
    inverse_mass = np.divide(1.0, masses, out=np.zeros_like(masses), where=masses > 0.0)
    invertible = np.abs(np.linalg.det(moments)) > 0.0 if len(masses) else np.zeros(0, dtype=bool)
    inverse = np.zeros_like(moments)
    inverse[invertible] = np.linalg.inv(moments[invertible])
    model.body_mass = _array(masses[which], wp.float32, requires_grad)
    model.body_inv_mass = _array(inverse_mass[which], wp.float32, requires_grad)
    model.body_inertia = _array(moments[which], wp.mat33, requires_grad)
    model.body_inv_inertia = _array(inverse[which], wp.mat33, requires_grad)


def _shapes(model: Model, builder: ModelBuilder) -> None:
    """Set bounds, height field indices and collision filters."""
    columns = builder._columns
    kinds, scales = columns["shape_type"].array, columns["shape_scale"].array
    lower, upper = np.zeros((len(kinds), 3)), np.zeros((len(kinds), 3))
    if len(kinds):
        # Equal shapes of many worlds are bounded once.
        sources = columns["shape_source"]
        identities = np.fromiter(map(id, sources), dtype=np.float64, count=len(sources))
        where, which = distinct_rows(np.column_stack([kinds, scales, identities]))
        bounds = [shape_bounds(int(kinds[i]), scales[i], sources[i]) for i in where.tolist()]
        lower, upper = (np.array([pair[k] for pair in bounds])[which] for k in (0, 1))
    model.shape_collision_aabb_lower = _array(lower, wp.vec3)
    model.shape_collision_aabb_upper = _array(upper, wp.vec3)
    is_field = kinds == int(GeoType.HFIELD)
    fields = np.where(is_field, np.cumsum(is_field) - 1, -1)
    model.shape_heightfield_index = _array(fields, wp.int32)
    model.heightfield_count = int(is_field.sum())
    pairs = builder._filter_pairs.array
    keys = pairs[:, 0] * max(builder.shape_count, 1) + pairs[:, 1]
    rising = bool(np.all(keys[1:] > keys[:-1]))  # as copies of a sorted template are
    model._filter_keys = keys if rising else np.unique(keys)


def distinct_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A row number of each distinct row, and for every row which of them it equals.

    Rows are told apart by a hash of their bits, which sorts far faster than rows do. Should two different rows share a
    hash, they are sorted after all.
    """
    table = np.ascontiguousarray(table, dtype=np.float64)
    odd = np.random.default_rng(0).integers(1 << 62, size=table.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    bits = table.view(np.uint64)
    # the high half is folded down: a product moves information upwards only
    hashes = ((bits ^ (bits >> np.uint64(32))) * odd).sum(axis=1, dtype=np.uint64)
    _, where, which = np.unique(hashes, return_index=True, return_inverse=True)
    if not np.array_equal(bits, bits[where][which]):
        _, where, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return where, which.reshape(-1)


def _custom_attributes(model: Model, builder: ModelBuilder, requires_grad: bool) -> None:
    """Set all custom attributes; those of states, controls and contacts too, as their initial values."""
    model.custom_frequency_counts = dict(builder._custom_frequency_counts)
    for attribute in builder.custom_attributes.values():
        count = model.attribute_count(attribute.frequency)
        values = attribute.build_array(count, requires_grad=requires_grad)
        model.add_attribute(
            attribute.name,
            values,
            attribute.frequency,
            AttributeAssignment(attribute.assignment),
            attribute.namespace,
            attribute.references,
        )
    for name, derived in builder.derived_attributes.items():
        namespace = getattr(model, name, None)
        if isinstance(namespace, AttributeNamespace):
            namespace._later = derived(model)
