"""Actuators in the general form, sensors, keyframes."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from newtonish.common.actuator_laws import words
from newtonish.common.enums import BiasType, CtrlInput, DynType, GainType, ObjType, TrnType
from newtonish.common.sensors import CONTACT_SIZES, OBJECTS, RANGEFINDER_SIZES, SENSORS
from newtonish.exporters.world import CompiledWorld, add, polynomial
from newtonish.namespaces.mujoco_actuators import activations

__all__ = ["write_actuators", "write_keyframes", "write_sensors"]

JOINT, JOINTINPARENT, SLIDERCRANK, TENDON, SITE, BODY, SO3 = range(7)
DYN, GAIN, BIAS = words(DynType), words(GainType), words(BiasType)
INTERP = ("zoh", "linear", "cubic")
INPUTS = {1: "pos", 2: "vel", 4: "ff", 8: "voltage", 32: "pressure"}
DATATYPES = ("real", "positive", "axis", "quaternion")
STAGES = ("none", "pos", "vel", "acc")
REDUCTIONS = ("none", "mindist", "maxforce", "netforce")
ORIENTATION = {1: "expmap", 2: "quat"}


def write_actuators(root: etree._Element, world: CompiledWorld) -> None:
    """Write actuators."""
    if not world.nactuator:
        return
    section = add(root, "actuator")
    for i in range(world.nactuator):
        gain, spec = int(world.actuator_gaintype[i]), int(world.actuator_ctrlspec[i])
        first, out = int(world.actuator_ctrladr[i]), int(world.actuator_outadr[i])
        gear, length = world.actuator_gear[out], world.actuator_lengthrange[out]
        samples, interp = (int(n) for n in world.actuator_history[i])
        add(
            section, "general", name=world.names["actuator"][i], group=int(world.actuator_group[i]) or None, **_target(world, i),
            **_controls(world, i, gain, spec, first), nsample=samples or None, interp=INTERP[interp] if samples else None,
            delay=world.actuator_delay[i] or None, forcelimited=world.actuator_forcelimited[i], forcerange=world.actuator_forcerange[i],
            actlimited=world.actuator_actlimited[i], actrange=world.actuator_actrange[i], lengthrange=length if np.any(length) else None,
            gear=gear, damping=polynomial(world.actuator_damping[i], world.actuator_dampingpoly[i]), armature=world.actuator_armature[i],
            cranklength=(world.actuator_cranklength[i] or None) if world.actuator_trntype[i] == TrnType.SLIDERCRANK else None, actdim=_actdim(world, i), dyntype=DYN[int(world.actuator_dyntype[i])],
            gaintype=GAIN[gain], biastype=BIAS[int(world.actuator_biastype[i])], dynprm=world.actuator_dynprm[i],
            gainprm=world.actuator_gainprm[i], biasprm=world.actuator_biasprm[i], actearly=world.actuator_actearly[i] or None,
            user=world.user("actuator", i),
        )  # fmt: skip


def _target(world: CompiledWorld, i: int) -> dict[str, str]:
    """What an actuator acts on."""
    kind, (first, second) = int(world.actuator_trntype[i]), (int(n) for n in world.actuator_trnid[i])
    names = world.names
    if kind in (JOINT, JOINTINPARENT):
        return {"joint" if kind == JOINT else "jointinparent": names["jnt"][first]}
    if kind == TENDON:
        return {"tendon": names["tendon"][first]}
    if kind == BODY:
        return {"body": names["body"][first]}
    if kind == SLIDERCRANK:
        return {"cranksite": names["site"][first], "slidersite": names["site"][second]}
    if kind == SO3 and second < 0:
        return {"joint": names["jnt"][first]}
    return {"site": names["site"][first], **({"refsite": names["site"][second]} if second >= 0 else {})}


def _controls(world: CompiledWorld, i: int, gain: int, spec: int, first: int) -> dict[str, Any]:
    """Inputs, and the range of each; of a servo with several inputs each has its own."""
    result: dict[str, Any] = {"ctrllimited": world.actuator_ctrllimited[first], "ctrlrange": world.actuator_ctrlrange[first]}
    if gain == GainType.SO3:
        return {**result, "input": ORIENTATION[spec]}
    if spec == CtrlInput.NONE:
        return {**result, "input": "none"}
    if spec:
        result["input"] = " ".join(word for bit, word in INPUTS.items() if spec & bit)
    if gain == GainType.PID:
        inputs = [bit for bit in (1, CtrlInput.VEL, CtrlInput.FF) if spec & bit]
        if 1 not in inputs:
            result = {"input": result["input"], "ctrllimited": False}
        for k, bit in enumerate(inputs):
            if bit > 1 and world.actuator_ctrllimited[first + k]:
                result["velrange" if bit == CtrlInput.VEL else "ffrange"] = world.actuator_ctrlrange[first + k]
    elif gain == GainType.DCMOTOR and not world.actuator_ctrlnum[i]:
        del result["ctrllimited"], result["ctrlrange"]
    return result


def _actdim(world: CompiledWorld, i: int) -> int | None:
    """Number of activations where it is not the one of the kind."""
    number = int(world.actuator_actnum[i])
    kinds = int(world.actuator_dyntype[i]), int(world.actuator_gaintype[i])
    return None if number == activations(*kinds, world.actuator_dynprm[i], world.actuator_gainprm[i]) else number


def write_sensors(root: etree._Element, world: CompiledWorld) -> None:
    """Write sensors."""
    if not world.nsensor:
        return
    section = add(root, "sensor")
    tags = {int(kind.type): tag for tag, kind in SENSORS.items()}
    for i in range(world.nsensor):
        tag, name = tags[int(world.sensor_type[i])], world.names["sensor"][i]
        samples, interp = (int(n) for n in world.sensor_history[i])
        cutoff, noise = world.sensor_cutoff[i], world.sensor_noise[i]
        own = _measured(world, tag, i)
        if tag != "user":
            own |= {"nsample": samples or None, "interp": INTERP[interp] if samples else None, "delay": world.sensor_delay[i] or None}
            own["interval"] = world.sensor_interval[i] if np.any(world.sensor_interval[i]) else None
        if tag != "tactile":
            own["noise"] = noise or None
        add(section, tag, name=name, cutoff=cutoff or None, user=world.user("sensor", i), **own)


def _object(world: CompiledWorld, kind: int, index: int) -> str:
    """Name of an object that a sensor refers to."""
    space = {"xbody": "body", "joint": "jnt", "camera": "cam"}
    word = next(word for word, number in OBJECTS.items() if number == kind)
    return world.names[space.get(word, word)][index]


def _measured(world: CompiledWorld, tag: str, i: int) -> dict[str, Any]:
    """What a sensor measures, and how."""
    kind, index = int(world.sensor_objtype[i]), int(world.sensor_objid[i])
    refkind, refindex = int(world.sensor_reftype[i]), int(world.sensor_refid[i])
    words: dict[int, str] = {number: word for word, number in OBJECTS.items()}
    intprm = [int(n) for n in world.sensor_intprm[i]]
    attached = SENSORS[tag].object
    if tag == "user":
        own = {"objtype": words[kind], "objname": _object(world, kind, index)} if kind else {}
        return {**own, "dim": int(world.sensor_dim[i]), "datatype": DATATYPES[world.sensor_datatype[i]], "needstage": STAGES[world.sensor_needstage[i]]}
    if tag == "tactile":
        world.refuse(f"sensor '{world.names['sensor'][i]}'", "the taxels of a built-in mesh", "sensors of other kinds", "write the file by hand")
        return {}
    if tag == "rangefinder":
        return {words[kind]: _object(world, kind, index), "data": _parts(intprm[0], RANGEFINDER_SIZES)}
    if tag == "contact":
        return _contact(world, i, intprm)
    if attached == "pair":
        ends = ((kind, index, 1), (refkind, refindex, 2))
        return {f"{'body' if k == OBJECTS['body'] else 'geom'}{n}": _object(world, k, x) for k, x, n in ends}
    if tag == "insidesite":
        own = {"objtype": words[kind], "objname": _object(world, kind, index)}
        return {"site": world.names["site"][refindex], **own, "enclosed": True if intprm[0] else None}
    if tag == "camprojection":
        return {"site": world.names["site"][index], "camera": world.names["cam"][refindex]}
    if attached == "*":
        own = {"objtype": words[kind], "objname": _object(world, kind, index)}
        return own | ({"reftype": words[refkind], "refname": _object(world, refkind, refindex)} if refkind else {})
    return {attached: _object(world, kind, index)} if attached else {}


def _contact(world: CompiledWorld, i: int, intprm: list[int]) -> dict[str, Any]:
    """The ends of a contact sensor, and what it puts out."""
    own: dict[str, Any] = {}
    for end, (kind, index) in enumerate(((world.sensor_objtype[i], world.sensor_objid[i]), (world.sensor_reftype[i], world.sensor_refid[i])), 1):
        if not kind:
            continue
        spaces: dict[int, str] = {OBJECTS["site"]: "site", ObjType.XBODY: f"subtree{end}"}
        word = spaces.get(int(kind), f"{'body' if kind == OBJECTS['body'] else 'geom'}{end}")
        own[word] = _object(world, int(kind), int(index))
    data, reduce, number = intprm
    return {**own, "num": number, "data": _parts(data, CONTACT_SIZES), "reduce": REDUCTIONS[reduce]}


def _parts(bits: int, sizes: dict[str, int]) -> str:
    """Words of the parts of an output."""
    return " ".join(word for k, word in enumerate(sizes) if bits >> k & 1)


def write_keyframes(root: etree._Element, world: CompiledWorld) -> None:
    """Write keyframes."""
    if not world.nkey:
        return
    section = add(root, "keyframe")
    for k in range(world.nkey):
        vectors = {name: getattr(world, f"key_{name}")[k] for name in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")}
        written = {name: value for name, value in vectors.items() if np.size(value)}
        add(section, "key", name=world.names["key"][k], time=world.key_time[k] or None, **written)
