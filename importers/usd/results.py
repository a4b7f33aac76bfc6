"""What add_usd returns, and what it says of what it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from newtonish.importers.usd.emit import body_row
from newtonish.importers.usd.read import StageContents
from newtonish.importers.usd.report import StageLog
from newtonish.importers.usd.source import Source

__all__ = ["collapse", "made", "note_left_out", "result_of"]

NOT_READ = {
    "TetMesh": "deformable bodies are not read",
    "DomeLight": "a light without a place is not read",
    "DomeLight_1": "a light without a place is not read",
    "GeometryLight": "a light of a mesh is not read",
    "PortalLight": "a light without a place is not read",
}
DRAWN_ONLY = ("BasisCurves", "NurbsCurves", "HermiteCurves", "Points", "NurbsPatch", "Volume")
DEFORMABLES = ("PhysicsDeformableBodyAPI", "PhysxDeformableBodyAPI", "PhysxDeformableSurfaceAPI", "OmniPhysicsDeformableBodyAPI")


def note_left_out(source: Source) -> None:
    """List prims of types that are not read."""
    for prim in source.having(*DEFORMABLES):
        source.log.ignored("deformable", source.place(prim), source.path(prim), NOT_READ["TetMesh"])
    for kind, note in NOT_READ.items():
        for prim in source.of(kind):
            source.log.ignored(kind, source.place(prim), source.path(prim), note, warn=kind == "TetMesh")
    for kind in DRAWN_ONLY:
        for prim in source.of(kind):
            source.log.ignored(kind, source.place(prim), source.path(prim), f"a {kind} is not read", warn=False)


def made(builder: Any, stage: StageContents) -> Iterator[str]:
    """Paths of the prims that something in the builder was made of."""
    bodies, contents = stage.bodies, stage.contents
    tree = contents.tree
    yield from bodies.poses
    yield from (geom.name for body in (tree.world, *tree.bodies) for geom in (*body.geoms, *body.sites) if geom.index >= 0)
    yield from (item.name for body in (tree.world, *tree.bodies) for item in (*body.cameras, *body.lights))
    labels = set(builder.joint_label)
    yield from (joint.path for joint in bodies.joints if joint.path in labels or ("joint", joint.path) in tree.names)
    yield from (joint.path for joint in bodies.joints if any(("joint", f"{joint.path}:{axis.name}") in tree.names for axis in joint.axes))
    nodes = [item.node for item in (*contents.tendons, *contents.equalities)]
    nodes += [row["mujoco:actuator_trnid"].node for row in contents.actuators]
    nodes += [row["node"] for row in (*contents.excludes, *contents.keys) if "node" in row]
    yield from (node.location.file for node in nodes)
    yield stage.scene.option.location.file
    yield from stage.shapes.materials.used
    yield from stage.shapes.looks.used
    yield from stage.filters.groups
    yield from stage.kept


def result_of(builder: Any, stage: StageContents, log: StageLog) -> dict[str, Any]:
    """What add_usd returns."""
    tree, source, values = stage.contents.tree, stage.source, stage.scene.option.values
    shapes = {name: item.index for (kind, name), item in tree.names.items() if kind in ("geom", "site") and item.index >= 0}
    opened = source.stage
    return {
        "report": log.report,
        "path_body_map": {path: body_row(tree, stage.bodies, path) for path in stage.bodies.poses},
        "path_joint_map": _joint_rows(builder, stage),
        "path_shape_map": shapes,
        "path_shape_scale": {path: pose.scale / source.length for path, pose in stage.bodies.seen() if path in shapes},
        "linear_unit": source.length,
        "mass_unit": source.mass,
        "up_axis": source.up,
        "fps": float(opened.GetFramesPerSecond()),
        "duration": float(opened.GetEndTimeCode() - opened.GetStartTimeCode()),
        "physics_dt": values.get("timestep"),
        "max_solver_iterations": values.get("iterations"),
        "schema_resolvers": stage.resolver.order,
    }


def _joint_rows(builder: Any, stage: StageContents) -> dict[str, int]:
    """Row of each joint; several prims between two bodies may be axes of one."""
    labels = {label: row for row, label in enumerate(builder.joint_label)}
    names = stage.contents.tree.names
    rows = {}
    for joint in stage.bodies.joints:
        found = names.get(("joint", joint.path))
        if joint.path in labels:
            rows[joint.path] = labels[joint.path]
        elif found is not None and found.dof >= 0:
            rows[joint.path] = int(np.searchsorted(builder.joint_qd_start, found.dof, side="right")) - 1
    return rows


def collapse(builder: Any, verbose: bool, result: dict[str, Any]) -> dict[str, Any]:
    """Merge fixed bodies, and renumber the maps."""
    found = builder.collapse_fixed_joints(verbose)
    for name, moved in (("path_body_map", found["body_remap"]), ("path_joint_map", found["joint_remap"])):
        result[name] = {path: moved[row] for path, row in result[name].items() if row in moved}
    return found
