"""Taking over edits of the Newton model: which arrays follow from which kind of property.

The model is converted again and put on the device beside the old arrays; the flagged ones are then copied over the old
memory, so that captured graphs see the new values. What describes structure (trees, collision pairs, types) cannot change
in a running simulation and is refused by name if it did, but for the layout of the mass matrix (``newtonish.mjw.coupling``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem, raise_all
from newtonish.kernels.structs.container import Model
from newtonish.kernels.structs.field import Field, Group
from newtonish.mjw.coupling import LAYOUT
from newtonish.mjw.structure import keep_structure
from newtonish.model.enums import ModelFlags

__all__ = ["changed_names", "check_notifiable", "restart_equalities", "take_over"]

# derived from masses, frames and armature at the reference pose; what equality constraints hold is derived from it too
_CONSTANTS = (
    "body_subtreemass body_invweight0 dof_invweight0 tendon_invweight0 tendon_lengthspring meaninertia jnt_solref "
    "tendon_solref_lim tendon_length0 eq_data eq_solref eq_solimp actuator_acc0 cam_poscom0 cam_pos0 cam_mat0 "
    "light_poscom0 light_pos0 light_dir0 sleep_dof_length"
)
# hold a share of the actuators, which goes with the square of their gears
_REFLECTED = "dof_armature dof_damping dof_dampingpoly tendon_armature tendon_damping tendon_dampingpoly"

_VALUES: dict[ModelFlags, str] = {
    ModelFlags.JOINT_PROPERTIES: f"body_pos body_quat jnt_pos jnt_axis qpos0 qpos_spring {_CONSTANTS}",
    ModelFlags.JOINT_DOF_FORCE_PROPERTIES: "dof_frictionloss dof_damping dof_dampingpoly dof_solref dof_solimp jnt_stiffness jnt_springyield "
    "jnt_stiffnesspoly jnt_range jnt_limited jnt_margin jnt_solref jnt_solimp jnt_actfrcrange jnt_actfrclimited "
    "actuator_gainprm actuator_biasprm actuator_forcerange actuator_forcelimited",
    ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES: f"dof_armature {_CONSTANTS}",
    ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES: f"qpos0 qpos_spring jnt_range body_pos body_quat {_CONSTANTS}",
    ModelFlags.BODY_PROPERTIES: f"dof_armature body_pos body_quat qpos0 qpos_spring {_CONSTANTS}",
    ModelFlags.BODY_INERTIAL_PROPERTIES: f"body_mass body_ipos body_iquat body_inertia body_gravcomp {_CONSTANTS}",
    ModelFlags.SHAPE_PROPERTIES: "geom_solmix geom_solref geom_solimp geom_size geom_rbound geom_pos geom_quat geom_friction "
    "geom_margin geom_gap geom_gain geom_impedance geom_kf geom_priority geom_adhesion geom_surfacevel pair_solref pair_solreffriction pair_solimp pair_margin "
    "pair_gap pair_friction pair_adhesion "
    "site_size site_pos site_quat hfield_size sleep_dof_length thickness_least tendon_invweight0 tendon_lengthspring tendon_length0 actuator_acc0",
    ModelFlags.MODEL_PROPERTIES: "gravity",  # options are read once
    ModelFlags.ACTUATOR_PROPERTIES: "actuator_dynprm actuator_gainprm actuator_biasprm actuator_actrange actuator_actlimited "
    "actuator_forcerange actuator_forcelimited actuator_ctrlrange actuator_ctrllimited actuator_gear actuator_delay "
    f"actuator_cranklength actuator_lengthrange {_REFLECTED} {_CONSTANTS}",
    ModelFlags.SHAPE_TYPE_AND_SOURCE: "hfield_data hfield_size geom_size geom_rbound geom_pos sleep_dof_length thickness_least",
    ModelFlags.CONSTRAINT_PROPERTIES: "eq_solref eq_solimp eq_data eq_active0",
    ModelFlags.TENDON_PROPERTIES: "tendon_coef tendon_limited tendon_range tendon_margin tendon_stiffness tendon_stiffnesspoly "
    "tendon_damping tendon_dampingpoly tendon_frictionloss tendon_solref_lim tendon_solimp_lim tendon_solref_fri "
    f"tendon_solimp_fri tendon_springyield tendon_armature tendon_actfrcrange tendon_actfrclimited tendon_wrap_scale actuator_lengthrange {_CONSTANTS}",
}
_DOF_FLAGS = ModelFlags.JOINT_DOF_FORCE_PROPERTIES | ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES | ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES
# groups whose structure an edit of that kind could change
_STRUCTURE: dict[str, int] = {
    "body": ModelFlags.BODY_PROPERTIES | ModelFlags.JOINT_PROPERTIES,
    "jnt": ModelFlags.JOINT_PROPERTIES | _DOF_FLAGS,
    "dof": ModelFlags.JOINT_PROPERTIES | _DOF_FLAGS,
    "geom": ModelFlags.SHAPE_PROPERTIES | ModelFlags.SHAPE_TYPE_AND_SOURCE,
    "hfield": ModelFlags.SHAPE_PROPERTIES | ModelFlags.SHAPE_TYPE_AND_SOURCE,
    "hull": ModelFlags.SHAPE_PROPERTIES | ModelFlags.SHAPE_TYPE_AND_SOURCE,
    "site": ModelFlags.SHAPE_PROPERTIES | ModelFlags.SHAPE_TYPE_AND_SOURCE,
    "pair": ModelFlags.SHAPE_PROPERTIES | ModelFlags.SHAPE_TYPE_AND_SOURCE,
    "collide": ModelFlags.SHAPE_PROPERTIES | ModelFlags.SHAPE_TYPE_AND_SOURCE,
    "actuator": ModelFlags.ACTUATOR_PROPERTIES,
    "tendon": ModelFlags.TENDON_PROPERTIES,
    "eq": ModelFlags.CONSTRAINT_PROPERTIES,
}


def check_notifiable(model: Any, flags: int, ntendon: int) -> int:
    """Check that edits of these kinds can be taken over now, and resolve the flag that stands for three others.

    Args:
        model: The Newton model.
        flags: Bits of ``ModelFlags``.
        ntendon: Number of tendons that are simulated, per world.

    Raises:
        UnsupportedError: unknown flags, or constraints or tendons that are not simulated.
        ModelError: not a number; or a graph is being captured, and the conversion runs on the host.
    """
    name = "notify_model_changed: flags"
    if not isinstance(flags, (int, np.integer)):
        raise ModelError(problem(name, repr(flags), "bits of ModelFlags", "combine members of ModelFlags by |"))
    flags = int(flags)
    problems = []
    unknown = flags & ~int(ModelFlags.ALL)
    if unknown:
        problems.append(problem(name, f"unknown bits {unknown:#x}", "bits of ModelFlags", "leave them out"))
    custom = getattr(model, "custom_frequency_counts", {})
    for flag, number, what in ((ModelFlags.TENDON_PROPERTIES, 0 if ntendon else custom.get("mujoco:tendon", 0), "tendons"),):
        if flags & flag and number:
            given = f"{flag.name} with {number} {what}, which are not simulated"
            problems.append(problem(name, given, "the other flags", "leave this flag away"))
    raise_all(UnsupportedError, "notify_model_changed", problems)
    if wp.get_device(model.device).is_capturing:
        text = problem(name, "a call while a graph is captured", "calls between captures", "notify before or after")
        raise ModelError(text)
    return flags | int(_DOF_FLAGS) if flags & ModelFlags.JOINT_DOF_PROPERTIES else flags


def changed_names(flags: int, compiled: Any = None) -> set[str]:
    """Flat names of the arrays that follow from the flagged properties.

    Args:
        flags: Bits of ``ModelFlags``.
        compiled: A conversion; what is given there relative to inertias, such as damping ratios, follows from these too.
    """
    names: set[str] = set()
    for flag, text in _VALUES.items():
        if flags & flag:
            names.update(text.split())
    if "dof_invweight0" in names and compiled is not None:
        names |= compiled.listed.parts.relative
    return names


def take_over(m: Model, new: Model, flags: int, compiled: Any) -> list[wp.array]:
    """Copy the flagged arrays of ``new``, which stands on the conversion ``compiled``, into ``m``.

    Returns:
        Arrays that had to be replaced because a value became one per world (or one for all); graphs that were captured
        by the caller still read them.
    """
    names = changed_names(flags, compiled)
    _check_structure(m, new, flags, names)
    replaced = []
    for group in m.GROUPS:
        for field in group.fields:
            if field.dims is None or group.flat_name(field) not in names:
                continue
            old, array = getattr(getattr(m, group.name), field.name), getattr(getattr(new, group.name), field.name)
            if old.shape == array.shape:
                if old.size:
                    wp.copy(old, array)
            else:
                replaced.append(old)
                m.set_field(group, field, array)
    if flags & (ModelFlags.SHAPE_PROPERTIES | ModelFlags.JOINT_DOF_FORCE_PROPERTIES | ModelFlags.TENDON_PROPERTIES | ModelFlags.CONSTRAINT_PROPERTIES):
        _note_materials(m, new)
    if flags & ModelFlags.SHAPE_PROPERTIES:
        if new.nforced != m.nforced:
            m.nforced = new.nforced
            m.touch()  # what is recorded is recorded again
    if flags & (ModelFlags.ACTUATOR_PROPERTIES | ModelFlags.TENDON_PROPERTIES) and m.ntenarmature != new.ntenarmature:
        m.ntenarmature = new.ntenarmature
    if flags & ModelFlags.ACTUATOR_PROPERTIES:
        m.reflected = new.reflected
    keep_structure(m)
    return replaced


def _note_materials(m: Model, new: Model) -> None:
    """Let steps look for contacts that pull, surfaces that move and springs once there are any."""
    for name in ("flg_adhesion", "flg_surfacevel", "flg_spring"):
        if getattr(new, name) and not getattr(m, name):
            setattr(m, name, 1)  # raises the version: what is recorded is recorded again


def restart_equalities(m: Model, active: wp.array) -> None:
    """Switch equality constraints on and off as the model says."""
    if active.size:
        active.assign(np.broadcast_to(m.eq_active0.numpy() != 0, active.shape))


def _check_structure(m: Model, new: Model, flags: int, names: set[str]) -> None:
    """Refuse a conversion whose structure is another one."""
    problems = []
    for group in m.GROUPS:
        if not flags & _STRUCTURE.get(group.name, 0):
            continue
        for field in group.fields:
            name = group.flat_name(field)
            if name not in names and name not in LAYOUT and _differs(m, new, group, field):
                problems.append(problem(f"notify_model_changed: {name}", "other values than at the start", "the same", "make a new solver"))
    raise_all(UnsupportedError, "notify_model_changed", problems)


def _differs(m: Model, new: Model, group: Group, field: Field) -> bool:
    """Whether a field that describes structure has other values."""
    if field.dims is None or (field.per_world and group.flat_name(field) != "geom_dataid"):
        return False
    old, array = (getattr(getattr(x, group.name), field.name).numpy() for x in (m, new))
    return old.shape != array.shape or not np.array_equal(old, array)
