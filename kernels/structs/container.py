"""Model and Data: the groups that they have, and what each does beyond the arrays (``newtonish.kernels.structs.grouped``)."""

from __future__ import annotations

import copy
import dataclasses
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import warp as wp

from newtonish.kernels.runtime.callbacks import Callbacks
from newtonish.kernels.structs.data import DATA_GROUPS
from newtonish.kernels.structs.field import Field, Group, own, variant
from newtonish.kernels.structs.flat import DataFields, ModelFields
from newtonish.kernels.structs.grouped import Grouped
from newtonish.kernels.structs.host_fields import HOST_FIELDS
from newtonish.kernels.structs.model import MODEL_GROUPS
from newtonish.kernels.structs.options import copy_options

# fields that decide whether a model can do with simple kernels; whoever replaces one gets the general ones
STRUCTURAL = frozenset(
    {
        "actuator_trntype", "actuator_trnid", "actuator_gaintype", "actuator_biastype", "actuator_dyntype", "actuator_law",
        "actuator_actadr", "actuator_outnum", "jnt_type", "geom_type", "ntendon",
    }
)  # fmt: skip

# what actuators add to their joints and tendons depends on these; where one may have been written, the sums are compared before the next step
FOLLOWED = frozenset({"actuator_gear", "actuator_armature", "actuator_damping", "actuator_dampingpoly"})

# results that a step leaves out as long as nobody has read them
PLACED = frozenset({"cam_xpos", "cam_xmat", "light_xpos", "light_xdir"})


class Simple(NamedTuple):
    """Stages that a model may have the simple kernels for (docs/decisions/011.md)."""

    position: bool = False
    collision: bool = False
    smooth: bool = False
    constraint: bool = False
    implicitfast: bool = False


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
            "mapping", "simple", "watching", "surfaces", "reflected", "user_actuation", "field_kernel", "nforced", "host_fields", "finds_contacts",
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
        self.__dict__["handed"] = set()  # flat names of integers, and of what others follow, that somebody may have written into
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
            structure = self.__dict__.get("structure")
            if structure is not None and (name in structure.arrays or name in FOLLOWED):
                self.__dict__["handed"].add(name)
            if host_fields is not None and name not in self.FLAT and name in host_fields:
                return host_fields.get(self, name)
            return super().__getattr__(name)

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
        if g.flat_name(f) in FOLLOWED:
            self.__dict__["handed"].add(g.flat_name(f))
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
            "batches", "ccd_pairs", "copies", "everywhere", "gradients", "grow_contacts", "grow_rows", "guard", "mapping", "matched", "outside", "pool", "ready", "recorder",
            "recordings", "repeat_step", "retired", "rollouts", "room", "sizes",
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
        self.__dict__["places_cameras"] = False  # a step places cameras and lights, since somebody reads where they are
        self.__dict__["repeat_step"] = None  # takes a recorded step again (newtonish/mjw/repeated.py); views have none
        self.__dict__["outside"] = None  # function (m, d) that writes contacts found by somebody else, in place of collision

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            room, guard = self.__dict__.get("room"), self.__dict__.get("guard")
            if room is not None:
                room.look()
                if guard is not None:
                    guard.look()
            if name in PLACED and not self.__dict__["places_cameras"]:
                self._place_cameras()
            return super().__getattr__(name)

    def _place_cameras(self) -> None:
        """Place cameras and lights where bodies are now, and from now on in every step: most programs never look."""
        self.__dict__["places_cameras"] = True
        self.__dict__["version"] += 1  # steps that were recorded did not
        matched = self.__dict__.get("matched")
        if matched is not None and not self.device.is_capturing:
            from newtonish.kernels.smooth.camlight import camlight

            camlight(matched[0], self)

    def view(self, first: int, last: int, slot: int | None = None) -> Data:
        other = super().view(first, last, slot)
        other.__dict__["room"] = other.__dict__["repeat_step"] = None
        return other

    def __copy__(self) -> Data:
        other = super().__copy__()
        other.__dict__["repeat_step"] = None
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
