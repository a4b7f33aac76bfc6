"""Checks of arrays that a caller hands over: kernels would read or write past the end of one that is too small."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data

__all__ = ["all_worlds", "array_of", "copy_whole", "indices", "optional_array", "world_mask"]


def array_of(name: str, d: Data, array: Any, dtype: Any, shape: tuple[int, ...]) -> wp.array:
    """``array`` if it is one of this type and shape on the device of ``d``, else a ModelError that names it."""
    allowed = f"an array of shape {shape} of {dtype.__name__} on {d.device}"
    remedy = "make it with wp.zeros of that shape"
    if not isinstance(array, wp.array):
        raise ModelError(problem(name, f"a {type(array).__name__}", allowed, remedy))
    if array.shape != shape or array.dtype != dtype or array.device != d.device:
        given = f"an array of shape {array.shape} of {array.dtype.__name__} on {array.device}"
        raise ModelError(problem(name, given, allowed, remedy))
    return array


def optional_array(name: str, d: Data, array: Any, shape: tuple[int, ...]) -> wp.array:
    """As ``array_of`` for float32; None becomes an empty array, which kernels leave alone."""
    if array is None:
        return wp.empty((0,) * len(shape), dtype=wp.float32, device=d.device)
    return array_of(name, d, array, wp.float32, shape)


def copy_whole(dest: wp.array, src: wp.array) -> None:
    """``wp.copy`` of arrays of one shape and type; in the host's memory without Warp's checks, which take longer than few numbers do."""
    device: Any = dest.device
    if device.is_cpu and dest.is_contiguous and src.is_contiguous and not device.is_capturing:
        ctypes.memmove(dest.ptr, src.ptr, wp.types.type_size_in_bytes(dest.dtype) * dest.size)
    else:
        wp.copy(dest, src)


def indices(name: str, d: Data, index: Any, count: int) -> wp.array:
    """One index for each world: an integer for all of them, or an array (nworld,) of int32, taken as it is."""
    if isinstance(index, wp.array):
        return array_of(name, d, index, wp.int32, (d.nworld,))
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not 0 <= int(index) < count:
        allowed = f"0 to {count - 1}, or an array of shape ({d.nworld},) of int32"
        raise ModelError(problem(name, repr(index), allowed, "pass the id of an object, or one for each world"))
    return _kept(d, wp.full(d.nworld, int(index), dtype=wp.int32, device=d.device))


def _kept(d: Data, array: wp.array) -> wp.array:
    """``array``, which lives as long as ``d`` if a graph of the caller's is going to read it."""
    if d.device.is_capturing:
        d.retired.append([array])
    return array


def all_worlds(d: Data) -> wp.array:
    """A mask that holds every world, made once."""
    if d.everywhere is None:
        d.everywhere = wp.ones(d.nworld, dtype=wp.bool, device=d.device)
    return d.everywhere


def world_mask(name: str, d: Data, mask: Any) -> wp.array:
    """A mask of worlds on the device of ``d``, whose integers count as whether they are not 0; None: all of them."""
    if mask is None:
        return all_worlds(d)
    if isinstance(mask, wp.array):
        if mask.dtype == wp.int32 and mask.shape == (d.nworld,) and mask.device == d.device and not d.device.is_capturing:
            mask = wp.array(mask.numpy() != 0, dtype=wp.bool, device=d.device)
        kind, shape, place = mask.dtype.__name__, mask.shape, f" on {mask.device}"
        fits = mask.dtype == wp.bool and mask.device == d.device
    else:
        mask = np.asarray(mask)
        kind, shape, place, fits = str(mask.dtype), mask.shape, "", mask.dtype == np.bool_
    if not fits or shape != (d.nworld,):
        allowed = f"shape ({d.nworld},) of bool on {d.device}"
        raise ModelError(problem(name, f"shape {shape} of {kind}{place}", allowed, "pass one boolean per world"))
    return mask if isinstance(mask, wp.array) else _kept(d, wp.array(mask, dtype=wp.bool, device=d.device))
