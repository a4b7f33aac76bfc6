"""Work lists of sensors that query shapes, and the surfaces of meshes that rays meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import GeomType, ObjType, SensorType
from newtonish.common.sensors import RANGEFINDER_SIZES, sensor_types
from newtonish.kernels.structs.container import Model
from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.hulls import shown_meshes
from newtonish.mjw.tables.taxels import taxel_tables

RAY_SIZES = tuple(RANGEFINDER_SIZES.values())  # numbers of each part of a rangefinder's output
DISTANCES = sensor_types(object="pair")
_BODY_OF = {ObjType.GEOM: "geom_bodyid", ObjType.SITE: "site_bodyid", ObjType.CAMERA: "cam_bodyid"}


def geometric_tables(record: ModelRecord, kinds: np.ndarray) -> dict[str, Any]:
    """Fields of ``RANGING``, ``MEASURE``, ``INSIDE`` and ``TACTILE``, and what else these sensors need.

    Args:
        record: the compiled model.
        kinds: SensorType of each sensor, -1 for those that are not evaluated.
    """
    through = (record.sensor_objtype == ObjType.CAMERA) | (record.sensor_reftype == ObjType.CAMERA)
    tables = {"cam_needed": int((through & (kinds >= 0)).any()), "surface_mesh": np.zeros(record.nmesh)}
    tables["sensor_projections"] = int((kinds == SensorType.CAMPROJECTION).sum())
    own = (*sensor_types(own_kernel=True), SensorType.PLUGIN, -1)
    tables["sensor_ordinary"] = int((~np.isin(kinds, own)).sum())
    for end, name in (("obj", "sensor_bodyid"), ("ref", "sensor_refbodyid")):
        tables[name] = _carriers(record, getattr(record, f"sensor_{end}type"), getattr(record, f"sensor_{end}id"))
    return tables | _rays(record, kinds) | _measures(record, kinds) | _inside(record, kinds) | taxel_tables(record, kinds)


def _carriers(record: ModelRecord, types: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Body that carries each object; other things than bodies, geoms, sites and cameras count as the world."""
    bodies = np.where(np.isin(types, (ObjType.BODY, ObjType.XBODY)), ids, 0)
    for kind, name in _BODY_OF.items():
        at = (types == kind) & (ids >= 0)
        if at.any():
            bodies[at] = getattr(record, name)[ids[at]]
    return np.maximum(bodies, 0).astype(np.int32)


def _rays(record: ModelRecord, kinds: np.ndarray) -> dict[str, Any]:
    """Sensor, pixel and place in the output of every ray."""
    sensor, pixel, offset = [], [], []
    for s in np.flatnonzero(kinds == SensorType.RANGEFINDER):
        fields = int(record.sensor_intprm[s][0])
        width = sum(size for i, size in enumerate(RAY_SIZES) if fields >> i & 1)
        count = int(record.sensor_dim[s]) // max(width, 1)
        sensor.append(np.full(count, s))
        pixel.append(np.arange(count))
        offset.append(width * np.arange(count))
    none = [np.zeros(0, dtype=np.int32)]
    arrays = {name: np.concatenate(parts or none) for name, parts in (("sensor", sensor), ("pixel", pixel), ("offset", offset))}
    return {"ranging_nray": len(arrays["sensor"])} | {f"ranging_{name}": array for name, array in arrays.items()}


def _measures(record: ModelRecord, kinds: np.ndarray) -> dict[str, Any]:
    """Distances that sensors ask for; sensors of the same objects with one cutoff in all worlds share one."""
    groups: dict[tuple, list[int]] = {}
    differs = "sensor_cutoff" in record.batched
    for s in np.flatnonzero(np.isin(kinds, DISTANCES)):
        ends = tuple(int(getattr(record, f"sensor_{name}")[s]) for name in ("objtype", "objid", "reftype", "refid"))
        key = (*ends, float(record.sensor_cutoff[s]), int(s) if differs else -1)
        groups.setdefault(key, []).append(int(s))
    num = np.array([len(g) for g in groups.values()], dtype=np.int32)
    return {
        "measure_number": len(num),
        "measure_adr": np.cumsum(num) - num,
        "measure_num": num,
        "measure_sensor": np.array([s for g in groups.values() for s in g], dtype=np.int32),
    }


def measured_geoms(record: ModelRecord, sensor: int | None = None) -> np.ndarray:
    """Geoms that one sensor of distances, or all of them, look at."""
    found: list[int] = []
    sensors = np.flatnonzero(np.isin(record.sensor_type, DISTANCES)) if sensor is None else [sensor]
    for s in sensors:
        for end in ("obj", "ref"):
            i = int(getattr(record, f"sensor_{end}id")[s])
            if getattr(record, f"sensor_{end}type")[s] == ObjType.BODY:
                found += range(int(record.body_geomadr[i]), int(record.body_geomadr[i]) + int(record.body_geomnum[i]))
            else:
                found.append(i)
    return np.unique(np.array(found, dtype=np.int64))


def site_meshes(record: ModelRecord) -> np.ndarray:
    """Mesh of each site, -1 for those of other types."""
    ids = record.site_dataid
    return np.where(record.site_type == GeomType.MESH, ids, -1).astype(np.int32)


def _inside(record: ModelRecord, kinds: np.ndarray) -> dict[str, Any]:
    """Sensors of what lies in a site that need hulls or whole geoms."""
    found = [
        int(s)
        for s in np.flatnonzero(kinds == SensorType.INSIDESITE)
        if record.sensor_intprm[s][0] != 0 or record.site_type[record.sensor_refid[s]] == GeomType.MESH
    ]
    sensors = np.array(found, dtype=np.int32)
    meshes = site_meshes(record)
    pos, quat = np.zeros((len(meshes), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(meshes), 1))
    shaped = meshes >= 0
    if shaped.any():
        pos[shaped], quat[shaped] = record.mesh_pos[meshes[shaped]], record.mesh_quat[meshes[shaped]]
    frames = {"inside_pos": pos, "inside_quat": quat}
    return {"inside_number": len(found), "inside_sensor": sensors, "inside_mesh": meshes} | frames


def enclosed_geoms(record: ModelRecord, s: int) -> np.ndarray:
    """Geoms that sensor ``s`` looks for in a site."""
    kind, i = int(record.sensor_objtype[s]), int(record.sensor_objid[s])
    if kind == ObjType.GEOM:
        return np.array([i])
    if kind not in (ObjType.BODY, ObjType.XBODY):
        return np.zeros(0, dtype=np.int64)
    inside = np.arange(record.nbody) == i
    if kind == ObjType.XBODY:
        for body in range(i + 1, record.nbody):
            inside[body] = inside[record.body_parentid[body]]
    return np.flatnonzero(inside[record.geom_bodyid])


def measured_meshes(record: ModelRecord) -> np.ndarray:
    """Meshes whose hulls sensors look at."""
    geoms = [measured_geoms(record)]
    meshes: list[int] = []
    for s in np.flatnonzero(record.sensor_type == SensorType.INSIDESITE):
        ends = [int(record.sensor_refid[s])]
        if record.sensor_intprm[s][0] != 0:
            geoms.append(enclosed_geoms(record, int(s)))
            ends += [int(record.sensor_objid[s])] if record.sensor_objtype[s] == ObjType.SITE else []
        meshes += [int(i) for i in site_meshes(record)[ends]]
    found = np.concatenate(geoms).astype(np.int64)
    ids = np.concatenate([np.array(meshes, dtype=np.int64), shown_meshes(record, found)])
    return np.unique(ids[ids >= 0])


class Surfaces:
    """The triangles of a model's meshes on the host, and on the device once rays are cast.

    Args:
        record: compiled model, read by MuJoCo's field names.
        every: rays may meet every mesh, not only those that geoms show now.

    Attributes:
        fields: What opaque geoms are called that are distance fields, which rays do not meet.
    """

    def __init__(self, record: ModelRecord, every: bool = False) -> None:
        nmesh = record.nmesh
        self.fields: list[str] = []
        self.triangles: list[tuple[np.ndarray, np.ndarray]] = []
        self.wanted = np.arange(nmesh) if every else shown_meshes(record, np.arange(record.ngeom))
        self.made: list[wp.Mesh] = []  # keeps the trees of boxes alive
        for i in range(nmesh):
            vertices = slice(int(record.mesh_vertadr[i]), int(record.mesh_vertadr[i]) + int(record.mesh_vertnum[i]))
            faces = slice(int(record.mesh_faceadr[i]), int(record.mesh_faceadr[i]) + int(record.mesh_facenum[i]))
            points = np.array(record.mesh_vert[vertices], dtype=np.float32)
            self.triangles.append((points, np.array(record.mesh_face[faces], dtype=np.int32)))

    @property
    def ready(self) -> bool:
        """Whether all trees of boxes that rays need are there."""
        return bool(self.made) or not len(self.wanted)

    def put(self, m: Model) -> None:
        """Build the trees of boxes on the device of ``m``, if rays need any that are not there."""
        if self.ready:
            return
        ids = np.zeros(len(self.triangles), dtype=np.uint64)
        for i in self.wanted:
            faces: wp.array = wp.array(self.triangles[i][1].reshape(-1), dtype=wp.int32, device=m.device)
            points: wp.array = wp.array(self.triangles[i][0], dtype=wp.vec3, device=m.device)
            # built on the host by a fixed rule, so that equal models give equal bits
            mesh = wp.Mesh(points=points, indices=faces, bvh_constructor="sah")
            self.made.append(mesh)
            ids[i] = mesh.id
        m.surface_mesh = wp.array(ids, dtype=wp.uint64, device=m.device)
