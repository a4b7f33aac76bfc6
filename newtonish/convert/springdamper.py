"""Springs and dampers of joints given as a time constant and a damping ratio (MJCF ``springdamper``).

The effective inertia of a joint is the mean of 1/dof_invweight0 over its dofs; with it a time constant T and a ratio r
mean the stiffness I/(T r)^2 and the damping 2 I/T of a mass on a spring (MuJoCo's XML reference, joint, springdamper).
They take the place of the joint's own stiffness and damping.
"""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.convert.joints import JointTable
from newtonish.convert.worlds import Worlds

__all__ = ["apply_springdamper"]


def apply_springdamper(worlds: Worlds, joints: JointTable, t: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """``jnt_stiffness`` and ``dof_damping`` with the values that ``mujoco:joint_springdamper`` asks for."""
    wanted = worlds.pick("joint_dof", worlds.source.custom("joint_springdamper"))[:, joints.dof]
    asked = np.asarray((wanted > 0.0).all(axis=-1))
    if not asked.any():
        return {}
    stiffness, damping = t["jnt_stiffness"].copy(), t["dof_damping"].copy()
    for j in np.flatnonzero(asked.any(axis=0)):
        dofs = int(joints.dofadr[j]) + np.arange(int(joints.width[j]))
        inertia = (1.0 / np.maximum(MINVAL, t["dof_invweight0"][:, dofs])).mean(axis=1)
        time, ratio = wanted[:, j, 0], wanted[:, j, 1]
        on = asked[:, j]
        stiffness[on, j] = (inertia / np.maximum(MINVAL, (time * ratio) ** 2))[on]
        damping[np.ix_(on, dofs)] = (2.0 * inertia / np.maximum(MINVAL, time))[on, None]
    return {"jnt_stiffness": stiffness, "dof_damping": damping}
