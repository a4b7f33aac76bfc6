"""Model and Data: groups of device arrays under one roof, reachable by MuJoCo's flat names as well.

``m.body`` is the struct that kernels take, ``m.body_mass`` the same array by its flat name. Setting a flat name checks
dtype and shape and takes effect at the next step: captured graphs hold copies of the structs, so every change of a
struct raises ``version``, which makes ``step`` capture again.
"""

from __future__ import annotations

import copy
import dataclasses
import difflib
import operator
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np
import warp as wp

from newtonish.kernels.runtime.callbacks import Callbacks
from newtonish.kernels.structs.checked import checked
from newtonish.kernels.structs.data import DATA_GROUPS
from newtonish.kernels.structs.field import Field, Group, own, variant
from newtonish.kernels.structs.flat import DataFields, ModelFields
from newtonish.kernels.structs.host_fields import HOST_FIELDS
from newtonish.kernels.structs.memory import zeros, zeros_on_host
from newtonish.kernels.structs.model import MODEL_GROUPS
from newtonish.kernels.structs.options import copy_options

# fields that decide whether a model can do with simple kernels; whoever replaces one gets the general ones
STRUCTURAL = frozenset(
    {
        "actuator_trntype", "actuator_trnid", "actuator_gaintype", "actuator_biastype", "actuator_dyntype", "actuator_law",
        "actuator_actadr", "actuator_outnum", "jnt_type", "geom_type", "ntendon",
    }
)  # fmt: skip


class Simple(NamedTuple):
    """Stages that a model may have the simple kernels for (docs/decisions/011.md)."""

    position: bool = False
    collision: bool = False
    smooth: bool = False
    constraint: bool = False
    implicitfast: bool = False


class Grouped:
    """Common part of Model and Data: allocation, flat names, views over a slice of the worlds."""

    GROUPS: tuple[Group, ...] = ()
    ATTRIBUTES: frozenset[str] = frozenset()  # what may be set beside the arrays
    COPIES: str  # what there is instead of pickle and deepcopy
    COPY_REMEDY: str
    SHOWN: frozenset[str] = frozenset()  # beside the arrays by their flat names, in ``dir``
    FLAT: ClassVar[dict[str, tuple[Group, Field]]]

    # what Model and Data set in their own way; their stubs have the arrays
    version: int
    nworld: int
    first_world: int
    device: Any
    finder: Any

    def __init_subclass__(cls) -> None:
        cls.FLAT = {g.flat_name(f): (g, f) for g in cls.GROUPS if g.name != "opt" for f in g.fields}

    def __init__(self, nworld: int, device: Any):
        self.__dict__["version"] = 0
        self.__dict__["nworld"] = nworld
        self.__dict__["copies"] = 1  # worlds that stand for one of the model's, in finite differences
        self.__dict__["first_world"] = 0  # of a view: which world of the whole its first one is
        self.__dict__["device"] = wp.get_device(device)
        self.__dict__["finder"] = None  # finds objects by name (newtonish/mjw/by_name.py)
        for g in self.GROUPS:
            self.__dict__[g.name] = own(g.struct(), self)

    if not TYPE_CHECKING:  # checkers know the names, and are to say which are misspelt

        def __getattr__(self, name: str) -> Any:
            found = type(self).FLAT.get(name)
            if found is None:
                near = [] if name.startswith("_") else difflib.get_close_matches(name, [*self.FLAT, *self.ATTRIBUTES], n=3)
                remedy = f"; did you mean {' or '.join(near)}?" if near else ""
                raise AttributeError(f"{type(self).__name__} has no array or attribute {name!r}{remedy}")
            g, f = found
            return getattr(self.__dict__[g.name], f.name)

    def __dir__(self) -> list[str]:
        """MuJoCo's names, and what else a program uses; what launches and growth keep here is left out."""
        return sorted({*self.FLAT, *self.SHOWN, *dir(object)})

    def __setattr__(self, name: str, value: Any) -> None:
        found = type(self).FLAT.get(name)
        if found is not None:
            self.set_field(*found, value)
        elif name in self.__dict__ or name in self.ATTRIBUTES:
            self.__dict__[name] = value
        else:  # a misspelt array would otherwise be set without effect
            near = difflib.get_close_matches(name, [*self.FLAT, *self.ATTRIBUTES], n=3)
            remedy = f"did you mean {' or '.join(near)}?" if near else "keep attributes of your own elsewhere"
            allowed = "its arrays and attributes" + ("; options are set as m.opt.<name>" if hasattr(self, "opt") else "")
            raise AttributeError(f"{type(self).__name__}.{name}: got an unknown name; allowed: {allowed}; {remedy}")

    def set_field(self, g: Group, f: Field, value: Any) -> None:
        """Replace one field; ``wp.array`` and tensors of PyTorch are kept, anything else that numpy understands is copied."""
        struct = self.__dict__[g.name]
        if f.dims is None:
            setattr(struct, f.name, self._as_number(g, f, value))
        else:
            setattr(struct, f.name, self._as_array(g, f, value))
        self.__dict__["version"] += 1

    def _as_number(self, g: Group, f: Field, value: Any) -> float | int:
        """``value`` as a number of the field's kind, or a ValueError that says what would be one."""
        try:
            return float(value) if f.dtype is float else operator.index(value)
        except (TypeError, ValueError, OverflowError):
            allowed = "a number" if f.dtype is float else "an integer"
            given = f"{value!r} of type {type(value).__name__}"
            raise ValueError(f"{type(self).__name__}.{g.flat_name(f)}: got {given}; allowed: {allowed}; pass that.") from None

    def _as_array(self, g: Group, f: Field, value: Any) -> wp.array:
        """``value`` as an array that fits the field, or a ValueError that says what would."""
        old = getattr(self.__dict__[g.name], f.name).shape
        tail = old[1:] if f.per_world else old
        allowed = f"({', '.join([*([self._worlds_allowed()] if f.per_world else []), *map(str, tail)])})"
        if type(value).__module__.split(".")[0] == "torch":
            value = self._shared(g, f, value, allowed)
        elif not isinstance(value, wp.array):
            value = self._upload(g, f, value, allowed)
        elif value.dtype == wp.quat and f.dtype == wp.vec4:  # mujoco_warp's type for the same four numbers, w first
            value = value.view(wp.vec4)
        given = value.shape[1:] if f.per_world else value.shape
        fits = value.ndim == f.ndim and given == tail and (not f.per_world or self._world_axis_fits(value.shape[0]))
        if not fits or value.dtype != f.dtype or value.device != self.device or not value.is_contiguous:
            loose = "" if value.is_contiguous else "non-contiguous "
            got = f"{loose}array of shape {value.shape} of {value.dtype.__name__} on {value.device}"
            self._refuse(g, f, got, allowed)
        return value

    def _shared(self, g: Group, f: Field, tensor: Any, allowed: str) -> wp.array:
        """The memory of a tensor of PyTorch as an array: what is written into the tensor later is seen."""
        try:
            return wp.from_torch(tensor.detach(), dtype=f.dtype)
        except (TypeError, ValueError, RuntimeError):  # another type, or other components
            self._refuse(g, f, f"a tensor of shape {tuple(tensor.shape)} of {tensor.dtype} on {tensor.device}", allowed)

    def _upload(self, g: Group, f: Field, value: Any, allowed: str) -> wp.array:
        """A copy on the device of anything numpy understands."""
        components = getattr(f.dtype, "_shape_", ())  # of a vector or matrix type
        try:
            host = np.asarray(value)
            if host.ndim == f.ndim + len(components) and host.shape[f.ndim :] == components:
                made = wp.array(host, dtype=f.dtype, device=self.device, ndim=f.ndim)
                return checked(made, f"{type(self).__name__}.{g.flat_name(f)}")
        except (TypeError, ValueError, RuntimeError):
            pass  # ragged, or of a type that has no number
        shape = f" of shape {np.shape(value)}" if isinstance(value, np.ndarray) else ""
        self._refuse(g, f, f"{type(value).__name__}{shape}", allowed)

    def _refuse(self, g: Group, f: Field, got: str, allowed: str) -> NoReturn:
        raise ValueError(
            f"{type(self).__name__}.{g.flat_name(f)}: got {got}; allowed: contiguous array of shape {allowed} of "
            f"{f.dtype.__name__} on {self.device}; reshape or convert it, or rebuild the model if sizes changed."
        )

    def _world_axis_fits(self, length: int) -> bool:
        return length == self.nworld

    def _worlds_allowed(self) -> str:
        return str(self.nworld)

    def find(self, kind: str, key: int | str) -> Any:
        """The object of a kind (``body``, ``joint``, ...) by name or number; see ``newtonish.mjw.by_name``."""
        return self.finder(self, kind, key)

    def touch(self) -> None:
        """Tell ``step`` that an array of a struct was replaced directly (``d.state.qpos = array``); ``m.opt`` needs none."""
        self.__dict__["version"] += 1

    def arrays(self) -> dict[str, wp.array]:
        """Every array on the device by ``group.field``."""
        return {
            f"{g.name}.{f.name}": getattr(self.__dict__[g.name], f.name)
            for g in self.GROUPS
            for f in g.fields
            if f.dims is not None and not f.on_host
        }

    def nbytes(self) -> int:
        """Device memory of all arrays [bytes]."""
        return sum(a.capacity for a in self.arrays().values() if a is not None)

    def view(self, first: int, last: int, slot: int | None = None) -> Grouped:
        """The same arrays restricted to worlds ``first`` to ``last - 1``; nothing is copied.

        Args:
            first: first world.
            last: the one after the last world.
            slot: world from which scratch begins that serves one world at a time; None: ``first``.
        """
        other = object.__new__(type(self))
        for name, attribute in self.__dict__.items():
            other.__dict__[name] = attribute
        other.__dict__["nworld"] = last - first
        other.__dict__["first_world"] = self.first_world + first
        for g in self.GROUPS:
            struct, narrowed = self.__dict__[g.name], g.struct()
            for f in g.fields:
                item = getattr(struct, f.name)
                if f.dims is not None and f.per_world and item.shape[0] > 1 and item.size > 0:
                    begin = slot if f.scratch and slot is not None else first
                    item = item[begin : begin + last - first]
                setattr(narrowed, f.name, item)
            other.__dict__[g.name] = own(narrowed, other)
        return other

    def __copy__(self) -> Grouped:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self._refuse_copy("copy.deepcopy")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse_copy("pickle")

    def _refuse_copy(self, how: str) -> NoReturn:
        """Arrays on devices, recordings and functions of the user's are not for other processes, and seldom worth a copy."""
        given = f"arrays on {self.device} and recorded steps"
        raise TypeError(f"{how} of a newtonish.mjw.{type(self).__name__}: got {given}; allowed: {self.COPIES}; {self.COPY_REMEDY}.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.nworld} worlds on {self.device}, {self.nbytes() / 2**20:.1f} MiB>"


class Keyframes(dict[str, Any]):
    """Arrays of the keyframes on the host by flat name (``m.key["key_qpos"]``); called, one keyframe by name or number."""

    def __init__(self, m: Model, arrays: dict[str, Any]) -> None:
        super().__init__(arrays)
        self._owner = weakref.ref(m)

    def __call__(self, key: int | str) -> Any:
        owner = self._owner()
        if owner is None:
            raise TypeError("key: got a call without a Model; allowed: a Model that lives; call m.key(...) on the Model itself.")
        return owner.find("key", key)


class Model(Grouped, ModelFields):
    """What does not change during a step, in MuJoCo's terms (see ``newtonish.kernels.structs.model``).

    A field with a world axis has one value for all worlds (leading axis 1) or one per world.
    """

    GROUPS = MODEL_GROUPS
    COPIES = "the file or the compiled model that it was made of, which other processes read for themselves"
    COPY_REMEDY = "for a copy here call dataclasses.replace(m), for another process pass the path to mjw.load"
    ATTRIBUTES = frozenset(
        {
            "key", "nkey", "names", "maps", "report", "contact_bound", "pairs_listed", "likely_contacts", "likely_heap", "filterparent", "nexposed", "nuserdata", "ntenspatial",
            "mapping", "simple", "watching", "surfaces", "reflected", "user_actuation", "nforced", "host_fields", "finds_contacts",
            "measures_reactions", "structure",
        }
    )  # fmt: skip

    SHOWN = frozenset({"opt", "callback", "key", "nkey", "names", "report", "mapping", "device", "nbytes", "touch", "stat_meaninertia", "is_sparse"})

    def __init__(self, nworld: int = 1, device: Any = None, source: Model | None = None, **fields: Any):
        """An empty Model; or, as ``dataclasses.replace`` asks for one, a copy of ``source`` with other ``fields``."""
        if source is not None:
            self._copy(source, fields)
            return
        super().__init__(nworld, device)
        self.__dict__["callback"] = Callbacks()  # functions of the user's that a step calls
        self.__dict__["watching"] = False  # a step counts warnings
        self.__dict__["nforced"] = 0  # geoms with force-space contact gains, in any world
        self.__dict__["host_fields"] = None  # fields that no kernel reads (newtonish/mjw/tables/host_fields.py)
        self.__dict__["finds_contacts"] = True  # a step looks for contacts; otherwise they are the user's
        self.__dict__["measures_reactions"] = False  # a step evaluates forces between bodies even if no sensor needs them
        self.__dict__["simple"] = Simple()
        self.__dict__["structure"] = None  # what its integers were when it was put (newtonish/mjw/structure.py)
        self._distrust()

    def _distrust(self) -> None:
        """Nothing of the structure has been read yet."""
        self.__dict__["handed"] = set()  # flat names of integers that somebody may have written into
        self.__dict__["checked"] = -1  # version at which the structure was in order
        self.__dict__["touched"] = True

    def touch(self) -> None:
        super().touch()
        self.__dict__["touched"] = True

    def joint(self, key: int | str) -> Any:
        """A joint by name or number."""
        return self.find("joint", key)

    def equality(self, key: int | str) -> Any:
        """An equality constraint by name or number."""
        return self.find("equality", key)

    def camera(self, key: int | str) -> Any:
        """A camera by name or number."""
        return self.find("camera", key)

    @property
    def source(self) -> Model:
        """The Model itself: what ``dataclasses.replace`` copies."""
        return self

    def _copy(self, source: Model, fields: dict[str, Any]) -> None:
        """Share the arrays of another Model, then replace those fields that differ."""
        self.__dict__.update(source.__dict__)
        for g in self.GROUPS:
            if g.name == "opt":
                self.__dict__["opt"] = copy_options(source.opt, self)
            else:
                self.__dict__[g.name] = own(variant(g, getattr(source, g.name)), self)
        self.__dict__["callback"] = source.callback.copy()
        if "key" in source.__dict__:
            self.__dict__["key"] = Keyframes(self, source.key)
        self.__dict__["host_fields"] = source.host_fields.copy() if source.host_fields is not None else None
        self.__dict__["reflected"] = copy.copy(source.__dict__.get("reflected"))
        self.__dict__["structure"] = source.structure.copy() if source.structure is not None else None
        self._distrust()
        for name, value in fields.items():
            if value is not getattr(source, name):
                setattr(self, name, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            host_fields = self.__dict__.get("host_fields")
            if host_fields is not None and name not in self.FLAT and name in host_fields:
                return host_fields.get(self, name)
            found = super().__getattr__(name)
            structure = self.__dict__.get("structure")
            if structure is not None and name in structure.arrays:
                self.__dict__["handed"].add(name)
            return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *HOST_FIELDS})

    def __setattr__(self, name: str, value: Any) -> None:
        host_fields = self.__dict__.get("host_fields")
        if host_fields is not None and name not in self.FLAT and name in host_fields:
            host_fields.set(self, name, value)
            self.touch()
        else:
            super().__setattr__(name, value)

    def set_field(self, g: Group, f: Field, value: Any) -> None:
        super().set_field(g, f, value)
        if f.dims is not None and f.per_world:
            getattr(self.__dict__[g.name], f.name)._is_batched = True  # a mark of mujoco_warp's that frameworks look for
        if g.flat_name(f) in STRUCTURAL:
            self.__dict__["simple"] = Simple()

    def _world_axis_fits(self, length: int) -> bool:
        return length >= 1  # the number of worlds is known to Data; step compares the two

    def _worlds_allowed(self) -> str:
        return "1 or nworld"

    @property
    def stat_meaninertia(self) -> wp.array:
        return self.opt.meaninertia


# ``dataclasses.fields(m)`` and ``replace(m, ...)``, by which frameworks find the fields of a model
Model.__dataclass_fields__ = dataclasses.make_dataclass("Fields", [(name, Any) for name in ("source", *Model.FLAT, *HOST_FIELDS)]).__dataclass_fields__


class Data(Grouped, DataFields):
    """State, inputs and results of all worlds (see ``newtonish.kernels.structs.data``)."""

    GROUPS = DATA_GROUPS
    COPIES = "its state, as numbers"
    COPY_REMEDY = "for a copy here call mjw.make_data and mjw.copy_state, for another process or a file mjw.save"
    ATTRIBUTES = frozenset(
        {
            "batches", "ccd_pairs", "copies", "everywhere", "grow_contacts", "grow_rows", "guard", "mapping", "matched", "outside", "pool", "ready", "recorder",
            "recordings", "retired", "room", "sizes",
        }
    )  # fmt: skip

    SHOWN = frozenset({"contact", "efc", "nworld", "nconmax", "naconmax", "nacon", "njmax", "device", "nbytes", "touch", "sparse", "mapping"})

    def __init__(self, nworld: int, device: Any):
        super().__init__(nworld, device)
        self.__dict__["room"] = None  # looks whether worlds lacked room (newtonish/mjw/overflow.py); views have none
        self.__dict__["guard"] = None  # what is done about worlds that go wrong, beside their reset (newtonish/mjw/guard.py)
        self.__dict__["recorder"] = None  # keeps the last steps of every world (newtonish/mjw/flights.py)
        self.__dict__["pool"] = None  # contacts that all worlds share; None: each has its own
        self.__dict__["ccd_pairs"] = None  # what a script for mujoco_warp gave as naccdmax; nothing is bounded by it
        self.__dict__["outside"] = None  # function (m, d) that writes contacts found by somebody else, in place of collision

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            room, guard = self.__dict__.get("room"), self.__dict__.get("guard")
            if room is not None:
                room.look()
                if guard is not None:
                    guard.look()
            return super().__getattr__(name)

    def view(self, first: int, last: int, slot: int | None = None) -> Data:
        other = super().view(first, last, slot)
        other.__dict__["room"] = None
        return other

    def body(self, key: int | str) -> Any:
        """A body by name or number."""
        return self.find("body", key)

    def joint(self, key: int | str) -> Any:
        """A joint by name or number."""
        return self.find("joint", key)

    def geom(self, key: int | str) -> Any:
        """A geom by name or number."""
        return self.find("geom", key)

    def site(self, key: int | str) -> Any:
        """A site by name or number."""
        return self.find("site", key)

    def actuator(self, key: int | str) -> Any:
        """An actuator by name or number."""
        return self.find("actuator", key)

    def sensor(self, key: int | str) -> Any:
        """A sensor by name or number."""
        return self.find("sensor", key)

    def tendon(self, key: int | str) -> Any:
        """A tendon by name or number."""
        return self.find("tendon", key)

    def equality(self, key: int | str) -> Any:
        """An equality constraint by name or number."""
        return self.find("equality", key)

    def camera(self, key: int | str) -> Any:
        """A camera by name or number."""
        return self.find("camera", key)

    def light(self, key: int | str) -> Any:
        """A light by name or number."""
        return self.find("light", key)

    @property
    def nconmax(self) -> int:
        """Contact slots of each world."""
        return self.contact.dist.shape[1]

    @property
    def naconmax(self) -> int:
        """Contacts that all worlds together may have."""
        return self.nworld * self.nconmax if self.pool is None else self.pool

    @property
    def naccdmax(self) -> int:
        """Pairs of convex shapes that mujoco_warp has room for at a time; here each world searches its own one after another."""
        return self.naconmax if self.ccd_pairs is None else self.ccd_pairs

    @property
    def nacon(self) -> wp.array:
        """Contacts of all worlds together, (1,), as mujoco_warp counts them; a copy, for which the device is waited for."""
        found = np.minimum(self.status.ncon.numpy(), self.nconmax).sum()
        return wp.array([found], dtype=wp.int32, device=self.device)

    @property
    def sparse(self) -> bool:
        """Whether rows of the Jacobian are stored sparse (see ``efc.J_rownnz``)."""
        return self.efc.J.shape[1] == 1

    @property
    def njmax_nnz(self) -> int:
        """Entries that the Jacobian of a world has room for, as it is stored."""
        return self.efc.J.shape[2] if self.sparse else self.njmax * self.efc.J.shape[2]

    @property
    def nhessian(self) -> int:
        """Floats that the Hessian of an island has room for (sparse Jacobian)."""
        return self.isl.H.shape[1]

    @property
    def njmax(self) -> int:
        """Constraint rows of each world."""
        return self.efc.type.shape[1]


def allocate(groups: tuple[Group, ...], owner: Grouped, sizes: dict[str, int]) -> None:
    """Fill the groups of ``owner`` with zeroed arrays of the declared shapes."""
    for g in groups:
        struct = owner.__dict__[g.name]
        for f in g.fields:
            if f.dims is None:
                continue
            shape = tuple(d if isinstance(d, int) else sizes[d] for d in f.dims)
            if f.per_world:
                shape = (owner.nworld, *shape)
            make = zeros_on_host if f.on_host else zeros
            setattr(struct, f.name, checked(make(shape, f.dtype, owner.device), f"{type(owner).__name__}.{g.flat_name(f)}"))
