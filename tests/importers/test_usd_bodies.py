"""Bodies, masses, shapes, joints and filters of small stages."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pxr")

from usd_stages import body, compiled, joint, read, stage

from newtonish import ImporterError, ModelBuilder, UnsupportedError, mjw
from newtonish.model.enums import BodyFlags, JointType

MASS = '"PhysicsMassAPI"'


def weigh(own: str, collider: str = "", material: str = "", scale: str = "") -> ModelBuilder:
    """A free body with one cube of half a metre, and what a MassAPI says of both."""
    bound = "rel material:binding:physics = </m>" if material else ""
    text = f"""
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    {own}
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {{
        double size = 0.5
        {scale}
        {collider}
        {bound}
    }}
}}
def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{
    {material}
}}
"""
    return read(text)[0]


VOLUME = 0.125


def inertia(builder: ModelBuilder) -> np.ndarray:
    """Inertia of the first body as a matrix."""
    return np.array(builder.body_inertia[0]).reshape(3, 3)


@pytest.mark.parametrize(
    ("own", "collider", "material", "mass"),
    [
        ("", "", "", 1000 * VOLUME),
        ("", "", "float physics:density = 20", 20 * VOLUME),
        ("float physics:density = 30", "", "float physics:density = 20", 30 * VOLUME),
        ("float physics:density = 30", "float physics:density = 40", "float physics:density = 20", 40 * VOLUME),
        ("float physics:density = 30", "float physics:mass = 5\nfloat physics:density = 40", "", 5),
        ("float physics:mass = 6\nfloat physics:density = 30", "float physics:mass = 5", "", 6),
        ("float physics:mass = 0", "float physics:density = 0", "", 1000 * VOLUME),
    ],
)
def test_precedence_of_mass_and_density(own: str, collider: str, material: str, mass: float) -> None:
    builder = weigh(own, collider, material)
    assert builder.body_mass[0] == pytest.approx(mass)
    np.testing.assert_allclose(inertia(builder), np.eye(3) * mass / 6 * 0.25, rtol=1e-6)


def test_sentinels_and_authored_inertia() -> None:
    inf = "point3f physics:centerOfMass = (-inf, -inf, -inf)\nquatf physics:principalAxes = (0, 0, 0, 0)\nfloat3 physics:diagonalInertia = (0, 0, 0)"
    builder = weigh(inf + "\nfloat physics:mass = 3")
    np.testing.assert_allclose(inertia(builder), np.eye(3) * 3 / 24, rtol=1e-6)
    turned = "float3 physics:diagonalInertia = (1, 2, 2.5)\nquatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)"
    builder = weigh(f"float physics:mass = 3\npoint3f physics:centerOfMass = (0.1, 0.2, 0.3)\n{turned}")
    np.testing.assert_allclose(builder.body_com[0], [0.1, 0.2, 0.3], rtol=1e-6)
    np.testing.assert_allclose(inertia(builder), np.diag([2, 1, 2.5]), atol=1e-6)
    builder = weigh("double[] newton:inertia = [2, 2, 2, 0.1, 0.2, 0.3]\nfloat physics:mass = 3")
    np.testing.assert_allclose(inertia(builder), [[2, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2]], atol=1e-9)


def test_a_centre_without_inertia_moves_it() -> None:
    builder = weigh("float physics:mass = 6\npoint3f physics:centerOfMass = (1, 0, 0)")
    np.testing.assert_allclose(inertia(builder), np.diag([0.25, 6.25, 6.25]), rtol=1e-6)


def test_scale_is_baked_into_shapes() -> None:
    scaled = 'float3 xformOp:scale = (2, -1, 0.5)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    builder = weigh("", scale=scaled)
    np.testing.assert_allclose(builder.shape_scale[0], [0.5, 0.25, 0.125], rtol=1e-6)
    text = """
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double radius = 0.5
        double3 xformOp:translate = (1, 0, 0)
        float3 xformOp:scale = (1, 1, 3)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }
}
"""
    builder, _ = read(text)
    np.testing.assert_allclose(builder.shape_scale[0], [1, 1, 3], rtol=1e-6)
    np.testing.assert_allclose(builder.shape_transform[0][:3], [2, 0, 0], rtol=1e-6)


def test_a_mirrored_mesh_keeps_its_volume_and_faces_outwards() -> None:
    points = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"
    text = """
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
        uniform token physics:approximation = "convexHull"
        uniform token mjc:inertia = "exact"
        float3 xformOp:scale = (-2, 1, 1)
        uniform token[] xformOpOrder = ["xformOp:scale"]
        POINTS
    }
}
""".replace("POINTS", points)
    builder, _ = read(text)
    assert builder.body_mass[0] == pytest.approx(1000 * 2 / 6)
    np.testing.assert_allclose(builder.body_com[0], [-0.5, 0.25, 0.25], atol=1e-9)


def test_instances_and_references_keep_their_colliders() -> None:
    text = """
class Xform "proto" {
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        double size = 1
        float physics:mass = 2
    }
}
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Xform "i" (instanceable = true
        prepend references = </proto>) {
    }
}
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (3, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "i" (instanceable = true
        prepend references = </proto>) {
    }
}
"""
    builder, result = read(text)
    assert builder.body_mass == [2, 2] and set(result["path_shape_map"]) == {"/a/i/c", "/b/i/c"}


@pytest.mark.parametrize(
    ("kind", "found"),
    [("Fixed", JointType.FIXED), ("Revolute", JointType.REVOLUTE), ("Prismatic", JointType.PRISMATIC), ("Spherical", JointType.BALL), ("", JointType.FREE)],
)
def test_types_of_joints(kind: str, found: JointType) -> None:
    builder, result = read(body("b") + joint(kind, "j"))
    assert builder.joint_type == [int(found)] and result["path_joint_map"] == {"/j": 0}


def test_a_generic_joint_has_the_axes_that_are_not_locked() -> None:
    limits = "\n".join(f"float limit:{name}:physics:low = {low}\nfloat limit:{name}:physics:high = {high}" for name, low, high in (
        ("transX", -1, 2), ("transY", 1, -1), ("transZ", 1, -1), ("rotX", 1, -1), ("rotY", -30, 40), ("rotZ", 1, -1)))  # fmt: skip
    builder, _ = read(body("b") + joint("", "j", inside=limits))
    assert builder.joint_type == [int(JointType.D6)] and builder.joint_dof_count == 2
    np.testing.assert_allclose(builder.joint_axis, [[1, 0, 0], [0, 1, 0]], atol=1e-12)
    np.testing.assert_allclose(builder.joint_limit_upper, [2, np.deg2rad(40)], rtol=1e-6)


def test_a_joint_starts_where_the_stage_shows_it() -> None:
    inside = "quatf physics:localRot1 = (0.8660254, -0.5, 0, 0)"
    builder, _ = read(body("b") + joint("Revolute", "j", inside=inside))
    assert builder.joint_q[0] == pytest.approx(np.deg2rad(-60), rel=1e-5)
    np.testing.assert_allclose(builder.body_q[0], [0, 0, 0, 0, 0, 0, 1], atol=1e-7)


def test_a_joint_may_be_gone_through_backwards() -> None:
    text = body("a") + body("b", place=(1, 0, 0)) + joint("Fixed", "w", second="/b", inside="point3f physics:localPos0 = (1, 0, 0)")
    text += joint(
        "Revolute", "j", first="/a", second="/b", inside="point3f physics:localPos0 = (1, 0, 0)\nfloat physics:lowerLimit = -10\nfloat physics:upperLimit = 20"
    )
    builder, result = read(text)
    row = result["path_joint_map"]["/j"]
    assert builder.joint_child[row] == result["path_body_map"]["/a"] and builder.joint_parent[row] == result["path_body_map"]["/b"]
    np.testing.assert_allclose(builder.joint_axis[builder.joint_qd_start[row]], [-1, 0, 0], atol=1e-12)
    assert builder.joint_limit_upper[builder.joint_qd_start[row]] == pytest.approx(np.deg2rad(20))


def test_closing_joints_become_constraints_and_do_not_collide() -> None:
    text = body("a") + body("b", place=(1, 0, 0)) + joint("Revolute", "j", second="/a")
    text += joint("Revolute", "k", first="/a", second="/b", inside="point3f physics:localPos0 = (1, 0, 0)")
    text += joint("Spherical", "l", first="", second="/b", inside="point3f physics:localPos0 = (1, 0, 0)\nuniform bool physics:excludeFromArticulation = 1")
    m = compiled(text)
    assert m.njnt == 2 and m.neq == 1 and m.eq_type[0] == 0


def test_distance_joints_are_tendons() -> None:
    text = body("a") + body("b", place=(1, 0, 0)) + joint("Distance", "d", "/a", "/b", "float physics:minDistance = 0.5\nfloat physics:maxDistance = 2")
    m = compiled(text)
    assert m.ntendon == 1 and m.tendon_limited[0]
    np.testing.assert_allclose([*m.tendon_range[0], m.tendon_length0[0]], [0.5, 2, 1])


def test_kinematic_bodies() -> None:
    moved = "bool physics:kinematicEnabled = 1"
    builder, _ = read(body("b", moved))
    assert builder.body_flags[0] == int(BodyFlags.KINEMATIC) and builder.joint_type == [int(JointType.FREE)]
    m = compiled(body("b", moved) + joint("Fixed", "j"))
    assert m.nv == 0 and m.body_mocapid[1] == 0


def test_filters() -> None:
    text = body("a", "rel physics:filteredPairs = </b>") + body("b", place=(1, 0, 0)) + body("c", place=(2, 0, 0))
    text += 'def PhysicsCollisionGroup "g" (prepend apiSchemas = ["CollectionAPI:colliders"]) {\nrel collection:colliders:includes = [</b>, </c>]\nrel physics:filteredGroups = </g>\n}\n'
    m = compiled(text)
    assert m.nexclude == 1
    builder, result = read(text)
    shapes = result["path_shape_map"]
    assert (shapes["/b/cube"], shapes["/c/cube"]) in {tuple(sorted(pair)) for pair in builder.shape_collision_filter_pairs}


def test_floating_and_where_it_stands() -> None:
    builder, _ = read(body("b"), floating=False)
    assert builder.joint_type == [int(JointType.FIXED)]
    builder, _ = read(body("b", place=(1, 0, 0)), xform=[0, 0, 2, 0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    np.testing.assert_allclose(builder.body_q[0][:3], [0, 1, 2], atol=1e-7)
    np.testing.assert_allclose(builder.joint_q[:3], [0, 1, 2], atol=1e-7)


def test_keyframes_by_time_samples() -> None:
    text = (
        body("b") + joint("Revolute", "j") + 'def MjcKeyframe "k" {\ndouble[] mjc:qpos.timeSamples = {\n0: [0.1],\n5: [0.2],\n}\ndouble[] mjc:qvel = [3]\n}\n'
    )
    m = compiled(text)
    np.testing.assert_allclose(m.key_qpos, [[0.1], [0.2]])
    np.testing.assert_allclose(m.key_qvel, [[3], [3]])
    np.testing.assert_allclose(m.key_time, [0, 0.5])


def test_dialects_in_the_callers_order_and_what_nobody_reads() -> None:
    inside = "uniform double mjc:armature = 0.1\nfloat newton:armature = 0.2\nfloat physxJoint:armature = 0.3\nfloat newton:sparkle = 4"
    source = stage(body("b") + joint("Revolute", "j", inside=inside))
    for order, value in ((None, 0.1), (("newton", "mjc"), 0.2), (("physx",), 0.3)):
        builder, result = read(source, schema_resolvers=order)
        assert builder.joint_armature[0] == pytest.approx(value)
        unread = {entry.subject for entry in result["report"].ignored if "not read" in entry.note}
        assert "newton:sparkle" in unread
    assert unread == {"newton:sparkle", "newton:armature", "mjc:armature"}


def test_bad_input_is_collected_and_the_builder_untouched() -> None:
    text = body("a", "float physics:mass = -1") + body("b", place=(1, 0, 0))
    text += joint("Revolute", "gone", second="/nowhere") + joint("Revolute", "twice", "/b", "/b")
    text += joint("Revolute", "axis", second="/b", inside='uniform token physics:axis = "Q"\npoint3f physics:localPos0 = (1, 0, 0)')
    text += 'def Xform "empty" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n}\n'
    text += 'def MjcActuator "act" {\nuniform double[] mjc:gear = [1, 2, 3, 4, 5, 6, 7]\nrel mjc:target = </nowhere>\n}\n'
    text += 'def MjcTendon "ten" {\nuniform token mjc:type = "fixed"\nrel mjc:path = </axis>\nuniform double[] mjc:path:coef = [1, 2]\n}\n'
    builder = ModelBuilder()
    with pytest.raises(ImporterError) as caught:
        read(text, builder)
    message = str(caught.value)
    for words in (
        "/a: physics:mass",
        "/gone: physics:body1: got /nowhere",
        "/twice",
        "/axis: physics:axis: got 'Q'",
        "/empty",
        "mjc:gear: got 7 numbers",
        "/act: mjc:target",
        "mjc:path:coef: got 2",
    ):
        assert words in message, words
    assert builder.body_count == builder.joint_count == builder.shape_count == 0
    assert not builder.custom_attributes and not builder.import_reports


def test_files_that_are_no_stages(tmp_path: Path) -> None:
    with pytest.raises(ImporterError, match="no such file"):
        ModelBuilder().add_usd(str(tmp_path / "missing.usda"))
    broken = tmp_path / "broken.usda"
    broken.write_text("#usda 1.0\ndef Xform {")
    with pytest.raises(ImporterError, match="no stage"):
        ModelBuilder().add_usd(broken)
    with pytest.raises(ImporterError, match=r"a path or a Usd\.Stage"):
        ModelBuilder().add_usd(3)


def test_a_python_without_the_library_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from newtonish.importers.usd import runtime

    monkeypatch.setattr(runtime, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="usd-core"):
        ModelBuilder().add_usd("robot.usda")


def test_a_ring_of_bodies_floats() -> None:
    text = body("a") + body("b", place=(1, 0, 0)) + joint("Revolute", "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)")
    text += joint("Revolute", "k", "/b", "/a", "point3f physics:localPos0 = (-1, 0, 0)")
    builder, result = read(text)
    assert builder.joint_type[0] == int(JointType.FREE) and builder.joint_count == 3
    assert any("ring" in entry.note for entry in result["report"].approximated)


def test_load_takes_stages() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m, d = mjw.load(stage(body("b", place=(0, 0, 1)) + joint("Revolute", "j", inside="point3f physics:localPos0 = (0, 0, 1)")), nworld=2, device="cpu")
    assert m.nv == 1 and d.qpos.shape == (2, 1)
