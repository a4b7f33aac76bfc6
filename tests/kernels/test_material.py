"""Contacts with adhesion and surface velocity, against MuJoCo and against what they promise."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from device_arrays import compare
from paths import OWN, shared_model
from plans import launched

from newtonish import mjw
from newtonish.kernels.constraint.contact_force import contact_force

ZOO = OWN / "material_zoo.xml"
SOLVERS = ("NEWTON", "CG", "PGS")
CONES = ("PYRAMIDAL", "ELLIPTIC")


def choice(cone: str = "PYRAMIDAL", solver: str = "NEWTON", noslip: int = 0, impratio: float = 1.0):
    """Set these options; iterations enough for every solver to converge."""

    def change(mjm):
        mjm.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone}")
        mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
        mjm.opt.noslip_iterations, mjm.opt.noslip_tolerance = noslip, 0.0  # else heavy bodies stop it before light ones
        mjm.opt.impratio = impratio
        mjm.opt.iterations = 500 if solver == "PGS" else 100

    return change


def zoo(change, device: str) -> oracle.Pair:
    """The zoo in three worlds that move a little differently, so that their contacts stay alike."""
    pair = oracle.load(ZOO, change=change, device=device)
    rng = np.random.default_rng(5)
    for world, mjd in enumerate(pair.mjds):
        mjd.qpos[:] = pair.mjm.qpos0
        mjd.qvel[:] = 0.2 * world * rng.standard_normal(pair.mjm.nv)
    oracle.push(pair)
    return pair


@pytest.mark.parametrize("steps", [0, 50, 200])
@pytest.mark.parametrize("cone", CONES)
def test_every_stage_agrees(cone, steps, device):
    pair = zoo(choice(cone), device)
    oracle.advance(pair, steps)
    oracle.forward(pair)
    oracle.compare_all(pair)
    oracle.compare_arrays(pair, ("qfrc_adhesion", "sensordata"), oracle.SOLVER)
    assert any(np.any(mjd.contact.adhesion > 0) for mjd in pair.mjds)
    assert any(np.any(mjd.contact.surfacevel != 0) for mjd in pair.mjds)


@pytest.mark.parametrize("steps", [50, 200])
def test_a_real_model_with_an_adhesion_actuator_agrees(steps, device):
    pair = oracle.load(shared_model("adhesion/active_adhesion.xml"), device=device)
    oracle.advance(pair, steps)
    oracle.forward(pair)
    oracle.compare_contacts(pair)
    oracle.compare_arrays(pair, oracle.ACCELERATION, oracle.SMOOTH)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)


@pytest.mark.parametrize("solver, noslip", [("CG", 0), ("PGS", 0), ("NEWTON", 50), ("PGS", 50)])
@pytest.mark.parametrize("cone", CONES)
def test_other_solvers_agree(cone, solver, noslip, device):
    pair = zoo(choice(cone, solver, noslip), device)
    oracle.advance(pair, 30)
    oracle.forward(pair)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)


@pytest.mark.parametrize("cone", CONES)
def test_net_forces_of_contacts(cone, device):
    pair = zoo(choice(cone, impratio=3.0), device)
    oracle.advance(pair, 30)
    oracle.forward(pair)
    pulling = 0
    for world, mjd in enumerate(pair.mjds):
        order = oracle.contact_order(pair, world)
        ids = wp.array(world * pair.d.nconmax + order, dtype=int, device=device)
        ours = wp.zeros(len(order), dtype=wp.spatial_vector, device=device)
        contact_force(pair.m, pair.d, ids, False, ours)
        theirs = np.zeros((mjd.ncon, 6))
        for c in range(mjd.ncon):
            mujoco.mj_contactForce(pair.mjm, mjd, c, theirs[c])
        oracle.close("force", ours.numpy(), theirs, oracle.SOLVER, world)
        pulling += int(np.sum(theirs[:, 0] < 0.0))
    assert pulling > 0


@pytest.mark.parametrize("cone", CONES)
def test_inverse_dynamics_return_the_applied_force(cone, device):
    pair = zoo(choice(cone), device)
    oracle.advance(pair, 30)
    oracle.forward(pair)
    for mjd in pair.mjds:
        mujoco.mj_inverse(pair.mjm, mjd)
    mjw.inverse(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        scale = np.linalg.norm(mjd.qfrc_constraint)
        np.testing.assert_allclose(pair.d.qfrc_inverse.numpy()[world], mjd.qfrc_inverse, atol=oracle.SOLVER * scale)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICITFAST", "IMPLICIT"])
def test_motion_agrees(integrator, device):
    def change(mjm):
        choice("ELLIPTIC")(mjm)
        mjm.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")

    pair = zoo(change, device)
    for _ in range(40):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        np.testing.assert_allclose(pair.d.qpos.numpy()[world], mjd.qpos, atol=1e-4)


def test_values_of_their_own_for_each_world(device):
    """Adhesion and surface velocity per world equal three models with these values."""
    pair = zoo(choice(), device)
    rng = np.random.default_rng(2)
    scale = rng.uniform(0.3, 1.5, 3)
    for name in ("geom_adhesion", "pair_adhesion", "geom_surfacevel"):
        base = np.asarray(getattr(pair.mjm, name))
        setattr(pair.m, name, np.stack([s * base for s in scale]).astype(np.float32))
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mjm = mujoco.MjModel.from_xml_path(str(ZOO))
        mjm.geom_adhesion *= scale[world]
        mjm.pair_adhesion *= scale[world]
        mjm.geom_surfacevel *= scale[world]
        mujoco.mj_forward(mjm, mjd)
    oracle.compare_contacts(pair)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)


def test_passive_forces_switched_off_leave_out_the_pull(device):
    def change(mjm):
        choice()(mjm)
        mjm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SPRING | mujoco.mjtDisableBit.mjDSBL_DAMPER

    pair = zoo(change, device)
    oracle.forward(pair)
    oracle.compare_all(pair)
    oracle.compare_arrays(pair, ("qfrc_adhesion",), oracle.SMOOTH)
    assert not pair.d.qfrc_adhesion.numpy().any()


def test_the_importer_reads_what_mujocos_compiler_reads(device):
    compare(ZOO, device)


SCENE = """
<mujoco>
  <option timestep="0.002" cone="{cone}"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" friction="{friction} .1 .001" {floor}/>
    <body pos="0 0 .1">
      {joint}
      <geom type="sphere" size=".1" mass="1" condim="{condim}" friction="{friction} .1 .001" {geom}/>
    </body>
  </worldbody>
</mujoco>
"""


SLIDES = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))


def scene(device, nworld, cone="elliptic", condim=3, friction=1.0, floor="", geom="", joint="<freejoint/>"):
    """A sphere of 1 kg on a floor."""
    text = SCENE.format(cone=cone, condim=condim, friction=friction, floor=floor, geom=geom, joint=joint)
    return mjw.load(text, nworld=nworld, device=device, strict=True)


def test_resting_depth_does_not_depend_on_adhesion(device):
    m, d = scene(device, 3, geom='adhesion="1"')
    m.geom_adhesion = np.array([[0.0, 0.0], [0.0, 5.0], [0.0, 40.0]], dtype=np.float32)
    for _ in range(1500):
        mjw.step(m, d)
    depth = 0.1 - d.qpos.numpy()[:, 2]
    assert depth[0] > 1e-5
    np.testing.assert_allclose(depth, depth[0], rtol=5e-3)


def test_a_contact_breaks_beyond_its_adhesion(device):
    """Pulled upwards by weight + adhesion, a little less in one world and a little more in the other."""
    m, d = scene(device, 2, geom='adhesion="20" gap=".01"')
    force = np.zeros((2, 2, 6), dtype=np.float32)
    force[:, 1, 2] = 9.81 + 20.0 * np.array([0.97, 1.03])
    d.xfrc_applied.assign(force)
    for _ in range(1000):
        mjw.step(m, d)
    height = d.qpos.numpy()[:, 2]
    assert abs(height[0] - 0.1) < 5e-3
    assert height[1] > 0.2
    assert d.ncon.numpy().tolist() == [1, 0]


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_adhesion_adds_to_what_friction_can_hold(cone, device):
    """Friction limit mu (weight + adhesion), along an axis of the tangent plane, where both cones have the same."""
    m, d = scene(device, 2, cone, friction=0.5, geom='adhesion="10"', joint=SLIDES)
    force = np.zeros((2, 3), dtype=np.float32)
    force[:, 0] = 0.5 * (9.81 + 10.0) * np.array([0.95, 1.1])
    d.qfrc_applied.assign(force)
    for _ in range(500):
        mjw.step(m, d)
    speed = d.qvel.numpy()[:, 0]
    assert abs(speed[0]) < 0.05 < 1.0 < speed[1], speed


@pytest.mark.parametrize("condim", [3, 4, 6])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_belt_carries_a_box_at_its_speed(cone, condim, device):
    text = f"""
    <mujoco><option cone="{cone}"/><worldbody>
      <geom type="box" size="3 1 .1" pos="0 0 -.1" surfacevel=".5 .2 0 0 0 0"/>
      <body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" condim="{condim}"/></body>
    </worldbody></mujoco>"""
    m, d = mjw.load(text, nworld=2, device=device, strict=True)
    m.geom_surfacevel = np.array([[[0.5, 0.2, 0, 0, 0, 0], [0] * 6], [[0] * 6, [0.5, 0.2, 0, 0, 0, 0]]], dtype=np.float32)
    for _ in range(500):
        mjw.step(m, d)
    # the second box moves on its own surface, the other way
    np.testing.assert_allclose(d.qvel.numpy()[:, :2], [[0.5, 0.2], [-0.5, -0.2]], atol=2e-3)


def test_a_turntable_turns_what_stands_on_its_axis(device):
    m, d = scene(device, 2, condim=4, floor='surfacevel="0 0 0 0 0 2"')
    for _ in range(1500):
        mjw.step(m, d)
    np.testing.assert_allclose(d.qvel.numpy()[:, 5], 2.0, rtol=0.02)


def test_models_without_such_geoms_launch_nothing_for_it(device):
    assert "constraint.material" not in launched(*scene(device, 1))
    assert "constraint.material" in launched(*scene(device, 1, geom='adhesion="1"'))
