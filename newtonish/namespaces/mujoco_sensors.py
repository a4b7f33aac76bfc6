"""Kinds of sensors by MJCF's tag: MuJoCo's numbers, what each is attached to, and what it puts out. Data only."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AXIS", "BODY", "CAMERA", "CONTACT_SIZES", "MESH", "OBJECTS", "QUATERNION", "RANGEFINDER_SIZES", "REAL", "SENSORS", "UNKNOWN", "XBODY", "SensorKind"]

REAL, POSITIVE, AXIS, QUATERNION = range(4)
POS, VEL, ACC = 1, 2, 3
UNKNOWN, BODY, XBODY, JOINT, GEOM, SITE, CAMERA = 0, 1, 2, 3, 5, 6, 7
MESH, TENDON, ACTUATOR = 10, 18, 19

OBJECTS = {
    "body": BODY, "xbody": XBODY, "joint": JOINT, "geom": GEOM, "site": SITE, "camera": CAMERA, "tendon": TENDON,
    "actuator": ACTUATOR,
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
    "touch": SensorKind(0, "site", 1, POSITIVE, ACC),
    "accelerometer": SensorKind(1, "site", 3, REAL, ACC),
    "velocimeter": SensorKind(2, "site", 3, REAL, VEL),
    "gyro": SensorKind(3, "site", 3, REAL, VEL),
    "force": SensorKind(4, "site", 3, REAL, ACC),
    "torque": SensorKind(5, "site", 3, REAL, ACC),
    "magnetometer": SensorKind(6, "site", 3, REAL, POS),
    "rangefinder": SensorKind(7, "site", 1, REAL, POS),
    "camprojection": SensorKind(8, "site", 2, REAL, POS),
    "jointpos": SensorKind(9, "joint", 1, REAL, POS),
    "jointvel": SensorKind(10, "joint", 1, REAL, VEL),
    "tendonpos": SensorKind(11, "tendon", 1, REAL, POS),
    "tendonvel": SensorKind(12, "tendon", 1, REAL, VEL),
    "actuatorpos": SensorKind(13, "actuator", 1, REAL, POS),
    "actuatorvel": SensorKind(14, "actuator", 1, REAL, VEL),
    "actuatorfrc": SensorKind(15, "actuator", 1, REAL, ACC),
    "jointactuatorfrc": SensorKind(16, "joint", 1, REAL, ACC),
    "tendonactuatorfrc": SensorKind(17, "tendon", 1, REAL, ACC),
    "ballquat": SensorKind(18, "joint", 4, QUATERNION, POS),
    "ballangvel": SensorKind(19, "joint", 3, REAL, VEL),
    "jointlimitpos": SensorKind(20, "joint", 1, REAL, POS),
    "jointlimitvel": SensorKind(21, "joint", 1, REAL, VEL),
    "jointlimitfrc": SensorKind(22, "joint", 1, REAL, ACC),
    "tendonlimitpos": SensorKind(23, "tendon", 1, REAL, POS),
    "tendonlimitvel": SensorKind(24, "tendon", 1, REAL, VEL),
    "tendonlimitfrc": SensorKind(25, "tendon", 1, REAL, ACC),
    "framepos": SensorKind(26, "*", 3, REAL, POS),
    "framequat": SensorKind(27, "*", 4, QUATERNION, POS),
    "framexaxis": SensorKind(28, "*", 3, AXIS, POS),
    "frameyaxis": SensorKind(29, "*", 3, AXIS, POS),
    "framezaxis": SensorKind(30, "*", 3, AXIS, POS),
    "framelinvel": SensorKind(31, "*", 3, REAL, VEL),
    "frameangvel": SensorKind(32, "*", 3, REAL, VEL),
    "framelinacc": SensorKind(33, "*", 3, REAL, ACC),
    "frameangacc": SensorKind(34, "*", 3, REAL, ACC),
    "subtreecom": SensorKind(35, "body", 3, REAL, POS),
    "subtreelinvel": SensorKind(36, "body", 3, REAL, VEL),
    "subtreeangmom": SensorKind(37, "body", 3, REAL, VEL),
    "insidesite": SensorKind(38, "*", 1, POSITIVE, POS),
    "distance": SensorKind(39, "pair", 1, REAL, POS),
    "normal": SensorKind(40, "pair", 3, AXIS, POS),
    "fromto": SensorKind(41, "pair", 6, REAL, POS),
    "contact": SensorKind(42, "*", 1, REAL, ACC),
    "e_potential": SensorKind(43, "", 1, REAL, POS),
    "e_kinetic": SensorKind(44, "", 1, REAL, POS),
    "clock": SensorKind(45, "", 1, REAL, POS),
    "tactile": SensorKind(46, "geom", 0, REAL, VEL),
    "user": SensorKind(48, "*", 0, REAL, ACC),
}
"""Kinds that can be kept; those of plugins have no entry."""
