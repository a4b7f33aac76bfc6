"""The tasks by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from newtonish.arguments import checked
from newtonish.envs.task import Task
from newtonish.envs.tasks.ant import Ant
from newtonish.envs.tasks.half_cheetah import HalfCheetah
from newtonish.envs.tasks.hand_cube import HandCube
from newtonish.envs.tasks.hopper import Hopper
from newtonish.envs.tasks.humanoid import Humanoid
from newtonish.envs.tasks.inverted_pendulum import InvertedPendulum
from newtonish.envs.tasks.quadruped_walk import QuadrupedWalk
from newtonish.envs.tasks.reach import Reach
from newtonish.envs.tasks.walker2d import Walker2d
from newtonish.errors import ModelError, problem

__all__ = ["TASKS", "Ant", "HalfCheetah", "HandCube", "Hopper", "Humanoid", "InvertedPendulum", "QuadrupedWalk", "Reach", "Walker2d", "make_task"]

TASKS: dict[str, Callable[..., Task]] = {
    "InvertedPendulum-v5": InvertedPendulum,
    "HalfCheetah-v5": HalfCheetah,
    "Hopper-v5": Hopper,
    "Walker2d-v5": Walker2d,
    "Ant-v5": Ant,
    "Humanoid-v5": Humanoid,
    "Reach-v0": Reach,
    "QuadrupedWalk-v0": QuadrupedWalk,
    "HandCube-v0": HandCube,
}
"""Tasks by name; those that Gymnasium has too bear its names."""


@checked
def make_task(name: str, **arguments: object) -> Task:
    """A task by its name.

    Args:
        name: a name in ``TASKS``.
        **arguments: the task's own, as its docstring lists them.

    Raises:
        ModelError: there is no such task, or it has no such argument.
    """
    make = TASKS.get(name)
    if make is None:
        near = difflib.get_close_matches(name, TASKS, n=2, cutoff=0.4)
        remedy = f"did you mean {' or '.join(near)}?" if near else "choose one of them, or pass a Task of your own"
        raise ModelError(problem("make_task: name", repr(name), ", ".join(TASKS), remedy))
    known = make.__dataclass_fields__
    unknown = [argument for argument in arguments if argument not in known]
    if unknown:
        raise ModelError(problem(f"task {name}", f"unknown argument {unknown[0]}", ", ".join(known), "choose among these"))
    return make(**arguments)
