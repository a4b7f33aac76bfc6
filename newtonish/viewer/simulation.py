"""A simulation that a viewer works on: real time, pause, steps, going back, reset, keyframes, reload, controls, pushes, numbers.

Nothing here draws. A window advances it by the wall time that has passed; a recorder by the time between two frames.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError, NewtonishError, problem
from newtonish.model.fk import eval_fk
from newtonish.model.sources import title_of
from newtonish.solver.solver_mujoco import SolverMuJoCo
from newtonish.viewer.applied_forces import AppliedForces, mocap_pose, set_mocap_pose
from newtonish.viewer.history import History
from newtonish.viewer.inputs import Inputs, Slider
from newtonish.viewer.joints import JointSlider, joint_sliders, set_joint
from newtonish.viewer.keyframes import to_coordinates, to_keyframe
from newtonish.viewer.loading import build_model, file_of, heard
from newtonish.viewer.physics import PhysicsOption, physics_options, set_option
from newtonish.viewer.realtime import LONGEST, RealTime, faster, slower
from newtonish.viewer.saving import add_keyframe, save_model
from newtonish.viewer.sensors import SensorReading, energy_of, sensor_readings
from newtonish.viewer.timeline import Timeline, arrays_of_moment, restore, take

__all__ = ["Simulation"]


class Simulation:
    """One model in one or many worlds, stepped by a SolverMuJoCo.

    Args:
        source: A file (MJCF, URDF, USD, archive of compiled arrays), its text, a model of ``newtonish.mjcf``, or a finished Model.
        worlds: Copies of what a file holds.
        device: Warp device; None: Warp's current one.
        dt: Time step [s]; None: the model's.
        moments: Most moments to go back to; None: as many as fit into 256 MiB, at most 2000.

    Attributes:
        model: The Newton model.
        solver: Its SolverMuJoCo.
        state: The present state.
        control: Inputs of the next step.
        dt: Time step [s].
        paused: Whether ``advance`` does nothing.
        speed: Simulated seconds a second of wall time.
        world: The world whose numbers are shown.
        replaying: Whether ``advance`` shows again what lies ahead after going back, until the newest moment, where it pauses.
        profiling: Whether ``advance`` measures the stages of a step once a call.
        perturbation: What the mouse does to a body: None, or an object with ``apply(simulation)``, called before every step.
        drive: Called with the simulation before every step, to set controls; None: nothing is.
        history: Series over time: contacts, rows, iterations, step (milliseconds), and those of the stages where profiling is on.
        messages: What importer and solver warned about.
        generation: Number of models loaded so far; who keeps something of a model makes it again when this changes.

    Raises:
        NewtonishError: The model is wrong.
        OSError: The file cannot be read.
    """

    def __init__(self, source: Any, worlds: int = 1, *, device: Any = None, dt: float | None = None, moments: int | None = None) -> None:
        self._source, self._worlds, self._device, self._dt = source, worlds, device, dt
        self.paused, self.speed, self.world, self.profiling, self.replaying = False, 1.0, 0, False, False
        self.perturbation: Any = None
        self.drive: Callable[[Simulation], None] | None = None
        self.history = History()
        self._timeline = Timeline(moments)
        self.generation = 0
        self._load(source)

    def _load(self, source: Any) -> None:
        """Build everything that belongs to a model; only then replace what there is."""
        path = file_of(source)
        stamp = None if path is None else path.stat().st_mtime_ns
        model, messages = build_model(source, self._worlds, self._device)
        with heard(messages):
            solver = SolverMuJoCo(model, skip_visual_only_geoms=False)
        dt = float(solver.compiled.opt.timestep) if self._dt is None else float(self._dt)
        control, state = model.control(), model.state()
        inputs = Inputs(solver, control)
        self._source, self._stamp = source, stamp
        self.model, self.messages, self.solver, self.dt = model, messages, solver, dt
        self.state, self.control, self._inputs = state, control, inputs
        self._applied_forces = AppliedForces()
        self._mocap_start = model.joint_X_p.numpy().copy() if solver.compiled.nmocap else None
        self._control_start = inputs.read()
        self._timer: Any = None
        self.perturbation = None
        self.world = min(self.world, self.worlds - 1)
        self.generation += 1
        solver.push_state(state, control)
        self._options_start = self.physics()
        self._begin()

    def _begin(self) -> None:
        """The present is the first moment there is."""
        self._realtime, self.replaying = RealTime(), False
        self.history.clear()
        self._timeline.clear()
        self.evaluate()

    @property
    def worlds(self) -> int:
        """Number of worlds."""
        return int(self.solver.mjw_data.nworld)

    @property
    def time(self) -> float:
        """Simulated time of the world shown [s]."""
        return float(self.solver.mjw_data.time.numpy()[self.world])

    @property
    def name(self) -> str:
        """Name of the file, with its folder where many are called alike (``aloha/scene.xml``), or ``model``."""
        path = file_of(self._source)
        return "model" if path is None else title_of(path)

    def load(self, source: Any) -> str | None:
        """Show another model from its start; returns None, or what is wrong with it: then the old one goes on."""
        try:
            self._load(source)
        except NewtonishError as error:
            return "\n".join(error.problems or [str(error)])
        except OSError as error:
            return f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return None

    def reload(self) -> str | None:
        """Read the model's file again; as :meth:`load`."""
        if file_of(self._source) is None:
            return problem("reload", "a model that comes from no file", "a model read from a file", "open a file")
        return self.load(self._source)

    @property
    def is_stale(self) -> bool:
        """Whether the file has changed since it was read."""
        path = file_of(self._source)
        try:
            return path is not None and path.stat().st_mtime_ns != self._stamp
        except OSError:  # an editor is replacing it
            return False

    # -- time ---------------------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> int:
        """Simulate what belongs to ``seconds`` of wall time, at ``speed``; nothing while paused.

        What a slow model cannot do in that time is left out: it runs below real time and does not lag behind.

        Returns:
            Number of steps.
        """
        if self.paused:
            self._realtime.rest()
            return 0
        start, began = clock.perf_counter(), self.time
        self._realtime.owed += seconds * self.speed
        if self.replaying:
            return self._replay(seconds)
        budget, count = max(seconds, LONGEST), 0
        while self._realtime.owed >= 0.5 * self.dt:
            self.step()
            count += 1
            self._realtime.owed -= self.dt
            if clock.perf_counter() - start > budget:
                self._realtime.owed = 0.0
                break
        self._realtime.note(max(seconds, clock.perf_counter() - start), self.time - began)
        if self.profiling and count:
            self._look_at_stages()
        return count

    def _replay(self, seconds: float) -> int:
        """Moments that lie ahead, as many as belong to the time."""
        count, began = min(int(self._realtime.owed / self.dt), self.moments[1]), self.time
        if count:
            self.forward(count)
        self._realtime.owed -= count * self.dt
        self._realtime.note(seconds, self.time - began)
        if self._timeline.is_newest:
            self.replaying, self.paused = False, True
        return count

    def run_until(self, time: float) -> None:
        """Step until the world shown has reached a time [s], however long that takes."""
        while self.time < time - 0.5 * self.dt:
            self.step()

    def step(self) -> None:
        """One time step; what lay ahead after going back is forgotten."""
        self.replaying = False
        if not self._timeline.is_newest:
            self.history.cut(self.time)
        self._timeline.leave(take(self._arrays()))
        if self.drive is not None:
            self.drive(self)
        self._applied_forces.begin()
        if self.perturbation is not None:
            self.perturbation.apply(self)
        self._applied_forces.write(self.state, self.time)
        start = clock.perf_counter()
        self.solver.step(self.state, self.state, self.control, None, self.dt)
        wp.synchronize_device(self.model.device)
        seconds = clock.perf_counter() - start
        self.history.add(self.time, step=1e3 * seconds, **self._counts())

    def back(self, steps: int = 1) -> bool:
        """Go back to the state before the last steps; returns whether there was one."""
        self.replaying = False
        return self._move(-steps)

    def forward(self, steps: int = 1) -> bool:
        """Go forward to states that were left by going back; returns whether there was one."""
        return self._move(steps)

    def seek(self, place: int) -> bool:
        """Go to one of the moments that are kept, 0 for the oldest, as :attr:`moments` counts; returns whether that is elsewhere."""
        self.replaying = False
        return self._move(place - self._timeline.place)

    def _move(self, by: int) -> bool:
        arrays = self._arrays()
        moment = self._timeline.move(by, take(arrays))
        if moment is None:
            return False
        restore(arrays, moment)
        self.evaluate()
        return True

    @property
    def moments(self) -> tuple[int, int]:
        """How many moments lie behind and ahead of the present."""
        return self._timeline.place, len(self._timeline) - 1 - self._timeline.place

    def _arrays(self) -> list[Any]:
        return arrays_of_moment(self.model, self.solver, self.state, self.control)

    def evaluate(self) -> None:
        """Contacts, rows, sensors and poses of the present state, without a step; the state stays bit for bit."""
        arrays = self._arrays()
        kept = take(arrays)
        mjw.forward(self.solver.mjw_model, self.solver.mjw_data)
        restore(arrays, kept)

    def slower(self) -> None:
        """The next lower of the speeds in :mod:`newtonish.viewer.realtime`."""
        self.speed = slower(self.speed)

    def faster(self) -> None:
        """The next higher of them."""
        self.speed = faster(self.speed)

    # -- starting over ------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """All worlds to the model's initial values, controls and mocap bodies to theirs; the past is forgotten."""
        if self._mocap_start is not None:
            self.model.joint_X_p.assign(self._mocap_start)
        self.state.assign(self.model.state())
        self.solver.reset(self.state)
        self._inputs.write(self._control_start)
        self._applied_forces.clear()
        self.solver.push_state(self.state, self.control)
        self._begin()

    @property
    def keyframes(self) -> list[str]:
        """Names of the model's keyframes; those without one are called by their number."""
        names = self.solver.compiled.key_names
        return [names[i] or f"keyframe {i}" for i in range(int(self.solver.compiled.nkey))]

    def load_keyframe(self, key: int | str) -> None:
        """All worlds to a keyframe, by its number or name; the past is forgotten.

        Raises:
            ModelError: There is no such keyframe.
        """
        names = self.keyframes
        if key not in (names if isinstance(key, str) else range(len(names))):
            allowed = ", ".join(names) or "none, the model has no keyframes"
            raise ModelError(problem("keyframe", repr(key), allowed, "choose a keyframe of the model"))
        to_keyframe(self.solver, self.state, self._inputs, names.index(key) if isinstance(key, str) else key)
        self._applied_forces.clear()
        self._begin()

    def keep_keyframe(self, name: str = "") -> str:
        """Make the state of the world shown a keyframe of the model; returns its name, without one the next of ``kept 1``, ``kept 2``, ..."""
        taken = self.keyframes
        name = name or next(text for number in range(1, len(taken) + 2) if (text := f"kept {number}") not in taken)
        add_keyframe(self, name)
        return name

    def save_model(self, path: str | PathLike[str]) -> None:
        """Write the world shown as an MJCF file, with changed options, and with its state as the keyframe ``present``.

        Raises:
            UnsupportedError: With everything in the model that MJCF has no words for.
            OSError: The file cannot be written.
        """
        self.keep_keyframe("present")
        save_model(self, path, self._options_start)

    def set_coordinates(self, qpos: np.ndarray, qvel: np.ndarray | None = None) -> None:
        """Put all worlds where MuJoCo's ``qpos`` and ``qvel`` say, (nq,) or (nworld, nq); the past is forgotten."""
        to_coordinates(self.solver, self.state, qpos, qvel)
        self._begin()

    def joints(self) -> list[JointSlider]:
        """Every hinge and slide with its range and where it is in the world shown."""
        return joint_sliders(self.solver, self.world)

    def set_joint(self, index: int, value: float, world: int | None = None) -> None:
        """Put a hinge or slide somewhere, by MuJoCo's number of the joint, in one world or in all."""
        set_joint(self.solver, self.state, self.control, index, value, world)
        self.evaluate()

    def physics(self) -> list[PhysicsOption]:
        """Every option of the physics, as it is in the world shown."""
        return physics_options(self)

    def set_physics(self, name: str, value: Any) -> None:
        """Change an option in all worlds, by a name that :meth:`physics` lists, from the next step on."""
        set_option(self, name, value)

    # -- inputs -------------------------------------------------------------------------------------------------------

    def controls(self) -> list[Slider]:
        """Every control with its range and its value in the world shown."""
        return self._inputs.sliders(self.world)

    def set_control(self, index: int, value: float, world: int | None = None) -> None:
        """Set a control by MuJoCo's number of it, in one world or in all."""
        self._inputs.set(index, value, world)

    @property
    def ctrl(self) -> np.ndarray:
        """All controls, (nworld, nu), under MuJoCo's numbers; a copy. Assign to set them."""
        return self._inputs.read()

    @ctrl.setter
    def ctrl(self, values: np.ndarray) -> None:
        self._inputs.write(np.broadcast_to(np.asarray(values, dtype=np.float64), self._inputs.shape))

    def bodies(self, name: str) -> np.ndarray:
        """The model's bodies of a name, one for each world; the end of a label after a slash will do.

        Raises:
            ModelError: There is no such body.
        """
        labels = [str(label) for label in self.solver.compiled.body_names]
        names = [label.split("/")[-1] for label in labels]
        for known in (labels, names):
            if name in known[1:]:
                return np.asarray(self.solver.compiled.maps.mjc_body)[:, known.index(name, 1)]
        raise ModelError(problem("body", repr(name), ", ".join(names[1:]), "choose one of these"))

    def push(self, body: int | str, force: Any, start: float = 0.0, seconds: float = float("inf")) -> None:
        """Push a body at its centre of mass, from a time on and for a while.

        Args:
            body: Number of one of the model's bodies, or a name for that body in every world.
            force: (3,) force [N], or (6,) force and torque [N, N m], in world axes.
            start: When it begins [s].
            seconds: How long it lasts [s].
        """
        self._applied_forces.add(self.bodies(body) if isinstance(body, str) else int(body), force, start, start + seconds)

    def apply_wrench(self, body: int, wrench: Any) -> None:
        """For perturbations: force and torque (6,) on one of the model's bodies, as :meth:`push`, in the next step only."""
        self._applied_forces.add_now(int(body), wrench)

    def mocap_pose(self, mocap: int, world: int) -> tuple[np.ndarray, np.ndarray]:
        """Position and quaternion (w, x, y, z) of a mocap body, by its number among them."""
        return mocap_pose(self.solver, mocap, world)

    def move_mocap(self, mocap: int, position: Any, quaternion: Any, world: int) -> None:
        """Put a mocap body somewhere; seen at once, also while paused."""
        set_mocap_pose(self.solver, mocap, position, quaternion, world)
        self.refresh()

    def refresh(self) -> None:
        """Body poses of the present coordinates, after something was moved by hand."""
        eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state)

    # -- numbers ------------------------------------------------------------------------------------------------------

    def sensors(self) -> list[SensorReading]:
        """Every sensor with its present values in the world shown."""
        return sensor_readings(self.solver, self.world)

    def statistics(self) -> dict[str, float]:
        """Numbers of the world shown: ``time`` [s], ``real-time factor`` (simulated seconds a second, NaN before it is known),
        ``contacts``, ``rows`` and ``iterations`` of the last step, and ``energy`` (potential and kinetic, [J])."""
        return {"time": self.time, "real-time factor": self._realtime.factor, **self._counts(), "energy": energy_of(self.solver, self.world)}

    def _counts(self) -> dict[str, int]:
        d, w = self.solver.mjw_data, self.world
        return {"contacts": int(d.ncon.numpy()[w]), "rows": int(d.nefc.numpy()[w]), "iterations": int(d.solver_niter.numpy()[w])}

    def _look_at_stages(self) -> None:
        """One measurement of each stage into the history, in milliseconds."""
        if self._timer is None:
            self._timer = mjw.StageTimer(self.solver.mjw_model, self.solver.mjw_data)
        self.history.add(self.time, **{name: 1e3 * seconds for name, seconds in self._timer.measure().items()})

    @property
    def stages(self) -> list[str]:
        """Stages whose times are in the history."""
        return [name for name in self.history.names if name not in ("step", "contacts", "rows", "iterations")]
