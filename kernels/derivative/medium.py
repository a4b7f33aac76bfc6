"""What forces of a medium add to the linearized dynamics.

In the frame of a body its force is a function of the body's velocity relative to the medium alone. So a dof turns the forces on all that it moves along, and
changes them by the slope times the change of velocity that is seen from there: ``u`` of ``motion.py``, and what the wind appears to turn backwards.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.derivative.algebra import join, mat66d, real, top, vec6d, wide, wide6
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.fluid import WHOLE, _body_wrench, body_fluid_slope
from newtonish.kernels.math.world import assume_nonnegative, lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Kinematics, Velocity
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Size, Tree


@wp.func
def is_off(opt: Option) -> bool:
    """Whether there are no passive forces at all."""
    both = DisableBit.SPRING | DisableBit.DAMPER
    return (opt.disableflags & both) == both


@wp.kernel
def _medium_loads(
    size: Size, opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Let the medium act on all bodies, and keep the slope of each."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for b in range(1 + lane, size.nbody, lanes()):
            slope = mat66d()
            if body.fluid[b] != 0 and not is_off(opt):
                found = body_fluid_slope(opt, body, geom, kin, com, vel, WHOLE, w, b)
                for i in range(6):
                    for j in range(6):
                        slope[i, j] = real(found[i, j])
                motion.F[w, b] = motion.F[w, b] - wide6(_body_wrench(opt, body, geom, kin, com, vel, w, b))
            motion.drag[w, b] = slope


through_worlds(_medium_loads)


@wp.func
def seen_wind(opt: Option, axis: vec6d, w: int) -> vec6d:
    """Change of velocity relative to the medium that a turn about ``axis`` makes of the wind, as seen by what turns."""
    wind = wide(opt.wind[per_world(opt.wind.shape[0], w)])
    return join(wp.vec3d(), wp.cross(top(axis), wind))


@wp.func
def _column(opt: Option, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, w: int, k: int):
    """Column ``k`` of Gq and Gv."""
    axis = wide6(com.cdof[w, k])
    change = motion.u[w, k] + seen_wind(opt, axis, w)
    for j in range(k + 1, dof.lastid[k] + 1):  # dofs that this one moves see their subtrees change
        felt = wide6(com.cdof[w, j])
        slope = motion.drag[w, dof.bodyid[j]]
        linear.Gq[w, j, k] = linear.Gq[w, j, k] - wp.dot(felt, slope * change)
        linear.Gv[w, j, k] = linear.Gv[w, j, k] - wp.dot(felt, slope * axis)
    by_position = motion.drag[w, dof.bodyid[k]] * change
    by_velocity = motion.drag[w, dof.bodyid[k]] * axis
    j = wp.int32(k)
    while j >= 0:
        felt = wide6(com.cdof[w, j])
        linear.Gq[w, j, k] = linear.Gq[w, j, k] - wp.dot(felt, by_position)
        linear.Gv[w, j, k] = linear.Gv[w, j, k] - wp.dot(felt, by_velocity)
        j = dof.parentid[j]


@wp.kernel
def _medium_columns(
    size: Size, opt: Option, tree: Tree, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Sum slopes over subtrees, and add them to the columns of Gq and Gv; each lane has columns of its own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for back in range(1, size.nlevel - 1):
            level = size.nlevel - 1 - back
            for n in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
                b = tree.level_bodyid[n]
                for c in range(tree.child_adr[b], tree.child_adr[b + 1]):
                    motion.drag[w, b] = motion.drag[w, b] + motion.drag[w, tree.child_bodyid[c]]
            sync()
        for k in range(lane, size.nv, lanes()):
            _column(opt, dof, com, linear, motion, w, k)
        sync()


through_worlds(_medium_columns)


def medium_loads(m: Any, d: Any, work: Workspace) -> None:
    """Let the medium act on all bodies, before forces are summed over subtrees.

    Reads   m.opt, m.body, m.geom; d.kin, d.com, d.vel.cvel
    Writes  work.motion.F, drag
    """
    launch(_medium_loads, d, [m.size, m.opt, m.body, m.geom, d.kin, d.com, d.vel, work.motion])


def medium_columns(m: Any, d: Any, work: Workspace) -> None:
    """Add the changes of the medium's forces to the derivatives of the residual, which others have begun.

    Reads   m.opt, m.tree, m.dof; d.com, work.motion
    Writes  work.linear.Gq, Gv; work.motion.drag
    """
    launch(_medium_columns, d, [m.size, m.opt, m.tree, m.dof, d.com, work.linear, work.motion])
