"""The groups of a Model: what does not change during a step.

Shapes are written without the world axis; a field made by ``value`` has a world axis of length 1 (one value for all
worlds) or nworld (domain randomisation). Read it in a kernel as ``body.mass[per_world(body.mass.shape[0], w), i]``.
Names, units and frames are those of MuJoCo's ``mjModel``. Quaternions are w-first ``wp.vec4``; spatial vectors are
rotation first.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.collision import GAIN, HFIELD, HULL, SDF, SWEEP
from newtonish.kernels.structs.field import group, index, scalar, value, vec5, vec6, vec10, vec12
from newtonish.kernels.structs.geometric import INSIDE, MEASURE, RANGING, SURFACE, TACTILE
from newtonish.kernels.structs.history import HISTORY
from newtonish.kernels.structs.optics import CAMERA, LIGHT
from newtonish.kernels.structs.sleep import SLEEP
from newtonish.kernels.structs.speculative import THICKNESS

f32, i32 = wp.float32, wp.int32
vec2, vec3, vec4 = wp.vec2, wp.vec3, wp.vec4

SIZE = group(
    "Size",
    "size",
    "",
    [
        scalar("nq", "generalized coordinates"),
        scalar("nv", "degrees of freedom"),
        scalar("nv_pad", "nv rounded up to a multiple of 8: row length of dense matrices"),
        scalar("nu", "controls"),
        scalar("na", "activations"),
        scalar("nactuator", "actuators"),
        scalar("nout", "force outputs of actuators"),
        scalar("nbody", "bodies, the world included"),
        scalar("njnt", "joints"),
        scalar("ngeom", "geoms"),
        scalar("nsite", "sites"),
        scalar("nmocap", "mocap bodies"),
        scalar("ntree", "kinematic trees"),
        scalar("nC", "non-zeros of the sparse mass matrix"),
        scalar("nlevel", "levels of the body tree; level 0 is the world"),
        scalar("npair", "explicit contact pairs"),
        scalar("ncollide", "geom pairs that may collide"),
        scalar("ntendon", "tendons"),
        scalar("nJten", "non-zeros of the tendon Jacobian"),
        scalar("nJmom", "non-zeros of the actuator moments"),
        scalar("nwrap2", "points that spatial tendons can go through: twice the wraps"),
        scalar("ntenarmature", "tendons with armature"),
        scalar("ntenfrc", "tendons that limit the force of their actuators"),
        scalar("nadhesion", "actuators that act on a body's contacts"),
        scalar("nlaw", "actuators with a force law of their own, see actuator_law"),
        scalar("nso3", "actuators that turn an orientation, with three force outputs"),
        scalar("neq", "equality constraints"),
        scalar("nsensor", "sensors"),
        scalar("nsensordata", "numbers of all sensors"),
        scalar("nfluid", "bodies on which the medium acts; 0: no medium"),
        scalar("nmaxcondim", "largest contact dimension that can occur"),
        scalar("flg_adhesion", "1: contacts of some geom or pair can pull"),
        scalar("flg_surfacevel", "1: the surface of some geom moves"),
        scalar("flg_spring", "1: constraints hold their gains in motion too"),
        scalar("njrow", "room of a sparse row of the Jacobian"),
        scalar("nwrow", "room of a sparse row of M^-1 J'"),
        scalar("npos", "places for dofs when each tree's are rounded up to a multiple of 8"),
        scalar("ntreerow", "most kinematic trees that a row can couple"),
    ],
)

OPTION = group(
    "Option",
    "opt",
    "",
    [
        value("timestep", f32, doc="time step [s]"),
        value("tolerance", f32, doc="solver stops below this scaled improvement or gradient"),
        value("ls_tolerance", f32, doc="line search stops below this fraction of the gradient"),
        value("impratio_invsqrt", f32, doc="1/sqrt(impratio)"),
        value("gravity", vec3, doc="[m/s^2], world frame"),
        value("magnetic", vec3, doc="magnetic flux, world frame"),
        value("noslip_tolerance", f32, doc="slip suppression stops below this scaled improvement"),
        value("density", f32, doc="of the medium [kg/m^3]"),
        value("viscosity", f32, doc="of the medium [Pa s]"),
        value("wind", vec3, doc="velocity of the medium [m/s], world frame"),
        value("o_margin", f32, doc="contact override: margin [m]"),
        value("o_solref", vec2, doc="contact override: solref"),
        value("o_solimp", vec5, doc="contact override: solimp"),
        value("o_friction", vec5, doc="contact override: friction"),
        value("meaninertia", f32, doc="mean diagonal of the mass matrix at qpos0 (mjModel.stat.meaninertia)"),
        scalar("integrator", "IntegratorType"),
        scalar("cone", "ConeType"),
        scalar("solver", "SolverType"),
        scalar("jacobian", "JacobianType: which rows of the Jacobian and which solver"),
        scalar("iterations", "largest number of solver iterations"),
        scalar("ls_iterations", "largest number of line-search iterations"),
        scalar("noslip_iterations", "largest number of sweeps of the slip suppression"),
        scalar("disableflags", "DisableBit"),
        scalar("enableflags", "EnableBit"),
        scalar("broadphase", "BroadphaseType"),
        scalar("disableactuator", "bit i disables actuators of group i"),
        scalar("symmetric_contacts", "1: contacts of two geoms of one type do not depend on which is named first; 0: as in MuJoCo"),
    ],
)

TREE = group(
    "Tree",
    "tree",
    "tree_",
    [
        index("level_adr", "nlevel+1", doc="first entry of each level in level_bodyid"),
        index("level_bodyid", "nbody", doc="bodies sorted by depth in the tree"),
        index("child_adr", "nbody+1", doc="first entry of each body in child_bodyid"),
        index("child_bodyid", "nbody", doc="children of each body, ascending"),
        index("dofadr", "ntree", doc="first dof of each kinematic tree"),
        index("dofnum", "ntree", doc="number of its dofs"),
        index("chain_adr", "nbody+1", doc="first entry of each body in chain_dofid"),
        index("chain_dofid", "nchain", doc="dofs that move a body, ascending (the body's own and its ancestors')"),
    ],
)

BODY = group(
    "Body",
    "body",
    "body_",
    [
        index("parentid", "nbody", doc="parent body"),
        index("rootid", "nbody", doc="ancestor that is a child of the world"),
        index("weldid", "nbody", doc="topmost ancestor without dofs in between"),
        index("mocapid", "nbody", doc="row in mocap_pos; -1: none"),
        index("jntnum", "nbody", doc="number of joints"),
        index("jntadr", "nbody", doc="first joint; -1: none"),
        index("dofnum", "nbody", doc="number of dofs"),
        index("dofadr", "nbody", doc="first dof; -1: none"),
        index("treeid", "nbody", doc="kinematic tree; -1: static"),
        index("geomnum", "nbody", doc="number of geoms"),
        index("geomadr", "nbody", doc="first geom; -1: none"),
        index("simple", "nbody", doc="1: diagonal inertia; 2: sliders only"),
        index("fluid", "nbody", doc="model of fluid forces: 0 none, 1 inertia box, 2 ellipsoids of geoms"),
        value("pos", vec3, "nbody", doc="position in the parent [m]"),
        value("quat", vec4, "nbody", doc="orientation in the parent"),
        value("ipos", vec3, "nbody", doc="centre of mass in the body frame [m]"),
        value("iquat", vec4, "nbody", doc="principal axes of inertia in the body frame"),
        value("mass", f32, "nbody", doc="[kg]"),
        value("subtreemass", f32, "nbody", doc="mass of the subtree that starts here [kg]"),
        value("inertia", vec3, "nbody", doc="principal inertia [kg m^2]"),
        value("invweight0", vec2, "nbody", doc="mean inverse inertia at qpos0, translation and rotation"),
        value("gravcomp", f32, "nbody", doc="gravity compensation, in units of the weight"),
    ],
)

JOINT = group(
    "Joint",
    "jnt",
    "jnt_",
    [
        index("type", "njnt", doc="JointType"),
        index("qposadr", "njnt", doc="first entry in qpos"),
        index("dofadr", "njnt", doc="first entry in qvel"),
        index("bodyid", "njnt", doc="body that the joint moves"),
        index("limited", "njnt", doc="has a range"),
        index("actfrclimited", "njnt", doc="limits the total actuator force"),
        index("actgravcomp", "njnt", doc="gravity compensation counts as actuator force"),
        value("qpos0", f32, "nq", doc="coordinates of the reference pose", flat="qpos0"),
        value("qpos_spring", f32, "nq", doc="coordinates at which springs rest", flat="qpos_spring"),
        value("eq_active0", i32, "neq", doc="equality constraints that hold after a reset, with qpos0", flat="eq_active0"),
        value("solref", vec2, "njnt", doc="limit: reference"),
        value("solimp", vec5, "njnt", doc="limit: impedance"),
        value("pos", vec3, "njnt", doc="anchor in the body frame [m]"),
        value("axis", vec3, "njnt", doc="axis in the body frame"),
        value("stiffness", f32, "njnt", doc="spring [N/m or N m/rad]"),
        value("stiffnesspoly", vec2, "njnt", doc="higher coefficients of the spring"),
        value("range", vec2, "njnt", doc="limits [m or rad]"),
        value("actfrcrange", vec2, "njnt", doc="limits of the total actuator force [N or N m]"),
        value("margin", f32, "njnt", doc="distance at which the limit becomes a row [m or rad]"),
    ],
)

DOF = group(
    "Dof",
    "dof",
    "dof_",
    [
        index("bodyid", "nv", doc="body that the dof moves"),
        index("jntid", "nv", doc="joint of the dof"),
        index("parentid", "nv", doc="previous dof on the way to the root; -1: none"),
        index("treeid", "nv", doc="kinematic tree"),
        index("lastid", "nv", doc="last dof of the bodies that the dof moves"),
        index("simplenum", "nv", doc="number of consecutive simple dofs that start here"),
        index("M_rownnz", "nv", doc="non-zeros in the row of M", flat="M_rownnz"),
        index("M_rowadr", "nv", doc="first entry of the row of M", flat="M_rowadr"),
        index("M_colind", "nC", doc="columns of M, ascending, the diagonal last", flat="M_colind"),
        value("solref", vec2, "nv", doc="friction loss: reference"),
        value("solimp", vec5, "nv", doc="friction loss: impedance"),
        value("frictionloss", f32, "nv", doc="[N or N m]"),
        value("armature", f32, "nv", doc="[kg or kg m^2]"),
        value("damping", f32, "nv", doc="[N s/m or N m s/rad]"),
        value("dampingpoly", vec2, "nv", doc="higher coefficients of the damping"),
        value("invweight0", f32, "nv", doc="inverse inertia at qpos0"),
    ],
)

GEOM = group(
    "Geom",
    "geom",
    "geom_",
    [
        index("type", "ngeom", doc="GeomType"),
        index("contype", "ngeom", doc="contact type bits"),
        index("conaffinity", "ngeom", doc="contact affinity bits"),
        index("condim", "ngeom", doc="contact dimension: 1, 3, 4 or 6"),
        index("bodyid", "ngeom", doc="body that carries the geom"),
        index("group", "ngeom", doc="group"),
        index("opaque", "ngeom", doc="rays of sensors hit it: it is drawn with some opacity"),
        index("priority", "ngeom", doc="the higher one decides the contact parameters"),
        value("dataid", i32, "ngeom", doc="mesh or heightfield; -1: none"),
        value("solmix", f32, "ngeom", doc="weight when contact parameters are mixed"),
        value("solref", vec2, "ngeom", doc="contact reference"),
        value("solimp", vec5, "ngeom", doc="contact impedance"),
        value("size", vec3, "ngeom", doc="sizes of the type [m]"),
        value("rbound", f32, "ngeom", doc="radius of the bounding sphere; 0: plane [m]"),
        value("pos", vec3, "ngeom", doc="position in the body frame [m]"),
        value("quat", vec4, "ngeom", doc="orientation in the body frame"),
        value("friction", vec3, "ngeom", doc="slide, spin [m], roll [m]"),
        value("margin", f32, "ngeom", doc="[m]"),
        value("gap", f32, "ngeom", doc="[m]"),
        value("adhesion", f32, "ngeom", doc="force with which each contact can pull [N]"),
        value("surfacevel", vec6, "ngeom", doc="motion of the surface, geom frame: linear [m/s], angular about the origin [rad/s]"),
        value("fluid", vec12, "ngeom", doc="on, 5 coefficients, virtual mass and inertia of the ellipsoid model"),
    ],
)

SITE = group(
    "Site",
    "site",
    "site_",
    [
        index("type", "nsite", doc="GeomType, for drawing"),
        index("bodyid", "nsite", doc="body that carries the site"),
        value("size", vec3, "nsite", doc="[m]"),
        value("pos", vec3, "nsite", doc="position in the body frame [m]"),
        value("quat", vec4, "nsite", doc="orientation in the body frame"),
    ],
)

PAIR = group(
    "Pair",
    "pair",
    "pair_",
    [
        index("dim", "npair", doc="contact dimension"),
        index("geom1", "npair", doc="first geom"),
        index("geom2", "npair", doc="second geom"),
        value("solref", vec2, "npair", doc="normal reference"),
        value("solreffriction", vec2, "npair", doc="friction reference; 0 0: as the normal's"),
        value("solimp", vec5, "npair", doc="impedance"),
        value("margin", f32, "npair", doc="[m]"),
        value("gap", f32, "npair", doc="[m]"),
        value("adhesion", f32, "npair", doc="force with which each contact can pull [N]"),
        value("friction", vec5, "npair", doc="tangent1, tangent2, spin, roll1, roll2"),
    ],
)

COLLIDE = group(
    "Collide",
    "collide",
    "collide_",
    [
        index("geom1", "ncollide", doc="geom of the lower type"),
        index("geom2", "ncollide", doc="geom of the higher type"),
        index("pairid", "ncollide", doc="explicit pair that overrides the parameters; -1: none"),
    ],
)

ACTUATOR = group(
    "Actuator",
    "actuator",
    "actuator_",
    [
        index("trntype", "nactuator", doc="TrnType"),
        index("dyntype", "nactuator", doc="DynType"),
        index("gaintype", "nactuator", doc="GainType"),
        index("biastype", "nactuator", doc="BiasType"),
        index("trnid", "nactuator", doc="joint, tendon, site ...", dtype=wp.vec2i),
        index("ctrladr", "nactuator", doc="first control"),
        index("ctrlnum", "nactuator", doc="number of controls"),
        index("ctrlspec", "nactuator", doc="CtrlInput bits of the controls, or chart of an SO3 servo"),
        index("law", "nactuator", doc="ForceLaw; 0: gain times input plus bias"),
        index("ctrl0", "nu", doc="controls after a reset: zero, or the identity quaternion", dtype=f32),
        index("outadr", "nactuator", doc="first force output"),
        index("outnum", "nactuator", doc="number of force outputs"),
        index("actadr", "nactuator", doc="first activation; -1: stateless"),
        index("actnum", "nactuator", doc="number of activations"),
        index("group", "nactuator", doc="group, for disableactuator"),
        index("actlimited", "nactuator", doc="activation is limited"),
        index("actearly", "nactuator", doc="force from the next activation"),
        index("forcelimited", "nactuator", doc="force is limited"),
        index("ctrllimited", "nu", doc="control is limited"),
        index("moment_rownnz0", "nout", doc="non-zeros of each moment row"),
        index("moment_rowadr0", "nout", doc="first entry of each moment row"),
        index("moment_colind0", "nJmom", doc="dofs of the moment rows, ascending in each row"),
        value("cranklength", f32, "nactuator", doc="length of the crank's rod [m]"),
        value("acc0", f32, "nout", doc="norm of the acceleration that a unit force gives at qpos0"),
        value("lengthrange", vec2, "nout", doc="feasible lengths, for muscles"),
        value("dynprm", vec10, "nactuator", doc="dynamics parameters"),
        value("gainprm", vec10, "nactuator", doc="gain parameters"),
        value("biasprm", vec10, "nactuator", doc="bias parameters"),
        value("actrange", vec2, "nactuator", doc="range of the activation"),
        value("forcerange", vec2, "nactuator", doc="range of the force"),
        value("ctrlrange", vec2, "nu", doc="range of the control"),
        value("gear", wp.spatial_vector, "nout", doc="scale of length and force"),
    ],
)

TENDON = group(
    "Tendon",
    "tendon",
    "tendon_",
    [
        index("J_rownnz", "ntendon", doc="non-zeros of the Jacobian row", flat="ten_J_rownnz"),
        index("J_rowadr", "ntendon", doc="first entry of the row", flat="ten_J_rowadr"),
        index("J_colind", "nJten", doc="dofs of the row, ascending", flat="ten_J_colind"),
        index("J_qposadr", "nJten", doc="coordinate that belongs to each dof of the row", flat="ten_J_qposadr"),
        index("type", "ntendon", doc="0: fixed, 1: spatial"),
        index("adr", "ntendon", doc="first wrap"),
        index("num", "ntendon", doc="number of wraps"),
        index("wrap_type", "nwrap", doc="1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder", flat="wrap_type"),
        index("wrap_objid", "nwrap", doc="joint, site or geom", flat="wrap_objid"),
        index("wrap_sideid", "nwrap", doc="side site of a wrapping geom; -1: none"),
        index("limited", "ntendon", doc="has a range"),
        index("actfrclimited", "ntendon", doc="limits the total force of its actuators"),
        value("wrap_scale", f32, "nwrap", doc="1/divisor of the pulley branch"),
        value("armature", f32, "ntendon", doc="inertia of the length [kg]"),
        value("actfrcrange", vec2, "ntendon", doc="limits of the total actuator force [N]"),
        value("coef", f32, "nJten", doc="weight of each coordinate"),
        value("solref_lim", vec2, "ntendon", doc="limit: reference"),
        value("solimp_lim", vec5, "ntendon", doc="limit: impedance"),
        value("solref_fri", vec2, "ntendon", doc="friction loss: reference"),
        value("solimp_fri", vec5, "ntendon", doc="friction loss: impedance"),
        value("range", vec2, "ntendon", doc="limits of the length"),
        value("margin", f32, "ntendon", doc="distance at which the limit becomes a row"),
        value("stiffness", f32, "ntendon", doc="spring"),
        value("stiffnesspoly", vec2, "ntendon", doc="higher coefficients of the spring"),
        value("damping", f32, "ntendon", doc="damper"),
        value("dampingpoly", vec2, "ntendon", doc="higher coefficients of the damper"),
        value("frictionloss", f32, "ntendon", doc="friction loss"),
        value("lengthspring", vec2, "ntendon", doc="range of lengths in which the spring rests"),
        value("length0", f32, "ntendon", doc="length at qpos0"),
        value("invweight0", f32, "ntendon", doc="inverse inertia at qpos0"),
    ],
)

SENSOR = group(
    "Sensor",
    "sensor",
    "sensor_",
    [
        index("type", "nsensor", doc="SensorType; -1: not evaluated"),
        index("datatype", "nsensor", doc="DataType"),
        index("needstage", "nsensor", doc="Stage after which it is evaluated"),
        index("objtype", "nsensor", doc="ObjType of the measured object"),
        index("objid", "nsensor", doc="measured object"),
        index("reftype", "nsensor", doc="ObjType of the reference"),
        index("refid", "nsensor", doc="object that carries the frame of reference; -1: world frame"),
        index("dim", "nsensor", doc="numbers"),
        index("adr", "nsensor", doc="first entry in sensordata"),
        index("intprm", "nsensor", doc="data bits, reduction, slots (rangefinder and contact)", dtype=wp.vec3i),
        value("cutoff", f32, "nsensor", doc="bound of the output; 0: none"),
        value("noise", f32, "nsensor", doc="standard deviation that the user may add; the step adds none"),
        index("bodyid", "nsensor", doc="body that carries the measured object"),
        index("refbodyid", "nsensor", doc="body that carries the reference"),
        scalar("ordinary", "sensors that have no kernel of their own"),
        scalar("projections", "sensors of where a site appears in a picture"),
        scalar("accelerations", "1: some sensor needs rne_postconstraint"),
        scalar("momenta", "1: some sensor needs subtree_vel"),
        scalar("energies", "1: some sensor needs the energy"),
    ],
)

EQUALITY = group(
    "Equality",
    "eq",
    "eq_",
    [
        index("type", "neq", doc="EqType"),
        index("obj1id", "neq", doc="body, site, joint or tendon"),
        index("obj2id", "neq", doc="the same of the other side; -1: a constant (joint, tendon)"),
        index("objtype", "neq", doc="ObjType of bodies and sites"),
        value("solref", vec2, "neq", doc="reference"),
        value("solimp", vec5, "neq", doc="impedance"),
        value("data", vec12, "neq", doc="anchors, relative orientation and torque scale, or the polynomial"),
    ],
)

IMPLICIT = group(
    "Implicit",
    "impl",
    "",
    [
        scalar("nD", "non-zeros of a matrix that couples all dofs of a chain, both triangles"),
        index("D_rownnz", "nv", doc="non-zeros in the row"),
        index("D_rowadr", "nv", doc="first entry of the row"),
        index("D_diag", "nv", doc="place of the diagonal in the row"),
        index("D_colind", "nD", doc="columns, ascending"),
        index("mapM2D", "nD", doc="entry of M; -1: M has none there"),
    ],
)

MODEL_GROUPS = (
    SIZE, OPTION, TREE, BODY, JOINT, DOF, GEOM, SITE, PAIR, COLLIDE, SWEEP, HULL, HFIELD, SDF, ACTUATOR, TENDON, SENSOR, EQUALITY,
    IMPLICIT,
    HISTORY,
    CAMERA, LIGHT, SURFACE, RANGING, MEASURE, INSIDE, TACTILE, GAIN, SLEEP, THICKNESS,
)  # fmt: skip

Size = SIZE.struct
Option = OPTION.struct
Tree = TREE.struct
Body = BODY.struct
Joint = JOINT.struct
Dof = DOF.struct
Geom = GEOM.struct
Site = SITE.struct
Pair = PAIR.struct
Collide = COLLIDE.struct
Hull = HULL.struct
HeightField = HFIELD.struct
Sdf = SDF.struct
Actuator = ACTUATOR.struct
Tendon = TENDON.struct
Sensor = SENSOR.struct
Equality = EQUALITY.struct
Implicit = IMPLICIT.struct
