"""Where the triangles of a mesh dip into a distance field: the search that MuJoCo does for geoms of type mesh, in float64.

A triangle is searched where the sphere around its box reaches into the field. From points spread over it searches go to whichever corner lies
down the gradient, by ever shorter steps, and so never leave it (Frank and Wolfe 1956). The first fifty ends below the surface are kept, triangle
by triangle in the order of MuJoCo's tree of boxes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import SDF
from newtonish.kernels.math.world import lanes, scan_lanes, sync
from newtonish.kernels.sdf.fields import named
from newtonish.kernels.sdf.place import halton
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
    """Corners of a triangle in the frame of the field."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d


@wp.func
def _face(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], number: int, face: wp.ref[Face]):
    back = wp.transpose(pair.turn)
    face.a = back * (wp.vec3d(sdf.tri[number, 0]) - pair.shift)
    face.b = back * (wp.vec3d(sdf.tri[number, 1]) - pair.shift)
    face.c = back * (wp.vec3d(sdf.tri[number, 2]) - pair.shift)


def face_search(distance: wp.Function, gradient: wp.Function, name: str) -> Any:
    """The search by a field's functions: (sdf, meeting, state, slot, lane) -> number of ends in ``state.point``."""

    def may_dip(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], number: int) -> bool:
        """Whether the sphere around a triangle's box reaches into the field."""
        low = wp.min(sdf.tri[number, 0], wp.min(sdf.tri[number, 1], sdf.tri[number, 2]))
        high = wp.max(sdf.tri[number, 0], wp.max(sdf.tri[number, 1], sdf.tri[number, 2]))
        middle = wp.transpose(pair.turn) * (f64(0.5) * (wp.vec3d(low) + wp.vec3d(high)) - pair.shift)
        return distance(sdf, pair.geom2, SDF, wp.vec3d(), middle) < wp.length(f64(0.5) * (wp.vec3d(high) - wp.vec3d(low)))

    dips = wp.func(named(may_dip, f"may_dip_{name}"), inline=False)

    def face_end(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], face: wp.ref[Face], found: wp.ref[Overlap]):
        """Where the search from the point ``found.x`` of a triangle ends, and the distance there."""
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

    end = wp.func(named(face_end, f"face_end_{name}"), inline=False)

    def search_face(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], state: wp.ref[SdfState], slot: int, lane: int, number: int, kept: int) -> int:
        """Put ends of the searches in a triangle behind those that there are; returns how many there are now."""
        face = Face()
        _face(sdf, pair, number, face)
        count = wp.int32(kept)
        for begin in range(1, sdf.initpoints + 1, lanes()):
            k = begin + lane
            found = wp.int32(0)
            rest = Overlap()
            if k <= sdf.initpoints:
                one = halton(k, 2)
                two = halton(k, 3)
                if one + two > f64(1.0):  # beyond the triangle: turned back into it
                    one = f64(1.0) - one
                    two = f64(1.0) - two
                rest.x = (f64(1.0) - one - two) * face.a + one * face.b + two * face.c
                end(sdf, pair, face, rest)
                if rest.dist < ZERO:
                    found = 1
            place = scan_lanes(found)
            if found == 1 and count + place[0] < MOST:
                state.point[slot, count + place[0]] = wp.vec4d(rest.x[0], rest.x[1], rest.x[2], rest.dist)
            count += place[1]
        return wp.min(count, MOST)

    in_face = wp.func(named(search_face, f"search_face_{name}"), inline=False)

    def search_faces(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], state: wp.ref[SdfState], slot: int, lane: int) -> int:
        """Put the ends of searches in a mesh's triangles into ``state.point``, fifty at most; returns how many."""
        first = sdf.tri_adr[pair.geom1]
        last = first + sdf.tri_num[pair.geom1]
        kept = wp.int32(0)
        begin = wp.int32(first)
        while begin < last and kept < MOST:
            stop = wp.min(begin + BATCH, last)
            for number in range(begin + lane, stop, lanes()):
                dist = wp.where(dips(sdf, pair, number), f64(-1.0), f64(1.0))
                state.point[slot, MOST + number - begin] = wp.vec4d(ZERO, ZERO, ZERO, dist)
            sync()
            for number in range(begin, stop):
                if kept < MOST and state.point[slot, MOST + number - begin][3] < ZERO:
                    kept = in_face(sdf, pair, state, slot, lane, number, kept)
            sync()
            begin = stop
        return kept

    return wp.func(named(search_faces, f"search_faces_{name}"), inline=False)
