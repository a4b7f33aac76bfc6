"""add_usd: the steps from a stage to rows in a ModelBuilder.

Everything is read and checked before the builder is touched, so an error leaves it as it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonish.errors import ImporterError, UnsupportedError, problem
from newtonish.importers import frames
from newtonish.importers.decomposition import check_threshold, cut_meshes
from newtonish.importers.mjcf.load import base_pose, write_contents
from newtonish.importers.mjcf.options import write_options
from newtonish.importers.mjcf.report import report_kept
from newtonish.importers.mjcf.roots import RootChanges, axis_rotation
from newtonish.importers.mjcf.shapes import Shapes
from newtonish.importers.usd.bodies import Wishes
from newtonish.importers.usd.dialects import Resolver, parse_order
from newtonish.importers.usd.emit import ColliderLooks, Frame, write_extras, write_loops
from newtonish.importers.usd.instancers import expand
from newtonish.importers.usd.read import StageContents, Ways, read_stage
from newtonish.importers.usd.report import StageLog, tally
from newtonish.importers.usd.results import collapse, made, note_left_out, result_of
from newtonish.importers.usd.roots import bodies_in_order, check_ordering, put_articulations_at_origin
from newtonish.importers.usd.runtime import check_composition, open_stage, readable
from newtonish.importers.usd.source import Source
from newtonish.model.enums import Axis
from newtonish.model.transforms import as_transform

__all__ = ["add_usd"]


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
    decompose: float | None = None,
    legacy_margin_gap: bool = False,
    return_deformable_results: bool = False,
    allow_unsafe_torch_checkpoints: bool = False,
) -> dict[str, Any]:
    """Add what a USD stage describes to a builder, in SI units and with the builder's up axis.

    Args:
        builder: A ``ModelBuilder``; the ``mujoco`` namespace is registered on it.
        source: Path of a file, or an open ``Usd.Stage``.
        xform: Pose of the stage, in the world or in ``parent_body`` (position, quaternion x, y, z, w).
        floating: True: bodies that no joint holds, and roots of articulations, float; False: they are fixed; None: the first float, or
            are fixed to ``parent_body``, and the others are held as the stage says.
        base_joint: Arguments of ``ModelBuilder.add_joint`` for a joint that takes the place of theirs; its axes are those of the world.
        parent_body: Body that the stage's world becomes part of; -1 for the world.
        only_load_enabled_rigid_bodies: Leave out bodies that are disabled with their shapes, which do not move otherwise.
        only_load_enabled_joints: Leave out joints that are disabled; False: they hold as others do.
        joint_drive_gains_scaling: Factor on stiffness and damping of drives.
        verbose: Print the import report.
        ignore_paths: Regular expressions; prims whose path starts with a match are left out with all below them.
        collapse_fixed_joints: Merge all bodies of the builder that fixed joints connect.
        enable_self_collisions: Whether bodies of one articulation collide where the stage does not say.
        apply_up_axis_from_stage: Give the builder the stage's up axis instead of turning the stage.
        root_path: Read only this prim and what is below it.
        joint_ordering: Order of joints in the model: depth first, breadth first, or None as on the stage.
        bodies_follow_joint_ordering: Bodies come in the order of joints; False: in that of the stage.
        skip_mesh_approximation: Keep meshes where ``physics:approximation`` asks for a box or a sphere.
        load_sites: Add sites.
        load_visual_shapes: Add shapes that collide with nothing.
        load_static_visual_shapes: Add those of them that stand in no body.
        hide_collision_shapes: Do not draw colliders of bodies that have other shapes to be seen.
        force_show_colliders: Draw colliders even where the stage has them invisible or as guides.
        parse_mujoco_options: Take over gravity, options and flags of the physics scene.
        mesh_maxhullvert: Most vertices of the convex hulls of meshes; None: what the stage says of each.
        schema_resolvers: Dialects in order of priority, by name (``mjc``, ``newton``, ``physx``) or as Newton's objects; None:
            these three in this order. What belongs to none of them is always UsdPhysics.
        force_position_velocity_actuation: Drives with both gains have an actuator for each.
        convert_mjc_equality_constraints: Newton's argument; either way equality constraints stay rows of the namespace, which is what False means there.

        decompose: Cut colliding meshes into convex parts (``ModelBuilder.approximate_meshes``), up to this concavity, but for those whose
            ``physics:approximation`` is ``convexHull``: 0.05 suits most, smaller numbers make more parts; None: they collide as their convex hulls.
        override_root_xform: ``xform`` takes the place of the poses of articulations' prims, and is not put before them.
        legacy_margin_gap: ``mjc:margin`` includes ``mjc:gap``, as MuJoCo had it up to version 3.8.

    The other arguments are Newton's, for deformables and neural actuators; a value other than the default raises UnsupportedError.

    Returns:
        ``report`` (the last of ``builder.import_reports``), ``path_body_map``, ``path_joint_map``, ``path_shape_map`` (row by
        path of the prim; a body of the world is -1), ``path_shape_scale``, ``linear_unit`` [m], ``mass_unit`` [kg], ``up_axis``,
        ``fps``, ``duration`` (time codes), ``physics_dt`` [s, None if not authored], ``max_solver_iterations`` (None if not
        authored), ``schema_resolvers``; ``collapse_results`` where fixed joints were collapsed.

    Raises:
        ImporterError: With everything that is wrong with the stage, each with prim, attribute, value and remedy.
        UnsupportedError: For an argument that is not supported, and where ``usd-core`` is not installed.
        ModelError: For arguments that do not fit together.
    """
    _refuse(
        return_deformable_results=(return_deformable_results, False),
        allow_unsafe_torch_checkpoints=(allow_unsafe_torch_checkpoints, False),
    )
    roots = RootChanges(floating, base_joint, override_root_xform)
    roots.check(parent_body, xform, "add_usd")
    check_threshold("add_usd", decompose)
    check_ordering(joint_ordering)
    order = parse_order(schema_resolvers)
    patterns = _patterns(ignore_paths)
    with readable(source):
        reader, log = _open(source, root_path, patterns)
        if override_root_xform:
            put_articulations_at_origin(reader)
    hangs = floating is not False and (parent_body < 0 or base_joint is not None)
    bodies = Wishes(hangs, load_static_visual_shapes, only_load_enabled_rigid_bodies, not only_load_enabled_joints)
    gains = joint_drive_gains_scaling, force_position_velocity_actuation
    ways = Ways(bodies, roots, skip_mesh_approximation, legacy_margin_gap, *gains, enable_self_collisions, decompose is not None)
    with readable(source):
        stage = read_stage(reader, Resolver(reader, order), ways)
        note_left_out(reader)
    log.check()
    up = Axis.from_any(reader.up)
    turn = frames.IDENTITY if apply_up_axis_from_stage else axis_rotation(up, builder.up_axis)
    base = _base(builder, xform, turn, parent_body)
    if apply_up_axis_from_stage:
        builder.up_axis = up
    first_shape = builder.shape_count
    shapes = Shapes(builder, load_sites, load_visual_shapes, True, False, mesh_maxhullvert)
    orders = bodies_in_order(reader, stage.bodies, joint_ordering, bodies_follow_joint_ordering)
    write_contents(builder, stage.contents, shapes, base, parent_body, log, orders)
    write_extras(builder, stage, base, ColliderLooks(hide_collision_shapes, force_show_colliders))
    loops = write_loops(builder, stage, base if parent_body < 0 else (np.zeros(3), frames.IDENTITY.copy()))
    if parse_mujoco_options:
        _write_options(builder, stage, turn)
    cut_meshes(builder, first_shape, decompose, log, _meant_as_hulls(stage))
    _report(builder, stage, shapes, loops, log)
    log.warn(stacklevel=3)
    result = result_of(builder, stage, log)
    if collapse_fixed_joints:
        result["collapse_results"] = collapse(builder, verbose, result)
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
    texts = [] if texts is None else list(texts)
    for text in texts:
        try:
            re.compile(text)
        except re.error as error:
            raise ImporterError(problem("add_usd, ignore_paths", f"'{text}' ({error})", "regular expressions", "correct it")) from None
    return texts


def _open(source: Any, root_path: str, patterns: list[str]) -> tuple[Source, StageLog]:
    """Open a stage for reading; its instancers become copies."""
    opened, name = open_stage(source)
    log = StageLog(name)
    view, copied = expand(opened, log, root_path, patterns)
    reader = Source(view, log, root_path, patterns, copied)
    check_composition(opened, reader.prims, log)
    return reader, log


def _base(builder: Any, xform: Any, turn: np.ndarray, parent_body: int) -> Frame:
    """Pose of the stage's world in the builder's world, turned by quaternion ``turn`` (w first)."""
    own = as_transform(xform, "add_usd, xform")
    given = np.concatenate([own[:3], np.roll(frames.multiply(np.roll(own[3:], 1), turn), -1)])
    return base_pose(builder, given, parent_body, "add_usd")


def _write_options(builder: Any, stage: StageContents, turn: np.ndarray) -> None:
    """Write gravity, and those options that the stage gives."""
    options = stage.contents.options | {"gravity": stage.scene.gravity.tolist()}
    authored = options if stage.scene.mujoco else {key: options[key] for key in {"gravity", *stage.scene.authored}}
    write_options(builder, authored, turn)


def _meant_as_hulls(stage: StageContents) -> list[int]:
    """Shapes of meshes that the stage says collide as their convex hulls."""
    return [item.index for (kind, path), item in stage.contents.tree.names.items() if kind == "geom" and path in stage.shapes.hulls]


def _report(builder: Any, stage: StageContents, shapes: Shapes, loops: int, log: StageLog) -> None:
    """Complete the import report and hand it to the builder."""
    report_kept(stage.contents, shapes, log)
    if loops:
        log.kept("loop-closing joints", str(loops))
    stage.source.report_unread({path for (path, name), fate in log.said.items() if not name and fate[0] == "ignored"})
    log.report.contents = tally(stage.source, made(builder, stage), log)
    builder.import_reports.append(log.report)
