"""Geoms that nearly stand upright on a plane or nearly lie along each other, tilted by 1e-8 to 0.1 rad, against MuJoCo.

Small tilts are differences of nearly equal numbers: what is computed from them loses its digits first.
"""

import mujoco
import numpy as np
import pytest
from collision_oracle import Contacts, matching, near_threshold, ours, scene, theirs

# none at 1e-4 rad, above which capsules count as crossing, here and in MuJoCo
TILTS = (0.0, 1e-8, 1e-7, 1e-6, 3e-6, 1e-5, 8e-5, 1.2e-4, 1e-3, 1e-2, 0.1)
POSES = 64
DEPTH = 1e-4  # [m]
REACH = 0.01  # [m]: the higher points of a tilted geom come and go within it
WIDTH = {"sphere": 0.13, "capsule": 0.09, "cylinder": 0.15, "box": 0.12, "ellipsoid": 0.1}
HEIGHT = {"sphere": 0.13, "capsule": 0.3, "cylinder": 0.22, "box": 0.31, "ellipsoid": 0.3}


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Quaternion."""
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(axis) / np.linalg.norm(axis))])


def product(*factors: np.ndarray) -> np.ndarray:
    result = np.array([1.0, 0.0, 0.0, 0.0])
    for factor in factors:
        mujoco.mju_mulQuat(result, result.copy(), factor)
    return result


def turned(quat: np.ndarray, vec: np.ndarray) -> np.ndarray:
    result = np.zeros(3)
    mujoco.mju_rotVecQuat(result, np.asarray(vec, dtype=float), quat)
    return result


def tilt(rng: np.random.Generator, angle: float) -> np.ndarray:
    """Turned about the z axis by any angle, and leaning by ``angle`` to any side."""
    phi, spin = rng.uniform(0, 2 * np.pi, 2)
    return product(rotation((np.cos(phi), np.sin(phi), 0), angle), rotation((0, 0, 1), spin))


def over_plane(mjm: mujoco.MjModel, angle: float, level: bool) -> np.ndarray:
    """Poses of the free geom, its deepest point ``DEPTH`` below the plane."""
    rng, mjd = np.random.default_rng(int(angle * 1e9)), mujoco.MjData(mjm)
    poses = np.zeros((POSES, 7))
    for qpos in poses:
        place = np.zeros(3) if level else mjm.geom_pos[0]
        plane = np.array([1.0, 0, 0, 0]) if level else mjm.geom_quat[0]
        qpos[:3] = place + turned(plane, (*rng.uniform(-0.5, 0.5, 2), 0))
        qpos[3:] = product(plane, tilt(rng, angle))
        qpos[:] = qpos.astype(np.float32)
        normal = turned(plane, (0, 0, 1))
        mjd.qpos[:] = qpos
        mjm.geom_margin[:] = 10.0
        mujoco.mj_kinematics(mjm, mjd)
        mujoco.mj_collision(mjm, mjd)
        qpos[:3] -= (mjd.contact.dist.min() + DEPTH) * normal
    mjm.geom_margin[:] = REACH
    return poses.astype(np.float32).astype(float)


def beside(first: str, second: str, angle: float) -> np.ndarray:
    """Poses of two free geoms whose z axes are parallel but for ``angle``: side by side, or one above the other."""
    rng = np.random.default_rng(int(angle * 1e9) + 1)
    poses = np.zeros((POSES, 14))
    for number, qpos in enumerate(poses):
        frame, place = rng.standard_normal(4), rng.uniform(-0.3, 0.3, 3)
        frame /= np.linalg.norm(frame)
        offset = np.array([WIDTH[first] + WIDTH[second] - DEPTH, 0, rng.uniform(-0.3, 0.3)])
        if number % 2:
            offset = np.array([*rng.uniform(-0.05, 0.05, 2), HEIGHT[first] + HEIGHT[second] - DEPTH])
        first_quat = product(frame, rotation((0, 0, 1), rng.uniform(0, 2 * np.pi)) if first != "box" else np.array([1.0, 0, 0, 0]))
        qpos[:] = [*place, *first_quat, *(place + turned(frame, offset)), *product(frame, tilt(rng, angle))]
    return poses.astype(np.float32).astype(float)


def compare(pose: str, a: Contacts, b: Contacts) -> None:
    """As many contacts, as deep, in the order of their depths: which way round a triangle stands depends on the tilt's last digits."""
    if near_threshold(a, REACH) or near_threshold(b, REACH):
        return
    assert len(a) == len(b), f"{pose}: {len(a)} contacts at {a.dist} against MuJoCo's {len(b)} at {b.dist}"
    error = np.abs(np.sort(a.dist) - np.sort(b.dist)).max(initial=0.0)
    assert error < 2e-6, f"{pose}: distances {np.sort(a.dist)} against MuJoCo's {np.sort(b.dist)}"


@pytest.mark.parametrize("level", [True, False], ids=["level", "sloping"])
@pytest.mark.parametrize("shape", ["cylinder", "capsule", "ellipsoid", "box"])
def test_nearly_upright_on_a_plane(shape, level, device):
    mjm = scene("plane", shape, margin=REACH)
    if level:
        mjm.geom_pos[0], mjm.geom_quat[0] = 0.0, (1, 0, 0, 0)
    for angle in TILTS:
        poses = over_plane(mjm, angle, level)
        for i, (a, b) in enumerate(zip(ours(mjm, poses, device), theirs(mjm, poses), strict=True)):
            assert len(b) > 0
            compare(f"tilt {angle}, pose {i}", a, b)
            if angle >= 1e-5 and level:  # here the matrix of the geom still tells the way
                order = matching(a, b)
                assert np.abs(a.pos[order] - b.pos).max() < 2e-5, f"tilt {angle}, pose {i}"


@pytest.mark.parametrize(
    ("first", "second"),
    [("capsule", "capsule"), ("capsule", "cylinder"), ("capsule", "box")],
)
def test_nearly_parallel(first, second, device):
    mjm = scene(first, second, margin=REACH)
    for angle in TILTS:
        poses = beside(first, second, angle)
        for i, (a, b) in enumerate(zip(ours(mjm, poses, device), theirs(mjm, poses), strict=True)):
            compare(f"tilt {angle}, pose {i}", a, b)
