"""Gains, biases and activation dynamics of the caller's, as Warp functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import warp as wp

from newtonish.common.enums import BiasType, DynType, GainType
from newtonish.errors import ModelError, problem
from newtonish.kernels.runtime.lanes import Mapping, block_of, variant
from newtonish.kernels.runtime.launch import is_gpu, load_now
from newtonish.kernels.structs.container import Model
from newtonish.mjw.record import ModelRecord

__all__ = ["UserActuation", "set_user_actuation", "user_parts"]


class UserActuation:
    """Functions for actuators of type ``user``, and the kernel made of them.

    Each is a ``@wp.func`` with the signature

        ``fn(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float``

    ``x`` holds the world, the actuator, its ten parameters, time, length, velocity, activation and control; ``act`` is
    the array of all activations, (nworld, na), to be read only. Functions are called for every actuator of their type in
    every world, from many threads at once, and may not keep anything between calls.

    Args:
        gain: factor of the control or activation, for ``gaintype="user"``.
        bias: force that is added, for ``biastype="user"``.
        dyn: rate of activation ``x.component``, for ``dyntype="user"``; called once for each activation of the actuator.

    Raises:
        ModelError: something is no Warp function of two arguments.

    MuJoCo: mjcb_act_gain, mjcb_act_bias, mjcb_act_dyn.
    """

    def __init__(self, gain: Any = None, bias: Any = None, dyn: Any = None):
        from newtonish.kernels.forces.user import no_term, user_kernel  # few models need it

        self.functions = {"gaintype": gain, "biastype": bias, "dyntype": dyn}
        for name, function in zip(("gain", "bias", "dyn"), (gain, bias, dyn), strict=True):
            if function is None:
                continue
            allowed = "a @wp.func (x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float"
            if not isinstance(function, wp.Function):
                given = f"a {type(function).__name__}"
                raise ModelError(problem(f"UserActuation: {name}", given, allowed, "decorate it with @wp.func"))
            number = len(inspect.signature(cast(Callable[..., Any], function.func)).parameters)
            if number != 2:
                raise ModelError(problem(f"UserActuation: {name}", f"{number} arguments", allowed, "change its signature"))
        self.kernel = user_kernel(gain or no_term, bias or no_term, dyn or no_term)

    def load(self, device: Any, mapping: Mapping) -> None:
        """Compile the kernel, so that it may be launched within a capture."""
        kernel = self.kernel
        if is_gpu(device):
            choice = mapping.choice(kernel)
            load_now([variant(kernel, choice).module], device, block_dim=block_of(choice.lanes), workers=0)
        else:
            load_now([kernel.module], device, block_dim=1, workers=0)


def user_parts(record: ModelRecord) -> list[tuple[int, str]]:
    """Actuator and part (gaintype, biastype, dyntype) of everything that a user function has to compute."""
    kinds = {"gaintype": GainType.USER, "biastype": BiasType.USER, "dyntype": DynType.USER}
    parts = []
    for name, kind in kinds.items():
        given = getattr(record, f"actuator_{name}")
        parts += [(int(i), name) for i in np.flatnonzero(given == int(kind))] if given.size else []
    return sorted(parts)


def set_user_actuation(m: Model, gain: Any = None, bias: Any = None, dyn: Any = None) -> None:
    """Give a model other functions for its actuators of type ``user``; the next step uses them.

    ``put_model`` and ``load`` take the functions of a new model: ``mjw.put_model(mjm, actuation=mjw.UserActuation(...))``.

    Args:
        m: a Model.
        gain: see :class:`UserActuation`.
        bias: see :class:`UserActuation`.
        dyn: see :class:`UserActuation`.

    Raises:
        ModelError: ``m`` is no Model, a function is none, or one that the model needs is missing.
    """
    if not isinstance(m, Model):
        allowed = "a newtonish.mjw.Model"
        raise ModelError(problem("set_user_actuation: m", f"a {type(m).__name__}", allowed, "make it with put_model or load"))
    user = UserActuation(gain, bias, dyn)
    kinds = {"gaintype": (m.actuator_gaintype, GainType.USER), "biastype": (m.actuator_biastype, BiasType.USER), "dyntype": (m.actuator_dyntype, DynType.USER)}
    for name, (array, own) in kinds.items():
        if user.functions[name] is None and np.any(array.numpy() == int(own)):
            remedy = f"pass {name.removesuffix('type')}"
            raise ModelError(problem(f"set_user_actuation: {name}", "no function", "one, as the model has actuators of it", remedy))
    user.load(m.device, m.mapping)
    m.user_actuation = user
    m.touch()
