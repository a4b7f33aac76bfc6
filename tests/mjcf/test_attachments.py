"""Models in models: names, frames, copies, detaching, and what the written text says."""

import copy

import mujoco
import numpy as np
import pytest

from newtonish import ModelError, NewtonishWarning, mjcf


def leaf(name: str = "leaf") -> mjcf.RootElement:
    root = mjcf.RootElement(model=name)
    body = root.worldbody.add("body", name="b")
    body.add("joint", name="j", axis=[0, 1, 0])
    body.add("geom", name="g", size=[0.1])
    body.add("site", name="tip", pos=[0.1, 0, 0])
    return root


def test_names_at_every_level() -> None:
    top, middle, low = mjcf.RootElement(model="top"), leaf("middle"), leaf("low")
    middle.find("site", "tip").attach(low)
    top.attach(middle)
    joint = low.find("joint", "j")
    assert joint.full_identifier == "middle/low/j"
    assert joint.prefixed_identifier(middle.namescope) == "low/j" and joint.prefixed_identifier(low.namescope) == "j"
    assert low.parent_model is middle and joint.root is low and joint.root_model is top
    assert top.find("joint", "middle/low/j") is joint and middle.find("joint", "low/j") is joint
    assert top.enter_scope("middle/low") is low and top.enter_scope("nobody") is None
    assert top.find("joint", "nobody/j") is None
    assert top.find_all("joint") == [middle.find("joint", "j"), joint]
    assert top.find_all("joint", exclude_attachments=True) == []
    assert top.find_all("attachment_frame") == [
        mjcf.get_attachment_frame(middle), mjcf.get_attachment_frame(low),
    ]  # fmt: skip
    assert [j.full_identifier for j in top.find_all("joint")] == ["middle/j", "middle/low/j"]
    with pytest.raises(ModelError, match="a look from model 'low'"):
        middle.find("joint", "j").prefixed_identifier(low.namescope)


def test_the_text_of_an_attached_model_stands_alone() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    alone = child.to_xml_string()
    top.attach(child)
    assert child.to_xml_string() == alone
    assert 'name="leaf/j"' in child.to_xml_string(prefix_root=top.namescope)


def test_renaming_the_model_renames_everything() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.attach(child)
    child.model = "branch"
    assert top.find("attachment_frame", "leaf") is None and top.enter_scope("branch") is child
    assert 'name="branch/j"' in top.to_xml_string()
    top.attach(leaf())
    with pytest.raises(ModelError, match="'leaf' again"):
        child.model = "leaf"
    with pytest.raises(ModelError, match="without '/'"):
        child.model = "a/b"


def test_references_across_models() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.attach(child)
    motor = top.actuator.add("motor", joint=child.find("joint", "j"))
    top.contact.add("exclude", body1=child.find("body", "b"), body2=child.worldbody)
    compiled = mujoco.MjModel.from_xml_string(top.to_xml_string())
    assert compiled.actuator_trnid[0, 0] == compiled.joint("leaf/j").id
    assert compiled.nexclude == 1, "the world of an attached model is its frame"
    child.actuator.add("motor", joint=top.worldbody.add("body", name="x").add("joint", name="outside"))
    with pytest.raises(ModelError, match="a look from model 'leaf'"):
        child.to_xml_string()
    assert motor.joint is child.find("joint", "j")


def test_world_in_a_text_is_the_frame_when_attached() -> None:
    child = leaf()
    child.contact.add("exclude", body1="b", body2="world")
    assert mujoco.MjModel.from_xml_string(child.to_xml_string()).nexclude == 1
    top = mjcf.RootElement(model="top")
    top.attach(child)
    assert top.to_xml().find("contact/exclude").get("body2") == "leaf/"


def test_detaching_frees_the_model_and_its_name() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    frame = top.attach(child)
    child.detach()
    assert frame.is_removed and child.parent_model is None and top.find_all("joint") == []
    top.attach(child)
    body = top.worldbody.add("body", name="holder")
    other = leaf("other")
    body.add("site", name="s").attach(other)
    body.remove()
    assert other.parent_model is None and top.find_all("attachment_frame") == [mjcf.get_attachment_frame(child)]
    with pytest.raises(ModelError, match="not attached"):
        other.detach()


def test_no_model_is_part_of_itself() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.attach(child)
    for place, model in ((top, top), (child, top)):
        with pytest.raises(ModelError, match="is part of"):
            place.attach(model)
    with pytest.raises(ModelError, match=r"a RootElement"):
        top.attach("child")


def test_joints_of_the_frame_take_the_parents_defaults() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.default.joint.damping = 3.0
    child.default.joint.damping = 5.0
    frame = top.attach(child)
    frame.add("joint", name="turn", axis=[0, 0, 1])
    frame.add("inertial", pos=[0, 0, 0], mass=1, diaginertia=[1, 1, 1])
    compiled = mujoco.MjModel.from_xml_string(top.to_xml_string())
    assert compiled.joint("leaf/turn/").damping[0] == 3.0 and compiled.joint("leaf/j").damping[0] == 5.0


def test_a_site_takes_its_pose_from_its_class() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.default.site.pos, top.default.site.euler = [0, 0, 1], [0, 0, 90]
    top.worldbody.add("site", name="s").attach(child)
    compiled = mujoco.MjModel.from_xml_string(top.to_xml_string())
    np.testing.assert_allclose(compiled.body("leaf/").pos, compiled.site("s").pos)
    np.testing.assert_allclose(compiled.body("leaf/").quat, compiled.site("s").quat)
    line = top.worldbody.add("site", fromto=[0, 0, 0, 1, 0, 0])
    with pytest.raises(ModelError, match="spans"):
        line.attach(leaf("second"))


def test_a_copy_of_the_whole_shares_nothing() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.attach(child)
    top.actuator.add("motor", name="m", joint=child.find("joint", "j"))
    twin = copy.deepcopy(top)
    assert twin.to_xml_string() == top.to_xml_string() and twin.is_same_as(top)
    assert twin.find("actuator", "m").joint is twin.enter_scope("leaf").find("joint", "j")
    twin.find("geom", "leaf/g").size[0] = 7.0
    twin.find("joint", "leaf/j").name = "k"
    assert child.find("geom", "g").size[0] == 0.1 and child.find("joint", "j") is not None
    with pytest.raises(NotImplementedError, match="root"):
        copy.deepcopy(child.find("body", "b"))


def test_keyframes_of_an_attached_model_are_left_out_with_a_warning() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    child.keyframe.add("key", name="bent", qpos=[0.3])
    assert mujoco.MjModel.from_xml_string(child.to_xml_string()).nkey == 1
    top.attach(child)
    top.worldbody.add("body", name="b").add("joint", name="another")
    with pytest.warns(NewtonishWarning, match="key 'bent'.*root model"):
        assert top.to_xml().find("keyframe") is None or not len(top.to_xml().find("keyframe"))


def test_options_are_merged_and_compared_again_when_written() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    top.option.timestep, child.option.gravity = 0.001, [0, 0, -1]
    child.option.flag.contact = "disable"
    child.visual.map.znear = 0.1
    top.attach(child)
    option = top.to_xml().find("option")
    assert option.get("timestep") == "0.001" and option.get("gravity") == "0 0 -1"
    assert option.find("flag").get("contact") == "disable" and top.to_xml().find("visual/map").get("znear") == "0.1"
    child.option.timestep = 0.002
    with pytest.raises(ModelError, match="option, timestep"):
        top.to_xml_string()


def test_sections_of_attached_models_can_be_emptied_too() -> None:
    top, child = mjcf.RootElement(model="top"), leaf()
    child.actuator.add("motor", joint="j")
    top.attach(child)
    with pytest.raises(ModelError, match="attached model 'leaf'"):
        top.actuator.remove()
    assert len(child.actuator.motor) == 1
    top.actuator.remove(affect_attachments=True)
    assert len(child.actuator.motor) == 0 and not child.actuator.is_removed


def test_every_kind_of_name_and_reference_gets_the_prefix() -> None:
    text = """<mujoco model="z">
      <asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 2 3"/><material name="m"/></asset>
      <worldbody><geom type="hfield" hfield="h" material="m"/>
        <body name="b1"><geom name="g1" size=".1"/><joint name="j"/><site name="s1"/></body>
        <body name="b2" pos="1 0 0"><geom size=".1"/><joint/><site name="s2"/></body>
        <body name="b3" pos="1 1 0"><geom size=".1"/><joint/></body></worldbody>
      <deformable><flex name="f" body="b1 b2 b3" vertex="0 0 0 0 0 0 0 0 0" element="0 1 2"/></deformable>
      <tendon><spatial name="t"><site site="s1"/><geom geom="g1" sidesite="s1"/><site site="s2"/></spatial>
        <fixed name="u"><joint joint="j" coef="1"/></fixed></tendon>
      <equality><connect name="c" body1="b1" body2="b2" anchor="0 0 0"/></equality>
      <actuator><position name="p" tendon="u" kp="3"/></actuator>
      <sensor><actuatorfrc actuator="p"/><framepos objtype="body" objname="b1" reftype="site" refname="s2"/>
        <contact geom1="g1" subtree2="b2" data="force"/></sensor>
      <custom><numeric name="n" data="1 2"/><text name="x" data="b1"/>
        <tuple name="o"><element objtype="body" objname="b1"/><element objtype="numeric" objname="n"/></tuple></custom>
    </mujoco>"""
    child, top = mjcf.from_xml_string(text), mjcf.RootElement(model="top")
    top.attach(child)
    alone, whole = child.to_xml(), top.to_xml()
    own = {"h", "m", "b1", "b2", "b3", "g1", "j", "s1", "s2", "f", "t", "u", "c", "p", "n", "x", "o"}
    for section in alone:
        if section.tag == "worldbody":
            continue
        for ours, theirs in zip(section.iter(), whole.find(section.tag).iter(), strict=True):
            assert ours.tag == theirs.tag
            for key, value in ours.attrib.items():
                named = key not in ("data", "objtype") and set(value.split()) <= own
                wanted = " ".join(f"z/{word}" for word in value.split()) if named else value
                assert theirs.get(key) == wanted, (ours.tag, key)
    compiled = mujoco.MjModel.from_xml_string(top.to_xml_string())
    assert (compiled.nflex, compiled.ntendon, compiled.nsensor, compiled.ntuple) == (1, 2, 3, 1)
    child.find("body", "b1").name = "renamed"
    assert top.to_xml().find("deformable/flex").get("body") == "z/renamed z/b2 z/b3"
