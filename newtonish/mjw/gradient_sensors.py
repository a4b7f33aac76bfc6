"""Derivatives of sensors: which have one, and the arrays for them."""

from __future__ import annotations

import numpy as np

from newtonish.common.enums import CamLightType, DisableBit, EqType, JointType, ObjType, SensorType, TrnType
from newtonish.errors import ModelError, UnsupportedError, problem, raise_all
from newtonish.kernels.derivative.sensor_stage import bytes_of_sensed, make_sensed
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.tendon.tendon import SPATIAL
from newtonish.memory import check_memory

__all__ = ["check_apart", "check_sensors", "prepare_sensors"]

_REMEDY = "use transition_fd, or leave the sensors out"
_WITHOUT = (
    SensorType.RANGEFINDER, SensorType.CAMPROJECTION, SensorType.GEOMDIST, SensorType.GEOMNORMAL, SensorType.GEOMFROMTO, SensorType.CONTACT,
    SensorType.TACTILE, SensorType.PLUGIN, SensorType.USER,
)  # fmt: skip
_BETWEEN_BODIES = (SensorType.FORCE, SensorType.TORQUE)
_FORCES = (SensorType.ACTUATORFRC, SensorType.JOINTACTFRC, SensorType.TENDONACTFRC)
_OF_ACTUATORS = (SensorType.ACTUATORPOS, SensorType.ACTUATORVEL, *_FORCES)


def _laws() -> dict[int, tuple[str, ...]]:
    """How the names of fields begin that sensors of each type have in their law."""
    places = ("body_pos", "body_quat", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis")
    frames, actuators = (*places, "geom_pos", "geom_quat", "opt.gravity"), ("actuator_",)
    limits = ("jnt_range", "jnt_margin", "tendon_range", "tendon_margin")
    laws: dict[int, tuple[str, ...]] = {kind: ("",) for kind in SensorType}  # of forces between bodies and of energies all may be
    laws |= dict.fromkeys((SensorType.JOINTPOS, SensorType.JOINTVEL, SensorType.BALLQUAT, SensorType.BALLANGVEL, SensorType.CLOCK), ())
    laws |= dict.fromkeys((SensorType.TENDONPOS, SensorType.TENDONVEL, SensorType.INSIDESITE), ())
    laws |= dict.fromkeys(_OF_ACTUATORS, actuators)
    laws |= dict.fromkeys((SensorType.JOINTLIMITPOS, SensorType.JOINTLIMITVEL, SensorType.TENDONLIMITPOS, SensorType.TENDONLIMITVEL), limits)
    laws |= dict.fromkeys((SensorType.JOINTLIMITFRC, SensorType.TENDONLIMITFRC), ("jnt_", "tendon_"))
    laws |= {kind: frames for kind in range(SensorType.FRAMEPOS, SensorType.FRAMEANGACC + 1)}
    laws |= dict.fromkeys((SensorType.ACCELEROMETER, SensorType.VELOCIMETER, SensorType.GYRO, SensorType.MAGNETOMETER), frames)
    return laws | dict.fromkeys((SensorType.SUBTREECOM, SensorType.SUBTREELINVEL, SensorType.SUBTREEANGMOM), (*places, "body_mass", "body_inertia"))


_IN_LAW = _laws()


def check_apart(name: str, m: Model, fields: set[str]) -> None:
    """Raise ``UnsupportedError`` if a sensor has one of ``fields`` in its own law: a gradient by both has the way through accelerations alone."""
    found = []
    if "actuator_dynprm" in fields:
        found.append(problem("sensor_bar", "field actuator_dynprm", "other fields beside it", "call it for each alone"))
    for s, kind in enumerate(m.sensor_type.numpy().tolist()):
        touched = sorted(key for key in fields if any(key.startswith(start) for start in _IN_LAW[kind]))
        if touched:
            given = f"fields {', '.join(touched)} in the law of sensor {_label(m, s)} of type {SensorType(kind).name}"
            found.append(problem("sensor_bar", given, "fields that sensors know by accelerations alone", "leave the sensor out, or the fields"))
    raise_all(UnsupportedError, name, found)


def _label(m: Model, s: int) -> str:
    names = m.names.get("sensor", [])
    return repr(names[s]) if s < len(names) and names[s] else str(s)


def check_sensors(name: str, m: Model) -> None:
    """Raise ``UnsupportedError`` with every sensor of the model that has no derivative."""
    found = []
    if m.opt.disableflags & DisableBit.SENSOR:
        found.append(problem("m.opt.disableflags", "SENSOR", "that flag off", "leave C, D and sensor_bar out"))
    if m.hist.nhistory:
        found.append(problem("delays", str(m.hist.nhistory), "none: sensors may be those of the past", _REMEDY))
    types, cameras = m.sensor_type.numpy(), m.cam_mode.numpy()
    ends = [(m.sensor_objtype.numpy(), m.sensor_objid.numpy()), (m.sensor_reftype.numpy(), m.sensor_refid.numpy())]
    turning = _turning(m)
    lawful = set(np.flatnonzero(m.actuator_law.numpy()).tolist()) if m.size.nactuator else set()
    compensated = m.body_gravcomp.numpy().any() and m.jnt_actgravcomp.numpy().any()
    inert = m.ntenspatial and (m.tendon_armature.numpy() * (m.tendon_type.numpy() == SPATIAL)).any()
    held = bool(np.isin(m.eq_type.numpy(), (EqType.CONNECT, EqType.WELD)).any())
    for s, kind in enumerate(types.tolist()):
        given = ""
        if kind < 0 or kind in _WITHOUT:
            given = "one that is not evaluated" if kind < 0 else SensorType(kind).name
        elif kind in _BETWEEN_BODIES and (held or m.ntenspatial):
            given = f"{SensorType(kind).name} in a model with {'connects or welds' if held else 'spatial tendons'}"
        elif kind in _FORCES and (m.size.ntenfrc or compensated):
            given = f"{SensorType(kind).name} in a model with {'forces that tendons limit' if m.size.ntenfrc else 'weight that actuators carry'}"
        elif kind in (SensorType.JOINTLIMITFRC, SensorType.TENDONLIMITFRC) and m.size.flg_spring:
            given = f"{SensorType(kind).name} with constraints that are springs in motion too"
        elif kind == SensorType.E_KINETIC and inert:
            given = f"{SensorType(kind).name} in a model with inertia of spatial tendons"
        elif kind == SensorType.JOINTACTFRC and turning:
            given = "JOINTACTFRC in a model with actuators whose moment turns"
        elif kind in _FORCES and lawful & _measured(m, kind, int(ends[0][1][s])):
            given = f"{SensorType(kind).name} of an actuator with a force law of its own"
        elif any(types_of[s] == ObjType.CAMERA and ids[s] >= 0 and cameras[ids[s]] != CamLightType.FIXED for types_of, ids in ends):
            given = "a camera that follows or aims at a body"
        if given:
            found.append(problem(f"sensor {_label(m, s)}", given, "sensors with a smooth law of positions, velocities, accelerations and forces", _REMEDY))
    raise_all(UnsupportedError, name, found)


def _measured(m: Model, kind: int, i: int) -> set[int]:
    """Actuators whose lengths, velocities or forces are in a sensor of object ``i``."""
    if kind == SensorType.JOINTACTFRC:
        return set(range(m.size.nactuator))
    if kind == SensorType.TENDONACTFRC:
        on = (m.actuator_trntype.numpy() == TrnType.TENDON) & (m.actuator_trnid.numpy()[:, 0] == i)
        return set(np.flatnonzero(on).tolist())
    return {i}


def _turning(m: Model) -> set[int]:
    """Actuators whose moment changes as things move."""
    if not m.size.nactuator:
        return set()
    kinds, objects = m.actuator_trntype.numpy(), m.actuator_trnid.numpy()[:, 0]
    joints, tendons = m.jnt_type.numpy(), m.tendon_type.numpy()
    found = {a for a, kind in enumerate(kinds.tolist()) if kind in (TrnType.SITE, TrnType.SLIDERCRANK, TrnType.BODY, TrnType.SO3)}
    found |= {a for a, kind in enumerate(kinds.tolist()) if kind == TrnType.TENDON and tendons[objects[a]] == SPATIAL}
    return found | {a for a, kind in enumerate(kinds.tolist()) if kind == TrnType.JOINTINPARENT and joints[objects[a]] in (JointType.BALL, JointType.FREE)}


def prepare_sensors(name: str, m: Model, d: Data) -> None:
    """Look at the sensors, and make the arrays at the first call."""
    work = d.gradients
    if work.sensed is None:
        if d.device.is_capturing:
            given = "derivatives of sensors that were not asked for yet"
            raise ModelError(
                problem(f"{name}: capture", given, "what it has been called with", f"call {name} once before the capture, with the same arguments")
            )
        check_memory(f"{name}: nworld", d.nworld, bytes_of_sensed(m, d.nworld), d.device, "take fewer worlds")
        work.sensed = make_sensed(m, d.nworld, d.device)
    key = (m, m.version, m.opt.integrator, m.opt.disableflags)
    if work.sensors_of != key:
        check_sensors(name, m)
        work.sensors_of = key
