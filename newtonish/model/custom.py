"""Custom attributes of a builder: declaring them, setting their values, adding rows of custom frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.attributes import CustomAttribute, CustomFrequency
from newtonish.model.enums import AttributeFrequency

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

CustomWrites = list[tuple[CustomAttribute, int, Any]]
"""(attribute, row, value) triples that were checked and are ready to be stored."""

_CONTACT = (AttributeFrequency.CONTACT, AttributeFrequency.CONTACT_RIGID, AttributeFrequency.CONTACT_SOFT)
_JOINT_SPACES = {
    AttributeFrequency.JOINT_DOF: ("joint_qd_start", "joint_qd", "DOFs"),
    AttributeFrequency.JOINT_COORD: ("joint_q_start", "joint_q", "coordinates"),
    AttributeFrequency.JOINT_CONSTRAINT: ("joint_cts_start", "joint_cts", "constraints"),
}


class CustomMethods:
    """Part of :class:`~newtonish.ModelBuilder` that keeps custom attributes."""

    def add_custom_frequency(self: ModelBuilder, frequency: CustomFrequency) -> None:
        """Declare a kind of entity with rows of its own; declaring it again in the same way changes nothing."""
        existing = self.custom_frequencies.get(frequency.key)
        if existing is None:
            self.custom_frequencies[frequency.key] = frequency
            self._custom_frequency_counts.setdefault(frequency.key, 0)
        elif existing != frequency:
            raise ModelError(
                problem(
                    f"custom frequency '{frequency.key}'",
                    "a second declaration with other callbacks",
                    "one declaration, or equal ones",
                    "declare it once, or under another name",
                )
            )

    def add_custom_attribute(self: ModelBuilder, attribute: CustomAttribute) -> None:
        """Declare a custom attribute; declaring it again in the same way changes nothing.

        The builder keeps its own copy, which is ``builder.custom_attributes[attribute.key]``.
        """
        key, frequency = attribute.key, attribute.frequency
        existing = self.custom_attributes.get(key)
        if existing is not None:
            if not existing.same_declaration(attribute):
                raise ModelError(
                    problem(
                        f"custom attribute '{key}'",
                        "a second declaration with another type, frequency, assignment or reference",
                        "one declaration, or equal ones",
                        "declare it once, or under another name",
                    )
                )
            return
        if frequency in _CONTACT:
            raise ModelError(problem(f"custom attribute '{key}'", "a contact frequency", "frequencies of the model", "choose one"))
        if isinstance(frequency, str) and frequency not in self.custom_frequencies:
            known = ", ".join(sorted(self.custom_frequencies)) or "none is declared"
            raise ModelError(
                problem(
                    f"custom attribute '{key}'",
                    f"frequency '{frequency}'",
                    known,
                    "declare it first by add_custom_frequency",
                )
            )
        if attribute.references is not None and attribute.storage_dtype.kind not in "iu":
            raise ModelError(
                problem(
                    f"custom attribute '{key}'",
                    f"references '{attribute.references}' with dtype {attribute.dtype}",
                    "integer types, because the values are row numbers",
                    "change the dtype or leave references out",
                )
            )
        own = attribute.copy_declaration()
        own.values = list(attribute.values) if own.is_custom_frequency else dict(attribute.values)
        self.custom_attributes[key] = own
        if own.is_custom_frequency:
            rows = self._custom_frequency_counts[frequency]
            self._custom_frequency_counts[frequency] = max(rows, len(own.values))

    def has_custom_attribute(self: ModelBuilder, key: str) -> bool:
        """Whether an attribute of this full name is declared."""
        return key in self.custom_attributes

    def get_custom_attributes_by_frequency(self: ModelBuilder, frequencies: Sequence[AttributeFrequency | str]) -> list[CustomAttribute]:
        """Return the declared attributes whose frequency is one of those given."""
        return [attribute for attribute in self.custom_attributes.values() if attribute.frequency in frequencies]

    def get_custom_frequency_keys(self: ModelBuilder) -> set[str]:
        """Return the full names of all declared custom frequencies."""
        return set(self._custom_frequency_counts)

    def add_custom_values(self: ModelBuilder, **kwargs: Any) -> dict[str, int]:
        """Append one row to each custom frequency that the given attributes belong to.

        Attributes that refer to the world and are not given take the current world.

        Args:
            **kwargs: Full attribute names and their values, as ``**{"mujoco:ctrl": 0.0}``.

        Returns:
            The row that each attribute's value went to.
        """
        values = dict(kwargs)
        frequencies = dict.fromkeys(self._row_attribute(key).frequency for key in values)
        for frequency in frequencies:
            for key in self._world_attributes(frequency):
                if values.get(key) is None:
                    values[key] = self.current_world
        rows = {frequency: self._custom_frequency_counts[frequency] for frequency in frequencies}
        writes: CustomWrites = []
        for key, value in values.items():
            attribute = self.custom_attributes[key]
            row = rows[attribute.frequency]
            if value is not None:
                writes.append((attribute, row, attribute.convert(row, value)))
        for frequency in frequencies:
            self._custom_frequency_counts[frequency] += 1
        self._store_custom_values(writes)
        return {key: rows[self.custom_attributes[key].frequency] for key in values}

    def _world_attributes(self: ModelBuilder, frequency: str) -> list[str]:
        """Attributes of a custom frequency that refer to the world; looked for again when attributes have been declared."""
        known, found = self.__dict__.get("_world_references", ((), {}))
        keys = tuple(self.custom_attributes)
        if keys != known:
            found = {}
            for key, attribute in self.custom_attributes.items():
                if attribute.is_custom_frequency and attribute.reference == AttributeFrequency.WORLD:
                    found.setdefault(attribute.frequency, []).append(key)
            self.__dict__["_world_references"] = keys, found
        return found.get(frequency, [])

    def add_custom_values_batch(self: ModelBuilder, entries: Sequence[dict[str, Any]]) -> list[dict[str, int]]:
        """Append several rows; each entry is what :meth:`add_custom_values` takes. Entries with equal names go in column by column."""
        entries = list(entries)
        names = entries[0].keys() if entries else ()
        if len(entries) < 2 or any(entry.keys() != names for entry in entries):
            return [self.add_custom_values(**entry) for entry in entries]
        frequencies = dict.fromkeys(self._row_attribute(key).frequency for key in names)
        first = {frequency: self._custom_frequency_counts[frequency] for frequency in frequencies}
        keys = dict.fromkeys([*names, *(key for frequency in frequencies for key in self._world_attributes(frequency))])
        columns = []
        for key in keys:
            attribute = self.custom_attributes[key]
            start = first[attribute.frequency]
            given = [entry.get(key) for entry in entries]
            if attribute.reference == AttributeFrequency.WORLD:
                given = [self.current_world if value is None else value for value in given]
            rows = [row for row, value in enumerate(given, start) if value is not None]
            columns.append((attribute, start + len(given), rows, attribute.convert_all(rows, [v for v in given if v is not None])))
        for attribute, size, rows, values in columns:
            if rows:
                attribute.values.grow(size)
                attribute.values.sparse.add_block(np.array(rows, dtype=np.int64), values)
        for frequency in frequencies:
            self._custom_frequency_counts[frequency] += len(entries)
        return [{key: first[self.custom_attributes[key].frequency] + number for key in keys} for number in range(len(entries))]

    def _set_custom_columns(self: ModelBuilder, frequency: AttributeFrequency, given: Sequence[tuple[int, dict[str, Any]]]) -> None:
        """Set attributes of entities of one kind that exist already, as (entity, values by name), column by column."""
        columns: dict[str, tuple[list[int], list[Any]]] = {}
        for row, values in given:
            for key, value in values.items():
                rows, column = columns.setdefault(key, ([], []))
                rows.append(row)
                column.append(value)
        for key, (rows, column) in columns.items():
            attribute = self._declared(key, "custom attributes")
            assert attribute.frequency == frequency, key
            attribute.values.add_block(np.array(rows, dtype=np.int64), attribute.convert_all(rows, column))

    def _declared(self: ModelBuilder, key: str, what: str) -> CustomAttribute:
        """Return the attribute of this full name, or raise with names that are close to it."""
        attribute = self.custom_attributes.get(key)
        if attribute is None:
            from difflib import get_close_matches

            near = get_close_matches(key, self.custom_attributes, n=3)
            allowed = "declared attributes" + (f", for instance {', '.join(near)}" if near else "")
            given = f"custom attribute '{key}', which is not declared"
            raise ModelError(problem(what, given, allowed, "declare it first by add_custom_attribute"))
        return attribute

    def _row_attribute(self: ModelBuilder, key: str) -> CustomAttribute:
        attribute = self._declared(key, "add_custom_values")
        if not attribute.is_custom_frequency:
            raise ModelError(
                problem(
                    f"custom attribute '{key}'",
                    f"a row for its frequency {attribute.frequency.name}",
                    "attributes of a custom frequency",
                    "set it by custom_attributes of the add_* method of that entity",
                )
            )
        return attribute

    def _checked_custom_values(self: ModelBuilder, given: dict[str, Any] | None, frequency: AttributeFrequency, row: int, what: str) -> CustomWrites:
        """Return the writes for one entity, after checking names, frequencies and values."""
        writes: CustomWrites = []
        for key, value in (given or {}).items():
            attribute = self._declared(key, what)
            if attribute.frequency != frequency:
                has = getattr(attribute.frequency, "name", attribute.frequency)
                raise ModelError(
                    problem(
                        what,
                        f"custom attribute '{key}' of frequency {has}",
                        f"attributes of frequency {frequency.name}",
                        "set it on the entity it belongs to",
                    )
                )
            writes.append((attribute, row, attribute.convert(row, value)))
        return writes

    def _checked_joint_values(self: ModelBuilder, given: dict[str, Any] | None, joint: int, what: str) -> CustomWrites:
        """As :meth:`_checked_custom_values` for a joint that was just added: also a list, dict or one value per DOF."""
        writes: CustomWrites = []
        for key, value in (given or {}).items():
            attribute = self._declared(key, what)
            if attribute.frequency not in _JOINT_SPACES:
                writes += self._checked_custom_values({key: value}, AttributeFrequency.JOINT, joint, what)
                continue
            start_name, space, plural = _JOINT_SPACES[attribute.frequency]
            start = getattr(self, start_name)[joint]
            count = len(getattr(self, space)) - start
            for offset, one in _spread(value, count, attribute, plural, what).items():
                writes.append((attribute, start + offset, attribute.convert(start + offset, one)))
        return writes

    def _store_custom_values(self: ModelBuilder, writes: CustomWrites) -> None:
        """Store writes that were checked."""
        for attribute, row, value in writes:
            if isinstance(attribute.frequency, str):
                attribute.values.grow(row + 1)
            attribute.values[row] = value


def _spread(value: Any, count: int, attribute: CustomAttribute, plural: str, what: str) -> dict[int, Any]:
    """Return {offset: value} for the ``count`` rows of a joint from a dict, a list, or one value for all."""
    if count == 0:
        return {}
    if isinstance(value, dict):
        bad = [offset for offset in value if not isinstance(offset, (int, np.integer)) or not 0 <= offset < count]
        if bad:
            given = f"custom attribute '{attribute.key}' for {plural} {bad}"
            raise ModelError(problem(what, given, f"0 to {count - 1}", "use offsets inside the joint"))
        return {int(offset): one for offset, one in value.items()}
    shape = attribute.element_shape
    is_one_value = isinstance(value, str) or np.isscalar(value)
    if not is_one_value and shape and attribute.dtype is not str:
        array = np.asarray(value) if not isinstance(value, (list, tuple)) or not _nested(value) else None
        is_one_value = array is not None and array.ndim == len(shape)
    if not is_one_value and np.ndim(value) == 0 and not isinstance(value, (list, tuple)):
        is_one_value = True
    if is_one_value:
        return dict.fromkeys(range(count), value)
    if len(value) != count:
        given = f"{len(value)} values of custom attribute '{attribute.key}'"
        raise ModelError(problem(what, given, f"{count} values, one for each of its {plural}", "pass as many"))
    return dict(enumerate(value))


def _nested(value: Sequence[Any]) -> bool:
    """Whether a sequence holds sequences (or Warp vectors) and not plain numbers."""
    return any(hasattr(one, "__len__") for one in value)
