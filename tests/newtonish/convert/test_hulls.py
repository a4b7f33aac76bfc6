"""Hulls with a bounded number of vertices: those of MuJoCo's compiler, whichever entrance names the bound."""

import mujoco
import numpy as np
import pytest
from hull_sweep import compare, mesh_files, scene
from paths import shared_model
from worlds import model_of

from newtonish import Mesh, ModelBuilder
from newtonish.convert import convert
from newtonish.mjw.record import read_model
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
    return hull_tables(read_model(model), np.zeros(0, int), np.zeros(0, int), mesh, 0)["hull_vert"]


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


FILES = ["unitree_g1", "wx250s", "softfoot", "metaworld_drawer", "cassie"]
"""Folders of shared models: round and boxy meshes, faces of many corners, points that are there twice."""


@pytest.mark.parametrize("settings", ["", 'scale="1 -2 .5"', 'refpos=".1 .2 .3" refquat="1 .2 .3 .4"', 'maxhullvert="20"'])
@pytest.mark.parametrize("folder", FILES)
def test_faces_are_mujocos(tmp_path, folder: str, settings: str) -> None:
    """Corners, their order, the order of the faces, and their normals; whatever comes between file and geom."""
    for file in mesh_files(shared_model(folder))[::6]:
        path = str(scene(file, tmp_path, settings))
        try:
            theirs = mujoco.MjModel.from_xml_path(path)
        except ValueError:  # a mesh that MuJoCo refuses
            continue
        tables = [hull_tables(read_model(m), np.zeros(0, int), np.zeros(0, int), np.arange(1), 0) for m in (convert(model_of(path)), theirs)]
        used = theirs.mesh_graph[2 + theirs.mesh_graph[0] : 2 + 2 * theirs.mesh_graph[0]]
        assert tables[0]["hull_vertnum"] == len(used)
        rank = np.argsort(np.argsort(used))  # MuJoCo lists corners in Qhull's order, we in that of the file
        for name in ("hull_corneradr", "hull_cornernum"):
            np.testing.assert_array_equal(tables[0][name], tables[1][name], err_msg=file.name)
        np.testing.assert_array_equal(tables[0]["hull_corner"], rank[tables[1]["hull_corner"]], err_msg=file.name)
        turn = np.abs(np.sum(convert(model_of(path)).mesh_quat[0] * theirs.mesh_quat[0]))
        if turn > 1.0 - 1e-12:  # not the other axes of a mesh with equal moments
            np.testing.assert_allclose(tables[0]["hull_normal"], tables[1]["hull_normal"], atol=2e-6, err_msg=file.name)


def test_contacts_of_both_entrances_are_equal(tmp_path) -> None:
    """All but poses in which rounding decides; ``tests/support/hull_sweep.py`` goes through all meshes."""
    total, same = 0, 0
    for file in [file for folder in FILES for file in mesh_files(shared_model(folder))[::8]]:
        try:
            poses, equal, count, _ = compare(file, tmp_path)
        except ValueError:
            continue
        assert count > 0
        total, same = total + poses, same + equal
    assert same >= 0.98 * total > 0
