"""Analytic derivatives of a step beside MuJoCo's centred differences in float64, and the adjoint beside the matrices."""

from __future__ import annotations

import mujoco
import numpy as np
import oracle
import warp as wp
from gradient_models import next_change

from newtonish import mjw


def matrices(pair: oracle.Pair) -> tuple[np.ndarray, np.ndarray]:
    """A and B of all worlds."""
    nx = 2 * pair.mjm.nv + pair.mjm.na
    A, B = (wp.full((pair.nworld, nx, n), 9.0, dtype=float, device=pair.d.device) for n in (nx, pair.mjm.nu))
    mjw.transition(pair.m, pair.d, A, B)
    return A.numpy().astype(float), B.numpy().astype(float)


def differences(pair: oracle.Pair, world: int) -> tuple[np.ndarray, np.ndarray]:
    """MuJoCo's of one world; of RK4 and of steps that remember, which its function does not take, by steps."""
    if pair.mjm.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4 or pair.mjds[world].history.size or pair.mjds[world].plastic.size:
        return _differences_of_steps(pair.mjm, pair.mjds[world])
    nx = 2 * pair.mjm.nv + pair.mjm.na
    A, B = np.zeros((nx, nx)), np.zeros((nx, pair.mjm.nu))
    mujoco.mjd_transitionFD(pair.mjm, pair.mjds[world], 1e-6, True, A, B if B.size else None, None, None)
    return A, B


def _differences_of_steps(mjm: mujoco.MjModel, mjd: mujoco.MjData, eps: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    nv, na = mjm.nv, mjm.na
    columns = []
    for line in range(2 * nv + na + mjm.nu):
        ends = []
        for sign in (eps, -eps):
            moved = mujoco.MjData(mjm)
            mujoco.mj_copyData(moved, mjm, mjd)
            if line < nv:
                mujoco.mj_integratePos(mjm, moved.qpos, np.eye(nv)[line], sign)
            elif line < 2 * nv:
                moved.qvel[line - nv] += sign
            elif line < 2 * nv + na:
                moved.act[line - 2 * nv] += sign
            else:
                moved.ctrl[line - 2 * nv - na] += sign
            mujoco.mj_step(mjm, moved)
            ends.append(moved)
        dq = np.zeros(nv)
        mujoco.mj_differentiatePos(mjm, dq, 2.0 * eps, ends[1].qpos, ends[0].qpos)
        columns.append(np.concatenate([dq, (ends[0].qvel - ends[1].qvel) / (2.0 * eps), (ends[0].act - ends[1].act) / (2.0 * eps)]))
    both = np.array(columns).T
    return both[:, : 2 * nv + na], both[:, 2 * nv + na :]


def check_matrices(pair: oracle.Pair, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Each within ``tolerance`` of its norm; returns A and B."""
    A, B = matrices(pair)
    for world in range(pair.nworld):
        for name, ours, theirs in zip("AB", (A, B), differences(pair, world), strict=True):
            error = np.linalg.norm(ours[world] - theirs)
            assert error <= tolerance * np.linalg.norm(theirs), f"{name}, world {world}: {error:.2e} of {np.linalg.norm(theirs):.2e}"
    return A, B


def check_adjoint(pair: oracle.Pair, A: np.ndarray, B: np.ndarray, seed: int = 0, forces: float = 1e-4) -> None:
    """The adjoint is the transpose of A and B, and those of forces are ``forces`` of the norm from differences."""
    rng = np.random.default_rng(seed)
    nx, nv, nbody = A.shape[1], pair.mjm.nv, pair.mjm.nbody
    device = pair.d.device
    given = rng.standard_normal((pair.nworld, nx)).astype(np.float32)
    state, ctrl, qfrc = (wp.zeros((pair.nworld, n), dtype=float, device=device) for n in (nx, pair.mjm.nu, nv))
    xfrc = wp.zeros((pair.nworld, nbody), dtype=wp.spatial_vector, device=device)
    mjw.step_vjp(pair.m, pair.d, wp.array(given, device=device), state, ctrl, qfrc, xfrc)
    for world, bar in enumerate(given):
        for name, ours, theirs in (("state", state, A[world].T @ bar), ("ctrl", ctrl, B[world].T @ bar)):
            error = np.linalg.norm(ours.numpy()[world] - theirs)
            assert error <= 2e-6 * np.linalg.norm(theirs), f"{name}, world {world}: {error:.2e} of {np.linalg.norm(theirs):.2e}"
        force, wrench = rng.standard_normal(nv), rng.standard_normal((nbody, 6))
        moved = next_change(pair.mjm, pair.mjds[world], force, wrench)
        found = qfrc.numpy()[world] @ force + (xfrc.numpy()[world][1:] * wrench[1:]).sum()
        assert abs(found - bar @ moved) <= forces * np.linalg.norm(bar) * np.linalg.norm(moved)
