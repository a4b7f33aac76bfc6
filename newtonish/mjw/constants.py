"""Constants of the reference pose, rederived after model fields were changed on the device.

The arrays are read back, derived in float64 by the conversion's own code, every distinct world by itself, and written over
the old ones. It runs on the host: call it between steps, not within a capture. MuJoCo: mj_setConst.
"""

from __future__ import annotations

import warnings

import numpy as np

from newtonish.arguments import shown
from newtonish.common import frames
from newtonish.common.enums import EqType, ObjType, SetConstGroup, WrapType
from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import check_pair
from newtonish.mjw.tables.actuator_reflection import follow_actuators
from newtonish.mjw.tables.geom_bounds import bounds

__all__ = ["set_const", "set_const_0", "set_const_fixed"]

Table = dict[str, np.ndarray]

# mjtWrap
ROUND_GEOMS = (WrapType.SPHERE, WrapType.CYLINDER)
# below this, frames are the same
SAME = 1e-6

# what the derivation reads, as the device has it
_STRUCTURE = (
    "body_parentid", "body_weldid", "body_dofadr", "body_dofnum", "body_treeid", "body_simple", "jnt_type", "jnt_qposadr",
    "jnt_dofadr", "jnt_bodyid", "dof_bodyid", "dof_jntid", "dof_parentid", "dof_treeid", "geom_bodyid", "geom_type",
    "site_bodyid", "tendon_adr", "tendon_num", "wrap_type", "wrap_objid", "actuator_trntype", "actuator_trnid",
    "actuator_outadr", "actuator_outnum", "cam_bodyid", "cam_targetbodyid", "light_bodyid", "light_targetbodyid",
)  # fmt: skip
_VALUES = (
    "qpos0", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis",
    "dof_armature", "geom_pos", "geom_quat", "geom_size", "site_pos", "site_quat", "tendon_armature", "tendon_length0",
    "actuator_gear", "actuator_cranklength", "cam_pos", "cam_quat", "light_pos", "light_dir",
)  # fmt: skip
_INERT0 = ("dof_invweight0", "body_invweight0", "tendon_invweight0", "actuator_acc0")


def set_const(m: Model, d: Data, groups: int = SetConstGroup.ALL, restore: bool = True) -> None:
    """Derive what follows from masses, inertias, frames, armature, gears, tendons and sizes at the reference pose.

    Each world that has values of its own gets constants of its own. Call it after changing ``body_mass``, ``body_inertia``,
    ``body_pos``, ``body_quat``, ``body_ipos``, ``body_iquat``, ``jnt_pos``, ``jnt_axis``, ``qpos0``, ``dof_armature``,
    ``tendon_armature``, ``tendon_coef``, ``actuator_gear``, ``site_pos``, ``cam_pos``, ``cam_quat``, ``light_pos``, ``light_dir``,
    ``eq_data``, ``geom_size`` or ``hfield_size``.

    Args:
        m: model.
        d: data; nothing of it changes, it tells the number of worlds.
        groups: bits of ``SetConstGroup``. ``FIXED``: ``body_subtreemass``, ``geom_rbound`` and ``geom_aabb`` of primitive
            shapes, and with ``geom_size`` those of heightfields. ``KIN0``:
            ``tendon_length0``, and what connects and welds hold (the second anchor; the relative pose of welds that took it from the
            reference pose), what cameras and lights keep of the reference pose (``cam_pos0``, ``cam_poscom0``, ``cam_mat0``,
            ``light_pos0``, ``light_poscom0``, ``light_dir0``). ``INERT0``: ``dof_invweight0``, ``body_invweight0``, ``tendon_invweight0``, ``actuator_acc0``.
        restore: ``d`` is as before; mujoco_warp computes in it. Anything but that has no effect and warns.

    Raises:
        ModelError: unknown groups, a call within a capture, a world whose mass matrix is singular at ``qpos0``, or a body that
            was compiled with a diagonal inertia and no longer has one.

    Damping and armature of actuators are part of those of joints and tendons on the device (``dof_damping``, ``tendon_armature`` ...); with
    any of the groups they follow ``actuator_gear``, ``actuator_damping``, ``actuator_dampingpoly`` and ``actuator_armature``, as they do at the next
    call without this one, captures of yours aside. The gains of actuators that were given a damping ratio do not follow. Captured graphs of yours
    stay valid unless a field gets its own value for each world by this.

    MuJoCo: mj_setConst, which leaves the statistics (``opt.meaninertia``) as they are.
    """
    check_pair("set_const", m, d)
    if isinstance(groups, bool) or not isinstance(groups, int) or groups & ~int(SetConstGroup.ALL):
        allowed = f"bits of SetConstGroup, 0 to {int(SetConstGroup.ALL)}"
        raise ModelError(problem("set_const: groups", repr(groups), allowed, "combine members of SetConstGroup by |"))
    if not isinstance(restore, (bool, np.bool_)):
        raise ModelError(problem("set_const: restore", shown(restore), "True or False", "leave it out"))
    if not restore:
        given, allowed = "restore=False, which has no effect", "True: the data are not computed in and keep their state"
        warnings.warn(problem("set_const", given, allowed, "leave restore out"), NewtonishWarning, stacklevel=2)
    if m.device.is_capturing:
        text = problem("set_const", "a call within a capture", "calls between captures", "call it before or after")
        raise ModelError(text)
    from newtonish.convert.const0 import const0

    follow_actuators(m)
    tables = _tables(m)
    _check_simple(m, tables)
    derived = const0(tables)
    if groups & SetConstGroup.FIXED:
        _put(m, "body_subtreemass", derived["body_subtreemass"])
        for name, value in bounds(m, tables).items():
            _put(m, name, value)
    if groups & SetConstGroup.KIN0:
        _put(m, "tendon_length0", _tendon_length(m, tables, derived))
        _put(m, "eq_data", _equality_data(m, derived))
        for name, value in _mounts(tables, derived).items():
            _put(m, name, value)
    if groups & SetConstGroup.INERT0:
        for name in _INERT0:
            _put(m, name, derived[name])


def set_const_fixed(m: Model, d: Data) -> None:
    """``set_const`` of what does not depend on the reference pose."""
    set_const(m, d, SetConstGroup.FIXED)


def set_const_0(m: Model, d: Data, restore: bool = True) -> None:
    """``set_const`` of what depends on the reference pose."""
    set_const(m, d, SetConstGroup.KIN0 | SetConstGroup.INERT0, restore)


def _tables(m: Model) -> Table:
    """The model's arrays as the conversion's tables: float64 values with one axis of worlds, the same for all."""
    values = {name: getattr(m, name).numpy().astype(np.float64) for name in _VALUES}
    coef = m.tendon_coef.numpy().astype(np.float64)
    scale = m.tendon_wrap_scale.numpy().astype(np.float64)
    worlds = max(len(array) for array in (*values.values(), coef, scale))
    tables = {name: getattr(m, name).numpy() for name in _STRUCTURE}
    for name, array in values.items():
        tables[name] = np.array(np.broadcast_to(array, (worlds, *array.shape[1:])))
    tables["actuator_armature"] = np.zeros((worlds, len(tables["actuator_trntype"])))  # is part of that of dofs and tendons
    tables["wrap_prm"] = _wrap_parameters(m, tables, coef, scale, worlds)
    return tables


def _check_simple(m: Model, t: Table) -> None:
    """Bodies whose part of the mass matrix is stored as a diagonal must keep their centre of mass and axes in their frame."""
    shifted = np.any(np.abs(t["body_ipos"]) > SAME, axis=(0, 2))
    turned = np.any(np.abs(t["body_iquat"][..., 1:]) > SAME, axis=(0, 2))
    wrong = np.flatnonzero((t["body_simple"] != 0) & (shifted | turned))
    allowed = "body_ipos 0 and body_iquat (1, 0, 0, 0), as the mass matrix holds only a diagonal for it"
    remedy = "keep them, or build the model with such a body_ipos or body_iquat, or another joint below the body"
    raise_all(
        ModelError,
        "set_const",
        [problem(f"body {b} {m.names['body'][b]!r}", "an inertial frame other than its own", allowed, remedy) for b in wrong],
    )


def _wrap_parameters(m: Model, t: Table, coef: np.ndarray, scale: np.ndarray, worlds: int) -> np.ndarray:
    """``wrap_prm``: weight of a joint, divisor of a pulley, side site of a geom."""
    kinds, objects = t["wrap_type"], t["wrap_objid"]
    result = np.zeros((worlds, len(kinds)))
    side, columns = m.tendon_wrap_sideid.numpy(), m.ten_J_colind.numpy()
    rownnz, rowadr = m.ten_J_rownnz.numpy(), m.ten_J_rowadr.numpy()
    for tendon, (adr, num) in enumerate(zip(t["tendon_adr"], t["tendon_num"])):
        seen = set()
        for k in range(int(adr), int(adr) + int(num)):
            if kinds[k] == WrapType.PULLEY:
                result[:, k] = 1.0 / scale[:, k]
            elif kinds[k] == WrapType.JOINT and int(objects[k]) not in seen:  # the weights of a joint named twice are one sum
                seen.add(int(objects[k]))
                row = slice(int(rowadr[tendon]), int(rowadr[tendon]) + int(rownnz[tendon]))
                place = row.start + int(np.flatnonzero(columns[row] == t["jnt_dofadr"][objects[k]])[0])
                result[:, k] = coef[:, place]
            elif kinds[k] in ROUND_GEOMS:
                result[:, k] = side[k]
    return result


def _tendon_length(m: Model, t: Table, pose: Table) -> np.ndarray:
    """Length of each tendon at qpos0."""
    from newtonish.convert import paths

    length = np.zeros((len(t["qpos0"]), len(t["tendon_adr"])))
    for tendon, (adr, num) in enumerate(zip(t["tendon_adr"], t["tendon_num"])):
        for k in range(int(adr), int(adr) + int(num)):
            if t["wrap_type"][k] == WrapType.JOINT:
                length[:, tendon] += t["wrap_prm"][:, k] * t["qpos0"][:, t["jnt_qposadr"][t["wrap_objid"][k]]]
    return paths.spatial_lengths(paths.Motion(t, pose, None), length)


def _mounts(t: Table, pose: Table) -> Table:
    """Poses of cameras and lights at qpos0, from their bodies and from centres of mass."""
    from newtonish.convert.cameras import mounts_at

    result = {}
    turned = {}
    for kind in ("cam", "light"):
        given = (t[f"{kind}_{name}"] for name in ("bodyid", "targetbodyid", "pos"))
        turned[kind], result[f"{kind}_pos0"], result[f"{kind}_poscom0"] = mounts_at(t, pose, *given)
    result["cam_mat0"] = frames.mat_from_quat(frames.quat_mul(turned["cam"], frames.unit(t["cam_quat"])))
    result["light_dir0"] = frames.rotate(turned["light"], t["light_dir"])
    return result


def _equality_data(m: Model, pose: Table) -> np.ndarray:
    """``eq_data`` with the second anchors of connects and the poses of marked welds between bodies."""
    kinds, types = m.eq_type.numpy(), m.eq_objtype.numpy()
    first, second = m.eq_obj1id.numpy(), m.eq_obj2id.numpy()
    given = m.eq_data.numpy().astype(np.float64)
    data = np.array(np.broadcast_to(given, (max(len(given), len(pose["xpos"])), *given.shape[1:])))
    for e in np.flatnonzero((types == ObjType.BODY) & np.isin(kinds, (EqType.CONNECT, EqType.WELD))):
        here, there = (pose["xpos"][:, first[e]], pose["xquat"][:, first[e]]), (pose["xpos"][:, second[e]], pose["xquat"][:, second[e]])
        if kinds[e] == EqType.CONNECT:
            point = here[0] + frames.rotate(here[1], data[:, e, :3])
            back = frames.invert(*there)
            data[:, e, 3:6] = back[0] + frames.rotate(back[1], point)
        elif np.all(data[:, e, 11] == 1.0):
            back = frames.invert(*here)
            point = there[0] + frames.rotate(there[1], data[:, e, :3])  # the anchor, which is given on the second body
            data[:, e, 3:6] = back[0] + frames.rotate(back[1], point)
            data[:, e, 6:10] = frames.unit(frames.quat_mul(back[1], there[1]))
    return data


def _put(m: Model, name: str, value: np.ndarray) -> None:
    """Write a field into its memory, or replace it where worlds came to differ."""
    old = getattr(m, name)
    if not old.size:
        return
    host = value.astype(np.float32)
    if len(host) > 1 and len(old) == 1 and np.all(host == host[:1]):
        host = host[:1]
    host = np.broadcast_to(host, (max(len(host), len(old)), *host.shape[1:]))
    if host.shape == old.numpy().shape:
        old.assign(np.ascontiguousarray(host))
    else:
        setattr(m, name, np.ascontiguousarray(host))
