"""Where the solvers begin and end: the tolerance is a share of the inertia of the island, and CG keeps a start that is good enough."""

import mujoco
import numpy as np
import oracle
import pytest

# an island of grams beside one of tons
SCENE = """<mujoco><option solver="{solver}" tolerance="{tolerance}" jacobian="{jacobian}"><flag island="{island}"/></option>
<worldbody><geom type="plane" size="5 5 .1"/>
<body pos="0 0 .099"><freejoint/><geom type="box" size=".2 .15 .1" mass=".01"/>
    <body pos=".3 0 .1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 .1" size=".02" mass=".02"/></body></body>
<body pos="3 0 .249"><freejoint/><geom type="box" size=".3 .2 .25" mass="5000"/></body></worldbody></mujoco>"""
KINDS = [("dense", "disable"), ("sparse", "enable"), ("sparse", "disable")]


def two_worlds(solver: str, tolerance: float, jacobian: str, island: str, device: str) -> oracle.Pair:
    mjm = mujoco.MjModel.from_xml_string(SCENE.format(solver=solver, tolerance=tolerance, jacobian=jacobian, island=island))
    pair = oracle.from_model(mjm, nworld=2, device=device)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_resetData(mjm, mjd)
        mjd.qvel[:] = np.random.default_rng(world).standard_normal(mjm.nv)
        mjd.qvel[[2, 9]] -= 3.0  # downwards: rows push
        mujoco.mj_forward(mjm, mjd)
    return pair


def near_the_solution(pair: oracle.Pair, far: float) -> list[np.ndarray]:
    """Warm starts of every world ``far`` beside its solution, in float32."""
    starts = []
    for world, mjd in enumerate(pair.mjds):
        tolerance, pair.mjm.opt.tolerance = pair.mjm.opt.tolerance, 1e-15
        mujoco.mj_forward(pair.mjm, mjd)
        pair.mjm.opt.tolerance = tolerance
        aside = np.random.default_rng(7 + world).standard_normal(pair.mjm.nv)
        starts.append((mjd.qacc + far * aside).astype(np.float32))
        mjd.qacc_warmstart[:] = starts[-1]
    oracle.push(pair)
    return starts


@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_light_bodies_are_solved_beside_heavy_ones(solver, device):
    """With one tolerance for all, what is enough for tons would be nothing to grams."""
    pair = two_worlds(solver, 1e-6, "sparse", "enable", device)
    oracle.push(pair)
    oracle.forward(pair)
    for world, mjd in enumerate(pair.mjds):
        assert mjd.nisland == 2
        light = slice(0, 7)
        ours, theirs = pair.d.qacc.numpy()[world, light], mjd.qacc[light]
        assert np.linalg.norm(ours - theirs) < 1e-3 * np.linalg.norm(theirs), (ours, theirs)


@pytest.mark.parametrize(("jacobian", "island"), KINDS)
def test_conjugate_gradients_keep_a_good_start(jacobian, island, device):
    """A start that the tolerance cannot tell from the minimum is the solution, to the bit, as in MuJoCo 4.0."""
    pair = two_worlds("CG", 1e-2, jacobian, island, device)
    starts = near_the_solution(pair, 1e-3)
    oracle.forward(pair)
    for world, (start, mjd) in enumerate(zip(starts, pair.mjds, strict=True)):
        assert mjd.solver_niter.sum() == 0
        assert pair.d.solver_niter.numpy()[world] == 0
        np.testing.assert_array_equal(pair.d.qacc.numpy()[world], start)


@pytest.mark.parametrize(("jacobian", "island"), KINDS)
def test_conjugate_gradients_leave_a_start_that_is_not_good_enough(jacobian, island, device):
    pair = two_worlds("CG", 1e-8, jacobian, island, device)
    near_the_solution(pair, 1e-1)
    oracle.forward(pair)
    for world, mjd in enumerate(pair.mjds):
        assert mjd.solver_niter.sum() > 0
        assert pair.d.solver_niter.numpy()[world] > 0
