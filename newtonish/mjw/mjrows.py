"""Contacts and constraint rows between Data and MuJoCo's own MjData, whose Jacobian is dense or sparse as ours is."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.common.enums import JacobianType
from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data
from newtonish.mjw.capacity import SPARSE_FROM

__all__ = ["get_rows", "put_contacts", "put_rows"]

_CONTACT_COPIED = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "geom", "mu",
                   "adhesion", "surfacevel")  # fmt: skip
_EFC_COPIED = ("type", "id", "pos", "margin", "D", "vel", "aref", "frictionloss", "force", "state")
_COUNTS = ("ncon", "ne", "nf", "nl", "nefc")


def put_contacts(mjd: Any, d: Data, world: int | None = None) -> None:
    """Copy contacts, and the numbers of contacts and rows, of an ``MjData`` into one world (None: all)."""
    worlds, ncon = _worlds(world), int(mjd.ncon)
    _check_room("contacts", ncon, d.nconmax)
    _check_room("rows", int(mjd.nefc), d.njmax)
    for name in (*_CONTACT_COPIED, "efc_address"):
        source = getattr(mjd.contact, name, None)  # MuJoCo before 4.0 lacks some, whose value is zero
        _put(getattr(d.contact, name), worlds, np.zeros(0) if source is None else np.asarray(source), 0 if source is None else ncon)
    if d.ahead.active.size and ncon:  # speculative contacts have rows beyond their margin
        _put(d.ahead.active, worlds, np.asarray(mjd.contact.exclude) == 0, ncon)
    for name in _COUNTS:
        host = getattr(d, name).numpy()
        host[worlds] = getattr(mjd, name)
        getattr(d, name).assign(host)


def put_rows(mjm: Any, mjd: Any, d: Data, world: int | None = None) -> None:
    """Copy constraint rows of an ``MjData`` into one world (None: all)."""
    worlds = _worlds(world)
    for name in _EFC_COPIED:
        _put(getattr(d.efc, name), worlds, np.asarray(getattr(mjd, f"efc_{name}")), int(mjd.nefc))
    dense = _dense_rows(mjm, mjd)
    if d.sparse:
        owners = np.stack([np.asarray(mjd.efc_type)[: len(dense)], np.asarray(mjd.efc_id)[: len(dense)]], axis=1)
        _put_sparse(d, worlds, dense, owners)
    elif d.efc.J.size:
        host = d.efc.J.numpy()
        host[worlds] = 0.0
        host[worlds, : len(dense), : dense.shape[1]] = dense
        d.efc.J.assign(host)


def _worlds(world: int | None) -> slice:
    return slice(None) if world is None else slice(world, world + 1)


def _check_room(name: str, given: int, room: int) -> None:
    if given > room:
        raise ModelError(problem(f"put_data: {name}", str(given), f"at most {room}", "pass a larger nconmax or njmax"))


def _put(target: wp.array, worlds: slice, source: np.ndarray, count: int) -> None:
    """The first ``count`` entries of ``source``, and zeros behind them."""
    if target.size == 0:
        return
    host = target.numpy()
    host[worlds] = 0
    if count:
        host[worlds, :count] = source[:count].reshape((count, *host.shape[2:]))
    target.assign(host)


def _stores_sparse(mjm: Any) -> bool:
    """Whether MuJoCo stores Jacobians of this model sparse. MuJoCo: mj_isSparse."""
    jacobian = int(mjm.opt.jacobian)
    return jacobian == JacobianType.SPARSE or (jacobian == JacobianType.AUTO and int(mjm.nv) >= SPARSE_FROM)


def _dense_rows(mjm: Any, mjd: Any) -> np.ndarray:
    """``efc_J`` as a matrix; in dense storage there may be room for rows that MuJoCo left out."""
    nefc, nv = int(mjd.nefc), int(mjm.nv)
    values, columns = np.asarray(mjd.efc_J).reshape(-1), np.asarray(mjd.efc_J_colind).reshape(-1)
    # as it was stored, should the option have changed since; the column indices are not filled in dense storage
    if not _stores_sparse(mjm) or values.size == nefc * nv:
        return values[: nefc * nv].reshape(nefc, nv).astype(np.float32)
    dense = np.zeros((nefc, nv), dtype=np.float32)
    for i in range(nefc):
        at = slice(int(mjd.efc_J_rowadr[i]), int(mjd.efc_J_rowadr[i]) + int(mjd.efc_J_rownnz[i]))
        dense[i, columns[at]] = values[at]
    return dense


def _put_sparse(d: Data, worlds: slice, dense: np.ndarray, owners: np.ndarray) -> None:
    """Rows of a dense Jacobian as sparse ones; rows of one owner (type and id of the row) have the same columns."""
    J, rownnz, rowadr, colind = (getattr(d.efc, name).numpy() for name in ("J", "J_rownnz", "J_rowadr", "J_colind"))
    room = colind.shape[1] // max(1, rownnz.shape[1])
    for r, row in enumerate(dense):
        columns = np.flatnonzero((dense[(owners == owners[r]).all(axis=1)] != 0.0).any(axis=0))
        if len(columns) > room:
            text = problem(f"put_data: row {r}", f"{len(columns)} entries", f"at most {room}", "pass the MjData of this model")
            raise ModelError(text)
        rowadr[worlds, r], rownnz[worlds, r] = r * room, len(columns)
        J[worlds, 0, r * room : r * room + len(columns)] = row[columns]
        colind[worlds, r * room : r * room + len(columns)] = columns
    for name, host in (("J", J), ("J_rownnz", rownnz), ("J_rowadr", rowadr), ("J_colind", colind)):
        getattr(d.efc, name).assign(host)


def get_rows(result: Any, mjm: Any, d: Data, world: int) -> None:
    """Copy contacts and constraint rows of one world into an ``MjData``, which gets room for as many."""
    ncon = min(int(d.ncon.numpy()[world]), d.nconmax)
    nefc = min(int(d.nefc.numpy()[world]), d.njmax)
    dense = _rows_of_world(d, world, nefc, int(mjm.nv))
    entries = int(np.count_nonzero(dense)) if _stores_sparse(mjm) else dense.size
    _make_room(result, ncon, nefc, entries)
    for name in _CONTACT_COPIED:
        if hasattr(result.contact, name):
            target = getattr(result.contact, name)
            target[:] = getattr(d.contact, name).numpy()[world, :ncon].reshape(target.shape)
    address = d.contact.efc_address.numpy()[world, :ncon]
    result.contact.efc_address[:] = np.where(address < nefc, address, -1)  # there may have been no room for its rows
    result.contact.exclude[:] = result.contact.dist >= result.contact.includemargin  # 1: in the gap, without rows
    if d.ahead.active.size:
        result.contact.exclude[d.ahead.active.numpy()[world, :ncon] != 0.0] = 0
    result.contact.geom1[:], result.contact.geom2[:] = result.contact.geom.T
    for name in ("flex", "elem", "vert"):
        getattr(result.contact, name)[:] = -1
    result.ne, result.nf, result.nl = (int(getattr(d, name).numpy()[world]) for name in ("ne", "nf", "nl"))
    for name in _EFC_COPIED:
        getattr(result, f"efc_{name}")[:] = getattr(d.efc, name).numpy()[world, :nefc]
    result.efc_R[:] = 1.0 / np.maximum(result.efc_D, MINVAL)
    _get_jacobian(result, mjm, dense)


def _make_room(result: Any, ncon: int, nefc: int, entries: int) -> None:
    """Let MuJoCo allocate its arrays of contacts and rows; the library itself does not import it."""
    allocate = sys.modules[type(result).__module__.split(".")[0]]._functions._realloc_con_efc
    try:
        allocate(result, ncon=ncon, nefc=nefc, nJ=entries)
    except TypeError:  # MuJoCo 3.2 reads the number of entries from the data
        setattr(result, "nnzJ" if hasattr(result, "nnzJ") else "nJ", entries)
        allocate(result, ncon=ncon, nefc=nefc)


def _rows_of_world(d: Data, world: int, nefc: int, nv: int) -> np.ndarray:
    """Our rows of one world as a matrix."""
    J = d.efc.J.numpy()[world]
    if not d.sparse:
        return J[:nefc, :nv].astype(np.float64)
    dense = np.zeros((nefc, nv))
    rownnz, rowadr, colind = (getattr(d.efc, name).numpy()[world] for name in ("J_rownnz", "J_rowadr", "J_colind"))
    for r in range(nefc):
        at = slice(int(rowadr[r]), int(rowadr[r]) + int(rownnz[r]))
        dense[r, colind[at]] = J[0, at]
    return dense


def _get_jacobian(result: Any, mjm: Any, dense: np.ndarray) -> None:
    """``efc_J`` as MuJoCo stores it."""
    target = result.efc_J.reshape(-1)
    if not _stores_sparse(mjm):
        target[: dense.size] = dense.reshape(-1)
        return
    rows, columns = np.nonzero(dense)
    result.efc_J_rownnz[:] = np.bincount(rows, minlength=len(dense))
    result.efc_J_rowadr[:] = np.cumsum(result.efc_J_rownnz) - result.efc_J_rownnz
    result.efc_J_colind.reshape(-1)[: len(columns)] = columns
    target[: len(columns)] = dense[rows, columns]
