"""add_usd: the steps from a stage to rows in a ModelBuilder.

Everything is read and checked before the builder is touched, so an error leaves it as it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.errors import ImporterError, UnsupportedError, problem
from newtonish.importers import frames
from newtonish.importers.diagnostics import Diagnostics
from newtonish.importers.mjcf.actuators import read_actuators
from newtonish.importers.mjcf.cameras import CameraReader
from newtonish.importers.mjcf.contacts import read_excludes
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.equalities import read_equalities
from newtonish.importers.mjcf.keyframes import read_keyframes
from newtonish.importers.mjcf.load import Contents, base_pose, write_contents
from newtonish.importers.mjcf.options import read_options, write_options
from newtonish.importers.mjcf.report import report_kept
from newtonish.importers.mjcf.roots import axis_rotation
from newtonish.importers.mjcf.shapes import Shapes
from newtonish.importers.mjcf.tendons import read_tendons
from newtonish.importers.usd import relations
from newtonish.importers.usd.bodies import BodyReader, Wishes
from newtonish.importers.usd.contacts import Filters, read_filters
from newtonish.importers.usd.dialects import Resolver, parse_order
from newtonish.importers.usd.distances import distance_tendons
from newtonish.importers.usd.document import element
from newtonish.importers.usd.emit import body_row, write_extras, write_loops
from newtonish.importers.usd.mass import WeighingGeoms, WeighingTree
from newtonish.importers.usd.materials import Materials
from newtonish.importers.usd.motion import MotionReader
from newtonish.importers.usd.runtime import open_stage
from newtonish.importers.usd.scene import Scene, read_scene
from newtonish.importers.usd.shapes import ShapeReader
from newtonish.importers.usd.source import Source
from newtonish.model.enums import Axis
from newtonish.model.transforms import as_transform

__all__ = ["add_usd"]

NOT_READ = {"Camera": "cameras are not read", "NewtonActuator": "actuators of Newton's are not read; use DriveAPI or MjcActuator"}
"""Types of prims that are left out by name; lights besides."""


@dataclass
class _Stage:
    """Everything a stage says, resolved."""

    source: Source
    resolver: Resolver
    scene: Scene
    bodies: BodyReader
    shapes: ShapeReader
    filters: Filters
    contents: Contents


def add_usd(
    builder: Any,
    source: Any,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict | None = None,
    parent_body: int = -1,
    only_load_enabled_rigid_bodies: bool = False,
    only_load_enabled_joints: bool = True,
    joint_drive_gains_scaling: float = 1.0,
    verbose: bool = False,
    ignore_paths: Sequence[str] | None = None,
    collapse_fixed_joints: bool = False,
    enable_self_collisions: bool = True,
    apply_up_axis_from_stage: bool = False,
    root_path: str = "/",
    joint_ordering: str | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    skip_mesh_approximation: bool = False,
    load_sites: bool = True,
    load_visual_shapes: bool = True,
    load_static_visual_shapes: bool = True,
    hide_collision_shapes: bool = False,
    force_show_colliders: bool = False,
    parse_mujoco_options: bool = True,
    mesh_maxhullvert: int | None = None,
    schema_resolvers: Sequence[Any] | None = None,
    force_position_velocity_actuation: bool = False,
    convert_mjc_equality_constraints: bool = True,
    override_root_xform: bool = False,
    legacy_margin_gap: bool = False,
    return_deformable_results: bool = False,
    allow_unsafe_torch_checkpoints: bool = False,
) -> dict[str, Any]:
    """Add what a USD stage describes to a builder, in SI units and with the builder's up axis.

    Args:
        builder: A ``ModelBuilder``; the ``mujoco`` namespace is registered on it.
        source: Path of a file, or an open ``Usd.Stage``.
        xform: Pose of the stage, in the world or in ``parent_body`` (position, quaternion x, y, z, w).
        floating: Whether bodies that no joint holds float; None: they do.
        parent_body: Body that the stage's world becomes part of; -1 for the world.
        only_load_enabled_rigid_bodies: Leave out bodies that are disabled with their shapes, which do not move otherwise.
        joint_drive_gains_scaling: Factor on stiffness and damping of drives.
        verbose: Print the import report.
        ignore_paths: Regular expressions; prims whose path starts with a match are left out with all below them.
        collapse_fixed_joints: Merge all bodies of the builder that fixed joints connect.
        enable_self_collisions: Whether bodies of one articulation collide where the stage does not say.
        apply_up_axis_from_stage: Give the builder the stage's up axis instead of turning the stage.
        root_path: Read only this prim and what is below it.
        skip_mesh_approximation: Keep meshes where ``physics:approximation`` asks for a box or a sphere.
        load_sites: Add sites.
        load_visual_shapes: Add shapes that collide with nothing.
        load_static_visual_shapes: Add those of them that stand in no body.
        parse_mujoco_options: Take over gravity, options and flags of the physics scene.
        mesh_maxhullvert: Most vertices of the convex hulls of meshes; None: what the stage says of each.
        schema_resolvers: Dialects in order of priority, by name (``mjc``, ``newton``, ``physx``) or as Newton's objects; None:
            these three in this order. What belongs to none of them is always UsdPhysics.
        force_position_velocity_actuation: Drives with both gains have an actuator for each.
        convert_mjc_equality_constraints: Without effect: equality constraints stay rows of the namespace.

    The other arguments are Newton's; a value other than the default raises UnsupportedError.

    Returns:
        ``report`` (the last of ``builder.import_reports``), ``path_body_map``, ``path_joint_map``, ``path_shape_map`` (row by
        path of the prim; a body of the world is -1), ``linear_unit`` [m], ``mass_unit`` [kg], ``up_axis``, ``physics_dt`` [s,
        None if not authored], ``max_solver_iterations`` (None if not authored), ``schema_resolvers``.

    Raises:
        ImporterError: With everything that is wrong with the stage, each with prim, attribute, value and remedy.
        UnsupportedError: For an argument that is not supported, and where ``usd-core`` is not installed.
    """
    _refuse(
        base_joint=(base_joint, None), only_load_enabled_joints=(only_load_enabled_joints, True),
        joint_ordering=(joint_ordering, "dfs"), bodies_follow_joint_ordering=(bodies_follow_joint_ordering, True),
        hide_collision_shapes=(hide_collision_shapes, False), force_show_colliders=(force_show_colliders, False),
        override_root_xform=(override_root_xform, False), legacy_margin_gap=(legacy_margin_gap, False),
        return_deformable_results=(return_deformable_results, False),
        allow_unsafe_torch_checkpoints=(allow_unsafe_torch_checkpoints, False),
    )  # fmt: skip
    order = parse_order(schema_resolvers)
    opened, name = open_stage(source)
    log = Diagnostics(name)
    reader = Source(opened, log, root_path, _patterns(ignore_paths))
    resolver = Resolver(reader, order)
    wishes = Wishes(floating, load_static_visual_shapes, only_load_enabled_rigid_bodies)
    stage = _read(reader, resolver, wishes, skip_mesh_approximation, joint_drive_gains_scaling, force_position_velocity_actuation, enable_self_collisions)
    _note_left_out(reader)
    log.check()
    up = Axis.from_any(reader.up)
    turn = frames.IDENTITY if apply_up_axis_from_stage else axis_rotation(up, builder.up_axis)
    own = as_transform(xform, "add_usd, xform")
    given = np.concatenate([own[:3], np.roll(frames.multiply(np.roll(own[3:], 1), turn), -1)])
    base = base_pose(builder, given, parent_body, "add_usd")
    shapes = Shapes(builder, load_sites, load_visual_shapes, True, False, mesh_maxhullvert)
    if apply_up_axis_from_stage:
        builder.up_axis = up
    joints = _write(builder, stage, shapes, base, parent_body)
    if parse_mujoco_options:
        options = stage.contents.options | {"gravity": stage.scene.gravity.tolist()}
        authored = options if stage.scene.mujoco else {key: options[key] for key in {"gravity", *stage.scene.authored}}
        write_options(builder, authored, turn)
    report_kept(stage.contents, shapes, log)
    if joints:
        log.kept("loop-closing joints", str(joints))
    reader.report_unread()
    builder.import_reports.append(log.report)
    log.warn(stacklevel=3)
    result = _result(builder, stage, log)
    if collapse_fixed_joints:
        result["collapse_results"] = _collapse(builder, verbose, result)
    if verbose:
        print(log.report)
    return result


def _refuse(**arguments: tuple[Any, Any]) -> None:
    """Raise for arguments of Newton's that have no meaning here."""
    for name, (value, default) in arguments.items():
        if value != default:
            raise UnsupportedError(problem(f"add_usd, {name}", repr(value), repr(default), "leave it at its default, or edit the stage"))


def _patterns(texts: Sequence[str] | None) -> list[str]:
    """Check regular expressions of the caller's."""
    for text in texts or ():
        try:
            re.compile(text)
        except re.error as error:
            raise ImporterError(problem("add_usd, ignore_paths", f"'{text}' ({error})", "regular expressions", "correct it")) from None
    return list(texts or ())


def _read(
    source: Source, resolver: Resolver, wishes: Wishes, keep_meshes: bool, gain_scale: float, both_modes: bool, self_collisions: bool
) -> _Stage:
    """Read a stage into elements, and resolve these as those of an MJCF file are."""
    log = source.log
    scene = read_scene(source, resolver)
    settings = scene.settings
    shapes = ShapeReader(source, resolver, Materials(source, resolver), keep_meshes)
    motion = MotionReader(source, resolver, scene.degree, gain_scale, both_modes)
    bodies = BodyReader(source, resolver, shapes, motion, wishes)
    root = element("mujoco", "/")
    root.children = [scene.option, bodies.read()]
    filters = read_filters(source, resolver, bodies, self_collisions)
    root.children.append(filters.section())
    tendons = relations.read_tendons(source) if resolver.mjc else element("tendon", "/")
    distance_tendons(bodies, root.children[1], tendons)
    root.children += [tendons, relations.read_equalities(source, resolver, bodies)]
    if resolver.mjc:
        root.children += [relations.read_actuators(source, bodies), relations.read_keyframes(source)]
    defaults = Defaults(root, log)
    geoms = WeighingGeoms(settings, defaults, shapes.meshes, {}, {}, log)
    trees = WeighingTree(settings, defaults, geoms, CameraReader(settings, defaults, log), log)
    geoms.own = trees.own = bodies.masses
    tree = trees.read(root)
    options = read_options(root, settings, log)
    found = read_tendons(root, tree, settings, defaults, log)
    actuators = read_actuators(root, tree, settings, defaults, log)
    excludes = read_excludes(root, tree, log)
    equalities = read_equalities(root, tree, defaults, log, False)
    keys = read_keyframes(root, tree, actuators, log)
    contents = Contents("", tree, found, options, actuators, [], excludes, equalities, [], keys, [])
    return _Stage(source, resolver, scene, bodies, shapes, filters, contents)


def _write(builder: Any, stage: _Stage, shapes: Shapes, base: tuple[np.ndarray, np.ndarray], parent: int) -> int:
    """Write everything; returns the number of closing joints."""
    tree = stage.contents.tree
    write_contents(builder, stage.contents, shapes, base, parent, stage.source.log)
    write_extras(builder, tree, stage.bodies, stage.shapes, stage.filters, base)
    local = base if parent < 0 else (np.zeros(3), frames.IDENTITY.copy())
    return write_loops(builder, tree, stage.bodies, local)


def _note_left_out(source: Source) -> None:
    """List prims of types that are not read."""
    for prim in source.prims:
        kind = str(prim.GetTypeName())
        if kind in NOT_READ:
            source.log.ignored(kind, source.place(prim), str(prim.GetPath()), NOT_READ[kind])
        elif kind.endswith("Light") or kind in ("BasisCurves", "Points", "PointInstancer", "NurbsPatch", "TetMesh"):
            physical = kind in ("PointInstancer", "TetMesh")
            source.log.ignored(kind, source.place(prim), str(prim.GetPath()), f"a {kind} is not read", warn=physical)


def _result(builder: Any, stage: _Stage, log: Diagnostics) -> dict[str, Any]:
    """What add_usd returns."""
    tree, source, values = stage.contents.tree, stage.source, stage.scene.option.values
    labels = {label: row for row, label in enumerate(builder.joint_label)}
    return {
        "report": log.report,
        "path_body_map": {path: body_row(tree, stage.bodies, path) for path in stage.bodies.poses},
        "path_joint_map": {joint.path: labels[joint.path] for joint in stage.bodies.joints if joint.path in labels},
        "path_shape_map": {name: item.index for (kind, name), item in tree.names.items() if kind in ("geom", "site") and item.index >= 0},
        "linear_unit": source.length,
        "mass_unit": source.mass,
        "up_axis": source.up,
        "physics_dt": values.get("timestep"),
        "max_solver_iterations": values.get("iterations"),
        "schema_resolvers": stage.resolver.order,
    }


def _collapse(builder: Any, verbose: bool, result: dict[str, Any]) -> dict[str, Any]:
    """Merge fixed bodies, and renumber the maps."""
    found = builder.collapse_fixed_joints(verbose)
    for name, moved in (("path_body_map", found["body_remap"]), ("path_joint_map", found["joint_remap"])):
        result[name] = {path: moved[row] for path, row in result[name].items() if row in moved}
    return found
