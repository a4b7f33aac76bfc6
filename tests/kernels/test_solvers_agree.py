"""Newton, CG and PGS minimise the same cost over the same rows: they end at the same acceleration.

How near is stated here, of the acceleration's norm: CG within 2e-5 of Newton (measured: 1.1e-5, where the tolerance of 1e-12 ends it), PGS
within 5e-6 (1.2e-6), in both cones, with dense and sparse rows. PGS gains a digit in so many sweeps as the rows are coupled: stiff equalities
take 16,000 (as in MuJoCo, which after 10,000 is 1e-2 short), the others at most 315. What each iteration reaches without the last steps of
``newtonish.kernels.solver.refine`` is held by ``test_solver_variants.py``.
"""

import mujoco
import numpy as np
import oracle
import pytest
from constraint_rigs import zoo
from paths import OWN, shared_model

from newtonish import mjw
from newtonish.common.enums import SolverType

NEAR = {"CG": 2e-5, "PGS": 5e-6}
MODELS = {
    "zoo": lambda: zoo("pyramidal", 3),
    "equalities": lambda: mujoco.MjModel.from_xml_path(str(OWN / "equality_zoo.xml")),
    "humanoid": lambda: mujoco.MjModel.from_xml_path(str(shared_model("dm_humanoid/humanoid.xml"))),
    "ant": lambda: mujoco.MjModel.from_xml_path(str(shared_model("gym_ant/ant.xml"))),
    "allegro": lambda: mujoco.MjModel.from_xml_path(str(shared_model("allegro_hand/scene_right.xml"))),
}


@pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
@pytest.mark.parametrize("jacobian", ["DENSE", "SPARSE"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", NEAR)
@pytest.mark.parametrize("name", MODELS)
def test_a_solver_ends_at_newtons_acceleration(name, solver, cone, jacobian, device):
    mjm = MODELS[name]()
    mjm.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    mjm.opt.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{jacobian}")
    mjm.opt.noslip_iterations = 0
    mjm.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    pair = oracle.from_model(mjm, 3, device=device)
    oracle.advance(pair, 100)
    pair.m.opt.iterations, pair.m.opt.ls_iterations = 30000, 100
    pair.m.opt.tolerance.fill_(1e-12)
    found = {}
    for kind in ("NEWTON", solver):
        pair.m.opt.solver = int(SolverType[kind])
        pair.m.touch()
        pair.d = mjw.make_data(pair.m, 3)
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
        found[kind] = pair.d.qacc.numpy().copy()
    assert pair.d.nefc.numpy().max() > 0
    norms = np.maximum(1.0, np.linalg.norm(found["NEWTON"], axis=1))
    errors = np.linalg.norm(found[solver] - found["NEWTON"], axis=1) / norms
    assert errors.max() <= NEAR[solver], errors


# A ball on a pendulum whose hinge can slide: the ground's friction on the moving ball turns the pendulum so that the ball is
# pressed down, though without friction nothing would approach.
JAMMED = """
<mujoco><option cone="elliptic" solver="PGS" tolerance="0" iterations="1000" gravity="0 0 0"/>
 <worldbody><geom type="plane" size="5 5 .1"/>
  <body pos="0 0 .499"><joint type="hinge" axis="0 1 0" pos="0 0 .2"/><joint type="slide" axis="1 0 0"/>
   <geom type="sphere" size=".1" pos=".3 0 -.4" mass="1" friction="2 .005 .0001"/></body>
 </worldbody></mujoco>
"""


def test_a_contact_that_friction_presses_leaves_the_tip_of_its_cone(device):
    """Where MuJoCo's own PGS stays at no force at all, ours ends where MuJoCo's Newton does."""
    mjm = mujoco.MjModel.from_xml_string(JAMMED)
    pair = oracle.from_model(mjm, 3, device=device)
    rng = np.random.default_rng(0)
    stuck, off = 0, 0.0
    for _ in range(40):
        for mjd in pair.mjds:
            mujoco.mj_resetData(mjm, mjd)
            mjd.qvel[:] = rng.uniform(-3.0, 3.0, mjm.nv)
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
        for world, mjd in enumerate(pair.mjds):
            ends = {}
            for kind in ("PGS", "NEWTON"):
                mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{kind}")
                mujoco.mj_forward(mjm, mjd)
                ends[kind] = mjd.qacc.copy()
            scale = max(1.0, np.linalg.norm(ends["NEWTON"]))
            stuck += np.linalg.norm(ends["PGS"] - ends["NEWTON"]) > 0.01 * scale
            off = max(off, np.linalg.norm(pair.d.qacc.numpy()[world] - ends["NEWTON"]) / scale)
    assert stuck > 0
    assert off <= 1e-4, off


@pytest.mark.parametrize("name", ["attach_model", "joint_limits_no_autolimits"])
@pytest.mark.parametrize("jacobian", ["DENSE", "SPARSE"])
def test_constraint_forces_balance_where_rows_are_stiffer_than_sums_can_tell(name, jacobian, device):
    """To 1e-3, or as MuJoCo's do: of forces of 1e17 N, between boxes without inverse weight, its float64 leaves -256 N m where 0 is right."""

    def change(mjm):
        mjm.opt.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{jacobian}")

    pair = oracle.load(shared_model(f"converter_tests/tests/data/{name}.xml"), nworld=3, change=change, device=device)
    pair.d = mjw.make_data(pair.m, 3, nconmax=176, njmax=800)
    worst = 0.0
    for steps in (0, 20, 60):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        for world, mjd in enumerate(pair.mjds):
            ours, theirs = pair.d.qacc.numpy()[world].astype(np.float64), mjd.qacc
            assert np.linalg.norm(mjd.efc_D) > 1e12
            assert np.linalg.norm(ours - theirs) <= oracle.SOLVER * max(1.0, np.linalg.norm(theirs))
            needed = {name: needed_force(pair.mjm, mjd, qacc) for name, qacc in (("ours", ours), ("theirs", theirs))}
            off = np.linalg.norm(pair.d.qfrc_constraint.numpy()[world] - needed["ours"])
            own = np.linalg.norm(mjd.qfrc_constraint - needed["theirs"])
            assert off <= max(1e-3 * max(1.0, np.linalg.norm(needed["ours"])), own), (steps, world, off, own)
            worst = max(worst, own)
    assert worst > 1.0


def needed_force(mjm: mujoco.MjModel, mjd: mujoco.MjData, qacc: np.ndarray) -> np.ndarray:
    """What an acceleration needs beside the smooth forces."""
    product = np.zeros(mjm.nv)
    mujoco.mj_mulM(mjm, mjd, product, qacc)
    return product - mjd.qfrc_smooth
