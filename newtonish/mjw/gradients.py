"""Analytic derivatives of a step at the solver's minimum: transition matrices of all worlds, and the adjoint of a step.

Why, and what is kept: docs/decisions/114.md.
"""

from __future__ import annotations

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels.derivative import rungekutta, rungekutta_adjoint
from newtonish.kernels.derivative.field_stage import add_stage, clear_fields, field_gradients
from newtonish.kernels.derivative.linearize import linearize, remember_start
from newtonish.kernels.derivative.transition import adjoint
from newtonish.kernels.derivative.transition import transition as transition_stage
from newtonish.kernels.derivative.workspace import Workspace, bytes_of_workspace, has_stages, make_workspace
from newtonish.kernels.forward import forward
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import check_memory
from newtonish.mjw.arguments import array_of
from newtonish.mjw.differentiable import check_differentiable
from newtonish.mjw.gradient_fields import check_fields, copy_fields, prepare_fields
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
        adjoint(m, d, _linearized(m, d))


# what goes through the cache along with the arrays of the data [bytes]
_transition.__dict__["works_on"] = lambda m, d: bytes_of_workspace(m, d.nworld)
_adjoint.__dict__["works_on"] = lambda m, d: bytes_of_workspace(
    m, d.nworld, without=("column", "product", "A", "B", "Q", "V", "Z", "R", "sum_R", "sum_A", "sum_Z")
)


def _adjoint_by_fields(m: Model, d: Data) -> None:
    """The same, and from there to fields of the model."""
    if has_stages(m):
        work = _evaluated(m, d)
        clear_fields(d, work.fields)
        rungekutta_adjoint.adjoint(m, d, work, lambda: add_stage(m, d, work, work.fields))
    else:
        work = _linearized(m, d)
        adjoint(m, d, work)
        clear_fields(d, work.fields)
        field_gradients(m, d, work, work.fields)


_adjoint_by_fields.__dict__["works_on"] = _adjoint.__dict__["works_on"]


@checked
def transition(m: Model, d: Data, A: wp.array | None = None, B: wp.array | None = None) -> None:
    """Derivatives of a step, analytic: next state = A dx + B du, with x = (qpos, qvel, act), positions in the tangent space.

    They are those of the solver's minimum, whatever iterations found it; one call evaluates ``forward`` and needs no batch of worlds. Where
    contacts, limits or saturation begin or end, they are those of the side that the state is on.

    Args:
        m: model.
        d: data; state, inputs and warm start stay as they are, results are those of ``forward``.
        A: (nworld, 2 nv + na, 2 nv + na) float32 that receives the derivative of the next state by the state; None: not wanted.
        B: (nworld, 2 nv + na, nu), by the controls; a control outside its range does nothing.

    Raises:
        ModelError: an array of another shape, type or device.
        UnsupportedError: the model has something without a derivative here, or a world has a contact between shapes
            without one; nothing is written then. Inside a capture of the caller's that world's matrices are NaN instead.
        CapacityError: there is no memory for the linearized step.

    MuJoCo: mjd_transitionFD, which takes finite differences; for sensors there is ``transition_fd``.
    """
    check_pair("transition", m, d)
    nx = 2 * m.nv + m.size.na
    wanted = []
    for key, array, columns in (("A", A, nx), ("B", B, m.nu)):
        if array is not None:
            wanted.append((key, array_of(f"transition: {key}", d, array, wp.float32, (d.nworld, nx, columns))))
    _prepare("transition", m, d)
    run(_transition, m, d)
    _check_contacts("transition", m, d)
    for key, array in wanted:
        if array.size:
            wp.copy(array, getattr(d.gradients.linear, key))


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
    fields: dict[str, wp.array] | None = None,
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
        fields: from names of the model's fields to arrays (nworld, *shape of one world's) of their type, which receive the gradients by them:
            those of writing that field in a world and nothing else. ``m.body_mass`` is "body_mass", ``m.opt.gravity`` "opt.gravity"; the page
            Derivatives lists all. Quaternions count as normalized.

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
    _prepare("step_vjp", m, d)
    if next_bar.size:
        wp.copy(d.gradients.linear.next_bar, next_bar)
    if fields:
        fields = check_fields("step_vjp", m, d, fields)
        run(_adjoint_by_fields, m, d)
        if not prepare_fields("step_vjp", m, d):  # contacts have got more room
            run(_adjoint_by_fields, m, d)
    else:
        run(_adjoint, m, d)
    _check_contacts("step_vjp", m, d)
    for key, (array, _, _) in given.items():
        if array is not None and array.size:
            wp.copy(array, getattr(d.gradients.linear, key))
    if fields:
        copy_fields(d, fields)


def _prepare(name: str, m: Model, d: Data) -> None:
    """Look at the model, and make the workspace at the first call."""
    key = (m, m.version, bytes(m.opt.integrator.to_bytes(4, "little")), m.opt.enableflags, m.opt.noslip_iterations, m.callback.key())
    if d.device.is_capturing and (d.gradients is None or d.gradients.checked != key):
        remedy = f"call {name} once before the capture, and again after a change of the model"
        raise ModelError(problem(f"{name}: capture", "a model that was not looked at yet", "one that it has been called with", remedy))
    if d.gradients is None or not d.gradients.serves(m):
        needed = bytes_of_workspace(m, d.nworld)
        check_memory(f"{name}: nworld", d.nworld, needed, d.device, "take fewer worlds")
        d.gradients = make_workspace(m, d.nworld, d.device)
    if d.gradients.checked != key:
        check_differentiable(name, m)
        d.gradients.checked = key


def _check_contacts(name: str, m: Model, d: Data) -> None:
    """Raise for the first contact whose geometry has no derivative; waits for the device."""
    if d.device.is_capturing:
        return
    blind = d.gradients.stages.blind_geom.numpy()[:, 0] if has_stages(m) else d.gradients.linear.blind.numpy()
    if not blind.any():
        return
    world = int(blind.nonzero()[0][0])
    stages = d.gradients.stages if has_stages(m) else None
    geoms = d.contact.geom.numpy()[world, blind[world] - 1] if stages is None else stages.blind_geom.numpy()[world] - 1
    raise_for_contact(name, m, world, geoms)


def raise_for_contact(name: str, m: Model, world: int, geoms: np.ndarray, where: str = "") -> None:
    """Raise for a contact of two geoms without a derivative; ``where``: in which step, if it is not known."""
    names = [m.names["geom"][g] or str(g) for g in geoms]
    given = f"{names[0]} and {names[1]} touch in world {world}{where}"
    allowed = "spheres, capsules, boxes and meshes, in points or along faces of boxes; ellipsoids and cylinders on planes; spheres on cylinders"
    raise UnsupportedError(problem(f"{name}: contacts", given, allowed, "use transition_fd, or replace the shapes"))
