"""What each kernel of a step costs a GPU, counted by emulation on states in which a benchmark would be taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import warp as wp

from newtonish import mjw

from . import cubin, gpu
from .compiler import Form
from .emulator import Emulator, Schedule
from .stepping import Launch, steps

# Machine instructions for one of the weighted instructions that are counted: the static length of the kernels that NVIDIA's compiler does not
# unroll (positions, forces, rows, Euler: 0.90 to 0.96), which has paths that are hardly ever taken. One constant, so that ratios do not depend on it.
MACHINE_INSTRUCTIONS = 0.9
SETTLE, HOLD, SAMPLES, APART = 100, 10, 4, 25  # steps before the first sample, of one control, number of samples, steps between them
NOISE = 0.05


@dataclass
class Cost:
    """Of one kernel for one world and step.

    Attributes:
        launches: In a step.
        lanes: Threads that work on one world together; of mujoco_warp, threads of the grid a world.
        block_dim: Threads of a block.
        instructions: Weighted instructions of warps.
        critical: Those of the longest warp between two barriers of the block, summed up.
        in_use: Mean number of lanes of 32 that do something.
        block_barriers, warp_barriers: Number.
        bytes: Of the words touched.
        sectors_a_request: Sectors of 32 bytes that an instruction of a warp asks memory for, 1 to 32.
        footprint: Registers and shared memory.
    """

    launches: float
    lanes: float
    block_dim: int
    instructions: float
    critical: float
    in_use: float
    block_barriers: float
    warp_barriers: float
    bytes: float
    sectors_a_request: float
    footprint: cubin.Footprint

    def work(self) -> gpu.Work:
        return gpu.Work(self.instructions * MACHINE_INSTRUCTIONS, self.bytes, self.lanes / gpu.WARP, self.footprint, self.block_dim, self.launches)


@dataclass
class Measurement:
    """Of a whole step of a model.

    Attributes:
        kernels: By key, in the order of launching.
        nv, contacts, rows, iterations: Of the model, and means over the sampled worlds and steps.
        profile: Weighted warp instructions a world-step by place in the code.
        reports: What the checks found.
    """

    kernels: dict[str, Cost]
    nv: int
    contacts: float
    rows: float
    iterations: float
    profile: dict[str, float]
    reports: list[str]

    @property
    def instructions(self) -> float:
        return self.total("instructions")

    def total(self, field: str) -> float:
        """Sum of a field of ``Cost`` over all kernels."""
        return sum(getattr(cost, field) for cost in self.kernels.values())

    def steps_per_second(self, nworld: int) -> float:
        return gpu.steps_per_second([cost.work() for cost in self.kernels.values()], nworld)


def settle(m: Any, nworld: int, seed: int = 0) -> Any:
    """Data of worlds that have landed, under random controls."""
    d = mjw.make_data(m, nworld)
    rng = np.random.default_rng(seed)
    speed = d.state.qvel.numpy()
    d.state.qvel.assign((speed + NOISE * rng.standard_normal(speed.shape)).astype(np.float32))
    advance(m, d, SETTLE, rng)
    return d


def advance(m: Any, d: Any, count: int, rng: np.random.Generator) -> None:
    """Steps in the CPU's own form, with controls that are held for some steps."""
    low, high = _control_range(m)
    for _ in range(0, count, HOLD):
        d.state.ctrl.assign(rng.uniform(low, high, d.state.ctrl.shape).astype(np.float32))
        mjw.step(m, d, min(HOLD, count))


def _control_range(m: Any) -> tuple[np.ndarray, np.ndarray]:
    limited = m.actuator_ctrllimited.numpy().astype(bool)
    span = m.actuator_ctrlrange.numpy()[0]
    return np.where(limited, span[:, 0], -1.0), np.where(limited, span[:, 1], 1.0)


class Engine(Protocol):
    """Something that can take a step by emulation."""

    nv: int

    def step(self, d: Any, emulator: Emulator) -> dict[str, Launch]:
        """Take a step from the state of ``d``, which may change; what was launched, by key."""

    def counts(self, d: Any) -> list[float]:
        """Contacts, rows and iterations of the last step, means over the worlds."""

    def reports(self, emulator: Emulator) -> list[str]:
        """What was found in all steps."""


class Ours:
    """Steps of newtonish."""

    def __init__(self, m: Any):
        self._m, self.nv = m, int(m.nv)

    def step(self, d: Any, emulator: Emulator) -> dict[str, Launch]:
        return steps(self._m, d, emulator)

    def counts(self, d: Any) -> list[float]:
        return [float(array.numpy().mean()) for array in (d.status.ncon, d.status.nefc, d.status.solver_niter)]

    def reports(self, emulator: Emulator) -> list[str]:
        return emulator.reports()


def measure(m: Any, nworld: int = 16, seed: int = 0, engine: Engine | None = None) -> Measurement:
    """Count a step of a model, on several worlds at several times.

    Args:
        m: Model of ours, whose steps lead to the states.
        nworld: Number of worlds.
        seed: Of velocities and controls.
        engine: That takes the steps; None: ours.
    """
    engine = engine or Ours(m)
    d = settle(m, nworld, seed)
    rng = np.random.default_rng(seed + 1)
    counting, checking = Emulator(Form(counted=True, fused=True), check=False), Emulator(Form(optimised=True), schedule=Schedule.ASCENDING, requests=True)
    launches: dict[str, Launch] = {}
    seen = []
    for _ in range(SAMPLES):
        state = _state(d)
        for emulator in (checking, counting):
            _restore(d, state)
            launches.update(engine.step(d, emulator))
        seen.append(engine.counts(d))
        advance(m, d, APART, rng)
    total = nworld * SAMPLES
    kernels = {key: _cost(launch, counting.figures[key], checking.figures[key], total) for key, launch in launches.items()}
    profile = {place: count / total for place, count in counting.profile().items()}
    contacts, rows, iterations = np.mean(seen, axis=0)
    return Measurement(kernels, engine.nv, contacts, rows, iterations, profile, engine.reports(checking))


def count(m: Any, nworld: int = 16, seed: int = 0) -> dict[str, float]:
    """Weighted warp instructions and barriers of blocks that a step of one world takes, once the worlds have landed; quicker than ``measure``."""
    d = settle(m, nworld, seed)
    emulator = Emulator(Form(counted=True, fused=True), check=False, schedule=Schedule.ASCENDING)
    steps(m, d, emulator)
    names = {"instructions": "warp_instructions", "block_barriers": "block_barriers"}
    return {name: sum(figures[counter] for figures in emulator.figures.values()) / nworld for name, counter in names.items()}


def _cost(launch: Launch, counted: dict[str, float], checked: dict[str, float], total: int) -> Cost:
    of = {name: value / total for name, value in counted.items()}
    footprint = cubin.footprint_of(launch.kernel, launch.block_dim)
    return Cost(
        launches=counted["launches"] / SAMPLES,
        lanes=launch.lanes,
        block_dim=launch.block_dim,
        instructions=of["warp_instructions"],
        critical=of["critical"],
        in_use=counted["lane_instructions"] / max(counted["warp_instructions"], 1.0),
        block_barriers=of["block_barriers"],
        warp_barriers=of["warp_barriers"],
        bytes=checked["bytes"] / total,
        sectors_a_request=checked["request_sectors"] / max(checked["requests"], 1.0),
        footprint=footprint,
    )


def _state(d: Any) -> list[tuple[wp.array, np.ndarray]]:
    return [(array, array.numpy().copy()) for name in d.state._cls.vars if isinstance(array := getattr(d.state, name), wp.array)]


def _restore(d: Any, state: list[tuple[wp.array, np.ndarray]]) -> None:
    for array, values in state:
        if array.size:
            array.assign(values)
