"""Where the triangles of a mesh dip into a distance field: the search that MuJoCo does for geoms of type mesh, in float64.

A triangle is searched where the sphere around its box reaches into the field. From points spread over it searches go to whichever corner lies
down the gradient, by ever shorter steps, and so never leave it (Frank and Wolfe 1956). The first fifty ends below the surface are kept, triangle
by triangle in the order of MuJoCo's tree of boxes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.collision.walk import Walk
from newtonish.kernels.math.world import lanes, scan_lanes, sync
from newtonish.kernels.sdf.fields import named
from newtonish.kernels.sdf.meeting import Face, Meeting
from newtonish.kernels.sdf.place import halton
from newtonish.kernels.structs.collision import FACE_BATCH, FACES_KEPT
from newtonish.kernels.structs.model import Sdf

f64 = wp.float64
ZERO = wp.constant(wp.float64(0.0))
MOST = wp.constant(FACES_KEPT)
BATCH = wp.constant(FACE_BATCH)
FAR = wp.constant(wp.float64(1.0e10))


@wp.func
def _take_face(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]):
    """The corners of triangle ``pair.number`` in the frame of the field."""
    back = wp.transpose(pair.turn)
    pair.face.a = back * (wp.vec3d(sdf.tri[pair.number, 0]) - pair.shift)
    pair.face.b = back * (wp.vec3d(sdf.tri[pair.number, 1]) - pair.shift)
    pair.face.c = back * (wp.vec3d(sdf.tri[pair.number, 2]) - pair.shift)


@wp.func
def _start_in_face(face: wp.ref[Face], number: int) -> wp.vec3d:
    """Start of a search: the starts fill the triangle evenly."""
    one = halton(number, 2)
    two = halton(number, 3)
    if one + two > f64(1.0):  # beyond the triangle: turned back into it
        one = f64(1.0) - one
        two = f64(1.0) - two
    return (f64(1.0) - one - two) * face.a + one * face.b + two * face.c


@wp.func
def _end_of_batch(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]) -> int:
    return wp.min(pair.batch + BATCH, sdf.tri_adr[pair.geom1] + sdf.tri_num[pair.geom1])


def face_search(distance: wp.Function, gradient: wp.Function, name: str) -> Any:
    """The search by a field's functions: (sdf, meeting, walk), which leaves ``walk.number`` ends in ``meeting.ends``."""

    def may_dip(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], number: int) -> bool:
        """Whether the sphere around a triangle's box reaches into the field."""
        low = wp.vec3d(wp.min(sdf.tri[number, 0], wp.min(sdf.tri[number, 1], sdf.tri[number, 2])))
        high = wp.vec3d(wp.max(sdf.tri[number, 0], wp.max(sdf.tri[number, 1], sdf.tri[number, 2])))
        pair.probe2.x = wp.transpose(pair.turn) * (f64(0.5) * (low + high) - pair.shift)
        pair.descent.dist = wp.length(f64(0.5) * (high - low))
        distance(sdf, pair.probe2)
        return pair.probe2.dist < pair.descent.dist

    dips = wp.func(named(may_dip, f"may_dip_{name}"), inline=False)

    def face_end(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]):
        """Where the search from the point ``pair.probe2.x`` of a triangle ends, and the distance there."""
        pair.descent.step = 0
        while pair.descent.step < sdf.iterations:
            gradient(sdf, pair.probe2, 0)
            best = FAR
            goal = wp.vec3d()
            corner = wp.int32(0)
            while corner < 3:
                at = wp.where(corner == 0, pair.face.a, wp.where(corner == 1, pair.face.b, pair.face.c))
                down = wp.dot(at, pair.probe2.grad)
                if down < best:
                    best = down
                    goal = at
                corner += 1
            pair.probe2.x = pair.probe2.x + (goal - pair.probe2.x) * (f64(2.0) / (f64(pair.descent.step) + f64(2.0)))
            pair.descent.step += 1
        distance(sdf, pair.probe2)

    end = wp.func(named(face_end, f"face_end_{name}"), inline=False)

    def search_face(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], walk: wp.ref[Walk]):
        """Put ends of the searches in a triangle behind the ``walk.number`` ones that there are."""
        _take_face(sdf, pair)
        walk.done = 0
        while walk.done < sdf.initpoints:
            found = wp.int32(0)
            if walk.done + walk.lane < sdf.initpoints:
                pair.probe2.x = _start_in_face(pair.face, walk.done + walk.lane + 1)
                end(sdf, pair)
                if pair.probe2.dist < ZERO:
                    found = 1
            place = scan_lanes(found)
            if found == 1 and walk.number + place[0] < MOST:
                x = pair.probe2.x
                pair.ends[walk.number + place[0]] = wp.vec4d(x[0], x[1], x[2], pair.probe2.dist)
            walk.number += place[1]
            walk.done += lanes()
        walk.number = wp.min(walk.number, MOST)

    in_face = wp.func(named(search_face, f"search_face_{name}"), inline=False)

    def search_faces(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], walk: wp.ref[Walk]):
        """Put the ends of searches in a mesh's triangles into ``pair.ends``, fifty at most."""
        pair.batch = sdf.tri_adr[pair.geom1]
        walk.number = 0
        while pair.batch < _end_of_batch(sdf, pair) and walk.number < MOST:
            pair.number = pair.batch + walk.lane
            while pair.number < _end_of_batch(sdf, pair):
                dist = wp.where(dips(sdf, pair, pair.number), f64(-1.0), f64(1.0))
                pair.ends[MOST + pair.number - pair.batch] = wp.vec4d(ZERO, ZERO, ZERO, dist)
                pair.number += lanes()
            sync()
            pair.number = pair.batch
            while pair.number < _end_of_batch(sdf, pair):
                if walk.number < MOST and pair.ends[MOST + pair.number - pair.batch][3] < ZERO:
                    in_face(sdf, pair, walk)
                pair.number += 1
            sync()
            pair.batch = pair.batch + BATCH

    return wp.func(named(search_faces, f"search_faces_{name}"), inline=False)
