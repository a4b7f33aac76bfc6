"""Makes small USD stages from text, and imports them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from newtonish import ModelBuilder
from newtonish.convert import convert

HEADER = """#usda 1.0
(
    metersPerUnit = {length}
    kilogramsPerUnit = {mass}
    upAxis = "{up}"
    timeCodesPerSecond = 10
)
"""


def stage(text: str, length: float = 1.0, mass: float = 1.0, up: str = "Z") -> Any:
    """An open stage with these prims."""
    from pxr import Usd

    made = Usd.Stage.CreateInMemory()
    assert made.GetRootLayer().ImportFromString(HEADER.format(length=length, mass=mass, up=up) + text)
    return made


def read(source: Any, builder: ModelBuilder | None = None, **arguments: Any) -> tuple[ModelBuilder, dict[str, Any]]:
    """Import a stage, or the text of one, without showing warnings."""
    builder = builder or ModelBuilder()
    if isinstance(source, str) and "\n" in source:
        source = stage(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder, builder.add_usd(str(source) if isinstance(source, Path) else source, **arguments)


def compiled(source: Any, **arguments: Any) -> Any:
    """The arrays of a stage."""
    builder, _ = read(source, **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return convert(builder.finalize(device="cpu"))


def body(name: str, inside: str = "", place: tuple[float, float, float] = (0, 0, 0), apis: str = "", half: float = 0.1) -> str:
    """A body that is a cube."""
    more = f", {apis}" if apis else ""
    return f"""
def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"{more}]) {{
    double3 xformOp:translate = {place}
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "cube" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
        double size = {2 * half}
    }}
    {inside}
}}
"""


def joint(kind: str, name: str, first: str = "", second: str = "/b", inside: str = "", apis: str = "") -> str:
    """A joint prim; an empty body is the world."""
    first = f"rel physics:body0 = <{first}>" if first else ""
    second = f"rel physics:body1 = <{second}>" if second else ""
    schemas = f"(prepend apiSchemas = [{apis}])" if apis else ""
    return f"""
def Physics{kind}Joint "{name}" {schemas} {{
    {first}
    {second}
    {inside}
}}
"""


EVERYTHING = (
    HEADER.format(length=1.0, mass=1.0, up="Z")
    + """
def PhysicsScene "scene" {
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.81
}
def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
    float physics:dynamicFriction = 0.7
}
def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
"""
    + body("a", apis='"PhysicsMassAPI"', inside="float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, 1)")
    + body("b", place=(1, 0, 0), inside="vector3f physics:velocity = (0, 0, 1)")
    + joint("Revolute", "j", "/r/a", "/r/b", "point3f physics:localPos0 = (1, 0, 0)\nfloat physics:lowerLimit = -30\nfloat physics:upperLimit = 30\nfloat drive:angular:physics:stiffness = 5", '"PhysicsDriveAPI:angular"')
    + """}
def Mesh "mesh" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    uniform token physics:approximation = "convexHull"
    rel material:binding:physics = </m>
}
def PointInstancer "i" {
    int[] protoIndices = [0, 0]
    point3f[] positions = [(0, 0, 5), (1, 0, 5)]
    rel prototypes = [</i/p>]
    def Sphere "p" {
        double radius.timeSamples = { 0: 0.1, 10: 0.2 }
    }
}
def Xform "chosen" (
    variants = { string size = "big" }
    prepend variantSets = "size"
) {
    variantSet "size" = {
        "big" {
            def Sphere "ball" {
                double radius = 2
            }
        }
        "small" {
            def Sphere "ball" {
                double radius = 1
            }
        }
    }
}
def Xform "copy" (instanceable = true
    prepend references = </chosen>
) {
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 10: (1, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""
)  # fmt: skip
"""A stage of what our own writer does not write: instances, variants, samples over time, references, meshes with their approximations, drives."""
