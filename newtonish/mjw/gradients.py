"""Analytic derivatives of a step at the solver's minimum: transition matrices of all worlds, and the adjoint of a step.

Why, and what is kept: docs/decisions/114.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels.derivative import rungekutta, rungekutta_adjoint
from newtonish.kernels.derivative.field_stage import add_stage, clear_fields, field_gradients
from newtonish.kernels.derivative.linearize import linearize, remember_start
from newtonish.kernels.derivative.needs import has_stages
from newtonish.kernels.derivative.sensor_adjoint import sensor_adjoint
from newtonish.kernels.derivative.sensor_stage import sensor_matrices
from newtonish.kernels.derivative.step_adjoint import adjoint
from newtonish.kernels.derivative.sweep import is_swept
from newtonish.kernels.derivative.transition import transition as transition_stage
from newtonish.kernels.derivative.workspace import Workspace, bytes_of_workspace, give_room, make_workspace
from newtonish.kernels.forward import forward
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import check_memory
from newtonish.mjw.arguments import array_of, copy_whole
from newtonish.mjw.differentiable import check_differentiable
from newtonish.mjw.gradient_fields import check_fields, copy_fields, prepare_fields
from newtonish.mjw.gradient_sensors import check_apart, prepare_sensors
from newtonish.mjw.matching import check_pair
from newtonish.mjw.replay import run

__all__ = ["step_vjp", "transition"]


def _evaluated(m: Model, d: Data) -> Workspace:
    """Evaluate ``forward``; returns the workspace of these worlds, which has the solver's start."""
    work = d.gradients.view(d.first_world, d.first_world + d.nworld, d.first_slot)
    remember_start(m, d, work)
    forward(m, d)
    return work


def _linearized(m: Model, d: Data) -> Workspace:
    """The same, and linearize the step."""
    work = _evaluated(m, d)
    linearize(m, d, work)
    return work


def _adjoint_of_step(m: Model, d: Data, whole: bool = False) -> Workspace:
    """Evaluate the step and take the adjoint that the workspace has through it, without stages; ``whole``: with all matrices, which sensors take."""
    work = _evaluated(m, d)
    swept = is_swept(m, work) and not whole
    linearize(m, d, work, swept)
    adjoint(m, d, work, swept)
    return work


def _transition(m: Model, d: Data) -> None:
    """Write the matrices of a step into the workspace."""
    if has_stages(m):
        rungekutta.transition(m, d, _evaluated(m, d))
    else:
        transition_stage(m, d, _linearized(m, d))


def _adjoint(m: Model, d: Data) -> None:
    """Take the adjoint that the workspace has through a step."""
    if has_stages(m):
        rungekutta_adjoint.adjoint(m, d, _evaluated(m, d))
    else:
        _adjoint_of_step(m, d)


def find_kinks_of(m: Model, d: Data) -> None:
    """Look for kinks at the state of the worlds."""
    from newtonish.kernels.derivative.kinks import find_kinks  # kernels of its own

    find_kinks(m, d, d.gradients.view(d.first_world, d.first_world + d.nworld, d.first_slot))


# what goes through the cache along with the arrays of the data [bytes]
_transition.__dict__["works_on"] = lambda m, d: bytes_of_workspace(m, d.nworld, room_of(d))
_adjoint.__dict__["works_on"] = lambda m, d: bytes_of_workspace(
    m, d.nworld, room_of(d), without=("column", "product", "A", "B", "Q", "V", "Z", "R", "sum_R", "sum_A", "sum_Z", "end_Z")
)


def _adjoint_adding_fields(m: Model, d: Data, whole: bool = False) -> None:
    """The same, and add what the step owes to fields of the model."""
    if has_stages(m):
        work = _evaluated(m, d)
        rungekutta_adjoint.adjoint(m, d, work, lambda: add_stage(m, d, work, work.fields), whole)
    else:
        work = _adjoint_of_step(m, d, whole)
        field_gradients(m, d, work, work.fields)


def _adjoint_by_fields(m: Model, d: Data) -> None:
    """The same of one step alone."""
    clear_fields(d, d.gradients.view(d.first_world, d.first_world + d.nworld, d.first_slot).fields)
    _adjoint_adding_fields(m, d)


_adjoint_by_fields.__dict__["works_on"] = _adjoint.__dict__["works_on"]


def _transition_with_sensors(m: Model, d: Data) -> None:
    """Write the matrices of a step and of its sensors."""
    if has_stages(m):
        work = _evaluated(m, d)
        rungekutta.transition(m, d, work)
        linearize(m, d, work)
    else:
        work = _linearized(m, d)
        transition_stage(m, d, work)
    sensor_matrices(m, d, work)


def _adjoint_with_sensors(m: Model, d: Data) -> None:
    """Take the adjoints of the next state and of the sensors through a step, which both end at its start."""
    if has_stages(m):
        work = _evaluated(m, d)
        rungekutta_adjoint.adjoint(m, d, work, whole=True)
    else:
        work = _linearized(m, d)
        adjoint(m, d, work)
    sensor_adjoint(m, d, work)


def _adjoint_of_all(m: Model, d: Data) -> None:
    """The same with fields of the model, which sensors know by accelerations alone."""
    work = d.gradients.view(d.first_world, d.first_world + d.nworld, d.first_slot)
    clear_fields(d, work.fields)
    _adjoint_adding_fields(m, d, whole=True)
    sensor_adjoint(m, d, work)
    add_stage(m, d, work, work.fields)


def sweep_of(by_fields: bool, by_sensors: bool) -> Callable[[Model, Data], None]:
    """The adjoint of a step with gradients by fields of the model, by sensors, by both or by neither."""
    if by_fields:
        return _adjoint_of_all if by_sensors else _adjoint_by_fields
    return _adjoint_with_sensors if by_sensors else _adjoint


_transition_with_sensors.__dict__["works_on"] = _transition.__dict__["works_on"]
_adjoint_with_sensors.__dict__["works_on"] = _adjoint_of_all.__dict__["works_on"] = _adjoint.__dict__["works_on"]


@checked
def transition(
    m: Model, d: Data, A: wp.array | None = None, B: wp.array | None = None, C: wp.array | None = None, D: wp.array | None = None,
    *, kinks: wp.array | None = None,
) -> None:  # fmt: skip
    """Derivatives of a step, analytic: next state = A dx + B du, with x = (qpos, qvel, act), positions in the tangent space.

    They are those of the solver's minimum, whatever iterations found it; one call evaluates ``forward``, with RK4 its other stages as well, and needs
    no batch of worlds. Where contacts, limits or saturation begin or end, they are those of the side that the state is on.

    Args:
        m: model.
        d: data; state, inputs and warm start stay as they are, results are those of ``forward``.
        A: (nworld, 2 nv + na, 2 nv + na) float32 that receives the derivative of the next state by the state; None: not wanted.
        B: (nworld, 2 nv + na, nu), by the controls; a control outside its range does nothing.
        C: (nworld, nsensordata, 2 nv + na), derivative of the sensors, as ``forward`` writes them, by the state.
        D: (nworld, nsensordata, nu), by the controls.
        kinks: (nworld,) int32 that receives bits of ``Kink``: why the step is not differentiable at a world's state; 0: nothing is near. It takes
            another evaluation of ``forward``.

    Raises:
        ModelError: an array of another shape, type or device.
        UnsupportedError: the model has something without a derivative here, or a world has a contact between shapes
            without one; nothing is written then. Inside a capture of the caller's that world's matrices are NaN instead.
        CapacityError: there is no memory for the linearized step.

    MuJoCo: mjd_transitionFD, which takes finite differences.
    """
    check_pair("transition", m, d)
    nx = 2 * m.nv + m.size.na
    nsense = m.size.nsensordata
    wanted = []
    for key, array, shape in (("A", A, (nx, nx)), ("B", B, (nx, m.nu)), ("C", C, (nsense, nx)), ("D", D, (nsense, m.nu))):
        if array is not None:
            wanted.append((key, array_of(f"transition: {key}", d, array, wp.float32, (d.nworld, *shape))))
    _check_kinks("transition", d, kinks)
    _prepare("transition", m, d)
    if kinks is not None:
        run(find_kinks_of, m, d)
    matrices = _transition
    if nsense and (C is not None or D is not None):
        prepare_sensors("transition", m, d)
        matrices = _transition_with_sensors
    run(matrices, m, d)
    if not prepare_contacts(d):
        run(matrices, m, d)
    _check_contacts("transition", m, d)
    for key, array in wanted:
        if array.size:
            copy_whole(array, getattr(d.gradients.linear if key in "AB" else d.gradients.sensed, key))
    if kinks is not None:
        copy_whole(kinks, d.gradients.kinks.bits)


@checked
def step_vjp(
    m: Model,
    d: Data,
    next_bar: wp.array,
    state_bar: wp.array | None = None,
    ctrl_bar: wp.array | None = None,
    qfrc_applied_bar: wp.array | None = None,
    xfrc_applied_bar: wp.array | None = None,
    *,
    sensor_bar: wp.array | None = None,
    fields: dict[str, wp.array] | None = None,
    kinks: wp.array | None = None,
) -> None:
    """Adjoint of a step: from the gradient of a cost by the next state to those by the state and the inputs.

    ``d`` is at the beginning of the step, which is evaluated by ``forward`` and not taken. With A and B of ``transition``, ``state_bar`` is
    A' next_bar and ``ctrl_bar`` B' next_bar, for which no matrix of the step is made.

    Args:
        m: model.
        d: data; state, inputs and warm start stay as they are, results are those of ``forward``.
        next_bar: (nworld, 2 nv + na) float32, gradient by the next state (qpos, qvel, act), positions in the tangent space.
        state_bar: (nworld, 2 nv + na) that receives the gradient by the state; None: not wanted.
        ctrl_bar: (nworld, nu), by the controls.
        qfrc_applied_bar: (nworld, nv), by applied generalized forces.
        xfrc_applied_bar: (nworld, nbody) spatial_vector, by applied forces, force first, world frame.
        sensor_bar: (nworld, nsensordata), gradient by the sensors as ``forward`` writes them, on top of that by the next state.
        fields: from names of the model's fields to arrays (nworld, and the shape of one world's) of their type, which receive the gradients by them:
            those of writing that field in a world and nothing else. ``m.body_mass`` is "body_mass", ``m.opt.gravity`` "opt.gravity"; the page
            Derivatives lists all. Quaternions count as normalized. With ``sensor_bar`` fields that
            sensors have in their own law are refused.
        kinks: (nworld,) int32 that receives bits of ``Kink``, as of ``transition``.

    Raises:
        ModelError: also a field that there is no gradient by.
        UnsupportedError: also a field that acts through something without a derivative.
        ModelError, UnsupportedError, CapacityError: as of ``transition``.

    MuJoCo: no equivalent.
    """
    check_pair("step_vjp", m, d)
    nx = 2 * m.nv + m.size.na
    array_of("step_vjp: next_bar", d, next_bar, wp.float32, (d.nworld, nx))
    given = {
        "state_bar": (state_bar, wp.float32, (d.nworld, nx)),
        "ctrl_bar": (ctrl_bar, wp.float32, (d.nworld, m.nu)),
        "qfrc_bar": (qfrc_applied_bar, wp.float32, (d.nworld, m.nv)),
        "xfrc_bar": (xfrc_applied_bar, wp.spatial_vector, (d.nworld, m.nbody)),
    }
    labels = {"qfrc_bar": "qfrc_applied_bar", "xfrc_bar": "xfrc_applied_bar"}
    for key, (array, dtype, shape) in given.items():
        if array is not None:
            array_of(f"step_vjp: {labels.get(key, key)}", d, array, dtype, shape)
    if sensor_bar is not None:
        array_of("step_vjp: sensor_bar", d, sensor_bar, wp.float32, (d.nworld, m.size.nsensordata))
    _check_kinks("step_vjp", d, kinks)
    _prepare("step_vjp", m, d)
    if kinks is not None:
        run(find_kinks_of, m, d)
    if next_bar.size:
        copy_whole(d.gradients.linear.next_bar, next_bar)
    sensed = False
    if sensor_bar is not None and sensor_bar.size:
        sensed = True
        prepare_sensors("step_vjp", m, d)
        copy_whole(d.gradients.sensed.bar, sensor_bar)
    if fields:
        fields = check_fields("step_vjp", m, d, fields)
        if sensed:
            check_apart("step_vjp", m, set(fields))
    sweep = sweep_of(bool(fields), sensed)
    run(sweep, m, d)
    complete = prepare_contacts(d)
    if fields:
        complete = prepare_fields("step_vjp", m, d) and complete
    if not complete:
        run(sweep, m, d)
    _check_contacts("step_vjp", m, d)
    for key, (array, _, _) in given.items():
        if array is not None and array.size:
            copy_whole(array, getattr(d.gradients.linear, key))
    if fields:
        copy_fields(d, fields)
    if kinks is not None:
        copy_whole(kinks, d.gradients.kinks.bits)


def _check_kinks(name: str, d: Data, kinks: wp.array | None) -> None:
    """Raise where the array for kinks is not one."""
    if kinks is not None:
        array_of(f"{name}: kinks", d, kinks, wp.int32, (d.nworld,))


def _prepare(name: str, m: Model, d: Data) -> None:
    """Look at the model, and make the workspace at the first call."""
    key = (m, m.version, bytes(m.opt.integrator.to_bytes(4, "little")), m.opt.enableflags, m.opt.noslip_iterations, m.callback.key())
    if d.device.is_capturing and (d.gradients is None or d.gradients.checked != key or d.gradients.motion.witness.shape[1] < room_of(d)):
        remedy = f"call {name} once before the capture, and again after a change of the model"
        raise ModelError(problem(f"{name}: capture", "a model that was not looked at yet", "one that it has been called with", remedy))
    if d.gradients is None or (d.gradients.checked != key and not d.gradients.serves(m)):
        needed = bytes_of_workspace(m, d.nworld, room_of(d))
        check_memory(f"{name}: nworld", d.nworld, needed, d.device, "take fewer worlds")
        d.gradients = make_workspace(m, d.nworld, room_of(d), d.device)
    if d.gradients.checked != key:
        check_differentiable(name, m)
        d.gradients.checked = key
    prepare_contacts(d)


def prepare_contacts(d: Data) -> bool:
    """Whether the workspace had room for the features of all contacts; makes it where contacts have got more room, as an evaluation may give them."""
    room = room_of(d)
    enough = bool(d.gradients.motion.witness.shape[1] >= room)
    if not enough:
        give_room(d.gradients, room)
        d.touch()  # what was recorded holds the arrays before
    return enough


def room_of(d: Data) -> int:
    """Contacts of a world that there is room for."""
    return int(d.contact.dist.shape[1])


def _check_contacts(name: str, m: Model, d: Data) -> None:
    """Raise for the first contact whose geometry has no derivative; waits for the device."""
    if d.device.is_capturing:
        return
    blind = d.gradients.linear.blind.numpy()
    if not blind.any():
        return
    world = int(blind.nonzero()[0][0])
    raise_for_contact(name, m, world, d.gradients.linear.pair.numpy()[world])


def raise_for_contact(name: str, m: Model, world: int, geoms: np.ndarray, where: str = "") -> None:
    """Raise for a contact of two geoms without a derivative; ``where``: in which step, if it is not known."""
    names = [m.names["geom"][g] or str(g) for g in geoms]
    given = f"{names[0]} and {names[1]} touch in world {world}{where}"
    allowed = "shapes of all kinds, in points or along faces; no distance fields, parallel lines, lines and faces along heightfields"
    raise UnsupportedError(problem(f"{name}: contacts", given, allowed, "use transition_fd, or replace the shapes"))
