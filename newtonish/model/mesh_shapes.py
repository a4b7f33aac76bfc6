"""Meshes of a builder that collide as something else: as convex parts, a hull, a box or a ball."""

# mypy: disable-error-code="misc"
# a mixin whose methods take the whole builder for self

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.arguments import shown
from newtonish.diagnostics import Entry, ImportReport
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError, problem
from newtonish.model.decomposition import Decomposition, convex_hull, decompose, least_ball, least_box
from newtonish.model.enums import AttributeFrequency, GeoType, ShapeFlags
from newtonish.model.fields import field_of
from newtonish.model.geometry import Mesh
from newtonish.model.inertia import shape_radius
from newtonish.model.tables import COLUMNS
from newtonish.model.transforms import transform_multiply

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

_PRIMITIVES = {"bounding_box": least_box, "bounding_sphere": least_ball}
METHODS = ("coacd", "convex_hull", *_PRIMITIVES)
_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)
_COLLIDES = int(ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES)


class MeshShapeMethods:
    """Part of :class:`~newtonish.ModelBuilder` that gives meshes another geometry to collide with."""

    def approximate_meshes(
        self: ModelBuilder,
        method: str = "convex_hull",
        shape_indices: Sequence[int] | None = None,
        raise_on_failure: bool = False,
        keep_visual_shapes: bool = False,
        *,
        cache_dir: str | PathLike[str] | None = None,
        **options: Any,
    ) -> set[int]:
        """Let meshes collide as something simpler than themselves, or, by ``"coacd"``, as what they are: a mesh has contacts as its convex hull.

        A shape keeps its index, its label and its place in pairs; it becomes the largest part, and further parts are shapes behind all others, with the same
        material, masks and excluded pairs, and with rows of their own wherever a row names a pair of shapes. What a row of another kind says of
        the shape, a sensor's for instance, it goes on to say of the largest part. Masses stay as they are. Call it before worlds are replicated.
        What became of each mesh stands in the last of ``builder.import_reports``.

        Args:
            method: ``"coacd"``, convex parts (extra ``decompose``); ``"convex_hull"``; ``"bounding_box"``, the least one, in any direction;
                ``"bounding_sphere"``.
            shape_indices: Shapes; those that are no meshes are passed over. None: all meshes that collide.
            raise_on_failure: Raise an error for a mesh that cannot be cut; False: warn, and take its convex hull.
            keep_visual_shapes: Go on drawing the mesh, by a shape that does not collide, and not what takes its place.
            cache_dir: Newton's, without effect here: a decomposition is not kept, write the model with its parts (``newtonish convert --decompose``).
            **options: Of :func:`newtonish.model.decomposition.decompose`, for ``"coacd"``: ``threshold``, ``max_convex_hull``, ``seed`` and those of CoACD's own.

        Returns:
            The shapes whose geometry changed, without the new ones; ``"coacd"`` leaves a mesh without hollows as it is.

        Raises:
            ModelError: there is no such method or shape, a shape collides as a distance field, or options without ``"coacd"``.
            UnsupportedError: a mesh cannot be cut, or ``coacd`` is not installed, with ``raise_on_failure``.
        """
        if method not in METHODS:
            raise ModelError(problem("approximate_meshes: method", shown(method), ", ".join(map(repr, METHODS)), "choose one of these"))
        if options and method != "coacd":
            raise ModelError(problem("approximate_meshes", f"options {', '.join(options)} for '{method}'", "options for 'coacd' only", "leave them out"))
        if cache_dir is not None:
            remedy = "write the model with its parts: newtonish convert --decompose"
            text = problem("approximate_meshes: cache_dir", f"{str(cache_dir)!r}, which has no effect", "None: decompositions are not kept", remedy)
            warnings.warn(text, NewtonishWarning, stacklevel=2)
        shapes = self.colliding_meshes() if shape_indices is None else self._checked_meshes(shape_indices)
        report = ImportReport(f"approximate_meshes('{method}')")
        known: dict[int, Decomposition] = {}  # a mesh of many shapes is cut once
        changed: set[int] = set()
        for shape in shapes:
            what, mesh = f"shape '{self.shape_label[shape]}'", self.shape_source[shape]
            if method == "coacd" and id(mesh) not in known:
                known[id(mesh)] = self._cut(mesh, what, raise_on_failure, options)
            if method == "coacd" and len(known[id(mesh)].parts) == 1:
                continue  # it collides as its convex hull in any case
            if keep_visual_shapes and self.shape_flags[shape] & ShapeFlags.VISIBLE:
                self._add_drawn_copy(shape)
            if method in _PRIMITIVES:
                self._replace_by_primitive(shape, *_PRIMITIVES[method](_scaled(mesh, self.shape_scale[shape])))
            else:
                self._divide(shape, known[id(mesh)].parts if method == "coacd" else [convex_hull(mesh)])
            changed.add(shape)
            note = str(known[id(mesh)]) if method == "coacd" else f"collides as its {method.replace('_', ' ')}"
            report.approximated.append(Entry(None, what, note))
        self.import_reports.append(report)
        return changed

    def colliding_meshes(self: ModelBuilder) -> list[int]:
        """Return the shapes that are meshes and collide as such, by their flags or because a row pairs them with another shape; not distance fields."""
        collides = (self._columns["shape_flags"].array & int(ShapeFlags.COLLIDE_SHAPES)) != 0
        for keys in self._pairing().values():
            for key in keys:
                paired = [int(one) for one in self.custom_attributes[key].values if one is not None and int(one) >= 0]
                collides[paired] = True
        meshes = np.flatnonzero(collides & np.isin(self._columns["shape_type"].array, _MESHES)).tolist()
        return [shape for shape in meshes if field_of(self.shape_source[shape]) is None]

    def _pairing(self: ModelBuilder) -> dict[str, list[str]]:
        """Attributes whose rows pair shapes, by custom frequency."""
        pairing: dict[str, list[str]] = {}
        for key, facet in self.shape_facets.items():
            attribute = self.custom_attributes.get(key)
            if facet == "collision" and attribute is not None and attribute.is_custom_frequency:
                pairing.setdefault(str(attribute.frequency), []).append(key)
        return pairing

    def _checked_meshes(self: ModelBuilder, shapes: Sequence[int]) -> list[int]:
        for shape in shapes:
            if not isinstance(shape, (int, np.integer)) or not 0 <= shape < self.shape_count:
                allowed = f"0 to {self.shape_count - 1}" if self.shape_count else "none, there are no shapes yet"
                raise ModelError(problem("approximate_meshes: shape_indices", shown(shape), allowed, "pass what add_shape returned"))
        meshes = [int(shape) for shape in dict.fromkeys(shapes) if self.shape_type[shape] in _MESHES]
        for shape in meshes:
            if field_of(self.shape_source[shape]) is not None:
                given, allowed = "a shape that collides as a distance field", "meshes"
                raise ModelError(problem(f"approximate_meshes: shape '{self.shape_label[shape]}'", given, allowed, "leave it out"))
        return meshes

    def _cut(self: ModelBuilder, mesh: Mesh, what: str, strictly: bool, options: dict[str, Any]) -> Decomposition:
        """The parts of a mesh; its hull, and a warning, where it cannot be cut and that is allowed."""
        try:
            return decompose(mesh, what, **options)
        except UnsupportedError as error:
            if strictly:
                raise
            warnings.warn(f"{error}; it collides as its convex hull.", NewtonishWarning, stacklevel=4)
            hull = convex_hull(mesh)
            return Decomposition([hull], mesh.mass if mesh.has_inertia else 0.0, hull.mass, hull.mass)

    def _divide(self: ModelBuilder, shape: int, parts: list[Mesh]) -> None:
        """Make a shape the first of these parts, and append the others."""
        label = self.shape_label[shape]
        numbers = [shape, *(self._append_shape_like(shape, f"{label}_{number}", drawn_only=False) for number in range(1, len(parts)))]
        for number, part in zip(numbers, parts, strict=True):
            self.shape_source[number] = part
            self.shape_type[number] = int(GeoType.CONVEX_MESH)
            self.shape_collision_radius[number] = shape_radius(GeoType.CONVEX_MESH, self.shape_scale[number], part)
        self._forget_mesh(shape)
        self._repeat_pairs(shape, numbers)

    def _replace_by_primitive(self: ModelBuilder, shape: int, kind: GeoType, pose: np.ndarray, size: np.ndarray) -> None:
        """Give a shape a box or a ball in place of its mesh; ``pose`` is in the mesh's frame."""
        self.shape_transform[shape] = transform_multiply(self._columns["shape_transform"].array[shape], pose)
        self.shape_type[shape], self.shape_source[shape], self.shape_scale[shape] = int(kind), None, size
        self.shape_collision_radius[shape] = shape_radius(kind, size, None)
        self._forget_mesh(shape)

    def _add_drawn_copy(self: ModelBuilder, shape: int) -> None:
        """Append a shape that looks the same and collides with nothing; the other is no longer drawn."""
        copy = self._append_shape_like(shape, f"{self.shape_label[shape]}_visual", drawn_only=True)
        self.shape_flags[copy] = int(self.shape_flags[copy]) & ~_COLLIDES
        self.shape_flags[shape] = int(self.shape_flags[shape]) & ~int(ShapeFlags.VISIBLE)

    def _append_shape_like(self: ModelBuilder, shape: int, label: str, drawn_only: bool) -> int:
        """Append a shape with all properties of another one, but for what ``shape_facets`` names; return its index."""
        copy, body = self.shape_count, int(self.shape_body[shape])
        for name, spec in COLUMNS.items():
            if spec.entity == AttributeFrequency.SHAPE:
                column = self._columns[name]
                column.append(column[shape] if spec.storage is None else column.array[shape])
        self.shape_label[copy] = label
        self._topology.add_shape(copy, body)
        left_out = "collision" if drawn_only else "mesh"
        for attribute in self.get_custom_attributes_by_frequency([AttributeFrequency.SHAPE]):
            if shape in attribute.values and self.shape_facets.get(attribute.key) != left_out:
                attribute.values[copy] = attribute.values[shape]
        if not drawn_only:
            pairs = self._filter_pairs.array
            for one, other in pairs[(pairs == shape).any(axis=1)].tolist():
                self._filter_pairs.add(other if one == shape else one, copy)
        return copy

    def _forget_mesh(self: ModelBuilder, shape: int) -> None:
        """Take back what custom attributes said of the mesh that is no longer there."""
        for attribute in self.get_custom_attributes_by_frequency([AttributeFrequency.SHAPE]):
            if self.shape_facets.get(attribute.key) == "mesh":
                attribute.values.pop(shape, None)

    def _repeat_pairs(self: ModelBuilder, shape: int, parts: list[int]) -> None:
        """Repeat rows of custom frequencies that pair this shape with another one, for every part."""
        for frequency, keys in self._pairing().items():
            attributes = self.get_custom_attributes_by_frequency([frequency])
            for row in range(self._custom_frequency_counts.get(frequency, 0)):
                named = [self.custom_attributes[key].values[row] for key in keys]
                if shape not in [int(one) for one in named if one is not None]:
                    continue
                given = {one.key: one.values[row] for one in attributes if one.values[row] is not None}
                choices = [parts if one is not None and int(one) == shape else [one] for one in named]
                for chosen in list(product(*choices))[1:]:
                    self.add_custom_values(**{**given, **dict(zip(keys, chosen, strict=True))})


def _scaled(mesh: Mesh, scale: Any) -> Mesh:
    """The mesh as a shape shows it."""
    return mesh.copy(vertices=mesh.vertices * np.asarray(scale, dtype=np.float64))
