"""Models at rest in their start pose, or falling into a heap, fit into the default capacities; others pay nothing for it."""

import mujoco
import numpy as np
import pytest
from paths import shared_model

from newtonish import mjw
from newtonish.cli.models import model_path
from newtonish.common.frames import mat_from_quat
from newtonish.mjw.capacity import estimate
from newtonish.mjw.record import read_model
from newtonish.mjw.tables.poses import body_frames

CROWDED = {
    "replicate_scenes/stonehenge.xml": 30,
    "replicate_scenes/particle_free.xml": 200,
    "rubik_cube/cube_3x3x3.xml": 30,
    "sleep_dominos/dominos.xml": 30,
    "converter_tests/tests/data/joint_limits.xml": 3,
    "converter_tests/tests/data/joint_limits_no_autolimits.xml": 3,
    "boxes_75": 200,
}
GUIDED = ["dm_humanoid/humanoid.xml", "unitree_g1/scene.xml", "allegro_hand/right_hand.xml", "softfoot/softfoot.xml", "gym_ant/ant.xml"]


def read(name: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(shared_model(name) if name.endswith("xml") else model_path(name)))


@pytest.mark.parametrize("name", CROWDED)
def test_what_mujoco_finds_fits(name: str) -> None:
    """Contacts and rows over MuJoCo's first steps; no step of ours would warn and grow."""
    mjm = read(name)
    contacts, rows = estimate(mjw.put_model(mjm, device="cpu"), None, None)
    mjd = mujoco.MjData(mjm)
    for _step in range(CROWDED[name]):
        mujoco.mj_step(mjm, mjd)
        assert (mjd.ncon, mjd.nefc) <= (contacts, rows) and mjd.nefc <= rows
    assert contacts > max(16, 2 * mjm.ngeom)  # the plain rule would not do


@pytest.mark.parametrize("name", ["joint_limits", "joint_limits_no_autolimits"])
def test_boxes_in_each_other_fit_at_every_angle(name: str) -> None:
    """Their start pose is a symmetric one: MuJoCo finds 48 and 88 contacts there, and twice as many where anything has turned."""
    mjm = read(f"converter_tests/tests/data/{name}.xml")
    m = mjw.put_model(mjm, device="cpu")
    contacts, rows = estimate(m, None, None)
    mjd = mujoco.MjData(mjm)
    mjd.qpos[:] = 1e-4 * np.arange(1, mjm.nq + 1)
    mujoco.mj_forward(mjm, mjd)
    d = mjw.make_data(m, 2)
    d.qpos.assign(np.stack([mjd.qpos, mjm.qpos0]).astype(np.float32))
    mjw.forward(m, d)
    assert d.ncon.numpy().tolist() == [mjd.ncon, {"joint_limits": 48, "joint_limits_no_autolimits": 88}[name]]
    assert mjd.ncon <= contacts and mjd.nefc <= rows and not d.overflow.numpy().any()


@pytest.mark.parametrize("name", GUIDED)
def test_robots_keep_two_contacts_a_geom(name: str) -> None:
    m = mjw.put_model(read(name), device="cpu")
    assert m.likely_contacts <= max(16, 2 * m.ngeom)


def stacked(keyframe: str) -> str:
    """Twelve bricks on slides, apart at first; a keyframe brings them together."""
    bricks = "".join(
        f'<body pos="{0.5 * k} 0 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><geom type="box" size=".1 .1 .1"/></body>'
        for k in range(12)
    )
    return f"<mujoco><worldbody>{bricks}</worldbody>{keyframe}</mujoco>"


@pytest.mark.parametrize("source", ["MuJoCo", "our importer"])
def test_boxes_that_a_keyframe_brings_together_fit(source: str) -> None:
    """Four by three bricks that touch: 17 pairs side by side, 4 contacts each, beside what touches at edges."""
    together = " ".join(f"{0.2 * (k % 4) - 0.5 * k:g} {0.2 * (k // 4):g}" for k in range(12))
    apart, crowded = stacked(""), stacked(f'<keyframe><key/><key qpos="{together}"/></keyframe>')
    room = {}
    for name, xml in (("apart", apart), ("crowded", crowded)):
        mjm = mujoco.MjModel.from_xml_string(xml)
        room[name] = estimate(mjw.put_model(mjm, device="cpu") if source == "MuJoCo" else mjw.load(xml, device="cpu")[0], None, None)[0]
    mjd = mujoco.MjData(mjm)
    mujoco.mj_resetDataKeyframe(mjm, mjd, 1)
    mujoco.mj_forward(mjm, mjd)
    assert room["apart"] < mjd.ncon <= room["crowded"]


def test_poses_are_those_of_mujoco() -> None:
    """All kinds of joints, joints off the origin and at reference angles, mocap bodies."""
    rng = np.random.default_rng(0)
    mjm = mujoco.MjModel.from_xml_string("""<mujoco><worldbody>
        <body mocap="true" pos="1 2 3" quat="1 2 3 4"><geom size=".1"/></body>
        <body pos="0 0 1" quat="1 0 2 0"><freejoint/><geom size=".1"/>
          <body pos=".1 .2 .3" quat="3 1 0 0"><joint axis="1 2 3" pos=".1 .2 0" ref="20"/><joint type="slide" axis="0 1 1" ref=".3"/>
            <joint axis="0 1 0" pos="0 .2 .1"/><geom size=".1"/>
            <body pos="0 .3 0"><joint type="ball" pos=".1 0 .2"/><geom size=".1"/></body></body></body></worldbody></mujoco>""")
    qpos, places, turns = rng.standard_normal((4, mjm.nq)), rng.standard_normal((4, 1, 3)), rng.standard_normal((4, 1, 4))
    pos, quat = body_frames(read_model(mjm), qpos, places, turns)
    for pose in range(4):
        mjd = mujoco.MjData(mjm)
        mjd.qpos[:], mjd.mocap_pos[:], mjd.mocap_quat[:] = qpos[pose], places[pose], turns[pose]
        mujoco.mj_kinematics(mjm, mjd)
        np.testing.assert_allclose(pos[pose], mjd.xpos, atol=1e-12)
        np.testing.assert_allclose(mat_from_quat(quat[pose]).reshape(-1, 9), mjd.xmat, atol=1e-12)
