"""Making and resetting Data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, NewtonishWarning, problem
from newtonish.kernels.reset import reset_worlds
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.data import DATA_GROUPS
from newtonish.kernels.structs.grouped import allocate
from newtonish.memory import check_memory, lent
from newtonish.mjw.arguments import world_mask
from newtonish.mjw.by_name import find
from newtonish.mjw.capacity import bytes_of_world, estimate, first_hessian, rows_of_contact, sizes_of
from newtonish.mjw.guard import make_guard
from newtonish.mjw.matching import check_pair, check_worlds, get_device, integer, positive, switch
from newtonish.mjw.overflow import OverflowWatch
from newtonish.mjw.sleeping import begin_asleep, begin_awake


def make_data(
    m: Any, nworld: int = 1, nconmax: int | None = None, nccdmax: int | None = None, njmax: int | None = None,
    njmax_nnz: int | None = None, naconmax: int | None = None, naccdmax: int | None = None, nvmax: int | None = None,
    *, device: Any = None, headroom: float = 1.0, strict_capacity: bool = False, on_nonfinite: str = "reset",
) -> Data:  # fmt: skip
    """Allocate Data for ``nworld`` worlds in the reference pose.

    Args:
        m: a Model, or a compiled model as ``put_model`` takes it (as in mujoco_warp).
        nworld: number of worlds.
        nconmax: contact slots of each world, a cap that is obeyed; None: estimated, and grown between steps when a world needs more.
            With a compiled model it means what it means in mujoco_warp: contacts of a world on average, ``naconmax = nworld * nconmax``.
        nccdmax: pairs of convex shapes of each world, as in mujoco_warp; not more than ``nconmax``, and not needed here.
        njmax: constraint rows of each world, a cap that is obeyed; None: as above.
        njmax_nnz: taken as in mujoco_warp, and not needed.
        naconmax: contacts of all worlds together. Each world has room for what is estimated or for ``nconmax``, and gets more between
            steps when it needs more, as long as all of them together want no more than ``naconmax``.
        naccdmax: those of all worlds together; not more than ``naconmax``, and not needed here.
        nvmax: taken as in mujoco_warp, and not needed.
        device: Warp device; None: the device of the Model.
        headroom: factor on the capacities that are estimated, for states with more contacts than most. On a GPU they do not grow by
            themselves (``check_capacity``).
        strict_capacity: raise CapacityError, in the place of a warning, when contacts, rows or near pairs had no room, until their worlds are
            reset: on a CPU from the step, on a GPU and after graphs of your own at the next read of an array by its name, the next step, or
            ``check_capacity``. Where capacities may grow, a CPU takes the step again, which lacks nothing.
        on_nonfinite: what becomes of a world in which a number is not finite or absurdly large. ``"reset"``: it is put back into the reference
            pose and goes on from there. ``"stop"``: it stays in the state before that step, until ``reset_data``. ``"raise"``: it is reset, and
            NonfiniteError is raised where ``strict_capacity`` would raise. In all cases it is counted once in ``d.nonfinite``, and ``resets``
            says what for. With the flag AUTORESET disabled nothing is done.

    Raises:
        ModelError: nworld, a capacity or the headroom is not positive, or a model field has another number of worlds.
        CapacityError: the arrays do not fit in the free memory of the device.
    """
    if not isinstance(m, Model):
        m, naconmax = model_of(m, device), shared(nworld, nconmax, naconmax)
    elif device is not None and get_device("make_data", device) != m.device:
        remedy = "leave device out, or put the model there"
        raise ModelError(problem("make_data: device", str(device), f"{m.device}, where the model is", remedy))
    d = new_data(m, nworld, nconmax, njmax, headroom, naconmax)
    d.room.strict = switch("make_data: strict_capacity", strict_capacity)
    d.guard = make_guard(m, d, on_nonfinite)
    d.ccd_pairs = ccd_pairs("make_data", d, nconmax, nccdmax, naccdmax)
    reset_data(m, d)
    begin_asleep(m, d)
    return d


def model_of(mjm: Any, device: Any = None) -> Model:
    """The Model that the Data of a compiled model has its sizes of; what of it is simulated, and how, is between the caller and ``put_model``."""
    from newtonish.mjw.from_mjmodel import put_model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        return put_model(mjm, device=device, strict=False)


def ccd_pairs(name: str, d: Data, nconmax: int | None, nccdmax: int | None, naccdmax: int | None) -> int | None:
    """``naccdmax`` as it was given, or from ``nccdmax``; a script whose numbers contradict each other is told so."""
    for label, given, bound_name, bound in (("nccdmax", nccdmax, "nconmax", nconmax), ("naccdmax", naccdmax, "naconmax", d.naconmax)):
        if given is not None and bound is not None and integer(f"{name}: {label}", given, 0) > bound:
            raise ModelError(problem(f"{name}: {label}", str(given), f"at most {bound_name}, {bound}", "leave it out: it is not needed"))
    return naccdmax if naccdmax is not None or nccdmax is None else d.nworld * int(nccdmax)


def shared(nworld: Any, nconmax: Any, naconmax: int | None) -> int | None:
    """``naconmax`` as mujoco_warp understands capacities: ``nconmax`` contacts for each world on average, if it is not given."""
    if naconmax is not None or nconmax is None:
        return naconmax
    return integer("make_data: nworld", nworld, 1) * integer("make_data: nconmax", nconmax, 0)


def new_data(m: Model, nworld: int, nconmax: int | None, njmax: int | None, headroom: float = 1.0, naconmax: int | None = None) -> Data:
    """Data whose arrays are zero, for which nothing was launched yet; arguments and errors as of ``make_data``."""
    nworld = integer("make_data: nworld", nworld, 1)
    nconmax = None if nconmax is None else integer("make_data: nconmax", nconmax, 0)
    njmax = None if njmax is None else integer("make_data: njmax", njmax, 0)
    naconmax = None if naconmax is None else integer("make_data: naconmax", naconmax, 0)
    headroom = positive("make_data: headroom", headroom)
    check_worlds(m, nworld)
    d = Data(nworld, m.device)
    contacts, rows = estimate(m, nconmax, njmax, headroom, naconmax)
    sizes = sizes_of(m, contacts, rows, first_hessian(m), headroom)
    needed = nworld * bytes_of_world(DATA_GROUPS, sizes)
    check_memory("make_data: nworld", nworld, needed, m.device, "take fewer worlds, or smaller nconmax and njmax")
    d.grow_contacts, d.grow_rows, d.pool = nconmax is None and naconmax is None, njmax is None, naconmax
    d.sizes = sizes_of(m, 0, 0)
    with lent("make_data: nworld", str(nworld), "take fewer worlds, or smaller nconmax and njmax"):
        allocate(DATA_GROUPS, d, sizes)
    begin_awake(m, d)
    d.batches = {}  # of finite differences
    d.gradients = None  # arrays of analytic derivatives, made when they are first asked for
    d.rollouts = {}  # what steps of rollouts launch, by what goes in and out
    d.everywhere = None  # a mask of all worlds, made when it is needed
    d.recordings, d.retired, d.matched, d.ready = {}, [], None, None
    d.room = OverflowWatch(d, rows_of_contact(m))
    d.mapping = m.mapping
    d.__dict__["finder"] = find
    d.version = 0
    return d


def reset_data(m: Model, d: Data, reset: wp.array | np.ndarray | None = None) -> None:
    """Put worlds into the reference pose, at rest, with inputs, warm start and status cleared.

    Args:
        m: model.
        d: data.
        reset: (nworld,) bool, on the device or anything numpy understands; None: all worlds.

    Raises:
        ModelError: the model and the data do not belong together, or the mask has not one boolean per world.
    """
    check_pair("reset_data", m, d)
    d.room.look()  # before what worlds wanted is forgotten
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
