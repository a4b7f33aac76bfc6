"""Whole steps of a model by emulation, beside the same steps in the CPU's own form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.kernels import forward
from newtonish.kernels.runtime import launch as launching
from newtonish.kernels.runtime.lanes import choice_of

from .emulator import Emulator

# results of a step, in the order in which it computes them; scratch that one function fills and reads itself is not compared
RESULTS = (
    "kin.", "com.", "mass.M", "mass.qLD", "drive.", "ten.", "contact.dist", "contact.pos", "contact.frame", "contact.geom", "contact.efc_address",
    "efc.J", "efc.D", "efc.aref", "efc.vel", "efc.type", "efc.id", "efc.force", "vel.c", "frc.", "sol.qacc", "sol.qfrc_constraint", "sol.Ma",
    "sense.", "state.", "status.",
)  # fmt: skip
_COUNTED = {"contact.": "ncon", "efc.": "nefc"}
# counts of iterations may differ by one where rounding decides on which side of a tolerance a residual lies
_UNEQUAL = ("status.solver_niter",)


@dataclass(frozen=True)
class Launch:
    """A kernel as a step launches it: threads of a block, and those of them that work on one world, whose islands may have some each."""

    kernel: wp.Kernel
    block_dim: int
    lanes: float


# what records a function of (m, d) and replays it in the CPU's own form
_RUNNERS = tuple(
    f"newtonish.{name}" for name in ("mjw.derivatives", "mjw.gradients", "mjw.parts", "mjw.pipeline", "mjw.rollouts", "mjw.trajectory", "solver.recorded")
)


@contextmanager
def launching_plainly() -> Iterator[None]:
    """Within it, what is otherwise recorded is launched, whenever it is called, and no module is compiled ahead: none runs in its CPU's form."""

    def run(function: Callable[[Any, Any], None], m: Any, d: Any, steps: int = 1) -> bool:
        for _ in range(steps):
            function(m, d)
        return False

    with ExitStack() as stack:
        for name in _RUNNERS:
            stack.enter_context(mock.patch(f"{name}.run", run))
        stack.enter_context(mock.patch("newtonish.kernels.runtime.modules.load_side_by_side", lambda modules: None))
        yield


@contextmanager
def emulating(emulator: Emulator) -> Iterator[dict[str, Launch]]:
    """Within it, what a stage launches runs by emulation, and is noted by key."""
    noted: dict[str, Launch] = {}

    def emulate(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], block_dim: int | None) -> None:
        lanes, items = choice_of(kernel).lanes, choice_of(kernel).items
        block_dim = block_dim or launching.WARPS_BLOCK_DIM
        launching.prepared(kernel.module)
        noted[kernel.key] = Launch(kernel, block_dim, lanes * items)
        emulator.launch(kernel, dim, inputs, block_dim, lanes)

    with launching_plainly(), launching.launched_by(emulate, on_gpu=True):
        yield noted


def prepare(m: Any, nworld: int, warm: int, seed: int = 0, **capacity: Any) -> Any:
    """Data of worlds that differ, after ``warm`` steps with random velocities and controls."""
    d = mjw.make_data(m, nworld, **capacity)
    rng = np.random.default_rng(seed)
    speed = d.state.qvel.numpy()
    d.state.qvel.assign(speed + 0.3 * rng.standard_normal(speed.shape).astype(np.float32))
    for step in range(warm):
        if d.state.ctrl.size and step % 10 == 0:
            d.state.ctrl.assign(rng.uniform(-1, 1, d.state.ctrl.shape).astype(np.float32))
        mjw.step(m, d)
    return d


@dataclass(frozen=True)
class Difference:
    """How far an array by emulation is from the CPU's, relative to the largest entry of the array in any world."""

    array: str
    size: float


def differences(here: Any, there: Any, expected: Sequence[wp.array] = (), got: Sequence[wp.array] = ()) -> list[Difference]:
    """Of every result of a step, in two sets of data, and of further arrays."""
    found = []
    others = dict(_arrays(there))
    for name, array in _arrays(here):
        if name.startswith(RESULTS) and name not in _UNEQUAL:
            one, other = _filled(name, array, here), _filled(name, others[name], there)
            if one.size or other.size:
                found.append(Difference(name, _distance(one, other)))
    further = zip(expected, got, strict=True)
    return found + [Difference(f"returned {i}", _distance(one.numpy(), other.numpy())) for i, (one, other) in enumerate(further)]


def steps(m: Any, d: Any, emulator: Emulator, function: Callable[[Any, Any], None] = forward.step) -> dict[str, Launch]:
    """Advance ``d`` by one step by emulation; what was launched."""
    with launching.planned(for_cuda=True):  # which puts all of its kernels into their modules before one of these is compiled
        function(m, d)
    with emulating(emulator) as noted:
        function(m, d)
    return noted


def _arrays(d: Any) -> Iterator[tuple[str, wp.array]]:
    for group_name, group in vars(d).items():
        if hasattr(group, "_cls"):
            for name in group._cls.vars:
                array = getattr(group, name)
                if isinstance(array, wp.array) and array.size:
                    yield f"{group_name}.{name}", array


def _filled(name: str, array: wp.array, d: Any) -> np.ndarray:
    """The entries of an array that mean something: contacts and rows that there are."""
    values = array.numpy()
    for prefix, counter in _COUNTED.items():
        if name.startswith(prefix) and values.ndim > 1:
            count = getattr(d.status, counter).numpy()
            return values[np.arange(values.shape[1])[None] < count[:, None]]
    return values


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    if one.shape != other.shape:
        return float("inf")
    if one.dtype.kind in "iub":
        return float((one != other).sum())
    both = np.isnan(one) & np.isnan(other)
    scale = max(float(np.nanmax(np.abs(one), initial=0.0)), 1e-6)
    apart = np.where(both, 0.0, np.abs(one.astype(np.float64) - other.astype(np.float64)))
    return float(apart.max(initial=0.0)) / scale
