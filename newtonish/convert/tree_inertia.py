"""The mass matrix of each kinematic tree at the reference pose, and its inverse, in float64.

M is block diagonal over trees. Spatial axes and inertias are about the tree's root (Featherstone, Rigid Body Dynamics
Algorithms, 2008, ch. 6), the tree's block of M comes from the composite-rigid-body algorithm, its inverse from a Cholesky
factorisation. All distinct worlds are treated at once along the leading axis.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from newtonish.common import frames
from newtonish.common.constants import MINVAL
from newtonish.common.enums import JointType
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["invert", "levels", "motion_axes", "tree_inertia"]

Table = dict[str, np.ndarray]


def levels(parent: np.ndarray) -> list[np.ndarray]:
    """Bodies by their distance from the world, which is left out; all of a level are composed at once."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for body in range(1, len(parent)):
        depth[body] = depth[parent[body]] + 1
    return [np.flatnonzero(depth == level) for level in range(1, int(depth.max(initial=0)) + 1)]


def motion_axes(t: Table, pose: Table, joints: list[int], origin: np.ndarray) -> np.ndarray:
    """Spatial axes (angular, linear at the origin) of the dofs of some joints, shape (W, dofs, 6)."""
    nworld = len(origin)
    columns: list[np.ndarray] = []
    for j in joints:
        kind, body = t["jnt_type"][j], t["jnt_bodyid"][j]
        arm = origin - pose["xanchor"][:, j]
        rotations: list[np.ndarray] = []
        if kind == JointType.SLIDE:
            columns.append(np.concatenate([np.zeros((nworld, 3)), pose["xaxis"][:, j]], axis=-1))
        elif kind == JointType.HINGE:
            rotations = [pose["xaxis"][:, j]]
        else:
            if kind == JointType.FREE:
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


def tree_inertia(t: Table, pose: Table, tree: int, tendon: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bodies, dofs, axes, origin, diagonal without and mass matrix (W, n, n) with tendons' armature, of one tree."""
    bodies = np.flatnonzero(t["body_treeid"] == tree)
    dofs = np.flatnonzero(t["dof_treeid"] == tree)
    joints = list(dict.fromkeys(t["dof_jntid"][dofs].tolist()))
    origin = pose["xpos"][:, bodies[0]]
    axes = motion_axes(t, pose, joints, origin)
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


def invert(mass: np.ndarray, dofs: np.ndarray, name_of_dof: Callable[[int], str]) -> np.ndarray:
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
