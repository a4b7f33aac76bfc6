"""A search in a file, from which an interrupted one goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.files import read_file, write_file
from newtonish.identification.problem import Point, Problem
from newtonish.identification.search import Course

__all__ = ["load_course", "save_course"]

_FORMAT = "newtonish identification 2"


def save_course(path: str | PathLike[str], course: Course, found: Problem) -> None:
    """Write a search after an iteration; a failure leaves the file that was there."""
    point = course.point
    numbers: dict[str, Any] = {name: getattr(point, name).tolist() for name in ("values", "qpos", "qvel")}
    numbers |= {"damping": course.damping, "iterations": course.iterations, "costs": course.costs, "converged": course.converged, "noise": found.noise.tolist()}
    numbers["derived_at"] = None if course.derived_at is None else {name: getattr(course.derived_at, name).tolist() for name in ("values", "qpos", "qvel")}
    write_file(path, json.dumps({"format": _FORMAT, "task": _task(found), "parameters": [each.name for each in found.parameters], **numbers}))


def load_course(path: str | PathLike[str], found: Problem) -> Course:
    """Read a search.

    Raises:
        ModelError: the file is none, or one of another model, logs or parameters.
    """
    try:
        read = json.loads(read_file(path, 1 << 28))
        kind, task = read["format"], read["task"]
        point = _point(read)
        course = Course(
            point, float(read["damping"]), int(read["iterations"]), list(read["costs"]), bool(read["converged"]), np.array(read["noise"], dtype=float),
            None if read["derived_at"] is None else _point(read["derived_at"]),
        )  # fmt: skip
    except (LookupError, ValueError, TypeError) as error:
        raise ModelError(problem(f"state '{path}'", f"no search ({error})", _FORMAT, "name another file, or remove it to begin anew")) from None
    if kind != _FORMAT or task != _task(found):
        given = "a search of another model, other logs or other parameters"
        raise ModelError(problem(f"state '{path}'", given, "one of the same", "call it as before, or remove the file to begin anew"))
    return course


def _point(read: Mapping[str, Any]) -> Point:
    return Point(*(np.array(read[name], dtype=float) for name in ("values", "qpos", "qvel")))


def _task(found: Problem) -> str:
    """A hash of all that a search depends on."""
    s = found.segments
    result = hashlib.sha256(repr([(each.name, each.initial, each.low, each.high) for each in found.parameters]).encode())
    for array in (s.measured, s.weight, s.rows, found.compiled.body_mass, found.compiled.body_inertia, found.compiled.dof_damping):
        result.update(np.ascontiguousarray(array).tobytes())
    return result.hexdigest()
