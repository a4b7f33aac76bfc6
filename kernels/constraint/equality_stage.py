"""The stage of the equality rows: a kernel of its own, so that models without such constraints do not pay for it.

Reads   m.opt, m.tree, m.body, m.jnt, m.dof, m.site, m.tendon, m.eq; d.state (qpos, qvel, eq_active), d.kin, d.com, d.vel
        (cvel, cdof_dot), d.ten
Writes  d.efc from row 0 on, but force and state; d.status: ne, ne_needed
MuJoCo  mj_instantiateEquality, and mj_referenceConstraint of these rows.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constraint.equality import equality_rows
from newtonish.kernels.integrate.discrete.options import row_options
from newtonish.kernels.math.world import lane_index, sync, world_index
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Efc, Kinematics, State, Status, TendonState, Velocity
from newtonish.kernels.structs.model import Body, Dof, Equality, Joint, Option, Site, Size, Tendon, Tree


@wp.kernel
def equality_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, tendon: Tendon, eq: Equality,
    state: State, kin: Kinematics, com: Com, vel: Velocity, ten: TendonState, efc: Efc, status: Status,
):  # fmt: skip
    """Equality rows; rows of other kinds follow them."""
    thread, part = wp.tid()
    w = world_index(thread)
    lane = lane_index(part)
    rows = equality_rows(size, opt, tree, body, jnt, dof, site, tendon, eq, state, kin, com, vel, ten, efc, w, lane)
    if lane == 0:
        status.ne[w] = rows[0]
        status.ne_needed[w] = rows[1]
    sync()


def equality(m: Any, d: Any) -> None:
    """Make the equality rows of all worlds, before ``make_constraint`` makes the others (see the head of the file)."""
    groups = [m.size, row_options(m), m.tree, m.body, m.jnt, m.dof, m.site, m.tendon, m.eq]
    launch(equality_kernel, d, [*groups, d.state, d.kin, d.com, d.vel, d.ten, d.efc, d.status])
