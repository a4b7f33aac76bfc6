"""Gradients by positions, between the numbers of ``qpos``, which other frameworks hold, and the tangent space, in which derivatives of a step are."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.kernels.derivative import tangent as kernels
from newtonish.kernels.structs.container import Model

__all__ = ["from_tangent", "to_tangent"]


def to_tangent(m: Model, qpos: wp.array, qpos_bar: wp.array, bar: wp.array) -> None:
    """From a gradient of a cost by the numbers of ``qpos`` to that in the tangent space, as ``step_vjp`` takes it.

    Slides and hinges have the same number in both. The four numbers of a quaternion become three, by rotations in the frame of the body.

    Args:
        m: model.
        qpos: (nworld, nq) float32 or (nworld, nstep, nq), positions at which the gradient is taken.
        qpos_bar: the gradient, of the same shape.
        bar: (nworld, nv) or (nworld, nstep, nv) that receives the gradient; with more columns than nv, the others stay as they are, so that it may be
            ``next_bar``.

    Raises:
        ModelError: arrays of other shapes, types or devices.

    MuJoCo: no equivalent; the tangent space is that of mj_differentiatePos.
    """
    kernels.to_tangent(m, *(_rows("to_tangent", m, qpos, *each) for each in (("qpos", qpos, m.nq), ("qpos_bar", qpos_bar, m.nq), ("bar", bar, m.nv))))


def from_tangent(m: Model, qpos: wp.array, bar: wp.array, qpos_bar: wp.array) -> None:
    """From a gradient in the tangent space, as ``step_vjp`` gives it, to that by the numbers of ``qpos``.

    It is the gradient of a function that normalizes quaternions before it uses them, as ``step`` does: perpendicular to each quaternion.

    Args:
        m: model.
        qpos: (nworld, nq) float32 or (nworld, nstep, nq), positions at which the gradient is taken.
        bar: (nworld, nv) or (nworld, nstep, nv), the gradient; columns after the first nv are not read, so that it may be ``state_bar``.
        qpos_bar: of the shape of ``qpos``, receives the gradient.

    Raises:
        ModelError: arrays of other shapes, types or devices.

    MuJoCo: no equivalent.
    """
    kernels.from_tangent(m, *(_rows("from_tangent", m, qpos, *each) for each in (("qpos", qpos, m.nq), ("bar", bar, m.nv), ("qpos_bar", qpos_bar, m.nq))))


def _rows(call: str, m: Model, qpos: Any, name: str, array: Any, count: int) -> wp.array:
    """An array with an axis of steps, which shares the memory of ``array``."""
    leading = qpos.shape[:-1] if isinstance(qpos, wp.array) and qpos.ndim in (2, 3) else ("nworld",)
    wide = name == "bar"
    fits = isinstance(array, wp.array) and array.dtype == wp.float32 and array.device == m.device and array.shape[:-1] == leading
    if not fits or not (array.shape[-1] == count or (wide and array.shape[-1] > count)):
        given = f"an array of shape {array.shape} of {array.dtype.__name__} on {array.device}" if isinstance(array, wp.array) else f"a {type(array).__name__}"
        shape = ", ".join(map(str, leading))
        allowed = f"float32 of shape ({shape}, {count}{' or more' if wide else ''}) on {m.device}"
        raise ModelError(problem(f"{call}: {name}", given, allowed, "make it with wp.zeros of that shape"))
    if array.ndim == 3:
        return array
    strides = (array.strides[0], array.strides[0], array.strides[1])
    view = wp.array(ptr=array.ptr, shape=(array.shape[0], 1, array.shape[1]), strides=strides, dtype=wp.float32, device=array.device)
    view._ref = array  # keeps the memory
    return view
