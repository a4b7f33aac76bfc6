"""Constraint rows of models without tendons."""

import warp as wp

from newtonish.kernels.constraint.assemble import make_constraint_without_tendons_world
from newtonish.kernels.structs.data import Com, Contact, Efc, State, Status
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Option, Size, Tree


@wp.kernel
def constraint_joints_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, state: State, com: Com,
    contact: Contact, efc: Efc, status: Status,
):  # fmt: skip
    """Rows of friction loss and limits of joints, and of contacts."""
    w, lane = wp.tid()
    make_constraint_without_tendons_world(
        size, opt, tree, body, jnt, dof, geom, state, com, contact, efc, status, w, lane
    )
