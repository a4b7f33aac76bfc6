"""Conversion of a Newton model into MuJoCo's compiled arrays: pure numpy in float64, one file an entity.

:func:`convert` is the list of steps. A step returns a table: arrays under mjModel's names, structure as it is and
floats with a leading axis of distinct worlds (see ``worlds``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.convert import gains
from newtonish.convert.actuators import (
    actuator_tables,
    apply_damping_ratio,
    joint_actuators,
    list_actuators,
    tendon_actuators,
)
from newtonish.convert.bodies import body_frames, body_inertias, build_tree, static_tables
from newtonish.convert.cameras import camera_tables, light_tables, list_cameras
from newtonish.convert.collision_rules import collision_rules
from newtonish.convert.compiled import CompiledModel
from newtonish.convert.convexity import note_hulls
from newtonish.convert.custom import custom_tables
from newtonish.convert.equalities import active_by_world, equality_tables, list_equalities
from newtonish.convert.finish import assemble, authored_statistics, derive
from newtonish.convert.geoms import (
    body_contact_tables,
    check_planes,
    gain_tables,
    geom_tables,
    list_shapes,
    site_tables,
)
from newtonish.convert.hfields import HeightfieldSet
from newtonish.convert.joints import JointTable, joint_names, joint_tables, list_joints
from newtonish.convert.kept import Kept, keeps_pictures, picture_tables, user_tables
from newtonish.convert.keyframes import keyframe_tables
from newtonish.convert.maps import IndexMaps, build_maps
from newtonish.convert.meshes import MeshSet
from newtonish.convert.options import resolve_options
from newtonish.convert.pairs import exclude_signatures, pair_tables
from newtonish.convert.past import history_tables, plastic_tables
from newtonish.convert.sensors import Objects, list_sensors, sensor_tables
from newtonish.convert.source import Source
from newtonish.convert.sparsity import sparsity
from newtonish.convert.springdamper import apply_springdamper
from newtonish.convert.tendons import jacobian_weights, list_tendons, tendon_tables, tendon_trees
from newtonish.convert.tendons import limit_solref as tendon_limit_solref
from newtonish.convert.trees import frame_flags, simple_bodies, tree_tables
from newtonish.convert.unused import warn_of_unused
from newtonish.convert.worlds import Worlds, split_worlds

__all__ = ["CompiledModel", "IndexMaps", "convert"]


def convert(model: Any, *, options: dict[str, Any] | None = None) -> CompiledModel:
    """Compile a Newton model for MuJoCo's physics.

    Args:
        model: A ``newtonish.Model``, or any object with Newton's public model attributes.
        options: Solver options that override those of ``model.mujoco``, by SolverMuJoCo's argument names; also
            ``include_sites`` (default true) and ``skip_visual_only_geoms`` (default false).

    Raises:
        ModelError: The worlds differ in structure, or something is inconsistent.
        UnsupportedError: The model has joints that MuJoCo has no counterpart for.
    """
    source = Source(model)
    opt, batched_opt = resolve_options(source, options)
    worlds = split_worlds(source)
    tree = build_tree(worlds)
    warn_of_unused(source, worlds.index["joint"][:, tree.loops])
    joints = list_joints(worlds, tree)
    shapes = list_shapes(worlds, tree, options or {})
    rules = collision_rules(worlds, shapes.geom, shapes.geom_body)
    tendons = list_tendons(worlds, joints, shapes)
    actuators = list_actuators(worlds, joints, tree, shapes, tendons)
    equalities = list_equalities(worlds, tree, joints, shapes, tendons)
    meshes, hfields = MeshSet(), HeightfieldSet(len(worlds.distinct))
    t = body_frames(worlds, tree)
    t |= body_inertias(worlds, tree)
    t |= joint_tables(worlds, tree, joints, t)
    t |= static_tables(tree, t["body_dofnum"])
    t |= geom_tables(worlds, shapes, rules, meshes, hfields)
    check_planes(worlds, shapes, t["geom_type"], t["body_dofnum"][t["body_weldid"]] > 0)
    note_hulls(worlds, shapes, rules, t["geom_type"], t["_geom_dataid"], meshes)
    t |= site_tables(worlds, shapes, meshes)
    t |= body_contact_tables(tree.nbody, t)
    t |= pair_tables(worlds, shapes)
    t |= exclude_signatures(worlds, tree)
    t |= actuator_tables(worlds, joints, actuators)
    t |= joint_actuators(t)
    t |= frame_flags(t)
    t |= tree_tables(t, _sleep_policy(worlds, tree.body))
    t |= tendon_tables(worlds, tendons, t)
    t |= simple_bodies(t)
    t |= equality_tables(worlds, equalities, t)
    t |= tendon_trees(t) | tendon_actuators(t)
    cameras = list_cameras(worlds, tree)
    t |= camera_tables(worlds, tree, cameras, t)
    lights = list_cameras(worlds, tree, "light")
    t |= light_tables(worlds, tree, lights, t)
    objects = Objects(tree, joints, shapes, actuators, tendons, cameras)
    sensors = list_sensors(worlds, objects)
    t |= sensor_tables(worlds, sensors, t["_geom_dataid"])
    t |= (history := history_tables(t))[0]
    t |= (plastic := plastic_tables(t))[0]
    names = joint_names(worlds, joints)
    t |= (derived := derive(t, lambda dof: f"joint '{names[int(t['dof_jntid'][dof])]}'"))[0]
    t |= apply_damping_ratio(t)
    t |= apply_springdamper(worlds, joints, t)
    limits = _limit_solref(worlds, joints, t)
    t |= {"jnt_solref": limits[0], "tendon_solref_lim": tendon_limit_solref(worlds, tendons, t)}
    t |= (kept := picture_tables(worlds, shapes, tendons, cameras, lights, t))[0]
    t |= (own := user_tables(worlds, tree.body, joints, shapes, cameras, tendons, actuators, sensors))[0]
    t |= meshes.tables() | hfields.tables() | (custom := custom_tables(worlds, objects, sensors))[0]
    t |= (keys := keyframe_tables(worlds, t, int(t["actuator_actnum"].sum()), int(t["actuator_ctrlnum"].sum()), plastic[1]["nplastic"]))[0]
    sizes = {**sparsity(t), **meshes.sizes(), **hfields.sizes(), **history[1], **plastic[1], **custom[1], **kept[1], **own[1]}
    sizes["nuserdata"] = max(0, int(worlds.source.custom("nuserdata")[0]))
    compiled = assemble(worlds, t, sizes, joints.nq, len(keys[1]))
    compiled.opt, compiled.stat = opt, authored_statistics(source, derived[1])
    compiled.batched |= batched_opt
    compiled.geom_filter_pairs = rules.pairs
    compiled.mesh_maxhullvert = np.array([mesh.maxhullvert for mesh in meshes.meshes], dtype=np.int32)
    compiled.jnt_forced = limits[1].any(axis=0)
    for name, table in (gain_tables(worlds, shapes) | {"geom_dataid": t["_geom_dataid"]}).items():
        setattr(compiled, name, table[0])
        if np.any(table != table[:1]):
            compiled.batched[name] = table[worlds.inverse]
    compiled.maps = build_maps(worlds, tree, joints, shapes, actuators)
    compiled.maps.several_controls = bool(np.any(t["actuator_ctrlnum"] > 1))
    active = active_by_world(worlds, equalities)
    if np.any(active != active[:1]):
        compiled.batched["eq_active0"] = active
    if (samples := hfields.samples_by_world()) is not None:
        compiled.batched["hfield_data"] = samples[worlds.inverse]
    if (weights := jacobian_weights(compiled)) is not None:
        compiled.batched["tendon_coef"] = weights
    compiled.jnt_names, compiled.tendon_names, compiled.key_names = names, tendons.name, keys[1]
    compiled.eq_names, compiled.mesh_names = equalities.name, [mesh.name for mesh in meshes.meshes]
    compiled.sensor_names, compiled.cam_names, compiled.light_names = sensors.name, cameras.name, lights.name
    for kind, own in custom[2].items():
        setattr(compiled, f"{kind}_names", own)
    _name_others(compiled, source)
    if keeps_pictures(model):
        compiled.mat_names, compiled.tex_names = model.mujoco.mat_names, model.mujoco.tex_names
        compiled.kept = Kept(model, compiled.maps.mjc_body[0], [mesh.source for mesh in meshes.meshes])
    return compiled


def _sleep_policy(worlds: Worlds, links: np.ndarray) -> np.ndarray:
    """``mujoco:sleep_policy`` by MuJoCo body."""
    policy = worlds.template("body", worlds.source.custom("sleep_policy"))
    return np.append(np.zeros(1, dtype=np.int64), policy[links[1:]])


def _limit_solref(worlds: Worlds, joints: JointTable, t: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """``jnt_solref`` per distinct world, and whether it stands for force-space gains, which need ``dof_invweight0``."""
    source = worlds.source

    def pick(values: np.ndarray) -> np.ndarray:
        return worlds.pick("joint_dof", values)[:, joints.dof]

    gain = np.stack([pick(source.array("joint_limit_ke")), pick(source.array("joint_limit_kd"))], axis=-1)
    mode, baseline = pick(source.custom("solreflimit_mode")), pick(source.custom("solreflimit_gain_baseline"))
    mode = np.where(t["jnt_limited"] | (mode != gains.FORCE_SPACE), mode, gains.MJCF_DEFAULT)
    forced = t["jnt_limited"] & (gains.resolved_mode(mode, gain, baseline) == gains.FORCE_SPACE) & np.all(gain > 0.0, axis=-1)
    authored, invweight = pick(source.custom("solreflimit")), t["dof_invweight0"][:, joints.dofadr]
    return gains.limit_solref(mode, authored, gain, baseline, invweight, t["jnt_solimp"][..., 1]), forced


def _name_others(compiled: CompiledModel, source: Source) -> None:
    """Names of bodies, geoms, sites and actuators, from the template world's labels."""
    bodies, shapes = source.labels("body"), source.labels("shape")
    maps = compiled.maps
    compiled.body_names = ["world", *(bodies[i] for i in maps.mjc_body[0, 1:])]
    compiled.geom_names = [shapes[i] for i in maps.mjc_geom[0]]
    compiled.site_names = [shapes[i] for i in maps.mjc_site[0]]
    labels = source.custom("actuator_label")
    for kind, row, joint in zip(maps.actuator_source, maps.actuator_index[0], compiled.actuator_trnid[:, 0]):
        suffix = ("_position", "_velocity")[kind] if kind < 2 else ""
        compiled.actuator_names.append(compiled.jnt_names[joint] + suffix if suffix else str(labels[row]))
