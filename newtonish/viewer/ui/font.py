"""Letters as a picture, and texts as rectangles cut from it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

__all__ = ["SIZES", "Font", "the_font"]

SIZES = {"small": 12, "normal": 14, "large": 24}
"""Heights of the letters [pixels]."""

LETTERS = "".join(chr(code) for code in range(32, 127)) + "°·±…"
WIDTH, GAP = 512, 2


@dataclass
class _Face:
    """One size.

    Attributes:
        advance: (letters,) how far the next letter stands [pixels].
        box: (letters, 4) left, top, width, height of the ink, from the upper left corner of the letter's cell.
        cut: (letters, 4) the same ink in the picture, as fractions: left, top, right, bottom.
        height: Of a line.
    """

    advance: np.ndarray
    box: np.ndarray
    cut: np.ndarray
    height: int


class Font:
    """Pillow's own typeface in a few sizes, so that every machine shows the same.

    Attributes:
        picture: (h, w) uint8 opacity; the pixel in the upper left corner is full.
        height: Of a line, by size.
    """

    def __init__(self) -> None:
        picture = Image.new("L", (WIDTH, WIDTH), 0)
        pen = ImageDraw.Draw(picture)
        pen.rectangle((0, 0, 3, 3), fill=255)
        self._faces: dict[str, _Face] = {}
        self._texts: dict[tuple[str, str], tuple[np.ndarray, float]] = {}
        self._number = {letter: row for row, letter in enumerate(LETTERS)}
        x, y = 8, 0
        for name, size in SIZES.items():
            face = ImageFont.load_default(size)
            ascent, descent = face.getmetrics()
            rows = np.zeros((len(LETTERS), 9), np.float32)
            for row, letter in enumerate(LETTERS):
                left, top, right, bottom = face.getbbox(letter)
                width, height = max(int(right - left), 0), max(int(bottom - top), 0)
                if x + width + GAP > WIDTH:
                    x, y = 0, y + ascent + descent + GAP
                pen.text((x - left, y - top), letter, font=face, fill=255)
                rows[row] = (face.getlength(letter), left, top, width, height, x, y, x + width, y + height)
                x += width + GAP
            x, y = 0, y + ascent + descent + GAP
            digits = [self._number[digit] for digit in "0123456789"]
            rows[digits, 0] = np.ceil(rows[digits, 0].max())  # numbers that change do not tremble
            self._faces[name] = _Face(rows[:, 0], rows[:, 1:5], rows[:, 5:] / WIDTH, ascent + descent)
        self.picture = np.asarray(picture)
        self.height = {name: face.height for name, face in self._faces.items()}
        self.full = (1.5 / WIDTH, 1.5 / WIDTH)

    def width(self, text: str, size: str = "normal") -> float:
        """Width of a text [pixels]."""
        return self.quads(text, size)[1]

    def quads(self, text: str, size: str = "normal") -> tuple[np.ndarray, float]:
        """(n, 8) rectangles of the letters at the origin (left, top, right, bottom, and the same in the picture), and the width."""
        key = (text, size)
        if key not in self._texts:
            if len(self._texts) > 4000:
                self._texts.clear()
            face = self._faces[size]
            rows = np.array([self._number.get(letter, self._number["?"]) for letter in text], np.intp)
            ends = np.cumsum(face.advance[rows])
            starts = np.floor(ends - face.advance[rows] + 0.5)
            box = face.box[rows]
            made = np.empty((len(rows), 8), np.float32)
            made[:, 0], made[:, 1] = starts + box[:, 0], box[:, 1]
            made[:, 2], made[:, 3] = made[:, 0] + box[:, 2], made[:, 1] + box[:, 3]
            made[:, 4:] = face.cut[rows]
            self._texts[key] = made, float(ends[-1]) if len(rows) else 0.0
        return self._texts[key]

    def fitted(self, text: str, width: float, size: str = "normal") -> str:
        """A text cut short so that it fits."""
        if self.width(text, size) <= width:
            return text
        while text and self.width(text + "…", size) > width:
            text = text[:-1]
        return text + "…"


@functools.cache
def the_font() -> Font:
    """The one font there is."""
    return Font()
