"""Finds and loads mesh files.

OBJ and MSH (MuJoCo's old binary form) are read here, since how a polygon is cut into triangles changes the mass MuJoCo
computes from a mesh, and binary STL, the form of most robots' meshes; the other formats are read by trimesh. OBJ and MSH files may
hold points alone, which stand for their convex hull.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from newtonish.common.paths import portable
from newtonish.errors import ImporterError
from newtonish.files import read_file

__all__ = ["Surface", "hull_faces", "load_mesh", "load_surface", "resolve"]

MOST_BYTES = 512 * 1024 * 1024
_TRIANGLE = ((0, 1, 2),)
CONTENT_TYPES = {"model/obj": "obj", "model/stl": "stl", "model/vnd.mujoco.msh": "msh"}
FORMATS = ("obj", "stl", "msh", "ply", "off")
OF_POINTS = ("obj", "msh")
"""Formats whose files need not have faces."""


def resolve(folder: Path, directory: str, name: str) -> Path:
    """Return the path of an asset: its own when absolute, else in ``directory``, which is relative to ``folder``."""
    return folder / portable(directory) / portable(name)


Mesh = tuple[np.ndarray, np.ndarray]


class Surface(NamedTuple):
    """What a mesh file holds, in its own axes and unit.

    Attributes:
        vertices: (n, 3), float64.
        faces: (m, 3), vertices of each triangle.
        texcoords: (k, 2), v downwards from the picture's first row; None where there are none.
        face_texcoords: (m, 3), texture coordinates of each triangle; None where there are none.
        left_out: Number of faces of further objects that were left out.
    """

    vertices: np.ndarray
    faces: np.ndarray
    texcoords: np.ndarray | None = None
    face_texcoords: np.ndarray | None = None
    left_out: int = 0


def load_mesh(path: Path, most: int = MOST_BYTES, formats: Sequence[str] = FORMATS) -> Mesh:
    """Return vertices (n, 3) in float64 and triangles (m, 3) of all objects of a mesh file; raises as :func:`load_surface`."""
    vertices, faces = load_surface(path, most, formats, whole=True)[:2]
    try:
        return vertices, faces if len(faces) else hull_faces(vertices)
    except ValueError as error:
        raise ImporterError(f"mesh file {path}: got {error}; allowed: a triangle mesh, or points; repair the file.") from None


def hull_faces(vertices: np.ndarray, maxhullvert: int = -1, points: np.ndarray | None = None) -> np.ndarray:
    """Return the triangles (m, 3) of the convex hull of vertices, turned outwards.

    Args:
        vertices: (n, 3).
        maxhullvert: Most corners, -1 for no bound.
        points: Where the vertices were before they were scaled and moved, which decides on the corners of a bounded hull.

    Raises:
        ValueError: For points without a convex hull.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices if points is None else points, qhull_options="Qt" if maxhullvert < 0 else f"Qt Q9 TA{max(0, maxhullvert - 4)}")
    except (QhullError, ValueError):
        raise ValueError("no faces and no convex hull") from None
    faces = hull.simplices.copy()
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flip = np.einsum("fi,fi->f", normals, corners[:, 0] - vertices[hull.vertices].mean(axis=0)) < 0
    faces[flip] = faces[flip][:, ::-1]
    return faces


def load_surface(path: Path, most: int = MOST_BYTES, formats: Sequence[str] = FORMATS, content_type: str = "", whole: bool = False) -> Surface:
    """Return what a mesh file holds, with the texture coordinates of OBJ and MSH files; these may have no faces.

    Of an OBJ file of several objects MuJoCo takes all vertices, but the faces of the first object that has some.

    Args:
        path: The file.
        most: Most bytes that are read.
        formats: Allowed formats, by their extension.
        content_type: ``model/obj``, ``model/stl`` or ``model/vnd.mujoco.msh`` in place of the extension.
        whole: Whether the faces of all objects count.

    Raises:
        ImporterError: When the file cannot be read, or holds no mesh.
    """
    kind = CONTENT_TYPES.get(content_type, content_type) or path.suffix.lower().lstrip(".")
    if kind not in formats:
        allowed = ", ".join(formats)
        raise ImporterError(f"mesh file {path}: got format '{kind}'; allowed: {allowed}; convert the file.")
    try:
        if path.stat().st_size > most:
            raise ImporterError(f"mesh file {path}: got {path.stat().st_size} bytes; allowed: at most {most}; simplify it, or pass a larger max_size.")
        data = read_file(path, most)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImporterError(f"mesh file {path}: got {reason}; allowed: a readable file; check the path.") from None
    try:
        found = _read_obj(data, whole) if kind == "obj" else Surface(*_READERS.get(kind, _read_other)(data, kind))
    except Exception as error:  # trimesh raises whatever its format readers raise
        raise ImporterError(f"mesh file {path}: got {error!r}; allowed: a well-formed mesh; repair the file.") from None
    vertices, faces = found.vertices, found.faces
    empty = not len(vertices) if kind in OF_POINTS else not len(faces)
    if vertices.ndim != 2 or vertices.shape[1:] != (3,) or faces.ndim != 2 or empty:
        raise ImporterError(f"mesh file {path}: got no triangles; allowed: a triangle mesh; repair the file.")
    if faces.min(initial=0) < 0 or faces.max(initial=0) >= len(vertices) or not np.isfinite(vertices).all():
        raise ImporterError(f"mesh file {path}: got vertices or faces out of range; allowed: finite; repair the file.")
    return found


def _read_other(data: bytes, kind: str) -> Mesh:
    """Read a format by trimesh; COLLADA names its unit, which trimesh leaves to its callers."""
    import trimesh

    if kind == "dae" and b"<!ENTITY" in data:
        raise ValueError("a declaration of entities")
    loaded = trimesh.load(io.BytesIO(data), file_type=kind, process=False, force="mesh")
    vertices = np.array(loaded.vertices, dtype=np.float64)
    unit = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)", data) if kind == "dae" else None
    return vertices * float(unit.group(1)) if unit else vertices, np.array(loaded.faces, dtype=np.int64)


def _read_obj(data: bytes, whole: bool) -> Surface:
    """Read positions, texture coordinates and faces of a Wavefront OBJ file; other lines do not matter here.

    Unless the ``whole`` file is wanted, what follows an ``o`` or ``g`` after the first faces belongs to further objects.
    """
    vertices: list[list[float]] = []
    points: list[str] = []
    faces: list[tuple[int, int, int]] = []
    painted: list[tuple[int, int, int]] = []
    left_out = 0
    further = False
    for line in data.decode("utf-8", "replace").replace("\\\n", " ").splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "v":
            vertices.append([float(word) for word in words[1:4]])
        elif len(words) > 2 and words[0] == "vt":
            points += words[1:3]
        elif words and words[0] in ("o", "g") and line.lstrip()[1:2].isspace():
            further = bool(faces) and not whole
        elif len(words) > 3 and words[0] == "f" and further:
            left_out += 1
        elif len(words) > 3 and words[0] == "f":
            parts = [word.split("/") for word in words[1:]]
            cuts = _cut([_row(part[0], len(vertices)) for part in parts], vertices)
            faces.extend((_row(parts[a][0], len(vertices)), _row(parts[b][0], len(vertices)), _row(parts[c][0], len(vertices))) for a, b, c in cuts)
            if points and all(len(part) > 1 and part[1] for part in parts):
                corners = [_row(part[1], len(points) // 2) for part in parts]
                painted.extend((corners[a], corners[b], corners[c]) for a, b, c in cuts)
    found = np.array(vertices, dtype=np.float64).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)
    coordinates, colouring = np.array(points, dtype=np.float64).reshape(-1, 2), np.array(painted, dtype=np.int64).reshape(-1, 3)
    if len(colouring) != len(faces) or not len(colouring) or colouring.min() < 0 or colouring.max() >= len(coordinates):
        return Surface(*found, left_out=left_out)  # one corner without coordinates, and none has them
    coordinates[:, 1] = 1.0 - coordinates[:, 1]  # these files count from the bottom of the picture
    return Surface(*found, coordinates, colouring, left_out)


def _row(number: str, count: int) -> int:
    """Row of an element by its number in the file: from 1, or from the end of what is there."""
    given = int(number)
    return given - 1 if given > 0 else count + given


def _cut(corners: list[int], vertices: list[list[float]]) -> Sequence[tuple[int, int, int]]:
    """Cut a polygon into triangles of its corners: four along the shorter diagonal, more as a fan."""
    if len(corners) == 3:
        return _TRIANGLE
    if len(corners) == 4 and max(corners) < len(vertices):
        a, b, c, d = corners
        if _square(vertices[a], vertices[c]) >= _square(vertices[b], vertices[d]):
            return ((0, 1, 3), (1, 2, 3))
    return [(0, k, k + 1) for k in range(1, len(corners) - 1)]


def _square(a: list[float], b: list[float]) -> np.float32:
    """Squared distance in single precision, as the choice of a diagonal is made there."""
    difference = np.array(a, dtype=np.float32) - np.array(b, dtype=np.float32)
    return np.float32(difference @ difference)


def _read_msh(data: bytes, kind: str) -> Surface:
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
    found = points.astype(np.float64).reshape(-1, 3), corners.astype(np.int64).reshape(-1, 3)
    if coordinates != vertices:
        return Surface(*found)
    painted = np.frombuffer(data, dtype="<f4", count=2 * coordinates, offset=start - 8 * coordinates)
    return Surface(*found, painted.astype(np.float64).reshape(-1, 2), found[1])


def _read_stl(data: bytes, kind: str) -> Mesh:
    """Read the triangles of a binary STL file; corners of equal bits are one, in the order in which they come first, as in MuJoCo.

    The rare text form is left to trimesh, which is slow to import.
    """
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        return _read_other(data, kind)
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("colour", "<u2")])
    corners = np.ascontiguousarray(np.frombuffer(data, dtype=row, count=count, offset=84)["corners"]).reshape(-1, 3)
    first, which = _distinct(corners)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return corners[first[order]].astype(np.float64), place[which].reshape(-1, 3)


def _distinct(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each distinct row of three float32 numbers comes first, and which of them each row is.

    Numbers of 64 bits sort far faster than rows, so rows are told apart by a hash, unless two different rows should share one.
    """
    bits = corners.view(np.uint32).astype(np.uint64)
    code = (bits[:, 0] | bits[:, 1] << np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15) ^ bits[:, 2] * np.uint64(0xC2B2AE3D27D4EB4F)
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    if not np.array_equal(bits[first[which]], bits):
        _, first, which = np.unique(corners.view(np.dtype((np.void, 12))).ravel(), return_index=True, return_inverse=True)
    return first, which


_READERS = {"msh": _read_msh, "stl": _read_stl}
