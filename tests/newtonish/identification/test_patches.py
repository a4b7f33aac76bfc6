"""Where identified parameters are written: Python lines for a solver, a layer over a USD stage."""

import numpy as np
import pytest

from newtonish import SolverMuJoCo
from newtonish.cli.main import main
from newtonish.identification import Estimate, Identification, python_lines, save_layer
from newtonish.identification.columns import Columns
from newtonish.identification.fields import found_fields
from newtonish.identification.parameters import KINDS, find_parameters
from newtonish.mjw.from_file import read_compiled
from newtonish.model.builder import ModelBuilder

MODEL = """<mujoco><option timestep="0.005"/><worldbody><geom name="floor" type="plane" size="2 2 .1" friction=".7 .005 .0001" solref=".01 1"/>
  <body name="upper" pos="0 0 1"><inertial mass="1.2" pos=".1 .02 0" fullinertia=".02 .03 .025 .004 .001 -.002"/>
    <joint name="shoulder" axis="0 1 0" damping=".3" armature=".02" frictionloss=".1"/><geom name="arm" type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
    <body name="lower" pos=".3 0 0"><joint name="slider" type="slide" axis="1 0 0" damping="2"/>
      <geom name="tip" size=".05" mass=".4" friction=".9 .005 .0001" solref="-4000 -30"/></body></body></worldbody>
  <actuator><position name="servo" joint="shoulder" kp="20" kv="1"/><motor name="drive" joint="slider" gear="3"/>
    <general name="soft" joint="slider" gaintype="fixed" gainprm="5" biastype="affine" biasprm="1 -5 -.2"/></actuator></mujoco>"""
FIT = ("mass", "inertia:upper", "armature", "damping", "frictionloss:shoulder", "gain:drive", "gain:soft", "kp:servo", "kv:servo", "friction", "contact_timeconst:floor",
       "contact_stiffness:tip", "contact_damping:tip", "delay")  # fmt: skip


def found_of(source, fit=FIT) -> Identification:
    """As if every number had been found a little off the model's."""
    compiled = read_compiled(source)[0]
    estimates = []
    for k, each in enumerate(find_parameters(compiled, Columns(compiled), [], fit)):
        value = (1.1 + 0.01 * k) * each.initial if each.initial else {"delay": 0.012}.get(each.kind, 0.03)
        estimates.append(Estimate(each.name, each.kind, each.object, each.unit, each.initial, value, 0.0, value, value, value, value, True, False))
    return Identification(estimates, [], [], np.eye(len(estimates)), 0.95, 1, True, [1.0], 1, 1, 0.0, [], [], [])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MODEL)
    return path


def test_python_lines_set_every_kind(file) -> None:
    found = found_of(file)
    assert {each.kind for each in found.estimates} == set(KINDS) - {"bias", "contact_dampratio"}
    module: dict = {}
    exec(python_lines(file, found, "arm"), module)
    builder = ModelBuilder()
    builder.add_mjcf(str(file))
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    module["set_parameters"](solver)
    fields = found_fields(read_compiled(file)[0], found.estimates)
    m, moments = solver.mjw_model, fields.pop("body_inertia")
    for name, wanted in fields.items():
        assert getattr(m, name).numpy()[0] == pytest.approx(wanted, rel=2e-5, abs=1e-7), name
    assert np.sort(m.body_inertia.numpy()[0], axis=1) == pytest.approx(np.sort(moments, axis=1), rel=1e-4)
    assert module["DELAYS"] == {name: 0.012 for name in ("servo", "drive", "soft")}


def test_a_layer_over_a_stage_has_every_kind(file, tmp_path, capsys) -> None:
    stage, layer = tmp_path / "arm.usda", tmp_path / "found.usda"
    assert main(["convert", str(file), str(stage)]) == 0
    capsys.readouterr()
    paths = {name.rsplit("/", 1)[-1]: name for names in ("body", "jnt", "actuator", "geom") for name in getattr(read_compiled(stage)[0], f"{names}_names")}
    fit = [f"{kind}:{paths[name]}" if name else kind for kind, _, name in (word.partition(":") for word in FIT)]
    found = found_of(stage, fit)
    save_layer(stage, found, layer)
    compiled = read_compiled(layer)[0]
    for name, wanted in found_fields(read_compiled(stage)[0], found.estimates).items():
        assert np.asarray(getattr(compiled, name)) == pytest.approx(wanted, rel=1e-5, abs=1e-7), name
    assert compiled.actuator_delay == pytest.approx([0.012] * 3)
    assert "arm.usda" in layer.read_text() and "Mesh" not in layer.read_text()


def test_gains_of_a_drive_are_written_per_degree(tmp_path) -> None:
    stage = tmp_path / "stage.usda"
    stage.write_text("""#usda 1.0
(defaultPrim = "robot"
metersPerUnit = 0.01
kilogramsPerUnit = 0.5
upAxis = "Z")
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
  def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 1
    point3f physics:centerOfMass = (30, 0, 0)
    float3 physics:diagonalInertia = (100, 100, 100)
  }
  def PhysicsRevoluteJoint "knee" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
    uniform token physics:axis = "Y"
    rel physics:body1 = </robot/arm>
    float drive:angular:physics:stiffness = 4000
    float drive:angular:physics:damping = 20
  }
}
""")
    found = found_of(stage, ("mass", "armature", "damping", "kp", "kv"))
    save_layer(stage, found, tmp_path / "found.usda")
    compiled = read_compiled(tmp_path / "found.usda")[0]
    assert compiled.body_mass[-1] == pytest.approx(found.estimates[0].value, rel=1e-6)
    assert compiled.actuator_gainprm[0, 0] == pytest.approx(found["kp:/robot/knee_position"].value, rel=1e-5)
    assert "solver.set(joint='/robot/knee', " in python_lines(stage, found, "stage")


def test_other_forms_than_those_of_the_source_are_refused(file, tmp_path, capsys) -> None:
    assert main(["identify", str(file), "log.csv", "--out", str(tmp_path / "found.usda")]) == 2
    assert "layers over USD stages" in capsys.readouterr().err
    assert main(["identify", str(file), "log.csv", "--out", str(file)]) == 2
    assert "the model itself" in capsys.readouterr().err
