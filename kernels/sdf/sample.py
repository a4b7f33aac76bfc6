"""Values of a distance field at many points, on the CPU: what its surface is made of before a model has a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels.runtime.launch import launch_on
from newtonish.kernels.sdf.fields import FieldKind, as_given, named
from newtonish.kernels.structs.field import vec8d

_kernels: dict[Any, wp.Kernel] = {}  # by the function that they call


def sample(kind: FieldKind, prm: Sequence[float], points: np.ndarray) -> np.ndarray:
    """Distances (n,) [m] of points (n, 3) [m] in the field's frame; ``prm``: the parameters, eight at most."""
    if kind.distance not in _kernels:
        _kernels[kind.distance] = _kernel(kind.distance, kind.prepared or as_given)
    numbers = vec8d(*prm, *[0.0] * (8 - len(prm)))
    where = wp.array(np.ascontiguousarray(points, dtype=np.float64), dtype=wp.vec3d, device="cpu")
    found = wp.empty(len(points), dtype=wp.float64, device="cpu")
    launch_on(_kernels[kind.distance], where.device, len(points), [numbers, where, found])
    return found.numpy()


def _kernel(distance: Any, prepared: Any) -> wp.Kernel:
    def evaluate(prm: vec8d, points: wp.array(dtype=wp.vec3d), found: wp.array(dtype=wp.float64)):
        i = wp.tid()
        found[i] = distance(points[i], prepared(prm))

    return wp.kernel(named(evaluate, "sample_field"), module="unique", enable_backward=False)
