"""Analytic derivatives of steps in the metric of integrator discrete, against MuJoCo's centred differences in float64."""

import re

import mujoco
import pytest
from gradient_checks import check, check_adjoint
from gradient_models import BONDS, CONTACTS, EQUALITIES, pair_of
from gradient_models_forces import ARM, LAWS, ROWS, SHARED, STRINGS, TRANSMISSIONS
from paths import REPO, shared_model

from newtonish import mjw

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

HELD = (
    re.sub(r'(<spatial name="(rough|tight|held)")', r'\1 stiffness="300 50 20" damping="8 3 1" armature="3"', ROWS)
    .replace("<option ", '<option integrator="discrete" ')
    .replace('<fixed name="first"', '<fixed name="first" damping="3 1 1"')
    .replace(
        "</mujoco>",
        """<actuator>
    <muscle tendon="slack" lengthrange=".8 1.8" force="200" tausmooth=".3"/><muscle joint="d" lengthrange="-1 1" force="50"/>
    <general joint="a" gaintype="affine" gainprm="2 -30 -8" ctrlrange=".1 1"/><general tendon="rough" gear="2" gaintype="affine" gainprm="2 -9 -8" ctrlrange=".1 1"/>
    <general joint="c" gaintype="affine" gainprm="1 -3 -2" dyntype="filter" dynprm=".05" actearly="true" ctrlrange=".1 1"/>
  </actuator></mujoco>""",
    )
)
"""Rows of spatial tendons and others in a metric that changes with everything but contacts."""

STIFF = (
    '<mujoco><option timestep=".005" integrator="discrete"/>'
    + ARM
    + """
  <tendon><spatial name="cord"><site site="ground"/><site site="u"/><site site="h"/></spatial></tendon>
  <actuator>
    <dcmotor site="h" refsite="u" motorconst=".5 .6" resistance="2" cogging="20 3 .5" gear="1 2 3 .1 .2 .3"/>
    <dcmotor site="m" refsite="ground" motorconst=".5 .6" resistance="2" cogging="3 3 .5" gear="0 0 0 1 2 3"/>
    <muscle cranksite="h" slidersite="u" cranklength=".6" lengthrange=".1 1" force="100"/>
    <dcmotor joint="b" motorconst=".5 .6" resistance="2" cogging="4 3 .5" gear="1 2 3"/>
    <muscle tendon="cord" gear="2" lengthrange=".6 4" force="200" tausmooth=".3"/>
    <dcmotor tendon="cord" gear=".7" motorconst=".5 .6" resistance="2" cogging="20 3 .5"/>
    <orientation joint="b" kp="60" kv="3"/>
    <orientation site="h" refsite="ground" kp="30" kv="2"/>
    <dcmotor joint="c" motorconst="2 3" resistance="2" input="pos" controller="200 .3 8 20 .4" thermal="2 30 0 0.04 25 20"/>
  </actuator>
</mujoco>
"""
)
"""Actuators whose stiffness is much, and changes, along moments that turn."""

ON_BODIES = """
    <general name="stick" body="box" ctrlrange="0 1" gainprm="8" biastype="affine" biasprm="0 -4000 -90"/>
    <general name="stick2" body="box" gaintype="muscle" biastype="muscle" dyntype="muscle" dynprm=".01 .04" lengthrange="-1 1"
      gainprm=".75 1.05 500 200 .5 1.6 1.5 1.3 1.2" biasprm=".75 1.05 500 200 .5 1.6 1.5 1.3 1.2"/>"""


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


def test_springs_and_dampers_of_higher_degree(device):
    """Of joints of all types, and of tendons."""
    xml = CHAIN
    for before, after in (
        ('damping=".1" stiffness="2"', 'damping=".1 .4 .3" stiffness="2 3 4"'),
        ('stiffness="30" damping="3"', 'stiffness="30 20 10" damping="3 2 1"'),
        ('damping=".05" stiffness=".7"', 'damping=".05 .1 .1" stiffness=".7 5 3"'),
        ('stiffness="3" damping=".1"', 'stiffness="3 2 1" damping=".1 .1 .1"'),
        ('stiffness="30" damping=".2"', 'stiffness="30 20 10" damping=".2 2 1"'),
    ):
        assert before in xml
        xml = xml.replace(before, after)
    pair = pair_of(xml, 20, device)
    check_adjoint(pair, *check(pair, 1e-6))


@pytest.mark.parametrize("xml", [TRANSMISSIONS, STRINGS, SHARED.replace('forcerange="-.1 .1"', ""), STIFF], ids=["outputs", "strings", "shared", "stiff"])
def test_moments_that_turn_muscles_and_gains_that_follow_motion(xml, device):
    pair = pair_of(xml.format(integrator="discrete"), 20, device)
    check_adjoint(pair, *check(pair, 2e-6))


def test_laws_of_their_own(device):
    """Cogging stiffens a motor by its angle, and what its current does, its temperature."""
    xml = LAWS.format(integrator="discrete", warm='thermal="2 30 0 0.004 25 20"', limited="").replace('cogging="0.2 3 0.5"', 'cogging="20 3 0.5"')
    pair = pair_of(xml, 10, device)
    check_adjoint(pair, *check(pair, 2e-6))
    pair.mjm.opt.disableflags = pair.m.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_ACTUATION
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    check(pair, 2e-6)


def test_rows_whose_weights_follow_springs_and_muscles(device):
    pair = pair_of(HELD, 20, device)
    assert {int(state) for mjd in pair.mjds for state in mjd.efc_state} >= {1, 2}
    check_adjoint(pair, *check(pair, 5e-6))


def test_actuators_of_every_kind(device):
    """Those that act on bodies too, along the normals of their contacts, and stiffen them."""
    xml = (REPO / "tests" / "models" / "actuator_zoo.xml").read_text().replace("implicitfast", "discrete")
    xml = re.sub(r"(\n *<adhesion [^>]*>){2}", ON_BODIES, xml)
    pair = pair_of(xml, 30, device)
    assert all(mjd.ncon and mjd.actuator_force[1] for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 5e-6))


@pytest.mark.parametrize("name", ["plastic", "delays"])
def test_steps_that_remember(name, device):
    xml = (REPO / "tests" / "models" / f"{name}.xml").read_text()
    check(pair_of(re.sub("<option ", '<option integrator="discrete" ', re.sub('integrator="[^"]*"', "", xml)), 30, device), 5e-6)


@pytest.mark.parametrize("name", ["myofinger/myo_sim/finger/myofinger_v0.xml", "small_mechanisms/slider_crank/slider_crank.xml"])
def test_robots_with_tendons_and_cranks(name, device):
    pair = pair_of(shared_model(name), 40, device)
    pair.m.opt.integrator = pair.mjm.opt.integrator = int(mjw.IntegratorType.DISCRETE)
    check_adjoint(pair, *check(pair, 1e-5))
