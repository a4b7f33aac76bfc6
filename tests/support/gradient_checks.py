"""Analytic derivatives of a step beside MuJoCo's centred differences in float64, and the adjoint beside the matrices."""

from __future__ import annotations

import mujoco
import numpy as np
import oracle
import warp as wp
from gradient_models import next_change

from newtonish import mjw

TOLERANCE = 2e-4
"""Of the norm of a matrix: a contact is a tenth of a millimetre deep, which float32 holds to 1e-4 where bodies are a metre apart."""


def matrices(pair: oracle.Pair) -> tuple[np.ndarray, np.ndarray]:
    """A and B of all worlds."""
    nx = 2 * pair.mjm.nv + pair.mjm.na
    A, B = (wp.full((pair.nworld, nx, n), 9.0, dtype=float, device=pair.d.device) for n in (nx, pair.mjm.nu))
    mjw.transition(pair.m, pair.d, A, B)
    return A.numpy().astype(float), B.numpy().astype(float)


def reference(mjm: mujoco.MjModel, mjd: mujoco.MjData, eps: float = 1e-6, centred: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A and B of MuJoCo's centred differences; of RK4 and of steps that remember, which its own function refuses, by steps here."""
    nx = 2 * mjm.nv + mjm.na
    A, B = np.zeros((nx, nx)), np.zeros((nx, mjm.nu))
    if mjm.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4 or mjd.history.size or mjd.plastic.size:
        for column in range(nx + mjm.nu):
            target = A[:, column] if column < nx else B[:, column - nx]
            target[:] = _quotient(mjm, mjd, column, (eps, -eps if centred else 0.0))
        return A, B
    mujoco.mjd_transitionFD(mjm, mjd, eps, centred, A, B if B.size else None, None, None)
    return A, B


def _quotient(mjm: mujoco.MjModel, mjd: mujoco.MjData, number: int, shifts: tuple[float, float]) -> np.ndarray:
    """Change of the next state by one input: positions (tangent space), velocities, activations, controls."""
    ends, width = [], shifts[0] - shifts[1]
    for shift in shifts:
        moved = mujoco.MjData(mjm)
        mujoco.mj_copyData(moved, mjm, mjd)
        inputs = np.zeros(2 * mjm.nv + mjm.na + mjm.nu)
        inputs[number] = shift
        dq, dv, dact, dctrl = np.split(inputs, np.cumsum([mjm.nv, mjm.nv, mjm.na]))
        mujoco.mj_integratePos(mjm, moved.qpos, dq, 1.0)
        moved.qvel[:] += dv
        moved.act[:] += dact
        moved.ctrl[:] += dctrl
        mujoco.mj_step(mjm, moved)
        ends.append(moved)
    dq = np.zeros(mjm.nv)
    mujoco.mj_differentiatePos(mjm, dq, width, ends[1].qpos, ends[0].qpos)
    return np.concatenate([dq, (ends[0].qvel - ends[1].qvel) / width, (ends[0].act - ends[1].act) / width])


def differences(pair: oracle.Pair, world: int) -> tuple[np.ndarray, np.ndarray]:
    """MuJoCo's of one world."""
    return reference(pair.mjm, pair.mjds[world])


def check(pair: oracle.Pair, tolerance: float = TOLERANCE) -> tuple[np.ndarray, np.ndarray]:
    """Each within ``tolerance`` of its norm; returns A and B."""
    A, B = matrices(pair)
    for world in range(pair.nworld):
        for name, ours, theirs in zip("AB", (A, B), differences(pair, world), strict=True):
            error = np.linalg.norm(ours[world] - theirs)
            assert error <= tolerance * np.linalg.norm(theirs), f"{name}, world {world}: {error:.2e} of {np.linalg.norm(theirs):.2e}"
    return A, B


def check_transpose(pair: oracle.Pair, A: np.ndarray, B: np.ndarray, seed: int = 0) -> tuple[np.ndarray, wp.array, wp.array]:
    """The adjoint is the transpose of A and B; returns the gradients that it was given, and those by applied forces."""
    nx, nv, device = A.shape[1], pair.mjm.nv, pair.d.device
    given = np.random.default_rng(seed).standard_normal((pair.nworld, nx)).astype(np.float32)
    state, ctrl, qfrc = (wp.zeros((pair.nworld, n), dtype=float, device=device) for n in (nx, pair.mjm.nu, nv))
    xfrc = wp.zeros((pair.nworld, pair.mjm.nbody), dtype=wp.spatial_vector, device=device)
    mjw.step_vjp(pair.m, pair.d, wp.array(given, device=device), state, ctrl, qfrc, xfrc)
    for world, bar in enumerate(given):
        for name, ours, theirs in (("state", state, A[world].T @ bar), ("ctrl", ctrl, B[world].T @ bar)):
            error = np.linalg.norm(ours.numpy()[world] - theirs)
            assert error <= 2e-6 * np.linalg.norm(theirs), f"{name}, world {world}: {error:.2e} of {np.linalg.norm(theirs):.2e}"
    return given, qfrc, xfrc


def check_adjoint(pair: oracle.Pair, A: np.ndarray, B: np.ndarray, seed: int = 0, forces: float = 1e-4) -> None:
    """The same, and the adjoints of forces are ``forces`` of the norm from differences."""
    given, qfrc, xfrc = check_transpose(pair, A, B, seed)
    rng = np.random.default_rng([seed, 1])
    for world, bar in enumerate(given):
        force, wrench = rng.standard_normal(pair.mjm.nv), rng.standard_normal((pair.mjm.nbody, 6))
        moved = next_change(pair.mjm, pair.mjds[world], force, wrench)
        found = qfrc.numpy()[world] @ force + (xfrc.numpy()[world][1:] * wrench[1:]).sum()
        assert abs(found - bar @ moved) <= forces * np.linalg.norm(bar) * np.linalg.norm(moved)
