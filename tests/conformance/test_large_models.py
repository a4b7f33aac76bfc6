"""Large models with the sparse Jacobian against MuJoCo, in three unequal worlds.

The balls of ``newton_cradle.xml`` touch at distance zero with a stiffness of 1e8: float32 rounds to either side there. The
leaves of ``leaves.xml`` are so thin that float32 turns a normal by 0.02; they are held against the dense rows, and stage by stage
with MuJoCo's contacts taken over where ours are chosen otherwise.
"""

import agreement
import mujoco
import numpy as np
import oracle
import pytest
from paths import shared_model

from newtonish import mjw

MODELS = {
    "dm_humanoid/22_humanoids.xml": 60,
    "replicate_scenes/particle_free.xml": 30,
    "replicate_scenes/stonehenge.xml": 3,
    "replicate_scenes/tendon.xml": 60,
    "sleep_dominos/dominos.xml": 20,
    "softfoot/scene.xml": 30,
}


def converging(mjm: mujoco.MjModel) -> None:
    """Sparse rows, no sleeping, and tolerances that let both sides converge."""
    mjm.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    mjm.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    mjm.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    mjm.opt.tolerance, mjm.opt.iterations, mjm.opt.ls_iterations = 1e-10, 200, 50


@pytest.mark.parametrize("name", MODELS)
def test_rows_and_solution_agree(name, device):
    pair = oracle.load(shared_model(name), nworld=3, change=converging, device=device)
    assert pair.d.sparse
    oracle.advance(pair, MODELS[name])
    oracle.forward(pair)
    oracle.compare_contacts(pair)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)


def test_six_hundred_leaves_fall_as_with_dense_rows(device):
    pair = oracle.load(shared_model("replicate_scenes/leaves.xml"), nworld=2, change=converging, device=device)
    oracle.advance(pair, 100)
    qacc = []
    for jacobian in ("SPARSE", "DENSE"):
        pair.m.opt.jacobian = int(getattr(mujoco.mjtJacobian, f"mjJAC_{jacobian}"))
        mjw.forward(pair.m, pair.d)
        qacc.append(pair.d.qacc.numpy())
    assert pair.d.nefc.numpy().min() > 40
    assert np.linalg.norm(qacc[0] - qacc[1]) <= 1e-4 * np.linalg.norm(qacc[1])


@pytest.mark.parametrize(
    ("name", "steps", "contacts"),
    [("dm_humanoid/100_humanoids.xml", 0, 400), ("dm_humanoid/100_humanoids.xml", 20, 70), ("replicate_scenes/leaves.xml", 100, 10)],
)
def test_thousands_of_dofs_agree_stage_by_stage(name, steps, contacts, device):
    """2,700 and 1,800 dofs as the files come, at their start and after a few steps: what ``sweep.py`` compares of the smaller models."""
    pair = oracle.load(shared_model(name), nworld=2, device=device)
    oracle.advance(pair, steps)
    agreement.round_states(pair)
    state = agreement.measure(pair)
    assert pair.d.sparse and min(mjd.ncon for mjd in pair.mjds) >= contacts
    for number, world in enumerate(state.worlds):
        assert not world.errors, f"world {number}: {world.errors}"
        assert world.verified_qacc <= oracle.SOLVER
