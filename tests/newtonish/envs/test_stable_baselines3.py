"""The vectorised environment of Stable-Baselines3, beside its own over Gymnasium's tasks; a learner learns."""

from importlib.util import find_spec

import gymnasium
import mujoco  # noqa: F401  the environments of Gymnasium need it
import numpy as np
import pytest

from newtonish import envs

if find_spec("stable_baselines3") is None:
    pytest.skip("needs stable_baselines3: pip install 'newtonish[learn]'", allow_module_level=True)

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from newtonish.envs.stable_baselines3 import WorldVecEnv

TASK = "InvertedPendulum-v5"


def make(task: str, worlds: int, **arguments: object) -> WorldVecEnv:
    return WorldVecEnv(envs.make_vec(task, worlds, autoreset_mode="SameStep", **arguments))


def test_episodes_as_over_gymnasiums_environments() -> None:
    ours = make(TASK, 3, max_episode_steps=7)
    theirs = DummyVecEnv([lambda: gymnasium.make(TASK, max_episode_steps=7)] * 3)
    for env in (ours, theirs):
        env.seed(4)
    np.testing.assert_allclose(ours.reset(), theirs.reset(), atol=1e-6)
    ends = 0
    for _ in range(20):
        actions = np.array([[3.0], [1.0], [0.0]], dtype=np.float32)
        (a, reward, done, infos), (b, wanted, ended, theirs_infos) = ours.step(actions), theirs.step(actions)
        np.testing.assert_allclose(a, b, atol=2e-5)
        assert np.array_equal(reward, wanted) and reward.dtype == wanted.dtype
        assert np.array_equal(done, ended)
        for mine, other, over in zip(infos, theirs_infos, done, strict=True):
            assert set(mine) == (set(other) if over else set())
            if over:
                ends += 1
                np.testing.assert_allclose(mine["terminal_observation"], other["terminal_observation"], atol=2e-5)
                assert mine["TimeLimit.truncated"] == other["TimeLimit.truncated"]
    assert ends > 6


@pytest.mark.parametrize("task", list(envs.TASKS))
def test_the_checker_accepts_one_world(task: str) -> None:
    check_env(envs.make(task, max_episode_steps=30), skip_render_check=True)


def test_a_learner_learns_to_balance() -> None:
    """A short training by PPO: a random policy falls after about 6 steps, and learning makes that ten times as many."""
    torch.set_num_threads(1)  # more would wait for each other
    env = VecMonitor(make(TASK, 32))
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=10, learning_rate=1e-3, gamma=0.97, seed=0, device="cpu")
    model.learn(32 * 64 * 15)
    trial = envs.make_vec(TASK, 16, max_episode_steps=200, autoreset_mode="SameStep")
    observation, _ = trial.reset(seed=100)
    length = np.zeros(16)
    alive = np.ones(16, dtype=bool)
    for _ in range(200):
        observation, _, terminated, truncated, _ = trial.step(model.predict(observation, deterministic=True)[0])
        length += alive
        alive &= ~(terminated | truncated)
    assert np.median(length) > 60


def test_wrappers_of_the_library_go_on_top() -> None:
    env = VecNormalize(VecMonitor(make("HalfCheetah-v5", 4, max_episode_steps=5)))
    env.reset()
    seen = []
    for _ in range(6):
        _, _, done, infos = env.step(np.zeros((4, 6), dtype=np.float32))
        seen.extend(info["episode"]["l"] for info, over in zip(infos, done, strict=True) if over)
    assert seen == [5, 5, 5, 5]
    assert env.get_attr("num_envs") == [4] * 4
    env.close()


def test_misuse_is_explained() -> None:
    with pytest.raises(ValueError, match="WorldVecEnv: env: got autoreset mode 'NextStep'; allowed: 'SameStep'"):
        WorldVecEnv(envs.make_vec(TASK, 2))
    env = make(TASK, 3)
    with pytest.raises(ValueError, match="set_attr: indices: got 1"):
        env.set_attr("max_episode_steps", 5, indices=1)
    env.set_attr("max_episode_steps", 5)
    assert env.env.max_episode_steps == 5
