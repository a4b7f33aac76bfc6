"""The polytope that grows within the difference of two convex sets: its corners, its triangles, and how a corner is added.

Triangles that see the new corner go, and a cone from their rim to the corner takes their place. Distances of triangles from the
origin are signed. The loops over triangles are native code, for a CPU and a GPU alike: each corner is tested against all of them.

A polytope is one lane's own, or of a team (``newtonish.kernels.math.team``), whose lanes share the loops over triangles, do all else alike,
and have it in shared memory (``shared_polytope``). All of them call every function here. What corners were made of is asked for once, at the end: the lanes of a
team keep it in turns, in memory of their own (``Sources``).
"""

import warp as wp

from newtonish.kernels.math.team import TEAM, TEAM_LANES
from newtonish.kernels.structs.collision import MOST_ITERATIONS

CORNERS = 4 + MOST_ITERATIONS
TRIANGLES = 2 * CORNERS  # a polytope of v corners has 2 v - 4
GONE = 3.0e38
ONE_PLANE = wp.constant(0.999999)  # cosine between the normals of triangles that lie in one plane

points = wp.types.matrix(shape=(CORNERS, 3), dtype=wp.float32)
vertices = wp.types.vector(length=CORNERS, dtype=wp.int32)
normals = wp.types.matrix(shape=(TRIANGLES, 3), dtype=wp.float32)
distances = wp.types.vector(length=TRIANGLES, dtype=wp.float32)
triangles = wp.types.vector(length=TRIANGLES, dtype=wp.int32)
MOST_GONE = 44  # triangles that go at once, of some dozens
MOST_SIDES = 56  # of their rim, on which each corner lies once
some_triangles = wp.types.vector(length=MOST_GONE, dtype=wp.uint32)
sides = wp.types.vector(length=MOST_SIDES, dtype=wp.uint16)


@wp.struct
class Polytope:
    """A closed surface of triangles, 2.7 kB."""

    ncorner: wp.int32
    nface: wp.int32
    diff: points  # corners, in the difference of the sets
    face: triangles  # three corners and the first again, a byte each, counter-clockwise seen from outside
    normal: normals
    dist: distances  # from the origin; GONE: the triangle closes the surface and is never expanded
    gone: some_triangles  # corners of those that go
    rim: sides  # sides of these that stay: two corners, a byte each


@wp.struct
class Sources:
    """What the corners of a polytope were made of; of a complete team each lane keeps every eighth corner, else the first one all."""

    on1: points  # points of the first set
    vertex1: vertices  # vertices of the two shapes
    vertex2: vertices


@wp.func_native(
    f"""
    auto* place = &own;
#if defined(__CUDA_ARCH__)
    __shared__ float4 held[WP_TILE_BLOCK_DIM / {TEAM_LANES}][(sizeof(own) + 15) / 16];
    place = (decltype(place))held[threadIdx.x / {TEAM_LANES}];
#endif
    return {{place, 1}};
"""
)
def shared_polytope(own: wp.ref[Polytope]) -> wp.array(dtype=Polytope):
    """One polytope of each team, in shared memory; ``own`` on a CPU."""
    ...


# Which lane keeps what a corner was made of, and where: without divisions, as the number of lanes is not known to the compiler
_KEEPER = f"""
    const auto keeper = [&](int corner) {{ return lanes == {TEAM_LANES} ? corner & {TEAM_LANES - 1} : 0; }};
    const auto kept_at = [&](int corner) {{ return lanes == {TEAM_LANES} ? corner / {TEAM_LANES} : corner; }};
"""
_SET_CORNER = """
    const auto set_corner = [&](int k) {
        if (rank == keeper(k)) {
            const int own = kept_at(k);
            for (int i = 0; i < 3; i++) body.diff.data[k][i] = diff[i];
            body.ncorner = k + 1;
            for (int i = 0; i < 3; i++) made.on1.data[own][i] = on1[i];
            made.vertex1.c[own] = vertex1;
            made.vertex2.c[own] = vertex2;
        }
    };
"""


@wp.func_native(
    TEAM
    + """
    meet();  // who reads the last one has done so
    if (rank == 0) body.ncorner = ncorner;
    meet();
"""
)
def keep_corners(body: wp.ref[Polytope], ncorner: int, team: int):
    """Take back all corners but the first ones."""
    ...


@wp.func_native(
    TEAM
    + _KEEPER
    + _SET_CORNER
    + """
    const int k = body.ncorner;
    meet();
    set_corner(k);
    meet();
"""
)
def add_corner(body: wp.ref[Polytope], made: wp.ref[Sources], diff: wp.vec3, on1: wp.vec3, vertex1: int, vertex2: int, team: int):
    """A corner, not yet of a triangle."""
    ...


# Warp loads the whole of a matrix to read one row of it.
_ROW = "return wp::vec3(body.{0}.data[i][0], body.{0}.data[i][1], body.{0}.data[i][2]);"


@wp.func_native(_ROW.format("diff"))
def corner_at(body: wp.ref[Polytope], i: int) -> wp.vec3: ...


@wp.func_native(_ROW.format("normal"))
def normal_at(body: wp.ref[Polytope], i: int) -> wp.vec3: ...


@wp.func_native("return body.dist.c[i];")
def dist_at(body: wp.ref[Polytope], i: int) -> float: ...


@wp.func_native("return body.face.c[i];")
def face_at(body: wp.ref[Polytope], i: int) -> int:
    """A triangle as it is kept, whose ``corners_of`` stay when it goes."""
    ...


@wp.func_native("return wp::vec_t<3, int>(face & 255, (face >> 8) & 255, (face >> 16) & 255);")
def corners_of(face: int) -> wp.vec3i: ...


@wp.func
def corners_at(body: wp.ref[Polytope], i: int) -> wp.vec3i:
    return corners_of(face_at(body, i))


@wp.func_native(
    TEAM
    + _KEEPER
    + """
    const float* on1 = made.on1.data[kept_at(k)];
    return wp::vec3(from_lane(on1[0], keeper(k)), from_lane(on1[1], keeper(k)), from_lane(on1[2], keeper(k)));
"""
)
def on1_at(made: wp.ref[Sources], k: int, team: int) -> wp.vec3: ...


_VERTICES = """
    const auto vertex = [&](int i) {{ return from_lane(made.vertex{0}.c[kept_at(i)], keeper(i)); }};
    return wp::vec_t<3, int>(vertex(k[0]), vertex(k[1]), vertex(k[2]));
"""


@wp.func_native(TEAM + _KEEPER + _VERTICES.format(1))
def vertices1(made: wp.ref[Sources], k: wp.vec3i, team: int) -> wp.vec3i: ...


@wp.func_native(TEAM + _KEEPER + _VERTICES.format(2))
def vertices2(made: wp.ref[Sources], k: wp.vec3i, team: int) -> wp.vec3i: ...


# A triangle without area, or nearer than ``least`` (the polytope only grows: it is a sliver whose normal is rounding), closes
# the polytope but is never expanded.
_SET_FACE = f"""
#if defined(__CUDA_ARCH__)
    // the quotient to the bit, by a remainder that is exact: a division is three times as long
    const auto third_of = [](float x) {{
        const float q = __fmul_rn(x, 1.0f / 3.0f);
        return __fmaf_rn(__fmaf_rn(-3.0f, q, x), 1.0f / 3.0f, q);
    }};
    const auto third = [&](wp::vec3 v) {{ return wp::vec3(third_of(v[0]), third_of(v[1]), third_of(v[2])); }};
#else
    const auto third = [](wp::vec3 v) {{ return v / 3.0f; }};
#endif
    const auto point_at = [&](int i) {{ return wp::vec3(body.diff.data[i][0], body.diff.data[i][1], body.diff.data[i][2]); }};
    const auto set_face = [&](int f, int a, int b, int c, wp::vec3 r, float least) {{  // ``r``: the corner c
        const wp::vec3 p = point_at(a), q = point_at(b);
        const wp::vec3 across = wp::cross(q - p, r - p);
        const float length = wp::length(across);
        const bool flat = !(length > 1.0e-18f);
        const wp::vec3 n = flat ? wp::vec3(0.0f, 0.0f, 0.0f) : across / length;
        const float height = wp::dot(n, third(p + q + r));
        const float dist = flat || height < least ? {GONE}f : height;
        for (int i = 0; i < 3; i++) body.normal.data[f][i] = n[i];
        body.dist.c[f] = dist;
        body.face.c[f] = a | b << 8 | c << 16 | a << 24;
        return dist;
    }};
"""


@wp.func_native(
    TEAM
    + _SET_FACE
    + f"""
    const int a[] = {{0, 0, i, j}}, b[] = {{i, 3, 3, 3}}, c[] = {{j, i, j, 0}};
    for (int f = rank; f < 4; f += lanes) set_face(f, a[f], b[f], c[f], point_at(c[f]), -{GONE}f);
    if (rank == 0) body.nface = 4;
    meet();
"""
)
def _join(body: wp.ref[Polytope], i: int, j: int, team: int):
    """The triangles of the first four corners, of which 0, i, j are counter-clockwise seen against the last."""
    ...


@wp.func
def begin_tetrahedron(body: wp.ref[Polytope], team: int):
    """The four triangles between the first four corners."""
    a = corner_at(body, 0)
    outside = wp.dot(wp.cross(corner_at(body, 1) - a, corner_at(body, 2) - a), corner_at(body, 3) - a) > 0.0
    _join(body, wp.where(outside, 2, 1), wp.where(outside, 1, 2), team)


@wp.func_native(
    TEAM
    + """
    int best = rank < body.nface ? rank : 0;
    for (int f = best + lanes; f < body.nface; f += lanes) {
        if (body.dist.c[f] < body.dist.c[best]) best = f;
    }
    return first_least(body.dist.c[best], best);
"""
)
def closest_face(body: wp.ref[Polytope], team: int) -> int:
    """The triangle closest to the origin, the first of several."""
    ...


# A side a b of a triangle that goes is on the rim unless a side b a goes too. What rounding has let close twice has sides that are there several
# times, each of which cancels one other: where more than one side b a goes, they are counted again, with those a b before.
@wp.func_native(
    TEAM
    + _KEEPER
    + _SET_CORNER
    + _SET_FACE
    + f"""
    auto* gone = body.gone.c;
    auto* rim = body.rim.c;
    const int corner = body.ncorner, nface = body.nface;
    const float x = diff[0], y = diff[1], z = diff[2];
    const float least = body.dist.c[best] - 100.0f * slack;
    int ngone = 0;
    int nearest = 0;  // of this lane's triangles, in their new places
    float nearest_dist = INFINITY;
    const auto consider = [&](float dist, int f) {{
        nearest = dist < nearest_dist ? f : nearest;
        nearest_dist = dist < nearest_dist ? dist : nearest_dist;
    }};
    for (int first = 0; first < nface; first += lanes) {{
        const int f = first + rank;
        const bool there = f < nface;
        bool goes = false;
        float n[3], dist;
        int face;
        if (there) {{
            for (int i = 0; i < 3; i++) n[i] = body.normal.data[f][i];
            dist = body.dist.c[f];
            face = body.face.c[f];
            goes = f == best || (dist < {GONE}f && n[0] * x + n[1] * y + n[2] * z - dist > slack);
        }}
        const unsigned going = vote(goes);
        const int before = ngone + number_below(going);
        ngone += number(going);
        if (there && !goes) consider(dist, f - before);
        if (ngone == 0) continue;  // triangles before the first that goes stay where they are
        meet();  // all have read what is written now
        if (goes) {{
            if (before < {MOST_GONE}) gone[before] = (unsigned)face;
        }} else if (there) {{
            const int at = f - before;
            for (int i = 0; i < 3; i++) body.normal.data[at][i] = n[i];
            body.dist.c[at] = dist;
            body.face.c[at] = face;
        }}
    }}
    meet();
    const int nside = ngone <= {MOST_GONE} ? 3 * ngone : 0;
    int nrim = 0;
    for (bool again = false, several = false;; again = true) {{
        nrim = 0;
        for (int first = 0; first < nside; first += lanes) {{
            const int i = first + rank, at = i * 171 >> 9;  // a third of it
            bool stays = false;
            unsigned side = 0;
            if (i < nside) {{
                side = gone[at] >> 8 * (i - 3 * at) & 0xffffu;
                const unsigned back = side >> 8 | (side & 255u) << 8;
                int same = 0, opposite = 0;
                for (int j = 0; j < ngone; j++) {{
                    const unsigned face = gone[j];
                    opposite += (face & 0xffffu) == back || (face >> 8 & 0xffffu) == back || face >> 16 == back;
                }}
                for (int j = 0; again && j < at; j++) {{
                    const unsigned face = gone[j];
                    same += (face & 0xffffu) == side || (face >> 8 & 0xffffu) == side || face >> 16 == side;
                }}
                several |= opposite > 1;
                stays = same >= opposite;
            }}
            const unsigned staying = vote(stays);
            const int place = nrim + number_below(staying);
            if (stays && place < {MOST_SIDES}) rim[place] = (unsigned short)side;
            nrim += number(staying);
        }}
        if (again || vote(several) == 0) break;
        meet();  // a vote orders no memory, and sides are written again
    }}
    const int kept = nface - ngone;
    meet();
    const bool fits = ngone <= {MOST_GONE} && nrim <= {MOST_SIDES} && kept + nrim <= {TRIANGLES};
    for (int e = rank; fits && e < nrim; e += lanes) consider(set_face(kept + e, rim[e] & 255, rim[e] >> 8, corner, diff, least), kept + e);
    set_corner(corner);
    if (rank == 0) body.nface = fits ? kept + nrim : kept;
    meet();
    return fits ? first_least(nearest_dist, nearest) : -1;
"""
)
def join_corner(
    body: wp.ref[Polytope], made: wp.ref[Sources], diff: wp.vec3, on1: wp.vec3, vertex1: int, vertex2: int, best: int, slack: float, team: int
) -> int:  # fmt: skip
    """Add a corner, and replace the triangles that see it, and ``best``, by a cone to their rim; returns the ``closest_face`` then, or -1, and an open surface, without room.

    Args:
        slack: height above a triangle that is rounding.
    """
    ...


@wp.func
def weights(body: wp.ref[Polytope], k: wp.vec3i, foot: wp.vec3, n: wp.vec3) -> wp.vec3:
    """Weights of the corners of a triangle with normal ``n`` for a point of its plane."""
    a = corner_at(body, k[0])
    b = corner_at(body, k[1])
    c = corner_at(body, k[2])
    area = wp.dot(wp.cross(b - a, c - a), n)
    u = wp.dot(wp.cross(b - foot, c - foot), n) / area
    v = wp.dot(wp.cross(c - foot, a - foot), n) / area
    return wp.vec3(u, v, 1.0 - u - v)


@wp.func
def holding_foot(body: wp.ref[Polytope], closest: wp.vec3i, n: wp.vec3, depth: float, slack: float) -> wp.vec3i:
    """Corners of the triangle around the foot of the perpendicular, of those that lie in one plane with the closest one.

    A face of the difference of two polyhedra is made of several triangles at one distance: rounding says which is the
    closest, and the points of the shapes are those of the triangle around the foot.
    """
    found = closest
    foot = depth * n
    most = wp.min(weights(body, closest, foot, n))
    for f in range(body.nface):
        if most < 0.0 and dist_at(body, f) <= depth + slack:
            if wp.dot(normal_at(body, f), n) > ONE_PLANE:
                other = corners_at(body, f)
                least = wp.min(weights(body, other, foot, n))
                if least > most:
                    most = least
                    found = other
    return found
