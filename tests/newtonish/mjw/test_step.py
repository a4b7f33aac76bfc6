"""The array-level interface: many worlds, threads, capture, capacities, recovery, per-world fields."""

import warnings

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError

PILE = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .11"><freejoint/><geom name="low" type="sphere" size=".1"/></body>
    <body pos=".05 0 .32"><freejoint/><geom type="capsule" size=".05 .1" euler="0 90 0"/></body>
    <body pos="0 0 1"><joint type="hinge" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
      <body pos=".3 0 0"><joint name="elbow" type="hinge" axis="0 1 0" range="-90 90"/>
        <geom type="sphere" pos=".2 0 0" size=".05"/></body></body>
  </worldbody>
  <actuator><motor joint="elbow" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


@pytest.fixture
def mjm():
    return mujoco.MjModel.from_xml_string(PILE)


def unequal_worlds(mjm, nworld, device, **capacity):
    """Every world with its own velocity and control."""
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, nworld, **capacity)
    rng = np.random.default_rng(3)
    d.qvel.assign(0.3 * rng.standard_normal((nworld, m.nv)).astype(np.float32))
    d.ctrl.assign(rng.uniform(-1, 1, (nworld, m.nu)).astype(np.float32))
    return m, d


def run(m, d, steps):
    for _ in range(steps):
        mjw.step(m, d)
    return d.qpos.numpy().copy(), d.qvel.numpy().copy()


def test_threads_give_the_same_bits(mjm, device):
    results = []
    for threads in (1, 2, 3):
        mjw.set_num_threads(threads)
        try:
            results.append(run(*unequal_worlds(mjm, 40, device), 60))
        finally:
            mjw.set_num_threads(None)
    for qpos, qvel in results[1:]:
        assert np.array_equal(qpos, results[0][0]) and np.array_equal(qvel, results[0][1])


def test_capture_of_the_caller_gives_the_same_bits(mjm, device):
    m, d = unequal_worlds(mjm, 5, device)
    expected = run(m, d, 7)
    m, d = unequal_worlds(mjm, 5, device)
    mjw.step(m, d)
    with wp.ScopedCapture(device=device) as capture:
        mjw.step(m, d)
    for _ in range(6):
        wp.capture_launch(capture.graph)
    assert np.array_equal(d.qpos.numpy(), expected[0]) and np.array_equal(d.qvel.numpy(), expected[1])


def test_permuted_worlds_give_permuted_results(mjm, device):
    m, d = unequal_worlds(mjm, 24, device)
    order = np.random.default_rng(0).permutation(24)
    qvel, ctrl = d.qvel.numpy().copy(), d.ctrl.numpy().copy()
    expected = run(m, d, 80)
    d = mjw.make_data(m, 24)
    d.qvel.assign(qvel[order])
    d.ctrl.assign(ctrl[order])
    found = run(m, d, 80)
    assert np.array_equal(found[0], expected[0][order]) and np.array_equal(found[1], expected[1][order])


@pytest.mark.parametrize("field", ["qpos", "qvel", "qacc_warmstart", "ctrl"])
@pytest.mark.parametrize("poison", [np.nan, np.inf, 1e30])
def test_a_bad_world_is_reset_and_its_neighbours_do_not_notice(mjm, device, field, poison):
    m, d = unequal_worlds(mjm, 20, device)
    expected, _ = run(m, d, 30)
    m, d = unequal_worlds(mjm, 20, device)
    run(m, d, 10)
    array = getattr(d, field).numpy().copy()
    array[7, 0] = poison
    getattr(d, field).assign(array)
    mjw.step(m, d)
    if field == "ctrl":
        array[7, 0] = 0.0
        d.ctrl.assign(array)
    qpos, qvel = run(m, d, 19)
    others = np.arange(20) != 7
    assert np.array_equal(qpos[others], expected[others])
    assert np.isfinite(qpos).all() and np.isfinite(qvel).all()
    assert d.nonfinite.numpy()[others].sum() == 0
    if field in ("qpos", "qvel"):
        assert d.nonfinite.numpy()[7] == 1


def test_autoreset_can_be_switched_off(mjm, device):
    mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    m, d = unequal_worlds(mjm, 9, device)
    qvel = d.qvel.numpy().copy()
    qvel[4, 0] = np.nan
    d.qvel.assign(qvel)
    qpos, _ = run(m, d, 3)
    assert np.isnan(qpos[4]).any() and np.isfinite(np.delete(qpos, 4, axis=0)).all()
    assert d.nonfinite.numpy().sum() == 0


def test_a_cap_is_obeyed_reported_once_and_leaves_the_world_finite(mjm, device):
    m, d = unequal_worlds(mjm, 4, device, nconmax=1, njmax=4)
    with pytest.warns(NewtonishWarning, match=r"nconmax=1 and njmax=4"):
        run(m, d, 60)
        mjw.check_capacity(m, d)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qpos, _ = run(m, d, 5)
    assert np.isfinite(qpos).all()
    assert (d.nconmax, d.njmax) == (1, 4)
    assert (d.overflow.numpy() != 0).any() and d.ncon_needed.numpy().max() > 1
    assert d.ncon.numpy().max() <= 1 and d.nefc.numpy().max() <= 4


def test_capacities_left_open_grow(mjm, device, monkeypatch):
    monkeypatch.setattr("newtonish.mjw.data.estimate", lambda m, nconmax, njmax, headroom, naconmax: (1, 4))
    m, d = unequal_worlds(mjm, 3, device)
    with pytest.warns(NewtonishWarning, match="from the next step on|the step was taken again"):
        for _ in range(60):
            mjw.step(m, d)
            mjw.check_capacity(m, d)
    assert d.nconmax > 1 and d.njmax > 4
    assert d.ncon.numpy().max() > 1
    mjw.step(m, d)
    assert (d.ncon.numpy() <= d.nconmax).all() and np.isfinite(d.qpos.numpy()).all()


def test_a_field_with_a_value_for_each_world(mjm, device):
    """Worlds with their own masses and gravity behave as models of their own."""
    masses = np.stack([mjm.body_mass, 2 * mjm.body_mass, 5 * mjm.body_mass])
    gravity = np.array([[0, 0, -9.81], [0, 0, -3.7], [1.0, 0, -1.6]])
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 3)
    m.body_mass = masses
    m.opt.gravity = wp.array(gravity, dtype=wp.vec3, device=device)
    m.touch()
    for _ in range(20):
        mjw.step(m, d)
    for world in range(3):
        alone = mjw.put_model(mjm, device=device)
        alone.body_mass = masses[world : world + 1]
        alone.opt.gravity = wp.array(gravity[world : world + 1], dtype=wp.vec3, device=device)
        alone.touch()
        one = mjw.make_data(alone, 1)
        for _ in range(20):
            mjw.step(alone, one)
        assert np.array_equal(one.qpos.numpy()[0], d.qpos.numpy()[world])


def test_changing_the_model_between_steps_takes_effect(mjm, device):
    m, d = unequal_worlds(mjm, 2, device)
    mjw.step(m, d)
    m.opt.gravity = wp.zeros(1, dtype=wp.vec3, device=device)
    m.touch()
    d.qvel.zero_()
    mjw.reset_data(m, d)
    mjw.step(m, d)
    np.testing.assert_allclose(d.qvel.numpy(), 0.0, atol=1e-6)


def test_reset_of_some_worlds(mjm, device):
    m, d = unequal_worlds(mjm, 4, device)
    before, _ = run(m, d, 10)
    mask = wp.array([True, False, True, False], dtype=bool, device=device)
    mjw.reset_data(m, d, mask)
    qpos = d.qpos.numpy()
    np.testing.assert_allclose(qpos[[0, 2]], np.tile(mjm.qpos0, (2, 1)), atol=1e-7)
    assert np.array_equal(qpos[[1, 3]], before[[1, 3]])
    assert d.time.numpy()[0] == 0 and d.time.numpy()[1] > 0
    assert not d.qacc_warmstart.numpy()[[0, 2]].any()


def test_wrong_shapes_and_counts_are_named(mjm, device):
    m = mjw.put_model(mjm, device=device)
    with pytest.raises(ModelError, match="nworld"):
        mjw.make_data(m, 0)
    with pytest.raises(ModelError, match="nconmax"):
        mjw.make_data(m, 1, nconmax=-1)
    with pytest.raises(ValueError, match=r"Model\.body_mass.*shape"):
        m.body_mass = np.zeros((1, 2))
    m.body_mass = np.ones((5, mjm.nbody))
    with pytest.raises(ModelError, match=r"body_mass.*5 worlds.*1 or 3"):
        mjw.make_data(m, 3)
    with pytest.raises(AttributeError, match="no array or attribute 'qposition'"):
        _ = mjw.make_data(mjw.put_model(mjm, device=device)).qposition


def test_what_is_not_simulated_is_refused_with_the_whole_list():
    xml = """
    <mujoco><worldbody><body name="a"><joint name="j" type="hinge"/>
    <geom size=".1" mass="1"/></body></worldbody>
    <tendon><fixed name="t" armature="1"><joint joint="j" coef="1"/></fixed></tendon><actuator><muscle joint="j" lengthrange="0 1"/></actuator></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    mjm.opt.integrator = 77  # a number that no integrator has
    mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_IPC)
    with pytest.raises(UnsupportedError) as caught:
        mjw.put_model(mjm)
    for word in ("option integrator", "option flag ipc"):
        assert word in str(caught.value)
    with pytest.warns(NewtonishWarning, match="option integrator"):
        mjw.put_model(mjm, strict=False)


def test_an_actuator_that_is_not_simulated_pulls_with_no_force(device):
    xml = """
    <mujoco><worldbody><body name="a"><joint name="j" type="hinge" axis="0 1 0"/><geom size=".1" mass="1"/></body></worldbody>
    <actuator><general joint="j" gaintype="user" gainprm="3"/><motor joint="j"/></actuator></mujoco>"""
    with pytest.warns(NewtonishWarning, match="actuator 0: gaintype"):
        m = mjw.put_model(mujoco.MjModel.from_xml_string(xml), strict=False, device=device)
    d = mjw.make_data(m, 2)
    d.ctrl.assign(np.array([[1.0, 0.5], [0.3, -0.2]], dtype=np.float32))
    mjw.forward(m, d)
    np.testing.assert_allclose(d.qfrc_actuator.numpy(), [[0.5], [-0.2]])
