"""Rows of the ``mujoco`` attribute namespace: data only.

A row says what one ``model.mujoco.<name>`` array is: whom it belongs to (frequency), type, default, unit and what its
integers refer to. Rows that scripts for Newton's SolverMuJoCo use have the names, types and defaults known there; the
others keep the rest of what an MJCF file says. ``mjcf`` and ``usd`` name the attribute in those formats
where it differs from the row's name; "*" means that it is derived there from several attributes, "=" stands for the MJCF
name after ``mjc:``, "option" for it after ``mjc:option:``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from newtonish.namespaces.user import KINDS

__all__ = ["MUJOCO_ATTRIBUTES", "MUJOCO_FREQUENCIES", "Row"]


class Row(NamedTuple):
    """One declared attribute; ``dtype`` is a short code that ``mujoco.py`` maps to a Warp type."""

    name: str
    frequency: str
    dtype: str
    default: Any
    unit: str
    mjcf: str = ""
    usd: str = ""
    references: str = ""
    assignment: str = "model"


SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
ZERO2 = (0.0, 0.0)
ZERO4 = (0.0,) * 4
PRM0 = (0.0,) * 10
PRM1 = (1.0, *PRM0[1:])
UNSET_MASK = -(2**63)
"""``contype``/``conaffinity`` of a shape whose masks were not written: they follow the shape's collision flags."""
NAN, INF = float("nan"), float("inf")

EQ, PAIR, EXC, ACT = "mujoco:equality_constraint", "mujoco:pair", "mujoco:exclude", "mujoco:actuator"
TEN, TJ, TW = "mujoco:tendon", "mujoco:tendon_joint", "mujoco:tendon_wrap"
SEN, CAM, LIGHT = "mujoco:sensor", "mujoco:camera", "mujoco:light"
SKIN, BONE = "mujoco:skin", "mujoco:skin_bone"
KEY, KEYV = "mujoco:keyframe", "mujoco:keyframe_value"
NUM, NUMV, TEXT, TUP, TUPE = "mujoco:numeric", "mujoco:numeric_value", "mujoco:text", "mujoco:tuple", "mujoco:tuple_element"

MUJOCO_FREQUENCIES = (
    *("equality_constraint", "pair", "exclude", "tendon", "tendon_joint", "tendon_wrap"),
    *("actuator", "camera", "light", "skin", "skin_bone", "sensor", "keyframe", "keyframe_value"),
    *("numeric", "numeric_value", "text", "tuple", "tuple_element"),
)
"""Entities that exist only in this namespace, in the order in which their rows may refer to each other."""


_EQUALITY = (
    Row("equality_constraint_type", EQ, "int", 0, "EqType: 0 connect, 1 weld, 2 joint, 3 tendon"),
    Row("equality_constraint_body1", EQ, "int", -1, "body index, -1 world", references="body"),
    Row("equality_constraint_body2", EQ, "int", -1, "body index, -1 world", references="body"),
    Row("equality_constraint_anchor", EQ, "vec3", (0.0, 0.0, 0.0), "m, frame of body1 (connect) or body2 (weld)"),
    Row("equality_constraint_torquescale", EQ, "float", 0.0, "1, torque to force ratio of a weld"),
    Row("equality_constraint_relpose", EQ, "transform", (*(0.0,) * 6, 1.0), "m and quaternion xyzw, body2 in body1; all zero: as at qpos0"),
    Row("equality_constraint_joint1", EQ, "int", -1, "joint index", references="joint"),
    Row("equality_constraint_joint2", EQ, "int", -1, "joint index, -1 constant", references="joint"),
    Row("equality_constraint_joint1_dof", EQ, "int", -1, "dof index", references="joint_dof"),
    Row("equality_constraint_joint2_dof", EQ, "int", -1, "dof index", references="joint_dof"),
    Row("equality_constraint_polycoef", EQ, "vec5", (0.0,) * 5, "coefficients of a quartic, m or rad"),
    Row("equality_constraint_label", EQ, "str", "", "name"),
    Row("equality_constraint_enabled", EQ, "bool", True, "active at the start"),
    Row("equality_constraint_world", EQ, "int", 0, "world index", references="world"),
    Row("equality_constraint_objtype", EQ, "int", -1, "MuJoCo's type of the objects, -1 by the kind of constraint"),
    Row("equality_constraint_target_kind", EQ, "int", 0, "kind of the target index"),
    Row("equality_constraint_target", EQ, "int", -1, "target index"),
    Row("eq_solref", EQ, "vec2", SOLREF, "s and 1, or -N/m and -N·s/m", "solref", "="),
    Row("eq_solimp", EQ, "vec5", SOLIMP, "1, 1, m or rad, 1, 1", "solimp", "="),
    Row("equality_constraint_solref_mode", EQ, "int", 1, "1 raw solref, 3 spring: the gains below, in motion too"),
    Row("equality_constraint_ke", EQ, "float", 0.0, "N/m, N·m/rad for hinges"),
    Row("equality_constraint_kd", EQ, "float", 0.0, "N·s/m, N·m·s/rad for hinges"),
    Row("equality_constraint_ke_angular", EQ, "float", 0.0, "N·m/rad of a weld, damped as its translation is; 0: by torquescale"),
    Row("equality_constraint_tendon1", EQ, "int", -1, "tendon index", references=TEN),
    Row("equality_constraint_tendon2", EQ, "int", -1, "tendon index, -1 constant", references=TEN),
    Row("equality_constraint_site1", EQ, "int", -1, "shape index of a site, for objtype 6", references="shape"),
    Row("equality_constraint_site2", EQ, "int", -1, "shape index of a site, for objtype 6", references="shape"),
)

_SHAPE = (
    Row("site_size_is_display", "shape", "bool", False, "a site's size has no meaning to the physics"),
    Row("contype", "shape", "int64", UNSET_MASK, "32-bit mask; unset follows the flags", "contype", "="),
    Row("conaffinity", "shape", "int64", UNSET_MASK, "32-bit mask; unset follows the flags", "conaffinity", "="),
    Row("collision_mask_domain", "shape", "int64", -1, "masks are compared within one domain only"),
    Row("condim", "shape", "int", 3, "1, 3, 4 or 6 contact dimensions", "condim", "="),
    Row("geom_group", "shape", "int", 0, "0 to 5", "group", "="),
    Row("geom_matid", "shape", "int", -1, "position in the library of materials", "material", references="mujoco:material"),
    Row("geom_castshadow", "shape", "bool", True, "whether it throws shadows", "castshadow"),
    Row("hfield_base", "shape", "float", -1.0, "m, depth below the lowest sample"),
    Row("geom_priority", "shape", "int", 0, "the higher one's contact parameters win", "priority", "="),
    Row("geom_solimp", "shape", "vec5", SOLIMP, "1, 1, m, 1, 1", "solimp", "="),
    Row("geom_solmix", "shape", "float", 1.0, "weight in mixing solref and solimp", "solmix", "="),
    Row("solref", "shape", "vec2", ZERO2, "s and 1, or -N/m and -N·s/m", "solref", "="),
    Row("solref_mode", "shape", "int", 2, "0 force-space gains, 1 raw solref, 2 (0.02, 1), 3 gains in motion too", "*", "*"),
    Row("plane_grid", "shape", "float", 0.0, "m, third size of a plane, spacing of its drawn grid"),
    Row("geom_adhesion", "shape", "float", 0.0, "N, adhesive force of a contact", "adhesion"),
    Row("geom_surfacevel", "shape", "vec6", (0.0,) * 6, "m/s and rad/s, motion of the surface", "surfacevel"),
    Row("geom_fluid_ellipsoid", "shape", "bool", False, "fluid forces by the inscribed ellipsoid", "fluidshape"),
    Row("geom_fluid_coef", "shape", "vec5", (0.5, 0.25, 1.5, 1.0, 1.0), "1, fluid force coefficients", "fluidcoef"),
    Row("mesh_pos", "shape", "vec3", (NAN, NAN, NAN), "m, centre of a mesh in the geom's frame; NaN derives it"),
    Row("mesh_quat", "shape", "vec4", ZERO4, "wxyz, principal axes of a mesh there; zero derives it"),
)

_JOINT = (
    Row("limit_margin", "joint_dof", "float", 0.0, "m or rad", "margin", "="),
    Row("solimplimit", "joint_dof", "vec5", SOLIMP, "1, 1, m or rad, 1, 1", "solimplimit", "="),
    Row("solreflimit", "joint_dof", "vec2", ZERO2, "s and 1, or -N/m and -N·s/m", "solreflimit", "="),
    Row("solreflimit_mode", "joint_dof", "int", 0, "0 force-space gains, 1 raw solref, 2 (0.02, 1), 3 spring", "*", "*"),
    Row("solreflimit_gain_baseline", "joint_dof", "vec2", (-INF, -INF), "limit_ke, limit_kd the raw solref stood for"),
    Row("solreffriction", "joint_dof", "vec2", SOLREF, "s and 1, or -N/m and -N·s/m", "solreffriction", "="),
    Row("solimpfriction", "joint_dof", "vec5", SOLIMP, "1, 1, m or rad, 1, 1", "solimpfriction", "="),
    Row("dof_passive_stiffness", "joint_dof", "float", 0.0, "N/m or N·m/rad", "stiffness", "="),
    Row("dof_springref", "joint_dof", "float", 0.0, "m or rad, as authored", "springref", "="),
    Row("dof_ref", "joint_dof", "float", 0.0, "m or rad, qpos = joint_q + ref", "ref", "="),
    Row("jnt_actgravcomp", "joint_dof", "bool", False, "gravcomp counts as actuator force", "actuatorgravcomp", "="),
    Row("joint_dof_label", "joint_dof", "str", "", "name of the MJCF joint that owns the dof", "*", "*"),
    Row("joint_anchor", "joint_dof", "vec3", (NAN, NAN, NAN), "m, child frame; NaN takes child_xform", "pos"),
    Row("joint_limited", "joint_dof", "int", 2, "0 no, 1 yes, 2 from the limits", "limited"),
    Row("joint_range", "joint_dof", "vec2", ZERO2, "m or rad, as authored", "range"),
    Row("joint_actfrclimited", "joint_dof", "int", 2, "0 no, 1 yes, 2 from the effort limit", "actuatorfrclimited"),
    Row("joint_actfrcrange", "joint_dof", "vec2", ZERO2, "N or N·m", "actuatorfrcrange"),
    Row("joint_springdamper", "joint_dof", "vec2", ZERO2, "s and 1, time constant, damping ratio; 0 off", "springdamper"),
    Row("joint_group", "joint_dof", "int", 0, "0 to 5", "group"),
    Row("joint_stiffnesspoly", "joint_dof", "vec2", ZERO2, "spring polynomial above the linear term", "stiffness"),
    Row("joint_springyield", "joint_dof", "float", 0.0, "m or rad, displacement at which the spring yields, 0 elastic", "springyield"),
    Row("joint_dampingpoly", "joint_dof", "vec2", ZERO2, "damper polynomial above the linear term", "damping"),
)

_BODY = (
    Row("gravcomp", "body", "float", 0.0, "1, share of the weight that is carried", "gravcomp", "="),
    Row("sleep_policy", "body", "int", 0, "0 auto, 3 never, 4 allowed, 5 init", "sleep", "="),
    Row("inertial_quat", "body", "vec4", ZERO4, "wxyz of the principal axes; zero derives it"),
    Row("inertial_diag", "body", "vec3", (0.0, 0.0, 0.0), "kg·m², principal moments that go with inertial_quat"),
    Row("mocap", "body", "int", -1, "-1 by the joint to the world, 0 static, 1 mocap"),
    Row("virtual_link", "body", "int", 0, "1: massless carrier of some joints of the next real link"),
)

_OPTION = (
    Row("impratio", "world", "float", 1.0, "1, friction to normal impedance", "impratio", "option"),
    Row("tolerance", "world", "float", 1e-8, "1, scaled improvement that ends the solver", "tolerance", "option"),
    Row("ls_tolerance", "world", "float", 0.01, "1, line search", "ls_tolerance", "option"),
    Row("ccd_tolerance", "world", "float", 1e-6, "m, convex collision", "ccd_tolerance", "option"),
    Row("sleep_tolerance", "world", "float", 1e-3, "m/s, below it a tree may sleep", "sleep_tolerance", "option"),
    Row("enable_sleeping", "once", "bool", False, "trees at rest sleep", "sleep"),
    Row("density", "world", "float", 0.0, "kg/m³, medium", "density", "option"),
    Row("viscosity", "world", "float", 0.0, "Pa·s, medium", "viscosity", "option"),
    Row("wind", "world", "vec3", (0.0, 0.0, 0.0), "m/s, medium", "wind", "option"),
    Row("magnetic", "world", "vec3", (0.0, -0.5, 0.0), "magnetic flux, any unit", "magnetic", "option"),
    Row("timestep", "once", "float", 0.002, "s, step the file asks for", "timestep", "option"),
    Row("iterations", "once", "int", 100, "at most, solver", "iterations", "option"),
    Row("ls_iterations", "once", "int", 50, "at most, line search", "ls_iterations", "option"),
    Row("noslip_iterations", "once", "int", 0, "at most, slip suppression", "noslip_iterations", "option"),
    Row("noslip_tolerance", "once", "float", 1e-6, "1, slip suppression", "noslip_tolerance", "option"),
    Row("ccd_iterations", "once", "int", 35, "at most, convex collision", "ccd_iterations", "option"),
    Row("sdf_iterations", "once", "int", 10, "at most, signed distance collision", "sdf_iterations", "option"),
    Row("sdf_initpoints", "once", "int", 40, "start points, signed distance collision", "sdf_initpoints", "option"),
    Row("integrator", "once", "int", 3, "0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete", "integrator", "option"),
    Row("solver", "once", "int", 2, "0 PGS, 1 CG, 2 Newton", "solver", "option"),
    Row("cone", "once", "int", 0, "0 pyramidal, 1 elliptic", "cone", "option"),
    Row("jacobian", "once", "int", 2, "0 dense, 1 sparse, 2 auto", "jacobian", "option"),
    Row("disableactuator", "once", "int", 0, "bit mask of actuator groups that are off", "actuatorgroupdisable"),
    Row("o_margin", "once", "float", 0.0, "m, contact override"),
    Row("o_solref", "once", "vec2", SOLREF, "s and 1, contact override"),
    Row("o_solimp", "once", "vec5", SOLIMP, "1, 1, m, 1, 1, contact override"),
    Row("o_friction", "once", "vec5", (1.0, 1.0, 0.005, 0.0001, 0.0001), "1, 1, m, m, m, contact override"),
    Row("nuserdata", "once", "int", 0, "numbers of user data"),
    Row("autolimits", "once", "bool", True, "a range makes a limit", "autolimits"),
    Row("lengthrange_mode", "once", "int", 1, "0 none, 1 muscle, 2 muscle and user, 3 all; ranges found by simulation"),
    Row("lengthrange_useexisting", "once", "bool", True, "keep ranges that are given"),
    Row("lengthrange_uselimit", "once", "bool", False, "take the limits of joints and tendons"),
    Row("lengthrange_accel", "once", "float", 20.0, "m/s² or rad/s², norm of the acceleration"),
    Row("lengthrange_maxforce", "once", "float", 0.0, "N or N·m, largest force, 0 none"),
    Row("lengthrange_timeconst", "once", "float", 1.0, "s, decay of velocities"),
    Row("lengthrange_timestep", "once", "float", 0.01, "s, 0 takes that of the model"),
    Row("lengthrange_inttotal", "once", "float", 10.0, "s, simulated"),
    Row("lengthrange_interval", "once", "float", 2.0, "s, measured at the end"),
    Row("lengthrange_tolrange", "once", "float", 0.05, "1, largest spread by range"),
    Row("stat_meaninertia", "once", "float", NAN, "kg·m² (mean diagonal of M); NaN derives it", "meaninertia"),
    Row("stat_meanmass", "once", "float", NAN, "kg; NaN derives it", "meanmass"),
    Row("stat_meansize", "once", "float", NAN, "m; NaN derives it", "meansize"),
    Row("stat_extent", "once", "float", NAN, "m; NaN derives it", "extent"),
    Row("stat_center", "once", "vec3", (NAN, NAN, NAN), "m; NaN derives it", "center"),
)

_FLAGS_ON = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "clampctrl", "warmstart",
    "actuation", "refsafe", "sensor", "eulerdamp", "nativeccd", "island", "gravity", "filterparent", "midphase", "autoreset",
)  # fmt: skip
_FLAGS_OFF = ("multiccd", "energy", "invdiscrete", "override", "fwdinv", "diagexact", "ipc", "speculative")
_FLAG = tuple(Row(f"flag_{name}", "once", "bool", name in _FLAGS_ON, "enabled", name, f"mjc:flag:{name}") for name in (*_FLAGS_ON, *_FLAGS_OFF))

_CONTACT = (
    Row("pair_world", PAIR, "int", 0, "world index", references="world"),
    Row("pair_label", PAIR, "str", "", "name", "name"),
    Row("pair_geom1", PAIR, "int", -1, "shape index", "geom1", references="shape"),
    Row("pair_geom2", PAIR, "int", -1, "shape index", "geom2", references="shape"),
    Row("pair_condim", PAIR, "int", 3, "1, 3, 4 or 6 contact dimensions", "condim"),
    Row("pair_solref", PAIR, "vec2", SOLREF, "s and 1, or -N/m and -N·s/m", "solref"),
    Row("pair_solreffriction", PAIR, "vec2", SOLREF, "as solref; 0 0 follows solref", "solreffriction"),
    Row("pair_solimp", PAIR, "vec5", SOLIMP, "1, 1, m, 1, 1", "solimp"),
    Row("pair_margin", PAIR, "float", 0.0, "m", "margin"),
    Row("pair_gap", PAIR, "float", 0.0, "m", "gap"),
    Row("pair_friction", PAIR, "vec5", (1.0, 1.0, 0.005, 0.0001, 0.0001), "1, 1, m, m, m", "friction"),
    Row("pair_adhesion", PAIR, "float", 0.0, "N", "adhesion"),
    Row("exclude_world", EXC, "int", 0, "world index", references="world"),
    Row("exclude_label", EXC, "str", "", "name", "name"),
    Row("exclude_body1", EXC, "int", -1, "body index, -1 world", "body1", references="body"),
    Row("exclude_body2", EXC, "int", -1, "body index, -1 world", "body2", references="body"),
)

_ACTUATOR = (
    Row("actuator_trnid", ACT, "vec2i", (-1, -1), "first dof, body, shape or tendon; second index", references="*"),
    Row("actuator_target_label", ACT, "str", "", "name of the target", "*", "*"),
    Row("actuator_articulation", ACT, "int", -1, "articulation index", references="articulation"),
    Row("actuator_label", ACT, "str", "", "name", "name", "*"),
    Row("actuator_trntype", ACT, "int", 0, "-1 none, 0 joint, 1 in parent, 2 tendon, 3 site, 4 body, 5 crank, 6 ball, 7 sites", "*", "*"),
    Row("actuator_dyntype", ACT, "int", 0, "0 none, 1 integrator, 2 filter, ... as mjtDyn", "dyntype", "mjc:dynType"),
    Row("actuator_gaintype", ACT, "int", 0, "0 fixed, 1 affine, ... as mjtGain", "gaintype", "mjc:gainType"),
    Row("actuator_biastype", ACT, "int", 0, "0 none, 1 affine, ... as mjtBias", "biastype", "mjc:biasType"),
    Row("actuator_world", ACT, "int", -1, "world index", references="world"),
    Row("actuator_ctrllimited", ACT, "int", 2, "0 no, 1 yes, 2 from the range", "ctrllimited", "*"),
    Row("actuator_forcelimited", ACT, "int", 2, "0 no, 1 yes, 2 from the range", "forcelimited", "*"),
    Row("actuator_ctrlrange", ACT, "vec2", ZERO2, "unit of the control", "ctrlrange", "*"),
    Row("actuator_has_ctrlrange", ACT, "int", 0, "1: the range was written", "ctrlrange", "*"),
    Row("actuator_forcerange", ACT, "vec2", ZERO2, "N or N·m", "forcerange", "*"),
    Row("actuator_has_forcerange", ACT, "int", 0, "1: the range was written", "forcerange", "*"),
    Row("actuator_gear", ACT, "vec6", (1.0, *(0.0,) * 5), "1; a wrench for sites", "gear", "="),
    Row("actuator_damping", ACT, "float", 0.0, "N·s/m or N·m·s/rad", "damping", "="),
    Row("actuator_dampingpoly", ACT, "vec2", ZERO2, "damper polynomial, higher terms", "damping", "mjc:dampingPoly"),
    Row("actuator_armature", ACT, "float", 0.0, "kg or kg·m²", "armature", "="),
    Row("actuator_cranklength", ACT, "float", 0.0, "m", "cranklength"),
    Row("actuator_dynprm", ACT, "vec10", PRM1, "by dyntype", "dynprm", "mjc:dynPrm"),
    Row("actuator_gainprm", ACT, "vec10", PRM1, "by gaintype", "gainprm", "mjc:gainPrm"),
    Row("actuator_biasprm", ACT, "vec10", PRM0, "by biastype", "biasprm", "mjc:biasPrm"),
    Row("actuator_actlimited", ACT, "int", 2, "0 no, 1 yes, 2 from the range", "actlimited", "*"),
    Row("actuator_actrange", ACT, "vec2", ZERO2, "unit of the activation", "actrange", "*"),
    Row("actuator_has_actrange", ACT, "int", 0, "1: the range was written", "actrange", "*"),
    Row("actuator_lengthrange", ACT, "vec2", ZERO2, "m or rad", "lengthrange", "*"),
    Row("actuator_actdim", ACT, "int", -1, "activations, -1 by dyntype", "actdim", "mjc:actDim"),
    Row("actuator_ctrlspec", ACT, "int", 0, "inputs of a servo, bit mask", "*", "mjc:ctrlSpec"),
    Row("actuator_actearly", ACT, "bool", False, "force uses the next activation", "actearly", "mjc:actEarly"),
    Row("actuator_group", ACT, "int", 0, "0 to 30", "group"),
    Row("actuator_nsample", ACT, "int", 0, "samples of the control that are kept", "nsample"),
    Row("actuator_interp", ACT, "int", 0, "between samples: 0 hold, 1 linear, 2 cubic", "interp"),
    Row("actuator_delay", ACT, "float", 0.0, "s, delay of the control", "delay"),
    Row("actuator_velrange", ACT, "vec2", ZERO2, "range of a pid's velocity set point, m/s or rad/s", "velrange"),
    Row("actuator_ffrange", ACT, "vec2", ZERO2, "range of a pid's feedforward, N or N·m", "ffrange"),
    Row("ctrl_more", ACT, "vec3", (0.0, 0.0, 0.0), "second to fourth control", assignment="control"),
    Row("ctrl", ACT, "float", 0.0, "unit of the control", assignment="control"),
    Row("ctrl_source", ACT, "int", 1, "0 joint target, 1 control.mujoco.ctrl"),
    Row("ctrl_type", ACT, "int", 2, "0 position, 1 velocity, 2 general, 3 dcmotor"),
)

_TENDON = (
    Row("tendon_world", TEN, "int", 0, "world index", references="world"),
    Row("tendon_stiffness", TEN, "float", 0.0, "N/m", "stiffness", "="),
    Row("tendon_damping", TEN, "float", 0.0, "N·s/m", "damping", "="),
    Row("tendon_frictionloss", TEN, "float", 0.0, "N", "frictionloss", "="),
    Row("tendon_articulation", TEN, "int", -1, "articulation index", references="articulation"),
    Row("tendon_limited", TEN, "int", 2, "0 no, 1 yes, 2 from the range", "limited", "="),
    Row("tendon_range", TEN, "vec2", ZERO2, "m", "range", "mjc:range:min"),
    Row("tendon_margin", TEN, "float", 0.0, "m", "margin", "="),
    Row("tendon_solref_limit", TEN, "vec2", SOLREF, "s and 1, or -N/m and -N·s/m", "solreflimit", "="),
    Row("tendon_limit_ke", TEN, "float", 0.0, "N/m"),
    Row("tendon_limit_kd", TEN, "float", 0.0, "N·s/m"),
    Row("tendon_solref_limit_mode", TEN, "int", 1, "0 force-space gains, 1 raw solref, 2 (0.02, 1), 3 spring"),
    Row("tendon_solimp_limit", TEN, "vec5", SOLIMP, "1, 1, m, 1, 1", "solimplimit", "="),
    Row("tendon_solref_friction", TEN, "vec2", SOLREF, "s and 1, or -N/m and -N·s/m", "solreffriction", "="),
    Row("tendon_solimp_friction", TEN, "vec5", SOLIMP, "1, 1, m, 1, 1", "solimpfriction", "="),
    Row("tendon_armature", TEN, "float", 0.0, "kg", "armature", "="),
    Row("tendon_springlength", TEN, "vec2", (-1.0, -1.0), "m, -1 takes the length at qpos0", "springlength", "="),
    Row("tendon_joint_adr", TEN, "int", 0, "first row of tendon_joint", "*", "*", references=TJ),
    Row("tendon_joint_num", TEN, "int", 0, "rows of tendon_joint", "*", "*"),
    Row("tendon_actuator_force_range", TEN, "vec2", ZERO2, "N", "actuatorfrcrange", "mjc:actuatorfrcrange:min"),
    Row("tendon_actuator_force_limited", TEN, "int", 2, "0 no, 1 yes, 2 by range", "actuatorfrclimited", "="),
    Row("tendon_stiffnesspoly", TEN, "vec2", ZERO2, "spring polynomial above the linear term", "stiffness"),
    Row("tendon_springyield", TEN, "float", 0.0, "m, displacement at which the spring yields, 0 elastic", "springyield"),
    Row("tendon_dampingpoly", TEN, "vec2", ZERO2, "damper polynomial above the linear term", "damping"),
    Row("tendon_group", TEN, "int", 0, "0 to 5", "group"),
    Row("tendon_width", TEN, "float", 0.003, "m, drawn", "width"),
    Row("tendon_rgba", TEN, "vec4", (0.5, 0.5, 0.5, 1.0), "colour, drawn", "rgba"),
    Row("tendon_matid", TEN, "int", -1, "position in the library of materials", "material", references="mujoco:material"),
    Row("tendon_label", TEN, "str", "", "name", "name", "*"),
    Row("tendon_joint", TJ, "int", -1, "joint index", references="joint"),
    Row("tendon_joint_articulation", TJ, "int", -1, "articulation index", references="articulation"),
    Row("tendon_joint_dof", TJ, "int", -1, "dof index, -1 takes the joint's only one", references="joint_dof"),
    Row("tendon_coef", TJ, "float", 0.0, "m/rad or 1", "coef"),
    Row("tendon_type", TEN, "int", 0, "0 fixed, 1 spatial", "*", "*"),
    Row("tendon_wrap_adr", TEN, "int", 0, "first row of tendon_wrap", "*", "*", references=TW),
    Row("tendon_wrap_num", TEN, "int", 0, "rows of tendon_wrap", "*", "*"),
    Row("tendon_wrap_type", TW, "int", 0, "0 site, 1 geom, 2 pulley"),
    Row("tendon_wrap_articulation", TW, "int", -1, "articulation index", references="articulation"),
    Row("tendon_wrap_shape", TW, "int", -1, "shape index", references="shape"),
    Row("tendon_wrap_sidesite", TW, "int", -1, "shape index", references="shape"),
    Row("tendon_wrap_prm", TW, "float", 0.0, "1, pulley divisor"),
)

_SENSOR = (
    Row("sensor_label", SEN, "str", "", "name", "name"),
    Row("sensor_world", SEN, "int", 0, "world index", references="world"),
    Row("sensor_type", SEN, "int", 48, "0 touch, 1 accelerometer, ... as mjtSensor", "*", "*"),
    Row("sensor_objtype", SEN, "int", 0, "0 none, 1 body (inertial frame), 2 body, 3 joint, ... as mjtObj", "objtype"),
    Row("sensor_obj", SEN, "int", -1, "body, first dof, shape, tendon or actuator row", "objname", references="*"),
    Row("sensor_reftype", SEN, "int", 0, "kind of the object that carries the frame of reference", "reftype"),
    Row("sensor_ref", SEN, "int", -1, "as sensor_obj; -1 with reftype 0: world frame", "refname", references="*"),
    Row("sensor_cutoff", SEN, "float", 0.0, "unit of the output, 0 no bound", "cutoff"),
    Row("sensor_noise", SEN, "float", 0.0, "unit of the output, standard deviation for the user", "noise"),
    Row("sensor_nsample", SEN, "int", 0, "samples that are kept", "nsample"),
    Row("sensor_interp", SEN, "int", 0, "between samples: 0 hold, 1 linear, 2 cubic", "interp"),
    Row("sensor_delay", SEN, "float", 0.0, "s, delay of the output", "delay"),
    Row("sensor_interval", SEN, "vec2", ZERO2, "s, period of evaluation (0: every step), phase", "interval"),
    Row("sensor_dataspec", SEN, "int", 0, "parts of the output, bit mask (rangefinder, contact)", "data"),
    Row("sensor_reduce", SEN, "int", 0, "0 none, 1 mindist, 2 maxforce, 3 netforce (contact)", "reduce"),
    Row("sensor_num", SEN, "int", 0, "slots (contact)", "num"),
    Row("sensor_dim", SEN, "int", 1, "numbers", "dim"),
    Row("sensor_datatype", SEN, "int", 0, "0 real, 1 positive, 2 axis, 3 quaternion", "datatype"),
    Row("sensor_needstage", SEN, "int", 3, "0 none, 1 position, 2 velocity, 3 acceleration", "needstage"),
)

_CAMERA = (
    Row("camera_label", CAM, "str", "", "name", "name"),
    Row("camera_world", CAM, "int", 0, "world index", references="world"),
    Row("camera_body", CAM, "int", -1, "body index, -1 world", references="body"),
    Row("camera_mode", CAM, "int", 0, "0 fixed, 1 track, 2 trackcom, 3 targetbody, 4 targetbodycom", "mode"),
    Row("camera_aimed", CAM, "bool", False, "whether there is a body to look at", "*"),
    Row("camera_target", CAM, "int", -1, "body index, -1 world", "target", references="body"),
    Row("camera_pos", CAM, "vec3", (0.0, 0.0, 0.0), "m, in the body's frame", "pos"),
    Row("camera_quat", CAM, "vec4", (1.0, 0.0, 0.0, 0.0), "wxyz, in the body's frame; it looks along -z", "quat"),
    Row("camera_projection", CAM, "int", 0, "0 perspective, 1 orthographic", "projection"),
    Row("camera_fovy", CAM, "float", 45.0, "degrees, vertical field of view; m if orthographic", "fovy"),
    Row("camera_resolution", CAM, "vec2i", (1, 1), "pixels, width and height", "resolution"),
    Row("camera_sensorsize", CAM, "vec2", ZERO2, "m, width and height of the picture's plane; 0: fovy counts", "sensorsize"),
    Row("camera_intrinsic", CAM, "vec4", (0.01, 0.01, 0.0, 0.0), "m, focal lengths and principal point", "focal"),
    Row("camera_look", CAM, "int", -1, "position in the library of looks: ipd, output", references="mujoco:camera_look"),
    Row("light_label", LIGHT, "str", "", "name", "name"),
    Row("light_world", LIGHT, "int", 0, "world index", references="world"),
    Row("light_body", LIGHT, "int", -1, "body index, -1 world", references="body"),
    Row("light_mode", LIGHT, "int", 0, "0 fixed, 1 track, 2 trackcom, 3 targetbody, 4 targetbodycom", "mode"),
    Row("light_aimed", LIGHT, "bool", False, "whether there is a body to shine at", "*"),
    Row("light_target", LIGHT, "int", -1, "body index, -1 world", "target", references="body"),
    Row("light_pos", LIGHT, "vec3", (0.0, 0.0, 0.0), "m, in the body's frame", "pos"),
    Row("light_dir", LIGHT, "vec3", (0.0, 0.0, -1.0), "direction, in the body's frame", "dir"),
    Row("light_look", LIGHT, "int", -1, "position in the library of looks: colours, cutoff, ...", references="mujoco:light_look"),
    Row("skin_label", SKIN, "str", "", "name", "name"),
    Row("skin_world", SKIN, "int", 0, "world index", references="world"),
    Row("skin_data", SKIN, "int", -1, "position in the library of skins", references="mujoco:skin_data"),
    Row("skin_bone_body", BONE, "int", -1, "body index, -1 world; the bones of a skin follow one another", "body", references="body"),
)

_USER = tuple(Row(f"user_{kind}", frequency, "int", -1, "position in the library of user data", references="mujoco:user") for kind, frequency in KINDS.items())

_PARTS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")
_KEYFRAME = (
    Row("key_label", KEY, "str", "", "name", "name"),
    Row("key_time", KEY, "float", 0.0, "s", "time"),
    Row("key_world", KEY, "int", -1, "world index", references="world"),
    *(Row(f"key_{p}_adr", KEY, "int", 0, f"first {p} in keyframe_value", p, references=KEYV) for p in _PARTS),
    *(Row(f"key_{p}_num", KEY, "int", 0, f"{p} values, 0 keeps the reference", p) for p in _PARTS),
    Row("key_value", KEYV, "float", 0.0, "MuJoCo's order and unit, quaternions wxyz"),
)

_CUSTOM = (
    Row("numeric_label", NUM, "str", "", "name", "name"),
    Row("numeric_world", NUM, "int", -1, "world index", references="world"),
    Row("numeric_adr", NUM, "int", 0, "first row of numeric_value", "data", references=NUMV),
    Row("numeric_size", NUM, "int", 0, "rows of numeric_value", "size"),
    Row("numeric_data", NUMV, "float", 0.0, "the user's", "data"),
    Row("text_label", TEXT, "str", "", "name", "name"),
    Row("text_world", TEXT, "int", -1, "world index", references="world"),
    Row("text_data", TEXT, "str", "", "the user's", "data"),
    Row("tuple_label", TUP, "str", "", "name", "name"),
    Row("tuple_world", TUP, "int", -1, "world index", references="world"),
    Row("tuple_adr", TUP, "int", 0, "first row of tuple_element", "*", references=TUPE),
    Row("tuple_size", TUP, "int", 0, "rows of tuple_element", "*"),
    Row("tuple_objtype", TUPE, "int", 0, "kind of the object, 1 body, 2 body (xbody), 3 joint, ... as mjtObj", "objtype"),
    Row("tuple_obj", TUPE, "int", -1, "body, first dof, shape, or row of its table", "objname", references="*"),
    Row("tuple_objprm", TUPE, "float", 0.0, "the user's", "prm"),
)

MUJOCO_ATTRIBUTES = (
    *_EQUALITY, *_SHAPE, *_JOINT, *_BODY, *_OPTION, *_FLAG, *_CONTACT, *_ACTUATOR, *_TENDON, *_CAMERA, *_SENSOR, *_KEYFRAME, *_CUSTOM, *_USER,
)  # fmt: skip
