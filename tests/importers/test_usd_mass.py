"""Mass, centre and inertia by UsdPhysics' rules: every case by hand, and random ones against the library's own reading."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")

from usd_stages import body, joint, read, stage

from newtonish import ImporterError, ModelBuilder

HALF = np.array([[0.5, 0.25, 0.1], [0.3, 0.3, 0.4]])
PLACE = np.array([[0.0, 0.0, 0.2], [0.4, -0.3, 0.1]])
VOLUME = 8 * HALF.prod(axis=1)


def weigh(own: str = "", first: str = "", second: str = "", material: str = "", unit: tuple[float, float] = (1.0, 1.0)) -> tuple[Any, ModelBuilder]:
    """A free body with two boxes, the second one turned, and what a MassAPI says of each of the three, and a material of the first's."""
    boxes = ""
    for k, inside in enumerate((first, second)):
        bound = "rel material:binding:physics = </m>" if k == 0 else ""
        turn = "quatf xformOp:orient = (0.9238795, 0, 0, 0.3826834)" if k else ""
        boxes += f"""
    def Cube "c{k}" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {{
        double size = 2
        double3 xformOp:translate = {tuple(PLACE[k].tolist())}
        {turn}
        float3 xformOp:scale = {tuple(HALF[k].tolist())}
        uniform token[] xformOpOrder = ["xformOp:translate", {'"xformOp:orient", ' if k else ""}"xformOp:scale"]
        {inside}
        {bound}
    }}
"""
    text = f"""
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    {own}
    {boxes}
}}
def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {{
    {material}
}}
"""
    made = stage(text, length=unit[0], mass=unit[1])
    return made, read(made)[0]


def tensor(builder: ModelBuilder) -> np.ndarray:
    return np.array(builder.body_inertia[0]).reshape(3, 3)


def library(made: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia as the USD library computes them, from volumes and moments of the boxes."""
    from pxr import Gf, UsdPhysics

    def shape(prim: Any) -> Any:
        k = int(prim.GetName()[-1])
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        square = HALF[k] ** 2
        found.volume = float(VOLUME[k])
        found.inertia = Gf.Matrix3f(*np.diag(VOLUME[k] / 3 * (square.sum() - square)).flatten().tolist())
        found.centerOfMass = Gf.Vec3f(0)
        found.localPos = Gf.Vec3f(*PLACE[k].tolist())
        found.localRot = Gf.Quatf(0.9238795, 0, 0, 0.3826834) if k else Gf.Quatf(1)
        return found

    api = UsdPhysics.RigidBodyAPI(made.GetPrimAtPath("/b"))
    mass, moments, centre, axes = api.ComputeMassProperties(shape)
    turn = np.array(Gf.Matrix3d(Gf.Quatd(axes))).T
    return mass, np.array(centre), turn @ np.diag(moments) @ turn.T


CENTRE = "point3f physics:centerOfMass = (0.1, 0.2, -0.1)"
DIAGONAL = "float3 physics:diagonalInertia = (1, 2, 2.5)"
AXES = "quatf physics:principalAxes = (0.9238795, 0.3826834, 0, 0)"
CASES = {
    "nothing": ("", "", "", ""),
    "material": ("", "", "", "float physics:density = 20"),
    "body density": ("float physics:density = 30", "", "", "float physics:density = 20"),
    "collider density": ("float physics:density = 30", "float physics:density = 40", "", "float physics:density = 20"),
    "collider mass": ("float physics:density = 30", "float physics:mass = 5\nfloat physics:density = 40", "", ""),
    "two masses": ("", "float physics:mass = 5", "float physics:mass = 3", ""),
    "body mass": ("float physics:mass = 6\nfloat physics:density = 30", "float physics:mass = 5", "", ""),
    "body mass over densities": ("float physics:mass = 6", "float physics:density = 5", "", "float physics:density = 7"),
    "zeros": ("float physics:mass = 0\nfloat physics:density = 0", "float physics:mass = 0\nfloat physics:density = 0", "", ""),
    "centre": (CENTRE, "", "", ""),
    "mass and centre": (f"float physics:mass = 6\n{CENTRE}", "", "", ""),
    "inertia and axes": (f"float physics:mass = 6\n{DIAGONAL}\n{AXES}", "", "", ""),
    "all": (f"float physics:mass = 6\n{CENTRE}\n{DIAGONAL}\n{AXES}", "float physics:mass = 9", "", ""),
    "collider centre": ("", "float physics:mass = 5\npoint3f physics:centerOfMass = (0.2, 0.2, 0.5)", "", ""),
    "collider inertia": ("", f"float physics:mass = 5\n{DIAGONAL}", "", ""),
    "collider inertia and axes": ("", f"float physics:mass = 5\n{DIAGONAL}\n{AXES}", "", ""),
    "turned collider": ("", "", f"float physics:mass = 5\n{DIAGONAL}\n{AXES}", ""),
    "sentinels": (
        "float physics:mass = 3\npoint3f physics:centerOfMass = (-inf, -inf, -inf)\nquatf physics:principalAxes = (0, 0, 0, 0)\nfloat3 physics:diagonalInertia = (0, 0, 0)",
        "", "", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_as_the_usd_library_has_it(case: str) -> None:
    made, builder = weigh(*CASES[case])
    mass, centre, inertia = library(made)
    assert builder.body_mass[0] == pytest.approx(mass, rel=1e-5)
    np.testing.assert_allclose(builder.body_com[0], centre, atol=1e-5)
    np.testing.assert_allclose(tensor(builder), inertia, atol=2e-5 * np.abs(inertia).max())


def test_random_masses_as_the_usd_library_has_them() -> None:
    rng = np.random.default_rng(7)
    for _ in range(25):
        texts = []
        for own in (True, False, False):
            lines = [f"float physics:mass = {rng.uniform(1, 9):.4f}"] if rng.random() < 0.5 else []
            lines += [f"float physics:density = {rng.uniform(10, 90):.4f}"] if rng.random() < 0.5 else []
            lines += [f"point3f physics:centerOfMass = {tuple(rng.uniform(-0.2, 0.2, 3).round(4).tolist())}"] if rng.random() < 0.4 else []
            if rng.random() < 0.4 and (own or (lines and "mass" in lines[0])):
                quat = rng.normal(size=4)
                lines += [f"float3 physics:diagonalInertia = {tuple(rng.uniform(1, 1.5, 3).round(4).tolist())}"]
                lines += [f"quatf physics:principalAxes = {tuple((quat / np.linalg.norm(quat)).tolist())}"]
            texts.append("\n".join(lines))
        made, builder = weigh(*texts)
        mass, centre, inertia = library(made)
        assert builder.body_mass[0] == pytest.approx(mass, rel=1e-5), texts
        np.testing.assert_allclose(builder.body_com[0], centre, atol=2e-5, err_msg=str(texts))
        np.testing.assert_allclose(tensor(builder), inertia, atol=1e-4 * np.abs(inertia).max(), err_msg=str(texts))


def test_a_diagonal_without_axes_is_along_the_body() -> None:
    """As Newton has it; the USD library takes the axes of the shapes, whose order nobody knows."""
    _, builder = weigh(f"float physics:mass = 6\n{DIAGONAL}")
    np.testing.assert_allclose(tensor(builder), np.diag([1, 2, 2.5]), atol=1e-9)


def test_a_whole_tensor_wins_over_a_diagonal() -> None:
    _, builder = weigh(f"float physics:mass = 6\n{DIAGONAL}\n{AXES}\ndouble[] newton:inertia = [2, 2, 2, 0.1, 0.2, 0.3]")
    np.testing.assert_allclose(tensor(builder), [[2, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2]], atol=1e-9)


def test_colliders_that_are_disabled_and_shapes_that_are_none_weigh_only_what_they_say() -> None:
    made, builder = weigh("", "bool physics:collisionEnabled = 0")
    assert builder.body_mass[0] == pytest.approx(1000 * VOLUME[1])
    from pxr import Usd

    if Usd.GetVersion() >= (0, 26, 11):  # before, the library weighed disabled colliders too
        assert builder.body_mass[0] == pytest.approx(library(made)[0])
    assert weigh("", "bool physics:collisionEnabled = 0\nfloat physics:mass = 2")[1].body_mass[0] == pytest.approx(1000 * VOLUME[1] + 2)
    look = 'def Sphere "look" {\n}\n'
    assert read(body("b", look))[0].body_mass[0] == pytest.approx(read(body("b"))[0].body_mass[0])


def test_units_of_mass_and_length() -> None:
    """A stage in centimetres and grams: densities in g/cm^3, moments in g cm^2."""
    _, builder = weigh("float physics:density = 2", unit=(0.01, 0.001))
    assert builder.body_mass[0] == pytest.approx(2e-3 * VOLUME.sum(), rel=1e-6)
    _, builder = weigh(f"float physics:mass = 500\n{CENTRE}\n{DIAGONAL}", unit=(0.01, 0.001))
    assert builder.body_mass[0] == pytest.approx(0.5)
    np.testing.assert_allclose(builder.body_com[0], [0.001, 0.002, -0.001], rtol=1e-6)
    np.testing.assert_allclose(tensor(builder), np.diag([1, 2, 2.5]) * 1e-7, rtol=1e-6)


BAD = {
    "float physics:mass = -1": "/b: physics:mass: got -1.0; allowed: a number not below zero",
    "float physics:mass = inf": "/b: physics:mass: got inf",
    "float physics:density = -1": "/b: physics:density: got -1.0",
    "float3 physics:diagonalInertia = (1, -1, 1)": "/b: physics:diagonalInertia: got",
    "point3f physics:centerOfMass = (inf, 0, 0)": "/b: physics:centerOfMass: got",
    "double[] newton:inertia = [1, 2, 3]": "/b: newton:inertia: got",
    "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 3)": "/b",
}


@pytest.mark.parametrize("own", BAD)
def test_masses_that_cannot_be(own: str) -> None:
    with pytest.raises(ImporterError) as caught:
        weigh(own)
    assert BAD[own] in str(caught.value)


def test_moving_bodies_without_mass() -> None:
    """Zero mass on a moving body is an error; on one that carries others it is none, nor on one that does not move."""
    empty = 'def Xform "empty" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n}\n'
    with pytest.raises(ImporterError, match=r"/empty: .*mass 0"):
        read(empty)
    with pytest.raises(ImporterError, match=r"/empty: .*mass 0"):
        read(empty + joint("Revolute", "j", second="/empty"))
    assert read(empty + joint("Fixed", "j", second="/empty"))[0].body_mass == [0.0]
    carries = empty + body("b") + joint("Revolute", "j", second="/empty") + joint("Fixed", "k", "/empty", "/b")
    assert read(carries)[0].body_mass[0] == 0.0
