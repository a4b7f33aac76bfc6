"""Custom numbers, texts and tuples: MuJoCo's arrays, copies, worlds, and the way out again."""

import mujoco
import numpy as np
import pytest

import newtonish
from newtonish import mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError
from newtonish.exporters.mjcf import to_mjcf

BODY = """<body name="b" pos="0 0 1"><joint name="j"/><geom name="g" size="0.1"/><site name="s"/><camera name="c"/>
  <body name="b2"><joint name="j2"/><geom name="g2" size="0.1"/></body></body>"""
CUSTOM = """<custom>
  <tuple name="first"><element objtype="body" objname="b2" prm="0.5"/><element objtype="tuple" objname="second"/>
    <element objtype="numeric" objname="n"/><element objtype="text" objname="t"/><element objtype="sensor" objname="q"/></tuple>
  <numeric name="n" data="1 2.5 3" size="5"/><text name="t" data="some words"/><numeric name="z" size="2"/><text name="u" data="x"/>
  <tuple name="second"><element objtype="joint" objname="j2"/><element objtype="geom" objname="g2" prm="-1"/>
    <element objtype="site" objname="s"/><element objtype="camera" objname="c"/><element objtype="xbody" objname="b"/>
    <element objtype="actuator" objname="a"/><element objtype="tendon" objname="w"/><element objtype="body" objname="world"/></tuple>
</custom>"""
REST = """<tendon><fixed name="w"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor name="a0" joint="j"/><motor name="a" joint="j2"/></actuator>
  <sensor><clock name="k"/><jointpos name="q" joint="j"/></sensor>"""
TEXT = f"<mujoco><worldbody>{BODY}</worldbody>{REST}{CUSTOM}</mujoco>"
NUMBERS = ("numeric_adr", "numeric_size", "numeric_data", "text_adr", "text_size", "tuple_adr", "tuple_size", "tuple_objtype", "tuple_objid", "tuple_objprm")
SIZES = ("nnumeric", "nnumericdata", "ntext", "ntextdata", "ntuple", "ntupledata")


def compiled(text: str, worlds: int = 0):
    builder = newtonish.ModelBuilder()
    builder.add_mjcf(text)
    if worlds:
        main = newtonish.ModelBuilder()
        main.replicate(builder, worlds)
        builder = main
    return convert(builder.finalize())


def same(ours, theirs: mujoco.MjModel) -> None:
    for name in SIZES:
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in NUMBERS:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, err_msg=name)
    assert ours.text_data.tobytes() == theirs.text_data
    for kind in ("numeric", "text", "tuple"):
        number = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        names = [mujoco.mj_id2name(theirs, number, i) for i in range(getattr(theirs, f"n{kind}"))]
        assert getattr(ours, f"{kind}_names") == names


@pytest.mark.parametrize("worlds", [0, 3])
def test_arrays_are_mujocos(worlds):
    same(compiled(TEXT, worlds), mujoco.MjModel.from_xml_string(TEXT))


def test_rows_of_the_namespace_are_renumbered_with_the_worlds():
    builder, main = newtonish.ModelBuilder(), newtonish.ModelBuilder()
    builder.add_mjcf(TEXT)
    main.replicate(builder, 3)
    model = main.finalize()
    data = model.mujoco
    assert list(data.numeric_label) == ["n", "z"] * 3
    assert data.numeric_world.numpy().tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_array_equal(data.numeric_data.numpy(), [1, 2.5, 3, 0, 0, 0, 0] * 3)
    assert data.numeric_adr.numpy().tolist() == [0, 5, 7, 12, 14, 19]
    assert list(data.text_data) == ["some words", "x"] * 3
    targets = data.tuple_obj.numpy().reshape(3, -1)
    bodies, tuples = targets[:, 0], targets[:, 1]
    assert bodies.tolist() == [1, 3, 5] and tuples.tolist() == [1, 3, 5]
    assert targets[:, -1].tolist() == [-1, -1, -1]  # the world


@pytest.mark.parametrize(
    "custom",
    [
        '<tuple name="t"><element objtype="geom" objname="in"/><element objtype="body" objname="r"/></tuple>',
        '<tuple name="t"><element objtype="geom" objname="in"/><element objtype="geom" objname="out"/></tuple>',
        '<tuple name="t"><element objtype="geom" objname="in"/><element objtype="numeric" objname="n"/></tuple><numeric name="n" data="1"/>',
        '<tuple name="t"><element objtype="geom" objname="in"/></tuple><tuple name="u"><element objtype="tuple" objname="t"/></tuple>',
        '<tuple name="t"><element objtype="geom" objname="out"/></tuple><text name="x" data="y"/>',
    ],
    ids=["inside", "half", "number", "nested", "outside"],
)
def test_replicate_copies_tuples_as_mujoco_does(custom):
    text = f"""<mujoco><worldbody><geom name="out" size="1"/><replicate count="2" offset="1 0 0"><body name="r"><geom name="in" size="0.1"/></body></replicate>
      </worldbody><custom>{custom}</custom></mujoco>"""
    same(compiled(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("part", ['body="b"', ""])
def test_attached_models_bring_theirs(part, tmp_path):
    (tmp_path / "child.xml").write_text(
        """<mujoco model="child"><worldbody><body name="b"><geom size="0.1"/></body><body name="z"/></worldbody><custom>
        <tuple name="t"><element objtype="body" objname="b"/><element objtype="numeric" objname="n"/></tuple><numeric name="n" data="1"/>
        <text name="x" data="q"/><tuple name="tz"><element objtype="body" objname="z"/></tuple></custom></mujoco>"""
    )
    main = tmp_path / "main.xml"
    main.write_text(f"""<mujoco><asset><model name="c" file="child.xml"/></asset><worldbody><attach model="c" {part} prefix="p_"/></worldbody>
      <custom><numeric name="own" data="5"/></custom></mujoco>""")
    same(compiled(str(main)), mujoco.MjModel.from_xml_path(str(main)))


def test_written_and_read_again():
    once = compiled(TEXT)
    again = mujoco.MjModel.from_xml_string(to_mjcf(once))
    same(once, again)
    m = mjw.put_model(once)
    assert m.nworld == 1


@pytest.mark.parametrize(
    "custom",
    [
        '<numeric name="n" data="1 2 3" size="2"/>',
        '<numeric name="n"/>',
        '<numeric name="n" data="a"/>',
        '<text name="n" data=""/>',
        '<tuple name="n"/>',
        '<tuple name="n"><element objtype="body" objname="q"/></tuple>',
        '<tuple name="n"><element objtype="foo" objname="q"/></tuple>',
        '<numeric name="n" data="1"/><numeric name="n" data="2"/>',
    ],
)
def test_what_mujoco_refuses_is_refused(custom):
    text = f"<mujoco><custom>{custom}</custom></mujoco>"
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ImporterError, match=r"<string>:1:\d+"):
        newtonish.ModelBuilder().add_mjcf(text)
