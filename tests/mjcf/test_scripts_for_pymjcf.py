"""What programs written for PyMJCF count on, each with MuJoCo's compiled model where there is one."""

import copy
import struct
import zipfile

import mujoco
import numpy as np
import pytest

from newtonish import mjcf
from newtonish.errors import ImporterError, ModelError

ARM = """<mujoco model="arm"><compiler boundmass=".01" boundinertia=".01"/><size memory="1M" nconmax="3"/>
  <default><general forcelimited="true"/><motor forcerange="-2 3"/><position kp=".1"/></default>
  <worldbody><body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/><body name="c"/></body></worldbody>
  <actuator><motor name="m" joint="j" ctrlrange="-1 1"/></actuator></mujoco>"""


def arm(name: str = "arm") -> mjcf.RootElement:
    model = mjcf.from_xml_string(ARM)
    model.model = name
    return model


def test_joints_of_two_frames_have_names_of_their_own() -> None:
    top = mjcf.RootElement(model="top")
    frames = [top.attach(arm(name)) for name in ("left", "right")]
    slides = [frame.add("joint", name="x", type="slide", axis=[1, 0, 0]) for frame in frames]
    for frame in frames:
        frame.add("joint", type="slide", axis=[0, 1, 0])
    top.actuator.add("position", name="p", joint=slides[1])
    names = [mujoco.MjModel.from_xml_string(top.to_xml_string()).joint(j).name for j in range(6)]
    assert names == ["left/x/", "left/", "left/j", "right/x/", "right/", "right/j"]
    assert [joint.full_identifier for joint in top.find_all("joint")] == names
    assert top.find("joint", "right/x/") is slides[1] and top.find("joint", "left/") is frames[0].joint[1]
    assert top.to_xml().find("actuator/position").get("joint") == "right/x/"
    with pytest.raises(ModelError, match="the name 'x' again"):
        frames[0].add("joint", name="x")
    twin = copy.deepcopy(top)
    assert [joint.full_identifier for joint in twin.find_all("joint")] == names
    slides[0].name = "y"
    assert top.find("joint", "left/y/") is slides[0] and top.find("joint", "left/x/") is None
    assert twin.find("joint", "left/x/") is not None


def test_the_free_joint_of_a_frame_has_its_name() -> None:
    top, child = mjcf.RootElement(model="top"), arm()
    joint = top.attach(child).add("freejoint")
    assert joint.full_identifier == "arm/" and top.find("joint", "arm/") is joint
    assert mujoco.MjModel.from_xml_string(top.to_xml_string()).joint("arm/").type == mujoco.mjtJoint.mjJNT_FREE


def test_the_largest_size_holds() -> None:
    top = mjcf.from_xml_string('<mujoco model="top"><size memory="10000" nconmax="7"/></mujoco>')
    top.attach(arm())
    assert top.size.memory == "1048576" and top.size.nconmax == 7
    size = top.to_xml().find("size")
    assert (size.get("memory"), size.get("nconmax")) == ("1048576", "7")


def test_actuators_share_their_defaults() -> None:
    model = arm()
    compiled = mujoco.MjModel.from_xml_string(ARM)
    motor = model.find("actuator", "m")
    mjcf.commit_defaults(motor)
    assert motor.forcelimited == "true" and motor.forcerange.tolist() == [-2, 3] == compiled.actuator("m").forcerange.tolist()
    servo = model.actuator.add("position", joint="j")
    mjcf.commit_defaults(servo)
    assert servo.kp == 0.1 and servo.forcerange.tolist() == [-2, 3]


def test_names_stay_names_until_they_are_resolved() -> None:
    model = mjcf.from_xml_string(ARM, resolve_references=False)
    motor = model.find("actuator", "m")
    assert motor.joint == "j" and copy.copy(model).find("actuator", "m").joint == "j"
    model.find("joint", "j").name = "k"
    assert motor.joint == "j"
    motor.joint = "k"
    model.resolve_references()
    assert motor.joint is model.find("joint", "k")


def test_find_looks_below_an_element() -> None:
    top, child = arm("top"), arm("child")
    top.find("site", "s").attach(child)
    body, inner = top.find("body", "b"), top.find("body", "c")
    assert body.find("geom", "g") is not None and inner.find("geom", "g") is None
    assert body.find("geom", "child/g") is child.find("geom", "g") and inner.find("geom", "child/g") is None
    assert top.actuator.find("actuator", "child/m") is child.find("actuator", "m")
    assert top.sensor.find("actuator", "m") is None and top.worldbody.find("body", "c") is inner


def test_default_classes_are_elements_that_equal_their_names() -> None:
    model = arm()
    blue = model.default.add("default", dclass="blue")
    geom = model.find("geom", "g")
    geom.dclass = "blue"
    assert geom.dclass is blue and geom.dclass == "blue" and geom.dclass.dclass == "blue" and geom.dclass != "red"


def test_contents_of_one_model_are_copied_into_another() -> None:
    model, other = mjcf.RootElement(model="model"), arm()
    model.include_copy(other)
    assert model.model == "model" and model.find("actuator", "m").joint is model.find("joint", "j")
    model.worldbody.body["b"].pos = [1, 0, 0]
    other.find("body", "b").pos = [0, 0, 2]
    other.size.nconmax = 9
    with pytest.raises(ModelError, match="Conflicting values: 9, where there is 3"):
        mixin = mjcf.RootElement()
        mixin.size.nconmax = 9
        model.include_copy(mixin)
    model.include_copy(other, override_attributes=True)
    assert model.size.nconmax == 9 and model.worldbody.body["b"].pos.tolist() == [0, 0, 2]
    assert len(model.find_all("body")) == 2
    mujoco.MjModel.from_xml_string(model.to_xml_string())


def test_sameness_minds_neither_the_name_nor_the_order_of_tags() -> None:
    model, other = arm(), arm("other")
    assert model.is_same_as(other)
    for place, tags in ((model, ("geom", "site")), (other, ("site", "geom"))):
        for tag in tags:
            place.find("body", "c").add(tag, pos=[0, 1, 2])
    assert model.is_same_as(other)
    other.find("body", "c").geom[0].pos = [0, 1, 3]
    assert not model.is_same_as(other)


def test_what_attached_models_share_is_not_removed_by_accident() -> None:
    top, child = arm("top"), arm("child")
    top.attach(child)
    with pytest.raises(ModelError, match=r"use remove\(affect_attachments=True\)"):
        del top.actuator
    top.actuator.remove(affect_attachments=True)
    assert not child.actuator.motor and not top.actuator.motor


def test_archives_are_read_and_written(tmp_path) -> None:
    stl = (
        b"\0" * 80
        + struct.pack("<I", 4)
        + b"".join(
            struct.pack("<12fH", 0, 0, 0, *np.ravel(corners), 0)
            for corners in (
                [[0, 0, 0], [0, 1, 0], [1, 0, 0]],
                [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
                [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            )
        )
    )
    text = '<mujoco model="m"><compiler meshdir="a"/><asset><mesh file="../b/t.stl"/></asset><worldbody><geom type="mesh" mesh="t"/></worldbody></mujoco>'
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr("x/model.xml", text)
        archive.writestr("x/b/t.stl", stl)
    model = mjcf.from_zip(tmp_path / "in.zip")
    path = mjcf.export_with_assets_as_zip(model, tmp_path / "out")
    again = mjcf.from_zip(path)
    assert path.name == "m.zip" and again.is_same_as(model) and list(again.get_assets().values()) == [stl]
    with pytest.raises(ImporterError, match="no ZIP archive"):
        (tmp_path / "no.zip").write_text("no")
        mjcf.from_zip(tmp_path / "no.zip")


def skin(body: str) -> bytes:
    vertices, faces = np.eye(3, dtype="<f4"), np.array([0, 1, 2], dtype="<i4")
    bone = body.encode().ljust(40, b"\0") + struct.pack("<7f", 0, 0, 0, 1, 0, 0, 0) + struct.pack("<i", 3)
    return struct.pack("<4i", 3, 0, 1, 1) + vertices.tobytes() + faces.tobytes() + bone + faces.tobytes() + np.ones(3, "<f4").tobytes()


def test_bones_of_an_attached_skin_are_its_models_bodies() -> None:
    top, child = mjcf.RootElement(model="top"), arm()
    child.deformable.add("skin", name="skin", file=mjcf.Asset(skin("c"), ".skn"))
    top.attach(child)
    compiled = mujoco.MjModel.from_xml_string(top.to_xml_string(), top.get_assets())
    assert compiled.body(compiled.skin_bonebodyid[0]).name == "arm/c"
    assert skin("c") in child.get_assets().values()
    child.model = "a" * 40
    with pytest.raises(ModelError, match="names of 40 bytes"):
        top.get_assets()


def test_paths_open_files_and_texts(tmp_path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    assert mjcf.from_file(path).is_same_as(mjcf.from_file(str(path), model_dir=tmp_path)) and mjcf.PREFIX_SEPARATOR == "/"
    assert str(mjcf.from_path(path).find("joint", "j")) == '<joint name="j"/>'


def test_one_attribute_as_it_is_written() -> None:
    top, child = mjcf.RootElement(model="top"), arm()
    top.attach(child)
    geom = child.find("geom", "g")
    geom.pos = [np.pi, 2, 1e-16]
    assert geom.get_attribute_xml_string("pos") == "3.141592653589793 2 1e-16"
    assert geom.get_attribute_xml_string("pos", precision=5) == "3.1416 2 1e-16"
    assert geom.get_attribute_xml_string("pos", precision=5, zero_threshold=1e-10) == "3.1416 2 0"
    assert geom.get_attribute_xml_string("rgba") is None
    motor = child.find("actuator", "m")
    assert [motor.get_attribute_xml_string("joint", scope) for scope in (None, child.namescope, top.namescope)] == ["j", "j", "arm/j"]
    assert motor.get_attribute_xml_string("name", top.namescope) == "arm/m"
    with pytest.raises(AttributeError, match="no attribute or child called 'poss'"):
        geom.get_attribute_xml_string("poss")


def test_small_numbers_may_be_written_as_zero(tmp_path) -> None:
    model = arm()
    model.find("geom", "g").pos = [1e-13, -1e-13, -0.5]
    assert 'pos="1e-13 -1e-13 -0.5"' in model.to_xml_string()
    assert 'pos="0 0 -0.5"' in model.to_xml_string(zero_threshold=1e-12)
    path = mjcf.export_with_assets(model, tmp_path, zero_threshold=1e-12)
    np.testing.assert_array_equal(mujoco.MjModel.from_xml_path(str(path)).geom("g").pos, [0, 0, -0.5])
    with pytest.raises(ModelError, match=r"zero_threshold: got -1.0; allowed: a number of at least 0"):
        model.to_xml_string(zero_threshold=-1.0)


@pytest.mark.parametrize("name", ["name", "type", "material", "dclass"])
def test_an_empty_text_resets(name) -> None:
    model = arm()
    model.asset.add("material", name="red")
    model.default.add("default", dclass="thick")
    geom = model.find("geom", "g")
    geom.set_attributes(type="sphere", material="red", dclass="thick")
    setattr(geom, name, "")
    assert getattr(geom, name) is None
    assert f'{name.removeprefix("d")}=""' not in model.to_xml_string()
    mujoco.MjModel.from_xml_string(model.to_xml_string())
    assert mjcf.from_xml_string('<mujoco><worldbody><geom name="" size=".1"/></worldbody></mujoco>').worldbody.geom[0].name is None


def test_an_empty_prefix_is_one() -> None:
    model = mjcf.from_xml_string('<mujoco><worldbody><body name="b"><geom size=".1"/></body><frame><attach body="b" prefix="x"/></frame></worldbody></mujoco>')
    attach = model.worldbody.frame[0].get_children("attach")[0]
    attach.prefix = ""
    assert attach.prefix == "" and 'prefix=""' in model.to_xml_string()


def test_keywords_in_any_case_are_written_as_mjcf_has_them() -> None:
    geom = arm().find("geom", "g")
    geom.type = "Capsule"
    geom.shellinertia = "TRUE"
    assert (geom.type, geom.shellinertia) == ("capsule", "true")


def test_what_is_required_is_an_attribute_error_too() -> None:
    model = arm()
    for given in (None, ""):
        exclude = model.contact.add("exclude", body1="b", body2="c")
        with pytest.raises(AttributeError, match=r"body1: got no value; allowed: a value, as it is required") as caught:
            exclude.body1 = given
        assert isinstance(caught.value, ModelError) and exclude.body1 is model.find("body", "b")
    with pytest.raises(AttributeError, match="got no body2; allowed: elements with every attribute that is required"):
        model.contact.add("exclude", body1="b")


def test_no_body_is_called_as_the_world_is() -> None:
    model = arm()
    with pytest.raises(ModelError, match="body 'b', name: got 'world'; allowed: another name"):
        model.find("body", "b").name = "world"
    model.find("geom", "g").name = "world"
    assert model.find("body", "world") is model.worldbody


def test_the_type_of_an_object_goes_with_it() -> None:
    model = arm()
    sensor = model.sensor.add("framepos", objname=model.find("geom", "g"), objtype="geom", reftype="site", refname=model.find("site", "s"))
    model.find("site", "s").remove()
    assert "reftype" not in model.to_xml_string() and (sensor.refname, sensor.reftype, sensor.objtype) == (None, None, "geom")
    mujoco.MjModel.from_xml_string(model.to_xml_string())
