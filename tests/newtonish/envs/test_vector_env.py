"""The interface of vectorised environments: autoreset, masks, seeds and ``info`` as Gymnasium's SyncVectorEnv has them."""

import subprocess
import sys
from typing import Any

import gymnasium
import mujoco  # noqa: F401  the environments of Gymnasium need it
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from newtonish import envs

TASK, WORLDS, LIMIT = "InvertedPendulum-v5", 4, 7


def same(ours: Any, theirs: Any, place: str = "info") -> None:
    """Nested dictionaries with equal keys, masks and numbers."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), place
        for name in theirs:
            same(ours[name], theirs[name], f"{place}[{name!r}]")
    elif theirs.dtype == object:
        assert [each is None for each in ours] == [each is None for each in theirs], place
        for a, b in zip(ours, theirs, strict=True):
            if b is not None:
                np.testing.assert_allclose(a, b, atol=2e-5, err_msg=place)
    else:
        assert ours.shape == theirs.shape, place
        np.testing.assert_allclose(ours, theirs, atol=2e-5, err_msg=place)


def both(mode: AutoresetMode, task: str = TASK) -> tuple[envs.WorldVectorEnv, SyncVectorEnv]:
    theirs = SyncVectorEnv([lambda: gymnasium.make(task, max_episode_steps=LIMIT)] * WORLDS, autoreset_mode=mode)
    return envs.make_vec(task, WORLDS, max_episode_steps=LIMIT, autoreset_mode=mode), theirs


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episodes_follow_each_other_as_in_gymnasium(mode: AutoresetMode) -> None:
    """Falls and time limits at different times in different worlds, over several episodes."""
    ours, theirs = both(mode)
    a, b = ours.reset(seed=3), theirs.reset(seed=3)
    np.testing.assert_allclose(a[0], b[0], atol=1e-6)
    same(a[1], b[1])
    rng = np.random.default_rng(0)
    falls = limits = 0
    for _ in range(40):
        # the first world is pushed hardest and falls, the last one is left alone and runs out of time
        actions = (np.array([[3.0], [2.0], [1.0], [0.0]]) * rng.choice([-1.0, 1.0, 1.0], (WORLDS, 1))).astype(np.float32)
        a, b = ours.step(actions), theirs.step(actions)
        for mine, wanted in zip(a[:4], b[:4], strict=True):
            assert mine.shape == wanted.shape
            np.testing.assert_allclose(mine, wanted, atol=2e-5)
        same(a[4], b[4])
        falls, limits = falls + b[2].sum(), limits + (b[3] & ~b[2]).sum()
        ended = b[2] | b[3]
        if mode == AutoresetMode.DISABLED and ended.any():
            a, b = (env.reset(options={"reset_mask": ended}) for env in (ours, theirs))
            np.testing.assert_allclose(a[0], b[0], atol=2e-5)
            same(a[1], b[1])
    assert falls > 5 and limits > 3
    theirs.close()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_worlds_that_go_on_do_not_notice_resets_of_others(mode: AutoresetMode) -> None:
    """Results that only a whole evaluation gives, such as contact forces, stay those of the step."""
    ours, theirs = both(mode, "Ant-v5")
    ours.reset(seed=1)
    theirs.reset(seed=1)
    ours.reset(options={"reset_mask": np.array([True, False, False, True])})  # now two worlds are ahead of the others
    theirs.reset(options={"reset_mask": np.array([True, False, False, True])})
    rng = np.random.default_rng(0)
    for _ in range(LIMIT + 2):
        actions = rng.uniform(-1.0, 1.0, ours.action_space.shape).astype(np.float32)
        a, b = ours.step(actions), theirs.step(actions)
        np.testing.assert_allclose(a[0], b[0], atol=1e-3)
        np.testing.assert_allclose(a[1], b[1], atol=1e-3)
    theirs.close()


def episode(env: envs.WorldVectorEnv, seed: int | None) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    results = [env.reset(seed=seed)[0]]
    for _ in range(12):
        step = env.step(rng.uniform(-1.0, 1.0, env.action_space.shape).astype(np.float32))
        results.extend(step[:4])
    return results


def test_a_seed_gives_the_same_episodes_again() -> None:
    env, other = (envs.make_vec("Hopper-v5", 3, max_episode_steps=5) for _ in range(2))
    first = episode(env, 42)
    assert all(np.array_equal(a, b) for a, b in zip(first, episode(env, 42), strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(first, episode(other, 42), strict=True))
    assert not np.array_equal(first[0], episode(env, None)[0])
    assert not np.array_equal(first[0], episode(env, 43)[0])
    assert env.np_random_seed == (43, 44, 45)
    assert not np.array_equal(first[0][0], first[0][1])
    single = episode(envs.make_vec("Hopper-v5", 1, max_episode_steps=5), 43)[0]
    assert np.array_equal(single[0], first[0][1])  # a world does not depend on how many there are


def test_one_world_can_be_given_a_seed() -> None:
    env = envs.make_vec(TASK, 3)
    first, _ = env.reset(seed=[1, 2, 3])
    mask = np.array([False, True, False])
    again, info = env.reset(seed=[None, 2, None], options={"reset_mask": mask})
    assert np.array_equal(first, again)
    assert info == {}


def test_arrays_that_are_returned_are_the_callers() -> None:
    env = envs.make_vec("HalfCheetah-v5", 2)
    observation, info = env.reset(seed=0)
    kept, place = observation.copy(), info["x_position"].copy()
    stepped = env.step(np.ones((2, 6), dtype=np.float32))
    assert np.array_equal(observation, kept)
    assert np.array_equal(info["x_position"], place)
    stepped[0][:] = 1e6
    assert np.abs(env.step(np.zeros((2, 6), dtype=np.float32))[0]).max() < 100.0


@pytest.mark.parametrize("task", list(envs.TASKS))
def test_gymnasiums_checker_accepts_one_world(task: str) -> None:
    env = envs.make(task, max_episode_steps=30)
    check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.filterwarnings("ignore:.*environment.*:UserWarning")
def test_gymnasium_makes_them_by_name() -> None:
    env = gymnasium.make_vec("newtonish.envs:newtonish/Hopper-v5", num_envs=3, max_episode_steps=2, reset_noise_scale=0.0)
    assert isinstance(env, envs.WorldVectorEnv) and env.num_envs == 3
    observation, _ = env.reset(seed=0)
    assert np.array_equal(observation[0], observation[2])
    env.step(np.zeros((3, 3), dtype=np.float32))
    assert env.step(np.zeros((3, 3), dtype=np.float32))[3].all()
    assert env.spec.id == "newtonish/Hopper-v5"
    single = gymnasium.make("newtonish/Hopper-v5", max_episode_steps=2)
    single.reset(seed=0)
    single.step(single.action_space.sample())
    assert single.step(single.action_space.sample())[3]


def test_wrappers_of_gymnasium_go_on_top() -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs.make_vec("HalfCheetah-v5", 3, max_episode_steps=4))
    env.reset(seed=0)
    rewards = []
    for _ in range(4):
        _, reward, _, truncated, info = env.step(np.zeros((3, 6), dtype=np.float32))
        rewards.append(reward)
    assert truncated.all()
    np.testing.assert_allclose(info["episode"]["r"], np.sum(rewards, axis=0), rtol=1e-6)
    assert (info["episode"]["l"] == 4).all()


def test_a_missing_gymnasium_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import newtonish.envs"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "ModuleNotFoundError: newtonish.envs: got no package gymnasium" in done.stderr
    assert 'pip install "newtonish[envs]"' in done.stderr


def test_spaces_are_batched() -> None:
    env = envs.make_vec("HalfCheetah-v5", 5)
    assert env.action_space.shape == (5, 6) and env.single_action_space.shape == (6,)
    assert env.observation_space.shape == (5, 17) and env.single_observation_space.shape == (17,)
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    env.close()
    env.close()
    assert env.closed


def test_misuse_is_explained() -> None:
    with pytest.raises(ValueError, match=r"make_task: name: got 'HalfCheetah-v4'; allowed: .*did you mean HalfCheetah-v5"):
        envs.make_vec("HalfCheetah-v4")
    with pytest.raises(ValueError, match="task HalfCheetah-v5: got unknown argument speed"):
        envs.make_vec("HalfCheetah-v5", speed=2)
    with pytest.raises(ValueError, match="num_envs: got 0"):
        envs.make_vec(TASK, 0)
    with pytest.raises(ValueError, match="autoreset_mode: got 'Never'; allowed: 'NextStep'"):
        envs.make_vec(TASK, 2, autoreset_mode="Never")
    env = envs.make_vec(TASK, 2, autoreset_mode="Disabled", max_episode_steps=1)
    with pytest.raises(ValueError, match="step: got a call before the first reset"):
        env.step(np.zeros((2, 1), dtype=np.float32))
    with pytest.raises(ValueError, match="reset: seed: got 3 seeds; allowed: 2"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"step: actions: got shape \(2,\); allowed: \(2, 1\)"):
        env.step(np.zeros(2, dtype=np.float32))
    for mask in (np.zeros(2, dtype=bool), np.ones(3, dtype=bool), np.ones(2), [True, True]):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    env.step(np.zeros((2, 1), dtype=np.float32))
    with pytest.raises(ValueError, match=r"worlds whose episode has ended: \[0, 1\].*reset_mask"):
        env.step(np.zeros((2, 1), dtype=np.float32))
