"""Everything that is wrong with a file is told at once: values, ranges and references, but nothing that only follows."""

import pytest

from newtonish import ModelBuilder, mjcf
from newtonish.errors import ImporterError


def problems(text: str) -> list[str]:
    with pytest.raises(ImporterError) as caught:
        ModelBuilder().add_mjcf(text)
    return caught.value.problems


def test_values_ranges_and_references_together() -> None:
    found = problems(
        """<mujoco><worldbody>
        <body name="a"><joint name="swing" type="hing"/><geom size=".1"/></body>
        <body name="b"><joint name="j" damping="-1 2 3 4 5"/><geom type="box" size="1 oops 1"/><geom size=".1"/></body>
        <geom name="ball" size="-1"/>
        </worldbody><actuator><motor joint="zzz"/><motor joint="swing"/></actuator></mujoco>"""
    )
    told = "\n".join(found)
    for word in ("'hing'", "'oops'", "size [-1.0]", "'zzz'"):
        assert word in told, told
    assert not any("'swing'" in text and "name a joint" in text for text in found), "the joint is there, only its type is not"


def test_a_value_that_is_needed_does_not_hide_the_rest_behind_a_crash() -> None:
    found = problems('<mujoco><worldbody><geom type="capsule" fromto="0 0 0 x 0 0" size=".1"/><geom type="box" size="1 y 1"/></worldbody></mujoco>')
    assert len(found) == 2 and "'x'" in found[0] and "'y'" in found[1]


def test_an_unknown_word_comes_first() -> None:
    """What else would be found follows from it more often than not."""
    found = problems('<mujoco><worldbody><bodyy name="a"><geom size=".1"/></bodyy></worldbody><actuator><motor body="a"/></actuator></mujoco>')
    assert any("bodyy" in text for text in found) and not any("name a" in text for text in found)


def test_names_with_separators_are_told_in_one_line() -> None:
    bodies = "".join(f'<body name="left/link{k}"><geom name="left/g{k}" size=".1"/></body>' for k in range(20))
    text = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    with pytest.raises(
        ImporterError, match=r"'body', name: got 'left/link0' and 39 more names; allowed: names without '/'; pass escape_separators=True"
    ) as caught:
        mjcf.from_xml_string(text)
    assert len(caught.value.problems) == 1
    assert mjcf.from_xml_string(text, escape_separators=True).find("body", "left\\link3") is not None
