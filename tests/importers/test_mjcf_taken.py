"""What MuJoCo takes although it means little: the same model here, with a warning where something has no effect."""

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from worlds import model_of

import newtonish
from newtonish.convert import convert
from newtonish.errors import ImporterError, NewtonishWarning

FIELDS = (
    "body_pos",
    "geom_pos",
    "geom_quat",
    "geom_size",
    "site_pos",
    "jnt_limited",
    "jnt_range",
    "key_qpos",
    "key_qvel",
    "key_act",
    "key_ctrl",
    "key_mpos",
    "key_mquat",
    "key_plastic",
)
NAMED = ("body", "jnt", "geom", "site", "actuator")
SENSORS = '<sensor><jointpos name="q" joint="j"/></sensor><actuator><motor name="m" joint="j"/></actuator>'
KEYED = """<mujoco><worldbody><body mocap="true" pos="5 6 7" quat="0 1 0 0"/><body mocap="true" pos="8 9 10" quat="0 0 1 0"/>
  <body><joint name="a" ref="10" springref="20" stiffness="5" springyield=".1"/><geom size=".1"/><body pos="1 0 0"><joint name="b" type="ball"/><geom size=".1"/></body></body></worldbody>
  <tendon><fixed name="t" stiffness="3" springyield=".2" springlength=".1 .3"><joint joint="a" coef="1"/></fixed></tendon>
  <actuator><general joint="a" dyntype="integrator"/><general joint="a" dyntype="filter"/><motor joint="a"/></actuator><keyframe><key {}/></keyframe></mujoco>"""


def nested(outer: str, inner: str) -> str:
    body = '<body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body>'
    return f'<mujoco><worldbody><replicate count="2" {outer}><body name="o"><geom size=".1"/><replicate count="3" {inner}>{body}</replicate></body></replicate></worldbody>{SENSORS}</mujoco>'


TAKEN = {
    **{f"fromto and {given.split('=')[0]}": (f'<mujoco><worldbody><geom type="capsule" size=".1" fromto="0 0 0 0 1 0" {given}/></worldbody></mujoco>', "beside fromto")
       for given in ('euler="90 0 0"', 'quat="0 1 0 0"', 'axisangle="1 0 0 45"', 'zaxis="1 0 0"', 'xyaxes="1 0 0 0 0 1"')},
    "fromto and pos": ('<mujoco><worldbody><site type="capsule" size=".1" fromto="0 0 0 0 1 0" pos="0 0 0"/></worldbody></mujoco>', ""),
    "limited ball": ('<mujoco><worldbody><body><joint type="ball" limited="true"/><geom size=".1"/></body></worldbody></mujoco>', ""),
    "limited class": ('<mujoco><default><joint limited="true"/></default><worldbody><body><joint type="ball"/><geom size=".1"/></body></worldbody></mujoco>', ""),
    "ball below": ('<mujoco><worldbody><body><joint type="ball" limited="true" range="0 -10"/><geom size=".1"/></body></worldbody></mujoco>', ""),
    "stray": ('<mujoco><body name="a"><geom size="1"/></body><frame><geom size="1"/></frame><replicate/><worldbody><body name="a"><geom size=".2"/></body></worldbody></mujoco>', "outside of worldbody"),
    "nested": (nested("", ""), ""),
    "separated": (nested('sep="-"', 'sep="_"'), ""),
    "prefix": (nested('prefix="p" sep="-"', 'prefix="q" name="r"'), "prefix.*no attribute"),
    "frame": ('<mujoco><worldbody><frame speed="3"><geom size=".1"/></frame></worldbody></mujoco>', "speed.*no attribute"),
    **{key: (KEYED.format(key), "of .* numbers are written") for key in
       ('qpos="1"', 'qpos="1 0 1"', 'qvel="3"', 'act="3"', 'ctrl="3"', 'mpos="1 2"', 'mpos="1 2 3 4"', 'mquat="0 0"', 'mquat="0 0 0 1 0"', 'plastic="1"', 'plastic="1 2"')},
}  # fmt: skip


@pytest.mark.parametrize("case", TAKEN)
def test_it_is_what_mujoco_makes_of_it(case: str) -> None:
    text, said = TAKEN[case]
    theirs, ours = mujoco.MjModel.from_xml_string(text), convert(model_of(text))
    for name in FIELDS:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6, err_msg=name)
    for kind in NAMED:
        table = {"jnt": theirs.joint, "actuator": theirs.actuator}.get(kind) or getattr(theirs, kind)
        names = [table(i).name for i in range({"jnt": theirs.njnt, "actuator": theirs.nu}.get(kind) or getattr(theirs, f"n{kind}", 0))]
        found = [name for name in getattr(ours, f"{kind}_names") if name]
        assert [name for name in names if name] == [name for name in found if name in names], kind
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        newtonish.ModelBuilder().add_mjcf(text)
    messages = [str(w.message) for w in caught if issubclass(w.category, NewtonishWarning)]
    if said:
        with pytest.warns(NewtonishWarning, match=said):
            newtonish.ModelBuilder().add_mjcf(text)
    else:
        assert not messages


@pytest.mark.parametrize("text", [
    '<mujoco><worldbody><geom type="capsule" size=".1" fromto="0 0 0 0 1 0" pos="1 0 0"/></worldbody></mujoco>',
    '<mujoco><worldbody><body><joint type="ball" limited="true" range="10 0"/><geom size=".1"/></body></worldbody></mujoco>',
    '<mujoco><body><geom foo="1"/></body><foo/><worldbody/></mujoco>',
    KEYED.format('mpos="1 2 3 4 5 6 7"'), KEYED.format('act="1 2 3"'), KEYED.format('plastic="1 2 3 4"'),
])  # fmt: skip
def test_what_mujoco_refuses_is_refused(text: str) -> None:
    with pytest.raises(ImporterError):
        newtonish.ModelBuilder().add_mjcf(text)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)


def test_ktx_pictures_are_left_out_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.ktx").write_bytes(b"\xabKTX 11\xbb\r\n\x1a\n" + bytes(60))
    text = f'<mujoco><asset><texture name="t" type="2d" file="{tmp_path / "x.ktx"}"/><material name="m" texture="t" rgba="1 0 0 1"/></asset><worldbody><geom size=".1" material="m"/></worldbody></mujoco>'
    assert mujoco.MjModel.from_xml_string(text).ngeom == 1
    builder = newtonish.ModelBuilder()
    with pytest.warns(NewtonishWarning, match=r"texture 't'.*KTX"):
        builder.add_mjcf(text)
    assert builder.shape_count == 1
    with pytest.raises(ImporterError, match=r"x2\.ktx"):
        newtonish.ModelBuilder().add_mjcf(text.replace("x.ktx", "x2.ktx"))


@pytest.mark.parametrize("plastic", ["", 'plastic="1 2 3 4 5"', 'plastic="1"'])
def test_plastic_states_of_keyframes_count_tendons_without_a_name(plastic: str) -> None:
    """One joint and two tendons with springs that yield, the first of them nameless, beside a nameless one that does not."""
    text = f"""<mujoco><worldbody><body><joint name="j" type="slide" stiffness="1" springyield=".1"/><geom size=".1"/></body></worldbody>
      <tendon><fixed stiffness="1" springlength=".3 .4" springyield=".2"><joint joint="j" coef="1"/></fixed>
        <fixed stiffness="1"><joint joint="j" coef="2"/></fixed>
        <fixed name="t" stiffness="1" springlength=".5 .6" springyield=".2"><joint joint="j" coef="3"/></fixed></tendon>
      <keyframe><key qpos=".7" {plastic}/></keyframe></mujoco>"""
    builder = newtonish.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)  # the short list
        builder.add_mjcf(text)
    ours, mjm = convert(builder.finalize(device="cpu")), mujoco.MjModel.from_xml_string(text)
    assert mjm.key_plastic.shape == (1, 5)
    np.testing.assert_allclose(ours.key_plastic, mjm.key_plastic, rtol=1e-6)
