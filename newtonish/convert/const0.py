"""Constants of the reference pose qpos0, in float64: inverse weights, lengths and gains of actuators.

What MuJoCo's ``mj_setConst`` leaves in the model, every kinematic tree on its own (``tree_inertia``). All distinct worlds
are treated at once along the leading axis.

``dof_invweight0`` is the mean of diag(M⁻¹) over a ball's three dofs and over each half of a free joint's six;
``body_invweight0`` the mean translational and rotational diagonal of J·M⁻¹·Jᵀ at the body's centre of mass, zero
for static bodies. Bodies that only slide (``body_simple`` 2) have 1/mass, as in MuJoCo. ``tendon_invweight0`` is
J·M⁻¹·Jᵀ of the tendon; a tendon's armature counts in M (but not in ``dof_M0``) between dofs on one path to the root.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from newtonish.common import frames
from newtonish.common.constants import MINVAL
from newtonish.common.enums import JointType, TrnType, WrapType
from newtonish.convert import paths
from newtonish.convert.tree_inertia import invert, levels, motion_axes, tree_inertia

__all__ = ["const0", "pose0"]

BODIES_TOGETHER = 64
"""Whose Jacobians are multiplied in one product: many small products take several times as long."""
Table = dict[str, np.ndarray]


def pose0(t: Table) -> Table:
    """World poses of bodies, inertial frames and joints at qpos0: ``xpos, xquat, xipos, xanchor, xaxis``.

    Hinges and slides do not move anything there; free joints and balls do.
    """
    nworld, nbody = t["body_pos"].shape[:2]
    xpos = np.zeros((nworld, nbody, 3))
    xquat = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (nworld, nbody, 1))
    xanchor, xaxis = (np.zeros((nworld, len(t["jnt_type"]), 3)) for _ in range(2))
    free = t["jnt_type"] == JointType.FREE
    adr = np.full(nbody, -1)
    adr[t["jnt_bodyid"][free]] = t["jnt_qposadr"][free]
    quat = frames.unit(t["body_quat"])
    for bodies in levels(t["body_parentid"]):
        up = t["body_parentid"][bodies]
        xpos[:, bodies], xquat[:, bodies] = frames.compose(xpos[:, up], xquat[:, up], t["body_pos"][:, bodies], quat[:, bodies])
        loose = bodies[adr[bodies] >= 0]
        xpos[:, loose] = t["qpos0"][:, adr[loose, None] + np.arange(3)]
        xquat[:, loose] = frames.unit(t["qpos0"][:, adr[loose, None] + np.arange(3, 7)])
        for joints in _in_turn(t, bodies):
            owner = t["jnt_bodyid"][joints]
            xanchor[:, joints] = xpos[:, owner] + frames.rotate(xquat[:, owner], t["jnt_pos"][:, joints])
            xaxis[:, joints] = frames.rotate(xquat[:, owner], t["jnt_axis"][:, joints])
            ball = joints[t["jnt_type"][joints] == JointType.BALL]
            owner, turn = t["jnt_bodyid"][ball], frames.unit(t["qpos0"][:, t["jnt_qposadr"][ball, None] + np.arange(4)])
            xquat[:, owner] = frames.unit(frames.quat_mul(xquat[:, owner], turn))
            xpos[:, owner] = xanchor[:, ball] - frames.rotate(xquat[:, owner], t["jnt_pos"][:, ball])
    return {"xpos": xpos, "xquat": xquat, "xipos": xpos + frames.rotate(xquat, t["body_ipos"]), "xanchor": xanchor, "xaxis": xaxis}


def _in_turn(t: Table, bodies: np.ndarray) -> list[np.ndarray]:
    """The first joint of each of some bodies, then the second of those that have one, and so on."""
    joints = np.flatnonzero(np.isin(t["jnt_bodyid"], bodies))
    owner = t["jnt_bodyid"][joints]
    rank = np.arange(len(joints)) - np.searchsorted(owner, owner)  # a body's joints follow one another
    return [joints[rank == k] for k in range(int(rank.max(initial=-1)) + 1)]


def _body_jacobian(t: Table, axes: np.ndarray, dofs: np.ndarray, body: int, arm: np.ndarray) -> np.ndarray:
    """Jacobian (W, 6, n), translation at origin + arm first, of a body of the tree."""
    above = np.zeros(len(dofs), dtype=bool)
    up = int(t["body_weldid"][body])
    dof = int(t["body_dofadr"][up]) + int(t["body_dofnum"][up]) - 1
    while dof >= 0:
        above[dof - int(dofs[0])] = True
        dof = int(t["dof_parentid"][dof])
    own = np.where(above[:, None], axes, 0.0)
    linear = own[..., 3:] + frames.cross(own[..., :3], arm[:, None])
    return np.swapaxes(np.concatenate([linear, own[..., :3]], axis=-1), -1, -2)


def _joint_means(t: Table, weight: np.ndarray) -> np.ndarray:
    """Average diag(M⁻¹) over the dofs that MuJoCo treats alike."""
    result = weight.copy()
    for j, (kind, adr) in enumerate(zip(t["jnt_type"], t["jnt_dofadr"])):
        if t["body_simple"][t["jnt_bodyid"][j]] == 2:
            result[:, adr] = 1.0 / np.maximum(t["body_mass"][:, t["jnt_bodyid"][j]], MINVAL)
        groups = ((0, 3), (3, 6)) if kind == JointType.FREE else ((0, 3),) if kind == JointType.BALL else ()
        for first, last in groups:
            part = slice(adr + first, adr + last)
            result[:, part] = weight[:, part].mean(axis=-1, keepdims=True)
    return result


def _armature(t: Table) -> np.ndarray:
    """Armature of each dof with what joint actuators add (their armature times gear squared)."""
    total = t["dof_armature"].copy()
    for i, (kind, joint) in enumerate(zip(t["actuator_trntype"], t["actuator_trnid"][:, 0])):
        if kind <= 1:
            reflected = t["actuator_armature"][:, i] * t["actuator_gear"][:, t["actuator_outadr"][i], 0] ** 2
            total[:, t["dof_jntid"] == joint] += reflected[:, None]
    return total


def _moments(t: Table, motion: paths.Motion, tendon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (W, outputs) and moments on the dofs (W, outputs, nv) of the actuators' force outputs at qpos0."""
    nworld, nv = t["dof_armature"].shape
    length = _lengths(t)
    moment = np.zeros((nworld, int(t["actuator_outnum"].sum()), nv))
    for i, (joint, out) in enumerate(zip(t["actuator_trnid"][:, 0], t["actuator_outadr"])):
        kind = t["actuator_trntype"][i]
        if kind == TrnType.SO3 and t["actuator_trnid"][i, 1] >= 0:
            length[:, out : out + 3], moment[:, out : out + 3] = paths.orientation_moments(motion, i)
            continue
        if kind > TrnType.JOINTINPARENT and kind != TrnType.SO3:
            length[:, out], moment[:, out] = paths.actuator_moments(motion, tendon, t["tendon_length0"], i)
            continue
        adr = t["jnt_dofadr"][joint]
        if kind == TrnType.SO3:
            moment[:, out : out + 3, adr : adr + 3] = np.eye(3)
            continue
        widths: dict[int, int] = {JointType.FREE: 6, JointType.BALL: 3}
        width = widths.get(int(t["jnt_type"][joint]), 1)
        gear = t["actuator_gear"][:, out, :width].copy()
        if kind == TrnType.JOINTINPARENT and width > 1:  # torques are given in the parent's axes, dofs turn about the body's own
            first = int(t["jnt_qposadr"][joint]) + width - 3
            back = frames.unit(t["qpos0"][:, first : first + 4]) * (1.0, -1.0, -1.0, -1.0)
            gear[:, -3:] = frames.rotate(back, gear[:, -3:])
        moment[:, out, adr : adr + width] = gear
    return length, moment


def _tendon_jacobian(t: Table, motion: paths.Motion) -> np.ndarray:
    """Jacobian of the tendons (W, tendons, nv) at qpos0."""
    nworld, nv = t["dof_armature"].shape
    jacobian = np.zeros((nworld, len(t["tendon_adr"]), nv))
    for i, (adr, num) in enumerate(zip(t["tendon_adr"], t["tendon_num"])):
        for k in range(adr, adr + num):
            if t["wrap_type"][k] == WrapType.JOINT:
                jacobian[:, i, t["jnt_dofadr"][t["wrap_objid"][k]]] += t["wrap_prm"][:, k]
    return paths.spatial_jacobian(motion, jacobian)


def _needs_points(t: Table) -> bool:
    """Whether tendons or actuators act on points of bodies, so that the axes of all dofs are needed."""
    return bool(np.any(t["wrap_type"] != WrapType.JOINT) or np.any(t["actuator_trntype"] > TrnType.JOINTINPARENT))


def _tendon_armature(t: Table) -> np.ndarray:
    """Armature of each tendon with what its actuators add (their armature times gear squared)."""
    total = t["tendon_armature"].copy()
    for i in np.flatnonzero(t["actuator_trntype"] == TrnType.TENDON):
        tendon = t["actuator_trnid"][i, 0]
        total[:, tendon] += t["actuator_armature"][:, i] * t["actuator_gear"][:, t["actuator_outadr"][i], 0] ** 2
    return total


def const0(tables: Table, name_of_dof: Callable[[int], str] = lambda dof: f"dof {dof}") -> Table:
    """Derived fields of each distinct world.

    Args:
        tables: Structure arrays, and float arrays with a leading axis of distinct worlds.
        name_of_dof: Name of a dof for messages.

    Returns: ``body_subtreemass, dof_M0, dof_invweight0, body_invweight0, tendon_invweight0, actuator_acc0,
        actuator_length0``, besides them ``_meaninertia``, the inertia ``_actuator_mass`` that a force of each actuator meets, and the poses of
        :func:`pose0`.
    """
    t = {**tables, "armature": _armature(tables), "tendon_armature": _tendon_armature(tables)}
    pose = pose0(t)
    nworld, nv = t["dof_armature"].shape
    nbody = len(t["body_parentid"])
    diagonal, weight, with_tendons = (np.zeros((nworld, nv)) for _ in range(3))
    body_weight = np.zeros((nworld, nbody, 2))
    everything = list(range(len(t["jnt_type"])))
    world_axes = motion_axes(t, pose, everything, np.zeros((nworld, 3))) if _needs_points(t) else None
    motion = paths.Motion(t, pose, world_axes)
    tendon = _tendon_jacobian(t, motion)
    actuator_length, moment = _moments(t, motion, tendon)
    tendon_weight = np.zeros(tendon.shape[:2])
    squares, mobility = np.zeros(moment.shape[:2]), np.zeros(moment.shape[:2])
    for tree in range(int(t["dof_treeid"].max(initial=-1)) + 1):
        bodies, dofs, axes, origin, diagonal[:, dofs], mass = tree_inertia(t, pose, tree, tendon)
        inverse = invert(mass, dofs, name_of_dof)
        with_tendons[:, dofs] = np.diagonal(mass, axis1=1, axis2=2)
        weight[:, dofs] = np.diagonal(inverse, axis1=1, axis2=2)
        rows, along, moved = _responses(tendon, dofs, inverse)
        tendon_weight[:, rows] += np.sum(moved * along, axis=-1)
        rows, along, moved = _responses(moment, dofs, inverse)
        mobility[:, rows] += np.sum(moved * along, axis=-1)
        squares[:, rows] += np.sum(moved * moved, axis=-1)
        for first in range(0, len(bodies), BODIES_TOGETHER):
            some = bodies[first : first + BODIES_TOGETHER]
            jac = np.concatenate([_body_jacobian(t, axes, dofs, int(b), pose["xipos"][:, b] - origin) for b in some], axis=1)
            inertia = np.sum((jac @ inverse) * jac, axis=-1)
            body_weight[:, some] = inertia.reshape(nworld, len(some), 2, 3).mean(axis=-1)
    slides = t["body_simple"] == 2
    body_weight[:, slides, 0] = 1.0 / np.maximum(t["body_mass"][:, slides], MINVAL)
    body_weight[:, slides, 1] = 0.0
    subtree = t["body_mass"].copy()
    for body in range(nbody - 1, 0, -1):
        subtree[:, t["body_parentid"][body]] += subtree[:, body]
    return {
        "body_subtreemass": subtree,
        "body_invweight0": body_weight,
        "dof_M0": diagonal,
        "dof_invweight0": _joint_means(t, weight),
        "tendon_invweight0": tendon_weight,
        "actuator_acc0": np.sqrt(squares),
        "actuator_length0": actuator_length,
        "_actuator_mass": 1.0 / np.maximum(mobility, MINVAL),
        "_meaninertia": _mean_of_moved(with_tendons, t.get("_kinematic_dof", np.zeros(with_tendons.shape, dtype=bool))),
        **pose,
    }


def _mean_of_moved(diagonal: np.ndarray, kinematic: np.ndarray) -> np.ndarray:
    """Mean inertia (W) of dofs that forces move; the solver measures its progress by it, so prescribed ones do not count."""
    moved = np.sum(~kinematic, axis=-1)
    return np.where(moved > 0, np.sum(np.where(kinematic, 0.0, diagonal), axis=-1) / np.maximum(moved, 1), 1.0)


def _responses(forces: np.ndarray, dofs: np.ndarray, inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of generalized forces (W, n, nv) that act on a tree's dofs, their part there, and the accelerations it gives."""
    part = forces[:, :, dofs[0] : dofs[-1] + 1]  # a tree's dofs follow one another
    rows = np.flatnonzero(np.any(part, axis=(0, 2)))
    return rows, part[:, rows], part[:, rows] @ inverse


def _lengths(t: Table) -> np.ndarray:
    """Actuator lengths at qpos0: gear times the coordinate for hinges and slides, 0 for balls and free joints."""
    length = np.zeros((len(t["qpos0"]), int(t["actuator_outnum"].sum())))
    for i, (joint, out) in enumerate(zip(t["actuator_trnid"][:, 0], t["actuator_outadr"])):
        if t["actuator_trntype"][i] <= TrnType.JOINTINPARENT and t["jnt_type"][joint] in (JointType.SLIDE, JointType.HINGE):
            length[:, out] = t["actuator_gear"][:, out, 0] * t["qpos0"][:, t["jnt_qposadr"][joint]]
    return length
