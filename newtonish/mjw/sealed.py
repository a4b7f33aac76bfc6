"""Files of plain arrays with a header and a digest of it all, which are read whole or not at all. Nothing is pickled.

Along with it, what such files say of a model: its options as numbers and arrays, and how they are set again.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from os import PathLike
from typing import Any, NamedTuple, NoReturn

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.files import read_file, replacing
from newtonish.kernels.structs.container import Model

__all__ = ["OPTION", "Kind", "option_arrays", "option_numbers", "read", "refuse", "set_options", "write"]

OPTION = "option/"
"""What the names of arrays of options begin with."""
_MOST = 1 << 30


class Kind(NamedTuple):
    """A kind of file: its format and version, what it is called, and who writes it."""

    format: str
    version: int
    word: str
    writer: str


def write(path: str | PathLike[str], kind: Kind, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a file; a failure leaves the one that was there."""
    text = json.dumps({"format": kind.format, "version": kind.version, **header}, sort_keys=True).encode()
    digest = np.frombuffer(_digest(text, arrays), dtype=np.uint8)
    members: dict[str, Any] = {"header": np.frombuffer(text, dtype=np.uint8), "digest": digest, **arrays}
    with replacing(path) as partial, open(partial, "wb") as file:
        np.savez(file, **members)


def read(path: str | PathLike[str], kind: Kind) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file that is whole.

    Raises:
        ModelError: it is of another kind, or damaged.
        OSError: it cannot be read.
    """
    contents = read_file(path, _MOST)
    remedy = f"pass a file that {kind.writer} wrote"
    try:
        with zipfile.ZipFile(io.BytesIO(contents)) as archive:
            packed = any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist())
        if packed:  # could be of any size
            raise ValueError("compressed arrays")
        with np.load(io.BytesIO(contents), allow_pickle=False) as file:
            arrays = {one: file[one] for one in file.files}
        text, digest = arrays.pop("header").tobytes(), arrays.pop("digest").tobytes()
        header = json.loads(text)
        found = header["format"], header["version"]
    except (LookupError, ValueError, TypeError, AttributeError, EOFError, NotImplementedError, OSError, RuntimeError, MemoryError, zipfile.BadZipFile) as error:
        given = f"no {kind.word}, or a damaged one ({' '.join(str(error).split())})"
        refuse(path, kind, given, f"{kind.format} of version {kind.version}", remedy)
    if found != (kind.format, kind.version):
        refuse(path, kind, f"{found[0]!r} of version {found[1]!r}", f"{kind.format!r} of version {kind.version}", remedy)
    if digest != _digest(text, arrays):
        refuse(path, kind, f"a {kind.word} whose contents differ from their digest", f"what {kind.writer} wrote, unchanged", f"go back to an older {kind.word}")
    return header, arrays


def refuse(path: str | PathLike[str], kind: Kind, given: str, allowed: str, remedy: str) -> NoReturn:
    """Raise ModelError about a file."""
    raise ModelError(problem(f"{kind.word} '{path}'", given, allowed, remedy)) from None


def option_numbers(m: Model) -> dict[str, Any]:
    """Options that are numbers, those that no kernel reads among them."""
    found = {name: m.opt.__dict__[name] for name in m.opt.__dict__["_beside"]}
    beside = {name: value for name, value in found.items() if isinstance(value, (bool, int, float))}
    return {f.name: int(getattr(m.opt, f.name)) for f in _options(m) if f.dims is None} | beside


def option_arrays(m: Model) -> dict[str, np.ndarray]:
    """Options that are arrays, by names of files' arrays."""
    return {OPTION + f.name: getattr(m.opt, f.name).numpy() for f in _options(m) if f.dims is not None}


def set_options(m: Model, numbers: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Set those options that differ; the model learns of each."""
    for name, value in numbers.items():
        if getattr(m.opt, name) != value:
            setattr(m.opt, name, value)
    for name, old in option_arrays(m).items():
        if not np.array_equal(old, arrays[name]):
            setattr(m.opt, name.removeprefix(OPTION), arrays[name])


def _options(m: Model) -> tuple[Any, ...]:
    return next(g.fields for g in m.GROUPS if g.name == "opt")


def _digest(text: bytes, arrays: dict[str, np.ndarray]) -> bytes:
    result = hashlib.sha256(text)
    for name in sorted(arrays):
        result.update(f"{name}:{arrays[name].dtype.str}{arrays[name].shape};".encode())
        result.update(np.ascontiguousarray(arrays[name]).tobytes())
    return result.digest()
