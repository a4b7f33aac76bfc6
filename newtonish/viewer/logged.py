"""Pictures and numbers that a script logs, for the panels of windows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from newtonish.errors import ModelError, problem

__all__ = ["LoggedPicture", "picture_of"]


class LoggedPicture(NamedTuple):
    """A picture under a name.

    Attributes:
        pixels: (height, width, 3 or 4) uint8, the top row first.
        fullscreen: Whether it covers the scene.
        version: Counts the pictures under this name.
    """

    pixels: np.ndarray
    fullscreen: bool
    version: int


def picture_of(name: str, image: Any) -> np.ndarray:
    """A logged image as (height, width, 3 or 4) uint8; several become one, side by side in rows.

    Args:
        name: For messages.
        image: (h, w), (h, w, c), (n, h, w) or (n, h, w, c) of uint8, or of floats from 0 to 1; c is 1, 3 or 4.

    Raises:
        ModelError: It has another shape or type.
    """
    pixels = np.asarray(image.numpy() if hasattr(image, "numpy") else image)
    batch = pixels.ndim == 4 or (pixels.ndim == 3 and pixels.shape[-1] not in (1, 3, 4))
    channels = 1 if pixels.ndim == (3 if batch else 2) else pixels.shape[-1] if pixels.ndim else 0
    if pixels.ndim not in (2, 3, 4) or channels not in (1, 3, 4) or not pixels.size or pixels.dtype.kind not in "uf" or pixels.dtype.itemsize not in (1, 4, 8):
        allowed = "(h, w), (h, w, c), (n, h, w) or (n, h, w, c) of uint8, or of floats from 0 to 1, with 1, 3 or 4 channels"
        raise ModelError(problem(f"log_image: '{name}'", f"{pixels.dtype} of shape {pixels.shape}", allowed, "give the picture in one of these forms"))
    pixels = pixels.reshape(-1, *pixels.shape[1 if batch else 0 :][:2], channels)
    if pixels.dtype != np.uint8:
        pixels = np.round(255.0 * np.clip(np.nan_to_num(pixels), 0.0, 1.0)).astype(np.uint8)
    if channels == 1:
        pixels = np.repeat(pixels, 3, axis=-1)
    count, height, width, depth = pixels.shape
    across = int(np.ceil(np.sqrt(count)))
    down = -(-count // across)
    sheet = np.zeros((across * down, height, width, depth), np.uint8)
    sheet[:count] = pixels
    return sheet.reshape(down, across, height, width, depth).swapaxes(1, 2).reshape(down * height, across * width, depth)
