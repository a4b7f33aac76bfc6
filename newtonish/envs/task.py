"""What a task is: a model, and what is observed, rewarded, ended and redrawn, for all worlds at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from newtonish.envs.worlds import Worlds
from newtonish.errors import ModelError, problem

__all__ = ["Outcome", "Task", "gymnasium_model"]


@dataclass
class Outcome:
    """What came of a step.

    Attributes:
        reward: (nworld,).
        terminated: (nworld,) bool, whether the episode ended by the task's own rule.
        info: arrays (nworld, ...) by name.
    """

    reward: np.ndarray
    terminated: np.ndarray
    info: dict[str, np.ndarray] = field(default_factory=dict)


class Task:
    """Base class of tasks. A task has no state: everything is in ``Worlds``, arrays with the world axis first.

    Attributes:
        model: path of a model file, or its text.
        frame_skip: steps of the simulation in a step of the environment.
        max_episode_steps: steps after which an episode is truncated.
    """

    model: str
    frame_skip: int = 1
    max_episode_steps: int | None = 1000

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq,) and velocities (nv,) with which one world begins an episode."""
        return worlds.qpos0, np.zeros(worlds.nv)

    def goal(self, worlds: Worlds, rng: np.random.Generator) -> np.ndarray | None:
        """What one world is to reach in an episode, (k,), drawn after its state; ``worlds.goal`` (nworld, k) has it. None: the task has none."""
        return None

    def action_range(self, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest actions, (nu,) each: the ranges of the controls."""
        limited = worlds.m.actuator_ctrllimited.numpy().astype(bool)
        low, high = worlds.m.actuator_ctrlrange.numpy()[0].T
        return np.where(limited, low, -np.inf), np.where(limited, high, np.inf)

    def controls(self, worlds: Worlds, action: np.ndarray) -> np.ndarray:
        """Controls (nworld, nu) of an action: the action itself."""
        return action

    def observation(self, worlds: Worlds) -> np.ndarray:
        """What is observed of each world, (nworld, n)."""
        raise NotImplementedError

    def after_step(self, worlds: Worlds) -> None:
        """Called after the simulation has stepped: a place for results that ``mjw.step`` does not leave."""

    def after_reset(self, worlds: Worlds, mask: np.ndarray) -> None:
        """Called after the state of the worlds of a mask was set: a place for results that are observed, such as those of ``mjw.forward``.

        What the other worlds have of their step may be lost: it was observed before.
        """

    def progress(self, worlds: Worlds) -> np.ndarray | None:
        """Quantities (nworld, n) whose values before and after a step ``outcome`` compares; None: it needs none."""
        return None

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray | None, after: np.ndarray | None) -> Outcome:
        """Rewards, ends and information of the step that was just done.

        Args:
            worlds: the state after it.
            action: (nworld, nu).
            before: ``progress`` before the step, in float64.
            after: ``progress`` after it.
        """
        raise NotImplementedError

    def reset_info(self, worlds: Worlds) -> dict[str, np.ndarray]:
        """Information about worlds that begin an episode, arrays (nworld, ...)."""
        return {}


def gymnasium_model(name: str) -> str:
    """Path of one of the model files that come with Gymnasium."""
    spec = find_spec("gymnasium")
    path = Path(spec.origin).parent / "envs" / "mujoco" / "assets" / name
    if not path.exists():
        remedy = "install a Gymnasium that has the v5 tasks (1.0 or newer), or give the path of the file as xml_file"
        raise ModelError(problem(f"model {name}", f"no file {path}", "the model files that come with Gymnasium", remedy))
    return str(path)
