"""How a body of a simulated tree answers to forces from another solver: its effective mass and inertia, and its gravity.

MuJoCo's ``body_invweight0`` has for each body the mean inverse mass over the three directions, and the mean inverse
inertia over the three axes, of the whole tree in the reference pose. At a point beside the centre of mass, ``r`` away, a
force along ``n`` also turns the body: the mean of ``|r x n|^2`` over all directions is two thirds of ``r^2``.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.math.world import per_world

BODY, PARTICLE = wp.constant(0), wp.constant(1)
"""Kinds of endpoints, as in Newton's coupling of solvers."""


@wp.func
def _invweight(index: int, place: wp.array(dtype=wp.vec2i), invweight: wp.array2d(dtype=wp.vec2)):
    """Mean inverse mass and inertia of a body of the Newton model; zero for one that is not simulated."""
    if index < 0 or index >= place.shape[0] or place[index][1] < 0:
        return wp.vec2(0.0)
    return invweight[per_world(invweight.shape[0], place[index][0]), place[index][1]]


@wp.kernel
def effective_mass(
    kind: wp.array(dtype=int), index: wp.array(dtype=int), point: wp.array(dtype=wp.vec3), place: wp.array(dtype=wp.vec2i),
    invweight: wp.array2d(dtype=wp.vec2), body_mass: wp.array(dtype=float), particle_mass: wp.array(dtype=float), mass: wp.array(dtype=float),
):  # fmt: skip
    i = wp.tid()
    number, own = index[i], float(0.0)
    if kind[i] == PARTICLE and number >= 0 and number < particle_mass.shape[0]:
        own = particle_mass[number]
    if kind[i] == BODY and number >= 0 and number < body_mass.shape[0]:
        own = body_mass[number]
        inverse = _invweight(number, place, invweight)
        total = inverse[0] + 2.0 / 3.0 * inverse[1] * wp.length_sq(point[i])
        if total > 0.0:
            own = 1.0 / total
    mass[i] = own


@wp.kernel
def effective_inertia(
    kind: wp.array(dtype=int), index: wp.array(dtype=int), place: wp.array(dtype=wp.vec2i), invweight: wp.array2d(dtype=wp.vec2),
    body_mass: wp.array(dtype=float), body_inertia: wp.array(dtype=wp.mat33), mass: wp.array(dtype=float), inertia: wp.array(dtype=wp.mat33),
):  # fmt: skip
    """The body's own tensor, larger by as much as the tree resists turning more than the body alone; never smaller."""
    i = wp.tid()
    number, own = index[i], wp.mat33(0.0)
    if kind[i] == BODY and number >= 0 and number < body_inertia.shape[0]:
        own = body_inertia[number]
        resistance = _invweight(number, place, invweight)[1]
        if resistance > 0.0 and wp.determinant(own) > 1.0e-30:
            own = own * wp.max(wp.trace(wp.inverse(own)) / (3.0 * resistance), 1.0)
        elif body_mass[number] > 0.0:
            own = own * wp.max(mass[i] / body_mass[number], 1.0)
    inertia[i] = own


@wp.kernel
def gravity_acceleration(
    gravity: wp.array(dtype=wp.vec3), body_world: wp.array(dtype=int), place: wp.array(dtype=wp.vec2i),
    gravcomp: wp.array2d(dtype=float), acceleration: wp.array(dtype=wp.vec3),
):  # fmt: skip
    """Gravity of each body of the Newton model, less what is compensated."""
    i = wp.tid()
    share = float(0.0)
    if place[i][1] >= 0 and gravcomp.shape[1] > 0:
        share = gravcomp[per_world(gravcomp.shape[0], place[i][0]), place[i][1]]
    acceleration[i] = (1.0 - share) * gravity[wp.max(body_world[i], 0)]
