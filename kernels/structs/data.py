"""The groups of a Data: what a step reads and writes, every array but signals to the host with the world axis in front.

Shapes are written without the world axis. Names, units and frames are those of MuJoCo's ``mjData``; ``contact`` and
``efc`` are kept per world, in slots that are filled in a fixed order, so that equal inputs give equal bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels.structs.collision import NEAR, SDF_STATE
from newtonish.kernels.structs.field import group, scratch, signal, value, vec5, vec10
from newtonish.kernels.structs.history import HISTORY_STATE
from newtonish.kernels.structs.metric import METRIC
from newtonish.kernels.structs.optics import CAMLIGHT
from newtonish.kernels.structs.sleep import SLEEP_STATE
from newtonish.kernels.structs.speculative import AHEAD

f32, i32 = wp.float32, wp.int32
vec2, vec3, vec4, mat33 = wp.vec2, wp.vec3, wp.vec4, wp.mat33
spatial = wp.spatial_vector

STATE = group(
    "State",
    "state",
    "",
    [
        value("time", f32, doc="simulation time [s]"),
        value("time_low", f32, doc="what float32 leaves of the time: time + time_low is the number of steps times the time step [s]"),
        value("qpos", f32, "nq", doc="generalized position"),
        value("qvel", f32, "nv", doc="generalized velocity"),
        value("act", f32, "na", doc="activation of actuators"),
        value("qacc_warmstart", f32, "nv", doc="acceleration from which the solver starts"),
        value("ctrl", f32, "nu", doc="control"),
        value("qfrc_applied", f32, "nv", doc="applied generalized force"),
        value("xfrc_applied", spatial, "nbody", doc="applied force, torque at the centre of mass, world frame, force first"),
        value("mocap_pos", vec3, "nmocap", doc="pose of mocap bodies [m]"),
        value("mocap_quat", vec4, "nmocap", doc="pose of mocap bodies"),
        value("eq_active", wp.bool, "neq", doc="equality constraint holds"),
    ],
)

KINEMATICS = group(
    "Kinematics",
    "kin",
    "",
    [
        value("xpos", vec3, "nbody", doc="body frame [m], world frame"),
        value("xquat", vec4, "nbody", doc="body frame, world frame"),
        value("xmat", mat33, "nbody", doc="body frame, world frame"),
        value("xipos", vec3, "nbody", doc="centre of mass [m]"),
        value("ximat", mat33, "nbody", doc="principal axes of inertia"),
        value("xanchor", vec3, "njnt", doc="joint anchor [m]"),
        value("xaxis", vec3, "njnt", doc="joint axis"),
        value("geom_xpos", vec3, "ngeom", doc="[m]"),
        value("geom_xmat", mat33, "ngeom", doc="orientation"),
        value("site_xpos", vec3, "nsite", doc="[m]"),
        value("site_xmat", mat33, "nsite", doc="orientation"),
    ],
)

COM = group(
    "Com",
    "com",
    "",
    [
        value("subtree_com", vec3, "nbody", doc="centre of mass of the subtree [m]"),
        value("cdof", spatial, "nv", doc="motion axis of each dof about the tree's centre of mass (rotation first)"),
        value("cinert", vec10, "nbody", doc="inertia about the tree's centre of mass: xx yy zz xy xz yz, m*r, m"),
    ],
)

MASS = group(
    "Mass",
    "mass",
    "",
    [
        value("crb", vec10, "nbody", doc="composite inertia"),
        value("M", f32, "nC", doc="mass matrix, sparse rows"),
        value("qLD", f32, "nC", doc="M = L' D L: rows of L, D on the diagonal"),
        value("qLDiagInv", f32, "nv", doc="1/D"),
        value("qH", f32, "nC", doc="the same of M - h dF/dv (implicit damping, implicitfast)"),
        value("qHDiagInv", f32, "nv", doc="1/D of it"),
        value("qDeriv", f32, "nC", doc="symmetric part of dF/dv in M's sparsity (implicitfast)"),
    ],
)

VELOCITY = group(
    "Velocity",
    "vel",
    "",
    [
        value("cvel", spatial, "nbody", doc="body velocity about the tree's centre of mass (rotation first)"),
        value("cdof_dot", spatial, "nv", doc="time derivative of cdof"),
        value("cacc", spatial, "nbody", doc="body acceleration (bias stage: without qacc)"),
        value("cfrc", spatial, "nbody", doc="body force of the bias stage, accumulated towards the root"),
    ],
)

FORCE = group(
    "Force",
    "frc",
    "",
    [
        value("qfrc_bias", f32, "nv", doc="Coriolis, centrifugal and gravitational force"),
        value("qfrc_spring", f32, "nv", doc="springs"),
        value("qfrc_damper", f32, "nv", doc="dampers"),
        value("qfrc_gravcomp", f32, "nv", doc="gravity compensation"),
        value("qfrc_fluid", f32, "nv", doc="forces of the medium"),
        value("qfrc_adhesion", f32, "nv", doc="pull of contacts with adhesion"),
        value("qfrc_passive", f32, "nv", doc="sum of passive forces"),
        value("qfrc_actuator", f32, "nv", doc="actuators"),
        value("qfrc_smooth", f32, "nv", doc="everything but the constraints"),
        value("qacc_smooth", f32, "nv", doc="acceleration without the constraints"),
        value("qfrc_inverse", f32, "nv", doc="result of the inverse dynamics"),
    ],
)

DRIVE = group(
    "Drive",
    "drive",
    "",
    [
        value("actuator_length", f32, "nout", doc="length"),
        value("actuator_velocity", f32, "nout", doc="velocity"),
        value("actuator_force", f32, "nout", doc="force"),
        value("act_dot", f32, "na", doc="time derivative of act"),
        value("law_slope", f32, "nactuator", doc="derivative by velocity of forces with a law of their own", flat="actuator_law_slope"),
        value("slope", f32, "nactuator", doc="implicit integrators: derivative of force by velocity", flat="actuator_slope"),
        value("held", i32, "nout", doc="1: the tendon's forces add up to its force range", flat="actuator_held"),
        value("moment_rownnz", i32, "nout", doc="non-zeros of a moment row"),
        value("moment_rowadr", i32, "nout", doc="first entry of a moment row"),
        value("moment_colind", i32, "nJmom", doc="columns of the moments"),
        value("actuator_moment", f32, "nJmom", doc="moments"),
    ],
)

TENDON_STATE = group(
    "TendonState",
    "ten",
    "ten_",
    [
        value("length", f32, "ntendon", doc="length"),
        value("velocity", f32, "ntendon", doc="velocity"),
        value("J", f32, "nJten", doc="Jacobian, sparse rows (m.ten_J_rowadr, m.ten_J_colind)"),
        value("wrapadr", i32, "ntendon", doc="first point of the path in wrap_xpos"),
        value("wrapnum", i32, "ntendon", doc="number of points"),
        value("wrap_xpos", vec3, "nwrap2", doc="points of the paths [m]", flat="wrap_xpos"),
        value("wrap_obj", i32, "nwrap2", doc="geom of each point; -1: site, -2: pulley", flat="wrap_obj"),
    ],
)


def _worldid(contact: Any) -> wp.array:
    """(nworld, nconmax) int32: which world each slot is of, as mujoco_warp's flat list says of each contact. Made when it is asked for."""
    made, like = contact.__dict__.get("_worldid"), contact.dist
    if made is None or made.shape != like.shape:
        made = wp.array(np.repeat(np.arange(like.shape[0], dtype=np.int32)[:, None], like.shape[1], axis=1), dtype=wp.int32, ndim=2, device=like.device)
        contact.__dict__["_worldid"] = made
    return made


CONTACT = group(
    "Contact",
    "contact",
    "contact_",
    [
        value("dist", f32, "nconmax", doc="distance; negative: penetration [m]"),
        value("pos", vec3, "nconmax", doc="midpoint [m]"),
        value("frame", mat33, "nconmax", doc="rows: normal (geom 1 to geom 2), tangent 1, tangent 2"),
        value("includemargin", f32, "nconmax", doc="a row is made if dist < includemargin [m]"),
        value("friction", vec5, "nconmax", doc="tangent1, tangent2, spin, roll1, roll2"),
        value("solref", vec2, "nconmax", doc="normal reference"),
        value("solreffriction", vec2, "nconmax", doc="friction reference"),
        value("solimp", vec5, "nconmax", doc="impedance"),
        value("dim", i32, "nconmax", doc="1, 3, 4 or 6"),
        value("geom", wp.vec2i, "nconmax", doc="geoms"),
        value("pairid", i32, "nconmax", doc="explicit pair that the contact comes from; -1: none"),
        value("adhesion", f32, "nconmax", doc="force with which the contact can pull [N]"),
        value("surfacevel", vec3, "nconmax", doc="motion of surface 2 less that of surface 1: tangent 1, tangent 2 [m/s], spin [rad/s]"),
        value("efc_address", i32, "nconmax", doc="first row; -1: none"),
        value("mu", f32, "nconmax", doc="friction of the regularized cone (elliptic)"),
        # scratch of the broadphase
        scratch("bound", vec4, "ngeom", doc="centre and radius of a geom's bounding ball, inflated by its margin and gap"),
        scratch("bound_axis", vec4, "ngeom", doc="half axis and inflated radius of its bounding capsule; of a plane the normal"),
        scratch("candidate", i32, 256, doc="near pairs of a batch of 256"),
    ],
    worldid=property(_worldid),
)

EFC = group(
    "Efc",
    "efc",
    "efc_",
    [
        value("type", i32, "njmax", doc="ConstraintType"),
        value("id", i32, "njmax", doc="joint, dof or contact of the row"),
        value("J", f32, "njdense", "njcol", doc="Jacobian: dense with padding of zeros, or one line of the entries of all rows"),
        value("J_rownnz", i32, "njsparse", doc="non-zeros of a row (sparse Jacobian)"),
        value("J_rowadr", i32, "njsparse", doc="first entry of a row"),
        value("J_colind", i32, "njnz", doc="dofs of the entries"),
        value("pos", f32, "njmax_pad", doc="position"),
        value("margin", f32, "njmax_pad", doc="margin"),
        value("D", f32, "njmax_pad", doc="1/R; zero in the padding"),
        value("vel", f32, "njmax_pad", doc="J qvel"),
        value("aref", f32, "njmax_pad", doc="reference acceleration"),
        value("frictionloss", f32, "njmax_pad", doc="bound of friction rows"),
        value("force", f32, "njmax_pad", doc="constraint force"),
        value("state", i32, "njmax_pad", doc="ConstraintState"),
    ],
)

SOLVE = group(
    "Solve",
    "sol",
    "",
    [
        value("qacc", f32, "nv", doc="acceleration"),
        value("qfrc_constraint", f32, "nv", doc="constraint force"),
        value("Ma", f32, "nv", doc="M qacc", flat="efc_Ma"),
        # scratch of one solution
        scratch("x", f32, "nsol", doc="padded copy of qacc while iterating", flat="solver_x"),
        scratch("Mx", f32, "nsol", doc="M x", flat="solver_Mx"),
        scratch("smooth", f32, "nsol", doc="padded copy of qfrc_smooth", flat="solver_smooth"),
        scratch("JTf", f32, "nsol", doc="J' force", flat="solver_JTf"),
        scratch("grad", f32, "nsol", doc="gradient of the cost", flat="solver_grad"),
        scratch("search", f32, "nsol", doc="search direction", flat="solver_search"),
        scratch("Mv", f32, "nsol", doc="M search", flat="solver_Mv"),
        scratch("Jaref", f32, "nsolrow", doc="J qacc - aref", flat="solver_Jaref"),
        scratch("Jv", f32, "nsolrow", doc="J search", flat="solver_Jv"),
        scratch("M", f32, "nvdense", "nvdense", doc="dense mass matrix", flat="solver_M"),
        scratch("H", f32, "nvdense", "nvdense", doc="Hessian and its L'DL factor, lower triangle by rows", flat="solver_H"),
        scratch("W", f32, "njwrow", "nwcol", doc="rows M^-1 J' of the dual solvers, dense or as J is", flat="solver_W"),
        scratch("W_colind", i32, "nwcolind", doc="dofs of the entries of W, if those are sparse", flat="solver_W_colind"),
        scratch("A", f32, "njdual", 7, doc="J M^-1 J': columns of the row's block, then the diagonal", flat="solver_A"),
        scratch("Hdiaginv", f32, "nsol", doc="1/D of the factor of H; the padding is zero", flat="solver_Hdiaginv"),
    ],
)

ISLAND = group(
    "Island",
    "isl",
    "",
    [
        value("nisland", i32, doc="groups of kinematic trees that rows couple (sparse Jacobian)"),
        value("tree_island", i32, "nistree", doc="island of each tree; -1: no rows"),
        value("dof_island", i32, "nisdof", doc="island of each dof; -1: no rows"),
        value("efc_island", i32, "njsparse", doc="island of each row"),
        value("island_ntree", i32, "nistree", doc="trees of an island"),
        value("island_itreeadr", i32, "nistree", doc="its first tree in map_itree2tree"),
        value("map_itree2tree", i32, "nistree", doc="trees, those of an island together"),
        value("island_nv", i32, "nistree", doc="dofs of an island"),
        value("island_ne", i32, "nistree", doc="its equality rows"),
        value("island_nf", i32, "nistree", doc="its friction rows"),
        value("island_nefc", i32, "nistree", doc="its rows"),
        value("island_iefcadr", i32, "nistree", doc="its first row in map_iefc2efc"),
        value("island_rounded", i32, "nistree", doc="solver_rounded of an island"),
        value("map_iefc2efc", i32, "njsparse", doc="rows, those of an island together"),
        value("map_efc2iefc", i32, "njsparse", doc="the inverse"),
        # scratch of the solver
        scratch("edge_adr", i32, "nistree1", doc="first entry of each tree in edge", flat="island_edge_adr"),
        scratch("edge", i32, "nisedge", doc="trees that rows couple with each tree", flat="island_edge"),
        scratch("label", i32, "nistree1", doc="marks of the search", flat="island_label"),
        scratch("tree_pos", i32, "nistree", doc="place of the tree's last dof among those of its island", flat="island_tree_pos"),
        scratch("place", i32, "nistree", doc="where the vectors of an island begin if each has its own, in blocks of eight", flat="island_place"),
        scratch("mass_place", i32, "nistree", doc="where its M begins", flat="island_mass_place"),
        scratch("length", i32, "nistree", doc="floats of its Hessian", flat="island_length"),
        scratch("niter", i32, "nistree", doc="iterations of its solver", flat="island_niter"),
        scratch("dof_at", i32, "nispos", doc="dof at each place; -1: padding", flat="island_dof_at"),
        scratch("dof_place", i32, "nisdof", doc="place of each dof among those of its island", flat="island_dof_place"),
        scratch("column", i32, "njnz", doc="places of the entries of J", flat="island_column"),
        scratch("panel_first", i32, "nispos", doc="first block of columns of each panel of H", flat="island_panel_first"),
        scratch("panel_adr", i32, "nispos", doc="where column 0 of each panel of H would begin", flat="island_panel_adr"),
        scratch("mass_first", i32, "nispos", doc="first block of columns of each panel of M", flat="island_mass_first"),
        scratch("mass_adr", i32, "nispos", doc="where column 0 of each panel of M would begin", flat="island_mass_adr"),
        scratch("M", f32, "nismass", doc="M of one island", flat="island_M"),
        scratch("H", f32, "nhessian", doc="Hessian of one island and its Cholesky factor", flat="island_H"),
        scratch("D", f32, "nisrow", doc="efc_D of one island", flat="island_D"),
        scratch("aref", f32, "nisrow", doc="efc_aref of one island", flat="island_aref"),
        scratch("frictionloss", f32, "nisrow", doc="efc_frictionloss of one island", flat="island_frictionloss"),
        scratch("force", f32, "nisrow", doc="efc_force of one island", flat="island_force"),
        scratch("state", i32, "nisrow", doc="efc_state of one island", flat="island_state"),
        scratch("bound", f32, "nispos", doc="qLDiagInv of one island", flat="island_bound"),
        scratch("con_address", i32, "niscon", doc="contact_efc_address of one island", flat="island_con_address"),
        scratch("con_dim", i32, "niscon", doc="contact_dim of one island", flat="island_con_dim"),
        scratch("con_friction", vec5, "niscon", doc="contact_friction of one island", flat="island_con_friction"),
        scratch("con_mu", f32, "niscon", doc="contact_mu of one island", flat="island_con_mu"),
        scratch("head", i32, "nispos", doc="eight numbers of one island: rows, trees, which one it is", flat="island_head"),
        scratch("numbers", f32, "nispos", doc="its tolerance of gradient and decrease, and two that conjugate gradients keep", flat="island_numbers"),
    ],
)

STATUS = group(
    "Status",
    "status",
    "",
    [
        value("ncon", i32, doc="contacts"),
        value("ne", i32, doc="equality rows"),
        value("ne_needed", i32, doc="equality rows wanted"),
        value("nf", i32, doc="friction rows"),
        value("nl", i32, doc="limit rows"),
        value("nefc", i32, doc="rows"),
        value("solver_niter", i32, doc="iterations of the solver, and sweeps of the slip suppression"),
        value("rounded", i32, doc="1: float32, not tolerance or limit, ended the last iteration on rows", flat="solver_rounded"),
        value("overflow", i32, doc="OverflowType bits since the last reset"),
        value("overflow_time", f32, 2, doc="time at which the first step since the last reset lacked room [s], -1: none; 1: for an island's Hessian"),
        signal("any_overflow", doc="1: some world has lacked room for something; read through ``newtonish.mjw.overflow``"),
        value("ncon_needed", i32, doc="largest number of contacts wanted since the last reset"),
        value("nefc_needed", i32, doc="largest number of rows wanted since the last reset"),
        value("nonfinite", i32, doc="number of automatic resets"),
        value("nonfinite_met", i32, doc="what the last evaluation met that is not finite, as ``nonfinite_origin``; 0: nothing"),
        value("nonfinite_origin", i32, doc="what the last automatic reset was for: NonfiniteType * 2^24 + number of the entity; 0: none"),
        value(
            "nhessian_needed",
            i32,
            doc="largest Hessian of an island since the last reset, or of islands that are solved side by side [floats] (sparse Jacobian)",
        ),
    ],
)

SCRATCH = group(
    "Scratch",
    "scratch",
    "scratch_",
    [
        value("qvel", f32, "nv", doc="velocity update of an integrator"),
        value("wrench", spatial, "nbody", doc="applied force on each body, accumulated towards the root"),
        value("qpos0", f32, "nq", doc="Runge-Kutta: position at the start of the step"),
        value("qvel0", f32, "nv", doc="Runge-Kutta: velocity at the start of the step"),
        value("act0", f32, "na", doc="Runge-Kutta: activation at the start of the step"),
        value("actuator_length0", f32, "nout", doc="Runge-Kutta: actuator lengths at the start of the step"),
        value("actuator_velocity0", f32, "nout", doc="Runge-Kutta: actuator velocities at the start of the step"),
        value("dqvel", f32, "nv", doc="Runge-Kutta: weighted sum of velocities"),
        value("dqacc", f32, "nv", doc="Runge-Kutta: weighted sum of accelerations"),
        value("dact", f32, "na", doc="Runge-Kutta: weighted sum of act_dot"),
    ],
)

SENSE = group(
    "Sense",
    "sense",
    "",
    [
        value("sensordata", f32, "nsensordata", doc="outputs of all sensors"),
        value("energy", vec2, doc="potential, kinetic [J]"),
        value("cfrc_int", spatial, "nbody", doc="force of the parent on the body, about the tree's centre of mass"),
        value("cfrc_ext", spatial, "nbody", doc="applied, contact, equality and tendon force on the body, about the same point"),
        value("cfrc_tendon", spatial, "nreaction", doc="force of spatial tendons on the body, about the same point"),
        value("subtree_linvel", vec3, "nbody", doc="velocity of the subtree's centre of mass [m/s]"),
        value("subtree_angmom", vec3, "nbody", doc="angular momentum of the subtree about its centre of mass"),
    ],
)

IMPLICIT_STATE = group(
    "ImplicitState",
    "imp",
    "imp_",
    [
        value("slope", wp.spatial_matrix, "nslope", doc="derivative by its velocity of the forces on a rigid subtree"),
        value("qLU", f32, "nLU", doc="M - h dF/dv with Coriolis terms, and its factors", flat="qLU"),
    ],
)

USER = group(
    "User",
    "user",
    "",
    [
        value("userdata", f32, "nuserdata", doc="numbers of the user's, part of the state; no kernel reads them"),
        value("time0", f32, doc="time at the start of a step, while a callback is called within it [s]", flat="time0"),
    ],
)

DIAGNOSTICS = group(
    "Diagnostics",
    "diag",
    "",
    [
        value("warning", i32, 7, doc="number of warnings by WarningType since the last reset; counted after watch(m)"),
        value("solver_fwdinv", vec2, doc="forward less inverse dynamics: norms of constraint and of applied force; with flag fwdinv"),
    ],
)

DATA_GROUPS = (
    STATE, KINEMATICS, COM, MASS, VELOCITY, FORCE, DRIVE, TENDON_STATE, CONTACT, EFC, SOLVE, ISLAND, STATUS, SCRATCH, SENSE,
    IMPLICIT_STATE, USER, DIAGNOSTICS, HISTORY_STATE, CAMLIGHT, METRIC, NEAR, SLEEP_STATE, AHEAD, SDF_STATE,
)  # fmt: skip

State = STATE.struct
Kinematics = KINEMATICS.struct
Com = COM.struct
Mass = MASS.struct
Velocity = VELOCITY.struct
Force = FORCE.struct
Drive = DRIVE.struct
Contact = CONTACT.struct
Efc = EFC.struct
Solve = SOLVE.struct
Island = ISLAND.struct
Status = STATUS.struct
Scratch = SCRATCH.struct
SdfState = SDF_STATE.struct
TendonState = TENDON_STATE.struct
Sense = SENSE.struct
ImplicitState = IMPLICIT_STATE.struct
User = USER.struct
Diagnostics = DIAGNOSTICS.struct
