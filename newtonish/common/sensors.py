"""Kinds of sensors, a row each: MuJoCo's number and MJCF's tag, what it is attached to, what it puts out, what a step works out for it.

The importer, the exporter, the words of MJCF, the check of references, the tables of kernels and the viewer all read this one table. What a
sensor measures is in ``kernels/sensor/``, in the file of its stage.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from newtonish.common.enums import DataType, ObjType, SensorType, Stage

__all__ = ["CONTACT_SIZES", "OBJECTS", "RANGEFINDER_SIZES", "SENSORS", "Needs", "SensorKind", "sensor_types"]

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

FRAMES = (ObjType.BODY, ObjType.XBODY, ObjType.GEOM, ObjType.SITE, ObjType.CAMERA)
FRAMES_OR_NONE = (ObjType.UNKNOWN, *FRAMES)
SOLID = (ObjType.BODY, ObjType.GEOM)
_OF_OBJECT: dict[str, tuple[ObjType, ...]] = {**{word: (kind,) for word, kind in OBJECTS.items()}, "*": FRAMES, "pair": SOLID, "": ()}


class Needs(Enum):
    """What a step works out for sensors alone."""

    NOTHING = 0
    REACTIONS = 1  # accelerations of bodies and forces between them
    MOMENTA = 2  # of subtrees
    ENERGIES = 3


class SensorKind(NamedTuple):
    """One kind of sensor.

    Attributes:
        type: MuJoCo's number.
        object: Attribute of MJCF that names what it measures; "" for none, "*" for ``objtype`` and ``objname``, "pair" for two geoms or bodies.
        dim: Numbers that it puts out, unless parameters say otherwise.
        datatype: What the numbers are; says how its cutoff acts.
        stage: First stage after which all it reads is known.
        objects: Kinds of objects that it may measure; None: those that ``object`` says. Empty: nothing is looked up.
        references: Kinds of objects that it may be relative to.
        varies: Whether parameters say how many numbers it puts out.
        needs: What a step works out for it.
        own_kernel: Whether it is evaluated by a kernel of its own, not by the common one of its stage.
        glyph: What the viewer draws of it: "rays", a "line" between two points, or nothing.
    """

    type: SensorType
    object: str
    dim: int
    datatype: DataType
    stage: Stage
    objects: tuple[ObjType, ...] | None = None
    references: tuple[ObjType, ...] = ()
    varies: bool = False
    needs: Needs = Needs.NOTHING
    own_kernel: bool = False
    glyph: str = ""

    @property
    def measured(self) -> tuple[ObjType, ...]:
        """Kinds of objects that it may measure."""
        return _OF_OBJECT[self.object] if self.objects is None else self.objects


SENSORS: dict[str, SensorKind] = {
    "touch": SensorKind(SensorType.TOUCH, "site", 1, DataType.POSITIVE, Stage.ACC),
    "accelerometer": SensorKind(SensorType.ACCELEROMETER, "site", 3, DataType.REAL, Stage.ACC, needs=Needs.REACTIONS),
    "velocimeter": SensorKind(SensorType.VELOCIMETER, "site", 3, DataType.REAL, Stage.VEL),
    "gyro": SensorKind(SensorType.GYRO, "site", 3, DataType.REAL, Stage.VEL),
    "force": SensorKind(SensorType.FORCE, "site", 3, DataType.REAL, Stage.ACC, needs=Needs.REACTIONS),
    "torque": SensorKind(SensorType.TORQUE, "site", 3, DataType.REAL, Stage.ACC, needs=Needs.REACTIONS),
    "magnetometer": SensorKind(SensorType.MAGNETOMETER, "site", 3, DataType.REAL, Stage.POS),
    "rangefinder": SensorKind(
        SensorType.RANGEFINDER, "site", 1, DataType.REAL, Stage.POS, objects=(ObjType.SITE, ObjType.CAMERA), varies=True, own_kernel=True, glyph="rays"
    ),
    "camprojection": SensorKind(SensorType.CAMPROJECTION, "site", 2, DataType.REAL, Stage.POS, references=(ObjType.CAMERA,), own_kernel=True),
    "jointpos": SensorKind(SensorType.JOINTPOS, "joint", 1, DataType.REAL, Stage.POS),
    "jointvel": SensorKind(SensorType.JOINTVEL, "joint", 1, DataType.REAL, Stage.VEL),
    "tendonpos": SensorKind(SensorType.TENDONPOS, "tendon", 1, DataType.REAL, Stage.POS),
    "tendonvel": SensorKind(SensorType.TENDONVEL, "tendon", 1, DataType.REAL, Stage.VEL),
    "actuatorpos": SensorKind(SensorType.ACTUATORPOS, "actuator", 1, DataType.REAL, Stage.POS, varies=True),
    "actuatorvel": SensorKind(SensorType.ACTUATORVEL, "actuator", 1, DataType.REAL, Stage.VEL, varies=True),
    "actuatorfrc": SensorKind(SensorType.ACTUATORFRC, "actuator", 1, DataType.REAL, Stage.ACC, varies=True),
    "jointactuatorfrc": SensorKind(SensorType.JOINTACTFRC, "joint", 1, DataType.REAL, Stage.ACC),
    "tendonactuatorfrc": SensorKind(SensorType.TENDONACTFRC, "tendon", 1, DataType.REAL, Stage.ACC),
    "ballquat": SensorKind(SensorType.BALLQUAT, "joint", 4, DataType.QUATERNION, Stage.POS),
    "ballangvel": SensorKind(SensorType.BALLANGVEL, "joint", 3, DataType.REAL, Stage.VEL),
    "jointlimitpos": SensorKind(SensorType.JOINTLIMITPOS, "joint", 1, DataType.REAL, Stage.POS),
    "jointlimitvel": SensorKind(SensorType.JOINTLIMITVEL, "joint", 1, DataType.REAL, Stage.VEL),
    "jointlimitfrc": SensorKind(SensorType.JOINTLIMITFRC, "joint", 1, DataType.REAL, Stage.ACC),
    "tendonlimitpos": SensorKind(SensorType.TENDONLIMITPOS, "tendon", 1, DataType.REAL, Stage.POS),
    "tendonlimitvel": SensorKind(SensorType.TENDONLIMITVEL, "tendon", 1, DataType.REAL, Stage.VEL),
    "tendonlimitfrc": SensorKind(SensorType.TENDONLIMITFRC, "tendon", 1, DataType.REAL, Stage.ACC),
    "framepos": SensorKind(SensorType.FRAMEPOS, "*", 3, DataType.REAL, Stage.POS, references=FRAMES_OR_NONE),
    "framequat": SensorKind(SensorType.FRAMEQUAT, "*", 4, DataType.QUATERNION, Stage.POS, references=FRAMES_OR_NONE),
    "framexaxis": SensorKind(SensorType.FRAMEXAXIS, "*", 3, DataType.AXIS, Stage.POS, references=FRAMES_OR_NONE),
    "frameyaxis": SensorKind(SensorType.FRAMEYAXIS, "*", 3, DataType.AXIS, Stage.POS, references=FRAMES_OR_NONE),
    "framezaxis": SensorKind(SensorType.FRAMEZAXIS, "*", 3, DataType.AXIS, Stage.POS, references=FRAMES_OR_NONE),
    "framelinvel": SensorKind(SensorType.FRAMELINVEL, "*", 3, DataType.REAL, Stage.VEL, references=FRAMES_OR_NONE),
    "frameangvel": SensorKind(SensorType.FRAMEANGVEL, "*", 3, DataType.REAL, Stage.VEL, references=FRAMES_OR_NONE),
    "framelinacc": SensorKind(SensorType.FRAMELINACC, "*", 3, DataType.REAL, Stage.ACC, references=FRAMES_OR_NONE, needs=Needs.REACTIONS),
    "frameangacc": SensorKind(SensorType.FRAMEANGACC, "*", 3, DataType.REAL, Stage.ACC, references=FRAMES_OR_NONE, needs=Needs.REACTIONS),
    "subtreecom": SensorKind(SensorType.SUBTREECOM, "body", 3, DataType.REAL, Stage.POS),
    "subtreelinvel": SensorKind(SensorType.SUBTREELINVEL, "body", 3, DataType.REAL, Stage.VEL, needs=Needs.MOMENTA),
    "subtreeangmom": SensorKind(SensorType.SUBTREEANGMOM, "body", 3, DataType.REAL, Stage.VEL, needs=Needs.MOMENTA),
    "insidesite": SensorKind(SensorType.INSIDESITE, "*", 1, DataType.POSITIVE, Stage.POS, references=(ObjType.SITE,)),
    "distance": SensorKind(SensorType.GEOMDIST, "pair", 1, DataType.REAL, Stage.POS, references=SOLID, own_kernel=True),
    "normal": SensorKind(SensorType.GEOMNORMAL, "pair", 3, DataType.AXIS, Stage.POS, references=SOLID, own_kernel=True),
    "fromto": SensorKind(SensorType.GEOMFROMTO, "pair", 6, DataType.REAL, Stage.POS, references=SOLID, own_kernel=True, glyph="line"),
    "contact": SensorKind(SensorType.CONTACT, "*", 1, DataType.REAL, Stage.ACC, objects=FRAMES_OR_NONE, references=FRAMES_OR_NONE, varies=True),
    "e_potential": SensorKind(SensorType.E_POTENTIAL, "", 1, DataType.REAL, Stage.POS, needs=Needs.ENERGIES),
    "e_kinetic": SensorKind(SensorType.E_KINETIC, "", 1, DataType.REAL, Stage.POS, needs=Needs.ENERGIES),
    "clock": SensorKind(SensorType.CLOCK, "", 1, DataType.REAL, Stage.POS),
    "tactile": SensorKind(
        SensorType.TACTILE, "geom", 0, DataType.REAL, Stage.VEL, objects=(ObjType.MESH,), references=(ObjType.GEOM,), varies=True, own_kernel=True
    ),
    "user": SensorKind(SensorType.USER, "*", 0, DataType.REAL, Stage.ACC, objects=(), varies=True, own_kernel=True),
}
"""Kinds by MJCF's tag; those of plugins have no row."""


def sensor_types(*, needs: Needs = Needs.NOTHING, own_kernel: bool = False, glyph: str = "", object: str | None = None) -> tuple[SensorType, ...]:
    """Types of all kinds for which everything holds that is given."""
    return tuple(
        kind.type
        for kind in SENSORS.values()
        if needs in (Needs.NOTHING, kind.needs) and kind.own_kernel >= own_kernel and glyph in ("", kind.glyph) and object in (None, kind.object)
    )
