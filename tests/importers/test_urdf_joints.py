"""URDF joints: each type, limits, dynamics, mimic, and poses, against MuJoCo's reading of the same text."""

import warnings

import mujoco
import numpy as np
import pytest
from urdf_rigs import add, joint, link, robot

import newtonish as nt
from newtonish import mjw
from newtonish.errors import ImporterError
from newtonish.mjw.from_file import read_compiled
from newtonish.model.enums import JointType

ORIGIN = '<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.3 0.7"/>'
REST = ORIGIN + '<axis xyz="0 3 4"/><limit lower="-1.5" upper="0.5" effort="7" velocity="3"/><dynamics damping="0.2" friction="0.1"/>'


def pair(kind: str, inside: str = REST) -> str:
    return robot(link("base"), link("tip"), joint("j", "base", "tip", kind, inside))


def theirs(text: str) -> mujoco.MjModel:
    """MuJoCo's reading; it takes free joints only on top, where links that cannot move have been fused with the world."""
    fuse = "true" if "floating" in text else "false"
    return mujoco.MjModel.from_xml_string(text.replace("</robot>", f'<mujoco><compiler fusestatic="{fuse}"/></mujoco></robot>'))


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "planar", "floating", "fixed"])
def test_types_equal_mujocos(kind: str, device: str) -> None:
    """Joint arrays, and the accelerations of two unequal worlds."""
    text = pair(kind)
    model = theirs(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m, d = mjw.load(text, nworld=2, device=device)
        compiled = read_compiled(text)[0]
    assert (m.nq, m.nv, m.njnt) == (model.nq, model.nv, model.njnt)
    np.testing.assert_array_equal(m.jnt_type.numpy(), model.jnt_type)
    if kind != "floating":
        np.testing.assert_allclose(m.jnt_axis.numpy().reshape(-1, 3), model.jnt_axis, atol=1e-6)
    if kind in ("revolute", "continuous", "prismatic"):
        np.testing.assert_allclose(m.jnt_actfrcrange.numpy()[0], model.jnt_actfrcrange, atol=1e-6)
        np.testing.assert_array_equal(compiled.jnt_limited, model.jnt_limited)
        if kind != "continuous":
            np.testing.assert_allclose(m.jnt_range.numpy()[0], model.jnt_range, atol=1e-6)
    rng = np.random.default_rng(5)
    data = mujoco.MjData(model)
    qpos = np.tile(model.qpos0, (2, 1)) + 0.2 * rng.standard_normal((2, m.nq))
    if kind == "floating":
        qpos[:, 3:] /= np.linalg.norm(qpos[:, 3:], axis=1, keepdims=True)
    qvel = 0.3 * rng.standard_normal((2, m.nv))
    d.qpos.assign(qpos.astype(np.float32))
    d.qvel.assign(qvel.astype(np.float32))
    mjw.forward(m, d)
    for world in range(2):
        data.qpos[:], data.qvel[:] = qpos[world], qvel[world]
        mujoco.mj_forward(model, data)
        for name in ("xpos", "xquat", "qfrc_bias", "qfrc_passive", "qacc_smooth"):
            wanted = getattr(data, name)
            ours = getattr(d, name).numpy()[world][-len(wanted) :] if len(wanted) else wanted
            if name == "xquat":
                ours, wanted = (np.abs(np.einsum("ni,ni->n", q, data.xquat))[1:] for q in (ours, wanted))
            if name == "xpos":
                ours, wanted = ours[1:], wanted[1:]
            np.testing.assert_allclose(ours, wanted, atol=5e-5 * max(1.0, np.abs(wanted).max(initial=0.0)), err_msg=name)


def test_planar_limits_hold_for_both_slides_and_not_for_the_turn() -> None:
    builder = add(pair("planar"))
    assert builder.joint_type[1] == JointType.D6 and tuple(builder.joint_dof_dim[1]) == (2, 1)
    np.testing.assert_allclose(builder.joint_limit_upper[:2], 0.5)
    assert builder.joint_limit_upper[2] >= 1e10
    axes = np.array(builder.joint_axis)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes[2], [0.0, 0.6, 0.8])
    upright = np.array(add(pair("planar", '<axis xyz="0 -1 0"/>')).joint_axis)
    np.testing.assert_allclose(np.cross(upright[0], upright[1]), upright[2], atol=1e-12)


@pytest.mark.parametrize("inside, span", [
    ("", None), ('<limit effort="1" velocity="1"/>', None), ('<limit lower="0" upper="0"/>', None),
    ('<limit lower="-0.4"/>', (-0.4, 0.0)), ('<limit upper="0.4"/>', (0.0, 0.4)), ('<limit lower="0.1" upper="0.1"/>', (0.1, 0.1)),
])  # fmt: skip
def test_limits_equal_mujocos(inside: str, span) -> None:
    text = pair("revolute", inside)
    builder, model = add(text), theirs(text)
    found = (builder.joint_limit_lower[0], builder.joint_limit_upper[0])
    if span is None:
        assert found == (-1e10, 1e10) and not model.jnt_limited[0]
    else:
        assert found == pytest.approx(span)
        if span[0] < span[1]:
            assert model.jnt_range[0] == pytest.approx(span)


def test_limits_of_a_continuous_joint_are_warned_of() -> None:
    builder = nt.ModelBuilder()
    with pytest.warns(nt.NewtonishWarning, match=r"<string>:\d+:\d+: joint 'j', lower and upper: have no effect on a continuous joint"):
        builder.add_urdf(pair("continuous"))
    assert builder.joint_limit_upper[0] == 1e10


def test_defaults_come_from_the_builder() -> None:
    builder = nt.ModelBuilder()
    builder.default_joint_cfg.target_ke, builder.default_joint_cfg.armature = 50.0, 0.3
    builder.default_joint_cfg.effort_limit, builder.default_joint_cfg.friction = 9.0, 0.7
    add(pair("revolute", ""), builder)
    assert (builder.joint_target_ke[0], builder.joint_armature[0], builder.joint_effort_limit[0], builder.joint_friction[0]) == (50.0, 0.3, 9.0, 0.7)
    np.testing.assert_allclose(builder.joint_axis[0], [1, 0, 0])


def test_damping_as_a_drive() -> None:
    builder = add(pair("revolute"), joint_damping_mode="drive", force_position_velocity_actuation=True)
    assert builder.joint_target_kd[0] == 0.2 and builder.joint_damping[0] == 0.0
    assert builder.joint_target_mode[0] == nt.JointTargetMode.POSITION_VELOCITY
    assert add(pair("revolute")).joint_target_mode[0] == nt.JointTargetMode.POSITION


def three(*mimics: str, kind: str = "revolute") -> str:
    links = [link(name) for name in ("base", "a", "b", "c")]
    return robot(*links, *(joint(f"j{name}", "base", name, kind, inside) for name, inside in zip("abc", mimics)))


def test_mimic_chains_end_at_one_joint_and_hold(device: str) -> None:
    text = three("", '<mimic joint="ja" multiplier="2" offset="0.1"/>', '<mimic joint="jb" multiplier="-1" offset="0.3"/>')
    builder = add(text)
    assert list(builder.joint_mimic_joint[1:]) == [-1, 1, 1]
    np.testing.assert_allclose(builder.joint_mimic_coeffs[2], [0.1, 2.0])
    np.testing.assert_allclose(builder.joint_mimic_coeffs[3], [0.2, -2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m, d = mjw.load(text, nworld=2, device=device)
    d.qpos.assign(np.array([[0.1, 0.3, 0.0], [-0.1, -0.1, 0.4]], dtype=np.float32))
    d.qvel.assign(np.array([[0.5, 0.0, 0.0], [-0.5, 0.2, 0.0]], dtype=np.float32))
    for _ in range(500):
        mjw.step(m, d)
    a, b, c = d.qpos.numpy().T
    np.testing.assert_allclose(b, 0.1 + 2.0 * a, atol=0.02)
    np.testing.assert_allclose(c, 0.2 - 2.0 * a, atol=0.02)


def test_mimic_of_scaled_lengths() -> None:
    links = [link(name) for name in ("base", "a", "b")]
    text = robot(*links, joint("ja", "base", "a", "prismatic"), joint("jb", "a", "b", "revolute", '<mimic joint="ja" multiplier="3" offset="0.5"/>'))
    np.testing.assert_allclose(add(text, scale=2.0).joint_mimic_coeffs[2], [0.5, 1.5])


@pytest.mark.parametrize("text, reason", [
    (three('<mimic joint="jx"/>', "", ""), "joint 'jx', which is not there"),
    (three('<mimic joint="jb"/>', '<mimic joint="ja"/>', ""), "a cycle: ja -> jb -> ja"),
    (three('<mimic joint="ja"/>', "", ""), "a cycle: ja -> ja"),
    (three("", '<mimic joint="ja" multiplier="x"/>', ""), "multiplier: got 'x'"),
    (three('<mimic joint="jb"/>', "", "", kind="planar"), "mimic: got a planar joint"),
    (three("<mimic/>", "", ""), "no 'joint'"),
])  # fmt: skip
def test_wrong_mimics(text: str, reason: str) -> None:
    with pytest.raises(ImporterError, match=reason):
        add(text)


def test_a_floating_joint_below_a_moving_link_is_refused() -> None:
    text = robot(link("base"), link("a"), link("b"), joint("j", "base", "a"), joint("k", "a", "b", "floating"))
    with pytest.raises(ImporterError, match=r":\d+:\d+: joint 'k': got a floating joint below link 'a', which moves"):
        add(text)
    fixed = robot(link("base"), link("a"), link("b"), joint("j", "base", "a", "fixed", ORIGIN), joint("k", "a", "b", "floating", ORIGIN))
    builder = add(fixed)
    wanted = theirs(fixed).qpos0
    np.testing.assert_allclose(builder.joint_q[:3], wanted[:3], atol=1e-12)
    assert abs(np.dot(np.roll(builder.joint_q[3:7], 1), wanted[3:])) == pytest.approx(1.0)
