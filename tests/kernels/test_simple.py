"""Models of joints, motors and round geoms get simple kernels, with the same results to the bit as the general ones."""

import numpy as np
import pytest
from plans import launched

from newtonish import mjw
from newtonish.common.enums import DisableBit
from newtonish.kernels.structs.container import Simple

ARM = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.25"><freejoint/><geom type="capsule" size="0.08" fromto="-0.2 0 0 0.2 0 0"/>
      <body pos="0.2 0 0"><joint name="knee" axis="0 1 0" range="-60 20" limited="true" damping="0.3" stiffness="2" frictionloss="0.1"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 -0.1"/>
        <body pos="0.3 0 -0.1"><joint name="slide" type="slide" axis="1 0 0" range="-0.1 0.1" limited="true"/>
          <geom type="sphere" size="0.07"/></body></body>
      <body pos="-0.2 0 0"><joint name="ball" type="ball" range="0 50" limited="true"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 -0.3 0 0"/></body></body>
    <body pos="0.1 0.03 0.44"><freejoint/><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <actuator>
    <motor joint="knee" gear="20" ctrlrange="-1 1" ctrllimited="true" forcerange="-9 9" forcelimited="true"/>
    <position joint="slide" kp="50" kv="2"/>
    %s
  </actuator>
</mujoco>
"""
FIXED = """<tendon><fixed name="t" stiffness="5" damping="0.4" armature="0.02" range="-0.3 0.1" limited="true">
    <joint joint="knee" coef="1"/><joint joint="slide" coef="-2"/></fixed></tendon></mujoco>"""
ALL = Simple(position=True, smooth=True, collision=True, constraint=True)


def simulate(simple: bool, cone: int, tendon: bool) -> dict[str, np.ndarray]:
    text = ARM % ""
    m, d = mjw.load(text.replace("</mujoco>", FIXED) if tendon else text, 3)
    assert m.simple == ALL._replace(constraint=not tendon)
    if not simple:
        m.simple = Simple()
        m.touch()
    m.opt.cone = cone
    rng = np.random.default_rng(5)
    d.qvel.assign(rng.normal(size=d.qvel.shape).astype(np.float32) * np.array([[0.1], [1.0], [3.0]], dtype=np.float32))
    most = np.zeros((2, 3), dtype=int)
    for _ in range(60):
        d.ctrl.assign(rng.normal(size=d.ctrl.shape).astype(np.float32))
        mjw.step(m, d)
        most = np.maximum(most, [d.ncon.numpy(), d.nefc.numpy()])
    assert most[0].min() > 1 and most[1].min() > 5
    names = ("qpos", "qvel", "qacc", "actuator_force", "actuator_length", "qfrc_passive", "M", "ncon", "nefc")
    return {name: getattr(d, name).numpy() for name in names}


@pytest.mark.parametrize("tendon", [False, True])
@pytest.mark.parametrize("cone", [0, 1])
def test_simple_kernels_repeat_the_general_ones_to_the_bit(cone, tendon):
    simple, general = simulate(True, cone, tendon), simulate(False, cone, tendon)
    for name, value in simple.items():
        np.testing.assert_array_equal(value, general[name], err_msg=name)


@pytest.mark.parametrize(
    "actuator",
    [
        '<muscle joint="knee" lengthrange="-1 1"/>',
        '<intvelocity joint="slide" kp="3" actrange="-1 1"/>',
        '<position joint="ball" gear="0 0 1 0 0 0" kp="3"/>',
        '<motor joint="ball" gear="0 0 1 0 0 0"/>',
        '<damper joint="knee" kv="1" ctrlrange="0 1"/>',
        '<motor jointinparent="ball" gear="0 0 1 0 0 0"/>',
    ],
)
def test_other_actuators_take_the_general_kernel(actuator):
    m, _ = mjw.load(ARM % actuator, 1)
    assert m.simple == ALL._replace(smooth=False)


BALL = '<body pos="0.1 0.03 0.44"><freejoint/><geom type="sphere" size="0.1"/></body>'
WHEEL = '<body pos="0 2 1"><joint name="wheel" damping="0.2"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0.3 0"/></body>'
SERVO = '<velocity joint="wheel" kv="3" gear="2" forcerange="-3 3" forcelimited="true"/>'


def implicit_model(actuators: str) -> str:
    """Without the ball: implicit integrators solve bodies that are free by themselves apart."""
    return (ARM % actuators).replace(BALL, WHEEL).replace("<option", '<option integrator="implicitfast"')


def swing(simple: bool) -> dict[str, np.ndarray]:
    m, d = mjw.load(implicit_model(SERVO), 3)
    assert m.simple == ALL._replace(implicitfast=True)
    if not simple:
        m.simple = m.simple._replace(implicitfast=False)
        m.touch()
    assert ("fused.implicitfast_joints" in launched(m, d)) == simple
    rng = np.random.default_rng(6)
    d.qvel.assign(rng.normal(size=d.qvel.shape).astype(np.float32) * np.array([[0.1], [1.0], [3.0]], dtype=np.float32))
    slopes = []
    for _ in range(60):
        d.ctrl.assign(rng.normal(size=d.ctrl.shape).astype(np.float32))
        mjw.step(m, d)
        slopes.append(d.qDeriv.numpy().copy())
    # a servo has a slope, but none while it is at the limit of its force
    servo = np.array(slopes)[..., -1]
    assert (servo > -1.0).any() and (servo < -10.0).any()
    return {name: getattr(d, name).numpy() for name in ("qpos", "qvel", "qacc", "actuator_force", "qDeriv")}


def test_implicit_motors_repeat_the_general_kernel_to_the_bit():
    simple, general = swing(True), swing(False)
    for name, value in simple.items():
        np.testing.assert_array_equal(value, general[name], err_msg=name)


@pytest.mark.parametrize(
    "second",
    ['<motor joint="wheel"/>', '<velocity joint="ball" kv="1"/>', '<damper joint="knee" kv="1" ctrlrange="0 1"/>'],
)
def test_motors_that_share_a_joint_take_the_general_implicit_kernel(second):
    m, _ = mjw.load(implicit_model(SERVO + second), 1)
    assert not m.simple.implicitfast


def test_tendons_boxes_and_many_geoms_take_the_general_kernels():
    spatial = '<spatial><site site="a"/><site site="b"/></spatial>'
    sites = '<worldbody><site name="a"/><site name="b" pos="1 0 0"/>'
    m, _ = mjw.load((ARM % "").replace("</mujoco>", f"<tendon>{spatial}</tendon></mujoco>").replace("<worldbody>", sites), 1)
    assert m.simple == Simple(collision=True)
    pulled = (ARM % '<motor tendon="t"/>').replace("</mujoco>", FIXED)
    m, _ = mjw.load(pulled, 1)
    assert m.simple == Simple(collision=True)
    m, _ = mjw.load((ARM % "").replace('type="sphere" size="0.1"', 'type="box" size="0.1 0.1 0.1"'), 1)
    assert m.simple == ALL._replace(collision=False)


def test_replacing_the_structure_takes_the_general_kernels():
    m, d = mjw.load(ARM % "", 1)
    assert "fused.position_joints" in launched(m, d) and "fused.position" not in launched(m, d)
    m.actuator_gaintype = m.actuator_gaintype.numpy()
    assert "fused.position_joints" not in launched(m, d) and "fused.position" in launched(m, d)


TOUCHING = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .09"><freejoint/><geom type="sphere" size=".1"/></body>
  </worldbody>
</mujoco>
"""


def test_without_contacts_their_kernels_are_not_needed():
    """The flag may be set and cleared at any time; contacts of before are gone then, and come back."""
    m, d = mjw.load(TOUCHING, nworld=3)
    mjw.forward(m, d)
    assert (d.ncon.numpy() == 1).all() and any("collision" in name for name in launched(m, d))
    m.opt.disableflags = int(m.opt.disableflags) | int(DisableBit.CONTACT)
    assert not any("collision" in name for name in launched(m, d))
    for function in (mjw.forward, mjw.collision):
        d.ncon.fill_(1)
        function(m, d)
        assert (d.ncon.numpy() == 0).all()
    assert (d.nefc.numpy() == 0).all()
    m.opt.disableflags = int(m.opt.disableflags) & ~int(DisableBit.CONTACT)
    mjw.forward(m, d)
    assert (d.ncon.numpy() == 1).all()


def test_a_model_whose_geoms_cannot_touch_needs_no_collision():
    m, d = mjw.load(TOUCHING.replace('type="sphere"', 'type="sphere" contype="0" conaffinity="0"'), nworld=2)
    mjw.step(m, d)
    assert (d.ncon.numpy() == 0).all() and not any("collision" in name for name in launched(m, d))
