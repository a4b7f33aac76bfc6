"""Bias force of tendons with armature: a spatial tendon's length changes its rate even where no coordinate accelerates.

With inertia m of the length L the force is J' m dJ/dt qvel, and dJ/dt qvel is the second derivative of L at zero qacc: for
each straight segment the relative acceleration of its ends along it, plus the square of their relative velocity across it
over its length. MuJoCo: mj_tendonBias; tendons with armature do not wrap around geoms.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.world import per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Force, Kinematics, TendonState, Velocity
from newtonish.kernels.structs.model import Body, Site, Size, Tendon
from newtonish.kernels.tendon.spatial import PULLEY
from newtonish.kernels.tendon.tendon import SPATIAL


@wp.func
def _point_velocity(body: Body, com: Com, vel: Velocity, w: int, b: int, x: wp.vec3) -> wp.vec3:
    cvel = vel.cvel[w, b]
    return wp.spatial_bottom(cvel) + wp.cross(wp.spatial_top(cvel), x - com.subtree_com[w, body.rootid[b]])


@wp.func
def _point_acceleration(body: Body, com: Com, vel: Velocity, w: int, b: int, x: wp.vec3, velocity: wp.vec3) -> wp.vec3:
    """Acceleration of a point of body ``b``, gravity's share included (it cancels between two points)."""
    cacc = vel.cacc[w, b]
    moved = wp.cross(wp.spatial_top(cacc), x - com.subtree_com[w, body.rootid[b]])
    return wp.spatial_bottom(cacc) + moved + wp.cross(wp.spatial_top(vel.cvel[w, b]), velocity)


@wp.func
def _segment_rate(body: Body, com: Com, vel: Velocity, w: int, b0: int, x0: wp.vec3, b1: int, x1: wp.vec3) -> float:
    """Second derivative of the distance of two points with the accelerations in ``vel.cacc``."""
    rate = wp.float32(0.0)
    gap = x1 - x0
    length = wp.length(gap)
    if length >= MINVAL and b0 != b1:
        direction = gap / length
        v0 = _point_velocity(body, com, vel, w, b0, x0)
        v1 = _point_velocity(body, com, vel, w, b1, x1)
        a0 = _point_acceleration(body, com, vel, w, b0, x0, v0)
        a1 = _point_acceleration(body, com, vel, w, b1, x1, v1)
        across = (v1 - v0) - wp.dot(direction, v1 - v0) * direction
        rate = wp.dot(direction, a1 - a0) + wp.dot(across, across) / length
    return rate


@wp.func
def length_rate(body: Body, site: Site, tendon: Tendon, kin: Kinematics, com: Com, vel: Velocity, w: int, t: int) -> float:
    """Second derivative of the length of spatial tendon ``t`` with the accelerations in ``vel.cacc``; it may not wrap."""
    rate = wp.float32(0.0)
    for k in range(tendon.adr[t], tendon.adr[t] + tendon.num[t] - 1):
        if tendon.wrap_type[k] != PULLEY and tendon.wrap_type[k + 1] != PULLEY:
            s0 = tendon.wrap_objid[k]
            s1 = tendon.wrap_objid[k + 1]
            x0 = kin.site_xpos[w, s0]
            x1 = kin.site_xpos[w, s1]
            scale = tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), k]
            rate += scale * _segment_rate(body, com, vel, w, site.bodyid[s0], x0, site.bodyid[s1], x1)
    return rate


@wp.func
def tendon_bias_world(
    size: Size, body: Body, site: Site, tendon: Tendon, kin: Kinematics, com: Com, vel: Velocity, ten: TendonState,
    frc: Force, w: int, lane: int,
):  # fmt: skip
    """Add the bias force of tendons with armature to ``qfrc_bias`` of one world; returns with a barrier."""
    if size.ntenarmature > 0:
        if lane == 0:  # tendons may share dofs: one lane adds them, so that the order of the sum is fixed
            for t in range(size.ntendon):
                armature = tendon.armature[per_world(tendon.armature.shape[0], w), t]
                if armature != 0.0 and tendon.type[t] == SPATIAL:
                    rate = length_rate(body, site, tendon, kin, com, vel, w, t)
                    for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                        i = tendon.J_colind[k]
                        frc.qfrc_bias[w, i] = frc.qfrc_bias[w, i] + ten.J[w, k] * armature * rate
        sync()


@wp.kernel
def _tendon_bias(size: Size, body: Body, site: Site, tendon: Tendon, kin: Kinematics, com: Com, vel: Velocity, ten: TendonState, frc: Force):
    w, lane = wp.tid()
    tendon_bias_world(size, body, site, tendon, kin, com, vel, ten, frc, w, lane)


def tendon_bias(m: Any, d: Any) -> None:
    """Add the bias force of tendons with armature to ``qfrc_bias``, after ``rne``, in models with such.

    Reads   m.body, m.site, m.tendon; d.kin, d.com, d.vel (cvel, cacc of the bias stage), d.ten
    Writes  d.frc.qfrc_bias [N, N m]
    MuJoCo  mj_tendonBias.
    """
    if m.size.ntenarmature > 0:
        launch(_tendon_bias, d, [m.size, m.body, m.site, m.tendon, d.kin, d.com, d.vel, d.ten, d.frc])
