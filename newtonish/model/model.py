"""Model: the arrays that do not change while simulating, flat over all worlds; makes states and controls."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.model.attributes import AttributeNamespace, normalize_reference
from newtonish.model.by_name import set_by_name
from newtonish.model.columns import ModelColumns
from newtonish.model.enums import AttributeAssignment, AttributeFrequency, Axis, GeoType
from newtonish.model.libraries import Libraries
from newtonish.model.state import Contacts, Control, State
from newtonish.model.tables import COLUMNS
from newtonish.model.topology import group_by

COUNT_NAMES: dict[AttributeFrequency, str] = {
    AttributeFrequency.BODY: "body_count",
    AttributeFrequency.SHAPE: "shape_count",
    AttributeFrequency.JOINT: "joint_count",
    AttributeFrequency.JOINT_DOF: "joint_dof_count",
    AttributeFrequency.JOINT_COORD: "joint_coord_count",
    AttributeFrequency.JOINT_CONSTRAINT: "joint_constraint_count",
    AttributeFrequency.ARTICULATION: "articulation_count",
    AttributeFrequency.CONSTRAINT_MIMIC: "constraint_mimic_count",
    AttributeFrequency.WORLD: "world_count",
    AttributeFrequency.PARTICLE: "particle_count",
    AttributeFrequency.SPRING: "spring_count",
    AttributeFrequency.TRIANGLE: "tri_count",
    AttributeFrequency.TETRAHEDRON: "tet_count",
    AttributeFrequency.EDGE: "edge_count",
    AttributeFrequency.TENDON: "tendon_count",
    AttributeFrequency.CURVE: "curve_count",
    AttributeFrequency.SURFACE: "surface_count",
    AttributeFrequency.VOLUME: "volume_count",
}
"""The model's count behind each frequency; kinds that no builder method adds are zero."""


@dataclass(frozen=True)
class AttributeSpec:
    """What a custom attribute of a model is.

    Attributes:
        frequency: Whose rows it has.
        assignment: Which object carries it at run time.
        references: What its integers are row numbers of.
    """

    frequency: AttributeFrequency | str
    assignment: AttributeAssignment | None = None
    references: AttributeFrequency | str | None = None


class Model(ModelColumns):
    """Arrays of all worlds, one after another; made by ``ModelBuilder.finalize``.

    Every column of :mod:`newtonish.model.tables` that has a Warp type is an array of the same name here. World -1
    stands for all worlds. ``*_world_start`` has an entry for each world and two more: entities of world w are
    ``start[w]`` to ``start[w + 1]``, those of all worlds come before ``start[0]`` and from ``start[-2]`` to
    ``start[-1]``. ``joint_q_start``, ``joint_qd_start`` and ``articulation_start`` end with the total.

    Args:
        device: Warp device of its arrays.
    """

    AttributeFrequency = AttributeFrequency
    AttributeAssignment = AttributeAssignment
    AttributeNamespace = AttributeNamespace
    AttributeSpec = AttributeSpec

    def __init__(self, device: Any = None) -> None:
        self.device = wp.get_device(device)
        self.requires_grad = False
        self.up_axis = Axis.Z
        self.gravity: wp.array | None = None
        self.world_count = 0
        self.world_label: list[str] = []
        for name in COUNT_NAMES.values():
            setattr(self, name, 0)
        self.custom_frequency_counts: dict[str, int] = {}
        self.attribute_specs: dict[str, AttributeSpec] = {}
        self.import_reports: list[Any] = []
        self.libraries = Libraries()
        self.actuators: list[Any] = []
        self.body_color_groups: list[Any] = []
        self.heightfield_count = 0
        self.max_joints_per_articulation = 0
        self.max_dofs_per_articulation = 0
        self._filter_keys = np.empty(0, dtype=np.int64)
        self._requested_state_attributes: set[str] = set()
        self._requested_contact_attributes: set[str] = set()

    # -- states and controls ------------------------------------------------------------------------------------------

    def state(self, requires_grad: bool | None = None) -> State:
        """Return a new state at the initial configuration."""
        grad = self.requires_grad if requires_grad is None else requires_grad
        state = State()
        if self.body_count:
            state.body_q = wp.clone(self.body_q, requires_grad=grad)
            state.body_qd = wp.clone(self.body_qd, requires_grad=grad)
            state.body_f = wp.zeros_like(self.body_qd, requires_grad=grad)
        if self.joint_count:
            state.joint_q = wp.clone(self.joint_q, requires_grad=grad)
            state.joint_qd = wp.clone(self.joint_qd, requires_grad=grad)
        for name in self.get_requested_state_attributes():
            count_name, dtype = State.EXTENDED_ATTRIBUTES[name]
            array = wp.zeros(getattr(self, count_name), dtype=dtype, device=self.device, requires_grad=grad)
            _put(state, name, array)
        self._attach(state, AttributeAssignment.STATE, grad)
        return state

    def control(self, requires_grad: bool | None = None, clone_variables: bool = True) -> Control:
        """Return new inputs at their initial values.

        Args:
            requires_grad: Whether the arrays record gradients; as the model if not given.
            clone_variables: False shares the model's own arrays instead of copying them.
        """
        grad = self.requires_grad if requires_grad is None else requires_grad
        control = Control()
        if self.joint_count or not clone_variables:
            for name in ("joint_target_q", "joint_target_qd", "joint_act", "joint_f"):
                array = getattr(self, name)
                setattr(control, name, wp.clone(array, requires_grad=grad) if clone_variables else array)
        self._attach(control, AttributeAssignment.CONTROL, grad, clone_variables)
        return control

    def contacts(self, collision_pipeline: Any = None, *, rigid_contact_max: int | None = None) -> Contacts:
        """Return an empty container for contacts.

        Args:
            collision_pipeline: Whose contacts it is to hold; None: those of ``collide``.
            rigid_contact_max: Its capacity; if not given, that of the pipeline, or four contacts for each shape of a model that
                cannot be simulated.
        """
        if rigid_contact_max is None:
            try:
                rigid_contact_max = (collision_pipeline or self._default_pipeline).rigid_contact_max
            except (ModelError, UnsupportedError):
                rigid_contact_max = max(64, 4 * self.shape_count)
        requested = set(self._requested_contact_attributes)
        contacts = Contacts(rigid_contact_max, 0, device=self.device, requested_attributes=requested)
        self._attach(contacts, AttributeAssignment.CONTACT, False)
        return contacts

    def collide(self, state: State, contacts: Contacts | None = None, *, collision_pipeline: Any = None) -> Contacts:
        """Find the contacts of a state's ``body_q``, for a solver that takes contacts from outside.

        Args:
            state: Poses of the bodies; after changes of ``joint_q`` call ``eval_fk`` first.
            contacts: Container to fill; None: a new one.
            collision_pipeline: A :class:`~newtonish.CollisionPipeline` of this model; None: one that is made at the first call.
                Edits of the shapes made later need a new one.
        """
        return (collision_pipeline or self._default_pipeline).collide(state, contacts)

    @cached_property
    def _default_pipeline(self) -> Any:
        from newtonish.collide import CollisionPipeline

        return CollisionPipeline(self)

    def _attach(self, target: Any, assignment: AttributeAssignment, grad: bool, clone: bool = True) -> None:
        """Put copies of the custom attributes of one assignment onto an object."""
        for key, spec in self.attribute_specs.items():
            if spec.assignment != assignment:
                continue
            value = self._find(key)
            if clone and isinstance(value, wp.array):
                is_float = wp.types.type_is_float(getattr(value.dtype, "_wp_scalar_type_", value.dtype))
                value = wp.clone(value, requires_grad=grad and is_float)
            elif clone:
                value = list(value)
            _put(target, key, value)

    # -- custom attributes --------------------------------------------------------------------------------------------

    def add_attribute(
        self,
        name: str,
        attrib: wp.array | list[Any],
        frequency: AttributeFrequency | str,
        assignment: AttributeAssignment | None = None,
        namespace: str | None = None,
        references: AttributeFrequency | str | None = None,
    ) -> None:
        """Attach an array or a list to the model, under ``model.<namespace>.<name>`` or ``model.<name>``."""
        key = f"{namespace}:{name}" if namespace else name
        if isinstance(attrib, wp.array) and attrib.device != self.device:
            given = f"an array on {attrib.device}"
            raise ModelError(problem(f"attribute '{key}'", given, f"arrays on {self.device}", "copy it there"))
        holder = getattr(self, namespace, None) if namespace else self
        if hasattr(holder, name):
            remedy = "choose another name or namespace"
            raise ModelError(problem(f"attribute '{key}'", "a second one of this name", "new names", remedy))
        _put(self, key, attrib)
        self.attribute_specs[key] = AttributeSpec(frequency, assignment, normalize_reference(references))

    def _find(self, key: str) -> Any:
        namespace, _, name = key.rpartition(":")
        return getattr(getattr(self, namespace) if namespace else self, name)

    def get_attribute_frequency(self, name: str) -> AttributeFrequency | str:
        """Return whose rows an attribute has; custom ones by full name, ``namespace:name``."""
        spec = self.attribute_specs.get(name)
        if spec is not None:
            return spec.frequency
        if name in COLUMNS:
            return COLUMNS[name].entity
        raise KeyError(f"attribute '{name}' is not known; custom attributes are named 'namespace:name'.")

    def get_custom_frequency_count(self, frequency: str) -> int:
        """Return the number of rows of a custom frequency."""
        if frequency not in self.custom_frequency_counts:
            known = ", ".join(sorted(self.custom_frequency_counts)) or "none"
            raise KeyError(f"custom frequency '{frequency}' is not known; the model has: {known}.")
        return self.custom_frequency_counts[frequency]

    def attribute_count(self, frequency: AttributeFrequency | str) -> int:
        """Return how many rows attributes of a frequency have."""
        if isinstance(frequency, str):
            return self.get_custom_frequency_count(frequency)
        if frequency == AttributeFrequency.ONCE:
            return 1
        return int(getattr(self, COUNT_NAMES[frequency])) if frequency in COUNT_NAMES else 0

    # -- requests -----------------------------------------------------------------------------------------------------

    def request_state_attributes(self, *attributes: str) -> None:
        """Have states allocate optional arrays, by name: see ``State.EXTENDED_ATTRIBUTES``."""
        State.validate_extended_attributes(attributes)
        self._requested_state_attributes.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        """Have contacts allocate optional arrays, by name: see ``Contacts.EXTENDED_ATTRIBUTES``."""
        Contacts.validate_extended_attributes(attributes)
        self._requested_contact_attributes.update(attributes)

    def get_requested_state_attributes(self) -> list[str]:
        """Return the names of the requested state arrays."""
        return sorted(self._requested_state_attributes)

    def get_requested_contact_attributes(self) -> set[str]:
        """Return the names of the requested contact arrays."""
        return set(self._requested_contact_attributes)

    # -- gravity ------------------------------------------------------------------------------------------------------

    def set_gravity(self, gravity: Any, world: int | None = None) -> None:
        """Change gravity [m/s^2]; then call ``solver.notify_model_changed(ModelFlags.MODEL_PROPERTIES)``.

        Args:
            gravity: One vector, or one for each world (and one more for what belongs to no world).
            world: The only world to change.
        """
        given = np.asarray(gravity, dtype=np.float32)
        rows = self.gravity.numpy()
        entries = len(rows)
        if world is not None:
            if given.shape != (3,) or not -1 <= world < self.world_count:
                allowed = f"one vector and a world from -1 to {self.world_count - 1}"
                what = f"shape {given.shape} for world {world}"
                raise ModelError(problem("set_gravity", what, allowed, "correct it"))
            rows[world] = given
        elif given.shape == (3,):
            rows[:] = given
        elif given.shape in ((entries, 3), (self.world_count, 3)):
            rows[: len(given)] = given
        else:
            allowed = f"(3,), ({self.world_count}, 3) or ({entries}, 3)"
            raise ModelError(problem("set_gravity", f"shape {given.shape}", allowed, "give one vector a world"))
        self.gravity.assign(rows)

    # -- by name ------------------------------------------------------------------------------------------------------

    def set(
        self,
        *,
        joint: str | Sequence[str] | None = None,
        shape: str | Sequence[str] | None = None,
        body: str | Sequence[str] | None = None,
        tendon: str | Sequence[str] | None = None,
        actuator: str | Sequence[str] | None = None,
        world: int | Sequence[int] | None = None,
        **values: Any,
    ) -> int:
        """Set gains, limits, materials and masses by name; ``solver.set`` also tells the solver.

        ``model.set(joint="*_knee", ke=80.0, kd=2.0)`` sets the target gains of joints in every world, ``model.set(shape="foot",
        mu=[0.4, 0.8])`` the friction of a shape, one value a world.

        Args:
            joint: Label, the last part of one, a pattern with ``*`` and ``?``, or several of these.
            shape, body, tendon, actuator: The same of other kinds, of which a call takes one.
            world: The only world or worlds to change.
            values: Properties of the kind (``newtonish.model.by_name.KINDS``): one value, one a world, or (worlds, objects).

        Returns:
            What was edited, bits of ``ModelFlags``, for ``solver.notify_model_changed``.

        Raises:
            ModelError: No such object or property, or values that do not fit.
        """
        return set_by_name(self, world, {"joint": joint, "shape": shape, "body": body, "tendon": tendon, "actuator": actuator}, values)

    # -- shapes -------------------------------------------------------------------------------------------------------

    @cached_property
    def body_shapes(self) -> dict[int, list[int]]:
        """Shapes of each body; -1 is the world."""
        found = group_by(self.shape_body.numpy())
        return {body: found.get(body, []) for body in range(-1, self.body_count)}

    @property
    def joint_target_q_start(self) -> wp.array:
        """First entry of each joint in ``joint_target_q``, (joint_count + 1,): that of its coordinates."""
        return self.joint_q_start

    @cached_property
    def shape_source_ptr(self) -> wp.array:
        """Handles of the shapes' Warp meshes, 0 where there is none; the meshes are made on first use."""
        kinds = self.shape_type.numpy()
        handles = np.zeros(self.shape_count, dtype=np.uint64)
        for shape in np.flatnonzero(np.isin(kinds, (int(GeoType.MESH), int(GeoType.CONVEX_MESH)))).tolist():
            handles[shape] = self.shape_source[shape].finalize(self.device)
        return wp.array(handles, dtype=wp.uint64, device=self.device)

    def shape_collision_filter_pairs_array(self) -> np.ndarray:
        """Return the shape pairs that do not collide, smaller index first, sorted, shape (n, 2)."""
        count = max(self.shape_count, 1)
        return np.stack([self._filter_keys // count, self._filter_keys % count], axis=1)

    def shape_collision_filter_mask(self, pairs: np.ndarray) -> np.ndarray:
        """Return, for shape pairs (n, 2) in any order, whether they are excluded from colliding."""
        ordered = np.sort(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
        keys = ordered[:, 0] * max(self.shape_count, 1) + ordered[:, 1]
        at = np.searchsorted(self._filter_keys, keys)
        inside = at < len(self._filter_keys)
        mask = np.zeros(len(keys), dtype=bool)
        mask[inside] = self._filter_keys[at[inside]] == keys[inside]
        return mask

    def shape_collision_filter_contains(self, shape_a: int, shape_b: int) -> bool:
        """Return whether two shapes are excluded from colliding."""
        return bool(self.shape_collision_filter_mask(np.array([[int(shape_a), int(shape_b)]]))[0])

    @cached_property
    def shape_collision_filter_pairs(self) -> builtins.set[tuple[int, int]]:
        """The shape pairs that do not collide, smaller index first."""
        return {tuple(pair) for pair in self.shape_collision_filter_pairs_array().tolist()}


def _put(holder: Any, key: str, value: Any) -> None:
    """Set ``holder.<namespace>.<name>`` for a key ``namespace:name``, making the namespace if needed."""
    namespace, _, name = key.rpartition(":")
    if namespace:
        if not hasattr(holder, namespace):
            setattr(holder, namespace, AttributeNamespace(namespace))
        holder = getattr(holder, namespace)
    setattr(holder, name, value)
