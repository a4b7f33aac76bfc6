"""Tendons of both kinds, and what they have in common: velocity, and armature in the mass matrix.

A tendon's armature is inertia of its length: it adds armature * J' J to M, where M has entries. Method: MuJoCo
documentation, chapter XML Reference, tendon attribute armature.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics, Mass, State, TendonState
from newtonish.kernels.structs.model import Body, Dof, Geom, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.fixed import fixed_tendon
from newtonish.kernels.tendon.spatial import spatial_tendon

SPATIAL = wp.constant(1)  # TendonType


@wp.func
def tendon_world(
    size: Size, tree: Tree, body: Body, geom: Geom, site: Site, tendon: Tendon, state: State, kin: Kinematics, com: Com,
    ten: TendonState, w: int, lane: int,
):  # fmt: skip
    """Length, Jacobian and path of each tendon of one world; returns with a barrier."""
    if size.ntendon > 0:
        for t in range(lane, size.ntendon, lanes()):
            if tendon.type[t] == SPATIAL:
                spatial_tendon(tree, body, geom, site, tendon, kin, com, ten, w, t)
            else:
                fixed_tendon(tendon, state, ten, w, t)
        sync()


@wp.func
def fixed_tendons_world(size: Size, tendon: Tendon, state: State, ten: TendonState, w: int, lane: int):
    """The same for a model whose tendons are all fixed."""
    if size.ntendon > 0:
        for t in range(lane, size.ntendon, lanes()):
            fixed_tendon(tendon, state, ten, w, t)
        sync()


@wp.func
def tendon_armature_world(size: Size, dof: Dof, tendon: Tendon, ten: TendonState, mass: Mass, w: int, lane: int):
    """Add the tendons' armature to the mass matrix of one world; returns with a barrier."""
    if size.ntenarmature > 0:
        armature_w = per_world(tendon.armature.shape[0], w)
        if lane == 0:  # tendons may share dofs: one lane adds them, so that the order of the sum is fixed
            for t in range(size.ntendon):
                armature = tendon.armature[armature_w, t]
                if armature != 0.0:
                    add_tendon_product(dof, tendon, ten, mass.M, armature, w, t)
        sync()


@wp.func
def add_tendon_product(dof: Dof, tendon: Tendon, ten: TendonState, target: wp.array2d(dtype=float), scale: float, w: int, t: int):
    """Add ``scale`` J' J of tendon ``t`` to ``target``, which has M's sparsity; other entries are left out."""
    first = tendon.J_rowadr[t]
    for a in range(first, first + tendon.J_rownnz[t]):
        scaled = scale * ten.J[w, a]
        if scaled != 0.0:
            i = tendon.J_colind[a]
            b = int(first)
            adr = dof.M_rowadr[i]
            for k in range(adr, adr + dof.M_rownnz[i]):
                column = dof.M_colind[k]
                while b < a and tendon.J_colind[b] < column:  # both ascend
                    b += 1
                if tendon.J_colind[b] == column:
                    target[w, k] = target[w, k] + scaled * ten.J[w, b]


@wp.func
def tendon_velocity_world(size: Size, tendon: Tendon, state: State, ten: TendonState, w: int, lane: int):
    """Velocity of each tendon of one world, J qvel; returns with a barrier."""
    for t in range(lane, size.ntendon, lanes()):
        adr = tendon.J_rowadr[t]
        velocity = wp.float32(0.0)
        for k in range(adr, adr + tendon.J_rownnz[t]):
            velocity += ten.J[w, k] * state.qvel[w, tendon.J_colind[k]]
        ten.velocity[w, t] = velocity
    sync()


@wp.kernel
def _tendon(
    size: Size, tree: Tree, body: Body, geom: Geom, site: Site, tendon: Tendon, state: State, kin: Kinematics, com: Com,
    ten: TendonState,
):  # fmt: skip
    w, lane = wp.tid()
    tendon_world(size, tree, body, geom, site, tendon, state, kin, com, ten, w, lane)
    tendon_velocity_world(size, tendon, state, ten, w, lane)


def tendon(m: Any, d: Any) -> None:
    """Lengths, Jacobians and velocities of all tendons, and the points that spatial ones go through.

    Reads   m.tree, m.body, m.geom, m.site, m.tendon; d.state (qpos, qvel), d.kin, d.com
    Writes  d.ten_length, d.ten_J, d.ten_velocity, d.ten_wrapadr, d.ten_wrapnum, d.wrap_xpos, d.wrap_obj
    MuJoCo  mj_tendon and the tendon part of mj_fwdVelocity; the points of tendon t begin at twice tendon_adr[t] and are not packed.
    """
    groups = [m.size, m.tree, m.body, m.geom, m.site, m.tendon, d.state, d.kin, d.com, d.ten]
    launch(_tendon, d, groups)


@wp.kernel
def _tendon_armature(size: Size, dof: Dof, tendon: Tendon, ten: TendonState, mass: Mass):
    w, lane = wp.tid()
    tendon_armature_world(size, dof, tendon, ten, mass, w, lane)


def tendon_armature(m: Any, d: Any) -> None:
    """Add the tendons' armature to the mass matrix, after ``crb``, in models with such.

    Reads   m.dof, m.tendon; d.ten_J (after tendon)
    Writes  d.mass.M [kg, kg m, kg m^2]
    MuJoCo  part of mj_makeM.
    """
    if m.size.ntenarmature > 0:
        launch(_tendon_armature, d, [m.size, m.dof, m.tendon, d.ten, d.mass])
