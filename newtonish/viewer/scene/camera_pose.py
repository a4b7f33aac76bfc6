"""Where a picture is taken from, and what its lens sees."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

__all__ = ["CameraPose"]


def _vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@dataclass
class CameraPose:
    """A camera ready to be drawn with; the frustum is given as in MuJoCo's ``mjvGLCamera``.

    Attributes:
        position: Of the eye [m].
        forward: Direction it looks in.
        up: Direction that is up in the picture, at right angles to it.
        bottom, top: Edges of the near plane [m], of the whole picture where it is orthographic. Below the axis is negative.
        center: Middle of the near plane to the right of the axis [m].
        near, far: Distances between which things are seen [m].
        orthographic: Whether things have the same size at any distance.
    """

    position: np.ndarray = field(default_factory=lambda: _vector(0, 0, 0))
    forward: np.ndarray = field(default_factory=lambda: _vector(1, 0, 0))
    up: np.ndarray = field(default_factory=lambda: _vector(0, 0, 1))
    bottom: float = -0.00414
    top: float = 0.00414
    center: float = 0.0
    near: float = 0.01
    far: float = 50.0
    orthographic: bool = False

    @property
    def right(self) -> np.ndarray:
        """Direction that is right in the picture."""
        side = np.cross(self.forward, self.up)
        return side / np.linalg.norm(side)

    @property
    def fovy(self) -> float:
        """Vertical angle of view [degrees], 0 where it is orthographic."""
        if self.orthographic:
            return 0.0
        return float(np.degrees(np.arctan(self.top / self.near) - np.arctan(self.bottom / self.near)))

    @property
    def height(self) -> float:
        """Height of what is seen: at distance one, or anywhere where it is orthographic [m]."""
        height = self.top - self.bottom
        return height if self.orthographic else height / self.near

    def frustum(self, aspect: float) -> tuple[float, float, float, float, float, float]:
        """Left, right, bottom, top, near, far of a picture of width over height ``aspect``."""
        half = 0.5 * aspect * (self.top - self.bottom)
        return self.center - half, self.center + half, self.bottom, self.top, self.near, self.far

    def view(self) -> np.ndarray:
        """(4, 4) matrix from the world to the camera, which looks along -z with y up."""
        right = self.right
        axes = np.stack([right, np.cross(right, self.forward), -np.asarray(self.forward)])
        matrix = np.eye(4)
        matrix[:3, :3] = axes
        matrix[:3, 3] = -axes @ self.position
        return matrix

    def projection(self, aspect: float) -> np.ndarray:
        """(4, 4) matrix from the camera to OpenGL's clip coordinates (to be transposed where columns come first)."""
        left, right, bottom, top, near, far = self.frustum(aspect)
        width, height, depth = right - left, top - bottom, far - near
        matrix = np.zeros((4, 4))
        if self.orthographic:
            matrix[0, 0], matrix[0, 3] = 2 / width, -(right + left) / width
            matrix[1, 1], matrix[1, 3] = 2 / height, -(top + bottom) / height
            matrix[2, 2], matrix[2, 3] = -2 / depth, -(far + near) / depth
            matrix[3, 3] = 1.0
        else:
            matrix[0, 0], matrix[0, 2] = 2 * near / width, (right + left) / width
            matrix[1, 1], matrix[1, 2] = 2 * near / height, (top + bottom) / height
            matrix[2, 2], matrix[2, 3] = -(far + near) / depth, -2 * far * near / depth
            matrix[3, 2] = -1.0
        return matrix

    def ray(self, x: float, y: float, aspect: float) -> tuple[np.ndarray, np.ndarray]:
        """Origin and unit direction of the ray through a point of the picture.

        Args:
            x: From 0 at the left to 1 at the right.
            y: From 0 at the bottom to 1 at the top.
            aspect: Width over height.
        """
        left, right, bottom, top, near, _ = self.frustum(aspect)
        aside, above = left + x * (right - left), bottom + y * (top - bottom)
        offset = aside * self.right + above * np.asarray(self.up)
        if self.orthographic:
            return self.position + offset, np.array(self.forward, dtype=float)
        direction = near * np.asarray(self.forward) + offset
        return np.array(self.position, dtype=float), direction / np.linalg.norm(direction)
