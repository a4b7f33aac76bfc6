"""Hessian of one island in its envelope, and its factor.

Arguments named ``contact``, ``part``, ``s`` and ``status`` are the island's windows, ``efc`` is the world's.
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.skyline import skyline_add_cones, skyline_add_rows, skyline_begin
from newtonish.kernels.linalg.skyline_cholesky import skyline_factor
from newtonish.kernels.math.world import scratch_slot
from newtonish.kernels.sparse.region import Region
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.func
def sum_skyline(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, contact: Contact, part: Efc,
    s: Solve, status: Status, w: int,
):  # fmt: skip
    """Write the island's Hessian to ``isl.H``, from the rows' present states."""
    slot = scratch_slot(w)
    skyline_begin(
        isl.H, isl.panel_first, isl.panel_adr, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, isl.map_itree2tree,
        isl.tree_pos, tree.dofadr, tree.dofnum, region.tree, region.ntree, region.nv, region.n, w, slot,
    )  # fmt: skip
    skyline_add_rows(
        isl.H, isl.panel_first, isl.panel_adr, efc.J, efc.J_rownnz, efc.J_rowadr, isl.column, isl.map_iefc2efc, efc.type,
        efc.id, part.D, part.state, region.row, region.nrow, w, slot,
    )  # fmt: skip
    if opt.cone == ELLIPTIC:
        skyline_add_cones(
            isl.H, isl.panel_first, isl.panel_adr, efc.J, efc.J_rownnz, efc.J_rowadr, isl.column, isl.map_iefc2efc,
            s.Jaref, part.D, contact.efc_address, contact.dim, contact.friction, contact.mu, region.row, status.ncon[0],
            w, slot,
        )  # fmt: skip


@wp.func
def build_skyline(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, contact: Contact,
    part: Efc, s: Solve, status: Status, w: int,
):  # fmt: skip
    """Write the factor of the island's Hessian to ``isl.H`` and ``sol.Hdiaginv``, from the rows' present states."""
    sum_skyline(opt, tree, dof, mass, efc, isl, region, contact, part, s, status, w)
    skyline_factor(isl.H, isl.panel_first, isl.panel_adr, sol.Hdiaginv, isl.bound, region.n, scratch_slot(w))
