"""What a file may ask for is bounded, every bound can be raised; and what MuJoCo tolerates in paths is tolerated."""

import os
import sys

import mujoco
import pytest

from newtonish import ImporterError, ModelBuilder, ModelError, mjcf
from newtonish.convert import convert
from newtonish.errors import NewtonishWarning

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = "<worldbody><geom type='mesh' mesh='{}'/></worldbody>"


def read(source, **options) -> ModelBuilder:
    builder = ModelBuilder()
    builder.add_mjcf(str(source), **options)
    return builder


def nested(levels: int) -> str:
    return "<mujoco><worldbody>" + "<body><joint/><geom size='.1'/>" * levels + "</body>" * levels + "</worldbody></mujoco>"


def test_depth() -> None:
    text, before = nested(450), sys.getrecursionlimit()
    assert mujoco.MjModel.from_xml_string(text).nbody == read(text).body_count + 1 == 451
    with pytest.raises(ImporterError, match=r"21 levels deep; allowed: 20 levels; .* pass a larger max_depth"):
        read(nested(25), max_depth=20)
    assert read(nested(700), max_depth=800).body_count == 700
    assert sys.getrecursionlimit() == before


def test_a_bomb_of_elements_ends_in_an_error_that_can_be_read() -> None:
    with pytest.raises(ImporterError, match="Excessive depth in document"):
        read(nested(100_000))


def test_elements() -> None:
    text = "<mujoco><worldbody>" + "<replicate count='1000'>" * 4 + "<geom size='1'/>" + "</replicate>" * 4 + "</worldbody></mujoco>"
    with pytest.raises(ImporterError, match="pass a larger max_elements"):
        read(text)
    small = "<mujoco><worldbody><replicate count='30'><geom size='1'/></replicate></worldbody></mujoco>"
    with pytest.raises(ImporterError, match="max_elements"):
        read(small, max_elements=20)
    assert read(small, max_elements=100).shape_count == 30


def test_size_of_files(tmp_path) -> None:
    (tmp_path / "a.obj").write_text(TETRAHEDRON)
    (tmp_path / "part.xml").write_text("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>" + " " * 2000)
    (tmp_path / "mesh.xml").write_text("<mujoco><asset><mesh file='a.obj'/></asset>" + MESH.format("a") + "</mujoco>")
    (tmp_path / "main.xml").write_text("<mujoco><include file='part.xml'/></mujoco>")
    for name, most in (("part.xml", 1000), ("main.xml", 1000)):
        with pytest.raises(ImporterError, match=r"2\d+ bytes; allowed: at most 1000 bytes; .* max_size"):
            read(tmp_path / name, max_size=most)
    text = f"<mujoco><asset><mesh file='{tmp_path / 'a.obj'}'/></asset>{MESH.format('a')}</mujoco>"  # no file itself
    with pytest.raises(ImporterError, match="at most 40; simplify it, or pass a larger max_size"):
        read(text, max_size=40)
    assert read(text, max_size=100).shape_count == 1


@pytest.mark.parametrize("option", [{"max_depth": 0}, {"max_depth": 10_000}, {"max_size": -1}, {"max_elements": 2.5}, {"max_size": True}])
def test_bounds_are_whole_numbers(option) -> None:
    with pytest.raises(ModelError, match=f"add_mjcf, {next(iter(option))}: got"):
        read("<mujoco/>", **option)


def test_entities_are_refused_and_nothing_is_fetched(tmp_path) -> None:
    (tmp_path / "secret").write_text("1")
    for inside in ('<!ENTITY a "1">', f'<!ENTITY a SYSTEM "file://{tmp_path}/secret">'):
        with pytest.raises(ImporterError, match="document type: got a declaration of entities"):
            read(f"<!DOCTYPE x [{inside}]><mujoco><worldbody><geom size='&a;'/></worldbody></mujoco>")


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_links_in_a_ring_are_an_error(tmp_path) -> None:
    os.symlink(tmp_path / "b", tmp_path / "a")
    os.symlink(tmp_path / "a", tmp_path / "b")
    with pytest.raises(ImporterError, match=r"include of .a/x\.xml"):
        (tmp_path / "m.xml").write_text("<mujoco><include file='a/x.xml'/></mujoco>")
        read(tmp_path / "m.xml")


@pytest.mark.parametrize(
    ("compiler", "file", "name"),
    [
        ("", "meshes\\sub\\a.obj", "m"),
        ("", "meshes\\sub\\a.obj", "a"),
        ("meshdir='meshes\\sub'", "a.obj", "m"),
        ("meshdir='meshes/sub/'", "a.obj", "m"),
        ("meshdir='meshes/sub' strippath='true'", "C:\\x\\y\\a.obj", "a"),
        ("", ".\\meshes\\B.OBJ", "B"),
    ],
)
def test_paths_of_windows_and_upper_case(compiler, file, name, tmp_path) -> None:
    (tmp_path / "meshes" / "sub").mkdir(parents=True)
    (tmp_path / "meshes" / "sub" / "a.obj").write_text(TETRAHEDRON)
    (tmp_path / "meshes" / "B.OBJ").write_text(TETRAHEDRON)
    (tmp_path / "PART.XML").write_text("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    named = f"name='{name}' " if name == "m" else ""
    text = f"<mujoco><compiler {compiler}/><include file='.\\PART.XML'/><asset><mesh {named}file='{file}'/></asset>{MESH.format(name)}</mujoco>"
    (tmp_path / "M.XML").write_text(text)
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "M.XML")).ngeom == read(tmp_path / "M.XML").shape_count == 2


def test_the_object_model_is_bounded_too() -> None:
    assert len(mjcf.from_xml_string(nested(300)).find_all("body")) == 300
    with pytest.raises(ImporterError, match="levels deep"):
        mjcf.from_xml_string(nested(600))


MANY = 20_000
BROKEN = {
    "tags": "<mujoco>" + "<a" * 25 * MANY,
    "attributes": "<mujoco>" + "<body a=" * MANY,
    "quotes": "<mujoco>" + '<body a="' * MANY,
    "quotes of two kinds": "<mujoco>" + "<body a='\"" * MANY,
    "comments": "<mujoco>" + "<!--" * MANY,
    "instructions": "<mujoco>" + "<?xml" * MANY,
    "sections": "<mujoco>" + "<![CDATA[" * MANY,
    "document types": "<!DOCTYPE" * MANY,
    "a long name": "<mujoco><body " + "a" * 5 * MANY + "/></mujoco>",
    "words": "<mujoco><body " + "a " * 3 * MANY + "/></mujoco>",
    "unknown attributes": "<mujoco><option " + " ".join(f'x{i}="1"' for i in range(5 * MANY)) + "/></mujoco>",
    "unknown elements": "<mujoco>" + "<foo/>" * 3 * MANY + "</mujoco>",
    "unknown classes": "<mujoco><default>" + "".join(f'<default class="c{i}"/>' for i in range(2000)) + "</default><worldbody>"
    + "".join(f'<geom size=".1" class="d{i}"/>' for i in range(MANY)) + "</worldbody></mujoco>",
    "empty copies": '<mujoco><worldbody><replicate count="1000000000"/></worldbody></mujoco>',
    "copies": '<mujoco><worldbody><replicate count="900000"><geom size=".1"/></replicate></worldbody></mujoco>',
    "pixels": '<mujoco><worldbody><camera name="c" resolution="100000 100000"/></worldbody><sensor><rangefinder camera="c"/></sensor></mujoco>',
}  # fmt: skip


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_short_texts_are_refused_in_time_that_grows_with_their_length(text) -> None:
    """Each took from minutes to longer than anybody waits."""
    with pytest.raises(ImporterError, match="allowed: "):
        read(text)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes")
@pytest.mark.parametrize("kind", ["include", "mesh", "texture", "hfield", "skin"])
def test_pipes_and_devices_are_no_files(kind, tmp_path) -> None:
    ending = {"include": ".xml", "mesh": ".stl", "texture": ".png", "hfield": ".png", "skin": ".skn"}[kind]
    os.mkfifo(tmp_path / f"pipe{ending}")
    (tmp_path / f"zero{ending}").symlink_to("/dev/zero")
    for name in (f"pipe{ending}", f"zero{ending}"):
        element = {"include": f'<include file="{name}"/>'}.get(
            kind, f'<asset><{kind} name="x" file="{name}" {"size=" + chr(34) + "1 1 1 1" + chr(34) if kind == "hfield" else ""}/></asset>'
        )
        (tmp_path / "m.xml").write_text(f"<mujoco>{element}<worldbody><geom size='.1'/></worldbody></mujoco>")
        with pytest.raises(ImporterError, match="a device or a pipe"):
            read(str(tmp_path / "m.xml"))


def test_a_chain_whose_mass_matrix_does_not_fit_is_refused() -> None:
    text = "<robot name='r'>" + "".join(
        f"<link name='l{i}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>" for i in range(3001)
    )
    text += (
        "".join(f"<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{i + 1}'/><axis xyz='0 1 0'/></joint>" for i in range(3000))
        + "</robot>"
    )
    builder = ModelBuilder()
    builder.add_urdf(text)
    with pytest.raises(ModelError, match=r"mass matrix: got 4501500 elements.*allowed: at most 4000000"):
        convert(builder.finalize(device="cpu"))


@pytest.mark.parametrize("number", ["1e39", "-1e200", "1 3.5e38 0"])
def test_a_number_that_float32_does_not_hold_is_warned_of(number) -> None:
    numbers = number if " " in number else f"{number} 0 0"
    with pytest.warns(NewtonishWarning, match=r"geom 'g', pos: is beyond 3\.40282e\+38.* counts as infinite"):
        read(f"<mujoco><worldbody><geom name='g' size='.1' pos='{numbers}'/></worldbody></mujoco>")
