"""What a contact's adjoint hands on is the transpose of what the contact does, whatever its features are."""

import numpy as np
import pytest
import warp as wp

from newtonish.kernels.derivative.algebra import bottom, real, top, vec6d
from newtonish.kernels.derivative.features import LINE, PLANE, POINT, RULED, Feature
from newtonish.kernels.derivative.witness import Displacement, Witness, displaced, frame_turn
from newtonish.kernels.derivative.witness_bar import common_bar, second_bar

FLAT, STRAIGHT, SHARP = (int(kind) for kind in (PLANE, LINE, POINT))
# kinds of both features, how the point of each slides, and whether the tangent follows the second geom
CONTACTS = {
    "plane": (FLAT, SHARP, 0, 0, 0), "plane-border": (FLAT, SHARP, 0, 1, 0), "plane-corner": (FLAT, FLAT, 0, 2, 1), "on-plane": (SHARP, FLAT, 0, 0, 1),
    "border": (STRAIGHT, FLAT, 1, 0, 0), "corner": (FLAT, FLAT, 2, 2, 1), "ruled": (STRAIGHT, FLAT, int(RULED), 0, 0), "points": (SHARP, SHARP, 0, 0, 1),
    "line-point": (STRAIGHT, SHARP, 0, 0, 0), "point-line": (SHARP, STRAIGHT, 0, 0, 0), "lines": (STRAIGHT, STRAIGHT, 0, 0, 1),
    "ruled-line": (STRAIGHT, STRAIGHT, int(RULED), 0, 0),
}  # fmt: skip


@wp.func
def _vector(numbers: wp.array2d(dtype=wp.float64), w: int, at: int) -> wp.vec3d:
    return wp.vec3d(numbers[w, at], numbers[w, at + 1], numbers[w, at + 2])


@wp.func
def _feature(numbers: wp.array2d(dtype=wp.float64), w: int, at: int, kind: int, slide: int) -> Feature:
    found = Feature()
    found.kind = kind
    found.slide = slide
    found.at = _vector(numbers, w, at)
    found.axis = wp.normalize(_vector(numbers, w, at + 3))
    found.R = wp.identity(n=3, dtype=wp.float64) * real(4.0) + wp.matrix_from_rows(
        _vector(numbers, w, at + 6), _vector(numbers, w, at + 9), _vector(numbers, w, at + 12)
    )
    found.bend = _vector(numbers, w, at + 15)
    found.bent_by = _vector(numbers, w, at + 18)
    found.drawn_by = _vector(numbers, w, at + 21)
    found.side1 = _vector(numbers, w, at + 24)
    found.side2 = _vector(numbers, w, at + 27)
    found.lever = _vector(numbers, w, at + 30)
    return found


@wp.kernel(enable_backward=False)
def _both_ways(numbers: wp.array2d(dtype=wp.float64), kinds: wp.array(dtype=int), alone: wp.array2d(dtype=wp.float64), common: wp.array2d(dtype=wp.float64)):
    w = wp.tid()
    found = Witness()
    found.one = _feature(numbers, w, 0, kinds[0], kinds[2])
    found.two = _feature(numbers, w, 33, kinds[1], kinds[3])
    found.follows = kinds[4]
    found.normal = wp.normalize(_vector(numbers, w, 66))
    found.wanted = _vector(numbers, w, 69)
    found.tangent1 = wp.normalize(found.wanted - wp.dot(found.wanted, found.normal) * found.normal)
    found.tangent2 = wp.cross(found.normal, found.tangent1)
    found.pos = _vector(numbers, w, 72)
    found.dist = numbers[w, 75]
    bar = Displacement()
    bar.dist = numbers[w, 76]
    bar.pos = _vector(numbers, w, 77)
    bar.turn = _vector(numbers, w, 80)
    motion = vec6d()
    for i in range(6):
        motion[i] = numbers[w, 83 + i]
    v = top(motion)
    omega = bottom(motion)
    moved = displaced(found, wp.vec3d(), wp.vec3d(), v, omega)
    alone[w, 0] = bar.dist * moved.dist + wp.dot(bar.pos, moved.pos) + wp.dot(bar.turn, moved.turn)
    alone[w, 1] = wp.dot(second_bar(found, bar), motion)
    common[w, 0] = wp.dot(bar.pos, v) + wp.dot(bar.turn, frame_turn(found, wp.cross(omega, found.normal), omega))
    common[w, 1] = wp.dot(common_bar(found, bar), motion)


@pytest.mark.parametrize("contact", CONTACTS)
def test_the_adjoint_is_the_transpose(contact):
    """For random contacts, derivatives and motions, all unequal."""
    numbers = wp.array(np.random.default_rng(1).uniform(-1.0, 1.0, (20, 89)), dtype=wp.float64)
    alone, common = (wp.zeros((20, 2), dtype=wp.float64) for _ in range(2))
    wp.launch(_both_ways, dim=20, inputs=[numbers, wp.array(CONTACTS[contact], dtype=int), alone, common])
    for found in (alone.numpy(), common.numpy()):
        assert np.ptp(found[:, 0]) > 0.1
        np.testing.assert_allclose(found[:, 1], found[:, 0], rtol=1e-9, atol=1e-9)
