"""Every attribute of newton-usd-schemas is read, or listed with the reason why it is not; actuators of Newton's drive as their laws say."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from pxr import Sdf
from usd_stages import body, compiled, joint, read, stage

from newtonish import ImporterError

MESH = """def Mesh "mesh" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    uniform token physics:approximation = "convexHull"
    rel material:binding:physics = </m>
}
"""
STAGE = (
    'def PhysicsScene "scene" {\n}\ndef Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {\n}\n'
    'def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {\n'
    + body("a")
    + body("b", place=(1, 0, 0), inside=MESH)
    + joint("Revolute", "j", "/r/a", "/r/b", "point3f physics:localPos0 = (1, 0, 0)\nfloat physics:lowerLimit = -30\nfloat physics:upperLimit = 30")
    + body("c", place=(2, 0, 0))
    + joint("Revolute", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (1, 0, 0)")
    + '}\ndef NewtonActuator "act" {\n}\ndef Points "points" {\n}\n'
)
PLACES = {
    "Scene": "/scene", "ArticulationRoot": "/r", "Joint": "/r/j", "Mimic": "/r/k", "Mass": "/r/b/mesh", "Collision": "/r/b/mesh", "Material": "/m",
    "Actuator": "/act", "Control": "/act", "Clamping": "/act", "Points": "/points", "Site": "/r/b/cube",
}  # fmt: skip
"""Where a schema belongs, by a word of its name; the last word that fits counts."""
OWN = {"newton:constEffort": 0.0}
"""Values of those that must have a certain one."""
VALUES = {"int": 3, "float": 0.5, "bool": True, "double[]": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], "float[]": [0.5], "asset": Sdf.AssetPath("x.onnx")}


def schemas() -> dict[str, list[tuple[str, str, Any]]]:
    """Names, types and values to author of the properties of each applied schema of the installed package, which is not imported: that is too late here."""
    package = find_spec("newton_usd_schemas")
    if package is None or package.origin is None:
        return {}
    layer = Sdf.Layer.FindOrOpen(str(Path(package.origin).parent / "generatedSchema.usda"))
    found: dict[str, list[tuple[str, str, Any]]] = {}
    for schema in layer.rootPrims:
        for spec in schema.properties if schema.name != "NewtonActuator" else ():
            kind = "rel" if isinstance(spec, Sdf.RelationshipSpec) else str(spec.typeName)
            value = list(spec.default) if kind == "token[]" else spec.allowedTokens[1] if kind == "token" else OWN.get(spec.name, VALUES.get(kind))
            found.setdefault(schema.name, []).append((spec.name, kind, value))
    return found


SCHEMAS = schemas()


@pytest.mark.skipif(not SCHEMAS, reason="no newton_usd_schemas here")
@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_attribute_has_its_fate(schema: str) -> None:
    made = stage(STAGE)
    prim = made.GetPrimAtPath(next(PLACES[word] for word in reversed(PLACES) if word in schema))
    applied = ["NewtonPDControlAPI"] if "Clamping" in schema or "Delay" in schema else []
    listed = prim.GetMetadata("apiSchemas")
    prim.SetMetadata("apiSchemas", Sdf.TokenListOp.Create(prependedItems=[*(listed.GetAppliedItems() if listed else ()), *applied, schema]))
    if prim.GetName() == "act":
        prim.CreateRelationship("newton:targets").SetTargets(["/r/j"])
    for name, kind, value in SCHEMAS[schema]:
        if kind == "rel":
            prim.CreateRelationship(name, custom=False).SetTargets(["/r/j"])
        else:
            prim.CreateAttribute(name, Sdf.ValueTypeNames.Find(kind), custom=False).Set(value)
    _, result = read(made)
    report, path = result["report"], str(prim.GetPath())
    said = {(str(entry.location), entry.subject): entry.note for entry in (*report.ignored, *report.approximated)}
    kept = {(line.attribute, str(place)) for line in report.contents if line.fate == "kept" for place in line.places}
    for name, _, _ in SCHEMAS[schema]:
        note = said.get((path, name)) or said.get((path, path))
        assert note != "is authored and not read", name
        assert note is not None or (name, path) in kept, name


ACTUATED = body("a") + body("b", place=(1, 0, 0)) + joint("Revolute", "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)")
ACTUATED += body("c", place=(2, 0, 0)) + joint("Prismatic", "k", "/b", "/c", "point3f physics:localPos0 = (1, 0, 0)")
SCENE = 'def PhysicsScene "scene" (prepend apiSchemas = ["NewtonSceneAPI"]) {\nuniform int newton:timeStepsPerSecond = 250\n}\n'


def actuator(name: str, apis: str, inside: str, target: str = "/j") -> str:
    """An actuator of Newton's."""
    return f'def NewtonActuator "{name}" (prepend apiSchemas = [{apis}]) {{\nrel newton:targets = <{target}>\n{inside}\n}}\n'


def test_actuators_of_newtons() -> None:
    """Gains per radian in the stage's units; clamps are ranges, delays wait in a buffer, what there is no law for is listed."""
    pd, pid = '"NewtonPDControlAPI"', '"NewtonPIDControlAPI"'
    text = ACTUATED + SCENE + actuator("one", f'{pd}, "NewtonMaxEffortClampingAPI"', "float newton:kp = 3\nfloat newton:kd = .5\nfloat newton:maxEffort = 7")
    text += actuator("two", f'{pd}, "NewtonActuatorDelayAPI"', "float newton:kp = 4\nfloat newton:constEffort = 2\nint newton:delaySteps = 5", "/k")
    text += actuator("three", pid, "float newton:kp = 5\nfloat newton:ki = 6\nfloat newton:kd = 1\nfloat newton:integralMax = 8")
    text += actuator("four", '"NewtonNeuralControlAPI"', "asset newton:modelPath = @net.onnx@")
    m = compiled(stage(text, length=0.1, mass=2.0))
    assert m.actuator_names == ["/one", "/two", "/three"]
    np.testing.assert_allclose(m.actuator_gainprm[:2, 0], [3 * 0.02, 4 * 2.0], rtol=1e-6)
    np.testing.assert_allclose(m.actuator_biasprm[:2, :3], [[0, -0.06, -0.01], [2 * 0.2, -8.0, 0]], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(m.actuator_forcerange[0], [-7 * 0.02, 7 * 0.02], rtol=1e-6)
    assert m.actuator_forcelimited.tolist() == [1, 0, 0]
    np.testing.assert_allclose(m.actuator_delay[1], 5 / 250, rtol=1e-6)
    _, result = read(stage(text))
    assert any(str(entry.location) == "/four" for entry in result["report"].ignored)
    _, result = read(stage(text), schema_resolvers=["mjc"])
    assert {str(entry.location) for entry in result["report"].ignored} >= {"/one", "/two", "/three", "/four"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (actuator("x", '"NewtonPDControlAPI"', "", "/nowhere"), "newton:targets"),
        (actuator("x", '"NewtonPDControlAPI"', "float newton:kp = -1"), "newton:kp"),
        (actuator("x", '"NewtonPIDControlAPI"', "float newton:constEffort = 1"), "newton:constEffort"),
        (actuator("x", '"NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"', "float newton:maxEffort = -1"), "newton:maxEffort"),
        (actuator("x", '"NewtonPDControlAPI", "NewtonActuatorDelayAPI"', "int newton:delaySteps = -1"), "newton:delaySteps"),
    ],
)
def test_actuators_that_cannot_be(text: str, words: str) -> None:
    with pytest.raises(ImporterError, match=words):
        read(stage(ACTUATED + text))


def test_schemas_bring_those_that_they_build_on() -> None:
    """As the registry has it where Newton's schemas are installed: a collider, its mass, its material and an articulation."""
    text = """def Material "m" (prepend apiSchemas = ["NewtonMaterialAPI"]) {
    float physics:dynamicFriction = .3
}
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "one" (prepend apiSchemas = ["NewtonCollisionAPI", "NewtonMassAPI", "MaterialBindingAPI"]) {
        double size = .2
        uniform double[] newton:inertia = [1, 2, 2.5, 0, 0, 0]
        float physics:mass = 3
        rel material:binding:physics = </m>
    }
}
"""
    m = compiled(text)
    assert m.geom_contype.tolist() == [1] and np.isclose(m.body_mass[1], 3.0)
    np.testing.assert_allclose(m.body_inertia[1], [2.5, 2.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(m.geom_friction[0, 0], 0.3, rtol=1e-6)
