"""Sensors: rows of the MuJoCo sensor table, with the ids of what they measure and their place in ``sensordata``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from newtonish.common.enums import ObjType
from newtonish.convert.actuators import ActuatorList
from newtonish.convert.bodies import BodyTree
from newtonish.convert.cameras import CameraList
from newtonish.convert.geoms import ShapeList
from newtonish.convert.joints import JointTable
from newtonish.convert.maps import CTRL_DIRECT
from newtonish.convert.tendons import TendonList
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all

__all__ = ["LOST", "TABLE", "Objects", "SensorList", "list_sensors", "object_ids", "sensor_tables"]

TABLE = "mujoco:sensor"
NONE, LOST = -1, -2


@dataclass
class Objects:
    """Lists of everything that a sensor can be attached to."""

    tree: BodyTree
    joints: JointTable
    shapes: ShapeList
    actuators: ActuatorList
    tendons: TendonList
    cameras: CameraList


@dataclass
class SensorList:
    """The sensors in order: template position in the table, ids of object and reference, names."""

    row: np.ndarray
    objid: np.ndarray
    refid: np.ndarray
    name: list[str]


def list_sensors(worlds: Worlds, objects: Objects) -> SensorList:
    """List the sensors of the template world; those of objects that are not there are named in a warning and left out."""
    source = worlds.source
    names = [str(name) for name in worlds.template(TABLE, source.custom("sensor_label"))]
    ends = [object_ids(worlds, objects, _template(worlds, f"sensor_{end}type"), _template(worlds, f"sensor_{end}")) for end in ("obj", "ref")]
    kept = []
    for row, name in enumerate(names):
        if LOST in (ends[0][row], ends[1][row]):
            allowed = "an object of the same world that is simulated; the sensor is left out"
            text = problem(f"sensor '{name}'", "an object that is not in the compiled model", allowed, "correct its row")
            warnings.warn(text, NewtonishWarning, stacklevel=5)
        else:
            kept.append(row)
    rows = np.array(kept, dtype=np.int64)
    return SensorList(rows, ends[0][rows], ends[1][rows], [names[row] for row in kept])


def _template(worlds: Worlds, name: str) -> np.ndarray:
    return worlds.template(TABLE, worlds.source.custom(name))


def object_ids(worlds: Worlds, objects: Objects, kinds: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """MuJoCo's ids of objects given by kind and row; -1 for no object, -2 where there is none such."""
    direct = objects.actuators.source == CTRL_DIRECT
    result = np.full(len(rows), NONE, dtype=np.int64)
    for kind, table, id_of in (
        (ObjType.GEOM, "shape", _positions(worlds, "shape", objects.shapes.geom)),
        (ObjType.MESH, "shape", _positions(worlds, "shape", objects.shapes.geom)),  # by a geom that shows it
        (ObjType.SITE, "shape", _positions(worlds, "shape", objects.shapes.site)),
        (ObjType.JOINT, "joint_dof", _positions(worlds, "joint_dof", objects.joints.dof)),
        (ObjType.TENDON, "mujoco:tendon", _positions(worlds, "mujoco:tendon", objects.tendons.row)),
        (ObjType.CAMERA, "mujoco:camera", _positions(worlds, "mujoco:camera", objects.cameras.row)),
        (ObjType.ACTUATOR, "mujoco:actuator", _positions(worlds, "mujoco:actuator", objects.actuators.row, direct)),
    ):
        at = kinds == kind
        result[at] = id_of[worlds.local(table, rows[at])]
    at = np.isin(kinds, (ObjType.BODY, ObjType.XBODY))
    links = worlds.local("body", rows[at])
    result[at] = np.where(links < 0, 0, objects.tree.to_mjc[links] if len(objects.tree.to_mjc) else 0)
    result[
        ~np.isin(
            kinds,
            (
                ObjType.UNKNOWN,
                ObjType.BODY,
                ObjType.XBODY,
                ObjType.JOINT,
                ObjType.GEOM,
                ObjType.MESH,
                ObjType.SITE,
                ObjType.CAMERA,
                ObjType.TENDON,
                ObjType.ACTUATOR,
            ),
        )
    ] = LOST
    return result


def _positions(worlds: Worlds, table: str, rows: np.ndarray, where: np.ndarray | None = None) -> np.ndarray:
    """Position in a list of template rows of each row; -2 where it is not listed, and at the end for the index -1."""
    result = np.full(worlds.index[table].shape[1] + 1, LOST, dtype=np.int64)
    positions = np.arange(len(rows))
    if where is not None:
        rows, positions = rows[where], positions[where]
    result[rows] = positions
    return result


def sensor_tables(worlds: Worlds, sensors: SensorList, geom_mesh: np.ndarray) -> dict[str, np.ndarray]:
    """Every ``sensor_*`` field; ``geom_mesh`` is the mesh of each geom (worlds, ngeom)."""
    source, count = worlds.source, len(sensors.row)

    def template(name: str) -> np.ndarray:
        return _template(worlds, f"sensor_{name}")[sensors.row]

    objid = _with_meshes(sensors, template("objtype") == ObjType.MESH, geom_mesh)
    dim = template("dim").astype(np.int64)
    parameters = np.stack([template(name) for name in ("dataspec", "reduce", "num")], axis=-1)
    floats = {f"sensor_{name}": worlds.pick(TABLE, source.custom(f"sensor_{name}"))[:, sensors.row] for name in ("cutoff", "noise", "delay", "interval")}
    return {
        **{f"sensor_{name}": template(name) for name in ("type", "datatype", "needstage", "objtype", "reftype")},
        "sensor_objid": objid,
        "sensor_refid": sensors.refid,
        "sensor_intprm": parameters.reshape(count, 3),
        "sensor_dim": dim,
        "sensor_history": np.stack([template("nsample"), template("interp")], axis=-1).reshape(count, 2),
        "sensor_adr": np.cumsum(dim) - dim,
        **floats,
    }


def _with_meshes(sensors: SensorList, shown: np.ndarray, geom_mesh: np.ndarray) -> np.ndarray:
    """Ids of the measured objects, where sensors look at the mesh that a geom shows that of the mesh."""
    objid = sensors.objid.copy()
    for s in np.flatnonzero(shown):
        ids = geom_mesh[:, objid[s]]
        if np.any(ids != ids[0]):
            given, allowed = "a mesh that is another one in some worlds", "one mesh for all worlds: its vertices are the taxels"
            raise_all(ModelError, "conversion", [problem(f"sensor '{sensors.name[s]}'", given, allowed, "give every world the same mesh")])
        objid[s] = ids[0]
    return objid
