"""The polytope of a search for a depth: closed, convex and the hull of its corners after each corner that was added."""

import numpy as np
import pytest
import warp as wp

from newtonish.kernels.collision.polytope import (
    CORNERS,
    GONE,
    TRIANGLES,
    Polytope,
    Sources,
    add_corner,
    begin_tetrahedron,
    closest_face,
    corner_at,
    corners_at,
    dist_at,
    join_corner,
    normal_at,
)
from newtonish.kernels.math.team import ALONE

WORLDS, POINTS = 6, 3000


@wp.kernel(enable_backward=False)
def grow(
    cloud: wp.array2d(dtype=wp.vec3), times: int, count: wp.array(dtype=wp.vec2i), corner: wp.array2d(dtype=wp.vec3),
    face: wp.array2d(dtype=wp.vec3i), plane: wp.array2d(dtype=wp.vec4), closest: wp.array(dtype=wp.int32),
):  # fmt: skip
    w = wp.tid()
    body = Polytope()
    made = Sources()
    for i in range(4):
        add_corner(body, made, cloud[w, i], cloud[w, i], i, i, ALONE)
    begin_tetrahedron(body, ALONE)
    for _step in range(times):
        best = closest_face(body, ALONE)
        farthest = wp.int32(0)
        for i in range(cloud.shape[1]):
            if wp.dot(normal_at(body, best), cloud[w, i] - cloud[w, farthest]) > 0.0:
                farthest = i
        if wp.dot(normal_at(body, best), cloud[w, farthest]) > dist_at(body, best) + 1.0e-5:
            if join_corner(body, made, cloud[w, farthest], cloud[w, farthest], farthest, farthest, best, 2.0e-7, ALONE) < 0:
                count[w] = wp.vec2i(-1, -1)
                return
    count[w] = wp.vec2i(body.ncorner, body.nface)
    for i in range(body.ncorner):
        corner[w, i] = corner_at(body, i)
    for f in range(body.nface):
        face[w, f] = corners_at(body, f)
        n = normal_at(body, f)
        plane[w, f] = wp.vec4(n[0], n[1], n[2], dist_at(body, f))
    closest[w] = closest_face(body, ALONE)


@pytest.mark.parametrize("times", [0, 1, 7, CORNERS - 4])
def test_the_polytope_is_the_hull_of_its_corners(times, device):
    rng = np.random.default_rng(3)
    cloud = rng.standard_normal((WORLDS, POINTS, 3))
    cloud /= np.linalg.norm(cloud, axis=2, keepdims=True)
    cloud[:, :4] = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    cloud[::2, [0, 1]] = cloud[::2, [1, 0]]  # turned inside out
    cloud *= rng.uniform(0.9, 1.0, (WORLDS, 1, 3))
    count = wp.zeros(WORLDS, dtype=wp.vec2i, device=device)
    corner = wp.zeros((WORLDS, CORNERS), dtype=wp.vec3, device=device)
    face = wp.zeros((WORLDS, TRIANGLES), dtype=wp.vec3i, device=device)
    plane = wp.zeros((WORLDS, TRIANGLES), dtype=wp.vec4, device=device)
    closest = wp.zeros(WORLDS, dtype=wp.int32, device=device)
    points = wp.array(cloud.astype(np.float32), dtype=wp.vec3, device=device)
    wp.launch(grow, WORLDS, inputs=[points, times, count, corner, face, plane, closest], device=device)
    for w, (ncorner, nface) in enumerate(count.numpy()):
        assert 4 <= ncorner <= 4 + times
        assert nface == 2 * ncorner - 4
        p, f, n = corner.numpy()[w, :ncorner].astype(float), face.numpy()[w, :nface], plane.numpy()[w, :nface].astype(float)
        sides = {(int(t[k]), int(t[(k + 1) % 3])) for t in f for k in range(3)}
        assert len(sides) == 3 * nface and all((b, a) in sides for a, b in sides)
        assert set(f.ravel()) == set(range(ncorner))
        seen = n[:, 3] < GONE
        assert seen.sum() > 0.9 * nface
        above = n[:, :3] @ p.T - n[:, 3:]
        assert above[seen].max() < 1e-5
        outward = np.cross(p[f[:, 1]] - p[f[:, 0]], p[f[:, 2]] - p[f[:, 0]])
        assert np.all(np.einsum("fi,fi->f", outward, n[:, :3])[seen] > 0.0)
        assert n[closest.numpy()[w], 3] == n[:, 3].min()
    assert count.numpy()[:, 0].max() == 4 + times
