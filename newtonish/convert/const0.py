"""Constants of the reference pose qpos0, in float64: composite inertia, inverse weights, actuator gains, statistics.

What MuJoCo's ``mj_setConst`` leaves in the model. Method: every kinematic tree on its own, because M is block
diagonal over trees; spatial axes and inertias about the tree's root (Featherstone, Rigid Body Dynamics Algorithms,
2008, ch. 6), the tree's block of M by the composite-rigid-body algorithm, its inverse through a Cholesky
factorisation. All distinct worlds are treated at once along the leading axis.

``dof_invweight0`` is the mean of diag(M⁻¹) over a ball's three dofs and over each half of a free joint's six;
``body_invweight0`` the mean translational and rotational diagonal of J·M⁻¹·Jᵀ at the body's centre of mass, zero
for static bodies. Bodies that only slide (``body_simple`` 2) have 1/mass, as in MuJoCo. ``tendon_invweight0`` is
J·M⁻¹·Jᵀ of the tendon; a tendon's armature counts in M (but not in ``dof_M0``) between dofs on one path to the root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from newtonish.convert import frames, paths
from newtonish.convert.joints import MJ_BALL, MJ_FREE, MJ_HINGE, MJ_SLIDE
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["const0", "pose0", "statistics"]

MINVAL = 1e-15
JOINT_IN_PARENT = 1
Table = dict[str, np.ndarray]


def pose0(t: Table) -> Table:
    """World poses of bodies, inertial frames and joints at qpos0: ``xpos, xquat, xipos, xanchor, xaxis``."""
    nworld, nbody = t["body_pos"].shape[:2]
    xpos = np.zeros((nworld, nbody, 3))
    xquat = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (nworld, nbody, 1))
    free = t["jnt_type"] == MJ_FREE
    adr = np.full(nbody, -1)
    adr[t["jnt_bodyid"][free]] = t["jnt_qposadr"][free]
    quat = frames.unit(t["body_quat"])
    for bodies in _levels(t["body_parentid"]):
        up = t["body_parentid"][bodies]
        xpos[:, bodies], xquat[:, bodies] = frames.compose(xpos[:, up], xquat[:, up], t["body_pos"][:, bodies], quat[:, bodies])
        loose = bodies[adr[bodies] >= 0]
        xpos[:, loose] = t["qpos0"][:, adr[loose, None] + np.arange(3)]
        xquat[:, loose] = frames.unit(t["qpos0"][:, adr[loose, None] + np.arange(3, 7)])
    owner = t["jnt_bodyid"]
    return {
        "xpos": xpos,
        "xquat": xquat,
        "xipos": xpos + frames.rotate(xquat, t["body_ipos"]),
        "xanchor": xpos[:, owner] + frames.rotate(xquat[:, owner], t["jnt_pos"]),
        "xaxis": frames.rotate(xquat[:, owner], t["jnt_axis"]),
    }


def _levels(parent: np.ndarray) -> list[np.ndarray]:
    """Bodies by their distance from the world, which is left out; all of a level are composed at once."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for body in range(1, len(parent)):
        depth[body] = depth[parent[body]] + 1
    return [np.flatnonzero(depth == level) for level in range(1, int(depth.max(initial=0)) + 1)]


def _motion_axes(t: Table, pose: Table, joints: list[int], origin: np.ndarray) -> np.ndarray:
    """Spatial axes (angular, linear at the origin) of the dofs of some joints, shape (W, dofs, 6)."""
    nworld = len(origin)
    columns: list[np.ndarray] = []
    for j in joints:
        kind, body = t["jnt_type"][j], t["jnt_bodyid"][j]
        arm = origin - pose["xanchor"][:, j]
        rotations: list[np.ndarray] = []
        if kind == MJ_SLIDE:
            columns.append(np.concatenate([np.zeros((nworld, 3)), pose["xaxis"][:, j]], axis=-1))
        elif kind == MJ_HINGE:
            rotations = [pose["xaxis"][:, j]]
        else:
            if kind == MJ_FREE:
                columns += [np.broadcast_to(row, (nworld, 6)) for row in np.eye(6)[3:]]
                arm = origin - pose["xpos"][:, body]
            turn = frames.mat_from_quat(pose["xquat"][:, body])
            rotations = [turn[..., k] for k in range(3)]
        columns += [np.concatenate([axis, frames.cross(axis, arm)], axis=-1) for axis in rotations]
    return np.stack(columns, axis=1) if columns else np.zeros((nworld, 0, 6))


def _spatial_inertia(t: Table, pose: Table, bodies: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Spatial inertia matrices (angular first) of bodies about the origin, shape (W, n, 6, 6)."""
    mass = t["body_mass"][:, bodies]
    axes = frames.mat_from_quat(frames.unit(frames.quat_mul(pose["xquat"][:, bodies], t["body_iquat"][:, bodies])))
    rotational = np.einsum("wnij,wnj,wnkj->wnik", axes, t["body_inertia"][:, bodies], axes)
    skew = _skew(pose["xipos"][:, bodies] - origin[:, None])
    moment = mass[..., None, None] * skew
    result = np.zeros((*mass.shape, 6, 6))
    result[..., :3, :3] = rotational - moment @ skew
    result[..., :3, 3:] = moment
    result[..., 3:, :3] = -moment
    result[..., 3:, 3:] = mass[..., None, None] * np.eye(3)
    return result


def _skew(v: np.ndarray) -> np.ndarray:
    """Cross-product matrices of vectors."""
    zero = np.zeros_like(v[..., 0])
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _tree_inertia(
    t: Table, pose: Table, tree: int, tendon: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bodies, dofs, axes, origin, diagonal without and mass matrix (W, n, n) with tendons' armature, of one tree."""
    bodies = np.flatnonzero(t["body_treeid"] == tree)
    dofs = np.flatnonzero(t["dof_treeid"] == tree)
    joints = list(dict.fromkeys(t["dof_jntid"][dofs].tolist()))
    origin = pose["xpos"][:, bodies[0]]
    axes = _motion_axes(t, pose, joints, origin)
    place = {int(b): i for i, b in enumerate(bodies)}
    composite = _spatial_inertia(t, pose, bodies, origin)
    for i in range(len(bodies) - 1, 0, -1):
        up = place.get(int(t["body_parentid"][bodies[i]]))
        if up is not None:
            composite[:, up] += composite[:, i]
    mass = np.zeros((len(origin), len(dofs), len(dofs)))
    for i, dof in enumerate(dofs):
        force = np.einsum("wij,wj->wi", composite[:, place[int(t["dof_bodyid"][dof])]], axes[:, i])
        other = int(dof)
        while other >= 0:
            k = other - int(dofs[0])
            mass[:, i, k] = mass[:, k, i] = np.einsum("wi,wi->w", axes[:, k], force)
            other = int(t["dof_parentid"][other])
    each = np.arange(len(dofs))
    mass[:, each, each] += t["armature"][:, dofs]
    diagonal = np.diagonal(mass, axis1=1, axis2=2).copy()
    if np.any(t["tendon_armature"]):
        along = tendon[:, :, dofs]
        coupling = np.einsum("wt,wti,wtj->wij", t["tendon_armature"], along, along)
        mass += np.where(_on_one_path(t["dof_parentid"], dofs), coupling, 0.0)
    return bodies, dofs, axes, origin, diagonal, mass


def _on_one_path(parent: np.ndarray, dofs: np.ndarray) -> np.ndarray:
    """Pairs of a tree's dofs of which one is above the other, (n, n); M has no other elements."""
    above = np.eye(len(dofs), dtype=bool)
    for i, dof in enumerate(dofs):
        if parent[dof] >= 0:
            above[i] |= above[int(parent[dof]) - int(dofs[0])]
    return above | above.T


def _invert(mass: np.ndarray, dofs: np.ndarray, name_of_dof: Callable[[int], str]) -> np.ndarray:
    """Inverse of symmetric positive definite matrices; the first dof that has no inertia is named."""
    diagonal = np.diagonal(mass, axis1=1, axis2=2)
    try:
        if np.any(diagonal < MINVAL):
            raise np.linalg.LinAlgError
        factor = np.linalg.cholesky(mass)
    except np.linalg.LinAlgError:
        worst = int(dofs[np.argmin(diagonal.min(axis=0))])
        text = problem(
            name_of_dof(worst),
            "a mass matrix that is not positive definite at the reference pose",
            "moving bodies with a positive mass and inertia, or joints with an armature",
            "give the bodies below this joint mass and inertia, or set the joint's armature",
        )
        raise_all(ModelError, "conversion", [text])
        raise
    inverse_factor = np.linalg.inv(factor)
    return np.swapaxes(inverse_factor, -1, -2) @ inverse_factor


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
        groups = ((0, 3), (3, 6)) if kind == MJ_FREE else ((0, 3),) if kind == MJ_BALL else ()
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
        if kind == paths.TRN_SO3 and t["actuator_trnid"][i, 1] >= 0:
            length[:, out : out + 3], moment[:, out : out + 3] = paths.orientation_moments(motion, i)
            continue
        if kind > JOINT_IN_PARENT and kind != paths.TRN_SO3:
            length[:, out], moment[:, out] = paths.actuator_moments(motion, tendon, t["tendon_length0"], i)
            continue
        adr = t["jnt_dofadr"][joint]
        if kind == paths.TRN_SO3:
            moment[:, out : out + 3, adr : adr + 3] = np.eye(3)
            continue
        width = {MJ_FREE: 6, MJ_BALL: 3}.get(int(t["jnt_type"][joint]), 1)
        moment[:, out, adr : adr + width] = t["actuator_gear"][:, out, :width]
    return length, moment


def _tendon_jacobian(t: Table, motion: paths.Motion) -> np.ndarray:
    """Jacobian of the tendons (W, tendons, nv) at qpos0."""
    nworld, nv = t["dof_armature"].shape
    jacobian = np.zeros((nworld, len(t["tendon_adr"]), nv))
    for i, (adr, num) in enumerate(zip(t["tendon_adr"], t["tendon_num"])):
        for k in range(adr, adr + num):
            if t["wrap_type"][k] == paths.WRAP_JOINT:
                jacobian[:, i, t["jnt_dofadr"][t["wrap_objid"][k]]] += t["wrap_prm"][:, k]
    return paths.spatial_jacobian(motion, jacobian)


def _needs_points(t: Table) -> bool:
    """Whether tendons or actuators act on points of bodies, so that the axes of all dofs are needed."""
    return bool(np.any(t["wrap_type"] != paths.WRAP_JOINT) or np.any(t["actuator_trntype"] > JOINT_IN_PARENT))


def _tendon_armature(t: Table) -> np.ndarray:
    """Armature of each tendon with what its actuators add (their armature times gear squared)."""
    total = t["tendon_armature"].copy()
    for i in np.flatnonzero(t["actuator_trntype"] == paths.TRN_TENDON):
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
    world_axes = _motion_axes(t, pose, everything, np.zeros((nworld, 3))) if _needs_points(t) else None
    motion = paths.Motion(t, pose, world_axes)
    tendon = _tendon_jacobian(t, motion)
    actuator_length, moment = _moments(t, motion, tendon)
    tendon_weight = np.zeros(tendon.shape[:2])
    squares, mobility = np.zeros(moment.shape[:2]), np.zeros(moment.shape[:2])
    for tree in range(int(t["dof_treeid"].max(initial=-1)) + 1):
        bodies, dofs, axes, origin, diagonal[:, dofs], mass = _tree_inertia(t, pose, tree, tendon)
        inverse = _invert(mass, dofs, name_of_dof)
        with_tendons[:, dofs] = np.diagonal(mass, axis1=1, axis2=2)
        weight[:, dofs] = np.diagonal(inverse, axis1=1, axis2=2)
        rows, along, moved = _responses(tendon, dofs, inverse)
        tendon_weight[:, rows] += np.sum(moved * along, axis=-1)
        rows, along, moved = _responses(moment, dofs, inverse)
        mobility[:, rows] += np.sum(moved * along, axis=-1)
        squares[:, rows] += np.sum(moved * moved, axis=-1)
        for body in bodies:
            jac = _body_jacobian(t, axes, dofs, int(body), pose["xipos"][:, body] - origin)
            inertia = np.sum((jac @ inverse) * jac, axis=-1)
            body_weight[:, body] = inertia.reshape(nworld, 2, 3).mean(axis=-1)
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
        if t["actuator_trntype"][i] <= JOINT_IN_PARENT and t["jnt_type"][joint] in (MJ_SLIDE, MJ_HINGE):
            length[:, out] = t["actuator_gear"][:, out, 0] * t["qpos0"][:, t["jnt_qposadr"][joint]]
    return length


def statistics(t: Table, pose: Table) -> tuple[Table, dict[str, Any]]:
    """``dof_length`` of each distinct world, and ``meanmass, meansize, extent, center`` of the first.

    A body's size is the largest distance from its centre of mass to a joint of its own or of a child, or to the far
    side of one of its geoms; a rotational dof has its body's size, a translational one 1.
    """
    nbody = len(t["body_parentid"])
    anchors, owner = pose["xanchor"], t["jnt_bodyid"]
    size = np.zeros(t["body_mass"].shape)
    for body in (owner, t["body_parentid"][owner]):
        reach = np.linalg.norm(pose["xipos"][:, body] - anchors, axis=-1)
        np.maximum.at(size, (slice(None), body), reach)
    size[:, 0] = 0.0
    on = t["geom_bodyid"]
    centres = pose["xpos"][:, on] + frames.rotate(pose["xquat"][:, on], t["geom_pos"])
    far = t["geom_rbound"] + np.linalg.norm(pose["xipos"][:, on] - centres, axis=-1)
    far[(t["geom_rbound"] <= 0) | (on == 0)] = 0.0
    np.maximum.at(size, (slice(None), on), far)
    size[:, 1:] = np.maximum(size[:, 1:], 1e-5)
    turning = (t["jnt_type"] != MJ_SLIDE)[t["dof_jntid"]]
    offset = np.arange(len(turning)) - t["jnt_dofadr"][t["dof_jntid"]]
    turning &= ~((t["jnt_type"][t["dof_jntid"]] == MJ_FREE) & (offset < 3))
    length = np.where(turning, size[:, t["dof_bodyid"]], 1.0)
    low, high = _box(t, pose, centres)
    mean_size = float(size[0, 1:].mean()) if nbody > 1 else 1.0
    extent = max(1e-5, float((high - low).max())) if high[0] > low[0] else 2.0
    return {"dof_length": length}, {
        "meanmass": float(t["body_mass"][0, 1:].mean()) if nbody > 1 else 1.0,
        "meansize": mean_size,
        "extent": max(extent, 2.0 * mean_size),
        "center": 0.5 * (low + high),
    }


def _box(t: Table, pose: Table, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a box around the bodies, joints, sites and geoms of the first world."""
    on = t["site_bodyid"]
    sites = pose["xpos"][0, on] + frames.rotate(pose["xquat"][0, on], t["site_pos"][0])
    points = np.concatenate([pose["xpos"][0, 1:], pose["xipos"][0, 1:], pose["xanchor"][0], sites])
    radius, plane = t["geom_rbound"][0], t["geom_type"] == 0
    width = t["geom_size"][0, :, :2].max(axis=-1, initial=0.0)
    radius = np.where(plane & (radius <= 0), np.where(width > 0, 0.1 * width, 0.01), radius)[:, None]
    points = np.concatenate([points, centres[0] - radius, centres[0] + radius])
    if not len(points):
        return np.zeros(3), np.zeros(3)
    return points.min(axis=0), points.max(axis=0)
