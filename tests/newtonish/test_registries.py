"""The tables of sensors and geoms: each type has a row, with MuJoCo's numbers, and says what MuJoCo's compiler makes of it."""

import mujoco
import numpy as np
import pytest
from paths import OWN

from newtonish.common.actuator_laws import LAWS, law_of_gain, words
from newtonish.common.enums import BiasType, DynType, GainType, GeomType, SensorType, Stage
from newtonish.common.geoms import GEOMS, bounding_radii, geom_types, half_extents
from newtonish.common.sensors import SENSORS, Needs, sensor_types

NAMES = {"distance": "GEOMDIST", "normal": "GEOMNORMAL", "fromto": "GEOMFROMTO", "jointactuatorfrc": "JOINTACTFRC", "tendonactuatorfrc": "TENDONACTFRC"}


def test_each_sensor_has_a_row_with_mujocos_number() -> None:
    assert {kind.type for kind in SENSORS.values()} == set(SensorType) - {SensorType.PLUGIN}
    for tag, kind in SENSORS.items():
        assert int(kind.type) == int(getattr(mujoco.mjtSensor, f"mjSENS_{NAMES.get(tag, tag.upper())}")), tag


@pytest.mark.parametrize("model", ["all_sensors", "smooth_zoo"])
def test_rows_of_sensors_are_what_mujoco_compiles(model: str) -> None:
    mjm = mujoco.MjModel.from_xml_path(str(OWN / f"{model}.xml"))
    rows = {int(kind.type): kind for kind in SENSORS.values()}
    for i in range(mjm.nsensor):
        kind = rows[mjm.sensor_type[i]]
        assert kind.varies or kind.dim == mjm.sensor_dim[i]
        assert kind.type == SensorType.USER or mjm.sensor_objtype[i] in (*kind.measured, *([0] if not kind.measured else []))
        assert mjm.sensor_reftype[i] in (0, *kind.references)
        assert kind.varies or (mjm.sensor_needstage[i], mjm.sensor_datatype[i]) == (kind.stage, kind.datatype), kind


def test_needs_of_sensors_are_met_by_their_stage() -> None:
    stage = {kind.type: kind.stage for kind in SENSORS.values()}
    assert {stage[each] for each in sensor_types(needs=Needs.REACTIONS)} == {Stage.ACC}
    assert {stage[each] for each in sensor_types(needs=Needs.MOMENTA)} == {Stage.VEL}
    assert sensor_types(glyph="rays") == (SensorType.RANGEFINDER,)


def test_each_geom_has_a_row_with_mujocos_number() -> None:
    assert [int(row.type) for row in GEOMS.values()] == [int(getattr(mujoco.mjtGeom, f"mjGEOM_{word.upper()}")) for word in GEOMS]
    assert {row.type for row in GEOMS.values()} == set(GeomType) - {GeomType.SDF}
    assert set(geom_types(convex=True)) == set(geom_types(round=True)) | set(geom_types(flat=True))


def test_extents_and_radii_are_mujocos() -> None:
    words = [word for word, row in GEOMS.items() if row.solid]
    geoms = "".join(f'<geom type="{word}" size="{" ".join([".3", ".7", ".5"][: GEOMS[word].sizes])}"/>' for word in words)
    mjm = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    assert mjm.geom_type.tolist() == [GEOMS[word].type for word in words]
    size = np.stack([mjm.geom_size, 2.0 * mjm.geom_size])  # two unequal worlds
    extents, radii = half_extents(mjm.geom_type, size), bounding_radii(mjm.geom_type, size, np.full(size.shape[:2], np.nan))
    for world, factor in enumerate((1.0, 2.0)):
        np.testing.assert_allclose(extents[world], factor * mjm.geom_aabb[:, 3:], rtol=1e-12)
        np.testing.assert_allclose(radii[world], factor * mjm.geom_rbound, rtol=1e-12)


def test_each_law_is_that_of_mujocos_shortcut() -> None:
    target = {"orientation": 'joint="b"'}
    for tag, row in LAWS.items():
        text = f"""<mujoco><worldbody><body><joint name="b" type="ball"/><geom size=".1"/><body pos="1 0 0"><joint name="h"/><geom size=".1"/></body></body></worldbody>
            <actuator><{tag} {target.get(tag, 'joint="h"')} {'motorconst=".1" resistance="1"' if tag == "dcmotor" else ""}/></actuator></mujoco>"""
        mjm = mujoco.MjModel.from_xml_string(text)
        assert mjm.actuator_gaintype[0] == row.gain, tag
        assert row.bias is None or mjm.actuator_biastype[0] == row.bias, tag
        assert law_of_gain(mjm.actuator_gaintype[0]) is row
    assert law_of_gain(GainType.AFFINE) is None
    for kinds, prefix in ((DynType, "mjtDyn"), (GainType, "mjtGain"), (BiasType, "mjtBias")):
        theirs = {name.split("_")[1].lower(): int(value) for name, value in getattr(mujoco, prefix).__members__.items()}
        assert {word: number for number, word in enumerate(words(kinds))}.items() <= theirs.items()
