"""URDF links: inertials, shapes, meshes and where they are found, colours, massless links."""

import re
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from urdf_rigs import add, inertial, joint, link, robot, tensor

import newtonish as nt
from newtonish.errors import ImporterError, NewtonishWarning
from newtonish.model.enums import GeoType, ShapeFlags

FULL = 'ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="1.9"'
TURNED = 'xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.5"'
IMPOSSIBLE = 'ixx="1" ixy="0.1" ixz="0" iyy="1.5" iyz="0" izz="5"'


def moving(inside: str, settings: str = "") -> str:
    extension = f"<mujoco><compiler {settings}/></mujoco>" if settings else ""
    return robot(link("base"), link("tip", inside), joint("j", "base", "tip"), extension)


def geometry(shape: str, tag: str = "collision", inside: str = "") -> str:
    return f"<{tag}>{inside}<geometry>{shape}</geometry></{tag}>"


def of_tip(builder: nt.ModelBuilder) -> tuple[float, np.ndarray, np.ndarray]:
    return builder.body_mass[1], np.array(builder.body_com[1]), np.array(builder.body_inertia[1]).reshape(3, 3)


@pytest.mark.parametrize("inside, settings", [
    (inertial(2.0, FULL, TURNED), ""),
    (inertial(2.0, IMPOSSIBLE, TURNED), 'balanceinertia="true"'),
    (inertial(2.0, FULL, TURNED), 'boundmass="3" boundinertia="1.4"'),
    (inertial(2.0, FULL, TURNED), 'settotalmass="5"'),
    (inertial(2.0, FULL, TURNED) + geometry('<box size="0.1 0.2 0.3"/>', inside=f"<origin {TURNED}/>"), 'inertiafromgeom="true"'),
    (geometry('<box size="0.1 0.2 0.3"/>', inside=f"<origin {TURNED}/>") + geometry('<sphere radius="0.1"/>'), ""),
    (geometry('<cylinder radius="0.1" length="0.5"/>', inside=f"<origin {TURNED}/>"), ""),
    (geometry('<capsule radius="0.1" length="0.5"/>', inside=f"<origin {TURNED}/>"), ""),
])  # fmt: skip
def test_mass_properties_equal_mujocos(inside: str, settings: str) -> None:
    text = moving(inside, settings)
    mass, com, inertia = of_tip(add(text))
    model = mujoco.MjModel.from_xml_string(text)
    assert mass == pytest.approx(model.body_mass[1], rel=1e-9)
    np.testing.assert_allclose(com, model.body_ipos[1], atol=1e-9)
    np.testing.assert_allclose(inertia, tensor(model, 1), rtol=1e-6, atol=1e-9)


def test_an_inertia_that_no_body_can_have() -> None:
    text = moving(inertial(1.0, IMPOSSIBLE, TURNED))
    builder = nt.ModelBuilder()
    builder.balance_inertia = False
    with pytest.raises(ImporterError, match=r":\d+:\d+: link 'tip', inertia: got principal .* the sum of the others.*balanceinertia"):
        builder.add_urdf(text)
    assert builder.body_count == 0
    with pytest.raises(ImporterError, match="balanceinertia"):
        add(moving(inertial(1.0, IMPOSSIBLE), 'balanceinertia="false"'))
    with pytest.warns(nt.NewtonishWarning, match=r":\d+:\d+: link 'tip', inertia: principal moments .* builder.balance_inertia"):
        nt.ModelBuilder().add_urdf(text)
    moments = np.linalg.eigvalsh(of_tip(add(text))[2])
    assert moments[2] == pytest.approx(moments[0] + moments[1])
    with pytest.raises(ImporterError, match="moments that are not negative"):
        add(moving(inertial(1.0, 'ixx="-1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"')))


def test_inertials_can_be_left_out_of_account() -> None:
    text = moving(inertial(2.0, FULL) + geometry('<box size="1 1 1"/>'))
    assert of_tip(add(text, ignore_inertial_definitions=True))[0] == pytest.approx(1000.0)
    builder = nt.ModelBuilder()
    builder.default_shape_cfg.density = 10.0
    assert of_tip(add(text, builder, ignore_inertial_definitions=True))[0] == pytest.approx(10.0)
    assert of_tip(add(text))[0] == 2.0


def test_shapes_added_later_weigh() -> None:
    builder = add(moving(inertial(2.0)))
    builder.add_shape_box(1, hx=0.5, hy=0.5, hz=0.5)
    assert builder.body_mass[1] == pytest.approx(1002.0)


@pytest.mark.parametrize("inside, kind, reason", [
    ("", "revolute", "zero mass in link 'tip'"),
    ("", "prismatic", "zero mass"),
    (inertial(0.0, 'ixx="0" iyy="0" izz="0"'), "floating", "zero mass"),
    (inertial(1.0, 'ixx="0" iyy="0" izz="0"'), "revolute", "no inertia in link 'tip', nor below it, about its axis"),
])  # fmt: skip
def test_zero_mass_on_a_moving_link(inside: str, kind: str, reason: str) -> None:
    text = robot(link("base"), link("tip", inside), joint("j", "base", "tip", kind))
    with pytest.raises(ImporterError, match=rf"<string>:\d+:\d+: joint 'j': got {reason}.*write an inertial"):
        add(text)
    with pytest.raises(ImporterError, match="link 'base': got zero mass"):
        add(robot(link("base", "")), floating=True)


def test_massless_links_between_moving_ones() -> None:
    text = robot(
        link("base"), link("x", ""), link("y", ""), link("tip"),
        joint("jx", "base", "x"), joint("jy", "x", "y", inside='<axis xyz="0 1 0"/>'), joint("jz", "y", "tip", inside='<axis xyz="0 0 1"/>'),
    )  # fmt: skip
    builder = add(text)
    assert "massless links that move: 2, with the mass of others" in str(builder.import_reports[0])


def test_scale_multiplies_lengths_and_leaves_masses() -> None:
    text = robot(link("base"), link("tip", inertial(2.0, FULL, TURNED) + geometry('<box size="0.2 0.4 0.6"/>', inside=f"<origin {TURNED}/>")),
                 joint("j", "base", "tip", "prismatic", '<origin xyz="1 2 3"/><limit lower="-1" upper="2"/>'))  # fmt: skip
    one, two = add(text), add(text, scale=2.0)
    np.testing.assert_allclose(two.joint_X_p[1][:3], [2, 4, 6])
    np.testing.assert_allclose(two.joint_limit_upper[0], 4.0)
    np.testing.assert_allclose(two.shape_scale[0], [0.2, 0.4, 0.6])
    np.testing.assert_allclose(two.shape_transform[0][:3], [0.2, -0.4, 0.6])
    assert two.body_mass[1] == one.body_mass[1] == 2.0
    np.testing.assert_allclose(two.body_com[1], 2 * np.array(one.body_com[1]))
    np.testing.assert_allclose(np.array(two.body_inertia[1]), 4 * np.array(one.body_inertia[1]))


def test_visuals_colliders_and_colours() -> None:
    red = '<material name="red"/>'
    text = robot('<material name="red"><color rgba="1 0 0 0.5"/></material>',
                 link("base", geometry('<box size="1 1 1"/>', "visual", red) + geometry('<sphere radius="1"/>')
                      + geometry('<capsule radius="0.1" height="0.4"/>', "visual", '<material name="own"><color rgba="0 0 1 1"/></material>')))  # fmt: skip
    builder = add(text)
    assert list(builder.shape_type) == [GeoType.BOX, GeoType.CAPSULE, GeoType.SPHERE]
    np.testing.assert_allclose(builder.shape_color[:2], [[1, 0, 0], [0, 0, 1]])
    assert builder.shape_opacity[0] == 0.5
    np.testing.assert_allclose(builder.shape_scale[1][:2], [0.1, 0.2])
    collide, visible = ([bool(flags & bit) for flags in builder.shape_flags] for bit in (ShapeFlags.COLLIDE_SHAPES, ShapeFlags.VISIBLE))
    assert collide == [False, False, True] and visible == [True, True, False]
    assert [bool(f & ShapeFlags.VISIBLE) for f in add(text, hide_visuals=True, force_show_colliders=True).shape_flags] == [False, False, True]
    both = add(text, parse_visuals_as_colliders=True)
    assert both.shape_count == 2 and all(flags & ShapeFlags.COLLIDE_SHAPES for flags in both.shape_flags)
    assert add(text.replace("</robot>", '<mujoco><compiler discardvisual="true"/></mujoco></robot>')).shape_count == 1


# -- meshes ---------------------------------------------------------------------------------------------------------------


def cube(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    trimesh.creation.box((0.2, 0.4, 0.6)).export(folder / name)
    return folder / name


def with_mesh(name: str, scale: str = "1 1 1") -> str:
    return moving(geometry(f'<mesh filename="{name}" scale="{scale}"/>', inside=f"<origin {TURNED}/>"))


@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
@pytest.mark.parametrize("scale", ["1 1 1", "2 1 0.5", "1 -2 1", "-1 -1 1"])
def test_mesh_formats_and_scales(tmp_path: Path, ending: str, scale: str) -> None:
    cube(tmp_path, f"box.{ending}")
    (tmp_path / "r.urdf").write_text(with_mesh(f"box.{ending}", scale), encoding="utf-8")
    builder = add(tmp_path / "r.urdf")
    mass, com, inertia = of_tip(builder)
    factors = np.array([float(word) for word in scale.split()])
    size = np.array([0.2, 0.4, 0.6]) * np.abs(factors)
    assert mass == pytest.approx(1000 * np.prod(size), rel=1e-5)
    np.testing.assert_allclose(com, [0.1, -0.2, 0.3], atol=1e-6)
    box = of_tip(add(moving(geometry(f'<box size="{size[0]} {size[1]} {size[2]}"/>', inside=f"<origin {TURNED}/>"))))[2]
    np.testing.assert_allclose(inertia, box, rtol=1e-5, atol=1e-6)
    mesh = builder.shape_source[0]
    corners = mesh.vertices[mesh.triangles]
    assert np.einsum("ni,ni->", np.cross(corners[:, 0], corners[:, 1]), corners[:, 2]) > 0  # triangles face outwards


def test_packages_are_searched_for(tmp_path: Path, monkeypatch) -> None:
    robot_file = tmp_path / "ws" / "arm_description" / "urdf" / "arm.urdf"
    robot_file.parent.mkdir(parents=True)
    robot_file.write_text(with_mesh("package://arm_description/meshes/box.stl"), encoding="utf-8")
    with pytest.raises(ImporterError) as caught:
        add(robot_file)
    message = str(caught.value)
    assert (f"{robot_file}:3:" in message and "link 'tip'" in message) or "collision" in message
    for place in ("arm_description/urdf/arm_description/meshes/box.stl", "ws/arm_description/meshes/box.stl", "package_dirs"):
        assert place in message
    cube(tmp_path / "elsewhere" / "arm_description" / "meshes", "box.stl")
    assert add(robot_file, package_dirs=[tmp_path / "elsewhere"]).shape_count == 1
    assert add(robot_file, package_dirs=[str(tmp_path / "elsewhere" / "arm_description")]).shape_count == 1
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "elsewhere"))
    assert add(robot_file).shape_count == 1
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    cube(robot_file.parents[1] / "meshes", "box.stl")
    assert add(robot_file).shape_count == 1
    assert add("package://arm_description/urdf/arm.urdf", package_dirs=[tmp_path / "ws"]).shape_count == 1
    assert add(robot_file.as_uri()).shape_count == 1


def test_mujocos_mesh_folder(tmp_path: Path) -> None:
    cube(tmp_path / "m", "box.stl")
    for name, settings in (("package://x/y/box.stl", 'meshdir="m"'), ("box.stl", 'meshdir="m" strippath="false"'), ("m/box.stl", 'strippath="false"')):
        text = with_mesh(name).replace("</robot>", f"<mujoco><compiler {settings}/></mujoco></robot>")
        (tmp_path / "r.urdf").write_text(text, encoding="utf-8")
        assert add(tmp_path / "r.urdf").shape_count == 1


def test_one_file_is_one_mesh(tmp_path: Path) -> None:
    cube(tmp_path, "box.stl")
    inside = geometry('<mesh filename="box.stl"/>', "visual") + geometry('<mesh filename="box.stl"/>') + geometry('<mesh filename="box.stl" scale="2 2 2"/>')
    (tmp_path / "r.urdf").write_text(moving(inside), encoding="utf-8")
    sources = add(tmp_path / "r.urdf", mesh_maxhullvert=20).shape_source
    assert sources[0] is sources[1] and sources[2] is not sources[1] and sources[0].maxhullvert == 20


@pytest.mark.parametrize("name, contents, reason", [
    ("gone.stl", None, "no such file; looked for"),
    ("http://host/x.stl", None, "an address in a network"),
    ("file://host/x.stl", None, "another machine"),
    ("bad.stl", b"solid nothing", "mesh file"),
    ("bad.obj", b"f 1 2 3", "out of range|no triangles"),
    ("x.step", b"x", "format 'step'"),
    ("", None, "no 'filename'"),
])  # fmt: skip
def test_bad_meshes(tmp_path: Path, name: str, contents, reason: str) -> None:
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    (tmp_path / "r.urdf").write_text(with_mesh(name), encoding="utf-8")
    with pytest.raises(ImporterError, match=reason) as caught:
        add(tmp_path / "r.urdf")
    assert "r.urdf:" in str(caught.value)


@pytest.mark.parametrize("name, contents", [("gone.stl", None), ("package://gone/x.dae", None), ("bad.obj", b"f 1 2 3"), ("bad.dae", b"<COLLADA/>")])
def test_visual_meshes_may_be_missing(tmp_path: Path, name: str, contents: bytes | None) -> None:
    """The robot moves as it would with them; a small box that weighs nothing is drawn."""
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    inside = inertial() + geometry(f'<mesh filename="{name}"/>', "visual") + geometry('<sphere radius="0.1"/>')
    (tmp_path / "r.urdf").write_text(moving(inside), encoding="utf-8")
    builder = nt.ModelBuilder()
    with pytest.warns(NewtonishWarning, match=r"r\.urdf:\d+:\d+.*visual.*a small box is drawn in its place.*" + re.escape(Path(name).name)):
        report = builder.add_urdf(tmp_path / "r.urdf")
    assert len(report.approximated) == 1
    plain = add(moving(inertial() + geometry('<sphere radius="0.1"/>')))
    np.testing.assert_array_equal(builder.body_mass, plain.body_mass)
    assert builder.shape_count == plain.shape_count + 1 == 2
    collide = [bool(flags & ShapeFlags.COLLIDE_SHAPES) for flags in builder.shape_flags]
    assert collide == [False, True]
    with pytest.raises(ImporterError, match="mesh"):
        add(tmp_path / "r.urdf", parse_visuals_as_colliders=True)


def test_collada_files_declare_no_entities(tmp_path: Path) -> None:
    (tmp_path / "x.dae").write_text('<!DOCTYPE COLLADA [<!ENTITY a "b">]><COLLADA>&a;</COLLADA>', encoding="utf-8")
    (tmp_path / "r.urdf").write_text(with_mesh("x.dae"), encoding="utf-8")
    with pytest.raises(ImporterError, match="a declaration of entities"):
        add(tmp_path / "r.urdf")


def test_collada_meshes(tmp_path: Path) -> None:
    cube(tmp_path, "box.dae")
    (tmp_path / "r.urdf").write_text(with_mesh("box.dae"), encoding="utf-8")
    assert of_tip(add(tmp_path / "r.urdf"))[0] == pytest.approx(48.0, rel=1e-5)
    text = (tmp_path / "box.dae").read_text(encoding="utf-8")
    (tmp_path / "box.dae").write_text(text.replace("<up_axis>", '<unit name="decimetre" meter="0.1"/><up_axis>'), encoding="utf-8")
    assert of_tip(add(tmp_path / "r.urdf"))[0] == pytest.approx(0.048, rel=1e-5)


def test_custom_attributes_are_read_where_they_stand() -> None:
    builder = nt.ModelBuilder()
    F = nt.ModelBuilder.CustomAttribute
    for name, frequency, kind in (("stiff", "JOINT", float), ("tag", "BODY", str), ("soft", "SHAPE", float), ("kind", "ARTICULATION", int)):
        builder.add_custom_attribute(F(name=name, dtype=kind, frequency=nt.Model.AttributeFrequency[frequency], urdf_attribute_name=f"my_{name}"))
    text = moving(inertial() + geometry('<sphere radius="1"/>').replace("<geometry>", '<geometry my_soft="0.25">'))
    text = (
        text.replace('<link name="tip"', '<link name="tip" my_tag="end"')
        .replace('<joint name="j"', '<joint name="j" my_stiff="3"')
        .replace('<robot name="r"', '<robot name="r" my_kind="4"')
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder.add_urdf(text)
    found = {name: dict(builder.custom_attributes[name].values.items()) for name in ("stiff", "tag", "soft", "kind")}
    assert {name: list(values.values()) for name, values in found.items()} == {"stiff": [3.0], "tag": ["end"], "soft": [0.25], "kind": [4]}
    with pytest.raises(ImporterError, match="my_stiff: got 'x'"):
        builder.add_urdf(text.replace('my_stiff="3"', 'my_stiff="x"'))
    assert builder.body_count == 2
