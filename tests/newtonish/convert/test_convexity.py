"""Meshes with hollows are named once; convex ones, and those of MJCF files, are not."""

import warnings

import numpy as np
import warp as wp

import newtonish
from newtonish import SolverMuJoCo
from newtonish.convert import convert
from newtonish.convert.convexity import is_convex

BOX = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float32)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))])


def notch() -> tuple[np.ndarray, np.ndarray]:
    """The box with the middle of its top pressed in by half."""
    top = FACES[[10, 11]]
    corners = [1, 5, 7, 3]
    assert set(top.ravel()) == set(corners)
    vertices = np.vstack([BOX, [[0, 0, 0]]]).astype(np.float32)
    return vertices, np.vstack([FACES[:10], [(a, b, 8) for a, b in zip(corners, [*corners[1:], corners[0]])]])


def messages(*parts: tuple[np.ndarray, np.ndarray], authored: bool = False) -> list[str]:
    builder = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    for k, (vertices, faces) in enumerate(parts):
        body = builder.add_body(mass=1.0, inertia=wp.mat33(np.eye(3, dtype=np.float32)))
        given = {"mujoco:contype": 1} if authored else {}
        builder.add_shape_mesh(body, mesh=newtonish.Mesh(vertices, faces.ravel()), label=f"part{k}", custom_attributes=given)
    scene = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    scene.replicate(builder, 2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        convert(scene.finalize(device="cpu"))
    return [str(w.message) for w in said]


def test_hollows_are_found_however_the_triangles_are_turned() -> None:
    assert is_convex(BOX, FACES)
    assert is_convex(BOX, FACES[:, ::-1])
    assert not is_convex(*notch())
    assert not is_convex(notch()[0], notch()[1][:, ::-1])


def test_meshes_with_hollows_are_named_once() -> None:
    said = messages((BOX, FACES), notch(), notch())
    assert len(said) == 1
    assert "shape 'part1': got a mesh with hollows (and 1 more shapes)" in said[0]
    assert messages((BOX, FACES)) == []
    assert messages(notch(), authored=True) == []
