"""What MJCF says of pictures is kept for viewers: the arrays of ``model.mujoco`` equal those of MuJoCo's compiled model."""

import mujoco
import numpy as np
import pytest
from mjcf_compare import load
from pictures import XML, write_pictures

import newtonish
from newtonish.convert import convert

PREFIXES = ("tex_", "mat_", "light_", "cam_", "skin_")
BODIES = ("light_pos", "light_dir", "light_mode")  # rows of the bodies' own frames, which test_mjcf_lights compares


@pytest.fixture
def folder(tmp_path):
    """A folder of pictures."""
    return write_pictures(tmp_path)


def both(folder, text):
    """The finalized model and MuJoCo's."""
    path = folder / "model.xml"
    path.write_text(text)
    return load(path).finalize(device="cpu"), mujoco.MjModel.from_xml_path(str(path))


def numbers(value):
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def assert_equal(model, m, prefixes=PREFIXES):
    """Every array of these names that both have is equal; returns how many there are."""
    names = [n for n in dir(m) if n.startswith(prefixes) and n not in BODIES and hasattr(model.mujoco, n)]
    for name in names:
        np.testing.assert_array_equal(numbers(getattr(model.mujoco, name)), getattr(m, name), err_msg=name)
    return len(names)


def test_the_arrays_are_mujocos(folder):
    model, m = both(folder, XML)
    assert assert_equal(model, m) > 50
    maps = convert(model).maps
    group, material, shadow = (model.mujoco.geom_group.numpy(), model.mujoco.geom_matid.numpy(), model.mujoco.geom_castshadow.numpy())
    geoms, sites = maps.mjc_geom[0], maps.mjc_site[0]
    np.testing.assert_array_equal(material[geoms], m.geom_matid)
    np.testing.assert_array_equal(material[sites], m.site_matid)
    np.testing.assert_array_equal(group[geoms], m.geom_group)
    np.testing.assert_array_equal(group[sites], m.site_group)
    np.testing.assert_array_equal(shadow[geoms], m.geom_castshadow)
    np.testing.assert_array_equal(model.mujoco.tendon_matid.numpy(), m.tendon_matid)
    np.testing.assert_array_equal(maps.mjc_body[0][m.skin_bonebodyid[:2]], model.mujoco.skin_bone_body.numpy()[:2])
    assert model.mujoco.tex_names[1:] == ["floor", "rgb", "alpha", "rough"] and model.mujoco.mat_names == ["plain", "tiles", "layered"]


def test_settings_of_the_visualizer_are_mujocos(folder):
    model, m = both(folder, XML)
    for text in (XML, "<mujoco/>"):
        model, m = both(folder, text)
        for group in ("global_", "quality", "headlight", "map", "scale", "rgba"):
            ours, theirs = vars(getattr(model.mujoco.vis, group)), getattr(m.vis, group)
            known = {name for name in dir(theirs) if not name.startswith("_")}
            assert set(ours) == known
            for name in known - {"bv", "bvactive"} if group == "rgba" else known:  # which MuJoCo's bindings do not show
                np.testing.assert_allclose(ours[name], getattr(theirs, name), 1e-7, err_msg=f"{group}.{name}")


BUILTINS = [
    f'{shape} builtin="{kind}" mark="{mark}" markrgb="1 .5 0" rgb1="{colour}" rgb2="0 .7 .1"'
    for shape in ('type="2d" width="7" height="4"', 'type="cube" width="6"', 'type="skybox" width="5" height="3"', 'type="2d" width="2" height="1"')
    for kind in ("gradient", "checker", "flat")
    for mark, colour in (("none", ".9 .2 .333"), ("edge", "1 1 1"), ("cross", "2 -1 .5"))
]
FILES = [
    'type="2d" file="rgb.png"', 'type="2d" file="rgba.png"', 'type="2d" file="rgba.png" nchannel="4"', 'type="2d" file="grey.png"',
    'type="2d" file="rgba.png" nchannel="1" hflip="true"', 'type="cube" file="square.png" vflip="true" hflip="true"',
    'file="grid.png" gridsize="3 4" gridlayout=".U..LFRB.D.."', 'file="grid.png" gridsize="3 4" gridlayout=".U..LF.B...." rgb1=".2 .4 .9"',
    'fileright="rgba.png" fileup="grey.png"', 'type="skybox" file="square.png"', 'type="2d" file="PICTURE.PNG"',
    'type="2d" file="noending" content_type="image/png"', r'type="2d" file="..\pictures\rgb.png"',
]  # fmt: skip


@pytest.mark.parametrize("texture", [*BUILTINS, *FILES])
def test_pixels_are_mujocos(folder, texture):
    (folder / "pictures" / "noending").write_bytes((folder / "pictures" / "rgb.png").read_bytes())
    (folder / "pictures" / "PICTURE.PNG").write_bytes((folder / "pictures" / "rgb.png").read_bytes())
    text = f'<mujoco><compiler texturedir="pictures"/><asset><texture name="t" {texture}/></asset></mujoco>'
    model, m = both(folder, text)
    assert m.ntex == 1 and assert_equal(model, m, ("tex_",)) == 7
    assert model.mujoco.tex_pixels[0].shape == (m.tex_height[0], m.tex_width[0], m.tex_nchannel[0])


def test_random_marks_are_as_many(folder):
    text = '<mujoco><asset><texture name="t" type="2d" builtin="flat" mark="random" random=".2" width="100" height="100"/></asset></mujoco>'
    model, m = both(folder, text)
    marked = [np.mean(np.all(pixels.reshape(-1, 3) == 0, axis=1)) for pixels in (model.mujoco.tex_data, m.tex_data)]
    assert abs(marked[0] - 0.2) < 0.02 and abs(marked[1] - 0.2) < 0.02


@pytest.mark.parametrize(
    "inside",
    [
        '<texture name="t" type="2d"/>', '<texture type="2d" builtin="flat" width="2" height="2"/>', '<texture name="t" builtin="flat"/>',
        '<texture name="t" type="2d" file="none.png"/>', '<texture name="t" type="2d" file="rgb.png" nchannel="2"/>',
        '<texture name="t" file="rgb.png"/>', '<texture name="t" file="square.png" nchannel="4"/>', '<texture name="t" type="2d" file="bad.png"/>',
        '<texture name="t" file="grid.png" gridsize="3 5"/>', '<texture name="t" file="grid.png" gridsize="3 4" gridlayout=".U"/>',
        '<texture name="t" fileup="rgb.png"/>', '<texture name="t" fileup="square.png" filedown="grey.png"/>',
        '<texture name="t" builtin="flat" width="2"/><texture name="t" builtin="flat" width="2"/>',
        '<material/>', '<material name="a"/><material name="a"/>', '<material name="a" texture="x"/>',
        '<texture name="t" builtin="flat" width="2"/><material name="a" texture="t"><layer texture="t" role="orm"/></material>',
        '<texture name="t" builtin="flat" width="2"/><material name="a"><layer texture="t" role="shine"/></material>',
        '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 1"/>',
    ],
)  # fmt: skip
def test_what_mujoco_refuses_is_refused(folder, inside):
    (folder / "pictures" / "bad.png").write_bytes((folder / "pictures" / "rgb.png").read_bytes()[:-30])
    path = folder / "model.xml"
    path.write_text(f'<mujoco><compiler texturedir="pictures"/><asset>{inside}</asset></mujoco>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(newtonish.ImporterError, match=r"model\.xml:1:"):
        load(path)


@pytest.mark.parametrize("change", [
    ('material="plain"', 'material="missing"'), ('texture="rgb" intensity', 'texture="missing" intensity'), ("<light type", '<light directional="true" type'),
    ("0 3 2", "0 3"), ('vertid="0 1"', 'vertid="0 9"'), (".5 1 7", ".5 1 0"), ('bone body="b"', 'bone body="x"'),
    ('texcoord="0 0 1 0 0 1 1 1"', 'texcoord="0 0 1"'), ('face="0 2 1 0 1 3">', 'face="0 2 1 0 1">'), ('face="0 2 1 0 1 3">', 'face="0 2 1 0 1 7">'),
])  # fmt: skip
def test_references_and_skins_that_do_not_fit_are_refused(folder, change):
    assert change[0] in XML
    path = folder / "model.xml"
    path.write_text(XML.replace(*change))
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(newtonish.ImporterError, match=r"model\.xml:"):
        load(path)


OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 0\nvt 0 0.1\nvt 1 0.2\nvt 0.5 0.3\nvt .7 .9\n"


@pytest.mark.parametrize(
    "faces", ["f 1/1 3/2 2/3\nf 1/1 2/2 4/4\nf 1/4 4/1 3/2\nf 2/1 3/2 4/3\nf 2/1 5/2 3/3\n", "f 1/1 3/2 2/3\nf 1 2 4\nf 1/4 4/1 3/2\nf 2/1 3/2 4/3\n"]
)
@pytest.mark.parametrize("scale", ["1 1 1", "1 -1 1"])
def test_texture_coordinates_of_meshes_are_mujocos(tmp_path, faces, scale):
    (tmp_path / "m.obj").write_text(OBJ + faces)
    rest = '<geom type="mesh" mesh="m" pos="2 0 0"/>'
    model, m = both(tmp_path, f'<mujoco><asset><mesh name="m" file="m.obj" scale="{scale}"/></asset><worldbody>{rest}</worldbody></mujoco>')
    source = model.shape_source[0]
    assert source.name == "m"
    if m.nmeshtexcoord == 0:
        assert source.corner_uvs() is None
        return
    np.testing.assert_allclose(source.texcoords, m.mesh_texcoord, atol=1e-7)
    for ours, theirs in zip(zip(source.triangles, source.face_texcoords), zip(m.mesh_face, m.mesh_facetexcoord)):
        turn = int(np.argmax(ours[0] == theirs[0][0]))  # MuJoCo turns the corners of mirrored triangles another way round
        np.testing.assert_array_equal(np.roll(np.stack(ours), -turn, axis=1), np.stack(theirs))
    assert source.corner_uvs().shape == (m.nmeshface, 3, 2)


def test_worlds_share_what_they_look_like(folder):
    path = folder / "model.xml"
    path.write_text(XML)
    one, many, other = load(path), newtonish.ModelBuilder(), newtonish.ModelBuilder()
    other.add_mjcf('<mujoco><asset><material name="first" rgba="0 0 1 1"/></asset><worldbody><geom size=".1" material="first"/></worldbody></mujoco>')
    many.add_world(other)
    many.replicate(one, 50)
    many.add_world(other)
    model, alone = many.finalize(device="cpu"), one.finalize(device="cpu")
    assert model.mujoco.mat_names == ["first", "plain", "tiles", "layered"]
    assert [a is b for a, b in zip(model.mujoco.tex_pixels, alone.mujoco.tex_pixels)] == [True] * 5
    assert len(model.mujoco.skin_vert) == len(alone.mujoco.skin_vert)
    material, ours = model.mujoco.geom_matid.numpy(), alone.mujoco.geom_matid.numpy()
    assert material[0] == 0 and material[-1] == 0
    np.testing.assert_array_equal(material[1:-1].reshape(50, -1), np.tile(np.where(ours < 0, -1, ours + 1), (50, 1)))
    bones = model.mujoco.skin_bone_body.numpy().reshape(50, -1)
    np.testing.assert_array_equal(bones[:, :2] - model.body_world_start.numpy()[1:51, None], np.tile(alone.mujoco.skin_bone_body.numpy()[:2], (50, 1)))
    np.testing.assert_array_equal(model.mujoco.light_diffuse.reshape(50, -1, 3)[7], alone.mujoco.light_diffuse)


def test_pixels_are_made_when_somebody_asks(folder, monkeypatch):
    from newtonish.importers import pictures

    asked = []
    decode = pictures.Picture.pixels
    monkeypatch.setattr(pictures.Picture, "pixels", lambda self, n=3: asked.append(self.path.name) or decode(self, n))
    path = folder / "model.xml"
    path.write_text(XML)
    model = load(path).finalize(device="cpu")
    convert(model)
    assert asked == []
    (folder / "pictures" / "rgb.png").unlink()  # the file was read, so that it may go
    assert model.mujoco.tex_pixels[2].shape == (4, 6, 3) and asked == ["rgb.png", "rgba.png", "grey.png"]


def test_discardvisual_takes_materials_away(folder):
    text = XML.replace("<compiler ", '<compiler discardvisual="true" ')
    model, m = both(folder, text)
    assert m.nmat == 0 and model.mujoco.mat_names == []
    assert np.all(model.mujoco.geom_matid.numpy() == -1) and np.all(model.mujoco.tendon_matid.numpy() == -1)


def test_a_skin_is_read_from_a_file(tmp_path):
    vert = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4")
    face = np.array([0, 1, 2], "<i4")
    bone = (
        b"b".ljust(40, b"\0")
        + np.array([0, 0, 1, 2, 0, 0, 0], "<f4").tobytes()
        + np.array([3, 0, 1, 2], "<i4").tobytes()
        + np.array([1, 2, 3], "<f4").tobytes()
    )
    (tmp_path / "s.skn").write_bytes(np.array([3, 0, 1, 1], "<i4").tobytes() + vert.tobytes() + face.tobytes() + bone)
    text = '<mujoco><worldbody><body name="b"><geom size=".1"/></body></worldbody><asset><skin file="s.skn"/></asset></mujoco>'
    model, m = both(tmp_path, text)
    assert m.nskin == 1 and assert_equal(model, m, ("skin_",)) > 15
    (tmp_path / "s.skn").write_bytes((tmp_path / "s.skn").read_bytes()[:-4])
    with pytest.raises(newtonish.ImporterError, match="fewer than its counts"):
        load(tmp_path / "model.xml")
