"""Arrays of a simulation as tensors of PyTorch, arrays of JAX and NumPy: the same memory, no copies."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem

__all__ = ["Tensors", "imported", "tensors", "to_jax", "to_numpy", "to_torch"]


def to_numpy(array: wp.array) -> np.ndarray:
    """The memory of an array on a CPU as a NumPy array.

    Raises:
        ModelError: ``array`` is no Warp array, has an axis of stride 0, or lies on a GPU.
    """
    _check(array, "to_numpy")
    if not array.device.is_cpu:
        remedy = "take array.numpy(), which is a copy, or to_torch(array), which stays on the GPU"
        raise ModelError(problem("to_numpy: array", f"an array on {array.device}", "arrays on a CPU", remedy))
    return array.numpy()


def to_torch(array: wp.array) -> Any:
    """The memory of an array as a tensor of PyTorch on the same device.

    Raises:
        ModelError: ``array`` is no Warp array, or has an axis of stride 0.
        ModuleNotFoundError: PyTorch is not installed.
    """
    _check(array, "to_torch")
    imported("torch", "pip install torch")
    return wp.to_torch(array, requires_grad=False)


def to_jax(array: wp.array) -> Any:
    """The memory of an array as an array of JAX on the same device.

    JAX takes arrays for constant: it may keep what it has computed from one, and writes into none. Take a new view after each
    step, and write through ``array.assign`` or another framework. On a CPU it copies memory that does not suit
    its alignment; that of ``mjw`` does, that of a ``newtonish.Model`` need not.

    Raises:
        ModelError: ``array`` is no Warp array, or has an axis of stride 0.
        ModuleNotFoundError: JAX is not installed.
    """
    _check(array, "to_jax")
    imported("jax", "pip install jax")
    return wp.to_jax(array)


def tensors(owner: Any, framework: str = "torch") -> Tensors:
    """Every array of ``owner`` by its name, as a view of a framework.

    Args:
        owner: what has Warp arrays as attributes: a Model or Data of ``mjw``, a ``newtonish.Model``, its State, Control or
            Contacts, or a group of any of these, such as ``d.contact`` or ``model.mujoco``.
        framework: ``"torch"``, ``"jax"`` or ``"numpy"``.

    Raises:
        ModelError: another framework.
        ModuleNotFoundError: the framework is not installed.
    """
    return Tensors(owner, framework)


class Tensors:
    """Views of an object's arrays: ``t.qpos`` is the tensor over ``owner.qpos``.

    A view is made when it is asked for, so that it is one of the array that the object has now: contacts and rows move when their
    capacity grows. ``t.qpos = tensor`` copies the values into the memory that the simulation has. ``dir(t)`` and iteration list the names.
    """

    def __init__(self, owner: Any, framework: str = "torch") -> None:
        convert = _CONVERTERS.get(framework)
        if convert is None:
            text = problem("tensors: framework", repr(framework), ", ".join(map(repr, _CONVERTERS)), "choose one of these")
            raise ModelError(text)
        if framework != "numpy":
            imported(framework, f"pip install {framework}")
        self.__dict__.update(_owner=owner, _convert=convert)

    def __getattr__(self, name: str) -> Any:
        return self._convert(self._array(name))

    def __setattr__(self, name: str, value: Any) -> None:
        array = self._array(name)
        if not isinstance(value, wp.array):
            value = _as_warp(name, value, array)
        wp.copy(array, value)

    def _array(self, name: str) -> wp.array:
        """The owner's array of this name, or an AttributeError that says which there are."""
        array = None if name.startswith("__") else getattr(self._owner, name, None)
        if isinstance(array, wp.array):
            return array
        near = difflib.get_close_matches(name, list(self), n=3)
        remedy = f"did you mean {' or '.join(near)}?" if near else "dir() of this object lists them"
        given = "no such array" if array is None else f"a {type(array).__name__}"
        raise AttributeError(problem(f"{type(self._owner).__name__}.{name}", given, "names of its arrays", remedy))

    def __iter__(self) -> Iterator[str]:
        return (name for name in _names(self._owner) if isinstance(getattr(self._owner, name, None), wp.array))

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"<Tensors of a {type(self._owner).__name__}>"


def _names(owner: Any) -> list[str]:
    """Names that may stand for arrays: flat names, fields of a struct, attributes."""
    flat = getattr(type(owner), "FLAT", None)
    if flat is not None:
        return list(flat)
    if hasattr(owner, "_cls"):  # a struct of Warp's
        return list(owner._cls.vars)
    return [name for name in vars(owner) if not name.startswith("_")]


def _check(array: Any, function: str) -> None:
    """An array of Warp's in which every element has a place of its own."""
    if not isinstance(array, wp.array):
        remedy = "pass one, or tensors(owner) for all arrays of an object"
        raise ModelError(problem(f"{function}: array", f"a {type(array).__name__}", "Warp arrays", remedy))
    repeated = [axis for axis, stride in enumerate(array.strides) if stride == 0 and array.shape[axis] > 1]
    if repeated and array.size:
        axis = repeated[0]
        given = f"an array of shape {array.shape} with stride 0 along axis {axis}, where one entry stands for {array.shape[axis]}"
        remedy = "take the entry itself (array[0:1] along that axis), or array.contiguous() for a copy that has room for each"
        raise ModelError(problem(f"{function}: array", given, "arrays in which each element has a place of its own", remedy))


def imported(name: str, command: str) -> Any:
    """A module that is no requirement of this package."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        text = problem("newtonish.interop", f"no package {name}", "views of installed frameworks", f"install it: {command}")
        raise ModuleNotFoundError(text, name=name) from None


def _as_warp(name: str, value: Any, like: wp.array) -> wp.array:
    """Values of any framework as a Warp array of the shape and type of ``like``."""
    components = getattr(like.dtype, "_shape_", ())
    shape = tuple(value.shape) if hasattr(value, "shape") else np.shape(value)
    if shape != (*like.shape, *components):
        allowed = f"shape {(*like.shape, *components)}"
        raise ModelError(problem(name, f"values of shape {shape}", allowed, "reshape or broadcast them"))
    if hasattr(value, "detach"):
        scalar = to_torch(like).dtype
        return wp.from_torch(value.detach().to(scalar).contiguous(), dtype=like.dtype)
    return wp.array(np.asarray(value), dtype=like.dtype, device=like.device, ndim=like.ndim)


_CONVERTERS: dict[str, Callable[[wp.array], Any]] = {"torch": to_torch, "jax": to_jax, "numpy": to_numpy}
