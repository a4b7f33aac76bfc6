"""Reads the grids of heightfields: PNG pictures and MuJoCo's binary form."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from newtonish.errors import ImporterError, problem
from newtonish.files import read_file

__all__ = ["load_heights"]

MOST_BYTES = 512 * 1024 * 1024
MAX_SAMPLES = 1 << 26
PNG, BINARY = "image/png", "image/vnd.mujoco.hfield"


def load_heights(path: Path, content_type: str = "", most: int = MOST_BYTES) -> np.ndarray:
    """Return the numbers of a file (nrow, ncol) in float32, the first row at -y.

    A picture is read as MuJoCo reads it: the red channel in 8 bits, the top row of pixels at +y. Other files hold the
    numbers of rows and columns as int32 and then the rows as float32, little-endian, the first at -y.

    Args:
        path: The file; by its extension ``.png`` it is a picture.
        content_type: ``image/png`` or ``image/vnd.mujoco.hfield``, in place of the extension.
        most: Most bytes that are read.

    Raises:
        ImporterError: The file cannot be read, or holds no grid of at least two by two finite numbers.
    """
    if content_type not in ("", PNG, BINARY):
        _refuse(path, f"content type '{content_type}'", f"{PNG} or {BINARY}", "correct or remove it")
    try:
        if path.stat().st_size > most:
            _refuse(path, f"{path.stat().st_size} bytes", f"at most {most}", "use fewer samples, or pass a larger max_size")
        data = read_file(path, most)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        _refuse(path, reason, "a readable file", "check the path")
    picture = content_type == PNG or (not content_type and path.suffix.lower() == ".png")
    heights = _read_png(path, data) if picture else _read_binary(path, data)
    if min(heights.shape) < 2 or not np.isfinite(heights).all():
        given = f"{heights.shape[0]} by {heights.shape[1]} numbers" if min(heights.shape) < 2 else "numbers that are not finite"
        _refuse(path, given, "at least 2 by 2 finite numbers", "export it again")
    return heights


def _read_png(path: Path, data: bytes) -> np.ndarray:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
            if picture.width * picture.height > MAX_SAMPLES:
                _refuse(path, f"{picture.width} by {picture.height} pixels", f"at most {MAX_SAMPLES} in all", "scale it down")
            if picture.mode.startswith("I"):  # 16 bits
                values = np.asarray(picture).astype(np.int64) >> 8
            else:
                values = np.asarray(picture.convert("RGB") if picture.mode == "P" else picture.convert("RGBA"))[..., 0]
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, ImporterError):
            raise
        _refuse(path, f"unreadable content ({error})", "a PNG picture", "open it in an editor and save it again")
    return values.astype(np.float32)[::-1]


def _read_binary(path: Path, data: bytes) -> np.ndarray:
    counts = np.frombuffer(data[:8], dtype="<i4") if len(data) >= 8 else np.zeros(2, dtype=np.int32)
    nrow, ncol = (int(count) for count in counts)
    if min(nrow, ncol) < 1 or len(data) != 8 + 4 * nrow * ncol:
        given = f"{len(data)} bytes for {nrow} rows and {ncol} columns"
        _refuse(path, given, "8 bytes of counts and 4 for each sample", "export it again, or name it .png if it is a picture")
    return np.frombuffer(data, dtype="<f4", offset=8).reshape(nrow, ncol).astype(np.float32)


def _refuse(path: Path, given: str, allowed: str, remedy: str) -> None:
    raise ImporterError(problem(f"heightfield file {path}", given, allowed, remedy))
