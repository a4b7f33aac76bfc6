"""Every example runs and ends where it should."""

import importlib.util
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from paths import REPO

from newtonish.assets import asset_path


def example(name: str) -> ModuleType:
    path = REPO / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"example_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_load_mjcf() -> None:
    heights = example("load_mjcf").simulate(str(asset_path()), worlds=3, seconds=0.5)
    assert heights.shape == (3,)
    assert np.isfinite(heights).all() and (heights > 0.05).all() and (heights < 1.0).all()
    assert np.ptp(heights) > 0.0


def test_many_worlds() -> None:
    heights, rate = example("many_worlds").simulate(worlds=5, steps=40)
    assert heights.shape == (5,) and rate > 0.0
    assert np.isfinite(heights).all() and (heights > 0.3).all() and (heights < 0.75).all()
    assert np.ptp(heights) > 0.0


def test_first_step() -> None:
    parts = example("first_step").simulate(worlds=8)
    assert list(parts)[-1] == "first step" and all(min(seconds) >= 0.0 for seconds in parts.values())


def test_user_actuator() -> None:
    angles, deflections = example("user_actuator").simulate(worlds=4, seconds=1.0)
    assert angles.shape == deflections.shape == (4,)
    # the servo holds each world near its target, short of it by what friction takes
    assert np.abs(angles - np.linspace(0.2, 0.8, 4)).max() < 0.1
    assert np.ptp(deflections) > 0.0


def test_control_callback() -> None:
    angles = example("control_callback").simulate(worlds=4, seconds=1.0)
    assert abs(angles[0]) > 0.6, "without stiffness it falls, slowly"
    assert (np.abs(angles[1:]) < 0.1).all()


def test_gradient_fit() -> None:
    """The gradient takes a fifth of the steps at most, with a step's adjoint counted as five, and finds the arm."""
    fit = example("gradient_fit")
    true = fit.Fit(1, 0, "cpu").true
    found, steps = fit.by_gradient()
    _, others = fit.without_gradient(most=5 * steps // (fit.STEPS * fit.PIECES * 11) + 1)  # of eleven candidates
    assert others >= 5 * steps
    gains = slice(true.size // 2, None)
    assert np.abs(found[gains] - true[gains]).max() < 0.02
    assert np.abs(found - true).max() < 0.3


def test_policy_gradient() -> None:
    pytest.importorskip("torch")
    costs = example("policy_gradient").train(worlds=8, iterations=25)
    assert np.mean(costs[-5:]) < 0.25 * np.mean(costs[:3])


def test_rollouts() -> None:
    angles = example("rollouts").simulate(samples=96, seconds=1.2)
    assert np.abs(angles).max() < 0.6, "it never falls"
    assert np.abs(angles[-5:]).mean() < 0.25


def test_derivatives() -> None:
    residuals = example("derivatives").simulate(steps=20)
    assert residuals["force"] < 2e-2 and residuals["velocity"] < 5e-2


def test_diagnostics() -> None:
    found = example("diagnostics").simulate(str(asset_path()), worlds=3, steps=40)
    assert found["iterations"].shape == found["energy"].shape == (40, 3) and found["iterations"].max() > 0
    assert not found["warnings"].any() and (found["disagreement"] < 1.0).all()
    assert (found["gradient"][:, -1] <= found["gradient"][:, 0]).all()


def test_creatures() -> None:
    module = example("creatures")
    arena = module.make_arena([3, 4])
    assert len(arena.find_all("actuator")) == 14 and arena.find("joint", "creature1/leg3/knee") is not None
    positions = module.simulate([3, 4], worlds=2, seconds=0.4)
    assert positions.shape == (2, 2, 3) and np.isfinite(positions).all()
    assert (positions[..., 2] > 0.01).all() and (positions[..., 2] < 0.2).all()
    assert np.abs(positions[1] - positions[0]).max() > 1e-3, "the faster one moved elsewhere"


def test_gain_tuning() -> None:
    module = example("gain_tuning")
    depth, excess = module.simulate(module.FORCE_SPACE)
    np.testing.assert_allclose([depth, excess], module.FORCE / module.STIFFNESS, rtol=0.02)


def test_all_examples_are_tested() -> None:
    assert {path.stem for path in (REPO / "examples").glob("*.py")} == {
        "control_callback", "creatures", "derivatives", "diagnostics", "filming", "first_step", "gain_tuning", "gradient_fit", "ilqr", "load_mjcf",
        "many_worlds", "learning", "policy_gradient", "predictive_sampling", "rollouts", "train_cartpole", "train_halfcheetah", "train_quadruped", "usd_pipeline", "user_actuator",
        "window_panel",  # on a display: tests/newtonish/viewer/test_window.py
    }  # fmt: skip


def test_usd_pipeline(tmp_path) -> None:
    poses, worst = example("usd_pipeline").run(tmp_path, worlds=3, seconds=0.5)
    assert poses.shape == (16, 3, 23, 7) and np.isfinite(poses).all()
    assert worst < 1e-6, "the recording is the motion"
    assert (poses[-1, :, :, 2] > -0.01).all(), "nothing fell through the ground"
    moved = np.abs(poses[-1, :, 2] - poses[0, :, 2]).max(axis=-1)
    assert (moved > 0.1).all() and np.ptp(poses[-1, :, 2], axis=0).max() > 0.1, "each arm went somewhere else"


@pytest.fixture
def lessons(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that the training examples share."""
    pytest.importorskip("stable_baselines3")
    monkeypatch.syspath_prepend(str(REPO / "examples"))
    return importlib.import_module("learning")


def test_train_cartpole(lessons: ModuleType) -> None:
    """A policy after a short training is better than the first steps', and scores the same in Gymnasium's own environments."""
    lesson = replace(example("train_cartpole").LESSON, steps=40_000, worlds=16, arguments={"max_episode_steps": 300})
    model, normalise, curve = lessons.train(lesson)
    assert curve.points[-1][0] == 40_960 and curve.points[-1][2] > 2 * curve.points[0][2]
    trials = [lessons.ours(lesson, 4), lessons.gymnasiums(lesson, 4)]
    for trial in trials:
        trial.seed(5)
    here, there = (lessons.score(model, normalise, trial) for trial in trials)
    assert here.mean() > 40
    assert np.abs(here - there).max() <= 0.05 * here.mean()


@pytest.mark.parametrize(("name", "worlds"), [("train_halfcheetah", 16), ("train_quadruped", 32)])
def test_train_runners(name: str, worlds: int, lessons: ModuleType) -> None:
    lesson = replace(example(name).LESSON, steps=1, worlds=worlds)
    model, normalise, _ = lessons.train(lesson)
    assert model.num_timesteps == 2048
    observation = normalise.reset()
    assert np.isfinite(model.predict(observation, deterministic=True)[0]).all()
    if name == "train_quadruped":
        velocity, falls = example(name).walk(model, normalise, (0.5, 0.0, 0.0), worlds=2, steps=10)
        assert velocity.shape == (3,) and np.isfinite(velocity).all() and falls >= 0
