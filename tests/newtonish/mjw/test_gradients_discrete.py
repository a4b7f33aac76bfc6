"""Analytic derivatives of steps in the metric of integrator discrete, against MuJoCo's centred differences in float64."""

import pytest
from gradient_checks import check, check_adjoint
from gradient_models import CONTACTS, EQUALITIES, pair_of
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


@pytest.mark.parametrize("name", ["dm_humanoid/humanoid.xml", "gym_half_cheetah/half_cheetah.xml"])
def test_robots_in_contact(name, device):
    pair = pair_of(shared_model(name), 150, device)
    pair.m.opt.integrator = pair.mjm.opt.integrator = int(mjw.IntegratorType.DISCRETE)
    assert all(mjd.ncon for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-4))


def test_what_has_no_derivative_is_refused_by_name(device):
    xml = """<mujoco><option integrator="discrete"/><worldbody><body name="a"><joint name="j" damping="1 2"/><geom size=".1"/></body>
      <body name="b" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody><equality><connect body1="a" body2="b" anchor="0 0 0"/></equality></mujoco>"""
    pair = pair_of(xml, 0, device)
    with pytest.raises(UnsupportedError) as caught:
        mjw.transition(pair.m, pair.d)
    for what in ("m.dof_dampingpoly, with discrete", "connect and weld equalities, with discrete", "bodies alone on a free joint, with discrete"):
        assert what in str(caught.value)
