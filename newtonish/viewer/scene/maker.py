"""SceneMaker: a model and a state become a scene."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.errors import ModelError, problem
from newtonish.model.enums import Axis
from newtonish.viewer.scene.arrays import Instances, Scene, TextLabel
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera import Camera
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.decor import Draft, add_decor, needs_evaluation
from newtonish.viewer.scene.enums import Category, Kind, Label
from newtonish.viewer.scene.evaluation import Evaluation
from newtonish.viewer.scene.grid import grid_offsets
from newtonish.viewer.scene.library import Library
from newtonish.viewer.scene.lights import Lights
from newtonish.viewer.scene.marks import Marks
from newtonish.viewer.scene.materials import read_looks
from newtonish.viewer.scene.options import VisualOptions
from newtonish.viewer.scene.rotations import from_wxyz
from newtonish.viewer.scene.shapes import Shapes
from newtonish.viewer.scene.skins import Skins
from newtonish.viewer.scene.tables import read_tables
from newtonish.viewer.scene.viewpoints import Viewpoints
from newtonish.viewer.scene.visual import read_visual

__all__ = ["SceneMaker"]


class SceneMaker(Viewpoints):
    """Makes scenes of one model; what does not change is found out once, so that a frame is a few operations on arrays.

    Args:
        model: Newton's model.
        solver: The solver that simulates it, for what only it knows: contacts and forces, tendons' paths, sensors. None: those
            are not drawn.
        offsets: (worlds, 3) where the origin of each world is drawn [m]; None: on a grid, wide enough that they do not touch.
        worlds: Which worlds are drawn; None: all.
        checker: Whether a ground without a material gets squares, so that one sees how things move over it.
        sun: Whether a model without lights gets one from above, which throws shadows.

    Attributes:
        offsets: (worlds, 3) [m]; may be changed.
        visual: What the model says about how it wants to be viewed.
        extent: Size of one world [m].
        center: Its middle.
    """

    def __init__(self, model: Any, solver: Any = None, *, offsets: Any = None, worlds: Any = None, checker: bool = True, sun: bool = True) -> None:
        self.model, self.solver = model, solver
        self.world_count = max(1, int(model.world_count))
        self.visual = read_visual(model)
        self.tables = read_tables(model)
        self.body_world = np.asarray(model.body_world.numpy() if model.body_count else np.zeros(0, dtype=np.int32))
        self.body_com = np.asarray(model.body_com.numpy() if model.body_count else np.zeros((0, 3), dtype=np.float32))
        stat = None if self.tables is None else self.tables.stat
        self.extent = float(stat.extent) if stat else 2.0
        self.center = np.asarray(stat.center if stat else np.zeros(3), dtype=np.float64)
        self.mean_size = float(stat.meansize) if stat else 0.2
        self.mean_mass = float(stat.meanmass) if stat else 1.0
        self.up = None if Axis(int(model.up_axis)) == Axis.Z else _turned_up(Axis(int(model.up_axis)))
        self.offsets = grid_offsets(self.world_count, 2.2 * self.extent, self.up) if offsets is None else self._given(offsets)
        shown = np.zeros(self.world_count, dtype=bool)
        shown[slice(None) if worlds is None else np.asarray(worlds, dtype=np.int64)] = True
        self._shown = np.flatnonzero(shown)
        self.library = Library()
        self._looks = read_looks(model, self.tables)
        self._lights = Lights(model, self.tables, self.visual, self.extent, self.up, sun, self.center)
        self._skins = Skins(model, self.library, shown, float(self.visual.map.alpha))
        reach = float(self.visual.map.zfar * self.extent)
        self._shapes = Shapes(model, self.tables, self.library, self._looks, self._static(), reach, float(self.visual.map.alpha), shown, checker)
        self._layout, self._layout_key, self._decorated = 0, None, False
        self.evaluation = Evaluation(solver) if hasattr(solver, "mjw_data") else None

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

    # -- bodies -------------------------------------------------------------------------------------------------------

    def bodies(self, state: Any) -> Bodies:
        """Where the bodies of a state are drawn."""
        return Bodies(self.tables, state, self.offsets, self.body_world)

    def inertial_quat(self, body: int) -> np.ndarray:
        """(4,) w x y z, how the principal axes of a body's inertia are turned in it."""
        return np.array([1.0, 0.0, 0.0, 0.0]) if self.tables is None else self._of_body("body_iquat", body).astype(float)

    def rotational_inertia(self, body: int) -> float:
        """Mean moment of inertia with which a body answers to torques at the reference pose [kg m^2]; 1 for what cannot turn."""
        weight = 0.0 if self.tables is None else float(self._of_body("body_invweight0", body)[1])
        return 1.0 / max(MINVAL, weight) if weight else 1.0

    def is_mocap(self, body: int) -> bool:
        """Whether a body is moved directly."""
        return self.tables is not None and int(self.tables.body_mocapid[self.tables.maps.body_to_mjc[body]]) >= 0

    def box_of(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """Centre and half sizes of the box around what collides on a body, in its principal axes; of mean size where there is nothing."""
        t = self.tables
        geoms = np.flatnonzero((t.geom_bodyid == t.maps.body_to_mjc[body]) & ((t.geom_contype | t.geom_conaffinity) > 0))
        if not len(geoms):
            return np.zeros(3), np.full(3, self.mean_size)
        world = max(int(self.body_world[body]), 0)
        position, quaternion, box = (t.worlds(name)[world if len(t.worlds(name)) > 1 else 0, geoms] for name in ("geom_pos", "geom_quat", "geom_aabb"))
        own = from_wxyz(self.inertial_quat(body)[None])[0]
        turned = np.matmul(own.T, from_wxyz(quaternion))
        center = (position - self.body_com[body]) @ own + np.matmul(turned, box[:, :3, None])[..., 0]
        half = np.matmul(np.abs(turned), box[:, 3:, None])[..., 0]
        low, high = (center - half).min(axis=0), (center + half).max(axis=0)
        return 0.5 * (low + high), 0.5 * (high - low)

    def drawn_shapes(self, shapes: np.ndarray) -> np.ndarray:
        """Whether shapes, of any array of their numbers, are not wholly transparent; false for -1."""
        return (shapes >= 0) & (self._shapes.color[np.maximum(shapes, 0), 3] > 0.0)

    def tendon_looks(self) -> tuple[np.ndarray, np.ndarray]:
        """Materials (tendons,) of the scene's tendons, -1 for none, and their colours (tendons, 4)."""
        return self._looks.tendon_material, self._looks.tendon_color

    def _of_body(self, name: str, body: int) -> np.ndarray:
        """A field of MuJoCo's bodies for one of the model's."""
        field, world = self.tables.worlds(name), max(int(self.body_world[body]), 0)
        return field[world if len(field) > 1 else 0, int(self.tables.maps.body_to_mjc[body])]

    # -- scenes -------------------------------------------------------------------------------------------------------

    def make(
        self,
        state: Any,
        options: VisualOptions | None = None,
        camera: Camera | None = None,
        perturbation: Any = None,
        time: float = 0.0,
        contacts: Any = None,
        marks: Marks | None = None,
    ) -> Scene:
        """The scene of a state.

        Args:
            state: Newton's state; ``body_q`` says where bodies are.
            options: What is shown; None: MuJoCo's defaults.
            camera: From where; None: :meth:`free_camera`.
            perturbation: The selected body and how it is dragged.
            time: Of the state [s], for display.
            contacts: Contacts in Newton's layout, drawn where there is no solver.
            marks: What a script has logged beside the model.
        """
        options = VisualOptions() if options is None else options
        bodies = self.bodies(state)
        pose = self._pose(self.free_camera() if camera is None else camera, bodies)
        draft = self._decorate(options, bodies, state, pose, perturbation, contacts)
        instances = self._instances(options, bodies, pose, perturbation, draft, marks)
        visual = self.visual
        return Scene(
            library=self.library.entries,
            textures=self._looks.textures,
            materials=self._looks.materials,
            instances=instances,
            lights=self._lights.make(bodies, pose, self._shown),
            labels=[*([] if draft is None else draft.labels), *self._shape_labels(options, instances)],
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
            decor_from=int(np.count_nonzero(instances.category != Category.DECOR)),
        )

    def _decorate(self, options: VisualOptions, bodies: Bodies, state: Any, pose: CameraPose, perturbation: Any, contacts: Any) -> Draft | None:
        """Everything beside the shapes; None where the model cannot be converted."""
        if self.tables is None or not len(self._shown):
            return None
        found = self.evaluation
        evaluated = found is not None and needs_evaluation(options, found)
        if evaluated:
            found.update(state)
        draft = Draft(options, self.visual, self.tables, bodies, found if evaluated else None, state, pose, perturbation, self.mean_size,
                      self.mean_mass, self.extent, self._shown, self, contacts)  # fmt: skip
        add_decor(draft, evaluated)
        return draft

    def _instances(
        self, options: VisualOptions, bodies: Bodies, pose: CameraPose, perturbation: Any, draft: Draft | None, marks: Marks | None
    ) -> Instances:  # fmt: skip
        """Shapes where they are in this state, then decor and marks."""
        shown = self._shapes.choose(options)
        selected = -1 if perturbation is None else int(perturbation.body)
        skins = self._skins.place(options, bodies, self._looks)
        parts = [] if draft is None else sorted(draft.parts, key=lambda part: int(part.category[0]))
        key = (id(shown), self.offsets.tobytes(), selected)
        parts = parts if skins is None else [skins, *parts]
        parts += [] if marks is None else marks.parts(self.library)
        if key != self._layout_key or parts or self._decorated:
            self._layout += 1
        self._decorated = bool(parts)
        if key != self._layout_key:
            self._layout_key = key
            world = shown.instances.world
            self._origin = np.where(world[:, None] >= 0, self.offsets[np.maximum(world, 0)], 0.0).astype(np.float32)
            self._glow = (self.visual.global_.glow * ((shown.instances.body == selected) & (selected >= 0))).astype(np.float32)
        position, rotation = shown.place(bodies.position, bodies.rotation, self._origin)
        for row in shown.endless.tolist():
            position[row] += self._follow(shown, row, position[row], rotation[row], pose)
        shapes = replace(shown.instances, position=position, rotation=rotation, glow=self._glow)
        return Instances.join([shapes, *parts], self._layout)

    def _shape_labels(self, options: VisualOptions, instances: Instances) -> list[TextLabel]:
        """Names of geoms or sites, where they are labelled."""
        kind = {Label.GEOM: Kind.GEOM, Label.SITE: Kind.SITE}.get(options.label)
        rows = [] if kind is None else np.flatnonzero(instances.kind == kind).tolist()
        return [TextLabel(self.model.shape_label[instances.index[row]], instances.position[row]) for row in rows]

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
