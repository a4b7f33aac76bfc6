"""Kinematics, centres of mass, composite inertias, mass matrix, its factor and its solution, against MuJoCo."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model
from random_tree import random_tree

from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.crb import crb
from newtonish.kernels.smooth.factor import factor_m
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.smooth.solve_m import mul_m, solve_m

ROBOTS = (
    "dm_humanoid/humanoid.xml", "gym_ant/ant.xml", "gym_walker2d/walker2d_v5.xml", "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml", "barkour_vb/scene.xml",
)  # fmt: skip
STAGES = (kinematics, com_pos, crb, factor_m)
ARRAYS = (
    "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat",
    "subtree_com", "cdof", "cinert", "crb", "M",
)  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def run_and_compare(pair: oracle.Pair) -> None:
    rng = np.random.default_rng(7)
    for mjd in pair.mjds:
        mjd.mocap_pos[:] = rng.standard_normal(mjd.mocap_pos.shape)
        mjd.mocap_quat[:] = rng.standard_normal(mjd.mocap_quat.shape)
        for j in np.flatnonzero(pair.mjm.jnt_type <= int(mujoco.mjtJoint.mjJNT_BALL)):
            start = pair.mjm.jnt_qposadr[j] + (3 if pair.mjm.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 0)
            mjd.qpos[start : start + 4] *= rng.uniform(0.5, 2.0)  # quaternions need not be of unit length
    oracle.push(pair)
    for mjd in pair.mjds:
        mujoco.mj_fwdPosition(pair.mjm, mjd)
    before = pair.d.qpos.numpy().copy()
    for stage in STAGES:
        stage(pair.m, pair.d)
    oracle.compare_arrays(pair, ARRAYS, oracle.SMOOTH)
    oracle.compare_arrays(pair, ("qLD", "qLDiagInv"), oracle.SMOOTH)
    np.testing.assert_array_equal(before, pair.d.qpos.numpy())


@pytest.mark.parametrize("robot", ROBOTS)
def test_robots(robot: str, device: str) -> None:
    run_and_compare(oracle.load(shared_model(robot), device=device))


def test_every_joint_type(device: str) -> None:
    run_and_compare(oracle.load(OWN / "smooth_zoo.xml", device=device))


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed: int, device: str) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(random_tree(seed)), seed=seed, device=device)
    run_and_compare(pair)


def test_solve_and_product_are_mujocos(device: str) -> None:
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    for mjd in pair.mjds:
        mujoco.mj_fwdPosition(pair.mjm, mjd)
    for stage in STAGES:
        stage(pair.m, pair.d)
    nv, rng = pair.mjm.nv, np.random.default_rng(0)
    given = rng.standard_normal((pair.nworld, nv))
    y = wp.array(given, dtype=float, device=device)
    x, product = wp.zeros_like(y), wp.zeros_like(y)
    solve_m(pair.m, pair.d, x, y)
    mul_m(pair.m, pair.d, product, y)
    for world, mjd in enumerate(pair.mjds):
        solution, multiplied = np.zeros((1, nv)), np.zeros(nv)
        mujoco.mj_solveM(pair.mjm, mjd, solution, given[world : world + 1])
        mujoco.mj_mulM(pair.mjm, mjd, multiplied, given[world])
        oracle.close("solve_m", x.numpy()[world], solution, oracle.SMOOTH, world)
        oracle.close("mul_m", product.numpy()[world], multiplied, oracle.SMOOTH, world)
    mul_m(pair.m, pair.d, product, x)
    np.testing.assert_allclose(product.numpy(), given, atol=1e-3)
    solve_m(pair.m, pair.d, y, y)  # in place
    np.testing.assert_array_equal(y.numpy(), x.numpy())


def test_a_massless_subtree_has_its_centre_in_the_body(device: str) -> None:
    xml = """<mujoco><worldbody>
      <body pos="0 0 1"><freejoint/><geom size="0.1"/><body name="marker" pos="0.1 0.2 0.3"><site/></body></body>
      <body pos="1 0 0"/></worldbody></mujoco>"""
    run_and_compare(oracle.from_model(mujoco.MjModel.from_xml_string(xml), device=device))


def test_model_fields_of_each_world(device: str) -> None:
    """A field with a world axis is read by world."""
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    models = [mujoco.MjModel.from_xml_path(str(OWN / "smooth_zoo.xml")) for _ in pair.mjds]
    for world, model in enumerate(models):
        model.body_sameframe[:] = 0  # MuJoCo would take the inertial frame for the body's
        model.body_pos[2:] *= 1.0 + 0.1 * world
        model.jnt_pos[:] += 0.02 * world
        # MuJoCo takes the diagonal of simple bodies from the compiled model
        model.body_ipos[model.body_simple == 0] += 0.01 * world
        model.dof_armature[model.dof_simplenum == 0] += 0.1 * world
    for name in ("body_pos", "body_ipos", "jnt_pos", "dof_armature"):
        array = getattr(pair.m, name)
        values = np.stack([getattr(model, name) for model in models]).astype(np.float32)
        pair.m.nworld = pair.nworld
        setattr(pair.m, name, wp.array(values, dtype=array.dtype, device=device))
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_fwdPosition(models[world], mjd)
    for stage in STAGES:
        stage(pair.m, pair.d)
    oracle.compare_arrays(pair, ARRAYS, oracle.SMOOTH)
