"""What the derivatives of a model's step need beside those that every step has."""

from __future__ import annotations

from typing import Any, NamedTuple

from newtonish.common.actuator_parameters import DCMotorDyn
from newtonish.common.enums import BiasType, ForceLaw, GainType, IntegratorType, JointType, TrnType


class Needs(NamedTuple):
    """Which parts of a step have derivatives of their own.

    Attributes:
        stages: the dynamics are evaluated several times.
        spins: the matrix of the integrator has derivatives of bias forces in it, and is unsymmetric.
        curved: what the integrator takes of forces by velocity may change.
        turns: moments of some actuators change, on joints, sites and cranks.
        bent: moments of actuators or tendons change.
        compensates: actuators carry weight.
        medium: there is a medium.
        holds_medium: the integrator takes forces of the medium at the end of the step.
        firm: there is the metric of discrete, with springs and dampers in it.
        stiffens: that metric changes, but for the mass matrix.
    """

    stages: bool
    spins: bool
    curved: bool
    turns: bool
    bent: bool
    compensates: bool
    medium: bool
    holds_medium: bool
    firm: bool
    stiffens: bool


def needs_of(m: Any) -> Needs:
    """What a model needs with its present integrator; reads arrays of the device."""
    spins, turns = _spins(m), _moments_turn(m)
    bent = bool(turns or m.ntenspatial or m.size.nso3 or m.size.nadhesion)
    implicit = m.opt.integrator in (IntegratorType.IMPLICIT, IntegratorType.IMPLICITFAST)
    medium = m.size.nfluid > 0
    curved = implicit and (spins or bent or medium or _slopes_change(m))
    compensates = bool(m.jnt_actgravcomp.numpy().any())
    firm = m.opt.integrator == IntegratorType.DISCRETE
    stiffens = firm and (bent or medium or _stiffness_changes(m))
    return Needs(has_stages(m), spins, curved, turns, bent, compensates, medium, medium and (implicit or firm), firm, stiffens)


def has_stages(m: Any) -> bool:
    """Whether a step evaluates the dynamics several times."""
    return m.opt.integrator == IntegratorType.RK4


def _spins(m: Any) -> bool:
    """Implicit takes bias forces of all trees, implicitfast and discrete those of bodies alone on a free joint."""
    apart = (IntegratorType.IMPLICITFAST, IntegratorType.DISCRETE)
    return m.opt.integrator == IntegratorType.IMPLICIT or (m.opt.integrator in apart and has_free_body(m))


def has_free_body(m: Any) -> bool:
    """Whether a tree is one body on a free joint."""
    free = m.jnt_dofadr.numpy()[m.jnt_type.numpy() == JointType.FREE]
    return free.size > 0 and bool((m.tree_dofnum.numpy()[m.dof_treeid.numpy()[free]] == 6).any())


def _moments_turn(m: Any) -> bool:
    """Whether an actuator acts on a site, a crank or a ball, so that its moment changes or is no gradient of its length."""
    for a, kind in enumerate(m.actuator_trntype.numpy().tolist()):
        if kind in (TrnType.SITE, TrnType.SLIDERCRANK):
            return True
        if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
            joint = m.jnt_type.numpy()[m.actuator_trnid.numpy()[a, 0]]
            inputs_alone = m.actuator_gaintype.numpy()[a] == GainType.FIXED and m.actuator_biastype.numpy()[a] == BiasType.NONE
            turns = kind == TrnType.JOINTINPARENT and joint in (JointType.BALL, JointType.FREE)
            if turns or (joint == JointType.BALL and not inputs_alone):
                return True
    return False


def _slopes_change(m: Any) -> bool:
    """Whether what the integrator takes of forces by velocity may change with the state, on more than one dof."""
    follows = m.size.nactuator and ((m.actuator_gaintype.numpy() != GainType.FIXED).any() or _motors_warm(m))
    return bool(m.size.ntendon or follows)


def _motors_warm(m: Any) -> bool:
    """Whether a motor's winding has a temperature, with which its resistance changes."""
    warms = m.actuator_dynprm.numpy()[:, :, DCMotorDyn.THERMAL_RESISTANCE].any(axis=0)
    return bool((warms & (m.actuator_law.numpy() == ForceLaw.DCMOTOR)).any())


def _stiffness_changes(m: Any) -> bool:
    """Whether springs, dampers or actuators may have a stiffness or a damping that changes with the state."""
    if m.size.nactuator:
        kinds = (m.actuator_gaintype.numpy() != GainType.FIXED).any() or (m.actuator_biastype.numpy() == BiasType.MUSCLE).any()
        if kinds or m.size.nlaw:
            return True
    names = ("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly")
    return any(bool(getattr(m, name).numpy().any()) for name in names)
