"""Fixed tendons: rows equal what MuJoCo compiles, and what is wrong or not simulated is named with its place."""

import mujoco
import pytest
from mjcf_compare import column, compare, load, oracle
from paths import OWN

from newtonish import ModelBuilder
from newtonish.errors import ImporterError

BODY = """<worldbody>
<body><joint name="a"/><geom size=".1"/><body><joint name="b"/><geom size=".1" pos=".1 0 0"/></body></body>
<body><joint name="ball" type="ball"/><geom size=".1"/><site name="s"/></body>
</worldbody>"""


def text(attributes: str = "", joints: str = '<joint joint="a" coef="1"/>', compiler: str = "", more: str = "") -> str:
    """A model with one fixed tendon."""
    return f"<mujoco>{compiler}{BODY}<tendon><fixed {attributes}>{joints}</fixed>{more}</tendon></mujoco>"


@pytest.mark.parametrize("name", ["fixed_tendons.xml", "tendon_zoo.xml"])
def test_rows_equal_mujocos(name: str) -> None:
    builder, compiled = load(OWN / name), oracle(OWN / name)
    compare(builder, compiled)
    for field in ("tendon_stiffnesspoly", "tendon_dampingpoly", "tendon_group", "tendon_width", "tendon_rgba"):
        assert column(builder, f"mujoco:{field}") == pytest.approx(getattr(compiled, field), rel=1e-6), field
    names = column(builder, "mujoco:tendon_label")
    assert all(not compiled.tendon(i).name or compiled.tendon(i).name == names[i] for i in range(compiled.ntendon))
    assert builder.import_reports[-1].ignored == []


def test_rows_know_their_articulations() -> None:
    builder = load(OWN / "fixed_tendons.xml")
    assert column(builder, "mujoco:tendon_articulation").tolist() == [0, 0, -1]
    assert column(builder, "mujoco:tendon_joint_articulation").tolist() == [0, 0, 0, 0, 1, 0]


WRONG = {
    "no joint": text(joints=""),
    "name of a joint": text(joints='<joint joint="c" coef="1"/>'),
    "'a' twice": text(joints='<joint joint="a" coef="1"/><joint joint="a" coef="2"/>'),
    "hinge or slide": text(joints='<joint joint="ball" coef="1"/>'),
    "'coef'": text(joints='<joint joint="a"/>'),
    "rest lengths": text('springlength=".2 .1"'),
    "two rising numbers": text('range="0 0" limited="true"'),
    "a range around 0": text('actuatorfrcrange="1 2"'),
    "not below zero": text('armature="-1"'),
    "autolimits is false": text('range="-1 1"', compiler='<compiler autolimits="false"/>'),
    "springyield": text('springyield="1 2"'),
    "a name that is taken": text('name="t"', more='<fixed name="t"><joint joint="b" coef="1"/></fixed>'),
}


@pytest.mark.parametrize("word", WRONG)
def test_what_mujoco_refuses_is_refused_with_its_place(word: str) -> None:
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(WRONG[word])
    with pytest.raises(ImporterError, match=rf"<string>:\d+:\d+: .*{word}"):
        ModelBuilder().add_mjcf(WRONG[word])


@pytest.mark.parametrize(
    "source",
    [
        text('armature="2"'),
        text('actuatorfrcrange="-1 2"'),
        text(more='<spatial name="far"><site site="s"/><site site="r"/></spatial>').replace('<site name="s"', '<site name="r" pos="0 0 9"/><site name="s"'),
    ],
)
def test_what_is_simulated_is_imported_without_a_warning(source: str) -> None:
    mujoco.MjModel.from_xml_string(source)
    report = ModelBuilder().add_mjcf(source)
    assert "kept but not simulated" not in str(report)


SHORTCUTS = (
    "motor", "position", "velocity", "damper", "cylinder", "general", 'position dampratio="1"', 'position timeconst="1"',
    'general gainprm="2" biastype="affine" biasprm="0 -2 0"', "intvelocity",
)  # fmt: skip
DEFAULTS = ("", '<position kp="3"/>', '<velocity kv="3"/>', '<general gainprm="3"/>', "<velocity/><motor/>", "<cylinder/>")


@pytest.mark.parametrize("given", DEFAULTS)
@pytest.mark.parametrize("shortcut", SHORTCUTS)
def test_what_a_control_means_equals_mujocos(given: str, shortcut: str) -> None:
    span = {"damper": 'ctrlrange="0 1"', "intvelocity": 'actrange="0 1"'}.get(shortcut, "")
    area = 'area="1"' if shortcut == "cylinder" else ""
    source = f'<mujoco><default>{given}</default>{BODY}<actuator><{shortcut} {area} joint="a" {span}/></actuator></mujoco>'
    expected = mujoco.MjModel.from_xml_string(source).actuator_ctrlspec
    assert column(load(source), "mujoco:actuator_ctrlspec").tolist() == expected.tolist()
