"""Contacts of two boxes: the direction of least overlap among fifteen, then a clipped face or one point on two edges.

Candidate directions are the six face normals and the nine products of edges (Gottschalk, Lin, Manocha, OBBTree, 1996).
If a face wins, the most opposed face of the other box is clipped by its sides; every corner left below the detection
distance is a contact. If an edge direction wins, the contact lies midway between the two edges. Which of two nearly
equal directions wins follows MuJoCo 4.0: faces before edges, unless an edge is clearly better.
"""

import warp as wp

from newtonish.kernels.collision.patch import Patch, add_point, move_point, patch_pos, point_at, point_dist
from newtonish.kernels.collision.support import Shape
from newtonish.kernels.math.world import fresh

PARALLEL_SQ = wp.constant(1.0e-7)  # squared sine below which the product of two edges is rounding
EDGE_BIAS = wp.constant(1.0e-6)  # an edge has to win by this part
ALIKE = wp.constant(0.99)  # cosine above which an edge direction repeats a face's
CLEARLY = wp.constant(0.05)  # part of the depth by which it has to be better then
AMBIGUOUS = wp.constant(1.0e-5)  # component of a direction whose sign is rounding
SLACK = wp.constant(1.0e-6)  # of separation, over the sizes
SAME_SQ = wp.constant(1.0e-10)  # squared distance over squared size below which two corners are one


@wp.struct
class Least:
    """The direction of least overlap."""

    separation: wp.float32  # greatest signed distance along any direction
    kind: wp.int32  # 0 to 2: face of box 1; 3 to 5: face of box 2; 6 + 3 i + j: edges i and j; -1: apart
    axis: wp.vec3  # of an edge kind, in the frame of box 1


@wp.func
def _least_face(to2: wp.vec3, to1: wp.vec3, turn: wp.mat33, size1: wp.vec3, size2: wp.vec3) -> Least:
    """Best of the six face normals."""
    best = Least()
    best.separation = -3.0e38
    for i in range(3):
        radius = wp.abs(turn[i, 0]) * size2[0] + wp.abs(turn[i, 1]) * size2[1] + wp.abs(turn[i, 2]) * size2[2]
        apart = wp.abs(to2[i]) - size1[i] - radius
        if apart > best.separation:
            best.separation = apart
            best.kind = i
    for j in range(3):
        radius = wp.abs(turn[0, j]) * size1[0] + wp.abs(turn[1, j]) * size1[1] + wp.abs(turn[2, j]) * size1[2]
        apart = wp.abs(to1[j]) - size2[j] - radius
        if apart > best.separation:
            best.separation = apart
            best.kind = 3 + j
    return best


@wp.func
def _unit(i: int) -> wp.vec3:
    e = wp.vec3(0.0, 0.0, 0.0)
    e[i] = 1.0
    return e


@wp.func
def _column(m: wp.mat33, j: int) -> wp.vec3:
    return wp.vec3(m[0, j], m[1, j], m[2, j])


@wp.func(inline=False)
def _least_overlap(to2: wp.vec3, to1: wp.vec3, turn: wp.mat33, size1: wp.vec3, size2: wp.vec3, limit: float) -> Least:
    """Best of the fifteen directions; kind -1 if the boxes are farther apart than ``limit`` along one."""
    face = _least_face(to2, to1, turn, size1, size2)
    best = face
    for p in range(fresh(9)):  # not unrolled
        axis = wp.cross(_unit(p // 3), _column(turn, p % 3))
        length_sq = wp.length_sq(axis)
        if length_sq >= PARALLEL_SQ:
            axis = axis / wp.sqrt(length_sq)
            other = axis * turn  # row vector: the direction in the frame of box 2
            radius = wp.dot(wp.abs(axis), size1) + wp.dot(wp.abs(other), size2)
            apart = wp.abs(wp.dot(axis, to2)) - radius
            if apart - EDGE_BIAS * wp.abs(apart) > best.separation and apart > face.separation:
                best.separation = apart
                best.kind = 6 + p
                best.axis = axis
            if apart > limit:
                best.kind = -1
                return best
    if best.separation > limit:
        best.kind = -1
        return best
    if best.kind >= 6:
        normal = _unit(face.kind % 3)
        if face.kind >= 3:
            normal = _column(turn, face.kind - 3)
        better = face.separation + CLEARLY * wp.abs(face.separation)
        if wp.abs(wp.dot(best.axis, normal)) > ALIKE and best.separation < better:
            return face
    return best


@wp.func
def _edge_middle(direction: wp.vec3, size: wp.vec3, along: int, other: int) -> wp.vec3:
    """Middle of the edge farthest along ``direction``; ``other`` = 1 takes the second of two that are as far."""
    doubtful = (along + 1) % 3
    if wp.abs(direction[doubtful]) >= AMBIGUOUS:
        doubtful = (along + 2) % 3
    middle = wp.vec3(0.0, 0.0, 0.0)
    for k in range(3):
        if k != along:
            middle[k] = wp.where(direction[k] >= 0.0, size[k], -size[k])
    if other == 1 and wp.abs(direction[doubtful]) < AMBIGUOUS:
        middle[doubtful] = -middle[doubtful]
    return middle


@wp.func(inline=False)
def _edge_contact(least: Least, to2: wp.vec3, turn: wp.mat33, size1: wp.vec3, size2: wp.vec3, patch: wp.ref[Patch]):
    """The point midway between two edges, in the frame of box 1, as ``patch``."""
    i = (least.kind - 6) // 3
    j = (least.kind - 6) % 3
    axis = least.axis
    if wp.dot(axis, to2) < 0.0:
        axis = -axis
    along = _column(turn, j)
    cosine = along[i]
    closest = wp.float32(3.0e38)
    dist = wp.float32(0.0)
    pos = wp.vec3(0.0, 0.0, 0.0)
    combinations = wp.int32(4)
    for k in range(combinations):
        first = _edge_middle(axis, size1, i, k % 2)
        second = to2 + turn * _edge_middle(-(axis * turn), size2, j, k // 2)
        between = second - first
        s = (between[i] - cosine * wp.dot(along, between)) / wp.max(1.0 - cosine * cosine, PARALLEL_SQ)
        s = wp.clamp(s, -size1[i], size1[i])
        t = wp.clamp(cosine * s - wp.dot(along, between), -size2[j], size2[j])
        s = wp.clamp(between[i] + cosine * t, -size1[i], size1[i])
        first = first + s * _unit(i)
        second = second + t * along
        apart = wp.length_sq(second - first)
        if apart < closest:
            closest = apart
            dist = wp.dot(second - first, axis)
            pos = 0.5 * (first + second)
    patch.count = 0
    patch.normal = axis
    add_point(patch, dist, pos)


@wp.func
def _clipped(polygon: patch_pos, count: int, axis: int, side: float, limit: float) -> tuple[int, patch_pos]:
    """The part of a polygon where ``side * corner[axis] <= limit``."""
    result = patch_pos()
    number = wp.int32(0)
    for k in range(count):
        p = polygon[k]
        q = polygon[wp.where(k + 1 == count, 0, k + 1)]
        from_p = side * p[axis] - limit
        from_q = side * q[axis] - limit
        if from_p <= 0.0 and number < 8:
            result[number] = p
            number += 1
        if from_p * from_q < 0.0 and number < 8:
            result[number] = p + (from_p / (from_p - from_q)) * (q - p)
            number += 1
    return number, result


@wp.func(inline=False)
def _face_contacts(a: int, offset: wp.vec3, turn: wp.mat33, size: wp.vec3, other: wp.vec3, reach: float, patch: wp.ref[Patch]):
    """Contacts on face ``a`` of a box of half sizes ``size``, in its frame, as ``patch``.

    Args:
        offset: centre of the other box.
        turn: orientation of the other box.
        other: half sizes of the other box.
    """
    outward = wp.where(offset[a] >= 0.0, 1.0, -1.0)
    b = wp.int32(0)  # the face of the other box that is most opposed
    for k in range(1, 3):
        if wp.abs(turn[a, k]) > wp.abs(turn[a, b]):
            b = k
    inward = wp.where(outward * turn[a, b] > 0.0, -1.0, 1.0)
    x = (a + 1) % 3
    y = (a + 2) % 3
    u = (b + 1) % 3
    v = (b + 2) % 3
    middle = offset + inward * other[b] * _column(turn, b)
    edge_u = other[u] * _column(turn, u)
    edge_v = other[v] * _column(turn, v)
    polygon = patch_pos()
    count = wp.int32(4)
    for k in range(count):
        corner = middle + wp.where(k == 0 or k == 3, 1.0, -1.0) * edge_u + wp.where(k < 2, 1.0, -1.0) * edge_v
        polygon[k] = wp.vec3(corner[x], corner[y], outward * corner[a] - size[a])
    sides = wp.int32(4)
    for k in range(sides):
        limit = wp.where(k < 2, size[x], size[y])
        count, polygon = _clipped(polygon, count, k // 2, wp.where(k % 2 == 0, 1.0, -1.0), limit)
    same = SAME_SQ * (size[x] * size[x] + size[y] * size[y])
    patch.count = 0
    patch.normal = outward * _unit(a)
    for k in range(count):
        p = polygon[k]
        new = p[2] <= reach
        for earlier in range(k):
            q = polygon[earlier]
            if q[2] <= reach and (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) < same:
                new = False
        if new:
            pos = wp.vec3(0.0, 0.0, 0.0)
            pos[x] = p[0]
            pos[y] = p[1]
            pos[a] = outward * (size[a] + 0.5 * p[2])
            add_point(patch, p[2], pos)


@wp.func
def _place(patch: wp.ref[Patch], box: wp.ref[Shape], sign: float):
    """Move points and normal from a box's frame to the world."""
    patch.normal = sign * (box.mat * patch.normal)
    for k in range(patch.count):
        move_point(patch, k, box.pos + box.mat * point_at(patch, k))


@wp.func
def _offset(box: wp.ref[Shape], other: wp.ref[Shape]) -> wp.vec3:
    """Centre of another box in the frame of ``box``."""
    return (other.pos - box.pos) * box.mat


@wp.func
def _orientation(box: wp.ref[Shape], other: wp.ref[Shape]) -> wp.mat33:
    """Orientation of another box in the frame of ``box``."""
    return wp.transpose(box.mat) * other.mat


@wp.func(inline=False)
def box_box(box1: wp.ref[Shape], box2: wp.ref[Shape], reach: float, patch: wp.ref[Patch]):
    """Up to eight contacts, as ``patch``."""
    size1 = box1.size
    size2 = box2.size
    limit = reach + SLACK * (size1[0] + size1[1] + size1[2] + size2[0] + size2[1] + size2[2])
    least = _least_overlap(_offset(box1, box2), _offset(box2, box1), _orientation(box1, box2), size1, size2, limit)
    patch.count = 0
    if least.kind < 0:
        return
    # frames are worked out anew: nothing has to be kept through the search
    if least.kind >= 6:
        _edge_contact(least, _offset(box1, box2), _orientation(box1, box2), box1.size, box2.size, patch)
        if point_dist(patch, 0) > limit:
            patch.count = 0
        _place(patch, box1, 1.0)
    elif least.kind < 3:
        _face_contacts(least.kind, _offset(box1, box2), _orientation(box1, box2), box1.size, box2.size, reach, patch)
        _place(patch, box1, 1.0)
    else:
        _face_contacts(least.kind - 3, _offset(box2, box1), _orientation(box2, box1), box2.size, box1.size, reach, patch)
        _place(patch, box2, -1.0)
