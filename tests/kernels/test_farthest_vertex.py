"""The vertex of a hull that is farthest along a direction: never nearer than any other, for hulls of few and of many vertices."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.kernels.collision.support import farthest_vertex
from newtonish.kernels.math.team import ALONE
from newtonish.kernels.structs.model import Hull

COUNT = 4000


@wp.kernel(enable_backward=False)
def look(hull: Hull, mesh: int, direction: wp.array(dtype=wp.vec3), found: wp.array(dtype=wp.int32)):
    i = wp.tid()
    found[i] = farthest_vertex(hull, mesh, hull.vertadr[mesh], direction[i], ALONE)


def clouds():
    """Points of a tetrahedron, a box, a long box, a plate, a round body of many vertices and one of a thousand around an edge."""
    rng = np.random.default_rng(5)
    box = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    ball = rng.standard_normal((1500, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    angle = np.linspace(0, 2 * np.pi, 500, endpoint=False)
    rim = np.stack([np.cos(angle), np.sin(angle), np.full(500, 0.01)], axis=1)
    return {
        "tetrahedron": rng.standard_normal((4, 3)),
        "box": 0.1 * box,
        "rod": box * [0.01, 0.02, 3.0],
        "plate": box * [1.0, 2.0, 1e-3],
        "ball": ball * [0.3, 0.1, 0.2],
        "disc": np.concatenate([rim, rim * [1, 1, -1]]),
    }


def directions():
    rng = np.random.default_rng(6)
    d = rng.standard_normal((COUNT, 3))
    d[:500] = np.rint(d[:500] * 2.0)  # along axes, edges and diagonals of a cube, and none at all
    d[500:1000] *= [1.0, 1.0, 1e-6]
    return (d * 10.0 ** rng.uniform(-5, 3, (COUNT, 1))).astype(np.float32)


@pytest.fixture(scope="module")
def model(device):
    parts = clouds().items()
    meshes = "".join(f'<mesh name="{k}" inertia="shell" vertex="{" ".join(map(str, v.ravel()))}"/>' for k, v in parts)
    geoms = "".join(f'<body pos="{5 * i} 0 0"><freejoint/><geom type="mesh" mesh="{k}"/></body>' for i, (k, _) in enumerate(parts))
    mjm = mujoco.MjModel.from_xml_string(f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>")
    return mjm, mjw.put_model(mjm, device=device)


@pytest.mark.parametrize("mesh", range(len(clouds())), ids=list(clouds()))
def test_no_vertex_is_farther(mesh, model, device):
    mjm, m = model
    d, hull = directions(), m.hull
    found = wp.zeros(COUNT, dtype=wp.int32, device=device)
    wp.launch(look, COUNT, inputs=[hull, mesh, wp.array(d, dtype=wp.vec3, device=device), found], device=device)
    first, count = hull.vertadr.numpy()[mesh], hull.vertnum.numpy()[mesh]
    vertices = hull.vert.numpy()[first : first + count].astype(float)
    along = vertices @ d.T.astype(float)
    size = np.abs(vertices).max() * np.linalg.norm(d, axis=1)
    assert count == mjm.mesh_graph[mjm.mesh_graphadr[mesh]]
    assert np.all(found.numpy() >= 0) and np.all(found.numpy() < count)
    lacks = along.max(axis=0) - along[found.numpy(), np.arange(COUNT)]
    assert np.all(lacks <= 1e-6 * size)


def test_what_is_no_number_is_no_reason_to_read_elsewhere(model, device):
    """The direction of a world that has left the numbers gives a vertex of the hull."""
    d = np.full((COUNT, 3), np.nan, dtype=np.float32)
    d[::2, 1:] = [np.inf, -np.inf]
    found = wp.full(COUNT, -1, dtype=wp.int32, device=device)
    wp.launch(look, COUNT, inputs=[model[1].hull, 4, wp.array(d, dtype=wp.vec3, device=device), found], device=device)
    assert np.all(found.numpy() >= 0) and np.all(found.numpy() < model[1].hull.vertnum.numpy()[4])


def test_a_list_is_short(model):
    """Of a thousand vertices a few can be the farthest one along directions that are alike."""
    hull = model[1].hull
    begin, cells = hull.celladr.numpy()[4], hull.cells.numpy()[4]
    lengths = np.diff(hull.extremeadr.numpy()[begin : begin + 6 * cells**2 + 1])
    assert hull.vertnum.numpy()[4] > 1000
    assert np.all(lengths > 0) and lengths.mean() < 20
