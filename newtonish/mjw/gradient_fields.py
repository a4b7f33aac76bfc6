"""Gradients by fields of the model: which there are, for which models, and the arrays that receive them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import warp as wp

from newtonish.common.enums import BiasType, DynType, GainType, IntegratorType, JointType, TrnType
from newtonish.errors import ModelError, UnsupportedError, problem, raise_all
from newtonish.kernels.derivative.cotangent import BARS
from newtonish.kernels.derivative.field_stage import bytes_of_fields, hand_over, make_fields
from newtonish.kernels.derivative.needs import has_free_body
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import check_memory
from newtonish.mjw.arguments import array_of

__all__ = ["FIELDS", "check_fields", "check_names", "copy_fields", "prepare_fields"]

FIELDS = {("opt." if f.name == "gravity" else "") + f.name: f for f in BARS.fields}
"""Fields of the model that ``step_vjp`` has gradients by, by name."""

_DRIVES = ("actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_gear")
_FRAMES = ("body_pos", "body_quat", "jnt_pos", "jnt_axis")
_WEIGHED = ("body_mass", "body_ipos", "body_gravcomp", "opt.gravity", *_FRAMES)
_SPRINGS = ("jnt_stiffness", "jnt_stiffnesspoly", "qpos_spring", "tendon_stiffness", "tendon_stiffnesspoly", "tendon_lengthspring")
_GEOMETRIC = ("geom_pos", "geom_quat")
_ROWS = tuple(name for name in FIELDS if "sol" in name or name.startswith("eq_") or name.endswith(("_range", "_margin", "_frictionloss")))
_CONTACTS = (*_FRAMES, "body_mass", *_ROWS, *(name for name in FIELDS if name.startswith(("geom_", "pair_"))))
_BY_ROWS = sorted({*_FRAMES, *_ROWS, *_CONTACTS} - {"body_mass", "dof_frictionloss", "tendon_frictionloss"})


def check_fields(name: str, m: Model, d: Data, fields: Any) -> dict[str, wp.array]:
    """``fields`` if it is a dict of names in ``FIELDS`` and arrays of their shapes, and the model has nothing that some of them act through unseen."""
    if not isinstance(fields, dict):
        given = f"a {type(fields).__name__}"
        raise ModelError(problem(f"{name}: fields", given, "a dict from names of fields to arrays", 'pass {"body_mass": array}'))
    _check_known(name, fields)
    for key, array in fields.items():
        target = getattr(_workspace(name, m, d).bars, FIELDS[key].name)
        array_of(f"{name}: fields[{key!r}]", d, array, FIELDS[key].dtype, target.shape)
    looked = (d.gradients.checked, frozenset(fields), m.size.nfluid)
    before = d.gradients.checked_fields
    if d.device.is_capturing and before is not None and before[0] == looked:  # nothing is read within a capture
        return fields
    weighed = _carries_weight(m)
    if before != (looked, weighed):
        raise_all(UnsupportedError, name, _unseen(m, set(fields)))
        d.gradients.checked_fields = looked, weighed
    return fields


def check_names(name: str, m: Model, names: Iterable[str]) -> None:
    """Raise for names that are not in ``FIELDS``, and for what the model has that some of them act through unseen."""
    wanted = list(names)
    _check_known(name, wanted)
    raise_all(UnsupportedError, name, _unseen(m, set(wanted)))


def _check_known(name: str, names: Iterable[Any]) -> None:
    wrong = [key for key in names if key not in FIELDS]
    if wrong:
        raise ModelError(problem(f"{name}: fields", ", ".join(map(repr, wrong)), ", ".join(FIELDS), "ask for some of those"))


def _unseen(m: Model, wanted: set[str]) -> list[str]:
    """What fields act through without a derivative here."""
    found = []
    remedy = "ask for other fields, or take finite differences of steps"
    integrator = IntegratorType(m.opt.integrator)
    if integrator == IntegratorType.DISCRETE and (touched := sorted(wanted & set(_BY_ROWS))):
        given = f"{integrator.name}, whose rows are made in its metric"
        found.append(problem(f"fields: {', '.join(touched)}", given, "EULER, RK4, IMPLICIT or IMPLICITFAST", remedy))
    if _takes_bias(m) and (touched := sorted(wanted & {*_FRAMES})):
        given = f"{integrator.name}, which takes bias forces of bodies at the end of the step"
        found.append(problem(f"fields: {', '.join(touched)}", given, "EULER or RK4, or IMPLICITFAST without bodies alone on a free joint", remedy))
    if integrator == IntegratorType.RK4 and m.size.na and "actuator_dynprm" in wanted:
        found.append(problem("fields: actuator_dynprm", "RK4, which takes activations through its stages", "EULER, IMPLICIT or IMPLICITFAST", remedy))
    through = (
        ("bodies in a medium", m.size.nfluid, (*_FRAMES, *_GEOMETRIC)),
        ("boxes of inertia in a medium", m.size.nfluid and (m.body_fluid.numpy() == 1).any(), ("body_ipos", "body_iquat")),
        ("spatial tendons", m.ntenspatial, (*_FRAMES, *_GEOMETRIC, "tendon_armature")),
        ("compensated weight as a force of actuators", _carries_weight(m), _WEIGHED),
        ("tendons that limit the force of their actuators", m.size.ntenfrc, _DRIVES),
        ("delays", m.hist.nhistory, _DRIVES),
        ("springs that yield", m.hist.nplastic, _SPRINGS),
        ("contacts that can pull", m.size.flg_adhesion, _CONTACTS),
        ("surfaces that move", m.size.flg_surfacevel, _CONTACTS),
        ("constraints that are springs in motion too", m.size.flg_spring, _CONTACTS),
        ("geoms with gains in units of force", m.nforced, _CONTACTS),
    )
    for what, present, fields in through:
        if present and (touched := sorted(wanted & set(fields))):
            found.append(problem(f"fields: {', '.join(touched)}", what, "none", remedy))
    if m.size.nactuator:
        found += _unseen_drives(m, wanted, remedy)
    return found


def _carries_weight(m: Model) -> bool:
    """Whether actuators make up for weight. Read without the flat names, which would have all that refers to anything looked through again."""
    return bool(m.jnt.actgravcomp.numpy().any() and m.body.gravcomp.numpy().any())


def _takes_bias(m: Model) -> bool:
    """Whether the matrix of the integrator has derivatives of bias forces."""
    fast = m.opt.integrator == IntegratorType.IMPLICITFAST and has_free_body(m)
    return fast or m.opt.integrator == IntegratorType.IMPLICIT


def _unseen_drives(m: Model, wanted: set[str], remedy: str) -> list[str]:
    """Actuators whose force, length or moment has more to it than a gain, a bias and a gear."""
    found = []
    kinds = {key: getattr(m, f"actuator_{key}").numpy() for key in ("trntype", "gaintype", "biastype", "dyntype", "law")}
    objects, joints = m.actuator_trnid.numpy()[:, 0], m.jnt_type.numpy()
    on_dofs = (TrnType.JOINT, TrnType.JOINTINPARENT, TrnType.TENDON)
    for a in range(m.size.nactuator):
        label = f"actuator {m.names['actuator'][a] or str(a)!r}"
        own = kinds["law"][a] or kinds["gaintype"][a] not in (GainType.FIXED, GainType.AFFINE) or kinds["biastype"][a] not in (BiasType.NONE, BiasType.AFFINE)
        if own and (touched := sorted(wanted & set(_DRIVES))):
            found.append(problem(f"fields: {', '.join(touched)}", f"{label} with a force law of its own", "fixed or affine gain and bias", remedy))
        if kinds["dyntype"][a] == DynType.MUSCLE and not own and "actuator_dynprm" in wanted:
            found.append(problem("fields: actuator_dynprm", f"{label} with the dynamics of a muscle", "an integrator or a filter", remedy))
        turns = kinds["trntype"][a] == TrnType.JOINTINPARENT and joints[objects[a]] in (JointType.BALL, JointType.FREE)
        if turns and "actuator_gear" in wanted:
            found.append(problem("fields: actuator_gear", f"{label}, whose gear turns with the parent", "gears along the joint", remedy))
        if kinds["trntype"][a] not in on_dofs and (touched := sorted(wanted & {"actuator_gear", *_FRAMES})):
            given = f"{label}, which acts on a {TrnType(int(kinds['trntype'][a])).name}"
            found.append(problem(f"fields: {', '.join(touched)}", given, "actuators on joints and tendons", remedy))
    return found


def _workspace(name: str, m: Model, d: Data) -> Any:
    """The arrays of all gradients, made anew where contacts have got more room."""
    work = d.gradients
    room = d.contact.dist.shape[1]
    if work.fields is None or work.fields.cotangent.push.shape[1] != room:
        if d.device.is_capturing:
            given = "gradients by fields that were not asked for yet"
            raise ModelError(problem(f"{name}: capture", given, "those it has been called with", f"call {name} once before the capture, with fields"))
        check_memory(f"{name}: nworld", d.nworld, bytes_of_fields(m, d.nworld, room), d.device, "take fewer worlds")
        work.fields = make_fields(m, d.nworld, room, d.device)
        d.touch()  # what was recorded holds the arrays before
    return work.fields


def prepare_fields(name: str, m: Model, d: Data) -> bool:
    """Whether there were arrays for as many contacts as there is room for; makes them."""
    before = d.gradients.fields
    return _workspace(name, m, d) is before


def copy_fields(d: Data, fields: dict[str, wp.array]) -> None:
    """Hand the gradients over."""
    for key, array in fields.items():
        name = FIELDS[key].name
        if array.size and array.is_contiguous:  # of strided arrays Warp records no copies
            hand_over(d.gradients.fields, name, array)
        elif array.size:
            wp.copy(array, getattr(d.gradients.fields.bars, name))
