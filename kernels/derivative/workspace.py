"""Arrays of the linearized step, float64, made for a Data when a derivative is first asked for.

The residual of the dynamics is r(q, v, a) = M a + bias - other smooth forces - J' f. ``H`` is its derivative by the acceleration, the solver's
Hessian; ``Gq`` and ``Gv`` are those by position and velocity with the acceleration held, cones, references and contact geometry included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonish.common.enums import SensorType
from newtonish.kernels.derivative.algebra import mat63d, mat66d, vec6d, vec8d, vec10d
from newtonish.kernels.derivative.cotangent import COTANGENT, sizes_of
from newtonish.kernels.derivative.kink_state import KINKS
from newtonish.kernels.derivative.needs import Needs, needs_of
from newtonish.kernels.derivative.stages import STAGES
from newtonish.kernels.derivative.witness import Witness
from newtonish.kernels.structs.field import group, scratch, value

f64, i32 = wp.float64, wp.int32

MOTION = group(
    "LinearMotion",
    "motion",
    "",
    [
        scratch("V", vec6d, "nbody", doc="velocity"),
        scratch("A", vec6d, "nbody", doc="acceleration, gravity as an upward one of the world"),
        scratch("L", vec6d, "nbody", doc="sum of axes times qacc: what rows of contacts see of the acceleration"),
        scratch("X", vec6d, "nbody", doc="the same of qacc less the integrator's acceleration"),
        scratch("F", vec6d, "nbody", doc="force that moves the subtree, less what acts on it from outside"),
        scratch("FX", vec6d, "nbody", doc="force that gives the subtree X"),
        scratch("inertia", vec10d, "nbody", doc="inertia of the subtree"),
        scratch("B", mat63d, "nbody", doc="derivative of the subtree's bias force by an angular velocity added to all of it; by a linear one there is none"),
        scratch("base_V", vec6d, "nv", doc="velocity that a rotation by the dof does not turn along"),
        scratch("base_L", vec6d, "nv", doc="the same of L"),
        scratch("u", vec6d, "nv", doc="change of velocity of all that a unit of the dof moves, seen from it"),
        scratch("c", vec6d, "nv", doc="change of its acceleration, but for u x V"),
        scratch("cx", vec6d, "nv", doc="change of X"),
        scratch("e", vec6d, "nv", doc="change of the acceleration by the dof's velocity, but for its axis x V"),
        scratch("IS", vec6d, "nv", doc="inertia of the subtree times the axis"),
        scratch("BS", wp.vec3d, "nv", doc="B' times the axis"),
        scratch("witness", Witness, "ncontact", doc="features of each contact that has rows (``witnesses.py``)"),
        scratch("drag", mat66d, "nfluid", doc="derivative of the medium's force on the subtree by a velocity added to all of it"),
        scratch("held", mat66d, "nheld", doc="what the integrator's matrix has of the slope of the medium's force on the body"),
        scratch("held_all", mat66d, "nheld", doc="the same of the subtree"),
        scratch("held_bend", mat66d, "nheld", 6, doc="its derivatives by six velocities"),
        scratch("held_force", vec6d, "nheld", doc="what it is times the integrator's acceleration, of the subtree"),
        scratch("held_slope", mat66d, "nheld", doc="derivative of that by velocity"),
    ],
)

LINEAR = group(
    "Linear",
    "linear",
    "",
    [
        scratch("M", f64, "nv", "nv", doc="mass matrix"),
        scratch("H", f64, "nv", "nv", doc="Hessian, then its Cholesky factor in the lower triangle"),
        scratch("K", f64, "nv", "nv", doc="M - h dF/dv of the integrator, then its factor"),
        scratch("Gq", f64, "nv", "nv", doc="derivative of the residual by position"),
        scratch("Gv", f64, "nv", "nv", doc="derivative of the residual by velocity"),
        scratch("Xq", f64, "nv", "nv", doc="derivative of M qacc - K acc by position, with the integrator's acceleration acc; at first of M alone"),
        scratch("Xv", f64, "ncurved", "ncurved", doc="minus the derivative by velocity of K times the integrator's acceleration, but for dampers in joints"),
        scratch("Xu", f64, "ncurved", "ninput", doc="the same by activations, then by controls"),
        scratch("bend", f64, "nbend", "nbend", doc="changes of the moment of one transmission or tendon, a column for each dof that moves"),
        scratch("Gu", f64, "nlawful", "ninput", doc="minus what activations, then controls, do to the residual, but for those of actuators with one input"),
        scratch("Az", f64, "nlawact", "nline", doc="derivative of their next activations by all inputs"),
        scratch("Ez", f64, "nlawend", "nline", doc="with RK4, whose Az has rates: that of those next activations that do not follow from rates"),
        scratch("end_velocity", f64, "nlawend", doc="what of that comes by an actuator's velocity"),
        scratch("act_length", f64, "nlawact", doc="what of Az comes by an actuator's length"),
        scratch("act_velocity", f64, "nlawact", doc="and by its velocity"),
        scratch("wrap_pull", vec6d, "nwrap", doc="how the length of one tendon grows as ends of a string on a geom are moved, both one after the other"),
        scratch("wrap_answer", mat66d, "nwrap", doc="change of that with motions of both ends, one a row"),
        scratch("ten_actuator", i32, "ntendon", doc="first actuator on a spatial tendon; -1: none"),
        scratch("next_actuator", i32, "nactuator", doc="the next one on the same tendon"),
        scratch("arm", f64, "narm", doc="the moment of one transmission or tendon"),
        scratch("held", f64, "narm", doc="what the product of it with itself, times the acceleration, is"),
        scratch("input_act", f64, "nactuator", doc="derivative of what an actuator's gain is multiplied by, by the activation"),
        scratch("input_ctrl", f64, "nactuator", doc="by the control"),
        scratch("tendon_rate", f64, "nrated", "nv", doc="change of a tendon's velocity by position, for sensors"),
        scratch("tendon_push", f64, "nrated", "nv", doc="of what its Jacobian makes of the acceleration"),
        scratch("out_length", f64, "nturned", "nv", doc="change of the length of an actuator whose moment turns, for sensors"),
        scratch("out_rate", f64, "nturned", "nv", doc="of its velocity"),
        scratch("medium", f64, "nmedium", "nmedium", doc="derivative of the medium's forces by velocity, as far as the integrator takes it"),
        scratch("ten_firm", vec8d, "nfirm_ten", doc="stiffness and damping of each tendon in the metric, and their derivatives (``firmness.py``)"),
        scratch("act_firm", vec8d, "nfirm_act", doc="of each actuator"),
        scratch("stiffer", f64, "nstiffer", "nline", doc="change of what the metric adds to the diagonal of the mass matrix, by all inputs"),
        scratch(
            "rescaled",
            f64,
            "nrescaled",
            "nline",
            doc="change of the logarithm of the weight of each joint's limit, then each tendon's, by all inputs, for sensors",
        ),
        scratch("heavier", f64, "nheavier", "nheavier", doc="change of that diagonal itself by position, of tendons with inertia alone"),
        scratch("kv", f64, "nv", doc="derivative of the diagonal of K by velocity, times the integrator's acceleration"),
        scratch(
            "Kq", f64, "nspin", "nspin", doc="derivative by position of what bias forces are in K, times the integrator's acceleration; K then has an LU factor"
        ),
        scratch("Kv", f64, "nspin", "nspin", doc="by velocity"),
        scratch("spins", i32, "nspin", doc="1: K has the derivative of the dof's bias force"),
        scratch("rate", f64, "nv", doc="velocity that motions are worked out for"),
        scratch("push", f64, "nv", doc="acceleration that they are worked out for"),
        scratch("acc", f64, "nv", doc="the integrator's acceleration"),
        scratch("speed", f64, "nv", doc="velocity at the end of the step"),
        scratch("warm", wp.float32, "nv", doc="the solver's start, which stays as it was"),
        scratch("left", i32, "nv", doc="1: the sum of actuator forces on the dof is free to change"),
        scratch("force_length", f64, "nactuator", doc="derivative of an actuator's force by its length"),
        scratch("force_velocity", f64, "nactuator", doc="by its velocity"),
        scratch("force_act", f64, "nactuator", doc="derivative of the force by the activation"),
        scratch("force_ctrl", f64, "nactuator", doc="by the control"),
        scratch("share", f64, "nshared", doc="factor by which limits of tendons scale them"),
        scratch("act_act", f64, "nactuator", doc="derivative of the next activation by the activation; with RK4 that of its rate"),
        scratch("act_ctrl", f64, "nactuator", doc="by the control"),
        scratch("column", f64, "nv", "nline", doc="columns on their way through the solves"),
        scratch("one", f64, "nv", 1, doc="a single column"),
        scratch("another", f64, "nv", 1, doc="a second one"),
        scratch("bar_q", f64, "nv", 1, doc="adjoint of the position"),
        scratch("bar_v", f64, "nv", 1, doc="adjoint of the velocity"),
        scratch("product", f64, "nv", "nline", doc="M times them"),
        value("A", wp.float32, "nx", "nx", doc="derivative of the next state by the state"),
        value("B", wp.float32, "nx", "nu", doc="by the controls"),
        value("next_bar", wp.float32, "nx", doc="adjoint of the next state, as given"),
        value("state_bar", wp.float32, "nx", doc="adjoint of the state"),
        value("ctrl_bar", wp.float32, "nu", doc="adjoint of the controls"),
        value("qfrc_bar", wp.float32, "nv", doc="adjoint of applied generalized forces"),
        value("xfrc_bar", wp.spatial_vector, "nbody", doc="adjoint of forces on bodies, force first"),
        value("blind", i32, doc="1 + first contact whose geometry has no derivative here; 0: none"),
        value("pair", wp.vec2i, doc="its geoms"),
    ],
)

SENSED = group(
    "Sensed",
    "sensed",
    "",
    [
        scratch("by_q", f64, "nsensordata", "nv", doc="derivative of the sensors by position, with all else held"),
        scratch("by_v", f64, "nsensordata", "nv", doc="by velocity"),
        scratch("by_a", f64, "nsensordata", "nv", doc="by the solver's acceleration"),
        scratch("by_act", f64, "nsensordata", "na", doc="by activations"),
        scratch("by_ctrl", f64, "nsensordata", "nu", doc="by controls"),
        value("C", wp.float32, "nsensordata", "nx", doc="by the state"),
        value("D", wp.float32, "nsensordata", "nu", doc="by the controls"),
        value("bar", wp.float32, "nsensordata", doc="adjoint of the sensors, as given"),
    ],
)

Sensed = SENSED.struct
LinearMotion = MOTION.struct
Linear = LINEAR.struct


def part_of(g: Any, whole: Any, first: int, last: int, slot: int) -> Any:
    """The struct of group ``g`` for worlds ``first`` to ``last - 1``, with the scratch that begins with that of world ``slot``."""
    struct = g.struct()
    for f in g.fields:
        array = getattr(whole, f.name)
        begin = slot if f.scratch else first
        setattr(struct, f.name, array[begin : begin + last - first] if array.size else array)
    return struct


@dataclass
class Workspace:
    """The groups for a number of worlds."""

    motion: Any
    linear: Any
    cotangent: Any
    kinks: Any
    stages: Any  # of RK4 alone
    needs: Needs
    checked: Any = None  # what was looked at before the last call
    checked_fields: Any = None  # and by which fields gradients were asked for
    fields: Any = None  # of gradients by fields of the model, made when they are first asked for
    sensed: Any = None  # of derivatives of sensors, likewise
    sensors_of: Any = None  # whose sensors were looked at before the last call

    def view(self, first: int, last: int, slot: int) -> Workspace:
        """The part of worlds ``first`` to ``last - 1``, with the scratch that begins with that of world ``slot``."""
        groups = ((MOTION, self.motion), (LINEAR, self.linear), (COTANGENT, self.cotangent), (KINKS, self.kinks), (STAGES, self.stages))
        parts = [None if whole is None else part_of(g, whole, first, last, slot) for g, whole in groups]
        fields = None if self.fields is None else self.fields.view(first, last, slot)
        sensed = None if self.sensed is None else part_of(SENSED, self.sensed, first, last, slot)
        return Workspace(*parts, self.needs, fields=fields, sensed=sensed)

    def serves(self, m: Any) -> bool:
        """Whether it has all that the model needs with its present integrator and medium."""
        return self.needs == needs_of(m)


def _groups(needs: Needs) -> list[Any]:
    return [MOTION, LINEAR, COTANGENT, KINKS, STAGES] if needs.stages else [MOTION, LINEAR, COTANGENT, KINKS]


def bytes_of_workspace(m: Any, nworld: int, nconmax: int, without: tuple[str, ...] = ()) -> int:
    """Memory of a workspace with room for ``nconmax`` contacts [bytes], but for the fields ``without``."""
    needs = needs_of(m)
    sizes = _sizes(m, needs, nconmax)
    fields = [f for g in _groups(needs) for f in g.fields if f.name not in without]
    return nworld * sum(wp.types.type_size_in_bytes(f.dtype) * _count(_shape(sizes, f)) for f in fields)


def make_workspace(m: Any, nworld: int, nconmax: int, device: Any) -> Workspace:
    """Zeroed arrays for a model, with room for ``nconmax`` contacts."""
    needs = needs_of(m)
    parts, sizes = [], _sizes(m, needs, nconmax)
    for g in _groups(needs):
        struct = g.struct()
        for f in g.fields:
            setattr(struct, f.name, wp.zeros((nworld, *_shape(sizes, f)), dtype=f.dtype, device=device))
        parts.append(struct)
    motion, linear, cotangent, kinks, *stages = parts
    return Workspace(motion, linear, cotangent, kinks, stages[0] if stages else None, needs)


def give_room(work: Workspace, nconmax: int) -> None:
    """Room for so many contacts in what belongs to single ones."""
    before = work.motion.witness
    work.motion.witness = wp.zeros((before.shape[0], nconmax), dtype=before.dtype, device=before.device)


def _sizes(m: Any, needs: Needs, nconmax: int) -> dict[str, int]:
    """Dimensions by their names."""
    nv = m.size.nv
    return sizes_of(m, 0) | {
        "na": m.size.na,
        "ncontact": nconmax,
        "nline": max(1, columns(m)),
        "nx": 2 * nv + m.size.na,
        "nu": m.size.nu,
        "nfluid": m.size.nbody if m.size.nfluid else 0,
        "nheld": m.size.nbody if needs.holds_medium else 0,
        "nmedium": nv if needs.holds_medium else 0,
        "nrated": m.size.ntendon if m.ntenspatial and m.size.nsensordata else 0,
        "nturned": m.size.nout if m.size.nsensordata and needs.turns else 0,
        "nlawful": nv if m.size.nlaw or needs.stiffens else 0,
        "nshared": m.size.nactuator if m.size.ntenfrc else 0,
        "nlawact": m.size.na if m.size.nlaw else 0,
        "nlawend": m.size.na if m.size.nlaw and needs.stages else 0,
        "ninput": m.size.na + m.size.nu,
        "nspin": nv if needs.spins else 0,
        "nwrap": int(m.tendon.num.numpy().max()) if m.ntenspatial else 0,
        "nbend": nv if needs.bent else 0,
        "ncurved": nv if needs.curved else 0,
        "narm": nv if needs.curved or needs.bent or needs.stiffens else 0,
        "nfirm_ten": m.size.ntendon if needs.firm else 0,
        "nfirm_act": m.size.nactuator if needs.firm else 0,
        "nstiffer": nv if needs.stiffens else 0,
        "nrescaled": m.size.njnt + m.size.ntendon if needs.firm and _measures_limits(m) else 0,
        "nheavier": nv if needs.stiffens and m.ntenspatial else 0,
    }


def _measures_limits(m: Any) -> bool:
    """Whether a sensor measures the force of a limit."""
    kinds = (SensorType.JOINTLIMITFRC, SensorType.TENDONLIMITFRC)
    return bool(m.size.nsensordata) and not set(kinds).isdisjoint(m.sensor_type.numpy().tolist())


def _shape(sizes: dict[str, int], f: Any) -> tuple[int, ...]:
    return tuple(size if isinstance(size, int) else sizes[size] for size in f.dims)


def columns(m: Any) -> int:
    """Inputs of a step: positions, velocities, activations and controls."""
    return 2 * m.size.nv + m.size.na + m.size.nu


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
