"""Elasto-plastic springs against MuJoCo: state, forces, energies, resets, keyframes, in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN

import newtonish
from newtonish import mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError
from newtonish.mjw.supported import unsupported

PLASTIC = OWN / "plastic.xml"
INTEGRATORS = ("EULER", "RK4", "IMPLICITFAST", "IMPLICIT", "DISCRETE")


def with_integrator(name: str):
    def change(mjm: mujoco.MjModel) -> None:
        mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{name}"))

    return change


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_springs_yield_as_mujocos(integrator: str, device: str) -> None:
    pair = oracle.load(PLASTIC, change=with_integrator(integrator), device=device)
    start = pair.d.plastic.numpy().copy()
    np.testing.assert_allclose(start, [mjd.plastic for mjd in pair.mjds], atol=1e-6)
    for _ in range(200):
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
    assert (np.abs(pair.d.plastic.numpy() - start).max(axis=1) > 0.1).all()  # they did yield
    for world, mjd in enumerate(pair.mjds):
        for name in ("plastic", "qpos"):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), 5e-4, world)
    oracle.push(pair)
    oracle.forward(pair)
    oracle.compare_arrays(pair, ("plastic", "qfrc_spring", "qfrc_passive", "qacc_smooth"), oracle.SMOOTH)
    for world, mjd in enumerate(pair.mjds):  # kinetic energy: MuJoCo's sensor shows that of the step before
        oracle.close("potential", pair.d.sensordata.numpy()[world, :1], mjd.sensordata[:1], oracle.SMOOTH, world)


def test_one_step_agrees_to_rounding(device: str) -> None:
    pair = oracle.load(PLASTIC, nworld=4, device=device)
    for _ in range(5):
        oracle.advance(pair, 30)
        mjw.step(pair.m, pair.d)
        for world, mjd in enumerate(pair.mjds):
            mujoco.mj_step(pair.mjm, mjd)
            oracle.close("plastic", pair.d.plastic.numpy()[world], mjd.plastic, 2e-6, world)


def test_a_threshold_of_zero_at_run_time_is_full_slip(device: str) -> None:
    pair = oracle.load(PLASTIC, nworld=2, device=device)
    threshold = np.tile(pair.m.jnt_springyield.numpy(), (2, 1))
    threshold[1] = 0.0
    pair.m.jnt_springyield = threshold
    for _ in range(20):
        mjw.step(pair.m, pair.d)
    rest, qpos = pair.d.plastic.numpy(), pair.d.qpos.numpy()
    adr, q = pair.mjm.jnt_plasticadr[2], pair.mjm.jnt_qposadr[2]
    assert rest[1, adr] == qpos[1, q]
    assert rest[0, adr] != qpos[0, q]


def test_springs_switched_off_do_not_yield(device: str) -> None:
    pair = oracle.load(PLASTIC, nworld=2, device=device)
    pair.m.opt.disableflags |= int(mjw.DisableBit.SPRING)
    start = pair.d.plastic.numpy().copy()
    for _ in range(20):
        mjw.step(pair.m, pair.d)
    assert np.array_equal(pair.d.plastic.numpy(), start)


def test_resets_and_keyframes_restore_the_springs(device: str) -> None:
    mjm = mujoco.MjModel.from_xml_path(str(PLASTIC))
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 3)
    initial = d.plastic.numpy().copy()
    for _ in range(60):
        mjw.step(m, d)
    moved = d.plastic.numpy().copy()
    assert not np.allclose(moved, initial, atol=1e-3)
    mjw.reset_data(m, d, np.array([False, True, False]))
    np.testing.assert_array_equal(d.plastic.numpy()[1], initial[1])
    np.testing.assert_array_equal(d.plastic.numpy()[::2], moved[::2])
    qpos = d.qpos.numpy()
    qpos[2, 0] = np.nan
    d.qpos.assign(qpos)
    mjw.step(m, d)
    assert d.nonfinite.numpy().tolist() == [0, 0, 1]
    np.testing.assert_array_equal(d.plastic.numpy()[2], initial[2])
    assert not np.allclose(d.plastic.numpy()[0], initial[0], atol=1e-3)
    mjw.reset_data_keyframe(m, d, 0)
    np.testing.assert_allclose(d.plastic.numpy()[1], mjm.key_plastic[0], atol=1e-6)


def test_the_importer_says_what_mujoco_says(device: str) -> None:
    mjm = mujoco.MjModel.from_xml_path(str(PLASTIC))
    builder = newtonish.ModelBuilder()
    report = builder.add_mjcf(str(PLASTIC))
    assert not report.ignored
    compiled = convert(builder.finalize(device="cpu"))
    assert compiled.nplastic == mjm.nplastic
    for name in ("jnt_plasticadr", "tendon_plasticadr", "jnt_springyield", "tendon_springyield", "key_plastic"):
        np.testing.assert_allclose(getattr(compiled, name), getattr(mjm, name), atol=1e-6, err_msg=name)
    assert not unsupported(compiled)
    m = mjw.put_model(compiled, device=device)
    d = mjw.make_data(m, 2)
    mjd = mujoco.MjData(mjm)
    for _ in range(100):
        mjw.step(m, d)
        mujoco.mj_step(mjm, mjd)
    np.testing.assert_allclose(d.plastic.numpy()[1], mjd.plastic, atol=2e-4)


@pytest.mark.parametrize("text", ['type="free" springyield="1"', 'springyield="-1"'])
def test_what_mujoco_refuses_is_refused(text: str) -> None:
    file = f"<mujoco><worldbody><body><joint {text}/><geom size='.1'/></body></worldbody></mujoco>"
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(file)
    with pytest.raises(ImporterError, match="springyield"):
        newtonish.ModelBuilder().add_mjcf(file)


def test_the_rest_position_has_hysteresis(device: str) -> None:
    """A law without an oracle: dragged through more than the threshold, the rest follows at that distance and stays on the way back."""
    file = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body><joint type="slide" stiffness="1"
      springyield="0.1"/><geom size="0.1" mass="1e6"/></body></worldbody></mujoco>"""
    m, d = mjw.load(file, nworld=2, device=device)
    speed = np.array([[1.0], [-2.0]], dtype=np.float32)

    def drag(velocity: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        d.qvel.assign(velocity)
        for _ in range(steps):
            mjw.step(m, d)
        return d.qpos.numpy().copy(), d.plastic.numpy().copy()

    x, rest = drag(speed, 50)
    assert (rest[0] == 0.0).all()  # within the threshold in the slow world
    x, rest = drag(speed, 350)
    np.testing.assert_allclose(rest, x - 0.1 * np.sign(speed), atol=1e-5)
    x, back = drag(-speed, 50)
    assert np.array_equal(back, rest)  # elastic on the way back
    x, back = drag(-speed, 350)
    np.testing.assert_allclose(back, x + 0.1 * np.sign(speed), atol=1e-5)


LINKED = """<mujoco><option gravity="0 0 0" timestep="0.005" integrator="RK4"/><worldbody><site name="s0" pos="0 .3 .2"/>
  <body><joint name="j" axis="0 0 1" stiffness="20" {yields}/><geom size=".1" pos=".3 0 0" mass="1"/><site name="s1" pos=".3 0 0"/></body></worldbody>
  <tendon><spatial name="t" stiffness="30" springlength=".05 .1"><site site="s0"/><site site="s1"/></spatial>
    <fixed name="v" stiffness="2"><joint joint="j" coef="2"/></fixed></tendon>
  <actuator><general tendon="t" dyntype="filter" dynprm=".1" biastype="affine" biasprm="0 -3 -.2"/><motor joint="j"/></actuator></mujoco>"""


@pytest.mark.parametrize("yields", ["", 'springyield=".05"'])
def test_what_rk4_leaves_of_tendons_and_actuators(yields: str, device: str) -> None:
    """Lengths and rates are those of the last stage; with plastic springs tendons are those of the step's start."""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(LINKED.format(yields=yields)), 2, device=device)
    ctrl = np.array([[0.5, 0.1], [-0.4, 0.3]], dtype=np.float32)
    qpos, qvel = np.array([[0.25], [-0.3]], dtype=np.float32), np.array([[1.4], [-0.9]], dtype=np.float32)
    for name, given in (("ctrl", ctrl), ("qpos", qpos), ("qvel", qvel)):
        getattr(pair.d, name).assign(given)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_resetData(pair.mjm, mjd)
        mjd.ctrl[:], mjd.qpos[:], mjd.qvel[:] = ctrl[world], qpos[world], qvel[world]
    if yields:
        mjw.reset_data(pair.m, pair.d)
        for name, given in (("ctrl", ctrl), ("qpos", qpos), ("qvel", qvel)):
            getattr(pair.d, name).assign(given)
    pair.d.act.zero_()
    for _ in range(3):
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        for name in ("ten_length", "ten_J", "actuator_length", "actuator_velocity", "act_dot", "act", "qpos", "qvel"):
            for world, mjd in enumerate(pair.mjds):
                oracle.close(name, np.ravel(getattr(pair.d, name).numpy()[world]), np.ravel(getattr(mjd, name)), 1e-5, world)
