"""Analytic derivatives of a step beside MuJoCo's centred differences in float64."""

from __future__ import annotations

import mujoco
import numpy as np
import oracle
import warp as wp

from newtonish import mjw

TOLERANCE = 2e-4
"""Of the norm of a matrix: a contact is a tenth of a millimetre deep, which float32 holds to 1e-4 where bodies are a metre apart."""


def matrices(pair: oracle.Pair) -> tuple[np.ndarray, np.ndarray]:
    nx = 2 * pair.mjm.nv + pair.mjm.na
    A, B = (wp.full((pair.nworld, nx, n), 9.0, dtype=float, device=pair.d.device) for n in (nx, pair.mjm.nu))
    mjw.transition(pair.m, pair.d, A, B)
    return A.numpy().astype(float), B.numpy().astype(float)


def differences(pair: oracle.Pair, world: int) -> tuple[np.ndarray, np.ndarray]:
    nx = 2 * pair.mjm.nv + pair.mjm.na
    A, B = np.zeros((nx, nx)), np.zeros((nx, pair.mjm.nu))
    mujoco.mjd_transitionFD(pair.mjm, pair.mjds[world], 1e-6, True, A, B if B.size else None, None, None)
    return A, B


def check(pair: oracle.Pair, tolerance: float = TOLERANCE) -> None:
    A, B = matrices(pair)
    for world in range(pair.nworld):
        for name, ours, theirs in zip("AB", (A, B), differences(pair, world), strict=True):
            error = np.linalg.norm(ours[world] - theirs)
            assert error <= tolerance * np.linalg.norm(theirs), f"{name}, world {world}: {error:.2e} of {np.linalg.norm(theirs):.2e}"
