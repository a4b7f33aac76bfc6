"""Analytic derivatives of steps in the metric of integrator discrete, against MuJoCo's centred differences in float64."""

import pytest
from gradient_checks import check, check_adjoint
from gradient_models import BONDS, CONTACTS, EQUALITIES, pair_of
from paths import shared_model

from newtonish import mjw
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

CHAIN = """
<mujoco>
  <option timestep=".005" integrator="discrete"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" stiffness="2"/><joint name="s" type="slide" axis="1 .3 0" stiffness="30" damping="3"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" type="ball" damping=".05" stiffness=".7"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/>
        <body pos=".2 0 .1"><joint name="c" axis="1 0 1" armature=".1" frictionloss=".01"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body></body>
    <body pos="0 1 .5" gravcomp=".3"><joint type="free" stiffness="3" damping=".1"/><geom type="box" size=".1 .15 .2"/>
      <body pos=".2 0 .1"><joint name="d" axis="1 0 1" damping=".3"/><geom type="box" size=".04 .1 .06" pos=".1 .1 .02"/></body></body>
  </worldbody>
  <tendon><fixed name="t" stiffness="30" damping=".2"><joint joint="a" coef="1"/><joint joint="c" coef="-.5"/></fixed></tendon>
  <actuator>
    <general joint="a" dyntype="filter" dynprm=".05" gainprm="3"/>
    <position joint="c" kp="500" kv="4"/>
    <velocity joint="d" kv="2"/>
    <position tendon="t" kp="3"/>
    <motor joint="b" gear="1 2 3"/>
  </actuator>
</mujoco>
"""


def test_springs_dampers_tendons_and_servos(device):
    pair = pair_of(CHAIN, 20, device)
    check_adjoint(pair, *check(pair, 5e-6))


@pytest.mark.parametrize(("cone", "dim", "friction"), [("pyramidal", 1, "1"), ("pyramidal", 3, "1"), ("elliptic", 3, "1"), ("elliptic", 6, ".8 .1 .1")])
def test_contacts_whose_weights_change(cone, dim, friction, device):
    xml = CONTACTS.format(integrator="discrete", cone=cone, dim=dim, friction=friction)
    pair = pair_of(
        xml.replace('<joint axis="1', '<joint damping="3" stiffness="20" axis="1').replace("<freejoint/>", '<joint type="free" damping="3"/>'), 150, device
    )
    assert all(mjd.ncon >= 7 for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-4))


@pytest.mark.parametrize("solref", [".02 1", ".004 1", ".004 .3"])
def test_rows_of_joints_and_tendons(solref, device):
    """With springs that the step resolves and others, of limits, that it does not."""
    xml = EQUALITIES.replace("<option ", '<option integrator="discrete" ').replace('limited="true"', f'limited="true" solreflimit="{solref}"')
    xml = xml.replace("<fixed ", '<fixed damping=".1" ').replace(
        'solreflimit="' + solref + '"><joint joint="a"', 'solreflimit="' + solref + '"><joint joint="a"'
    )
    xml = xml.replace("<joint name", '<joint damping=".2" name')
    pair = pair_of(xml, 60, device)
    check_adjoint(pair, *check(pair, 2e-5))


def test_connects_and_welds(device):
    xml = (
        BONDS.replace("<option ", '<option integrator="discrete" ')
        .replace("<joint axis", '<joint damping="3" axis')
        .replace("<freejoint/>", '<joint type="free" damping=".5"/>')
    )
    pair = pair_of(xml, 20, device)
    assert all(mjd.nefc == 18 for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 1e-5))


@pytest.mark.parametrize("name", ["dm_humanoid/humanoid.xml", "gym_half_cheetah/half_cheetah.xml"])
def test_robots_in_contact(name, device):
    pair = pair_of(shared_model(name), 150, device)
    pair.m.opt.integrator = pair.mjm.opt.integrator = int(mjw.IntegratorType.DISCRETE)
    assert all(mjd.ncon for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-4))


def test_bodies_alone_on_free_joints(device):
    """Apart, with the derivative of gyroscopic forces; on the ground and held by an actuator, without."""
    xml = """<mujoco><option timestep=".005" integrator="discrete"/><worldbody><geom type="plane" size="3 3 .1"/>
      <body pos="0 0 1"><joint type="free" damping=".1" stiffness="2"/><geom type="box" size=".05 .15 .2" pos=".1 .2 .05"/></body>
      <body pos="0 1 .19"><freejoint/><geom type="capsule" size=".1 .2" euler="80 10 0"/></body>
      <body pos="0 2 1"><joint name="f" type="free"/><geom type="box" size=".05 .15 .2" pos=".1 .2 .05"/></body>
      <body pos="0 3 1"><joint axis="0 1 0" damping=".1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/></body></worldbody>
      <actuator><velocity joint="f" gear="1 2 3 .3 .2 .1" kv=".5"/></actuator></mujoco>"""
    pair = pair_of(xml, 40, device)
    assert all(mjd.ncon for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-5))


def test_what_has_no_derivative_is_refused_by_name(device):
    xml = """<mujoco><option integrator="discrete"/><worldbody><body name="a"><joint name="j" damping="1 2"/><geom size=".1"/></body>
      <body name="b" pos="1 0 0"><freejoint/><geom size=".1"/><site name="s"/></body><site name="t"/></worldbody>
      <tendon><spatial><site site="s"/><site site="t"/></spatial></tendon></mujoco>"""
    pair = pair_of(xml, 0, device)
    with pytest.raises(UnsupportedError) as caught:
        mjw.transition(pair.m, pair.d)
    for what in ("m.dof_dampingpoly, with discrete", "spatial tendons, with discrete"):
        assert what in str(caught.value)
