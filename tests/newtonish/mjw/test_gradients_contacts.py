"""Derivatives of contacts between shapes of every kind, against MuJoCo's centred differences in float64, pair by pair."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from gradient_checks import check_transpose, matrices
from gradient_models import pair_of
from gradient_models_contacts import CURVED, DOFS, FIELDS, FLAT, stacks

from newtonish import mjw

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
TOLERANCE = 1e-3
EXACT, SEARCHED = 1e-6, 1e-4
"""Perturbations. MuJoCo's search for the depth of curved shapes ends with a normal that is off by 1e-6 to 1e-4 and changes from one
evaluation to the next, which the quotient divides by the perturbation: an error that falls with it from 1e-1 to 1e-4 of the norm."""


def errors(pair: oracle.Pair, shapes: tuple[tuple[str, str, float, str, str], ...]) -> list[float]:
    """Of the block of each pair of shapes, relative to its norm; the largest of all worlds."""
    searched = [shapes != FLAT and bool({"egg", "cylinder"} & set(names)) for names in shapes]
    mjm = pair.mjm
    nx = 2 * mjm.nv
    A = wp.zeros((pair.nworld, nx, nx), dtype=float, device=pair.d.device)
    mjw.transition(pair.m, pair.d, A)
    mjm.opt.ccd_iterations = 1000
    found = np.zeros((pair.nworld, len(shapes)))
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(mjm, mjd)
        wanted = {eps: np.zeros((nx, nx)) for eps in (EXACT, SEARCHED)}
        for eps, matrix in wanted.items():
            mujoco.mjd_transitionFD(mjm, mjd, eps, True, matrix, None, None, None)
        for k in range(len(shapes)):
            dofs = np.arange(DOFS * k, DOFS * (k + 1))
            block = np.ix_(np.concatenate([dofs, mjm.nv + dofs]), np.concatenate([dofs, mjm.nv + dofs]))
            theirs = wanted[SEARCHED if searched[k] else EXACT][block]
            found[world, k] = np.linalg.norm(A.numpy()[world][block] - theirs) / np.linalg.norm(theirs)
    return found.max(axis=0).tolist()


@pytest.mark.parametrize("pairs", [CURVED, FLAT, FIELDS], ids=["curved", "flat", "fields"])
def test_every_pair_of_shapes(pairs, device):
    pair = pair_of(stacks(pairs), 0, device, spread=0.02)
    for shapes, error in zip(pairs, errors(pair, pairs), strict=True):
        assert error <= TOLERANCE, f"{shapes}: {error:.1e}"
    check_transpose(pair, *matrices(pair))


SLABS = """<mujoco><option timestep=".002"/><asset>
  <mesh name="wide" vertex=".3 .3 .1 -.3 .3 .1 .3 -.3 .1 -.3 -.3 .1 .3 .3 -.1 -.3 .3 -.1 .3 -.3 -.1 -.3 -.3 -.1"/>
  <mesh name="small" vertex=".1 .1 .1 -.1 .1 .1 .1 -.1 .1 -.1 -.1 .1 .1 .1 -.1 -.1 .1 -.1 .1 -.1 -.1 -.1 -.1 -.1"/></asset>
  <worldbody>{}{}</worldbody></mujoco>"""
WIDE = '<body><joint axis="1 0 0" stiffness="100" damping="1"/><joint axis="0 1 0" stiffness="100" damping="1"/><geom {}/></body>'
SMALL = (
    """<body pos=".02 .03 .199"><freejoint/><geom {}/><body pos="0 0 .3"><joint axis="1 0 0"/><geom size=".05" contype="0" conaffinity="0"/></body></body>"""
)
BOXES = ('type="box" size=".3 .3 .1"', 'type="box" size=".1 .1 .1"')
HULLS = ('type="mesh" mesh="wide"', 'type="mesh" mesh="small"')


@pytest.mark.parametrize("shapes", [BOXES, HULLS, (HULLS[0], BOXES[1])], ids=["boxes", "hulls", "both"])
@pytest.mark.parametrize("wide_first", [True, False])
def test_faces_that_look_exactly_alike(shapes, wide_first, device):
    """Of a stack at rest: the normal is that of the face which tells it for any small tilt, whichever geom comes first."""
    bodies = [WIDE.format(shapes[0]), SMALL.format(shapes[1])]
    pair = pair_of(SLABS.format(*(bodies if wide_first else bodies[::-1])), 0, device, spread=0.0)
    nx = 2 * pair.mjm.nv
    A = wp.zeros((pair.nworld, nx, nx), dtype=float, device=device)
    mjw.transition(pair.m, pair.d, A)
    wanted = np.zeros((nx, nx))
    mujoco.mjd_transitionFD(pair.mjm, pair.mjds[0], 1e-6, True, wanted, None, None, None)
    assert np.linalg.norm(A.numpy()[0] - wanted) <= 1e-4 * np.linalg.norm(wanted)
