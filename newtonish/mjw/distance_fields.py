"""Which signed distance field each geom of type ``sdf`` has: of a plugin by name, of the caller's as Warp functions, or of its mesh.

A compiled model of MuJoCo's keeps of a plugin the number that it was registered under in that process, and the parameters that the file gives;
the name has to be said. Models that were compiled here keep the names.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import warp as wp

from newtonish.common.enums import GeomType
from newtonish.errors import ModelError, problem
from newtonish.kernels.runtime.lanes import Mapping as Mapped
from newtonish.kernels.runtime.lanes import block_of, variant
from newtonish.kernels.runtime.launch import is_gpu, load_now
from newtonish.kernels.structs.field import vec8d
from newtonish.mjw.record import ModelRecord

__all__ = ["DistanceField", "FieldParameters", "GeomFields", "geom_fields", "register_field"]

FieldParameters = vec8d
"""Parameters of a signed distance field, eight numbers."""
_MOST = 8
_kernels: dict[tuple[Any, ...], wp.Kernel] = {}  # by the functions that they were made of
_registered: dict[str, DistanceField] = {}
_SIGNATURE = "a @wp.func (x: wp.vec3d, prm: mjw.FieldParameters)"


class DistanceField:
    """A signed distance field of the caller's, for geoms of type ``sdf``.

    Functions are called from many threads at once and may not keep anything between calls. Models with the same functions share a kernel.

    Args:
        distance: ``@wp.func`` (x: wp.vec3d, prm: mjw.FieldParameters) -> wp.float64: signed distance of a point in the frame of the geom's field
            from its surface [m], negative inside; where it is no exact one, at least of the right sign.
        gradient: ``@wp.func`` of the same arguments -> wp.vec3d; None: by central differences.
        parameters: values of ``prm`` that a plugin's instance does not give, eight at most; the rest is zero.
        names: names of the parameters, as files write them; of those that have none only the values in ``parameters`` count.
        box: half sizes [m] of the box around the origin of the field's frame that the surface lies in, or a function of the parameters that returns
            them; files that make a mesh of the field need it.

    Raises:
        ModelError: something is no Warp function of two arguments, or there are more parameters.
    """

    def __init__(self, distance: Any, gradient: Any = None, parameters: tuple[float, ...] = (), *, names: tuple[str, ...] = (), box: Any = None):
        for name, function, result in (("distance", distance, "wp.float64"), ("gradient", gradient, "wp.vec3d")):
            if function is None and name == "gradient":
                continue
            allowed = f"{_SIGNATURE} -> {result}"
            if not isinstance(function, wp.Function):
                raise ModelError(problem(f"DistanceField: {name}", f"a {type(function).__name__}", allowed, "decorate it with @wp.func"))
            number = len(inspect.signature(cast(Callable[..., Any], function.func)).parameters)
            if number != 2:
                raise ModelError(problem(f"DistanceField: {name}", f"{number} arguments", allowed, "change its signature"))
        self.distance, self.gradient = distance, gradient
        self.parameters = tuple(float(number) for number in parameters)
        if len(self.parameters) > _MOST:
            raise ModelError(problem("DistanceField: parameters", f"{len(self.parameters)}", f"{_MOST} at most", "give fewer"))
        self.names, self.box = tuple(names), box
        if len(self.names) > _MOST or len(set(self.names)) < len(self.names) or not all(isinstance(name, str) and name for name in self.names):
            raise ModelError(problem("DistanceField: names", repr(self.names), f"{_MOST} different names at most", "correct them"))
        if box is not None and not callable(box) and np.shape(box) != (3,):
            raise ModelError(problem("DistanceField: box", repr(box), "three half sizes [m], or a function of the parameters", "correct it"))


def register_field(name: str, field: DistanceField) -> None:
    """Let files and ``Mesh.from_field`` speak of a field by name, as of a plugin of MuJoCo's.

    Args:
        name: the plugin's name in ``<plugin plugin="...">``; another field of that name is forgotten.
        field: its functions.

    Raises:
        ModelError: the name is one of MuJoCo's fields or no name, or ``field`` is none.
    """
    from newtonish.kernels.sdf.fields import BOTH_WAYS, FIELDS, REGISTERED, FieldKind

    if not isinstance(name, str) or not name or name in FIELDS:
        allowed = f"a name other than {', '.join(FIELDS)}"
        raise ModelError(problem("register_field: name", repr(name), allowed, "choose another one"))
    if not isinstance(field, DistanceField):
        raise ModelError(problem(f"register_field: '{name}'", f"a {type(field).__name__}", "a mjw.DistanceField", "make one of the functions"))
    box: Any = field.box if field.box is None or callable(field.box) else _constant(tuple(float(half) for half in field.box))
    gradient = field.gradient or BOTH_WAYS
    REGISTERED[name] = FieldKind(field.distance, gradient, field.names, field.parameters, box)
    _registered[name] = field


def _constant(half: tuple[float, ...]) -> Callable[[Any], tuple[float, ...]]:
    return lambda prm: half


class GeomFields(NamedTuple):
    """The fields of a model.

    Attributes:
        of_geom: Field of each geom by number: a name of MuJoCo's, a DistanceField, or None for the octree of its mesh.
        prm: Parameters (8,) of each of these geoms.
        missing: Geoms of type ``sdf`` whose field is not known, and what is to be said of each.
    """

    of_geom: dict[int, str | DistanceField | None]
    prm: dict[int, np.ndarray]
    missing: dict[int, str]


def geom_fields(record: ModelRecord, given: Mapping[str | int, Any] | None) -> GeomFields:
    """The field of each geom of type ``sdf``.

    Args:
        record: compiled model.
        given: names of MuJoCo's plugins (``"mujoco.sdf.nut"``) or DistanceFields, by the name or number of the plugin's instance, or by the name of
            the geom.

    Raises:
        ModelError: ``given`` names nothing in the model, or no field.
    """
    geoms = np.flatnonzero(record.geom_type == GeomType.SDF)
    _check(record, given or {}, geoms)
    found = GeomFields({}, {}, {})
    for g in (int(i) for i in geoms):
        field, instance = _field_of(record, given or {}, g), int(record.geom_plugin[g])
        if field is not None:
            found.of_geom[g], found.prm[g] = field, _parameters(record, instance, field)
        elif instance < 0 and _has_octree(record, g):
            found.of_geom[g], found.prm[g] = None, np.zeros(_MOST)
        else:
            found.missing[g] = _question(record, g, instance)
    return found


def kernel_of(fields: GeomFields, device: Any, mapping: Mapped) -> wp.Kernel:
    """The kernel that finds contacts of a model with these fields, compiled where it is of the caller's functions."""
    from newtonish.kernels.fused.collision_sdf import collision_sdf_kernel, field_kernel
    from newtonish.kernels.sdf.fields import BOTH_WAYS, FIELDS, FieldKind

    own = tuple(dict.fromkeys(kind for kind in fields.of_geom.values() if isinstance(kind, DistanceField)))
    if not own:
        return collision_sdf_kernel
    functions = tuple((kind.distance, kind.gradient) for kind in own)
    if functions not in _kernels:
        name = f"user{len(_kernels)}"
        made = [FieldKind(d, g or BOTH_WAYS) for d, g in functions]
        _kernels[functions] = field_kernel((*FIELDS.values(), *made), name, "unique")
    kernel = _kernels[functions]
    if is_gpu(device):
        choice = mapping.choice(kernel)
        load_now([variant(kernel, choice).module], device, block_dim=block_of(choice.lanes), workers=0)
    else:
        load_now([kernel.module], device, block_dim=1, workers=0)
    return kernel


def instance_name(record: ModelRecord, instance: int) -> str:
    """Name of a plugin's instance; empty where it has none."""
    names = record.names_of["plugin"]
    return names[instance] if 0 <= instance < len(names) else ""


def _field_of(record: ModelRecord, given: Mapping[str | int, Any], g: int) -> Any:
    """What is given for a geom: under its own name, else under its instance's, else what the model says itself."""
    instance = int(record.geom_plugin[g])
    keys: list[str | int] = [record.geom_names[g]] if record.geom_names[g] else []
    if instance >= 0:
        keys += [name for name in (instance_name(record, instance),) if name] + [instance]
    name = record.plugin_kinds[instance] if 0 <= instance < len(record.plugin_kinds) else None
    known = name if name is None or name not in _registered else _registered[name]
    return next((given[key] for key in keys if key in given), known)


def _check(record: ModelRecord, given: Mapping[str | int, Any], geoms: np.ndarray) -> None:
    """Raise ModelError where a key or a value says nothing."""
    from newtonish.kernels.sdf.fields import FIELDS

    known = {*record.names_of["plugin"], *range(record.nplugin), *(record.geom_names[int(g)] for g in geoms)} - {""}
    for key, field in given.items():
        if key not in known:
            allowed = ", ".join(repr(name) for name in sorted(known, key=str)) or "nothing: there is no geom of type sdf"
            raise ModelError(problem("put_model: sdf", repr(key), allowed, "name a plugin's instance or a geom of type sdf"))
        if not isinstance(field, DistanceField) and field not in FIELDS:
            allowed = f"{', '.join(FIELDS)}, or a mjw.DistanceField"
            raise ModelError(problem(f"put_model: sdf[{key!r}]", repr(field), allowed, "correct it, or write the field as a Warp function"))


def _has_octree(record: ModelRecord, g: int) -> bool:
    mesh = int(record.geom_dataid[g])
    return mesh >= 0 and mesh < len(record.mesh_octadr) and int(record.mesh_octnum[mesh]) > 0


def _question(record: ModelRecord, g: int, instance: int) -> str:
    """What to say of a geom whose field is not known."""
    from newtonish.kernels.sdf.fields import FIELDS

    name = f"geom '{record.geom_names[g]}'" if record.geom_names[g] else f"geom {g}"
    if instance < 0:
        return problem(f"{name}: type sdf", "neither a plugin nor a mesh with an octree", "one of both", "pass sdf={name of the geom: mjw.DistanceField(...)}")
    key: str | int = instance_name(record, instance) or instance
    given = f"plugin instance {key!r}, of which a compiled model does not keep the plugin's name"
    return problem(f"{name}: type sdf", given, f"{', '.join(FIELDS)}, or a mjw.DistanceField", f"pass sdf={{{key!r}: name}}")


def _parameters(record: ModelRecord, instance: int, field: str | DistanceField) -> np.ndarray:
    """Parameters of an instance, the usual ones in place of those that it leaves out."""
    from newtonish.kernels.sdf.fields import FIELDS

    usual = field.parameters if isinstance(field, DistanceField) else FIELDS[field].usual
    prm = np.zeros(_MOST)
    prm[: len(usual)] = usual
    for i, text in enumerate(_attributes(record, instance)[: _MOST if isinstance(field, DistanceField) else len(usual)]):
        if not text.strip():
            continue
        try:
            prm[i] = float(text)
        except ValueError:
            what = f"plugin instance {instance_name(record, instance) or instance!r}: parameter {i}"
            raise ModelError(problem(what, repr(text), "a number", "correct it in the model's source")) from None
    return prm


def _attributes(record: ModelRecord, instance: int) -> list[str]:
    """The texts that a plugin's instance was configured with, in the order of the plugin's attributes; empty ones were left out."""
    if instance < 0:
        return []
    begins = [*record.plugin_attradr.tolist(), len(record.plugin_attr)]
    return [part.decode(errors="replace") for part in record.plugin_attr[begins[instance] : begins[instance + 1]].split(b"\0")[:-1]]
