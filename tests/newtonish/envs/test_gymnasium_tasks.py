"""Tasks that Gymnasium has too: the same episodes from the same seeds, the same step from the same state."""

import mujoco  # noqa: F401  the environments of Gymnasium need it
import numpy as np
import pytest
from gymnasium_tasks import Beside

from newtonish import envs

TASKS = [name for name in envs.TASKS if name.endswith("-v5")]


@pytest.mark.parametrize("task", TASKS)
def test_the_same_step_from_the_same_state(task: str) -> None:
    """Episodes of Gymnasium, each step of which is done by us too, from where it began."""
    beside = Beside(task, 3)
    ours, theirs = beside.reset(seed=11)
    np.testing.assert_allclose(ours, theirs, atol=5e-6, rtol=5e-6)
    for _ in range(40):
        beside.align()
        (observed, reward, terminated, truncated, info), wanted = beside.step(beside.actions())
        size = np.maximum(1.0, np.abs(wanted[0]))
        assert (np.abs(observed - wanted[0]) / size).max() < 1e-3
        np.testing.assert_allclose(reward, wanted[1], atol=1e-4, rtol=1e-5)
        assert np.array_equal(terminated, wanted[2])
        for i, each in enumerate(wanted[4]):
            assert set(each) == {name for name in info if not name.startswith("_")}
            for name, value in each.items():
                np.testing.assert_allclose(info[name][i], value, atol=1e-4, rtol=1e-5, err_msg=name)
        if terminated.any():
            beside.reset(seed=100)
    for env in beside.theirs:
        env.close()


@pytest.mark.parametrize("task", TASKS)
def test_spaces_and_time_limits(task: str) -> None:
    beside = Beside(task, 2)
    assert beside.ours.single_observation_space.shape == beside.theirs[0].observation_space.shape
    assert beside.ours.single_action_space == beside.theirs[0].action_space
    assert beside.ours.max_episode_steps == beside.theirs[0].spec.max_episode_steps
    assert beside.ours.metadata["render_fps"] == beside.theirs[0].metadata["render_fps"]


@pytest.mark.parametrize("task", TASKS)
def test_arguments_are_gymnasiums(task: str) -> None:
    plain = {"exclude_current_positions_from_observation": False} if task != "InvertedPendulum-v5" else {}
    beside = Beside(task, 2, reset_noise_scale=0.03, **plain)
    ours, theirs = beside.reset(seed=5)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, atol=5e-6, rtol=5e-6)
