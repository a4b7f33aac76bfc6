"""Where tuned gains are written: defaults, included files, ``general``, DriveAPI in degrees, Python."""

import re

import numpy as np
import pytest

from newtonish import SolverMuJoCo
from newtonish.errors import UnsupportedError
from newtonish.model.builder import ModelBuilder
from newtonish.tuning import diagnose, tune
from newtonish.tuning.patch_mjcf import write_mjcf
from newtonish.tuning.patch_python import python_lines
from newtonish.tuning.patch_usd import write_usd

BODY = """<body pos="{x} 0 0"><joint name="{name}" axis="0 1 0" armature=".05"/><geom size=".05" pos=".3 0 0" mass="1"/></body>"""
ACTUATORS = """<mujocoinclude><actuator><!-- a > b --><position name="one" joint="one" class="lone"/>
  <position name="two" joint="two" class="pair"/><position name="three" joint="three" class="pair" forcerange='-50 50'></position></actuator></mujocoinclude>"""
MAIN = f"""<mujoco><option timestep="0.002" integrator="implicitfast"/>
  <default><default class="lone"><position kp="20" kv=".2"/></default><default class="pair"><position kp="15" kv=".3"/></default></default>
  <worldbody>{BODY.format(x=0, name="one")}{BODY.format(x=1, name="two")}{BODY.format(x=2, name="three")}</worldbody>
  <include file="parts/actuators.xml"/></mujoco>"""
SPEC = dict(spec="settle=0.3,overshoot=0.05", poses=1, seed=1, candidates=6)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "robot.xml").write_text(MAIN)
    (tmp_path / "parts" / "actuators.xml").write_text(ACTUATORS)
    return tmp_path


def gains(source) -> dict[str, tuple[float, float]]:
    return {row.name: (row.stiffness, row.damping) for row in diagnose(source) if row.kind == "drive"}


def test_a_class_of_one_changes_in_its_default_and_others_in_the_included_file(files) -> None:
    outcome = tune(files / "robot.xml", "one,two", **SPEC)
    written = write_mjcf(files / "robot.xml", outcome, ["one", "two", "three"], files / "tuned.xml")
    assert written == [files / "tuned.xml", files / "parts" / "tuned_actuators.xml"]
    main, parts = (path.read_text() for path in written)
    one, two = (result.values for result in outcome.results)
    assert f'class="lone"><position kp="{one[0]:.6g}" kv="{one[1]:.6g}"/>' in main
    assert 'class="pair"><position kp="15" kv=".3"/>' in main and 'file="parts/tuned_actuators.xml"' in main
    assert parts == ACTUATORS.replace('joint="two" class="pair"/>', f'joint="two" class="pair" kp="{two[0]:.6g}" kv="{two[1]:.6g}"/>')
    found = gains(files / "tuned.xml")
    assert found["one"] == pytest.approx(one, rel=1e-5) and found["two"] == pytest.approx(two, rel=1e-5) and found["three"] == pytest.approx((15.0, 0.3))


def test_what_cannot_be_written_is_refused(files) -> None:
    outcome = tune(files / "robot.xml", "one", **SPEC)
    (files / "elsewhere").mkdir()
    with pytest.raises(UnsupportedError, match="names files relative to its own"):
        write_mjcf(files / "robot.xml", outcome, ["one", "two", "three"], files / "elsewhere" / "tuned.xml")
    (files / "parts" / "actuators.xml").write_text(ACTUATORS.replace('"one"', '"uno"'))
    with pytest.raises(UnsupportedError, match="actuator 'one': got no elements of that name"):
        write_mjcf(files / "robot.xml", outcome, ["one", "two", "three"], files / "tuned.xml")


def test_python_lines_set_the_gains(files) -> None:
    outcome = tune(files / "robot.xml", "one,two", **SPEC)
    module: dict = {}
    exec(python_lines(outcome, "robot", ["one", "two", "three"]), module)
    builder = ModelBuilder()
    builder.add_mjcf(str(files / "robot.xml"))
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    module["set_gains"](solver)
    found = solver.mjw_model.actuator_biasprm.numpy()[0, :, 1:3]
    assert found[:2] == pytest.approx(-np.array([result.values for result in outcome.results]), rel=1e-5)
    assert found[2] == pytest.approx([-15.0, -0.3])


def test_gains_of_a_drive_are_written_per_degree(tmp_path) -> None:
    stage = tmp_path / "stage.usda"
    stage.write_text("""#usda 1.0
(defaultPrim = "robot"
metersPerUnit = 1
upAxis = "Z")
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
  def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 1
    point3f physics:centerOfMass = (0.3, 0, 0)
    float3 physics:diagonalInertia = (0.01, 0.01, 0.01)
  }
  def PhysicsRevoluteJoint "knee" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
    uniform token physics:axis = "Y"
    rel physics:body1 = </robot/arm>
    float drive:angular:physics:stiffness = 0.4
    float drive:angular:physics:damping = 0.002
  }
}
""")
    outcome = tune(stage, "knee", **SPEC)
    (result,) = outcome.results
    assert result.authored == pytest.approx((0.4 * 57.29578, 0.002 * 57.29578), rel=1e-4)
    names = ["/robot/knee_position"]
    write_usd(stage, outcome, names, tmp_path / "tuned.usda")
    text = (tmp_path / "tuned.usda").read_text()
    assert float(re.search(r"stiffness = ([\d.]+)", text)[1]) == pytest.approx(result.values[0] / 57.29578, rel=1e-4)
    assert next(iter(gains(tmp_path / "tuned.usda").values())) == pytest.approx(result.values, rel=1e-4)
    assert "solver.set(joint='/robot/knee', ke=" in python_lines(outcome, "stage", names, True)
