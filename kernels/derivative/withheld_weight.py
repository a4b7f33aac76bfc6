"""Compensated weight that actuators would carry and do not, where their sum on a joint is limited or they are switched off.

Until then it counts as a force on bodies, on every dof (``loads.py``); here it is taken back from the dofs that do without.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.derivative.algebra import carried_force, join, real, wide, wide6
from newtonish.kernels.derivative.bends import anchored, turns_with
from newtonish.kernels.derivative.loads import compensated_weight
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.math.world import lane_index, lanes, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Kinematics
from newtonish.kernels.structs.model import Body, Dof, Joint, Option, Size, Tree


@wp.kernel
def _withheld_weight(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, kin: Kinematics, com: Com, linear: Linear, nworld: int,
):  # fmt: skip
    """Take the change of compensated weight from dofs whose actuators do not carry it; each lane has columns of its own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        off = size.nactuator == 0 or (opt.disableflags & DisableBit.ACTUATION) != 0
        for j in range(size.nv):
            if jnt.actgravcomp[dof.jntid[j]] != 0 and (off or linear.left[w, j] == 0):
                for b in range(1, size.nbody):
                    weight = compensated_weight(opt, body, w, b)
                    if moves(dof, j, last_dof(tree, b)) and wp.dot(weight, weight) != real(0.0):
                        for k in range(lane, size.nv, lanes()):
                            if moves(dof, k, last_dof(tree, b)):
                                at = anchored(tree, body, dof, com, wide(kin.xipos[w, b]), w, b, k)
                                change = join(wp.cross(at.moved, weight), wp.vec3d())
                                if turns_with(jnt, dof, j, k):
                                    change -= carried_force(wide6(com.cdof[w, k]), join(wp.cross(at.arm, weight), weight))
                                linear.Gq[w, j, k] = linear.Gq[w, j, k] + wp.dot(wide6(com.cdof[w, j]), change)


through_worlds(_withheld_weight)


def withheld_weight(m: Any, d: Any, work: Workspace) -> None:
    """Take compensated weight from the dofs whose actuators do not carry it, once it is known which.

    Reads   m; d.kin, d.com, work.linear.left
    Writes  work.linear.Gq
    """
    launch(_withheld_weight, d, [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, d.kin, d.com, work.linear])
