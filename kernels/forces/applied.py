"""Forces and torques that the user applies to bodies, as generalized force."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.forces.wrench import accumulate_wrench_world, wrench_at, wrench_on_dof
from newtonish.kernels.math.world import lanes, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics, Scratch, State
from newtonish.kernels.structs.model import Body, Dof, Size, Tree


@wp.func
def xfrc_accumulate_world(
    size: Size, tree: Tree, body: Body, dof: Dof, state: State, kin: Kinematics, com: Com, scratch: Scratch,
    qfrc: wp.array2d(dtype=float), w: int, lane: int,
):  # fmt: skip
    """Add the generalized force of ``xfrc_applied`` to row ``w`` of ``qfrc``; nothing to do if all of it is zero."""
    applied = wp.int32(0)
    for i in range(lane, size.nbody, lanes()):
        given = state.xfrc_applied[w, i]
        if wp.dot(given, given) != 0.0:
            applied = 1
    if sum_lanes_int(applied) > 0:
        for i in range(lane, size.nbody, lanes()):
            given = state.xfrc_applied[w, i]
            offset = kin.xipos[w, i] - com.subtree_com[w, body.rootid[i]]
            # force first, as MuJoCo's users write it
            scratch.wrench[w, i] = wrench_at(wp.spatial_top(given), wp.spatial_bottom(given), offset)
        sync()
        accumulate_wrench_world(size, tree, scratch.wrench, w, lane)
        for i in range(lane, size.nv, lanes()):
            qfrc[w, i] = qfrc[w, i] + wrench_on_dof(dof, com, scratch.wrench, w, i)
    sync()


@wp.kernel
def _xfrc_accumulate(
    size: Size, tree: Tree, body: Body, dof: Dof, state: State, kin: Kinematics, com: Com, scratch: Scratch,
    qfrc: wp.array2d(dtype=float),
):  # fmt: skip
    w, lane = wp.tid()
    xfrc_accumulate_world(size, tree, body, dof, state, kin, com, scratch, qfrc, w, lane)


def xfrc_accumulate(m: Any, d: Any, qfrc: wp.array) -> None:
    """Add the generalized force of the forces applied to bodies to ``qfrc`` (nworld, nv) [N, N m].

    Reads   m.body, m.dof, m.tree; d.state.xfrc_applied, d.kin.xipos, d.com
    Writes  qfrc, d.scratch.wrench
    MuJoCo  mj_xfrcAccumulate.
    """
    inputs = [m.size, m.tree, m.body, m.dof, d.state, d.kin, d.com, d.scratch, qfrc]
    launch(_xfrc_accumulate, d, inputs)
