"""Analytic derivatives of steps in a medium, whose slopes implicit integrators take, against MuJoCo's centred differences in float64."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from field_gradients import errors, vary
from gradient_checks import check, check_adjoint
from gradient_models import pair_of
from paths import REPO

from newtonish import mjw
from newtonish.errors import UnsupportedError
from newtonish.kernels.derivative import linearize

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

ALONE = """
  <body pos="4 0 1"><freejoint/><geom type="box" size=".1 .05 .02" mass=".3"/></body>
  <body pos="5 0 1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
    <geom type="ellipsoid" size=".1 .05 .02" mass=".3" euler="20 40 10" fluidshape="ellipsoid"/></body>
  <body pos="6 0 1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
    <geom type="ellipsoid" size=".1 .05 .02" mass=".3" fluidshape="ellipsoid"/></body>
  <body pos="7 0 1"><freejoint/><geom type="ellipsoid" size=".1 .05 .02" mass=".3" fluidshape="ellipsoid"/>
    <body pos=".1 0 0"><geom type="sphere" size=".03" mass=".1"/></body></body>
  <body pos="7 1 1"><joint type="ball"/><geom type="ellipsoid" size=".1 .05 .02" mass=".3" fluidshape="ellipsoid"/></body>
  <body pos="7 3 1"><freejoint/><geom type="ellipsoid" size=".1 .05 .02" mass=".3" fluidshape="ellipsoid"/></body>
</worldbody>
"""
"""Bodies whose mass matrix is a diagonal, and others that are a tree alone."""

ROWS = """
<mujoco><option density="2000" viscosity=".4" wind=".5 -.4 .2" timestep=".01" integrator="{integrator}"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 .6"><joint name="a" axis="0 1 0" range="-100 -4" limited="true" solreflimit=".05 1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" type="ball" range="0 8" limited="true" solreflimit=".05 1"/>
        <geom type="box" size=".04 .1 .06" pos=".1 0 .02" fluidshape="ellipsoid"/>
        <body pos=".2 0 .1"><joint name="c" axis="1 0 1"/><geom type="ellipsoid" size=".04 .1 .06" pos=".1 .1 .02" fluidshape="ellipsoid"/></body></body></body>
    <body name="raft" pos="1 2 .54"><freejoint/><geom type="box" size=".1 .15 .05" fluidshape="ellipsoid"/></body>
    <body name="oar" pos="1.3 2 .54"><joint type="ball"/><geom type="box" size=".1 .15 .05" pos=".1 .02 .03"/></body>
  </worldbody>
  <equality><connect body1="raft" body2="oar" anchor="-.1 -.1 0" solref=".05 1" solimp=".5 .9 .1"/>
    <joint joint1="c" joint2="a" polycoef=".3 .4 .5 0 0"/></equality>
</mujoco>
"""


def in_a_medium(integrator: str, device: str, more: str = ALONE) -> oracle.Pair:
    """Worlds with bodies of every kind, each of which moves and turns fast in a dense medium."""
    xml = (REPO / "tests" / "models" / "fluid_zoo.xml").read_text().replace("<option", f'<option integrator="{integrator}"')
    pair = pair_of(xml.replace('timestep="0.002"', 'timestep=".01"').replace('density="20"', 'density="200"').replace("</worldbody>", more), 0, device)
    rng = np.random.default_rng(0)
    for mjd in pair.mjds:
        mujoco.mj_integratePos(pair.mjm, mjd.qpos, 0.5 * rng.standard_normal(pair.mjm.nv), 1.0)
        mjd.qpos[:] = mjd.qpos.astype(np.float32)
        mujoco.mj_normalizeQuat(pair.mjm, mjd.qpos)
        mjd.qvel[:] = (1.5 * rng.standard_normal(pair.mjm.nv)).astype(np.float32)
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.push(pair)
    return pair


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast", "discrete"])
def test_a_medium_with_wind(integrator, device):
    pair = in_a_medium(integrator, device)
    assert {0, 1} == {int(count > 1) for count in pair.mjm.dof_simplenum}
    check_adjoint(pair, *check(pair, 5e-6))


@pytest.mark.parametrize("integrator", ["implicit", "discrete"])
def test_rows_in_a_medium(integrator, device):
    """Whose weights the metric of discrete scales as it gives way, in a medium that is dense."""
    pair = pair_of(ROWS.format(integrator=integrator), 10, device)
    rng = np.random.default_rng(0)
    for mjd in pair.mjds:
        mjd.qvel[:] = (2.0 * rng.standard_normal(pair.mjm.nv)).astype(np.float32)
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.push(pair)
    assert all(mjd.efc_state[:5].sum() >= 4 for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 5e-6))


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast", "discrete"])
def test_masses_and_inertias_in_a_medium(integrator, device):
    """The medium sees a box that is made of them, also in the matrix of the integrator."""
    found = errors(vary(in_a_medium(integrator, device, "</worldbody>")), ["body_mass", "body_inertia", "dof_armature"])
    assert len(found) == 3 and max(found.values()) <= 1e-5


def test_masses_and_weights_of_rows_in_a_medium(device):
    pair = pair_of(ROWS.format(integrator="discrete"), 10, device)
    found = errors(vary(pair), ["body_mass", "body_inertia", "dof_armature"])
    assert len(found) == 3 and max(found.values()) <= 1e-5
    given = wp.ones((3, 2 * pair.mjm.nv), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match="fields: body_ipos: got boxes of inertia in a medium"):
        mjw.step_vjp(pair.m, pair.d, given, fields={"body_ipos": wp.zeros((3, pair.mjm.nbody), dtype=wp.vec3, device=device)})


def test_what_the_matrix_has_of_the_medium_counts(device, monkeypatch):
    """Its change is far above the tolerance of the test."""
    monkeypatch.setattr(linearize, "held_medium", lambda m, d, work: None)
    with pytest.raises(AssertionError, match="A, world 0"):
        check(in_a_medium("implicitfast", device), 1e-3)
