"""add_mjcf's arguments that read a file in another measure: scale, legacy_margin_gap, hinges as balls. Newton's importer and files written so agree."""

import warnings

import mujoco
import newton
import numpy as np
import pytest

import newtonish
from newtonish.convert import convert
from newtonish.errors import ModelError


def by(s: float, *numbers: float) -> str:
    """Lengths times a factor, as text."""
    return " ".join(f"{s * n:.9g}" for n in numbers)


def arm(s: float) -> str:
    """A mechanism with all that has lengths, written ``s`` times as large."""
    return f"""<mujoco><compiler angle="radian" boundinertia="{2e-4 * s * s:.9g}"/>
  <default><geom margin="{by(s, 0.002)}"/><default class="rod"><geom size="{by(s, 0.02)}"/><site size="{by(s, 0.004)}"/></default></default>
  <asset><mesh name="wedge" vertex="0 0 0 0.2 0 0 0 0.1 0 0 0 0.3" scale="{by(s, 1, 1, 1)}" refpos="0.01 0 0"/>
    <hfield name="hill" nrow="2" ncol="3" size="{by(s, 1, 2, 0.3, 0.1)}" elevation="0 1 2 3 4 5"/></asset>
  <worldbody>
    <geom name="ground" type="plane" size="{by(s, 1, 1, 0.1)}"/><geom name="hill" type="hfield" hfield="hill" pos="{by(s, 3, 0, 0)}"/>
    <camera name="eye" pos="{by(s, 1, 2, 3)}"/><site name="anchor" pos="{by(s, 0, 0.3, 0.4)}" size="{by(s, 0.005, 0.005, 0.005)}"/>
    <body name="free" pos="{by(s, 1, 0, 1)}"><freejoint/><inertial pos="{by(s, 0.01, 0, 0)}" mass="2" diaginertia="{by(s * s, 0.01, 0.02, 0.02)}"/>
      <geom size="{by(s, 0.1)}"/></body>
    <frame pos="{by(s, 0, 0, 0.2)}"><body name="cart" pos="{by(s, 0.1, 0, 0.3)}" quat="0.9 0.1 0 0.3">
      <joint name="slide" type="slide" axis="1 0 0" range="{by(s, -0.5, 0.7)}" ref="{by(s, 0.1)}" springref="{by(s, 0.2)}" stiffness="3" margin="{by(s, 0.01)}"/>
      <geom type="box" size="{by(s, 0.1, 0.2, 0.05)}" density="500" gap="{by(s, 0.001)}"/>
      <geom type="mesh" mesh="wedge" pos="{by(s, 0, 0, 0.1)}"/>
      <body name="arm" pos="{by(s, 0, 0, 0.1)}" childclass="rod"><joint name="hinge" axis="0 1 0" pos="{by(s, 0, 0, 0.02)}" range="-1 1" armature="0.01"/>
        <geom name="rod" type="capsule" fromto="{by(s, 0, 0, 0, 0, 0, 0.4)}" mass="0.7"/><site name="tip" pos="{by(s, 0, 0, 0.4)}" size="{by(s, 0.004, 0.005, 0.005)}"/>
        <body pos="{by(s, 0, 0, 0.4)}"><joint name="thumb" type="slide" axis="0 0 1" range="{by(s, -0.1, 0.1)}"/><geom size="{by(s, 0.03)}"/></body></body>
    </body></frame>
  </worldbody>
  <contact><pair geom1="ground" geom2="rod" margin="{by(s, 0.01)}" gap="{by(s, 0.002)}"/></contact>
  <tendon><spatial name="string" range="{by(s, 0.1, 2)}" limited="true" springlength="{by(s, 0.3)}" margin="{by(s, 0.01)}"><site site="anchor"/><site site="tip"/></spatial></tendon>
  <equality><connect body1="free" body2="cart" anchor="{by(s, 0.1, 0, 0)}"/><weld body1="free" body2="arm" relpose="{by(s, 0.1, 0.2, 0.3)} 1 0 0 0" anchor="{by(s, 0, 0.1, 0)}"/>
    <joint joint1="slide" joint2="thumb" polycoef="{by(s, 0.1)} 1 {by(1 / s, 0.5)} 0 0"/><joint joint1="thumb" joint2="hinge" polycoef="{by(s, 0, 0.2, 0, 0, 0)}"/></equality>
  <actuator><position joint="slide" kp="10" ctrlrange="{by(s, -0.4, 0.6)}"/><position joint="thumb" kp="10" inheritrange="0.5"/><motor joint="slide" ctrlrange="-1 1"/>
    <intvelocity joint="slide" kp="3" actrange="{by(s, -0.2, 0.2)}"/><position joint="hinge" kp="1" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="k" qpos="{by(s, 1, 0, 2)} 1 0 0 0 {by(s, 0.3)} 0.4 {by(s, 0.05)}" qvel="{by(s, 1, 2, 3)} 4 5 6 {by(s, 1)} 2 {by(s, 3)}" ctrl="{by(1, 0.1, 0.01, 0, 0, 0)}"/></keyframe>
</mujoco>"""


DERIVED = ("qpos0", "qpos_spring", "body_", "geom_", "site_", "jnt_", "dof_", "eq_", "tendon_", "actuator_", "pair_", "cam_", "key_", "hfield_", "mesh_vert")


@pytest.mark.filterwarnings("ignore")
def test_scale_is_the_file_written_in_other_lengths():
    """Field by field; MuJoCo reads the scaled text as well, so that the reference is not ours alone."""
    models = []
    for text, scale in ((arm(2.5), 1.0), (arm(1.0), 2.5)):
        builder = newtonish.ModelBuilder()
        builder.add_mjcf(text, scale=scale)
        models.append(convert(builder.finalize(device="cpu")))
    written, scaled = models
    checked = 0
    for name, value in vars(written).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and name.startswith(DERIVED):
            size = max(1.0, float(np.abs(value).max(initial=0.0)))
            np.testing.assert_allclose(getattr(scaled, name), value, atol=2e-6 * size, rtol=2e-5, err_msg=name)
            checked += 1
    assert checked > 60
    mjm = mujoco.MjModel.from_xml_string(arm(2.5))
    for name in (
        "qpos0",
        "body_pos",
        "body_mass",
        "geom_size",
        "jnt_range",
        "eq_data",
        "tendon_range",
        "actuator_ctrlrange",
        "key_qpos",
        "pair_margin",
        "geom_margin",
        "geom_gap",
    ):
        np.testing.assert_allclose(getattr(scaled, name), getattr(mjm, name), atol=2e-6, rtol=1e-4, err_msg=name)


def both(text: str, **arguments):
    """A file through Newton's importer and ours."""
    models = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in (newton, newtonish):
            builder = module.ModelBuilder()
            module.solvers.SolverMuJoCo.register_custom_attributes(builder)
            builder.add_mjcf(text, **arguments)
            models.append(builder.finalize(device="cpu"))
    return models


FIELDS = (
    "body_q", "body_mass", "body_com", "joint_type", "joint_X_p", "joint_X_c", "joint_limit_lower", "joint_limit_upper", "joint_armature",
    "joint_rest_q", "joint_damping", "joint_friction",
)  # fmt: skip


def test_scaled_models_are_newtons():
    text = arm(1.0).split("<contact>")[0].replace("<freejoint/>", "").replace('refpos="0.01 0 0"', "") + "</mujoco>"
    theirs, ours = both(text, scale=0.4)
    for name in FIELDS:
        np.testing.assert_allclose(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), rtol=2e-4, atol=2e-6, err_msg=name)
    shapes = [{label.split("/")[-1]: i for i, label in enumerate(m.shape_label)} for m in (theirs, ours)]
    for label in ("rod", "tip"):
        found = [m.shape_scale.numpy()[names[label]] for m, names in zip((theirs, ours), shapes)]
        np.testing.assert_allclose(found[1][:1], found[0][:1], rtol=1e-5)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_scales_that_are_none_are_named(scale):
    with pytest.raises(ModelError, match="scale"):
        newtonish.ModelBuilder().add_mjcf("<mujoco/>", scale=scale)


def test_legacy_margins_begin_to_push_where_old_ones_did():
    text = '<mujoco><worldbody><geom name="a" size="0.1" margin="0.05" gap="0.02"/><geom name="b" size="0.1" gap="0.01"/></worldbody></mujoco>'
    theirs, ours = both(text, legacy_margin_gap=True)
    np.testing.assert_allclose(ours.shape_margin.numpy(), theirs.shape_margin.numpy(), atol=1e-7)
    np.testing.assert_allclose(ours.shape_margin.numpy(), [0.03, 0.0], atol=1e-7)
    np.testing.assert_allclose(ours.shape_gap.numpy(), theirs.shape_gap.numpy(), atol=1e-7)


BALL = """<mujoco><compiler angle="radian"/><worldbody><body name="b" pos="0 0 1">
    <joint name="x" axis="1 0 0" armature="0.1" damping="0.2" frictionloss="0.01" pos="0.1 0 0" {more}/>
    <joint name="y" axis="0 1 0" armature="0.2" damping="0.3" pos="0.1 0 0"/><joint name="z" axis="0 0 1" frictionloss="0.03" pos="0.1 0 0"/>
    <geom type="box" size="0.1 0.2 0.1"/>
    <body name="c" pos="0 0 1"><joint name="u" axis="1 0 0"/><joint name="v" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody>
  {rest}</mujoco>"""


def test_three_hinges_become_a_ball_as_in_newton():
    theirs, ours = both(BALL.format(more="", rest=""), convert_3d_hinge_to_ball_joints=True)
    assert ours.joint_type.numpy().tolist()[0] == 2
    for name in FIELDS:
        np.testing.assert_allclose(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), rtol=1e-4, atol=1e-5, err_msg=name)
    compiled = convert(ours)
    assert compiled.jnt_type.tolist() == [1, 3, 3]
    np.testing.assert_allclose(compiled.dof_armature[:3], [0.1, 0.2, 0.0], atol=1e-7)
    np.testing.assert_allclose(compiled.dof_frictionloss[:3], [0.01, 0.0, 0.03], atol=1e-7)


def test_motors_of_such_hinges_push_about_their_axes():
    """The accelerations of the three hinges and of the ball are the same, one motor at a time."""
    motors = "<actuator>" + "".join(f'<motor joint="{j}" gear="{g}"/>' for j, g in zip("xyzu", (2, 3, 4, 5))) + "</actuator>"
    found = []
    for balls in (False, True):
        builder = newtonish.ModelBuilder()
        newtonish.SolverMuJoCo.register_custom_attributes(builder)
        builder.add_mjcf(BALL.format(more="", rest=motors), convert_3d_hinge_to_ball_joints=balls)
        found.append(convert(builder.finalize(device="cpu")).actuator_gear)
    np.testing.assert_allclose(found[0][:, 0], [2, 3, 4, 5])
    np.testing.assert_allclose(found[1][:, :3], [[2, 0, 0], [0, 3, 0], [0, 0, 4], [5, 0, 0]], atol=1e-6)


def test_what_a_ball_cannot_have_is_said():
    key = '<keyframe><key name="home" qpos="1 2 3 4 5"/></keyframe>'
    with pytest.warns(newtonish.NewtonishWarning) as caught:
        builder = newtonish.ModelBuilder()
        builder.add_mjcf(BALL.format(more='range="-1 1" stiffness="3" springref="0.2"', rest=key), convert_3d_hinge_to_ball_joints=True)
    said = " ".join(str(w.message) for w in caught)
    assert "without limits, different stiffnesses, rest angles" in said and "key 'home'" in said
    tendon = '<tendon><fixed name="t"><joint joint="y" coef="1"/></fixed></tendon>'
    with pytest.raises(newtonish.ImporterError, match="a ball joint"):
        newtonish.ModelBuilder().add_mjcf(BALL.format(more="", rest=tendon), convert_3d_hinge_to_ball_joints=True)
