"""Forces of a medium: against MuJoCo, and against what follows from the laws."""

from pathlib import Path

import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw

ZOO = Path(__file__).parents[1] / "models" / "fluid_zoo.xml"
MEDIA = [(20.0, 0.3, True), (20.0, 0.0, False), (0.0, 0.3, True), (1.2, 2e-5, False)]
INTEGRATORS = ("EULER", "IMPLICITFAST", "IMPLICIT", "RK4")


def medium(density: float, viscosity: float, wind: bool, integrator: str = "EULER"):
    """Set these options."""

    def change(mjm):
        mjm.opt.density, mjm.opt.viscosity = density, viscosity
        mjm.opt.wind[:] *= wind
        mjm.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")

    return change


def moving(change, device: str, nworld: int = 4) -> oracle.Pair:
    """The zoo in unequal states, all but the first of which move fast."""
    pair = oracle.load(ZOO, nworld=nworld, change=change, device=device)
    rng = np.random.default_rng(3)
    for world, mjd in enumerate(pair.mjds):
        mjd.qvel[:] = 1.5 * world * rng.standard_normal(pair.mjm.nv)
    oracle.push(pair)
    return pair


@pytest.mark.parametrize("options", MEDIA)
def test_forces_of_the_medium(options, device):
    pair = moving(medium(*options), device)
    oracle.forward(pair)
    names = ("qfrc_fluid", "qfrc_passive", "qfrc_smooth", "qacc_smooth")
    oracle.compare_arrays(pair, names, oracle.SMOOTH)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("options", MEDIA)
def test_steps_within_the_medium(options, integrator, device):
    pair = moving(medium(*options, integrator), device)
    for _ in range(10):
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
    oracle.compare_arrays(pair, ("qpos", "qvel"), 1e-4)


def test_a_medium_only_takes_energy(device):
    def change(mjm):
        medium(30.0, 0.1, False)(mjm)
        mjm.opt.gravity[:] = 0.0
        mjm.jnt_stiffness[:] = 0.0

    pair = moving(change, device, nworld=3)
    energy = []
    for _ in range(30):
        mjw.step(pair.m, pair.d)
        mjw.forward(pair.m, pair.d)
        v, fluid = pair.d.qvel.numpy(), pair.d.qfrc_fluid.numpy()
        energy.append((v * fluid).sum(axis=1))
    assert (np.array(energy) <= 1e-6).all()


def test_disabling_springs_and_dampers_leaves_the_medium_out(device):
    def change(mjm):
        mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SPRING | mujoco.mjtDisableBit.mjDSBL_DAMPER)

    pair = moving(change, device)
    oracle.forward(pair)
    oracle.compare_arrays(pair, ("qfrc_fluid", "qfrc_passive", "qacc_smooth"), oracle.SMOOTH)
    assert not pair.d.qfrc_fluid.numpy().any()


def test_worlds_may_have_media_of_their_own(device):
    pair = moving(medium(1.0, 0.0, False), device)
    pair.m.opt.density = mjw_array([0.5 * (1 + world) for world in range(pair.nworld)], device)
    pair.m.touch()
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        pair.mjm.opt.density = 0.5 * (1 + world)
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.compare_arrays(pair, ("qfrc_fluid",), oracle.SMOOTH)


def mjw_array(values, device):
    import warp as wp

    return wp.array(values, dtype=wp.float32, device=device)
