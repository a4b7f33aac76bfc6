"""Gymnasium's and Stable-Baselines3's own checkers on every environment; runs in the client's environment and prints a table."""

from __future__ import annotations

import warnings

import gymnasium.utils.env_checker
import stable_baselines3.common.env_checker
import warp as wp

from newtonish import envs

CHECKERS = {
    "Gymnasium": gymnasium.utils.env_checker.check_env,
    "Stable-Baselines3": stable_baselines3.common.env_checker.check_env,
}


def verdict(task: str, checker: str) -> str:
    """Whether a checker accepts one world of a task; of ranges without bounds, and other than -1 to 1, they warn, and Gymnasium's tasks have such."""
    env = envs.make(task, max_episode_steps=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            CHECKERS[checker](env, skip_render_check=True)
        except Exception as error:
            return f"refused: {error}"
        finally:
            env.close()
    return "accepted"


wp.config.log_level = wp.LOG_ERROR
print("| environment |", " | ".join(CHECKERS), "|\n|---|" + "---|" * len(CHECKERS))
for name in envs.TASKS:
    print(f"| `{name}` |", " | ".join(verdict(name, checker) for checker in CHECKERS), "|", flush=True)
