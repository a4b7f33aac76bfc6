"""Kinds of sensors by MJCF's tag: MuJoCo's numbers, what each is attached to, and what it puts out. Data only."""

from __future__ import annotations

from typing import NamedTuple

from newtonish.common.enums import DataType, ObjType, Stage

__all__ = ["CONTACT_SIZES", "OBJECTS", "RANGEFINDER_SIZES", "SENSORS", "SensorKind"]

OBJECTS = {
    "body": ObjType.BODY, "xbody": ObjType.XBODY, "joint": ObjType.JOINT, "geom": ObjType.GEOM, "site": ObjType.SITE, "camera": ObjType.CAMERA, "tendon": ObjType.TENDON,
    "actuator": ObjType.ACTUATOR,
}  # fmt: skip
"""MuJoCo's numbers of the kinds of objects, by MJCF's word."""

RANGEFINDER_SIZES = {"dist": 1, "dir": 3, "origin": 3, "point": 3, "normal": 3, "depth": 1}
"""Numbers of each part of a rangefinder's output, in the order in which they are put out."""

CONTACT_SIZES = {
    "found": 1, "force": 3, "torque": 3, "dist": 1, "pos": 3, "normal": 3, "tangent": 3, "linvel": 3, "angvel": 3,
}  # fmt: skip
"""The same of a slot of a contact sensor."""


class SensorKind(NamedTuple):
    """One kind of sensor; ``object`` is the attribute that names what it measures, "" for none, "*" for several."""

    number: int
    object: str
    dim: int
    datatype: int
    stage: int


SENSORS = {
    "touch": SensorKind(0, "site", 1, DataType.POSITIVE, Stage.ACC),
    "accelerometer": SensorKind(1, "site", 3, DataType.REAL, Stage.ACC),
    "velocimeter": SensorKind(2, "site", 3, DataType.REAL, Stage.VEL),
    "gyro": SensorKind(3, "site", 3, DataType.REAL, Stage.VEL),
    "force": SensorKind(4, "site", 3, DataType.REAL, Stage.ACC),
    "torque": SensorKind(5, "site", 3, DataType.REAL, Stage.ACC),
    "magnetometer": SensorKind(6, "site", 3, DataType.REAL, Stage.POS),
    "rangefinder": SensorKind(7, "site", 1, DataType.REAL, Stage.POS),
    "camprojection": SensorKind(8, "site", 2, DataType.REAL, Stage.POS),
    "jointpos": SensorKind(9, "joint", 1, DataType.REAL, Stage.POS),
    "jointvel": SensorKind(10, "joint", 1, DataType.REAL, Stage.VEL),
    "tendonpos": SensorKind(11, "tendon", 1, DataType.REAL, Stage.POS),
    "tendonvel": SensorKind(12, "tendon", 1, DataType.REAL, Stage.VEL),
    "actuatorpos": SensorKind(13, "actuator", 1, DataType.REAL, Stage.POS),
    "actuatorvel": SensorKind(14, "actuator", 1, DataType.REAL, Stage.VEL),
    "actuatorfrc": SensorKind(15, "actuator", 1, DataType.REAL, Stage.ACC),
    "jointactuatorfrc": SensorKind(16, "joint", 1, DataType.REAL, Stage.ACC),
    "tendonactuatorfrc": SensorKind(17, "tendon", 1, DataType.REAL, Stage.ACC),
    "ballquat": SensorKind(18, "joint", 4, DataType.QUATERNION, Stage.POS),
    "ballangvel": SensorKind(19, "joint", 3, DataType.REAL, Stage.VEL),
    "jointlimitpos": SensorKind(20, "joint", 1, DataType.REAL, Stage.POS),
    "jointlimitvel": SensorKind(21, "joint", 1, DataType.REAL, Stage.VEL),
    "jointlimitfrc": SensorKind(22, "joint", 1, DataType.REAL, Stage.ACC),
    "tendonlimitpos": SensorKind(23, "tendon", 1, DataType.REAL, Stage.POS),
    "tendonlimitvel": SensorKind(24, "tendon", 1, DataType.REAL, Stage.VEL),
    "tendonlimitfrc": SensorKind(25, "tendon", 1, DataType.REAL, Stage.ACC),
    "framepos": SensorKind(26, "*", 3, DataType.REAL, Stage.POS),
    "framequat": SensorKind(27, "*", 4, DataType.QUATERNION, Stage.POS),
    "framexaxis": SensorKind(28, "*", 3, DataType.AXIS, Stage.POS),
    "frameyaxis": SensorKind(29, "*", 3, DataType.AXIS, Stage.POS),
    "framezaxis": SensorKind(30, "*", 3, DataType.AXIS, Stage.POS),
    "framelinvel": SensorKind(31, "*", 3, DataType.REAL, Stage.VEL),
    "frameangvel": SensorKind(32, "*", 3, DataType.REAL, Stage.VEL),
    "framelinacc": SensorKind(33, "*", 3, DataType.REAL, Stage.ACC),
    "frameangacc": SensorKind(34, "*", 3, DataType.REAL, Stage.ACC),
    "subtreecom": SensorKind(35, "body", 3, DataType.REAL, Stage.POS),
    "subtreelinvel": SensorKind(36, "body", 3, DataType.REAL, Stage.VEL),
    "subtreeangmom": SensorKind(37, "body", 3, DataType.REAL, Stage.VEL),
    "insidesite": SensorKind(38, "*", 1, DataType.POSITIVE, Stage.POS),
    "distance": SensorKind(39, "pair", 1, DataType.REAL, Stage.POS),
    "normal": SensorKind(40, "pair", 3, DataType.AXIS, Stage.POS),
    "fromto": SensorKind(41, "pair", 6, DataType.REAL, Stage.POS),
    "contact": SensorKind(42, "*", 1, DataType.REAL, Stage.ACC),
    "e_potential": SensorKind(43, "", 1, DataType.REAL, Stage.POS),
    "e_kinetic": SensorKind(44, "", 1, DataType.REAL, Stage.POS),
    "clock": SensorKind(45, "", 1, DataType.REAL, Stage.POS),
    "tactile": SensorKind(46, "geom", 0, DataType.REAL, Stage.VEL),
    "user": SensorKind(48, "*", 0, DataType.REAL, Stage.ACC),
}
"""Kinds that can be kept; those of plugins have no entry."""
