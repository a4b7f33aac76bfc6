"""Signed distance fields: which geoms collide as one, and the instances of plugins by which MuJoCo tells fields apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GeomType
from newtonish.convert.meshes import MeshSet
from newtonish.convert.worlds import Worlds
from newtonish.model.fields import FieldInstance, field_of, field_parameters, parameter_names

__all__ = ["FieldSet", "instances_of"]

_MESHES = (GeomType.MESH,)


def instances_of(compiled: Any) -> list[FieldInstance]:
    """The instances of a compiled model's fields.

    Raises:
        ModelError: A field of the caller's is not registered in this process.
    """
    begins = compiled.plugin_attradr.tolist()
    ends = [*begins[1:], len(compiled.plugin_attr)][: len(begins)]
    found = []
    for name, plugin, begin, end in zip(compiled.plugin_names, compiled.plugin_kind_names, begins, ends, strict=True):
        texts = [text.decode() for text in compiled.plugin_attr[begin:end].tobytes().split(b"\0")[:-1]]
        config = ((key, text) for key, text in zip(parameter_names(plugin), texts, strict=True) if text)
        found.append(FieldInstance(plugin, tuple(config), name))
    return found


class FieldSet:
    """The instances of fields in order of first use."""

    def __init__(self) -> None:
        self.instances: list[FieldInstance] = []

    def geoms(self, worlds: Worlds, shapes: np.ndarray, kind: np.ndarray) -> np.ndarray:
        """Instance of each geom, -1 for none; geoms with fields get their type in ``kind``, in place.

        Args:
            worlds: The worlds.
            shapes: Template position of each geom's shape.
            kind: Type of each geom by its shape.
        """
        rows = worlds.index["shape"][0][shapes]
        plugin = np.full(len(rows), -1, dtype=np.int32)
        for geom in np.flatnonzero(np.isin(kind, _MESHES)).tolist():
            field = field_of(worlds.source.model.shape_source[rows[geom]])
            if field is not None:
                kind[geom], plugin[geom] = GeomType.SDF, self._number(field)
        return plugin

    def meshes(self, meshes: MeshSet) -> np.ndarray:
        """Instance of the field that each mesh is the surface of, -1 for none."""
        made = [getattr(mesh.source, "made_of", None) for mesh in meshes.meshes]
        return np.array([self._number(field) if isinstance(field, FieldInstance) else -1 for field in made], dtype=np.int32)

    def tables(self) -> dict[str, Any]:
        """Names, plugins and parameters of the instances: ``plugin_*``."""
        texts = [b"".join(text.encode() + b"\0" for text in field.texts) for field in self.instances]
        lengths = np.array([len(text) for text in texts], dtype=np.int32)
        return {
            "plugin_names": [field.name for field in self.instances],
            "plugin_kind_names": [field.plugin for field in self.instances],
            "plugin_attr": np.frombuffer(b"".join(texts), dtype=np.uint8).copy(),
            "plugin_attradr": (np.cumsum(lengths) - lengths).astype(np.int32),
        }

    def _number(self, field: FieldInstance) -> int:
        """Number of an instance, a new one where it is not known; -1 for an octree."""
        if not field.plugin:
            return -1
        if field not in self.instances:
            field_parameters(field)  # raises where they are wrong
            self.instances.append(field)
        return self.instances.index(field)
