"""``<composite>`` becomes the bodies, joints, tendons and constraints that MuJoCo 2.3.7 made of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from composites import CASES, FIELDS, mjcf

import newtonish
from newtonish import ModelBuilder, mjw
from newtonish import mjcf as objects
from newtonish.convert import convert
from newtonish.errors import ImporterError

REFERENCE = json.loads((Path(__file__).parents[1] / "models" / "composites.json").read_text())

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def compiled(text: str):
    """Compile MJCF text."""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    return convert(builder.finalize(device="cpu"))


def composite(inner: str, body: str = "") -> str:
    """A model with one composite, in a body if one is named."""
    open_, close = (f'<body name="{body}">', "</body>") if body else ("", "")
    return f"<mujoco><worldbody>{open_}<composite {inner}</composite>{close}</worldbody></mujoco>"


@pytest.mark.parametrize("case", CASES)
def test_every_type_equals_what_mujoco_made_of_it(case: str) -> None:
    model, reference = compiled(mjcf(case)), REFERENCE[case]
    for kind, names in reference["names"].items():
        ours = list(getattr(model, f"{kind}_names"))
        # Elements without a name get one here; MuJoCo leaves them nameless.
        assert [own if name else "" for own, name in zip(ours, names)] == names and len(ours) == len(names), kind
    for field in FIELDS:
        ours, theirs = np.asarray(getattr(model, field), dtype=float), np.array(reference["arrays"][field], dtype=float)
        assert ours.size == theirs.size, field
        np.testing.assert_allclose(ours.reshape(theirs.shape), theirs, rtol=2e-5, atol=2e-7, err_msg=field)


def test_what_a_joint_writes_about_its_constraint_counts() -> None:
    """MuJoCo 2.3.7 reads solreffix of joints and drops it; here it does what its reference says."""
    text = composite('type="rope" count="3" spacing=".05"><joint kind="twist" solreffix="0.03 1.1" solimpfix="0.7"/><geom size=".01"/>', "B0")
    model = compiled(text)
    np.testing.assert_allclose(model.eq_solref, [[0.03, 1.1]] * 2)
    np.testing.assert_allclose(np.asarray(model.eq_solimp)[:, :2], [[0.7, 0.95]] * 2)


def test_a_composite_stands_where_it_is_written_and_its_constraints_come_first() -> None:
    text = """<mujoco><worldbody><body name="a"/><frame pos="0 0 1"><composite type="grid" count="2" spacing=".1" offset="1 0 0"><geom size=".02"/>
      </composite></frame><body name="z"><joint name="jz"/><geom size="1"/></body></worldbody>
      <equality><joint name="own" joint1="jz"/></equality><sensor><framepos objtype="body" objname="B1_0"/></sensor></mujoco>"""
    model = compiled(text)
    assert model.body_names == ["world", "a", "B0_0", "B1_0", "z"]
    assert model.eq_names[-1] == "own" and len(model.eq_names) == 2
    np.testing.assert_allclose(np.reshape(model.body_pos, (-1, 3))[2:4], [[0.9, -0.05, 1.0], [1.0, -0.05, 1.0]], atol=1e-12)


def test_composites_can_be_replicated_and_attached() -> None:
    rope = '<body name="B0"><composite type="rope" count="3" spacing=".05"><geom size=".01"/></composite></body>'
    model = compiled(f'<mujoco><worldbody><replicate count="2" offset="0 1 0" sep="_">{rope}</replicate></worldbody></mujoco>')
    assert model.body_names == ["world", "B0_0", "B1_0", "B2_0", "B0_1", "B1_1", "B2_1"]

    child = objects.from_xml_string(f'<mujoco model="child"><default><geom density="5"/></default><worldbody>{rope}</worldbody></mujoco>')
    top = objects.RootElement(model="top")
    top.attach(child)
    model = compiled(top.to_xml_string())
    assert model.body_names[2:] == ["child/B0", "child/B1", "child/B2"]
    assert model.body_mass.reshape(-1)[-1] == pytest.approx(1000.0 * 4.0 / 3.0 * np.pi * 0.01**3), "no class reaches a composite"


def test_skins_plugins_and_what_has_no_effect_are_reported() -> None:
    inner = 'type="grid" count="3 3" spacing=".1" flatinertia="1"><joint kind="twist"/><skin/><geom size=".02"/><plugin plugin="p"/>'
    builder = ModelBuilder()
    with pytest.warns(newtonish.errors.NewtonishWarning):
        report = builder.add_mjcf(composite(inner))
    notes = " ".join(str(entry) for entry in report.ignored)
    assert "joint.twist" in notes and "plugins are not simulated" in notes and "skin" in notes and "flatinertia" in notes


@pytest.mark.parametrize(
    ("inner", "body", "given"),
    [
        ('type="rope" count="3" spacing=".05"><geom type="box" size=".01 .01 .01"/>', "B0", "a geom of type box"),
        ('type="rope" count="3 3" spacing=".05"><geom size=".01"/>', "B0", "2 counts above one"),
        ('type="rope" count="1 3" spacing=".05"><geom size=".01"/>', "B0", "ones after all other"),
        ('type="rope" count="3" spacing=".05"><geom size=".01"/>', "B7", "the parent body 'B7'"),
        ('type="rope" count="3" spacing=".05"><geom size=".01"/>', "", "the parent body 'world'"),
        ('type="rope" count="3"><geom size=".01"/>', "B0", "spacing 0.0"),
        ('type="cloth" count="3 3" spacing=".05">', "B0_0", "no geom of positive size"),
        ('type="grid" count="3 3" spacing=".01"><geom size=".02"/>', "", "at least the size of the geoms"),
        ('type="grid" count="3 3 3" spacing=".1"><geom size=".02"/>', "", "3 counts above one"),
        ('type="grid" count="3" spacing=".1"><tendon kind="shear"/><geom size=".02"/>', "", "shear in one dimension"),
        ('type="grid" count="3" spacing=".1"><pin coord="3"/><geom size=".02"/>', "", "a pin at [3"),
        ('type="grid" count="3" spacing=".1"><joint kind="main"/><joint kind="main"/><geom size=".02"/>', "", "joint of kind main twice"),
        ('type="grid" count="3 0" spacing=".1"><geom size=".02"/>', "", "positive numbers"),
        ('type="box" count="3 3" spacing=".1"><geom size=".02"/>', "", "2 counts above one"),
        ('type="particle" vertex="0 0 0 1 0 0" spacing=".1"><geom size=".02"/>', "", "vertex in a cable only"),
        ('type="cable" count="3" vertex="0 0 0 1 0 0"><geom type="box" size="0 .1 .1"/>', "", "vertex and count"),
        ('type="cable" count="4" curve="s 0"><geom type="capsule" size=".1"/>', "", "curve 's 0'"),
        ('type="particle" count="2000 2000" spacing=".1"><geom size=".02"/>', "", "4000000 bodies"),
        ('type="ball" count="2" spacing=".1"><geom size=".02"/>', "", "'ball'"),
    ],
)
def test_what_cannot_be_made_is_refused_with_its_place(inner: str, body: str, given: str) -> None:
    with pytest.raises(ImporterError, match=r"<string>:1:\d+: ") as error:
        ModelBuilder().add_mjcf(composite(inner, body))
    assert given in str(error.value)


def test_a_soft_box_falls_and_keeps_its_volume() -> None:
    text = mjcf("box").replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1"/>', 1)
    model, data = mjw.load(text, nworld=2)
    qpos = data.qpos.numpy()
    qpos[:, 2] = (0.3, 0.5)
    data.qpos.assign(qpos)
    for _ in range(300):
        mjw.step(model, data)
    sums = data.qpos.numpy()[:, 7:].sum(axis=1)
    assert np.isfinite(sums).all() and np.abs(sums).max() < 0.02


@pytest.mark.parametrize("where", [
    '<deformable><flex name="f" body="world" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" dim="2"/></deformable>',
    '<worldbody><body><flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1" dim="2"/></body></worldbody>',
    '<worldbody><frame><flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1" dim="2"/></frame></worldbody>',
    '<worldbody><replicate count="2"><flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1" dim="2"/></replicate></worldbody>',
])  # fmt: skip
def test_deformable_objects_are_refused_with_their_place(where):
    with pytest.raises(ImporterError, match=r"<string>:1:\d+: .*flex.*; allowed: .*; remove "):
        ModelBuilder().add_mjcf(f"<mujoco>{where}</mujoco>")
