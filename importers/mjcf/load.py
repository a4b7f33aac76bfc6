"""add_mjcf: the steps from a file or text to rows in a ModelBuilder.

Everything is read and checked before the builder is touched, so an error leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics, ImportReport
from newtonish.errors import ModelError, problem
from newtonish.importers import frames
from newtonish.importers.decomposition import check_threshold, cut_meshes
from newtonish.importers.mjcf.assets.looks import write_looks
from newtonish.importers.mjcf.assets.skins import write_skins
from newtonish.importers.mjcf.cameras import write_cameras
from newtonish.importers.mjcf.contents import Contents, ContentsReader, Ways
from newtonish.importers.mjcf.custom import write_custom
from newtonish.importers.mjcf.emit import Emitter, Orders, depth_first
from newtonish.importers.mjcf.equalities import write_equalities
from newtonish.importers.mjcf.lengths import Lengths
from newtonish.importers.mjcf.lights import write_lights
from newtonish.importers.mjcf.macros.copies import Model
from newtonish.importers.mjcf.options import write_options
from newtonish.importers.mjcf.report import report_kept
from newtonish.importers.mjcf.roles import Roles
from newtonish.importers.mjcf.roots import RootChanges, axis_rotation, collapse_massless_roots, filter_own_shapes
from newtonish.importers.mjcf.sensors import write_sensors
from newtonish.importers.mjcf.shapes import Shapes
from newtonish.importers.mjcf.sources import is_model, parse
from newtonish.importers.mjcf.tally import tally
from newtonish.importers.mjcf.tree import Body, Tree
from newtonish.importers.mjcf.user import write_user
from newtonish.mjcf.language.limits import Limits, within
from newtonish.model.enums import Axis
from newtonish.model.transforms import as_transform
from newtonish.namespaces import mujoco

__all__ = ["add_mjcf", "base_pose", "write_contents"]


def add_mjcf(
    builder: Any,
    source: Any,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict | None = None,
    parent_body: int = -1,
    armature_scale: float = 1.0,
    scale: float = 1.0,
    hide_visuals: bool = False,
    parse_visuals_as_colliders: bool = False,
    parse_meshes: bool = True,
    parse_sites: bool = True,
    parse_visuals: bool = True,
    parse_mujoco_options: bool = True,
    up_axis: Any = Axis.Z,
    ignore_names: Sequence[str] = (),
    ignore_classes: Sequence[str] = (),
    visual_classes: Sequence[str] = ("visual",),
    collider_classes: Sequence[str] = ("collision",),
    no_class_as_colliders: bool = True,
    force_show_colliders: bool = False,
    enable_self_collisions: bool = True,
    ignore_inertial_definitions: bool = False,
    collapse_fixed_joints: bool = False,
    collapse_massless_fixed_root: bool = False,
    verbose: bool = False,
    skip_equality_constraints: bool = False,
    convert_mjc_equality_constraints: bool = True,
    convert_3d_hinge_to_ball_joints: bool = False,
    mesh_maxhullvert: int | None = None,
    ctrl_direct: bool = False,
    path_resolver: Callable[[str | None, str], str] | None = None,
    override_root_xform: bool = False,
    legacy_margin_gap: bool = False,
    path_labels: bool = False,
    decompose: float | None = None,
    max_elements: int = Limits.elements,
    max_depth: int = Limits.depth,
    max_size: int = Limits.size,
) -> ImportReport:
    """Add what an MJCF file or text describes to a builder; MuJoCo's meaning is kept.

    Which geoms collide is decided by contype and conaffinity, as in MuJoCo, unless one of the arguments for classes is given.

    Args:
        builder: A ``ModelBuilder``; the ``mujoco`` namespace is registered on it.
        source: Path of a file, the XML text itself, or the root of an object model (``newtonish.mjcf``).
        xform: Pose of the file's world, in the world or in ``parent_body`` (position, quaternion x, y, z, w).
        floating: True: bodies that stand in the file's world are attached to free joints; False: they do not move; None: as the file says.
            With other joints than in the file its keyframes are left out, and what refers to joints that are gone is an error.
        base_joint: Arguments of ``ModelBuilder.add_joint`` for a joint that takes the place of theirs; its axes are those of ``xform``'s
            parent.
        parent_body: Body that the file's world becomes part of; -1 for the world.
        armature_scale: Factor on the armature of all joints.
        scale: Factor on all lengths. Masses, gains, forces and velocities keep their numbers; what a density weighs and moments of
            inertia follow the size. Ranges of position and velocity servos follow what they act on.
        hide_visuals: Do not draw geoms that collide with nothing.
        parse_visuals_as_colliders: Let geoms that are only drawn collide, and leave out those that collide; their mass counts.
        parse_meshes: Add geoms of type mesh and hfield; their mass counts in any case.
        mesh_maxhullvert: Most vertices of the convex hulls of meshes; None: what the file says of each.
        parse_sites: Add sites.
        parse_visuals: Add geoms that collide with nothing; their mass counts in any case.
        parse_mujoco_options: Take over ``option`` and ``flag``.
        up_axis: The axis that points up in the file; it is turned onto the builder's, with gravity, wind and magnetic flux.
        ignore_names: Regular expressions; elements whose name starts with a match are left out.
        ignore_classes: Regular expressions; geoms and sites whose class, and bodies whose ``childclass`` starts with a match are left out.
        visual_classes: Regular expressions; geoms whose own class starts with a match are only drawn.
        collider_classes: Regular expressions; geoms whose own class starts with a match collide as their masks say.
        no_class_as_colliders: Whether geoms of other classes, or of none, collide as their masks say; False: they are only drawn.
            These three count once one of them, or ``parse_visuals_as_colliders``, is not its default.
        force_show_colliders: Newton's argument; either way geoms that collide are drawn, and viewers choose by group.
        enable_self_collisions: Whether shapes of this file may collide with each other.
        ignore_inertial_definitions: Derive inertia from geoms even where it is written.
        collapse_fixed_joints: Merge all bodies of the builder that fixed joints connect (``builder.collapse_fixed_joints``).
        collapse_massless_fixed_root: Merge free bodies without mass with what is fixed to them, down to the first bodies with mass.
        verbose: Print the import report.
        skip_equality_constraints: Leave out equality constraints without a warning.
        ctrl_direct: Newton's argument; either way actuators follow ``control.mujoco.ctrl``, which is what True means there.
        convert_mjc_equality_constraints: Newton's argument; either way equality constraints stay rows of the namespace, which is what False means there.
        convert_3d_hinge_to_ball_joints: Make three hinges of a body one ball joint; what a ball cannot have is warned of.
        path_resolver: Turns (folder, name) of an included file or an attached model into a path or into its text.
        override_root_xform: Bodies that stand in the file's world stand at ``xform``, whatever pose the file gives them.
        legacy_margin_gap: Margins and gaps mean what they meant before MuJoCo 3.9: ``margin - gap`` is where contacts begin to push.
        path_labels: Labels are paths in the file, as Newton's importer gives them (``robot/worldbody/torso/shin``); False: names, as in MuJoCo.
        decompose: Cut colliding meshes into convex parts (``ModelBuilder.approximate_meshes``), up to this concavity: 0.05 suits most, smaller numbers make
            more parts; None: they collide as their convex hulls, as in MuJoCo. A sensor of a geom that is cut goes on with its largest part.
        max_elements: Most elements that ``replicate``, ``attach`` and ``composite`` may make.
        max_depth: Most levels of elements inside each other, at most 2000.
        max_size: Most bytes of each file that is read.

    Returns:
        The report, which is also the last of ``builder.import_reports``.

    Raises:
        ImporterError: With everything that is wrong with the file, each with file, line and column.
    """
    roots = RootChanges(floating, base_joint, override_root_xform)
    roots.check(parent_body, xform)
    check_threshold("add_mjcf", decompose)
    lengths = Lengths(scale, legacy_margin_gap)
    lengths.check()
    roles = Roles(visual_classes, collider_classes, no_class_as_colliders, parse_visuals_as_colliders)
    ways = Ways(ignore_names, ignore_classes, not ignore_inertial_definitions, skip_equality_constraints, convert_3d_hinge_to_ball_joints, roots)
    with within(Limits(max_elements, max_depth, max_size)):
        model, contents, log = _read(source, path_resolver, max_elements, lengths, ways)
        roles.apply(contents.tree, contents.pairs, contents.tendons, log)
        _scale_armature(contents.tree, armature_scale)
        turn = axis_rotation(Axis.from_any(up_axis), Axis.from_any(builder.up_axis))
        base = frames.compose(*base_pose(builder, xform, parent_body), np.zeros(3), turn)
        first_shape, first_joint = builder.shape_count, builder.joint_count
        shapes = Shapes(builder, parse_sites, parse_visuals, parse_meshes, hide_visuals, mesh_maxhullvert)
        write_contents(builder, contents, shapes, base, parent_body, log, paths=path_labels)
    if parse_mujoco_options:
        write_options(builder, contents.options, turn)
    if not enable_self_collisions:
        filter_own_shapes(builder, first_shape)
    cut_meshes(builder, first_shape, decompose, log)
    report_kept(contents, shapes, log)
    log.report.contents = tally(log.found, contents, model.root, log)
    builder.import_reports.append(log.report)
    log.warn(stacklevel=3)
    if collapse_fixed_joints:
        builder.collapse_fixed_joints(verbose)
    elif collapse_massless_fixed_root:
        collapse_massless_roots(builder, first_joint, verbose)
    if verbose:
        print(log.report)
    return log.report


def _read(source: Any, resolver: Callable[[str | None, str], str] | None, most: int, lengths: Lengths, ways: Ways) -> tuple[Model, Contents, Diagnostics]:
    """Read a file with all that it includes; raises everything that is wrong with it."""
    with TemporaryDirectory() if is_model(source) else nullcontext(".") as files:
        model, log = parse(source, resolver, most, Path(files), lengths)
        try:
            contents = ContentsReader(log, ways).read(model)
        except (KeyError, TypeError, IndexError):
            log.check()  # a value is missing that could not be read, and this has been told
            raise
    log.check()
    return model, contents, log


def _scale_armature(tree: Tree, factor: float) -> None:
    for joint in tree.joints() if factor != 1.0 else ():
        joint.values["armature"] = factor * joint.values.get("armature", 0.0)


def write_contents(
    builder: Any,
    contents: Contents,
    shapes: Shapes,
    base: tuple[np.ndarray, np.ndarray],
    parent: int,
    log: Diagnostics,
    orders: Callable[[Body], Orders] = depth_first,
    paths: bool = False,
) -> None:
    """Write what has been resolved into the builder."""
    mujoco.register(builder)
    shapes.materials = write_looks(builder, contents.pictures)
    emitter = Emitter(builder, contents.tree, base, parent, shapes, contents.title, orders, paths)
    emitter.bodies()
    emitter.tendons(contents.tendons)
    world = base if parent < 0 else (np.zeros(3), frames.IDENTITY.copy())
    write_cameras(builder, contents.tree, world)
    write_lights(builder, contents.tree, world)
    write_skins(builder, contents.pictures.skins, contents.tree)
    first_actuator = len(builder.custom_attributes["mujoco:actuator_label"].values)
    emitter.rows(contents.actuators, contents.pairs, contents.excludes)
    for equality in write_equalities(builder, contents.equalities, world):
        contents.equalities.remove(equality)
        log.ignored("equalities", equality.node.location, equality.node.label, "is left out, as its sites are")
    first_sensor = len(builder.custom_attributes["mujoco:sensor_label"].values)
    for sensor in write_sensors(builder, contents.sensors, first_actuator):
        contents.sensors.remove(sensor)
        log.ignored("sensors", sensor.node.location, sensor.node.label, "is left out, as what it measures is")
    emitter.keyframes(contents.keys)
    write_custom(builder, contents.custom, contents.sensors, first_actuator, first_sensor)
    write_user(builder, contents, first_actuator, first_sensor)


def base_pose(builder: Any, xform: Any, parent: int, who: str = "add_mjcf") -> tuple[np.ndarray, np.ndarray]:
    """Pose of the file's world in the builder's world."""
    if not -1 <= parent < builder.body_count:
        allowed = f"-1 (the world) to {builder.body_count - 1}"
        raise ModelError(problem(f"{who}, parent_body", str(parent), allowed, "pass the index of a body"))
    pose = as_transform(xform, f"{who}, xform")
    pos, quat = pose[:3], np.roll(pose[3:], 1)
    if parent >= 0:
        above = np.array(builder.body_q[parent], dtype=np.float64)
        pos, quat = frames.compose(above[:3], np.roll(above[3:], 1), pos, quat)
    return pos, quat
