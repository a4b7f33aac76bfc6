"""Materials, textures and texture coordinates in written stages, and in those of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("pxr")

from paths import shared_model
from pxr import Sdf, Usd, UsdShade, UsdUtils
from usd_saved import built, compiled, differences
from usd_stages import read
from usd_validators import complaints

import newtonish as nt
from newtonish.exporters.usd import looks, save_to_usd
from newtonish.namespaces.looks_arrays import MATERIAL

MODEL = """<mujoco>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".3 .5 .7" rgb2="0 0 0" width="8" height="48"/>
    <texture name="a b" type="2d" file="paint.png"/>
    <texture name="a_b" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="6" height="4"/>
    <texture name="sides" type="cube" file="sides.png" gridsize="6 1" gridlayout="RLUDFB"/>
    <texture name="one side" type="cube" file="square.png"/>
    <texture name="bumps" type="2d" file="paint.png" colorspace="linear"/>
    <texture name="rough" type="2d" nchannel="1" file="square.png"/>
    <mesh name="the mesh" file="quad.obj" scale="1 1 -2" inertia="shell"/>
  </asset>
  <asset>
    <material name="plain" rgba=".2 .4 .6 .5" specular=".1" shininess=".9" reflectance=".3" emission=".25"/>
    <material name="painted" texture="a b" texrepeat="{repeat}" texuniform="true" rgba=".9 .8 .7 1"/>
    <material name="checked" texture="a_b" metallic=".7" roughness=".2"/>
    <material name="cube/1" texture="sides"/>
    <material name="cube 2" texture="one side"/>
    <material name="layers"><layer texture="a b" role="rgba"/><layer texture="bumps" role="normal"/><layer texture="rough" role="orm"/></material>
    <material name="unused" rgba="{rgba}"/>
  </asset>
  <worldbody>
    <light name="spot" pos="0 0 3" cutoff="30" diffuse=".1 .2 .3" castshadow="false"/>
    <light name="sun" type="directional" dir="1 0 -1"/>
    <geom name="floor" type="plane" size="1 1 .1" material="checked"/>
    <body>
      <freejoint/>
      <geom name="g0" type="mesh" mesh="the mesh" material="painted" mass="1"/>
      <geom name="g1" size=".1" material="plain"/> <geom name="g2" size=".1" material="plain" rgba="1 0 0 1"/>
      <geom name="g3" type="box" size=".1 .1 .1" material="cube/1"/> <geom name="g4" type="box" size=".1 .1 .1" material="cube 2"/>
      <geom name="g5" size=".2" rgba=".1 .2 .3 .4"/> <geom name="g6" size=".2" material="layers" contype="0" conaffinity="0"/>
      <site name="s" material="plain"/>
    </body>
  </worldbody>
</mujoco>"""
QUAD = """v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v .5 .5 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vt .25 .75
f 1/1 2/2 5/5
f 2/1 3/2 5/5
f 3/3 4/4 5/5
f 4/2 1/3 5/4
f 1/1 3/3 2/2
f 1/1 4/4 3/3
"""
"""A pyramid whose corners have other coordinates in each face."""
FOREIGN = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def Mesh "sheet" (prepend apiSchemas = ["MaterialBindingAPI"]) {
    int[] faceVertexCounts = [4, 3]
    int[] faceVertexIndices = [0, 1, 2, 3, 0, 1, 4]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)]
    texCoord2f[] primvars:paint = [(0, 0), (1, 0), (1, 1), (0, 1), (.5, .25)] (interpolation = "vertex")
    rel material:binding = </look>
}
def Sphere "other" (prepend apiSchemas = ["MaterialBindingAPI"]) {
    rel material:binding = </lost>
}
def Material "look" {
    token inputs:name = "paint"
    token outputs:surface.connect = </look/surface.outputs:surface>
    def Shader "surface" {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </look/picture.outputs:rgb>
        float inputs:opacity.connect = </look/picture.outputs:a>
        float inputs:roughness = .25
        token outputs:surface
    }
    def Shader "picture" {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @paint.png@
        float2 inputs:st.connect = </look/turned.outputs:result>
        token inputs:wrapS = "clamp"
        float3 outputs:rgb
        float outputs:a
    }
    def Shader "turned" {
        uniform token info:id = "UsdTransform2d"
        float2 inputs:in.connect = </look/reader.outputs:result>
        float inputs:rotation = 90
        float2 inputs:scale = (2, 3)
        float2 outputs:result
    }
    def Shader "reader" {
        uniform token info:id = "UsdPrimvarReader_float2"
        string inputs:varname.connect = </look.inputs:name>
        float2 outputs:result
    }
}
def Material "lost" {
    token outputs:surface.connect = </lost/surface.outputs:surface>
    def Shader "surface" {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </lost/gone.outputs:rgb>
        normal3f inputs:normal.connect = </lost/photo.outputs:rgb>
        token outputs:surface
    }
    def Shader "gone" {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @nowhere.png@
        float3 outputs:rgb
    }
    def Shader "photo" {
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @photo.jpg@
        float3 outputs:rgb
    }
}
"""


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with pictures and a mesh."""
    rng = np.random.default_rng(3)
    for name, height, width in (("paint", 5, 7), ("square", 6, 6), ("sides", 24, 4)):
        Image.fromarray(rng.integers(0, 255, (height, width, 4), dtype=np.uint8)).save(tmp_path / f"{name}.png")
    Image.fromarray(np.zeros((2, 2, 3), dtype=np.uint8)).save(tmp_path / "photo.jpg")
    (tmp_path / "quad.obj").write_text(QUAD)
    return tmp_path


def same_pictures(origin: Any, again: Any) -> None:
    """Names, pixels and roles of textures, and texture coordinates, are equal; the rest stands in the arrays."""
    assert [texture.name for texture in again.kept.textures] == [texture.name for texture in origin.kept.textures]
    for mine, his in zip(again.kept.textures, origin.kept.textures):
        np.testing.assert_array_equal(mine.pixels, his.pixels, err_msg=his.name)
    for mine, his in zip(again.kept.meshes, origin.kept.meshes):
        uvs = his.corner_uvs()
        assert (mine.corner_uvs() is None) == (uvs is None)
        if uvs is not None:
            np.testing.assert_allclose(mine.corner_uvs(), uvs, atol=1e-6)


@pytest.mark.parametrize("schemas", [("mjc", "newton"), ("newton",)], ids="-".join)
def test_everything_that_is_seen_comes_back(schemas: tuple[str, ...], pictures: Path) -> None:
    for number, (repeat, rgba) in enumerate((("2 3", "1 0 0 1"), ("1 1", "0 .5 0 .25"))):
        (pictures / "model.xml").write_text(MODEL.format(repeat=repeat, rgba=rgba))
        origin = compiled(built(pictures / "model.xml"))
        out = pictures / f"stage_{number}.usda"
        said = save_to_usd(origin, out, schemas=schemas)
        assert said.left_out == [] and differences(origin, out) == [] and len(said.files) == 7 and all(path.is_file() for path in said.files)
        same_pictures(origin, compiled(built(out)))
        files = sorted(path.name for path in pictures.glob(f"stage_{number}.*"))
        assert files == [
            f"stage_{number}.{name}" for name in ("a_b.png", "a_b_2.png", "bumps.png", "one_side.png", "rough.png", "sides.png", "sky.png", "usda")
        ]


def test_the_nodes_are_those_of_usd(pictures: Path) -> None:
    """Other tools find the picture, its coordinates and how often it repeats, and have nothing to complain of."""
    (pictures / "model.xml").write_text(MODEL.format(repeat="2 3", rgba="1 1 1 1"))
    save_to_usd(compiled(built(pictures / "model.xml")), pictures / "stage.usda")
    stage = Usd.Stage.Open(str(pictures / "stage.usda"))
    assert complaints(stage) == []
    geom = next(prim for prim in stage.Traverse() if prim.GetName() == "g0")
    material = UsdShade.MaterialBindingAPI(geom).ComputeBoundMaterial()[0]
    surface = material.ComputeSurfaceSource()[0]
    picture = UsdShade.Shader(surface.GetInput("diffuseColor").GetConnectedSources()[0][0].source.GetPrim())
    assert Path(picture.GetInput("file").Get().resolvedPath).samefile(pictures / "stage.a_b.png")
    repeat = UsdShade.Shader(picture.GetInput("st").GetConnectedSources()[0][0].source.GetPrim())
    assert tuple(repeat.GetInput("scale").Get()) == (2.0, 3.0)
    reader = UsdShade.Shader(repeat.GetInput("in").GetConnectedSources()[0][0].source.GetPrim())
    coordinates = geom.GetAttribute(f"primvars:{reader.GetInput('varname').Get()}")
    assert coordinates.GetMetadata("interpolation") == "faceVarying" and coordinates.GetTypeName() == "texCoord2f[]"
    assert len(geom.GetAttribute("primvars:st:indices").Get()) == len(geom.GetAttribute("faceVertexIndices").Get())
    bound = UsdShade.MaterialBindingAPI(geom)
    assert bound.ComputeBoundMaterial("physics")[0].GetPath() != material.GetPath()


def test_pictures_in_a_package(pictures: Path) -> None:
    (pictures / "model.xml").write_text(MODEL.format(repeat="2 3", rgba="1 1 1 1"))
    origin = compiled(built(pictures / "model.xml"))
    save_to_usd(origin, pictures / "stage.usdc")
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(pictures / "stage.usdc")), str(pictures / "out.usdz"))
    for path in pictures.glob("stage.*"):
        path.unlink()
    same_pictures(origin, compiled(built(pictures / "out.usdz")))


@pytest.mark.parametrize("name", ["cassie/scene.xml", "skydio_x2/scene.xml", "rubik_cube/cube_3x3x3.xml"])
def test_real_models(name: str, tmp_path: Path) -> None:
    origin = compiled(built(shared_model(name)))
    assert save_to_usd(origin, tmp_path / "model.usdc").left_out == []
    assert differences(origin, tmp_path / "model.usdc") == []
    same_pictures(origin, compiled(built(tmp_path / "model.usdc")))


def test_stages_of_others(pictures: Path) -> None:
    """Alpha and colour of one picture, coordinates by another name, polygons; what is not kept, or not there, is listed."""
    (pictures / "stage.usda").write_text(FOREIGN)
    builder, result = read(pictures / "stage.usda")
    model = builder.finalize(device="cpu")
    look, lost = model.libraries.rows(MATERIAL)
    texture = look.textures[8]
    assert (texture.name, texture.width, texture.height, texture.nchannel) == ("paint", 7, 5, 4) and texture.pixels[..., 3].min() < 255
    assert look.texrepeat == (2.0, 3.0) and look.roughness == pytest.approx(0.25) and look.rgba == (1.0, 1.0, 1.0, 1.0)
    uvs = builder.shape_source[0].corner_uvs()
    np.testing.assert_allclose(uvs[:, :, 0], [[0, 1, 1], [0, 1, 0], [0, 1, 0.5]])
    np.testing.assert_allclose(uvs[:, :, 1], [[1, 1, 0], [1, 0, 0], [1, 1, 0.75]])
    assert not any(lost.textures)
    report = result["report"]
    text = "\n".join(f"{entry.location} {entry.subject} {entry.note}" for entry in (*report.ignored, *report.approximated))
    for word in ("/look/picture inputs:wrapS", "/look/turned inputs:translation, rotation", "nowhere.png, which is not there", "photo.jpg", "PNG pictures"):
        assert word in text, word


def test_a_failure_leaves_the_stage_that_was_there(pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (pictures / "model.xml").write_text(MODEL.format(repeat="1 1", rgba="1 1 1 1"))
    (pictures / "stage.usda").write_text("before")

    def full(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(looks, "write_png", full)
    with pytest.raises(OSError, match="disk full"):
        save_to_usd(compiled(built(pictures / "model.xml")), pictures / "stage.usda")
    assert (pictures / "stage.usda").read_text() == "before" and not list(pictures.glob(".*"))


def test_a_damaged_picture_is_listed(pictures: Path) -> None:
    (pictures / "model.xml").write_text(MODEL.format(repeat="1 1", rgba="1 1 1 1"))
    save_to_usd(compiled(built(pictures / "model.xml")), pictures / "stage.usda")
    data = (pictures / "stage.a_b.png").read_bytes()
    (pictures / "stage.a_b.png").write_bytes(data[: len(data) // 2])
    builder, result = read(pictures / "stage.usda")
    assert isinstance(builder, nt.ModelBuilder)
    assert any("damaged picture" in entry.note for entry in result["report"].ignored)
