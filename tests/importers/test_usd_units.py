"""Units of every angular quantity, stage units, the up axis, and numbers that are native to MuJoCo."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from mjc_properties import properties
from usd_stages import body, compiled, joint, read, stage

from newtonish.importers.usd.dialects import DIALECTS

DEGREE = math.pi / 180.0
FREE = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 60"


def revolute(inside: str, apis: str = "", kind: str = "Revolute") -> tuple[Any, int]:
    """A builder with one body on a hinge, and its degree of freedom."""
    text = body("b", place=(0, 0, 1)) + joint(kind, "j", inside=f"point3f physics:localPos0 = (0, 0, 1)\n{FREE}\n{inside}", apis=apis)
    builder, _ = read(text)
    return builder, 0


DRIVE = '"PhysicsDriveAPI:angular"'
# what is written, schemas, column of the builder, value in SI and radians
ANGULAR = [
    ("", "", "joint_limit_lower", -90 * DEGREE),
    ("", "", "joint_limit_upper", 60 * DEGREE),
    ("float drive:angular:physics:stiffness = 2", DRIVE, "joint_target_ke", 2 / DEGREE),
    ("float drive:angular:physics:damping = 3", DRIVE, "joint_target_kd", 3 / DEGREE),
    ("float drive:angular:physics:targetPosition = 30", DRIVE, "joint_target_q", 30 * DEGREE),
    ("float drive:angular:physics:targetVelocity = 20", DRIVE, "joint_target_qd", 20 * DEGREE),
    ("float drive:angular:physics:maxForce = 7", DRIVE, "joint_effort_limit", 7.0),
    ("float newton:damping = 0.1", "", "joint_damping", 0.1 / DEGREE),
    ("float newton:armature = 0.2", "", "joint_armature", 0.2),
    ("float newton:friction = 0.3", "", "joint_friction", 0.3),
    ("float newton:limitStiffness = 4", "", "joint_limit_ke", 4 / DEGREE),
    ("float newton:limitDamping = 5", "", "joint_limit_kd", 5 / DEGREE),
    ("float newton:velocityLimit = 90", "", "joint_velocity_limit", 90 * DEGREE),
    ("float newton:angular:limitStiffness = 4", "", "joint_limit_ke", 4 / DEGREE),
    ("float newton:angular:limitDamping = 5", "", "joint_limit_kd", 5 / DEGREE),
    ("float newton:angular:position = 15", "", "joint_q", 15 * DEGREE),
    ("float newton:angular:velocity = 25", "", "joint_qd", 25 * DEGREE),
    ("float physxLimit:angular:stiffness = 4", "", "joint_limit_ke", 4 / DEGREE),
    ("float physxLimit:angular:damping = 5\nfloat physxLimit:angular:stiffness = 4", "", "joint_limit_kd", 5 / DEGREE),
    ("float physxJoint:maxJointVelocity = 45", "", "joint_velocity_limit", 45 * DEGREE),
    ("float physxJoint:armature = 0.4", "", "joint_armature", 0.4),
    ("float state:angular:physics:position = 10", "", "joint_q", 10 * DEGREE),
    ("float state:angular:physics:velocity = 11", "", "joint_qd", 11 * DEGREE),
    ("uniform double mjc:damping = 0.5", "", "joint_damping", 0.5),
    ("uniform double mjc:stiffness = 6", "", "joint_stiffness", 6.0),
    ("uniform double mjc:armature = 0.7", "", "joint_armature", 0.7),
    ("uniform double mjc:frictionloss = 0.8", "", "joint_friction", 0.8),
]


@pytest.mark.parametrize(("written", "apis", "column", "value"), ANGULAR, ids=[f"{row[0].split(' ')[1] if row[0] else 'limit'}-{row[2]}" for row in ANGULAR])
def test_angular_quantities(written: str, apis: str, column: str, value: float) -> None:
    builder, dof = revolute(written, apis)
    assert getattr(builder, column)[dof] == pytest.approx(value, rel=1e-6)


ROTX = '"PhysicsDriveAPI:rotX"'
# the same of generic joints, whose axes are called rotX, rotY, rotZ
GENERIC = [
    ("float limit:rotX:physics:low = -30", "joint_limit_lower", -30 * DEGREE),
    ("float limit:rotX:physics:high = 40", "joint_limit_upper", 40 * DEGREE),
    ("float drive:rotX:physics:stiffness = 2", "joint_target_ke", 2 / DEGREE),
    ("float drive:rotX:physics:damping = 3", "joint_target_kd", 3 / DEGREE),
    ("float drive:rotX:physics:targetPosition = 30", "joint_target_q", 30 * DEGREE),
    ("float drive:rotX:physics:targetVelocity = 20", "joint_target_qd", 20 * DEGREE),
    ("float drive:rotX:physics:maxForce = 7", "joint_effort_limit", 7.0),
    ("float newton:rotX:limitStiffness = 4", "joint_limit_ke", 4 / DEGREE),
    ("float newton:rotX:limitDamping = 5", "joint_limit_kd", 5 / DEGREE),
    ("float newton:rotX:position = 15", "joint_q", 15 * DEGREE),
    ("float newton:rotX:velocity = 25", "joint_qd", 25 * DEGREE),
    ("float physxLimit:rotX:stiffness = 4", "joint_limit_ke", 4 / DEGREE),
    ("float physxLimit:rotX:damping = 5\nfloat physxLimit:rotX:stiffness = 4", "joint_limit_kd", 5 / DEGREE),
    ("float state:rotX:physics:position = 10", "joint_q", 10 * DEGREE),
    ("float state:rotX:physics:velocity = 11", "joint_qd", 11 * DEGREE),
    ("float newton:damping = 0.1", "joint_damping", 0.1 / DEGREE),
    ("float newton:limitStiffness = 4", "joint_limit_ke", 4 / DEGREE),
    ("float newton:velocityLimit = 90", "joint_velocity_limit", 90 * DEGREE),
    ("uniform double mjc:damping = 0.5", "joint_damping", 0.5),
    ("uniform double mjc:stiffness = 6", "joint_stiffness", 6.0),
]


@pytest.mark.parametrize(("written", "column", "value"), GENERIC, ids=[f"{row[0].split(' ')[-3]}-{row[1]}" for row in GENERIC])
def test_angular_quantities_of_generic_joints(written: str, column: str, value: float) -> None:
    locked = [
        f"float limit:{name}:physics:{end} = {sign}" for name in ("transX", "transY", "transZ", "rotY", "rotZ") for end, sign in (("low", 1), ("high", -1))
    ]
    ends = [f"float limit:rotX:physics:{end} = {angle}" for end, angle in (("low", -90), ("high", 60)) if f"physics:{end} " not in written]
    inside = "\n".join(["point3f physics:localPos0 = (0, 0, 1)", *locked, *ends, written])
    builder, _ = read(body("b", place=(0, 0, 1)) + joint("", "j", inside=inside, apis=ROTX))
    assert builder.joint_dof_count == 1
    assert getattr(builder, column)[0] == pytest.approx(value, rel=1e-6)


PLAIN = {
    "MjcJointAPI": "actuatorfrclimited actuatorfrcrange:max actuatorfrcrange:min actuatorgravcomp group margin solimpfriction solimplimit"
    " solreffriction solreflimit springdamper",  # torques, and numbers that MuJoCo has in radians or in none
    "MjcEqualityJointAPI": "coef1 coef2 coef3 coef4 solimp solref target",
    "NewtonMimicAPI": "mimicEnabled mimicJoint mimicCoef1",
    "NewtonJointAPI": "",
}
ELSEWHERE = {"mjc:ref", "mjc:springref", "mjc:coef0", "newton:mimicCoef0"}
"""Tested below."""


def test_no_angular_attribute_is_left_out() -> None:
    """Every joint property of the schemas, and every one of a dialect that has a unit on turning axes, is in a table above."""
    seen = {row[0].split(" = ")[0].split(" ")[-1] for row in (*ANGULAR, *GENERIC)} | ELSEWHERE
    for one in properties():
        if one.schema in PLAIN and one.name.partition(":")[2] not in PLAIN[one.schema].split():
            assert one.name in seen, one.name
    for ways in (way for quantities in DIALECTS.values() for found in quantities.values() for way in found):
        if ways.unit:
            assert {ways.name.format(axis="angular"), ways.name.format(axis="rotX")} <= seen | {ways.name}, ways.name
    for axis in ("angular", "rotX"):
        assert {f"drive:{axis}:physics:{name}" for name in ("stiffness", "damping", "targetPosition", "targetVelocity", "maxForce")} <= seen


def test_angular_velocity_of_a_body() -> None:
    builder, _ = read(body("b", "vector3f physics:angularVelocity = (0, 90, 0)\nvector3f physics:velocity = (1, 2, 3)"))
    np.testing.assert_allclose(builder.joint_qd[:6], [1, 2, 3, 0, 90 * DEGREE, 0], rtol=1e-6)


@pytest.mark.parametrize(("angle", "factor"), [("degree", DEGREE), ("radian", 1.0), (None, DEGREE)])
def test_reference_angles_follow_the_compiler(angle: str | None, factor: float) -> None:
    text = body("b") + joint("Revolute", "j", inside="uniform double mjc:ref = 0.5\nuniform double mjc:springref = 0.25", apis='"MjcJointAPI"')
    said = f'uniform token mjc:compiler:angle = "{angle}"' if angle else ""
    text += f'\ndef PhysicsScene "scene" (prepend apiSchemas = ["MjcSceneAPI"]) {{\n{said}\n}}\n'
    m = compiled(text)
    assert m.qpos0[0] == pytest.approx(0.5 * factor) and m.qpos_spring[0] == pytest.approx(0.25 * factor)


@pytest.mark.parametrize(("kind", "factor"), [("Revolute", DEGREE), ("Prismatic", 1.0)])
def test_offset_of_a_mimic_joint(kind: str, factor: float) -> None:
    follow = "float newton:mimicCoef0 = 20\nfloat newton:mimicCoef1 = 2\nrel newton:mimicJoint = </j>"
    text = body("b") + body("c", place=(1, 0, 0)) + joint(kind, "j")
    text += joint(kind, "k", second="/c", inside=follow + "\npoint3f physics:localPos0 = (1, 0, 0)", apis='"NewtonMimicAPI"')
    m = compiled(text)
    np.testing.assert_allclose(m.eq_data[0][:5], [20 * factor, 2, 0, 0, 0], rtol=1e-6)
    assert (m.eq_obj1id[0], m.eq_obj2id[0]) == (1, 0)


def test_mjc_offset_is_in_radians_and_newton_wins() -> None:
    both = "uniform double mjc:coef0 = 0.3\nuniform double mjc:coef1 = 3\nuniform double mjc:coef2 = 4\nrel mjc:target = </j>"
    text = body("b") + body("c", place=(1, 0, 0)) + joint("Revolute", "j")
    place = "\npoint3f physics:localPos0 = (1, 0, 0)"
    m = compiled(text + joint("Revolute", "k", second="/c", inside=both + place, apis='"MjcEqualityJointAPI"'))
    np.testing.assert_allclose(m.eq_data[0][:5], [0.3, 3, 4, 0, 0])
    m = compiled(text + joint("Revolute", "k", second="/c", inside=f"{both}\nfloat newton:mimicCoef0 = 10{place}", apis='"MjcEqualityJointAPI"'))
    np.testing.assert_allclose(m.eq_data[0][:5], [10 * DEGREE, 3, 4, 0, 0], rtol=1e-6)


def test_cones_of_a_ball() -> None:
    ends = "float physics:coneAngle0Limit = 40\nfloat physics:coneAngle1Limit = 40"
    m = compiled(body("b") + joint("Spherical", "j", inside=ends, apis='"MjcJointAPI"'))
    np.testing.assert_allclose(m.jnt_range[0], [0, 40 * DEGREE], rtol=1e-6)


def test_linear_quantities_are_plain() -> None:
    inside = "float drive:linear:physics:stiffness = 2\nfloat drive:linear:physics:targetPosition = 3\nfloat newton:damping = 4"
    builder, dof = revolute(inside, '"PhysicsDriveAPI:linear"', "Prismatic")
    assert (builder.joint_target_ke[dof], builder.joint_target_q[dof], builder.joint_damping[dof]) == (2, 3, 4)
    assert builder.joint_limit_upper[dof] == 60


def test_stage_units() -> None:
    inside = (
        "float drive:linear:physics:stiffness = 2\nfloat drive:linear:physics:maxForce = 500\nfloat physics:lowerLimit = -50\nfloat physics:upperLimit = 60"
    )
    text = body("b", place=(0, 0, 100), half=10) + joint(
        "Prismatic", "j", inside=inside + "\npoint3f physics:localPos0 = (0, 0, 100)", apis='"PhysicsDriveAPI:linear"'
    )
    text += 'def PhysicsScene "s" {\n vector3f physics:gravityDirection = (0, 0, -1)\n float physics:gravityMagnitude = 981\n}\n'
    builder, result = read(stage(text, length=0.01, mass=0.001))
    assert builder.body_mass[0] == pytest.approx(1000 * 0.2**3)  # 1000 kg/m^3 of a cube of 20 cm
    np.testing.assert_allclose(builder.body_q[0][:3], [0, 0, 1])
    np.testing.assert_allclose(list(builder.gravity), [0, 0, -9.81], rtol=1e-6)
    assert builder.joint_limit_upper[0] == pytest.approx(0.6) and builder.joint_target_ke[0] == pytest.approx(2e-3)
    assert builder.joint_effort_limit[0] == pytest.approx(500 * 1e-3 * 1e-2)
    assert (result["linear_unit"], result["mass_unit"]) == (0.01, 0.001)


def test_the_stage_is_turned_to_the_builders_up_axis() -> None:
    text = body("b", place=(0, 2, 3)) + 'def PhysicsScene "s" {}\n'
    builder, _ = read(stage(text, up="Y"))
    np.testing.assert_allclose(builder.body_q[0][:3], [0, -3, 2], atol=1e-12)
    np.testing.assert_allclose(list(builder.gravity), [0, 0, -9.81], atol=1e-6)
    builder, result = read(stage(text, up="Y"), apply_up_axis_from_stage=True)
    assert builder.up_axis.name == "Y" and result["up_axis"] == "Y"
    np.testing.assert_allclose(builder.body_q[0][:3], [0, 2, 3], atol=1e-12)
    np.testing.assert_allclose(list(builder.gravity), [0, -9.81, 0], atol=1e-6)
