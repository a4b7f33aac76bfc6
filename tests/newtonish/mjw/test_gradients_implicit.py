"""Analytic derivatives of implicit steps, whose matrix has derivatives of its own, against MuJoCo's centred differences in float64."""

import numpy as np
import oracle
import pytest
import warp as wp
from field_gradients import FIELDS, errors, host_field, vary
from gradient_checks import check, check_adjoint
from gradient_models import BONDS, CONTACTS, EQUALITIES, JOINTS, pair_of
from paths import shared_model

from newtonish import mjw
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
IMPLICIT = ["implicit", "implicitfast"]

SPINNING = """
<mujoco>
  <option timestep=".005" integrator="{integrator}"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1 .2 .1"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" type="ball" damping=".05 .02 .01"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/>
        <body pos=".2 0 .1"><joint name="c" axis="1 0 1"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body>
        <body pos=".1 .1 .1"><joint name="e" axis="1 0 1"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body></body>
    <body pos="0 1 .5"><joint name="f" type="free" damping=".1 .3 .1"/><geom type="box" size=".05 .15 .2" pos=".1 .2 .05"/></body>
    <body pos="0 2 .5"><joint name="g" type="free"/><geom type="box" size=".1 .15 .2" pos=".1 .05 .02"/>
      <body pos=".2 0 .1"><joint name="d" axis="1 0 1"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body>
    <body pos="0 3 .5"><freejoint/><geom type="box" size=".1 .15 .2"/></body>
  </worldbody>
  <tendon>
    <fixed name="t" damping=".2 .3 .2"><joint joint="a" coef="1"/><joint joint="c" coef="-.5"/><joint joint="d" coef="-.5"/></fixed>
    <fixed name="u" damping=".1 .2"><joint joint="c" coef="1"/><joint joint="e" coef="-.5"/></fixed>
  </tendon>
  <actuator>
    <general joint="c" gaintype="affine" gainprm="1 .3 -.5" dyntype="integrator" biastype="affine" biasprm="0 -1 -.2"/>
    <general joint="a" gaintype="affine" gainprm="1 .3 -.8" dyntype="filter" dynprm=".03" actearly="true"/>
    <general joint="d" gaintype="affine" gainprm="1 .3 -.4" ctrlrange="-2 2"/>
    <general tendon="t" gaintype="affine" gainprm="1 .3 -.4"/>
    <general tendon="u" gaintype="affine" gainprm="1 0 -.4"/>
    <general joint="f" gear="1 2 3 .3 .2 .1" gaintype="affine" gainprm="1 0 -.4"/>
    <velocity joint="b" gear="1 2 3" kv=".1"/>
  </actuator>
</mujoco>
"""


def with_integrator(xml: str, integrator: str) -> str:
    """The same model with another integrator."""
    return xml.replace("<option ", f'<option integrator="{integrator}" ')


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_bodies_that_spin_and_gains_and_dampers_that_follow_velocity(integrator, device):
    pair = pair_of(SPINNING.format(integrator=integrator), 20, device)
    check_adjoint(pair, *check(pair, 1e-5))


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_joints_springs_and_actuators(integrator, device):
    pair = pair_of(JOINTS.format(integrator=integrator), 20, device)
    check_adjoint(pair, *check(pair, 5e-6))


@pytest.mark.parametrize(("integrator", "cone"), [("implicit", "pyramidal"), ("implicit", "elliptic"), ("implicitfast", "elliptic")])
def test_contacts(integrator, cone, device):
    pair = pair_of(CONTACTS.format(integrator=integrator, cone=cone, dim=3, friction="1"), 150, device)
    assert all(mjd.ncon >= 7 for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-4))


@pytest.mark.parametrize("integrator", IMPLICIT)
@pytest.mark.parametrize(("xml", "steps"), [(EQUALITIES, 60), (BONDS, 20)])
def test_equalities_and_limits(integrator, xml, steps, device):
    pair = pair_of(with_integrator(xml, integrator), steps, device)
    check_adjoint(pair, *check(pair, 1e-4))


def test_a_robot_in_contact(device):
    pair = pair_of(shared_model("dm_humanoid/humanoid.xml"), 150, device)
    pair.m.opt.integrator = pair.mjm.opt.integrator = 2
    assert all(mjd.ncon for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-4))


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_fields_of_the_model(integrator, device):
    """All but frames of bodies, by which bias forces at the end of the step have no derivative, and which are refused by name."""
    pair = pair_of(SPINNING.format(integrator=integrator), 20, device)
    for mjd in pair.mjds:  # so that bias forces are felt
        mjd.qvel[:] = np.clip(8.0 * mjd.qvel, -9.0, 9.0).astype(np.float32)
    oracle.push(pair)
    refused = {"body_pos", "body_quat", "jnt_pos", "jnt_axis"}
    names = [name for name in FIELDS if host_field(pair.mjm, name).size and name not in refused]
    wrong = {name: error for name, error in errors(vary(pair), names).items() if not error <= 5e-5}
    assert not wrong
    given = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match=f"body_pos: got {integrator.upper()}, which takes bias forces"):
        mjw.step_vjp(pair.m, pair.d, given, fields={"body_pos": wp.zeros((3, pair.mjm.nbody), dtype=wp.vec3, device=device)})
