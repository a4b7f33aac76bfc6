"""add_urdf: the steps from a file or text to rows in a ModelBuilder.

Everything is read and checked before the builder is touched, so an error leaves it as it was.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from newtonish.diagnostics import Diagnostics, ImportReport, Location
from newtonish.errors import ImporterError, problem
from newtonish.importers import frames
from newtonish.importers.decomposition import check_threshold, cut_meshes
from newtonish.importers.mjcf.options import write_options
from newtonish.importers.mjcf.roots import axis_rotation, collapse_massless_roots
from newtonish.importers.urdf.arguments import check_arguments
from newtonish.importers.urdf.custom import CustomValues
from newtonish.importers.urdf.emit import Emitter, Rules
from newtonish.importers.urdf.extension import Extension, read_extension
from newtonish.importers.urdf.files import SCHEMES, MeshFiles, local_file
from newtonish.importers.urdf.mass import weigh
from newtonish.importers.urdf.parts import Robot
from newtonish.importers.urdf.read import Reader, check_root, is_text
from newtonish.importers.urdf.tree import check_floating, check_masses, flatten_mimics, read_tree
from newtonish.importers.urdf.vocabulary import report_words, tally
from newtonish.mjcf.language.include import read_bytes
from newtonish.mjcf.language.read import Node, decode, parse_text
from newtonish.model.enums import Axis, JointType
from newtonish.model.geometry import Mesh
from newtonish.model.transforms import AxisType, Transform, as_transform
from newtonish.namespaces import mujoco

__all__ = ["add_urdf"]


def add_urdf(
    builder: Any,
    source: str | os.PathLike,
    *,
    xform: Transform | None = None,
    floating: bool | None = None,
    base_joint: dict | None = None,
    parent_body: int = -1,
    scale: float = 1.0,
    hide_visuals: bool = False,
    parse_visuals_as_colliders: bool = False,
    up_axis: AxisType = Axis.Z,
    force_show_colliders: bool = False,
    enable_self_collisions: bool = True,
    ignore_inertial_definitions: bool = False,
    joint_ordering: Literal["bfs", "dfs"] | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    collapse_fixed_joints: bool = False,
    collapse_massless_fixed_root: bool = False,
    mesh_maxhullvert: int | None = None,
    force_position_velocity_actuation: bool = False,
    override_root_xform: bool = False,
    joint_damping_mode: Literal["passive", "drive"] = "passive",
    package_dirs: Sequence[str | os.PathLike] | None = None,
    decompose: float | None = None,
) -> ImportReport:
    """Add the robot that a URDF file or text describes to a builder, in one articulation.

    Links become bodies, labelled ``robot/link``; what the file does not say (contact material, density, gains, limits'
    stiffness) is as ``builder.default_shape_cfg`` and ``builder.default_joint_cfg`` have it.

    Args:
        builder: A ``ModelBuilder``. A ``<mujoco>`` element in the file registers the ``mujoco`` namespace on it.
        source: Path, ``file:``, ``package://`` or ``model://`` address of a file, or the XML text itself.
        xform: Pose of the root in the world or in ``parent_body`` (position, quaternion x, y, z, w).
        floating: True: the root floats; False or None: it is fixed to the world, or to ``parent_body``.
        base_joint: Arguments of ``ModelBuilder.add_joint`` for the root's joint, in place of ``floating``; ``xform`` moves that
            joint, and turns the robot but not the joint's axes.
        parent_body: Body to which the root is joined, of the articulation added last; -1 for the world.
        scale: Factor of lengths; inertias change with its square, masses do not.
        hide_visuals: Do not draw visual shapes.
        parse_visuals_as_colliders: Visual shapes collide, collision shapes are left out.
        up_axis: The file's up axis, which is turned into the builder's; cylinders and capsules lie along it.
        force_show_colliders: Draw collision shapes even where there are visual ones.
        enable_self_collisions: False: no two shapes of the robot collide.
        ignore_inertial_definitions: Derive inertia from collision shapes even where it is written.
        joint_ordering: Order of joints in the model: depth first, breadth first, or None as in the text.
        bodies_follow_joint_ordering: Bodies come in the order of joints; False: in that of the text.
        collapse_fixed_joints: Merge all bodies of the builder that fixed joints connect (``builder.collapse_fixed_joints``).
        collapse_massless_fixed_root: Merge only massless links at the top of a floating robot with what is fixed to them.
        mesh_maxhullvert: Most vertices of the convex hulls of meshes; None: ``Mesh.MAX_HULL_VERTICES``.
        force_position_velocity_actuation: Joint targets drive position and velocity, in place of position.
        override_root_xform: ``xform`` moves a ``base_joint`` as a whole, axes included.
        joint_damping_mode: ``"passive"``: ``dynamics damping`` goes to ``joint_damping``; ``"drive"``: to ``joint_target_kd``.
        package_dirs: Folders in which ``package://`` addresses are looked for before the folders above the file.
        decompose: Cut colliding meshes into convex parts (``ModelBuilder.approximate_meshes``), up to this concavity: 0.05 suits most, smaller numbers make
            more parts; None: they collide as their convex hulls.

    Returns:
        The report, which is also the last of ``builder.import_reports``.

    Raises:
        ImporterError: With everything that is wrong with the file, each with file, line and column.
        ModelError: For arguments that do not fit together.
    """
    check_arguments(builder, floating, base_joint, parent_body, scale, joint_ordering, joint_damping_mode, override_root_xform and xform is None)
    check_threshold("add_urdf", decompose)
    up, first_shape = Axis.from_any(up_axis), builder.shape_count
    axis_turn = axis_rotation(up, Axis.from_any(builder.up_axis))
    pose = as_transform(xform, "add_urdf, xform")
    base = frames.compose(pose[:3], np.roll(pose[3:], 1), np.zeros(3), axis_turn)
    dirs = () if package_dirs is None else package_dirs
    file = _read(builder, source, dirs, scale)
    log, extension = file.log, file.extension
    _choose_shapes(file.robot, extension, parse_visuals_as_colliders, log)
    _load_meshes(file, dirs, mesh_maxhullvert)
    tree, mimics = read_tree(file.robot, log), flatten_mimics(file.robot, log)
    fixed = not floating and base_joint is None and parent_body < 0
    static = tree.static(fixed) if tree is not None else set()
    weigh(file.robot, extension, builder.default_shape_cfg, ignore_inertial_definitions, builder.balance_inertia, static, log)
    massless = 0
    if tree is not None:
        tree.place(base if parent_body < 0 else frames.compose(*_pose(builder, parent_body), *base))
        check_floating(tree, static, log)
        massless = check_masses(tree, static, _base_kind(floating, base_joint), log)
    log.problems.sort(key=lambda found: found[0] or Location(file.name))
    log.check()
    assert tree is not None  # without a tree there is a problem

    rules = Rules(
        base, parent_body, bool(floating), base_joint, override_root_xform, scale, hide_visuals, parse_visuals_as_colliders,
        up, force_show_colliders, enable_self_collisions, joint_ordering, bodies_follow_joint_ordering,
        force_position_velocity_actuation, joint_damping_mode == "drive",
    )  # fmt: skip
    emitter = Emitter(builder, tree, rules)
    emitter.write(mimics)
    _write_options(builder, extension, axis_turn)
    cut_meshes(builder, first_shape, decompose, log)
    _report(builder, file, emitter, massless)
    log.warn(stacklevel=3)
    if collapse_fixed_joints or extension.fusestatic:
        builder.collapse_fixed_joints()
    elif collapse_massless_fixed_root and floating:
        collapse_massless_roots(builder, emitter.joints[0], False)
    return log.report


class _File(NamedTuple):
    """What has been read of a file."""

    name: str
    folder: Path
    root: Node
    robot: Robot
    extension: Extension
    log: Diagnostics


def _read(builder: Any, source: Any, package_dirs: Sequence[str | os.PathLike], scale: float) -> _File:
    """Read a file or text; what is wrong with it is in the log, but for what is no URDF at all."""
    text, name, folder = _text(source, package_dirs)
    root = parse_text(text, name)
    check_root(root)
    log, custom = Diagnostics(name), CustomValues(builder)
    report_words(root, custom.names, log)
    robot = Reader(log, scale, custom).read(root)
    return _File(name, folder, root, robot, read_extension(robot.extension, folder, log), log)


def _text(source: Any, package_dirs: Sequence[str | os.PathLike]) -> tuple[str, str, Path]:
    """Return the text, what to call it in messages, and the folder that names in it are relative to."""
    if is_text(source):
        return source.lstrip("\ufeff"), "<string>", Path()
    given = str(source)
    if given.startswith(SCHEMES):
        path = MeshFiles(Path(), package_dirs, None, False, 0, Diagnostics(given), "URDF file").find(given)
    else:
        path = Path(local_file(given))
    try:
        found, what = path.is_file(), "a folder" if given and path.is_dir() else "no such file"
    except (ValueError, OSError):
        found, what = False, "a name that no file can have"
    if not found:
        shown = given if len(given) <= 200 else given[:197] + "..."
        raise ImporterError(problem(shown, what, "the path of a URDF file, or XML text", "check the path"))
    return decode(read_bytes(path), str(path)), str(path), path.parent


def _choose_shapes(robot: Robot, extension: Extension, visuals_collide: bool, log: Diagnostics) -> None:
    """Leave only those shapes in the links that are written."""
    if visuals_collide:
        for link in robot.links.values():
            for shape in link.collisions:
                log.ignored("collisions", shape.node.location, f"{link.node.label}, collision", "left out, as visual shapes collide in its place", warn=False)
            link.collisions, link.visuals = link.visuals, []
    elif extension.discardvisual:
        for link in robot.links.values():
            for shape in link.visuals:
                log.ignored("visuals", shape.node.location, f"{link.node.label}, visual", "left out, as discardvisual says", warn=False)
            link.visuals = []


def _load_meshes(file: _File, package_dirs: Sequence[str | os.PathLike], most: int | None) -> None:
    """Load the files of all meshes, with hulls of at most so many vertices; those of visual shapes may be missing."""
    most = Mesh.MAX_HULL_VERTICES if most is None else most
    files = MeshFiles(file.folder, package_dirs, file.extension.meshdir, file.extension.strippath, most, file.log)
    for link in file.robot.links.values():
        for shapes, only_seen in ((link.visuals, True), (link.collisions, False)):
            for shape in shapes:
                if shape.kind == "mesh":
                    files.load(shape, only_seen)


def _base_kind(floating: bool | None, base_joint: dict | None) -> str:
    """Type of the joint that the root is attached to, as far as masses are concerned."""
    if floating:
        return "floating"
    moves = base_joint is not None and base_joint["joint_type"] != JointType.FIXED
    return "prismatic" if moves else "fixed"


def _pose(builder: Any, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Pose of a body of the builder."""
    numbers = np.array(builder.body_q[body], dtype=np.float64)
    return numbers[:3], np.roll(numbers[3:], 1)


def _write_options(builder: Any, extension: Extension, turn: np.ndarray) -> None:
    """Write the options that the file names; vectors are turned with its up axis."""
    if extension.options:
        mujoco.register(builder)
        write_options(builder, extension.options, turn)


def _report(builder: Any, file: _File, emitter: Emitter, massless: int) -> None:
    """Complete the import report and hand it to the builder."""
    log = file.log
    log.kept("links", str(len(file.robot.links)))
    for kind, count in sorted(emitter.counts.items()):
        log.kept(kind, str(count))
    if massless:
        log.kept("massless links that move", f"{massless}, with the mass of others")
    log.report.contents = tally(file.root, log)
    builder.import_reports.append(log.report)
