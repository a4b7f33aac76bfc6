"""One record of a compiled model: what ``put_model`` reads of its source, once, so that all behind it reads the record alone.

A source is a ``mujoco.MjModel`` of version 3.2 or later, compiled arrays of ours, or an archive's. Whichever it is, the record has every size as
an int and every array of ``newtonish.common.compiled_fields`` with the dtype that stands there: float64 for quantities, float32 for what
MuJoCo keeps so (vertices, colours), int32 for numbers of entities.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from newtonish.common.compiled_fields import DTYPES, FIELDS, MINUS_ONE, SIZES, CompiledFields, extent
from newtonish.common.enums import SleepPolicy
from newtonish.errors import ModelError, problem
from newtonish.mjw.tables.older_mujoco import Once, present_model

__all__ = ["ModelRecord", "OptionRecord", "read_model"]

NAMED = {
    "body": "nbody", "jnt": "njnt", "geom": "ngeom", "site": "nsite", "actuator": "nactuator", "sensor": "nsensor", "tendon": "ntendon",
    "eq": "neq", "cam": "ncam", "light": "nlight", "key": "nkey", "plugin": "nplugin",
}  # fmt: skip
"""Kinds of objects that can be found by name, and how many there are."""
_UNREAD = ("numeric_", "text_", "tuple_", "tex_", "B_")
"""Arrays that nothing here needs."""
# beside the table: what only MuJoCo's models have, and what only ours
_BESIDE: dict[str, tuple[str, tuple[str, ...]]] = {
    "mesh_polynum": ("i", ("0",)), "mesh_polyadr": ("i", ("0",)), "mesh_polynormal": ("f", ("0", "3")), "mesh_polyvertadr": ("i", ("0",)),
    "mesh_polyvertnum": ("i", ("0",)), "mesh_polyvert": ("i", ("0",)), "mesh_polymapadr": ("i", ("0",)), "mesh_polymapnum": ("i", ("0",)),
    "mesh_polymap": ("i", ("0",)),
    "mesh_bvhadr": ("i", ("0",)), "bvh_child": ("i", ("0", "2")), "bvh_nodeid": ("i", ("0",)), "plugin_attradr": ("i", ("0",)), "mesh_maxhullvert": ("i", ("nmesh",)), "mesh_points": ("f", ("nmeshvert", "3")),
    "geom_gain": ("f", ("ngeom", "2")), "geom_kf": ("f", ("ngeom",)), "geom_impedance": ("f", ("ngeom",)),
    "geom_filter_pairs": ("i", ("0", "2")),
}  # fmt: skip
_FILLS = {"geom_kf": -1, "mesh_maxhullvert": -1, "geom_rgba": 1, "mat_rgba": 1, "tree_sleep_policy": SleepPolicy.AUTO_ALLOWED}
"""What stands in an array that the source lacks, beside 0 and the -1 of ``MINUS_ONE``."""
_READ = {name: spec for name, spec in FIELDS.items() if not name.startswith(_UNREAD)} | _BESIDE


@dataclasses.dataclass(frozen=True)
class OptionRecord:
    """Options under ``mjOption``'s names; those with a default came later than the others, or are MuJoCo's alone."""

    timestep: float
    tolerance: float
    ls_tolerance: float
    noslip_tolerance: float
    impratio: float
    density: float
    viscosity: float
    o_margin: float
    gravity: np.ndarray
    magnetic: np.ndarray
    wind: np.ndarray
    o_solref: np.ndarray
    o_solimp: np.ndarray
    o_friction: np.ndarray
    integrator: int
    cone: int
    solver: int
    jacobian: int
    iterations: int
    ls_iterations: int
    noslip_iterations: int
    disableflags: int
    enableflags: int
    disableactuator: int
    ccd_tolerance: float = 1e-6
    ccd_iterations: int = 35
    sdf_initpoints: int = 40
    sdf_iterations: int = 10
    sleep_tolerance: float = 1e-4


class ModelRecord(CompiledFields):
    """Sizes and arrays by MuJoCo's names, and:

    Attributes:
        opt: Options of the template world.
        meaninertia: ``stat.meaninertia``.
        flg_spring: Whether constraints are springs in motion too; MuJoCo's own models have none.
        batched: Fields that differ between worlds, with a world axis in front; MuJoCo's own models have none.
        maps: Index maps into a Newton model; None where there is none.
        names: The text in which MuJoCo's models keep names; empty in others.
        names_of: Names by id of each kind in ``NAMED``.
        name_bodyadr, name_jntadr, ...: Where names begin in ``names``, for each kind.
        absent: Arrays that the source lacks; they are filled with 0, -1 where that stands for none, or 1 where colours are meant.
        plugin_kinds: Name of the plugin of each instance, where the source knows them: MuJoCo's models do not.
        plugin_attr: Parameters of plugins' instances as text, each ended by a zero byte.
        without_field: Geoms of type ``sdf`` whose field is not known, which collide with nothing; ``put_model`` says which.
        mesh_points: Vertices that hulls are made of: those of the file where they are known, else ``mesh_vert``.
        mesh_maxhullvert, geom_gain, geom_impedance, geom_kf, geom_filter_pairs: As in ``newtonish.convert.CompiledModel``.
    """

    opt: OptionRecord
    meaninertia: float
    flg_spring: bool
    batched: dict[str, np.ndarray]
    maps: Any
    names: bytes
    names_of: dict[str, list[str]]
    absent: frozenset[str]
    without_field: frozenset[int]
    mesh_polynum: np.ndarray
    mesh_polyadr: np.ndarray
    mesh_polynormal: np.ndarray
    mesh_polyvertadr: np.ndarray
    mesh_polyvertnum: np.ndarray
    mesh_polyvert: np.ndarray
    mesh_bvhadr: np.ndarray
    bvh_child: np.ndarray
    bvh_nodeid: np.ndarray
    plugin_attradr: np.ndarray
    plugin_attr: bytes
    plugin_kinds: list[str]
    mesh_maxhullvert: np.ndarray
    mesh_points: np.ndarray
    geom_gain: np.ndarray
    geom_impedance: np.ndarray
    geom_kf: np.ndarray
    geom_filter_pairs: np.ndarray

    def __init__(self, source: Any) -> None:
        for name in SIZES:
            setattr(self, name, int(getattr(source, name, 0)))
        given = {name: getattr(source, name, None) for name in _READ}
        self.absent = frozenset(name for name, value in given.items() if value is None)
        for name, (code, shape) in _READ.items():
            if name in self.absent:
                fill = _FILLS.get(name, -1 if name in MINUS_ONE else 0)
                setattr(self, name, np.full([extent(size, self) for size in shape], fill, dtype=DTYPES[code]))
            else:
                setattr(self, name, _array(name, given[name], DTYPES[code]))
        if "mesh_points" in self.absent:
            self.mesh_points = self.mesh_vert.astype(np.float64)
        self.plugin_attr = np.asarray(getattr(source, "plugin_attr", np.zeros(0, dtype=np.int8))).tobytes()
        self.plugin_kinds = list(getattr(source, "plugin_kind_names", []))
        self.without_field = frozenset()
        self.opt = _options(source.opt)
        self.meaninertia = float(source.stat.meaninertia)
        self.flg_spring = bool(getattr(source, "flg_spring", False))
        self.batched = dict(getattr(source, "batched", {}))
        self.maps = getattr(source, "maps", None)
        self._read_names(source)

    def _read_names(self, source: Any) -> None:
        """Names of all kinds: compiled models of ours list them, MuJoCo's keep them in one text."""
        self.names = bytes(getattr(source, "names", b""))
        self.names_of = {}
        for kind, count in NAMED.items():
            listed = getattr(source, f"{kind}_names", None)
            addresses = np.asarray(getattr(source, f"name_{kind}adr", np.zeros(0, dtype=np.int32)))
            setattr(self, f"name_{kind}adr", addresses)
            number = getattr(self, count)
            self.names_of[kind] = list(listed)[:number] if listed is not None else [self._text(int(i)) for i in addresses[:number]]

    def _text(self, address: int) -> str:
        """The name that begins at an address; none where that is no place in the text, which ``check_references`` tells."""
        end = self.names.find(b"\0", address) if 0 <= address < len(self.names) else -1
        return self.names[address:end].decode(errors="replace") if end >= 0 else ""

    @property
    def geom_names(self) -> list[str]:
        """Names of the geoms, as compiled models of ours have them."""
        return self.names_of["geom"]


def read_model(mjm: Any) -> ModelRecord:
    """The record of a compiled model; a record is returned as it is.

    Args:
        mjm: a ``mujoco.MjModel`` of version 3.2 or later, or a ``newtonish.convert.CompiledModel``. Each of its attributes is read at most once.

    Raises:
        ModelError: ``mjm`` is no compiled model, an array or option is none of numbers, or an option is missing.
    """
    if isinstance(mjm, ModelRecord):
        return mjm
    once = Once(mjm)
    if not (hasattr(once, "nq") and hasattr(once, "opt")):
        remedy = "use newtonish.mjw.load for a file or its text"
        raise ModelError(problem("put_model: mjm", f"a {type(mjm).__name__}", "a mujoco.MjModel or a CompiledModel", remedy))
    return ModelRecord(present_model(once))


def _array(name: str, given: Any, dtype: type) -> np.ndarray:
    try:
        return np.asarray(given, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(problem(f"put_model: {name}", f"a {type(given).__name__}", f"an array of {np.dtype(dtype)}", "correct it")) from None


def _options(opt: Any) -> OptionRecord:
    makers: dict[str, Callable[[Any], Any]] = {"float": float, "int": int, "np.ndarray": lambda value: np.asarray(value, dtype=np.float64)}
    found = {}
    for option in dataclasses.fields(OptionRecord):
        value = getattr(opt, option.name, option.default)
        if value is dataclasses.MISSING:
            raise ModelError(problem(f"put_model: opt.{option.name}", "nothing", "the options of mjOption", "make the model again from its source"))
        try:
            found[option.name] = makers[str(option.type)](value)
        except (TypeError, ValueError, OverflowError):
            allowed = "numbers" if option.type == "np.ndarray" else f"a number ({option.type})"
            raise ModelError(problem(f"put_model: opt.{option.name}", repr(value), allowed, "correct it")) from None
    return OptionRecord(**found)
