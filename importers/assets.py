"""Finds and loads mesh files.

OBJ and MSH (MuJoCo's old binary form) are read here, since how a polygon is cut into triangles changes the mass MuJoCo
computes from a mesh, and binary STL, the form of most robots' meshes; the other formats are read by trimesh.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from newtonish.errors import ImporterError

__all__ = ["load_mesh", "portable", "resolve"]

MOST_BYTES = 512 * 1024 * 1024
FORMATS = ("obj", "stl", "msh", "ply", "off")


def resolve(folder: Path, directory: str, name: str) -> Path:
    """Return the path of an asset: its own when absolute, else in ``directory``, which is relative to ``folder``."""
    return folder / portable(directory) / portable(name)


def portable(name: str) -> str:
    """A path of a file as this system writes it: MuJoCo takes backslashes for separators everywhere."""
    return name.replace("\\", "/")


Mesh = tuple[np.ndarray, np.ndarray]


def load_mesh(path: Path, most: int = MOST_BYTES, formats: Sequence[str] = FORMATS) -> Mesh:
    """Return vertices (n, 3) in float64 and triangles (m, 3) of a mesh file, in the file's own axes and unit.

    Raises:
        ImporterError: When the file cannot be read, or holds no triangles.
    """
    kind = path.suffix.lower().lstrip(".")
    if kind not in formats:
        allowed = ", ".join(formats)
        raise ImporterError(f"mesh file {path}: got format '{kind}'; allowed: {allowed}; convert the file.")
    try:
        if path.stat().st_size > most:
            raise ImporterError(f"mesh file {path}: got {path.stat().st_size} bytes; allowed: at most {most}; simplify it, or pass a larger max_size.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImporterError(f"mesh file {path}: got {reason}; allowed: a readable file; check the path.") from None
    try:
        vertices, faces = _READERS.get(kind, _read_other)(data, kind)
    except Exception as error:  # trimesh raises whatever its format readers raise
        raise ImporterError(f"mesh file {path}: got {error!r}; allowed: a well-formed mesh; repair the file.") from None
    if vertices.ndim != 2 or vertices.shape[1:] != (3,) or faces.ndim != 2 or not len(faces):
        raise ImporterError(f"mesh file {path}: got no triangles; allowed: a triangle mesh; repair the file.")
    if faces.min() < 0 or faces.max() >= len(vertices) or not np.isfinite(vertices).all():
        raise ImporterError(f"mesh file {path}: got vertices or faces out of range; allowed: finite; repair the file.")
    return vertices, faces


def _read_other(data: bytes, kind: str) -> Mesh:
    """Read a format by trimesh; COLLADA names its unit, which trimesh leaves to its callers."""
    import trimesh

    loaded = trimesh.load(io.BytesIO(data), file_type=kind, process=False, force="mesh")
    vertices = np.array(loaded.vertices, dtype=np.float64)
    unit = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)", data) if kind == "dae" else None
    return vertices * float(unit.group(1)) if unit else vertices, np.array(loaded.faces, dtype=np.int64)


def _read_obj(data: bytes, kind: str) -> Mesh:
    """Read positions and faces of a Wavefront OBJ file; other lines do not matter here."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").replace("\\\n", " ").splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "v":
            vertices.append([float(word) for word in words[1:4]])
        elif len(words) > 3 and words[0] == "f":
            corners = [int(word.split("/")[0]) for word in words[1:]]
            faces.extend(_cut([c - 1 if c > 0 else len(vertices) + c for c in corners], vertices))
    return np.array(vertices, dtype=np.float64).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)


def _cut(corners: list[int], vertices: list[list[float]]) -> list[tuple[int, int, int]]:
    """Cut a polygon into triangles: four corners along the shorter diagonal, more as a fan."""
    if len(corners) == 4 and max(corners) < len(vertices):
        a, b, c, d = corners
        if _square(vertices[a], vertices[c]) >= _square(vertices[b], vertices[d]):
            return [(a, b, d), (b, c, d)]
    return [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]


def _square(a: list[float], b: list[float]) -> np.float32:
    """Squared distance in single precision, as the choice of a diagonal is made there."""
    difference = np.array(a, dtype=np.float32) - np.array(b, dtype=np.float32)
    return np.float32(difference @ difference)


def _read_msh(data: bytes, kind: str) -> Mesh:
    """Read MuJoCo's binary form: four counts, then positions, normals, texture coordinates and triangles."""
    counts = np.frombuffer(data, dtype="<i4", count=4)
    vertices, normals, coordinates, faces = (int(count) for count in counts)
    if min(vertices, normals, coordinates, faces) < 0:
        raise ValueError("negative counts")
    if len(data) != 16 + 4 * (3 * vertices + 3 * normals + 2 * coordinates + 3 * faces):
        raise ValueError("a length that does not fit its counts")
    points = np.frombuffer(data, dtype="<f4", count=3 * vertices, offset=16)
    start = 16 + 4 * (3 * vertices + 3 * normals + 2 * coordinates)
    corners = np.frombuffer(data, dtype="<i4", count=3 * faces, offset=start)
    return points.astype(np.float64).reshape(-1, 3), corners.astype(np.int64).reshape(-1, 3)


def _read_stl(data: bytes, kind: str) -> Mesh:
    """Read the triangles of a binary STL file, each with corners of its own; the rare text form is left to trimesh, which is slow to import."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        return _read_other(data, kind)
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("colour", "<u2")])
    corners = np.frombuffer(data, dtype=row, count=count, offset=84)["corners"]
    return corners.astype(np.float64).reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


_READERS = {"obj": _read_obj, "msh": _read_msh, "stl": _read_stl}
