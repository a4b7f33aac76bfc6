"""Pull: the arrays after a step into a Newton state.

Joint coordinates are converted in one launch; poses and velocities of the bodies then follow from the new coordinates by
forward kinematics, because MuJoCo's body poses after a step are still those of its start.
"""

from __future__ import annotations

from typing import Any

from newtonish.kernels.bridge import Maps, pull_kernel
from newtonish.kernels.launch import launch
from newtonish.model.fk import eval_fk

__all__ = ["pull"]


def pull(m: Any, d: Any, maps: Maps, model: Any, before: Any, state: Any) -> None:
    """Write ``joint_q``, ``joint_qd``, ``body_q`` and ``body_qd`` of all worlds.

    Args:
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        maps: Index maps on the device.
        model: The Newton model.
        before: Newton state at the start of the step, whose kinematic joints are carried over.
        state: Newton state to fill.
    """
    launch(pull_kernel, d, [m.size, m.jnt, maps, d.state, before.joint_q, before.joint_qd, state.joint_q, state.joint_qd])
    if state.body_q is not None:
        eval_fk(model, state.joint_q, state.joint_qd, state)
