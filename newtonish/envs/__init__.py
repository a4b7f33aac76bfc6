"""Environments for learners: one world of a simulation is one sub-environment of a Gymnasium ``VectorEnv``.

``env = make_vec("HalfCheetah-v5", num_envs=1024)`` has Gymnasium's interface and the observations, rewards, ends and initial states of
Gymnasium's task of that name; all worlds step together, on all cores of a CPU or on a GPU. ``make("HalfCheetah-v5")`` is one of them, a
``gymnasium.Env``. Once this module is imported, Gymnasium knows them as ``newtonish/HalfCheetah-v5``. ``newtonish.envs.stable_baselines3``
has the vectorised environment of that library.

Needs the extra ``envs`` (``pip install "newtonish[envs]"``).
"""

from __future__ import annotations

from newtonish.errors import problem

try:
    import gymnasium  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    text = problem("newtonish.envs", "no package gymnasium", "Gymnasium 1.1 or newer", 'pip install "newtonish[envs]"')
    raise ModuleNotFoundError(text, name="gymnasium") from None

from newtonish.envs.randomization import Randomize
from newtonish.envs.registration import register
from newtonish.envs.single_env import WorldEnv
from newtonish.envs.task import Outcome, Task
from newtonish.envs.tasks import TASKS, make_task
from newtonish.envs.vector_env import WorldVectorEnv
from newtonish.envs.worlds import Worlds

__all__ = ["TASKS", "Outcome", "Randomize", "Task", "WorldEnv", "WorldVectorEnv", "Worlds", "make", "make_task", "make_vec"]


def make_vec(task: str | Task, num_envs: int = 1, *, max_episode_steps: int | None = None, **arguments: object) -> WorldVectorEnv:
    """A vectorised environment of ``num_envs`` worlds.

    Args:
        task: a name in ``TASKS``, or a task of your own.
        num_envs: number of worlds.
        max_episode_steps: after how many steps an episode is truncated; None: the task's own number.
        **arguments: those of ``WorldVectorEnv``; for a name, what is left is for the task (``reset_noise_scale=0.0``).

    Raises:
        ModelError: there is no task of this name, or an argument is out of range.
    """
    own = {name: arguments.pop(name) for name in WorldVectorEnv.ARGUMENTS if name in arguments}
    if isinstance(task, str):
        task, arguments = make_task(task, **arguments), {}
    return WorldVectorEnv(task, num_envs, max_episode_steps=max_episode_steps, **own, **arguments)


def make(task: str | Task, **arguments: object) -> WorldEnv:
    """One world as a ``gymnasium.Env``; arguments as of ``make_vec`` without ``num_envs``."""
    return WorldEnv(make_vec(task, 1, **{"autoreset_mode": "Disabled", **arguments}))


register(list(TASKS), make, make_vec)
