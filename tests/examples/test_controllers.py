"""The examples of predictive control and of trajectory optimization do what they say, with few samples and iterations."""

import importlib
from types import ModuleType

import numpy as np
import pytest
from paths import REPO

from newtonish.viewer.errors import ViewerUnavailable


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPO / "examples"))


@pytest.fixture
def sampling(examples: None) -> ModuleType:
    return importlib.import_module("predictive_sampling")


@pytest.fixture
def ilqr(examples: None) -> ModuleType:
    return importlib.import_module("ilqr")


@pytest.mark.parametrize("rule", ["sampling", "mppi"])
def test_the_quadruped_gets_up(rule: str, sampling: ModuleType) -> None:
    out = sampling.simulate("quadruped", seconds=2.2, rule=rule, samples=16)
    assert out.upright[4] < 0.6, "it begins on its side"
    assert (out.upright[-10:] > 0.8).all() and (out.heights[-10:] > 0.2).all()
    assert (out.taken > 0.0).all() and out.poses.shape == (110, 19)


def test_the_humanoid_gets_up(sampling: ModuleType) -> None:
    out = sampling.simulate("humanoid", seconds=0.1, samples=6)
    assert np.isfinite(out.costs).all() and (out.heights < 0.3).all() and np.abs(out.upright).max() < 0.9


def test_splines_go_through_their_knots(sampling: ModuleType) -> None:
    planner = sampling.Planner(sampling.quadruped(), sampling.TASKS["quadruped"], "mppi")
    times = np.linspace(0.0, planner.task.horizon, planner.task.knots)
    np.testing.assert_allclose(planner.weights_at(times), np.eye(len(times)), atol=1e-6)
    np.testing.assert_allclose(planner.weights_at(np.linspace(0.0, 1.0, 33)).sum(axis=1), 1.0, atol=1e-6)


def test_costs_are_those_of_numpy(sampling: ModuleType) -> None:
    """The kernel's sum beside the same one in NumPy, for rollouts that differ."""
    planner = sampling.Planner(sampling.quadruped(), sampling.TASKS["quadruped"], "sampling")
    start = np.zeros((1, 38), np.float32)
    start[0, [3, 4]] = 0.3, 1.0
    planner.start.assign(start)
    planner.plan()
    states, pose, (height, upright, bend, speed) = planner._states.numpy().astype(float), planner._pose.numpy(), planner.task.weights
    up = 1.0 - 2.0 * (states[..., 5] ** 2 + states[..., 6] ** 2)
    terms = height * abs(states[..., 3] - pose[2]) + upright * (1.0 - up) + speed * (states[..., 20:] ** 2).sum(axis=-1)
    terms += bend * ((states[..., 8:20] - pose[7:]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(planner._cost.numpy(), terms.mean(axis=0), rtol=1e-5)
    assert np.ptp(planner._cost.numpy()) > 0.01


@pytest.mark.parametrize("name", ["pendulum", "cartpole"])
def test_poles_swing_up(name: str, ilqr: ModuleType) -> None:
    (solver,), errors = ilqr.simulate(name, iterations=120)
    assert np.all(np.diff(solver.costs) <= 0.0), "no iteration is for the worse"
    assert np.abs(errors[0, :2]).max() < 0.03 and np.abs(errors[0]).max() < 0.2
    low, high = solver.m.actuator_ctrlrange.numpy()[0].T
    assert (solver.controls >= low).all() and (solver.controls <= high).all()
    assert np.isclose(np.abs(solver.controls), high).any(), "it takes all the force that there is"


def test_the_arm_reaches(ilqr: ModuleType) -> None:
    solvers, errors = ilqr.simulate("arm", iterations=40, targets=ilqr.TARGETS[:2])
    assert np.linalg.norm(errors[:, :3], axis=1).max() < 5e-3 and np.abs(errors[:, 3:]).max() < 0.05
    np.testing.assert_array_equal(solvers[1].states[0, :7], solvers[0].states[-1, :7])


def test_a_film(examples: None, tmp_path) -> None:
    filming, sampling = (importlib.import_module(name) for name in ("filming", "predictive_sampling"))
    poses = np.tile(np.array([0, 0, 0.3, 1, 0, 0, 0] + [0, 0.8, -1.6] * 4, dtype=float), (20, 1))
    try:
        filming.film(tmp_path / "film.gif", sampling.quadruped(), poses, 0.02, "follow", size=(64, 48))
    except ViewerUnavailable as error:
        pytest.skip(str(error))
    assert (tmp_path / "film.gif").stat().st_size > 500
