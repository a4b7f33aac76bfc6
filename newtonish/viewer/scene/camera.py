"""Cameras: free, tracking a body, or fixed in the model; moved by the mouse as MuJoCo's are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.errors import ModelError, problem
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import CameraType, Mouse

__all__ = ["Camera", "align_to_camera"]


@dataclass
class Camera:
    """A camera as one thinks of it; :meth:`SceneMaker.camera_pose` makes a :class:`CameraPose` of it.

    Angles are about the model's up axis: azimuth 0 looks along x, 90 along y (of a model with z up; along -z with y up), elevation
    -90 looks straight down.

    Attributes:
        type: Of :class:`CameraType`.
        body: The model's body that a tracking camera follows.
        fixed: A fixed camera of the model, by name or row.
        world: World whose camera is meant, where a name says which.
        lookat: Point in the middle of the picture [m].
        distance: From the eye to it [m].
        azimuth, elevation: Direction of view [degrees].
        orthographic: Whether free and tracking cameras are; None: as the model says.
        fovy: Their vertical angle of view [degrees], or height of the picture [m]; None: as the model says.
    """

    type: CameraType = CameraType.FREE
    body: int = -1
    fixed: int | str = -1
    world: int = 0
    lookat: np.ndarray = field(default_factory=lambda: np.zeros(3))
    distance: float = 2.0
    azimuth: float = 90.0
    elevation: float = -45.0
    orthographic: bool | None = None
    fovy: float | None = None

    @classmethod
    def tracking(cls, body: int, **more: Any) -> Camera:
        """A camera that follows the centre of mass of a body and of all that is attached to it."""
        return cls(type=CameraType.TRACKING, body=int(body), **more)

    @classmethod
    def of_model(cls, name: int | str, world: int = 0) -> Camera:
        """A camera of the model."""
        return cls(type=CameraType.FIXED, fixed=name, world=world)

    def axes(self, up: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Forward and up of a free or tracking camera; ``up`` (3, 3) turns z-up axes into the model's."""
        a, e = np.radians(self.azimuth), np.radians(self.elevation)
        forward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        above = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
        return (forward, above) if up is None else (up @ forward, up @ above)

    def move(self, action: Mouse, dx: float, dy: float, pose: CameraPose, extent: float, up: np.ndarray | None = None) -> None:
        """Follow the mouse, as ``mjv_moveCamera``; fixed cameras stay.

        Args:
            action: What the movement does.
            dx, dy: Movement in heights of the window, to the right and down.
            pose: The camera as it was drawn.
            extent: Of the model [m].
            up: (3, 3) turns z-up axes into the model's.
        """
        if self.type == CameraType.FIXED or action == Mouse.NONE:
            return
        if action in (Mouse.ROTATE_V, Mouse.ROTATE_H):
            self.azimuth -= dx * 180.0
            self.elevation -= dy * 180.0
        elif action in (Mouse.MOVE_V, Mouse.MOVE_H):
            if self.type == CameraType.TRACKING:
                return
            self.lookat = np.asarray(self.lookat, dtype=float) - self._in_the_picture(action, dx, dy, pose, up)
        elif action == Mouse.ZOOM:
            self.distance -= np.log(1 + self.distance / extent / 3) * dy * 9 * extent
        else:
            raise ModelError(problem("Camera.move: action", str(action), "a member of Mouse", "pass one of these"))
        self.azimuth -= 360.0 * (self.azimuth > 180.0) - 360.0 * (self.azimuth < -180.0)
        self.elevation = float(np.clip(self.elevation, -89.0, 89.0))
        self.distance = float(np.clip(self.distance, 0.01 * extent, 100.0 * extent))

    def _in_the_picture(self, action: Mouse, dx: float, dy: float, pose: CameraPose, up: np.ndarray | None) -> np.ndarray:
        """Displacement by which the camera's target stays below the mouse."""
        reach = float(np.dot(np.asarray(self.lookat) - pose.position, pose.forward))
        scale = pose.height * reach * (0.15 if pose.orthographic else 1.0)  # the factor of flat pictures is MuJoCo's
        return align_to_camera(action, dx, dy, pose.forward, up) * scale

    # -- by what one does with it -------------------------------------------------------------------------------------

    def rotate(self, dx: float, dy: float, pose: CameraPose, extent: float, up: np.ndarray | None = None) -> None:
        """Go around the camera's target."""
        self.move(Mouse.ROTATE_V, dx, dy, pose, extent, up)

    def pan(self, dx: float, dy: float, pose: CameraPose, extent: float, up: np.ndarray | None = None, level: bool = False) -> None:
        """Move the camera's target, in the vertical plane of the picture or level with the ground."""
        self.move(Mouse.MOVE_H if level else Mouse.MOVE_V, dx, dy, pose, extent, up)

    def zoom(self, dy: float, pose: CameraPose, extent: float) -> None:
        """Come nearer (``dy`` above zero) or go away."""
        self.move(Mouse.ZOOM, 0.0, dy, pose, extent)


def align_to_camera(action: Mouse, dx: float, dy: float, forward: np.ndarray, up: np.ndarray | None = None) -> np.ndarray:
    """A movement of the mouse as a vector of the world, turned about the vertical to where the camera looks.

    Args:
        action: MOVE_V, MOVE_H, or ROTATE_V, ROTATE_H for the axis of the rotation.
        dx, dy: Movement to the right and down.
        forward: Where the camera looks.
        up: (3, 3) turns z-up axes into the model's.

    Returns:
        (3,), as long as the movement.
    """
    vector = {
        Mouse.MOVE_V: (dx, 0.0, -dy), Mouse.MOVE_H: (dx, -dy, 0.0), Mouse.ROTATE_V: (dy, 0.0, dx), Mouse.ROTATE_H: (dy, dx, 0.0),
    }.get(Mouse(action), (0.0, 0.0, 0.0))  # fmt: skip
    ahead = np.asarray(forward) if up is None else up.T @ forward
    length = np.hypot(ahead[0], ahead[1])
    x, y = (ahead[0] / length, ahead[1] / length) if length > MINVAL else (1.0, 0.0)
    result = np.array([vector[0] * y + vector[1] * x, -vector[0] * x + vector[1] * y, vector[2]])
    return result if up is None else up @ result
