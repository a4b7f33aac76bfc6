"""Islands: groups of kinematic trees that constraint rows couple, with their rows, and an order of trees in each.

Reads   m.size, m.opt, m.tree, m.dof; d.efc (type, id, sparse J), d.status (ne, nf, nefc)   (after make_constraint)
Writes  d.isl: nisland, tree_island, dof_island, efc_island, island_*, map_*; edge lists and marks
MuJoCo  mj_island. Islands are numbered by their first trees, and rows of an island keep their order, as in MuJoCo; with
        the flag ``island`` disabled all trees that have rows are one island.
Method  Breadth-first search over the graph whose edges are the pairs of trees of each row. The trees of an island are
        listed in the reverse order of a search from the tree that a first search reached last: neighbours get near places,
        which keeps the envelope of the Hessian small (George and Liu 1981, ch. 4: reverse Cuthill-McKee).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.world import lanes, scan_lanes, scratch_slot, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Efc, Island, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree

ISLAND_DISABLED = wp.constant(int(DisableBit.ISLAND))


@wp.func
def continues_object(efc: Efc, w: int, r: int, previous: int) -> bool:
    """Whether row ``r`` belongs to the joint, tendon, contact or equality of row ``previous``: both have the same columns."""
    return efc.type[w, r] == efc.type[w, previous] and efc.id[w, r] == efc.id[w, previous]


@wp.func
def _find_tree_of_row(dof: Dof, efc: Efc, isl: Island, w: int, r: int):
    """The tree of row ``r``, as ``efc_island``: t of the first entry; -2 - t if the row is the first of its object and couples trees; -1 without entries.

    Of two trees that are coupled, the other one is ``map_efc2iefc``; -1 there if a row has several edges of the graph.
    """
    tree = wp.int32(-1)
    partner = wp.int32(-1)
    if efc.J_rownnz[w, r] > 0:
        adr = efc.J_rowadr[w, r]
        first = dof.treeid[efc.J_colind[w, adr]]
        tree = first
        known = wp.bool(False)
        if r > 0:
            known = continues_object(efc, w, r, r - 1)
        if not known:
            last = first
            edges = wp.int32(0)
            for k in range(adr + 1, adr + efc.J_rownnz[w, r]):
                t = dof.treeid[efc.J_colind[w, k]]
                if t != last and t != first:
                    partner = t
                    edges += 1
                last = t
            if edges > 0:
                tree = -2 - first
            if edges > 1:
                partner = -1
    isl.efc_island[w, r] = tree
    isl.map_efc2iefc[w, r] = partner


@wp.func
def _count_edges(size: Size, dof: Dof, efc: Efc, isl: Island, status: Status, w: int, lane: int):
    """Mark the trees that have rows (-2 in ``tree_island``), count their neighbours and give each an address. Ends with a barrier."""
    slot = scratch_slot(w)
    for r in range(lane, status.nefc[w], lanes()):
        if isl.efc_island[w, r] >= 0:
            wp.atomic_min(isl.tree_island, w, isl.efc_island[w, r], -2)
        elif isl.efc_island[w, r] < -1:
            first = -2 - isl.efc_island[w, r]
            wp.atomic_min(isl.tree_island, w, first, -2)
            last = first
            for k in range(efc.J_rowadr[w, r] + 1, efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
                t = dof.treeid[efc.J_colind[w, k]]
                if t != last and t != first:
                    wp.atomic_min(isl.tree_island, w, t, -2)
                    wp.atomic_add(isl.label, slot, t, 1)
                    wp.atomic_add(isl.label, slot, first, 1)
                last = t
    sync()
    total = wp.int32(0)
    for begin in range(0, size.ntree, lanes()):
        t = begin + lane
        number = wp.int32(0)
        if t < size.ntree:
            number = isl.label[slot, t]
        place = scan_lanes(number)
        if t < size.ntree:
            isl.edge_adr[slot, t] = total + place[0]
            isl.label[slot, t] = total + place[0]
        total += place[1]
    if lane == 0:
        isl.edge_adr[slot, size.ntree] = total
    sync()


@wp.func
def _list_edges(dof: Dof, efc: Efc, isl: Island, status: Status, w: int):
    """The neighbours of every tree, in the order of the rows, by one lane; ``label`` has the place of the next one."""
    slot = scratch_slot(w)
    for r in range(status.nefc[w]):
        if isl.efc_island[w, r] < -1:
            adr = efc.J_rowadr[w, r]
            first = -2 - isl.efc_island[w, r]
            last = first
            for k in range(adr + 1, adr + efc.J_rownnz[w, r]):
                t = dof.treeid[efc.J_colind[w, k]]
                if t != last and t != first:
                    isl.edge[slot, isl.label[slot, t]] = first
                    isl.edge[slot, isl.label[slot, first]] = t
                    isl.label[slot, t] = isl.label[slot, t] + 1
                    isl.label[slot, first] = isl.label[slot, first] + 1
                last = t


@wp.func
def _list_edges_of_tree(dof: Dof, efc: Efc, isl: Island, w: int, t: int):
    """The same for tree ``t`` alone, from the rows that couple trees, which ``map_iefc2efc`` lists."""
    slot = scratch_slot(w)
    at = isl.edge_adr[slot, t]
    q = wp.int32(0)
    while at < isl.edge_adr[slot, t + 1]:
        r = isl.map_iefc2efc[w, q]
        first = -2 - isl.efc_island[w, r]
        partner = isl.map_efc2iefc[w, r]
        if partner >= 0:
            if t == first or t == partner:
                isl.edge[slot, at] = wp.where(t == first, partner, first)
                at += 1
        else:
            last = first
            for k in range(efc.J_rowadr[w, r] + 1, efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
                other = dof.treeid[efc.J_colind[w, k]]
                if other != last and other != first and (t == first or t == other):
                    isl.edge[slot, at] = wp.where(t == first, other, first)
                    at += 1
                last = other
        q += 1


@wp.func
def _list_edges_together(size: Size, dof: Dof, efc: Efc, isl: Island, status: Status, w: int, lane: int):
    """The same by all lanes, each of which has some trees: the lists come out in the same order."""
    count = wp.int32(0)
    for begin in range(0, status.nefc[w], lanes()):
        r = begin + lane
        couples = wp.int32(0)
        if r < status.nefc[w]:
            if isl.efc_island[w, r] < -1:
                couples = 1
        place = scan_lanes(couples)
        if couples == 1:
            isl.map_iefc2efc[w, count + place[0]] = r
        count += place[1]
    sync()
    for t in range(lane, size.ntree, lanes()):
        _list_edges_of_tree(dof, efc, isl, w, t)


@wp.func
def _search(isl: Island, w: int, seed: int, begin: int, mark: int) -> int:
    """List the trees connected with ``seed`` in ``map_itree2tree`` from ``begin`` on; returns the end of the list."""
    slot = scratch_slot(w)
    isl.map_itree2tree[w, begin] = seed
    isl.label[slot, seed] = mark
    head = wp.int32(begin)
    end = wp.int32(begin + 1)
    while head < end:
        t = isl.map_itree2tree[w, head]
        for k in range(isl.edge_adr[slot, t], isl.edge_adr[slot, t + 1]):
            other = isl.edge[slot, k]
            if isl.label[slot, other] != mark:
                isl.label[slot, other] = mark
                isl.map_itree2tree[w, end] = other
                end += 1
        head += 1
    return end


@wp.func
def _list_trees(size: Size, opt: Option, tree: Tree, isl: Island, w: int) -> int:
    """Order the trees island by island; returns the number of islands."""
    found = wp.int32(0)
    end = wp.int32(0)
    for t in range(size.ntree):
        if isl.tree_island[w, t] == -2:
            begin = end
            end = _search(isl, w, t, begin, 1)
            end = _search(isl, w, isl.map_itree2tree[w, end - 1], begin, 2)
            for k in range((end - begin) // 2):
                one = isl.map_itree2tree[w, begin + k]
                isl.map_itree2tree[w, begin + k] = isl.map_itree2tree[w, end - 1 - k]
                isl.map_itree2tree[w, end - 1 - k] = one
            number = found
            fresh = wp.bool(True)
            if (opt.disableflags & ISLAND_DISABLED) != 0 and found > 0:
                number = 0
                fresh = False
            if fresh:
                isl.island_itreeadr[w, number] = begin
                isl.island_ntree[w, number] = 0
                isl.island_nv[w, number] = 0
                found += 1
            for k in range(begin, end):
                member = isl.map_itree2tree[w, k]
                isl.tree_island[w, member] = number
                isl.island_nv[w, number] = isl.island_nv[w, number] + tree.dofnum[member]
            isl.island_ntree[w, number] = isl.island_ntree[w, number] + end - begin
    return found


@wp.func_native(
    """
    const int* island = (const int*)((const char*)of_row.data + (size_t)w * of_row.strides[0]);
    const int* first = (const int*)((const char*)address.data + (size_t)w * address.strides[0]);
    int* count = (int*)((char*)number.data + (size_t)w * number.strides[0]);
    int* row = (int*)((char*)row_at.data + (size_t)w * row_at.strides[0]);
    int* place = (int*)((char*)place_of.data + (size_t)w * place_of.strides[0]);
#if defined(__CUDA_ARCH__)
    // one warp deals them out by as many as it has lanes: those of an island among them take places that follow one another
    if (LANE < WIDTH) {
        const unsigned world = LANES_MASK;
        const unsigned before = world & ((1u << (threadIdx.x & 31)) - 1u);
        for (int begin = 0; begin < rows; begin += WIDTH) {
            const int r = begin + LANE;
            const int own = r < rows ? island[r] : -1;
            if (r < rows && own < 0) place[r] = -1;
            unsigned waiting = __ballot_sync(world, own >= 0) & world;
            while (waiting) {
                const int one = of_lane(own, (__ffs(waiting) - 1) & (WIDTH - 1));
                const unsigned same = __ballot_sync(world, own == one) & world;
                const int next = first[one] + count[one];
                SYNC_WARP();
                if (own == one) {
                    const int at = next + __popc(same & before);
                    row[at] = r;
                    place[r] = at;
                    if (!(same & before)) count[one] += __popc(same);
                }
                SYNC_WARP();
                waiting &= ~same;
            }
        }
    }
    SYNC();
#else
    for (int r = 0; r < rows; r++) {
        const int one = island[r];
        place[r] = -1;
        if (one >= 0) {
            const int at = first[one] + count[one]++;
            row[at] = r;
            place[r] = at;
        }
    }
#endif
"""
)
def _deal_out(
    of_row: wp.array2d(dtype=int), address: wp.array2d(dtype=int), number: wp.array2d(dtype=int), row_at: wp.array2d(dtype=int),
    place_of: wp.array2d(dtype=int), rows: int, w: int,
):  # fmt: skip
    """List the rows of each island from its ``address`` on, in their order, and count them in ``number``, which is zero before. Ends with a barrier."""
    ...


@wp.func
def _list_rows(size: Size, isl: Island, status: Status, w: int, lane: int):
    """Deal the rows out to their islands; rows without columns belong to none (-1). Ends with a barrier."""
    number = isl.nisland[w]
    for i in range(lane, number, lanes()):
        isl.island_nefc[w, i] = 0
        isl.island_ne[w, i] = 0
        isl.island_nf[w, i] = 0
    sync()
    ne = status.ne[w]
    nf = status.nf[w]
    for r in range(lane, status.nefc[w], lanes()):
        i = wp.int32(isl.efc_island[w, r])
        if i != -1:
            i = isl.tree_island[w, wp.where(i < 0, -2 - i, i)]
            wp.atomic_add(isl.island_nefc, w, i, 1)
            if r < ne:
                wp.atomic_add(isl.island_ne, w, i, 1)
            elif r < ne + nf:
                wp.atomic_add(isl.island_nf, w, i, 1)
        isl.efc_island[w, r] = i
    sync()
    slot = scratch_slot(w)
    total = wp.int32(0)
    blocks = wp.int32(0)
    dofs = wp.int32(0)
    for begin in range(0, number, lanes()):
        i = begin + lane
        nefc = wp.int32(0)
        nv = wp.int32(0)
        if i < number:
            nefc = isl.island_nefc[w, i]
            nv = isl.island_nv[w, i]
        place = scan_lanes(nefc)
        block = scan_lanes((wp.max(nv, nefc) + 7) // 8)
        mass_block = scan_lanes((nv + 7) // 8)
        if i < number:
            isl.island_iefcadr[w, i] = total + place[0]
            isl.place[slot, i] = blocks + block[0]
            isl.mass_place[slot, i] = (dofs + mass_block[0]) * (isl.M.shape[1] // (size.npos // 8))
            isl.island_nefc[w, i] = 0
        total += place[1]
        blocks += block[1]
        dofs += mass_block[1]
    sync()
    _deal_out(isl.efc_island, isl.island_iefcadr, isl.island_nefc, isl.map_iefc2efc, isl.map_efc2iefc, status.nefc[w], w)


@wp.func
def island_world(size: Size, opt: Option, tree: Tree, dof: Dof, efc: Efc, isl: Island, status: Status, w: int, lane: int):
    """Islands of world ``w``, by all lanes but for the search itself."""
    slot = scratch_slot(w)
    for t in range(lane, size.ntree, lanes()):
        isl.tree_island[w, t] = -1
        isl.label[slot, t] = 0
    for r in range(lane, status.nefc[w], lanes()):
        _find_tree_of_row(dof, efc, isl, w, r)
    sync()
    _count_edges(size, dof, efc, isl, status, w, lane)
    if lanes() == 1:
        _list_edges(dof, efc, isl, status, w)
    else:
        _list_edges_together(size, dof, efc, isl, status, w, lane)
    for t in range(lane, size.ntree, lanes()):
        isl.label[slot, t] = 0
    sync()
    if lane == 0:
        isl.nisland[w] = _list_trees(size, opt, tree, isl, w)
    sync()
    _list_rows(size, isl, status, w, lane)
    for i in range(lane, size.nv, lanes()):
        isl.dof_island[w, i] = isl.tree_island[w, dof.treeid[i]]
    sync()


@wp.kernel
def _island(size: Size, opt: Option, tree: Tree, dof: Dof, efc: Efc, isl: Island, status: Status):
    w, lane = wp.tid()
    island_world(size, opt, tree, dof, efc, isl, status, w, lane)


def island(m: Any, d: Any) -> None:
    """Islands of all worlds (see the head of the file). Needs a Data with a sparse Jacobian."""
    launch(_island, d, [m.size, m.opt, m.tree, m.dof, d.efc, d.isl, d.status])
