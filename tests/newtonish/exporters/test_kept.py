"""What is kept for viewers and users is in the compiled arrays, and written out again: equal to MuJoCo's, before and after."""

import mujoco
import numpy as np
import pytest
from mjcf_compare import load
from pictures import XML, write_pictures

import newtonish
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import convert
from newtonish.exporters.archive import read_archive, write_archive

KEPT = tuple(
    name for name in FIELDS
    if name.startswith(("mat_", "tex_", "light_", "cam_")) or name.endswith(("_user", "_matid", "geom_rgba", "site_rgba", "castshadow"))
)  # fmt: skip
USER = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")


@pytest.fixture
def path(tmp_path):
    (write_pictures(tmp_path) / "model.xml").write_text(XML)
    return tmp_path / "model.xml"


def assert_same(compiled, m):
    for name in KEPT:
        np.testing.assert_allclose(getattr(compiled, name), getattr(m, name), 1e-6, 1e-7, err_msg=name)
    for kind in USER:
        assert getattr(compiled, f"nuser_{kind}") == getattr(m, f"nuser_{kind}"), kind
    assert (compiled.nmat, compiled.ntex) == (m.nmat, m.ntex)


def test_compiled_arrays_are_mujocos(path):
    m = mujoco.MjModel.from_xml_path(str(path))
    assert m.nuser_geom == 4 and m.nuser_body == 1 and np.any(m.actuator_user) and np.any(m.cam_user)
    builder = load(path)
    assert_same(convert(builder.finalize(device="cpu")), m)
    many = newtonish.ModelBuilder()
    many.replicate(builder, 3)
    model = many.finalize(device="cpu")
    assert_same(convert(model), m)
    np.testing.assert_array_equal(model.mujoco.body_user.reshape(3, -1)[2], [0, 7])


def test_written_models_keep_it(path, tmp_path):
    m = mujoco.MjModel.from_xml_path(str(path))
    model = load(path).finalize(device="cpu")
    (tmp_path / "out").mkdir()
    newtonish.save_to_mjcf(model, tmp_path / "out" / "again.xml")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "again.xml"))
    assert_same(convert(model), again)
    for name in (n for n in dir(m) if n.startswith(("tex_", "skin_", "mesh_texcoord", "mesh_facetexcoord")) and n != "tex_pathadr"):
        np.testing.assert_allclose(getattr(again, name), getattr(m, name), 1e-6, err_msg=name)
    for kind, count in (("mesh", m.nmesh), ("material", m.nmat), ("skin", m.nskin)):
        of = {"mesh": mujoco.mjtObj.mjOBJ_MESH, "material": mujoco.mjtObj.mjOBJ_MATERIAL, "skin": mujoco.mjtObj.mjOBJ_SKIN}[kind]
        assert [mujoco.mj_id2name(again, of, i) for i in range(count)] == [mujoco.mj_id2name(m, of, i) for i in range(count)]
    for group in ("map", "rgba", "headlight", "scale"):
        for name in (n for n in dir(getattr(m.vis, group)) if not n.startswith("_")):
            np.testing.assert_array_equal(getattr(getattr(again.vis, group), name), getattr(getattr(m.vis, group), name))
    assert_same(convert(load(tmp_path / "out" / "again.xml").finalize(device="cpu")), m)


def test_cubes_of_six_sides_are_written_as_one_picture(path, tmp_path):
    text = '<texture name="box" fileright="square.png" fileup="square.png" rgb1=".1 .2 .3"/><texture name="one" file="square.png"/>'
    path.write_text(f'<mujoco><compiler texturedir="pictures"/><asset>{text}</asset></mujoco>')
    m = mujoco.MjModel.from_xml_path(str(path))
    newtonish.save_to_mjcf(load(path).finalize(device="cpu"), tmp_path / "again.xml")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    np.testing.assert_array_equal(again.tex_data, m.tex_data)
    np.testing.assert_array_equal(again.tex_height, m.tex_height)


def test_archives_keep_arrays_and_names_but_no_pixels(path, tmp_path):
    m = mujoco.MjModel.from_xml_path(str(path))
    write_archive(tmp_path / "model.npz", convert(load(path).finalize(device="cpu")), "model.xml", {})
    compiled = read_archive(tmp_path / "model.npz").compiled
    assert_same(compiled, m)
    assert compiled.mat_names == ["plain", "tiles", "layered"] and compiled.mesh_names == ["kite"]
    with pytest.warns(newtonish.NewtonishWarning, match="5 without pixels"):
        newtonish.save_to_mjcf(compiled, tmp_path / "again.xml")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    np.testing.assert_array_equal(again.mat_rgba, m.mat_rgba)


@pytest.mark.parametrize(("size", "geom"), [('nuser_geom="2"', "1 2 3"), ('nuser_geom="-2"', "1")])
def test_user_data_that_does_not_fit_is_refused(size, geom):
    text = f'<mujoco><size {size}/><worldbody><geom size="1" user="{geom}"/></worldbody></mujoco>'
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(newtonish.ImporterError, match="nuser_geom"):
        load(text)


def test_user_data_of_a_class_is_taken_as_a_whole():
    text = (
        '<mujoco><default><geom user="1 2"/></default><worldbody><geom size="1" user="5"/><geom size="1"/><geom size="1" user="nan 1 2"/></worldbody></mujoco>'
    )
    m = mujoco.MjModel.from_xml_string(text)
    np.testing.assert_array_equal(convert(load(text).finalize(device="cpu")).geom_user, m.geom_user)
