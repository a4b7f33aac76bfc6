"""One island as a small problem of its own: its rows and dofs copied together, and windows on the copies.

The vectors of an island have one entry for each place of a dof (see ``newtonish.kernels.linalg.island_products``), those
of its rows one for each row, both padded to a multiple of 8. Windows are groups of the arrays that hold the
copies, so functions written for a world (line search, costs, cones) work on an island, with the scratch slot as their world.
Islands that are solved one after the other have the same copies, in the scratch of their world. Those that are solved side by side (``items``) have
copies of their own, one behind the other: their slots count blocks of eight elements, so that an array of copies is where it is for any island.
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.island_products import island_columns
from newtonish.kernels.math.world import fresh, items, lanes, scratch_slot, sum_lanes_int, sync
from newtonish.kernels.solver.rows import first_contact_row
from newtonish.kernels.sparse.copies import (
    CONTACTS,
    EQUALITIES,
    FIRST_ROW,
    FIRST_TREE,
    FLAT,
    ROWS,
    TREES,
    WHICH,
    cut,
    floats,
    frictions,
    ints,
    panels,
)
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.struct
class Region:
    """Where the rows and dofs of an island are."""

    row: int  # first row in map_iefc2efc
    nrow: int
    nflat: int  # leading rows of which each has a cost of its own
    tree: int  # first tree in map_itree2tree
    ntree: int
    nv: int
    n: int  # nv rounded up to a multiple of 8
    slot: int  # row of the island's copies


@wp.func
def region_of(opt: Option, isl: Island, status: Status, w: int, i: int) -> Region:
    """Where the rows and dofs of island ``i`` are."""
    region = Region()
    region.row = isl.island_iefcadr[w, i]
    region.nrow = isl.island_nefc[w, i]
    region.tree = isl.island_itreeadr[w, i]
    region.ntree = isl.island_ntree[w, i]
    region.nv = isl.island_nv[w, i]
    region.n = (region.nv + 7) // 8 * 8
    region.nflat = region.nrow
    if opt.cone == ELLIPTIC:
        begin = first_contact_row(status, w)
        count = wp.int32(0)
        while count < region.nrow:
            if isl.map_iefc2efc[w, region.row + count] >= begin:
                break
            count += 1
        region.nflat = count
    region.slot = scratch_slot(w)
    if items() > 1:
        region.slot = w * (isl.dof_at.shape[1] // 8) + isl.place[w, i]
    return region


@wp.func
def island_window(isl: Island) -> Island:
    """The copies of the islands, where each has its own, as rows of which each begins in a block of eight."""
    if items() > 1:
        isl.head = ints(isl.head)
        isl.numbers = floats(isl.numbers)
        isl.dof_at = ints(isl.dof_at)
        isl.bound = floats(isl.bound)
        isl.panel_first = panels(isl.panel_first)
        isl.panel_adr = panels(isl.panel_adr)
        isl.mass_first = panels(isl.mass_first)
        isl.mass_adr = panels(isl.mass_adr)
        isl.D = floats(isl.D)
        isl.aref = floats(isl.aref)
        isl.frictionloss = floats(isl.frictionloss)
        isl.force = floats(isl.force)
        isl.state = ints(isl.state)
        isl.con_address = ints(isl.con_address)
        isl.con_dim = ints(isl.con_dim)
        isl.con_friction = frictions(isl.con_friction)
        isl.con_mu = floats(isl.con_mu)
    return isl


@wp.func
def place_hessian(isl: Island, region: Region, w: int, i: int, lane: int):
    """Where islands have Hessians of their own, move that of island ``i``, just entered, behind those of the islands before it. Ends with a barrier."""
    if items() > 1:
        before = wp.int32(0)
        for k in range(lane, i, lanes()):
            before += isl.length[w, k]
        before = wp.min(sum_lanes_int(before), isl.H.shape[1])
        for p in range(lane, region.n // 8, lanes()):
            isl.panel_adr[region.slot, p] = isl.panel_adr[region.slot, p] + before
        sync()


@wp.func
def sol_window(sol: Solve, region: Region, lane: int) -> Solve:
    """Scratch vectors of the solver with the lengths of the island. Ends with a barrier."""
    slot = region.slot
    apart = items() > 1
    nrow = (region.nrow + 7) // 8 * 8
    s = Solve()
    s.x = cut(sol.x, region.n, apart)
    s.Mx = cut(sol.Mx, region.n, apart)
    s.smooth = cut(sol.smooth, region.n, apart)
    s.JTf = cut(sol.JTf, region.n, apart)
    s.grad = cut(sol.grad, region.n, apart)
    s.search = cut(sol.search, region.n, apart)
    s.Mv = cut(sol.Mv, region.n, apart)
    s.Hdiaginv = cut(sol.Hdiaginv, region.n, apart)
    s.Jaref = cut(sol.Jaref, nrow, apart)
    s.Jv = cut(sol.Jv, nrow, apart)
    for k in range(region.nv + lane, region.n, lanes()):
        s.Mx[slot, k] = 0.0  # products with M leave the padding alone
        s.Mv[slot, k] = 0.0
    sync()
    return s


@wp.func
def efc_window(isl: Island) -> Efc:
    """Weights, bounds, forces and states of the island's rows."""
    rows = Efc()
    rows.D = isl.D
    rows.aref = isl.aref
    rows.frictionloss = isl.frictionloss
    rows.force = isl.force
    rows.state = isl.state
    return rows


@wp.func
def contact_window(isl: Island) -> Contact:
    """Elliptic contacts of the island."""
    c = Contact()
    c.efc_address = isl.con_address
    c.dim = isl.con_dim
    c.friction = isl.con_friction
    c.mu = isl.con_mu
    return c


@wp.func
def _list_contacts(contact: Contact, efc: Efc, isl: Island, region: Region, w: int) -> int:
    """Copy the elliptic contacts of the island together; returns how many."""
    slot = region.slot
    count = wp.int32(0)
    for k in range(region.nflat, region.nrow):
        r = isl.map_iefc2efc[w, region.row + k]
        c = efc.id[w, r]
        if contact.efc_address[w, c] == r:
            isl.con_address[slot, count] = k
            isl.con_dim[slot, count] = contact.dim[w, c]
            isl.con_friction[slot, count] = contact.friction[w, c]
            isl.con_mu[slot, count] = contact.mu[w, c]
            count += 1
    return count


@wp.func
def _envelope_of_mass(dof: Dof, isl: Island, region: Region, w: int, lane: int):
    """First block of each panel that M alone needs. Ends with a barrier."""
    slot = region.slot
    own = scratch_slot(w)
    for p in range(lane, region.n // 8, lanes()):
        first = wp.int32(p)
        for k in range(8 * p, wp.min(8 * p + 8, region.nv)):
            first = wp.min(first, isl.dof_place[own, dof.lastid[isl.dof_at[slot, k]]] // 8)
        isl.panel_first[slot, p] = first
        isl.mass_first[slot, p] = first
    sync()


@wp.func
def _address_panels(isl: Island, region: Region, w: int, i: int):
    slot = region.slot
    total = wp.int32(0)
    of_mass = wp.int32(0)
    if items() > 1:
        of_mass = isl.mass_place[w, i]
    for p in range(region.n // 8):
        total -= 64 * isl.panel_first[slot, p]
        of_mass -= 64 * isl.mass_first[slot, p]
        isl.panel_adr[slot, p] = total
        isl.mass_adr[slot, p] = of_mass
        total += 64 * (p + 1)
        of_mass += 64 * (p + 1)


@wp.func
def hessian_length(isl: Island, region: Region) -> int:
    """Floats that the Hessian of the island takes, along with what it has been moved by."""
    return isl.panel_adr[region.slot, region.n // 8 - 1] + 8 * region.n


@wp.func
def enter_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, contact: Contact, efc: Efc, isl: Island, region: Region, w: int, i: int, lane: int,
):  # fmt: skip
    """Copy the rows of an island together and give its dofs their places; ``isl`` has the island's copies. Ends with a barrier."""
    w = fresh(w)  # what is read here is not read in the iterations
    slot = fresh(region.slot)
    own = scratch_slot(w)  # of what the world has one of
    if lane == 0:
        place = wp.int32(0)
        for k in range(region.tree, region.tree + region.ntree):
            t = isl.map_itree2tree[w, k]
            isl.tree_pos[own, t] = place
            place += tree.dofnum[t]
        ncon = wp.int32(0)
        if opt.cone == ELLIPTIC:
            ncon = _list_contacts(contact, efc, isl, region, w)
        isl.head[slot, FIRST_ROW] = region.row
        isl.head[slot, ROWS] = region.nrow
        isl.head[slot, EQUALITIES] = isl.island_ne[w, i]
        isl.head[slot, FLAT] = region.nflat
        isl.head[slot, CONTACTS] = ncon
        isl.head[slot, FIRST_TREE] = region.tree
        isl.head[slot, TREES] = region.ntree
        isl.head[slot, WHICH] = i
    sync()
    for k in range(region.tree, region.tree + region.ntree):
        t = isl.map_itree2tree[w, k]
        last = isl.tree_pos[own, t] + tree.dofnum[t] - 1
        for v in range(lane, tree.dofnum[t], lanes()):
            isl.dof_at[slot, last - v] = tree.dofadr[t] + v
            isl.dof_place[own, tree.dofadr[t] + v] = last - v
            isl.bound[slot, last - v] = mass.qLDiagInv[w, tree.dofadr[t] + v]
    for k in range(region.nv + lane, region.n, lanes()):
        isl.dof_at[slot, k] = -1
        isl.bound[slot, k] = 1.0
    for k in range(lane, (region.nrow + 7) // 8 * 8, lanes()):
        if k < region.nrow:
            r = isl.map_iefc2efc[w, region.row + k]
            isl.D[slot, k] = efc.D[w, r]
            isl.aref[slot, k] = efc.aref[w, r]
            isl.frictionloss[slot, k] = efc.frictionloss[w, r]
        else:
            isl.D[slot, k] = 0.0
            isl.aref[slot, k] = 0.0
            isl.frictionloss[slot, k] = 0.0
        isl.force[slot, k] = 0.0
        isl.state[slot, k] = 0
    sync()
    _envelope_of_mass(dof, isl, region, w, lane)
    island_columns(
        efc.J_rownnz, efc.J_rowadr, efc.J_colind, efc.type, efc.id, isl.map_iefc2efc, isl.dof_place, isl.column,
        isl.panel_first, region.row, region.nrow, w, slot,
    )  # fmt: skip
    if lane == 0:
        _address_panels(isl, region, w, i)
    sync()


@wp.func
def store_island(state: State, sol: Solve, s: Solve, isl: Island, slot: int, w: int, lane: int):
    """The results of an iteration, or of last steps, from the windows ``s`` to the world's dofs."""
    w = fresh(w)
    slot = fresh(slot)
    for k in range(lane, isl.island_nv[w, isl.head[slot, WHICH]], lanes()):
        v = isl.dof_at[slot, k]
        sol.qacc[w, v] = s.x[slot, k]
        state.qacc_warmstart[w, v] = s.x[slot, k]
        sol.Ma[w, v] = s.Mx[slot, k]
        sol.qfrc_constraint[w, v] = s.JTf[slot, k]


@wp.func
def leave_island(efc: Efc, isl: Island, slot: int, w: int, lane: int):
    """Forces and states of the island's rows to the world's. Ends with a barrier."""
    w = fresh(w)
    slot = fresh(slot)
    first = isl.head[slot, FIRST_ROW]
    for k in range(lane, isl.head[slot, ROWS], lanes()):
        r = isl.map_iefc2efc[w, first + k]
        efc.force[w, r] = isl.force[slot, k]
        efc.state[w, r] = isl.state[slot, k]
    sync()
