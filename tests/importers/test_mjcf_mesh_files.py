"""Mesh files as MuJoCo reads them: several objects in one file, and points without faces."""

import struct
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from worlds import model_of

import newtonish
from newtonish.convert import convert
from newtonish.errors import ImporterError, NewtonishWarning

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SIDES = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]


def cube(first: int = 0, at: float = 0.0, size: float = 1.0) -> str:
    """Lines of an OBJ file with a cube whose corners are numbered from ``first`` on."""
    points = "".join(f"v {at + size * x} {size * y} {size * z}\n" for x, y, z in CORNERS)
    return points + "".join("f " + " ".join(str(int(i) + first) for i in side.split()) + "\n" for side in SIDES)


TWO = {
    "objects": "o a\n" + cube() + "o b\n" + cube(8, 3.0, 2.0),
    "groups": "g a\n" + cube() + "g b\n" + cube(8, 3.0, 2.0),
    "the second named": cube() + "  o b\n" + cube(8, 3.0, 2.0),
    "a tab": cube() + "g\tb\n" + cube(8, 3.0, 2.0),
    "no name": cube() + "o \n" + cube(8, 3.0, 2.0),
    "objects without faces first": "o a\no b\nv 9 9 9\n" + "g c\n" + cube(1) + "o d\n" + cube(9, 3.0, 2.0),
    "materials": "o a\nusemtl x\n" + cube() + "usemtl y\n" + cube(8, 3.0, 2.0),
    "nothing between": cube() + cube(8, 3.0, 2.0),
    "no blank": cube() + "o\n" + cube(8, 3.0, 2.0),
}
SPLIT = ("objects", "groups", "the second named", "a tab", "no name", "objects without faces first")


def compare(folder: Path, mesh: str) -> None:
    """Mass properties and frames of a body of one mesh, by our importer and by MuJoCo."""
    body = '<body><freejoint/><geom type="mesh" mesh="m" density="100"/></body>'
    file = folder / "model.xml"
    file.write_text(f"<mujoco><asset><mesh name='m' {mesh}/></asset><worldbody>{body}</worldbody></mujoco>", encoding="utf-8")
    ours, theirs = convert(model_of(str(file))), mujoco.MjModel.from_xml_path(str(file))
    for name in ("body_mass", "body_inertia", "body_ipos", "geom_pos", "geom_rbound"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("inertia", ["legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("case", TWO)
def test_only_the_first_object_has_faces(tmp_path: Path, case: str, inertia: str) -> None:
    (tmp_path / "m.obj").write_text(TWO[case], encoding="utf-8")
    compare(tmp_path, f'file="m.obj" inertia="{inertia}"')


@pytest.mark.parametrize("case", TWO)
def test_faces_that_do_not_count_are_named(tmp_path: Path, case: str) -> None:
    (tmp_path / "m.obj").write_text(TWO[case], encoding="utf-8")
    text = f"<mujoco><asset><mesh name='m' file='{tmp_path / 'm.obj'}'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
    if case in SPLIT:
        with pytest.warns(NewtonishWarning, match=r"mesh 'm'.*several objects.*6 of others"):
            newtonish.ModelBuilder().add_mjcf(text)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        newtonish.ModelBuilder().add_mjcf(text)


def cloud(count: int) -> np.ndarray:
    """Points on an ellipsoid."""
    points = np.random.default_rng(count).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * (1.0, 0.7, 0.5)


@pytest.mark.parametrize("bound", ["", 'maxhullvert="8"', 'maxhullvert="20"'])
@pytest.mark.parametrize("inertia", ["legacy", "exact", "convex", "shell"])
def test_points_without_faces_are_their_hull(tmp_path: Path, inertia: str, bound: str) -> None:
    points = cloud(60).astype(np.float32)
    (tmp_path / "m.obj").write_text("o a\n" + "".join("v {:.9g} {:.9g} {:.9g}\n".format(*p) for p in points), encoding="utf-8")
    for name, coordinates in (("plain.msh", 0), ("painted.msh", len(points))):
        head = struct.pack("<4i", len(points), 0, coordinates, 0)
        (tmp_path / name).write_bytes(head + points.tobytes() + np.zeros((coordinates, 2), np.float32).tobytes())
    for name in ("m.obj", "plain.msh", "painted.msh"):
        compare(tmp_path, f'file="{name}" inertia="{inertia}" {bound} scale="1 -2 1"')
    vertices = " ".join(map(repr, points.ravel().tolist()))
    compare(tmp_path, f'vertex="{vertices}" inertia="{inertia}" {bound}')


@pytest.mark.parametrize("points", [0, 3])
def test_too_few_points_are_named(tmp_path: Path, points: int) -> None:
    (tmp_path / "m.obj").write_text("".join(f"v {k} {k * k} 1\n" for k in range(points)), encoding="utf-8")
    text = f"<mujoco><asset><mesh name='m' file='{tmp_path / 'm.obj'}'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
    with pytest.raises(ImporterError, match=r"mesh 'm'|no triangles"):
        newtonish.ModelBuilder().add_mjcf(text)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
