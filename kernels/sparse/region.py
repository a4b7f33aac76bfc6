"""One island as a small problem of its own: its rows and dofs copied together, and windows on the copies.

The vectors of an island have one entry for each place of a dof (see ``newtonish.kernels.linalg.island_products``), those
of its rows one for each row, both padded to a multiple of 8. Windows are groups of the arrays that hold the
copies, so functions written for a world (line search, costs, cones) work on an island, with the scratch slot as their world.
Islands that are solved one after the other have the same copies; those that are solved side by side (``items``) have copies of their own,
one behind the other.
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.island_products import island_columns
from newtonish.kernels.math.world import fresh, items, lanes, scratch_slot, sum_lanes_int, sync
from newtonish.kernels.solver.rows import first_contact_row
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.field import vec5
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
    # where the island's copies begin
    place: int
    row_place: int


@wp.func_native("a.data += at; a.shape.dims[1] = n; return a;")
def _cut(a: wp.array2d(dtype=float), at: int, n: int) -> wp.array2d(dtype=float):
    """``n`` elements of each row, from ``at`` on."""
    ...


_BEHIND = "a.data += at; a.shape.dims[1] -= at; return a;"


@wp.func_native(_BEHIND)
def _floats(a: wp.array2d(dtype=float), at: int) -> wp.array2d(dtype=float):
    """The elements of each row from ``at`` on."""
    ...


@wp.func_native(_BEHIND)
def _ints(a: wp.array2d(dtype=int), at: int) -> wp.array2d(dtype=int):
    """The elements of each row from ``at`` on."""
    ...


@wp.func_native(_BEHIND)
def _frictions(a: wp.array2d(dtype=vec5), at: int) -> wp.array2d(dtype=vec5):
    """The elements of each row from ``at`` on."""
    ...


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
    if items() > 1:
        region.place = isl.place[scratch_slot(w), i]
        region.row_place = isl.row_place[scratch_slot(w), i]
    return region


@wp.func
def island_window(isl: Island, region: Region, i: int) -> Island:
    """The copies of island ``i``, but for its Hessian, where islands have copies of their own."""
    if items() > 1:
        isl.con_count = _ints(isl.con_count, i)
        isl.dof_at = _ints(isl.dof_at, region.place)
        isl.bound = _floats(isl.bound, region.place)
        panel = region.place // 8
        isl.M = _floats(isl.M, isl.M.shape[1] // (isl.panel_first.shape[1] // 8) * panel)
        isl.panel_first = _ints(isl.panel_first, panel)
        isl.panel_adr = _ints(isl.panel_adr, panel)
        isl.mass_first = _ints(isl.mass_first, panel)
        isl.mass_adr = _ints(isl.mass_adr, panel)
        isl.D = _floats(isl.D, region.row_place)
        isl.aref = _floats(isl.aref, region.row_place)
        isl.frictionloss = _floats(isl.frictionloss, region.row_place)
        isl.force = _floats(isl.force, region.row_place)
        isl.state = _ints(isl.state, region.row_place)
        isl.con_address = _ints(isl.con_address, region.row_place)
        isl.con_dim = _ints(isl.con_dim, region.row_place)
        isl.con_friction = _frictions(isl.con_friction, region.row_place)
        isl.con_mu = _floats(isl.con_mu, region.row_place)
    return isl


@wp.func
def with_hessian(isl: Island, w: int, i: int, lane: int) -> Island:
    """Room for the Hessian of island ``i`` behind those of the islands before it, where islands have Hessians of their own."""
    if items() > 1:
        before = wp.int32(0)
        for k in range(lane, i, lanes()):
            before += isl.length[scratch_slot(w), k]
        isl.H = _floats(isl.H, wp.min(sum_lanes_int(before), isl.H.shape[1]))
    return isl


@wp.func
def sol_window(sol: Solve, region: Region, w: int, lane: int) -> Solve:
    """Scratch vectors of the solver with the lengths of the island. Ends with a barrier."""
    slot = scratch_slot(w)
    nrow = (region.nrow + 7) // 8 * 8
    s = Solve()
    s.x = _cut(sol.x, region.place, region.n)
    s.Mx = _cut(sol.Mx, region.place, region.n)
    s.smooth = _cut(sol.smooth, region.place, region.n)
    s.JTf = _cut(sol.JTf, region.place, region.n)
    s.grad = _cut(sol.grad, region.place, region.n)
    s.search = _cut(sol.search, region.place, region.n)
    s.Mv = _cut(sol.Mv, region.place, region.n)
    s.Hdiaginv = _cut(sol.Hdiaginv, region.place, region.n)
    s.Jaref = _cut(sol.Jaref, region.row_place, nrow)
    s.Jv = _cut(sol.Jv, region.row_place, nrow)
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
def _list_contacts(contact: Contact, efc: Efc, isl: Island, region: Region, w: int):
    slot = scratch_slot(w)
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
    isl.con_count[slot, 0] = count


@wp.func
def _envelope_of_mass(dof: Dof, isl: Island, region: Region, w: int, lane: int):
    """First block of each panel that M alone needs. Ends with a barrier."""
    slot = scratch_slot(w)
    for p in range(lane, region.n // 8, lanes()):
        first = wp.int32(p)
        for k in range(8 * p, wp.min(8 * p + 8, region.nv)):
            first = wp.min(first, isl.dof_place[slot, dof.lastid[isl.dof_at[slot, k]]] // 8)
        isl.panel_first[slot, p] = first
        isl.mass_first[slot, p] = first
    sync()


@wp.func
def _address_panels(isl: Island, region: Region, w: int):
    slot = scratch_slot(w)
    total = wp.int32(0)
    of_mass = wp.int32(0)
    for p in range(region.n // 8):
        total -= 64 * isl.panel_first[slot, p]
        of_mass -= 64 * isl.mass_first[slot, p]
        isl.panel_adr[slot, p] = total
        isl.mass_adr[slot, p] = of_mass
        total += 64 * (p + 1)
        of_mass += 64 * (p + 1)


@wp.func
def hessian_length(isl: Island, region: Region, w: int) -> int:
    """Floats that the Hessian of the island takes."""
    return isl.panel_adr[scratch_slot(w), region.n // 8 - 1] + 8 * region.n


@wp.func
def enter_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, contact: Contact, efc: Efc, isl: Island, region: Region, w: int, lane: int,
):  # fmt: skip
    """Copy the rows of an island together and give its dofs their places; ``isl`` has the island's copies. Ends with a barrier."""
    w = fresh(w)  # what is read here is not read in the iterations
    slot = scratch_slot(w)
    if lane == 0:
        place = wp.int32(0)
        for k in range(region.tree, region.tree + region.ntree):
            t = isl.map_itree2tree[w, k]
            isl.tree_pos[slot, t] = place
            place += tree.dofnum[t]
        isl.con_count[slot, 0] = 0
        if opt.cone == ELLIPTIC:
            _list_contacts(contact, efc, isl, region, w)
    sync()
    for k in range(region.tree, region.tree + region.ntree):
        t = isl.map_itree2tree[w, k]
        last = isl.tree_pos[slot, t] + tree.dofnum[t] - 1
        for v in range(lane, tree.dofnum[t], lanes()):
            isl.dof_at[slot, last - v] = tree.dofadr[t] + v
            isl.dof_place[slot, tree.dofadr[t] + v] = last - v
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
        _address_panels(isl, region, w)
    sync()


@wp.func
def store_island(state: State, sol: Solve, s: Solve, isl: Island, region: Region, w: int, lane: int):
    """The results of an iteration, or of last steps, from the windows ``s`` to the world's dofs."""
    w = fresh(w)
    slot = scratch_slot(w)
    for k in range(lane, region.nv, lanes()):
        i = isl.dof_at[slot, k]
        sol.qacc[w, i] = s.x[slot, k]
        state.qacc_warmstart[w, i] = s.x[slot, k]
        sol.Ma[w, i] = s.Mx[slot, k]
        sol.qfrc_constraint[w, i] = s.JTf[slot, k]


@wp.func
def leave_island(efc: Efc, isl: Island, region: Region, w: int, lane: int):
    """Forces and states of the island's rows to the world's. Ends with a barrier."""
    w = fresh(w)
    slot = scratch_slot(w)
    for k in range(lane, region.nrow, lanes()):
        r = isl.map_iefc2efc[w, region.row + k]
        efc.force[w, r] = isl.force[slot, k]
        efc.state[w, r] = isl.state[slot, k]
    sync()
