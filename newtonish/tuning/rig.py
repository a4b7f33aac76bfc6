"""Test rig: candidates under scenarios as worlds, one joint under test in each; the base is held, contacts are off.

Every test starts at rest with the drives commanded so that they hold the pose, the joint's sag included: what is measured is the
answer to the test and not a fall at its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.common.enums import DisableBit, JointType
from newtonish.tuning.figures import impact_figures, sine_figures, step_figures
from newtonish.tuning.mechanics import Mechanics
from newtonish.tuning.scenarios import Scenario, carrier, start_of
from newtonish.tuning.targets import Target, find_drives

__all__ = ["Motion", "Rig"]

HELD = 1.0e4
"""Armature of free joints in masses of the model, so that bases stay where they are. With 100 times as much MuJoCo's solver stops early."""

_BLOCK = 25
"""Samples between two looks from the host."""


@dataclass(frozen=True)
class Motion:
    """How a test is run.

    Attributes:
        test: ``step``, ``sine`` or ``impact``.
        seconds: Length.
        size: Step or amplitude [rad]; of slides and short ranges less, a fifth of the range at most.
        frequency: Of a sine [Hz].
        speed: Of an impact [rad/s or m/s].
        samples: Recorded, about.
    """

    test: str
    seconds: float
    size: float
    frequency: float
    speed: float
    samples: int = 150


class Rig:
    """Worlds in the order (target, candidate, scenario).

    Args:
        compiled: The model.
        targets: Joints under test.
        scenarios: Poses and payloads.
        candidates: Number of gains tried at once for each target.
        motion: The test.
        payload_body: Body that carries the payload; None: the end of each joint's chain.
        device: Warp device.
    """

    def __init__(
        self, compiled: Any, targets: Sequence[Target], scenarios: Sequence[Scenario], candidates: int, motion: Motion,
        payload_body: int | None = None, device: Any = "cpu",
    ) -> None:  # fmt: skip
        self.targets, self.scenarios, self.motion = list(targets), list(scenarios), motion
        self.shape = len(targets), candidates, len(scenarios)
        self.worlds = int(np.prod(self.shape))
        self.compiled = _bare(compiled)
        self.m = mjw.put_model(self.compiled, device=device, strict=False)
        self.d = mjw.make_data(self.m, nworld=self.worlds)
        self.timestep = float(np.ravel(compiled.opt.timestep)[0])
        self._of = np.repeat(np.arange(len(targets)), candidates * len(scenarios))
        self._scenario = np.tile(np.arange(len(scenarios)), len(targets) * candidates)
        self.drives = find_drives(self.compiled)
        self._load(compiled, payload_body)
        self._place()

    def _load(self, compiled: Any, payload_body: int | None) -> None:
        """Give each world its payload, and its own gains to write to."""
        mass = np.repeat(np.asarray(compiled.body_mass, dtype=np.float32)[None], self.worlds, axis=0)
        carriers = np.array([carrier(compiled, target.joint) if payload_body is None else payload_body for target in self.targets])
        payload = np.array([scenario.payload for scenario in self.scenarios])
        if payload.any():
            mass[np.arange(self.worlds), carriers[self._of]] += payload[self._scenario]
            self.m.body_mass = mass
            mjw.set_const(self.m, self.d)
        self._hold()
        for name in ("actuator_gainprm", "actuator_biasprm", "jnt_solref"):
            array = getattr(self.m, name)
            if array.size:
                setattr(self.m, name, np.repeat(array.numpy()[:1], self.worlds, axis=0))
        if self.targets[0].kind == "limit":
            self._slacken()

    def _hold(self) -> None:
        """Hold free joints by an armature; constants of the reference pose stay those of the free robot."""
        armature = self.m.dof_armature.numpy().copy()
        for joint in np.flatnonzero(np.asarray(self.compiled.jnt_type) == JointType.FREE).tolist():
            first = int(self.compiled.jnt_dofadr[joint])
            armature[:, first : first + 6] = HELD * float(np.sum(self.compiled.body_mass))
        self.m.dof_armature.assign(armature)

    def _slacken(self) -> None:
        """Switch off the drives of joints whose limit is tested."""
        joints = np.array([target.joint for target in self.targets])[self._of]
        for name in ("actuator_gainprm", "actuator_biasprm"):
            values = getattr(self.m, name).numpy().copy()
            for drive in self.drives:
                values[np.ix_(joints == drive.joint, sorted({drive.stiffener, drive.damper}))] = 0.0
            getattr(self.m, name).assign(values)

    def _place(self) -> None:
        """Poses and steps of all worlds, and the forces that hold them."""
        self.start = np.zeros(self.worlds)
        self.way = np.zeros(self.worlds)
        qpos = np.stack([self.scenarios[s].qpos for s in self._scenario])
        for w, (t, s) in enumerate(zip(self._of, self._scenario, strict=True)):
            target = self.targets[t]
            size = self.motion.size
            if np.isfinite(target.high - target.low):
                size = min(size, 0.2 * (target.high - target.low))
            self.start[w], self.way[w] = start_of(target, self.scenarios[s], size)
            if target.kind == "limit":
                upper = self.scenarios[s].direction > 0
                self.start[w], self.way[w] = (target.high, 1.0) if upper else (target.low, -1.0)
            qpos[w, target.qpos] = self.start[w]
            if target.kind == "limit":  # half a step before it, as rounding would decide whether it has been reached
                qpos[w, target.qpos] -= 0.5 * self.way[w] * self.motion.speed * self.timestep
        self.qpos = qpos.astype(np.float32)
        mjw.reset_data(self.m, self.d)
        self.d.qpos.assign(self.qpos)
        mjw.forward(self.m, self.d)
        self.load = (self.d.qfrc_bias.numpy() - self.d.qfrc_passive.numpy()).astype(float)
        self.mechanics = Mechanics.of(self.compiled, self.m, self.d)

    def inertia(self, target: int) -> np.ndarray:
        """What a joint moves with all others held, in each scenario [kg or kg m^2]."""
        first = target * self.shape[1] * self.shape[2]
        return np.array([self.mechanics.held_inertia(first + s, self.targets[target].dof) for s in range(self.shape[2])])

    def held(self, target: int) -> np.ndarray:
        """Force that holds a joint against gravity in each scenario [N or N m]."""
        first = target * self.shape[1] * self.shape[2]
        return self.load[first : first + self.shape[2], self.targets[target].dof]

    def run(self, candidates: np.ndarray, others: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Test candidates.

        Args:
            candidates: Two numbers of each target, (targets, candidates, 2).
            others: What they have where another one is under test, (targets, 2).

        Returns:
            Figures (targets, candidates, scenarios), and courses: ``times`` (samples,), ``q`` and ``force`` (samples, targets, candidates, scenarios).
        """
        self._write(candidates, others)
        mjw.reset_data(self.m, self.d)
        self.d.qpos.assign(self.qpos)
        base, unit = self._commands()
        if self.motion.test == "impact":
            self._launch()
        times, q, v, force, command = self._record(base, unit)
        if self.motion.test == "step":
            figures = step_figures(times, q, v, force, self.way, command[-1])
        elif self.motion.test == "sine":
            figures = sine_figures(times, q, v, force, command)
        else:
            figures = impact_figures(times, q, v, force, self.start, self.way * self.motion.speed)
        broken = self.d.nonfinite.numpy().reshape(self.worlds) > 0
        shaped = {name: np.where(broken, np.inf, values).reshape(self.shape) for name, values in figures.items()}
        courses = {"times": times, "q": q.reshape(-1, *self.shape), "force": force.reshape(-1, *self.shape), "command": command.reshape(-1, *self.shape)}
        courses["way"] = self.way.reshape(1, *self.shape)
        return shaped, courses

    def _write(self, candidates: np.ndarray, others: np.ndarray) -> None:
        limits = self.targets[0].kind == "limit"
        names = ("jnt_solref",) if limits else ("actuator_gainprm", "actuator_biasprm")
        arrays = {name: getattr(self.m, name).numpy().copy() for name in names}
        nt, nc, ns = self.shape
        for t, target in enumerate(self.targets):
            values = np.broadcast_to(others[t], (nt, nc, ns, 2)).copy()
            values[t] = candidates[t][:, None]
            target.write(arrays, slice(None), values.reshape(-1, 2))
        for name, array in arrays.items():
            getattr(self.m, name).assign(array)

    def _commands(self) -> tuple[np.ndarray, np.ndarray]:
        """Controls (worlds, nu) that hold each pose, and the change of control per unit of the joint under test (worlds,)."""
        c = self.compiled
        gain = self.m.actuator_gainprm.numpy()[:, :, 0].astype(float) if c.nactuator else np.zeros((self.worlds, 0))
        bias = self.m.actuator_biasprm.numpy().astype(float)
        base, unit = np.zeros((self.worlds, c.nu)), np.zeros(self.worlds)
        self.sag = np.zeros(self.worlds)
        act = self.d.act.numpy() if c.na else None
        for drive in self.drives:
            a = drive.stiffener
            kp = -bias[:, a, 1]
            hold = self.load[:, drive.dof] / drive.gear
            with np.errstate(divide="ignore", invalid="ignore"):  # of slack drives
                control = np.nan_to_num((hold - bias[:, a, 0] + kp * drive.gear * self.qpos[:, drive.qpos]) / gain[:, a], posinf=0.0, neginf=0.0)
            base[:, int(c.actuator_ctrladr[a])] = control
            if act is not None and c.actuator_actnum[a]:
                act[:, int(c.actuator_actadr[a])] = control
            for t, target in enumerate(self.targets):
                if target.kind == "drive" and target.joint == drive.joint:
                    mine = self._of == t
                    unit[mine] = (kp * drive.gear / gain[:, a])[mine]
                    self.sag[mine] = (hold / (kp * drive.gear))[mine]
        if act is not None:
            self.d.act.assign(act)
        return base, unit

    def _launch(self) -> None:
        """Let joints run into their limits; their own drives are slack."""
        qvel = np.zeros((self.worlds, self.compiled.nv), np.float32)
        dofs = np.array([target.dof for target in self.targets])
        qvel[np.arange(self.worlds), dofs[self._of]] = self.way * self.motion.speed
        self.d.qvel.assign(qvel)

    def _record(self, base: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, ...]:
        """Times, positions, velocities and forces of the joints under test, and their commands; (samples, worlds)."""
        motion, every = self.motion, max(1, int(self.motion.seconds / self.timestep / self.motion.samples))
        count = int(np.ceil(motion.seconds / (every * self.timestep)))
        dofs = np.array([target.dof for target in self.targets])[self._of]
        places = np.array([target.qpos for target in self.targets])[self._of]
        control = np.array([int(self.compiled.actuator_ctrladr[t.stiffener]) if t.kind == "drive" else 0 for t in self.targets])[self._of]
        source = self.d.qfrc_constraint if motion.test == "impact" else self.d.qfrc_actuator
        worlds = np.arange(self.worlds)
        sources = (self.d.qpos, self.d.qvel, source)
        stores = [wp.zeros((_BLOCK, *array.shape), dtype=array.dtype, device=array.device) for array in sources]
        speed = self.way * motion.speed if motion.test == "impact" else np.zeros(self.worlds)
        kept: list[list[np.ndarray]] = [[self.qpos[worlds, places]], [speed], [speed]]
        times, commands = [0.0], []
        start = self.start - self.sag
        steps, filled = 0, 0

        def gather() -> None:
            for store, where, into in zip(stores, (places, dofs, dofs), kept, strict=True):
                into.extend(store.numpy()[:filled, worlds, where])

        for number in range(count + 1):
            advance = 1 if number == 0 else every if number > 1 or every == 1 else every - 1
            share = np.sin(2.0 * np.pi * motion.frequency * steps * self.timestep) if motion.test == "sine" else float(motion.test == "step")
            commands.append(start + share * self.way)
            if (number == 0 or motion.test == "sine") and base.shape[1]:
                now = base.copy()
                now[worlds, control] += unit * self.way * share
                self.d.ctrl.assign(now.astype(np.float32))
            mjw.step(self.m, self.d, nstep=advance)
            steps += advance
            times.append(steps * self.timestep)
            for store, array in zip(stores, sources, strict=True):
                wp.copy(store[filled], array)
            filled += 1
            if filled == _BLOCK:
                gather()
                filled = 0
        gather()
        commands.append(commands[-1])
        kept[2][0] = kept[2][1]
        q, v, force = (np.array(values, dtype=float) for values in kept)
        return np.array(times), q, v, force, np.array(commands)


def _bare(compiled: Any) -> Any:
    """A copy without contacts, sensors and bounds of controls."""
    held, held_opt = copy(compiled), copy(compiled.opt)
    flags = int(compiled.opt.disableflags) | int(DisableBit.SENSOR | DisableBit.CONTACT)
    held_opt.disableflags = flags
    held.opt = held_opt
    held.actuator_ctrllimited = np.zeros_like(np.asarray(compiled.actuator_ctrllimited))
    return held
