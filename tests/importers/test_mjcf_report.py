"""The import report counts every element and attribute of a file, and says of each what became of it."""

import warnings

import pytest
from paths import SHARED

from newtonish import ModelBuilder

TEXT = """<mujoco>
<compiler discardvisual="true" fusestatic="true"/>
<visual><map znear="1"/></visual>
<asset><mesh name="used" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="spare" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
 <material name="red" rgba="1 0 0 1" shininess="1"/></asset>
<worldbody>
 <body name="a"><freejoint/><geom type="mesh" mesh="used" material="red"/><geom size="1" contype="0" conaffinity="0" mass="0"/>
  <body name="b" user="1"><geom size=".1"/><site name="s"/></body></body>
 <replicate count="3" offset="2 0 0"><body pos="5 0 0"><joint name="j"/><geom name="ball" size=".2"/></body></replicate>
</worldbody>
<contact><exclude body1="a" body2="world"/></contact>
<actuator><motor joint="j0"/></actuator>
<sensor><gyro site="s"/><plugin plugin="mujoco.sensor.touch_grid"/></sensor>
<keyframe><key name="k" time="2"/></keyframe>
</mujoco>"""


def imported(source, **options):
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder, builder.add_mjcf(source, **options)


def fates(report, element: str, attribute: str = "") -> list[tuple[str, str, int]]:
    return [(c.fate, c.note, len(c.places)) for c in report.contents if (c.element, c.attribute) == (element, attribute)]


def test_fates_are_what_happened() -> None:
    builder, report = imported(TEXT)
    assert fates(report, "body") == [("kept", "", 2), ("approximated", "part of its parent: fusestatic", 1)]
    assert fates(report, "geom") == [("kept", "", 3), ("ignored", "only seen: discardvisual", 1)]
    assert builder.shape_count == 2 + 3 + 1  # two geoms and a site, and three copies of a geom
    assert fates(report, "mesh") == [("kept", "", 1), ("ignored", "nothing in the model uses it", 1)]
    assert fates(report, "material") == [("ignored", "only seen: discardvisual", 1)] and not fates(report, "material", "rgba")
    assert fates(report, "body", "user") == [("kept", "", 1)]
    assert fates(report, "map") == fates(report, "map", "znear") == [("kept", "", 1)]
    for kept in ("freejoint", "joint", "site", "exclude", "motor", "gyro", "key", "replicate"):
        assert fates(report, kept) == [("kept", "", 1)], kept
    assert [fate for fate, _, _ in fates(report, "plugin")] == ["ignored"]
    assert fates(report, "key", "time") == [("kept", "", 1)]
    places = next(c.places for c in report.contents if c.element == "motor" and not c.attribute)
    assert str(places[0]).endswith(":12:11")


@pytest.mark.parametrize(
    ("option", "element", "kept"),
    [
        ({"ignore_names": ["s$"]}, "site", 0),
        ({"parse_sites": False}, "site", 0),
        ({"parse_visuals": False}, "geom", 2),
        ({"parse_meshes": False}, "mesh", 0),
    ],
)
def test_what_the_caller_leaves_out_is_not_called_kept(option, element, kept) -> None:
    text = TEXT.replace('discardvisual="true"', "").replace('<gyro site="s"/>', "").replace(' contype="0"', ' contype="0" name="seen"')
    if "parse_visuals" in option:
        text = text.replace('size=".2"', 'size=".2" contype="0" conaffinity="0"')
    _, report = imported(text, **option)
    counted = [number for fate, _, number in fates(report, element) if fate == "kept"]
    assert sum(counted) == kept, fates(report, element)


def test_what_depends_on_something_left_out_is_left_out() -> None:
    _, report = imported(TEXT, parse_sites=False)
    assert [fate for fate, _, _ in fates(report, "gyro")] == ["ignored"]


SHOWN = ["unitree_g1/scene.xml", "dm_humanoid/humanoid.xml", "sensor_zoo/sensor.xml", "softfoot/softfoot.xml", "cassie/scene.xml"]


@pytest.mark.parametrize("name", [n for n in SHOWN if (SHARED / n).exists()] or [""])
def test_every_element_stands_in_the_report_once(name) -> None:
    import mujoco
    from lxml import etree

    builder, report = imported(str(SHARED / name) if name else TEXT)
    elements = [c for c in report.contents if not c.attribute]
    assert len({place for c in elements for place in c.places}) == sum(len(c.places) for c in elements)
    files = {place.file for c in elements for place in c.places}
    tags = [e.tag for f in files if not f.startswith("<") for e in etree.parse(f).getroot().iter() if isinstance(e.tag, str)]
    inside = [tag for tag in tags if tag not in ("mujoco", "mujocoinclude", "include")]
    assert not name or sorted(inside) == sorted(c.element for c in elements for _ in c.places)
    if name:
        compiled = mujoco.MjModel.from_xml_path(str(SHARED / name))
        kept = {e: sum(len(c.places) for c in elements if c.element == e and c.fate == "kept" and c.section == "worldbody") for e in ("body", "site", "geom")}
        assert kept == {"body": compiled.nbody - 1, "site": compiled.nsite, "geom": compiled.ngeom}
