"""Pixels of procedural textures, and the sides of cubes from pictures, as the chapter on ``texture`` of MuJoCo's XML reference describes them.

Pixels are uint8 (height, width, 3), the top row first; the six sides of a cube stand below one another: right, left, up, down, front, back.
Colours are cut to whole numbers, not rounded; numbers out of 0 to 1 wrap around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["SIDES", "builtin", "cube_of_grid", "cube_of_sides"]

SIDES = "RLUDFB"
UP, DOWN, FRONT, BACK = 2, 3, 4, 5


def _bytes(colour: object) -> np.ndarray:
    """Colours from 0 to 1 as bytes."""
    return np.trunc(255.0 * np.asarray(colour, dtype=np.float64)).astype(np.int64).astype(np.uint8)


def _blend(first: Sequence[float], second: Sequence[float], place: np.ndarray) -> np.ndarray:
    """From the second colour at -1 to the first at +1, along a sigmoid that is straight in the middle."""
    share = 0.5 * (1.0 + place / np.sqrt(1.0 + place**2) * np.sqrt(2.0))
    share = np.clip(share, 0.0, 1.0)[..., None]
    return _bytes(share * np.asarray(first) + (1.0 - share) * np.asarray(second))


def _grid(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of pixels from -1 to 1, x to the right and y up."""
    with np.errstate(invalid="ignore", divide="ignore"):
        x = 2.0 * np.arange(width) / (width - 1.0) - 1.0
        y = 1.0 - 2.0 * np.arange(height) / (height - 1.0)
    return np.broadcast_to(x, (height, width)), np.broadcast_to(y[:, None], (height, width))


def _checker(height: int, width: int, first: Sequence[float], second: Sequence[float]) -> np.ndarray:
    """Two by two fields."""
    same = (np.arange(height) < height // 2)[:, None] == (np.arange(width) < width // 2)
    return np.where(same[..., None], _bytes(first), _bytes(second))


def builtin(kind: str, cube: bool, height: int, width: int, look: Mapping[str, Any]) -> np.ndarray:
    """Return the pixels of a procedural texture.

    Args:
        kind: ``gradient``, ``checker`` or ``flat``.
        cube: Whether it has six sides; its height is that of one of them.
        height, width: Pixels of a side.
        look: ``rgb1``, ``rgb2``, ``mark``, ``markrgb`` and ``random`` of the element.
    """
    first, second = look["rgb1"], look["rgb2"]
    sides = np.empty((6 if cube else 1, height, width, 3), dtype=np.uint8)
    if kind == "checker":
        sides[:] = _checker(height, width, first, second)
        sides[FRONT:] = _checker(height, width, second, first)
    elif kind == "flat":
        sides[:] = _bytes(first)
        if cube:
            sides[DOWN] = _bytes(second)
    else:
        _gradient(sides, cube, first, second)
    _mark(sides, look)
    return sides.reshape(-1, width, 3)


def _gradient(sides: np.ndarray, cube: bool, first: Sequence[float], second: Sequence[float]) -> None:
    """From the middle outwards on a plane, from top to bottom around a cube."""
    x, y = _grid(*sides.shape[1:3])
    with np.errstate(invalid="ignore"):
        if not cube:
            sides[0] = _blend(second, first, 2.0 * np.sqrt(x**2 + y**2) - 1.0)
            return
        far = np.sqrt(1.0 + x**2 + y**2)
        quarter = 0.5 * np.pi
        sides[:] = _blend(first, second, np.arcsin(y / far) / quarter)
        height = 1.0 - np.arccos(1.0 / far) / quarter
        sides[UP], sides[DOWN] = _blend(first, second, height), _blend(first, second, -height)


def _mark(sides: np.ndarray, look: Mapping[str, Any]) -> None:
    """Draw edges, a cross, or random dots (which ones differs from MuJoCo's, whose generator is the C library's)."""
    kind, colour = look["mark"], _bytes(look["markrgb"])
    height, width = sides.shape[1:3]
    if kind == "edge":
        sides[:, [0, -1]] = sides[:, :, [0, -1]] = colour
    elif kind == "cross":
        sides[:, :, width // 2] = sides[:, height // 2] = colour
    elif kind == "random":
        sides[np.random.default_rng(0).random(sides.shape[:3]) < look["random"]] = colour


def cube_of_sides(sides: Mapping[int, np.ndarray], width: int, empty: Sequence[float]) -> np.ndarray:
    """Put the sides of a cube below one another; those that are not given have one colour."""
    cube = np.empty((6, width, width, 3), dtype=np.uint8)
    cube[:] = _bytes(empty)
    for side, pixels in sides.items():
        cube[side] = pixels
    return cube.reshape(-1, width, 3)


def cube_of_grid(picture: np.ndarray, rows: int, layout: str, empty: Sequence[float]) -> np.ndarray:
    """Cut the sides of a cube out of one picture; the letters of the layout (``SIDES``, or a point) say what each field is."""
    width = len(picture) // rows
    columns = picture.shape[1] // width
    sides = {}
    for field, letter in enumerate(layout[: rows * columns]):
        if letter != ".":
            row, column = (width * part for part in divmod(field, columns))
            sides[SIDES.index(letter)] = picture[row : row + width, column : column + width]
    return cube_of_sides(sides, width, empty)
