"""Hulls with a bounded number of vertices: those of MuJoCo's compiler, whichever entrance names the bound."""

import mujoco
import numpy as np
import pytest

from newtonish import Mesh, ModelBuilder
from newtonish.convert import convert
from newtonish.mjw.tables.hulls import hull_tables

BOUNDS = [8, 20, 64]


def cloud() -> np.ndarray:
    """Points all of which are on their hull, no two directions alike."""
    rng = np.random.default_rng(3)
    points = rng.standard_normal((300, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [0.1, 0.2, 0.3] + [0.05, 0.0, 0.02]


def mjcf(bound: int | None) -> str:
    limit = "" if bound is None else f'maxhullvert="{bound}"'
    text = " ".join(f"{x:.6f}" for x in cloud().ravel())
    return f"""<mujoco><asset><mesh name="m" {limit} inertia="convex" vertex="{text}"/></asset><worldbody>
    <geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""


def ordered(points: np.ndarray) -> np.ndarray:
    points = np.round(points, 5)
    return points[np.lexsort(points.T)]


def hull(model) -> np.ndarray:
    mesh = np.arange(1)
    return hull_tables(model, np.zeros(0, int), np.zeros(0, int), mesh, 0)["hull_vert"]


@pytest.mark.parametrize("bound", [None, *BOUNDS])
def test_hulls_of_a_file_have_mujocos_vertices(bound):
    builder = ModelBuilder()
    builder.add_mjcf(mjcf(bound))
    ours, theirs = convert(builder.finalize(device="cpu")), mujoco.MjModel.from_xml_string(mjcf(bound))
    count = int(theirs.mesh_graph[0])
    assert count == (bound or len(cloud()))
    used = theirs.mesh_graph[2 + count : 2 + 2 * count]
    np.testing.assert_allclose(ordered(hull(ours)), ordered(theirs.mesh_vert[used]), atol=2e-5)
    np.testing.assert_allclose(ours.body_inertia[1], theirs.body_inertia[1], rtol=1e-5)


def test_a_bound_may_be_given_to_the_mesh_or_to_the_import():
    points = cloud()
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    builder = ModelBuilder()
    body = builder.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.add_shape_mesh(body, mesh=Mesh(points, faces, maxhullvert=20, compute_inertia=False))
    assert len(hull(convert(builder.finalize(device="cpu")))) == 20
    builder = ModelBuilder()
    builder.add_mjcf(mjcf(20), mesh_maxhullvert=8)
    assert len(hull(convert(builder.finalize(device="cpu")))) == 8
