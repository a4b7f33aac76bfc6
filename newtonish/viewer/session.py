"""What a window works on: a simulation with a camera, a selection and choices of what is shown, and the commands that change them.

Nothing here draws or knows of windows, so that all of it can be driven by tests and by other windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.errors import NewtonishError
from newtonish.viewer.input_map import command_of, drag_action
from newtonish.viewer.logged import LoggedPicture
from newtonish.viewer.scene import (
    Camera,
    CameraType,
    Frame,
    Label,
    Marks,
    Mouse,
    PerturbBit,
    Scene,
    SceneMaker,
    VisualOptions,
    pick,
)  # fmt: skip
from newtonish.viewer.scene.picking import Picked
from newtonish.viewer.scene.posing import set_pose
from newtonish.viewer.script_panel import ScriptPanel
from newtonish.viewer.selection import SelectedBody
from newtonish.viewer.simulation import Simulation
from newtonish.viewer.watching import Watches

__all__ = ["Panels", "Session"]

WHEEL = 0.05
"""Heights of the window that the mouse would move for one step of the wheel."""


@dataclass
class Panels:
    """Which panels are open."""

    left: bool = True
    right: bool = True
    info: bool = True
    help: bool = False
    profiler: bool = False
    sensors: bool = False
    physics: bool = False
    gains: bool = False
    watch: bool = False
    timeline: bool = True


class Session:
    """The user's side of a simulation.

    Args:
        simulation: A :class:`Simulation`, or something with its attributes.
        offsets: (worlds, 3) where worlds are drawn [m]; None: on a grid.

    Attributes:
        simulation: As given.
        maker: Makes its scenes.
        camera: The camera's position.
        options: What is shown.
        grip: The selected body and how it is pushed.
        panels: Which panels are open.
        watches: What the watch panel shows.
        script_panels: Panels of the script's own.
        message: What went wrong last; empty: nothing. Shown until it is put away.
        note: A short line about what was done last.
        shadows, wireframe, reflections: How it is drawn; reflections None: as the window can.
        scene: The last scene that was made.
        marks, pictures, scalars: What a script has logged: what is drawn in the scene, and by name pictures and numbers.
    """

    def __init__(self, simulation: Any, offsets: Any = None) -> None:
        self.options, self.panels, self.watches = VisualOptions(), Panels(), Watches()
        self.script_panels: list[ScriptPanel] = []
        self.shadows, self.wireframe = True, False
        self.reflections: bool | None = None
        self.message, self.note = "", ""
        self._gain_rows: tuple[int, list[Any]] | None = None
        self.simulation, self._offsets = simulation, offsets
        self.scene: Scene | None = None
        self.marks = Marks()
        self.pictures: dict[str, LoggedPicture] = {}
        self.scalars: dict[str, float] = {}
        self.aspect = 4 / 3
        self._camera_place = -1
        self._adopt(keep_camera=False)

    def _adopt(self, keep_camera: bool) -> None:
        """Take over the simulation's model, which may be a new one."""
        sim = self.simulation
        self.generation = sim.generation
        self.maker = SceneMaker(sim.model, sim.solver, offsets=self._offsets)
        if not keep_camera or self.camera.type != CameraType.FREE:
            self.camera = self.maker.free_camera()
            self._camera_place = -1
        self.selection = SelectedBody(self)
        sim.perturbation = self.selection
        self._next_key = 0

    def offsets(self, offsets: Any) -> None:
        """Draw worlds elsewhere: (worlds, 3) [m]; None: on a grid."""
        self._offsets = offsets
        self._adopt(keep_camera=True)

    def update(self) -> Scene:
        """The scene of the present state."""
        sim = self.simulation
        if sim.generation != self.generation:
            self._adopt(keep_camera=True)
        if sim.paused and self.selection.hand.active and set_pose(self.maker, sim.state, self.selection.hand, True):
            sim.refresh()
        contacts = getattr(sim, "contacts", None)
        self.scene = self.maker.make(sim.state, self.options, self.camera, self.selection.hand, time=sim.time, contacts=contacts, marks=self.marks)
        return self.scene

    # -- commands -----------------------------------------------------------------------------------------------------

    def command(self, key: str, modifiers: frozenset[str]) -> str:
        """Do what a key means; returns a command that only a window can carry out, or an empty text."""
        name, argument = command_of(key, modifiers)
        if not name:
            return ""
        action = getattr(self, name, None)
        if action is None:
            return name
        action(*(() if argument is None else (argument,)))
        return ""

    def pause(self) -> None:
        """Stand still, or go on."""
        self.simulation.paused = not self.simulation.paused

    def step(self, count: int = 1) -> None:
        """Some steps forward, along what was left by going back if there is such."""
        sim = self.simulation
        sim.paused = True
        for _ in range(count):
            if not sim.forward():
                sim.step()

    def step_many(self) -> None:
        """Twenty of them."""
        self.step(20)

    def back(self, count: int = 1) -> None:
        """Some steps back."""
        self.simulation.paused = True
        if not self.simulation.back(min(count, max(self.simulation.moments[0], 1))):
            self.note = "there is nothing further back"

    def back_many(self) -> None:
        """Twenty of them."""
        self.back(20)

    def seek(self, place: int) -> None:
        """Stand still at one of the moments that are kept, 0 for the oldest."""
        self.simulation.paused = True
        self.simulation.seek(place)

    def first(self) -> None:
        """Stand still at the oldest moment that is kept."""
        self.seek(0)

    def last(self) -> None:
        """Stand still at the newest."""
        self.seek(sum(self.simulation.moments))

    def play(self) -> None:
        """Show again what lies ahead, from the oldest moment on where nothing does; or stand still if that is going on."""
        sim = self.simulation
        if not sum(sim.moments):
            self.note = "nothing has happened yet"
        elif isinstance(sim, Simulation):
            standing = sim.paused or not sim.replaying
            if standing and not sim.moments[1]:
                sim.seek(0)
            sim.paused, sim.replaying = not standing, True
        else:
            self.pause()

    def reset(self) -> None:
        """Start over."""
        self.simulation.reset()
        self.note = "reset"

    def next_keyframe(self) -> None:
        """Load the model's next keyframe."""
        names = self.simulation.keyframes
        if not names:
            self.note = "the model has no keyframes"
            return
        self.keyframe(self._next_key % len(names))

    def keyframe(self, number: int) -> None:
        """Load a keyframe by its number."""
        self.simulation.load_keyframe(number)
        self.note = f"keyframe {self.simulation.keyframes[number]}"
        self._next_key = number + 1

    def keep_keyframe(self) -> None:
        """Make the present state a keyframe of the model."""
        if not isinstance(self.simulation, Simulation):
            self.note = "only a simulation has keyframes to add to"
            return
        self.note = f"kept as keyframe '{self.simulation.keep_keyframe()}'"

    def save_model(self) -> None:
        """Write the model, with its present state as a keyframe, into the next free file of the working directory."""
        if not isinstance(self.simulation, Simulation):
            self.note = "only a simulation has a model to save"
            return
        stem, number = Path(self.simulation.name).stem, 1
        while (path := Path(f"{stem}_{number:03d}.xml")).exists():
            number += 1
        try:
            self.simulation.save_model(path)
        except OSError as error:
            self.message = f"{path}: {error.strerror or error}"
        else:
            self.note = f"saved {path}"

    def slower(self) -> None:
        """Slow motion."""
        self.simulation.slower()

    def faster(self) -> None:
        """Quick motion."""
        self.simulation.faster()

    def reload(self) -> None:
        """Read the file again; what is wrong with it is shown while the old model goes on."""
        self._heard(self.simulation.reload(), "read again")

    def open(self, path: str) -> None:
        """Show another file."""
        self._heard(self.simulation.load(path), f"opened {path}")

    def _heard(self, error: str | None, note: str) -> None:
        self.message, self.note = (error, "") if error else ("", note)

    def next_world(self) -> None:
        """Show the numbers of the next world."""
        sim = self.simulation
        sim.world = (sim.world + 1) % sim.worlds

    def flag(self, name: str) -> None:
        """Switch something that is shown."""
        self.note = f"{name} {'on' if self.options.toggle(name) else 'off'}"

    def group(self, kind: str, number: int) -> None:
        """Switch a group of geoms, sites, joints, tendons, actuators or skins."""
        groups = getattr(self.options, f"{kind}group")
        groups[number] = not groups[number]

    def geom_group(self, number: int) -> None:
        """Switch a group of geoms."""
        self.group("geom", number)

    def site_group(self, number: int) -> None:
        """Switch a group of sites."""
        self.group("site", number)

    def next_frame(self) -> None:
        """Show the coordinate frames of the next kind of things."""
        kinds = list(Frame)
        self.options.frame = kinds[(kinds.index(self.options.frame) + 1) % len(kinds)]
        self.note = f"frames: {self.options.frame.name.lower()}"

    def next_label(self) -> None:
        """Label the next kind of things."""
        kinds = list(Label)
        self.options.label = kinds[(kinds.index(self.options.label) + 1) % len(kinds)]
        self.note = f"labels: {self.options.label.name.lower()}"

    def toggle_shadows(self) -> None:
        """Draw with shadows, or without."""
        self.shadows = not self.shadows
        self.note = f"shadows {'on' if self.shadows else 'off'}"

    def toggle_wireframe(self) -> None:
        """Draw edges only, or whole surfaces."""
        self.wireframe = not self.wireframe
        self.note = f"wireframe {'on' if self.wireframe else 'off'}"

    def toggle_reflections(self) -> None:
        """Let materials with reflectance mirror, or not."""
        self.reflections = not self.reflections
        self.note = f"reflections {'on' if self.reflections else 'off'}"

    def help(self) -> None:
        """Show or hide the help."""
        self.panels.help = not self.panels.help

    def info(self) -> None:
        """Show or hide the numbers."""
        self.panels.info = not self.panels.info

    def profiler(self) -> None:
        """Show or hide the plots; stages are only measured while they are shown."""
        self.panels.profiler = not self.panels.profiler
        self.simulation.profiling = self.panels.profiler

    def sensors(self) -> None:
        """Show or hide the sensors."""
        self.panels.sensors = not self.panels.sensors

    def physics(self) -> None:
        """Show or hide the options of the physics."""
        self.panels.physics = not self.panels.physics

    def gains(self) -> None:
        """Show or hide what the model's gains come to, as authored and in its first keyframe or reference pose."""
        self.panels.gains = not self.panels.gains

    def watch(self) -> None:
        """Show or hide the fields that are watched."""
        self.panels.watch = not self.panels.watch
        self.watches.entry = None

    def timeline(self) -> None:
        """Show or hide the moments that are kept."""
        self.panels.timeline = not self.panels.timeline

    def gain_rows(self) -> list[Any] | None:
        """Rows of the gains panel, worked out once for each model; None of a script's simulation or a recording."""
        generation = self.simulation.generation
        if self._gain_rows is None or self._gain_rows[0] != generation:
            compiled = getattr(getattr(self.simulation, "solver", None), "compiled", None)
            if compiled is None:
                return None
            from newtonish.tuning import diagnose

            self._gain_rows = generation, list(diagnose(compiled))
        return self._gain_rows[1]

    def left_panel(self) -> None:
        """Show or hide what is at the left."""
        self.panels.left = not self.panels.left

    def right_panel(self) -> None:
        """Show or hide what is at the right."""
        self.panels.right = not self.panels.right

    # -- cameras ------------------------------------------------------------------------------------------------------

    def next_camera(self, by: int = 1) -> None:
        """The model's next camera; after the last comes the free one."""
        names = self.maker.camera_names()
        place = (self._camera_place + 1 + by) % (len(names) + 1) - 1
        self._camera_place = place
        if place < 0:
            self.free_camera()
        else:
            self.camera = Camera.of_model(place, self.simulation.world)
            self.note = f"camera {names[place] or place}"

    def take_camera(self, camera: Camera) -> None:
        """Look through a camera, the model's or one of one's own."""
        self.maker.camera_pose(camera, self.simulation.state)  # says so where there is no such camera
        self.camera = camera
        names = self.maker.camera_names()
        place = camera.fixed if camera.type == CameraType.FIXED else -1
        self._camera_place = names.index(place) if isinstance(place, str) else int(place)

    def previous_camera(self) -> None:
        """The one before."""
        self.next_camera(-1)

    def free_camera(self) -> None:
        """Let the mouse move the camera, from where it is; puts the message away."""
        self.message = ""
        if self.camera.type == CameraType.TRACKING:
            self.camera = Camera(lookat=np.array(self.camera.lookat), distance=self.camera.distance, azimuth=self.camera.azimuth,
                                 elevation=self.camera.elevation)  # fmt: skip
        elif self.camera.type == CameraType.FIXED:
            self.camera = self.maker.free_camera()
        self._camera_place = -1
        self.note = "free camera"

    def align(self) -> None:
        """Show the whole model."""
        self.camera = self.maker.free_camera()
        self._camera_place = -1

    # -- mouse --------------------------------------------------------------------------------------------------------

    def look(self, x: float, y: float, button: str, modifiers: frozenset[str]) -> None:
        """A double click at fractions of the picture, from the left and the top."""
        if self.scene is None:
            return
        found = pick(self.scene, self.scene.camera, x, 1 - y, self.aspect)
        if button == "left":
            self.select(found)
        elif button == "right" and found is not None:
            if "ctrl" in modifiers and found.body >= 0:
                self.camera = Camera.tracking(found.body, distance=self.camera.distance, azimuth=self.camera.azimuth,
                                              elevation=self.camera.elevation)  # fmt: skip
                self.note = "the camera follows"
            else:
                self.free_camera()
                self.camera.lookat = np.array(found.point, float)

    def select(self, found: Picked | None) -> None:
        """Select the body that was found under the mouse; None selects none."""
        body = -1 if found is None else found.body
        self.selection.hand.select(self.maker, self.simulation.state, body, None if found is None else found.point)
        self.note = f"selected {self.selected_name()}" if body >= 0 else "nothing selected"

    def selected_name(self) -> str:
        """Name of the selected body."""
        body = self.selection.hand.body
        return "" if body < 0 else str(self.simulation.model.body_label[body]).split("/")[-1]

    def select_parent(self) -> None:
        """Select the body that the selected one is attached to."""
        model, hand = self.simulation.model, self.selection.hand
        if hand.body < 0:
            return
        joints = np.flatnonzero(model.joint_child.numpy() == hand.body)
        parent = int(model.joint_parent.numpy()[joints[0]]) if len(joints) else -1
        hand.select(self.maker, self.simulation.state, parent)
        self.note = f"selected {self.selected_name()}" if parent >= 0 else "nothing selected"

    def may_push(self) -> bool:
        """Whether bodies can be pushed here; says so where they cannot."""
        if hasattr(self.simulation, "apply_wrench"):
            return True
        self.note = "a recording cannot be pushed"
        return False

    def drag(self, dx: float, dy: float, button: str, modifiers: frozenset[str]) -> None:
        """The mouse moved with a button held; in heights of the window, right and down."""
        if self.scene is None:
            return
        action, bits = drag_action(button, modifiers, self.selection.hand.body >= 0)
        hand, pose, state = self.selection.hand, self.scene.camera, self.simulation.state
        if bits:
            if not self.may_push():
                return
            if hand.active != bits:
                hand.start(self.maker, state, pose, PerturbBit(bits))
            hand.move(self.maker, state, action, dx, dy, pose)
            return
        if hand.active:
            return  # the key was let go before the button
        if self.camera.type == CameraType.FIXED:
            self.note = "this camera belongs to the model: Esc takes the free one"
        self.maker.move_camera(self.camera, action, dx, dy, pose)

    def release(self) -> None:
        """Let go of the body."""
        self.selection.hand.stop()

    def scroll(self, steps: float) -> None:
        """Come nearer or go away."""
        if self.scene is not None:
            self.maker.move_camera(self.camera, Mouse.ZOOM, 0.0, WHEEL * steps, self.scene.camera)

    def try_to(self, action: Any, *arguments: Any) -> Any:
        """Call something; an error of ours becomes the message instead of the window's end."""
        try:
            return action(*arguments)
        except NewtonishError as error:
            self.message = "\n".join(error.problems or [str(error)])
            return None
