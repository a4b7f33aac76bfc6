"""Physics materials: friction, density, and the gains of contacts, by the binding of a collider or of what it stands in."""

from __future__ import annotations

from typing import Any

from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.source import Source

__all__ = ["Materials"]

PURPOSES = ("material:binding:physics", "material:binding")
FRICTION = (1.0, 0.005, 0.0001)
GAINS = {"contact_ke": "shape_material_ke", "contact_kd": "shape_material_kd", "contact_kf": "shape_material_kf", "contact_ka": "shape_material_ka"}


class Materials:
    """Looks materials up; each is read once.

    Attributes:
        used: Paths of the materials that were read.
    """

    def __init__(self, source: Source, resolver: Resolver) -> None:
        self._source, self._resolver = source, resolver
        self.used: set[str] = set()
        self._read: dict[str, tuple[list[float], dict[str, float], float | None]] = {}

    def of(self, prim: Any) -> tuple[list[float], dict[str, float]]:
        """Sliding, torsional and rolling friction of a collider, and builder columns of its material."""
        friction, gains, _ = self._material(prim)
        own = {name: self._resolver.find(prim, quantity) for quantity, name in GAINS.items()}
        return friction, gains | {name: value for name, value in own.items() if value is not None}

    def density(self, prim: Any) -> float | None:
        """Density of a collider's material [kg/m^3], None for none."""
        return self._material(prim)[2]

    def _material(self, prim: Any) -> tuple[list[float], dict[str, float], float | None]:
        """The material bound to a prim, the nearest above it where it has none, for physics before for all purposes."""
        for purpose in PURPOSES:
            above = prim
            while above and not above.IsPseudoRoot():
                for path in self._source.targets(above, purpose):
                    found = self._source.stage.GetPrimAtPath(path)
                    if found and "PhysicsMaterialAPI" in self._source.apis(found):
                        return self._values(found)
                    if purpose == PURPOSES[0]:
                        self._source.log.ignored("material", self._source.place(above), purpose, f"leads to {path}, which is no physics material")
                above = above.GetParent()
        return list(FRICTION), {}, None

    def _values(self, material: Any) -> tuple[list[float], dict[str, float], float | None]:
        """What a material says."""
        key = str(material.GetPath())
        self.used.add(key)
        if key not in self._read:
            source, resolver = self._source, self._resolver
            sliding = source.number(material, "physics:dynamicFriction")
            still = source.number(material, "physics:staticFriction")
            if sliding is None:
                sliding = 0.0 if still is None else still
            elif still is not None and abs(still - sliding) > 1e-6 * max(1.0, abs(still)):
                source.log.approximated(
                    "static friction",
                    source.place(material),
                    "physics:staticFriction",
                    f"{still:g} is not used: MuJoCo has one coefficient, the dynamic one {sliding:g}",
                )
            turning = zip(("torsional", "rolling"), FRICTION[1:])
            friction = [sliding, *(resolver.find(material, name, default=usual, scale=source.length) for name, usual in turning)]
            if any(not 0 <= value < float("inf") for value in friction):
                source.problem(material, "friction", str(friction), "numbers not below zero", "correct them")
                friction = list(FRICTION)
            gains = {name: resolver.find(material, quantity) for quantity, name in GAINS.items()}
            if gains.get("shape_material_ka"):
                name = resolver.named(material, "contact_ka")[1]
                source.log.ignored("contact adhesion", source.place(material), name, "is kept in the model; MuJoCo's contacts do not pull")
            bounce = source.number(material, "physics:restitution", 0.0)
            if bounce:
                gains["shape_material_restitution"] = bounce
                source.log.ignored("restitution", source.place(material), "physics:restitution", "is kept in the model; MuJoCo's contacts have none")
            dense = source.number(material, "physics:density", 0.0)
            density = dense * source.mass / source.length**3 if dense else None
            self._read[key] = friction, {name: value for name, value in gains.items() if value is not None}, density
        return self._read[key]
