"""The field of a mesh: distances at the corners of the cells of an octree, which MuJoCo's compiler makes, and linear between them.

A point outside of the outermost cell has the field of the nearest point within it, and the distance to that point beside.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.model import Sdf

f64 = wp.float64
ZERO = wp.constant(wp.float64(0.0))
WITHIN = wp.constant(wp.float64(1.0e-6))  # how far inside the outermost cell the nearest point is taken [m]
DEEPEST = 100


@wp.func
def _nearest(sdf: wp.ref[Sdf], root: int, x: wp.vec3d) -> wp.vec3d:
    """The point itself, or one just within the outermost cell near it."""
    found = wp.vec3d(x[0], x[1], x[2])
    for axis in range(3):
        side = x[axis] - sdf.oct_center[root][axis]
        beyond = wp.abs(side) - sdf.oct_half[root][axis]
        if beyond > ZERO:
            found[axis] = x[axis] - wp.where(side > ZERO, beyond + WITHIN, -beyond - WITHIN)
    return found


@wp.func
def _overshoot(sdf: wp.ref[Sdf], root: int, x: wp.vec3d) -> wp.float64:
    """Distance of a point from the outermost cell; 0: within."""
    beyond = wp.vec3d()
    for axis in range(3):
        beyond[axis] = wp.max(wp.abs(x[axis] - sdf.oct_center[root][axis]) - sdf.oct_half[root][axis], ZERO)
    return wp.length(beyond)


@wp.func_native(
    """
    // raw pointers: the arrays are contiguous, and most of the time in a field of a mesh goes here
    const double* const center = (const double*)sdf.oct_center.data;
    const int* const child = sdf.oct_child.data;
    int cell = root;
    for (int level = 0; level < MOST_LEVELS; level++) {
        const double* const at = center + 3 * cell;
        const int below = child[8 * cell + (x[0] >= at[0]) + 2 * (x[1] >= at[1]) + 4 * (x[2] >= at[2])];
        if (below < 0) break;
        cell = root + below;
    }
    return cell;
""".replace("MOST_LEVELS", str(DEEPEST))
)
def _leaf(sdf: wp.ref[Sdf], root: int, x: wp.vec3d) -> int:
    """The smallest cell around a point."""
    ...


@wp.func
def _weights(sdf: wp.ref[Sdf], cell: int, x: wp.vec3d) -> wp.vec3d:
    """Where a point is in a cell, from 0 to 1 along each side."""
    half = sdf.oct_half[cell]
    return wp.cw_div(x - sdf.oct_center[cell] + half, half + half)


@wp.func
def _side(number: int, axis: int, at: wp.float64) -> wp.float64:
    """Weight of the corners on one side of a cell."""
    return wp.where(((number >> axis) & 1) == 1, at, f64(1.0) - at)


@wp.func
def octree_distance(sdf: wp.ref[Sdf], root: int, x: wp.vec3d) -> wp.float64:
    """Signed distance of a point in the geom's frame; ``root``: the mesh's outermost cell."""
    near = _nearest(sdf, root, x)
    cell = _leaf(sdf, root, near)
    at = _weights(sdf, cell, near)
    total = _overshoot(sdf, root, x)
    for k in range(8):
        total += _side(k, 0, at[0]) * _side(k, 1, at[1]) * _side(k, 2, at[2]) * sdf.oct_coeff[cell, k]
    return total


@wp.func
def is_outside(sdf: wp.ref[Sdf], root: int, x: wp.vec3d) -> bool:
    """Whether a point lies outside of the outermost cell."""
    return _overshoot(sdf, root, x) > ZERO


@wp.func
def octree_gradient(sdf: wp.ref[Sdf], root: int, x: wp.vec3d) -> wp.vec3d:
    """Gradient of that distance within the outermost cell: of the linear function of the smallest cell."""
    found = wp.vec3d()
    cell = _leaf(sdf, root, x)
    at = _weights(sdf, cell, x)
    half = sdf.oct_half[cell]
    for k in range(8):
        value = sdf.oct_coeff[cell, k]
        for axis in range(3):
            one = (axis + 1) % 3
            two = (axis + 2) % 3
            slope = wp.where(((k >> axis) & 1) == 1, f64(1.0), f64(-1.0)) / (half[axis] + half[axis])
            found[axis] = found[axis] + slope * _side(k, one, at[one]) * _side(k, two, at[two]) * value
    return found
