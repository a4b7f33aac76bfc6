"""Sensors, energy, subtree momenta and forces between bodies against MuJoCo, in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model
from sensor_oracle import SENSORS, compare_sensors, outputs

from newtonish import UnsupportedError, mjw

ZOO = OWN / "all_sensors.xml"
BODIES = ("cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "subtree_angmom")


def energetic(mjm):
    mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)


def test_every_kind_of_sensor(device):
    pair = oracle.load(ZOO, nworld=4, device=device)
    seen = set()
    for steps in (0, 30, 100, 200):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_sensors(pair, seen)
        oracle.compare_arrays(pair, BODIES, SENSORS)
    kinds = {mujoco.mjtSensor(k).name.removeprefix("mjSENS_") for k in pair.mjm.sensor_type}
    # every kind put out something other than zero at least once
    assert kinds - seen <= {"TENDONACTFRC", "USER"}


def test_energy_of_all_worlds(device):
    pair = oracle.load(ZOO, nworld=3, change=energetic, device=device)
    for steps in (0, 60):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_arrays(pair, ("energy",), oracle.SMOOTH)
        # with the flag on, MuJoCo's sensor shows the kinetic energy of the step before
        compare_sensors(pair, skip=("E_KINETIC",))


@pytest.mark.parametrize("name", ["sensor_zoo/sensor.xml", "barkour_vb/scene.xml", "unitree_g1/scene.xml"])
def test_models_from_elsewhere(name, device):
    pair = oracle.load(shared_model(name), nworld=2, device=device)
    oracle.forward(pair)
    compare_sensors(pair)


def test_a_step_leaves_the_outputs_of_its_start(device):
    for integrator in ("EULER", "RK4", "IMPLICITFAST"):

        def change(mjm, integrator=integrator):
            mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))

        pair = oracle.load(ZOO, nworld=2, change=change, device=device)
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        compare_sensors(pair)


def test_two_halves_of_a_step_give_the_whole(device):
    pair, whole = (oracle.load(ZOO, nworld=2, device=device) for _ in range(2))
    mjw.step1(pair.m, pair.d)
    mjw.step2(pair.m, pair.d)
    mjw.step(whole.m, whole.d)
    assert np.array_equal(pair.d.sensordata.numpy(), whole.d.sensordata.numpy())
    assert np.abs(whole.d.sensordata.numpy()).max() > 0


def test_stages_alone_give_what_the_fused_step_gives(device):
    pair = oracle.load(ZOO, nworld=2, device=device)
    oracle.advance(pair, 100)
    mjw.forward(pair.m, pair.d)
    before = {name: getattr(pair.d, name).numpy().copy() for name in (*BODIES, "sensordata", "energy")}
    for name in before:
        getattr(pair.d, name).zero_()
    for stage in (mjw.energy_pos, mjw.energy_vel, mjw.subtree_vel, mjw.sensor_pos, mjw.sensor_vel, mjw.sensor_acc):
        stage(pair.m, pair.d)
    for name, values in before.items():
        assert np.array_equal(values, getattr(pair.d, name).numpy()), name
    pair.d.cfrc_int.zero_()
    mjw.rne_postconstraint(pair.m, pair.d)
    assert np.array_equal(before["cfrc_int"], pair.d.cfrc_int.numpy())


def test_disabled_sensors_stay_as_they_are(device):
    def change(mjm):
        mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)

    pair = oracle.load(ZOO, nworld=2, change=change, device=device)
    pair.d.sensordata.fill_(7.0)
    mjw.step(pair.m, pair.d)
    assert np.all(pair.d.sensordata.numpy() == 7.0)


EQUALITIES = """<mujoco><option gravity="0 1 -9"/><worldbody>
<body name="a" pos="0 0 1"><joint axis="0 1 0"/><joint axis="1 0 0"/><geom size=".1" pos=".3 0 0"/><site name="a" pos=".3 0 .1"/>
<body name="b" pos=".6 0 0" euler="10 20 30"><joint type="ball"/><geom type="box" size=".1 .2 .1" pos=".2 0 0"/><site name="b"/></body></body>
<body name="c" pos="1 .1 1"><freejoint/><geom size=".1"/><site name="c" pos="0 .1 0" euler="40 0 10"/></body>
<body name="d" pos="1 1 1"><freejoint/><geom type="box" size=".1 .05 .2"/><site name="d"/></body></worldbody>
<equality><joint joint1="j" joint2="k"/><connect body1="b" body2="c" anchor=".3 .1 0"/><weld body1="d" torquescale="2"/>
<weld site1="c" site2="d"/><connect site1="a" site2="d"/></equality>
<sensor><force site="a"/><torque site="a"/><force site="b"/><torque site="c"/><accelerometer site="d"/></sensor></mujoco>"""


def test_forces_of_equalities(device):
    text = EQUALITIES.replace('axis="0 1 0"', 'name="j" axis="0 1 0"').replace('axis="1 0 0"', 'name="k" axis="1 0 0"')
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(text), nworld=3, device=device)
    oracle.forward(pair)
    compare_sensors(pair)
    oracle.compare_arrays(pair, BODIES[:3], SENSORS)


def ray_model(seed):
    """Shapes of all kinds around many sites that look in all directions, some from inside a shape."""
    rng = np.random.default_rng(seed)
    kinds = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "plane")
    parts, sensors = [], []
    for i in range(18):
        pos, size, euler = rng.uniform(-2, 2, 3), rng.uniform(0.2, 0.7, 3), rng.uniform(-180, 180, 3)
        numbers = [" ".join(f"{x:.6f}" for x in v) for v in (pos, size, euler)]
        parts.append(f'<geom type="{kinds[i % 6]}" pos="{numbers[0]}" size="{numbers[1]}" euler="{numbers[2]}"/>')
    for i in range(60):
        pos, euler = (" ".join(f"{x:.6f}" for x in rng.uniform(-s, s, 3)) for s in (2, 180))
        parts.append(f'<body pos="{pos}" euler="{euler}"><site name="s{i}"/></body>')
        sensors.append(f'<rangefinder site="s{i}" data="dist dir origin point normal depth"/>')
    moving = '<body><freejoint/><geom size=".1" contype="0" conaffinity="0"/></body>'
    return f"<mujoco><worldbody>{''.join(parts)}{moving}</worldbody><sensor>{''.join(sensors)}</sensor></mujoco>"


def test_rays_meet_every_primitive(device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(ray_model(3)), nworld=2, device=device)
    oracle.forward(pair)
    compare_sensors(pair)
    hits = [theirs[0] > 0 for _, _, theirs in outputs(pair, 0)]
    assert 20 < sum(hits) < 60


def test_what_is_not_evaluated_is_refused_by_number():
    mjm = mujoco.MjModel.from_xml_string(
        """<mujoco><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><site name="s"/><body><freejoint/><geom name="a" size="1"/></body>
        <geom name="b" size=".1" pos="0 0 5"/></worldbody>
        <sensor><clock/><tactile name="pad" geom="a" mesh="t"/><tactile geom="b" mesh="t"/></sensor></mujoco>"""
    )
    mjm.mesh_octadr[0] = 0
    with pytest.raises(UnsupportedError, match=r"sensor 1 'pad': .*distance field(.|\n)*sensor 2: .*distance field"):
        mjw.put_model(mjm)
    with pytest.warns(UserWarning, match="sensor 2"):
        m = mjw.put_model(mjm, strict=False)
    d = mjw.make_data(m, 2)
    d.time.fill_(3.0)
    mjw.forward(m, d)
    assert d.sensordata.numpy().tolist() == [[3.0] + [0.0] * 24] * 2


def test_a_reset_clears_the_outputs(device):
    pair = oracle.load(ZOO, nworld=2, device=device)
    mjw.forward(pair.m, pair.d)
    kept = pair.d.sensordata.numpy()[1].copy()
    mjw.reset_data(pair.m, pair.d, wp.array([True, False], dtype=wp.bool, device=device))
    assert not pair.d.sensordata.numpy()[0].any()
    assert np.array_equal(pair.d.sensordata.numpy()[1], kept)
