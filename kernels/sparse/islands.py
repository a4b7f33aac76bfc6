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
from newtonish.kernels.math.world import lanes, scratch_slot, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Efc, Island, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree

ISLAND_DISABLED = wp.constant(int(DisableBit.ISLAND))


@wp.func
def continues_object(efc: Efc, w: int, r: int, previous: int) -> bool:
    """Whether row ``r`` belongs to the joint, tendon, contact or equality of row ``previous``: both have the same columns."""
    return efc.type[w, r] == efc.type[w, previous] and efc.id[w, r] == efc.id[w, previous]


@wp.func
def _tree_of_row(dof: Dof, efc: Efc, w: int, r: int) -> int:
    """The tree t of the first entry of row ``r``; -2 - t if ``r`` is the first of its object and couples trees; -1 without entries."""
    tree = wp.int32(-1)
    if efc.J_rownnz[w, r] > 0:
        adr = efc.J_rowadr[w, r]
        first = dof.treeid[efc.J_colind[w, adr]]
        tree = first
        known = wp.bool(False)
        if r > 0:
            known = continues_object(efc, w, r, r - 1)
        if not known:
            for k in range(adr + 1, adr + efc.J_rownnz[w, r]):
                if dof.treeid[efc.J_colind[w, k]] != first:
                    tree = -2 - first
    return tree


@wp.func
def _count_edges(size: Size, dof: Dof, efc: Efc, isl: Island, status: Status, w: int):
    """Mark the trees that have rows (-2 in ``tree_island``) and turn the numbers of their neighbours into addresses."""
    slot = scratch_slot(w)
    for r in range(status.nefc[w]):
        if isl.efc_island[w, r] >= 0:
            isl.tree_island[w, isl.efc_island[w, r]] = -2
        elif isl.efc_island[w, r] < -1:
            adr = efc.J_rowadr[w, r]
            first = dof.treeid[efc.J_colind[w, adr]]
            last = first
            isl.tree_island[w, first] = -2
            for k in range(adr + 1, adr + efc.J_rownnz[w, r]):
                t = dof.treeid[efc.J_colind[w, k]]
                if t != last and t != first:
                    isl.tree_island[w, t] = -2
                    isl.label[slot, t] = isl.label[slot, t] + 1
                    isl.label[slot, first] = isl.label[slot, first] + 1
                last = t
    total = wp.int32(0)
    for t in range(size.ntree):
        isl.edge_adr[slot, t] = total
        total += isl.label[slot, t]
        isl.label[slot, t] = isl.edge_adr[slot, t]
    isl.edge_adr[slot, size.ntree] = total


@wp.func
def _list_edges(size: Size, dof: Dof, efc: Efc, isl: Island, status: Status, w: int):
    """The neighbours of every tree, in the order of the rows; ``label`` is the place of the next one before, zero after."""
    slot = scratch_slot(w)
    for r in range(status.nefc[w]):
        if isl.efc_island[w, r] < -1:
            adr = efc.J_rowadr[w, r]
            first = dof.treeid[efc.J_colind[w, adr]]
            last = first
            for k in range(adr + 1, adr + efc.J_rownnz[w, r]):
                t = dof.treeid[efc.J_colind[w, k]]
                if t != last and t != first:
                    isl.edge[slot, isl.label[slot, t]] = first
                    isl.edge[slot, isl.label[slot, first]] = t
                    isl.label[slot, t] = isl.label[slot, t] + 1
                    isl.label[slot, first] = isl.label[slot, first] + 1
                last = t
    for t in range(size.ntree):
        isl.label[slot, t] = 0


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


@wp.func
def _list_rows(isl: Island, status: Status, number: int, w: int):
    """Deal the rows out to their islands; rows without columns belong to none (-1)."""
    for i in range(number):
        isl.island_nefc[w, i] = 0
        isl.island_ne[w, i] = 0
        isl.island_nf[w, i] = 0
    ne = status.ne[w]
    nf = status.nf[w]
    for r in range(status.nefc[w]):
        i = wp.int32(isl.efc_island[w, r])
        if i != -1:
            i = isl.tree_island[w, wp.where(i < 0, -2 - i, i)]
            isl.island_nefc[w, i] = isl.island_nefc[w, i] + 1
            if r < ne:
                isl.island_ne[w, i] = isl.island_ne[w, i] + 1
            elif r < ne + nf:
                isl.island_nf[w, i] = isl.island_nf[w, i] + 1
        isl.efc_island[w, r] = i
    slot = scratch_slot(w)
    total = wp.int32(0)
    place = wp.int32(0)
    row_place = wp.int32(0)
    for i in range(number):
        isl.place[slot, i] = place
        isl.row_place[slot, i] = row_place
        place += (isl.island_nv[w, i] + 7) // 8 * 8
        row_place += (isl.island_nefc[w, i] + 7) // 8 * 8
        isl.island_iefcadr[w, i] = total
        total += isl.island_nefc[w, i]
        isl.island_nefc[w, i] = 0
    for r in range(status.nefc[w]):
        i = isl.efc_island[w, r]
        isl.map_efc2iefc[w, r] = -1
        if i >= 0:
            place = isl.island_iefcadr[w, i] + isl.island_nefc[w, i]
            isl.island_nefc[w, i] = isl.island_nefc[w, i] + 1
            isl.map_iefc2efc[w, place] = r
            isl.map_efc2iefc[w, r] = place


@wp.func
def island_world(size: Size, opt: Option, tree: Tree, dof: Dof, efc: Efc, isl: Island, status: Status, w: int, lane: int):
    """Islands of world ``w``: the trees of the rows by all lanes, the rest, some ten operations a row, by one."""
    for t in range(lane, size.ntree, lanes()):
        isl.tree_island[w, t] = -1
        isl.label[scratch_slot(w), t] = 0
    for r in range(lane, status.nefc[w], lanes()):
        isl.efc_island[w, r] = _tree_of_row(dof, efc, w, r)
    sync()
    if lane == 0:
        _count_edges(size, dof, efc, isl, status, w)
        _list_edges(size, dof, efc, isl, status, w)
        number = _list_trees(size, opt, tree, isl, w)
        _list_rows(isl, status, number, w)
        isl.nisland[w] = number
    sync()
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
