"""Sensors from MJCF to the compiled model: all fields, several worlds, and what is left out."""

import warnings

import mujoco
import numpy as np
import pytest
from paths import OWN, shared_model

import newtonish
from newtonish import mjw
from newtonish.convert import CompiledModel, convert
from newtonish.errors import NewtonishWarning

ZOO = OWN / "all_sensors.xml"


def load(source: str, worlds: int = 1) -> newtonish.Model:
    part, main = newtonish.ModelBuilder(), newtonish.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part.add_mjcf(source)
    main.replicate(part, worlds)
    return main.finalize(device="cpu")


def fields() -> list[str]:
    """Names of every array of MuJoCo's about sensors."""
    return [name for name in dir(mujoco.MjModel) if name.startswith("sensor_")]


def check(compiled: CompiledModel, oracle: mujoco.MjModel) -> None:
    """Compare every sensor field."""
    assert (compiled.nsensor, compiled.nsensordata) == (oracle.nsensor, oracle.nsensordata)
    assert len(fields()) > 16
    for name in fields():
        ours, theirs = getattr(compiled, name), getattr(oracle, name)
        assert ours.shape == theirs.shape, name
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", ["all_sensors.xml", "barkour_vb/scene.xml", "unitree_g1/scene.xml"])
def test_every_sensor_field_equals_mujocos(name: str) -> None:
    path = str(shared_model(name) if "/" in name else OWN / name)
    check(convert(load(path)), mujoco.MjModel.from_xml_path(path))


def test_the_sensor_zoo() -> None:
    path = shared_model("sensor_zoo/sensor.xml")
    spec = mujoco.MjSpec.from_file(str(path))
    compiled = convert(load(str(path)))
    names = {sensor.name for sensor in spec.sensors}
    for sensor in list(spec.sensors):
        on_tendon = sensor.objtype == mujoco.mjtObj.mjOBJ_TENDON and sensor.objname not in compiled.tendon_names
        if on_tendon:
            spec.delete(sensor)
    check(compiled, spec.compile())
    assert names - {""} <= set(compiled.sensor_names)


def test_objects_move_with_their_world() -> None:
    compiled = convert(load(str(ZOO), worlds=3))
    check(compiled, mujoco.MjModel.from_xml_path(str(ZOO)))
    assert compiled.nworld == 3 and not any(name.startswith("sensor_") for name in compiled.batched)


def test_outputs_of_our_own_importer() -> None:
    m, d = mjw.load(ZOO, nworld=2)
    mjm = mujoco.MjModel.from_xml_path(str(ZOO))
    mjd = mujoco.MjData(mjm)
    for _ in range(3):
        mjw.step(m, d)
        mujoco.mj_step(mjm, mjd)
    energy = int(mjm.sensor_adr[mjm.sensor_type == mujoco.mjtSensor.mjSENS_E_KINETIC][0])
    ours = np.delete(d.sensordata.numpy(), energy, axis=1)  # MuJoCo's is that of the step before
    for world in range(2):
        np.testing.assert_allclose(ours[world], np.delete(mjd.sensordata, energy), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("names", [["s"], ["inner"]])
def test_sensors_of_what_ignore_names_leaves_out_are_named(names: list[str]) -> None:
    builder = newtonish.ModelBuilder()
    body = '<body name="b"><joint name="j"/><geom size=".1"/><body name="inner"><geom size=".1"/><site name="s"/></body></body>'
    sensors = '<touch site="s"/><framepos objtype="site" objname="s"/><jointpos joint="j"/>'
    with pytest.warns(NewtonishWarning, match="measures what is left out as asked for"):
        builder.add_mjcf(f"<mujoco><worldbody>{body}</worldbody><sensor>{sensors}</sensor></mujoco>", ignore_names=names)
    assert convert(builder.finalize(device="cpu")).nsensor == 1


def test_a_sensor_of_what_is_left_out_is_named() -> None:
    builder = newtonish.ModelBuilder()
    text = '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/><site name="s"/></body></worldbody>{}</mujoco>'
    with pytest.warns(NewtonishWarning, match="left out"):
        builder.add_mjcf(text.format('<sensor><gyro site="s"/><jointpos joint="j"/></sensor>'), parse_sites=False)
    assert convert(builder.finalize(device="cpu")).nsensor == 1
    builder.add_custom_values(**{"mujoco:sensor_type": 0, "mujoco:sensor_objtype": 6, "mujoco:sensor_obj": 0})
    with pytest.warns(NewtonishWarning, match="not in the compiled model"):
        assert convert(builder.finalize(device="cpu")).nsensor == 1


@pytest.mark.parametrize(("parse_sites", "include_sites"), [(False, True), (True, False)])
def test_touch_sensors_on_missing_sites_warn(parse_sites: bool, include_sites: bool) -> None:
    """Sites that the importer leaves out, and those that Newton's solver is told to leave out; the other sensors go on."""
    builder = newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(builder)
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="ball" pos="0 0 .1"><freejoint/><geom size=".1"/><site name="pad" size=".1"/></body>
      </worldbody><sensor><touch name="pressed" site="pad"/><subtreecom body="ball"/></sensor></mujoco>"""
    with pytest.warns(NewtonishWarning, match="touch 'pressed': is left out|sensor 'pressed': got an object that is not in the compiled model"):
        builder.add_mjcf(text, parse_sites=parse_sites)
        model = builder.finalize(device="cpu")
        solver = newtonish.SolverMuJoCo(model, include_sites=include_sites)
    states = model.state(), model.state()
    solver.step(*states, None, None, 0.002)
    assert solver.mjw_model.nsensor == 1
    np.testing.assert_allclose(solver.mjw_data.sensordata.numpy()[0], [0.0, 0.0, 0.1], atol=1e-4)


def test_a_touch_sensor_on_a_site_that_is_nowhere_warns() -> None:
    """As in the humanoid that comes with Newton; MuJoCo refuses such a file. Other sensors have to name what there is."""
    text = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1"/><site name="pad"/></body></worldbody>
      <sensor><touch name="lost" site="paw"/><{} site="{}"/><touch site="pad"/></sensor></mujoco>"""
    builder = newtonish.ModelBuilder()
    with pytest.warns(NewtonishWarning, match="sensor touch 'lost': its site 'paw' is not there"):
        report = builder.add_mjcf(text.format("gyro", "pad"))
    assert convert(builder.finalize(device="cpu")).nsensor == 2 and any("lost" in str(line) for line in str(report).splitlines())
    with pytest.raises(newtonish.ImporterError, match="'gyro', site: got 'paw'; allowed: the name of a site; did you mean 'pad'"):
        newtonish.ModelBuilder().add_mjcf(text.format("gyro", "paw"))
    examples = pytest.importorskip("newton.examples")
    humanoid = newtonish.ModelBuilder()
    with pytest.warns(NewtonishWarning, match="touch 'head_touch'.*3 in all"):
        humanoid.add_mjcf(examples.get_asset("nv_humanoid.xml"))
    assert convert(humanoid.finalize(device="cpu")).nv == 27
