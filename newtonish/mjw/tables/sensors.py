"""What the kernels need of a model's sensors beside MuJoCo's own fields, and which sensors they cannot evaluate."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GeomType, ObjType, SensorType
from newtonish.common.geoms import geom_types
from newtonish.common.sensors import Needs, sensor_types
from newtonish.errors import problem
from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.geometric import DISTANCES, enclosed_geoms, geometric_tables, measured_geoms
from newtonish.mjw.tables.taxels import has_distance_fields

_UNSUPPORTED = ("PLUGIN",)
# types of geoms that a ray does not find yet
_CLEAR = (GeomType.SDF,)
_UNMEASURED = (GeomType.HFIELD, GeomType.SDF)  # nor in MuJoCo
_VOLUMES = (*geom_types(convex=True), GeomType.PLANE)
_REMEDY = "remove it, or pass strict=False to leave it at zero"


def sensor_tables(record: ModelRecord) -> dict[str, Any]:
    """Fields of the ``SENSOR`` group that are not MuJoCo's, and the geoms that rays hit."""
    kinds = record.sensor_type.copy()
    kinds[[s for s, _ in _refused(record)]] = -1

    def any_of(needs: Needs) -> int:
        return int(np.isin(kinds, sensor_types(needs=needs)).any())

    tables = {
        "geom_opaque": _opaque(record),
        "sensor_accelerations": any_of(Needs.REACTIONS),
        "sensor_momenta": any_of(Needs.MOMENTA),
        "sensor_energies": any_of(Needs.ENERGIES),
    }
    tables |= geometric_tables(record, kinds)
    if len(kinds):
        tables["sensor_type"] = kinds
        tables["sensor_intprm"] = record.sensor_intprm[:, :3]
    return tables


def _opaque(record: ModelRecord) -> np.ndarray:
    """``opaque_geoms`` of a compiled model."""
    count = record.ngeom
    rgba = record.geom_rgba.reshape(count, 4)
    material = record.geom_matid
    return opaque_geoms(rgba, material, record.mat_rgba.reshape(-1, 4))


def opaque_geoms(rgba: np.ndarray, material: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """1 for geoms that are drawn with some opacity, by their material's colour or their own; the arrays of one world."""
    alpha = rgba[:, 3]
    if len(colours):
        alpha = np.where(material >= 0, colours[np.maximum(material, 0), 3], alpha)
    return (alpha != 0.0).astype(np.int32)


def fields_in_sight(record: ModelRecord) -> list[str]:
    """What opaque geoms are called that are distance fields, which rays do not meet."""
    fields = np.flatnonzero((record.geom_type == GeomType.SDF) & (_opaque(record) != 0)).tolist()
    return [f"geom '{record.geom_names[g]}'" if record.geom_names[g] else f"geom {g}" for g in fields]


def unsupported_sensors(record: ModelRecord) -> list[str]:
    """One four-part line for each sensor that is not evaluated."""
    return [text for _, text in _refused(record)]


def _refused(record: ModelRecord) -> list[tuple[int, str]]:
    """Sensors that are not evaluated, each with the reason."""
    found = []
    blind = np.isin(record.geom_type, _CLEAR) & (_opaque(record) != 0)
    for s in range(record.nsensor):
        kind = SensorType(int(record.sensor_type[s]))
        given, allowed, remedy = "", "sensors without plugins", _REMEDY
        if kind.name in _UNSUPPORTED:
            given = kind.name.lower()
        elif kind == SensorType.TACTILE and has_distance_fields(record):
            given = "the distance field of a mesh"
            allowed = "geoms of primitive shapes, whose distances are known; meshes without such a field count as out of touch"
        elif kind == SensorType.INSIDESITE and (wrong := _unbounded(record, s)):
            given, allowed = wrong, "spheres, capsules, ellipsoids, cylinders, boxes and meshes"
        elif kind in DISTANCES and np.isin(record.geom_type[measured_geoms(record, s)], _UNMEASURED).any():
            given, allowed = "the distance of a heightfield or signed distance field", "planes, primitives and meshes"
        elif kind == SensorType.RANGEFINDER and _in_sight(record, s, blind):
            given = "a ray that may meet a signed distance field"
            allowed = "planes, spheres, capsules, ellipsoids, cylinders, boxes, meshes and heightfields in sight"
            remedy = f"make those geoms transparent (rgba alpha 0), {_REMEDY}"
        if given:
            found.append((s, problem(_name(record, s), given, allowed, remedy)))
    return found


def _unbounded(record: ModelRecord, s: int) -> str:
    """What of an ``insidesite`` sensor is no compact convex shape."""
    volume = GeomType(int(record.site_type[int(record.sensor_refid[s])]))
    if volume not in _VOLUMES:
        return f"a site of type {volume.name.lower()}"
    if record.sensor_intprm[s][0] != 0:
        shapes = record.geom_type[enclosed_geoms(record, s)]
        if record.sensor_objtype[s] == ObjType.SITE:
            shapes = record.site_type[[int(record.sensor_objid[s])]]
        other = [kind for kind in shapes if kind not in _VOLUMES or kind == GeomType.PLANE]
        if other or volume == GeomType.PLANE:
            return f"a {GeomType(int((other or [volume])[0])).name.lower()}, with enclosed"
    return ""


def _name(record: ModelRecord, s: int) -> str:
    """Number and name of a sensor."""
    name = record.names_of["sensor"][s] if s < len(record.names_of["sensor"]) else ""
    return f"sensor {s}" + (f" '{name}'" if name else "")


def _in_sight(record: ModelRecord, s: int, blind: np.ndarray) -> bool:
    """Whether a geom that rays do not find is carried by another body than the sensor's."""
    bodies = record.cam_bodyid if record.sensor_objtype[s] == ObjType.CAMERA else record.site_bodyid
    body = int(bodies[int(record.sensor_objid[s])])
    return bool((blind & (record.geom_bodyid != body)).any())
