"""Our environments beside Gymnasium's own, one of its environments for each of our worlds."""

import gymnasium
import numpy as np

from newtonish import envs


class Beside:
    """``count`` worlds of ours and as many of Gymnasium's environments of the same task.

    Attributes:
        ours: the vectorised environment.
        theirs: Gymnasium's environments, with their time limit.
    """

    def __init__(self, task: str, count: int, **arguments: object) -> None:
        self.ours = envs.make_vec(task, count, autoreset_mode="Disabled", **arguments)
        self.theirs = [gymnasium.make(task, **arguments) for _ in range(count)]
        self.rng = np.random.default_rng(7)

    def reset(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Observations of both after a reset with the same seeds."""
        observed = [env.reset(seed=seed + i)[0] for i, env in enumerate(self.theirs)]
        return self.ours.reset(seed=seed)[0], np.array(observed)

    def align(self) -> None:
        """Put our worlds into the state of Gymnasium's environments."""
        data = [env.unwrapped.data for env in self.theirs]
        for each, env in zip(data, self.theirs, strict=True):
            env.unwrapped.set_state(each.qpos.copy(), each.qvel.copy())
        self.ours.set_state(np.array([each.qpos for each in data]), np.array([each.qvel for each in data]))

    def actions(self) -> np.ndarray:
        """Random actions, one row a world, the larger ones beyond the range of the controls by a tenth."""
        low, high = self.ours.single_action_space.low, self.ours.single_action_space.high
        unit = 1.1 * self.rng.uniform(-1.0, 1.0, self.ours.action_space.shape)
        return ((low + high) / 2 + unit * (high - low) / 2).astype(np.float32)

    def step(self, actions: np.ndarray) -> tuple[tuple, tuple]:
        """(observations, rewards, terminated, truncated, infos) of both; Gymnasium's infos are a list."""
        steps = [env.step(action) for env, action in zip(self.theirs, actions, strict=True)]
        observed, rewards, terminated, truncated, infos = zip(*steps, strict=True)
        return self.ours.step(actions), (np.array(observed), np.array(rewards), np.array(terminated), np.array(truncated), infos)
