"""Laws of many worlds: their order does not matter, nor where one stands on an endless plane, nor how often one runs it."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import warp as wp
from solver_rigs import link, replicated

from newtonish import ModelBuilder, SolverMuJoCo

NWORLD = 24


def robot() -> ModelBuilder:
    """A box with two driven limbs above an endless plane."""
    rng = np.random.default_rng(0)
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_ground_plane()
    base = link(builder, rng, "base")
    builder.add_shape_box(base, hx=0.2, hy=0.15, hz=0.1)
    joints = [builder.add_joint_free(base)]
    for k, side in enumerate((-0.2, 0.2)):
        limb = link(builder, rng, f"limb{k}")
        builder.add_shape_capsule(limb, radius=0.05, half_height=0.15)
        frames = {
            "parent_xform": wp.transform((0.0, side, -0.1), wp.quat_identity()),
            "child_xform": wp.transform((0.0, 0.0, 0.2), wp.quat_identity()),
        }
        drive = {"limit_lower": -0.6, "limit_upper": 0.6, "target_ke": 20.0, "target_kd": 1.0}
        joints.append(builder.add_joint_revolute(base, limb, axis=(0.0, 1.0, 0.0), **frames, **drive))
    builder.add_articulation(joints)
    return builder


def starts(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unequal coordinates, velocities and targets of all worlds."""
    q = 0.2 * rng.standard_normal((NWORLD, 9))
    q[:, 2] = rng.uniform(0.3, 0.7, NWORLD)
    q[:, 3:7] = [0.0, 0.0, 0.0, 1.0] + 0.2 * rng.standard_normal((NWORLD, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    qd = 0.5 * rng.standard_normal((NWORLD, 8))
    targets = rng.uniform(-0.5, 0.5, (NWORLD, 9))
    return q.astype(np.float32), qd.astype(np.float32), targets.astype(np.float32)


def play(model, q: np.ndarray, qd: np.ndarray, targets: np.ndarray, steps: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Final coordinates and velocities, and the largest number of contacts of each world."""
    solver, state, control = SolverMuJoCo(model, nconmax=40, njmax=200), model.state(), model.control()
    state.joint_q.assign(q.reshape(-1))
    state.joint_qd.assign(qd.reshape(-1))
    control.joint_target_q.assign(targets.reshape(-1))
    contacts = np.zeros(NWORLD, dtype=int)
    for _ in range(steps):
        solver.step(state, state, control, None, 0.005)
        contacts = np.maximum(contacts, solver.mjw_data.ncon.numpy())
    assert not solver.mjw_data.overflow.numpy().any()
    return state.joint_q.numpy().reshape(NWORLD, 9), state.joint_qd.numpy().reshape(NWORLD, 8), contacts


def test_permuted_worlds_give_permuted_bits(device: str):
    model = replicated(robot(), NWORLD, device)
    rng = np.random.default_rng(1)
    start = starts(rng)
    order = rng.permutation(NWORLD)
    plain, permuted = play(model, *start), play(model, *(a[order] for a in start))
    assert plain[2].max() > 0, "something touches the plane"
    for a, b in zip(plain, permuted):
        np.testing.assert_array_equal(a[order], b)


def test_a_shifted_and_turned_world_moves_alike(device: str):
    """Worlds that start from one pose, shifted along the plane and turned about the vertical, stay that far apart."""
    model = replicated(robot(), NWORLD, device)
    q, qd, targets = (np.repeat(a[:1], NWORLD, axis=0) for a in starts(np.random.default_rng(2)))
    angle, shift = np.linspace(0.0, 3.0, NWORLD), np.linspace(0.0, 4.0, NWORLD)
    c, s = np.cos(angle), np.sin(angle)
    turned = q.astype(float).copy()
    turned[:, 0] = c * q[:, 0] - s * q[:, 1] + shift
    turned[:, 1] = s * q[:, 0] + c * q[:, 1] - 2.0 * shift
    turned[:, 3:7] = _turned_about_z(angle, q[:, 3:7])
    speeds = qd.astype(float).copy()
    for k in (0, 3):
        speeds[:, k], speeds[:, k + 1] = c * qd[:, k] - s * qd[:, k + 1], s * qd[:, k] + c * qd[:, k + 1]
    final, _, contacts = play(model, turned.astype(np.float32), speeds.astype(np.float32), targets, steps=40)
    assert contacts.max() > 0, "something touches the plane"
    back = final.astype(float).copy()
    x, y = final[:, 0] - shift, final[:, 1] + 2.0 * shift
    back[:, 0], back[:, 1] = c * x + s * y, -s * x + c * y
    back[:, 3:7] = _turned_about_z(-angle, final[:, 3:7])
    np.testing.assert_allclose(back, np.repeat(back[:1], NWORLD, axis=0), atol=5e-3)


def _turned_about_z(angle: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Rotate orientations (x, y, z, w) about the vertical axis of the world."""
    c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
    x, y, z, w = q.T
    return np.stack([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z], axis=1)


def digest(device: str) -> str:
    """Hash of the final state of a run with contacts."""
    model = replicated(robot(), NWORLD, device)
    final = play(model, *starts(np.random.default_rng(3)))
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in final)).hexdigest()


def test_two_processes_give_equal_bytes(device: str):
    """Also with another number of threads: how worlds are split must not show."""
    results = []
    for threads in ("1", "2"):
        path = [str(Path(__file__).parent), *sys.path]
        code = f"import sys; sys.path[:0] = {path!r}\nfrom test_worlds import digest\nprint(digest({device!r}))"
        environment = {**os.environ, "NEWTONISH_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        results.append(done.stdout.split()[-1])
    assert results[0] == results[1]
