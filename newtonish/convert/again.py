"""Converting single worlds again, after edits of numbers of their joints, masses and actuators.

A conversion lists parts and rows once. Where only such numbers were edited, everything else of a world is what was compiled, and
the same steps of the conversion, done for the edited worlds alone, give the numbers of a conversion of the whole model to the bit.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.common.compiled_fields import DTYPES, FIELDS
from newtonish.convert.actuators import actuator_tables, joint_actuators, tendon_actuators
from newtonish.convert.bodies import body_inertias
from newtonish.convert.cameras import camera_tables, light_tables
from newtonish.convert.compiled import CompiledModel
from newtonish.convert.finish import CONSTANT_INPUTS, authored_statistics, by_world
from newtonish.convert.joints import joint_tables
from newtonish.convert.parts import Parts
from newtonish.convert.source import Source
from newtonish.convert.stages import Table, add_constants, add_relative
from newtonish.convert.trees import frame_flags, simple_bodies
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning

__all__ = ["EDITABLE", "Listed", "convert_worlds"]

_NUMBERS = """
    body_mass body_com body_inertia joint_armature joint_damping joint_friction joint_stiffness joint_limit_lower joint_limit_upper
    joint_limit_ke joint_limit_kd joint_effort_limit joint_target_ke joint_target_kd mujoco:inertial_quat mujoco:inertial_diag
    mujoco:limit_margin mujoco:solimplimit mujoco:solreflimit mujoco:solreffriction mujoco:solimpfriction mujoco:joint_range
    mujoco:joint_actfrcrange mujoco:joint_stiffnesspoly mujoco:joint_dampingpoly mujoco:joint_springdamper mujoco:actuator_gainprm
    mujoco:actuator_biasprm mujoco:actuator_forcerange mujoco:actuator_ctrlrange mujoco:actuator_actrange mujoco:actuator_gear"""
EDITABLE = frozenset(_NUMBERS.split())
"""Properties of a Newton model that may be other ones than those compiled; ``mujoco:`` begins those of its namespace."""


@dataclass(frozen=True)
class Listed:
    """What a conversion listed.

    Attributes:
        index: That of :class:`~newtonish.convert.worlds.Worlds`.
        parts: The parts.
        forced: Whether ``jnt_solref`` of each joint stands for force-space gains, (nworld or 1, njnt).
    """

    index: dict[str, np.ndarray]
    parts: Parts
    forced: np.ndarray


def convert_worlds(compiled: CompiledModel, model: Any, worlds: np.ndarray, masses: bool) -> tuple[Table, SimpleNamespace] | None:
    """Tables of some worlds of which properties in ``EDITABLE`` were edited, and the template's statistics.

    Args:
        compiled: The model as it was converted, or brought up to date since.
        model: The Newton model.
        worlds: Numbers of the worlds, the template world 0 in front.
        masses: Whether bodies were edited: masses, centres of mass, inertia.

    Returns:
        Fields of ``compiled`` that are numbers, ``_meaninertia`` and ``_jnt_forced``, a row for each of ``worlds``; None if something
        that all worlds share follows from the edits, such as whether a joint is limited: the whole model has to be converted.
    """
    listed = compiled.listed
    few = Worlds(Source(model), listed.index)
    few.distinct, parts = worlds, listed.parts
    before = {name: _rows(compiled, name, worlds) if by_world(name) else getattr(compiled, name) for name in FIELDS}
    t = {name: value for name, value in before.items() if by_world(name) or FIELDS[name][0] != "f"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)  # what is left out was said when the model was converted
        if masses:
            _add_masses(few, parts, t)
        t |= joint_tables(few, parts.tree, parts.joints, t)
        t |= actuator_tables(few, parts.joints, parts.actuators)
        t |= joint_actuators(t) | tendon_actuators(t)
        statistics, forced = _constants(compiled, few, parts, t, before)
    shared = (name for name in t if name in FIELDS and not by_world(name) and t[name] is not before[name])
    if any(not np.array_equal(np.asarray(t[name], dtype=DTYPES[FIELDS[name][0]]), before[name]) for name in shared):
        return None
    rows = {name: t[name] for name in t if name in FIELDS and by_world(name) and t[name] is not before[name]}
    return rows | {"_meaninertia": t["_meaninertia"], "_jnt_forced": forced}, statistics


def _add_masses(few: Worlds, parts: Parts, t: Table) -> None:
    """Masses and inertial frames, and what follows from them apart from the constants."""
    t |= body_inertias(few, parts.tree)
    t |= frame_flags(t)
    t |= simple_bodies(t)
    for add, items in ((camera_tables, parts.cameras), (light_tables, parts.lights)):
        if len(items.row):
            t |= add(few, parts.tree, items, t)


def _constants(compiled: CompiledModel, few: Worlds, parts: Parts, t: Table, before: Table) -> tuple[SimpleNamespace, np.ndarray]:
    """Add the constants of the reference pose, which stay what they were if nothing that they follow from is another number.

    Returns:
        The statistics, and whether ``jnt_solref`` of each joint stands for force-space gains, by world.
    """
    inputs = (name for name in CONSTANT_INPUTS if name in FIELDS)
    if any(not np.array_equal(t[name], before[name]) for name in inputs) or np.any(t["actuator_biasprm"][..., 2] > 0.0):
        statistics, forced = add_constants(few, parts, t)
        authored = few.source.custom("stat_meaninertia")[0]
        if not np.isnan(authored):
            t["_meaninertia"] = np.full(len(few.distinct), authored)
        return authored_statistics(few.source, statistics), forced
    mean = compiled.batched.get("meaninertia")
    t["_meaninertia"] = np.full(len(few.distinct), compiled.stat.meaninertia) if mean is None else mean[few.distinct]
    t["_actuator_mass"] = np.ones((len(few.distinct), int(t["actuator_outnum"].sum())))  # for damping ratios, of which there are none
    return compiled.stat, add_relative(few, parts, t)


def _rows(compiled: CompiledModel, name: str, worlds: np.ndarray) -> np.ndarray:
    """A field of some worlds."""
    if name in compiled.batched:
        return compiled.batched[name][worlds]
    value = getattr(compiled, name)
    return np.broadcast_to(value, (len(worlds), *value.shape))
