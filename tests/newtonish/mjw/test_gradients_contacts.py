"""Derivatives of contacts between shapes of every kind, against MuJoCo's centred differences in float64, pair by pair."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from gradient_models import pair_of
from gradient_models_contacts import CURVED, DOFS, FIELDS, FLAT, stacks

from newtonish import mjw

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
EXACT, SEARCHED = 1e-6, 1e-4
"""Perturbations. MuJoCo's search for the depth of curved shapes ends with a normal that is off by 1e-6 to 1e-4 and changes from one
evaluation to the next, which the quotient divides by the perturbation: an error that falls with it from 1e-1 to 1e-4 of the norm."""


def errors(pair: oracle.Pair, eps: float, number: int) -> list[float]:
    """Of the block of each pair of shapes, relative to its norm; the largest of all worlds."""
    mjm = pair.mjm
    nx = 2 * mjm.nv
    A = wp.zeros((pair.nworld, nx, nx), dtype=float, device=pair.d.device)
    mjw.transition(pair.m, pair.d, A)
    mjm.opt.ccd_iterations = 1000
    found = np.zeros((pair.nworld, number))
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(mjm, mjd)
        wanted = np.zeros((nx, nx))
        mujoco.mjd_transitionFD(mjm, mjd, eps, True, wanted, None, None, None)
        for k in range(number):
            dofs = np.arange(DOFS * k, DOFS * (k + 1))
            block = np.ix_(np.concatenate([dofs, mjm.nv + dofs]), np.concatenate([dofs, mjm.nv + dofs]))
            found[world, k] = np.linalg.norm(A.numpy()[world][block] - wanted[block]) / np.linalg.norm(wanted[block])
    return found.max(axis=0).tolist()


@pytest.mark.parametrize(
    ("pairs", "eps", "tolerance"), [(CURVED, SEARCHED, 1e-3), (FLAT, EXACT, 3e-4), (FIELDS, SEARCHED, 1e-3)], ids=["curved", "flat", "fields"]
)
def test_every_pair_of_shapes(pairs, eps, tolerance, device):
    pair = pair_of(stacks(pairs), 0, device, spread=0.02)
    found = errors(pair, eps, len(pairs))
    for shapes, error in zip(pairs, found, strict=True):
        assert error <= tolerance, f"{shapes}: {error:.1e}"
