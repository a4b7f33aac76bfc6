"""Objects of a Model or Data by name or number, as in MuJoCo's bindings: ``m.body("torso").mass``, ``d.joint("knee").qpos``.

An object has no values of its own: its attributes are slices of the arrays that ``m`` and ``d`` have at that moment, every world in front.
What is written into a slice is in the array, and the next step reads it.
"""

from __future__ import annotations

import difflib
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numpy as np
import warp as wp

from newtonish.common.enums import JointType
from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.grouped import Grouped
from newtonish.kernels.structs.host_fields import HOST_FIELD_ENTRIES
from newtonish.mjw.matching import integer

__all__ = ["Entry", "Named", "attributes", "fields", "find", "place_in"]


class Kind(NamedTuple):
    """One kind of object: how it is called, and by which sizes its entries are recognised."""

    title: str
    names: str  # in m.names
    prefixes: tuple[str, ...]  # of flat names, which its attributes go without
    spans: dict[str, tuple[str, ...]]  # size of an axis: first entry and number of entries; () for the object's own number


class Entry(NamedTuple):
    """An attribute: the array it is a slice of, and along which axis."""

    flat: str
    size: str
    axis: int  # 1 behind the worlds, 0 where there are none
    doc: str


_ACTUATED = {"nactuator": (), "nu": ("actuator_ctrladr", "actuator_ctrlnum"), "nout": ("actuator_outadr", "actuator_outnum"),
             "na": ("actuator_actadr", "actuator_actnum")}  # fmt: skip
_BODY = Kind("body", "body", ("body_",), {"nbody": (), "nmocap": ("body_mocapid",)})
_JOINT = Kind("joint", "jnt", ("jnt_", "dof_"), {"njnt": (), "nq": ("jnt_qposadr",), "nv": ("jnt_dofadr",)})
_GEOM = Kind("geom", "geom", ("geom_",), {"ngeom": ()})
_SITE = Kind("site", "site", ("site_",), {"nsite": ()})
_ACTUATOR = Kind("actuator", "actuator", ("actuator_",), _ACTUATED)
_SENSOR = Kind("sensor", "sensor", ("sensor_", "sensor"), {"nsensor": (), "nsensordata": ("sensor_adr", "sensor_dim")})
_TENDON = Kind("tendon", "tendon", ("tendon_", "ten_"), {"ntendon": ()})
_EQUALITY = Kind("equality", "eq", ("eq_",), {"neq": ()})
_CAMERA = Kind("camera", "cam", ("cam_",), {"ncam": ()})
_LIGHT = Kind("light", "light", ("light_",), {"nlight": ()})
_KEY = Kind("key", "key", ("key_",), {"nkey": ()})
_KINDS = {
    "body": _BODY, "joint": _JOINT, "jnt": _JOINT, "geom": _GEOM, "site": _SITE, "actuator": _ACTUATOR, "sensor": _SENSOR,
    "tendon": _TENDON, "ten": _TENDON, "equality": _EQUALITY, "eq": _EQUALITY, "camera": _CAMERA, "cam": _CAMERA, "light": _LIGHT,
    "key": _KEY,
}  # fmt: skip
_GROUPS = frozenset(
    {
        "body", "jnt", "dof", "geom", "site", "actuator", "tendon", "sensor", "eq", "hist", "cam", "light", "gain",
        "state", "kin", "com", "mass", "vel", "frc", "drive", "ten", "sol", "sense", "camlight",
    }
)  # fmt: skip
"""Groups with something for the user in them; the others order the work of kernels."""
_WIDTHS = {JointType.FREE: (7, 6), JointType.BALL: (4, 3)}
"""Coordinates and dofs of joints that have more than one."""


def find(owner: Grouped, name: str, key: Any) -> Named:
    """The object of a kind in a Model or Data.

    Args:
        owner: the Model or Data.
        name: the kind: body, joint, geom, site, actuator, sensor, tendon, equality, camera, light, key, or MuJoCo's short form of it.
        key: name or number; of names that are paths the last parts are enough, where only one ends so.

    Raises:
        ModelError: there is no such kind, or no such object.
    """
    m, label = _model_of(owner), "m" if isinstance(owner, Model) else "d"
    kind = _KINDS.get(name)
    if kind is None:
        allowed = ", ".join(sorted({one.title for one in _KINDS.values()}))
        raise ModelError(problem(f"{label}.{name}", "a call", allowed, f"read its arrays, such as {label}.{name}_..., or call one of these"))
    names = m.names[kind.names]
    if isinstance(key, str):
        ends = [number for number, path in enumerate(names) if path.endswith(f"/{key}")] if key and key not in names else []
        if not key or (key not in names and len(ends) != 1):
            _refuse(f"{label}.{name}", kind, key, names)
        at = ends[0] if ends else names.index(key)
        return Named(owner, kind, at, names[at])
    number = integer(f"{label}.{name}", key, 0)
    if number >= len(names):
        allowed = f"0 to {len(names) - 1}" if names else f"none, the model has no {kind.title}"
        raise ModelError(problem(f"{label}.{name}", repr(key), allowed, "choose one of these"))
    return Named(owner, kind, number, names[number])


def fields(owner: Grouped) -> dict[str, bool]:
    """Every field of a Model or Data but the scratch of kernels, and whether its first axis is that of the worlds."""
    found = {flat: bool(per_world) for flat, _, per_world in HOST_FIELD_ENTRIES} if isinstance(owner, Model) else {}
    return found | {flat: bool(f.per_world) for flat, (_, f) in owner.FLAT.items() if not f.scratch}


def place_in(owner: Grouped, flat: str, key: str) -> int | slice:
    """Where an object of a name stands along the first axis behind the worlds of an array, such as ``"qpos"`` and a joint.

    Raises:
        ModelError: The array's rows are no objects with names, or none has this one.
    """
    g, f = owner.FLAT[flat]
    size = str(f.dims[0]) if f.dims else ""
    kind = next((kind for kind in _KINDS.values() if size in kind.spans), None)
    if kind is None:
        raise ModelError(problem(f"{flat}[{key}]", "a name", "numbers: its rows are no objects with names", "give the number of the row"))
    return find(owner, kind.title, key)._place(Entry(flat, size, int(f.per_world), ""))


def _model_of(owner: Grouped) -> Model:
    """The Model itself, or the one that a Data was made for or stepped with last."""
    if isinstance(owner, Model):
        return owner
    matched = owner.__dict__["matched"]
    if matched is None:
        raise ModelError(problem("d", "data that no model is known of", "data of make_data, put_data or load", "call mjw.reset_data(m, d) first"))
    return matched[0]


def _refuse(label: str, kind: Kind, key: str, names: list[str]) -> NoReturn:
    known = [name for name in names if name]
    listed = ", ".join(repr(name) for name in known[:8]) + (f" and {len(known) - 8} others" if len(known) > 8 else "")
    near = difflib.get_close_matches(key, known, n=3)
    remedy = f"did you mean {' or '.join(map(repr, near))}?" if near else f"choose one of these, or a number from 0 to {len(names) - 1}"
    raise ModelError(problem(f"{label}", repr(key), listed or f"none, no {kind.title} has a name", remedy if names else "name it in the model"))


@cache
def attributes(owner: type[Grouped], title: str) -> dict[str, Entry]:
    """Attributes of a kind of object in a Model or in a Data, by their names without the kind in front.

    Where two arrays have the same name so, as ``jnt_solref`` and ``dof_solref``, the second keeps its whole one.
    """
    kind = _KINDS[title]
    found: dict[str, Entry] = {}
    for flat, (g, f) in owner.FLAT.items():
        if g.name in _GROUPS and f.dims and f.dims[0] in kind.spans and not f.scratch:
            _add(found, kind, Entry(flat, str(f.dims[0]), int(f.per_world), f.doc))
    own = next(iter(kind.spans))
    for flat, _, per_world in HOST_FIELD_ENTRIES if owner is Model else ():
        if flat.startswith(kind.prefixes) and flat not in ("dof_Madr", "dof_length"):
            _add(found, kind, Entry(flat, own, int(per_world), ""))
    return found


def _add(found: dict[str, Entry], kind: Kind, entry: Entry) -> None:
    short = next((entry.flat.removeprefix(prefix) for prefix in kind.prefixes if entry.flat.startswith(prefix)), entry.flat)
    found[entry.flat if short in found else short] = entry


class Named:
    """One object of a Model or Data. Attributes are arrays (nworld, ...), or without the axis of worlds where the model has none.

    They are views: ``d.joint("knee").qpos.fill_(0.1)`` and ``d.joint("knee").qpos = 0.1`` write into ``d.qpos``. In a Model the axis
    of worlds has length 1 where all share one value; giving as many values as there are worlds makes it one for each.

    Attributes:
        id: its number.
        name: its name; empty if it has none.
    """

    __slots__ = ("_kind", "_owner", "id", "name")

    id: int
    name: str

    def __init__(self, owner: Grouped, kind: Kind, number: int, name: str) -> None:
        for slot, value in (("_owner", owner), ("_kind", kind), ("id", number), ("name", name)):
            object.__setattr__(self, slot, value)

    def __getattr__(self, name: str) -> Any:
        return self._slice(self._entry(name))

    def __setattr__(self, name: str, value: Any) -> None:
        entry = self._entry(name)
        host, old = np.asarray(value.numpy() if hasattr(value, "numpy") else value), self._slice(entry)
        shape = (*old.shape, *getattr(old.dtype, "_shape_", ()))
        whole = getattr(self._owner, entry.flat)
        if isinstance(self._owner, Model) and entry.axis == 1 and old.shape[0] == 1 and host.ndim == len(shape) and host.shape[0] > 1:
            self._set(entry, np.repeat(whole.numpy(), host.shape[0], axis=0), self._fitted(name, host, (host.shape[0], *shape[1:])))
        elif isinstance(self._owner, Model) and entry.flat not in self._owner.FLAT:  # others follow from it when it is set by name
            self._set(entry, whole.numpy().copy(), self._fitted(name, host, shape))
        else:
            kind = old.dtype
            old.assign(wp.array(self._fitted(name, host, shape), dtype=kind, ndim=old.ndim, device=old.device))

    def _set(self, entry: Entry, whole: np.ndarray, value: np.ndarray) -> None:
        """Replace the whole array by a copy with ``value`` in it."""
        whole[(slice(None),) * entry.axis + (self._place(entry),)] = value
        setattr(self._owner, entry.flat, whole)

    def _fitted(self, name: str, host: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        if host.shape == shape[: host.ndim] and shape[host.ndim :].count(1) == len(shape) - host.ndim:
            host = host.reshape(shape)  # one number for each world
        try:
            if host.dtype.kind in "biuf":
                return np.ascontiguousarray(np.broadcast_to(host, shape))
        except ValueError:
            pass
        given = f"values of shape {host.shape} of {host.dtype}"
        raise ModelError(problem(f"{self._title()}.{name}", given, f"numbers of shape {shape}", "give one value for all worlds or one for each"))

    def _entry(self, name: str) -> Entry:
        known = attributes(type(self._owner), self._kind.title)
        if name in known:
            return known[name]
        near = difflib.get_close_matches(name, known, n=3)
        other = Data if isinstance(self._owner, Model) else Model
        if name in attributes(other, self._kind.title):
            remedy = f"ask {'d' if other is Data else 'm'} for it: {'d' if other is Data else 'm'}.{self._kind.title}({self._key()!r}).{name}"
        else:
            remedy = f"did you mean {' or '.join(near)}?" if near else "see dir() of it"
        raise AttributeError(problem(f"{self._title()}", f"attribute {name!r}", ", ".join(sorted(known)) or "none here", remedy))

    def _slice(self, entry: Entry) -> wp.array:
        array, place = getattr(self._owner, entry.flat), self._place(entry)
        number = 1 if isinstance(place, int) else place.stop - place.start
        if number * array.size == 0:  # no activations, or no coordinates in a keyframe
            shape = (*array.shape[: entry.axis], number, *array.shape[entry.axis + 1 :])
            return wp.empty(shape, dtype=array.dtype, device=array.device)
        if entry.axis == 0:  # one element stays an array, as in MuJoCo's bindings
            return array[slice(place, place + 1) if isinstance(place, int) else place] if array.ndim == 1 else array[place]
        return array[:, place]

    def _place(self, entry: Entry) -> int | slice:
        """Where the object stands along an axis, from what the structure was when the model was put: nothing is read from the device."""
        span, tables = self._kind.spans[entry.size], _model_of(self._owner).structure.arrays
        if not span:
            return self.id
        first = max(int(tables[span[0]][1][self.id]), -1)
        if len(span) == 2:
            count = int(tables[span[1]][1][self.id])
        elif entry.size == "nmocap":
            count = int(first >= 0)
        else:
            count = _WIDTHS.get(JointType(int(tables["jnt_type"][1][self.id])), (1, 1))[entry.size == "nv"]
        first = max(first, 0)
        return slice(first, first + count)

    def _key(self) -> int | str:
        return self.name or self.id

    def _title(self) -> str:
        return f"{'m' if isinstance(self._owner, Model) else 'd'}.{self._kind.title}({self._key()!r})"

    def __dir__(self) -> list[str]:
        return sorted({"id", "name", *attributes(type(self._owner), self._kind.title), *dir(object)})

    def __repr__(self) -> str:
        """The object's attributes with their shapes and meanings; nothing is read from the device."""
        lines = [f"<{self._title()}: {self._kind.title} {self.id} of {self._owner!r}"]
        for name, entry in sorted(attributes(type(self._owner), self._kind.title).items()):
            array = self._slice(entry)
            lines.append(f"  {name}: {array.shape} of {array.dtype.__name__}" + (f", {entry.doc}" if entry.doc else ""))
        return "\n".join(lines) + ">"
