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
