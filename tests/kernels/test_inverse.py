"""Inverse dynamics: against MuJoCo, and undoing the forward dynamics."""

from pathlib import Path

import mujoco
import numpy as np
import oracle
import pytest
from paths import shared_model

from newtonish import mjw

OWN = Path(__file__).parents[1] / "models"
MODELS = [OWN / "smooth_zoo.xml", OWN / "fluid_zoo.xml", "dm_humanoid/humanoid.xml", "barkour_vb/scene.xml"]
INTEGRATORS = ("EULER", "IMPLICITFAST", "IMPLICIT")


def rig(name, integrator: str, discrete: bool, device: str) -> oracle.Pair:
    def change(mjm):
        mjm.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
        mjm.opt.iterations, mjm.opt.tolerance = 300, 1e-12
        if discrete:
            mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)

    path = name if isinstance(name, Path) else shared_model(name)
    pair = oracle.load(path, nworld=3, change=change, device=device)
    oracle.advance(pair, 30)
    rng = np.random.default_rng(7)
    for mjd in pair.mjds:
        mjd.qfrc_applied[:] = rng.standard_normal(pair.mjm.nv)
    oracle.push(pair)
    return pair


def near(name: str, ours, theirs, world: int, tolerance: float) -> None:
    error, scale = np.linalg.norm(ours - theirs), max(1.0, np.linalg.norm(theirs))
    assert error <= tolerance * scale, f"{name}, world {world}: error {error:.3g} of norm {scale:.3g}"


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", MODELS, ids=lambda n: Path(n).stem)
def test_the_force_of_a_random_acceleration(name, integrator, discrete, device):
    pair = rig(name, integrator, discrete, device)
    qacc = np.zeros(pair.d.qacc.shape, dtype=np.float32)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(pair.mjm, mjd)
        mjd.qacc[:] += 0.5 * np.random.default_rng(world).standard_normal(pair.mjm.nv)
        qacc[world] = mjd.qacc
        mujoco.mj_inverse(pair.mjm, mjd)
    pair.d.qacc.assign(qacc)
    mjw.inverse(pair.m, pair.d)
    assert np.array_equal(pair.d.qacc.numpy(), qacc)
    for world, mjd in enumerate(pair.mjds):
        for array in ("qfrc_constraint", "qfrc_inverse"):
            near(array, getattr(pair.d, array).numpy()[world], getattr(mjd, array), world, oracle.SOLVER)


@pytest.mark.parametrize("name", MODELS, ids=lambda n: Path(n).stem)
def test_inverse_gives_back_what_forward_was_given(name, device):
    pair = rig(name, "EULER", False, device)
    mjw.forward(pair.m, pair.d)
    actuator, constraint = pair.d.qfrc_actuator.numpy().copy(), pair.d.qfrc_constraint.numpy().copy()
    mjw.inverse(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        given = mjd.qfrc_applied + actuator[world]
        scale = np.linalg.norm(given) + np.linalg.norm(constraint[world])
        assert np.linalg.norm(pair.d.qfrc_inverse.numpy()[world] - given) <= 1e-4 * max(1.0, scale)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_discrete_inverse_explains_a_step(integrator, device):
    pair = rig(OWN / "fluid_zoo.xml", integrator, True, device)
    before = pair.d.qvel.numpy().copy()
    step, back = mjw.make_data(pair.m, pair.nworld), pair.d
    for name in ("qpos", "qvel", "qfrc_applied"):
        getattr(step, name).assign(getattr(back, name))
    mjw.step(pair.m, step)
    back.qacc.assign((step.qvel.numpy() - before) / pair.mjm.opt.timestep)
    mjw.inverse(pair.m, back)
    for world, mjd in enumerate(pair.mjds):
        near("qfrc_inverse", back.qfrc_inverse.numpy()[world], mjd.qfrc_applied, world, 2e-3)
