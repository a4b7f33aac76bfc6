"""A layer of USD that prims are written into: names, attributes with their types, relationships, transforms.

Specs are written straight into the layer, which is an order of magnitude faster than through a stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Vt

from newtonish.exporters.usd.newton import WORDS

__all__ = ["StageLayer", "identifier"]

TYPES = Sdf.ValueTypeNames
LARGEST = 3e38
"""About the largest number of single precision."""


def _number(value: Any) -> float:
    """A number of double precision; one that stands for a single precision number by the fewest digits that give it."""
    value = float(value)
    single = np.float32(value)
    return float(str(single)) if float(single) == value and abs(value) < LARGEST else value


_ARRAYS = {
    TYPES.DoubleArray: lambda v: Vt.DoubleArray([_number(x) for x in v]), TYPES.FloatArray: lambda v: Vt.FloatArray([float(x) for x in v]),
    TYPES.IntArray: lambda v: Vt.IntArray([int(x) for x in v]), TYPES.StringArray: lambda v: Vt.StringArray([str(x) for x in v]),
    TYPES.TokenArray: lambda v: Vt.TokenArray([str(x) for x in v]), TYPES.Double3: lambda v: Gf.Vec3d(*map(_number, v)),
    TYPES.Float3: lambda v: Gf.Vec3f(*map(float, v)), TYPES.Point3f: lambda v: Gf.Vec3f(*map(float, v)),
    TYPES.Vector3f: lambda v: Gf.Vec3f(*map(float, v)), TYPES.Quatf: lambda v: Gf.Quatf(*map(float, v)), TYPES.Quatd: lambda v: Gf.Quatd(*map(_number, v)),
    TYPES.Point3fArray: lambda v: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(v, dtype=np.float32)),
    TYPES.Float3Array: lambda v: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(v, dtype=np.float32)),
    TYPES.Color3fArray: lambda v: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(v, dtype=np.float32)),
    TYPES.Color3f: lambda v: Gf.Vec3f(*map(float, v)), TYPES.Color4f: lambda v: Gf.Vec4f(*map(float, v)), TYPES.Float2: lambda v: Gf.Vec2f(*map(float, v)),
    TYPES.Float4: lambda v: Gf.Vec4f(*map(float, v)), TYPES.Asset: lambda v: Sdf.AssetPath(v),
    TYPES.TexCoord2fArray: lambda v: Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(v, dtype=np.float32)),
    TYPES.Bool: bool, TYPES.Int: int, TYPES.Double: _number, TYPES.Float: float, TYPES.Token: str, TYPES.String: str,
}  # fmt: skip
"""How a plain value becomes one of a type."""


def identifier(name: str, taken: set[str], fallback: str = "prim") -> str:
    """A name of a prim that is like ``name`` and not among ``taken``, which it is added to; of a path only the last part counts."""
    stem = Tf.MakeValidIdentifier(name.rsplit("/", 1)[-1]) if name.rsplit("/", 1)[-1] else fallback
    found, number = stem, 1
    while found in taken:
        number += 1
        found = f"{stem}_{number}"
    taken.add(found)
    return found


class StageLayer:
    """A layer in the making: metres, kilograms, Z up.

    Attributes:
        layer: The ``Sdf.Layer``.
        mjc, newton: Whether attributes of these schemas are wanted; schemas that are not are not applied either.
    """

    def __init__(self, layer: Any, schemas: Sequence[str] = ("mjc", "newton")) -> None:
        self.layer = layer
        self.mjc, self.newton = "mjc" in schemas, "newton" in schemas

    def define(self, path: Any, kind: str, apis: Sequence[str] = (), specifier: Any = Sdf.SpecifierDef) -> Any:
        """Make the spec of a prim below one that is there, or at the root."""
        path = Sdf.Path(path)
        parent = self.layer.pseudoRoot if path.IsRootPrimPath() else self.layer.GetPrimAtPath(path.GetParentPath())
        spec = Sdf.PrimSpec(parent, path.name, specifier, kind)
        if apis:
            self.apply(spec, *apis)
        return spec

    def apply(self, spec: Any, *apis: str) -> None:
        """Apply schemas, whether the library knows them or not, but for those of families that are not wanted."""
        known = spec.GetInfo("apiSchemas").prependedItems if spec.HasInfo("apiSchemas") else []
        more = [name for name in apis if name not in known and (self.mjc or not name.startswith("Mjc")) and (self.newton or not name.startswith("Newton"))]
        if more:
            spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=[*known, *more]))

    def say(self, spec: Any, name: str, value: Any) -> None:
        """Write an attribute ``newton:*`` and apply the schema that has it, where these are wanted."""
        if self.newton:
            word = WORDS[name]
            self.apply(spec, word.api)
            self.put(spec, f"newton:{name}", getattr(TYPES, word.type), value, uniform=word.uniform)

    @staticmethod
    def show(spec: Any, name: str) -> None:
        """Let tools show a name that the prim's own is not; of a path its last part is enough."""
        if name and spec.name != name.rsplit("/", 1)[-1]:
            spec.SetInfo("displayName", name)

    @staticmethod
    def put(spec: Any, name: str, kind: Any, value: Any, uniform: bool = False, custom: bool = False) -> Any:
        """Write an attribute; one that is there is replaced."""
        variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
        attribute = spec.properties.get(name) or Sdf.AttributeSpec(spec, name, kind, variability, custom)
        attribute.default = _ARRAYS[kind](value)
        return attribute

    @staticmethod
    def lead(spec: Any, name: str, targets: Sequence[Any], custom: bool = False) -> None:
        """Write a relationship."""
        relation = Sdf.RelationshipSpec(spec, name, custom, Sdf.VariabilityUniform)
        relation.targetPathList.explicitItems = [Sdf.Path(str(target)) for target in targets]

    def place(self, spec: Any, pos: Any, quat: Any, scale: Any = None) -> None:
        """Write a transform; a part that changes nothing is left out."""
        order = []
        if np.any(np.asarray(pos)):
            self.put(spec, "xformOp:translate", TYPES.Double3, pos)
            order.append("xformOp:translate")
        if not np.array_equal(quat, (1.0, 0.0, 0.0, 0.0)):
            self.put(spec, "xformOp:orient", TYPES.Quatd, quat)
            order.append("xformOp:orient")
        if scale is not None and not np.all(np.asarray(scale) == 1.0):
            self.put(spec, "xformOp:scale", TYPES.Double3, scale)
            order.append("xformOp:scale")
        if order:
            self.put(spec, "xformOpOrder", TYPES.TokenArray, order, uniform=True)
