"""What an error is held against: the size of the body, joint or pair of joints it belongs to, and not that of a whole array.

An array holds entities of very different sizes and often numbers of different units: beside a torso, the inertia of a finger could be zero
without changing a norm by a ten-thousandth. So the mass matrix is scaled by sqrt(Mii Mjj), which bounds its entries (it is positive definite),
inertias body by body and by part, spatial velocities and positions row by row, forces of joints by the square root of the joint's own inertia.
"""

from __future__ import annotations

import mujoco
import numpy as np

UNIT = ("xquat", "xmat", "ximat", "xaxis", "geom_xmat", "site_xmat")
PLACES = ("xpos", "xipos", "xanchor", "geom_xpos", "site_xpos", "subtree_com")
SPATIAL = ("cdof", "cvel", "cdof_dot")
INERTIAS = ("cinert", "crb")
FORCES = ("qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_passive", "qfrc_actuator", "qfrc_smooth")
MASS = "M"


def dof_inertia(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> np.ndarray:
    """Diagonal of the mass matrix, the last entry of each row."""
    return np.asarray(mjd.M)[mjm.M_rowadr + mjm.M_rownnz - 1]


def scales(mjm: mujoco.MjModel, mjd: mujoco.MjData, name: str) -> np.ndarray | None:
    """For each number of an array of MuJoCo's, flat, what its error is divided by; None for arrays of one unit and size.

    Args:
        mjm: model.
        mjd: data, in which the array is computed.
        name: of the array.
    """
    if name == MASS:
        root = np.sqrt(dof_inertia(mjm, mjd))
        return np.repeat(root, mjm.M_rownnz) * root[mjm.M_colind]
    if name in UNIT:
        return np.ones(np.size(getattr(mjd, name)))
    if name in PLACES:
        rows = np.asarray(getattr(mjd, name)).reshape(-1, 3)
        return np.repeat(np.maximum(1.0, np.linalg.norm(rows, axis=1)), 3)
    if name in SPATIAL:  # rotation, translation
        parts = np.asarray(getattr(mjd, name)).reshape(-1, 3)
        return np.repeat(np.maximum(1.0, np.linalg.norm(parts, axis=1)), 3)
    if name in INERTIAS:
        return _inertias(np.asarray(getattr(mjd, name)).reshape(-1, 10)).ravel()
    if name in FORCES:
        return _forces(mjm, mjd, np.asarray(getattr(mjd, name)))
    return None


def _inertias(rows: np.ndarray) -> np.ndarray:
    """Moments of inertia, first moments of mass (bounded by sqrt(mass times inertia), as entries of M are), mass."""
    moments, mass = np.linalg.norm(rows[:, :6], axis=1), np.abs(rows[:, 9])
    return np.column_stack([np.repeat(moments[:, None], 6, axis=1), np.repeat(np.sqrt(moments * mass)[:, None], 3, axis=1), mass])


def _forces(mjm: mujoco.MjModel, mjd: mujoco.MjData, forces: np.ndarray) -> np.ndarray:
    """The norm in which work counts, and at least the weight of the model: what cancels in a small force."""
    root = np.sqrt(dof_inertia(mjm, mjd))
    weight = np.sqrt(mjm.body_mass.sum()) * max(1.0, float(np.linalg.norm(mjm.opt.gravity)))
    return root * max(float(np.linalg.norm(forces / root)), float(weight)) if len(root) else root
