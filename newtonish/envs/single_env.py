"""One world as a ``gymnasium.Env``, for learners and wrappers that know nothing of vectorised environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from newtonish.envs.vector_env import WorldVectorEnv

__all__ = ["WorldEnv"]


class WorldEnv(gymnasium.Env):
    """The only world of a vectorised environment.

    Args:
        env: an environment of one world whose autoreset is disabled.

    Attributes:
        vector_env: that environment.
    """

    def __init__(self, env: WorldVectorEnv) -> None:
        self.vector_env = env
        self.metadata = {"render_modes": [], "render_fps": env.metadata["render_fps"]}
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the same seed gives the same one again."""
        super().reset(seed=seed)
        observations, infos = self.vector_env.reset(seed=seed)
        return observations[0], _first(infos)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step under an action (nu,)."""
        observations, rewards, terminated, truncated, infos = self.vector_env.step(np.asarray(action, dtype=np.float32)[None])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), _first(infos)

    def close(self) -> None:
        """Let go of the arrays."""
        self.vector_env.close()


def _first(infos: dict[str, Any]) -> dict[str, Any]:
    """What a dictionary of arrays says of its first world."""
    return {name: values[0] for name, values in infos.items() if not name.startswith("_")}
