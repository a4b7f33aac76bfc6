"""DC motors, PID servos and servos of orientations against MuJoCo: stages, integrators, limits, resets, sensors."""

import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw

BODIES = """
<site name="fixed" pos="0.1 0.2 0.3" euler="0.3 0.2 -0.4"/>
<body pos="0 0 1" gravcomp="0.5"><joint name="h" axis="0 1 0" damping="0.1" actuatorgravcomp="true"/>
 <geom size="0.1" pos="0.2 0 0"/>
 <body pos="0.4 0 0"><joint name="b" type="ball" damping="0.1"/>
  <geom type="capsule" size="0.08" fromto="0 0 0 0.3 0.1 0"/><site name="tip" pos="0.3 0 0" euler="0.2 0.1 0.5"/>
  <body pos="0.3 0.1 0"><joint name="s" type="slide" axis="1 0 0" range="-1 1" damping="1"/><geom size="0.04" pos="0.1 0 0"/></body>
 </body></body>
<body pos="0 1 1"><joint name="k" axis="1 0 0" damping="0.2" actuatorfrcrange="-0.9 0.7"/><geom size="0.1" pos="0 0.2 0"/></body>
<body pos="0 2 1"><joint name="n" axis="1 0 0" damping="0.2"/><geom size="0.1" pos="0 0.2 0"/></body>
"""
TENDON = """<fixed name="t" actuatorfrcrange="-0.8 0.6"><joint joint="h" coef="1.5"/><joint joint="k" coef="-0.5"/></fixed>
<fixed name="free"><joint joint="n" coef="1.5"/><joint joint="k" coef="-0.5"/></fixed>"""
MOTOR = 'motorconst="0.5 0.6" resistance="2"'
FULL = (
    'inductance="0 0.01" thermal="2 30 0 0.004 25 20" saturation="0 4 900" cogging="0.1 6 0.3"'
    ' lugre="20 0.5 0.1 0.2 0.05" input="pos vel ff voltage" controller="3 2 0.4 40 0.5 12"'
)
MODELS = {
    "pid": """
        <pid joint="h" kp="3" kv="2" ki="1.3" imax="0.05" slewmax="20" input="pos vel ff" posrange="-1 1" velrange="-2 2" ffrange="-1 1"/>
        <pid joint="b" kp="3" kv="0.4" slewmax="100" ki="2" gear="1 1 0"/>
        <pid site="tip" refsite="fixed" kp="0.5" kv="0.1" gear="0 0 0 0 0 1" input="pos"/>
        <pid joint="s" kp="30" dampratio="1" inheritrange="0.9" forcerange="-3 3"/>
        <pid tendon="t" kp="2" kv="1" input="vel ff" forcerange="-0.5 0.5"/><motor tendon="t"/>
        <general joint="n" gaintype="pid" biastype="affine" dyntype="pid" dynprm="0 8" gainprm="1.5" biasprm="0.1 -2 -0.3"
         actearly="true" actrange="-0.2 0.3"/>""",
    "dcmotor": f"""
        <dcmotor joint="h" {MOTOR} {FULL} gear="2"/>
        <dcmotor joint="b" {MOTOR} input="vel ff" controller="0 0 1 200 0 2" gear="1 1 0"/>
        <dcmotor joint="s" {MOTOR} inductance="0.1" ctrlrange="-1 1"/>
        <dcmotor joint="n" {MOTOR} input="none" lugre="50 1 0.1 0.2 0.05" saturation="0.02" damping="0.01" armature="0.002"/>
        <dcmotor joint="k" {MOTOR} input="pos" controller="5 0 1"/>
        <dcmotor tendon="t" {MOTOR} cogging="0.2 3 0.5" lugre="5 0.1 0.1 0.2 0.05" saturation="0.5"/><motor tendon="t"/>
        <dcmotor tendon="free" nominal="12 2 40" thermal="2 30 0 0.004 25 20"/>
        <general joint="n" gaintype="dcmotor" biastype="dcmotor" dyntype="dcmotor" actearly="true" gainprm="2 0.05"/>""",
    "so3": """
        <orientation joint="b" kp="3" kv="0.2" ctrlrange="-1 1" forcerange="0 1"/>
        <orientation joint="b" kp="2" dampratio="0.3" input="quat"/>
        <orientation site="tip" refsite="fixed" kp="2" kv="0.2"/>
        <general joint="b" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="1" biasprm="0.05 -1 -0.1" actearly="true"/>
        <general site="tip" refsite="fixed" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="1" biasprm="0 -1 -0.1" actrange="-0.5 2"/>
        <motor joint="h" ctrlrange="-1 1"/><position joint="k" kp="3" timeconst="0.1"/>""",
}  # fmt: skip
INTEGRATORS = ("Euler", "implicitfast", "implicit", "RK4")


# MuJoCo sees whether a torque was scaled to its largest norm by comparing the norm of the result, which rounding decides
UNLIMITED = (' forcerange="0 1"/>', "/>")


def xml(kind: str, option: str = "", sensor: str = "") -> str:
    return f"""<mujoco><compiler angle="radian"/><option timestep="0.004" {option}/><worldbody>{BODIES}</worldbody>
    <tendon>{TENDON}</tendon><actuator>{MODELS[kind]}</actuator><sensor>{sensor}</sensor></mujoco>"""


def pair_of(text: str, device: str, seed: int = 0) -> oracle.Pair:
    """Three unequal worlds with random controls and activations."""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(text), 3, seed, device=device)
    for world, mjd in enumerate(pair.mjds):
        rng = np.random.default_rng([seed, world])
        mjd.ctrl[:] = 2.0 * rng.standard_normal(pair.mjm.nu)
        mjd.act[:] = 0.3 * rng.standard_normal(pair.mjm.na)
        mjd.qvel[:] += rng.standard_normal(pair.mjm.nv)
    oracle.push(pair)
    return pair


def compare(pair: oracle.Pair) -> None:
    oracle.forward(pair)
    oracle.compare_all(pair)
    oracle.compare_arrays(pair, ("act_dot",), oracle.SMOOTH)


@pytest.mark.parametrize("kind", MODELS)
def test_stages(kind: str, device: str) -> None:
    pair = pair_of(xml(kind, 'integrator="implicitfast"'), device)
    assert pair.m.size.nlaw > 0
    compare(pair)
    for steps in (50, 150):
        oracle.advance(pair, steps, seed=steps)
        compare(pair)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("kind", MODELS)
def test_steps(kind: str, integrator: str, device: str) -> None:
    """One step from many states: activations exactly, velocities by the integrator's matrix."""
    pair = pair_of(xml(kind, f'integrator="{integrator}"').replace(*UNLIMITED), device, seed=5)
    for round_ in range(4):
        start = [(mjd.qvel.copy(), mjd.act.copy()) for mjd in pair.mjds]
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
        for name, scale in (("act", 1e-5), ("qpos", 1e-5), ("qvel", 2e-4)):
            ours = getattr(pair.d, name).numpy()
            for world, mjd in enumerate(pair.mjds):
                oracle.close(f"{name}, round {round_}", ours[world], getattr(mjd, name), scale, world)
        if integrator in ("implicit", "implicitfast"):
            assert any(np.any(before != mjd.qvel) for (before, _), mjd in zip(start, pair.mjds))
        oracle.advance(pair, 9, seed=round_)


@pytest.mark.parametrize("kind", MODELS)
def test_derivatives(kind: str, device: str) -> None:
    """``qDeriv`` entry by entry."""
    pair = pair_of(xml(kind, 'integrator="implicitfast"').replace(*UNLIMITED), device, seed=7)
    for seed in range(3):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
        ours = pair.d.qDeriv.numpy()
        entry = np.asarray(pair.mjm.mapM2D)
        held = entry >= 0  # M's sparsity, which implicitfast is limited to
        for world, mjd in enumerate(pair.mjds):
            oracle.close("qDeriv", ours[world][entry[held]], mjd.qDeriv[held], oracle.SMOOTH, world)
        oracle.advance(pair, 7, seed=seed)


@pytest.mark.parametrize("most", [1e-3, 1e3])
def test_slope_of_a_limited_torque(most: float, device: str) -> None:
    """At its largest norm the torque of an orientation servo does not damp: qDeriv is that of joint damping alone."""
    text = f"""<mujoco><option integrator="implicitfast"/><worldbody>{BODIES}</worldbody><actuator>
    <orientation joint="b" kp="3" kv="0.2" forcerange="0 {most}"/></actuator></mujoco>"""
    pair = pair_of(text, device)
    mjw.step(pair.m, pair.d)
    diagonal = pair.mjm.M_rowadr + pair.mjm.M_rownnz - 1
    of_ball = diagonal[1:4]
    expected = -0.1 - (0.2 if most > 1 else 0.0)
    np.testing.assert_allclose(pair.d.qDeriv.numpy()[:, of_ball], expected, rtol=1e-5)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("group", [0, 3])
def test_disabled_groups(kind: str, group: int, device: str) -> None:
    """Switched-off actuators pull with no force; their activations go on as MuJoCo's do."""
    pair = pair_of(xml(kind, f'integrator="implicitfast" actuatorgroupdisable="{group}"'), device, seed=2)
    pair.mjm.actuator_group[1::2] = 3
    pair.m.actuator_group = np.asarray(pair.mjm.actuator_group)
    compare(pair)
    assert np.all(pair.d.actuator_force.numpy()[:, : 3 if kind == "so3" else 1] == 0) == (group == 0)
    for mjd in pair.mjds:
        mujoco.mj_step(pair.mjm, mjd)
    mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        oracle.close("act", pair.d.act.numpy()[world], mjd.act, 1e-5, world)


@pytest.mark.parametrize("kind", MODELS)
def test_flags_and_bad_controls(kind: str, device: str) -> None:
    """Without actuation nothing is left; a control that is no number counts as all controls zero."""
    pair = pair_of(xml(kind), device)
    pair.mjds[1].ctrl[0] = np.nan
    oracle.push(pair)
    oracle.forward(pair)
    oracle.compare_arrays(pair, ("actuator_force", "act_dot", "qfrc_actuator", "qacc_smooth"), oracle.SMOOTH)
    pair.mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    pair.m.opt.disableflags = pair.mjm.opt.disableflags
    oracle.forward(pair)
    oracle.compare_all(pair)
    assert not pair.d.qfrc_actuator.numpy().any()


def test_sensors_of_three_outputs(device: str) -> None:
    text = xml("so3").replace("<orientation joint", '<orientation name="o" joint', 1)
    sensor = '<actuatorpos actuator="o"/><actuatorvel actuator="o"/><actuatorfrc actuator="o"/><clock/>'
    text = text.replace("<sensor>", "<sensor>" + sensor)
    pair = pair_of(text, device)
    oracle.forward(pair)
    oracle.compare_arrays(pair, ("sensordata",), oracle.SMOOTH)
    assert pair.mjm.nsensordata == 10


def test_reset_gives_identity_targets(device: str) -> None:
    """Controls that are a quaternion are reset to the identity, in the worlds asked for."""
    pair = pair_of(xml("so3"), device)
    before = pair.d.ctrl.numpy()
    mjw.reset_data(pair.m, pair.d, np.array([True, False, True]))
    ctrl, fresh = pair.d.ctrl.numpy(), mujoco.MjData(pair.mjm).ctrl
    assert fresh.any()
    np.testing.assert_array_equal(ctrl[[0, 2]], np.stack([fresh, fresh]))
    np.testing.assert_array_equal(ctrl[1], before[1])


@pytest.mark.parametrize("kind", MODELS)
def test_recovery(kind: str, device: str) -> None:
    """An activation that is not finite resets its world only."""
    pair = pair_of(xml(kind), device)
    twin = pair_of(xml(kind), device)
    act = pair.d.act.numpy()
    act[1, 0] = np.nan
    pair.d.act.assign(act)
    for _ in range(3):
        mjw.step(pair.m, pair.d)
        mjw.step(twin.m, twin.d)
    assert pair.d.nonfinite.numpy().tolist() == [0, 1, 0]
    assert np.isfinite(pair.d.act.numpy()).all()
    for world in (0, 2):
        np.testing.assert_array_equal(pair.d.qpos.numpy()[world], twin.d.qpos.numpy()[world])
        np.testing.assert_array_equal(pair.d.act.numpy()[world], twin.d.act.numpy()[world])


def test_tendon_range_comes_before_force_ranges(device: str) -> None:
    """Forces on a limited tendon are scaled first and limited each for itself afterwards, as in MuJoCo 4."""
    text = f"""<mujoco><worldbody>{BODIES}</worldbody><tendon>{TENDON}</tendon><actuator>
    <motor tendon="t" forcerange="-0.15 0.15"/><motor tendon="t" forcerange="-0.5 0.5"/><motor tendon="free" forcerange="-0.1 0.1"/>
    </actuator></mujoco>"""
    pair = pair_of(text, device)
    assert pair.m.size.nlaw == 0
    compare(pair)


def test_servo_of_an_angle_between_sites_wraps(device: str) -> None:
    text = f"""<mujoco><worldbody>{BODIES}</worldbody><actuator>
    <position site="tip" refsite="fixed" gear="0 0 0 0.5 0 1"/><position site="tip" refsite="fixed" gear="0 0 0 0 0 1" timeconst="0.1"/>
    <intvelocity site="tip" refsite="fixed" gear="0 0 0 0 2 1"/><position site="tip" refsite="fixed" gear="1 0 0 0 2 1"/>
    </actuator></mujoco>"""
    pair = pair_of(text, device)
    for mjd in pair.mjds:
        mjd.ctrl[:] *= 5.0
    oracle.push(pair)
    compare(pair)


def test_constants_of_several_outputs(device: str) -> None:
    """``mjw.set_const`` rederives the response of each force output."""
    pair = pair_of(xml("so3"), device)
    pair.mjm.body_mass[:] *= 1.7
    pair.mjm.body_inertia[:] *= 1.7
    pair.m.body_mass = pair.mjm.body_mass[None]
    pair.m.body_inertia = pair.mjm.body_inertia[None]
    mujoco.mj_setConst(pair.mjm, mujoco.MjData(pair.mjm))
    mjw.set_const(pair.m, pair.d)
    np.testing.assert_allclose(pair.m.actuator_acc0.numpy()[0], pair.mjm.actuator_acc0, rtol=1e-4)
