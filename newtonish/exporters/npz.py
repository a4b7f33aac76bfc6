"""Reads archives of arrays (.npz) that others have written, in memory that is asked for before it is taken."""

from __future__ import annotations

import io
import math
import os
import stat
import zipfile
from pathlib import Path

import numpy as np

from newtonish.errors import ImporterError, problem
from newtonish.memory import available_memory

__all__ = ["MAX_BYTES", "read_arrays"]

MAX_BYTES = 8 << 30
"""Most bytes that the arrays of an archive may take."""

_HEADER = 1 << 16
"""Most bytes of the text that says what an array is."""


def read_arrays(path: str | os.PathLike[str], remedy: str, names: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """Arrays of an archive by name; objects are refused.

    Args:
        path: The archive.
        remedy: What to do if it cannot be read.
        names: Those that are wanted; None: all.

    Raises:
        FileNotFoundError: There is no such file.
        ImporterError: It cannot be read, is damaged, or has more than ``MAX_BYTES`` or half of the free memory.
    """
    most = min(MAX_BYTES, available_memory() // 2)
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise ImporterError(problem(str(path), "a device, pipe or folder", "a file", remedy))
        with zipfile.ZipFile(path) as members:
            found = {entry.filename.removesuffix(".npy"): entry for entry in members.infolist()}
            wanted = {name: entry for name, entry in found.items() if names is None or name in names}
            total = sum(entry.file_size for entry in wanted.values())
            if total > most:
                given = f"{total >> 20} MiB of arrays"
                raise ImporterError(problem(str(path), given, f"at most {most >> 20} MiB", "split it, or read it where there is more memory"))
            return {name: _array(members, entry) for name, entry in wanted.items()}
    except (ImporterError, FileNotFoundError):
        raise
    except OSError as error:
        raise ImporterError(problem(str(path), error.strerror or str(error), "a readable archive", "check the path")) from None
    except Exception as error:  # zipfile, zlib, lzma and numpy raise whatever damaged content leads them to
        given = f"a damaged archive ({type(error).__name__}: {' '.join(str(error).split())[:200]})"
        raise ImporterError(problem(str(path), given, "arrays as NumPy writes them", remedy)) from None


def _array(members: zipfile.ZipFile, entry: zipfile.ZipInfo) -> np.ndarray:
    """One array, whose header may claim no more than the file has."""
    with members.open(entry) as file:
        head = io.BytesIO(file.read(min(entry.file_size, _HEADER)))
        version = np.lib.format.read_magic(head)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(head)
        length = math.prod(shape) * dtype.itemsize
        if dtype.hasobject:
            raise ValueError(f"{entry.filename}: objects, which are not read")
        if any(n < 0 for n in shape) or length != entry.file_size - head.tell():
            raise ValueError(f"{entry.filename}: shape {shape} of {dtype} in {entry.file_size} bytes")
        data = head.read() + file.read()
    return np.frombuffer(bytearray(data), dtype=dtype).reshape(shape, order="F" if fortran else "C")
