"""A model as plain arrays and JSON and back, for recordings that need no other file; nothing is pickled.

Everything that a model keeps as arrays, numbers, texts, meshes, heightfields, materials and textures is written, ours or Newton's. What comes
back has the same attributes; it can be drawn, and it is not meant to be simulated.
"""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ImporterError, problem
from newtonish.model.attributes import AttributeNamespace
from newtonish.model.enums import Axis
from newtonish.model.geometry import Mesh
from newtonish.model.heightfield import Heightfield
from newtonish.model.libraries import Libraries
from newtonish.namespaces import looks
from newtonish.namespaces.looks_arrays import derived

__all__ = ["RecordedModel", "pack", "unpack"]

_MESH = ("vertices", "indices", "normals", "uvs", "texture", "color", "roughness", "metallic", "opacity", "name")
_CORNERS = ("texcoords", "face_texcoords")
_HFIELD = ("data", "nrow", "ncol", "hx", "hy", "min_z", "max_z")
_LOOKS = {kind.__name__: kind for kind in (looks.Texture, looks.Material, looks.LightLook, looks.CameraLook, looks.Skin)}
_OMITTED = ("import_reports", "actuators", "attribute_specs", "device")


def _names_of(kind: type) -> tuple[str, ...]:
    """Fields of an object of looks; of a texture the pixels in place of what makes them."""
    names = [field.name for field in fields(kind) if field.name not in ("make", "said")]
    return (*names, "pixels") if kind is looks.Texture else tuple(names)


class RecordedModel(SimpleNamespace):
    """The attributes of a model that was recorded, and ``state()`` for its frames."""

    def state(self) -> SimpleNamespace:
        """Poses and coordinates to be filled by frames."""
        names = ("body_q", "body_qd", "joint_q", "joint_qd")
        return SimpleNamespace(body_f=None, particle_q=None, **{name: _clone(getattr(self, name, None)) for name in names})


def _clone(array: Any) -> Any:
    return None if array is None else wp.clone(array)


class _Packer:
    """Collects arrays beside a description in JSON."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._seen: dict[int, int] = {}
        self.shared: list[Any] = []

    def value(self, value: Any) -> Any:
        """The description of a value; None for what is not kept."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return {"v": int(value) if isinstance(value, int) and not isinstance(value, bool) else value}
        if isinstance(value, wp.array):
            described = _name(value.dtype)
            return {"w": self._add(value.numpy()), "t": described} if described else None
        if isinstance(value, np.generic):
            return {"v": value.item()}
        if isinstance(value, np.ndarray):
            return {"n": self._add(value)} if value.dtype.kind in "biuf" else None
        if isinstance(value, (list, tuple)):
            return {"u" if isinstance(value, tuple) else "l": [self.value(item) for item in value]}
        if isinstance(value, dict):
            return {"d": {str(key): self.value(item) for key, item in value.items()}}
        if hasattr(value, "vertices") and hasattr(value, "indices"):
            return self._shared(value, "mesh", _MESH + _CORNERS)
        if hasattr(value, "nrow") and hasattr(value, "ncol"):
            return self._shared(value, "hfield", _HFIELD)
        if type(value).__name__ in _LOOKS:
            return self._shared(value, type(value).__name__, _names_of(_LOOKS[type(value).__name__]))
        if isinstance(value, Libraries):
            return {"b": {kind: self.value(value.rows(kind)) for kind in value.kinds}}
        if type(value).__name__ in ("AttributeNamespace", "SimpleNamespace"):
            later = getattr(value, "_later", ())  # made of the libraries when it is asked for
            kept = {name: item for name, item in vars(value).items() if not name.startswith("_") and name not in later}
            return {"s": {name: self.value(item) for name, item in kept.items()}}
        return None

    def _add(self, array: np.ndarray) -> int:
        self.arrays[f"model/{len(self.arrays)}"] = array
        return len(self.arrays) - 1

    def _shared(self, value: Any, kind: str, names: tuple[str, ...]) -> dict[str, int]:
        """A mesh, heightfield, texture or material, written once however often it is referred to."""
        if id(value) not in self._seen:
            parts = {name: self.value(getattr(value, name, None)) for name in names}  # what it refers to stands before it
            self._seen[id(value)] = len(self.shared)
            self.shared.append({"kind": kind, "parts": parts})
        return {"o": self._seen[id(value)]}


def pack(model: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A description for JSON, and the arrays it refers to."""
    packer = _Packer()
    attributes = {name: packer.value(item) for name, item in vars(model).items() if name not in _OMITTED and not name.startswith("_")}
    attributes["shape_collision_filter_pairs"] = packer.value(_pairs(model))
    return {"attributes": attributes, "shared": packer.shared}, packer.arrays


def _pairs(model: Any) -> np.ndarray:
    """(n, 2) pairs of shapes that do not collide, in a fixed order."""
    pairs = sorted(tuple(sorted(map(int, pair))) for pair in getattr(model, "shape_collision_filter_pairs", ()))
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def unpack(description: Any, arrays: Any) -> RecordedModel:
    """The model of a description.

    Raises:
        ImporterError: The description or an array is damaged.
    """
    try:
        shared: list[Any] = []
        for entry in description["shared"]:
            parts = {name: _value(item, arrays, shared) for name, item in entry["parts"].items()}
            shared.append(_MAKERS[entry["kind"]](parts))
        attributes = {name: _value(item, arrays, shared) for name, item in description["attributes"].items()}
        attributes["shape_collision_filter_pairs"] = set(map(tuple, attributes["shape_collision_filter_pairs"].tolist()))
        if attributes.get("up_axis") is not None:
            attributes["up_axis"] = Axis(attributes["up_axis"])
        model = RecordedModel(device=wp.get_device("cpu"), import_reports=[], **attributes)
        if "libraries" in attributes and "mujoco" in attributes:
            namespace = AttributeNamespace("mujoco")
            vars(namespace).update(vars(model.mujoco))
            namespace._later, model.mujoco = derived(model), namespace
        return model
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError) as error:
        text = problem("recording: its model", f"{type(error).__name__}: {error}", "what ViewerFile writes", "record it again")
        raise ImporterError(text) from error


def _value(item: Any, arrays: Any, shared: list[Any]) -> Any:
    """A value of its description."""
    if item is None:
        return None
    if "v" in item:
        return item["v"]
    if "w" in item:
        return wp.array(arrays[f"model/{item['w']}"], dtype=_dtype(item["t"]), device="cpu")
    if "n" in item:
        return arrays[f"model/{item['n']}"]
    if "l" in item:
        return [_value(part, arrays, shared) for part in item["l"]]
    if "u" in item:
        return tuple(_value(part, arrays, shared) for part in item["u"])
    if "o" in item:
        return shared[item["o"]]
    if "b" in item:
        libraries = Libraries()
        for kind, rows in item["b"].items():
            for row in _value(rows, arrays, shared):
                libraries.add(kind, row)
        return libraries
    inner = item["d"] if "d" in item else item["s"]
    values = {name: _value(part, arrays, shared) for name, part in inner.items()}
    return values if "d" in item else SimpleNamespace(**values)


def _name(dtype: Any) -> Any:
    """A Warp type in words: its name, or shape and scalar of a vector or matrix that has none; None for structs."""
    if not isinstance(dtype, type):
        return None
    if getattr(wp, dtype.__name__, None) is dtype:
        return dtype.__name__
    return [list(dtype._shape_), dtype._wp_scalar_type_.__name__]


def _dtype(name: Any) -> Any:
    """The Warp type of :func:`_name`."""
    if isinstance(name, list):
        shape, scalar = tuple(map(int, name[0])), _dtype(name[1])
        return wp.types.vector(length=shape[0], dtype=scalar) if len(shape) == 1 else wp.types.matrix(shape=shape, dtype=scalar)
    found = getattr(wp, name, None) if name.isidentifier() and not name.startswith("_") else None
    if not isinstance(found, type):
        raise ValueError(f"no type {name!r}")
    return found


def _mesh(parts: dict[str, Any]) -> Mesh:
    shown = {name: parts[name] for name in _MESH[2:]}
    mesh = Mesh(parts["vertices"], np.asarray(parts["indices"]).ravel(), compute_inertia=False, **shown)
    for name in _CORNERS:
        setattr(mesh, name, parts[name])
    return mesh


def _texture(parts: dict[str, Any]) -> looks.Texture:
    pixels = parts.pop("pixels")
    return looks.Texture(**parts, make=lambda: pixels)


_MAKERS = {
    **{name: lambda parts, kind=kind: kind(**parts) for name, kind in _LOOKS.items()},
    "Texture": _texture,
    "mesh": _mesh,
    "hfield": lambda parts: Heightfield(**parts),
}
"""What makes an object of its parts again, by kind."""
