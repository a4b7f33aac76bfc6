"""What the kernels need of a model's sensors beside MuJoCo's own fields, and which sensors they cannot evaluate."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GeomType, ObjType, SensorType
from newtonish.errors import problem
from newtonish.mjw.tables.geometric import DISTANCES, enclosed_geoms, geometric_tables, measured_geoms
from newtonish.mjw.tables.taxels import has_distance_fields

_ACCELERATIONS = ("ACCELEROMETER", "FORCE", "TORQUE", "FRAMELINACC", "FRAMEANGACC")
_MOMENTA = ("SUBTREELINVEL", "SUBTREEANGMOM")
_ENERGIES = ("E_POTENTIAL", "E_KINETIC")
_UNSUPPORTED = ("PLUGIN",)
# types of geoms that a ray does not find yet
_CLEAR = (GeomType.SDF,)
_UNMEASURED = (GeomType.HFIELD, GeomType.SDF)  # nor in MuJoCo
_VOLUMES = (GeomType.SPHERE, GeomType.CAPSULE, GeomType.ELLIPSOID, GeomType.CYLINDER, GeomType.BOX, GeomType.MESH, GeomType.PLANE)
_REMEDY = "remove it, or pass strict=False to leave it at zero"


def sensor_tables(mjm: Any) -> dict[str, Any]:
    """Fields of the ``SENSOR`` group that are not MuJoCo's, and the geoms that rays hit."""
    kinds = np.asarray(getattr(mjm, "sensor_type", np.zeros(0)), dtype=np.int32).copy()
    kinds[[s for s, _ in _refused(mjm)]] = -1

    def any_of(names: tuple[str, ...]) -> int:
        return int(np.isin(kinds, [SensorType[name] for name in names]).any())

    tables = {
        "geom_opaque": _opaque(mjm),
        "sensor_accelerations": any_of(_ACCELERATIONS),
        "sensor_momenta": any_of(_MOMENTA),
        "sensor_energies": any_of(_ENERGIES),
    }
    tables |= geometric_tables(mjm, kinds)
    if len(kinds):
        tables["sensor_type"] = kinds
        tables["sensor_intprm"] = np.asarray(mjm.sensor_intprm)[:, :3]
    return tables


def _opaque(mjm: Any) -> np.ndarray:
    """``opaque_geoms`` of a compiled model."""
    count = int(mjm.ngeom)
    rgba = np.asarray(getattr(mjm, "geom_rgba", np.ones((count, 4)))).reshape(count, 4)
    material = np.asarray(getattr(mjm, "geom_matid", np.full(count, -1)))
    return opaque_geoms(rgba, material, np.asarray(getattr(mjm, "mat_rgba", np.ones((0, 4)))).reshape(-1, 4))


def opaque_geoms(rgba: np.ndarray, material: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """1 for geoms that are drawn with some opacity, by their material's colour or their own; the arrays of one world."""
    alpha = rgba[:, 3]
    if len(colours):
        alpha = np.where(material >= 0, colours[np.maximum(material, 0), 3], alpha)
    return (alpha != 0.0).astype(np.int32)


def unsupported_sensors(mjm: Any) -> list[str]:
    """One four-part line for each sensor that is not evaluated."""
    return [text for _, text in _refused(mjm)]


def _refused(mjm: Any) -> list[tuple[int, str]]:
    """Sensors that are not evaluated, each with the reason."""
    found = []
    blind = np.isin(np.asarray(mjm.geom_type), _CLEAR) & (_opaque(mjm) != 0)
    for s in range(int(getattr(mjm, "nsensor", 0))):
        kind = SensorType(int(mjm.sensor_type[s]))
        given, allowed, remedy = "", "sensors without plugins", _REMEDY
        if kind.name in _UNSUPPORTED:
            given = kind.name.lower()
        elif kind == SensorType.TACTILE and has_distance_fields(mjm):
            given = "the distance field of a mesh"
            allowed = "geoms of primitive shapes, whose distances are known; meshes without such a field count as out of touch"
        elif kind == SensorType.INSIDESITE and (wrong := _unbounded(mjm, s)):
            given, allowed = wrong, "spheres, capsules, ellipsoids, cylinders, boxes and meshes"
        elif kind in DISTANCES and np.isin(np.asarray(mjm.geom_type)[measured_geoms(mjm, s)], _UNMEASURED).any():
            given, allowed = "the distance of a heightfield or signed distance field", "planes, primitives and meshes"
        elif kind == SensorType.RANGEFINDER and _in_sight(mjm, s, blind):
            given = "a ray that may meet a signed distance field"
            allowed = "planes, spheres, capsules, ellipsoids, cylinders, boxes, meshes and heightfields in sight"
            remedy = f"make those geoms transparent (rgba alpha 0), {_REMEDY}"
        if given:
            found.append((s, problem(_name(mjm, s), given, allowed, remedy)))
    return found


def _unbounded(mjm: Any, s: int) -> str:
    """What of an ``insidesite`` sensor is no compact convex shape."""
    volume = GeomType(int(mjm.site_type[int(mjm.sensor_refid[s])]))
    if volume not in _VOLUMES:
        return f"a site of type {volume.name.lower()}"
    if mjm.sensor_intprm[s][0] != 0:
        shapes = np.asarray(mjm.geom_type)[enclosed_geoms(mjm, s)]
        if mjm.sensor_objtype[s] == ObjType.SITE:
            shapes = np.asarray(mjm.site_type)[[int(mjm.sensor_objid[s])]]
        other = [kind for kind in shapes if kind not in _VOLUMES or kind == GeomType.PLANE]
        if other or volume == GeomType.PLANE:
            return f"a {GeomType(int((other or [volume])[0])).name.lower()}, with enclosed"
    return ""


def _name(mjm: Any, s: int) -> str:
    """Number and name of a sensor."""
    names = getattr(mjm, "sensor_names", None)
    if names is None:
        first = int(mjm.name_sensoradr[s])
        name = mjm.names[first : mjm.names.index(b"\0", first)].decode()
    else:
        name = names[s]
    return f"sensor {s}" + (f" '{name}'" if name else "")


def _in_sight(mjm: Any, s: int, blind: np.ndarray) -> bool:
    """Whether a geom that rays do not find is carried by another body than the sensor's."""
    bodies = mjm.cam_bodyid if mjm.sensor_objtype[s] == ObjType.CAMERA else mjm.site_bodyid
    body = int(bodies[int(mjm.sensor_objid[s])])
    return bool((blind & (np.asarray(mjm.geom_bodyid) != body)).any())
