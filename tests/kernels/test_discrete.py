"""Integrator ``discrete`` against MuJoCo, and against what it promises: stiff things stay stable at large time steps."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from device_arrays import compare
from paths import OWN, shared_model
from plans import launched

from newtonish import mjw
from newtonish.common.enums import IntegratorType

ZOO = OWN / "discrete_zoo.xml"
CONES = ("PYRAMIDAL", "ELLIPTIC")
SOLVERS = ("NEWTON", "CG", "PGS")
DISCRETE = mujoco.mjtIntegrator.mjINT_DISCRETE


def options(cone="PYRAMIDAL", solver="NEWTON", noslip=0, disable=(), timestep=0.005):
    """Set these options, with the integrator."""

    def change(mjm):
        mjm.opt.integrator = DISCRETE
        mjm.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone}")
        mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
        mjm.opt.iterations, mjm.opt.tolerance = 300, 1e-10
        mjm.opt.noslip_iterations, mjm.opt.noslip_tolerance = noslip, 0.0
        mjm.opt.timestep = timestep
        for flag in disable:
            mjm.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))

    return change


def compare_step(pair: oracle.Pair) -> None:
    """All that the metric changes."""
    oracle.compare_arrays(pair, ("qfrc_smooth", "qacc_smooth"), oracle.SMOOTH)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)
    for world, mjd in enumerate(pair.mjds):
        if mjd.efm_c.size:
            shift = pair.d.efm_force.numpy()[world] - pair.d.qfrc_smooth.numpy()[world]
            theirs = mjd.efm_c + (mjd.efm_ca if mjd.efm_ca.size else 0.0)
            oracle.close("shift", shift, theirs, oracle.SMOOTH, world)
        if mjd.efm_sdiag.size:
            oracle.close("sdiag", pair.d.efm_sdiag.numpy()[world], mjd.efm_sdiag, oracle.SMOOTH, world)


@pytest.mark.parametrize("steps", [0, 50, 200])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cone", CONES)
def test_every_stage_agrees(cone, solver, steps, device):
    pair = oracle.load(ZOO, change=options(cone, solver), device=device)
    oracle.advance(pair, steps)
    oracle.forward(pair)
    compare_step(pair)
    oracle.compare_arrays(pair, ("sensordata",), oracle.SOLVER)


@pytest.mark.parametrize("solver", ["NEWTON", "PGS"])
@pytest.mark.parametrize("cone", CONES)
def test_slip_suppression_agrees(cone, solver, device):
    pair = oracle.load(ZOO, change=options(cone, solver, noslip=50), device=device)
    oracle.advance(pair, 30)
    oracle.forward(pair)
    compare_step(pair)


@pytest.mark.parametrize("disable", [("REFSAFE",), ("SPRING",), ("DAMPER",), ("SPRING", "DAMPER"), ("ACTUATION",), ("CONSTRAINT",)], ids="+".join)
def test_flags(disable, device):
    pair = oracle.load(ZOO, change=options("ELLIPTIC", disable=disable, timestep=0.01), device=device)
    oracle.advance(pair, 20)
    oracle.forward(pair)
    compare_step(pair)


@pytest.mark.parametrize("solver", SOLVERS)
def test_motion_agrees_over_200_steps(solver, device):
    pair = oracle.load(ZOO, change=options("ELLIPTIC", solver, timestep=0.002), device=device)
    for _ in range(200):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        np.testing.assert_allclose(pair.d.qpos.numpy()[world], mjd.qpos, atol=1e-3)


@pytest.mark.parametrize("model", ["material_zoo.xml", "equality_zoo.xml", "spatial_tendons.xml", "actuator_zoo.xml"])
def test_other_zoos_agree(model, device):
    pair = oracle.load(OWN / model, change=options("ELLIPTIC"), device=device)
    if model == "material_zoo.xml":  # contacts at its start are chosen with care
        for mjd in pair.mjds:
            mjd.qpos[:] = pair.mjm.qpos0
        oracle.push(pair)
    for steps in (0, 10):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_step(pair)


@pytest.mark.parametrize("model", ["dm_humanoid/humanoid.xml", "gym_ant/ant.xml", "unitree_g1/scene.xml"])
def test_real_models_agree(model, device):
    def change(mjm):
        mjm.opt.integrator = DISCRETE
        mesh = mjm.geom_type == mujoco.mjtGeom.mjGEOM_MESH
        mjm.geom_contype[mesh] = mjm.geom_conaffinity[mesh] = 0

    pair = oracle.load(shared_model(model), change=change, device=device)
    for steps in (0, 50, 150):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_step(pair)


def test_a_medium_of_inertia_boxes_agrees(device):
    def change(mjm):
        options()(mjm)
        mjm.opt.density, mjm.opt.viscosity = 20.0, 0.3
        mjm.opt.wind[:] = [1.0, -0.5, 0.2]

    pair = oracle.load(ZOO, change=change, device=device)
    oracle.advance(pair, 30)
    oracle.forward(pair)
    compare_step(pair)


@pytest.mark.parametrize("solver", SOLVERS)
def test_inverse_dynamics_agree_and_undo_forward(solver, device):
    pair = oracle.load(ZOO, change=options("ELLIPTIC", solver), device=device)
    oracle.advance(pair, 30)
    rng = np.random.default_rng(3)
    for mjd in pair.mjds:
        mjd.qfrc_applied[:] = rng.standard_normal(pair.mjm.nv)
    oracle.push(pair)
    oracle.forward(pair)
    given = pair.d.qfrc_applied.numpy()
    mjw.inverse(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_inverse(pair.mjm, mjd)
        scale = max(1.0, np.linalg.norm(mjd.qfrc_constraint), np.linalg.norm(mjd.qfrc_smooth))
        ours = pair.d.qfrc_inverse.numpy()[world]
        np.testing.assert_allclose(ours, mjd.qfrc_inverse, atol=oracle.SOLVER * scale)
        np.testing.assert_allclose(ours, given[world] + mjd.qfrc_actuator, atol=oracle.SOLVER * scale)


def test_values_of_their_own_for_each_world(device):
    pair = oracle.load(ZOO, change=options(), device=device)
    scale = np.array([0.5, 1.0, 3.0])
    names = ("jnt_stiffness", "dof_damping", "tendon_stiffness", "actuator_gainprm", "actuator_biasprm")
    for name in names:
        base = np.asarray(getattr(pair.mjm, name))
        given = np.stack([s * base for s in scale]).astype(np.float32)
        if name == "dof_damping":
            given = pair.m.dof_damping.numpy() * scale[:, None].astype(np.float32)
        setattr(pair.m, name, given)
    pair.m.opt.timestep = wp.array([0.002, 0.005, 0.01], dtype=wp.float32, device=device)
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mjm = mujoco.MjModel.from_xml_path(str(ZOO))
        options()(mjm)
        for name in names:
            getattr(mjm, name)[:] *= scale[world]
        mjm.opt.timestep = [0.002, 0.005, 0.01][world]
        mujoco.mj_forward(mjm, mjd)
    compare_step(pair)


def test_step1_and_step2_are_a_step(device):
    """The rows are made before the controls are known, which change the metric that they are scaled to."""
    whole, parts = (oracle.load(ZOO, change=options("ELLIPTIC"), device=device) for _ in range(2))
    for pair in (whole, parts):
        oracle.advance(pair, 20)
    controls = np.random.default_rng(1).uniform(-1, 1, whole.d.ctrl.shape).astype(np.float32)
    mjw.step1(parts.m, parts.d)
    whole.d.ctrl.assign(controls)
    parts.d.ctrl.assign(controls)
    mjw.step(whole.m, whole.d)
    mjw.step2(parts.m, parts.d)
    for name in ("qpos", "qvel", "qacc", "act"):
        np.testing.assert_array_equal(getattr(whole.d, name).numpy(), getattr(parts.d, name).numpy())


def test_the_integrator_may_be_chosen_later(device):
    pair = oracle.load(OWN / "actuator_zoo.xml", change=lambda mjm: None, device=device)
    for _ in range(3):
        mjw.step(pair.m, pair.d)
    other = oracle.load(OWN / "actuator_zoo.xml", change=options(timestep=pair.mjm.opt.timestep), device=device)
    for name in ("qpos", "qvel", "act", "qacc_warmstart", "time"):
        getattr(other.d, name).assign(getattr(pair.d, name))
    pair.m.opt.integrator = int(IntegratorType.DISCRETE)
    pair.m.opt.iterations = 300
    pair.m.opt.tolerance.fill_(1e-10)
    for p in (pair, other):
        mjw.step(p.m, p.d)
    np.testing.assert_array_equal(pair.d.qpos.numpy(), other.d.qpos.numpy())


STIFF = """
<mujoco><option timestep="0.05" integrator="discrete" gravity="0 0 0"/><worldbody>
  <body><joint type="slide" axis="1 0 0" stiffness="{k}"/><geom size=".1" mass="1"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6])
def test_a_spring_of_any_stiffness_is_backward_euler(stiffness, device):
    """x+ = x + h v+, v+ = v - h k x+ has v+ = (v - h k x) / (1 + h^2 k): it never gains energy."""
    m, d = mjw.load(STIFF.format(k=stiffness), nworld=2, device=device, strict=True)
    d.qpos.assign(np.array([[0.3], [-0.2]], dtype=np.float32))
    x, v = np.array([0.3, -0.2]), np.zeros(2)
    for _ in range(20):
        mjw.step(m, d)
        v = (v - 0.05 * stiffness * x) / (1.0 + 0.05**2 * stiffness)
        x = x + 0.05 * v
        np.testing.assert_allclose(d.qpos.numpy()[:, 0], x, atol=1e-4)


def test_a_free_spinning_body_gains_no_energy(device):
    text = """<mujoco><option timestep="0.005" integrator="discrete" gravity="0 0 0"><flag energy="enable"/></option><worldbody>
      <body><freejoint/><geom type="box" size=".2 .1 .03"/></body></worldbody></mujoco>"""
    m, d = mjw.load(text, nworld=3, device=device, strict=True)
    d.qvel.assign(np.array([[0, 0, 0, 0.1, 20, 0.1], [1, 0, 0, 3, 3, 10], [0, 0, 0, 5, 0, 0]], dtype=np.float32))
    mjw.forward(m, d)
    before = d.energy.numpy()[:, 1]
    for _ in range(300):
        mjw.step(m, d)
        now = d.energy.numpy()[:, 1]
        assert (now <= before * (1.0 + 1e-5)).all()
        before = now


def test_a_damper_on_one_bodys_contacts_couples_no_other_body(tmp_path, device):
    """An actuator on a body may act on all dofs, and does on those that its contacts move: a body far away spins as if alone."""
    xml = """<mujoco><option timestep=".005" integrator="discrete"/><worldbody><geom type="plane" size="5 5 .1"/>
      <body name="box" pos="0 0 .098"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <body pos="2 0 1"><freejoint/><geom type="ellipsoid" size=".1 .15 .05" pos=".02 .01 0"/></body></worldbody>
      <actuator><general body="box" gainprm="5" biastype="affine" biasprm="0 0 -9"/></actuator></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(xml)
    pair = oracle.load(path, device=device)
    for mjd in pair.mjds:
        mjd.qpos[:7] = pair.mjm.qpos0[:7]
        mjd.qvel[:6] = (0.1 * mjd.qvel[:6]).astype(np.float32)
        mjd.qvel[9:] = np.array([5.0, -7.0, 9.0], np.float32)
        mujoco.mj_forward(pair.mjm, mjd)
        assert mjd.ncon
    oracle.push(pair)
    oracle.forward(pair)
    assert pair.d.efm_as.numpy().all()
    oracle.compare_solution(pair)


def test_the_importer_reads_what_mujocos_compiler_reads(device):
    compare(ZOO, device)


def test_other_integrators_launch_nothing_for_it(device):
    for integrator in IntegratorType:
        m, d = mjw.load(STIFF.format(k=1.0), device=device)
        m.opt.integrator = int(integrator)
        assert any("discrete" in name for name in launched(m, d)) == (integrator == IntegratorType.DISCRETE)


MOTORS = """<mujoco><option integrator="discrete" timestep="0.005"/><worldbody><body><joint name="a" axis="0 0 1" armature=".02"/>
  <geom type="box" size=".1 .02 .03" pos=".1 0 0"/><body pos=".2 0 0"><joint name="b" axis="0 1 0" armature=".02"/><geom size=".03" pos=".1 0 0"/>
  <body pos=".2 0 0"><joint name="c" axis="1 1 0" armature=".01" actuatorfrcrange="-.5 .5"/><geom size=".04" pos=".1 .1 0"/></body></body></body></worldbody>
  <tendon><fixed name="t" limited="false"><joint joint="a" coef=".5"/><joint joint="c" coef="-.7"/></fixed></tendon>
  <actuator>{}</actuator></mujoco>"""
POSITION = 'motorconst=".5" resistance=".2" input="pos"'
KINDS = {
    "pid": '<pid joint="a" kp="20" kv=".5" ki="3"/><pid joint="b" kp="50" kv="1" forcerange="-3 3"/><pid tendon="t" kp="9" kv=".1"/>',
    "motors": '<dcmotor joint="a" motorconst=".5" resistance=".2"/><dcmotor joint="b" motorconst=".5" resistance=".2" inductance=".02"/>',
    "positions": f'<dcmotor joint="a" {POSITION} controller="30 5 1"/><dcmotor joint="c" {POSITION} controller="30 0 1"/>'
    f'<dcmotor joint="b" {POSITION} inductance=".02" controller="30 0 1"/><dcmotor tendon="t" {POSITION} controller="9 0 1"/>',
    "limits": f'<dcmotor joint="a" {POSITION} controller="30 0 1 0 0 2"/><dcmotor joint="b" {POSITION} saturation="1 2 0" controller="30 0 1"/>',
    "mechanics": f'<dcmotor joint="a" {POSITION} controller="3 0 1" cogging="3 6 .1"/><dcmotor joint="b" {POSITION} cogging="-3 6 .1"/>'
    f'<dcmotor joint="c" {POSITION} lugre="100 2 .3 .4 .1" thermal="5 2 .1 .004 25 25" controller="30 0 0"/>',
}  # fmt: skip


@pytest.mark.parametrize("solver", ["NEWTON", "PGS"])
@pytest.mark.parametrize("kind", KINDS)
def test_motors_and_pid_servos_agree(kind, solver, device):
    """Damping of the back-EMF, stiffness of controllers and of cogging: where no limit holds what they belong to."""
    mjm = mujoco.MjModel.from_xml_string(MOTORS.format(KINDS[kind]))
    options(solver=solver)(mjm)
    for steps in (0, 40):
        pair = oracle.from_model(mjm, 3, device=device)
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_step(pair)


SERVOS = """<mujoco><option integrator="discrete" timestep="0.005"/><worldbody><site name="w" quat="1 .2 .1 0"/>
  <body><joint name="a" type="ball"/><geom type="box" size=".1 .02 .05" pos=".2 .1 0"/>
  <body pos=".3 0 0"><joint name="b" type="ball" damping=".1"/><geom type="box" size=".1 .02 .03" pos=".1 0 0"/><site name="s" quat="1 0 .3 .2"/></body>
  </body></worldbody><actuator>{}</actuator></mujoco>"""
ORIENTATIONS = {
    "joint": '<orientation joint="a" kp="3" kv=".2" ctrlrange="-1 1"/><orientation joint="b" kp="30" kv="0" ctrlrange="-1 1"/>',
    "site": '<orientation site="s" refsite="w" kp="3" kv=".2" ctrlrange="-1 1"/>',
    "limited": '<orientation joint="a" kp="3" kv=".2" forcerange="0 100" ctrlrange="-1 1"/>',
    "quaternion": '<orientation joint="b" kp="3" kv=".2" input="quat"/>',
    "off": '<orientation joint="b" kp="3" kv=".2" ctrlrange="-1 1" group="2"/><orientation joint="a" kp="3" kv=".2"/>',
}  # fmt: skip


@pytest.mark.parametrize("solver", ["NEWTON", "CG", "PGS"])
@pytest.mark.parametrize("kind", ORIENTATIONS)
def test_servos_of_orientations_agree(kind, solver, device):
    """Stiffness kp about all three axes, and damping; none of a group that is switched off."""
    mjm = mujoco.MjModel.from_xml_string(SERVOS.format(ORIENTATIONS[kind]))
    options(solver=solver)(mjm)
    if kind == "off":
        mjm.opt.disableactuator = 1 << 2
    for steps in (0, 40):
        pair = oracle.from_model(mjm, 3, device=device)
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_step(pair)


def test_at_its_limit_a_servo_is_not_stiff(device):
    """MuJoCo asks whether the scaled force is at the limit, and rounding answers; here it always is."""
    mjm = mujoco.MjModel.from_xml_string(SERVOS.format('<orientation joint="b" kp="3" kv=".2" forcerange="0 .001"/>'))
    for solver in ("NEWTON", "PGS"):
        options(solver=solver)(mjm)
        pair = oracle.from_model(mjm, 3, device=device)
        oracle.advance(pair, 5)
        oracle.forward(pair)
        np.testing.assert_allclose(np.linalg.norm(pair.d.actuator_force.numpy(), axis=1), 0.001, rtol=1e-5)
        np.testing.assert_allclose(pair.d.efm_sdiag.numpy()[:, 3:], 0.005 * 0.1, rtol=1e-5)


@pytest.mark.parametrize("solver", ["NEWTON", "PGS"])
def test_a_medium_of_ellipsoids_agrees(solver, device):
    """The drag alone enters the metric: no added mass, no Magnus or Kutta lift."""

    def change(mjm):
        options(solver=solver)(mjm)
        mjm.opt.density, mjm.opt.viscosity = 30.0, 0.2

    pair = oracle.load(OWN / "fluid_zoo.xml", change=change, device=device)
    for steps in (0, 30):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_step(pair)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cone", CONES)
def test_the_exact_diagonal_is_that_of_the_metric(cone, solver, device):
    def change(mjm):
        options(cone, solver, noslip=10 * (solver == "CG"))(mjm)
        mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)

    pair = oracle.load(ZOO, change=change, device=device)
    for steps in (0, 40):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_step(pair)
    before = pair.d.efc.D.numpy()
    mjw.forward(pair.m, pair.d)
    np.testing.assert_array_equal(pair.d.efc.D.numpy(), before)
