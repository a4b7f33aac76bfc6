"""Potential and kinetic energy.

Potential: gravity, and springs of joints and tendons, whose force -x (k + k1 x + k2 x^2) integrates to
k x^2/2 + k1 x^3/3 + k2 x^4/4. Kinetic: half of qvel M qvel. MuJoCo: mj_energyPos, mj_energyVel.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.history.stage import springs
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize, quat_to_rotation_vector
from newtonish.kernels.math.world import lanes, per_world, sum_lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Kinematics, Mass, Sense, State, TendonState
from newtonish.kernels.structs.model import Body, Dof, Joint, Option, Size, Tendon


@wp.func
def poly_energy(linear: float, poly: wp.vec2, x: float) -> float:
    """Work that a polynomial spring has stored at displacement ``x``."""
    return x * x * (0.5 * linear + x * (poly[0] / 3.0 + 0.25 * x * poly[1]))


@wp.func
def _turned(jnt: Joint, state: State, w: int, q: int) -> float:
    """Angle [rad] between the orientation at coordinate ``q`` and its spring's rest."""
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    now = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
    rest = wp.vec4(
        jnt.qpos_spring[rest_w, q],
        jnt.qpos_spring[rest_w, q + 1],
        jnt.qpos_spring[rest_w, q + 2],
        jnt.qpos_spring[rest_w, q + 3],
    )
    return wp.length(quat_to_rotation_vector(quat_mul(quat_conj(rest), quat_normalize(now))))


@wp.func
def _joint_energy(jnt: Joint, state: State, w: int, j: int) -> float:
    """Energy in the spring of joint ``j`` [J]."""
    stiffness = jnt.stiffness[per_world(jnt.stiffness.shape[0], w), j]
    poly = jnt.stiffnesspoly[per_world(jnt.stiffnesspoly.shape[0], w), j]
    if stiffness == 0.0 and poly[0] == 0.0 and poly[1] == 0.0:
        return 0.0
    kind = jnt.type[j]
    q = jnt.qposadr[j]
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        return poly_energy(stiffness, poly, state.qpos[w, q] - jnt.qpos_spring[rest_w, q])
    if kind == JointType.BALL:
        return poly_energy(stiffness, poly, _turned(jnt, state, w, q))
    moved = wp.vec3(
        state.qpos[w, q] - jnt.qpos_spring[rest_w, q],
        state.qpos[w, q + 1] - jnt.qpos_spring[rest_w, q + 1],
        state.qpos[w, q + 2] - jnt.qpos_spring[rest_w, q + 2],
    )
    angle = _turned(jnt, state, w, q + 3)
    return poly_energy(stiffness, poly, wp.length(moved)) + poly_energy(stiffness, poly, angle)


@wp.func
def energy_pos_world(
    size: Size, opt: Option, body: Body, jnt: Joint, tendon: Tendon, state: State, kin: Kinematics, ten: TendonState,
    sense: Sense, w: int, lane: int,
):  # fmt: skip
    """Potential energy of one world; returns with a barrier."""
    energy = wp.float32(0.0)
    if (opt.disableflags & DisableBit.GRAVITY) == 0:
        gravity = opt.gravity[per_world(opt.gravity.shape[0], w)]
        mass_w = per_world(body.mass.shape[0], w)
        for i in range(1 + lane, size.nbody, lanes()):
            energy -= body.mass[mass_w, i] * wp.dot(gravity, kin.xipos[w, i])
    if (opt.disableflags & DisableBit.SPRING) == 0:
        for j in range(lane, size.njnt, lanes()):
            energy += _joint_energy(jnt, state, w, j)
        for t in range(lane, size.ntendon, lanes()):
            rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
            away = ten.length[w, t] - wp.clamp(ten.length[w, t], rest[0], rest[1])
            stiffness = tendon.stiffness[per_world(tendon.stiffness.shape[0], w), t]
            poly = tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t]
            energy += poly_energy(stiffness, poly, away)
    total = sum_lanes(energy)
    if lane == 0:
        sense.energy[w] = wp.vec2(total, sense.energy[w][1])
    sync()


@wp.func
def energy_vel_world(size: Size, dof: Dof, state: State, mass: Mass, sense: Sense, w: int, lane: int):
    """Kinetic energy of one world; returns with a barrier."""
    energy = wp.float32(0.0)
    for i in range(lane, size.nv, lanes()):
        last = dof.M_rowadr[i] + dof.M_rownnz[i] - 1  # the diagonal
        momentum = 0.5 * mass.M[w, last] * state.qvel[w, i]
        for k in range(dof.M_rowadr[i], last):
            momentum += mass.M[w, k] * state.qvel[w, dof.M_colind[k]]
        energy += momentum * state.qvel[w, i]
    total = sum_lanes(energy)
    if lane == 0:
        sense.energy[w] = wp.vec2(sense.energy[w][0], total)
    sync()


@wp.kernel
def _energy_pos(
    size: Size, opt: Option, body: Body, jnt: Joint, tendon: Tendon, state: State, kin: Kinematics, ten: TendonState,
    sense: Sense,
):  # fmt: skip
    w, lane = wp.tid()
    energy_pos_world(size, opt, body, jnt, tendon, state, kin, ten, sense, w, lane)


@wp.kernel
def _energy_vel(size: Size, dof: Dof, state: State, mass: Mass, sense: Sense):
    w, lane = wp.tid()
    energy_vel_world(size, dof, state, mass, sense, w, lane)


def energy_pos(m: Any, d: Any) -> None:
    """Potential energy.

    Reads   m.opt, m.body, m.jnt, m.tendon; d.state.qpos, d.kin.xipos, d.ten.length
    Writes  d.energy, first number [J]
    MuJoCo  mj_energyPos.
    """
    jnt, tendon = springs(m, d)
    launch(_energy_pos, d, [m.size, m.opt, m.body, jnt, tendon, d.state, d.kin, d.ten, d.sense])


def energy_vel(m: Any, d: Any) -> None:
    """Kinetic energy.

    Reads   m.dof; d.state.qvel, d.mass.M
    Writes  d.energy, second number [J]
    MuJoCo  mj_energyVel.
    """
    launch(_energy_vel, d, [m.size, m.dof, d.state, d.mass, d.sense])
