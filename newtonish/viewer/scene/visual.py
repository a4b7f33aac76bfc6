"""MuJoCo's visual settings (``mjVisual``): what a model says about how it wants to be looked at, or the defaults."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["DEFAULTS", "Visual", "read_visual"]

DEFAULTS: dict[str, dict[str, Any]] = {
    "global": dict(
        cameraid=-1, orthographic=0, fovy=45.0, ipd=0.068, azimuth=90.0, elevation=-45.0, linewidth=1.0, glow=0.3, realtime=1.0,
        offwidth=640, offheight=480, ellipsoidinertia=0, bvactive=1,
    ),
    "quality": dict(shadowsize=4096, offsamples=4, numslices=28, numstacks=16, numquads=4),
    "headlight": dict(ambient=(0.1, 0.1, 0.1), diffuse=(0.4, 0.4, 0.4), specular=(0.5, 0.5, 0.5), active=1),
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
        fog=(0, 0, 0, 1), haze=(1, 1, 1, 1), force=(1, 0.5, 0.5, 1), inertia=(0.8, 0.2, 0.2, 0.6), joint=(0.2, 0.6, 0.8, 1),
        actuator=(0.2, 0.25, 0.2, 1), actuatornegative=(0.2, 0.6, 0.9, 1), actuatorpositive=(0.9, 0.4, 0.2, 1), com=(0.9, 0.9, 0.9, 1),
        camera=(0.6, 0.9, 0.6, 1), light=(0.6, 0.6, 0.9, 1), selectpoint=(0.9, 0.9, 0.1, 1), connect=(0.2, 0.2, 0.8, 1),
        contactpoint=(0.9, 0.6, 0.2, 1), contactforce=(0.7, 0.9, 0.9, 1), contactfriction=(0.9, 0.8, 0.4, 1),
        contacttorque=(0.9, 0.7, 0.9, 1), contactgap=(0.5, 0.8, 0.9, 1), rangefinder=(1, 1, 0.1, 1), constraint=(0.9, 0, 0, 1),
        slidercrank=(0.5, 0.3, 0.8, 1), crankbroken=(0.9, 0, 0, 1), frustum=(1, 1, 0, 0.2), bv=(0, 1, 0, 0.5), bvactive=(1, 0, 0, 0.5),
    ),
}  # fmt: skip
"""Group -> name -> value, as ``mj_defaultVisual``."""


class Visual(SimpleNamespace):
    """The settings by group: ``visual.map.znear``, ``visual.rgba.joint``; colours are float32 arrays (``global`` is ``global_``)."""


def read_visual(model: Any) -> Visual:
    """A model's visual settings, from the ``mujoco`` namespace where it has them."""
    custom = getattr(model, "mujoco", None)
    groups = {}
    for group, defaults in DEFAULTS.items():
        values = {name: _value(getattr(custom, f"vis_{group}_{name}", None), default) for name, default in defaults.items()}
        groups["global_" if group == "global" else group] = SimpleNamespace(**values)
    return Visual(**groups)


def _value(given: Any, default: Any) -> Any:
    """A setting of the kind its default has."""
    if given is not None:
        given = np.asarray(given.numpy() if hasattr(given, "numpy") else given).reshape(-1)
        default = tuple(given.tolist()) if isinstance(default, tuple) else type(default)(given[0])
    return np.array(default, dtype=np.float32) if isinstance(default, tuple) else default
