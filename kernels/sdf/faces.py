"""Where the triangles of a mesh dip into a distance field: the search that MuJoCo does for geoms of type mesh, in float64.

A triangle is looked at where the spheres around its box and around its corners and a fourth point reach into the field. From its middle the
search goes to whichever corner lies down the gradient, by ever shorter steps, and so never leaves it (Frank and Wolfe 1956). Of all triangles
that end below the surface the fifty deepest are kept; they come in batches, so that little memory does for meshes of any size.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import SDF
from newtonish.kernels.math.world import lanes, scan_lanes, sync
from newtonish.kernels.sdf.fields import named
from newtonish.kernels.sdf.search import Meeting, Overlap
from newtonish.kernels.structs.collision import FACE_BATCH, FACES_KEPT
from newtonish.kernels.structs.data import SdfState
from newtonish.kernels.structs.model import Sdf

f64 = wp.float64
ZERO = wp.constant(wp.float64(0.0))
MOST = wp.constant(FACES_KEPT)
BATCH = wp.constant(FACE_BATCH)
FAR = wp.constant(wp.float64(1.0e10))


@wp.struct
class Face:
    """A triangle in the frame of the field, and the sphere around its box along the mesh's axes."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d
    middle: wp.vec3d
    radius: wp.float64


@wp.func
def _face(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], number: int) -> Face:
    back = wp.transpose(pair.turn)
    a = wp.vec3d(sdf.tri[number, 0])
    b = wp.vec3d(sdf.tri[number, 1])
    c = wp.vec3d(sdf.tri[number, 2])
    low = wp.min(a, wp.min(b, c))
    high = wp.max(a, wp.max(b, c))
    face = Face()
    face.a = back * (a - pair.shift)
    face.b = back * (b - pair.shift)
    face.c = back * (c - pair.shift)
    face.middle = back * (f64(0.5) * (low + high) - pair.shift)
    face.radius = wp.length(f64(0.5) * (high - low))
    return face


@wp.func
def _deeper(one: wp.vec4d, at1: int, other: wp.vec4d, at2: int) -> bool:
    return one[3] < other[3] or (one[3] == other[3] and at1 < at2)


@wp.func
def _merge(state: wp.ref[SdfState], slot: int, lane: int, kept: int, new: int) -> int:
    """Put new ends, which stand behind the kept ones, among these by depth; returns how many are kept now."""
    total = kept + new
    for k in range(lane, total, lanes()):
        own = state.point[slot, wp.where(k < kept, k, MOST + k - kept)]
        rank = wp.int32(0)
        for j in range(total):
            if _deeper(state.point[slot, wp.where(j < kept, j, MOST + j - kept)], j, own, k):
                rank += 1
        if rank < MOST:
            state.point[slot, MOST + BATCH + rank] = own
    sync()
    count = wp.min(total, MOST)
    for k in range(lane, count, lanes()):
        state.point[slot, k] = state.point[slot, MOST + BATCH + k]
    sync()
    return count


def face_search(distance: wp.Function, gradient: wp.Function, name: str) -> Any:
    """The search by a field's functions: (sdf, meeting, state, slot, lane) -> number of ends in ``state.point``, the deepest first."""

    def may_dip(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], face: wp.ref[Face]) -> bool:
        """Whether the sphere through the corners and a point above the middle, by a tenth of the distance, reaches into the field."""
        if distance(sdf, pair.geom2, SDF, wp.vec3d(), face.middle) >= face.radius:
            return False
        middle = (face.a + face.b + face.c) / f64(3.0)
        normal = wp.normalize(wp.cross(face.b - face.a, face.c - face.a))
        top = middle + normal * (distance(sdf, pair.geom2, SDF, wp.vec3d(), middle) / f64(10.0))
        a = face.a - top
        b = face.b - top
        c = face.c - top
        bc = wp.cross(b, c)
        center = bc * wp.dot(a, a) + wp.cross(c, a) * wp.dot(b, b) + wp.cross(a, b) * wp.dot(c, c)
        center = center / (f64(2.0) * (wp.dot(a, bc)))
        return distance(sdf, pair.geom2, SDF, wp.vec3d(), center + top) < wp.length(center)

    dips = wp.func(named(may_dip, f"may_dip_{name}"), inline=False)

    def face_end(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], number: int) -> Overlap:
        """Where the search in a triangle ends; far away where it is not looked at."""
        face = _face(sdf, pair, number)
        found = Overlap()
        found.dist = FAR
        if not dips(sdf, pair, face):
            return found
        found.x = (face.a + face.b + face.c) / f64(3.0)
        for step in range(sdf.iterations):
            grad = gradient(sdf, pair.geom2, SDF, wp.vec3d(), found.x)
            best = FAR
            goal = wp.vec3d()
            corner = wp.int32(0)
            while corner < 3:
                at = wp.where(corner == 0, face.a, wp.where(corner == 1, face.b, face.c))
                down = wp.dot(at, grad)
                if down < best:
                    best = down
                    goal = at
                corner += 1
            found.x = found.x + (goal - found.x) * (f64(2.0) / (f64(step) + f64(2.0)))
        found.dist = distance(sdf, pair.geom2, SDF, wp.vec3d(), found.x)
        return found

    end = wp.func(named(face_end, f"face_end_{name}"), inline=False)

    def search_faces(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], state: wp.ref[SdfState], slot: int, lane: int) -> int:
        """The deepest ends in a mesh's triangles, put into ``state.point`` by depth; returns how many."""
        first = sdf.tri_adr[pair.geom1]
        last = first + sdf.tri_num[pair.geom1]
        kept = wp.int32(0)
        for begin in range(first, last, BATCH):
            stop = wp.min(begin + BATCH, last)
            new = wp.int32(0)
            for at in range(begin, stop, lanes()):
                rest = Overlap()
                rest.dist = FAR
                if at + lane < stop:
                    rest = end(sdf, pair, at + lane)
                found = wp.where(rest.dist < ZERO, 1, 0)
                place = scan_lanes(found)
                if found == 1:
                    state.point[slot, MOST + new + place[0]] = wp.vec4d(rest.x[0], rest.x[1], rest.x[2], rest.dist)
                new += place[1]
            sync()
            if new > 0:
                kept = _merge(state, slot, lane, kept, new)
        sync()
        return kept

    return wp.func(named(search_faces, f"search_faces_{name}"), inline=False)
