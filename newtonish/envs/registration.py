"""The tasks in Gymnasium's registry, under the namespace ``newtonish``.

``gymnasium.make_vec("newtonish.envs:newtonish/HalfCheetah-v5", num_envs=64)`` makes the vectorised environment, ``gymnasium.make`` one world.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import gymnasium

__all__ = ["register"]


def register(tasks: list[str], make: Callable[..., object], make_vec: Callable[..., object]) -> None:
    """Register tasks that are not registered yet. Their time limits are the environments' own, not a wrapper's."""
    for task in tasks:
        name = f"newtonish/{task}"
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=partial(make, task), vector_entry_point=partial(make_vec, task))
