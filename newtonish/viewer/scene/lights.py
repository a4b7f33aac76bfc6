"""Lights: the headlight, those of the model, or a sun for models that have none of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.viewer.scene.arrays import Light
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import LightType
from newtonish.viewer.scene.tables import Tables
from newtonish.viewer.scene.visual import Visual

__all__ = ["MOST", "Lights"]

MOST = 8
"""Lights of a scene, as OpenGL's and MuJoCo's."""


class Lights:
    """Lights of a model.

    Args:
        model: Newton's model.
        tables: The converted one, or None.
        visual: Its visual settings.
        extent: Its size [m].
        up: (3, 3) turns z-up axes into the model's.
    """

    def __init__(self, model: Any, tables: Tables | None, visual: Visual, extent: float, up: np.ndarray | None) -> None:
        self._model, self._tables, self._head = model, tables, visual.headlight
        down = np.array([0.3, 0.4, -1.0])
        down = (down if up is None else up @ down) / np.linalg.norm(down)
        self._sun = Light(direction=down.astype(np.float32), position=(-4.0 * extent * down).astype(np.float32))

    def make(self, bodies: Bodies, pose: CameraPose) -> list[Light]:
        """The lights of a picture, the headlight first."""
        lights = []
        head = self._head
        if int(head.active):
            colors = {name: tuple(float(v) for v in getattr(head, name)) for name in ("ambient", "diffuse", "specular")}
            position, forward = (np.asarray(v, dtype=np.float32) for v in (pose.position, pose.forward))
            lights.append(Light(LightType.DIRECTIONAL, position, forward, castshadow=False, headlight=True, **colors))
        return [*lights, self._sun][:MOST]
