"""What all decor is made with: a collection of things to draw, and what there is to know about the state that is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.viewer.scene.arrays import Instances, TextLabel
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import Category, Kind, Label
from newtonish.viewer.scene.evaluation import Evaluation
from newtonish.viewer.scene.library import BUILT_IN
from newtonish.viewer.scene.options import VisualOptions
from newtonish.viewer.scene.rotations import from_z
from newtonish.viewer.scene.tables import Tables

__all__ = ["Draft"]

_IDENTITY = np.eye(3)
_CENTERED = ("capsule", "cylinder")


@dataclass
class Draft:
    """Things to draw, of the worlds that are shown; leading axes are worlds everywhere.

    Attributes:
        options, visual: What is shown, and how.
        tables: The converted model.
        bodies: Poses.
        evaluation: The evaluated state, or None without a solver.
        state: The state.
        pose: The camera.
        perturbation: The selected body, or None.
        scale: Mean size of bodies [m], by which decor is scaled.
        mass: Mean mass [kg], by which arrows of forces are.
        extent: Size of the model [m].
        shown: Worlds that are drawn.
        maker: Who makes the scene.
        contacts: Contacts in Newton's layout, for states without a solver, or None.
        labels: Texts.
        parts: What was added so far.
    """

    options: VisualOptions
    visual: SimpleNamespace
    tables: Tables
    bodies: Bodies
    evaluation: Evaluation | None
    state: Any
    pose: CameraPose
    perturbation: Any
    scale: float
    mass: float
    extent: float
    shown: np.ndarray
    maker: Any
    contacts: Any = None
    labels: list[TextLabel] = field(default_factory=list)
    parts: list[Instances] = field(default_factory=list)

    @property
    def found(self) -> Evaluation:
        """The evaluated state, for decor that is added only where there is one."""
        assert self.evaluation is not None
        return self.evaluation

    @property
    def offsets(self) -> np.ndarray:
        """(shown, 1, 3) where worlds are drawn [m]."""
        return self.bodies.offsets[self.shown][:, None]

    def of(self, values: np.ndarray) -> np.ndarray:
        """Rows of the worlds that are drawn, of an array with one row for all or for each."""
        return values[self.shown] if len(values) > 1 else np.repeat(values, len(self.shown), axis=0)

    def add(
        self,
        shape: str | int,
        position: np.ndarray,
        rotation: np.ndarray,
        scale: Any,
        color: Any,
        kind: Kind,
        index: Any,
        *,
        mask: Any = True,
        body: Any = -1,
        category: Category = Category.DECOR,
        glow: Any = 0.0,
        material: Any = -1,
    ) -> None:
        """Add n things in each world.

        Args:
            shape: Name of a built-in shape, or an entry of the library.
            position: (shown, n, 3) in the world, offsets included [m].
            rotation: (3, 3), or with the same leading axes.
            scale, color: (3,), (4,) or with leading axes.
            kind: What they stand for.
            index: Which, (n,) or (shown, n) or one for all.
            mask: Which are drawn, (shown, n).
            body: The model's bodies they are on.
            category: DECOR, or what MuJoCo counts as part of the model.
            glow: To be added to the emission.
            material: Row of the scene's materials.
        """
        lead = position.shape[:2]
        keep = np.broadcast_to(mask, lead)
        if not keep.any():
            return

        def flat(values: Any, *shape: int) -> np.ndarray:
            return np.broadcast_to(values, (*lead, *shape))[keep]

        self.store(
            shape, position[keep], flat(rotation, 3, 3), flat(scale, 3), flat(color, 4), kind, flat(index), flat(self.shown[:, None]),
            flat(body), category, flat(glow), flat(material),
        )  # fmt: skip

    def store(
        self, shape: str | int, position: np.ndarray, rotation: Any, scale: Any, color: Any, kind: Kind, index: Any, world: Any,
        body: Any = -1, category: Category = Category.DECOR, glow: Any = 0.0, material: Any = -1,
    ) -> None:  # fmt: skip
        """Add n things of any worlds, (n, ...) each."""
        made = Instances.empty(len(position))
        made.triangles[:] = BUILT_IN[shape] if isinstance(shape, str) else shape
        given = dict(position=position, rotation=rotation, scale=scale, color=color, category=category, kind=kind, index=index, world=world,
                     body=body, glow=glow, material=material, shadow=category != Category.DECOR)  # fmt: skip
        for name, values in given.items():
            getattr(made, name)[:] = values
        visible = made.color[:, 3] > 0.0
        self.parts.append(made if visible.all() else made.take(np.flatnonzero(visible)))

    def connect(self, shape: str, width: Any, start: np.ndarray, end: np.ndarray, color: Any, kind: Kind, index: Any, **more: Any) -> None:
        """Add capsules or cylinders between points (shown, n, 3), or arrows from the first towards the second (``mjv_connector``)."""
        along = np.asarray(end, dtype=float) - start
        length = np.linalg.norm(along, axis=-1)
        scale = np.empty(along.shape)
        scale[..., 0] = scale[..., 1] = width
        scale[..., 2] = 0.5 * length if shape in _CENTERED else length
        position = start + 0.5 * along if shape in _CENTERED else start
        self.add(shape, position, from_z(along), scale, color, kind, index, **more)

    def sphere(self, position: np.ndarray, radius: Any, color: Any, kind: Kind, index: Any, **more: Any) -> None:
        """Add balls."""
        self.add("sphere", position, _IDENTITY, np.asarray(radius)[..., None] * np.ones(3), color, kind, index, **more)

    def axes(self, position: np.ndarray, rotation: np.ndarray, length: float, width: float, index: Any, mask: Any = True) -> None:
        """Add coordinate frames: a red, a green and a blue cylinder each."""
        for axis in range(3):
            color = np.array([0.0, 0.0, 0.0, 1.0])
            color[axis] = 0.9
            end = position + rotation[..., axis] * length
            self.connect("cylinder", width, position, end, color, Kind.FRAME, index, mask=mask)

    def label(self, what: Label, names: Any, position: np.ndarray, mask: Any = True) -> None:
        """Name things, where things of this kind are labelled."""
        if self.options.label != what:
            return
        keep = np.broadcast_to(mask, position.shape[:2])
        for world, row in np.argwhere(keep):
            self.labels.append(TextLabel(names[row], position[world, row].astype(np.float32)))

    def newton_bodies(self, body: np.ndarray) -> np.ndarray:
        """(shown, n) the model's bodies of MuJoCo's."""
        return self.tables.maps.mjc_body[self.shown][:, body]

    @property
    def selected(self) -> tuple[int, int]:
        """World and MuJoCo's number of the selected body; -1, -1 for none."""
        if self.perturbation is None or self.perturbation.body < 0:
            return -1, -1
        body = self.perturbation.body
        return int(self.maker.body_world[body]), int(self.tables.maps.body_to_mjc[body])
