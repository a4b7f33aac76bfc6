"""Edits that need no conversion of the whole model, for they are of numbers, in some worlds.

Damping and dry friction of joints, friction of shapes and gravity are the model's own numbers, and are copied. Other numbers of
joints, masses and actuators are converted for the worlds in which they were edited (``newtonish.convert.again``). Which these are,
and whether nothing else was edited, is seen beside copies of the properties made at the last conversion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.common.compiled_fields import FIELDS
from newtonish.convert.again import EDITABLE, convert_worlds
from newtonish.convert.options import plain
from newtonish.kernels.structs.container import Model
from newtonish.kernels.structs.field import Field, Group
from newtonish.solver.notify import changed_names
from newtonish.solver.properties import ACTUATORS, BODIES, JOINTS, KINDS, Kind, Properties

__all__ = ["DirectEdits"]

_CONVERTED = (JOINTS, BODIES, ACTUATORS)
"""Kinds that single worlds are converted for."""
_ROWS_OF = {"joint_": "joint_dof", "body_": "body", "mujoco:actuator_": "mujoco:actuator", "mujoco:inertial_": "body", "mujoco:": "joint_dof"}
"""Frequency of editable arrays by the beginning of their names."""
_OTHER_NAMES = {"sleep_dof_length": "dof_length", "meaninertia": "_meaninertia"}
"""Fields of the solver that have another name in the tables of a conversion."""
_FIELDS_OF = {own: name for name, own in _OTHER_NAMES.items()}
_UNTOUCHED = frozenset({"eq_active0", "tendon_wrap_scale"})
"""Fields of the solver that follow from no editable array, and are in no table."""


class DirectEdits:
    """What a solver's arrays stand for, to tell edits of numbers from others.

    Args:
        model: The Newton model.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._properties = Properties(model)
        self._copied: set[int] = set()  # kinds whose direct fields are the model's numbers
        self._stale: set[str] = set()  # fields on the device that are not the conversion's

    def note(self, m: Model, compiled: Any) -> None:
        """Everything was converted: keep what it was converted from, where the numbers of a field are the model's."""
        for kind in KINDS:
            self._properties.note(kind)
        self._copied = {kind.flags for kind in KINDS if all(self._stand_for(m, compiled, kind, name) for name in kind.direct)}
        names = changed_names(sum(kind.flags for kind in _CONVERTED), compiled)
        self._stale = {name for name in names if not _is_converted(m, compiled, name)}

    def take_over(self, m: Model, compiled: Any, flags: int) -> list[wp.array] | None:
        """Write edited numbers into the solver's arrays.

        Args:
            m: The solver's model.
            compiled: The conversion that it stands on; follows.
            flags: Kinds of properties that were edited.

        Returns:
            Arrays that were replaced, as of ``newtonish.solver.notify.take_over``; None if something else was edited as well, or
            the numbers are not the model's alone, such as damping that actuators have a share in: the model has to be converted.
        """
        flagged = [kind for kind in KINDS if kind.flags & flags]
        if flags & ~sum(kind.flags for kind in flagged):
            return None
        edited: dict[int, dict[str, np.ndarray]] = {}
        for kind in flagged:
            found = self._properties.edited(kind)
            if found is None:
                return None
            edited[kind.flags] = found
        if not any(edited.values()):
            return None  # arrays of the solver may have been edited themselves: they become the model's again
        direct = {kind.flags: {source for sources in kind.direct.values() for source in sources} for kind in flagged}
        copied = [kind for kind in flagged if kind.flags in self._copied and edited[kind.flags].keys() <= direct[kind.flags]]
        others = [kind for kind in flagged if kind not in copied and edited[kind.flags]]
        replaced: list[wp.array] = []
        if others:
            converted = self._convert(m, compiled, flags, others, {k: v for kind in others for k, v in edited[kind.flags].items()})
            if converted is None:
                return None
            replaced += converted
        written = [_write(m, compiled, name, self._values(compiled, kind, name)) for kind in copied for name in _touched(kind, edited[kind.flags])]
        for kind in flagged:
            self._properties.accept(kind, edited[kind.flags])
        return replaced + [array for array in written if array is not None]

    def _convert(self, m: Model, compiled: Any, flags: int, kinds: list[Kind], edited: dict[str, np.ndarray]) -> list[wp.array] | None:
        """Convert the worlds that were edited; None if that is not all there is to do."""
        if any(kind not in _CONVERTED for kind in kinds) or not edited.keys() <= EDITABLE or compiled.listed is None:
            return None
        if any(self._properties.edited(kind) != {} for kind in _CONVERTED if not kind.flags & flags):
            return None  # edited without its flag: it waits, on the device
        names = changed_names(flags & sum(kind.flags for kind in _CONVERTED), compiled)
        if names & self._stale:
            return None
        touched = np.zeros(int(compiled.nworld), dtype=bool)
        for name, rows in edited.items():
            touched |= rows[compiled.listed.index[_frequency(name)]].any(axis=1)
        touched[0] = True
        worlds = np.flatnonzero(touched)
        result = convert_worlds(compiled, self._model, worlds, BODIES in kinds)
        if result is None:
            return None
        table, statistics = result
        forced = compiled.listed.forced
        forced[worlds if len(forced) > 1 else [0]] = table.pop("_jnt_forced")
        compiled.jnt_forced = forced.any(axis=0)
        replaced = []
        for name, rows in table.items():
            before = _compiled(compiled, name)
            if np.array_equal(rows, before[worlds] if len(before) > 1 else np.broadcast_to(before, rows.shape)):
                continue
            values = np.array(np.broadcast_to(before, (len(touched), *before.shape[1:])))
            values[worlds] = rows
            field = _FIELDS_OF.get(name, name)
            if field in names:
                replaced.append(_write(m, compiled, field, values))
            else:  # the edits' flags do not stand for it
                _keep(compiled, name, values)
                self._stale.add(field)
        compiled.stat = statistics
        return [array for array in replaced if array is not None]

    def _values(self, compiled: Any, kind: Kind, name: str) -> np.ndarray:
        """The model's numbers as the solver has them, (nworld, n) or with components."""
        columns = [self._properties.array(source).numpy() for source in kind.direct[name]]
        if not kind.rows:
            rows, worlds = columns[0], int(compiled.nworld)
            return np.broadcast_to(rows[:1], (worlds, *rows.shape[1:])) if len(rows) < worlds else rows[:worlds]
        index = getattr(compiled.maps, kind.rows)
        return columns[0][index] if len(columns) == 1 else np.stack([column[index] for column in columns], axis=-1)

    def _stand_for(self, m: Model, compiled: Any, kind: Kind, name: str) -> bool:
        """Whether the solver's numbers are the model's."""
        if not all(isinstance(getattr(self._model, source, None), wp.array) for source in kind.direct[name]):
            return False
        if kind.rows and (np.asarray(getattr(compiled.maps, kind.rows)) < 0).any():
            return False
        values = self._values(compiled, kind, name)
        own = _array(m, name).numpy()
        return own.shape[1:] == values.shape[1:] and np.array_equal(np.broadcast_to(own, values.shape), values.astype(np.float32))


def _touched(kind: Kind, edited: dict[str, np.ndarray]) -> list[str]:
    """Fields that are copies of edited arrays."""
    return [name for name, sources in kind.direct.items() if edited.keys() & set(sources)]


def _frequency(name: str) -> str:
    """Of what an editable array has a row each."""
    return next(frequency for start, frequency in _ROWS_OF.items() if name.startswith(start))


def _place(m: Model, name: str) -> tuple[Group, Field]:
    """Where a field is, options included."""
    return next((group, field) for group in m.GROUPS for field in group.fields if group.flat_name(field) == name)


def _array(m: Model, name: str) -> wp.array:
    group, field = _place(m, name)
    array = getattr(getattr(m, group.name), field.name)
    assert isinstance(array, wp.array)
    return array


def _compiled(compiled: Any, name: str) -> np.ndarray:
    """A field of a conversion with a world axis of one or of all worlds in front; ``_meaninertia`` is that of its statistics."""
    own = name.removeprefix("_")
    if own in compiled.batched:
        return np.asarray(compiled.batched[own])
    return np.asarray(compiled.stat.meaninertia if name == "_meaninertia" else getattr(compiled, own))[None]


def _is_converted(m: Model, compiled: Any, name: str) -> bool:
    """Whether a field on the device is as the conversion has it: nobody wrote into it, and no actuator has a share in it."""
    field, own = _place(m, name)[1], _OTHER_NAMES.get(name, name)
    if name in _UNTOUCHED or field.dims is None:
        return True
    if own != "_meaninertia" and own not in FIELDS:
        return False
    values, array = _compiled(compiled, own), _array(m, name).numpy()
    if not field.per_world:
        values = values[0]
    if array.size == 0 or values.size == 0:
        return array.size == values.size
    if array[0].size != values[0].size:
        return False
    if field.per_world:
        array = array.reshape(len(array), *values.shape[1:])  # matrices are rows of nine in a conversion
    if array.shape[field.per_world :] != values.shape[field.per_world :]:
        return False
    return bool(np.all(array == values.astype(array.dtype)))


def _write(m: Model, compiled: Any, name: str, values: np.ndarray) -> wp.array | None:
    """Put numbers (nworld, ...) on the device and into the conversion; the array that had to be replaced, if one had."""
    own = _OTHER_NAMES.get(name, name)
    same = _keep(compiled, own, values)
    old = _array(m, name)
    if len(old) == 1 and not same:
        m.set_field(*_place(m, name), values)
        return old
    old.assign(values[: len(old)])
    return None


def _keep(compiled: Any, name: str, values: np.ndarray) -> bool:
    """Put numbers (nworld, ...) into the conversion; whether they are the same in all worlds."""
    own = name.removeprefix("_")
    if own == "gravity":
        compiled.opt.gravity = plain(values[0])
    elif name != "_meaninertia":
        setattr(compiled, own, values[0].astype(np.float64))
    same = bool((values == values[:1]).all())
    if same:
        compiled.batched.pop(own, None)
    else:
        compiled.batched[own] = values.astype(np.float64)
    return same
