"""Finds and loads mesh files."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from newtonish.errors import ImporterError

__all__ = ["load_mesh", "resolve"]

FORMATS = ("obj", "stl", "ply", "off")
MAX_BYTES = 512 * 1024 * 1024


def resolve(folder: Path, directory: str, name: str) -> Path:
    """Return the path of an asset: its own when absolute, else in ``directory``, which is relative to ``folder``."""
    return folder / directory / name


def load_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) in float64 and triangles (m, 3) of a mesh file, in the file's own axes and unit.

    Raises:
        ImporterError: When the file cannot be read, or holds no triangles.
    """
    import trimesh

    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        allowed = ", ".join(FORMATS)
        raise ImporterError(f"mesh file {path}: got format '{kind}'; allowed: {allowed}; convert the file.")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ImporterError(f"mesh file {path}: got more than {MAX_BYTES >> 20} MiB; allowed: less; simplify it.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImporterError(f"mesh file {path}: got {reason}; allowed: a readable file; check the path.") from None
    try:
        loaded = trimesh.load(io.BytesIO(data), file_type=kind, process=False, force="mesh", skip_materials=True)
        vertices = np.array(loaded.vertices, dtype=np.float64)
        faces = np.array(loaded.faces, dtype=np.int64)
    except ImporterError:
        raise
    except Exception as error:  # trimesh raises whatever its format readers raise
        raise ImporterError(f"mesh file {path}: got {error!r}; allowed: a well-formed mesh; repair the file.") from None
    if vertices.ndim != 2 or vertices.shape[1:] != (3,) or faces.ndim != 2 or not len(faces):
        raise ImporterError(f"mesh file {path}: got no triangles; allowed: a triangle mesh; repair the file.")
    if faces.min() < 0 or faces.max() >= len(vertices) or not np.isfinite(vertices).all():
        raise ImporterError(f"mesh file {path}: got vertices or faces out of range; allowed: finite; repair the file.")
    return vertices, faces
