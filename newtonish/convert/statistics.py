"""Statistics of the reference pose: sizes of bodies, lengths of dofs, mean mass, extent and centre of the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import JointType

__all__ = ["statistics"]

Table = dict[str, np.ndarray]


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
    turning = (t["jnt_type"] != JointType.SLIDE)[t["dof_jntid"]]
    offset = np.arange(len(turning)) - t["jnt_dofadr"][t["dof_jntid"]]
    turning &= ~((t["jnt_type"][t["dof_jntid"]] == JointType.FREE) & (offset < 3))
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
