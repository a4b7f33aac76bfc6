"""The implicit integrator with the whole derivative, against MuJoCo and against finite differences of the bias force."""

import mujoco
import numpy as np
import oracle
import pytest
from gradient_models import pair_of
from gradient_models_forces import SHARED
from paths import OWN, shared_model
from random_tree import random_tree

from newtonish import mjw

IMPLICIT = int(mujoco.mjtIntegrator.mjINT_IMPLICIT)

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def prepare(mjm: mujoco.MjModel) -> None:
    mjm.opt.integrator = IMPLICIT
    mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)


def fast(pair: oracle.Pair, speed: float) -> oracle.Pair:
    rng = np.random.default_rng(3)
    for mjd in pair.mjds:
        mjd.ctrl[:] = rng.standard_normal(mjd.ctrl.shape)
        mjd.act[:] = 0.5 * rng.standard_normal(mjd.act.shape)
        mjd.qvel[:] = speed * rng.standard_normal(mjd.qvel.shape)
    oracle.push(pair)
    return pair


def compare_steps(pair: oracle.Pair, steps: int) -> None:
    for _ in range(steps):
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
    oracle.compare_arrays(pair, ("qpos", "qvel"), 1e-4)


@pytest.mark.parametrize("robot", ["dm_humanoid/humanoid.xml", "gym_half_cheetah/half_cheetah.xml", "barkour_vb/scene.xml"])
def test_robots(robot, device):
    compare_steps(fast(oracle.load(shared_model(robot), change=prepare, device=device), 2.0), 10)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed, device):
    mjm = mujoco.MjModel.from_xml_string(random_tree(seed))
    compare_steps(fast(oracle.from_model(mjm, seed=seed, change=prepare, device=device), 2.0), 2)


def test_every_joint_and_actuator(device):
    compare_steps(fast(oracle.load(OWN / "smooth_zoo.xml", change=prepare, device=device), 3.0), 3)


def test_the_coriolis_terms_are_the_derivative_of_the_bias_force(device):
    pair = fast(oracle.load(OWN / "smooth_zoo.xml", change=prepare, device=device), 1.0)
    pair.m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_DAMPER | mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    pair.m.touch()
    mjm = pair.mjm
    mjw.forward(pair.m, pair.d)
    M = pair.d.M.numpy().copy()
    # inverse dynamics with the discrete flag multiplies by the matrix without factorising it
    pair.m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)
    pair.m.touch()
    mjw.inverse(pair.m, pair.d)
    matrix, entries = pair.d.qLU.numpy(), mjm.mapM2D
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(mjm, mjd)
        slope = np.zeros((mjm.nv, mjm.nv))
        start = mjd.qvel.copy()
        for k in range(mjm.nv):
            both = []
            for sign in (1.0, -1.0):
                mjd.qvel[:] = start
                mjd.qvel[k] += sign * 1e-5
                mujoco.mj_fwdVelocity(mjm, mjd)
                both.append(mjd.qfrc_bias.copy())
            slope[:, k] = (both[0] - both[1]) / 2e-5
        ours = np.zeros_like(slope)
        for i in range(mjm.nv):
            for e in range(mjm.D_rowadr[i], mjm.D_rowadr[i] + mjm.D_rownnz[i]):
                mass = M[world, entries[e]] if entries[e] >= 0 else 0.0
                ours[i, mjm.D_colind[e]] = (matrix[world, e] - mass) / mjm.opt.timestep
        assert np.abs(ours - slope).max() <= 2e-3 * np.linalg.norm(slope)


@pytest.mark.parametrize("integrator", ["implicitfast", "implicit", "discrete"])
def test_a_force_at_its_own_limit_lets_its_tendon_s_go(integrator, device):
    """Scaled forces count as held while they add up to the tendon's limit: in one world of three, one of them has met a limit of its own."""
    pair = pair_of(SHARED.format(integrator=integrator), 10, device)
    mjw.step(pair.m, pair.d)
    assert pair.d.actuator_held.numpy()[:, 0].tolist() == [0, 1, 1]
    for world, mjd in enumerate(pair.mjds):
        before = mjd.qvel.copy()
        mujoco.mj_step(pair.mjm, mjd)
        assert np.linalg.norm(pair.d.qvel.numpy()[world] - mjd.qvel) <= 2e-5 * np.linalg.norm(mjd.qvel - before)
