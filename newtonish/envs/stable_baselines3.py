"""Worlds as the vectorised environment of Stable-Baselines3.

``env = VecMonitor(WorldVecEnv(make_vec("HalfCheetah-v5", 64, autoreset_mode="SameStep")))``, then ``PPO("MlpPolicy", env).learn(...)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from newtonish.envs.vector_env import WorldVectorEnv
from newtonish.errors import ModelError, problem

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    if error.name != "stable_baselines3":
        raise
    text = problem("newtonish.envs.stable_baselines3", "no package stable_baselines3", "version 2.5 or newer", 'pip install "newtonish[learn]"')
    raise ModuleNotFoundError(text, name="stable_baselines3") from None

__all__ = ["WorldVecEnv"]


class WorldVecEnv(VecEnv):
    """The worlds of a vectorised environment, as Stable-Baselines3 has them.

    ``infos`` say something of worlds whose episode has ended: the task's information about the last step, ``terminal_observation``
    and ``TimeLimit.truncated``. Those of other worlds are empty.

    Args:
        env: an environment with autoreset mode ``SAME_STEP``, the one that this library has.

    Raises:
        ModelError: another autoreset mode.
    """

    def __init__(self, env: WorldVectorEnv) -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP:
            remedy = 'make it with autoreset_mode="SameStep"'
            raise ModelError(problem("WorldVecEnv: env", f"autoreset mode {env.autoreset_mode.value!r}", "'SameStep'", remedy))
        self.env = env
        self.metadata = env.metadata
        self._actions: np.ndarray | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> np.ndarray:
        """Begin an episode in every world, with the seeds of ``seed()`` if there are any."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observations, infos = self.env.reset(seed=seeds)
        self.reset_infos = _rows(infos, np.arange(self.num_envs), self.num_envs)
        self._reset_seeds()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the step that ``step_wait`` does."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Observations, rewards, ends and information of a step under the actions of ``step_async``."""
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        ended = terminated | truncated
        chosen = np.flatnonzero(ended)
        rows = _rows(infos.get("final_info", {}), chosen, self.num_envs)
        for i in chosen:
            rows[i]["terminal_observation"] = infos["final_obs"][i]
            rows[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
        return observations, rewards.astype(np.float32), ended, rows

    def close(self) -> None:
        """Let go of the arrays."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: int | Sequence[int] | None = None) -> list[Any]:
        """An attribute of the vectorised environment, once for each world."""
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: int | Sequence[int] | None = None) -> None:
        """Set an attribute of the vectorised environment, which all worlds share."""
        self._all_worlds("set_attr", indices)
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: int | Sequence[int] | None = None, **named: Any) -> list[Any]:
        """Call a method of the vectorised environment once; its result once for each world."""
        self._all_worlds("env_method", indices)
        return [getattr(self.env, method_name)(*arguments, **named)] * self.num_envs

    def env_is_wrapped(self, wrapper_class: type, indices: int | Sequence[int] | None = None) -> list[bool]:
        """Worlds are in no wrapper."""
        return [False] * len(list(self._get_indices(indices)))

    def _all_worlds(self, method: str, indices: int | Sequence[int] | None) -> None:
        if indices is not None and len(list(self._get_indices(indices))) != self.num_envs:
            remedy = "leave indices out, or write into env.worlds"
            raise ModelError(problem(f"WorldVecEnv.{method}: indices", repr(indices), "all worlds, which share one environment", remedy))


def _rows(infos: dict[str, Any], worlds: np.ndarray, count: int) -> list[dict[str, Any]]:
    """A dictionary for each of ``count`` worlds, filled for those named."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, values in infos.items():
        if not name.startswith("_"):
            for i in worlds:
                rows[i][name] = values[i]
    return rows
