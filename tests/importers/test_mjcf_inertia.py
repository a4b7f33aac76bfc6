"""Mass properties and orientations against MuJoCo's own functions."""

import mujoco
import numpy as np
import pytest
from mjcf_compare import close, close_quat

from newtonish.importers import frames
from newtonish.importers.mjcf.inertia import MassProperties, combine, eigen3, primitive


def test_eigen_decomposition_takes_mujocos_axes() -> None:
    random = np.random.default_rng(0)
    for trial in range(300):
        square = random.normal(size=(3, 3))
        matrix = square @ square.T
        if trial % 5 == 0:
            matrix = np.diag(random.random(3))
        values, vectors, quat = np.zeros(3), np.zeros(9), np.zeros(4)
        mujoco.mju_eig3(values, vectors, quat, matrix.ravel())
        ours, turn = eigen3(matrix)
        close(ours, values, "eigenvalues", 1e-9)
        close(turn, quat, "axes", 1e-8)


@pytest.mark.parametrize("shell", [False, True])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_primitives(kind: str, shell: bool) -> None:
    size = (0.3, 0.5, 0.8)
    geom = f'<geom type="{kind}" size="0.3 0.5 0.8" density="1" shellinertia="{str(shell).lower()}"/>'
    m = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>")
    volume, moments = primitive(kind, size, shell)
    close(volume, m.body_mass[1], "volume", 1e-9)
    close(moments, m.body_inertia[1], "moments", 1e-9)


def test_sum_does_not_depend_on_order() -> None:
    random = np.random.default_rng(1)
    parts = []
    for _ in range(4):
        quat = random.normal(size=4)
        diag = random.random() + np.array([1.0, 0.8, 0.6])
        parts.append(MassProperties(random.random(), random.normal(size=3), quat / np.linalg.norm(quat), diag))
    first, second = combine(parts), combine(parts[::-1])
    close(first.pos, second.pos, "centre", 1e-12)
    close(first.matrix(), second.matrix(), "matrix", 1e-12)
    assert combine([]).mass == 0


def test_orientations_against_rotation_matrices() -> None:
    random = np.random.default_rng(2)
    for _ in range(50):
        quat = frames.normalize(random.normal(size=4), "quat")
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, quat)
        close(frames.to_matrix(quat), matrix.reshape(3, 3), "matrix", 1e-12)
        close_quat(frames.from_matrix(frames.to_matrix(quat)), quat, "quaternion", 1e-12)
        axis = random.normal(size=3)
        turned = frames.rotate(frames.from_zaxis(axis), np.array([0.0, 0.0, 1.0]))
        close(turned, axis / np.linalg.norm(axis), "zaxis", 1e-12)
        for sequence in ("xyz", "XYZ", "zyx", "xYz", "zxz"):
            angles, expected = random.normal(size=3), np.zeros(4)
            mujoco.mju_euler2Quat(expected, angles, sequence)
            close_quat(frames.from_euler(angles, sequence, False), expected, sequence, 1e-12)


def test_inverse_and_composition() -> None:
    quat = frames.normalize([1.0, 2.0, 3.0, 4.0], "quat")
    pos = np.array([1.0, 2.0, 3.0])
    back = frames.compose(*frames.invert(pos, quat), pos, quat)
    close(back[0], np.zeros(3), "position", 1e-12)
    close(back[1], [1, 0, 0, 0], "orientation", 1e-12)
