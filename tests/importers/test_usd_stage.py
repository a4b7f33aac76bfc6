"""What composes a stage (references, payloads, instances, instancers), scale, cameras, lights, colours, and the report's counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from usd_stages import HEADER, body, compiled, joint, read, stage

from newtonish import ImporterError, ModelBuilder

PROTOTYPE = """
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        double size = 1
        float physics:mass = 2
    }
    def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        double radius = 0.5
        float physics:density = 10
    }
"""
MASS = 2 + 10 * 4 / 3 * np.pi / 8
ARCS = {
    "reference": "prepend references = @part.usda@</part>",
    "payload": "prepend payload = @part.usda@</part>",
    "instance": "instanceable = true\nprepend references = @part.usda@</part>",
    "instance by payload": "instanceable = true\nprepend payload = @part.usda@</part>",
}


def place(x: float, more: str = "") -> str:
    return f'double3 xformOp:translate = ({x}, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n{more}'


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A folder with a layer that has a part."""
    text = HEADER.format(length=1, mass=1, up="Z") + f'def Xform "part" {{{PROTOTYPE}}}\n'
    (tmp_path / "part.usda").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("arc", ARCS)
def test_what_is_brought_in_weighs_and_collides(arc: str, part: Path) -> None:
    inner = f'def Xform "i" (\n{ARCS[arc]}\n) {{\n}}\n'
    text = "".join(f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{\n{place(3 * k)}{inner}}}\n' for k, name in enumerate("ab"))
    path = part / "whole.usda"
    path.write_text(HEADER.format(length=1, mass=1, up="Z") + text, encoding="utf-8")
    builder, result = read(path)
    np.testing.assert_allclose(builder.body_mass, [MASS, MASS], rtol=1e-6)
    assert set(result["path_shape_map"]) == {f"/{body}/i/{shape}" for body in "ab" for shape in "cs"}


def test_bodies_inside_instances_move(part: Path) -> None:
    """The prototype is a whole robot; each instance has bodies, joints and relationships of its own."""
    robot = body("a") + body("b", place=(1, 0, 0)) + joint("Revolute", "j", "/robot/a", "/robot/b", "point3f physics:localPos0 = (1, 0, 0)")
    (part / "robot.usda").write_text(HEADER.format(length=1, mass=1, up="Z") + f'def Xform "robot" {{\n{robot}}}\n', encoding="utf-8")
    text = "".join(f'def Xform "r{k}" (\ninstanceable = true\nprepend references = @robot.usda@</robot>\n) {{\n{place(5 * k)}}}\n' for k in range(3))
    path = part / "three.usda"
    path.write_text(HEADER.format(length=1, mass=1, up="Z") + text, encoding="utf-8")
    builder, result = read(path)
    assert builder.body_count == 6 and builder.joint_count == 6
    row = result["path_body_map"]["/r2/b"]
    np.testing.assert_allclose(builder.body_q[row][:3], [11, 0, 0], atol=1e-6)
    assert builder.joint_parent[result["path_joint_map"]["/r2/j"]] == result["path_body_map"]["/r2/a"]


def test_payloads_that_are_not_loaded_are_told(part: Path) -> None:
    from pxr import Usd

    path = part / "lazy.usda"
    path.write_text(HEADER.format(length=1, mass=1, up="Z") + body("b") + f'def Xform "i" (\n{ARCS["payload"]}\n) {{\n}}\n', encoding="utf-8")
    opened = Usd.Stage.Open(str(path), Usd.Stage.LoadNone)
    _, result = read(opened)
    assert any(entry.location.file == "/i" and "not loaded" in entry.note for entry in result["report"].ignored)
    opened.Load()
    assert "/i/c" in read(opened)[1]["path_shape_map"]


INSTANCER = """
def PointInstancer "many" {
    double3 xformOp:translate = (0, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    int[] protoIndices = [0, 1, 0, 0]
    point3f[] positions = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]
    quath[] orientations = [(1, 0, 0, 0), (0.7071, 0, 0, 0.7071), (1, 0, 0, 0), (1, 0, 0, 0)]
    float3[] scales = [(1, 1, 1), (1, 1, 1), (2, 2, 2), (1, 1, 1)]
    int64[] invisibleIds = [3]
    rel prototypes = [</many/kinds/brick>, </many/kinds/ball>]
    def Scope "kinds" {
        def Xform "brick" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
            double3 xformOp:translate = (0, 0, 1)
            uniform token[] xformOpOrder = ["xformOp:translate"]
            def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
                double size = 0.2
            }
        }
        def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
            double radius = 0.3
        }
    }
}
"""


def test_point_instancers_become_copies() -> None:
    source = stage(INSTANCER)
    before = source.GetRootLayer().ExportToString()
    builder, result = read(source)
    rows = result["path_body_map"]
    assert set(rows) == {f"/many/instance_{k}" for k in (0, 1, 2)}  # what is invisible is left out, prototypes are no things themselves
    poses = {path: np.array(builder.body_q[row]) for path, row in rows.items()}
    np.testing.assert_allclose(poses["/many/instance_0"][:3], [0, 0, 6], atol=1e-6)
    np.testing.assert_allclose(poses["/many/instance_1"], [1, 0, 5, 0, 0, np.sqrt(0.5), np.sqrt(0.5)], atol=1e-3)
    np.testing.assert_allclose(poses["/many/instance_2"][:3], [2, 0, 7], atol=1e-6)
    mass = {path: builder.body_mass[row] for path, row in rows.items()}
    assert mass["/many/instance_2"] == pytest.approx(8 * mass["/many/instance_0"]) == pytest.approx(1000 * 0.4**3)
    assert source.GetRootLayer().ExportToString() == before and not source.GetPrimAtPath("/many/instance_0")


def test_instancers_that_are_left_out_are_not_looked_at() -> None:
    broken = stage(INSTANCER.replace("[0, 1, 0, 0]", "[0, 9, 0, 0]") + body("b"))
    with pytest.raises(ImporterError, match="/many: protoIndices"):
        read(broken)
    assert set(read(broken, ignore_paths=["/many"])[1]["path_body_map"]) == set(read(broken, root_path="/b")[1]["path_body_map"]) == {"/b"}


# -- scale ----------------------------------------------------------------------------------------------------------------

TETRAHEDRON = 'point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\nuniform token mjc:inertia = "exact"\nuniform token physics:approximation = "convexHull"'
SIZE = {
    "Sphere": "double radius = 1",
    "Cube": "double size = 2",
    "Cylinder": "double radius = 1\ndouble height = 2",
    "Capsule": "double radius = 1\ndouble height = 2",
    "Cone": "double radius = 1\ndouble height = 2",
    "Mesh": TETRAHEDRON,
}
# scale of the prim and of the one above it, and the volume of the shape in units of the unscaled one; None for an error
SCALES: list[tuple[str, tuple[float, ...], tuple[float, ...], float | None]] = [
    *((kind, (2, 2, 2), (3, 3, 3), 216.0) for kind in SIZE),
    *((kind, (-1, 1, 1), (2, 2, 2), 8.0) for kind in SIZE),
    *((kind, (-1, -1, -1), (1, 1, 1), 1.0) for kind in SIZE),
    ("Sphere", (1, 2, 3), (1, 1, 1), 6.0),
    ("Sphere", (1, 2, 3), (3, 1.5, 1), 27.0),
    ("Cube", (1, 2, 3), (-2, 1, 1), 12.0),
    ("Cylinder", (2, 2, 5), (1, 1, 1), 20.0),
    ("Cylinder", (1, 2, 1), (1, 1, 1), None),
    ("Capsule", (1, 2, 1), (1, 1, 1), None),
    ("Cone", (1, 2, 3), (1, 1, 1), 6.0),
    ("Mesh", (1, 2, 3), (-1, 2, 1), 12.0),
]


def scaled(kind: str, own: tuple[float, ...], above: tuple[float, ...], turn: float = 0.0, body_above: bool = False) -> tuple[ModelBuilder, dict[str, Any]]:
    """A body whose shape stands below two scales, the outer one turned against the inner."""
    shape = f"""
    def {kind} "s" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
        float xformOp:rotateX = {turn}
        float3 xformOp:scale = {own}
        uniform token[] xformOpOrder = ["xformOp:rotateX", "xformOp:scale"]
        {SIZE[kind]}
    }}
"""
    scale = f'float3 xformOp:scale = {above}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    rigid = '(prepend apiSchemas = ["PhysicsRigidBodyAPI"])'
    first, second = ("", rigid) if not body_above else (rigid, "")
    inner = f'def Xform "in" {second} {{\n{shape}}}\n' if not body_above else shape
    return read(f'def Xform "o" {first} {{\n{scale}{inner}}}\n')


@pytest.mark.parametrize(("kind", "own", "above", "volume"), SCALES)
@pytest.mark.parametrize("body_above", [False, True])
def test_scale(kind: str, own: tuple[float, ...], above: tuple[float, ...], volume: float | None, body_above: bool) -> None:
    if volume is None:
        with pytest.raises(ImporterError, match="scaled by"):
            scaled(kind, own, above, body_above=body_above)
        return
    plain, _ = scaled(kind, (1, 1, 1), (1, 1, 1))
    builder, result = scaled(kind, own, above, body_above=body_above)
    factor = volume if kind != "Capsule" or abs(own[0]) == abs(own[2]) else None
    assert builder.body_mass[0] == pytest.approx(factor * plain.body_mass[0], rel=1e-5)
    assert not result["report"].approximated or kind == "Cone"


@pytest.mark.parametrize("kind", SIZE)
def test_shear(kind: str) -> None:
    """An uneven scale above a turn: meshes take it up, others are refused; so are bodies."""
    if kind in ("Mesh", "Cone"):
        plain, _ = scaled(kind, (1, 1, 1), (1, 1, 1))
        builder, _ = scaled(kind, (1, 1, 1), (1, 2, 1), 30.0, body_above=True)
        assert builder.body_mass[0] == pytest.approx(2 * plain.body_mass[0], rel=1e-5)
        return
    with pytest.raises(ImporterError, match="sheared"):
        scaled(kind, (1, 1, 1), (1, 2, 1), 30.0, body_above=True)


def test_a_capsule_stretched_along_its_axis_is_told() -> None:
    builder, result = scaled("Capsule", (1, 1, 3), (1, 1, 1))
    np.testing.assert_allclose(builder.shape_scale[0][:2], [1, 3])
    assert any("round" in entry.note for entry in result["report"].approximated)


def test_anchors_are_scaled_with_their_bodies() -> None:
    text = 'def Xform "o" {\nfloat3 xformOp:scale = (2, 2, 2)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    text += body("b", "point3f physics:centerOfMass = (0, 0, 0.1)", place=(1, 0, 0), apis='"PhysicsMassAPI"') + "}\n"
    text += joint("Revolute", "j", second="/o/b", inside="point3f physics:localPos0 = (1, 0, 0)\npoint3f physics:localPos1 = (-0.5, 0, 0)")
    m = compiled(text)
    np.testing.assert_allclose(m.jnt_pos[0], [-1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(m.body_ipos[1], [0, 0, 0.2], atol=1e-6)


# -- pictures -------------------------------------------------------------------------------------------------------------


def test_cameras_and_lights_are_kept() -> None:
    seen = 'def Camera "eye" {\nfloat verticalAperture = 20\nfloat focalLength = 10\n' + place(0.5) + "}\n"
    seen += 'def SphereLight "lamp" {\ncolor3f inputs:color = (1, 0.5, 0)\n' + place(-0.5) + "}\n"
    text = body("b", seen, place=(0, 0, 2)) + 'def DistantLight "sun" {\nfloat xformOp:rotateX = 90\nuniform token[] xformOpOrder = ["xformOp:rotateX"]\n}\n'
    text += 'def Camera "map" {\ntoken projection = "orthographic"\nfloat verticalAperture = 40\n}\ndef DomeLight "sky" {\n}\n'
    m = compiled(text)
    assert m.ncam == 2 and m.nlight == 2
    order = {int(body): k for k, body in enumerate(m.cam_bodyid)}
    np.testing.assert_allclose(m.cam_fovy[order[1]], 90)
    np.testing.assert_allclose(m.cam_pos[order[1]], [0.5, 0, 0], atol=1e-7)
    assert m.cam_projection[order[0]] == 1 and m.cam_fovy[order[0]] == pytest.approx(4.0)
    lights = {int(body): k for k, body in enumerate(m.light_bodyid)}
    np.testing.assert_allclose(m.light_dir[lights[0]], [0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(m.light_pos[lights[1]], [-0.5, 0, 0], atol=1e-7)
    _, result = read(text)
    assert [entry.subject for entry in result["report"].ignored] == ["/sky"]


LOOK = """
def Material "m" {
    color3f inputs:tint = (0.2, 0.4, 1)
    token outputs:surface.connect = </m/s.outputs:surface>
    def Shader "s" {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </m.inputs:tint>
        float inputs:opacity = 0.5
        float inputs:roughness = 0.25
        float inputs:metallic = 0.75
        token outputs:surface
    }
}
"""


def test_colours() -> None:
    own = body("a").replace("double size", "color3f[] primvars:displayColor = [(0.1, 0.2, 0.3)]\nfloat[] primvars:displayOpacity = [0.4]\ndouble size")
    bound = body("b", place=(1, 0, 0)).replace("double size", "rel material:binding = </m>\ncolor3f[] primvars:displayColor = [(0.1, 0.2, 0.3)]\ndouble size")
    builder, _ = read(own + bound + body("c", place=(2, 0, 0)) + LOOK)
    shown = np.column_stack([np.array(list(builder.shape_color)), builder.shape_opacity])
    np.testing.assert_allclose(shown[0], [0.1, 0.2, 0.3, 0.4], atol=1e-6)
    np.testing.assert_allclose(shown[1], [0.48453, 0.66519, 1, 0.5], atol=1e-4)  # linear in the material
    np.testing.assert_allclose(shown[2], [0.5, 0.5, 0.5, 1], atol=1e-6)


def test_materials_are_kept_for_viewers() -> None:
    bound = body("b").replace("double size", "rel material:binding = </m>\ndouble size")
    model = read(bound + body("c", place=(2, 0, 0)) + LOOK)[0].finalize(device="cpu")
    assert model.mujoco.mat_names == ["/m"]
    np.testing.assert_allclose(model.mujoco.mat_rgba[0], [0.48453, 0.66519, 1, 0.5], atol=1e-4)
    assert (model.mujoco.mat_roughness[0], model.mujoco.mat_metallic[0]) == (0.25, 0.75)
    assert sorted(np.array(model.mujoco.geom_matid.numpy()).tolist()) == [-1, 0]


# -- report ---------------------------------------------------------------------------------------------------------------


def test_the_report_counts_every_prim_and_property() -> None:
    text = (
        body("a")
        + body("b", place=(1, 0, 0))
        + joint("Revolute", "j", inside="point3f physics:localPos0 = (1, 0, 0)\nfloat newton:sparkle = 1\nfloat physics:breakForce = 3")
    )
    text += LOOK + 'def NewtonActuator "act" {\nfloat newton:kp = 2\n}\ndef BasisCurves "hair" {\n}\n'
    text = text.replace("double size", "float3[] extent = [(0, 0, 0), (1, 1, 1)]\ndouble size")
    opened = stage(text)
    _, result = read(opened)
    lines = {(line.section, line.element, line.attribute): (line.fate, len(line.places)) for line in result["report"].contents}
    assert lines["UsdGeom", "Xform", ""] == ("kept", 2) and lines["UsdGeom", "Cube", ""] == ("kept", 2)
    assert lines["UsdGeom", "Xform", "PhysicsRigidBodyAPI"] == ("kept", 2) and lines["UsdGeom", "Cube", "size"] == ("kept", 2)
    assert lines["UsdGeom", "Cube", "extent"] == ("ignored", 2)
    assert lines["UsdPhysics", "PhysicsRevoluteJoint", ""] == ("kept", 1) and lines["UsdPhysics", "PhysicsRevoluteJoint", "physics:localPos0"] == ("kept", 1)
    assert lines["UsdPhysics", "PhysicsRevoluteJoint", "newton:sparkle"] == lines["UsdPhysics", "PhysicsRevoluteJoint", "physics:breakForce"] == ("ignored", 1)
    assert lines["newton", "NewtonActuator", ""] == lines["UsdGeom", "BasisCurves", ""] == ("ignored", 1)
    assert ("newton", "NewtonActuator", "newton:kp") not in lines  # goes with its prim
    assert lines["UsdShade", "Material", ""] == ("ignored", 1)  # nothing is bound to it
    prims = sum(number for (_, _, attribute), (_, number) in lines.items() if not attribute)
    assert prims == sum(1 for _ in opened.Traverse())
