"""Compiled arrays as a NumPy archive (.npz): a model that is loaded without reading or compiling its text again.

``header`` is JSON as bytes: format and version, the name of the source, sizes, options that are numbers, names, the import
report. The fields stand as ``model/NAME``, what differs between worlds as ``worlds/NAME``, options that are vectors as
``option/NAME``. Nothing is pickled. Index maps into a Newton model are not kept.
"""

from __future__ import annotations

import json
from os import PathLike
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from newtonish.common.compiled_fields import FIELDS, SIZES
from newtonish.convert import CompiledModel
from newtonish.diagnostics import Content, Entry, ImportReport, Location
from newtonish.errors import ImporterError, problem
from newtonish.exporters.npz import read_arrays
from newtonish.files import replacing

__all__ = ["Archive", "is_archive", "read_archive", "write_archive"]

FORMAT, VERSION = "newtonish compiled model", 6
KINDS = ("body", "jnt", "geom", "site", "actuator", "tendon", "sensor", "eq", "key", "cam", "light", "numeric", "text", "tuple", "mesh", "mat", "tex")
KINDS += ("plugin", "plugin_kind")
_FREE = ("geom_filter_pairs", "plugin_attr")
"""Arrays of ours whose length no size tells."""
_WHOLE = ("flg_gravcomp", "flg_surfacevel", "flg_adhesion", "flg_spring")
_REPORT = ("kept", "approximated", "ignored")
_SHAPES = {"gravity": (3,), "wind": (3,), "magnetic": (3,), "o_solref": (2,), "o_solimp": (5,), "o_friction": (5,), "center": (3,)}
"""Shapes of options and statistics that are no single numbers."""


class Archive(NamedTuple):
    """What an archive holds.

    Attributes:
        compiled: The arrays.
        source: Name of the file that they were compiled from.
        length_range: Arguments of ``mjw.set_length_range`` that differ from its defaults.
        report: The import report of that file.
    """

    compiled: CompiledModel
    source: str
    length_range: dict[str, Any]
    report: ImportReport


def is_archive(path: Any) -> bool:
    """Whether a path names an archive, by its ending."""
    return isinstance(path, (str, PathLike)) and str(path).lower().endswith(".npz")


def write_archive(path: str | PathLike[str], compiled: CompiledModel, source: str, length_range: dict[str, Any], report: Any = None) -> None:
    """Write compiled arrays.

    Args:
        path: The file.
        compiled: The arrays.
        source: Name of the file they come from.
        length_range: Arguments of ``mjw.set_length_range``.
        report: An ``ImportReport``.
    """
    options = vars(compiled.opt)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "source": source,
        "sizes": {name: getattr(compiled, name) for name in (*SIZES, "nworld")},
        "flags": {name: bool(getattr(compiled, name)) for name in _WHOLE},
        "options": {name: value for name, value in options.items() if np.ndim(value) == 0},
        "statistics": {name: np.asarray(value).tolist() for name, value in vars(compiled.stat).items()},
        "names": {kind: list(getattr(compiled, f"{kind}_names", [])) for kind in KINDS},
        "length_range": length_range,
        "report": {part: [list(e) for e in getattr(report, part, [])] for part in _REPORT},
        "contents": getattr(report, "contents", []),
    }
    arrays = {f"model/{name}": getattr(compiled, name) for name in FIELDS}
    arrays |= {f"worlds/{name}": value for name, value in compiled.batched.items()}
    arrays |= {f"option/{name}": np.asarray(value) for name, value in options.items() if np.ndim(value)}
    own = {name: value for name, value in vars(compiled).items() if isinstance(value, np.ndarray) and name not in FIELDS}
    arrays |= {f"own/{name}": value for name, value in own.items()}
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replacing(path) as partial, open(partial, "wb") as file:
        np.savez(file, header=text, **arrays)


def read_archive(path: str | PathLike[str]) -> Archive:
    """Read what :func:`write_archive` wrote, every array checked against the shape that the sizes give it.

    Raises:
        ImporterError: The file is none of these, is damaged, or is of another version.
    """
    arrays = _arrays(path)
    try:
        header = _header(path, arrays)
        return _archive(header, {name: array for name, array in arrays.items() if name != "header"})
    except ImporterError:
        raise
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError, RecursionError) as error:  # whatever damaged content leads to
        given = f"a damaged archive ({' '.join(str(error).split())})"
        raise ImporterError(problem(str(path), given, "what 'newtonish convert' wrote", "convert the model again")) from None


def _arrays(path: Any) -> dict[str, np.ndarray]:
    try:
        return read_arrays(path, "convert the model again")
    except FileNotFoundError:
        raise ImporterError(problem(str(path), "No such file", "a readable archive", "check the path")) from None


def _header(path: Any, found: Any) -> dict[str, Any]:
    """The header, its format and version checked."""
    remedy = "write it with 'newtonish convert MODEL.xml OUT.npz'"
    if "header" not in found:
        raise ImporterError(problem(str(path), "an archive of other arrays", "compiled arrays of a model", remedy))
    header = json.loads(found["header"].tobytes().decode())
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        given = f"{header.get('format')!r} of version {header.get('version')!r}"
        raise ImporterError(problem(str(path), given, f"{FORMAT!r} of version {VERSION}", remedy))
    return header


def _archive(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Archive:
    """Put header and arrays together."""
    sizes = {name: int(value) for name, value in header["sizes"].items()}
    if min(value for name, value in sizes.items() if name not in ("njmax", "nconmax")) < 0:
        raise ValueError("negative sizes")
    compiled = CompiledModel.__new__(CompiledModel)
    compiled.__dict__.update(_empty(sizes))
    for name in FIELDS:
        compiled.set(name, arrays[f"model/{name}"])
    for name, usual in _own(sizes).items():
        value = arrays[f"own/{name}"]
        if value.dtype != usual.dtype or (value.shape != usual.shape and name not in _FREE):
            raise ValueError(f"{name}: shape {value.shape} of {value.dtype}")
        setattr(compiled, name, value)
    compiled.batched = {name.removeprefix("worlds/"): value for name, value in arrays.items() if name.startswith("worlds/")}
    for name, value in compiled.batched.items():
        if value.dtype.kind not in "fib" or value.ndim == 0 or len(value) != compiled.nworld:
            raise ValueError(f"{name}: not one value a world")
    vectors = {name.removeprefix("option/"): value for name, value in arrays.items() if name.startswith("option/")}
    compiled.opt = SimpleNamespace(**header["options"], **vectors)
    compiled.stat = SimpleNamespace(**{name: np.array(v) if isinstance(v, list) else v for name, v in header["statistics"].items()})
    for name in _WHOLE:
        setattr(compiled, name, bool(header["flags"][name]))
    for kind in KINDS:
        setattr(compiled, f"{kind}_names", [str(name) for name in header["names"][kind]])
    _check_finite(compiled)
    source = str(header["source"])
    report = ImportReport(source)
    for part in _REPORT:
        for place, *rest in header["report"][part]:
            getattr(report, part).append(Entry(Location(*place) if place else None, *rest))
    for *words, places in header.get("contents", []):
        report.contents.append(Content(*words, [Location(*place) for place in places]))
    return Archive(compiled, source, dict(header["length_range"]), report)


def _check_finite(compiled: CompiledModel) -> None:
    """No number of a compiled model is NaN, and no option infinite."""
    for owner in (compiled.batched, vars(compiled)):
        for name, value in owner.items():
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isnan(value).any():
                raise ValueError(f"{name}: not a number")
    for name, value in (*vars(compiled.opt).items(), *vars(compiled.stat).items()):
        array = np.asarray(value)
        if array.dtype.kind not in "fiub" or not np.isfinite(array).all():
            raise ValueError(f"{name}: not finite")
        if array.shape != _SHAPES.get(name, ()):
            raise ValueError(f"{name}: shape {array.shape}")


def _own(sizes: dict[str, int]) -> dict[str, np.ndarray]:
    """Arrays that MuJoCo does not know, as they are in a model where nothing is said."""
    usual = CompiledModel(ngeom=sizes["ngeom"], njnt=sizes["njnt"], nmesh=sizes["nmesh"], nmeshvert=sizes["nmeshvert"], nplugin=sizes["nplugin"])
    return {name: value for name, value in vars(usual).items() if isinstance(value, np.ndarray) and name not in FIELDS}


def _empty(sizes: dict[str, int]) -> dict[str, Any]:
    """Attributes of a model without arrays: memory is taken by what the file holds, not by what its sizes claim."""
    return {**{name: sizes[name] for name in SIZES}, "nworld": sizes["nworld"], "maps": None, "kept": None, "listed": None}
