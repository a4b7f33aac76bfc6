"""Poses where a closest point is not unique: parallel axes, faces on faces, coincident centres."""

import mujoco
import numpy as np
import pytest
from collision_oracle import compare, difference, matching, ours, scene, theirs

STAY = (1.0, 0.0, 0.0, 0.0)
MARGIN = 0.02


def turn(axis: tuple[float, float, float], degrees: float) -> tuple[float, ...]:
    angle = np.radians(degrees) / 2
    return (np.cos(angle), *(np.sin(angle) * np.array(axis) / np.linalg.norm(axis)))


def side_by_side(second: list[tuple]) -> np.ndarray:
    """The first body at the origin, the second one as given: position, then quaternion."""
    return np.array([[0, 0, 0, *STAY, *pos, *quat] for pos, quat in second], dtype=float)


CASES = {
    ("sphere", "sphere"): [((0, 0, 0), STAY), ((0, 0, 0), turn((1, 2, 0.5), 40)), ((0, 0, 0), turn((1, 0, 0), -70)), ((0.1, 0, 0), STAY), ((0, 0, 0.25), STAY)],
    ("sphere", "capsule"): [((0, 0, 0), STAY), ((0, 0, 0), turn((1, 2, 0.5), 40)), ((0, 0, 0.1), STAY), ((0.1, 0, 0.1), STAY), ((0, 0, 0.42), STAY)],
    ("capsule", "capsule"): [
        ((0, 0, 0), STAY),
        ((0.1, 0, 0), STAY),
        ((0.1, 0, 0.2), STAY),
        ((0.1, 0, 0.42), STAY),
        ((0, 0, 0.5), STAY),
        ((0.1, 0, 0.5), STAY),
        ((0.1, 0, 0), turn((1, 0, 0), 180)),
        ((0.1, 0, 0), turn((1, 0, 0), 90)),
        ((0, 0, 0), turn((1, 0, 0), 90)),
        ((0, 0, 0), turn((1, 2, 0.5), 40)),
        ((0.1, 0, 0), turn((1, 0, 0), 0.001)),
    ],
    ("sphere", "cylinder"): [
        ((0, 0, 0), STAY),
        ((0, 0, 0), turn((1, 2, 0.5), 40)),
        ((0, 0, 0.1), STAY),
        ((0.1, 0, 0), STAY),
        ((0.15, 0, 0.22), STAY),
        ((0, 0, 0.34), STAY),
        ((0.27, 0, 0), STAY),
        ((0.05, 0, 0.2), STAY),
        ((0, 0, -0.3), STAY),
    ],
    ("sphere", "box"): [
        ((0, 0, 0), STAY),
        ((0.05, 0, 0), STAY),
        ((-0.05, 0, 0), STAY),
        ((0, 0.15, 0), STAY),
        ((0, 0, 0.3), STAY),
        ((0.24, 0, 0), STAY),
        ((0.2, 0.25, 0), STAY),
        ((0.1, 0.18, 0.29), STAY),
    ],
    ("capsule", "box"): [
        ((0, 0, 0), STAY),
        ((0.2, 0, 0), STAY),
        ((0.2, 0.1, 0.2), STAY),
        ((0.2, 0.25, 0.2), STAY),
        ((0.2, 0, 0.5), STAY),
        ((0, 0, 0.55), STAY),
        ((0, 0.28, 0), turn((0, 1, 0), 90)),
        ((0, 0.28, 0.2), turn((0, 1, 0), 45)),
        ((0, 0.28, 0), turn((1, 0, 0), 90)),
        ((0.2, 0.2, 0), turn((0, 0, 1), 45)),
        ((0.2, 0, 0), turn((1, 0, 0), 45)),
        ((0.2, 0.2, 0), turn((1, 0, 0), 45)),
        ((0.15, 0.1, 0.5), turn((0, 1, 0), 90)),
        ((0, 0, 0.35), turn((1, 0, 0), 90)),
    ],
}


@pytest.mark.parametrize(("first", "second"), list(CASES))
def test_special_poses(first, second, device):
    """Contacts may come in another order where several are equally deep."""
    mjm = scene(first, second, MARGIN)
    assert compare(mjm, side_by_side(CASES[first, second]), device, reach=2 * MARGIN, ordered=False) >= 3


def level(height: float, quat: tuple[float, ...]) -> list[float]:
    """Pose in the frame of the tilted plane of ``scene``."""
    mjm = scene("plane", "sphere")
    mjd = mujoco.MjData(mjm)
    mujoco.mj_kinematics(mjm, mjd)
    base, result = np.zeros(4), np.zeros(4)
    mujoco.mju_mat2Quat(base, mjd.geom_xmat[0])
    mujoco.mju_mulQuat(result, base, np.array(quat))
    return [*(mjd.geom_xpos[0] + mjd.geom_xmat[0].reshape(3, 3) @ [0.3, 0.2, height]), *result]


@pytest.mark.parametrize("quat", [STAY, turn((0, 0, 1), 30), turn((1, 0, 0), 90), turn((0, 1, 0), 90), turn((1, 0, 0), 180)])
@pytest.mark.parametrize("second", ["ellipsoid", "cylinder", "box"])
def test_aligned_with_the_plane(second, quat, device):
    mjm = scene("plane", second, MARGIN)
    poses = np.array([level(height, quat) for height in (0.0, 0.08, 0.1, 0.14, 0.19, 0.21, 0.29, 0.305)])
    assert compare(mjm, poses, device, reach=2 * MARGIN, ordered=False) >= 3


def test_capsule_on_the_plane(device):
    """Lying: both ends, tangent along the capsule. Upright: MuJoCo's positions, but always an orthonormal frame."""
    mjm = scene("plane", "capsule", MARGIN)
    lying = np.array([level(height, turn((1, 0, 0), 90)) for height in (0.05, 0.1)])
    assert compare(mjm, lying, device, reach=2 * MARGIN) == 2
    upright = np.array([level(height, turn((0, 0, 1), angle)) for height in (0.05, 0.28) for angle in (0, 40)])
    for a, b in zip(ours(mjm, upright, device), theirs(mjm, upright)):
        assert max(difference(a, b)[name] for name in ("dist", "pos")) < 1e-5
        frame = a.frame[0].reshape(3, 3)
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-6)
        np.testing.assert_allclose(frame[0], b.frame[0, :3], atol=1e-6)


def test_upright_capsule_on_a_level_plane_has_mujoco_s_tangent(device):
    mjm = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body><freejoint/><geom type="capsule" size=".1 .2"/></body></worldbody></mujoco>"""
    )
    poses = np.array([[0, 0, height, *turn((0, 0, 1), angle)] for height in (0.29, 0.2) for angle in (0, 70)])
    assert compare(mjm, poses, device, reach=0.0) == 4


def _on_cap(angle: float, offset: tuple[float, float], height: float) -> list[float]:
    """A capsule above the cap of an upright cylinder, lying along -y and tilted by ``angle`` degrees."""
    return [*offset, height, *turn((1, 0, 0), 90 + angle), 0, 0, 0, *STAY]


@pytest.mark.parametrize("margin", [0.0, MARGIN])
@pytest.mark.parametrize("angle", [0.0, 1.0, -4.0])
def test_capsule_lying_on_a_cylinder_s_cap(angle, margin, device):
    """Contacts at the ends of the stretch over the cap, with the cap's normal; a lone one that the border cut off counts twice."""
    mjm = scene("capsule", "cylinder", margin)
    places = [((0.0, 0.0), 0.3), ((0.05, 0.03), 0.295), ((0.0, 0.2), 0.29), ((0.1, -0.05), 0.28)]
    poses = np.array([_on_cap(angle, offset, height) for offset, height in places])
    for a, b in zip(ours(mjm, poses, device), theirs(mjm, poses)):
        assert len(a) == len(b) == 2
        assert max(difference(a, b, matching(a, b)).values()) < 5e-5


def test_capsule_along_a_cylinder(device):
    """MuJoCo picks an end of the common stretch; here the contact is in its middle, at the same depth."""
    mjm = scene("capsule", "cylinder")
    poses = np.array([[0.23, 0, z, *STAY, 0, 0, 0, *STAY] for z in (0.0, 0.1, 0.3)])
    expected = [0.0, 0.055, 0.155]
    for a, b, z in zip(ours(mjm, poses, device), theirs(mjm, poses), expected):
        assert len(a) == len(b) == 1
        assert abs(a.dist[0] - b.dist[0]) < 1e-5
        np.testing.assert_allclose(a.frame[0], b.frame[0], atol=1e-5)
        np.testing.assert_allclose(a.pos[0], [0.145, 0.0, z], atol=1e-5)


def test_capsule_inside_a_cylinder_stays_finite(device):
    mjm = scene("capsule", "cylinder")
    poses = np.array([[0, 0, 0, *quat, 0, 0, 0, *STAY] for quat in (STAY, turn((1, 0, 0), 90), turn((1, 1, 0), 30))])
    for a in ours(mjm, poses, device):
        assert len(a) >= 1
        assert np.isfinite(a.dist).all() and np.isfinite(a.pos).all() and np.isfinite(a.frame).all()
        assert (a.dist < -0.2).all()
