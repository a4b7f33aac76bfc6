"""Mass properties of shapes against integrals, meshes against primitives, and correction of impossible inertias."""

import numpy as np
import pytest

import newtonish as nt
from newtonish.model import inertia as I
from newtonish.model.enums import GeoType
from newtonish.model.transforms import quat_to_matrix
from newtonish.model.validate import corrected_inertia


def inside(kind: GeoType, scale: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Whether points lie in a shape."""
    across = np.hypot(p[:, 0], p[:, 1])
    if kind == GeoType.BOX:
        return np.all(np.abs(p) <= scale, axis=1)
    if kind == GeoType.CAPSULE:
        return across**2 + np.maximum(np.abs(p[:, 2]) - scale[1], 0.0) ** 2 <= scale[0] ** 2
    if kind == GeoType.CYLINDER:
        return (across <= scale[0]) & (np.abs(p[:, 2]) <= scale[1])
    if kind == GeoType.CONE:
        return (np.abs(p[:, 2]) <= scale[1]) & (across <= scale[0] * (scale[1] - p[:, 2]) / (2 * scale[1]))
    axes = scale if kind == GeoType.ELLIPSOID else np.full(3, scale[0])
    return np.sum((p / axes) ** 2, axis=1) <= 1.0


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        (GeoType.SPHERE, (0.4, 0.0, 0.0)),
        (GeoType.BOX, (0.2, 0.3, 0.5)),
        (GeoType.CAPSULE, (0.2, 0.4, 0.0)),
        (GeoType.CYLINDER, (0.3, 0.4, 0.0)),
        (GeoType.ELLIPSOID, (0.2, 0.3, 0.5)),
        (GeoType.CONE, (0.3, 0.4, 0.0)),
    ],
)
def test_primitives_against_a_sum_over_small_cells(kind: GeoType, scale: tuple) -> None:
    scale = np.array(scale)
    lower, upper = I.shape_bounds(kind, scale, None)
    n = 60
    ticks = [np.linspace(a, b, n, endpoint=False) + (b - a) / (2 * n) for a, b in zip(lower, upper)]
    points = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(kind, scale, points)]
    weight = 500.0 * np.prod(upper - lower) / n**3
    mass, com, moments = I.shape_mass_properties(kind, scale, None, 500.0)
    np.testing.assert_allclose(mass, weight * len(points), rtol=1e-2)
    np.testing.assert_allclose(com, points.mean(axis=0), atol=3e-3)
    away = points - com
    second = weight * away.T @ away
    np.testing.assert_allclose(moments, np.trace(second) * np.eye(3) - second, rtol=2e-2, atol=2e-3 * moments.max())


def test_hollow_is_solid_minus_hole() -> None:
    mass, com, moments = I.shape_mass_properties(GeoType.BOX, (0.5, 0.5, 0.5), None, 1.0, False, 0.1)
    assert mass == pytest.approx(1.0 - 0.8**3) and not np.any(com)
    np.testing.assert_allclose(moments, np.eye(3) * (1.0 / 6.0 - 0.8**5 / 6.0))
    whole = I.shape_mass_properties(GeoType.CONE, (0.3, 0.4, 0.0), None, 2.0)
    hole = I.shape_mass_properties(GeoType.CONE, (0.25, 0.35, 0.0), None, 2.0)
    shell = I.shape_mass_properties(GeoType.CONE, (0.3, 0.4, 0.0), None, 2.0, False, 0.05)
    assert shell[0] + hole[0] == pytest.approx(whole[0])
    np.testing.assert_allclose(shell[0] * shell[1] + hole[0] * hole[1], whole[0] * whole[1], atol=1e-12)
    with pytest.raises(nt.ModelError, match=r"wall thickness .* 0\.6 m"):
        I.shape_mass_properties(GeoType.SPHERE, (0.5, 0.0, 0.0), None, 1.0, False, 0.6)


def test_rotation_and_shift() -> None:
    quat = np.array([0.1, 0.2, 0.3, 0.9])
    quat /= np.linalg.norm(quat)
    moments = np.diag([1.0, 2.0, 2.5])
    turned = I.rotate_inertia(moments, quat)
    rotation = quat_to_matrix(quat)
    np.testing.assert_allclose(rotation.T @ turned @ rotation, moments, atol=1e-12)
    shifted = I.shift_inertia(2.0, moments, np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(np.diag(shifted), [1.0, 4.0, 4.5])


def test_a_body_of_two_halves_is_the_whole() -> None:
    builder = nt.ModelBuilder()
    whole, halves = builder.add_link(), builder.add_link()
    pose = np.array([0.3, -0.2, 0.5, 0.1, 0.2, 0.3, 0.9])
    pose[3:] /= np.linalg.norm(pose[3:])
    builder.add_shape_box(whole, xform=pose, hx=0.4, hy=0.2, hz=0.1)
    from newtonish.model.transforms import transform_multiply

    for side in (-0.2, 0.2):
        part = transform_multiply(pose, np.array([side, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
        builder.add_shape_box(halves, xform=part, hx=0.2, hy=0.2, hz=0.1)
    for name in ("body_mass", "body_com", "body_inertia"):
        rows = np.asarray(getattr(builder, name))
        np.testing.assert_allclose(rows[1], rows[0], rtol=1e-12, atol=1e-12)


def test_corrected_inertia_touches_only_what_is_wrong() -> None:
    good, thin = np.diag([1.0, 2.0, 2.5]), np.diag([1.0, 1.0, 0.0])
    flat, skew = np.diag([0.1, 0.1, 1.0]), np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    moments = np.stack([good, thin, flat, skew])
    masses, result, changed = corrected_inertia(np.ones(4), moments, True, None, None)
    assert changed.tolist() == [2, 3]
    np.testing.assert_array_equal(result[:2], moments[:2])
    principal = np.linalg.eigvalsh(result)
    assert np.all(principal[:, 0] + principal[:, 1] >= principal[:, 2] - 1e-9)
    np.testing.assert_allclose(result[3], result[3].T)
    masses, result, changed = corrected_inertia(np.array([0.0, 1e-6]), np.zeros((2, 3, 3)), True, 1e-3, 1e-4)
    np.testing.assert_allclose(masses, [0.0, 1e-3])
    np.testing.assert_allclose(np.diag(result[1]), 1e-4)
    assert not np.any(result[0])
