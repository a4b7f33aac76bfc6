"""Making, filling, reading and resetting Data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, NewtonishWarning, problem
from newtonish.kernels.enums import BroadphaseType, JacobianType
from newtonish.kernels.reset import reset_worlds
from newtonish.kernels.structs.container import Data, Model, allocate
from newtonish.kernels.structs.data import CONTACT, DATA_GROUPS, EFC, IMPLICIT_STATE, ISLAND, SOLVE
from newtonish.kernels.structs.metric import METRIC
from newtonish.kernels.structs.sweep import NEAR
from newtonish.memory import check_memory
from newtonish.mjw.arguments import world_mask
from newtonish.mjw.capacity import SPARSE_FROM, bytes_of_world, estimate, first_hessian, is_sparse, sizes_of
from newtonish.mjw.matching import check_pair, check_worlds, get_device, integer

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


def make_data(m: Any, nworld: int = 1, nconmax: int | None = None, njmax: int | None = None, *, device: Any = None) -> Data:
    """Allocate Data for ``nworld`` worlds in the reference pose.

    Args:
        m: a Model, or a compiled model as ``put_model`` takes it (as in mujoco_warp).
        nworld: number of worlds.
        nconmax: contact slots of each world; None: estimated, and grown between steps when a world needs more.
        njmax: constraint rows of each world; None: as above. A number is a cap and is obeyed.
        device: Warp device; None: the device of the Model.

    Raises:
        ModelError: nworld or a capacity is not positive, or a model field has another number of worlds.
        CapacityError: the arrays do not fit in the free memory of the device.
    """
    if not isinstance(m, Model):
        from newtonish.mjw.put_model import put_model

        m = put_model(m, device=device)
    elif device is not None and get_device("make_data", device) != m.device:
        remedy = "leave device away, or put the model there"
        raise ModelError(problem("make_data: device", str(device), f"{m.device}, where the model is", remedy))
    nworld = integer("make_data: nworld", nworld, 1)
    nconmax = None if nconmax is None else integer("make_data: nconmax", nconmax, 0)
    njmax = None if njmax is None else integer("make_data: njmax", njmax, 0)
    check_worlds(m, nworld)
    d = Data(nworld, m.device)
    contacts, rows = estimate(m, nconmax, njmax)
    sizes = sizes_of(m, contacts, rows, first_hessian(m))
    needed = nworld * bytes_of_world(DATA_GROUPS, sizes)
    check_memory("make_data: nworld", nworld, needed, m.device, "take fewer worlds, or smaller nconmax and njmax")
    d.grow_contacts, d.grow_rows = nconmax is None, njmax is None
    d.sizes = sizes_of(m, 0, 0)
    allocate(DATA_GROUPS, d, sizes)
    d.batches = {}  # of finite differences
    d.everywhere = None  # a mask of all worlds, made when it is needed
    d.recordings, d.overflow_reported, d.retired, d.matched = {}, False, [], None
    d.version = 0
    reset_data(m, d)
    return d


def reset_data(m: Model, d: Data, reset: wp.array | None = None) -> None:
    """Put worlds into the reference pose, at rest, with inputs, warm start and status cleared.

    Args:
        m: model.
        d: data.
        reset: (nworld,) bool, on the device or anything numpy understands; None: all worlds.

    Raises:
        ModelError: the model and the data do not belong together, or the mask has not one boolean per world.
    """
    check_pair("reset_data", m, d)
    reset_worlds(m, d, world_mask("reset_data: reset", d, reset))


def reset_data_keyframe(m: Model, d: Data, key: Any) -> None:
    """Put worlds into keyframes of the model.

    Args:
        m: model.
        d: data.
        key: a keyframe for all worlds, or (nworld,) integers, Warp's or NumPy's: one for each; worlds whose number is below 0 or
            no keyframe's are left alone.

    Raises:
        ModelError: the model and the data do not belong together, or the model has no such keyframe.

    MuJoCo: mj_resetDataKeyframe.
    """
    check_pair("reset_data_keyframe", m, d)
    keys = _keys(m, d, key)
    worlds = np.flatnonzero((keys >= 0) & (keys < m.nkey))
    if not len(worlds):
        return
    mask = np.zeros(d.nworld, dtype=bool)
    mask[worlds] = True
    reset_data(m, d, mask)
    fields = {name: f"key_{name}" for name in ("time", "qpos", "qvel", "act", "ctrl", "plastic")}
    for name, source in {**fields, "mocap_pos": "key_mpos", "mocap_quat": "key_mquat"}.items():
        array = getattr(d, name)
        if array.size:
            host = array.numpy()
            host[worlds] = m.key[source][keys[worlds]].reshape((len(worlds), *host.shape[1:]))
            array.assign(host)


def _keys(m: Model, d: Data, key: Any) -> np.ndarray:
    """A keyframe for each world."""
    if np.ndim(key) == 0 and not isinstance(key, wp.array):
        key = integer("reset_data_keyframe: key", key, 0)
        if key >= m.nkey:
            allowed = f"0 to {m.nkey - 1}" if m.nkey else "none, the model has no keyframes"
            raise ModelError(problem("reset_data_keyframe: key", str(key), allowed, "choose a keyframe of the model"))
        return np.full(d.nworld, key)
    keys = key.numpy() if isinstance(key, wp.array) else np.asarray(key)
    if keys.shape != (d.nworld,) or not np.issubdtype(keys.dtype, np.integer):
        given = f"an array of shape {keys.shape} of {keys.dtype}"
        text = problem("reset_data_keyframe: key", given, f"({d.nworld},) integers", "pass one keyframe, or one for each world")
        raise ModelError(text)
    return keys


def set_all_worlds(array: wp.array, value: np.ndarray) -> None:
    """Copy one world's value into every world of ``array``."""
    if array.size == 0:
        return
    host = array.numpy()
    host[:] = np.asarray(value, dtype=host.dtype).reshape(host.shape[1:])
    array.assign(host)


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


def grow(m: Model, d: Data, contacts: int, rows: int, hessian: int) -> None:
    """Give every world room for more contacts, rows and floats of a Hessian; what was found so far is kept."""
    sizes = sizes_of(m, contacts, rows, hessian)
    groups = (CONTACT, EFC, SOLVE, ISLAND, METRIC)
    # a graph that the caller captured still reads the old arrays: they stay as long as d does
    d.retired.append([getattr(d, g.name) for g in groups])
    for g in groups:
        setattr(d, g.name, g.struct())
    allocate(groups, d, sizes)
    for g, old in zip(groups, d.retired[-1], strict=True):
        for f in g.fields:
            _keep(getattr(getattr(d, g.name), f.name), getattr(old, f.name))
    d.touch()


def _keep(target: wp.array, source: wp.array) -> None:
    """Copy what an array held into the beginning of a larger one."""
    if source.size:
        window = tuple(slice(0, length) for length in source.shape)
        wp.copy(target[window] if target.shape != source.shape else target, source)


def give_room_to_pairs(m: Model, d: Data) -> bool:
    """Let the sweep list more near pairs if some world had more than there was room for; returns whether it did."""
    room = d.near.key.shape[1]
    if m.opt.broadphase == BroadphaseType.NXN or not room:
        return False
    wanted = int(d.near.needed.numpy().max(initial=0))
    if wanted <= room:
        return False
    _allocate_near(m, d, wanted * 3 // 2)
    warnings.warn(
        f"{wanted} near pairs of geoms in a world, and room for {room}: some contacts were left out of that step; there "
        f"is room for {wanted * 3 // 2} from the next step on.",
        NewtonishWarning,
        stacklevel=4,
    )
    return True


def _allocate_near(m: Model, d: Data, room: int) -> None:
    """Make the lists of the sweep anew; a graph that the caller captured still reads the old ones."""
    d.retired.append(d.near)
    d.near = NEAR.struct()
    allocate((NEAR,), d, sizes_of(m, 0, 0) | {"nnearmax": room})
    d.touch()


def _change_jacobian(m: Model, d: Data) -> None:
    """Arrays for the other storage of the Jacobian; rows are forgotten, the state and the last solution stay."""
    groups = (EFC, SOLVE, ISLAND)
    sizes = sizes_of(m, d.nconmax, d.njmax, first_hessian(m))
    old = [getattr(d, g.name) for g in groups]
    d.retired.append(old)  # a graph that the caller captured still reads them
    for g in groups:
        setattr(d, g.name, g.struct())
    allocate(groups, d, sizes)
    for name in ("qacc", "qfrc_constraint", "Ma"):
        wp.copy(getattr(d.sol, name), getattr(old[1], name))
    for name in ("ne", "nf", "nl", "nefc"):
        getattr(d.status, name).zero_()
    d.touch()


def complete(m: Model, d: Data) -> None:
    """Allocate the scratch that the solver or integrator of ``m`` needs and ``d`` was made without.

    Options may be changed after ``make_data``; nothing is read from a device.
    """
    if d.sparse != is_sparse(m):
        _change_jacobian(m, d)
    sizes = sizes_of(m, d.nconmax, d.njmax, d.nhessian)
    if d.near.key.shape[1] < sizes["nnearmax"]:
        _allocate_near(m, d, sizes["nnearmax"])
    lacking = d.sol.A.shape[1] < sizes["njdual"]
    if lacking or d.imp.qLU.shape[1] < sizes["nLU"] or d.imp.slope.shape[1] < sizes["nslope"]:
        for g in (SOLVE, IMPLICIT_STATE):
            previous = getattr(d, g.name)
            d.retired.append(previous)  # a graph that the caller captured still reads them
            setattr(d, g.name, g.struct())
        allocate((SOLVE, IMPLICIT_STATE), d, sizes)
        for name in ("qacc", "qfrc_constraint", "Ma"):
            wp.copy(getattr(d.sol, name), getattr(d.retired[-2], name))
        d.touch()
    if d.efm.M.shape[1] < sizes["nC_efm"] or d.efm.D.shape[1] < sizes["njmax_efm"]:
        d.retired.append(d.efm)
        d.efm = METRIC.struct()
        allocate((METRIC,), d, sizes)
        d.touch()
