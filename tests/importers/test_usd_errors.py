"""What is wrong with a stage is said at once, each with prim, attribute, value and remedy, and the builder stays as it was."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from usd_stages import body, joint, read, stage

from newtonish import ImporterError, ModelBuilder

B = body("b")
PIN = "point3f physics:localPos0 = (1, 0, 0)"
BACK = "point3f physics:localPos0 = (-1, 0, 0)"


def scene(inside: str) -> str:
    return f'def PhysicsScene "s" (prepend apiSchemas = ["MjcSceneAPI"]) {{\n{inside}\n}}\n'


def collider(inside: str, kind: str = "Cube") -> str:
    return f'def {kind} "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{\n{inside}\n}}\n'


def hinge(inside: str, apis: str = "") -> str:
    return B + joint("Revolute", "j", inside=inside, apis=apis)


def ring(inside: str = "", above: str = '"PhysicsArticulationRootAPI"') -> str:
    bodies = body("a") + body("b", place=(1, 0, 0)) + joint("Revolute", "j", "/r/a", "/r/b", f"{PIN}\n{inside}") + joint("Revolute", "k", "/r/b", "/r/a", BACK)
    return f'def Xform "r" (prepend apiSchemas = [{above}]) {{\n{bodies}}}\n'


def tendon(inside: str) -> str:
    return hinge("") + f'def MjcTendon "t" {{\n{inside}\n}}\n'


def actuator(inside: str) -> str:
    return hinge("") + f'def MjcActuator "act" {{\n{inside}\n}}\n'


MESH = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, {last}]"
SCALED = 'float3 xformOp:scale = {}\nuniform token[] xformOpOrder = ["xformOp:scale"]'
ON_J = "rel mjc:target = </j>"
INSTANCER = (
    'def PointInstancer "i" {{\nint[] protoIndices = [{kinds}]\npoint3f[] positions = [{places}]\nrel prototypes = [</i/p>]\ndef Sphere "p" {{\n}}\n}}\n'
)
# what is written, and prim, attribute, value and what to do, as the message has them
REFUSED: dict[str, tuple[str, str]] = {
    "missing body": (joint("Revolute", "j", second="/gone"), "/j: physics:body1: got /gone; allowed: the path of a prim; correct the path"),
    "no body": (joint("Revolute", "j", second=""), "/j: physics:body0, physics:body1: got no body; allowed: two different bodies"),
    "one body twice": (B + joint("Revolute", "j", "/b", "/b"), "/j: physics:body0, physics:body1: got /b twice"),
    "the world twice": (B + collider("") + joint("Revolute", "j", "", "/c"), "/j: physics:body0, physics:body1: got the world twice"),
    "two bodies at one end": (B + body("a") + joint("Revolute", "j", inside="rel physics:body0 = [</a>, </b>]"), "/j: physics:body0: got 2 prims; allowed: one prim"),
    "cycle": (ring(), "/r/a: physics:body0, physics:body1: got a cycle without a root: /r/b -> /r/a -> /r/b; allowed: one root in articulation /r; apply PhysicsArticulationRootAPI"),
    "zero mass": ('def Xform "e" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n}\n', "/e: body '/e': got mass 0"),
    "axis": (hinge('uniform token physics:axis = "Q"'), "/j: physics:axis: got 'Q'; allowed: X, Y or Z"),
    "frame": (hinge("quatf physics:localRot0 = (0, 0, 0, 0)"), "/j: physics:localPos0, localRot0: got"),
    "equal limits": (hinge("float physics:lowerLimit = 5\nfloat physics:upperLimit = 5"), "/j: physics:lowerLimit: got 5 for both ends"),
    "limit": (hinge("float physics:lowerLimit = nan"), "/j: physics:lowerLimit: got nan; allowed: a number"),
    "acceleration drive": (hinge('uniform token drive:angular:physics:type = "acceleration"', '"PhysicsDriveAPI:angular"'), "/j: drive:angular:physics:type: got acceleration; allowed: force; multiply the gains"),
    "negative gain": (hinge("float drive:angular:physics:stiffness = -1", '"PhysicsDriveAPI:angular"'), "/j: drive:angular: got ke -"),
    "distance": (B + joint("Distance", "j", inside="float physics:minDistance = 2\nfloat physics:maxDistance = 1"), "/j: physics:minDistance: got 2 to 1"),
    "shear": (f'def Xform "x" {{\n{SCALED.format("(1, 2, 1)")}\n' + body("b").replace("double3 xformOp:translate = (0, 0, 0)", "float xformOp:rotateZ = 30").replace("xformOp:translate", "xformOp:rotateZ") + "}\n", "/x/b: xformOp: got a sheared frame"),
    "no scale": (collider(SCALED.format("(1, 0, 1)")), "/c: xformOp: got a transform without inverse"),
    "capsule scale": (collider(SCALED.format("(1, 2, 1)"), "Capsule"), "/c: xformOp:scale: got a Capsule scaled by 1 and 2 across its axis"),
    "radius": (collider("double radius = -1", "Sphere"), "/c: radius: got -1.0; allowed: a number above zero"),
    "mesh": (collider(MESH.format(last=9), "Mesh"), "/c: faceVertexIndices: got 12 indices for 12 corners of 4 points"),
    "empty mesh": (collider("", "Mesh"), "/c: points: got 0 points and 0 faces"),
    "approximation": (collider(MESH.format(last=3) + '\nuniform token physics:approximation = "blob"', "Mesh"), "/c: physics:approximation: got 'blob'"),
    "shape": (collider("", "Xform"), "/c: type: got a Xform as a shape"),
    "inertia word": (collider(MESH.format(last=3) + '\nuniform token mjc:inertia = "solid"', "Mesh"), "/c: mjc:inertia: got 'solid'; allowed: legacy, convex, exact, shell"),
    "collider array": (collider("uniform double[] mjc:solimp = [1, 2]"), "/c: mjc:solimp: got 2 numbers; allowed: 5 numbers; correct the array"),
    "joint array": (hinge("uniform double[] mjc:springdamper = [1]", '"MjcJointAPI"'), "/j: mjc:springdamper: got 1 numbers; allowed: 2 numbers"),
    "scene array": (scene("uniform double[] mjc:option:o_friction = [1]"), "/s: mjc:option:o_friction: got 1 numbers; allowed: 5 numbers"),
    "scene word": (scene('uniform token mjc:option:solver = "magic"'), "/s: mjc:option:solver: got 'magic'; allowed: pgs, cg, newton"),
    "scene number": (scene("uniform double mjc:compiler:boundMass = -1"), "/s: mjc:compiler:boundMass: got -1.0"),
    "gravity": (scene("float physics:gravityMagnitude = nan"), "/s: physics:gravityDirection, gravityMagnitude: got"),
    "friction": (collider("rel material:binding:physics = </m>") + 'def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {\nfloat physics:dynamicFriction = -1\n}\n', "/m: friction: got [-1.0"),
    "actuator array": (actuator(f"{ON_J}\nuniform double[] mjc:gear = [1, 2, 3, 4, 5, 6, 7]"), "/act: mjc:gear: got 7 numbers; allowed: 1 to 6 numbers"),
    "actuator word": (actuator(f'{ON_J}\nuniform token mjc:gainType = "big"'), "/act: mjc:gaintype: got 'big'"),
    "actuator target": (actuator("rel mjc:target = </gone>"), "/act: mjc:target: got /gone, which is no prim; allowed: a joint, a tendon, a site or a body"),
    "no actuator target": (actuator(""), "/act: mjc:target: got 0 targets"),
    "two actuator targets": (actuator("rel mjc:target = [</j>, </b>]"), "/act: mjc:target: got 2 targets"),
    "tendon word": (tendon('uniform token mjc:type = "elastic"'), "/t: mjc:type: got 'elastic'; allowed: fixed, spatial"),
    "tendon coefficients": (tendon('uniform token mjc:type = "fixed"\nrel mjc:path = </j>\nuniform double[] mjc:path:coef = [1, 2]'), "/t: mjc:path:coef: got 2 numbers; allowed: 1, one for each"),
    "tendon indices": (tendon('uniform token mjc:type = "fixed"\nrel mjc:path = </j>\nuniform int[] mjc:path:indices = [3]'), "/t: mjc:path:indices: got [3]; allowed: 0 to 0"),
    "tendon segments": (tendon("rel mjc:path = [</b/cube>]\nuniform int[] mjc:path:segments = [4]\nuniform double[] mjc:path:divisors = [1]"), "/t: mjc:path:segments: got segments [4] with 1 divisors"),
    "keyframe": (hinge("") + 'def MjcKeyframe "k" {\ndouble[] mjc:qpos = [1, 2, 3]\n}\n', "/k: key '/k', qpos: got 3 numbers"),
    "mimic": (hinge("rel newton:mimicJoint = </gone>", '"NewtonMimicAPI"'), "/j: joint '/j:mimic', joint2: got '/gone'"),
    "filter": (body("b", "rel physics:filteredPairs = </gone>"), "/b: physics:filteredPairs: got /gone; allowed: the path of a prim"),
    "reference": ('def Xform "x" (prepend references = @gone.usda@</a>) {\n}\n', "/x: composition: got Could not open asset @gone.usda@ for reference; allowed: layers and prims that can be found"),
    "payload": ('def Xform "x" (prepend payload = @gone.usda@</a>) {\n}\n', "/x: composition: got Could not open asset @gone.usda@ for payload"),
    "inner reference": ('def Xform "x" (prepend references = </gone>) {\n}\n', "/x: composition: got Unresolved reference prim path"),
    "prototype": (INSTANCER.format(kinds="0, 1", places="(0, 0, 0), (1, 0, 0)"), "/i: protoIndices: got prototype 1 of 1"),
    "instances": (INSTANCER.format(kinds="0, 0", places="(0, 0, 0)"), "/i: positions: got 1 positions for 2 protoIndices"),
    "camera": ('def Camera "v" {\nfloat focalLength = 0\n}\n', "/v: verticalAperture, focalLength: got"),
}  # fmt: skip


def quiet(text: str, builder: ModelBuilder, **arguments: Any) -> str:
    """The message of an import that has to fail, after which the builder has nothing."""
    with pytest.raises(ImporterError) as caught:
        read(stage(text), builder, **arguments)
    counts = (
        builder.body_count,
        builder.joint_count,
        builder.shape_count,
        builder.articulation_count,
        len(builder.custom_attributes),
        len(builder.import_reports),
    )
    assert counts == (0,) * 6
    return str(caught.value)


@pytest.mark.parametrize("case", REFUSED)
def test_each_kind_of_bad_input(case: str) -> None:
    text, words = REFUSED[case]
    message = quiet(text, ModelBuilder())
    assert words in message, message
    assert len(message.splitlines()) == 1 or case == "shear", message  # one mistake, one problem; shear is one of each prim


def test_everything_is_said_at_once() -> None:
    """Each mistake in a folder of its own, all on one stage."""
    apart = (
        "friction",
        "camera",
        "radius",
        "gravity",
        "scene array",
        "joint array",
        "zero mass",
        "missing body",
        "no actuator target",
        "reference",
        "approximation",
    )
    text = "".join(f'def Xform "n{k}" {{\n{REFUSED[case][0]}}}\n' for k, case in enumerate(apart)).replace("</", "</n0/")
    for k in range(1, len(apart)):  # paths of relationships follow their folder
        head, tail = text.split(f'def Xform "n{k}"', 1)
        text = head + f'def Xform "n{k}"' + tail.replace(f"</n{k - 1}/", f"</n{k}/")
    message = quiet(text, ModelBuilder())
    found = [case for k, case in enumerate(apart) if f"/n{k}/" in message]
    assert set(apart) - set(found) <= {"scene array"}, message  # only the first scene of a stage counts


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("missing.usda", "no such file"),
        ("", "no such file|a folder"),
        (".", "a folder"),
        ("broken.usda", "no stage"),
        ("empty.usda", "no stage"),
        ("text.usdc", "no stage"),
        ("noise.usdz", "no stage"),
    ],
)
def test_sources_that_are_no_stage(source: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "broken.usda").write_text("#usda 1.0\ndef Xform {")
    (tmp_path / "empty.usda").write_text("")
    (tmp_path / "text.usdc").write_text("#usda 1.0\n")
    (tmp_path / "noise.usdz").write_bytes(bytes(range(256)))
    with pytest.raises(ImporterError, match=words):
        ModelBuilder().add_usd(str(tmp_path / source) if source else "")


def test_a_root_that_is_not_there() -> None:
    assert "add_usd, root_path: got '/gone'" in quiet(B, ModelBuilder(), root_path="/gone")
    with pytest.raises(ImporterError, match="ignore_paths"):
        read(stage(B), ignore_paths=["("])


WORDS = ("1", "-1", "nan", "inf", "1e300", "(1, 2)", "[1]", "[]", '"x"', "</b>", "(0, 0, 0, 0)")


def test_random_values_never_crash() -> None:
    """Any value of any attribute is read, or refused with its prim; nothing else is raised, and nothing is left half built."""
    from mjc_properties import STAGE, properties
    from pxr import Sdf, Tf

    rng = np.random.default_rng(11)
    names = [(one.path, one.name, one.type) for one in properties() if one.type != "rel"]
    names += [("/j", f"physics:{name}", "float") for name in ("lowerLimit", "upperLimit")] + [("/b1", "physics:mass", "float"), ("/b1/cube", "size", "double")]
    numbers = [0.0, -1.0, 1e-30, 1e300, float("nan"), float("inf"), -float("inf")]
    for _ in range(60):
        made = stage(STAGE)
        for _ in range(3):
            path, name, kind = names[rng.integers(len(names))]
            one = numbers[rng.integers(len(numbers))]
            kinds = {"double[]": "DoubleArray", "int[]": "IntArray"}
            values = {
                "bool": bool(rng.integers(2)),
                "token": "nonsense",
                "int": int(rng.integers(-3, 9)),
                "int[]": rng.integers(-3, 9, rng.integers(0, 5)).tolist(),
            }
            width = {"double3": 3, "color4f": 4}.get(kind, 0)
            values |= {"double": one, "float": one, "double[]": [one] * int(rng.integers(0, 12)), "double3": (one,) * 3, "color4f": (one,) * 4}
            try:
                typed = getattr(Sdf.ValueTypeNames, kinds.get(kind, kind[0].upper() + kind[1:]))
                made.GetPrimAtPath(path).CreateAttribute(name, typed, custom=False).Set(values[kind])
            except (Tf.ErrorException, OverflowError):
                assert width >= 0
        builder = ModelBuilder()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                builder.add_usd(made)
        except ImporterError as error:
            assert "/" in str(error)
            assert builder.body_count == builder.shape_count == 0 and not builder.custom_attributes


def text_of(inside: str) -> str:
    """A stage as its file has it."""
    made = stage(inside)
    return made.GetRootLayer().ExportToString()


@pytest.mark.parametrize(
    "inside",
    [
        'string physics:diagonalInertia = "a b c"',
        'string physics:mass = "heavy"',
        'token physics:centerOfMass = "0"',
        'string[] newton:inertia = ["1", "2", "3", "4", "5", "6"]',
    ],
)
def test_text_in_place_of_numbers_is_named(inside, tmp_path) -> None:
    path = tmp_path / "m.usda"
    path.write_text(text_of(body("b", apis='"PhysicsMassAPI"', inside=inside)))
    with pytest.raises(ImporterError, match=r"/b: (physics|newton):\w+: got .*allowed: "):
        ModelBuilder().add_usd(str(path))


def test_bytes_that_are_not_text_are_an_error_of_ours(tmp_path) -> None:
    path = tmp_path / "m.usda"
    for place in (b'def Xform "b', b"physics:mass"):
        path.write_bytes(text_of(body("b", inside="float physics:mass = 1")).encode().replace(place, place + b"\xff\xfe\x80", 1))
        with pytest.raises(ImporterError, match=r"m\.usda"):
            ModelBuilder().add_usd(str(path))


def test_damaged_stages() -> None:
    """A seeded part of what tests/support/hostile_files.py tries."""
    from hostile_files import run

    found = run("usd", 25, seed=3)
    assert (found["foreign"], found["hung"], found["crashed"]) == (0, 0, 0) and found["refused"] > 5, found
