"""UsdPhysics MassAPI: what of mass, centre and inertia is authored, on bodies and on colliders, over what shapes give.

Precedence, as UsdPhysics states it: a body's mass over its colliders'; a mass over a density at the same prim; a collider's
density over its body's, over its material's. Sentinels (mass and density 0, a diagonal of zeros, a centre of minus infinity,
axes of zero) stand for what follows from the shapes. A mass that is authored without inertia scales theirs, and a centre
without inertia moves it by the parallel-axis theorem.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.importers import frames
from newtonish.importers.mjcf.bodies import TreeReader
from newtonish.importers.mjcf.geoms import GeomReader
from newtonish.importers.mjcf.inertia import MassProperties, combine, eigen3, full_matrix
from newtonish.importers.mjcf.tree import Body, Geom
from newtonish.importers.usd.poses import Pose
from newtonish.importers.usd.source import Source
from newtonish.model.inertia import shift_inertia

__all__ = ["Authored", "WeighingGeoms", "WeighingTree", "body_density", "read_authored"]

SINGLE = 1e-6
"""Relative error of sums of single precision numbers."""


class Authored:
    """What a MassAPI says, in SI units and the prim's rigid frame; None for sentinels.

    Attributes:
        mass: [kg]
        centre: [m]
        diag: Principal moments [kg m^2].
        quat: Their axes.
    """

    def __init__(self) -> None:
        self.mass: float | None = None
        self.centre: np.ndarray | None = None
        self.diag: np.ndarray | None = None
        self.quat = frames.IDENTITY.copy()

    @property
    def nothing(self) -> bool:
        """Whether all is left to the shapes."""
        return self.mass is None and self.centre is None and self.diag is None

    def over(self, derived: MassProperties) -> MassProperties:
        """Write these values over those of shapes."""
        mass = derived.mass if self.mass is None else self.mass
        centre = derived.pos if self.centre is None else self.centre
        if self.diag is not None:
            return MassProperties(mass, centre, self.quat, self.diag)
        scale = mass / derived.mass if derived.mass > MINVAL else 0.0
        if self.centre is None or not np.any(np.abs(centre - derived.pos) > 1e-12):
            return MassProperties(mass, centre, derived.quat, derived.diag * scale)
        diag, quat = eigen3(shift_inertia(mass, derived.matrix() * scale, centre - derived.pos))
        return MassProperties(mass, centre, quat, diag)


def read_authored(source: Source, prim: Any, pose: Pose) -> Authored:
    """Read the MassAPI of a body or a collider."""
    found = Authored()
    mass = source.number(prim, "physics:mass", 0.0)
    if not 0 <= mass < np.inf:
        source.problem(prim, "physics:mass", str(mass), "a number not below zero", "correct it")
    elif mass:
        found.mass = mass * source.mass
    centre = source.get(prim, "physics:centerOfMass")
    if centre is not None and np.isfinite(centre).all():
        found.centre = pose.point(np.array(centre))
    elif centre is not None and not np.all(np.isneginf(centre)):
        source.problem(prim, "physics:centerOfMass", str(centre), "finite numbers, or -inf for none", "correct it")
    unit = source.mass * source.length**2
    full = source.get(prim, "newton:inertia")
    diag = source.get(prim, "physics:diagonalInertia")
    axes = source.get(prim, "physics:principalAxes")
    if full:
        if len(full) != 6 or not np.isfinite(full).all():
            source.problem(prim, "newton:inertia", str(full), "six numbers: xx, yy, zz, xy, xz, yz", "correct the array")
        else:
            found.diag, found.quat = eigen3(full_matrix(np.array(full) * unit))
    elif diag is not None and np.any(diag):
        if not np.isfinite(diag).all() or min(diag) < 0:
            source.problem(prim, "physics:diagonalInertia", str(diag), "numbers not below zero", "correct it")
        else:
            found.diag = _possible(np.array(diag)) * unit
            if axes is not None and np.any(axes) and np.isfinite(axes).all():
                found.quat = np.array(axes) / np.linalg.norm(axes)
    return found


def _possible(diag: np.ndarray) -> np.ndarray:
    """Principal moments, the largest of them no larger than the sum of the others where it is so by single rounding only."""
    largest = int(np.argmax(diag))
    others = float(diag.sum() - diag[largest])
    if others < diag[largest] <= others * (1 + SINGLE):
        diag[largest] = others
    return diag


def body_density(source: Source, prim: Any) -> float | None:
    """Density that a body lends its colliders [kg/m^3], None for none."""
    density = source.number(prim, "physics:density", 0.0)
    if not 0 <= density < np.inf:
        source.problem(prim, "physics:density", str(density), "a number not below zero", "correct it")
        return None
    return density * source.mass / source.length**3 if density else None


class WeighingGeoms(GeomReader):
    """The reader of geoms, for colliders with a MassAPI of their own; ``own`` holds these by path."""

    own: dict[str, Authored]

    def _weigh(self, geom: Geom) -> None:
        super()._weigh(geom)
        authored = self.own.get(geom.name)
        if authored is None or geom.mass is None or (authored.centre is None and authored.diag is None):
            return
        pos, quat = geom.pos, geom.quat
        turned = Authored()
        turned.mass = authored.mass
        if authored.centre is not None:
            turned.centre = frames.compose(pos, quat, authored.centre, frames.IDENTITY)[0]
        if authored.diag is not None:
            turned.diag, turned.quat = authored.diag, frames.multiply(quat, authored.quat)
        geom.mass = turned.over(geom.mass)


class WeighingTree(TreeReader):
    """The reader of bodies, for those with a MassAPI; ``own`` holds these by path."""

    own: dict[str, Authored]

    def _weigh(self, body: Body) -> None:
        authored = self.own.get(body.name)
        if authored is not None and not authored.nothing:
            settings = self._settings
            first, last = settings.inertiagrouprange
            parts = [g.mass for g in body.geoms if g.mass is not None and first <= g.values["group"] <= last]
            body.inertial = authored.over(combine(parts))
        super()._weigh(body)
