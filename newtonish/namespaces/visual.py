"""Settings of the visualizer (MJCF's ``visual``): MuJoCo's defaults, and what files say over them. Data and one merge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["VISUAL", "visual"]

VISUAL: dict[str, dict[str, Any]] = {
    "global": dict(
        cameraid=-1, orthographic=False, fovy=45.0, ipd=0.068, azimuth=90.0, elevation=-45.0, linewidth=1.0, glow=0.3, realtime=1.0,
        offwidth=640, offheight=480, ellipsoidinertia=False, bvactive=False,
    ),
    "quality": dict(shadowsize=4096, offsamples=4, numslices=28, numstacks=16, numquads=4),
    "headlight": dict(ambient=(0.1, 0.1, 0.1), diffuse=(0.4, 0.4, 0.4), specular=(0.5, 0.5, 0.5), active=2),
    "map": dict(
        stiffness=100.0, stiffnessrot=500.0, force=0.005, torque=0.1, alpha=0.3, fogstart=3.0, fogend=10.0, znear=0.01, zfar=50.0,
        haze=0.3, shadowclip=1.0, shadowscale=0.6, actuatortendon=2.0,
    ),
    "scale": dict(
        forcewidth=0.1, contactwidth=0.3, contactheight=0.1, connect=0.2, com=0.4, camera=0.3, light=0.3, selectpoint=0.2,
        jointlength=1.0, jointwidth=0.1, actuatorlength=0.7, actuatorwidth=0.2, framelength=1.0, framewidth=0.1, constraint=0.1,
        slidercrank=0.2, frustum=10.0,
    ),
    "rgba": dict(
        fog=(0.0, 0.0, 0.0, 1.0), haze=(1.0, 1.0, 1.0, 1.0), force=(1.0, 0.5, 0.5, 1.0), inertia=(0.8, 0.2, 0.2, 0.6),
        joint=(0.2, 0.6, 0.8, 1.0), actuator=(0.2, 0.25, 0.2, 1.0), actuatornegative=(0.2, 0.6, 0.9, 1.0),
        actuatorpositive=(0.9, 0.4, 0.2, 1.0), com=(0.9, 0.9, 0.9, 1.0), camera=(0.6, 0.9, 0.6, 1.0), light=(0.6, 0.6, 0.9, 1.0),
        selectpoint=(0.9, 0.9, 0.1, 1.0), connect=(0.2, 0.2, 0.8, 1.0), contactpoint=(0.9, 0.6, 0.2, 1.0),
        contactforce=(0.7, 0.9, 0.9, 1.0), contactfriction=(0.9, 0.8, 0.4, 1.0), contacttorque=(0.9, 0.7, 0.9, 1.0),
        contactgap=(0.5, 0.8, 0.9, 1.0), rangefinder=(1.0, 1.0, 0.1, 1.0), constraint=(0.9, 0.0, 0.0, 1.0),
        slidercrank=(0.5, 0.3, 0.8, 1.0), crankbroken=(0.9, 0.0, 0.0, 1.0), frustum=(1.0, 1.0, 0.0, 0.2),
        bv=(0.0, 1.0, 0.0, 0.5), bvactive=(1.0, 0.0, 0.0, 0.5),
    ),
}  # fmt: skip
"""Group -> setting -> MuJoCo's value where nothing is written."""


def visual(said: Iterable[Mapping[str, Any]] = ()) -> SimpleNamespace:
    """All settings, grouped as in ``mujoco.MjModel.vis`` (``global_``, ``quality``, ``headlight``, ``map``, ``scale``, ``rgba``).

    Args:
        said: What files say, ``{"map": {"znear": 0.01}}`` each; later ones win.
    """
    groups = {group: dict(values) for group, values in VISUAL.items()}
    for one in said:
        for group, values in one.items():
            groups[group] |= values
    made = {
        group: SimpleNamespace(**{name: np.array(value, np.float32) if isinstance(value, (list, tuple)) else value for name, value in values.items()})
        for group, values in groups.items()
    }
    made["global_"] = made.pop("global")
    return SimpleNamespace(**made)
