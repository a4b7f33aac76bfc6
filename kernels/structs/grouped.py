"""What Model and Data have in common: groups of device arrays under one roof, reachable by MuJoCo's flat names as well.

``m.body`` is the struct that kernels take, ``m.body_mass`` the same array by its flat name. Setting a flat name checks
dtype and shape and takes effect at the next step: captured graphs hold copies of the structs, so every change of a
struct raises ``version``, which makes ``step`` capture again.
"""

from __future__ import annotations

import difflib
import operator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np
import warp as wp

from newtonish.kernels.structs.checked import checked
from newtonish.kernels.structs.field import Field, Group, own
from newtonish.kernels.structs.memory import zeros, zeros_on_host

Some = TypeVar("Some", bound="Grouped")


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
    first_slot: int
    device: Any
    finder: Any

    def __init_subclass__(cls) -> None:
        cls.FLAT = {g.flat_name(f): (g, f) for g in cls.GROUPS if g.name != "opt" for f in g.fields}

    def __init__(self, nworld: int, device: Any):
        self.__dict__["version"] = 0
        self.__dict__["nworld"] = nworld
        self.__dict__["copies"] = 1  # worlds that stand for one of the model's, in finite differences
        self.__dict__["first_world"] = 0  # of a view: which world of the whole its first one is
        self.__dict__["first_slot"] = 0  # of a view: in which world's scratch it begins
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
        return {f"{g.name}.{f.name}": getattr(self.__dict__[g.name], f.name) for g in self.GROUPS for f in g.fields if f.dims is not None and not f.on_host}

    def nbytes(self) -> int:
        """Device memory of all arrays [bytes]."""
        return sum(a.capacity for a in self.arrays().values() if a is not None)

    def view(self: Some, first: int, last: int, slot: int | None = None) -> Some:
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
        other.__dict__["first_slot"] = self.first_slot + (first if slot is None else slot)
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

    def __copy__(self: Some) -> Some:
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
