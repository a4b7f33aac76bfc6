"""Sensors in MJCF: what is wrong, or not evaluated, is named with its place."""

import warnings

import pytest
from mjcf_compare import column, load
from paths import OWN

from newtonish import ModelBuilder
from newtonish.errors import ImporterError, NewtonishWarning

BODY = """<worldbody><camera name="c" resolution="3 2"/><camera name="flat" resolution="0 2"/><geom name="g" size=".1"/><site name="s"/>
<body name="b"><joint name="a" range="-1 1"/><geom size=".1"/><body><joint name="ball" type="ball"/><geom size=".1"/></body></body>
</worldbody>"""

WRONG = {
    "'site'": "<gyro/>",
    "did you mean 's'": '<gyro site="ss"/>',
    "name of a joint": '<jointpos joint="x"/>',
    "hinge or slide": '<jointpos joint="ball"/>',
    "a ball joint": '<ballquat joint="a"/>',
    "no limits": '<jointlimitpos joint="ball"/>',
    "a number >= 0": '<gyro site="s" cutoff="-1"/>',
    "only real numbers": '<framezaxis objtype="site" objname="s" cutoff="1"/>',
    "the name of a actuator": '<actuatorpos actuator="m"/>',
    "objtype": '<framepos objtype="nothing" objname="s"/>',
    "a name that is taken": '<clock name="t"/><clock name="t"/>',
    "in the order": '<rangefinder site="s" data="dir dist"/>',
    "an integer >= 1": '<contact geom1="g" num="0"/>',
    "netforce with": '<contact geom1="g" reduce="netforce" data="linvel"/>',
    "one of found": '<contact geom1="g" data="colour"/>',
    "site or camera": '<rangefinder data="dist"/>',
    "got site and camera together": '<rangefinder site="s" camera="c"/>',
    "name of a camera": '<camprojection site="s" camera="s"/>',
    "a positive resolution": '<rangefinder camera="flat"/>',
    "with resolution": '<camprojection site="s" camera="flat"/>',
    "neither geom2 nor body2": '<distance geom1="g"/>',
    "body1 together|geom1 and body1": '<normal geom1="g" body1="b" geom2="g"/>',
    "the same object twice": '<fromto body1="b" body2="b"/>',
}


def text(sensors: str) -> str:
    return f"<mujoco>{BODY}<sensor>{sensors}</sensor></mujoco>"


@pytest.mark.parametrize("expected", WRONG)
def test_what_is_wrong_is_named(expected: str) -> None:
    with pytest.raises(ImporterError, match=expected) as error:
        ModelBuilder().add_mjcf(text(WRONG[expected]))
    assert "<string>:3:" in str(error.value)


def test_a_tactile_sensor_needs_a_mesh_that_is_there() -> None:
    asset = '<asset><mesh name="pad" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    with pytest.raises(ImporterError, match="the mesh of a geom"):
        ModelBuilder().add_mjcf(text('<tactile geom="g" mesh="pat"/>').replace("<worldbody>", asset + "<worldbody>"))
    with pytest.warns(NewtonishWarning, match="not that of a geom"):
        ModelBuilder().add_mjcf(text('<tactile geom="g" mesh="pad"/>').replace("<worldbody>", asset + "<worldbody>"))


@pytest.mark.parametrize("sensor", ['<plugin plugin="mujoco.sensor.touch_grid"/>'])
def test_what_is_not_evaluated_is_reported(sensor: str) -> None:
    builder = ModelBuilder()
    with pytest.warns(NewtonishWarning, match="<string>:3:"):
        report = builder.add_mjcf(text(sensor))
    assert [entry.location.line for entry in report.ignored if entry.location] == [3]


def test_all_sensors_are_kept_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder = load(OWN / "all_sensors.xml")
    names = column(builder, "mujoco:sensor_label")
    assert names[0] == "pad" and names[-1] == "mine"
    assert [entry for entry in builder.import_reports[-1].ignored if entry.location] == []
