"""Meshes and heightfields, written into the text with their numbers.

Compiled meshes stand in their principal frame. What is written is the surface where the file had it, and the rule by which
the compiler finds the same frame again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from newtonish.common import frames
from newtonish.common.enums import GeomType
from newtonish.exporters.world import CompiledWorld, add
from newtonish.importers.mjcf.assets.meshes import MeshAsset

__all__ = ["Assets", "texture_coordinates"]

INERTIA = ("legacy", "exact", "convex", "shell")
_SAME = 1e-5


class Assets:
    """The meshes and heightfields of a model: names and frames by id.

    Attributes:
        mesh: Names of the meshes.
        hfield: Names of the heightfields.
    """

    def __init__(self, root: etree._Element, world: CompiledWorld) -> None:
        self._pos, self._quat = world.mesh_pos, world.mesh_quat
        self.mesh = world.names["mesh"] if world.looks else [f"mesh{i}" for i in range(world.nmesh)]
        self.hfield = [f"hfield{i}" for i in range(world.nhfield)]
        if not (self.mesh or self.hfield):
            return
        section = root.find("asset")
        section = add(root, "asset") if section is None else section
        for i in _shown(world, (GeomType.MESH, GeomType.SDF), world.nmesh):
            made_of = int(world.mesh_plugin[i])
            if made_of >= 0:
                _write_surface(section, world, i, self.mesh[i], made_of)
            else:
                _write_mesh(section, world, i, self.mesh[i])
        for i in _shown(world, (GeomType.HFIELD,), world.nhfield):
            name = self.hfield[i]
            start, rows, columns = int(world.hfield_adr[i]), int(world.hfield_nrow[i]), int(world.hfield_ncol[i])
            data = np.asarray(world.hfield_data[start : start + rows * columns], dtype=np.float32)
            add(section, "hfield", name=name, nrow=rows, ncol=columns, size=world.hfield_size[i], elevation=data.reshape(rows, columns)[::-1])

    def pose_in_file(self, mesh: int, pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pose of a mesh's own frame, from that of its principal frame."""
        turn = frames.unit(frames.quat_mul(quat, self._quat[mesh] * np.array([1.0, -1.0, -1.0, -1.0])))
        return pos - frames.rotate(turn, self._pos[mesh]), turn


def _shown(world: CompiledWorld, kinds: tuple[int, ...], count: int) -> list[int]:
    """Meshes or heightfields to write: all, but for those that only other worlds show."""
    geoms = np.isin(world.geom_type, kinds)
    elsewhere = set(world.compiled.batched.get("geom_dataid", np.zeros((0, world.ngeom), int))[:, geoms].ravel().tolist())
    here = {*world.geom_dataid[geoms].tolist(), *world.site_dataid[np.isin(world.site_type, kinds)].tolist()}
    return [i for i in range(count) if i in here or i not in elsewhere]


def _write_surface(section: etree._Element, world: CompiledWorld, i: int, name: str, field: int) -> None:
    """Write the mesh of a distance field by its field; no geom has a mass, so that no rule of inertia is needed."""
    most = int(world.mesh_maxhullvert[i])
    element = add(section, "mesh", name=name, maxhullvert=most if most > 0 else None)
    add(element, "plugin", instance=world.names["plugin"][field])


def _write_mesh(section: etree._Element, world: CompiledWorld, i: int, name: str) -> None:
    """Write one mesh with its vertices, faces and rule of inertia."""
    first, count = int(world.mesh_vertadr[i]), int(world.mesh_vertnum[i])
    points = np.asarray(world.mesh_vert[first : first + count], dtype=np.float64)
    points = world.mesh_pos[i] + frames.rotate(world.mesh_quat[i], points)
    first, count = int(world.mesh_faceadr[i]), int(world.mesh_facenum[i])
    faces = np.asarray(world.mesh_face[first : first + count], dtype=np.int64)
    scale = np.asarray(world.mesh_scale[i], dtype=np.float64)
    rule = _rule(points, faces, world.mesh_pos[i], world.mesh_quat[i])
    if np.prod(scale) < 0:
        faces = faces[:, ::-1]
    most = int(world.mesh_maxhullvert[i])
    written = None if np.all(scale == 1.0) else scale
    painted = _texcoords(world, i, points, faces)
    add(
        section,
        "mesh",
        name=name,
        scale=written,
        inertia=rule,
        texcoord=painted,
        maxhullvert=most if most > 0 else None,
        vertex=(points / scale).astype(np.float32),
        face=faces.ravel(),
    )


def texture_coordinates(world: CompiledWorld) -> dict[str, np.ndarray]:
    """Texture coordinates of the corners of each triangle (m, 3, 2), v down from a picture's first row, of the meshes that have some, by name."""
    found = {}
    for i, source in enumerate(world.compiled.kept.meshes if world.looks and world.compiled.kept is not None else ()):
        uvs = source.corner_uvs() if hasattr(source, "corner_uvs") else None
        if uvs is not None and len(uvs) == int(world.mesh_facenum[i]):
            found[world.names["mesh"][i]] = np.asarray(uvs)
    return found


def _texcoords(world: CompiledWorld, i: int, points: np.ndarray, faces: np.ndarray) -> np.ndarray | None:
    """Texture coordinates by vertex, where all corners at a vertex share theirs; MJCF's text has no others."""
    source: Any = world.compiled.kept.meshes[i] if world.looks and world.compiled.kept is not None else None
    uvs = source.corner_uvs() if hasattr(source, "corner_uvs") else None
    if uvs is None or len(uvs) != len(faces):
        return None
    corners = np.asarray(source.triangles)
    table = np.zeros((len(points), 2))
    table[corners.ravel()] = uvs.reshape(-1, 2)
    return table.astype(np.float32).ravel() if np.array_equal(table[corners], uvs) else None


def _rule(points: np.ndarray, faces: np.ndarray, pos: np.ndarray, quat: np.ndarray) -> str:
    """The rule of inertia that puts a mesh's frame where it is; the first that gives any frame where none does."""
    size = float(np.abs(points).max(initial=1e-9))
    possible = ""
    for rule in INERTIA:
        try:
            _, centre, axes, _ = MeshAsset("", None, points, faces, rule).properties()
        except ValueError:
            continue
        possible = possible or rule
        if np.abs(centre - pos).max() < _SAME * size and abs(abs(float(axes @ quat)) - 1.0) < _SAME:
            return rule
    return possible or INERTIA[0]
