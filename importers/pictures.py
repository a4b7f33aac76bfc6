"""Reads PNG pictures: their header and whether they are whole at once, their pixels when somebody asks."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newtonish.errors import ImporterError, problem
from newtonish.files import read_file

__all__ = ["MOST_BYTES", "Picture", "open_picture", "picture_of"]

MOST_PIXELS = 1 << 28
MOST_BYTES = 512 * 1024 * 1024
PNG, RAW = "image/png", "image/vnd.mujoco.texture"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture whose file was read and checked.

    Attributes:
        path: Where it came from, for messages.
        width, height: Pixels.
        srgb: Whether the file says that its colours are sRGB.
        data: Contents of the file.
    """

    path: Path
    width: int
    height: int
    srgb: bool
    data: bytes

    def pixels(self, nchannel: int = 3) -> np.ndarray:
        """Return uint8 (height, width, nchannel), the top row first, in 8 bits; one channel is the red one.

        Raises:
            ImporterError: The pixels cannot be decoded.
        """
        from PIL import Image

        try:
            with Image.open(io.BytesIO(self.data), formats=["PNG"]) as picture:
                if picture.mode.startswith("I"):  # 16 bits of grey
                    grey = (np.asarray(picture).astype(np.int64) >> 8).astype(np.uint8)
                    opaque = np.full_like(grey, 255)
                    rgba = np.stack([grey, grey, grey, opaque], axis=-1)
                else:
                    rgba = np.asarray(picture.convert("RGBA"))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise _refusal(self.path, f"unreadable content ({error})", "a PNG picture", "open it in an editor and save it again") from None
        return rgba[..., :nchannel]


def open_picture(path: Path, content_type: str = "", most: int = MOST_BYTES) -> Picture:
    """Read a file and check that it is a whole PNG picture; pixels are decoded later.

    Raises:
        ImporterError: The file cannot be read, is too large, or is no such picture.
    """
    kind = content_type or (PNG if path.suffix.lower() == ".png" else f"a file '{path.suffix}'")
    if kind != PNG:
        raise _refusal(path, kind, "PNG pictures", "convert it to PNG")
    try:
        if path.stat().st_size > most:
            raise _refusal(path, f"{path.stat().st_size} bytes", f"at most {most}", "scale it down, or pass a larger max_size")
        data = read_file(path, most)
    except (OSError, ValueError) as error:
        raise _refusal(path, getattr(error, "strerror", None) or str(error), "a readable file", "check the path") from None
    return picture_of(path, data)


def picture_of(path: Path, data: bytes) -> Picture:
    """The picture that the contents of a file are, checked as :func:`open_picture` does.

    Raises:
        ImporterError: They are no such picture.
    """
    width, height, srgb = _header(path, data)
    if not 1 <= width * height <= MOST_PIXELS:
        raise _refusal(path, f"{width} by {height} pixels", f"1 to {MOST_PIXELS} in all", "scale it")
    return Picture(path, width, height, srgb, data)


def _header(path: Path, data: bytes) -> tuple[int, int, bool]:
    """Width, height and whether the colours are sRGB; every chunk is checked against its sum."""
    at, kinds, size = len(SIGNATURE), [], (0, 0)
    if not data.startswith(SIGNATURE):
        raise _refusal(path, "content that is no PNG picture", "a PNG picture", "convert it")
    while at + 12 <= len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        end = at + 8 + length
        if end + 4 > len(data) or zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            break
        if kind == b"IHDR" and length == 13:
            size = int.from_bytes(data[at + 8 : at + 12], "big"), int.from_bytes(data[at + 12 : at + 16], "big")
        kinds.append(kind)
        at = end + 4
        if kind == b"IEND":
            break
    if kinds[:1] != [b"IHDR"] or b"IDAT" not in kinds or kinds[-1] != b"IEND":
        raise _refusal(path, "a damaged picture", "a whole PNG picture", "export it again")
    return *size, b"sRGB" in kinds


def _refusal(path: Path, given: str, allowed: str, remedy: str) -> ImporterError:
    return ImporterError(problem(f"texture file {path}", given, allowed, remedy))
