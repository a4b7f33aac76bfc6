"""Equality constraints from MJCF: what MuJoCo refuses is refused with its place; defaults, names and switches are kept."""

import mujoco
import pytest
from mjcf_compare import close, column, load
from paths import OWN

from newtonish import ModelBuilder
from newtonish.errors import ImporterError, NewtonishWarning

BODY = """<worldbody><site name="w"/>
<body name="a"><freejoint name="free"/><geom size=".1"/><site name="s"/></body>
<body name="b"><joint name="j"/><geom size=".1"/><site name="s2"/></body>
<body name="c"><joint name="ball" type="ball"/><geom size=".1"/></body>
</worldbody><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>"""


def text(equality: str, default: str = "") -> str:
    """A model with some equality constraints."""
    return f"<mujoco>{default}{BODY}<equality>{equality}</equality></mujoco>"


WRONG = {
    "got neither site1 and site2 nor body1 and anchor": '<connect body1="a"/>',
    "site1 and site2 or body1 and anchor": '<connect anchor="0 0 0"/>',
    "nor body1 and anchor; allowed": '<connect body2="a" anchor="0 0 0"/>',
    "got site1 alone": '<connect site1="s"/>',
    "got site1 and site2 and anchor": '<connect site1="s" site2="s2" anchor="1 2 3"/>',
    "got site2 alone|got site2 and body1 together|got body1 and site2": '<weld body1="a" site2="s2"/>',
    "got site1 and site2 and relpose": '<weld site1="s" site2="s2" relpose="1 2 3 1 0 0 0"/>',
    "site1 and site2 or body1; ": "<weld/>",
    "same body twice": '<connect body1="world" anchor="0 0 0"/>',
    "same joint twice": '<joint joint1="j" joint2="j"/>',
    "same tendon twice": '<tendon tendon1="t" tendon2="t"/>',
    "a ball joint": '<joint joint1="ball"/>',
    "a free joint": '<joint joint1="free"/>',
    "name of a joint": '<joint joint1="j" joint2="jj"/>',
    "name of a body": '<weld body1="w"/>',
    "name of a site": '<weld site1="w" site2="x"/>',
    "'joint1'": "<joint/>",
    "3 values": '<weld body1="a" relpose="1 2 3"/>',
    "a name that is taken": '<weld name="x" body1="a"/><joint name="x" joint1="j"/>',
    "'distance'": '<distance geom1="g" geom2="h" distance="1"/>',
}


@pytest.mark.parametrize("word", WRONG)
def test_what_mujoco_refuses_is_refused_with_its_place(word: str) -> None:
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text(WRONG[word]))
    builder = ModelBuilder()
    with pytest.raises(ImporterError, match=rf"<string>:\d+:\d+: .*{word}"):
        builder.add_mjcf(text(WRONG[word]))
    assert builder.body_count == 0


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(ImporterError, match=r"polycoef: got .*inf.*finite numbers"):
        ModelBuilder().add_mjcf(text('<joint joint1="j" polycoef="inf"/>'))


def test_classes_names_and_switches() -> None:
    default = """<default><equality solref=".5" active="false"/>
    <default class="k"><equality solimp=".1 .2" active="true"/></default></default>"""
    builder = load(text('<joint joint1="j"/><weld name="n" class="k" body1="a" solref="-9 -8"/>', default))
    assert column(builder, "mujoco:equality_constraint_enabled").tolist() == [False, True]
    assert list(column(builder, "mujoco:equality_constraint_label")) == ["equality0", "n"]
    close(column(builder, "mujoco:eq_solref"), [[0.5, 1.0], [-9.0, -8.0]], "solref")
    close(column(builder, "mujoco:eq_solimp")[1], [0.1, 0.2, 0.001, 0.5, 2.0], "solimp")
    assert builder.import_reports[-1].ignored == []


def test_the_report_counts_them_and_they_can_be_skipped() -> None:
    path = OWN / "equality_zoo.xml"
    report = load(path).import_reports[-1]
    assert "equality constraints: 14" in str(report)
    builder = load(path, skip_equality_constraints=True)
    assert len(column(builder, "mujoco:equality_constraint_type")) == 0
    assert "left out as asked for (14 in all)" in str(builder.import_reports[-1])


def test_constraints_of_left_out_sites_are_named() -> None:
    with pytest.warns(NewtonishWarning, match=r"<string>:\d+:\d+: .*'n'.*as its sites are"):
        ModelBuilder().add_mjcf(text('<weld name="n" site1="s" site2="s2"/><weld body1="a"/>'), parse_sites=False)
