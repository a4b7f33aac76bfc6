"""add_mjcf's arguments, its report, its warnings, and copies of what it wrote."""

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_compare import close, close_quat, column, load, w_first
from paths import OWN

from newtonish import ModelBuilder
from newtonish.errors import NewtonishWarning
from newtonish.model.enums import ShapeFlags

MODEL = """<mujoco model="m">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 0.5"/>
    <site name="s"/>
    <camera name="c"/>
    <body name="arm" pos="1 0 0">
      <joint name="j" axis="0 1 0"/>
      <geom name="look" size="0.1" contype="0" conaffinity="0"/>
      <geom name="touch" size="0.2" material="red"/>
      <inertial pos="0 0 1" mass="3" diaginertia="1 1 1"/>
      <body name="loose_not"/>
    </body>
    <body name="loose" pos="0 0 2"><freejoint/><geom size="0.1"/></body>
  </worldbody>
  <asset><material name="red" rgba="1 0 0 0.5"/></asset>
  <extension><plugin plugin="a"/><plugin plugin="b"/></extension>
  <sensor><plugin plugin="a"/></sensor>
</mujoco>"""


def test_report_and_warnings() -> None:
    builder = ModelBuilder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = builder.add_mjcf(MODEL)
    texts = sorted(str(w.message) for w in caught if w.category is NewtonishWarning)
    assert len(texts) == 2
    assert any(t.startswith("<string>:16:14: extension") and "(2 in all)" in t for t in texts)
    assert all(w.filename == __file__ for w in caught)
    assert builder.import_reports == [report]
    assert [str(e) for e in report.kept][:3] == ["bodies: 3", "free joints: 1", "hinge joints: 1"]
    assert sorted(e.location.line for e in report.ignored if e.location) == [16, 16, 17]
    assert "cameras: 1" in str(report) and [(c.fate, len(c.places)) for c in report.contents if (c.element, c.attribute) == ("material", "")] == [("kept", 1)]


@pytest.mark.parametrize("argument, shapes", [
    ({}, ["floor", "s", "look", "touch", "geom3"]), ({"parse_sites": False}, ["floor", "look", "touch", "geom3"]),
    ({"parse_visuals": False}, ["floor", "s", "touch", "geom3"]),
    ({"ignore_names": ["to", "lo"]}, ["floor", "s"]),
])  # fmt: skip
def test_what_is_read(argument: dict, shapes: list[str]) -> None:
    assert list(load(MODEL, **argument).shape_label) == shapes


def test_hidden_visuals_and_colours() -> None:
    builder = load(MODEL, hide_visuals=True)
    shape = list(builder.shape_label).index
    assert not builder.shape_flags[shape("look")] & ShapeFlags.VISIBLE
    assert builder.shape_flags[shape("touch")] & ShapeFlags.VISIBLE
    assert list(builder.shape_color[shape("touch")]) == [1, 0, 0] and builder.shape_opacity[shape("touch")] == 0.5


def test_inertia_from_geoms() -> None:
    assert load(MODEL).body_mass[0] == 3
    assert load(MODEL, ignore_inertial_definitions=True).body_mass[0] == pytest.approx(4000 / 3 * np.pi * 0.009)


def test_options_left_out() -> None:
    text = '<mujoco><option timestep="0.5" gravity="0 0 -1"/></mujoco>'
    assert column(load(text), "mujoco:timestep")[0] == 0.5
    plain = load(text, parse_mujoco_options=False)
    assert column(plain, "mujoco:timestep")[0] == 0.002 and plain.gravity[2] == pytest.approx(-9.81)


def test_place_in_the_world() -> None:
    half = np.sqrt(0.5)
    builder = load(MODEL, xform=((1.0, 2.0, 3.0), (0.0, 0.0, half, half)))
    poses = w_first(builder.body_q)
    close(poses[:, :3], [[1, 3, 3], [1, 3, 3], [1, 2, 5]], "moved bodies")
    close_quat(poses[:, 3:], [[half, 0, 0, half]] * 3, "turned bodies")
    close(builder.joint_q[-7:], [1, 2, 5, 0, 0, half, half], "free joint")
    close(np.array(builder.shape_transform)[0][:3], [1, 2, 3.5], "floor")


def test_part_of_another_body() -> None:
    builder = ModelBuilder()
    base = builder.add_body(xform=((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0)), mass=1.0, label="base")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(MODEL.replace("<freejoint/>", ""), parent_body=base)
    close(w_first(builder.body_q)[1:, :3], [[1, 0, 5], [1, 0, 5], [0, 0, 7]], "bodies")
    assert list(builder.joint_parent)[1:] == [base, 1, base]
    assert builder.shape_body[0] == base


def test_two_files_in_unequal_worlds() -> None:
    builder = ModelBuilder()
    first, second = load(OWN / "mjcf_tree.xml"), load(OWN / "mjcf_defaults.xml")
    builder.add_world(first)
    builder.add_world(second, label_prefix="second")
    builder.add_world(first)
    counts = builder._custom_frequency_counts
    assert counts["mujoco:actuator"] == 7 + 9 + 7 and counts["mujoco:keyframe"] == 4
    targets = column(builder, "mujoco:actuator_trnid")
    kinds = column(builder, "mujoco:actuator_trntype")
    dofs = first.joint_dof_count + second.joint_dof_count
    shift = targets[16:] - targets[:7]
    own = np.array([builder.shape_count - first.shape_count, 0])
    for kind, moved in zip(kinds[:7], shift):
        assert moved.tolist() == {0: [dofs, 0], 1: [dofs, 0], 2: [3, 0], 3: own.tolist()}[kind]
    assert column(builder, "mujoco:actuator_world").tolist() == [0] * 7 + [1] * 9 + [2] * 7
    assert column(builder, "mujoco:tolerance").tolist() == [1e-9, 1e-8, 1e-9]
    first_key, last_key = column(builder, "mujoco:key_qpos_adr")[[0, 2]]
    pool = column(builder, "mujoco:key_value")
    assert last_key != first_key
    close(pool[last_key : last_key + 7], pool[first_key : first_key + 7], "keyframe values")


def test_registering_twice_changes_nothing() -> None:
    builder = load(MODEL)
    before = set(builder.custom_attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(MODEL)
    assert set(builder.custom_attributes) == before and builder.body_count == 6


def test_files_given_by_a_function() -> None:
    files = {"part.xml": '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>'}
    text = '<mujoco><include file="part.xml"/></mujoco>'
    builder = load(text, path_resolver=lambda folder, name: files[name])
    assert builder.shape_count == 1


def test_path_objects_and_encodings(tmp_path: Path) -> None:
    path = tmp_path / "ü.xml"
    path.write_bytes('<?xml version="1.0" encoding="utf-16"?><mujoco model="ü"/>'.encode("utf-16"))
    builder = ModelBuilder()
    builder.add_mjcf(path)
    assert builder.import_reports[0].source == str(path)


def test_finalizes() -> None:
    model = load(OWN / "mjcf_tree.xml").finalize("cpu")
    m = mujoco.MjModel.from_xml_path(str(OWN / "mjcf_tree.xml"))
    assert model.joint_dof_count == m.nv and len(model.mujoco.actuator_label) == m.nu
