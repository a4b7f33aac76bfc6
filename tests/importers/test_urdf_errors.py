"""What is wrong with a URDF file is said once, all of it, with places; what is not read is warned of once a kind."""

import warnings

import pytest
from urdf_rigs import add, inertial, joint, link, robot

import newtonish as nt
from newtonish.errors import ImporterError

A, B, C = link("a"), link("b"), link("c")
J = joint("j", "a", "b")

REFUSED = {
    "link twice": (robot(A, B, A, J), r":4:1: link 'a': got the name 'a' again, first at line 2"),
    "joint twice": (robot(A, B, C, J, joint("j", "b", "c")), r":6:1: joint 'j': got the name 'j' again"),
    "unknown child": (robot(A, joint("j", "a", "x")), r":3:\d+: joint 'j': got child link 'x', which is not there"),
    "unknown parent": (robot(A, joint("j", "x", "a")), "parent link 'x', which is not there"),
    "two parents": (robot(A, B, C, J, joint("k", "c", "b")), "child link 'b', which joint 'j' places already"),
    "cycle": (robot(A, B, J, joint("k", "b", "a")), r"a cycle without a root: (a -> b -> a|b -> a -> b)"),
    "cycle beside a root": (robot(A, B, C, joint("j", "b", "c"), joint("k", "c", "b")), "a cycle without a root"),
    "self": (robot(A, joint("j", "a", "a")), "a cycle without a root: a -> a"),
    "several roots": (robot(A, B, C, J), r":4:1: robot 'r': got several roots: links 'a', 'c'; allowed: one link"),
    "no links": ('<robot name="r"/>', "no link; allowed: at least one"),
    "no link name": (robot("<link/>"), "element 'link': got no name"),
    "no joint type": (robot(A, B, J.replace('type="revolute"', "")), "joint 'j': got no type; allowed: revolute, continuous"),
    "joint type": (robot(A, B, joint("j", "a", "b", "ball")), "type 'ball'"),
    "no child": (robot(A, B, '<joint name="j" type="fixed"><parent link="a"/></joint>'), "no child link"),
    "bad number": (robot(A, B, joint("j", "a", "b", inside='<origin xyz="0 x 0"/>')), r":4:\d+: joint 'j', origin, xyz: got '0 x 0'; allowed: 3 finite numbers not beyond 1e"),
    "two numbers": (robot(A, B, joint("j", "a", "b", inside='<origin rpy="0 0"/>')), "rpy: got '0 0'"),
    "infinite": (robot(link("a", inertial(float("inf")))), "mass, value: got 'inf'"),
    "xacro": (robot(link("a", '<inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')), "expand the file with xacro"),
    "negative mass": (robot(link("a", inertial(-1.0))), "link 'a', inertial, mass: got -1 kg"),
    "no inertia": (robot(link("a", '<inertial><mass value="1"/></inertial>')), "inertial: got no 'inertia'"),
    "no moment": (robot(link("a", inertial(1.0, 'ixx="1" iyy="1"'))), "no 'izz'"),
    "zero axis": (robot(A, B, joint("j", "a", "b", inside='<axis xyz="0 0 0"/>')), "axis: got an axis of length 0"),
    "limits": (robot(A, B, joint("j", "a", "b", inside='<limit lower="1" upper="-1"/>')), "limit: got 1 to -1"),
    "negative damping": (robot(A, B, joint("j", "a", "b", inside='<dynamics damping="-1"/>')), "damping: got -1"),
    "no geometry": (robot(link("a", "<collision/>")), "collision: got no geometry"),
    "two shapes": (robot(link("a", '<collision><geometry><sphere radius="1"/><sphere radius="1"/></geometry></collision>')), "got 2 shapes"),
    "no size": (robot(link("a", "<collision><geometry><box/></geometry></collision>")), "box: got no 'size'"),
    "negative size": (robot(link("a", '<visual><geometry><sphere radius="-1"/></geometry></visual>')), "a size that is not positive"),
    "zero scale": (robot(link("a", '<visual><geometry><mesh filename="x.stl" scale="1 0 1"/></geometry></visual>')), "factors other than zero"),
    "colour": (robot('<material name="m"><color rgba="1 0"/></material>', A), "material 'm', color, rgba: got '1 0'"),
    "huge": (robot(link("a", '<collision><geometry><box size="1e9 1e9 1e9"/></geometry></collision>')), "link 'a': got a mass or inertia that is too large"),
    "mjcf": ("<mujoco/>", "element 'mujoco': got as the root; allowed: 'robot'; use add_mjcf"),
    "entities": ('<!DOCTYPE r [<!ENTITY x "y">]><robot name="r"/>', "a declaration of entities"),
    "xml": ('<robot name="r">\n<link name="a">', r"<string>:2:\d+: XML"),
    "option": (robot(A, '<mujoco><option timestep="-1"/></mujoco>'), "option, timestep: got -1"),
    "compiler": (robot(A, '<mujoco><compiler balanceinertia="yes"/></mujoco>'), "balanceinertia: got 'yes'; allowed: true or false"),
    "deep": (robot(link("a", "<q>" * 1500 + "</q>" * 1500)), "more than 500 levels deep"),
    "two extensions": (robot(A, "<mujoco/><mujoco/>"), "element 'mujoco': got a second one"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    text, reason = REFUSED[case]
    builder = nt.ModelBuilder()
    with pytest.raises(ImporterError, match=reason):
        add(text, builder)
    assert builder.body_count == builder.shape_count == builder.joint_count == 0


def test_everything_is_said_at_once_in_order_of_the_text(tmp_path) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(robot(
        link("a", inertial(-1.0)), link("b", '<collision><geometry><mesh filename="gone.stl"/></geometry></collision>'), link("b"),
        joint("j", "a", "x"), joint("k", "a", "b", inside='<axis xyz="0 0 0"/>'),
    ), encoding="utf-8")  # fmt: skip
    with pytest.raises(ImporterError) as caught:
        add(path)
    assert len(caught.value.problems) == 5
    for text in ("bad.urdf:2:", "bad.urdf:3:", "bad.urdf:4:", "bad.urdf:5:", "bad.urdf:6:"):
        assert text in str(caught.value)


@pytest.mark.parametrize(
    "source, reason", [("gone.urdf", "no such file"), ("", "no such file"), ("tests", "a folder"), ("x" * 5000, "a name|no such"), ("a\0b", "a name|no such")]
)
def test_sources_that_are_no_file(source: str, reason: str) -> None:
    with pytest.raises(ImporterError, match=reason):
        add(source)


WORDS = (
    '<link name="x" color="red"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><weight/></link>',
    '<link name="y" color="blue"/>',
    joint("j", "x", "y", "fixed", '<safety_controller k_velocity="1"/><calibration rising="0"/>'),
    '<transmission name="t"><type>x</type></transmission><transmission name="u"/><gazebo/>',
    '<mujoco><compiler meshdirr="m" angle="degree" fitaabb="true"/><worldbody/></mujoco>',
)


def test_what_is_not_read_is_warned_of_once_a_kind() -> None:
    builder = nt.ModelBuilder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = builder.add_urdf(robot(*WORDS))
    texts = [str(entry.message) for entry in caught]
    for expected in (
        "<string>:2:16: link 'x', color: an undeclared attribute has no effect; known are name (2 in all)",
        "element 'weight': an undeclared element in 'link' has no effect",
        "element 'safety_controller': has no effect",
        "transmission 't': has no effect: joints are driven by their targets",
        "element 'gazebo': has no effect",
        "compiler, meshdirr: an undeclared attribute has no effect; did you mean 'meshdir'?",
        "compiler, fitaabb: is not simulated for URDF files",
        "worldbody': has no effect in a URDF file",
    ):
        assert sum(expected in text for text in texts) == 1, (expected, texts)
    assert len(texts) == 8
    ignored = [str(entry) for entry in report.ignored]
    assert any("calibration" in line for line in ignored) and any("compiler, angle" in line for line in ignored)
    assert sum("color" in line for line in ignored) == 2


def test_options_of_the_extension() -> None:
    text = robot(A, '<mujoco><option timestep="0.01" gravity="0 0 -1" integrator="RK4"><flag contact="disable"/></option><size nuserdata="3"/></mujoco>')
    model = add(text).finalize(device="cpu")
    assert float(model.mujoco.timestep.numpy()[0]) == pytest.approx(0.01) and int(model.mujoco.integrator.numpy()[0]) == 1
    assert model.gravity.numpy()[0] == pytest.approx([0, 0, -1])
    plain = add(robot(A, "<mujoco><compiler/></mujoco>"))
    assert not plain.custom_attributes  # nothing is said, nothing is changed


def test_the_report_counts_every_element_and_attribute() -> None:
    report = add(robot(*WORDS)).import_reports[0]
    found = {(entry.element, entry.attribute): (entry.fate, len(entry.places)) for entry in report.contents}
    assert found["link", ""] == ("kept", 2) and found["mass", "value"] == ("kept", 1)
    assert found["link", "color"] == ("ignored", 2) and found["transmission", ""] == ("ignored", 2) and found["type", ""] == ("ignored", 1)
    seen = add(robot(link("a", inertial() + '<visual><geometry><sphere radius="1"/></geometry></visual>')), ignore_inertial_definitions=True)
    fates = {entry.element: entry.fate for entry in seen.import_reports[0].contents if not entry.attribute}
    assert fates["inertial"] == fates["mass"] == "ignored" and fates["visual"] == fates["sphere"] == "kept"
