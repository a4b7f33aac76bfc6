"""Pictures as arrays: the interface of MuJoCo's Renderer, for worlds of newtonish."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.mjw import Data
from newtonish.mjw.matching import integer
from newtonish.viewer.applied_forces import set_mocap_pose
from newtonish.viewer.keyframes import to_coordinates
from newtonish.viewer.loading import build_model
from newtonish.viewer.scene import Camera, CameraType, Kind, SceneMaker, VisualOptions

__all__ = ["Renderer"]

_LARGEST = 16384


class Renderer:
    """Draws one world of a Data or of Newton's State off screen, as ``mujoco.Renderer`` does.

    Only what the model has is drawn: a window's squares on a plain floor and its sun for a model without lights are not.

    Args:
        source: What ``mjw.load`` was given: path of a file or its text; or a finished Newton Model.
        height, width: Of the pictures [pixels].

    Raises:
        NewtonishError: The model is wrong, or a size is.
        ViewerUnavailable: Pictures cannot be drawn here: no EGL, or no driver of OpenGL 3.3.

    Example:
        >>> m, d = mjw.load("robot.xml", nworld=64)  # doctest: +SKIP
        >>> with Renderer("robot.xml", 240, 320) as renderer:
        ...     renderer.update(d, world=3, camera="front")
        ...     picture = renderer.render()
    """

    def __init__(self, source: Any, height: int = 240, width: int = 320) -> None:
        from newtonish.solver.solver_mujoco import SolverMuJoCo
        from newtonish.viewer.draw import OffscreenRenderer

        for name, value in (("height", height), ("width", width)):
            if integer(f"Renderer: {name}", value, 1) > _LARGEST:
                raise ModelError(problem(f"Renderer: {name}", str(value), f"1 to {_LARGEST}", "draw smaller pictures"))
        model, _ = build_model(_checked(source))
        self._solver = SolverMuJoCo(model, skip_visual_only_geoms=False)
        self._state = model.state()
        self._count = max(1, int(model.world_count))
        self._makers: dict[int, SceneMaker] = {}
        self._scene: Any = None
        self._mode = "color"
        self._drawer = OffscreenRenderer(width, height)

    height = property(lambda self: self._drawer.height, doc="Of the pictures [pixels].")
    width = property(lambda self: self._drawer.width, doc="Of the pictures [pixels].")

    def update(self, d: Any, world: int = 0, camera: str | int | None = None, options: VisualOptions | None = None) -> None:
        """Take over what is to be drawn.

        Args:
            d: A Data of the same model, whose coordinates and mocap poses count; or a State of the Newton Model.
            world: The world that is drawn.
            camera: Name or number of a camera of the model; None or -1: the free camera that the model suggests.
            options: What is shown; None: MuJoCo's defaults.

        Raises:
            ModelError: ``d`` is of another model, or there is no such world or camera.
        """
        if isinstance(d, Data):
            self._take(d, self._world(world, d.nworld))
            shown, state, time = 0, self._state, float(d.time.numpy()[world])
        elif hasattr(d, "body_q"):
            shown, state, time = self._world(world, self._count), d, 0.0
        else:
            allowed = "a newtonish.mjw.Data or a State"
            raise ModelError(problem("Renderer.update: d", f"a {type(d).__name__}", allowed, "pass the data, not the model"))
        maker = self._maker(shown)
        self._scene = maker.make(state, options, self._camera(maker, camera, shown), time=time)

    def render(self) -> np.ndarray:
        """The picture of what ``update`` took: (height, width, 3) uint8 colours, the top row first.

        After :meth:`enable_depth_rendering` (height, width) float32, distances from the camera's plane [m], the far plane's where nothing
        is. After :meth:`enable_segmentation_rendering` (height, width, 2) int32: MuJoCo's number of what is seen and its kind
        (``mjw.ObjType``), -1 and -1 where nothing is.

        Raises:
            ModelError: There was no ``update`` yet.
        """
        if self._scene is None:
            raise ModelError(problem("Renderer.render", "no scene", "a scene that update made", "call update(d) first"))
        self._drawer.draw(self._scene)
        if self._mode == "depth":
            return self._drawer.depth()
        return self._segmentation() if self._mode == "segmentation" else self._drawer.color()

    def enable_depth_rendering(self) -> None:
        """Let ``render`` return distances."""
        self._mode = "depth"

    def disable_depth_rendering(self) -> None:
        """Let ``render`` return colours."""
        self._mode = "color"

    def enable_segmentation_rendering(self) -> None:
        """Let ``render`` return what is seen."""
        self._mode = "segmentation"

    def disable_segmentation_rendering(self) -> None:
        """Let ``render`` return colours."""
        self._mode = "color"

    def close(self) -> None:
        """Release the graphics."""
        self._drawer.close()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, d: Data, world: int) -> None:
        """Put the renderer's own state where one world of a Data is."""
        own = self._solver.mjw_data
        wrong = [size for size in ("nq", "nv", "nbody", "ngeom", "nmocap") if own.sizes[size] != d.sizes[size]]
        if wrong:
            given, allowed = (", ".join(f"{size}={one.sizes[size]}" for size in wrong) for one in (d, own))
            raise ModelError(problem("Renderer.update: d", f"data with {given}", allowed, "pass data of the model that the renderer was made of"))
        for i in range(own.sizes["nmocap"]):
            set_mocap_pose(self._solver, i, d.mocap_pos.numpy()[world, i], d.mocap_quat.numpy()[world, i])
        for name in ("mocap_pos", "mocap_quat"):
            if own.sizes["nmocap"]:
                getattr(own, name).assign(np.repeat(getattr(d, name).numpy()[world : world + 1], own.nworld, axis=0))
        to_coordinates(self._solver, self._state, d.qpos.numpy()[world], None)

    def _world(self, world: int, count: int) -> int:
        if integer("Renderer.update: world", world, 0) >= count:
            raise ModelError(problem("Renderer.update: world", str(world), f"0 to {count - 1}", "choose a world of the data"))
        return world

    def _maker(self, world: int) -> SceneMaker:
        if world not in self._makers:
            places = {"worlds": [world], "offsets": np.zeros((self._count, 3))}
            self._makers = {world: SceneMaker(self._solver.model, self._solver, **places, checker=False, sun=False)}  # what the model has
        return self._makers[world]

    def _camera(self, maker: SceneMaker, camera: str | int | None, world: int) -> Camera:
        if camera is None or camera == -1:
            return maker.free_camera()
        return Camera(type=CameraType.FIXED, fixed=camera, world=world)

    def _segmentation(self) -> np.ndarray:
        """Kinds and numbers, the number first, as in MuJoCo's Renderer; shapes under MuJoCo's numbers of geoms and sites."""
        seen = self._drawer.segmentation()
        kind, number = seen[..., 0], seen[..., 1].copy()
        maps = self._solver.compiled.maps
        for one, numbers in ((Kind.GEOM, maps.shape_to_geom), (Kind.SITE, maps.shape_to_site)):
            place = kind == one
            number[place] = np.asarray(numbers)[number[place]]
        return np.stack([number, kind], axis=-1).astype(np.int32)


def _checked(source: Any) -> Any:
    """An array-level model has no meshes' pictures, materials or names of files in it."""
    from newtonish.mjw import Model

    if isinstance(source, Model):
        allowed = "the path or text that mjw.load was given, or a finished Newton Model"
        raise ModelError(problem("Renderer: source", "a newtonish.mjw.Model", allowed, "pass what the model was loaded from; update takes its data"))
    return source
