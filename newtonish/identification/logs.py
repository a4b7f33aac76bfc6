"""Logs of motions: reading CSV and NumPy files, and refusing what is no log."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from newtonish.errors import ModelError, problem, raise_all
from newtonish.files import read_file
from newtonish.identification.columns import Columns

__all__ = ["Log", "read_log"]

_MOST = 1 << 30
_ARRAYS = {"ctrl": "ctrl", "qpos": "qpos", "qvel": "qvel", "act": "act", "sensordata": "sensor"}
"""Arrays of a NumPy file, and the kind of column that each holds."""


@dataclass(frozen=True)
class Log:
    """A recorded motion.

    Attributes:
        name: what messages call it.
        time: (n,) [s], rising.
        columns: (n,) numbers by the model's name of each column, in MuJoCo's units. A control is the one applied from its time until the next row's.
    """

    name: str
    time: np.ndarray
    columns: Mapping[str, np.ndarray]


def read_log(source: Any, columns: Columns, ignore: Sequence[str] = ()) -> Log:
    """Read and check a log.

    Args:
        source: path of a .csv file with names in its first line; path of a .npz file with ``time`` and the arrays ``ctrl``, ``qpos``, ``qvel``, ``act`` and
            ``sensordata`` (n, numbers of the model), each as far as there is one, or with an array for each column's name, or one that
            ``mujoco.sysid`` wrote of a trajectory; a mapping of the same arrays.
        columns: the model's names.
        ignore: columns that are left out.

    Raises:
        ModelError: everything that is wrong with it.
    """
    if isinstance(source, Log):
        name, arrays = source.name, {"time": source.time, **source.columns}
    elif isinstance(source, Mapping):
        name, arrays = "log", {str(key): np.asarray(value) for key, value in source.items()}
    else:
        name = str(source)
        arrays = _read_csv(name, source) if Path(source).suffix.lower() == ".csv" else _read_npz(name, source)
    if "control_times" in arrays:
        arrays = _from_sysid(name, arrays, columns)
    time, named = _named(name, arrays, columns)
    return _checked(name, time, {columns.resolve(name, key): value for key, value in named.items() if key not in ignore})


def _refuse(name: str, given: str, allowed: str, remedy: str) -> NoReturn:
    raise ModelError(problem(f"log {name!r}", given, allowed, remedy)) from None


def _read_csv(name: str, path: str | PathLike[str]) -> dict[str, np.ndarray]:
    try:
        rows = list(csv.reader(io.StringIO(read_file(path, _MOST).decode("utf-8-sig"))))
    except (UnicodeDecodeError, csv.Error) as error:
        _refuse(name, f"no text ({error})", "CSV in UTF-8", "export the log as comma-separated text")
    rows = [row for row in rows if row]
    header = [cell.strip().lstrip("#").strip() for cell in rows[0]] if rows else []
    doubled = sorted({cell for cell in header if header.count(cell) > 1})
    if doubled:
        _refuse(name, f"two columns {doubled[0]!r}", "each name once", "rename one of them")
    table = np.full((max(len(rows) - 1, 0), len(header)), np.nan)
    for number, row in enumerate(rows[1:]):
        if len(row) != len(header):
            _refuse(name, f"{len(row)} numbers in line {number + 2}", f"{len(header)}, as names in the first line", "mend that line")
        for k, cell in enumerate(row):
            try:
                table[number, k] = float(cell)
            except ValueError:
                _refuse(name, f"{cell!r} in line {number + 2}, column {header[k]!r}", "numbers", "mend that line")
    return {cell: table[:, k] for k, cell in enumerate(header)}


def _read_npz(name: str, path: str | PathLike[str]) -> dict[str, np.ndarray]:
    contents = read_file(path, _MOST)
    try:
        with np.load(io.BytesIO(contents), allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except (LookupError, ValueError, TypeError, AttributeError, EOFError, OSError, RuntimeError, MemoryError, zipfile.BadZipFile) as error:
        _refuse(name, f"no log ({' '.join(str(error).split())})", "a .csv file, or a .npz file of plain arrays", "write it by numpy.savez")


def _from_sysid(name: str, arrays: dict[str, np.ndarray], columns: Columns) -> dict[str, np.ndarray]:
    """Controls, sensors and states of a trajectory of ``mujoco.sysid``, at the times of its sensors; controls are held."""
    time = np.asarray(arrays.get("sensordata_times", []), dtype=float)
    control = np.asarray(arrays["control_times"], dtype=float)
    if not len(time) or not len(control):
        _refuse(name, "a trajectory without times", "control_times and sensordata_times", "write it by SystemTrajectory.save_to_disk")
    result = {"time": time}
    held = np.clip(np.searchsorted(control, time + 1e-9, side="right") - 1, 0, len(control) - 1)
    parts = (("control", "ctrl", held), ("sensordata", "sensor", np.arange(len(time))))
    for key, kind, rows in parts:
        data = np.asarray(arrays.get(f"{key}_data", np.zeros((len(rows), 0))), dtype=float)
        mapping = json.loads(str(arrays[f"{key}_signal_mapping"])) if f"{key}_signal_mapping" in arrays else None
        if mapping is None:
            result |= dict(zip(columns.by_array.get(kind, []), data[rows].T))
            continue
        for title, (_, places) in mapping.items():
            result |= {title + (f".{k}" if len(places) > 1 else ""): data[rows, place] for k, place in enumerate(places)}
    return result


def _named(name: str, arrays: dict[str, np.ndarray], columns: Columns) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The times, and every other number by the name of its column."""
    arrays = dict(arrays)
    time = arrays.pop("time", arrays.pop("times", None))
    if time is None:
        _refuse(name, "no column 'time'", f"time [s] beside {', '.join(list(arrays)[:6]) or 'others'}", "add it, or rename the one that it is")
    found: dict[str, np.ndarray] = {}
    for key, value in arrays.items():
        value = np.asarray(value)
        if value.dtype.kind not in "biuf":
            _refuse(name, f"{key!r} of type {value.dtype}", "arrays of numbers", "leave it out")
        if value.ndim == 2 and key in _ARRAYS:
            names = columns.by_array.get(_ARRAYS[key], [])
            if value.shape[1] != len(names):
                _refuse(name, f"{key!r} of shape {value.shape}", f"(n, {len(names)}), the model's numbers", "log all of them, or name each column")
            found |= dict(zip(names, value.T))
        elif value.ndim == 2:
            found |= {f"{key}.{k}": value[:, k] for k in range(value.shape[1])}
        else:
            found[key] = value
    return np.asarray(time), found


def _checked(name: str, time: np.ndarray, columns: dict[str, np.ndarray]) -> Log:
    """The log, if its numbers are finite, as many as its times, and its times rise."""
    wrong = []

    def add(what: str, given: str, allowed: str, remedy: str) -> None:
        wrong.append(problem(f"log {name!r}: {what}", given, allowed, remedy))

    if time.ndim != 1 or time.dtype.kind not in "iuf" or len(time) < 10:
        _refuse(name, f"time of shape {time.shape} of {time.dtype}", "at least 10 numbers", "log for longer")
    time = time.astype(float)
    bad = np.flatnonzero(~np.isfinite(time))
    if len(bad):
        _refuse(name, f"time {time[bad[0]]} in row {bad[0]}", "finite numbers", "leave such rows out")
    back = np.flatnonzero(np.diff(time) <= 0.0)
    if len(back):
        k = int(back[0])
        add("time", f"{time[k]:.9g} and then {time[k + 1]:.9g} s in row {k + 1}", "times that rise", "sort the rows, and leave out those that stand twice")
    for key, value in columns.items():
        if value.shape != time.shape:
            add(key, f"shape {value.shape}", f"({len(time)},), as time", "give each column as many numbers as there are times")
            continue
        bad = np.flatnonzero(~np.isfinite(value.astype(float)))
        if len(bad):
            add(
                key,
                f"{value[bad[0]]} in row {bad[0]}" + (f" and {len(bad) - 1} others" if len(bad) > 1 else ""),
                "finite numbers",
                "leave those rows or that column out",
            )
    if not any(not key.startswith("ctrl:") for key in columns):
        add("columns", f"only {', '.join(columns) or 'time'}", "measured ones: qpos, qvel or sensors", "add what was measured")
    raise_all(ModelError, f"log {name!r}", wrong)
    return Log(name, time, {key: np.asarray(value, dtype=float) for key, value in columns.items()})
