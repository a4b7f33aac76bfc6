"""The polytope that grows within the difference of two convex sets: its corners, its triangles, and how a corner is added.

Triangles that see the new corner go, and a cone from their rim to the corner takes their place. Distances of triangles from the
origin are signed. The loops over triangles are native code, for a CPU and a GPU alike: each corner is tested against all of them.
"""

import warp as wp

from newtonish.kernels.structs.hull import MOST_ITERATIONS

CORNERS = 4 + MOST_ITERATIONS
TRIANGLES = 2 * CORNERS  # a polytope of v corners has 2 v - 4
GONE = 3.0e38
ONE_PLANE = wp.constant(0.999999)  # cosine between the normals of triangles that lie in one plane

points = wp.types.matrix(shape=(CORNERS, 3), dtype=wp.float32)
vertices = wp.types.vector(length=CORNERS, dtype=wp.int32)
normals = wp.types.matrix(shape=(TRIANGLES, 3), dtype=wp.float32)
distances = wp.types.vector(length=TRIANGLES, dtype=wp.float32)
triangles = wp.types.vector(length=TRIANGLES, dtype=wp.int32)


@wp.struct
class Polytope:
    """A closed surface of triangles, some 4 KiB on a thread's stack."""

    ncorner: wp.int32
    nface: wp.int32
    diff: points  # corners, in the difference of the sets
    on1: points  # the points of the first set that they were made of
    vertex1: vertices  # the vertices of the two shapes that they were made of
    vertex2: vertices
    face: triangles  # three corners, a byte each, counter-clockwise seen from outside
    normal: normals
    dist: distances  # from the origin; GONE: the triangle closes the surface and is never looked at


@wp.func_native(
    """
    const int k = body.ncorner++;
    for (int i = 0; i < 3; i++) {
        body.diff.data[k][i] = diff[i];
        body.on1.data[k][i] = on1[i];
    }
    body.vertex1.c[k] = vertex1;
    body.vertex2.c[k] = vertex2;
"""
)
def add_corner(body: wp.ref[Polytope], diff: wp.vec3, on1: wp.vec3, vertex1: int, vertex2: int):
    """A corner, not yet of a triangle."""
    ...


# Warp loads the whole of a matrix to read one row of it.
_ROW = "return wp::vec3(body.{0}.data[i][0], body.{0}.data[i][1], body.{0}.data[i][2]);"


@wp.func_native(_ROW.format("diff"))
def corner_at(body: wp.ref[Polytope], i: int) -> wp.vec3: ...


@wp.func_native(_ROW.format("on1"))
def on1_at(body: wp.ref[Polytope], i: int) -> wp.vec3: ...


@wp.func_native(_ROW.format("normal"))
def normal_at(body: wp.ref[Polytope], i: int) -> wp.vec3: ...


@wp.func_native("return body.dist.c[i];")
def dist_at(body: wp.ref[Polytope], i: int) -> float: ...


@wp.func_native("return wp::vec_t<3, int>(body.face.c[i] & 255, (body.face.c[i] >> 8) & 255, body.face.c[i] >> 16);")
def corners_at(body: wp.ref[Polytope], i: int) -> wp.vec3i: ...


@wp.func_native("return wp::vec_t<3, int>(body.vertex1.c[k[0]], body.vertex1.c[k[1]], body.vertex1.c[k[2]]);")
def vertices1(body: wp.ref[Polytope], k: wp.vec3i) -> wp.vec3i: ...


@wp.func_native("return wp::vec_t<3, int>(body.vertex2.c[k[0]], body.vertex2.c[k[1]], body.vertex2.c[k[2]]);")
def vertices2(body: wp.ref[Polytope], k: wp.vec3i) -> wp.vec3i: ...


# A triangle without area, or nearer than ``least`` (the polytope only grows: it is a sliver whose normal is rounding), closes
# the polytope but is never looked at.
_SET_FACE = f"""
    const auto set_face = [&](int f, int a, int b, int c, float least) {{
        const auto corner_at = [&](int i) {{
            return wp::vec3(body.diff.data[i][0], body.diff.data[i][1], body.diff.data[i][2]);
        }};
        const wp::vec3 p = corner_at(a), q = corner_at(b), r = corner_at(c);
        const wp::vec3 across = wp::cross(q - p, r - p);
        const float length = wp::length(across);
        const bool flat = !(length > 1.0e-18f);
        const wp::vec3 n = flat ? wp::vec3(0.0f, 0.0f, 0.0f) : across / length;
        const float height = wp::dot(n, (p + q + r) / 3.0f);
        for (int i = 0; i < 3; i++) body.normal.data[f][i] = n[i];
        body.dist.c[f] = flat || height < least ? {GONE}f : height;
        body.face.c[f] = a | (b << 8) | (c << 16);
    }};
"""


@wp.func_native(
    _SET_FACE
    + f"""
    set_face(0, 0, i, j, -{GONE}f);
    set_face(1, 0, 3, i, -{GONE}f);
    set_face(2, i, 3, j, -{GONE}f);
    set_face(3, j, 3, 0, -{GONE}f);
    body.nface = 4;
"""
)
def _join(body: wp.ref[Polytope], i: int, j: int):
    """The triangles of the first four corners, of which 0, i, j are counter-clockwise seen against the last."""
    ...


@wp.func
def begin_tetrahedron(body: wp.ref[Polytope]):
    """The four triangles between the first four corners."""
    a = corner_at(body, 0)
    outside = wp.dot(wp.cross(corner_at(body, 1) - a, corner_at(body, 2) - a), corner_at(body, 3) - a) > 0.0
    _join(body, wp.where(outside, 2, 1), wp.where(outside, 1, 2))


@wp.func_native(
    """
    int best = 0;
    for (int f = 1; f < body.nface; f++) {
        if (body.dist.c[f] < body.dist.c[best]) best = f;
    }
    return best;
"""
)
def closest_face(body: wp.ref[Polytope]) -> int:
    """The triangle closest to the origin, the first of several."""
    ...


@wp.func_native(
    _SET_FACE
    + f"""
    const int room = 128;
    unsigned short rim[room];  // sides a b of the triangles that go; a side b a of another one cancels it
    const int corner = body.ncorner - 1;
    const float x = body.diff.data[corner][0], y = body.diff.data[corner][1], z = body.diff.data[corner][2];
    const float least = body.dist.c[best] - 100.0f * slack;
    int sides = 0, kept = 0;
    for (int f = 0; f < body.nface; f++) {{
        const float* n = body.normal.data[f];
        const float dist = body.dist.c[f];
        const int face = body.face.c[f];
        if (f == best || (dist < {GONE}f && n[0] * x + n[1] * y + n[2] * z - dist > slack)) {{
            for (int k = 0; k < 3; k++) {{
                const int a = (face >> (8 * k)) & 255, b = (face >> (8 * ((k + 1) % 3))) & 255;
                int opposite = 0;
                while (opposite < sides && rim[opposite] != (b | (a << 8))) opposite++;
                if (opposite < sides) rim[opposite] = rim[--sides];
                else if (sides < room) rim[sides++] = (unsigned short)(a | (b << 8));
            }}
        }} else {{
            if (kept < f) {{
                for (int i = 0; i < 3; i++) body.normal.data[kept][i] = n[i];
                body.dist.c[kept] = dist;
                body.face.c[kept] = face;
            }}
            kept++;
        }}
    }}
    const bool fits = kept + sides <= {TRIANGLES};
    for (int e = 0; fits && e < sides; e++) set_face(kept + e, rim[e] & 255, rim[e] >> 8, corner, least);
    body.nface = fits ? kept + sides : kept;
    return fits;
"""
)
def join_corner(body: wp.ref[Polytope], best: int, slack: float) -> bool:
    """Replace the triangles that see the last corner, and ``best``, by a cone to their rim; false, and open, without room.

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


@wp.func(inline=False)
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
