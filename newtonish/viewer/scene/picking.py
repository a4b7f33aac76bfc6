"""What is under the mouse: the first thing of a scene that a ray meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.viewer.scene.arrays import Scene
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import Kind
from newtonish.viewer.scene.library import BUILT_IN
from newtonish.viewer.scene.rays import CLOSED_FORMS, triangles_hit

__all__ = ["Picked", "cast", "pick"]

PICKABLE = (Kind.GEOM, Kind.SKIN)
"""Kinds that the mouse finds, as MuJoCo's: sites and decor are looked through."""


@dataclass
class Picked:
    """What was found.

    Attributes:
        kind: What it stands for.
        index: The model's shape, for geoms.
        world: Its world, -1 for what all share.
        body: The model's body it is on, -1 for the world.
        point: (3,) where it is hit [m].
        distance: From the ray's origin [m].
        row: Of the scene's instances.
    """

    kind: Kind
    index: int
    world: int
    body: int
    point: np.ndarray
    distance: float
    row: int


def pick(scene: Scene, pose: CameraPose, x: float, y: float, aspect: float, kinds: tuple[Kind, ...] = PICKABLE) -> Picked | None:
    """The first thing at a point of the picture; None: nothing.

    Args:
        scene: What was drawn.
        pose: From where; usually ``scene.camera``.
        x: From 0 at the left to 1 at the right.
        y: From 0 at the bottom to 1 at the top.
        aspect: Width of the picture over its height.
        kinds: What can be found.
    """
    return cast(scene, *pose.ray(x, y, aspect), kinds)


def cast(scene: Scene, origin: np.ndarray, direction: np.ndarray, kinds: tuple[Kind, ...] = PICKABLE) -> Picked | None:
    """The first thing that a ray meets; ``direction`` of length one."""
    shown = scene.instances
    rows = np.flatnonzero(np.isin(shown.kind, kinds))
    turned = shown.rotation[rows].astype(float)
    start = np.einsum("nji,nj->ni", turned, origin - shown.position[rows])
    along = np.einsum("nji,j->ni", turned, direction)
    distance = np.full(len(rows), np.inf)
    scale = shown.scale[rows].astype(float)
    scale[scale >= 0.99 * scene.camera.far] = np.inf  # planes without an end, which are drawn as far as one sees
    entries = shown.triangles[rows]
    for entry in np.unique(entries).tolist():
        of = entries == entry
        if entry in _FORMS:
            distance[of] = _FORMS[entry](start[of], along[of], scale[of])
        else:
            distance[of] = triangles_hit(scene.library[entry], start[of], along[of], scale[of])
    if not len(rows) or not np.isfinite(distance.min()):
        return None
    at = int(np.argmin(distance))
    row, far = int(rows[at]), float(distance[at])
    kind = Kind(int(shown.kind[row]))
    return Picked(kind, int(shown.index[row]), int(shown.world[row]), int(shown.body[row]), origin + far * direction, far, row)


_FORMS = {BUILT_IN[name]: form for name, form in CLOSED_FORMS.items()}
