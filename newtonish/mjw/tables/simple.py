"""Which kernels of a step a model can have in their simple form, which compiles faster (docs/decisions/011.md).

Structure decides, never values: types of actuators, joints and geoms and the number of tendons, none of which may change
once a model is on the device. Both forms of a kernel give the same results to the bit (tests/kernels/test_simple.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import BiasType, BroadphaseType, DynType, ForceLaw, GainType, GeomType, JointType, TrnType
from newtonish.kernels.structs.container import Simple

ROUND = (GeomType.PLANE, GeomType.SPHERE, GeomType.CAPSULE)


def simple_stages(m: Any) -> Simple:
    """The stages that this model may have the simple kernels for."""
    on_joints = m.ntenspatial == 0 and _acts_on_joints(m)
    motors = on_joints and _has_motors_only(m)
    return Simple(
        position=on_joints,
        collision=_collides_round(m),
        smooth=motors,
        constraint=m.size.ntendon == 0,
        implicitfast=motors and m.size.ntendon == 0 and _has_joints_of_their_own(m) and not _has_free_bodies(m),
    )


def _collides_round(m: Any) -> bool:
    """Only planes, spheres and capsules are in the list of pairs."""
    if m.opt.broadphase != BroadphaseType.NXN or m.hfield.ncollide > 0 or m.hull.nconvex > 0:
        return False
    used = np.concatenate([m.collide.geom1.numpy(), m.collide.geom2.numpy()])
    return bool(np.isin(m.geom.type.numpy()[used], ROUND).all())


def _acts_on_joints(m: Any) -> bool:
    """Every actuator has one output, on a joint."""
    joints = np.isin(m.actuator.trntype.numpy(), (TrnType.JOINT, TrnType.JOINTINPARENT)).all()
    return bool(joints and (m.actuator.outnum.numpy() == 1).all())


def _has_joints_of_their_own(m: Any) -> bool:
    """Every actuator acts on a slide or hinge joint on which no other acts."""
    joints = m.actuator.trnid.numpy()[:, 0]
    single = np.isin(m.jnt.type.numpy()[joints], (JointType.SLIDE, JointType.HINGE)).all()
    return bool(single and len(np.unique(joints)) == len(joints))


def _has_free_bodies(m: Any) -> bool:
    """Some tree is one free body, which the implicit integrators solve apart."""
    first = m.jnt.dofadr.numpy()[m.jnt.type.numpy() == JointType.FREE]
    trees = m.dof.treeid.numpy()
    return any((trees == trees[i]).sum() == 6 for i in first)


def _has_motors_only(m: Any) -> bool:
    """Actuators with a fixed gain, an affine bias at most and no activation; none on ball joints, whose angle wraps."""
    actuator = m.actuator
    plain = (actuator.law.numpy() == ForceLaw.GAIN_BIAS) & (actuator.gaintype.numpy() == GainType.FIXED)
    plain &= np.isin(actuator.biastype.numpy(), (BiasType.NONE, BiasType.AFFINE))
    plain &= (actuator.dyntype.numpy() == DynType.NONE) & (actuator.actadr.numpy() < 0)
    if plain.size:
        plain &= m.jnt.type.numpy()[actuator.trnid.numpy()[:, 0]] != JointType.BALL
    return bool(plain.all())
