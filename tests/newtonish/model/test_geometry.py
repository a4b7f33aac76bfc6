"""Meshes: mass properties, files, checks."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

import newtonish as nt
from newtonish.model import inertia as I

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def test_box_mesh_equals_box() -> None:
    mesh = nt.Mesh(CORNERS + 100.0, FACES)
    mass, _, moments = I.box(1.0, 0.5, 1.0, 1.5)
    assert mesh.mass == pytest.approx(mass)
    np.testing.assert_allclose(mesh.com, [100.5, 101.0, 101.5])
    np.testing.assert_allclose(mesh.inertia, moments, atol=1e-9)
    inside_out = nt.Mesh(CORNERS, FACES[:, ::-1])
    assert inside_out.mass == pytest.approx(6.0)
    np.testing.assert_allclose(inside_out.inertia, moments, atol=1e-12)


def test_shell_mass_is_area() -> None:
    shell = nt.Mesh(CORNERS, FACES, is_solid=False)
    assert shell.mass == pytest.approx(2 * (2 + 3 + 6))
    np.testing.assert_allclose(shell.com, [0.5, 1.0, 1.5])


def test_scaled_mesh_shape_gives_mass_to_its_body() -> None:
    builder = nt.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_mesh(body, mesh=nt.Mesh(CORNERS, FACES), scale=(1.0, -0.5, 2.0))
    mass, _, moments = I.box(1000.0, 0.5, 0.5, 3.0)
    assert builder.body_mass[0] == pytest.approx(mass)
    np.testing.assert_allclose(builder.body_com[0], [0.5, -0.5, 3.0], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(builder.body_inertia)[0], moments, rtol=1e-9, atol=1e-6)


def test_bounds_of_shapes_in_unequal_worlds(device: str) -> None:
    builder = nt.ModelBuilder()
    mesh = nt.Mesh(CORNERS, FACES)
    for scale in (1.0, 2.0):
        builder.begin_world()
        builder.add_shape_mesh(-1, mesh=mesh, scale=(scale, 1.0, 1.0))
        builder.add_shape_capsule(-1, radius=0.1, half_height=scale)
        builder.end_world()
    model = builder.finalize(device)
    np.testing.assert_allclose(model.shape_collision_aabb_upper.numpy()[:, 0], [1.0, 0.1, 2.0, 0.1])
    np.testing.assert_allclose(model.shape_collision_aabb_lower.numpy()[:, 2], [0.0, -1.1, 0.0, -2.1])
    handles = model.shape_source_ptr.numpy()
    assert handles[0] == handles[2] != 0 and handles[1] == 0


@pytest.mark.parametrize("extension", ["stl", "obj", "ply"])
def test_files(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"part.{extension}"
    trimesh.Trimesh(CORNERS, FACES, process=False).export(path)
    mesh = nt.Mesh.create_from_file(path)
    assert mesh.name == "part" and mesh.mass == pytest.approx(6.0) and len(mesh.triangles) == 12
    if extension != "stl":
        np.testing.assert_allclose(mesh.vertices, CORNERS)


def test_bad_files_and_arrays(tmp_path: Path) -> None:
    with pytest.raises(nt.ImporterError, match="no such file"):
        nt.Mesh.create_from_file(tmp_path / "none.stl")
    with pytest.raises(nt.ImporterError, match=r"extension '\.txt'.*\.stl"):
        nt.Mesh.create_from_file(tmp_path / "none.txt")
    (tmp_path / "bad.stl").write_bytes(b"solid nonsense")
    with pytest.raises(nt.ImporterError, match=r"bad\.stl"):
        nt.Mesh.create_from_file(tmp_path / "bad.stl")
    with pytest.raises(nt.ModelError, match="indices 0 to 9"):
        nt.Mesh(CORNERS, [[0, 1, 9]], name="odd")
    with pytest.raises(nt.ModelError, match="4 indices"):
        nt.Mesh(CORNERS, [0, 1, 2, 3])
    with pytest.raises(nt.ModelError, match="not finite"):
        nt.Mesh([[0.0, 0.0, np.nan]], [0, 0, 0])


def test_copy_and_no_inertia() -> None:
    mesh = nt.Mesh(CORNERS, FACES, color=(1.0, 0.0, 0.0), compute_inertia=False)
    assert mesh.mass == 1.0
    larger = nt.Mesh(CORNERS, FACES, color=(1.0, 0.0, 0.0)).copy(vertices=2.0 * CORNERS)
    assert larger.mass == pytest.approx(48.0) and larger.color.tolist() == [1.0, 0.0, 0.0]
