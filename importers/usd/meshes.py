"""Triangles of UsdGeom meshes and of tapered solids, in a prim's own coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.importers.usd.source import Source

__all__ = ["SIDES", "frustum", "texture_coordinates", "triangles"]

PRIMVARS = ("st", "UVMap", "st0", "uv", "map1")
"""What texture coordinates are usually called."""
SIDES = 32
"""Sides of round solids that are given as meshes."""


def triangles(source: Source, prim: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Points (n, 3), triangles (m, 3) of a mesh, polygons cut as fans, and which corner of the mesh each of theirs is (m, 3).

    None, and a problem, for a mesh that is broken.
    """
    arrays = {name: source.raw(prim, name) for name in ("points", "faceVertexCounts", "faceVertexIndices")}
    points = np.array(arrays["points"] if arrays["points"] is not None else [], dtype=np.float64).reshape(-1, 3)
    counts, corners = (np.array(arrays[name] if arrays[name] is not None else [], dtype=np.int64) for name in list(arrays)[1:])
    if len(points) < 3 or not len(counts) or not np.isfinite(points).all():
        given = f"{len(points)} points and {len(counts)} faces"
        source.problem(prim, "points", given, "a mesh with finite points and faces", "author points and faces")
        return None
    if np.any(counts < 3) or counts.sum() != len(corners) or corners.min() < 0 or corners.max() >= len(points):
        given = f"{len(corners)} indices for {int(counts.sum())} corners of {len(points)} points"
        source.problem(prim, "faceVertexIndices", given, "an index of a point for each corner", "repair the mesh")
        return None
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    if np.all(counts == 3):
        slots = np.arange(len(corners)).reshape(-1, 3)
    else:
        slots = np.array([[s, s + k, s + k + 1] for s, n in zip(starts, counts) for k in range(1, n - 1)])
    if str(source.get(prim, "orientation", "rightHanded")) == "leftHanded":
        slots = slots[:, ::-1]
    return points, corners[slots], slots


def texture_coordinates(source: Source, prim: Any, name: str, faces: np.ndarray, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Texture coordinates (k, 2) of a mesh, v down from the picture's first row, and which of them each corner of its triangles has (m, 3).

    Args:
        source: The stage.
        prim: The mesh.
        name: The primvar that its material asks for; where it has none of that name, those of :data:`PRIMVARS` are tried.
        faces: Its triangles.
        slots: Which corner of the mesh each of theirs is.
    """
    word = next((f"primvars:{word}" for word in (name, *PRIMVARS) if f"primvars:{word}" in source.authored(prim)), None)
    if word is None:
        return None
    given, places = source.raw(prim, word), source.raw(prim, f"{word}:indices")
    kind = str(prim.GetAttribute(word).GetMetadata("interpolation") or "constant")
    values = np.array(given if given is not None else [], dtype=np.float64)
    order = np.arange(len(values)) if places is None else np.array(places, dtype=np.int64)
    wanted = {"faceVarying": slots, "vertex": faces, "varying": faces, "constant": 0 * faces}.get(kind)
    note = "is no list of pairs, one for each corner or point, and is left out"
    if values.ndim != 2 or values.shape[1] != 2 or not np.isfinite(values).all() or wanted is None or (places is not None and not len(order)):
        source.log.ignored("texture coordinates", source.place(prim), word, note)
        return None
    if wanted.max(initial=-1) >= len(order) or np.any(order < 0) or order.max(initial=-1) >= len(values):
        source.log.ignored("texture coordinates", source.place(prim), word, note)
        return None
    return values * [1.0, -1.0] + [0.0, 1.0], order[wanted]


def frustum(bottom: float, top: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """A cone or a truncated cone about z, its middle at the origin."""
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(SIDES)])
    low = bottom * ring - [0.0, 0.0, 0.5 * height]
    high = np.array([[0.0, 0.0, 0.5 * height]]) if top == 0.0 else top * ring + [0.0, 0.0, 0.5 * height]
    after = np.roll(np.arange(SIDES), -1)
    here = np.arange(SIDES)
    floor = np.column_stack([np.zeros(SIDES - 2, dtype=np.int64), here[2:], here[1:-1]])
    if top == 0.0:
        sides = np.column_stack([here, after, np.full(SIDES, SIDES)])
        return np.concatenate([low, high]), np.concatenate([floor, sides])
    up = SIDES
    sides = np.concatenate([np.column_stack([here, after, up + here]), np.column_stack([after, up + after, up + here])])
    roof = np.column_stack([np.full(SIDES - 2, up), up + here[1:-1], up + here[2:]])
    return np.concatenate([low, high]), np.concatenate([floor, sides, roof])
