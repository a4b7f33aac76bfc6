"""The last step of Newton's method on one island: ``newtonish.kernels.solver.polish`` with sparse rows and an envelope.

Arguments named ``contact``, ``part``, ``s`` and ``status`` are the island's windows, ``efc`` is the world's. Sums in
float64 are kept as two float32 values, the second one what the first rounds off: that is all the scratch they need.
"""

import warp as wp

from newtonish.kernels.linalg.dense import add_scaled
from newtonish.kernels.linalg.skyline_cholesky import skyline_solve
from newtonish.kernels.math.world import block_sum, scratch_slot, sync
from newtonish.kernels.solver.cost import rows_update
from newtonish.kernels.solver.exact import exact_force, exact_forces
from newtonish.kernels.solver.polish import CLOSE, REACH, SWEEPS
from newtonish.kernels.sparse.hessian import sum_skyline
from newtonish.kernels.sparse.region import Region
from newtonish.kernels.sparse.start import mul_jacobian
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.func
def _exact_residuals(efc: Efc, isl: Island, region: Region, part: Efc, s: Solve, w: int, lane: int):
    """``s.Jaref + s.Jv`` = J x - aref; padding is zero. Ends with a barrier."""
    slot = scratch_slot(w)
    for k in range(lane, s.Jaref.shape[1], wp.block_dim()):
        total = wp.float64(0.0)
        if k < region.nrow:
            total = -wp.float64(part.aref[0, k])
            r = isl.map_iefc2efc[w, region.row + k]
            for e in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
                total += wp.float64(efc.J[w, 0, e]) * wp.float64(s.x[0, isl.column[slot, e]])
        high = wp.float32(total)
        s.Jaref[0, k] = high
        s.Jv[0, k] = wp.float32(total - wp.float64(high))
    sync()


@wp.func
def _add(high: wp.array2d(dtype=float), low: wp.array2d(dtype=float), i: int, term: wp.float64):
    total = wp.float64(high[0, i]) + wp.float64(low[0, i]) + term
    high[0, i] = wp.float32(total)
    low[0, i] = wp.float32(total - wp.float64(high[0, i]))


@wp.func
def _add_mass(
    tree: Tree, dof: Dof, mass: Mass, isl: Island, region: Region, x: wp.array2d(dtype=float), scale: wp.float64,
    high: wp.array2d(dtype=float), low: wp.array2d(dtype=float), w: int, lane: int,
):  # fmt: skip
    """``high + low += scale M x``, a lane for each tree. Ends with a barrier."""
    slot = scratch_slot(w)
    for k in range(region.tree + lane, region.tree + region.ntree, wp.block_dim()):
        t = isl.map_itree2tree[w, k]
        for i in range(tree.dofadr[t], tree.dofadr[t] + tree.dofnum[t]):
            p = isl.dof_place[slot, i]
            for a in range(dof.M_rowadr[i], dof.M_rowadr[i] + dof.M_rownnz[i]):
                q = isl.dof_place[slot, dof.M_colind[a]]
                element = scale * wp.float64(mass.M[w, a])
                _add(high, low, p, element * wp.float64(x[0, q]))
                if q != p:
                    _add(high, low, q, element * wp.float64(x[0, p]))
    sync()


@wp.func
def _exact_gradient(
    tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, part: Efc, s: Solve, w: int, lane: int
):
    """``s.search`` = -(M x - smooth - J' force). Ends with a barrier."""
    slot = scratch_slot(w)
    for i in range(lane, region.n, wp.block_dim()):
        s.search[0, i] = s.smooth[0, i]
        s.grad[0, i] = 0.0
    sync()
    _add_mass(tree, dof, mass, isl, region, s.x, wp.float64(-1.0), s.search, s.grad, w, lane)
    # rows one after the other, their entries, all of different dofs, to the lanes: a fixed order of sums
    for k in range(region.nrow):
        r = isl.map_iefc2efc[w, region.row + k]
        force = exact_force(part, s, 0, 0, k)
        for e in range(efc.J_rowadr[w, r] + lane, efc.J_rowadr[w, r] + efc.J_rownnz[w, r], wp.block_dim()):
            _add(s.search, s.grad, isl.column[slot, e], wp.float64(efc.J[w, 0, e]) * force)
        sync()


@wp.func
def _column(isl: Island, i: int, j: int, slot: int) -> float:
    """Element (i, j) of the Hessian, ``i`` not below ``j``, within the envelope."""
    p = i // 8
    return isl.H[slot, isl.panel_adr[slot, p] + (j - 8 * isl.panel_first[slot, p]) * 8 + i - 8 * p]


@wp.func
def _times_column(isl: Island, region: Region, i: int, v: wp.array2d(dtype=float), slot: int, lane: int) -> wp.vec2:
    """Product of column ``i`` of the Hessian with ``v``, and with itself: this lane's share."""
    product = wp.float32(0.0)
    square = wp.float32(0.0)
    for j in range(8 * isl.panel_first[slot, i // 8] + lane, i + 1, wp.block_dim()):
        h = _column(isl, i, j, slot)
        product += h * v[0, j]
        square += h * h
    for p in range(i // 8 + lane, region.n // 8, wp.block_dim()):
        if 8 * isl.panel_first[slot, p] <= i:
            for j in range(wp.max(i + 1, 8 * p), 8 * p + 8):
                h = _column(isl, j, i, slot)
                product += h * v[0, j]
                square += h * h
    return wp.vec2(product, square)


@wp.func
def _add_column(isl: Island, region: Region, i: int, scale: float, v: wp.array2d(dtype=float), slot: int, lane: int):
    """``v += scale`` times column ``i`` of the Hessian."""
    for j in range(8 * isl.panel_first[slot, i // 8] + lane, i + 1, wp.block_dim()):
        v[0, j] = v[0, j] + scale * _column(isl, i, j, slot)
    for p in range(i // 8 + lane, region.n // 8, wp.block_dim()):
        if 8 * isl.panel_first[slot, p] <= i:
            for j in range(wp.max(i + 1, 8 * p), 8 * p + 8):
                v[0, j] = v[0, j] + scale * _column(isl, j, i, slot)


@wp.func
def _take_rounded(isl: Island, region: Region, s: Solve, slot: int, lane: int):
    """Move ``s.x`` by ``s.search``, as far as floats allow; what rounding off adds to the gradient in ``s.grad``.

    The way that was taken is left in ``s.search``. Ends with a barrier.
    """
    for i in range(lane, region.n, wp.block_dim()):
        value = s.x[0, i] + s.search[0, i]
        taken = value - s.x[0, i]
        s.Mv[0, i] = taken - s.search[0, i]
        s.search[0, i] = taken
        s.x[0, i] = value
        s.grad[0, i] = 0.0
    sync()
    for i in range(region.nv):
        _add_column(isl, region, i, s.Mv[0, i], s.grad, slot, lane)
        sync()


@wp.func
def _choose_floats(isl: Island, region: Region, s: Solve, reach: float, slot: int, lane: int):
    """One sweep over the dofs: to each the float, within ``reach``, where the gradient is shortest. Ends with a barrier."""
    for k in range(region.nv):
        i = region.nv - 1 - k  # places of a tree run from its leaves to its root; roots, to which more answers, go first
        sums = _times_column(isl, region, i, s.grad, slot, lane)
        old = s.x[0, i]
        value = old - wp.clamp(block_sum(sums[0]) / block_sum(sums[1]), -reach, reach)
        if value != old:
            _add_column(isl, region, i, value - old, s.grad, slot, lane)
            if lane == 0:
                s.x[0, i] = value
                s.search[0, i] = s.search[0, i] + (value - old)
        sync()


@wp.func
def balance_island(tree: Tree, dof: Dof, mass: Mass, isl: Island, region: Region, s: Solve, w: int, lane: int):
    """``s.Mx`` = M x, and ``s.pull`` what it needs beside ``s.smooth``: far less cancels in it than in J' force.

    Ends with a barrier.
    """
    for i in range(lane, region.n, wp.block_dim()):
        s.Mx[0, i] = 0.0
        s.grad[0, i] = 0.0
    sync()
    _add_mass(tree, dof, mass, isl, region, s.x, wp.float64(1.0), s.Mx, s.grad, w, lane)
    for i in range(lane, region.n, wp.block_dim()):
        s.pull[0, i] = wp.float32(wp.float64(s.Mx[0, i]) + wp.float64(s.grad[0, i]) - wp.float64(s.smooth[0, i]))
    sync()


@wp.func
def exact_states_of_island(
    opt: Option, efc: Efc, isl: Island, region: Region, contact: Contact, part: Efc, s: Solve, status: Status, w: int,
    lane: int,
):  # fmt: skip
    """Residuals of the rows at ``s.x`` in ``s.Jaref + s.Jv``, and their states in ``part.state``."""
    _exact_residuals(efc, isl, region, part, s, w, lane)
    rows_update(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)


@wp.func
def exact_step_of_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, contact: Contact,
    part: Efc, s: Solve, status: Status, w: int, lane: int,
) -> wp.vec2:  # fmt: skip
    """``s.search`` = the step to the minimum by the factor in ``isl.H``; returns the lengths of ``s.x`` and of the step.

    Follows ``exact_states_of_island``.
    """
    exact_forces(opt, contact, part, s, status, 0, lane)
    _exact_gradient(tree, dof, mass, efc, isl, region, part, s, w, lane)
    skyline_solve(isl.H, isl.panel_first, isl.panel_adr, sol.Hdiaginv, s.search, region.n, scratch_slot(w))
    length = wp.float32(0.0)
    way = wp.float32(0.0)
    for i in range(lane, region.nv, wp.block_dim()):
        length += s.x[0, i] * s.x[0, i]
        way += s.search[0, i] * s.search[0, i]
    return wp.vec2(wp.sqrt(block_sum(length)), wp.sqrt(block_sum(way)))


@wp.func
def take_exact_step_of_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, contact: Contact, part: Efc,
    s: Solve, status: Status, norm: float, w: int, lane: int,
):  # fmt: skip
    """Take the step of ``exact_step_of_island`` from ``s.x``, of length ``norm``, to the best floats; the rows follow."""
    slot = scratch_slot(w)
    sum_skyline(opt, tree, dof, mass, efc, isl, region, contact, part, s, status, w)
    _take_rounded(isl, region, s, slot, lane)
    for _sweep in range(SWEEPS):
        _choose_floats(isl, region, s, REACH * norm, slot, lane)
    mul_jacobian(efc, isl, region, s.search, part.aref, 0.0, s.Jv, w)
    add_scaled(s.Jaref, s.Jv, 1.0, (region.nrow + 7) // 8 * 8, 0)
    rows_update(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)


@wp.func
def polish_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, contact: Contact,
    part: Efc, s: Solve, status: Status, w: int, lane: int,
):  # fmt: skip
    """One more step from ``s.x``, by the factor in ``isl.H``; ``s.Mx``, ``s.pull`` and the rows follow."""
    exact_states_of_island(opt, efc, isl, region, contact, part, s, status, w, lane)
    lengths = exact_step_of_island(opt, tree, dof, mass, efc, sol, isl, region, contact, part, s, status, w, lane)
    if lengths[1] <= CLOSE * lengths[0]:
        take_exact_step_of_island(
            opt, tree, dof, mass, efc, isl, region, contact, part, s, status, lengths[0], w, lane
        )
    balance_island(tree, dof, mass, isl, region, s, w, lane)
