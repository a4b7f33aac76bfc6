"""What PyMJCF's guide says, program by program, in our own models."""

import copy

import mujoco
import numpy as np
import pytest

from newtonish import ModelError, mjcf

CREATURE = """<mujoco model="test">
  <default>
    <default class="brick"><geom rgba="1 0 0 1"/></default>
  </default>
  <worldbody>
    <body name="foo">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <body name="bar">
        <joint name="my_hinge" type="hinge"/>
        <geom name="my_geom" pos="0 1 2" size="0.1" class="brick"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


class Arm:
    """An upper arm and a forearm."""

    def __init__(self, name: str) -> None:
        self.mjcf_model = mjcf.RootElement(model=name)
        self.upper = self.mjcf_model.worldbody.add("body", name="upper")
        self.shoulder = self.upper.add("joint", name="shoulder", type="ball")
        self.upper.add("geom", name="upper", type="capsule", pos=[0, 0, -0.15], size=[0.045, 0.15])
        self.forearm = self.upper.add("body", name="forearm", pos=[0, 0, -0.3])
        self.elbow = self.forearm.add("joint", name="elbow", type="hinge", axis=[0, 1, 0])
        self.forearm.add("geom", name="forearm", type="capsule", pos=[0, 0, -0.15], size=[0.045, 0.15])
        self.mjcf_model.actuator.add("motor", name="bend", joint=self.elbow)


@pytest.fixture
def model() -> mjcf.RootElement:
    return mjcf.from_xml_string(CREATURE)


def test_an_empty_model_and_a_first_element() -> None:
    root = mjcf.RootElement()
    assert repr(root) == "MJCF Element: <mujoco/>"
    box = root.worldbody.add("geom", name="my_box", type="box", pos=[0, 0.1, 0])
    assert repr(box) == 'MJCF Element: <geom name="my_box" type="box" pos="0 0.1 0"/>'
    assert isinstance(root, mjcf.Element) and isinstance(box, mjcf.Element)
    with pytest.raises(TypeError, match="RootElement"):
        mjcf.Element()


def test_reading_from_path_file_and_text(tmp_path) -> None:
    path = tmp_path / "creature.xml"
    path.write_text(CREATURE)
    with open(path) as handle:
        from_file = mjcf.from_file(handle)
    from_path, from_text = mjcf.from_path(path), mjcf.from_xml_string(CREATURE)
    assert isinstance(from_path, mjcf.RootElement) and from_path.model == "test"
    assert from_path.is_same_as(from_file) and from_path.is_same_as(from_text)
    from_text.find("geom", "my_geom").pos = [0, 1, 2.5]
    assert not from_path.is_same_as(from_text)


def test_children_and_attributes_are_python_attributes(model) -> None:
    geom = model.worldbody.body["foo"].body["bar"].geom["my_geom"]
    assert geom.name == "my_geom" and geom.dclass == getattr(geom, "class") == "brick"
    np.testing.assert_array_equal(geom.pos, [0.0, 1.0, 2.0])
    assert geom.pos.dtype == float
    np.testing.assert_array_equal(model.default.default["brick"].geom.rgba, [1, 0, 0, 1])
    assert geom.rgba is None, "values of an element are its own, whatever its class says"
    assert geom.quat is None and geom.condim is None


def test_finding(model) -> None:
    assert model.find("geom", "my_geom") is model.worldbody.body["foo"].body["bar"].geom["my_geom"]
    assert model.find("geom", "nothing") is None
    joints = model.find_all("joint")
    assert joints == [model.worldbody.body["foo"].freejoint, model.worldbody.body["foo"].body["bar"].joint[0]]
    assert [body.name for body in model.find_all("body")] == ["foo", "bar"]
    assert model.worldbody.find_all("body", immediate_children_only=True) == list(model.worldbody.body)
    with pytest.raises(ValueError, match=r"'joints'.*allowed:.*did you mean 'joint'"):
        model.find_all("joints")


def test_attributes_change_and_go(model) -> None:
    geom = model.find("geom", "my_geom")
    geom.pos = [1, 2, 3]
    geom.quat = [0, 1, 0, 0]
    np.testing.assert_array_equal(geom.pos, [1.0, 2.0, 3.0])
    del geom.quat
    assert geom.quat is None
    geom.type = "capsule"
    model.find("joint", "my_hinge").range = [-1, 1]
    assert geom.type == "capsule"


def test_what_the_schema_forbids(model) -> None:
    geom = model.find("geom", "my_geom")
    with pytest.raises(AttributeError, match=r"geom 'my_geom': got no attribute or child called 'poss'.*did you mean 'pos'"):
        geom.poss  # noqa: B018
    with pytest.raises(ValueError, match=r"geom 'my_geom', pos: got 'invalid'.*allowed: 3 numbers"):
        geom.pos = "invalid"
    with pytest.raises(ValueError, match="got 6 values; allowed: 3 numbers"):
        geom.pos = [1, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match="mass: got no value; allowed: a value, as it is required"):
        del model.find("body", "foo").inertial.mass
    np.testing.assert_array_equal(geom.pos, [0.0, 1.0, 2.0])


def test_names_differ_within_their_namespace(model) -> None:
    foo = model.worldbody.find("body", "foo")
    with pytest.raises(ValueError, match="'my_geom' again"):
        foo.add("geom", name="my_geom", size=[1])
    foo.add("geom", name="foo", size=[1])
    with pytest.raises(ValueError, match="'my_geom' again"):
        model.find("geom", "foo").name = "my_geom"
    assert model.find("geom", "foo").name == "foo"
    model.actuator.add("position", name="act", joint="my_hinge")
    with pytest.raises(ValueError, match="'act' again"):
        model.actuator.add("velocity", name="act", joint="my_hinge")


def test_references_follow_a_renamed_element(model) -> None:
    hinge = model.find("joint", "my_hinge")
    actuator = model.actuator.add("velocity", joint=hinge)
    by_name = model.actuator.add("velocity", joint="my_hinge")
    assert actuator.joint is hinge and by_name.joint is hinge
    hinge.name = "renamed"
    assert 'joint="renamed"' in actuator.to_xml_string() and 'joint="renamed"' in by_name.to_xml_string()
    assert model.find("joint", "my_hinge") is None and model.find("joint", "renamed") is hinge
    model.actuator.add("velocity", name="later", joint="not_yet")
    assert model.find("actuator", "later").joint == "not_yet"
    with pytest.raises(ValueError, match="without '/'"):
        model.actuator.add("velocity", joint="a/b")


def test_two_arms_on_one_body() -> None:
    body = mjcf.RootElement()
    body.worldbody.add("geom", name="torso", type="box", size=[0.15, 0.045, 0.25])
    arms = {}
    for name, x in (("left_arm", -0.15), ("right_arm", 0.15)):
        site = body.worldbody.add("site", size=[1e-6] * 3, pos=[x, 0, 0.25])
        arms[name] = Arm(name)
        site.attach(arms[name].mjcf_model)
    assert arms["left_arm"].elbow.full_identifier == "left_arm/elbow"
    compiled = mujoco.MjModel.from_xml_string(body.to_xml_string())
    assert [compiled.joint(i).name for i in range(4)] == [
        "left_arm/shoulder", "left_arm/elbow", "right_arm/shoulder", "right_arm/elbow",
    ]  # fmt: skip
    assert [compiled.actuator(i).name for i in range(2)] == ["left_arm/bend", "right_arm/bend"]
    np.testing.assert_allclose(compiled.body("right_arm/").pos, [0.15, 0, 0.25])


def test_the_attachment_frame() -> None:
    parent = mjcf.from_xml_string("""<mujoco model="parent"><worldbody><body>
        <geom name="foo" type="box" pos="-0.2 0 0.3" size="0.5 0.3 0.1"/>
        <site name="attachment_site" pos="1 2 3" quat="1 0 0 1"/></body></worldbody></mujoco>""")
    child = mjcf.from_xml_string("""<mujoco model="child"><worldbody>
        <geom name="bar" type="box" pos="0.5 0.25 1" size="0.1 0.2 0.3"/></worldbody></mujoco>""")
    frame = parent.find("site", "attachment_site").attach(child)
    compiled = mujoco.MjModel.from_xml_string(parent.to_xml_string())
    assert compiled.geom("child/bar").bodyid[0] == compiled.body("child/").id
    np.testing.assert_allclose(compiled.body("child/").pos, [1, 2, 3])
    np.testing.assert_allclose(compiled.body("child/").quat, np.array([1, 0, 0, 1]) / np.sqrt(2))
    assert parent.find("attachment_frame", "child") is frame
    assert mjcf.traversal_utils.get_attachment_frame(child) is frame
    assert frame not in list(parent.worldbody.body[0].body), "it is no body of the parent's"
    with pytest.raises(AttributeError, match="'geom'"):
        frame.add("geom", size=[1])


def test_a_free_joint_on_the_frame() -> None:
    arena, robot = mjcf.RootElement(model="arena"), mjcf.from_xml_string(CREATURE.replace("<freejoint/>", ""))
    arena.worldbody.add("geom", name="ground", type="plane", size=[10, 10, 1])
    frame = arena.attach(robot)
    frame.add("freejoint")
    frame.add("inertial", pos=[0, 0, 0], mass=1, diaginertia=[1, 1, 1])
    assert mjcf.get_frame_freejoint(robot) is frame.freejoint
    assert mujoco.MjModel.from_xml_string(arena.to_xml_string()).nv == 7
    frame.freejoint.remove()
    hinge = frame.add("joint", name="turn", axis=[0, 0, 1])
    assert mjcf.get_frame_joints(robot) == [hinge] and mjcf.get_frame_freejoint(robot) is None
    assert mujoco.MjModel.from_xml_string(arena.to_xml_string()).joint("test/turn/").axis[2] == 1


def test_defaults_end_where_their_model_ends() -> None:
    parent = mjcf.from_xml_string("""<mujoco model="parent"><default><geom rgba="1 0 0 1"/>
        <default class="green"><geom rgba="0 1 0 1"/></default></default>
        <worldbody><geom name="red" size="1"/><geom name="green" class="green" size="1"/></worldbody></mujoco>""")
    child = mjcf.from_xml_string("""<mujoco model="child"><default><joint range="0 1"/>
        <default class="stiff"><joint stiffness="0.1"/></default></default>
        <worldbody><geom name="plain" size="1"/><body name="b"><joint name="j" class="stiff"/><geom size="1"/></body>
        </worldbody></mujoco>""")
    parent.attach(child)
    xml = parent.to_xml()
    classes = {node.get("class"): node.getparent().get("class") for node in xml.iter("default") if node.get("class")}
    assert classes == {"/": None, "green": "/", "child/": None, "child/stiff": "child/"}
    assert len(xml.find("default")) == 2, "nothing stands in the global default class"
    np.testing.assert_array_equal(parent.default.geom.rgba, [1, 0, 0, 1])
    compiled = mujoco.MjModel.from_xml_string(parent.to_xml_string())
    colours = {name: tuple(compiled.geom(name).rgba) for name in ("red", "green", "child/plain")}
    assert colours == {"red": (1, 0, 0, 1), "green": (0, 1, 0, 1), "child/plain": (0.5, 0.5, 0.5, 1)}
    assert compiled.joint("child/j").stiffness[0] == 0.1


def test_options_that_disagree() -> None:
    one, other = mjcf.RootElement(model="one"), mjcf.RootElement(model="other")
    one.compiler.angle, other.compiler.angle = "radian", "degree"
    with pytest.raises(ValueError, match="compiler, angle: got 'degree' in model 'other' and 'radian' in 'one'"):
        one.attach(other)
    assert one.find_all("attachment_frame") == []
    del one.compiler.angle
    one.attach(other)
    assert one.to_xml().find("compiler").get("angle") == "degree"


def test_a_model_is_attached_once() -> None:
    arena, arm = mjcf.RootElement(model="arena"), Arm("arm").mjcf_model
    arena.attach(arm)
    with pytest.raises(ModelError, match=r"which is attached to 'arena'.*deep copy"):
        mjcf.RootElement(model="another").attach(arm)
    twin = copy.deepcopy(arm)
    assert twin.parent_model is None and twin.is_same_as(arm) and twin is not arm
    with pytest.raises(ModelError, match="a second model 'arm'"):
        arena.attach(twin)
    twin.model = "twin"
    arena.attach(twin)
    assert twin.find("actuator", "bend").joint is twin.find("joint", "elbow")
    assert mujoco.MjModel.from_xml_string(arena.to_xml_string()).actuator("twin/bend").id == 1
