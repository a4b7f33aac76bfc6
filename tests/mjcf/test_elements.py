"""Attributes and children: what is accepted, kept, refused, and what is left after an error."""

import copy
import subprocess
import sys

import numpy as np
import pytest

from newtonish import ModelError, mjcf
from newtonish.mjcf.language import names
from newtonish.mjcf.language.schema import schema
from newtonish.mjcf.language.vocabulary import ELEMENTS


@pytest.fixture
def root() -> mjcf.RootElement:
    return mjcf.RootElement(model="m")


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("pos", (1, 2, 3), [1.0, 2.0, 3.0]),
        ("pos", "1 2 3", [1.0, 2.0, 3.0]),
        ("pos", np.float32([1, 2, 3]), [1.0, 2.0, 3.0]),
        ("size", 2, [2.0]),
        ("condim", np.int64(4), 4),
        ("condim", 4.0, 4),
        ("shellinertia", True, "true"),
        ("shellinertia", "false", "false"),
        ("friction", [1, 2], [1.0, 2.0]),
        ("mass", np.float64(2.5), 2.5),
        ("mass", [2.5], 2.5),
        ("user", [], []),
    ],
)
def test_values_are_kept_in_one_form(root, name, value, kept) -> None:
    geom = root.worldbody.add("geom", size=[1])
    setattr(geom, name, value)
    np.testing.assert_array_equal(getattr(geom, name), kept)
    assert type(getattr(geom, name)) in (np.ndarray, float, int, str)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("pos", [1, 2], "got 2 values; allowed: 3 numbers"),
        ("pos", [1, 2, float("nan")], "got nan"),
        ("pos", [[1, 2, 3]], r"shape \(1, 3\)"),
        ("pos", ["a", "b", "c"], "a list; allowed: 3 numbers"),
        ("pos", "1 2 x", "not a number"),
        ("pos", True, "a bool"),
        ("pos", object(), "an? object|a object"),
        ("condim", 1.5, "whole number"),
        ("condim", 2**40, "32 bits"),
        ("mass", [1, 2], "got 2 values; allowed: one number"),
        ("type", "spheer", "'spheer'; allowed: one of plane.*did you mean 'sphere'"),
        ("type", 3, "a int; allowed: one of plane"),
        ("shellinertia", "yes", "allowed: true or false"),
        ("name", 5, "a int; allowed: text"),
        ("name", "a/b", "without '/'"),
        ("name", "a\x00b", "control character"),
        ("material", 3, "namespace 'material'"),
        ("mesh", "a/b", "without '/'"),
    ],
)
def test_wrong_values_say_what_is_allowed_and_change_nothing(root, name, value, message) -> None:
    geom = root.worldbody.add("geom", name="g", size=[1], pos=[0, 0, 1])
    before = geom.to_xml_string()
    with pytest.raises(ModelError, match=rf"geom 'g', {name}: .*{message}"):
        setattr(geom, name, value)
    assert geom.to_xml_string() == before


def test_several_attributes_are_set_together_or_not_at_all(root) -> None:
    geom = root.worldbody.add("geom", name="g", size=[1])
    with pytest.raises(ModelError):
        geom.set_attributes(name="h", mass=2.0, pos=[1])
    assert geom.name == "g" and geom.mass is None
    assert root.find("geom", "g") is geom and root.find("geom", "h") is None
    geom.set_attributes(name="h", mass=2.0, pos=None)
    assert list(geom.get_attributes()) == ["name", "size", "mass"]
    assert root.find("geom", "h") is geom and root.find("geom", "g") is None


def test_a_failed_add_leaves_nothing_behind(root) -> None:
    with pytest.raises(ModelError):
        root.worldbody.add("geom", name="g", size=[1, 2, 3, 4])
    with pytest.raises(AttributeError):
        root.worldbody.add("geom", name="g", sise=[1])
    assert len(root.worldbody.geom) == 0
    root.worldbody.add("geom", name="g", size=[1])
    with pytest.raises(AttributeError, match="did you mean 'geom'"):
        root.worldbody.add("geo")


def test_required_attributes(root) -> None:
    with pytest.raises(ModelError, match="element 'inertial': got no mass"):
        root.worldbody.add("body").add("inertial", pos=[0, 0, 0])
    with pytest.raises(ModelError, match="element 'default': got no dclass"):
        root.default.add("default")
    with pytest.raises(ModelError, match="no body1 and no body2"):
        root.contact.add("exclude")


def test_lists_of_children(root) -> None:
    for name in "abc":
        root.worldbody.add("body", name=name)
    bodies = root.worldbody.body
    root.worldbody.insert("body", 0, name="first")
    root.worldbody.insert("body", position=-1, name="last_but_one")
    assert [body.name for body in bodies] == ["first", "a", "b", "last_but_one", "c"]
    assert bodies[0].name == "first" and bodies[-1].name == "c" and len(bodies[1:3]) == 2
    assert "a" in bodies and bodies["a"] in bodies and "z" not in bodies
    with pytest.raises(KeyError, match="'z'"):
        bodies["z"]
    with pytest.raises(IndexError):
        bodies[9]
    del bodies["a"]
    del bodies[0]
    assert [body.name for body in bodies] == ["b", "last_but_one", "c"]
    assert root.find("body", "a") is None
    bodies.clear()
    assert len(bodies) == 0 and root.find_all("body") == []


def test_single_children(root) -> None:
    body = root.worldbody.add("body", name="b")
    assert body.inertial is None and body.freejoint is None
    inertial = body.add("inertial", pos=[0, 0, 0], mass=1)
    assert body.inertial is inertial
    with pytest.raises(ModelError, match="another 'inertial'; allowed: one at most"):
        body.add("inertial", pos=[0, 0, 0], mass=2)
    del body.inertial
    assert body.inertial is None
    root.option.flag.gravity = "disable"
    with pytest.raises(ModelError, match="another 'option'"):
        root.add("option", timestep=0.1)
    root.option.remove()
    assert root.option.flag.gravity is None and "option" not in root.to_xml_string()


def test_what_is_removed_is_out_for_good(root) -> None:
    body = root.worldbody.add("body", name="b")
    joint = body.add("joint", name="j")
    motor = root.actuator.add("motor", joint=joint)
    sensor = root.sensor.add("jointpos", joint=joint)
    body.remove()
    assert body.is_removed and joint.is_removed and root.find("joint", "j") is None and body.parent is None
    assert motor.joint is None, "a reference goes with what it referred to"
    with pytest.raises(ModelError, match="element 'jointpos': got no joint"):
        root.to_xml_string()
    sensor.remove()
    assert "motor" in root.to_xml_string()
    for change in (lambda: body.add("geom"), lambda: setattr(joint, "damping", 1), body.remove):
        with pytest.raises(ModelError, match="removal"):
            change()
    with pytest.raises(ModelError, match="removed"):
        motor.joint = joint
    with pytest.raises(ModelError, match="root"):
        root.remove()


def test_a_default_without_attributes_is_written_when_it_was_added(root) -> None:
    assert root.default.position.kp is None
    assert "default" not in root.to_xml_string(), "looking at a default does not make one"
    root.default.add("position")
    assert root.to_xml().find("default/default/position") is not None


def test_default_classes(root) -> None:
    stiff = root.default.add("default", dclass="stiff")
    stiff.joint.stiffness = 3
    joint = root.worldbody.add("body", name="b").add("joint", dclass=stiff)
    assert joint.dclass is stiff and joint.dclass == "stiff"
    stiff.dclass = "stiffer"
    assert joint.dclass == "stiffer" and root.find("default", "stiffer") is stiff
    with pytest.raises(ModelError, match="'main'"):
        root.default.dclass = "other"
    mjcf.commit_defaults(joint)
    np.testing.assert_array_equal(joint.stiffness, [3.0])


def test_objects_named_with_their_type(root) -> None:
    body = root.worldbody.add("body", name="b")
    sensor = root.sensor.add("framepos", objname=body)
    assert sensor.objtype == "body" and sensor.objname is body
    body.name = "c"
    assert 'objname="c"' in sensor.to_xml_string()
    site = body.add("site", name="s")
    by_name = root.sensor.add("framequat", objtype="site", objname="s", reftype="xbody", refname="c")
    assert by_name.objname is site and by_name.refname is body
    with pytest.raises(ModelError, match="namespace 'site'"):
        by_name.objname = body


def test_only_what_is_referred_to_gets_a_name(root) -> None:
    joint = root.worldbody.add("body").add("joint")
    root.worldbody.add("body").add("joint", name="unnamed_joint_0")
    assert "name" not in root.to_xml().find("worldbody/body/joint").attrib
    root.actuator.add("motor", joint=joint)
    assert root.to_xml().find("actuator/motor").get("joint") == "unnamed_joint_0_" == joint.full_identifier
    assert root.to_xml().find("worldbody/body/joint").get("name") == "unnamed_joint_0_"


def test_numbers_read_back_to_the_same_bits(root) -> None:
    values = [0.1, 1 / 3, 1e-300]
    body = root.worldbody.add("body", name="b", pos=values)
    again = mjcf.from_xml_string(root.to_xml_string()).find("body", "b")
    np.testing.assert_array_equal(again.pos, values)
    assert 'pos="0.1 0.333 1e-300"' in body.to_xml_string(precision=3)


def test_a_deep_tree_is_written_copied_and_compared(root) -> None:
    body = root.worldbody
    for _ in range(400):
        body = body.add("body", pos=[0, 0, 0.1])
    joint = body.add("joint", name="last")
    twin = copy.deepcopy(root)
    assert twin.is_same_as(root) and twin.to_xml_string() == root.to_xml_string()
    assert root.find_all("joint") == [joint] and len(root.find_all("body")) == 400


def test_no_attribute_hides_a_child_or_a_method() -> None:
    methods = {name for name in dir(mjcf.Element) if not name.startswith("_")}
    for kind in ELEMENTS:
        known = schema(kind)
        assert not set(known.attributes) & set(known.children), kind
        assert not (set(known.attributes) | set(known.children)) & methods, kind


def test_every_reference_leads_to_a_namespace() -> None:
    for kind in ELEMENTS:
        for name in schema(kind).attributes:
            fact = names.reference(kind, name)
            assert fact is None or fact[0] in names.NAMESPACES or fact[0] in ("@objtype", "@reftype"), (kind, name)


def test_the_object_model_needs_no_warp() -> None:
    code = "import sys, newtonish.mjcf; print([n for n in ('warp', 'scipy', 'trimesh') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
