"""Lights: the headlight, those of the model, and a sun for models that have none of their own."""

from __future__ import annotations

from dataclasses import replace
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
        center: The middle of one world [m].
    """

    def __init__(self, model: Any, tables: Tables | None, visual: SimpleNamespace, extent: float, up: np.ndarray | None, sun: bool, center: np.ndarray) -> None:
        self._head, self._center = visual.headlight, center
        down = np.array([0.3, 0.4, -1.0])
        down = (down if up is None else up @ down) / np.linalg.norm(down)
        self._looks = [] if tables is None or not tables.nlight else _looks(model, tables)
        self._sun = sun and not self._looks
        self._from_above = Light(direction=down.astype(np.float32), position=(-4.0 * extent * down).astype(np.float32))

    def make(self, bodies: Bodies, pose: CameraPose, shown: np.ndarray) -> list[Light]:
        """The lights of a picture, the headlight first.

        Of many worlds that stand apart those of the first, for all of them: a lamp that shines on one world becomes a sun of the
        direction and the strength that it has in the middle of that world.

        Args:
            bodies: Where bodies are.
            pose: The camera.
            shown: Numbers of the worlds that are drawn.
        """
        lights = []
        head = self._head
        if int(head.active):
            colors = {name: tuple(float(v) for v in getattr(head, name)) for name in _COLORS}
            position, forward = (np.asarray(v, dtype=np.float32) for v in (pose.position, pose.forward))
            lights.append(Light(LightType.DIRECTIONAL, position, forward, castshadow=False, headlight=True, **colors))
        if self._looks:
            world = int(shown[0]) if len(shown) else 0
            position, direction = (part[0].astype(np.float32) for part in bodies.of_world(world).lights())
            for row, look in self._looks:
                light = Light(position=position[row], direction=direction[row], index=row, **look)
                apart = len(shown) > 1 and np.ptp(bodies.offsets[shown], axis=0).any()
                lights.append(_sun_of(light, self._center + bodies.offsets[world]) if apart else light)
        if self._sun:
            lights.append(self._from_above)
        return lights[:MOST]


def _sun_of(light: Light, center: np.ndarray) -> Light:
    """A light from all that far away, which lights ``center`` as the given one does in the middle of its cone."""
    if light.type == LightType.DIRECTIONAL:
        return light
    away = center - light.position
    distance = float(np.linalg.norm(away))
    constant, linear, quadratic = light.attenuation
    fall = 1.0 / max(constant + linear * distance + quadratic * distance**2, 1e-6) if light.type == LightType.SPOT else 1.0
    direction = away / distance if light.type == LightType.POINT and distance > 0.0 else light.direction
    colors = {name: tuple(min(fall, 1.0) * value for value in getattr(light, name)) for name in _COLORS}
    return replace(light, type=LightType.DIRECTIONAL, direction=np.asarray(direction, dtype=np.float32), **colors)


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
