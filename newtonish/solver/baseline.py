"""Gains of joint limits as they were before any edit."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["set_gain_baseline"]


def set_gain_baseline(model: Any) -> None:
    """Remember the gains of joint limits for which MuJoCo's default solref stands, where nobody did so before.

    A limit imported from MJCF keeps MuJoCo's own softness until its ``joint_limit_ke`` or ``joint_limit_kd`` is edited.
    """
    baseline = getattr(getattr(model, "mujoco", None), "solreflimit_gain_baseline", None)
    if baseline is None or not len(baseline):
        return
    values = baseline.numpy()
    unset = ~np.isfinite(values).all(axis=1)
    if unset.any():
        gains = np.stack([model.joint_limit_ke.numpy(), model.joint_limit_kd.numpy()], axis=1)
        values[unset] = gains[unset]
        baseline.assign(values)
