"""Large models with the sparse Jacobian against MuJoCo, in three unequal worlds.

The balls of ``newton_cradle.xml`` touch at distance zero with a stiffness of 1e8: float32 rounds to either side there. The
leaves of ``leaves.xml`` are so thin that float32 turns a normal by 0.02; they are held against the dense rows.
"""

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
