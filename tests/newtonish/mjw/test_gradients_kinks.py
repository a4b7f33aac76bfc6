"""Worlds on and off kinks of a step, beside MuJoCo's one-sided differences in float64."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from gradient_models import JOINTS, pair_of

from newtonish import mjw
from newtonish.mjw import Kink

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

BALL = '<worldbody><geom type="plane" size="1 1 .1" {margin}/><body pos="0 0 .1"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>'


def found(pair: oracle.Pair) -> list[Kink]:
    kinks = wp.full(pair.nworld, -1, dtype=wp.int32, device=pair.d.device)
    mjw.transition(pair.m, pair.d, kinks=kinks)
    return [Kink(int(bits)) for bits in kinks.numpy()]


def jump(pair: oracle.Pair, world: int, inputs: bool = False) -> float:
    """Difference of MuJoCo's left and right derivatives of the step, by the state or the controls, relative to them."""
    mjm, mjd = pair.mjm, pair.mjds[world]
    nx = 2 * mjm.nv + mjm.na
    sides = []
    for eps in (1e-6, -1e-6):
        A, B = np.zeros((nx, nx)), np.zeros((nx, mjm.nu))
        mujoco.mjd_transitionFD(mjm, mjd, eps, False, A, B if mjm.nu else None, None, None)
        sides.append(B if inputs else A)
    return float(np.linalg.norm(sides[0] - sides[1]) / max(1e-12, np.linalg.norm(sides[0])))


def worlds(body: str, device: str, option: str = "", **states: list[list[float]]) -> oracle.Pair:
    """Three worlds in the given states (qpos, qvel, ctrl, act)."""
    mjm = mujoco.MjModel.from_xml_string(f'<mujoco><option tolerance="1e-14" iterations="100" {option}/>{body}</mujoco>')
    pair = oracle.from_model(mjm, 3, device=device)
    for name in ("qpos", "qvel", "ctrl", "act"):
        rows = np.array(states.get(name, [np.zeros(getattr(pair.mjds[0], name).shape)] * 3), dtype=np.float32)
        if rows.size:
            getattr(pair.d, name).assign(rows)
        for mjd, row in zip(pair.mjds, rows, strict=True):
            getattr(mjd, name)[:] = row
            mujoco.mj_forward(mjm, mjd)
    return pair


@pytest.mark.parametrize("margin", ["", 'margin=".02"'])
def test_a_contact_begins(margin, device):
    """Also where it has not begun, so that it is not in the list."""
    at = 0.02 if margin else 0.0
    pair = worlds(BALL.format(margin=margin), device, qpos=[[at + 1e-7], [at - 1e-3], [at + 1e-3]], qvel=[[-1.0]] * 3)
    assert [bool(kink & Kink.CONTACT) for kink in found(pair)] == [True, False, False]
    assert pair.d.status.ncon.numpy().tolist() == [0, 1, 0]
    assert jump(pair, 0) > 0.1 > 1e-2 > jump(pair, 1)


def test_a_force_begins(device):
    """A ball in the ground leaves it with the speed at which its contact lets go."""
    speeds = (0.0, 1.0)
    for _ in range(60):  # where the force ends
        middle = 0.5 * (speeds[0] + speeds[1])
        pair = worlds(BALL.format(margin=""), device, qpos=[[-1e-3]] * 3, qvel=[[middle]] * 3)
        speeds = (middle, speeds[1]) if pair.mjds[0].efc_force[0] > 0.0 else (speeds[0], middle)
    pair = worlds(BALL.format(margin=""), device, qpos=[[-1e-3]] * 3, qvel=[[speeds[0]], [0.9 * speeds[0]], [1.1 * speeds[0]]])
    assert found(pair) == [Kink.RELEASE, Kink.NONE, Kink.NONE]
    assert jump(pair, 0) > 0.05 > 1e-2 > max(jump(pair, 1), jump(pair, 2))


LINK = """<worldbody><body><joint name="j" axis="0 1 0" {joint}/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5" contype="0" conaffinity="0"/></body></worldbody>{rest}"""


def test_a_limit_begins(device):
    pair = worlds(LINK.format(joint='range="-30 60" margin=".01"', rest=""), device, 'gravity="0 0 0"', qpos=[[np.radians(60.0) - 0.01], [1.0], [-0.4]])
    pair.d.qvel.fill_(2.0)
    for mjd in pair.mjds:
        mjd.qvel[:] = 2.0
    assert [bool(kink & Kink.LIMIT) for kink in found(pair)] == [True, False, False]
    assert jump(pair, 0) > 0.1 > 1e-2 > jump(pair, 1)


def test_dry_friction_reaches_its_bound(device):
    torque = '<actuator><motor joint="j"/></actuator>'
    body = LINK.format(joint='frictionloss=".5"', rest=torque)
    pushes = [0.0, 2.0]
    for _ in range(60):  # of the joint at rest: where friction is at its bound
        middle = 0.5 * (pushes[0] + pushes[1])
        pair = worlds(body, device, 'gravity="0 0 0"', qpos=[[0.0]] * 3, ctrl=[[middle]] * 3)
        held = abs(pair.mjds[0].efc_force[0]) < 0.5 - 1e-12
        pushes = [middle, pushes[1]] if held else [pushes[0], middle]
    pair = worlds(body, device, 'gravity="0 0 0"', qpos=[[0.0]] * 3, ctrl=[[pushes[0]], [0.99 * pushes[0]], [1.01 * pushes[0]]])
    assert found(pair) == [Kink.FRICTIONLOSS, Kink.NONE, Kink.NONE]
    assert jump(pair, 0, inputs=True) > 0.1 > 1e-2 > max(jump(pair, k, inputs=True) for k in (1, 2))


def test_friction_slips(device):
    """A sledge that is pushed as hard as an elliptic cone holds it."""
    body = """<worldbody><geom type="plane" size="9 9 .1"/><body pos="0 0 .1"><joint type="slide" axis="0 0 1"/><joint name="j" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody>
      <actuator><motor joint="j"/></actuator>"""
    cone = 'cone="elliptic"'
    pushes = [0.0, 30.0]
    for _ in range(60):
        middle = 0.5 * (pushes[0] + pushes[1])
        pair = worlds(body, device, cone, qpos=[[-1e-3, 0.0]] * 3, ctrl=[[middle]] * 3)
        held = pair.mjds[0].efc_state[0] == mujoco.mjtConstraintState.mjCNSTRSTATE_QUADRATIC
        pushes = [middle, pushes[1]] if held else [pushes[0], middle]
    pair = worlds(body, device, cone, qpos=[[-1e-3, 0.0]] * 3, ctrl=[[pushes[0]], [0.98 * pushes[0]], [1.02 * pushes[0]]])
    assert found(pair) == [Kink.SLIP, Kink.NONE, Kink.NONE]


@pytest.mark.parametrize(
    ("actuator", "name", "values"),
    [
        ('<motor joint="j" ctrlrange="-1 1"/>', "ctrl", [[1.0], [0.9], [1.1]]),
        ('<motor joint="j" gear="1" forcerange="-2 .5"/>', "ctrl", [[0.5], [0.4], [0.6]]),
        ('<general joint="j" dyntype="integrator" actlimited="true" actrange="-1 1"/>', "act", [[1.0], [0.9], [1.1]]),
    ],
)
def test_actuators_reach_a_range(actuator, name, values, device):
    pair = worlds(LINK.format(joint="", rest=f"<actuator>{actuator}</actuator>"), device, qpos=[[0.3]] * 3, **{name: values})
    assert found(pair) == [Kink.RANGE, Kink.NONE, Kink.NONE]
    if "forcerange" in actuator:  # MuJoCo perturbs controls into their range
        assert jump(pair, 0, inputs=True) > 0.1 > 1e-2 > jump(pair, 1, inputs=True)


def test_joints_reach_the_range_of_their_actuators(device):
    rest = '<actuator><motor joint="j"/><motor joint="j" gear="2"/></actuator>'
    joint = 'actuatorfrcrange="-1 1"'
    pair = worlds(LINK.format(joint=joint, rest=rest), device, qpos=[[0.3]] * 3, ctrl=[[0.5, 0.25], [0.5, 0.2], [0.5, 0.3]])
    assert found(pair) == [Kink.RANGE, Kink.NONE, Kink.NONE]


def test_a_tendon_comes_to_rest(device):
    rest = '<tendon><fixed stiffness="5" springlength=".1 .3"><joint joint="j" coef="1"/></fixed></tendon>'
    pair = worlds(LINK.format(joint="", rest=rest), device, qpos=[[0.3], [0.25], [0.35]])
    assert found(pair) == [Kink.SPRING, Kink.NONE, Kink.NONE]
    assert jump(pair, 0) > 1e-5 > 1e-6 > jump(pair, 1)


SLIDING = """<worldbody><geom type="box" size=".2 .2 .1" pos="0 0 -.1"/>
  <body pos="0 0 .1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom {shape}/></body></worldbody>"""


def test_a_ball_passes_from_a_face_to_its_edge(device):
    pair = worlds(SLIDING.format(shape='size=".1"'), device, qpos=[[0.2, -2e-3, 0.0], [0.15, -2e-3, 0.0], [0.21, -2e-3, 0.0]])
    assert found(pair) == [Kink.FEATURE, Kink.NONE, Kink.NONE]


def test_a_line_lies_along_a_heightfield(device):
    """Its contact may be anywhere between its ends; without a force that is a kink, with one it would be refused."""
    flat = '<asset><hfield name="flat" nrow="2" ncol="2" size=".4 .4 .1 .1" elevation="0 0 0 0"/></asset>'
    scene = SLIDING.replace('<geom type="box" size=".2 .2 .1" pos="0 0 -.1"/>', '<geom type="hfield" hfield="flat"/>')
    shape = 'type="capsule" size=".1 .05" euler="0 90 0"'
    pair = worlds(flat + scene.format(shape=shape), device, qpos=[[0.1, -2e-3, 0.0], [0.1, -2e-3, 0.1], [0.1, -2e-3, -0.1]], qvel=[[0.0, 5.0, 0.0]] * 3)
    assert all(mjd.ncon for mjd in pair.mjds)
    assert not any(mjd.efc_force.any() for mjd in pair.mjds)
    assert found(pair) == [Kink.FEATURE, Kink.NONE, Kink.NONE]


def test_a_cylinder_stands_upright_or_leans(device):
    scene = SLIDING.replace('<geom type="box" size=".2 .2 .1" pos="0 0 -.1"/>', '<geom type="plane" size="1 1 .1"/>')
    shape = 'type="cylinder" size=".05 .1"'
    pair = worlds(scene.format(shape=shape), device, qpos=[[0.0, -2e-3, 0.0], [0.0, -2e-3, 0.1], [0.0, -2e-3, 0.2]])
    assert [bool(kink & Kink.FEATURE) for kink in found(pair)] == [True, False, False]


def test_smooth_worlds_have_none_and_data_are_those_of_forward(device):
    pair = pair_of(JOINTS.format(integrator="implicitfast"), 20, device)
    before = pair.d.qacc_warmstart.numpy().copy()
    assert found(pair) == [Kink.NONE] * 3
    np.testing.assert_array_equal(pair.d.qacc_warmstart.numpy(), before)
    bar = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    kinks = wp.full(3, -1, dtype=wp.int32, device=device)
    mjw.step_vjp(pair.m, pair.d, bar, kinks=kinks)
    assert not kinks.numpy().any()
