"""Conjugate gradients, projected Gauss-Seidel and slip suppression: against MuJoCo's solutions and against each other."""

import mujoco
import numpy as np
import oracle
import pytest
from constraint_rigs import filled, states, zoo

from newtonish import mjw
from newtonish.common.enums import SolverType
from newtonish.errors import ModelError
from newtonish.kernels.constraint.stage import make_constraint
from newtonish.kernels.solver.stage import noslip, solve

SOLVERS = ("CG", "PGS")
CASES = [(cone, condim) for cone in ("pyramidal", "elliptic") for condim in (1, 3, 4, 6)]


def prepared(cone: str, condim: int, device: str, solver: str = "PGS", noslip_iterations: int = 0):
    """A zoo in four unequal states, with rows made and tolerances that let a solver converge."""
    mjm = zoo(cone, condim)
    mjds = states(mjm)
    mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    mjm.opt.iterations, mjm.opt.tolerance, mjm.opt.ls_iterations = 3000, 1e-12, 100
    mjm.opt.noslip_iterations, mjm.opt.noslip_tolerance = noslip_iterations, 0.0
    m, d = filled(mjm, mjds, device)
    make_constraint(m, d)
    return mjm, mjds, m, d


def near(name: str, ours: np.ndarray, theirs: np.ndarray, world: int, tolerance: float = 1e-3) -> None:
    error, scale = np.linalg.norm(ours - theirs), max(1.0, np.linalg.norm(theirs))
    assert error <= tolerance * scale, f"{name}, world {world}: error {error:.3g} of norm {scale:.3g}"


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("cone", "condim"), CASES)
def test_every_solver_finds_the_minimum_that_mujoco_finds(cone, condim, solver, device):
    _mjm, mjds, m, d = prepared(cone, condim, device, solver)
    solve(m, d, SolverType[solver])
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)
        near("qfrc_constraint", d.qfrc_constraint.numpy()[world], mjd.qfrc_constraint, world)
        near("qacc_warmstart", d.qacc_warmstart.numpy()[world], d.qacc.numpy()[world], world, 0.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_cold_start_ends_where_a_warm_one_does(cone, solver, device):
    _mjm, mjds, m, d = prepared(cone, 3, device, solver)
    d.qacc_warmstart.fill_(1000.0)
    solve(m, d, SolverType[solver])
    for world, mjd in enumerate(mjds):
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("condim", [3, 4, 6])
def test_slip_suppression_gives_mujocos_forces(cone, condim, device):
    """Also where rounding at the rim of a cone makes steps cost more: sweeps ended there, 1.4e-3 of the norm away in some builds."""
    mjm, mjds, m, d = prepared(cone, condim, device, "Newton", noslip_iterations=400)
    solve(m, d, SolverType.NEWTON)
    noslip(m, d)
    for world, mjd in enumerate(mjds):
        mujoco.mj_forward(mjm, mjd)
        near("qacc", d.qacc.numpy()[world], mjd.qacc, world, 1e-4)
        near("qfrc_constraint", d.qfrc_constraint.numpy()[world], mjd.qfrc_constraint, world, 1e-4)
        inside = ~on_the_cone(mjd)
        theirs = mjd.efc_state[inside], d.efc.state.numpy()[world, : mjd.nefc][inside]
        np.testing.assert_array_equal(*theirs, err_msg=f"world {world}")


def on_the_cone(mjd: mujoco.MjData) -> np.ndarray:
    """Rows of elliptic contacts whose force slip suppression has put onto the cone, where rounding decides the state."""
    found = np.zeros(mjd.nefc, dtype=bool)
    for contact in mjd.contact:
        first, dim = contact.efc_address, contact.dim
        if first >= 0 and dim > 1 and mjd.efc_type[first] == mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC:
            force = mjd.efc_force[first : first + dim]
            gap = abs(force[0] - np.linalg.norm(force[1:] / contact.friction[: dim - 1]))
            found[first : first + dim] = gap <= 1e-4 * max(1.0, force[0])
    return found


SLIDE = """<mujoco><option noslip_iterations="50" noslip_tolerance="1e-4" impratio="3" gravity="3 0 -9.81"/><worldbody>
  <geom type="plane" size="5 5 .1"/><body pos="0 0 .099"><freejoint/><geom size=".1" friction="1 .05 .01"/></body>
  <body pos="1 0 1"><joint axis="0 1 0" frictionloss=".5"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/></body>
  <body pos="-1 0 1"><joint type="slide" frictionloss="2"/><geom size=".05"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("jacobian", [0, 1])
def test_sweeps_of_slip_suppression_are_counted(jacobian, device):
    counts = []
    for iterations in (0, 1):
        mjm = mujoco.MjModel.from_xml_string(SLIDE)
        mjm.opt.jacobian, mjm.opt.noslip_iterations = jacobian, iterations
        pair = oracle.from_model(mjm, 2, device=device)
        mjw.forward(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_forward(mjm, mjd)
        counts.append([pair.d.solver_niter.numpy(), np.array([mjd.solver_niter[0] for mjd in pair.mjds])])
    assert (np.array(counts[1]) - counts[0]).tolist() == [[1, 1], [1, 1]]


def test_slip_suppression_holds_a_box_on_a_slope(device):
    xml = """<mujoco><option cone="elliptic" noslip_iterations="{}"/><worldbody>
      <geom type="plane" size="9 9 .1" euler="0 12 0"/>
      <body euler="0 12 0" pos="0.02 0 0.0995"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""
    drift = []
    for iterations in (0, 20):
        mjm = mujoco.MjModel.from_xml_string(xml.format(iterations))
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, 2)
        velocity = d.qvel.numpy()
        velocity[1, 1] = 0.01
        d.qvel.assign(velocity)
        for _ in range(200):
            mjw.step(m, d)
        before = d.qpos.numpy().copy()
        for _ in range(200):
            mjw.step(m, d)
        drift.append(np.linalg.norm((d.qpos.numpy() - before)[:, :3], axis=1))
    assert (drift[1] < 0.02 * drift[0]).all(), drift


@pytest.mark.parametrize("solver", ["CG", "PGS"])
def test_the_solver_of_the_model_is_the_one_that_runs(solver, device):
    mjm = zoo("elliptic", 3)
    mjm.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
    mjm.opt.iterations, mjm.opt.tolerance = 2000, 1e-12
    m = mjw.put_model(mjm, device=device, strict=False)
    assert m.opt.solver == SolverType[solver]
    d = mjw.make_data(m, 3)
    velocity = np.random.default_rng(0).standard_normal((3, mjm.nv)).astype(np.float32)
    d.qvel.assign(0.1 * velocity)
    for _ in range(20):
        mjw.step(m, d)
    fused = d.qacc.numpy().copy()
    assert np.isfinite(fused).all() and (d.solver_niter.numpy() > 0).any()


def test_options_may_change_between_steps(device):
    mjm = zoo("elliptic", 3)
    mjm.opt.iterations, mjm.opt.tolerance = 2000, 1e-12
    m = mjw.put_model(mjm, device=device, strict=False)
    results = []
    for options in ({}, {"solver": SolverType.PGS}, {"solver": SolverType.CG, "integrator": 2}, {"noslip_iterations": 2}):
        d = mjw.make_data(m, 2)
        velocity = 0.1 * np.random.default_rng(0).standard_normal((2, mjm.nv))
        d.qvel.assign(velocity.astype(np.float32))
        for _ in range(10):
            mjw.step(m, d)
        before = d.qacc.numpy().copy()
        for name, value in options.items():
            setattr(m.opt, name, int(value))
        m.touch()
        mjw.forward(m, d)
        results.append((before, d.qacc.numpy().copy(), d.qpos.numpy().copy()))
        mjw.step(m, d)
        assert np.isfinite(d.qpos.numpy()).all()
        m.opt.solver, m.opt.integrator, m.opt.noslip_iterations = int(SolverType.NEWTON), mjm.opt.integrator, 0
        m.touch()
    near("PGS", results[1][1], results[0][1], 0)
    near("CG", results[2][1], results[0][1], 0)


FLAP = """<mujoco><option cone="elliptic" noslip_iterations="5" noslip_tolerance="0" solver="{solver}" iterations="300" tolerance="1e-12"/><worldbody><geom type="plane" size="2 2 .1"/>
  <body pos="0 0 .1"><joint axis=".6 1 .8" armature=".01"/><geom type="capsule" size=".05 .2" pos=".25 0 -.06" condim="{condim}" quat="1 0 1 0"/></body>
  </worldbody></mujoco>"""


@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("condim", [3, 4, 6])
def test_slip_whose_axes_are_one_is_left_as_mujoco_leaves_it(condim, solver, device):
    """On a single hinge the friction axes of a contact cannot be told apart: the matrix of its friction is singular."""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(FLAP.format(condim=condim, solver=solver)), 3, device=device)
    for mjd in pair.mjds:
        mjd.qvel[:] += 0.7
    oracle.push(pair)
    oracle.forward(pair)
    assert all(mjd.ncon == 2 for mjd in pair.mjds)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)


def test_gauss_seidel_needs_the_arrays_of_the_dual_problem(device):
    m, d = falling_ball(device)
    with pytest.raises(ModelError, match=r"no arrays of the dual problem; allowed: .*set m.opt.solver to PGS"):
        mjw.solve_pgs(m, d)
    m.opt.solver = int(SolverType.PGS)
    mjw.solve_pgs(m, d)


def test_slip_suppression_gets_its_arrays_with_its_iterations(device):
    m, d = falling_ball(device)
    mjw.forward(m, d)
    m.opt.noslip_iterations = 3
    mjw.noslip(m, d)
    assert np.isfinite(d.qacc.numpy()).all()


def test_no_iterations_of_slip_suppression_need_nothing(device):
    m, d = falling_ball(device)
    mjw.forward(m, d)
    before = d.qacc.numpy()
    mjw.noslip(m, d)
    np.testing.assert_array_equal(d.qacc.numpy(), before)


def falling_ball(device: str) -> tuple[mjw.Model, mjw.Data]:
    return mjw.load("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>", 2, device=device)
