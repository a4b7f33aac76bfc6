"""Physics materials: one for each set of friction coefficients and gains of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pxr import Sdf

from newtonish.exporters.usd.layer import StageLayer

__all__ = ["MaterialWriter"]

TYPES = Sdf.ValueTypeNames
SCOPE = "PhysicsMaterials"
TURNING = {"torsional": 0.005, "rolling": 0.0001}
GAINS = ("contactStiffness", "contactDamping", "contactFrictionGain")


class MaterialWriter:
    """Writes materials when they are first bound."""

    def __init__(self, layer: StageLayer, top: str) -> None:
        self._layer, self._scope = layer, f"{top}/{SCOPE}"
        self._made: dict[tuple[tuple[float, ...], tuple[float, ...]], str] = {}

    def bind(self, spec: Any, friction: list[float], gains: Sequence[float] = ()) -> None:
        """Bind the material of sliding, torsional and rolling friction, and of gains [N/m, N s/m, N s/m], to a collider."""
        key = (*friction, *tuple(TURNING.values())[len(friction) - 1 :]), tuple(gains)
        if key not in self._made:
            self._made[key] = self._make(*key)
        self._layer.apply(spec, "MaterialBindingAPI")
        self._layer.lead(spec, "material:binding:physics", [self._made[key]])

    def _make(self, friction: tuple[float, ...], gains: tuple[float, ...]) -> str:
        """Write one material; returns its path."""
        layer = self._layer
        if not self._made:
            layer.define(self._scope, "Scope")
        path = f"{self._scope}/friction_{len(self._made)}"
        spec = layer.define(path, "Material", ("PhysicsMaterialAPI", "MjcMaterialAPI"))
        for name in ("dynamicFriction", "staticFriction"):
            layer.put(spec, f"physics:{name}", TYPES.Float, friction[0])
        for name, value in zip(TURNING, friction[1:]):
            layer.say(spec, f"{name}Friction", value)
            if value != TURNING[name] and layer.mjc:
                layer.put(spec, f"mjc:{name}friction", TYPES.Double, value, uniform=True)
        for name, value in zip(GAINS, gains):
            if value >= 0.0:
                layer.say(spec, name, value)
        return path
