"""A Gymnasium ``VectorEnv`` whose sub-environments are the worlds of one simulation.

Seeds, autoreset and the layout of ``info`` are those of Gymnasium's ``SyncVectorEnv``, so that a learner finds what it expects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from newtonish.arguments import checked_methods, shown
from newtonish.envs.infos import merged, of_worlds
from newtonish.envs.randomization import Randomization
from newtonish.envs.task import Task
from newtonish.envs.worlds import Worlds
from newtonish.errors import ModelError, problem

__all__ = ["WorldVectorEnv"]


class WorldVectorEnv(VectorEnv):
    """All worlds of a task as one vectorised environment.

    Observations are float32 (Gymnasium's MuJoCo tasks give float64), actions float32, rewards float64; arrays that are returned are new ones.

    Args:
        task: what is observed, rewarded and reset.
        num_envs: number of worlds.
        max_episode_steps: steps after which an episode is truncated; None: the task's own number.
        autoreset_mode: ``NEXT_STEP``: a world whose episode ended is reset by the step after it, which ignores its action.
            ``SAME_STEP``: it is reset by the step that ended it; ``info["final_obs"]`` and ``info["final_info"]`` have what ended.
            ``DISABLED``: the caller resets it by ``reset(options={"reset_mask": mask})``.
        randomize: model fields that differ from world to world and are redrawn (``newtonish.envs.randomization``).
        device: Warp device; None: Warp's current one.
        headroom: factor on estimated capacities, as of ``mjw.load``.

    Attributes:
        worlds: the simulation; ``worlds.m`` and ``worlds.d`` are its model and data.
        elapsed: steps that each world has done in its episode, (num_envs,); may be written, so that time limits come at different times.

    Raises:
        ModelError: a number is not positive, or the autoreset mode or a randomised field does not exist.
    """

    ARGUMENTS: ClassVar[tuple[str, ...]] = ("autoreset_mode", "randomize", "device", "headroom")

    def __init__(
        self,
        task: Task,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        randomize: Mapping[str, Any] | None = None,
        device: Any = None,
        headroom: float = 1.0,
    ) -> None:
        _positive("num_envs", num_envs)
        self.max_episode_steps = task.max_episode_steps if max_episode_steps is None else _positive("max_episode_steps", max_episode_steps)
        self.task, self.num_envs, self.autoreset_mode = task, num_envs, _mode(autoreset_mode)
        self.worlds = Worlds(task.model, num_envs, task.frame_skip, device, headroom)
        self._randomization = Randomization(self.worlds.m, self.worlds.d, randomize or {})
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": [], "render_fps": round(1.0 / self.worlds.dt)}
        self._make_spaces()
        self._rngs: list[np.random.Generator] = []
        self._seeds: list[int] = []
        self._model_rngs: list[np.random.Generator] = []  # of randomised fields, so that initial states do not depend on whether there are any
        self.elapsed = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._progress: np.ndarray | None = None
        self._observations = np.zeros(self.observation_space.shape, dtype=np.float32)

    def _make_spaces(self) -> None:
        low, high = (np.asarray(bound, dtype=np.float32) for bound in self.task.action_range(self.worlds))
        self.single_action_space = Box(low, high, dtype=np.float32)
        self.worlds.set_goal(0, self.task.goal(self.worlds, np.random.default_rng(0)))  # for its size
        size = self.task.observation(self.worlds).shape[1]
        self.single_observation_space = Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """Seed of each world."""
        return tuple(self._seeds)

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """Random number generator of each world."""
        return tuple(self._rngs)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode in every world, or in some.

        Args:
            seed: world ``i`` gets ``seed + i``, or the i-th of a sequence; the same seed gives the same episodes again. None: worlds
                draw on from where they are, from a random seed the first time.
            options: ``reset_mask``, (num_envs,) bool: the worlds that are reset; others stay as they are.

        Returns:
            Observations of all worlds, and information about those that were reset.

        Raises:
            ModelError: not one seed for each world, or a mask that is none.
        """
        mask = self._reset_mask(options)
        self._seed(seed, mask)
        infos = self._begin(mask)
        return self._observations.copy(), merged(of_worlds(infos, mask))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """One step of every world.

        Args:
            actions: (num_envs, nu); what lies outside the range of a control is clipped by the simulation.

        Returns:
            Observations (num_envs, n), rewards, terminations and truncations (num_envs,), and ``info`` with an array and a mask by name.

        Raises:
            ModelError: before the first reset, actions of another shape, or with ``DISABLED`` a world whose episode has ended.
        """
        action = self._checked(actions)
        resetting = self._ended if self.autoreset_mode == AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, dtype=bool)
        self.worlds.step(self.task.controls(self.worlds, action))
        self.task.after_step(self.worlds)
        after = self._measured()
        outcome = self.task.outcome(self.worlds, action, self._progress, after)
        self._progress, self._observations = after, self.task.observation(self.worlds).astype(np.float32)
        self.elapsed += 1
        truncated = np.zeros(self.num_envs, dtype=bool) if self.max_episode_steps is None else self.elapsed >= self.max_episode_steps
        reward, terminated = np.where(resetting, 0.0, outcome.reward), outcome.terminated & ~resetting
        self._ended = terminated | (truncated & ~resetting)
        infos = self._after_step(outcome.info, resetting)
        return self._observations.copy(), reward, terminated, truncated & ~resetting, infos

    def _after_step(self, info: dict[str, np.ndarray], resetting: np.ndarray) -> dict[str, Any]:
        """Reset what has to be reset by this step, and ``info`` of it."""
        final: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            resetting = self._ended
            if resetting.any():
                last = np.full(self.num_envs, None, dtype=object)
                for i in np.flatnonzero(resetting):
                    last[i] = self._observations[i].copy()
                final = {"final_obs": last, "_final_obs": resetting, "final_info": merged(of_worlds(info, resetting)), "_final_info": resetting}
        stepped = of_worlds(info, ~resetting)
        if not resetting.any():
            return merged(stepped)
        return {**final, **merged(stepped, of_worlds(self._begin(resetting), resetting))}

    def set_state(self, qpos: np.ndarray, qvel: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Put worlds into a state, within the episode they are in.

        Args:
            qpos: positions of these worlds, (n, nq).
            qvel: velocities of these worlds, (n, nv).
            mask: (num_envs,) bool; None: all worlds.

        Returns:
            Observations of all worlds.
        """
        mask = np.ones(self.num_envs, dtype=bool) if mask is None else mask
        self.worlds.set_state(qpos, qvel, mask)
        self._observe(mask)
        return self._observations.copy()

    def observation(self) -> np.ndarray:
        """Observations of all worlds as the last reset or step gave them."""
        return self._observations.copy()

    def _begin(self, mask: np.ndarray) -> dict[str, np.ndarray]:
        """Begin an episode in the worlds of a mask; information about them."""
        chosen = np.flatnonzero(mask)
        self._randomization.draw(chosen, self._model_rngs)
        states = [self.task.initial_state(self.worlds, self._rngs[i]) for i in chosen]
        self.worlds.set_state(np.array([qpos for qpos, _ in states]), np.array([qvel for _, qvel in states]), mask)
        for i in chosen:
            self.worlds.set_goal(i, self.task.goal(self.worlds, self._rngs[i]))
        self.elapsed[mask], self._ended = 0, self._ended & ~mask
        self._observe(mask)
        return self.task.reset_info(self.worlds)

    def _observe(self, mask: np.ndarray) -> None:
        """Observations and progress of worlds whose state was set; results that others have from their step stay in theirs."""
        self.task.after_reset(self.worlds, mask)
        self._observations[mask] = self.task.observation(self.worlds)[mask]
        progress = self._measured()
        if self._progress is None or progress is None:
            self._progress = progress
        else:
            self._progress[mask] = progress[mask]

    def _measured(self) -> np.ndarray | None:
        progress = self.task.progress(self.worlds)
        return None if progress is None else progress.astype(np.float64)

    def _seed(self, seed: int | Sequence[int | None] | None, mask: np.ndarray) -> None:
        """Generators of the worlds of a mask, new ones where there is a seed for them, and where there is none yet."""
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, (int, np.integer)) else seed
        seeds = [None] * self.num_envs if seeds is None else list(seeds) if isinstance(seeds, (list, tuple, range, np.ndarray)) and np.ndim(seeds) == 1 else []
        seeds = [int(each) if isinstance(each, np.integer) else each for each in seeds]
        if len(seeds) != self.num_envs or not all(each is None or (isinstance(each, int) and each >= 0) for each in seeds):
            remedy = "pass one integer, or one seed for each world"
            raise ModelError(
                problem(
                    "reset: seed",
                    f"{len(seeds)} seeds" if len(seeds) != self.num_envs and seeds else shown(seed),
                    f"{self.num_envs}, each None or an integer from 0",
                    remedy,
                )
            )
        if not self._rngs:
            made = [seeding.np_random(each) for each in seeds]
        else:
            made = [
                seeding.np_random(each) if each is not None and chosen else (rng, old) for each, chosen, rng, old in zip(seeds, mask, self._rngs, self._seeds)
            ]
        fresh = [not self._rngs or rng is not self._rngs[i] for i, (rng, _) in enumerate(made)]
        self._model_rngs = [rng.spawn(1)[0] if new else self._model_rngs[i] for i, ((rng, _), new) in enumerate(zip(made, fresh))]
        self._rngs, self._seeds = [rng for rng, _ in made], [int(number) for _, number in made]

    def _reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        """The worlds that a reset is for."""
        if not options or "reset_mask" not in options:
            return np.ones(self.num_envs, dtype=bool)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            given = f"{mask.dtype} of shape {mask.shape}, {np.count_nonzero(mask)} set" if isinstance(mask, np.ndarray) else f"a {type(mask).__name__}"
            allowed = f"a NumPy array of bool of shape ({self.num_envs},), at least one set"
            raise ModelError(problem("reset: options['reset_mask']", given, allowed, "pass one boolean per world"))
        if not self._rngs and not mask.all():
            raise ModelError(problem("reset: options['reset_mask']", "a first reset", "all worlds on the first call", "leave the mask away"))
        return mask.copy()

    def _checked(self, actions: np.ndarray) -> np.ndarray:
        """Actions of the right shape, at a time when a step is possible."""
        if not self._rngs:
            raise ModelError(problem("step", "a call before the first reset", "calls after reset", "call reset first"))
        action = np.asarray(actions, dtype=np.float32)
        if action.shape != self.action_space.shape:
            text = problem("step: actions", f"shape {action.shape}", str(self.action_space.shape), "pass one row per world")
            raise ModelError(text)
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            remedy = "call reset(options={'reset_mask': terminated | truncated}) first"
            given = f"worlds whose episode has ended: {np.flatnonzero(self._ended)[:8].tolist()}"
            raise ModelError(problem("step", given, "worlds within an episode, as autoreset is disabled", remedy))
        return action

    def close_extras(self, **_: Any) -> None:
        """Let go of the arrays."""
        self.worlds = None


def _positive(name: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise ModelError(problem(f"WorldVectorEnv: {name}", repr(number), "whole numbers of at least 1", "pass one"))
    return int(number)


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ModelError(problem("WorldVectorEnv: autoreset_mode", repr(mode), allowed, "choose one of these")) from None


checked_methods(WorldVectorEnv)
