"""What a browser shows of a scene: batches, moving meshes, lights and labels, kept in line with it frame by frame.

Only what has changed is sent. The same stage serves pages that are looked at and recordings of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from newtonish.viewer.scene.arrays import Light, Scene
from newtonish.viewer.scene.enums import Kind, LightType
from newtonish.viewer.web.batches import Batch, Batches, part_of
from newtonish.viewer.web.pictures import pictured_mesh

__all__ = ["Stage"]

BRIGHTEST = 1.1
"""Of all lights together, where a surface faces all of them; what is more is scaled down, as a page would show it white."""

LARGE = 4096
"""Corners of a mesh from which the browser makes coarser copies for what is far away."""

FULL = np.pi
"""Intensity at which a browser's light shows a surface that faces it in its own colour."""


class Stage:
    """Keeps a viser server's scene in line with ours.

    Args:
        server: A ``viser.ViserServer``.

    Attributes:
        added: Called with the key and the handle of each batch of bodies that is added; None: nothing is.
    """

    def __init__(self, server: Any) -> None:
        self.server = server
        self.added: Callable[[str, Any], None] | None = None
        self.clear()

    def clear(self) -> None:
        """Take everything off, for another model."""
        for handle in getattr(self, "_handles", {}).values():
            handle.remove()
        for name in list(getattr(self, "_labels", {})):
            self._labels.pop(name)[1].remove()
        for handle in getattr(self, "_lights", []):
            handle.remove()
        self._batches = Batches()
        self._handles: dict[str, Any] = {}
        self._sent: dict[str, dict[str, np.ndarray]] = {}
        self._versions: dict[str, int] = {}
        self._labels: dict[str, tuple[str, Any]] = {}
        self._lights: list[Any] = []
        self._lit: list[Any] = []
        self._count = 0
        self._exposure = 1.0

    def show(self, scene: Scene) -> None:
        """Send what has changed since the last scene."""
        batches = self._batches.of(scene)
        with self.server.atomic():
            self._light(scene)
            present = set()
            for batch in batches:
                self._draw(scene, batch)
                present.add(batch.key)
            for key in [key for key in self._handles if key not in present]:
                self._handles.pop(key).remove()
                self._sent.pop(key)
            self._label(scene)

    def _draw(self, scene: Scene, batch: Batch) -> None:
        triangles = scene.library[batch.entry]
        changed = self._versions.get(batch.key) != triangles.version
        self._versions[batch.key] = triangles.version
        if batch.key not in self._handles:
            self._add(scene, batch)
            return
        handle, sent = self._handles[batch.key], self._sent[batch.key]
        if changed:
            handle.vertices = part_of(triangles, batch.part)[0]
        for name, array in _numbers(batch).items():
            if not np.array_equal(array, sent[name]):
                setattr(handle, name, array)
                sent[name] = array

    def _add(self, scene: Scene, batch: Batch) -> None:
        """A batch that was not there."""
        triangles, numbers = scene.library[batch.entry], _numbers(batch)
        self._count += 1
        name = f"/scene/{self._count}"
        lod = "auto" if len(triangles.positions) > LARGE else "off"
        if batch.material >= 0:
            texture = scene.textures[scene.materials[batch.material].texture]
            mesh = pictured_mesh(triangles, batch.part, texture, batch.texture_scale, batch.color[0], batch.transparent)
            handle = self.server.scene.add_batched_glb(name, mesh, lod=lod, cast_shadow=batch.shadow, **numbers)
        else:
            corners, _, faces = part_of(triangles, batch.part)
            handle = self.server.scene.add_batched_meshes_simple(name, corners, faces, lod=lod, side="double", cast_shadow=batch.shadow, **numbers)
        self._handles[batch.key], self._sent[batch.key] = handle, numbers
        if self.added is not None and self._of_bodies(scene, batch):
            self.added(batch.key, handle)

    def _of_bodies(self, scene: Scene, batch: Batch) -> bool:
        return any(self.body_of(scene, batch.key, copy) >= 0 for copy in range(len(batch.position)))

    def body_of(self, scene: Scene, key: str, copy: int | None) -> int:
        """The model's body that a copy of a batch belongs to; -1: none."""
        row = self._batches.row(key, copy or 0)
        return int(scene.instances.body[row]) if row >= 0 and scene.instances.kind[row] == Kind.GEOM else -1

    def _label(self, scene: Scene) -> None:
        """Texts of the world; those that stay are moved."""
        texts = {f"/labels/{at}": label for at, label in enumerate(scene.labels)}
        for name in [name for name in self._labels if name not in texts or self._labels[name][0] != texts[name].text]:
            self._labels.pop(name)[1].remove()
        for name, label in texts.items():
            place = tuple(float(value) for value in label.position)
            if name in self._labels:
                self._labels[name][1].position = place
            else:
                self._labels[name] = (label.text, self.server.scene.add_label(name, label.text, position=place))

    def _light(self, scene: Scene) -> None:
        """The model's lights; a headlight, which would follow each visitor, shines from everywhere above."""
        lit = [(int(one.type), one.ambient, one.diffuse, *np.round(one.direction, 3).tolist(), *np.round(one.position, 3).tolist(), one.cutoff)
               for one in scene.lights if not one.headlight]  # fmt: skip
        if self._lights and lit == self._lit:
            return
        self._lit = lit
        for handle in self._lights:
            handle.remove()
        api = self.server.scene
        api.configure_default_lights(False)
        api.configure_environment_map(hdri=None)
        ambient = np.sum([one.ambient for one in scene.lights] or [(0.1, 0.1, 0.1)], axis=0)
        head = np.sum([one.diffuse for one in scene.lights if one.headlight] or [(0.0, 0.0, 0.0)], axis=0)
        together = float(np.max(ambient + np.sum([one.diffuse for one in scene.lights] or [(0.0, 0.0, 0.0)], axis=0)))
        self._exposure = min(1.0, BRIGHTEST / max(together, 1e-6))
        sky, ground = self._color(head), self._color(0.5 * head)
        self._lights = [
            api.add_light_ambient("/lights/ambient", color=self._color(ambient)[0], intensity=self._color(ambient)[1]),
            api.add_light_hemisphere("/lights/head", sky_color=sky[0], ground_color=ground[0], intensity=sky[1]),
        ]
        shadow = True
        for number, one in enumerate(light for light in scene.lights if not light.headlight):
            self._lights.append(self._lamp(f"/lights/{number}", one, scene, shadow and one.castshadow))
            shadow = shadow and not one.castshadow  # one light with shadows: each costs three pictures of the scene

    def _lamp(self, name: str, light: Light, scene: Scene, shadow: bool) -> Any:
        api, (color, intensity) = self.server.scene, self._color(np.asarray(light.diffuse))
        direction = np.asarray(light.direction, float)
        if light.type == LightType.DIRECTIONAL:
            far = -4.0 * max(scene.extent, 1.0) * direction
            return api.add_light_directional(name, color=color, intensity=intensity, cast_shadow=shadow, position=tuple(far))
        place = np.asarray(light.position, float)
        if light.type == LightType.POINT:
            return api.add_light_point(name, color=color, intensity=intensity, decay=0.0, position=tuple(place))
        away = float(np.linalg.norm(place - scene.center))
        constant, linear, quadratic = light.attenuation
        fall = 1.0 / max(float(constant + linear * away + quadratic * away**2), 1.0)
        # browsers' spots shine at the origin: what such a lamp does in the middle of the scene is a sun's light
        toward = direction / max(np.linalg.norm(direction), 1e-9)
        return api.add_light_directional(
            name, color=color, intensity=fall * intensity, cast_shadow=shadow, position=tuple(-4.0 * max(scene.extent, 1.0) * toward)
        )

    def _color(self, light: np.ndarray) -> tuple[tuple[int, int, int], float]:
        """A browser's colour and intensity of a light's strength in red, green and blue.

        Browsers add light as light adds and then lighten the dark; MuJoCo adds what is shown. The power is between the two.
        """
        top = max(float(np.max(light)), 1e-6)
        red, green, blue = (int(round(255 * float(np.clip(value / top, 0.0, 1.0)))) for value in light)
        return (red, green, blue), FULL * self._exposure * top**1.5


def _numbers(batch: Batch) -> dict[str, np.ndarray]:
    """What a batch's copies differ in, under viser's names."""
    numbers = {"batched_positions": batch.position, "batched_wxyzs": batch.quaternion, "batched_scales": batch.scale}
    if batch.material < 0:
        numbers["batched_colors"] = np.ascontiguousarray(batch.color[:, :3])
        if batch.transparent:
            numbers["batched_opacities"] = (batch.color[:, 3] / 255.0).astype(np.float32)
    return {name: np.ascontiguousarray(array) for name, array in numbers.items()}
