"""Parts of a step under mujoco_warp's names give the same bits as the step that they are parts of; optional arguments."""

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import OWN

from newtonish import ModelError, UnsupportedError, mjw

RESULTS = ("qpos", "qvel", "time", "qacc", "qacc_smooth", "qfrc_smooth", "qfrc_bias", "qfrc_passive", "xpos", "cvel", "ten_length", "actuator_length")
ROWS = ("aref", "vel", "D", "force", "pos")
NAMES = ("smooth_zoo.xml", "equality_zoo.xml", "tendon_zoo.xml")


def pair_of_data(m, seed=3):
    rng = np.random.default_rng(seed)
    datas = [mjw.make_data(m, 3), mjw.make_data(m, 3)]
    speed = 0.3 * rng.standard_normal((3, m.nv)).astype(np.float32)
    ctrl = rng.standard_normal((3, m.nu)).astype(np.float32)
    for d in datas:
        d.qvel.assign(speed)
        d.ctrl.assign(ctrl)
        for _ in range(3):
            mjw.step(m, d)
    return datas


def equal(a, b, names=RESULTS):
    for name in names:
        assert np.array_equal(getattr(a, name).numpy(), getattr(b, name).numpy()), name
    count = a.nefc.numpy()
    assert np.array_equal(count, b.nefc.numpy())
    for name in ROWS:
        for w in range(a.nworld):
            ours, theirs = (getattr(x.efc, name).numpy()[w, : count[w]] for x in (a, b))
            assert np.array_equal(ours, theirs), name


@pytest.mark.parametrize("name", NAMES)
def test_the_stages_one_after_another_are_forward(name, device):
    m = mjw.put_model(mujoco.MjModel.from_xml_path(str(OWN / name)), device=device)
    a, b = pair_of_data(m)
    mjw.forward(m, a)
    mjw.fwd_position(m, b)
    assert np.array_equal(a.efc.pos.numpy(), b.efc.pos.numpy()) and np.array_equal(a.light_xpos.numpy(), b.light_xpos.numpy())
    mjw.fwd_velocity(m, b)
    mjw.fwd_actuation(m, b)
    mjw.fwd_acceleration(m, b, factorize=True)
    mjw.solve(m, b)
    equal(a, b)


@pytest.mark.parametrize("integrator", [mjw.IntegratorType.RK4, mjw.IntegratorType.DISCRETE])
def test_forward_and_the_integrator_are_a_step(integrator, device):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "equality_zoo.xml"))
    mjm.opt.integrator = int(integrator)
    m = mjw.put_model(mjm, device=device)
    a, b = pair_of_data(m)
    mjw.step(m, a)
    mjw.forward(m, b)
    (mjw.rungekutta4 if integrator == mjw.IntegratorType.RK4 else mjw.discrete)(m, b)
    equal(a, b)


def test_discrete_needs_its_own_acceleration(device):
    m, d = mjw.load("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>", device=device)
    with pytest.raises(ModelError, match="discrete: m: got integrator euler"):
        mjw.discrete(m, d)


def test_kinematics_with_cameras_and_tendons(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_path(str(OWN / "spatial_tendons.xml")), device=device)
    a, b = pair_of_data(m)
    mjw.forward(m, a)
    mjw.fwd_kinematics(m, b)
    for name in ("xpos", "geom_xmat", "subtree_com", "cdof", "ten_length", "ten_J", "site_xpos"):
        assert np.array_equal(getattr(a, name).numpy(), getattr(b, name).numpy()), name


def test_products_with_a_mask_and_another_matrix(device):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "smooth_zoo.xml"))
    m = mjw.put_model(mjm, device=device)
    d, _ = pair_of_data(m)
    mjw.forward(m, d)
    rng = np.random.default_rng(0)
    vec = wp.array(rng.standard_normal((3, m.nv)), dtype=wp.float32, device=device)
    whole, some, twice, back = (wp.full((3, m.nv), 7.0, dtype=wp.float32, device=device) for _ in range(4))
    mjw.mul_m(m, d, whole, vec)
    mjw.mul_m(m, d, some, vec, skip=wp.array([False, True, False], dtype=wp.bool, device=device))
    doubled = wp.array(2.0 * d.M.numpy(), dtype=wp.float32, device=device)
    mjw.mul_m(m, d, twice, vec, M=doubled)
    assert np.array_equal(some.numpy()[[0, 2]], whole.numpy()[[0, 2]]) and np.all(some.numpy()[1] == 7.0)
    np.testing.assert_allclose(twice.numpy(), 2.0 * whole.numpy(), rtol=1e-6)
    mjw.solve_m(m, d, back, whole, x_scratch=some)
    np.testing.assert_allclose(back.numpy(), vec.numpy(), atol=2e-3)
    with pytest.raises(ModelError, match="mul_m: skip"):
        mjw.mul_m(m, d, some, vec, skip=wp.zeros(2, dtype=wp.bool, device=device))
    with pytest.raises(ModelError, match="mul_m: M"):
        mjw.mul_m(m, d, some, vec, M=wp.zeros((3, 1), dtype=wp.float32, device=device))
    with pytest.raises(UnsupportedError, match="awake_prev"):
        mjw.collision(m, d, awake_prev=vec)


def test_sensors_of_accelerations_take_forces_that_are_there(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_path(str(OWN / "all_sensors.xml")), device=device)
    d, _ = pair_of_data(m)
    mjw.forward(m, d)
    expected = d.sensordata.numpy().copy()
    d.sensordata.zero_()
    mjw.sensor_pos(m, d)
    mjw.sensor_vel(m, d)
    mjw.rne_postconstraint(m, d)
    mjw.sensor_acc(m, d, skip_rne_postconstraint=True)
    assert np.array_equal(d.sensordata.numpy(), expected)
    d.cfrc_int.zero_()
    mjw.sensor_acc(m, d, skip_rne_postconstraint=True)
    assert not np.array_equal(d.sensordata.numpy(), expected)
    mjw.sensor_acc(m, d)
    assert np.array_equal(d.sensordata.numpy(), expected)


def test_fields_that_are_to_differ_between_worlds(device):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "smooth_zoo.xml"))
    m = mjw.put_model(mjm, {"body_mass": 3, "geom_friction": 3}, device=device)
    assert m.body_mass.shape == (3, mjm.nbody) and m.geom_friction.shape[0] == 3 and m.body_inertia.shape[0] == 1
    np.testing.assert_allclose(m.body_mass.numpy()[2], mjm.body_mass, rtol=1e-6)
    d = mjw.make_data(m, 3)
    mjw.step(m, d)
    with pytest.raises(ModelError):
        mjw.make_data(m, 2)
    for wrong in ({"body_weight": 3}, {"body_parentid": 3}, {"body_mass": 0}):
        with pytest.raises(ModelError, match="batch_sizes"):
            mjw.put_model(mjm, wrong, device=device)
