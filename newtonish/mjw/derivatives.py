"""Derivatives of a step and of the inverse dynamics by finite differences, all perturbations of all worlds in one batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonish.common.enums import State
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels import forward as stages
from newtonish.kernels import inverse as inverse_stages
from newtonish.kernels.analysis.differences import inverse_quotients, perturb, spread, transition_quotients
from newtonish.kernels.sleep.stage import may_sleep
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.arguments import optional_array
from newtonish.mjw.data import make_data
from newtonish.mjw.matching import check_pair
from newtonish.mjw.replay import run
from newtonish.mjw.states import get_state, set_state, state_size

__all__ = ["inverse_fd", "transition_fd"]


@dataclass
class Batch:
    """Worlds for all perturbations: ``count`` of them stand for one of the original.

    Attributes:
        source: Versions of the model and the data that it was made for.
        values: Model fields with a value for each world: original, copy.
        row: State of each original world; wide: of each perturbed one.
        applied: By how much the input of a world was moved.
    """

    source: tuple[Any, ...]
    m: Model
    d: Data
    count: int
    values: list[tuple[wp.array, wp.array]]
    row: wp.array
    wide: wp.array
    applied: wp.array

    def fill(self, m: Model, d: Data) -> None:
        """Copy the present state, inputs and model values to all worlds."""
        for original, copied in self.values:
            spread(original, copied, self.count)
        get_state(m, d, self.row, State.INTEGRATION)
        spread(self.row, self.wide, self.count)
        set_state(self.m, self.d, self.wide, State.INTEGRATION)
        spread(d.qacc, self.d.qacc, self.count)


def _batch(m: Model, d: Data, count: int) -> Batch:
    """The batch of worlds of this size, made again after a change of sizes, arrays or capacities."""
    if may_sleep(m):
        remedy = "switch the flag off; the step that is differentiated has all trees awake"
        raise UnsupportedError(problem("derivatives: m.opt.enableflags", "SLEEP", "SLEEP off: a difference wakes what sleeps", remedy))
    source = (id(m), m.version, d.version, count)
    batch = d.batches.get(count)
    if batch is None or batch.source != source:
        d.batches.clear()
        many, values = _widened(m, count)
        wide = make_data(many, d.nworld * count, d.nconmax, njmax=d.njmax)
        wide.grow_contacts, wide.grow_rows, wide.copies = d.grow_contacts, d.grow_rows, count
        size = state_size(m, State.INTEGRATION)
        rows: list[wp.array] = [wp.zeros((n, size), dtype=wp.float32, device=d.device) for n in (d.nworld, wide.nworld)]
        applied = wp.zeros(wide.nworld, dtype=wp.float32, device=d.device)
        batch = d.batches[count] = Batch(source, many, wide, count, values, rows[0], rows[1], applied)
    return batch


def _widened(m: Model, count: int) -> tuple[Model, list[tuple[wp.array, wp.array]]]:
    """A model whose fields with one value a world have ``count`` in place of each; the others are shared."""
    other = m.view(0, m.nworld)
    values = []
    for g in m.GROUPS:
        for f in g.fields:
            array = getattr(getattr(m, g.name), f.name)
            if f.dims is not None and f.per_world and array.shape[0] > 1 and array.size:
                copied = wp.empty((array.shape[0] * count, *array.shape[1:]), dtype=f.dtype, device=m.device)
                values.append((array, copied))
                array = copied
            setattr(getattr(other, g.name), f.name, array)
    other.__dict__["version"] = 0
    return other, values


def transition_fd(
    m: Model,
    d: Data,
    eps: float = 1e-3,
    flg_centered: bool = True,
    A: wp.array | None = None,
    B: wp.array | None = None,
    C: wp.array | None = None,
    D: wp.array | None = None,
) -> None:
    """Derivatives of a step: next state = A dx + B du, sensors = C dx + D du, with x = (qpos, qvel, act) in the tangent space.

    Args:
        m: model.
        d: data; the state, inputs and warm start stay as they are.
        eps: by how much inputs are moved; in float32 1e-3 to 1e-2 serves smooth motion, less (3e-4) where contacts close and open.
        flg_centered: move up and down, not only up; twice the work, and what float32 is accurate enough for.
        A: (nworld, 2 nv + na, 2 nv + na) float32 that receives the derivative of the next state by the state; None: not wanted.
        B: (nworld, 2 nv + na, nu), by the controls. A control at the end of its range is moved to the inside only.
        C: (nworld, nsensordata, 2 nv + na), of the sensors by the state.
        D: (nworld, nsensordata, nu), of the sensors by the controls.

    Raises:
        ModelError: an array of another shape, type or device, or eps is not positive.
        CapacityError: the worlds for all perturbations, nworld (1 + 2 (2 nv + na + nu)), do not fit in memory.

    Each perturbation starts from the warm start of its world. A batch of worlds is kept in ``d`` for the next call;
    ``d.batches.clear()`` frees it. A callback finds its world of the model as ``(d.first_world + w) // d.copies``.

    MuJoCo: mjd_transitionFD.
    """
    check_pair("transition_fd", m, d)
    nx, nu, ns = 2 * m.nv + m.size.na, m.nu, m.size.nsensordata
    shapes = {"A": (nx, nx), "B": (nx, nu), "C": (ns, nx), "D": (ns, nu)}
    outputs = _outputs("transition_fd", m, d, eps, shapes, {"A": A, "B": B, "C": C, "D": D})
    n = nx + nu
    batch = _differences(m, d, n, eps, bool(flg_centered), stages.step, inverse=False)
    if n:
        transition_quotients(batch.m, batch.d, batch.applied, batch.count, n, outputs)


def inverse_fd(
    m: Model,
    d: Data,
    eps: float = 1e-3,
    flg_actuation: bool = False,
    DfDq: wp.array | None = None,
    DfDv: wp.array | None = None,
    DfDa: wp.array | None = None,
    DsDq: wp.array | None = None,
    DsDv: wp.array | None = None,
    DsDa: wp.array | None = None,
    DmDq: wp.array | None = None,
    *,
    flg_centered: bool = True,
) -> None:
    """Derivatives of the inverse dynamics: of force f and sensors s by position q, velocity v and acceleration a.

    Args:
        m: model.
        d: data; the state and ``d.qacc`` are read and stay.
        eps: by how much inputs are moved.
        flg_actuation: f is qfrc_inverse - qfrc_actuator instead of qfrc_inverse.
        DfDq, DfDv, DfDa: (nworld, nv, nv) float32 that receive derivatives of the force, one input a row; None: not wanted.
        DsDq, DsDv, DsDa: (nworld, nv, nsensordata), of the sensors.
        DmDq: (nworld, nv, nC), of the mass matrix's elements.
        flg_centered: move up and down, not only up as MuJoCo does.

    Raises:
        ModelError, CapacityError: as in ``transition_fd``.

    MuJoCo: mjd_inverseFD.
    """
    check_pair("inverse_fd", m, d)
    nv, ns = m.nv, m.size.nsensordata
    given = {"DfDq": DfDq, "DfDv": DfDv, "DfDa": DfDa, "DsDq": DsDq, "DsDv": DsDv, "DsDa": DsDa, "DmDq": DmDq}
    shapes = {name: (nv, nv if name[1] == "f" else ns if name[1] == "s" else m.size.nC) for name in given}
    outputs = _outputs("inverse_fd", m, d, eps, shapes, given)
    batch = _differences(m, d, 3 * nv, eps, bool(flg_centered), inverse_stages.inverse, inverse=True)
    if nv:
        inverse_quotients(batch.m, batch.d, batch.applied, batch.count, 3 * nv, bool(flg_actuation), outputs)


def _outputs(name: str, m: Model, d: Data, eps: float, shapes: dict[str, tuple[int, int]], given: dict[str, Any]) -> list[wp.array]:
    """The outputs, empty arrays where none is wanted, after a look at all arguments."""
    if not isinstance(eps, (int, float)) or not math.isfinite(eps) or eps <= 0.0:
        raise ModelError(problem(f"{name}: eps", repr(eps), "a number above zero", "pass 1e-3, for instance"))
    return [optional_array(f"{name}: {key}", d, array, (d.nworld, *shapes[key])) for key, array in given.items()]


def _differences(m: Model, d: Data, n: int, eps: float, centered: bool, function: Callable[[Model, Data], None], *, inverse: bool) -> Batch:
    """Run ``function`` on all perturbed worlds."""
    batch = _batch(m, d, 1 + n * (2 if centered else 1))
    batch.fill(m, d)
    if n:
        perturb(batch.m, batch.d, batch.applied, batch.count, n, float(eps), inverse)
    run(function, batch.m, batch.d)
    return batch
