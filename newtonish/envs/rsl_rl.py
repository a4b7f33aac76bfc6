"""Worlds as the vectorised environment of rsl-rl, whose runners train policies of legged robots.

``env = WorldVecEnv(make_vec("QuadrupedWalk-v0", 512, autoreset_mode="SameStep"))``, then ``OnPolicyRunner(env, configuration).learn(...)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from newtonish.envs.vector_env import WorldVectorEnv
from newtonish.errors import ModelError, problem

try:
    import torch
    from rsl_rl.env import VecEnv
    from tensordict import TensorDict
except ModuleNotFoundError as error:
    if error.name not in ("rsl_rl", "tensordict", "torch"):
        raise
    text = problem("newtonish.envs.rsl_rl", f"no package {error.name}", "rsl-rl-lib 5 or newer", 'pip install "newtonish[learn]"')
    raise ModuleNotFoundError(text, name=error.name) from None

__all__ = ["WorldVecEnv"]


class WorldVecEnv(VecEnv):
    """The worlds of a vectorised environment, as rsl-rl has them: tensors, and one group of observations named ``policy``.

    Args:
        env: an environment with autoreset mode ``SAME_STEP``.
        device: of the tensors.

    Attributes:
        env: the vectorised environment.
        num_envs, num_actions, max_episode_length: its sizes.
        cfg: what the runner writes into its log.

    Raises:
        ModelError: another autoreset mode, or episodes without a time limit.
    """

    def __init__(self, env: WorldVectorEnv, device: str = "cpu") -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP:
            remedy = 'make it with autoreset_mode="SameStep"'
            raise ModelError(problem("WorldVecEnv: env", f"autoreset mode {env.autoreset_mode.value!r}", "'SameStep'", remedy))
        if env.max_episode_steps is None:
            raise ModelError(problem("WorldVecEnv: env", "episodes without end", "a time limit", "give max_episode_steps"))
        self.env, self.device = env, device
        self.num_envs, self.num_actions, self.max_episode_length = env.num_envs, env.worlds.nu, env.max_episode_steps
        self.cfg = {"task": type(env.task).__name__}
        env.reset()

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Steps that each world has done in its episode; set by runners, so that time limits come at different times."""
        return torch.as_tensor(self.env.elapsed, device=self.device)

    @episode_length_buf.setter
    def episode_length_buf(self, steps: torch.Tensor) -> None:
        self.env.elapsed[:] = steps.cpu().numpy()

    def get_observations(self) -> TensorDict:
        """Observations of all worlds."""
        return TensorDict({"policy": self._tensor(self.env.observation())}, batch_size=[self.num_envs], device=self.device)

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """One step; ``extras["time_outs"]`` tells ends by the time limit from those by the task."""
        _, rewards, terminated, truncated, infos = self.env.step(actions.detach().cpu().numpy())
        extras = {"time_outs": self._tensor(truncated & ~terminated), "log": _means(infos)}
        return self.get_observations(), self._tensor(rewards.astype(np.float32)), self._tensor((terminated | truncated).astype(np.int64)), extras

    def close(self) -> None:
        """Let go of the arrays."""
        self.env.close()

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array, device=self.device)


def _means(infos: dict[str, Any]) -> dict[str, float]:
    """Means over the worlds of what the task says of a step, as rsl-rl names what it logs."""
    return {f"/{name}": float(values[infos[f"_{name}"]].mean()) for name, values in infos.items() if not name.startswith(("_", "final")) and values.ndim == 1}
