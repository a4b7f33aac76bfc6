"""How many contacts and constraint rows a world gets."""

from __future__ import annotations

import math

import numpy as np
import warp as wp

from newtonish.common.enums import (
    BroadphaseType,
    ConeType,
    EqType,
    GeomType,
    IntegratorType,
    JacobianType,
    JointType,
    SolverType,
)
from newtonish.kernels.constraint.stage import is_exact
from newtonish.kernels.sleep.stage import may_sleep
from newtonish.kernels.speculative.stage import may_speculate
from newtonish.kernels.structs.collision import ENDS_OF_FACES
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.field import Group

SPARE = 1.5  # new capacities over what was wanted
_LEAST_CONTACTS = 16
_PAIRS_OF_A_FIELD = 4  # what lies in a cavity
_NEAR_A_GEOM = 8  # near pairs, at first
_CONTACTS_ON_TERRAIN = 4  # of a geom and a heightfield: a small foot touches the prisms around one corner
OF_JACOBIAN: tuple[str, ...] = (
    "njdense", "njcol", "nsol", "nsolrow", "nvdense", "njwrow", "nwcol", "nwcolind", "njsparse", "njnz", "nistree", "nistree1", "nisdof",
    "nisedge", "nispos", "nismass", "nhessian", "nisrow", "niscon",
)  # fmt: skip
SPARSE_FROM = 60  # dofs, as in MuJoCo
ROWS_OF_EQUALITY: dict[int, int] = {EqType.CONNECT: 3, EqType.WELD: 6, EqType.JOINT: 1, EqType.TENDON: 1}


def is_sparse(m: Model) -> bool:
    """Whether rows of the Jacobian are stored sparse, and the constraints are solved island by island."""
    if m.opt.integrator == IntegratorType.DISCRETE:  # its metric couples trees that no row couples
        return False
    if m.opt.jacobian == JacobianType.AUTO:
        return int(m.size.nv) >= SPARSE_FROM
    return m.opt.jacobian == JacobianType.SPARSE


def _jacobian_sizes(m: Model, sparse: bool, rows: int, dual: bool, nconmax: int, nhessian: int) -> dict[str, int]:
    """Sizes of what depends on the storage of the Jacobian."""
    nv_pad, ntree, npos = int(m.size.nv_pad), int(m.size.ntree), int(m.size.npos)
    if not sparse:
        sizes = {"njdense": rows, "njcol": nv_pad, "nsol": nv_pad, "nsolrow": rows, "nvdense": nv_pad}
        sizes |= {"njwrow": rows * dual, "nwcol": nv_pad}
        zero = ("nwcolind", "njsparse", "njnz", "nistree", "nistree1", "nisdof", "nisedge", "nispos", "nismass", "nhessian", "nisrow", "niscon")
        return sizes | dict.fromkeys(zero, 0)
    # eight entries behind the last row let a CPU read any row in vectors of eight
    sizes = {"njdense": 1, "njcol": rows * m.size.njrow + 8, "nsol": npos, "nsolrow": rows + 8, "nvdense": 0}
    sizes |= {"njwrow": int(dual), "nwcol": rows * m.size.nwrow, "nwcolind": rows * m.size.nwrow * dual, "njsparse": rows, "njnz": rows * m.size.njrow}
    sizes |= {"nistree": ntree, "nistree1": ntree + 1, "nisdof": int(m.size.nv), "nispos": npos, "nisrow": rows + 8}
    sizes |= {"nisedge": 2 * rows * max(1, m.size.ntreerow - 1), "niscon": nconmax, "nhessian": max(nhessian, 64)}
    # rows of M reach over a tree, in blocks of eight columns of which the first begins before it
    blocks, longest = npos // 8, (int(m.tree.dofnum.numpy().max(initial=1)) + 6) // 8 + 1
    if m.mapping.islands == 1:
        return sizes | {"nismass": min(hessian_size(blocks), 64 * blocks * longest)}
    apart = npos + (rows + 7) // 8 * 8 + 8 * ntree + 8  # each island has room for its dofs or its rows, whichever are more, from a multiple of eight on
    return sizes | {"nismass": 64 * blocks * longest} | dict.fromkeys(("nsol", "nsolrow", "nispos", "nisrow", "niscon"), apart)


def first_hessian(m: Model) -> int:
    """Floats for the Hessian of the largest island to begin with: any two trees, four blocks a row of blocks, or a heap of all loose bodies.

    In the order of islands, the rows of a body in a heap reach back as far as the bodies of a section through it: N^(2/3) of N bodies.
    Measured on heaps of 27 to 216 boxes and spheres in a box, 0.4 to 0.8 of that. Conjugate gradients take a Hessian only to refine what float32 ended, so a heap gets no room for that.
    """
    if not is_sparse(m) or not m.size.ntree:
        return 0
    largest = 2 * int(m.tree.dofnum.numpy().max()) // 8 * 8 + 16
    blocks = m.size.npos // 8
    section = 0 if m.opt.solver == SolverType.CG else math.ceil(6.0 * m.likely_heap ** (2.0 / 3.0) / 8.0)
    return min(hessian_size(blocks), max(hessian_size(largest // 8), 64 * max(4, section) * blocks))


def hessian_size(blocks: int) -> int:
    """Floats of a lower triangle of that many blocks of eight rows and columns."""
    return 64 * (blocks * (blocks + 1) // 2)


def sizes_of(m: Model, nconmax: int, njmax: int, nhessian: int = 0, headroom: float = 1.0) -> dict[str, int]:
    """Every size a field of Data may name; ``nhessian``: floats for the Hessian of an island (sparse Jacobian)."""
    sizes = {name: int(getattr(m.size, name)) for name in ("nq", "nv", "nv_pad", "nu", "na", "nactuator", "nout")}
    names = ("nbody", "njnt", "ngeom", "nsite", "nmocap", "nC", "nJmom", "ntendon", "nJten", "nwrap2", "neq", "nsensordata")
    sizes |= {name: int(getattr(m.size, name)) for name in names}
    sizes |= {"ncam": m.cam.number, "nlight": m.light.number}
    rows = (njmax + 7) // 8 * 8
    sparse = is_sparse(m)
    # scratch that only some solvers and integrators need
    dual = m.opt.solver == SolverType.PGS or m.opt.noslip_iterations > 0 or is_exact(m)
    implicit = m.opt.integrator == IntegratorType.IMPLICIT
    discrete = m.opt.integrator == IntegratorType.DISCRETE
    sloped = implicit or (m.size.nfluid > 0 and (discrete or m.opt.integrator == IntegratorType.IMPLICITFAST))
    sizes |= {f"{name}_efm": int(getattr(m.size, name)) * discrete for name in ("nv", "nC", "ntendon", "nactuator")}
    sizes["njmax_efm"] = rows * discrete
    sizes |= _jacobian_sizes(m, sparse, rows, dual, nconmax, nhessian)
    sizes |= {"njdual": rows * dual, "nLU": m.impl.nD * implicit, "nslope": m.size.nbody * sloped}
    sizes["nuserdata"] = int(m.nuserdata)
    history, plastic = m.hist.nhistory > 0, m.hist.nplastic > 0
    sizes |= {"nhistory": m.hist.nhistory, "nudelay": m.size.nu * history, "nsensordelay": m.size.nsensordata * history}
    sizes |= {"nplastic": m.hist.nplastic, "nqplastic": m.size.nq * plastic, "ntenplastic": m.size.ntendon * plastic}
    sizes |= {"nJplastic": m.size.nJten * plastic, "nreaction": m.size.nbody * (m.ntenspatial > 0)}
    swept = int(m.size.ngeom) * (m.opt.broadphase != BroadphaseType.NXN)
    sleep = may_sleep(m)
    sizes |= {f"{name}sleep": int(getattr(m.size, name)) * sleep for name in ("ntree", "nbody", "nv", "nq", "na", "njnt", "ntendon", "neq", "nsensordata")}
    ahead = may_speculate(m)
    sizes |= {"ngeomahead": int(m.size.ngeom) * ahead, "nconahead": nconmax * ahead}
    sizes |= {"nswept": swept, "nnearmax": math.ceil(headroom * _NEAR_A_GEOM * swept)}
    sizes["nstart"] = max(int(m.sdf.initpoints), ENDS_OF_FACES * (len(m.sdf.tri) > 0)) if m.sdf.ncollide > 0 else 0
    return sizes | {"nconmax": nconmax, "njmax": njmax, "njmax_pad": rows}


def bytes_of_world(groups: tuple[Group, ...], sizes: dict[str, int]) -> int:
    """Memory of the arrays that groups have for each world [bytes]."""
    total = 0
    for g in groups:
        for f in g.fields:
            if f.dims is not None and f.per_world:
                count = wp.types.type_size_in_bytes(f.dtype)
                for dim in f.dims:
                    count *= dim if isinstance(dim, int) else sizes[dim]
                total += count
    return total


def rows_of_contact(m: Model) -> int:
    """Largest number of rows that one contact can make."""
    condim = int(m.size.nmaxcondim)
    if m.opt.cone == ConeType.ELLIPTIC or condim == 1:
        return condim
    return 2 * (condim - 1)


def estimate(m: Model, nconmax: int | None, njmax: int | None, headroom: float = 1.0, naconmax: int | None = None) -> tuple[int, int]:
    """Capacities for a world: what the caller said, else room for about two contacts a geom, more for loose bodies, boxes side by side
    and terrain (see ``crowding``), ``headroom`` times as many, and all limits. Of ``naconmax`` contacts in all worlds together, one
    world may have more than the others: what is estimated for it, or ``nconmax`` if that is more."""
    wanted = max(_LEAST_CONTACTS, 2 * m.ngeom, m.likely_contacts) + _CONTACTS_ON_TERRAIN * m.hfield.ncollide + _of_fields(m)
    likely = min(m.contact_bound, math.ceil(headroom * wanted))
    if naconmax is not None:
        contacts = min(max(likely, nconmax or 0), naconmax)
    else:
        contacts = likely if nconmax is None else int(nconmax)
    if njmax is not None:
        return contacts, int(njmax)
    return contacts, fixed_rows(m) + rows_of_contact(m) * contacts


def _of_fields(m: Model) -> int:
    """Contacts of signed distance fields: one from every start, in a few pairs of each such geom."""
    if m.sdf.ncollide == 0:
        return 0
    return m.sdf.initpoints * min(m.sdf.ncollide, _PAIRS_OF_A_FIELD * int((m.geom_type.numpy() == GeomType.SDF).sum()))


def fixed_rows(m: Model) -> int:
    """Rows that do not come from contacts: equalities, friction loss and limits, active at once as far as they can be."""
    types, limited = m.jnt_type.numpy(), m.jnt_limited.numpy()
    sides = np.where(types == JointType.BALL, 1, _sides(m.jnt_range, m.jnt_margin))
    friction = int((m.dof_frictionloss.numpy() > 0.0).any(axis=0).sum()) if m.nv else 0
    tendons = int(_sides(m.tendon_range, m.tendon_margin)[m.tendon_limited.numpy() > 0].sum()) if m.ntendon else 0
    tendons += int((m.tendon_frictionloss.numpy() > 0.0).any(axis=0).sum()) if m.ntendon else 0
    equalities = sum(ROWS_OF_EQUALITY.get(int(kind), 0) for kind in m.eq_type.numpy()) if m.neq else 0
    return equalities + friction + int(sides[limited > 0].sum()) + tendons


def _sides(ranges: wp.array, margins: wp.array) -> np.ndarray:
    """How many sides of each limit can be active at once in some world: both, if the margin reaches over half the range."""
    bounds, margin = ranges.numpy(), margins.numpy()
    return np.where((bounds[..., 1] - bounds[..., 0] < 2.0 * margin).any(axis=0), 2, 1)


def needed(d: Data) -> tuple[int, int]:
    """Largest number of contacts and of rows that any world wanted since its last reset. Reads two arrays."""
    return int(d.status.ncon_needed.numpy().max(initial=0)), int(d.status.nefc_needed.numpy().max(initial=0))


def may_take_more(d: Data) -> bool:
    """Whether worlds may get room for more contacts: without a cap, or as long as all together want no more than they share."""
    if d.pool is None:
        return d.grow_contacts
    wanted, there = d.status.ncon_needed.numpy(), np.minimum(d.status.ncon.numpy(), d.nconmax)
    return int(np.where(wanted > d.nconmax, wanted, there).sum()) <= d.pool


def larger(m: Model, d: Data, contacts: int, rows: int, *, caps: bool = True) -> tuple[int, int]:
    """Capacities with room to spare for the numbers wanted, where there was none; ``caps``: those of the caller's stay."""
    nconmax, njmax = d.nconmax, d.njmax
    if contacts > nconmax and (may_take_more(d) or not caps):
        nconmax = min(m.contact_bound, int(SPARE * contacts), *([d.pool] if d.pool is not None and caps else []))
    if (rows > njmax or nconmax > d.nconmax) and (d.grow_rows or not caps):
        njmax = max(njmax, int(SPARE * rows), fixed_rows(m) + rows_of_contact(m) * nconmax)
    return nconmax, njmax


def larger_hessian(m: Model, d: Data) -> int:
    """Floats for the Hessian of an island, with room to spare if an island needed more than there are.

    An island whose Hessian had no room was solved by conjugate gradients instead.
    """
    if not d.sparse:
        return d.nhessian
    wanted = int(d.status.nhessian_needed.numpy().max(initial=0))
    return d.nhessian if wanted <= d.nhessian else min(hessian_size(m.size.npos // 8), int(SPARE * wanted))
