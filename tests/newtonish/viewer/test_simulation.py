"""The simulation behind viewers: time, going back bit by bit, keyframes, reload, controls, pushes, sensors and numbers."""

import mujoco
import numpy as np
import pytest
from features import FEATURES

import newtonish
from newtonish.errors import ModelError
from newtonish.viewer import Simulation
from newtonish.viewer.timeline import Timeline

MODEL = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="hand" mocap="true" pos="1 0 1" quat="0.8 0.6 0 0"><geom type="sphere" size=".05" contype="0" conaffinity="0"/></body>
    <body name="box" pos="0 0 .3">
      <freejoint/>
      <geom type="box" size=".1 .1 .1"/>
      <body name="arm" pos="0 0 .2"><joint name="hinge" axis="0 1 0" damping=".1"/><geom size=".03" fromto="0 0 0 0 0 .3" type="capsule"/></body>
    </body>
  </worldbody>
  <actuator>
    <motor name="turn" joint="hinge" ctrlrange="-2 3" ctrllimited="true"/>
    <general name="slow" joint="hinge" dyntype="filter" dynprm=".1"/>
  </actuator>
  <sensor><jointpos name="angle" joint="hinge"/><framepos objtype="body" objname="box"/></sensor>
  <keyframe>
    <key name="up" qpos="0 0 1 1 0 0 0 .5" qvel="0 0 1 0 0 0 2" act=".3" ctrl="1 .2" time="2" mpos="2 0 1" mquat="0 1 0 0"/>
    <key qpos="0 0 .1 1 0 0 0 0"/>
  </keyframe>
</mujoco>
"""
WORLDS = 3


@pytest.fixture
def simulation(device):
    made = Simulation(MODEL, worlds=WORLDS, device=device)
    made.ctrl = [[1.0, 0.0], [-1.0, 0.5], [0.0, 2.0]]  # worlds differ
    return made


def moment(simulation) -> list[np.ndarray]:
    return [array.numpy().copy() for array in simulation._arrays()]


def equal(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_going_back_and_on_gives_the_same_bits(simulation):
    simulation.push("arm", (1.0, 2.0, 0.0), start=0.06, seconds=0.1)
    start, seen = moment(simulation), []
    for _ in range(50):
        simulation.step()
        seen.append(moment(simulation))
    assert not equal(seen[10], seen[11])
    assert simulation.back(20) and equal(moment(simulation), seen[29])
    assert simulation.forward(5) and equal(moment(simulation), seen[34])
    assert simulation.back() and simulation.moments == (34, 16)
    for _ in range(16):
        simulation.step()
    assert equal(moment(simulation), seen[49]) and simulation.moments == (50, 0)
    assert not simulation.forward()
    assert simulation.back(1000) and equal(moment(simulation), start) and not simulation.back()
    simulation.set_control(0, 2.0)
    simulation.step()  # another future
    assert simulation.moments == (1, 0) and not equal(moment(simulation), seen[0])
    assert simulation.back() and simulation.ctrl[0, 0] == 2.0 and simulation.forward()
    assert simulation.history.series("rows")[0].max() <= simulation.time + 1e-6


REMEMBERS = {feature.key: feature.xml for feature in FEATURES if feature.key in (
    "Joints and bodies: springyield (elasto-plastic)", "Joints and bodies: mocap", "Tendons: springyield (elasto-plastic)",
    "Limits and options of actuators: delay", "Sensors: delay and interval",
)}  # fmt: skip


@pytest.mark.parametrize("key", REMEMBERS)
def test_what_models_remember_beside_their_coordinates_goes_back_too(key, device):
    simulation = Simulation(REMEMBERS[key], worlds=2, device=device)
    simulation.ctrl = np.random.default_rng(0).uniform(-1, 1, simulation.ctrl.shape)
    simulation.run_until(20 * simulation.dt)
    reached, measured = moment(simulation), simulation.solver.mjw_data.sensordata.numpy().copy()
    simulation.back(12)
    simulation.run_until(20 * simulation.dt)
    assert equal(reached, moment(simulation)) and len(REMEMBERS) == 5
    np.testing.assert_array_equal(measured, simulation.solver.mjw_data.sensordata.numpy())


@pytest.fixture
def patient(monkeypatch):
    """However slow the machine, ``advance`` does all its steps."""
    monkeypatch.setattr("newtonish.viewer.simulation.LONGEST", 600.0)


def test_a_look_changes_nothing(simulation, patient):
    simulation.step()
    before = moment(simulation)
    simulation.evaluate()
    simulation.statistics(), simulation.sensors(), simulation.controls()
    assert equal(before, moment(simulation))
    simulation.profiling = True
    simulation.advance(3 * simulation.dt)
    assert {"position", "solver", "integration"} <= set(simulation.stages)
    other = Simulation(MODEL, worlds=WORLDS, device=simulation.model.device)
    other.ctrl = simulation.ctrl
    for _ in range(4):
        other.step()
    assert equal(moment(simulation), moment(other))


def test_the_timeline_is_bounded():
    line = Timeline(3)
    for i in range(5):
        line.leave([np.array([i])])
    present = [np.array([5])]
    assert len(line) == 3 and line.move(-9, present)[0] == 3 and line.move(-1, present) is None
    assert line.move(1, [np.array([30])])[0] == 4 and not line.is_newest
    assert line.move(-1, [np.array([4])])[0] == 30  # as it was left
    assert line.move(2, [np.array([3])])[0] == 5 and line.is_newest
    line.leave(present)
    assert len(line) == 3 and line.is_newest and line.move(-1, present)[0] == 5


def test_real_time_and_speed(simulation, patient):
    assert simulation.advance(0.02) == 5 and simulation.time == pytest.approx(0.02, abs=1e-6)
    simulation.paused = True
    assert simulation.advance(1.0) == 0
    simulation.paused = False
    simulation.slower()
    assert simulation.speed == 0.5
    assert sum(simulation.advance(0.002) for _ in range(8)) == 2
    simulation.faster(), simulation.faster()
    assert simulation.speed == 2
    assert np.isfinite(simulation.statistics()["real-time factor"])
    simulation.run_until(0.1)
    assert simulation.time == pytest.approx(0.1, abs=1e-5)


def test_a_slow_model_does_not_lag_behind(simulation, monkeypatch):
    steps = []
    monkeypatch.setattr("newtonish.viewer.simulation.LONGEST", 0.0)
    monkeypatch.setattr(simulation, "step", lambda: steps.append(None))
    assert simulation.advance(0.0) == 0
    simulation.speed = 16
    assert 1 <= simulation.advance(1e-3) <= 5
    monkeypatch.setattr("newtonish.viewer.simulation.clock.perf_counter", iter(np.arange(1000.0)).__next__)
    assert simulation.advance(0.5) == 1 and simulation._realtime.owed == 0.0


def test_reset_and_keyframes_are_mujocos(simulation):
    mjm = mujoco.MjModel.from_xml_string(MODEL)
    mjd = mujoco.MjData(mjm)
    first = moment(Simulation(MODEL, worlds=WORLDS, device=simulation.model.device))
    simulation.step()
    simulation.move_mocap(0, (3, 3, 3), (1, 0, 0, 0), world=1)
    simulation.reset()
    assert equal(moment(simulation), first)
    assert simulation.keyframes == ["up", "keyframe 1"]
    simulation.load_keyframe("up")
    mujoco.mj_resetDataKeyframe(mjm, mjd, 0)
    assert simulation.time == 2.0
    np.testing.assert_allclose(simulation.ctrl, np.tile(mjd.ctrl, (WORLDS, 1)), atol=1e-6)
    for world in range(WORLDS):
        position, quaternion = simulation.mocap_pose(0, world)
        np.testing.assert_allclose(position, mjd.mocap_pos[0], atol=1e-6)
        np.testing.assert_allclose(abs(quaternion @ mjd.mocap_quat[0]), 1.0, atol=1e-6)
    mujoco.mj_forward(mjm, mjd)
    np.testing.assert_allclose(simulation.sensors()[1].values, mjd.sensordata[1:], atol=1e-6)
    for _ in range(20):
        simulation.step()
        mujoco.mj_step(mjm, mjd)
    d = simulation.solver.mjw_data
    np.testing.assert_allclose(d.qpos.numpy(), np.tile(mjd.qpos, (WORLDS, 1)), atol=5e-5)
    np.testing.assert_allclose(d.act.numpy(), np.tile(mjd.act, (WORLDS, 1)), atol=5e-5)
    with pytest.raises(ModelError, match=r"keyframe: got 'none'; allowed: up, keyframe 1"):
        simulation.load_keyframe("none")
    simulation.load_keyframe(1)
    assert simulation.time == 0.0


def test_pushes_act_as_xfrc_applied(simulation):
    mjm = mujoco.MjModel.from_xml_string(MODEL)
    mjd = mujoco.MjData(mjm)
    wrench = np.array([3.0, -4.0, 5.0, 0.2, 0.1, -0.3])
    simulation.ctrl = 0.0
    simulation.push("arm", wrench, start=0.008, seconds=0.04)
    for step in range(20):
        mjd.xfrc_applied[mjm.body("arm").id] = wrench if 2 <= step < 12 else 0.0
        mujoco.mj_step(mjm, mjd)
        simulation.step()
    np.testing.assert_allclose(simulation.solver.mjw_data.qvel.numpy(), np.tile(mjd.qvel, (WORLDS, 1)), atol=1e-3)
    with pytest.raises(ModelError, match=r"body: got 'leg'; allowed: hand, box, arm"):
        simulation.push("leg", (1, 0, 0))
    with pytest.raises(ModelError, match="force"):
        simulation.push("arm", (1, 0))


def test_a_perturbation_acts_in_its_world_only(simulation):
    class Pull:
        def apply(self, simulation):
            simulation.apply_wrench(simulation.bodies("box")[1], (0.0, 0.0, 500.0))

    simulation.perturbation = Pull()
    for _ in range(10):
        simulation.step()
    heights = simulation.solver.mjw_data.qpos.numpy()[:, 2]
    assert heights[1] > heights[0] + 0.02 and heights[0] == pytest.approx(heights[2], abs=1e-3)
    simulation.perturbation = None
    simulation.step()
    assert not simulation.state.body_f.numpy().any()


def test_controls_sensors_and_statistics(simulation):
    first, second = simulation.controls()
    assert (first.name, first.low, first.high, first.limited, first.value) == ("turn", -2.0, 3.0, True, 1.0)
    assert (second.name, second.low, second.high, second.limited) == ("slow", -1.0, 1.0, False)
    simulation.set_control(1, 0.7, world=2)
    simulation.world = 2
    assert simulation.controls()[1].value == pytest.approx(0.7)
    with pytest.raises(ModelError, match="control: got 2"):
        simulation.set_control(2, 0.0)
    simulation.run_until(0.5)
    angle, place = simulation.sensors()
    assert (angle.name, angle.kind, place.name) == ("angle", "JOINTPOS", "sensor1") and place.values.shape == (3,)
    mjm = mujoco.MjModel.from_xml_string(MODEL)
    mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    mjd = mujoco.MjData(mjm)
    simulation.evaluate()
    mjd.qpos, mjd.qvel, mjd.act = (getattr(simulation.solver.mjw_data, name).numpy()[2] for name in ("qpos", "qvel", "act"))
    mjd.ctrl = simulation.ctrl[2]
    mujoco.mj_forward(mjm, mjd)
    found = simulation.statistics()
    assert found["energy"] == pytest.approx(mjd.energy.sum(), rel=1e-4)
    assert (found["contacts"], found["rows"]) == (mjd.ncon, mjd.nefc)
    times, contacts = simulation.history.series("contacts")
    assert len(times) == len(contacts) == 125 and contacts[0] == 0 and contacts[-1] > 0


def test_reload_keeps_the_old_model_when_the_file_is_wrong(tmp_path, device):
    path = tmp_path / "model.xml"
    path.write_text(MODEL)
    simulation = Simulation(path, device=device)
    simulation.step()
    before, state = simulation.model, moment(simulation)
    assert not simulation.is_stale
    path.write_text(MODEL.replace('size=".1 .1 .1"', 'size="wide"') + " ")
    message = simulation.reload()
    assert "model.xml:9" in message and "wide" in message
    assert simulation.model is before and equal(state, moment(simulation)) and simulation.generation == 1
    path.write_text(MODEL.replace('size=".1 .1 .1"', 'size=".2 .1 .1"'))
    assert simulation.reload() is None
    assert simulation.model is not before and simulation.generation == 2 and simulation.time == 0.0
    path.unlink()
    assert "No such file" in simulation.reload()
    assert "from no file" in Simulation(MODEL, device=device).reload()


def test_other_sources(tmp_path, device):
    """A finished model is taken as it is, with the coordinates it begins with; URDF drives are controls."""
    builder = newtonish.ModelBuilder()
    link = builder.add_link()
    builder.add_shape_sphere(link, radius=0.1)
    joint = builder.add_joint_free(link)
    builder.add_articulation([joint])
    builder.joint_q[2] = 1.5
    model = builder.finalize(device=device)
    simulation = Simulation(model, dt=0.01)
    assert simulation.model is model and simulation.dt == 0.01
    assert simulation.solver.mjw_data.xpos.numpy()[0, 1, 2] == pytest.approx(1.5)
    simulation.step()
    assert simulation.state.joint_q.numpy()[2] < 1.5
    robot = tmp_path / "robot.urdf"
    robot.write_text(
        '<robot name="r"><link name="base"/><link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="10" velocity="5"/></joint></robot>'
    )
    simulation = Simulation(robot, worlds=2, device=device)
    assert simulation.worlds == 2 and simulation.name == "robot.urdf" and any("velocity" in line for line in simulation.messages)


def test_every_option_can_be_changed_while_it_runs(tmp_path) -> None:
    path = tmp_path / "ball.xml"
    path.write_text('<mujoco><option timestep=".01"/><worldbody><body><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>')
    simulation = Simulation(path, 2)
    names = {option.name for option in simulation.physics()}
    assert {"timestep", "integrator", "gravity 2", "iterations", "tolerance", "impratio", "wind 0", "disable contact", "enable energy"} <= names
    simulation.set_physics("gravity 2", -2.0)
    simulation.set_physics("timestep", 0.02)
    simulation.step()
    assert simulation.time == pytest.approx(0.02)
    assert simulation.state.body_qd.numpy()[:, 2] == pytest.approx([-0.04] * 2, rel=1e-5)
    simulation.set_physics("disable gravity", True)
    simulation.step()
    assert simulation.state.body_qd.numpy()[:, 2] == pytest.approx([-0.04] * 2, rel=1e-5)
    for name, value in (("integrator", "implicitfast"), ("cone", "elliptic"), ("solver", "cg"), ("iterations", 7), ("impratio", 4.0), ("density", 1.5)):
        simulation.set_physics(name, value)
        simulation.step()
        found = next(option.value for option in simulation.physics() if option.name == name)
        assert found == (pytest.approx(value) if isinstance(value, float) else value)
    with pytest.raises(ModelError, match="option"):
        simulation.set_physics("gravitation", 1.0)
    with pytest.raises(ModelError, match="timestep"):
        simulation.set_physics("timestep", -1.0)


def test_a_moment_is_kept_and_saved_as_mjcf(tmp_path) -> None:
    """Of the world shown, unlike the other: a keyframe that can be loaded, and a file that MuJoCo reads, with the options changed meanwhile."""
    text = """<mujoco><worldbody><body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body>
      <body name="arm"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/></body>
      <body name="hand" mocap="true" pos="1 0 0"/></worldbody>
      <actuator><motor name="turn" joint="hinge"/></actuator><keyframe><key name="first" qpos="0 0 2 1 0 0 0 .3"/></keyframe></mujoco>"""
    simulation = Simulation(text, worlds=2)
    simulation.world = 1
    simulation.set_control(0, 0.4, 1)
    simulation.set_joint(1, 0.7, 1)
    simulation.run_until(0.1)
    there = simulation.solver.mjw_data.qpos.numpy()[1].copy()
    assert simulation.keep_keyframe() == "kept 1" and simulation.keep_keyframe() == "kept 2"
    simulation.run_until(0.2)
    simulation.load_keyframe("kept 1")
    np.testing.assert_array_equal(simulation.solver.mjw_data.qpos.numpy(), np.stack([there, there]))
    assert simulation.time == pytest.approx(0.1) and simulation.ctrl[0, 0] == pytest.approx(0.4)

    for name, value in {"gravity 2": -3.0, "integrator": "rk4", "disable contact": True, "enable energy": True, "iterations": 7}.items():
        simulation.set_physics(name, value)
    simulation.save_model(tmp_path / "saved.xml")
    mjm = mujoco.MjModel.from_xml_path(str(tmp_path / "saved.xml"))
    assert [mjm.key(i).name for i in range(mjm.nkey)] == ["first", "kept 1", "kept 2", "present"]
    np.testing.assert_allclose(mjm.key("present").qpos, there, rtol=1e-6)
    np.testing.assert_allclose(mjm.key("first").qpos, [0, 0, 2, 1, 0, 0, 0, 0.3], rtol=1e-6)
    assert (mjm.key("present").ctrl[0], mjm.key("present").time[0]) == (pytest.approx(0.4), pytest.approx(0.1))
    np.testing.assert_allclose(mjm.key("present").mpos, [1, 0, 0])
    assert mjm.opt.gravity[2] == -3 and mjm.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4 and mjm.opt.iterations == 7
    assert mjm.opt.disableflags == mujoco.mjtDisableBit.mjDSBL_CONTACT and mjm.opt.enableflags == mujoco.mjtEnableBit.mjENBL_ENERGY
    again = Simulation(tmp_path / "saved.xml")
    again.load_keyframe("present")
    np.testing.assert_allclose(again.solver.mjw_data.qpos.numpy()[0], there, rtol=1e-6)
    simulation.save_model(tmp_path / "saved.xml")
    assert len(simulation.keyframes) == 4, "the keyframe 'present' is replaced"
