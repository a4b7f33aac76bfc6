"""SceneMaker: a model and a state become a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import Axis
from newtonish.viewer.scene.arrays import Instances, Scene
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera import Camera
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import CameraType, Mouse
from newtonish.viewer.scene.grid import grid_offsets
from newtonish.viewer.scene.library import Library
from newtonish.viewer.scene.lights import Lights
from newtonish.viewer.scene.materials import read_looks
from newtonish.viewer.scene.options import VisualOptions
from newtonish.viewer.scene.shapes import Shapes
from newtonish.viewer.scene.tables import read_tables
from newtonish.viewer.scene.visual import read_visual

__all__ = ["SceneMaker"]


class SceneMaker:
    """Makes scenes of one model; what does not change is found out once, so that a frame is a few operations on arrays.

    Args:
        model: Newton's model.
        solver: The solver that simulates it, for what only it knows: contacts and forces, tendons' paths, sensors. None: those
            are not drawn.
        offsets: (worlds, 3) where the origin of each world is drawn [m]; None: on a grid, wide enough that they do not touch.
        worlds: Which worlds are drawn; None: all.
        checker: Whether a ground without a material gets squares, so that one sees how things move over it.

    Attributes:
        offsets: (worlds, 3) [m]; may be changed.
        visual: What the model says about how it wants to be looked at.
        extent: Size of one world [m].
        center: Its middle.
    """

    def __init__(
        self, model: Any, solver: Any = None, *, offsets: Any = None, worlds: Any = None, checker: bool = True
    ) -> None:
        self.model, self.solver = model, solver
        self.world_count = max(1, int(model.world_count))
        self.visual = read_visual(model)
        self.tables = read_tables(model)
        self._body_world = np.asarray(model.body_world.numpy() if model.body_count else np.zeros(0, dtype=np.int32))
        stat = None if self.tables is None else self.tables.stat
        self.extent = float(stat.extent) if stat else 2.0
        self.center = np.asarray(stat.center if stat else np.zeros(3), dtype=np.float64)
        self.mean_size = float(stat.meansize) if stat else 0.2
        self.mean_mass = float(stat.meanmass) if stat else 1.0
        self.up = None if Axis(int(model.up_axis)) == Axis.Z else _turned_up(Axis(int(model.up_axis)))
        self.offsets = grid_offsets(self.world_count, 2.2 * self.extent, self.up) if offsets is None else self._given(offsets)
        shown = np.zeros(self.world_count, dtype=bool)
        shown[slice(None) if worlds is None else np.asarray(worlds, dtype=np.int64)] = True
        self.library = Library()
        self._looks = read_looks(model)
        self._lights = Lights(model, self.tables, self.visual, self.extent, self.up)
        reach = float(self.visual.map.zfar * self.extent)
        self._shapes = Shapes(model, self.library, self._looks, self._static(), reach, float(self.visual.map.alpha), shown, checker)
        self._layout, self._layout_key = 0, None

    def _given(self, offsets: Any) -> np.ndarray:
        given = np.asarray(offsets, dtype=np.float32)
        if given.shape != (self.world_count, 3):
            text = problem("SceneMaker: offsets", f"shape {given.shape}", f"({self.world_count}, 3)", "give one for each world")
            raise ModelError(text)
        return given

    def _static(self) -> np.ndarray:
        """(bodies,) whether a body is fixed to the world."""
        if self.tables is None or not self.model.body_count:
            return np.zeros(int(self.model.body_count), dtype=bool)
        return self.tables.body_weldid[np.maximum(self.tables.maps.body_to_mjc, 0)] == 0

    # -- cameras ------------------------------------------------------------------------------------------------------

    def free_camera(self) -> Camera:
        """The camera one starts with: the whole model in the middle, from where the model wants to be looked at."""
        middle = self.center + self.offsets.mean(axis=0)
        spread = float(np.ptp(self.offsets, axis=0).max()) if self.world_count > 1 else 0.0
        shown = self.visual.global_
        return Camera(
            lookat=middle, distance=1.5 * self.extent + spread, azimuth=float(shown.azimuth), elevation=float(shown.elevation)
        )

    def camera_names(self) -> list[str]:
        """Names of the model's cameras, of one world."""
        return [] if self.tables is None else list(self.tables.cam_names)

    def move_camera(self, camera: Camera, action: Mouse, dx: float, dy: float, pose: CameraPose) -> None:
        """Let a camera follow the mouse; ``dx`` and ``dy`` in heights of the window, to the right and down."""
        camera.move(action, dx, dy, pose, self.extent, self.up)

    def camera_pose(self, camera: Camera, state: Any) -> CameraPose:
        """Where a camera is in a state; a tracking camera's ``lookat`` follows its body.

        Raises:
            ModelError: The model has no such camera or body.
        """
        return self._pose(camera, Bodies(self.tables, state, self.offsets, self._body_world))

    def _pose(self, camera: Camera, bodies: Bodies) -> CameraPose:
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

    def _tracked(self, camera: Camera, bodies: Bodies) -> np.ndarray:
        if self.tables is None or not 0 <= camera.body < self.model.body_count:
            allowed = f"0 to {self.model.body_count - 1}"
            raise ModelError(problem("Camera.body", str(camera.body), allowed, "choose a body of the model"))
        body = int(self.tables.maps.body_to_mjc[camera.body])
        return bodies.subtree_com[max(int(self._body_world[camera.body]), 0), body].astype(np.float64)

    def _fixed_pose(self, camera: Camera, bodies: Bodies, near: float, far: float) -> CameraPose:
        names = self.camera_names()
        row = names.index(camera.fixed) if camera.fixed in names else camera.fixed
        if not isinstance(row, (int, np.integer)) or not 0 <= row < len(names):
            allowed = ", ".join(f"'{name}'" for name in names) or "none, the model has no cameras"
            raise ModelError(problem("camera", repr(camera.fixed), allowed, "choose a camera of the model"))
        t, world = self.tables, camera.world
        position, rotation = (part[world, row].astype(np.float64) for part in bodies.mounted("cam"))
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

    # -- scenes -------------------------------------------------------------------------------------------------------

    def make(
        self, state: Any, options: VisualOptions | None = None, camera: Camera | None = None, perturbation: Any = None, time: float = 0.0
    ) -> Scene:
        """The scene of a state.

        Args:
            state: Newton's state; ``body_q`` says where bodies are.
            options: What is shown; None: MuJoCo's defaults.
            camera: From where; None: :meth:`free_camera`.
            perturbation: The selected body and how it is dragged.
            time: Of the state [s], for display.
        """
        options = VisualOptions() if options is None else options
        bodies = Bodies(self.tables, state, self.offsets, self._body_world)
        pose = self._pose(self.free_camera() if camera is None else camera, bodies)
        shown = self._shapes.choose(options)
        instances = self._placed(shown, bodies, pose)
        visual = self.visual
        return Scene(
            library=self.library.entries,
            textures=self._looks.textures,
            materials=self._looks.materials,
            instances=instances,
            lights=self._lights.make(bodies, pose),
            labels=[],
            camera=pose,
            skybox=self._looks.skybox,
            haze=(*visual.rgba.haze[:3].tolist(), float(visual.map.haze)),
            fog=(*visual.rgba.fog[:3].tolist(), 0.0),
            fog_range=(float(visual.map.fogstart * self.extent), float(visual.map.fogend * self.extent)),
            extent=self.extent,
            center=self.center,
            shadow_clip=float(visual.map.shadowclip),
            shadow_scale=float(visual.map.shadowscale),
            linewidth=float(visual.global_.linewidth),
            time=float(time),
            decor_from=len(instances),
        )

    def _placed(self, shown: Any, bodies: Bodies, pose: CameraPose) -> Instances:
        """Shapes where they are in this state."""
        key = (id(shown), self.offsets.tobytes())
        if key != self._layout_key:
            self._layout_key, self._layout = key, self._layout + 1
            world = shown.instances.world
            self._origin = np.where(world[:, None] >= 0, self.offsets[np.maximum(world, 0)], 0.0).astype(np.float32)
        position, rotation = shown.place(bodies.position, bodies.rotation, self._origin)
        for row in shown.endless.tolist():
            position[row] += self._follow(shown, row, position[row], rotation[row], pose)
        made = Instances.join([shown.instances], self._layout)
        made.position, made.rotation = position, rotation
        return made

    def _follow(self, shown: Any, row: int, position: np.ndarray, rotation: np.ndarray, pose: CameraPose) -> np.ndarray:
        """Displacement of an endless plane towards the camera, by whole periods of its texture."""
        scale, texture = shown.instances.scale[row], shown.instances.texture_scale[row]
        material = int(shown.instances.material[row])
        away = (pose.position - position) @ rotation
        endless = self._shapes.scale[shown.instances.index[row], :2] <= 0.0
        shift = np.zeros(3)
        for axis in np.flatnonzero(endless):
            repeats = material >= 0 and texture[axis] > 0.0
            period = 4.0 * scale[axis] / texture[axis] if repeats else 2.0 * scale[axis] * 2.1 / 198
            shift[axis] = period * np.round(away[axis] / period)
        return rotation @ shift


def _turned_up(axis: Axis) -> np.ndarray:
    """(3, 3) rotation from axes with z up to axes with another one up."""
    if axis == Axis.Y:
        return np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
