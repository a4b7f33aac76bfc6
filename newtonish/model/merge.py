"""Copying all rows of a builder into another one, many times at once.

For each column: repeat it, then shift the row numbers it holds by where every copy's rows begin. What is attached to the world
(root joints, static shapes) is moved by the copy's placement, and body poses and free joints' coordinates with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.attributes import CustomAttribute
from newtonish.model.enums import AttributeFrequency, JointType
from newtonish.model.tables import COLUMNS
from newtonish.model.transforms import IDENTITY, quat_rotate, transform_inverse, transform_multiply

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

Offsets = dict[Any, np.ndarray]
"""For each kind of entity (built-in, custom frequency or library), where each copy's rows begin."""


def merge_copies(target: ModelBuilder, source: ModelBuilder, worlds: np.ndarray, places: np.ndarray, prefixes: list[str | None]) -> None:
    """Append copies of ``source`` to ``target``.

    Args:
        target: Builder that receives the copies.
        source: Builder to copy; it may be ``target`` itself.
        worlds: World of each copy, shape (n,).
        places: Placement of each copy, shape (n, 7).
        prefixes: Text before the labels of each copy, or None.
    """
    copies = np.arange(len(worlds))
    counts = source.entity_counts()
    offsets: Offsets = {kind: base + copies * counts[kind] for kind, base in target.entity_counts().items()}
    sizes = dict(source._custom_frequency_counts)
    for key, rows in sizes.items():
        offsets[key] = target._custom_frequency_counts.get(key, 0) + copies * rows
    _check_attributes(target, source)
    offsets |= {kind: np.full(len(copies), first) for kind, first in target.libraries.absorb(source.libraries).items()}
    target.derived_attributes |= source.derived_attributes
    target.shape_facets |= source.shape_facets
    moved = _placed_columns(source, places)
    appended = {name: _repeated(source, name, worlds, prefixes, offsets, moved) for name in COLUMNS}
    pairs = source._filter_pairs.array[None] + offsets[AttributeFrequency.SHAPE][:, None, None]
    blocks = _custom_blocks(target, source, worlds, prefixes, offsets)
    for name, rows in appended.items():
        column = target._columns[name]
        if isinstance(column, list):
            column.extend(rows)
        else:
            column.adopt(rows)
    target._filter_pairs.extend(pairs.reshape(-1, 2))
    target._topology.invalidate()
    for key, rows in sizes.items():
        target.custom_frequencies.setdefault(key, source.custom_frequencies[key])
        target._custom_frequency_counts[key] = target._custom_frequency_counts.get(key, 0) + len(copies) * rows
    for attribute, rows, values in blocks:
        own = target.custom_attributes.setdefault(attribute.key, attribute.copy_declaration())
        if own.is_custom_frequency:
            own.values.grow(target._custom_frequency_counts[own.frequency])
            own.values.sparse.add_block(rows, values)
        else:
            own.values.add_block(rows, values)
    target.import_reports += [r for r in source.import_reports if not any(r is mine for mine in target.import_reports)]
    target._requested_state_attributes |= source._requested_state_attributes
    target._requested_contact_attributes |= source._requested_contact_attributes


def _repeated(
    source: ModelBuilder,
    name: str,
    worlds: np.ndarray,
    prefixes: list[str | None],
    offsets: Offsets,
    moved: dict[str, np.ndarray],
) -> Any:
    """Return all copies of one column, one after another."""
    spec, column = COLUMNS[name], source._columns[name]
    copies = len(worlds)
    if spec.storage is None:
        if not name.endswith("_label") or not any(prefixes):
            return list(column) * copies
        return [label if not (prefix and label) else f"{prefix}/{label}" for prefix in prefixes for label in column]
    if name in moved:
        return moved[name].reshape(-1, *spec.shape)
    if spec.references == AttributeFrequency.WORLD:
        return np.repeat(worlds.astype(spec.storage), len(column))
    rows = np.repeat(column.array[None], copies, axis=0)
    if spec.references is not None:
        refers = rows[0] >= 0
        shift = offsets[spec.references].astype(spec.storage).reshape(-1, *(1,) * column.array.ndim)
        np.add(rows, shift, out=rows, where=refers)
    return rows.reshape(-1, *spec.shape)


def _placed_columns(source: ModelBuilder, places: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns that placement changes, for all copies; copies placed at the identity stay bit-equal."""
    is_moved = np.any(places != IDENTITY, axis=1)
    if not np.any(is_moved):
        return {}
    place = places[is_moved][:, None]
    columns = {name: source._columns[name].array for name in _PLACED}
    result = {name: np.repeat(rows[None], len(places), axis=0) for name, rows in columns.items()}

    def put(name: str, rows: Any, values: np.ndarray) -> None:
        block = result[name][is_moved]
        block[:, rows] = values
        result[name][is_moved] = block

    put("body_q", slice(None), transform_multiply(place, columns["body_q"][None]))
    linear, angular = columns["body_qd"][None, :, :3], columns["body_qd"][None, :, 3:]
    turned = [quat_rotate(place[..., 3:], part) for part in (linear, angular)]
    put("body_qd", slice(None), np.concatenate(turned, axis=-1))
    static = np.flatnonzero(source._columns["shape_body"].array == -1)
    put("shape_transform", static, transform_multiply(place, columns["shape_transform"][None, static]))
    at_root = source._columns["joint_parent"].array == -1
    is_free = source._columns["joint_type"].array == int(JointType.FREE)
    tied = np.flatnonzero(at_root & ~is_free)
    put("joint_X_p", tied, transform_multiply(place, columns["joint_X_p"][None, tied]))
    for joint in np.flatnonzero(at_root & is_free).tolist():
        # A free joint keeps its frame on the world; its coordinates move instead.
        frame = columns["joint_X_p"][joint]
        local = transform_multiply(transform_multiply(transform_inverse(frame), place[:, 0]), frame)
        q, qd = source.joint_q_start[joint], source.joint_qd_start[joint]
        put("joint_q", slice(q, q + 7), transform_multiply(local, columns["joint_q"][None, q : q + 7]))
        for first in (qd, qd + 3):
            part = slice(first, first + 3)
            put("joint_qd", part, quat_rotate(local[:, 3:], columns["joint_qd"][None, part]))
    return result


_PLACED = ("body_q", "body_qd", "shape_transform", "joint_X_p", "joint_q", "joint_qd")


def _check_attributes(target: ModelBuilder, source: ModelBuilder) -> None:
    """Raise if a custom attribute means something else, or has another default, in the two builders."""
    for key, attribute in source.custom_attributes.items():
        own = target.custom_attributes.get(key)
        if own is None:
            continue
        same = own.same_declaration(attribute)
        first, second = own.convert(-1, own.default), attribute.convert(-1, attribute.default)
        if same and (first == second if own.dtype is str else np.array_equal(first, second, equal_nan=True)):
            continue
        given = f"another {'default' if same else 'type, frequency or reference'} in the builder that is copied"
        remedy = "declare it in both builders in the same way"
        raise ModelError(problem(f"custom attribute '{key}'", given, "equal declarations", remedy))


def _custom_blocks(
    target: ModelBuilder, source: ModelBuilder, worlds: np.ndarray, prefixes: list[str | None], offsets: Offsets
) -> list[tuple[CustomAttribute, np.ndarray, Any]]:
    """Return, for each custom attribute of the source, the rows and values of all copies."""
    label_keys = {frequency.label_attribute for frequency in source.custom_frequencies.values()}
    blocks = []
    numbers: dict[Any, np.ndarray] = {}  # attributes with values in the same rows share the row numbers of all copies
    for key, attribute in source.custom_attributes.items():
        rows, values = attribute.pack()
        rows, values = _with_reference_defaults(source, attribute, rows, values)
        where = _row_offsets(attribute, worlds, offsets)
        used = np.arange(len(worlds)) if len(where) == len(worlds) else np.array([len(worlds) - 1])
        same = (attribute.frequency, rows.tobytes())
        if same not in numbers:
            numbers[same] = (where[:, None] + rows[None]).reshape(-1)
        at = numbers[same]
        if attribute.dtype is str:
            texts = list(values) * len(used)
            if key in label_keys and any(prefixes):
                before = [f"{prefixes[c]}/" if prefixes[c] else "" for c in used.tolist()]
                texts = [p + text if text else text for p in before for text in values]
            block: Any = texts
        elif attribute.reference_value_transformer is not None:
            block = _transformed(target, source, attribute, (rows, values), (worlds, prefixes, offsets), used)
        else:
            block = _shifted(attribute, values, worlds[used], offsets, used)
            block = block.reshape(-1, *attribute.element_shape)
        blocks.append((attribute, at, block))
    return blocks


def _row_offsets(attribute: CustomAttribute, worlds: np.ndarray, offsets: Offsets) -> np.ndarray:
    """Return where each copy's rows begin; one number for what exists once, and for worlds that are the same."""
    if attribute.frequency == AttributeFrequency.ONCE:
        return np.zeros(1, dtype=np.int64)
    if attribute.frequency == AttributeFrequency.WORLD:
        return np.unique(np.maximum(worlds, 0))
    if attribute.frequency not in offsets:
        return np.zeros(1, dtype=np.int64)
    return offsets[attribute.frequency]


def _shifted(attribute: CustomAttribute, values: np.ndarray, worlds: np.ndarray, offsets: Offsets, used: np.ndarray) -> np.ndarray:
    """Return the values of the used copies with their row numbers shifted."""
    block = np.repeat(values[None], len(used), axis=0)
    reference = attribute.reference
    lift = (slice(None), *(None,) * values.ndim)
    if reference == AttributeFrequency.WORLD:
        block[...] = worlds[lift]
    elif reference is not None and reference in offsets:
        block = np.where(block >= 0, block + offsets[reference][used][lift], block)
    return block


def _with_reference_defaults(source: ModelBuilder, attribute: CustomAttribute, rows: np.ndarray, values: Any) -> tuple[np.ndarray, Any]:
    """Write out defaults that are row numbers: in each copy they mean another row."""
    reference = attribute.reference
    if reference is None or reference == AttributeFrequency.WORLD or np.all(attribute.convert(-1, attribute.default) < 0):
        return rows, values
    counts = {**source.entity_counts(), **source._custom_frequency_counts}
    count = counts.get(attribute.frequency, 1)
    return np.arange(count), attribute.dense(count)


def _transformed(
    target: ModelBuilder,
    source: ModelBuilder,
    attribute: CustomAttribute,
    packed: tuple[np.ndarray, Any],
    placed: tuple[np.ndarray, list[str | None], Offsets],
    used: np.ndarray,
) -> np.ndarray:
    """Return the values of the used copies, re-numbered by the attribute's own callback."""
    rows, values = packed
    worlds, prefixes, offsets = placed
    if not len(rows):
        return np.empty((0, *attribute.element_shape), dtype=attribute.storage_dtype)
    if hasattr(attribute.reference_value_transformer, "counted"):
        return _recounted(source, attribute, packed, offsets, used)
    given = list(values) if attribute.element_shape else values.tolist()
    result = []
    for copy in used.tolist():
        context = {
            "builder": source,
            "destination_builder": target,
            "entity_offsets": {k.name.lower(): int(v[copy]) for k, v in offsets.items() if not isinstance(k, str)},
            "custom_frequency_offsets": {k: int(v[copy]) for k, v in offsets.items() if isinstance(k, str)},
            "row_indices": rows.tolist(),
            "world": int(worlds[copy]),
            "label_prefix": prefixes[copy],
        }
        changed = attribute.reference_value_transformer(list(given), context)
        if len(changed) != len(given):
            raise ModelError(
                problem(
                    f"custom attribute '{attribute.key}'",
                    f"{len(changed)} values from its reference_value_transformer",
                    f"{len(given)}, as many as it was given",
                    "return one value a row",
                )
            )
        result.append(attribute.convert_all(rows.tolist(), changed))
    return np.concatenate(result)


def _recounted(source: ModelBuilder, attribute: CustomAttribute, packed: tuple[np.ndarray, Any], offsets: Offsets, used: np.ndarray) -> np.ndarray:
    """All copies at once, for a transformer that tells what each number of each row counts."""
    rows, values = packed
    counted = attribute.reference_value_transformer.counted(source, rows.tolist())
    named = {kind if isinstance(kind, str) else kind.name.lower(): first[used] for kind, first in offsets.items()}
    block = np.repeat(values.reshape(1, len(rows), -1), len(used), axis=0)
    for row, names in enumerate(counted):
        for part, name in enumerate(names[: block.shape[2]]):
            if name in named:
                column = block[:, row, part]
                column += np.where(column >= 0, named[name], 0)
    return block.reshape(-1, *attribute.element_shape)
