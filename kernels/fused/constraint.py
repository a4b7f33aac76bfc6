"""Constraint rows."""

from typing import Any

import warp as wp

from newtonish.kernels.constraint.assemble import count_rows
from newtonish.kernels.constraint.contact import contact_rows
from newtonish.kernels.constraint.friction import friction_rows
from newtonish.kernels.constraint.limit import limit_rows
from newtonish.kernels.constraint.tendon import tendon_friction_rows, tendon_limit_rows
from newtonish.kernels.integrate.discrete.options import row_options
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, State, Status, TendonState
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Option, Size, Tendon, Tree


@wp.kernel
def constraint_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, ten: TendonState, contact: Contact, efc: Efc, status: Status, nworld: int,
):  # fmt: skip
    """Rows of friction loss, limits and contacts."""
    thread, part = wp.tid()
    lane = lane_index(part)
    packed.body(body)
    packed.jnt(jnt)
    packed.dof(dof)
    packed.state(state)
    packed.com(com)
    packed.contact(contact)
    packed.efc(efc)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        ne = wp.int32(0)
        if size.neq > 0:
            ne = status.ne[w]
        nf = friction_rows(size, opt, dof, state, efc, w, lane, ne)
        nf += tendon_friction_rows(size, opt, tendon, dof, ten, efc, w, lane, ne + nf)
        nl = limit_rows(size, opt, jnt, dof, state, efc, w, lane, ne + nf)
        nl += tendon_limit_rows(size, opt, tendon, dof, ten, efc, w, lane, ne + nf + nl)
        contacts = contact_rows(opt, tree, body, geom, state, com, contact, efc, status, w, lane, ne + nf + nl)
        count_rows(size, state, contact, efc, status, w, lane, ne, nf, nl, contacts)


through_worlds(constraint_kernel)


def launch_constraint(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, row_options(m), m.tree, m.body, m.jnt, m.dof, m.geom, m.tendon]
    data = [d.state, d.kin, d.com, d.ten, d.contact, d.efc, d.status]
    launch(constraint_kernel, d, [*model, *data])
