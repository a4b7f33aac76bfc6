"""Lights: the headlight, those of the model, and a sun for models that have none of their own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.viewer.scene.arrays import Light
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import LightType
from newtonish.viewer.scene.tables import Tables

__all__ = ["MOST", "Lights"]

MOST = 8
"""Lights of a scene, as OpenGL's and MuJoCo's."""
_COLORS = ("ambient", "diffuse", "specular")


class Lights:
    """Lights of a model.

    Args:
        model: Newton's model.
        tables: The converted one, or None.
        visual: Its visual settings.
        extent: Its size [m].
        up: (3, 3) turns z-up axes into the model's.
        sun: Whether a model without lights gets one from above.
    """

    def __init__(self, model: Any, tables: Tables | None, visual: SimpleNamespace, extent: float, up: np.ndarray | None, sun: bool) -> None:
        self._head = visual.headlight
        down = np.array([0.3, 0.4, -1.0])
        down = (down if up is None else up @ down) / np.linalg.norm(down)
        self._looks = [] if tables is None or not tables.nlight else _looks(model, tables)
        self._sun = sun and not self._looks
        self._from_above = Light(direction=down.astype(np.float32), position=(-4.0 * extent * down).astype(np.float32))

    def make(self, bodies: Bodies, pose: CameraPose) -> list[Light]:
        """The lights of a picture, the headlight first; of many worlds those of the first, above the middle of them all."""
        lights = []
        head = self._head
        if int(head.active):
            colors = {name: tuple(float(v) for v in getattr(head, name)) for name in _COLORS}
            position, forward = (np.asarray(v, dtype=np.float32) for v in (pose.position, pose.forward))
            lights.append(Light(LightType.DIRECTIONAL, position, forward, castshadow=False, headlight=True, **colors))
        if self._looks:
            position, direction = (part[0].astype(np.float32) for part in bodies.of_world(0).lights())
            position = position + (bodies.offsets.mean(axis=0) - bodies.offsets[0])
            for row, look in self._looks:
                lights.append(Light(position=position[row], direction=direction[row], index=row, **look))
        if self._sun:
            lights.append(self._from_above)
        return lights[:MOST]


def _looks(model: Any, tables: Tables) -> list[tuple[int, dict[str, Any]]]:
    """Row in the converted model, and what it looks like, of every light that shines."""
    custom = model.mujoco
    rows = tables.light_rows(custom)
    if not hasattr(custom, "light_type"):
        return [(at, {}) for at in range(len(rows))]
    found = []
    for at, row in enumerate(rows.tolist()):
        if custom.light_active[row]:
            look = {name: tuple(getattr(custom, f"light_{name}")[row].tolist()) for name in _COLORS}
            kind = LightType(int(custom.light_type[row]))
            if kind == LightType.SPOT:  # the other kinds do not fade, as MuJoCo draws them
                look |= {"attenuation": tuple(custom.light_attenuation[row].tolist())}
                look |= {name: float(getattr(custom, f"light_{name}")[row]) for name in ("cutoff", "exponent")}
            found.append((at, dict(type=kind, castshadow=bool(custom.light_castshadow[row]), **look)))
    return found
