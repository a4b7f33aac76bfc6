"""Spatial (six-dimensional) algebra in MuJoCo's com-based frames: world axes, origin at the tree's centre of mass.

A motion is (angular velocity, linear velocity of the point at the origin), a force is (torque about the origin, force).
Inertias are ten numbers: xx yy zz xy xz yz about the origin, mass times offset of the centre of mass, mass.
Method: Featherstone 2008, ch. 2.
"""

import warp as wp

from newtonish.kernels.structs.field import vec10


@wp.func
def inertia_mul(inertia: vec10, motion: wp.spatial_vector) -> wp.spatial_vector:
    """Momentum of a body that has this inertia and moves so."""
    w = wp.spatial_top(motion)
    v = wp.spatial_bottom(motion)
    h = wp.vec3(inertia[6], inertia[7], inertia[8])
    angular = wp.vec3(
        inertia[0] * w[0] + inertia[3] * w[1] + inertia[4] * w[2],
        inertia[3] * w[0] + inertia[1] * w[1] + inertia[5] * w[2],
        inertia[4] * w[0] + inertia[5] * w[1] + inertia[2] * w[2],
    )
    return wp.spatial_vector(angular + wp.cross(h, v), inertia[9] * v - wp.cross(h, w))


@wp.func
def cross_motion(velocity: wp.spatial_vector, motion: wp.spatial_vector) -> wp.spatial_vector:
    """Rate of change of a motion vector that is carried along with ``velocity``."""
    w = wp.spatial_top(velocity)
    v = wp.spatial_bottom(velocity)
    a = wp.spatial_top(motion)
    return wp.spatial_vector(wp.cross(w, a), wp.cross(w, wp.spatial_bottom(motion)) + wp.cross(v, a))


@wp.func
def cross_force(velocity: wp.spatial_vector, force: wp.spatial_vector) -> wp.spatial_vector:
    """Rate of change of a force vector that is carried along with ``velocity``."""
    w = wp.spatial_top(velocity)
    v = wp.spatial_bottom(velocity)
    f = wp.spatial_bottom(force)
    return wp.spatial_vector(wp.cross(w, wp.spatial_top(force)) + wp.cross(v, f), wp.cross(w, f))


@wp.func
def inertia_about(axes: wp.mat33, principal: wp.vec3, mass: float, offset: wp.vec3) -> vec10:
    """Inertia of a body whose principal axes are the columns of ``axes`` and whose centre of mass lies at ``offset``."""
    x = wp.vec3(axes[0, 0], axes[0, 1], axes[0, 2])
    y = wp.vec3(axes[1, 0], axes[1, 1], axes[1, 2])
    z = wp.vec3(axes[2, 0], axes[2, 1], axes[2, 2])
    px = wp.cw_mul(x, principal)
    py = wp.cw_mul(y, principal)
    pz = wp.cw_mul(z, principal)
    h = mass * offset
    return vec10(
        wp.dot(px, x) + h[1] * offset[1] + h[2] * offset[2],
        wp.dot(py, y) + h[0] * offset[0] + h[2] * offset[2],
        wp.dot(pz, z) + h[0] * offset[0] + h[1] * offset[1],
        wp.dot(px, y) - h[0] * offset[1],
        wp.dot(px, z) - h[0] * offset[2],
        wp.dot(py, z) - h[1] * offset[2],
        h[0],
        h[1],
        h[2],
        mass,
    )
