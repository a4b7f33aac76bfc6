"""Finds and loads the mesh files of a URDF: ``package://`` and ``model://`` by search, relative names beside the file.

Where a name is looked for, in this order: the folder that ``<mujoco><compiler meshdir=…/>`` names; for packages the
folders of ``package_dirs``, then every folder upwards from the file, then those of ``ROS_PACKAGE_PATH`` and
``AMENT_PREFIX_PATH``; for other names the file's folder; at last, as MuJoCo does, the name without its folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from newtonish.common.paths import portable
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError, problem
from newtonish.importers.assets import FORMATS, load_mesh
from newtonish.importers.urdf.parts import Geometry
from newtonish.mjcf.language.limits import limits
from newtonish.model.geometry import Mesh

__all__ = ["MeshFiles", "local_file"]

SCHEMES = ("package://", "model://")
STAND_IN = (0.01, 0.01, 0.01)
"""Half extents [m] of the box that is drawn where a mesh cannot be read."""
_SHOWN = 12


def local_file(uri: str) -> str:
    """Return the path of a ``file:`` address; other text as it is."""
    if not uri.lower().startswith("file:"):
        return uri
    parts = urlsplit(uri)
    if parts.netloc.lower() not in ("", "localhost") or not parts.path.startswith("/"):
        raise ImporterError(problem(uri[:200], "the address of another machine, or not an absolute path", "file:///absolute/path", "copy the file here"))
    return unquote(parts.path)


class MeshFiles:
    """Meshes of one import; a file is read once, and used by all shapes of the same scale.

    Args:
        folder: Folder of the URDF file.
        package_dirs: Folders that hold packages, or are packages.
        meshdir: Folder of meshes relative to ``folder``; None where the file names none.
        strip: Whether folders in the names of meshes do not count in ``meshdir``.
        maxhullvert: Most vertices of convex hulls.
        log: Where missing and broken files are noted.
        what: What is looked for, in messages.
    """

    def __init__(
        self,
        folder: Path,
        package_dirs: Sequence[str | os.PathLike],
        meshdir: str | None,
        strip: bool,
        maxhullvert: int,
        log: Diagnostics,
        what: str = "mesh file",
    ) -> None:
        self._folder = folder
        self._packages = [Path(os.fspath(path)) for path in package_dirs]
        self._meshdir = meshdir
        self._strip = strip
        self._maxhullvert = maxhullvert
        self._log = log
        self._what = what
        self._files: dict[Path, tuple[np.ndarray, np.ndarray] | ImporterError] = {}
        self._meshes: dict[tuple[Path, tuple[float, ...]], Mesh] = {}

    def find(self, name: str) -> Path:
        """Return the path of an existing file.

        Raises:
            ImporterError: With the places searched.
        """
        if name.lower().startswith(("http://", "https://")):
            raise ImporterError(problem(name[:200], "an address in a network", "files of this machine", "download it and name the copy"))
        looked: list[str] = []
        for path in self._places(local_file(name)):
            if str(path) not in looked:
                looked.append(str(path))
                try:
                    if path.is_file():
                        return path
                except (OSError, ValueError):  # a name that no file can have
                    continue
        shown = ", ".join(looked[:_SHOWN]) + (f" and {len(looked) - _SHOWN} more places" if len(looked) > _SHOWN else "")
        remedy = "pass the folder that holds the package in package_dirs" if name.startswith(SCHEMES) else "check the path"
        raise ImporterError(problem(f"{self._what} '{name[:200]}'", f"no such file; looked for {shown}", "a file that exists", remedy))

    def _places(self, name: str) -> Iterator[Path]:
        """Paths at which a mesh may be."""
        scheme = next((scheme for scheme in SCHEMES if name.startswith(scheme)), "")
        inside = Path(portable(name[len(scheme) :]))
        if self._meshdir is not None:
            yield self._folder / self._meshdir / (inside.name if self._strip else inside)
        if scheme and inside.parts:
            yield from self._in_packages(inside)
        else:
            yield self._folder / inside
        yield self._folder / (self._meshdir or "") / inside.name

    def _in_packages(self, inside: Path) -> Iterator[Path]:
        """Paths of ``package/rest`` in folders of packages, or in a folder that is the package."""
        package, rest = inside.parts[0], Path(*inside.parts[1:])
        base = self._folder.absolute()
        for folder in (*self._packages, base, *base.parents):
            if folder.name == package:
                yield folder / rest
            yield folder / inside
        for folder in filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)):
            yield Path(folder) / rest if Path(folder).name == package else Path(folder) / inside
        for folder in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
            yield Path(folder) / "share" / inside

    def load(self, geometry: Geometry, only_seen: bool = False) -> None:
        """Give a geometry of kind mesh its mesh, scale applied; a missing or broken file is noted, with its place in the text.

        What is ``only_seen`` may be missing: a small box stands in for it, and a warning says so.
        """
        node = geometry.shape
        try:
            path = self.find(node.text["filename"].strip())
            key = (path, tuple(geometry.size))
            if key not in self._meshes:
                self._meshes[key] = self._mesh(path, np.array(geometry.size))
            geometry.mesh = self._meshes[key]
        except ImporterError as error:
            if not only_seen:
                self._log.failed(node.at("filename"), geometry.node.label, error)
                return
            geometry.kind, geometry.size = "box", list(STAND_IN)
            note = f"a small box is drawn in its place: {str(error).rstrip('.')}"
            self._log.approximated("visual.mesh", node.at("filename"), geometry.node.label, note)

    def _mesh(self, path: Path, scale: np.ndarray) -> Mesh:
        """Load a mesh and scale it; mirroring turns its triangles over so that they still face outwards."""
        if path not in self._files:
            self._files[path] = _read(path)
        found = self._files[path]
        if isinstance(found, ImporterError):
            raise found
        points, faces = found
        with np.errstate(over="ignore"):
            vertices = points * scale
        if not np.isfinite(vertices).all():
            raise ImporterError(problem(f"mesh file {path}", f"scale {scale.tolist()}", "finite vertices", "correct the scale"))
        faces = faces[:, ::-1] if np.prod(np.sign(scale)) < 0 else faces
        mesh = Mesh(vertices, faces.reshape(-1), maxhullvert=self._maxhullvert, name=path.stem)
        mesh.hull_points = points
        return mesh


def _read(path: Path) -> tuple[np.ndarray, np.ndarray] | ImporterError:
    """Return vertices and triangles of a file, or what is wrong with it."""
    try:
        return load_mesh(path, limits().size, (*FORMATS, "dae"))
    except ImporterError as error:
        return error
