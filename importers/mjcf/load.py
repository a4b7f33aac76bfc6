"""add_mjcf: the steps from a file or text to rows in a ModelBuilder.

Everything is read and checked before the builder is touched, so an error leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.importers import frames
from newtonish.importers.diagnostics import Diagnostics, ImportReport
from newtonish.importers.mjcf.actuators import read_actuators
from newtonish.importers.mjcf.balls import balls_for_hinges
from newtonish.importers.mjcf.bodies import TreeReader
from newtonish.importers.mjcf.cameras import ZNEAR, CameraReader, write_cameras
from newtonish.importers.mjcf.contacts import read_excludes, read_pairs
from newtonish.importers.mjcf.copies import Model
from newtonish.importers.mjcf.custom import Custom, read_custom, write_custom
from newtonish.importers.mjcf.emit import Emitter, Orders, depth_first
from newtonish.importers.mjcf.equalities import Equality, read_equalities, write_equalities
from newtonish.importers.mjcf.geoms import GeomReader
from newtonish.importers.mjcf.hfields import read_hfields
from newtonish.importers.mjcf.keyframes import Inherited, Keyframe, read_keyframes
from newtonish.importers.mjcf.lengths import Lengths
from newtonish.importers.mjcf.lights import write_lights
from newtonish.importers.mjcf.limits import Limits, within
from newtonish.importers.mjcf.looks import Pictures, read_looks, write_looks
from newtonish.importers.mjcf.meshes import read_meshes
from newtonish.importers.mjcf.options import read_options, write_options
from newtonish.importers.mjcf.report import note_kept_out, report_kept
from newtonish.importers.mjcf.roles import Roles
from newtonish.importers.mjcf.roots import RootChanges, axis_rotation, collapse_massless_roots, filter_own_shapes
from newtonish.importers.mjcf.sensors import Sensor, read_sensors, write_sensors
from newtonish.importers.mjcf.shapes import Shapes
from newtonish.importers.mjcf.skins import read_skins, write_skins
from newtonish.importers.mjcf.sources import is_model, parse
from newtonish.importers.mjcf.static import meshes_in_use
from newtonish.importers.mjcf.tally import tally
from newtonish.importers.mjcf.tendons import Tendon, read_tendons
from newtonish.importers.mjcf.tree import Body, Tree
from newtonish.importers.mjcf.user import check_user, read_user_sizes, write_user
from newtonish.importers.mjcf.visual import read_visual
from newtonish.model.enums import Axis
from newtonish.model.transforms import as_transform
from newtonish.namespaces import mujoco

__all__ = ["Contents", "add_mjcf", "base_pose", "write_contents"]


@dataclass
class Contents:
    """Everything a file says, resolved."""

    title: str
    tree: Tree
    tendons: list[Tendon]
    options: dict[str, Any]
    actuators: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    excludes: list[dict[str, Any]]
    equalities: list[Equality]
    sensors: list[Sensor]
    keys: list[Keyframe]
    custom: list[Custom]
    pictures: Pictures = field(default_factory=Pictures)
    user_sizes: dict[str, int] = field(default_factory=dict)


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
        floating: True: bodies that stand in the file's world hang on free joints; False: they do not move; None: as the file says.
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
        force_show_colliders: Without effect: geoms that collide are always drawn; viewers choose by group.
        enable_self_collisions: Whether shapes of this file may collide with each other.
        ignore_inertial_definitions: Derive inertia from geoms even where it is written.
        collapse_fixed_joints: Merge all bodies of the builder that fixed joints connect (``builder.collapse_fixed_joints``).
        collapse_massless_fixed_root: Merge free bodies without mass with what is fixed to them, down to the first bodies with mass.
        verbose: Print the import report.
        skip_equality_constraints: Leave out equality constraints without a warning.
        ctrl_direct: Without effect: actuators always follow ``control.mujoco.ctrl``.
        convert_mjc_equality_constraints: Without effect: equality constraints stay rows of the namespace.
        convert_3d_hinge_to_ball_joints: Make three hinges of a body one ball joint; what a ball cannot have is warned of.
        path_resolver: Turns (folder, name) of an included file or an attached model into a path or into its text.
        override_root_xform: Bodies that stand in the file's world stand at ``xform``, whatever pose the file gives them.
        legacy_margin_gap: Margins and gaps mean what they meant before MuJoCo 3.9: ``margin - gap`` is where contacts begin to push.
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
    lengths = Lengths(scale, legacy_margin_gap)
    lengths.check()
    roles = Roles(visual_classes, collider_classes, no_class_as_colliders, parse_visuals_as_colliders)
    with within(Limits(max_elements, max_depth, max_size)):
        with TemporaryDirectory() if is_model(source) else nullcontext(".") as files:
            model, log = parse(source, path_resolver, max_elements, Path(files), lengths)
            reader = _Reader(log, (ignore_names, ignore_classes), not ignore_inertial_definitions, skip_equality_constraints, roots)
            reader.balls = convert_3d_hinge_to_ball_joints
            contents = reader.read(model)
        log.check()
        roles.apply(contents.tree, contents.pairs, contents.tendons, log)
        for joint in contents.tree.joints() if armature_scale != 1.0 else ():
            joint.values["armature"] = armature_scale * joint.values.get("armature", 0.0)
        turn = axis_rotation(Axis.from_any(up_axis), Axis.from_any(builder.up_axis))
        base = frames.compose(*base_pose(builder, xform, parent_body), np.zeros(3), turn)
        first_shape, first_joint = builder.shape_count, builder.joint_count
        shapes = Shapes(builder, parse_sites, parse_visuals, parse_meshes, hide_visuals, mesh_maxhullvert)
        write_contents(builder, contents, shapes, base, parent_body, log)
    if parse_mujoco_options:
        write_options(builder, contents.options, turn)
    if not enable_self_collisions:
        filter_own_shapes(builder, first_shape)
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


def write_contents(
    builder: Any, contents: Contents, shapes: Shapes, base: tuple[np.ndarray, np.ndarray], parent: int, log: Diagnostics,
    orders: Callable[[Body], Orders] = depth_first,
) -> None:
    """Write what has been resolved into the builder."""
    mujoco.register(builder)
    shapes.materials = write_looks(builder, contents.pictures)
    emitter = Emitter(builder, contents.tree, base, parent, shapes, contents.title, orders)
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


class _Reader:
    """Resolves defaults, units, names and inertia of a file."""

    def __init__(
        self, log: Diagnostics, ignore: tuple[Sequence[str], Sequence[str]], use_inertials: bool, skip_equality: bool, roots: RootChanges
    ) -> None:
        self._log = log
        self._ignore, self._ignore_classes = ignore
        self._roots = roots
        self._use_inertials = use_inertials
        self._skip_equality = skip_equality
        self.balls = False

    def read(self, model: Model) -> Contents:
        """Return what a file says."""
        root, settings, defaults, log = model.root, model.settings, model.defaults, self._log
        meshes = read_meshes(root, settings, defaults, log, meshes_in_use(root, defaults) if settings.discardvisual else None)
        hfields = read_hfields(root, settings, log, defaults.lengths.scale)
        looks = read_looks(root, settings, defaults, log)
        geoms = GeomReader(settings, defaults, meshes, hfields, looks, log)
        visual = read_visual(root)
        cameras = CameraReader(settings, defaults, log, visual.get("map", {}).get("znear", ZNEAR))
        tree = TreeReader(settings, defaults, geoms, cameras, looks, log, self._ignore, self._use_inertials, self._ignore_classes, self._roots).read(root)
        changed = balls_for_hinges(tree, log) if self.balls else False
        options = read_options(root, settings, log)
        tendons = read_tendons(root, tree, settings, defaults, looks, log)
        actuators = read_actuators(root, tree, settings, defaults, log)
        pairs = read_pairs(root, tree, defaults, log)
        excludes = read_excludes(root, tree, log)
        equalities = read_equalities(root, tree, defaults, log, self._skip_equality)
        sensors = read_sensors(root, tree, actuators, log)
        keys = self._keyframes(model, tree, actuators, changed)
        custom = read_custom(root, tree, actuators, sensors, log)
        note_kept_out(root, log)
        pictures = Pictures(looks, read_skins(root, tree, settings, looks, log, defaults.lengths.scale), visual)
        title = root.values.get("model", "")
        contents = Contents(title, tree, tendons, options, actuators, pairs, excludes, equalities, sensors, keys, custom, pictures, read_user_sizes(root, log))
        check_user(contents, log)
        return contents

    def _keyframes(self, model: Model, tree: Tree, actuators: list[dict[str, Any]], changed: bool) -> list[Keyframe]:
        """The keyframes; none where there are other joints than in the file."""
        if not self._roots.changes_joints and not changed:
            return read_keyframes(model.root, tree, actuators, self._log, self._inherited(model), model.defaults.lengths)
        for node in (key for section in model.root.sections("keyframe") for key in section.sections("key")):
            self._log.ignored("keyframes", node.location, node.label, "is left out, as there are other joints than in the file")
        return []

    def _inherited(self, model: Model) -> list[Inherited]:
        """The keyframes of attached models; such a model is read as a whole, as they follow its own order of joints."""
        result = []
        for found in model.attached:
            child = found.child
            if any(section.children for section in child.root.sections("keyframe")) or child.attached:
                contents = self.read(child)
                result.append(Inherited(found.prefix, found.copies, contents.keys, contents.tree, contents.actuators))
        return result


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
