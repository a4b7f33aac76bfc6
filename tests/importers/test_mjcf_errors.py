"""What is wrong with a file is said with its place, all at once, and leaves the builder as it was."""

from pathlib import Path

import pytest

from newtonish import ModelBuilder
from newtonish.errors import ImporterError, ModelError

BALL = '<geom size="0.1"/>'


def problems(text: str) -> list[str]:
    builder = ModelBuilder()
    with pytest.raises(ImporterError) as caught:
        builder.add_mjcf(text)
    assert builder.body_count == builder.shape_count == 0 and not builder.custom_attributes
    return caught.value.problems


@pytest.mark.parametrize("body, expected", [
    ('<worldbody><geom siez="1"/></worldbody>', ["<string>:2:18: ", "'siez'", "did you mean 'size'?"]),
    ("<worldbody><geon/></worldbody>", ["<string>:2:12: ", "'geon'", "did you mean 'geom'?"]),
    ('<worldbody><geom size="a"/></worldbody>', [":2:18:", "'a', which is not a number"]),
    ('<worldbody><geom size="1 2 3 4"/></worldbody>', ["4 values", "1 to 3 numbers"]),
    ('<worldbody><geom type="bal" size="1"/></worldbody>', ["'bal'", "sphere"]),
    ("<worldbody><geom/></worldbody>", ["size [0.0]", "one positive number"]),
    ('<worldbody><geom size="1" condim="2"/></worldbody>', ["1, 3, 4 or 6"]),
    ('<worldbody><geom size="1" quat="1 0 0 0" euler="1 2 3"/></worldbody>', ["quat and euler together"]),
    ('<worldbody><geom size="1" quat="0 0 0 0"/></worldbody>', ["a quaternion of length 0"]),
    ('<worldbody><geom size="1" class="q"/></worldbody>', ["'q'", "a default class"]),
    ('<worldbody><body childclass="q"/></worldbody>', ["'q'", "a default class"]),
    ('<default><default class="a"/><default class="a"/></default>', ["class 'a' again"]),
    ('<default class="b"/>', ["class 'b'", "'main'"]),
    ("<worldbody><body><joint/></body></worldbody>", ["mass 0", "moving body"]),
    (f'<worldbody><body><body><freejoint/>{BALL}</body></body></worldbody>', ["free joint below another body"]),
    (f'<worldbody><body><joint range="1 0" limited="true"/>{BALL}</body></worldbody>', ["two rising numbers"]),
    (f'<worldbody><body><joint axis="0 0 0"/>{BALL}</body></worldbody>', ["an axis of length 0"]),
    (f'<worldbody><body><joint type="ball"/><joint/>{BALL}</body></worldbody>', ["rotation after a ball joint"]),
    (f'<worldbody><body mocap="true"><joint/>{BALL}</body></worldbody>', ["mocap"]),
    ('<worldbody><joint/></worldbody>', ["'joint' in the world"]),
    ('<worldbody><body name="a"/><body name="a"/></worldbody>', ["name that is taken", ":2:12"]),
    ('<worldbody><replicate count="3"><joint/></replicate></worldbody>', ["'joint' directly in replicate"]),
    ('<asset><model name="m" file="x.xml"/></asset><worldbody><attach model="m" prefix="p"/></worldbody>', ["model 'm', file", "x.xml", "No such file"]),
    ('<asset><mesh name="m" file="no.stl"/></asset>', ["no.stl", "No such file"]),
    ('<asset><mesh name="m" file="no.xyz"/></asset>', ["format 'xyz'"]),
    ('<worldbody><geom type="mesh" mesh="m"/></worldbody>', ["'m'", "the name of a mesh asset"]),
    ('<actuator><motor/></actuator>', ["no target"]),
    ('<actuator><motor joint="j"/></actuator>', ["'j'", "the name of a joint"]),
    ('<contact><exclude body1="a" body2="world"/></contact>', ["'a'", "the name of a body"]),
    ('<compiler eulerseq="abc"/>', ["'abc'", "three of x y z X Y Z"]),
    ('<compiler coordinate="global"/>', ["'global'", "mj_saveLastXML"]),
    ('<option timestep="0"/>', ["time above zero"]),
    ('<keyframe><key qpos="1 2"/></keyframe>', ["2 numbers", "0 for this model"]),
    ('<worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body></worldbody>', ["sum of the others"]),
    ('<worldbody><body><inertial mass="1"/></body></worldbody>', ["no 'pos'"]),
])  # fmt: skip
def test_message(body: str, expected: list[str]) -> None:
    text = problems(f"<mujoco>\n{body}\n</mujoco>")[0]
    assert text.startswith("<string>:2:")
    assert all(part in text for part in expected), text


def test_everything_wrong_is_said_at_once() -> None:
    body = '<geom size="-1"/><geom size="1" condim="7"/><body><joint name="j"/></body>'
    assert len(problems(f"<mujoco><worldbody>{body}</worldbody></mujoco>")) == 3


@pytest.mark.parametrize("text, place", [
    ("<mujoco>\n  <worldbody>\n</mujoco>", ":3:"), ("<mujoco", ":1:"), ("<mujoco><a b='1' b='2'/></mujoco>", ":1:"),
    ("<mujoco/><mujoco/>", ":1:"), ("<mujoco>&what;</mujoco>", ":1:"), ("<a/>", ":1:1:"),
    ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco>&a;</mujoco>', ":1:1:"), ("<?xml version='1.0'?>", "<string>"),
])  # fmt: skip
def test_broken_xml(text: str, place: str) -> None:
    assert place in problems(text)[0]


def test_comments_as_mujoco_reads_them() -> None:
    builder = ModelBuilder()
    builder.add_mjcf('\n <!-- a -- b --> <mujoco><!-- <geom/> --><worldbody><geom size="1"/></worldbody></mujoco>')
    assert builder.shape_count == 1


@pytest.mark.parametrize("path", ["nowhere.xml", "", "a\0b", "x" * 5000])
def test_missing_file(path: str) -> None:
    assert "no such file" in problems(path)[0]


def test_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"<mujoco>\n\xff\xfe</mujoco>")
    assert "a.xml:2: text: got bytes that are not utf-8" in problems(str(tmp_path / "a.xml"))[0]


@pytest.mark.parametrize("include, expected", [
    ('<include file="a.xml"/>', "a file that is already in"),
    ('<include file="b.xml"/><include file="b.xml"/>', "a file that is already in"),
    ('<include file="c.xml"/>', "a file that is already in"),
    ('<include file="none.xml"/>', "No such file"),
    ("<include/>", "no 'file'"),
    ('<include file="empty.xml"/>', "an empty file"),
    ('<include file="bad.xml"/>', "bad.xml:2:"),
])  # fmt: skip
def test_include(tmp_path: Path, include: str, expected: str) -> None:
    (tmp_path / "a.xml").write_text(f"<mujoco>\n  {include}\n</mujoco>")
    (tmp_path / "b.xml").write_text('<mujoco><option timestep="1"/></mujoco>')
    (tmp_path / "c.xml").write_text('<mujoco><include file="c.xml"/><option/></mujoco>')
    (tmp_path / "empty.xml").write_text("<mujoco/>")
    (tmp_path / "bad.xml").write_text("<mujoco>\n<worldbody></mujoco>")
    text = problems(str(tmp_path / "a.xml"))[0]
    assert expected in text and ".xml:" in text


def test_problem_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<mujoco><worldbody><include file="b.xml"/></worldbody></mujoco>')
    (tmp_path / "b.xml").write_text('<mujocoinclude>\n\n   <geom size="1" colour="2"/></mujocoinclude>')
    assert f"{tmp_path / 'b.xml'}:3:19: " in problems(str(tmp_path / "a.xml"))[0]


def test_wrong_arguments() -> None:
    with pytest.raises(ModelError, match="parent_body"):
        ModelBuilder().add_mjcf("<mujoco/>", parent_body=3)
    with pytest.raises(ModelError, match="xform"):
        ModelBuilder().add_mjcf("<mujoco/>", xform=(1.0, 2.0))
    with pytest.raises(ImporterError, match="ignore_names"):
        ModelBuilder().add_mjcf("<mujoco/>", ignore_names=["("])
    with pytest.raises(ImporterError, match="visual_classes"):
        ModelBuilder().add_mjcf("<mujoco/>", visual_classes=["("])
