"""Copies between Data and MuJoCo's own MjData: state, inputs, results, contacts and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.kernels.enums import JacobianType
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.capacity import SPARSE_FROM
from newtonish.mjw.data import make_data
from newtonish.mjw.growth import grow
from newtonish.mjw.matching import integer

_STATE = ("time", "qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat",
          "eq_active", "userdata", "history", "plastic")
# arrays of MjData copied by name in both directions
_COPIED = (
    *_STATE, "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos",
    "site_xmat", "subtree_com", "cdof", "cinert", "crb", "M", "qLD", "qLDiagInv", "cvel", "cdof_dot", "qfrc_bias",
    "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_adhesion", "qfrc_passive", "qfrc_actuator", "qfrc_smooth", "qacc_smooth",
    "qfrc_inverse", "actuator_length", "actuator_velocity", "actuator_force", "act_dot", "moment_rownnz",
    "moment_rowadr", "moment_colind", "actuator_moment", "qacc", "qfrc_constraint",
    "cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "sensordata", "energy", "cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "subtree_angmom",
)  # fmt: skip
_CONTACT_COPIED = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "geom", "mu",
                   "adhesion", "surfacevel")
_EFC_COPIED = ("type", "id", "pos", "margin", "D", "vel", "aref", "frictionloss", "force", "state")


def put_data(
    mjm: Any, mjd: Any, nworld: int = 1, nconmax: int | None = None, njmax: int | None = None, *, m: Model | None = None
) -> Data:
    """Data for ``nworld`` worlds, each a copy of an ``MjData``: state, inputs, results, contacts and rows.

    Args:
        mjm: a ``mujoco.MjModel``.
        mjd: its ``MjData``.
        nworld: number of worlds.
        nconmax: contact slots of each world; None: estimated, and grown between steps.
        njmax: constraint rows of each world; None: as above.
        m: the Model of ``mjm``, if there is one already.

    Raises:
        ModelError: the three do not belong together, or a given capacity is too small for the contacts or rows of ``mjd``.
    """
    from newtonish.mjw.put_model import put_model

    m = put_model(mjm) if m is None else m
    d = make_data(m, nworld, nconmax, njmax)
    _check_source("put_data: mjm", mjm, "put_data: mjd", mjd, d)
    _room_for(m, d, int(mjd.ncon), int(mjd.nefc))
    for name in _COPIED:
        target = getattr(d, name)
        set_all_worlds(target, _fitting(np.asarray(getattr(mjd, name)), target))
    put_contacts(mjm, mjd, d)
    return d


def set_all_worlds(array: wp.array, value: np.ndarray) -> None:
    """Copy one world's value into every world of ``array``."""
    if array.size == 0:
        return
    host = array.numpy()
    host[:] = np.asarray(value, dtype=host.dtype).reshape(host.shape[1:])
    array.assign(host)


def _check_source(mjm_name: str, mjm: Any, mjd_name: str, mjd: Any, d: Data) -> None:
    """An ``MjModel`` and an ``MjData`` must have the sizes of ``d``."""
    for label, given, needs, kind in ((mjm_name, mjm, "nq", "MjModel"), (mjd_name, mjd, "qpos", "MjData")):
        if not hasattr(given, needs):
            given_kind = f"a {type(given).__name__}"
            raise ModelError(problem(label, given_kind, f"a mujoco.{kind}", "pass MuJoCo's own object"))
    sizes = {size: int(getattr(mjm, size)) for size in ("nq", "nv", "nu", "na", "nbody", "ngeom", "nsite", "nmocap")}
    wrong = [size for size, number in sizes.items() if d.sizes[size] != number]
    if wrong:
        given, allowed = (", ".join(f"{size}={of[size]}" for size in wrong) for of in (sizes, d.sizes))
        raise ModelError(problem(mjm_name, given, allowed, "pass the MjModel that the Model or Data was made from"))
    lengths = {"qpos": "nq", "qvel": "nv", "ctrl": "nu", "act": "na", "xpos": "nbody", "geom_xpos": "ngeom"}
    for field, size in lengths.items():
        if len(getattr(mjd, field)) != sizes[size]:
            given, allowed = f"{field} of length {len(getattr(mjd, field))}", f"{sizes[size]}, as in the MjModel"
            raise ModelError(problem(mjd_name, given, allowed, "pass the MjData of that MjModel"))


def _room_for(m: Model, d: Data, ncon: int, nefc: int) -> None:
    """Let capacities that were left to be estimated hold what MuJoCo found."""
    nconmax = max(d.nconmax, ncon) if d.grow_contacts else d.nconmax
    njmax = max(d.njmax, nefc) if d.grow_rows else d.njmax
    if (nconmax, njmax) != (d.nconmax, d.njmax):
        grow(m, d, nconmax, njmax, d.nhessian)


def _fitting(source: np.ndarray, target: wp.array) -> np.ndarray:
    """Rows of a larger source that the target has (sparse arrays may be longer in MuJoCo)."""
    wanted = int(np.prod(target.shape[1:], dtype=int)) * wp.types.type_size(target.dtype)
    return source.reshape(-1)[:wanted]


def put_contacts(mjm: Any, mjd: Any, d: Data, world: int | None = None) -> None:
    """Copy contacts and constraint rows of an ``MjData`` into one world (None: all)."""
    worlds = slice(None) if world is None else slice(world, world + 1)
    ncon, nefc = int(mjd.ncon), int(mjd.nefc)
    for name, given, room in (("contacts", ncon, d.nconmax), ("rows", nefc, d.njmax)):
        if given > room:
            raise ModelError(problem(f"put_data: {name}", str(given), f"at most {room}", "pass a larger nconmax or njmax"))
    for name in _CONTACT_COPIED:
        _put_rows(getattr(d.contact, name), worlds, np.asarray(getattr(mjd.contact, name)), ncon)
    _put_rows(d.contact.efc_address, worlds, np.asarray(mjd.contact.efc_address), ncon)
    for name in _EFC_COPIED:
        _put_rows(getattr(d.efc, name), worlds, np.asarray(getattr(mjd, f"efc_{name}")), nefc)
    _put_jacobian(mjm, mjd, d, worlds)
    for name in ("ncon", "ne", "nf", "nl", "nefc"):
        _put_rows(getattr(d, name), worlds, np.asarray(getattr(mjd, name)), None)


def _put_rows(target: wp.array, worlds: slice, source: np.ndarray, count: int | None) -> None:
    if target.size == 0:
        return
    host = target.numpy()
    if count is None:
        host[worlds] = source
    else:
        host[worlds] = 0
        host[worlds, :count] = source[:count].reshape((count, *host.shape[2:]))
    target.assign(host)


def _put_jacobian(mjm: Any, mjd: Any, d: Data, worlds: slice) -> None:
    """Rows of ``efc_J``, which MuJoCo stores dense or sparse; in dense storage there may be room for rows that it left out."""
    nefc, nv = int(mjd.nefc), int(mjm.nv)
    dense = np.zeros((nefc, nv), dtype=np.float32)
    values, columns = np.asarray(mjd.efc_J).reshape(-1), np.asarray(mjd.efc_J_colind)
    jacobian = int(mjm.opt.jacobian)
    stored_dense = jacobian == JacobianType.DENSE or (jacobian == JacobianType.AUTO and nv < SPARSE_FROM)
    stored_dense = stored_dense or values.size == nefc * nv  # as it was stored, should the option have changed since
    if stored_dense:  # the column indices are not filled then
        dense[:] = values[: nefc * nv].reshape(nefc, nv)
    for i in range(0 if stored_dense else nefc):
        at = slice(int(mjd.efc_J_rowadr[i]), int(mjd.efc_J_rowadr[i]) + int(mjd.efc_J_rownnz[i]))
        dense[i, columns[at]] = values[at]
    if d.sparse:
        owners = np.stack([np.asarray(mjd.efc_type)[:nefc], np.asarray(mjd.efc_id)[:nefc]], axis=1)
        _put_sparse(d, worlds, dense, owners)
    elif d.efc.J.size:
        host = d.efc.J.numpy()
        host[worlds] = 0.0
        host[worlds, :nefc, :nv] = dense
        d.efc.J.assign(host)


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


def get_data_into(result: Any, mjm: Any, d: Data, world_id: int = 0) -> None:
    """Copy one world into an ``MjData``: state, inputs and results (contacts and rows keep MuJoCo's own count)."""
    if not isinstance(d, Data):
        text = problem("get_data_into: d", f"a {type(d).__name__}", "a newtonish.mjw.Data", "the order is result, mjm, d")
        raise ModelError(text)
    _check_source("get_data_into: mjm", mjm, "get_data_into: result", result, d)
    if integer("get_data_into: world_id", world_id, 0) >= d.nworld:
        raise ModelError(problem("get_data_into: world_id", str(world_id), f"0 to {d.nworld - 1}", "choose a world of d"))
    for name in _COPIED:
        source = getattr(d, name)
        if name == "time":
            result.time = float(source.numpy()[world_id])
        elif source.size:
            target = getattr(result, name)
            flat = source.numpy()[world_id].reshape(-1)
            target.reshape(-1)[: len(flat)] = flat
    d.room.look()  # the device has been waited for
