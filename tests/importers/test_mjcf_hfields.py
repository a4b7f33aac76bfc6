"""Heightfields in MJCF: files and numbers in the text, field by field as MuJoCo compiles them; mistakes with their places."""

import io
import struct
import warnings

import mjcf_compare
import mujoco
import numpy as np
import pytest
from paths import shared_model
from PIL import Image

from newtonish import ModelBuilder, mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError

RNG = np.random.default_rng(11)
GREY = RNG.integers(20, 200, (6, 7)).astype(np.uint8)


def png(array) -> bytes:
    data = io.BytesIO()
    (array if isinstance(array, Image.Image) else Image.fromarray(array)).save(data, "png")
    return data.getvalue()


def palette() -> Image.Image:
    picture = Image.new("P", (3, 2))
    picture.putpalette([255, 0, 0, 0, 255, 0, 40, 0, 255, 10, 10, 10] + [0] * 744)
    picture.putdata([0, 1, 2, 3, 1, 2])
    return picture


def binary(rows=6, cols=7, count=42) -> bytes:
    return struct.pack("<ii", rows, cols) + np.random.default_rng(1).normal(size=count).astype("<f4").tobytes()


FILES = {
    "grey.png": png(GREY),
    "colours.PNG": png(RNG.integers(0, 255, (5, 6, 3)).astype(np.uint8)),
    "transparent.png": png(RNG.integers(0, 255, (5, 6, 4)).astype(np.uint8)),
    "grey_alpha.png": png(RNG.integers(0, 255, (5, 6, 2)).astype(np.uint8)),
    "deep.png": png(RNG.integers(0, 65535, (5, 6)).astype(np.uint16)),
    "palette.png": png(palette()),
    "bits.png": png(RNG.random((5, 9)) > 0.5),
    "flat.png": png(np.full((4, 4), 7, dtype=np.uint8)),
    "binary.hf": binary(),
    "binary": binary(),
}


def text(asset: str, world: str = '<geom type="hfield" hfield="h" pos="1 2 3" euler="10 20 30" friction=".5"/>', head: str = "") -> str:
    body = '<body pos="0 0 4"><freejoint/><geom size=".1"/></body>'
    return f"<mujoco>{head}<asset>{asset}</asset><worldbody>{world}{body}</worldbody></mujoco>"


def agree(folder, source: str) -> None:
    """The importer's rows and the converted fields against MuJoCo's compiler."""
    path = folder / "model.xml"
    path.write_text(source)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder.add_mjcf(path)
    mjcf_compare.compare(builder, theirs)
    compare_fields(convert(builder.finalize()), theirs)


def compare_fields(ours, theirs) -> None:
    for name in ("type", "pos", "quat", "size", "aabb", "rbound"):
        np.testing.assert_allclose(getattr(ours, f"geom_{name}"), getattr(theirs, f"geom_{name}"), rtol=1e-6, atol=2e-6, err_msg=name)
    for mine, other, kind in zip(ours.geom_dataid, theirs.geom_dataid, theirs.geom_type):
        if kind != mujoco.mjtGeom.mjGEOM_HFIELD:
            continue
        for name in ("size", "nrow", "ncol"):
            np.testing.assert_allclose(getattr(ours, f"hfield_{name}")[mine], getattr(theirs, f"hfield_{name}")[other], rtol=1e-7)
        count = theirs.hfield_nrow[other] * theirs.hfield_ncol[other]
        start = ours.hfield_adr[mine], theirs.hfield_adr[other]
        np.testing.assert_allclose(ours.hfield_data[start[0] :][:count], theirs.hfield_data[start[1] :][:count], atol=2e-7)


@pytest.mark.parametrize("name", FILES)
def test_files(name, tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / name).write_bytes(FILES[name])
    agree(tmp_path, text(f'<hfield name="h" file="{name}" size="1 2 .3 .4"/>', head='<compiler meshdir="assets"/>'))


def test_content_type_counts_before_the_extension(tmp_path):
    (tmp_path / "picture.hf").write_bytes(FILES["grey.png"])
    (tmp_path / "numbers.png").write_bytes(FILES["binary.hf"])
    agree(tmp_path, text('<hfield name="h" content_type="image/png" file="picture.hf" size="1 2 3 4"/>'))
    agree(tmp_path, text('<hfield name="h" content_type="image/vnd.mujoco.hfield" file="numbers.png" size="1 2 3 4"/>'))


def test_named_by_its_file_and_a_file_counts_before_numbers(tmp_path):
    (tmp_path / "h.hf").write_bytes(FILES["binary.hf"])
    agree(tmp_path, text('<hfield file="h.hf" nrow="2" ncol="2" elevation="1 2 3 4" size="1 2 3 4"/>'))


@pytest.mark.parametrize("elevation", ["1 2 3 4 5 6", "5 5 5 5 5 5", "-1 0 1e-3 -2 0 7", None])
def test_numbers_in_the_text(elevation, tmp_path):
    numbers = f'elevation="{elevation}"' if elevation else ""
    agree(tmp_path, text(f'<hfield name="h" nrow="2" ncol="3" size="1 2 .3 .4" {numbers}/>'))


def test_mass_and_several_geoms(tmp_path):
    """The box that MuJoCo weighs: half of the elevation and the base."""
    assets = '<hfield name="h" nrow="2" ncol="3" size="1 2 .3 .4"/><hfield name="k" nrow="3" ncol="2" size="2 1 .3 .4"/>'
    world = """<geom type="hfield" hfield="k" size="5 5 5"/><geom type="hfield" hfield="h"/>
    <body pos="0 0 1"><geom type="hfield" hfield="h" pos=".1 .2 .3"/></body>
    <body pos="0 0 2"><geom type="hfield" hfield="h" mass="3"/><geom size=".2"/></body>
    <body mocap="true"><geom type="hfield" hfield="k" density="10" euler="0 10 0"/></body>"""
    agree(tmp_path, text(assets, world))


def test_a_robot_on_terrain():
    path = shared_model("barkour_vb/scene_hfield_mjx.xml")
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(path)
        theirs = mujoco.MjModel.from_xml_path(str(path))
        ours = convert(builder.finalize())
        np.testing.assert_allclose(ours.hfield_data, theirs.hfield_data, atol=2e-7)
        np.testing.assert_allclose(ours.hfield_size, theirs.hfield_size, rtol=1e-7)
        m, d = mjw.load(path, nworld=3)
    m.hfield_data = np.stack([ours.hfield_data * k for k in (1.0, 0.5, 0.0)])
    mjw.reset_data_keyframe(m, d, 0)
    for _ in range(100):
        mjw.step(m, d)
    heights = d.qpos.numpy()[:, 2]
    assert len(set(heights.tolist())) == 3 and (heights > 0.1).all()
    assert (d.ncon.numpy() > 0).all()


@pytest.mark.parametrize(
    ("asset", "word"),
    [
        ('<hfield name="h" nrow="2" ncol="3" size="1 2 3 4" elevation="1 2 3"/>', "elevation: got 3 numbers; allowed: 6"),
        ('<hfield name="h" nrow="2" ncol="2" size="1 2 3 4" elevation="1 2 3 nan"/>', "not a number"),
        ('<hfield name="h" nrow="1" ncol="3" size="1 2 3 4"/>', "nrow 1 and ncol 3 without a file"),
        ('<hfield name="h" size="1 2 3 4"/>', "nrow 0 and ncol 0"),
        ('<hfield name="h" nrow="99999" ncol="99999" size="1 2 3 4"/>', "samples at most"),
        ('<hfield name="h" nrow="2" ncol="2" size="1 2 0 4"/>', "four positive numbers"),
        ('<hfield name="h" nrow="2" ncol="2" size="1 2 3"/>', "size"),
        ('<hfield name="h" nrow="2" ncol="2"/>', "size"),
        ('<hfield nrow="2" ncol="2" size="1 2 3 4"/>', "neither name nor file"),
        ('<hfield name="h" nrow="2" ncol="2" size="1 2 3 4"/>' * 2, "the name 'h' again"),
        ('<hfield name="h" file="missing.png" size="1 2 3 4"/>', "missing.png"),
        ('<hfield name="h" file="empty.png" size="1 2 3 4"/>', "PNG picture"),
        ('<hfield name="h" file="short.hf" size="1 2 3 4"/>', "bytes for 6 rows and 7 columns"),
        ('<hfield name="h" file="row.hf" size="1 2 3 4"/>', "1 by 4 numbers"),
        ('<hfield name="h" file="nan.hf" size="1 2 3 4"/>', "not finite"),
        ('<hfield name="h" file="short.hf" content_type="text/plain" size="1 2 3 4"/>', "content type"),
    ],
)
def test_bad_assets(asset, word, tmp_path):
    (tmp_path / "empty.png").write_bytes(b"no picture")
    (tmp_path / "short.hf").write_bytes(binary()[:-1])
    (tmp_path / "row.hf").write_bytes(binary(1, 4, 4))
    (tmp_path / "nan.hf").write_bytes(struct.pack("<ii4f", 2, 2, 0, 1, 2, np.nan))
    refuse(tmp_path, text(asset), word)


@pytest.mark.parametrize(
    ("geom", "word"),
    [
        ('<geom type="hfield"/>', "type hfield without one"),
        ('<geom type="hfield" hfield="hh"/>', "got 'hh'"),
        ('<geom type="sphere" size="1" hfield="h"/>', "a heightfield for type sphere"),
        ('<geom type="hfield" hfield="h" fromto="0 0 0 1 1 1"/>', "fromto"),
    ],
)
def test_bad_geoms(geom, word, tmp_path):
    refuse(tmp_path, text('<hfield name="h" nrow="2" ncol="2" size="1 2 3 4"/>', geom), word)


def refuse(folder, source: str, word: str) -> None:
    path = folder / "model.xml"
    path.write_text(source)
    with pytest.raises(ImporterError, match=word) as caught:
        ModelBuilder().add_mjcf(path)
    assert "model.xml:1:" in str(caught.value)
