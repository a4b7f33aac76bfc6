"""Spatial tendons and transmissions from MJCF to the compiled model, field by field, in one and in several worlds."""

import warnings

import mujoco
import numpy as np
import pytest
from paths import OWN, shared_model
from worlds import model_of

import newtonish
from newtonish import mjw
from newtonish.convert import CompiledModel, convert
from newtonish.errors import ImporterError

PREFIXES = ("tendon_", "wrap_", "ten_J_row", "ten_J_col", "tree_", "actuator_", "jnt_actuatorid")
SIZES = ("ntendon", "nwrap", "nJten", "nactuator", "nout", "nu", "na", "nJmom")
TEXT = (OWN / "spatial_tendons.xml").read_text()


def check(compiled: CompiledModel, oracle: mujoco.MjModel, world: int = 0) -> None:
    """Compare every field of tendons and actuators."""
    assert [getattr(compiled, size) for size in SIZES] == [getattr(oracle, size) for size in SIZES]
    for name in (n for n in dir(mujoco.MjModel) if n.startswith(PREFIXES)):
        ours, theirs = compiled.world(name, world), getattr(oracle, name)
        assert ours.shape == theirs.shape, name
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    "name",
    [
        "spatial_tendons.xml", "actuator_zoo.xml", "arm21/arm21.xml", "small_mechanisms/slider_crank/slider_crank.xml",
        "converter_tests/tests/data/actuators.xml", "converter_tests/tests/data/tendon_docs.xml",
    ],
)  # fmt: skip
def test_every_field_equals_mujocos(name: str) -> None:
    path = str(shared_model(name) if "/" in name else OWN / name)
    compiled, oracle = convert(model_of(path)), mujoco.MjModel.from_xml_path(path)
    check(compiled, oracle)
    assert compiled.stat.meaninertia == pytest.approx(oracle.stat.meaninertia, rel=1e-5)


def test_a_model_in_which_nothing_moves() -> None:
    text = """<mujoco><worldbody><site name="a"/><body pos="1 0 0"><site name="b" pos="0 .5 0"/></body></worldbody>
      <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
      <actuator><general site="b" gear="1 0 0 0 0 0"/><general tendon="t"/></actuator></mujoco>"""
    check(convert(model_of(text)), mujoco.MjModel.from_xml_string(text))


def test_worlds_may_differ_in_numbers() -> None:
    texts = [TEXT, TEXT.replace('divisor="3"', 'divisor="4"').replace('pos="0.3 0 1.9"', 'pos="0.3 0 1.85"')]
    texts.append(TEXT.replace('size="0.1 0.3"', 'size="0.12 0.3"').replace('armature="0.4"', 'armature="0.2"'))
    compiled = convert(model_of(*texts))
    for world, text in enumerate(texts):
        check(compiled, mujoco.MjModel.from_xml_string(text), world)
    m = mjw.put_model(compiled)
    d = mjw.make_data(m, 3)
    mjw.forward(m, d)
    for world, text in enumerate(texts):
        mjm = mujoco.MjModel.from_xml_string(text)
        mjd = mujoco.MjData(mjm)
        mujoco.mj_forward(mjm, mjd)
        np.testing.assert_allclose(d.ten_length.numpy()[world], mjd.ten_length, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(d.qacc.numpy()[world], mjd.qacc, rtol=1e-3, atol=1e-2)


FRAME = """<mujoco><worldbody><site name="a"/><geom name="box" type="box" size="1 1 1"/>
<geom name="ball" size=".1"/><body name="b"><joint name="j"/><geom size=".1"/><site name="s" pos="1 0 0"/></body>
</worldbody>{}</mujoco>"""


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ('<site site="a"/>', "a path of 1 elements"),
        ('<site site="a"/><geom geom="ball"/>', "a geom without a site on each side"),
        ('<site site="a"/><geom geom="box"/><site site="s"/>', "a box"),
        ('<site site="a"/><site site="s"/><pulley divisor="0"/><site site="a"/><site site="s"/>', "pulley, divisor"),
        ('<site site="a"/><site site="s"/><pulley divisor="2"/>', "a pulley at the end"),
        ('<site site="a"/><pulley divisor="2"/><site site="s"/>', "a site alone between pulleys"),
        ('<site site="a"/><site site="a"/>', "the same site twice"),
        ('<site site="a"/><site site="nobody"/>', "'nobody'"),
    ],
)
def test_paths_that_mujoco_refuses_are_refused_with_a_place(path: str, message: str) -> None:
    text = FRAME.format(f'<tendon><spatial name="t">{path}</spatial></tendon>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ImporterError, match=message):
        newtonish.ModelBuilder().add_mjcf(text)


NEEDED = """<mujoco><worldbody><site name="w" pos="0 0 1"/><site name="unused"/><body name="b"><joint name="j" type="slide"/><geom name="g" size=".1" mass="1"/>
  <site name="s" pos=".1 0 0"/><site name="side" pos="0 0 .2"/><site name="crank" pos="0 .1 0"/><site name="weld" pos="0 .3 0"/></body></worldbody>
  <tendon><spatial name="t" stiffness="3"><site site="w"/><geom geom="g" sidesite="side"/><site site="s"/></spatial></tendon><equality><weld site1="weld" site2="w" active="false"/></equality>
  <actuator><general site="s" gear="0 0 1 0 0 0"/><general cranksite="crank" slidersite="w" cranklength="1.5"/><motor tendon="t"/></actuator></mujoco>"""


def test_sites_that_something_acts_on_are_kept() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = convert(model_of(NEEDED), options={"include_sites": False})
    oracle = mujoco.MjModel.from_xml_string(NEEDED)
    assert compiled.site_names == ["w", "s", "side", "crank", "weld"]
    assert (compiled.nactuator, compiled.ntendon, compiled.neq) == (3, 1, 1)
    np.testing.assert_allclose(compiled.actuator_length0, oracle.actuator_length0, rtol=1e-5)
    np.testing.assert_allclose(compiled.actuator_acc0, oracle.actuator_acc0, rtol=1e-5)
    assert convert(model_of(NEEDED)).nsite == oracle.nsite == 6
