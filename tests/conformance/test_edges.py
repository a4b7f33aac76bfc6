"""Models at the edge of what a model can be: nothing in them, nothing that moves, very deep, very many coordinates.

Each runs every stage by itself and fused, in one world and in several on two threads, and is compared with MuJoCo.
"""

import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw

GROUND = '<geom type="plane" size="1 1 1"/>'
BALL = '<geom size=".1"/>'
JOINT = "<body pos='0 0 .3'><joint name='j' damping='.1'/><geom size='.1' pos='.3 0 0'/></body>"


def chain(count: int) -> str:
    """Bodies hanging from each other, hinged about two axes in turn; a longer one leaves float32 too few digits to compare."""
    links = (
        f'<body pos="0 0 -.1"><joint axis="{1 - i % 2} {i % 2} 0" damping=".01" armature=".05"/>'
        '<geom type="capsule" size=".02 .04" contype="0" conaffinity="0"/>'
        for i in range(count)
    )
    return "".join(links) + "</body>" * count


def trees(count: int) -> str:
    return "".join(
        f'<body pos="{0.15 * i} 0 .1"><freejoint/>{BALL}<body pos="0 0 .2"><joint type="ball"/><geom type="capsule" size=".05 .1"/></body></body>'
        for i in range(count)
    )


def condims() -> str:
    bodies = (f'<body pos="{0.3 * i} 0 .099"><freejoint/><geom size=".1" condim="{c}"/></body>' for i, c in enumerate((1, 3, 4, 6)))
    return '<geom type="plane" size="1 1 1" condim="1"/>' + "".join(bodies)


MODELS = {
    "nothing": "",
    "only a plane": GROUND,
    "static geoms": f'{GROUND}<geom size=".1" pos="0 0 .05"/><body><geom type="box" size=".1 .1 .1"/></body>',
    "sites": '<site name="a"/><body pos="0 0 1"><site name="b" pos="1 0 0" euler="30 20 10"/></body>',
    "no geoms": '<body><joint/><inertial pos="0 0 .1" mass="1" diaginertia="1 1 1"/></body>',
    "one free body": f"<body><freejoint/>{BALL}</body>",
    "a body without geoms": f'<body><joint/>{BALL}<body><site/><body pos="1 0 0"><joint type="slide"/>{BALL}</body></body></body>',
    "several trees": GROUND + trees(4),
    "mocap": f'<body mocap="true" pos="0 0 1">{BALL}<body pos="1 0 0">{BALL}</body></body><body pos="0 0 1.15"><freejoint/>{BALL}</body>',
    "only mocap": f'<body mocap="true" pos="0 0 1">{BALL}</body>',
    "every condim": condims(),
    "a limited ball": '<body euler="0 60 0"><joint type="ball" limited="true" range="0 30"/><geom size=".1" pos="0 0 1"/></body>',
    "a chain of 40": chain(40),
}
OPTIONS = {
    "a long step": '<option timestep="0.02"/>',
    "no actuation": '<option><flag actuation="disable"/></option>',
    "everything off": '<option><flag constraint="disable" gravity="disable" spring="disable" damper="disable" warmstart="disable"/></option>',
    "runge-kutta": '<option integrator="RK4"/>',
    "implicitfast": '<option integrator="implicitfast" cone="elliptic" impratio="10"/>',
}
STAGES = (
    "kinematics", "com_pos", "crb", "factor_m", "transmission", "tendon", "collision", "make_constraint", "com_vel", "passive",
    "rne", "fwd_actuation", "fwd_acceleration", "solve", "step1", "step2", "euler", "implicit",
)  # fmt: skip


def text(world: str, option: str = "") -> str:
    return f"<mujoco>{option}<worldbody>{world}</worldbody></mujoco>"


def driven(option: str) -> str:
    actuators = '<actuator><velocity joint="j" kv=".3"/><general joint="j" dyntype="filter" dynprm=".1"/></actuator>'
    return text(GROUND + JOINT, option).replace("</worldbody>", f"</worldbody>{actuators}")


XML = {name: text(world) for name, world in MODELS.items()} | {name: driven(option) for name, option in OPTIONS.items()}


@pytest.fixture(autouse=True)
def two_threads():
    mjw.set_num_threads(2)
    yield
    mjw.set_num_threads(None)


@pytest.mark.parametrize("nworld", [1, 17])
@pytest.mark.parametrize("name", XML)
def test_every_stage_and_a_few_steps(name, nworld, device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(XML[name]), nworld=nworld, device=device)
    oracle.forward(pair)
    oracle.compare_all(pair)
    for _ in range(5):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        for array in ("qpos", "qvel", "act", "time"):
            oracle.close(array, getattr(pair.d, array).numpy()[world], getattr(mjd, array), 2e-5, world)
    for stage in STAGES:
        getattr(mjw, stage)(pair.m, pair.d)
    mjw.get_data_into(mujoco.MjData(pair.mjm), pair.mjm, pair.d, nworld - 1)
    mjw.put_data(pair.mjm, pair.mjds[0], nworld=2, m=pair.m)
    mjw.reset_data(pair.m, pair.d)


@pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
@pytest.mark.parametrize("name", XML)
def test_our_importer_and_no_room_for_contacts(name, device):
    m, d = mjw.load(XML[name], nworld=3, nconmax=0, njmax=0, device=device)
    mjw.step(m, d)
    mjm = mujoco.MjModel.from_xml_string(XML[name])
    mjm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mjd = mujoco.MjData(mjm)
    mujoco.mj_step(mjm, mjd)
    oracle.close("qvel", d.qvel.numpy()[2], mjd.qvel, 2e-5, 2)
    assert d.nefc.numpy().max() == 0


def test_keyframes(device):
    """Values that a keyframe leaves out are the defaults; mocap poses and controls are among them."""
    key = '<keyframe><key qpos="1"/><key qpos="2" qvel="3" ctrl="4" time="5" mpos="1 2 3" mquat="0 1 0 0"/></keyframe>'
    xml = text('<body mocap="true"/>' + JOINT).replace("</mujoco>", f'<actuator><motor joint="j"/></actuator>{key}</mujoco>')
    mjm = mujoco.MjModel.from_xml_string(xml)
    compiled = mjw.put_model(mjm, device=device)
    for m, d in (mjw.load(xml, nworld=2, device=device), (compiled, mjw.make_data(compiled, 2))):
        for number in (1, 0):
            mjd = mujoco.MjData(mjm)
            mujoco.mj_resetDataKeyframe(mjm, mjd, number)
            mjw.reset_data_keyframe(m, d, number)
            for name in ("time", "qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
                ours, theirs = getattr(d, name).numpy()[1], np.asarray(getattr(mjd, name))
                np.testing.assert_allclose(ours.ravel(), theirs.ravel(), atol=1e-6, err_msg=name)


def test_forces_too_large_for_float32_end_the_iteration(device):
    """Bodies of very unequal stiffness deep in each other: what is left of the gradient is rounding, and is left alone."""
    spheres = '<body pos=".1 .1 .1"><joint type="ball" pos=".1 .1 .1"/><geom size="1"/></body>'
    spheres += '<body pos="-.1 -.1 -.1"><joint type="ball" pos=".1 .2 .3"/><geom size="1"/></body>'
    hinges = '<body><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/><geom size=".1"/></body>'
    slides = hinges.replace("<joint", '<joint type="slide"')
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(text(spheres + hinges + slides)), nworld=6, device=device)
    oracle.forward(pair)
    assert pair.d.ncon.numpy().min() >= 5
    assert pair.d.solver_niter.numpy().max() < 15
