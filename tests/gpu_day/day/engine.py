"""The engine in a child: Warp on the device of the day, worlds in given states, and steps in each of the ways they can be taken."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

__all__ = ["NAMES_OF_STATE", "load", "plain_step", "put_states", "reset", "start"]

NAMES_OF_STATE = ("qpos", "qvel", "act", "qacc_warmstart", "ctrl")
"""What a step of the eight models starts from."""


def start(device: str) -> Any:
    """Initialise Warp, with binaries for the very device, as they are packed, and not PTX for its driver to compile."""
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING
    wp.config.cuda_output = "cubin"
    wp.init()
    return wp.get_device(device)


def load(name: str, nworld: int, device: str, **capacity: int) -> tuple[Any, Any]:
    """A model of the day and data for it, at the first keyframe if there is one."""
    from day.models import model_file
    from newtonish import mjw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the importer; they are of the file, not of the device
        m, d = mjw.load(str(model_file(name)), nworld=nworld, device=device, **capacity)
    reset(m, d)
    return m, d


def reset(m: Any, d: Any) -> None:
    """Put all worlds into the first keyframe, or into the reference pose."""
    from newtonish import mjw

    mjw.reset_data(m, d)
    if m.nkey:
        mjw.reset_data_keyframe(m, d, 0)


def put_states(d: Any, states: dict[str, np.ndarray]) -> None:
    """Assign arrays of a state, a row a world."""
    for name, rows in states.items():
        array = getattr(d, name)
        if array.size:
            array.assign(np.ascontiguousarray(rows, dtype=np.float32).reshape(array.shape))


def plain_step(m: Any, d: Any) -> None:
    """A step whose kernels are launched one by one, neither recorded nor captured."""
    from newtonish.kernels import forward

    forward.step(m, d)
