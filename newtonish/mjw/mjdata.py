"""Copies between Data and MuJoCo's own MjData: state, inputs, results, contacts and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.kernels.constraint.stage import make_constraint
from newtonish.kernels.integrate.discrete.options import is_discrete
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.data import make_data, model_of, shared
from newtonish.mjw.growth import grow
from newtonish.mjw.matching import integer
from newtonish.mjw.mjrows import get_rows, put_contacts, put_rows
from newtonish.mjw.sleeping import get_sleep, put_sleep

_STATE = (
    "time",
    "qpos",
    "qvel",
    "act",
    "qacc_warmstart",
    "ctrl",
    "qfrc_applied",
    "xfrc_applied",
    "mocap_pos",
    "mocap_quat",
    "eq_active",
    "userdata",
    "history",
    "plastic",
)
# arrays of MjData copied by name in both directions
_COPIED = (
    *_STATE, "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos",
    "site_xmat", "subtree_com", "cdof", "cinert", "crb", "cvel", "cdof_dot", "ten_length", "ten_velocity", "ten_wrapadr",
    "ten_wrapnum", "wrap_obj", "wrap_xpos", "qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_fluid",
    "qfrc_adhesion", "qfrc_passive", "qfrc_actuator", "qfrc_smooth", "qacc_smooth", "qfrc_inverse", "actuator_length",
    "actuator_velocity", "actuator_force", "act_dot", "qacc", "qfrc_constraint", "cam_xpos", "cam_xmat", "light_xpos", "light_xdir",
    "sensordata", "energy", "cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "subtree_angmom",
)  # fmt: skip
# of which MuJoCo has had other layouts: copied if the model is of a version that has the present ones
_PACKED = ("M", "qLD", "qLDiagInv", "qH", "qHDiagInv", "ten_J", "moment_rownnz", "moment_rowadr", "moment_colind", "actuator_moment")


def put_data(
    mjm: Any, mjd: Any, nworld: int = 1, nconmax: int | None = None, nccdmax: int | None = None, njmax: int | None = None,
    njmax_nnz: int | None = None, naconmax: int | None = None, naccdmax: int | None = None, nvmax: int | None = None,
    *, m: Model | None = None,
) -> Data:  # fmt: skip
    """Data for ``nworld`` worlds, each a copy of an ``MjData``: state, inputs, results, contacts and rows.

    A stage called then finds what it finds after ours: what MuJoCo does not keep, or lays out otherwise, is computed again.

    Args:
        mjm: a ``mujoco.MjModel``.
        mjd: its ``MjData``.
        nworld: number of worlds.
        nconmax: contacts of a world on average, as in mujoco_warp, or with ``m`` contact slots of each world; None: estimated, and
            grown between steps.
        nccdmax: taken as in mujoco_warp, and not needed, as are ``njmax_nnz``, ``naccdmax`` and ``nvmax``.
        njmax: constraint rows of each world; None: estimated, and grown between steps.
        njmax_nnz: see ``nccdmax``.
        naconmax: contacts of all worlds together, as for ``make_data``.
        naccdmax: see ``nccdmax``.
        nvmax: see ``nccdmax``.
        m: the Model of ``mjm``, if there is one already.

    Raises:
        ModelError: the three do not belong together, or a given capacity is too small for the contacts or rows of ``mjd``.
    """
    if m is None:
        m, naconmax = model_of(mjm), shared(nworld, nconmax, naconmax)
    d = make_data(m, nworld, nconmax, nccdmax, njmax, naconmax=naconmax, naccdmax=naccdmax)
    _check_source("put_data: mjm", mjm, "put_data: mjd", mjd, d)
    _room_for(m, d, int(mjd.ncon), int(mjd.nefc))
    present = _has_present_layouts(mjm)
    _put_arrays(mjm, mjd, d)
    if not present:
        _pack(m, d)
    put_sleep(m, d, mjd)
    put_contacts(mjd, d)
    if is_discrete(m):  # rows before they are scaled to the metric, for which MuJoCo has no array
        make_constraint(m, d)
    put_rows(mjm, mjd, d)
    if d.sparse:
        from newtonish.kernels.sparse.islands import island

        island(m, d)
    return d


def put_worlds(m: Model, mjms: Sequence[Any], mjds: Sequence[Any], d: Data) -> None:
    """Copy an ``MjData`` of each world into Data that exists: state, inputs, results, contacts and rows. Trees are awake.

    Args:
        m: the Model of ``d``.
        mjms: a ``mujoco.MjModel`` for each world, of MuJoCo 4.0.
        mjds: their ``MjData``.
        d: receives them, with more room for contacts and rows where it has too little.
    """
    contacts, rows = (max(int(getattr(mjd, name)) for mjd in mjds) for name in ("ncon", "nefc"))
    if contacts > d.nconmax or rows > d.njmax:
        grow(m, d, max(contacts, d.nconmax), max(rows, d.njmax), d.nhessian)
    for world, (mjm, mjd) in enumerate(zip(mjms, mjds, strict=True)):
        _put_arrays(mjm, mjd, d, world)
        put_contacts(mjd, d, world)
    if is_discrete(m):
        make_constraint(m, d)
    for world, (mjm, mjd) in enumerate(zip(mjms, mjds, strict=True)):
        put_rows(mjm, mjd, d, world)
    if d.sparse:
        from newtonish.kernels.sparse.islands import island

        island(m, d)


def _put_arrays(mjm: Any, mjd: Any, d: Data, world: int | None = None) -> None:
    """Copy arrays of the same name into one world (None: all)."""
    for name in (*_COPIED, *_PACKED * _has_present_layouts(mjm)):
        if hasattr(mjd, name):  # MuJoCo before 4.0 lacks some, whose value is zero
            group, field = Data.FLAT[name]
            set_worlds(getattr(getattr(d, group.name), field.name), np.asarray(getattr(mjd, name)), world)
    set_worlds(d.solver_niter, np.sum(mjd.solver_niter), world)


def _has_present_layouts(mjm: Any) -> bool:
    """Whether sparse arrays are laid out as in MuJoCo 4.0."""
    return hasattr(mjm, "ten_J_rownnz") and hasattr(mjm, "M_rownnz")


def _pack(m: Model, d: Data) -> None:
    """Arrays of which MuJoCo has had other layouts, from poses."""
    from newtonish.kernels.forces import transmission
    from newtonish.kernels.forces.stage import law_transmission
    from newtonish.kernels.smooth import crb, factor
    from newtonish.kernels.tendon import tendon

    for stage in (tendon.tendon, crb.crb, tendon.tendon_armature, factor.factor_m, transmission.transmission, law_transmission):
        stage(m, d)


def set_worlds(array: wp.array, value: np.ndarray, world: int | None = None) -> None:
    """Copy one world's value into a world of ``array`` (None: all); arrays may be longer in MuJoCo, and one of ours has room between tendons."""
    if array.size == 0:
        return
    host = array.numpy()
    flat = host.reshape(host.shape[0], -1)
    value = np.asarray(value, dtype=host.dtype).reshape(-1)[: flat.shape[1]]
    flat[slice(None) if world is None else slice(world, world + 1), : len(value)] = value
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
    free = d.grow_contacts or (d.pool is not None and d.nworld * ncon <= d.pool)
    nconmax = max(d.nconmax, ncon) if free else d.nconmax
    njmax = max(d.njmax, nefc) if d.grow_rows else d.njmax
    if (nconmax, njmax) != (d.nconmax, d.njmax):
        grow(m, d, nconmax, njmax, d.nhessian)


def get_data_into(result: Any, mjm: Any, d: Data, world_id: int = 0) -> None:
    """Copy one world into an ``MjData``: state, inputs, results, contacts and rows.

    Arrays that MuJoCo before 4.0 lays out otherwise (``M``, ``ten_J``, ``actuator_moment``) are left alone there.

    Args:
        result: a ``mujoco.MjData``, which gets room for as many contacts and rows.
        mjm: its ``mujoco.MjModel``.
        d: data.
        world_id: the world.

    Raises:
        ModelError: the three do not belong together, or there is no such world.
    """
    if not isinstance(d, Data):
        text = problem("get_data_into: d", f"a {type(d).__name__}", "a newtonish.mjw.Data", "the order is result, mjm, d")
        raise ModelError(text)
    _check_source("get_data_into: mjm", mjm, "get_data_into: result", result, d)
    if integer("get_data_into: world_id", world_id, 0) >= d.nworld:
        raise ModelError(problem("get_data_into: world_id", str(world_id), f"0 to {d.nworld - 1}", "choose a world of d"))
    for name in (*_COPIED, *_PACKED * _has_present_layouts(mjm)):
        source = getattr(d, name)
        if name == "time":
            result.time = float(source.numpy()[world_id]) + float(d.time_low.numpy()[world_id])
        elif source.size and hasattr(result, name):
            target = getattr(result, name).reshape(-1)
            flat = source.numpy()[world_id].reshape(-1)[: len(target)]
            target[: len(flat)] = flat
    get_sleep(result, d, world_id)
    get_rows(result, mjm, d, world_id)
    result.solver_niter[0] = int(d.solver_niter.numpy()[world_id])
    d.room.look()  # the device has been waited for
