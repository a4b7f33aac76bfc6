"""Signed distance fields at points: MuJoCo's plugins, primitive shapes and octrees of meshes, to the rounding of float64."""

import mujoco
import numpy as np
import pytest
import warp as wp
from field_scenes import NAMES, field_of_mujoco, geom, names_of, scene

from newtonish import mjw
from newtonish.kernels.sdf.fields import FIELDS
from newtonish.kernels.sdf.meeting import Probe
from newtonish.kernels.sdf.search import Search
from newtonish.kernels.structs.model import Geom, Sdf

SEARCH = Search(tuple(FIELDS.values()), "test")
begin, distance, gradient = SEARCH.begin, SEARCH.distance, SEARCH.gradient
KINDS = [*NAMES, "wedge", "sphere", "capsule", "ellipsoid", "cylinder", "box"]


@wp.kernel(module="unique", enable_backward=False)
def evaluate(
    geom: Geom, sdf: Sdf, g: int, size: wp.vec3d, x: wp.array(dtype=wp.vec3d), dist: wp.array(dtype=wp.float64), grad: wp.array(dtype=wp.vec3d)
):  # fmt: skip
    i = wp.tid()
    at = Probe()
    begin(sdf, geom.type[g], geom.size[0, g], g, at)
    at.size = size  # in float64
    at.x = x[i]
    distance(sdf, at)
    dist[i] = at.dist
    gradient(sdf, at, 1)
    grad[i] = at.grad


@pytest.fixture(scope="module")
def zoo():
    bodies = "".join(f"<body><freejoint/>{geom(kind)}</body>" for kind in KINDS)
    mjm = scene(KINDS, bodies)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    return mjm, mjd, mjw.put_model(mjm, sdf=names_of(mjm))


def ours(zoo, g: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mjm, _, m = zoo
    x, dist = wp.array(points, dtype=wp.vec3d, device=m.device), wp.zeros(len(points), dtype=wp.float64, device=m.device)
    grad = wp.zeros(len(points), dtype=wp.vec3d, device=m.device)
    inputs = [m.geom, m.sdf, g, wp.vec3d(*mjm.geom_size[g]), x, dist, grad]
    wp.launch(evaluate, len(points), inputs, device=m.device)
    return dist.numpy(), grad.numpy()


@pytest.mark.parametrize("kind", KINDS)
def test_distance_and_gradient(zoo, kind):
    """Gradients by differences of 1e-8 m show each last digit of a distance a hundred million times larger."""
    mjm, mjd, _ = zoo
    g = KINDS.index(kind)
    points = np.random.default_rng(g).uniform(-1.3, 1.3, (2000, 3)) * mjm.geom_rbound[g]
    if kind == "wedge":  # within the octree; see below for the rest
        center, half = mjm.oct_aabb[mjm.mesh_octadr[mjm.geom_dataid[g]]].reshape(2, 3)
        points = center + np.random.default_rng(g).uniform(-0.999, 0.999, (2000, 3)) * half
    dist, grad = ours(zoo, g, points)
    wanted, slope = field_of_mujoco(mjm, mjd, g, points)
    np.testing.assert_allclose(dist, wanted, rtol=0, atol=1e-14)
    np.testing.assert_allclose(grad, slope, rtol=0, atol=1e-6 if kind in NAMES else 1e-12)


def test_a_mesh_from_outside(zoo):
    """Beyond the octree the distance to it is added; MuJoCo's has 1e-9 less at corners."""
    mjm, mjd, _ = zoo
    g = KINDS.index("wedge")
    center, half = mjm.oct_aabb[mjm.mesh_octadr[mjm.geom_dataid[g]]].reshape(2, 3)
    points = np.random.default_rng(1).uniform(-2.0, 2.0, (2000, 3)) * half + center
    points = points[(np.abs(points - center) > 1.001 * half).any(axis=1)]
    dist, grad = ours(zoo, g, points)
    wanted, slope = field_of_mujoco(mjm, mjd, g, points)
    np.testing.assert_allclose(dist, wanted, rtol=0, atol=1e-7)
    assert np.quantile(np.abs(grad - slope).max(axis=1), 0.9) < 1e-3
