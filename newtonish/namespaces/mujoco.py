"""The ``mujoco`` attribute namespace: declares on a builder everything MuJoCo knows and the generic model does not.

The rows themselves are in ``mujoco_table``; here they become custom frequencies and custom attributes of a
``ModelBuilder``, with the rule by which an actuator's target index is re-numbered when worlds are put together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.model.attributes import AttributeAssignment, AttributeFrequency, CustomAttribute, CustomFrequency
from newtonish.namespaces.looks_arrays import derived
from newtonish.namespaces.mujoco_actuators import SO3_JOINT, SO3_SITE
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES, MUJOCO_FREQUENCIES, Row

__all__ = ["MUJOCO_ATTRIBUTES", "MUJOCO_FREQUENCIES", "Row", "register", "register_first"]

NAMESPACE = "mujoco"

vec5 = wp.types.vector(length=5, dtype=wp.float32)
vec6 = wp.types.vector(length=6, dtype=wp.float32)
vec10 = wp.types.vector(length=10, dtype=wp.float32)

_TYPES: dict[str, Any] = {
    "int": wp.int32,
    "int64": wp.int64,
    "float": wp.float32,
    "bool": wp.bool,
    "str": str,
    "vec2": wp.vec2,
    "vec3": wp.vec3,
    "vec4": wp.vec4,
    "vec5": vec5,
    "vec6": vec6,
    "vec10": vec10,
    "vec2i": wp.vec2i,
    "transform": wp.transform,
}
_LABELS = {"tendon": "tendon_label", "actuator": "actuator_label", "pair": "pair_label", "exclude": "exclude_label"}
_LABELS |= {"equality_constraint": "equality_constraint_label", "keyframe": "key_label", "sensor": "sensor_label", "camera": "camera_label"}
_LABELS |= {"light": "light_label", "skin": "skin_label", "numeric": "numeric_label", "text": "text_label", "tuple": "tuple_label"}

# What the two target indices count, by the row's trntype: (first, second); empty stays as it is.
_TARGETS: dict[int, tuple[str, str]] = {
    0: ("joint_dof", ""),
    1: ("joint_dof", ""),
    2: ("mujoco:tendon", ""),
    3: ("shape", "shape"),
    4: ("body", ""),
    5: ("shape", "shape"),
    SO3_JOINT: ("joint_dof", ""),
    SO3_SITE: ("shape", "shape"),
}

# What the object index of a sensor or of an element of a tuple counts, by its kind (as mjtObj)
_OBJECTS = {
    1: ("body",), 2: ("body",), 3: ("joint_dof",), 5: ("shape",), 6: ("shape",), 7: ("mujoco:camera",),
    18: ("mujoco:tendon",), 19: ("mujoco:actuator",), 20: ("mujoco:sensor",), 21: ("mujoco:numeric",), 22: ("mujoco:text",),
    23: ("mujoco:tuple",),
}  # fmt: skip

SHAPE_FACETS = {
    **dict.fromkeys(("mujoco:contype", "mujoco:conaffinity", "mujoco:geom_adhesion", "mujoco:geom_fluid_ellipsoid"), "collision"),
    **dict.fromkeys(("mujoco:pair_geom1", "mujoco:pair_geom2"), "collision"),
    **dict.fromkeys(("mujoco:mesh_pos", "mujoco:mesh_quat"), "mesh"),
}
"""Attributes that a shape that is only drawn does not have, and rows that every part of a shape has ("collision"); those of the very mesh ("mesh")."""


def register(builder: Any) -> None:
    """Declare every ``mujoco:*`` frequency and attribute on ``builder``; a second call changes nothing.

    Args:
        builder: A ``ModelBuilder``. Attributes it already has under the same key are left alone.
    """
    for name in MUJOCO_FREQUENCIES:
        if f"{NAMESPACE}:{name}" not in builder.get_custom_frequency_keys():
            label = f"{NAMESPACE}:{_LABELS[name]}" if name in _LABELS else None
            builder.add_custom_frequency(CustomFrequency(name=name, namespace=NAMESPACE, label_attribute=label))
    for row in MUJOCO_ATTRIBUTES:
        if not builder.has_custom_attribute(f"{NAMESPACE}:{row.name}"):
            builder.add_custom_attribute(_attribute(row))
    if hasattr(builder, "derived_attributes"):  # builders of other packages have no libraries
        builder.derived_attributes[NAMESPACE] = derived
        builder.shape_facets |= SHAPE_FACETS


def register_first(builder: Any) -> None:
    """Declare everything on a builder to which nothing was added yet that could carry it; shapes of the world are no harm.

    On a builder of another package, Newton's own for instance, that package's declarations are made: its importers depend on them.

    Raises:
        ModelError: The builder has bodies or joints and lacks attributes: what their file said of them is lost already.
    """
    foreign = _foreign_registration(builder)
    missing = [row.name for row in MUJOCO_ATTRIBUTES if not builder.has_custom_attribute(f"{NAMESPACE}:{row.name}")]
    if foreign is not None and "condim" not in missing:
        return  # declared before: Newton's builders have rows of equalities alone from the start
    if missing and (builder.body_count or builder.joint_count):
        given = f"a builder with {builder.body_count} bodies and {builder.joint_count} joints, without mujoco:{missing[0]}"
        allowed = "a builder to which no body or joint was added yet"
        remedy = "call it right after making the builder: values that were given before are lost"
        raise ModelError(problem("register_custom_attributes", given, allowed, remedy))
    (foreign or register)(builder)


def _foreign_registration(builder: Any) -> Callable[[Any], None] | None:
    """What declares the namespace on builders of another package that has a SolverMuJoCo of its own."""
    own = __name__.split(".")[0]
    for kind in type(builder).__mro__:
        package = kind.__module__.split(".")[0]
        if package == own:
            return None
        solver = _own_solver(sys.modules.get(f"{package}.solvers"))
        if solver is not None and solver.__module__.split(".")[0] != own:
            return solver.register_custom_attributes
    return None


def _own_solver(solvers: Any) -> Any:
    """The SolverMuJoCo of a package, also where somebody put another class in its place under that name."""
    name, present = "SolverMuJoCo", getattr(solvers, "SolverMuJoCo", None)
    package = getattr(solvers, "__name__", "").split(".")[0]
    if present is None or present.__module__.split(".")[0] == package:
        return present
    for kind in getattr(solvers, "SolverBase", type(None)).__subclasses__():
        if kind.__name__ == name and kind.__module__.split(".")[0] == package:
            return kind
    load = vars(solvers).get("__getattr__")  # a module that loads its names on first use puts its own class back
    if load is None:
        return present
    found = load(name)
    setattr(solvers, name, present)
    return found


def _attribute(row: Row) -> CustomAttribute:
    """Build the builder's declaration from a row of the table."""
    own = ":" in row.frequency
    transformer: Callable[..., Any] | None = None
    if row.references == "*":
        driven = row.frequency == "mujoco:actuator"
        transformer = _Renumbering("actuator_trntype", _TARGETS) if driven else _Renumbering(f"{row.name}type", _OBJECTS)
    return CustomAttribute(
        name=row.name,
        dtype=_TYPES[row.dtype],
        frequency=row.frequency if own else AttributeFrequency[row.frequency.upper()],
        assignment=AttributeAssignment[row.assignment.upper()],
        namespace=NAMESPACE,
        references=row.references if row.references and transformer is None else None,
        default=row.default,
        mjcf_attribute_name=row.mjcf or row.name,
        usd_attribute_name=_usd_name(row),
        reference_value_transformer=transformer,
    )


def _usd_name(row: Row) -> str:
    """Write out the attribute's name in USD."""
    name = row.mjcf or row.name
    return {"": f"newton:{NAMESPACE}:{row.name}", "=": f"mjc:{name}", "option": f"mjc:option:{name}"}.get(row.usd, row.usd)


class _Renumbering:
    """Shifts row numbers when a builder is copied into another, where what they count depends on the row's kind.

    Called with lists it is a ``reference_value_transformer``; ``counted`` lets many copies be made at once.
    """

    def __init__(self, kind: str, counts: dict[int, tuple[str, ...]]) -> None:
        self.kind, self.counts = kind, counts

    def counted(self, builder: Any, rows: list[int]) -> list[tuple[str, ...]]:
        """For each row what each of its numbers counts: an entity or a custom frequency, empty for nothing."""
        attribute = builder.custom_attributes[f"{NAMESPACE}:{self.kind}"]
        kinds, nothing = attribute.values or (), ("", "")
        result = []
        for row in rows:
            kind = kinds.get(row) if isinstance(kinds, dict) else (kinds[row] if row < len(kinds) else None)
            result.append(self.counts.get(int(attribute.default if kind is None else kind), nothing))
        return result

    def __call__(self, values: list[Any], context: dict[str, Any]) -> list[Any]:
        offsets = {**context["custom_frequency_offsets"], **context["entity_offsets"]}
        counted = self.counted(context["builder"], context["row_indices"])
        return [_shifted(value, [offsets.get(name, 0) for name in names]) for value, names in zip(values, counted)]


def _shifted(value: Any, offsets: list[int]) -> Any:
    """A row number, or a pair of them, with the offsets added where it names something."""
    if value is None:
        return None
    if isinstance(value, (int, float)):
        return int(value) + offsets[0] if int(value) >= 0 else int(value)
    return wp.vec2i(*(int(v) + by if int(v) >= 0 else int(v) for v, by in zip(value, offsets)))
