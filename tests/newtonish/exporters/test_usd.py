"""save_to_usd: a written stage imports to the arrays that it was written from, and other tools open it without complaint."""

import warnings

import numpy as np
import pytest

pytest.importorskip("pxr")

from paths import OWN, shared_model
from pxr import Sdf, Usd, UsdGeom
from solver_rigs import every_joint
from usd_saved import built, compiled, differences
from usd_validators import complaints

from newtonish import ModelBuilder
from newtonish.cli.main import main
from newtonish.convert import convert
from newtonish.errors import ImporterError, ModelError
from newtonish.exporters.usd import save_to_usd

REAL = (
    "adhesion/active_adhesion.xml", "arm21/arm21.xml", "barkour_vb/scene_hfield_mjx.xml", "cassie/cassie.xml", "converter_tests/tests/data/bodies.xml",
    "converter_tests/tests/data/equality_weld_attributes.xml", "converter_tests/tests/data/reflected_meshes.xml", "dm_humanoid/humanoid.xml",
    "dmc_manipulator/manipulator.xml", "myofinger/myo_sim/finger/myofinger_v0.xml", "replicate_scenes/tendon.xml", "sensor_zoo/sensor.xml",
    "small_mechanisms/slider_crank/slider_crank.xml", "softfoot/softfoot.xml", "sleep_dominos/dominos.xml",
    "newton_urdf_primitives/examples/assets/quadruped.urdf", "pelican_urdf/quadrotor/dependencies/pelican.urdf",
)  # fmt: skip
"""Small models of all kinds; ``python tests/support/usd_saved.py`` does every one."""


USER = """<mujoco>
  <size nuser_geom="3" nuser_body="4"/>
  <worldbody>
    <body name="a" user="1 2">
      <joint name="j" user="3"/> <geom name="g" size=".1" user="5 6 7"/> <site name="s" user="9"/> <camera name="c" user="2 2"/>
    </body>
    <body pos="1 0 0"> <freejoint/> <geom size=".1 .2 .3" type="ellipsoid" user="1"/> </body>
  </worldbody>
  <tendon> <fixed name="t" user="4"> <joint joint="j" coef="1"/> </fixed> </tendon>
  <actuator> <motor joint="j" user="8 1"/> </actuator>
  <sensor> <jointpos joint="j" user="1 1"/> </sensor>
</mujoco>"""


def written(path, folder, name: str = "model.usda"):
    """A model's arrays, the stage that was written of them, and what is said of it."""
    origin = compiled(built(path))
    return origin, folder / name, save_to_usd(origin, folder / name)


@pytest.mark.parametrize("path", sorted(OWN.glob("*.xml")), ids=lambda path: path.stem)
def test_own_models(path, tmp_path) -> None:
    origin, out, said = written(path, tmp_path)
    assert said.left_out == []
    assert differences(origin, out) == []


@pytest.mark.parametrize("name", REAL)
def test_real_models(name: str, tmp_path) -> None:
    origin, out, said = written(shared_model(name), tmp_path, "model.usdc")
    assert said.left_out == []
    assert differences(origin, out) == []


@pytest.mark.parametrize("name", ["actuator_zoo.xml", "spatial_tendons.xml", "all_sensors.xml", "sensor_zoo/sensor.xml", "small_mechanisms/car/car.xml"])
def test_stages_pass_the_validators(name: str, tmp_path) -> None:
    _, out, said = written(shared_model(name) if "/" in name else OWN / name, tmp_path)
    stage = Usd.Stage.Open(str(out))
    assert complaints(stage) == []
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert all(stage.GetPrimAtPath(path) for path in said.bodies)


def test_what_schemas_cannot_hold_is_kept_beside_them(tmp_path) -> None:
    """Without the attributes ``newtonish:*`` the arrays differ: the comparison sees what is lost."""
    origin, out, _ = written(OWN / "all_sensors.xml", tmp_path)
    stage = Usd.Stage.Open(str(out))
    for prim in stage.Traverse():
        for name in prim.GetAuthoredPropertyNames():
            if name.startswith("newtonish:"):
                prim.RemoveProperty(name)
    stage.Export(str(tmp_path / "less.usda"))
    assert any(line.startswith("sensor_type") for line in differences(origin, tmp_path / "less.usda"))


def test_user_data_comes_along(tmp_path) -> None:
    (tmp_path / "user.xml").write_text(USER)
    origin, out, said = written(tmp_path / "user.xml", tmp_path)
    assert said.left_out == [] and differences(origin, out) == []
    assert origin.body_user[1].tolist() == [1, 2, 0, 0] and origin.sensor_user.tolist() == [[1, 1]]


def test_edits_count(tmp_path) -> None:
    """The schemas' attributes are the truth: an edited pose, mass, limit and size arrive."""
    _, out, said = written(shared_model("dm_humanoid/humanoid.xml"), tmp_path)
    stage = Usd.Stage.Open(str(out))
    torso = stage.GetPrimAtPath(f"{said.top}/Geometry/torso")
    torso.GetAttribute("xformOp:translate").Set((1.0, 2.0, 3.0))
    torso.GetAttribute("physics:mass").Set(7.0)
    stage.GetPrimAtPath(f"{said.top}/Joints/abdomen_z").GetAttribute("physics:upperLimit").Set(90.0)
    stage.GetPrimAtPath(f"{said.top}/Geometry/torso/head/head").GetAttribute("radius").Set(0.5)
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_usd(stage)
        m = convert(builder.finalize(device="cpu"))
    assert np.allclose(m.body_pos[1], (1, 2, 3)) and np.isclose(m.body_mass[1], 7.0)
    assert np.isclose(m.jnt_range[1, 1], np.pi / 2)
    assert np.isclose(m.geom_size[:, 0], 0.5).any()


def test_each_world_of_a_model_built_in_python(tmp_path) -> None:
    builder = ModelBuilder()
    for world in range(3):
        one = every_joint()
        one.body_mass = [mass * (1.0 + 0.1 * world) for mass in one.body_mass]
        builder.add_world(one)
    model = builder.finalize(device="cpu")
    origin = convert(model)
    for world in (0, 2):
        save_to_usd(model, tmp_path / f"{world}.usdc", world)
        again = compiled(built(tmp_path / f"{world}.usdc"))
        assert np.allclose(again.body_mass, origin.world("body_mass", world), rtol=1e-6)
    with pytest.raises(ModelError, match="world"):
        save_to_usd(model, tmp_path / "x.usdc", 3)


def test_what_cannot_be_expressed_is_named(tmp_path) -> None:
    """The whole list of what the writer leaves out or changes among the shared models."""
    path = next(shared_model("newton_urdf_primitives").rglob("humanoid.urdf"))
    origin, out, said = written(path, tmp_path)
    assert len(said.left_out) == 9 and all("no mass on a moving body" in line for line in said.left_out)
    with pytest.raises(ImporterError, match="on a moving body"):
        differences(origin, out)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
def test_convert(suffix: str, tmp_path, capsys) -> None:
    source, out = OWN / "spatial_tendons.xml", tmp_path / f"out{suffix}"
    assert main(["convert", str(source), str(out)]) == 0
    assert f"written to {out}" in capsys.readouterr().out
    assert differences(compiled(built(source)), out) == []
    assert main(["convert", str(out), str(tmp_path / "back.xml")]) == 0
    assert main(["convert", str(source), str(tmp_path / "out.usdz")]) == 2


def test_kept_words_are_checked(tmp_path) -> None:
    _, out, said = written(OWN / "all_sensors.xml", tmp_path)
    stage = Usd.Stage.Open(str(out))
    prim = next(prim for prim in stage.Traverse() if prim.GetAttribute("newtonish:element").Get() == "sensor/gyro")
    prim.GetAttribute("newtonish:element").Set("sensor/gyroscope")
    prim.CreateAttribute("newtonish:cutoff", Sdf.ValueTypeNames.String).Set("far")
    other = next(prim for prim in stage.Traverse() if prim.GetAttribute("newtonish:element").Get() == "sensor/touch")
    other.CreateAttribute("newtonish:cutof", Sdf.ValueTypeNames.Double).Set(1.0)
    with pytest.raises(ImporterError) as caught:
        ModelBuilder().add_usd(stage)
    assert all(word in str(caught.value) for word in ("gyroscope", "did you mean 'gyro'", "newtonish:cutof", "did you mean 'cutoff'"))
