"""Learners on PyTorch beside Stable-Baselines3: rsl-rl by its adapter, skrl over the Gymnasium environment itself."""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from newtonish import envs

TASK = "InvertedPendulum-v5"


def balanced(predict: object) -> float:
    """Median number of steps, of 200 at most, that a policy keeps the pole upright."""
    env = envs.make_vec(TASK, 16, max_episode_steps=200, autoreset_mode="SameStep")
    observation, _ = env.reset(seed=100)
    length, alive = np.zeros(16), np.ones(16, dtype=bool)
    for _ in range(200):
        observation, _, terminated, truncated, _ = env.step(predict(observation))
        length += alive
        alive &= ~(terminated | truncated)
    return float(np.median(length))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """The networks are small: threads would wait for each other, and for those of tests beside this one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.skipif(find_spec("rsl_rl") is None, reason="needs rsl-rl-lib: pip install 'newtonish[learn]'")
def test_rsl_rl_learns_to_balance(one_thread: None) -> None:
    import torch
    from rsl_rl.runners import OnPolicyRunner

    from newtonish.envs.rsl_rl import WorldVecEnv

    torch.manual_seed(0)
    vector_env = envs.make_vec(TASK, 64, autoreset_mode="SameStep", max_episode_steps=300)
    vector_env.reset(seed=0)
    env = WorldVecEnv(vector_env)
    network = {"class_name": "MLPModel", "hidden_dims": [32, 32], "activation": "elu"}
    configuration = {
        "num_steps_per_env": 32,
        "save_interval": 1000,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {"class_name": "PPO", "learning_rate": 1e-3, "num_learning_epochs": 8, "gamma": 0.98},
        "actor": {**network, "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0}},
        "critic": dict(network),
    }
    runner = OnPolicyRunner(env, configuration, log_dir=None, device="cpu")
    policy = runner.get_inference_policy()

    def predict(observation: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            from tensordict import TensorDict

            return policy(TensorDict({"policy": torch.as_tensor(observation)}, batch_size=[len(observation)])).numpy()

    before = balanced(predict)
    runner.learn(20, init_at_random_ep_len=True)
    policy = runner.get_inference_policy()
    assert balanced(predict) > max(40.0, 2.0 * before)


@pytest.mark.skipif(find_spec("rsl_rl") is None, reason="needs rsl-rl-lib: pip install 'newtonish[learn]'")
def test_rsl_rls_environment_tells_time_limits_from_falls() -> None:
    import torch

    from newtonish.envs.rsl_rl import WorldVecEnv

    env = WorldVecEnv(envs.make_vec(TASK, 3, autoreset_mode="SameStep", max_episode_steps=10))
    assert (env.num_envs, env.num_actions, env.max_episode_length) == (3, 1, 10)
    env.episode_length_buf = torch.tensor([0, 8, 0])
    actions = torch.tensor([[3.0], [0.0], [0.0]])
    seen = [env.step(actions)[2:] for _ in range(8)]
    first_end = [next(i for i, (done, _) in enumerate(seen) if done[world]) if any(d[world] for d, _ in seen) else None for world in range(3)]
    assert first_end[1] == 1 and seen[1][1]["time_outs"].tolist() == [False, True, False]
    assert first_end[0] is not None and not seen[first_end[0]][1]["time_outs"][0]
    assert first_end[2] is None
    assert env.get_observations()["policy"].shape == (3, 4)
    with pytest.raises(ValueError, match="autoreset mode 'NextStep'; allowed: 'SameStep'"):
        WorldVecEnv(envs.make_vec(TASK, 2))


@pytest.mark.skipif(find_spec("skrl") is None, reason="needs skrl: pip install 'newtonish[learn]'")
def test_skrl_wraps_them() -> None:
    import torch
    from skrl.envs.wrappers.torch import wrap_env

    vector_env = envs.make_vec("HalfCheetah-v5", 5, max_episode_steps=3)
    env = wrap_env(vector_env, wrapper="gymnasium", verbose=False)
    plain = envs.make_vec("HalfCheetah-v5", 5, max_episode_steps=3)
    observation, _ = env.reset()
    wanted, _ = plain.reset(seed=list(vector_env.np_random_seed))
    assert env.num_envs == 5 and env.observation_space.shape == (17,)
    np.testing.assert_array_equal(observation.numpy(), wanted)
    for _ in range(5):
        actions = torch.full((5, 6), 0.3)
        observation, reward, terminated, truncated, _ = env.step(actions)
        wanted = plain.step(actions.numpy())
        np.testing.assert_array_equal(observation.numpy(), wanted[0])
        np.testing.assert_allclose(reward.numpy()[:, 0], wanted[1], rtol=1e-6)
        np.testing.assert_array_equal(truncated.numpy()[:, 0], wanted[3])


@pytest.mark.skipif(find_spec("skrl") is None, reason="needs skrl: pip install 'newtonish[learn]'")
def test_skrl_learns_to_balance(one_thread: None, tmp_path) -> None:
    """Its PPO, over the Gymnasium environment itself."""
    import torch
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.trainers.torch import SequentialTrainer

    def network() -> torch.nn.Module:
        return torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ELU(), torch.nn.Linear(32, 32), torch.nn.ELU(), torch.nn.Linear(32, 1))

    class Policy(GaussianMixin, Model):
        def __init__(self, **spaces: object) -> None:
            Model.__init__(self, **spaces)
            GaussianMixin.__init__(self)
            self.net, self.log_std = network(), torch.nn.Parameter(torch.zeros(1))

        def compute(self, inputs: dict, role: str = "") -> tuple:
            return self.net(inputs["observations"]), {"log_std": self.log_std}

    class Value(DeterministicMixin, Model):
        def __init__(self, **spaces: object) -> None:
            Model.__init__(self, **spaces)
            DeterministicMixin.__init__(self)
            self.net = network()

        def compute(self, inputs: dict, role: str = "") -> tuple:
            return self.net(inputs["observations"]), {}

    torch.manual_seed(0)
    env = wrap_env(envs.make_vec(TASK, 64, max_episode_steps=300), wrapper="gymnasium", verbose=False)
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": "cpu"}
    models = {"policy": Policy(**spaces), "value": Value(**spaces)}
    settings = PPO_CFG(rollouts=32, learning_epochs=8, mini_batches=4, discount_factor=0.98, learning_rate=1e-3)
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    settings.experiment.directory = str(tmp_path)
    agent = PPO(models=models, memory=RandomMemory(memory_size=32, num_envs=64, device="cpu"), cfg=settings, **spaces)

    def predict(observation: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return models["policy"].net(torch.as_tensor(observation)).numpy()

    before = balanced(predict)
    trainer = {"timesteps": 12 * 32, "headless": True, "disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agent, cfg=trainer).train()
    assert balanced(predict) > max(40.0, 2.0 * before)
