"""Arrays of the linearized step, float64, made for a Data when a derivative is first asked for.

The residual of the dynamics is r(q, v, a) = M a + bias - other smooth forces - J' f. ``H`` is its derivative by the acceleration, the solver's
Hessian; ``Gq`` and ``Gv`` are those by position and velocity with the acceleration held, cones, references and contact geometry included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonish.common.enums import BiasType, GainType, IntegratorType, JointType, TrnType
from newtonish.kernels.derivative.algebra import mat63d, mat66d, vec6d, vec10d
from newtonish.kernels.derivative.stages import STAGES
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
        scratch("drag", mat66d, "nfluid", doc="derivative of the medium's force on the subtree by a velocity added to all of it"),
    ],
)

LINEAR = group(
    "Linear",
    "linear",
    "",
    [
        scratch("M", f64, "nv", "nv", doc="mass matrix"),
        scratch("H", f64, "nv", "nv", doc="Hessian, then its Cholesky factor in the lower triangle"),
        scratch("K", f64, "nv", "nv", doc="M - h dF/dv of the integrator, then its Cholesky factor"),
        scratch("Gq", f64, "nv", "nv", doc="derivative of the residual by position"),
        scratch("Gv", f64, "nv", "nv", doc="derivative of the residual by velocity"),
        scratch("Xq", f64, "nv", "nv", doc="derivative of M x by position, x = qacc less the integrator's acceleration"),
        scratch("Xv", f64, "ncurved", "ncurved", doc="h times the derivative of implicitfast's dF/dv times its acceleration, by velocity"),
        scratch("Xu", f64, "ncurved", "ninput", doc="the same by activations, then by controls"),
        scratch("bend", f64, "nbend", "nbend", doc="changes of the moment of one transmission or tendon, a column for each dof that moves"),
        scratch("arm", f64, "ncurved", doc="the moment of one transmission or tendon"),
        scratch("held", f64, "ncurved", doc="what the product of it with itself, times the acceleration, is"),
        scratch("input_act", f64, "nactuator", doc="derivative of what an actuator's gain is multiplied by, by the activation"),
        scratch("input_ctrl", f64, "nactuator", doc="by the control"),
        scratch("kv", f64, "nv", doc="derivative of the diagonal of K by velocity, times the integrator's acceleration"),
        scratch("acc", f64, "nv", doc="the integrator's acceleration"),
        scratch("speed", f64, "nv", doc="velocity at the end of the step"),
        scratch("warm", wp.float32, "nv", doc="the solver's start, which stays as it was"),
        scratch("left", i32, "nv", doc="1: the sum of actuator forces on the dof is free to change"),
        scratch("force_length", f64, "nactuator", doc="derivative of an actuator's force by its length"),
        scratch("force_velocity", f64, "nactuator", doc="by its velocity"),
        scratch("force_act", f64, "nactuator", doc="by its activation"),
        scratch("force_ctrl", f64, "nactuator", doc="by its control"),
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
    ],
)

LinearMotion = MOTION.struct
Linear = LINEAR.struct


@dataclass
class Workspace:
    """The groups for a number of worlds."""

    motion: Any
    linear: Any
    stages: Any = None  # of RK4 alone
    checked: Any = None  # what was looked at before the last call
    turns: bool = False  # moments of some actuators change, on other transmissions than tendons
    curved: bool = False  # what implicitfast takes of forces by velocity may change
    fields: Any = None  # of gradients by fields of the model, made when they are first asked for
    compensates: bool = False  # actuators carry weight

    def view(self, first: int, last: int, slot: int) -> Workspace:
        """The part of worlds ``first`` to ``last - 1``, with the scratch that begins with that of world ``slot``."""
        parts = []
        for g, whole in ((MOTION, self.motion), (LINEAR, self.linear), (STAGES, self.stages)):
            if whole is None:
                continue
            struct = g.struct()
            for f in g.fields:
                array = getattr(whole, f.name)
                begin = slot if f.scratch else first
                setattr(struct, f.name, array[begin : begin + last - first] if array.size else array)
            parts.append(struct)
        fields = None if self.fields is None else self.fields.view(first, last, slot)
        return Workspace(*parts, turns=self.turns, curved=self.curved, compensates=self.compensates, fields=fields)

    def serves(self, m: Any) -> bool:
        """Whether it has all that the model's integrator and medium need."""
        return (self.stages is not None or not has_stages(m)) and (self.motion.drag.size > 0 or not m.size.nfluid)


def has_stages(m: Any) -> bool:
    """Whether a step evaluates the dynamics several times."""
    return m.opt.integrator == IntegratorType.RK4


def _groups(m: Any) -> list[Any]:
    return [MOTION, LINEAR, STAGES] if has_stages(m) else [MOTION, LINEAR]


def bytes_of_workspace(m: Any, nworld: int, without: tuple[str, ...] = ()) -> int:
    """Memory of a workspace [bytes], but for the fields ``without``."""
    fields = [f for g in _groups(m) for f in g.fields if f.name not in without]
    return nworld * sum(wp.types.type_size_in_bytes(f.dtype) * _count(_shape(m, f)) for f in fields)


def make_workspace(m: Any, nworld: int, device: Any) -> Workspace:
    """Zeroed arrays for a model."""
    parts = []
    for g in _groups(m):
        struct = g.struct()
        for f in g.fields:
            setattr(struct, f.name, wp.zeros((nworld, *_shape(m, f)), dtype=f.dtype, device=device))
        parts.append(struct)
    return Workspace(*parts, turns=moments_turn(m), curved=slopes_change(m), compensates=bool(m.jnt_actgravcomp.numpy().any()))


def _shape(m: Any, f: Any) -> tuple[int, ...]:
    sizes = {
        "nbody": m.size.nbody,
        "nq": m.size.nq,
        "nv": m.size.nv,
        "na": m.size.na,
        "nactuator": m.size.nactuator,
        "nline": max(1, columns(m)),
        "nx": 2 * m.size.nv + m.size.na,
        "nu": m.size.nu,
        "nfluid": m.size.nbody if m.size.nfluid else 0,
        "nbend": m.size.nv if m.ntenspatial or moments_turn(m) else 0,
        "ncurved": m.size.nv if slopes_change(m) else 0,
        "ninput": m.size.na + m.size.nu,
    }
    return tuple(size if isinstance(size, int) else sizes[size] for size in f.dims)


def moments_turn(m: Any) -> bool:
    """Whether an actuator acts on a site, a crank, an orientation or a ball, so that its moment changes or is no gradient of its length."""
    for a, kind in enumerate(m.actuator_trntype.numpy().tolist()):
        if kind in (TrnType.SITE, TrnType.SLIDERCRANK, TrnType.SO3):
            return True
        if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
            joint = m.jnt_type.numpy()[m.actuator_trnid.numpy()[a, 0]]
            inputs_alone = m.actuator_gaintype.numpy()[a] == GainType.FIXED and m.actuator_biastype.numpy()[a] == BiasType.NONE
            turns = kind == TrnType.JOINTINPARENT and joint in (JointType.BALL, JointType.FREE)
            if turns or (joint == JointType.BALL and not inputs_alone):
                return True
    return False


def slopes_change(m: Any) -> bool:
    """Whether what implicitfast takes of forces by velocity may change with the state, on more than one dof."""
    follows = m.size.nactuator and (m.actuator_gaintype.numpy() != GainType.FIXED).any()
    return bool(m.size.ntendon or follows or moments_turn(m))


def columns(m: Any) -> int:
    """Inputs of a step: positions, velocities, activations and controls."""
    return 2 * m.size.nv + m.size.na + m.size.nu


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
