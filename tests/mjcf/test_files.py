"""Files: their contents, their names in written models, folders, includes, and models that MJCF itself attaches."""

import hashlib
from pathlib import Path

import mujoco
import numpy as np
import pytest

from newtonish import ImporterError, ModelError, mjcf

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mesh_model(folder: Path, directory: str = "meshes") -> Path:
    (folder / directory).mkdir(parents=True)
    (folder / directory / "wedge.obj").write_text(OBJ)
    path = folder / "model.xml"
    path.write_text(
        f'<mujoco model="wedge"><compiler meshdir="{directory}"/><asset><mesh file="wedge.obj"/></asset>'
        '<worldbody><geom name="g" type="mesh" mesh="wedge"/></worldbody></mujoco>'
    )
    return path


def test_files_come_along_by_contents(tmp_path) -> None:
    model = mjcf.from_path(mesh_model(tmp_path))
    mesh = model.asset.mesh["wedge"]
    assert mesh.file.contents == OBJ.encode() and mesh.file.extension == ".obj"
    assert model.find("geom", "g").mesh is mesh, "a mesh without a name is called after its file"
    name = f"wedge-{hashlib.sha1(OBJ.encode()).hexdigest()}.obj"
    assert model.get_assets() == {name: OBJ.encode()}
    assert f'file="{name}"' in model.to_xml_string() and "meshdir" not in model.to_xml_string()
    assert 'file="wedge.obj"' in model.to_xml_string(filename_with_hash=False)
    mujoco.MjModel.from_xml_string(model.to_xml_string(), model.get_assets())
    again = mjcf.from_xml_string(model.to_xml_string(), assets=model.get_assets())
    assert again.is_same_as(model) and again.to_xml_string() == model.to_xml_string()


def test_an_exported_model_stands_alone(tmp_path) -> None:
    model = mjcf.from_path(mesh_model(tmp_path / "source"))
    path = mjcf.export_with_assets(model, tmp_path / "out")
    assert path.name == "wedge.xml" and len(list(path.parent.iterdir())) == 2
    (tmp_path / "source/meshes/wedge.obj").unlink()
    assert mujoco.MjModel.from_xml_path(str(path)).nmesh == 1
    assert mjcf.from_path(path).is_same_as(model)
    assert mjcf.export_with_assets(model, tmp_path / "out", "other.xml").name == "other.xml"
    with pytest.raises(ModelError, match=r"ends with \.xml"):
        mjcf.export_with_assets(model, tmp_path, "model")


def test_files_of_one_name_in_two_models_do_not_meet(tmp_path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = (mjcf.from_path(mesh_model(tmp_path / name / "model")) for name in "ab")
    other.asset.mesh["wedge"].file = mjcf.Asset(OBJ.replace("v 1 0 0", "v 2 0 0"), ".obj", "wedge")
    one.model, other.model = "one", "other"
    one.attach(other)
    assert len(one.get_assets()) == 2
    compiled = mujoco.MjModel.from_xml_string(one.to_xml_string(), one.get_assets())
    assert [compiled.mesh(k).name for k in range(2)] == ["wedge", "other/wedge"]
    assert np.ptp(compiled.mesh_vert[compiled.mesh_vertadr[1] :], axis=0).max() > 1.5


def test_a_file_is_looked_for_in_the_given_contents_first(tmp_path) -> None:
    model = mjcf.RootElement(model_dir=tmp_path, assets={"wedge.obj": OBJ})
    assert model.asset.add("mesh", file="wedge.obj").name == "wedge"
    assert model.asset.add("mesh", name="named", file=mjcf.Asset(OBJ, ".obj")).file.prefix == ""
    with pytest.raises(ModelError, match=r"element 'mesh', file: got 'none.obj' \(No such file"):
        model.asset.add("mesh", file="none.obj")
    with pytest.raises(ModelError, match=r"a int; allowed: a path, or an mjcf\.Asset"):
        model.asset.add("mesh", file=3)
    assert [mesh.name for mesh in model.asset.mesh] == ["wedge", "named"]
    with pytest.raises(ModelError, match="with its dot"):
        mjcf.Asset(b"", "obj")


def test_assetdir_and_strippath(tmp_path) -> None:
    mesh_model(tmp_path, "all")
    text = '<mujoco><compiler assetdir="all" strippath="true"/><asset><mesh file="far/away/wedge.obj"/></asset></mujoco>'
    assert mjcf.from_xml_string(text, model_dir=tmp_path).asset.mesh["wedge"].file.contents == OBJ.encode()


def test_includes_are_merged(tmp_path) -> None:
    (tmp_path / "part.xml").write_text('<mujoco><worldbody><body name="inner"/></worldbody></mujoco>')
    text = '<mujoco><include file="part.xml"/><worldbody><body name="outer"/></worldbody></mujoco>'
    model = mjcf.from_xml_string(text, model_dir=tmp_path)
    assert [body.name for body in model.worldbody.body] == ["inner", "outer"]
    given = {"part.xml": '<mujoco><worldbody><body name="given"/></worldbody></mujoco>'}
    assert mjcf.from_xml_string(text, assets=given).worldbody.body[0].name == "given"


def test_problems_of_a_file_have_their_places(tmp_path) -> None:
    path = tmp_path / "bad.xml"
    path.write_text('<mujoco>\n<worldbody>\n <geom name="g" size="1"/>\n <geom name="g" size="1 2 3 4"/>\n <geom nam="h"/>\n</worldbody>\n</mujoco>')
    with pytest.raises(ImporterError) as caught:
        mjcf.from_path(path)
    assert len(caught.value.problems) == 2
    assert f"{path}:4:17: geom 'g', size: got 4 values" in str(caught.value)
    assert f"{path}:5:8: element 'geom': got unknown attribute 'nam'" in str(caught.value)
    path.write_text('<mujoco><worldbody>\n <geom name="g" size="1"/>\n <geom name="g" size="1"/></worldbody></mujoco>')
    with pytest.raises(ImporterError, match=r"bad.xml:3:2: element 'geom': got the name 'g' again"):
        mjcf.from_path(path)
    with pytest.raises(ImporterError, match="no such file"):
        mjcf.from_path(tmp_path / "none.xml")


def test_single_elements_may_not_come_twice() -> None:
    for text in (
        "<default><geom/><geom/></default>",
        '<worldbody><body><inertial pos="0 0 0" mass="1"/><inertial pos="0 0 0" mass="1"/></body></worldbody>',
    ):
        with pytest.raises(ImporterError, match="a second one in"):
            mjcf.from_xml_string(f"<mujoco>{text}</mujoco>")


def test_slashes_in_names_are_refused_or_escaped() -> None:
    text = '<mujoco><worldbody><body name="a/b"><joint name="j"/><geom size="1"/></body></worldbody><sensor><subtreecom body="a/b"/></sensor></mujoco>'
    with pytest.raises(ImporterError, match=r"<string>:1:\d+: .*escape_separators=True"):
        mjcf.from_xml_string(text)
    model = mjcf.from_xml_string(text, escape_separators=True)
    assert model.sensor.subtreecom[0].body is model.find("body", "a\\b")


def test_what_was_written_of_a_whole_reads_with_escapes() -> None:
    top, child = mjcf.RootElement(model="top"), mjcf.RootElement(model="child")
    top.default.geom.condim, child.default.geom.condim = 1, 4
    for model in (top, child):
        model.worldbody.add("geom", name="g", size=[1])
    top.attach(child)
    again = mjcf.from_xml_string(top.to_xml_string(), escape_separators=True)
    compiled = mujoco.MjModel.from_xml_string(again.to_xml_string())
    assert list(compiled.geom_condim) == [1, 4] and compiled.geom(1).name == "child\\g"


def test_unresolved_names_stay_names() -> None:
    text = '<mujoco><worldbody><body name="b"/></worldbody><sensor><subtreecom body="b"/></sensor></mujoco>'
    model = mjcf.from_xml_string(text, resolve_references=False)
    model.find("body", "b").name = "c"
    assert model.sensor.subtreecom[0].body == "b"


def test_models_that_mjcf_attaches(tmp_path) -> None:
    mesh_model(tmp_path / "child")
    (tmp_path / "main.xml").write_text(
        '<mujoco model="main"><asset><model name="w" file="child/model.xml"/></asset><worldbody>'
        '<frame pos="0 0 1"><attach model="w" prefix="p-"/></frame></worldbody></mujoco>'
    )
    model = mjcf.from_path(tmp_path / "main.xml")
    compiled = mujoco.MjModel.from_xml_string(model.to_xml_string(), model.get_assets())
    assert compiled.geom(0).name == "p-g"
    np.testing.assert_allclose(compiled.mesh_vert, mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml")).mesh_vert)
    outer = mjcf.RootElement(model="outer")
    outer.attach(model)
    assert mujoco.MjModel.from_xml_string(outer.to_xml_string(), outer.get_assets()).geom(0).name == "main/p-g"


def test_generated_names_get_the_prefix_too() -> None:
    text = """<mujoco model="soft"><worldbody><flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"
      mass="1"><edge equality="true"/></flexcomp></worldbody>
      <contact><exclude body1="f_0" body2="f_1"/></contact></mujoco>"""
    soft, top = mjcf.from_xml_string(text), mjcf.RootElement(model="top")
    top.attach(soft)
    for model, name in ((soft, "f_0"), (top, "soft/f_0")):
        compiled = mujoco.MjModel.from_xml_string(model.to_xml_string())
        assert compiled.body(name).id and compiled.nexclude == 1


def test_composites_get_the_prefix_of_their_model() -> None:
    text = """<mujoco model="old"><default><geom friction="0.3"/></default><worldbody>
      <composite type="rope" count="4 1 1" prefix="c"><geom type="capsule" size="0.01"/></composite></worldbody>
      <contact><exclude body1="cB0" body2="cB1"/></contact></mujoco>"""
    old, top = mjcf.from_xml_string(text), mjcf.RootElement(model="top")
    assert old.to_xml().find("worldbody/composite").get("prefix") == "c", "no class reaches a composite, so no frame needs to name one"
    top.attach(old)
    body = top.to_xml().find("worldbody/body")
    assert body[0].get("prefix") == "old/c"
    assert top.to_xml().find("contact/exclude").get("body1") == "old/cB0"
