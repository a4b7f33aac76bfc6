"""Where the cameras of a model are: what :class:`SceneMaker` knows about points of view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera import Camera
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import CameraType, Mouse

if TYPE_CHECKING:
    from newtonish.viewer.scene.maker import SceneMaker

__all__ = ["Viewpoints"]


class Viewpoints:
    """Part of :class:`SceneMaker` that has to do with cameras."""

    def free_camera(self: SceneMaker) -> Camera:
        """The camera one starts with: the whole model in the middle, from where the model wants to be viewed."""
        middle = self.center + self.offsets.mean(axis=0)
        spread = float(np.ptp(self.offsets, axis=0).max()) if self.world_count > 1 else 0.0
        shown = self.visual.global_
        return Camera(lookat=middle, distance=1.5 * self.extent + 1.5 * spread, azimuth=float(shown.azimuth), elevation=float(shown.elevation))

    def camera_names(self: SceneMaker) -> list[str]:
        """Names of the model's cameras, of one world."""
        return [] if self.tables is None else list(self.tables.cam_names)

    def move_camera(self: SceneMaker, camera: Camera, action: Mouse, dx: float, dy: float, pose: CameraPose) -> None:
        """Let a camera follow the mouse; ``dx`` and ``dy`` in heights of the window, to the right and down."""
        camera.move(action, dx, dy, pose, self.extent, self.up)

    def camera_pose(self: SceneMaker, camera: Camera, state: Any) -> CameraPose:
        """Where a camera is in a state; a tracking camera's ``lookat`` follows its body.

        Raises:
            ModelError: The model has no such camera or body.
        """
        return self._pose(camera, self.bodies(state))

    def _pose(self: SceneMaker, camera: Camera, bodies: Bodies) -> CameraPose:
        shown = self.visual
        near, far = float(shown.map.znear * self.extent), float(shown.map.zfar * self.extent)
        if camera.type == CameraType.FIXED:
            return self._fixed_pose(camera, bodies, near, far)
        if camera.type == CameraType.TRACKING:
            camera.lookat = self._tracked(camera, bodies)
        forward, up = camera.axes(self.up)
        flat = bool(shown.global_.orthographic) if camera.orthographic is None else camera.orthographic
        fovy = float(shown.global_.fovy) if camera.fovy is None else camera.fovy
        top = 0.5 * fovy if flat else near * np.tan(np.radians(0.5 * fovy))
        position = np.asarray(camera.lookat) - camera.distance * forward
        return CameraPose(position, forward, up, -top, top, 0.0, near, far, flat)

    def _tracked(self: SceneMaker, camera: Camera, bodies: Bodies) -> np.ndarray:
        if self.tables is None or not 0 <= camera.body < self.model.body_count:
            allowed = f"0 to {self.model.body_count - 1}"
            raise ModelError(problem("Camera.body", str(camera.body), allowed, "choose a body of the model"))
        body = int(self.tables.maps.body_to_mjc[camera.body])
        return bodies.of_world(max(int(self.body_world[camera.body]), 0)).subtree_com[0, body].astype(np.float64)

    def _fixed_pose(self: SceneMaker, camera: Camera, bodies: Bodies, near: float, far: float) -> CameraPose:
        names = self.camera_names()
        row = names.index(camera.fixed) if camera.fixed in names else camera.fixed
        if not isinstance(row, (int, np.integer)) or not 0 <= row < len(names):
            allowed = ", ".join(f"'{name}'" for name in names) or "none, the model has no cameras"
            raise ModelError(problem("camera", repr(camera.fixed), allowed, "choose a camera of the model"))
        t, world = self.tables, camera.world
        position, rotation = (part[0, row].astype(np.float64) for part in bodies.of_world(world).cameras())
        fovy = float(t.worlds("cam_fovy")[world if len(t.worlds("cam_fovy")) > 1 else 0, row])
        flat = int(t.cam_projection[row]) == 1
        bottom, top, center = -0.5 * fovy, 0.5 * fovy, 0.0
        if not flat and t.cam_sensorsize[row, 1]:
            focal = t.worlds("cam_intrinsic")
            fx, fy, cx, cy = focal[world if len(focal) > 1 else 0, row]
            bottom, top = (near / fy * (side * 0.5 * t.cam_sensorsize[row, 1] - cy) for side in (-1.0, 1.0))
            center = near / fx * cx
        elif not flat:
            top = near * np.tan(np.radians(0.5 * fovy))
            bottom = -top
        return CameraPose(position, -rotation[:, 2], rotation[:, 1], bottom, top, center, near, far, flat)
