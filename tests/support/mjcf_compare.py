"""Compares what the MJCF importer wrote into a builder with the fields of a compiled mujoco.MjModel."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from newtonish import ModelBuilder
from newtonish.model.enums import AttributeFrequency, GeoType, ShapeFlags

TOLERANCE = 1e-6
OPTIONS = [
    "timestep",
    "impratio",
    "tolerance",
    "ls_tolerance",
    "noslip_tolerance",
    "ccd_tolerance",
    "sleep_tolerance",
    "wind",
    "magnetic",
    "density",
    "viscosity",
    "o_margin",
    "o_solref",
    "o_solimp",
    "o_friction",
    "integrator",
    "cone",
    "jacobian",
    "solver",
    "iterations",
    "ls_iterations",
    "noslip_iterations",
    "ccd_iterations",
    "sdf_iterations",
    "sdf_initpoints",
    "disableactuator",
]
DISABLE = {name[7:].lower(): int(bit) for name, bit in mujoco.mjtDisableBit.__members__.items() if "DSBL" in name}
ENABLE = {name[7:].lower(): int(bit) for name, bit in mujoco.mjtEnableBit.__members__.items() if "ENBL" in name}
TRANSMISSION = {0: 0, 1: 1, 2: 5, 3: 2, 4: 3, 5: 4}
"""MuJoCo's number of a transmission -> ours: joint, jointinparent, slider-crank, tendon, site, body."""


def load(source: str | Path, **arguments: Any) -> ModelBuilder:
    """Import without showing warnings."""
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_mjcf(source if isinstance(source, str) else str(source), **arguments)
    return builder


def oracle(source: str | Path) -> mujoco.MjModel:
    """Compile with MuJoCo."""
    if isinstance(source, Path):
        return mujoco.MjModel.from_xml_path(str(source))
    return mujoco.MjModel.from_xml_string(source)


def column(builder: ModelBuilder, name: str) -> np.ndarray:
    """A builder column, or the dense values of a ``mujoco:`` attribute."""
    if not name.startswith("mujoco:"):
        return np.array(getattr(builder, name))
    attribute = builder.custom_attributes[name]
    if attribute.is_custom_frequency:
        count = builder._custom_frequency_counts[attribute.frequency]
    elif attribute.frequency == AttributeFrequency.WORLD:
        count = max(builder.world_count, 1)
    else:
        count = builder.entity_counts().get(attribute.frequency, 1)
    return attribute.dense(count)


def close(ours: Any, theirs: Any, what: str, tolerance: float = TOLERANCE) -> None:
    """Compare numbers, relative to one or to their size."""
    np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), tolerance, tolerance, err_msg=what)


def close_quat(ours: Any, theirs: Any, what: str, tolerance: float = TOLERANCE) -> None:
    """Compare quaternions up to sign."""
    ours, theirs = np.array(ours, float).reshape(-1, 4), np.array(theirs, float).reshape(-1, 4)
    sign = np.where((ours * theirs).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    close(ours * sign, theirs, what, tolerance)


def compose(pose: np.ndarray, child: np.ndarray) -> np.ndarray:
    """Compose two poses of seven numbers (position, quaternion w, x, y, z)."""
    pos, quat = np.zeros(3), np.zeros(4)
    mujoco.mju_mulPose(pos, quat, pose[:3], pose[3:], child[:3], child[3:])
    return np.concatenate([pos, quat])


def w_first(poses: np.ndarray) -> np.ndarray:
    """Reorder poses (n, 7) from Newton's order to MuJoCo's."""
    poses = np.array(poses, float).reshape(-1, 7)
    return np.concatenate([poses[:, :3], poses[:, 6:], poses[:, 3:6]], axis=1)


def compare(builder: ModelBuilder, m: mujoco.MjModel) -> None:
    """Compare everything."""
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    compare_bodies(builder, m, d)
    compare_joints(builder, m, d)
    compare_shapes(builder, m, d)
    compare_tendons(builder, m)
    compare_actuators(builder, m)
    compare_contacts(builder, m)
    compare_options(builder, m)
    compare_keys(builder, m)


def real_bodies(builder: ModelBuilder) -> np.ndarray:
    """Builder indices of bodies that MuJoCo has too."""
    return np.flatnonzero(column(builder, "mujoco:virtual_link") == 0)


def compare_bodies(builder: ModelBuilder, m: mujoco.MjModel, d: mujoco.MjData) -> None:
    rows = real_bodies(builder)
    assert len(rows) == m.nbody - 1
    for row, label in zip(rows, (m.body(i).name for i in range(1, m.nbody))):
        assert not label or builder.body_label[row] == label
    close(column(builder, "body_mass")[rows], m.body_mass[1:], "body_mass")
    close(column(builder, "body_com").reshape(-1, 3)[rows], m.body_ipos[1:], "body_ipos")
    close(column(builder, "mujoco:inertial_diag")[rows], m.body_inertia[1:], "body_inertia")
    close_quat(column(builder, "mujoco:inertial_quat")[rows], m.body_iquat[1:], "body_iquat")
    close(column(builder, "mujoco:gravcomp")[rows], m.body_gravcomp[1:], "body_gravcomp")
    assert (column(builder, "mujoco:mocap")[rows] == (m.body_mocapid[1:] >= 0)).all()
    poses = w_first(column(builder, "body_q"))[rows]
    close(poses[:, :3], d.xpos[1:], "xpos")
    close_quat(poses[:, 3:], d.xquat[1:], "xquat")


def compare_joints(builder: ModelBuilder, m: mujoco.MjModel, d: mujoco.MjData) -> None:
    assert builder.joint_dof_count == m.nv
    close(column(builder, "joint_armature"), m.dof_armature, "armature")
    auto = np.all(column(builder, "mujoco:joint_springdamper") > 0, axis=1)
    close(np.where(auto, m.dof_damping, column(builder, "joint_damping")), m.dof_damping, "damping")
    close(column(builder, "joint_friction"), m.dof_frictionloss, "frictionloss")
    close(column(builder, "mujoco:solreffriction"), m.dof_solref, "dof_solref")
    close(column(builder, "mujoco:solimpfriction"), m.dof_solimp, "dof_solimp")
    close(column(builder, "mujoco:joint_dampingpoly"), m.dof_dampingpoly, "dampingpoly")
    joint = m.dof_jntid
    named = ((column(builder, "mujoco:joint_dof_label")[i], m.joint(joint[i]).name) for i in range(m.nv))
    assert all(not theirs or ours == theirs for ours, theirs in named)
    stiffness = m.jnt_stiffness[joint]
    close(np.where(auto, stiffness, column(builder, "joint_stiffness")), stiffness, "stiffness")
    close(column(builder, "mujoco:limit_margin"), m.jnt_margin[joint], "margin")
    close(column(builder, "mujoco:solreflimit"), m.jnt_solref[joint], "jnt_solref")
    close(column(builder, "mujoco:solimplimit"), m.jnt_solimp[joint], "jnt_solimp")
    close(column(builder, "mujoco:joint_range"), m.jnt_range[joint], "jnt_range")
    close(column(builder, "mujoco:joint_actfrcrange"), m.jnt_actfrcrange[joint], "actfrcrange")
    assert (column(builder, "mujoco:joint_actfrclimited") == m.jnt_actfrclimited[joint]).all()
    scalar = np.flatnonzero(m.jnt_type[joint] >= 2)
    ref, lower, upper = (column(builder, n) for n in ("mujoco:dof_ref", "joint_limit_lower", "joint_limit_upper"))
    close(ref[scalar], m.qpos0[m.jnt_qposadr[joint[scalar]]], "ref")
    rest = [q for k, q in enumerate(builder.joint_rest_q) if k in scalar_coords(builder)]
    close(np.array(rest) + ref[scalar], m.qpos_spring[m.jnt_qposadr[joint[scalar]]], "springref")
    limited = scalar[m.jnt_limited[joint[scalar]].astype(bool)]
    close(np.stack([lower + ref, upper + ref], 1)[limited], m.jnt_range[joint[limited]], "limits")
    free = np.setdiff1d(scalar, limited)
    assert (lower[free] == -1e10).all() and (upper[free] == 1e10).all()
    compare_axes(builder, m, d)


def scalar_coords(builder: ModelBuilder) -> set[int]:
    """Coordinates that are a single number of a hinge or slide."""
    result: set[int] = set()
    ends = [*builder.joint_q_start[1:], builder.joint_coord_count]
    for kind, start, end in zip(builder.joint_type, builder.joint_q_start, ends):
        if kind in (0, 1, 6):
            result.update(range(start, end))
    return result


def compare_axes(builder: ModelBuilder, m: mujoco.MjModel, d: mujoco.MjData) -> None:
    """Compare anchors and axes in the world at the reference configuration."""
    bodies, parents, children = w_first(builder.body_q), w_first(builder.joint_X_p), w_first(builder.joint_X_c)
    anchors = column(builder, "mujoco:joint_anchor")
    for joint in range(builder.joint_count):
        parent, child = builder.joint_parent[joint], builder.joint_child[joint]
        if builder.joint_type[joint] == 4:
            continue
        start = builder.joint_qd_start[joint]
        base = bodies[parent] if parent >= 0 else np.array([0, 0, 0, 1.0, 0, 0, 0])
        frame = compose(base, parents[joint])
        other = compose(bodies[child], children[joint])
        close(frame[:3], other[:3], "joint frames meet")
        close_quat(frame[3:], other[3:], "joint frames meet")
        for dof in range(start, start + sum(builder.joint_dof_dim[joint])):
            theirs = m.dof_jntid[dof]
            own = anchors[dof]
            point = other if np.isnan(own).any() else compose(bodies[child], np.array([*own, 1.0, 0, 0, 0]))
            close(point[:3], d.xanchor[theirs], "xanchor")
            if m.jnt_type[theirs] >= 2:
                axis = np.zeros(3)
                mujoco.mju_rotVecQuat(axis, np.array(builder.joint_axis[dof], float), frame[3:])
                close(axis, d.xaxis[theirs], "xaxis")


def compare_shapes(builder: ModelBuilder, m: mujoco.MjModel, d: mujoco.MjData) -> None:
    flags = column(builder, "shape_flags")
    geoms, sites = np.flatnonzero(~flags & ShapeFlags.SITE), np.flatnonzero(flags & ShapeFlags.SITE)
    assert len(geoms) == m.ngeom and len(sites) == m.nsite
    types = column(builder, "shape_type")
    kinds = {GeoType.PLANE: 0, GeoType.SPHERE: 2, GeoType.CAPSULE: 3, GeoType.ELLIPSOID: 4, GeoType.CYLINDER: 5}
    kinds |= {GeoType.BOX: 6, GeoType.MESH: 7, GeoType.HFIELD: 1}
    assert [kinds[types[i]] for i in geoms] == m.geom_type.tolist()
    scale = column(builder, "shape_scale").reshape(-1, 3)
    for shape, size, kind in zip(geoms, m.geom_size, m.geom_type):
        if kind == 0:
            grid = column(builder, "mujoco:plane_grid")[shape]
            close([scale[shape][0] / 2, scale[shape][1] / 2, grid], size, "plane size")
        elif kind == 1:
            source, base = builder.shape_source[shape], column(builder, "mujoco:hfield_base")[shape]
            close([source.hx, source.hy, 0.25 * (source.max_z - source.min_z) + 0.5 * base], size, "hfield size")
        elif kind != 7:
            used = {2: 1, 3: 2, 4: 3, 5: 2, 6: 3}[kind]
            close(scale[shape][:used], size[:used], "geom_size")
    poses, rotations = world_poses(builder, geoms)
    close(poses, d.geom_xpos, "geom_xpos")
    for ours, theirs in zip(rotations, d.geom_xmat):
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, theirs)
        close_quat(ours, quat, "geom_xmat", 1e-5)
    for name, field in (
        ("contype", "contype"),
        ("conaffinity", "conaffinity"),
        ("condim", "condim"),
        ("geom_group", "group"),
        ("geom_priority", "priority"),
        ("geom_solimp", "solimp"),
        ("geom_solmix", "solmix"),
        ("solref", "solref"),
    ):
        close(column(builder, f"mujoco:{name}")[geoms], getattr(m, f"geom_{field}"), field)
    friction = [column(builder, f"shape_material_mu{part}")[geoms] for part in ("", "_torsional", "_rolling")]
    close(np.stack(friction, 1), m.geom_friction, "geom_friction")
    close(column(builder, "shape_margin")[geoms], m.geom_margin, "geom_margin")
    close(column(builder, "shape_gap")[geoms], m.geom_gap, "geom_gap")
    places, _ = world_poses(builder, sites)
    close(places, d.site_xpos, "site_xpos")
    close(column(builder, "mujoco:geom_group")[sites], m.site_group, "site_group")


def world_poses(builder: ModelBuilder, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World positions and quaternions of shapes, meshes at their own centre."""
    bodies, local = w_first(builder.body_q), w_first(builder.shape_transform)
    centres, turns = column(builder, "mujoco:mesh_pos"), column(builder, "mujoco:mesh_quat")
    positions, rotations = np.zeros((len(shapes), 3)), np.zeros((len(shapes), 4))
    for i, shape in enumerate(shapes):
        body = builder.shape_body[shape]
        pose = compose(bodies[body], local[shape]) if body >= 0 else local[shape]
        if not np.isnan(centres[shape]).any():
            pose = compose(pose, np.concatenate([centres[shape], turns[shape]]))
        positions[i], rotations[i] = pose[:3], pose[3:]
    return positions, rotations


def compare_actuators(builder: ModelBuilder, m: mujoco.MjModel) -> None:
    assert builder._custom_frequency_counts["mujoco:actuator"] == m.nu
    for name in [
        "dyntype",
        "gaintype",
        "biastype",
        "dynprm",
        "gainprm",
        "biasprm",
        "ctrllimited",
        "ctrlrange",
        "forcelimited",
        "forcerange",
        "actlimited",
        "actrange",
        "gear",
        "damping",
        "armature",
        "group",
        "lengthrange",
    ]:
        theirs = getattr(m, f"actuator_{name}")
        ours = column(builder, f"mujoco:actuator_{name}")
        if name == "biasprm":
            # A damping ratio is still positive here; conversion turns it into a damping.
            ours[:, 2] = np.where(ours[:, 2] > 0, theirs[:, 2], ours[:, 2])
        close(ours.reshape(theirs.shape), theirs, f"actuator_{name}")
    kinds, targets = column(builder, "mujoco:actuator_trntype"), column(builder, "mujoco:actuator_trnid")
    for i in range(m.nu):
        name = m.actuator(i).name
        assert not name or column(builder, "mujoco:actuator_label")[i] == name
        assert kinds[i] == TRANSMISSION[m.actuator_trntype[i]]
        if kinds[i] <= 1:
            assert targets[i][0] == m.jnt_dofadr[m.actuator_trnid[i, 0]]


def compare_tendons(builder: ModelBuilder, m: mujoco.MjModel) -> None:
    """Compare fixed tendons; a model with others is not compared."""
    if any(kind != mujoco.mjtWrap.mjWRAP_JOINT for kind in m.wrap_type):
        return
    assert builder._custom_frequency_counts["mujoco:tendon"] == m.ntendon
    for ours, theirs in (
        *((n, n) for n in ["limited", "range", "margin", "stiffness", "damping", "frictionloss", "armature"]),
        *(("solref_limit", "solref_lim"), ("solimp_limit", "solimp_lim"), ("solref_friction", "solref_fri")),
        *(("solimp_friction", "solimp_fri"), ("actuator_force_range", "actfrcrange")),
        *(("actuator_force_limited", "actfrclimited"), ("joint_adr", "adr"), ("joint_num", "num")),
    ):
        close(column(builder, f"mujoco:tendon_{ours}"), getattr(m, f"tendon_{theirs}"), f"tendon_{ours}")
    dofs = column(builder, "mujoco:tendon_joint_dof")
    assert [m.dof_jntid[dof] for dof in dofs] == m.wrap_objid.tolist()
    close(column(builder, "mujoco:tendon_coef"), m.wrap_prm, "tendon_coef")
    joints = column(builder, "mujoco:tendon_joint")
    assert all(builder.joint_qd_start[j] <= dof for j, dof in zip(joints, dofs))


def compare_contacts(builder: ModelBuilder, m: mujoco.MjModel) -> None:
    bodies = {-1: 0} | {int(row): k + 1 for k, row in enumerate(real_bodies(builder))}
    first, second = (column(builder, f"mujoco:exclude_body{k}") for k in (1, 2))
    ours = sorted(tuple(sorted((bodies[int(a)], bodies[int(b)]))) for a, b in zip(first, second))
    assert ours == sorted(tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in m.exclude_signature)
    assert builder._custom_frequency_counts["mujoco:pair"] == m.npair
    geoms = np.flatnonzero(~column(builder, "shape_flags") & ShapeFlags.SITE)
    order = {int(shape): k for k, shape in enumerate(geoms)}
    pairs = [(order[int(a)], order[int(b)]) for a, b in zip(*(column(builder, f"mujoco:pair_geom{k}") for k in (1, 2)))]
    # MuJoCo sorts pairs by their signature of bodies, so match them by geoms.
    for i, (a, b) in enumerate(zip(m.pair_geom1.tolist(), m.pair_geom2.tolist())):
        row = next(k for k, pair in enumerate(pairs) if set(pair) == {a, b})
        pairs[row] = (-1, -1)
        for name, field in (("condim", "dim"), *((n, n) for n in ["friction", "solref", "solreffriction", "solimp", "margin", "gap"])):
            close(column(builder, f"mujoco:pair_{name}")[row], getattr(m, f"pair_{field}")[i], f"pair_{name}")


def compare_options(builder: ModelBuilder, m: mujoco.MjModel) -> None:
    close(builder.gravity, m.opt.gravity, "gravity")
    for name in OPTIONS:
        close(column(builder, f"mujoco:{name}")[0], getattr(m.opt, name), name)
    for name, bit in DISABLE.items():
        assert column(builder, f"mujoco:flag_{name}")[0] == (not m.opt.disableflags & bit), name
    for name, bit in ENABLE.items():
        key = "mujoco:enable_sleeping" if name == "sleep" else f"mujoco:flag_{name}"
        assert column(builder, key)[0] == bool(m.opt.enableflags & bit), name


def compare_keys(builder: ModelBuilder, m: mujoco.MjModel) -> None:
    assert builder._custom_frequency_counts["mujoco:keyframe"] == m.nkey
    pool = column(builder, "mujoco:key_value")
    qpos0 = m.qpos0
    for i in range(m.nkey):
        assert column(builder, "mujoco:key_label")[i] == m.key(i).name
        close(column(builder, "mujoco:key_time")[i], m.key_time[i], "key_time")
        for part, default in (("qpos", qpos0), ("qvel", 0), ("act", 0), ("ctrl", 0)):
            start, count = (int(column(builder, f"mujoco:key_{part}_{end}")[i]) for end in ("adr", "num"))
            theirs = getattr(m, f"key_{part}")[i]
            close(pool[start : start + count] if count else theirs * 0 + default, theirs, f"key_{part}")
