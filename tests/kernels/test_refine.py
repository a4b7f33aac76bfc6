"""The last steps after CG and PGS: taken where float32 ended the iteration, and only if they lead to the minimum."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import shared_model

from newtonish import mjw
from newtonish.common.enums import SolverType
from newtonish.kernels.solver.stage import refine

RESULTS = ("qacc", "qacc_warmstart", "qfrc_constraint", "efc_Ma", "efc_force")
JACOBIANS = ("DENSE", "SPARSE")


def humanoid(solver: str, jacobian: str, device: str) -> oracle.Pair:
    """Three states of a humanoid after MuJoCo's 100 steps, to be solved with tolerance 0."""

    def change(mjm):
        mjm.opt.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{jacobian}")
        mjm.opt.solver, mjm.opt.tolerance, mjm.opt.iterations = mujoco.mjtSolver.mjSOL_NEWTON, 0.0, 100

    pair = oracle.load(shared_model("dm_humanoid/humanoid.xml"), nworld=3, change=change, device=device)
    oracle.advance(pair, 100)
    pair.m.opt.solver, pair.m.opt.iterations = int(SolverType[solver]), 2000
    pair.m.touch()
    pair.d = mjw.make_data(pair.m, 3)
    oracle.push(pair)
    return pair


def rounded(d: mjw.Data, solver: str) -> np.ndarray:
    """Worlds in which float32 has ended an iteration."""
    if d.sparse and solver != "PGS":
        found = np.arange(d.island_rounded.shape[1])[None] < d.nisland.numpy()[:, None]
        return (found & (d.island_rounded.numpy() != 0)).any(axis=1)
    return d.solver_rounded.numpy() != 0


@pytest.mark.parametrize("jacobian", JACOBIANS)
@pytest.mark.parametrize("solver", ["NEWTON", "CG", "PGS"])
def test_neither_a_limit_nor_the_tolerance_is_taken_for_rounding(solver, jacobian, device):
    pair = humanoid(solver, jacobian, device)
    mjw.forward(pair.m, pair.d)
    assert pair.d.nefc.numpy().min() > 0
    assert rounded(pair.d, solver).all()
    for iterations, tolerance in ((2, 0.0), (2000, 1e-3)):
        pair.m.opt.iterations = iterations
        pair.m.opt.tolerance.fill_(tolerance)
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
        assert not rounded(pair.d, solver).any(), (iterations, tolerance)


@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_steps_lead_to_the_minimum_or_nothing_changes(jacobian, device):
    """From accelerations far away: bit for bit the same, with the forces that PGS had found, or where the solver itself had ended."""
    pair = humanoid("PGS", jacobian, device)
    mjw.forward(pair.m, pair.d)
    found = pair.d.qacc.numpy().copy()
    rng = np.random.default_rng(0)
    stayed = arrived = 0
    for _ in range(8):
        pair.d.qacc.assign((1e6 * rng.standard_normal(found.shape)).astype(np.float32))
        pair.d.efc_force.assign(rng.standard_normal(pair.d.efc_force.shape).astype(np.float32))
        before = {name: getattr(pair.d, name).numpy().copy() for name in RESULTS}
        refine(pair.m, pair.d, SolverType.PGS)
        after = {name: getattr(pair.d, name).numpy() for name in RESULTS}
        for world, rows in enumerate(pair.d.nefc.numpy()):
            length = {name: rows if name == "efc_force" else None for name in RESULTS}
            same = all(np.array_equal(after[name][world, :n], before[name][world, :n]) for name, n in length.items())
            error = np.linalg.norm(after["qacc"][world] - found[world]) / np.linalg.norm(found[world])
            assert same or error <= 1e-5, (world, error)
            stayed, arrived = stayed + same, arrived + (not same)
    assert stayed > 0 and arrived > 0
