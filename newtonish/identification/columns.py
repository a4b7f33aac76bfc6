"""Columns of a log by name: which number of a model each of them is.

``qpos:knee``, ``qvel:knee``, ``ctrl:knee_motor``, ``act:muscle`` and ``sensor:imu.2`` name a kind, an object and, where that has several numbers, which one,
counted from 0. MuJoCo's own forms are taken as well: ``knee_qpos``, ``knee_qvel``, ``knee_motor_ctrl``, and a sensor by its name alone.
"""

from __future__ import annotations

import difflib
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from newtonish.common.enums import JointType
from newtonish.errors import ModelError, problem

__all__ = ["Columns", "Place"]

_SUFFIXES = {"_qpos": "qpos", "_qvel": "qvel", "_ctrl": "ctrl", "_act": "act"}


class Place(NamedTuple):
    """Where a column stands in the arrays of a Data: which array, and which number in it."""

    array: str
    number: int


class Columns:
    """The names that columns of logs may have for a model.

    Args:
        compiled: compiled arrays.
    """

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    @cached_property
    def places(self) -> dict[str, Place]:
        """Every name, in the order of the model."""
        c = self._compiled
        found: dict[str, Place] = {}
        for joint in range(int(c.njnt)):
            name, kind = c.jnt_names[joint] or str(joint), JointType(int(c.jnt_type[joint]))
            widths = {JointType.FREE: (7, 6), JointType.BALL: (4, 3)}.get(kind, (1, 1))
            for array, first, width in (("qpos", c.jnt_qposadr, widths[0]), ("qvel", c.jnt_dofadr, widths[1])):
                _add(found, array, name, int(first[joint]), width)
        for actuator, name in enumerate(c.actuator_names):
            title = name or str(actuator)
            _add(found, "ctrl", title, int(c.actuator_ctrladr[actuator]), int(c.actuator_ctrlnum[actuator]))
            if int(c.actuator_actadr[actuator]) >= 0:
                _add(found, "act", title, int(c.actuator_actadr[actuator]), int(c.actuator_actnum[actuator]))
        for sensor, name in enumerate(c.sensor_names):
            _add(found, "sensor", name or str(sensor), int(c.sensor_adr[sensor]), int(c.sensor_dim[sensor]))
        return found

    @cached_property
    def by_array(self) -> dict[str, list[str]]:
        """The names of each array's numbers, in order."""
        result: dict[str, list[str]] = {}
        for name, place in self.places.items():
            names = result.setdefault(place.array, [])
            names.extend([""] * (place.number + 1 - len(names)))
            names[place.number] = name
        return result

    def resolve(self, source: str, name: str) -> str:
        """The name of a column as it stands in ``places``.

        Raises:
            ModelError: the model has no such object.
        """
        places = self.places
        for form in self._forms(name):
            if form in places:
                return form
        near = difflib.get_close_matches(name, places, n=2) or difflib.get_close_matches(f"sensor:{name}", places, n=2)
        listed = ", ".join(list(places)[:6]) + (f" and {len(places) - 6} others" if len(places) > 6 else "")
        remedy = f"did you mean {' or '.join(near)}?" if near else "name the columns of the log after the model, or leave them out by --ignore"
        raise ModelError(problem(f"{source}: column {name!r}", "no such object in the model", f"time, {listed}", remedy))

    @staticmethod
    def _forms(name: str) -> list[str]:
        plain = name.strip()
        base, dot, number = plain.rpartition(".")
        stem, rest = (base, dot + number) if number.isdigit() and dot else (plain, "")
        forms = [plain, f"sensor:{plain}"]
        forms += [f"{kind}:{stem.removesuffix(suffix)}{rest}" for suffix, kind in _SUFFIXES.items() if stem.endswith(suffix)]
        return forms


def _add(found: dict[str, Place], array: str, name: str, first: int, width: int) -> None:
    for k in range(width):
        found[f"{array}:{name}" + (f".{k}" if width > 1 else "")] = Place(array, first + k)


def quaternions(compiled: Any) -> list[np.ndarray]:
    """Numbers of ``qpos`` that are quaternions, four at a time."""
    result = []
    for joint in range(int(compiled.njnt)):
        kind, first = JointType(int(compiled.jnt_type[joint])), int(compiled.jnt_qposadr[joint])
        if kind in (JointType.FREE, JointType.BALL):
            result.append(np.arange(4) + first + (3 if kind == JointType.FREE else 0))
    return result
