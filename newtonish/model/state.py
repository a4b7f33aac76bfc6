"""What changes while simulating: State (coordinates and poses), Control (inputs) and Contacts (what touches what)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.model.attributes import AttributeNamespace

if TYPE_CHECKING:
    from newtonish.model.model import Model

wp.set_module_options({"enable_backward": False})


def _arrays(holder: Any, prefix: str = "") -> Iterator[tuple[str, wp.array]]:
    """Yield the full names and arrays of an object and of the namespaces on it."""
    for name, value in vars(holder).items():
        if isinstance(value, AttributeNamespace):
            yield from _arrays(value, f"{name}.")
        elif isinstance(value, wp.array):
            yield prefix + name, value


def _check_names(attributes: tuple[str, ...], allowed: frozenset[str], what: str) -> None:
    unknown = sorted(set(attributes) - allowed)
    if unknown:
        raise ModelError(problem(what, ", ".join(unknown), ", ".join(sorted(allowed)), "request one of these"))


class State:
    """Coordinates, velocities and outer forces at one time; made by ``model.state()``.

    Attributes:
        body_q: Pose of each body frame in the world, (position, quaternion x, y, z, w) [m].
        body_qd: (linear velocity of the centre of mass, angular velocity) of each body, world axes [m/s, rad/s].
        body_f: (force at the centre of mass, torque) on each body, world axes [N, N m].
        joint_q: Coordinates of the joints [m, rad, quaternion].
        joint_qd: Velocities of the joints [m/s, rad/s]; a free joint's are (velocity of the child's centre of mass,
            angular velocity) in the joint's parent frame.
    """

    EXTENDED_ATTRIBUTES: ClassVar[dict[str, tuple[str, Any]]] = {
        "body_qdd": ("body_count", wp.spatial_vector),
        "body_parent_f": ("body_count", wp.spatial_vector),
        "mujoco:qfrc_actuator": ("joint_dof_count", wp.float32),
    }
    """Arrays that exist on request only, with the count they follow and their type."""

    def __init__(self) -> None:
        self.body_q: wp.array | None = None
        self.body_qd: wp.array | None = None
        self.body_f: wp.array | None = None
        self.joint_q: wp.array | None = None
        self.joint_qd: wp.array | None = None
        self.body_qdd: wp.array | None = None
        self.body_parent_f: wp.array | None = None
        self.particle_q: wp.array | None = None
        self.particle_qd: wp.array | None = None
        self.particle_f: wp.array | None = None

    @classmethod
    def validate_extended_attributes(cls, attributes: tuple[str, ...]) -> None:
        """Raise unless all names are among the optional arrays."""
        _check_names(attributes, frozenset(cls.EXTENDED_ATTRIBUTES), "requested state attributes")

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return 0 if self.body_q is None else len(self.body_q)

    @property
    def joint_coord_count(self) -> int:
        """Number of joint coordinates."""
        return 0 if self.joint_q is None else len(self.joint_q)

    @property
    def joint_dof_count(self) -> int:
        """Number of joint velocities."""
        return 0 if self.joint_qd is None else len(self.joint_qd)

    @property
    def particle_count(self) -> int:
        """Number of particles."""
        return 0 if self.particle_q is None else len(self.particle_q)

    @property
    def requires_grad(self) -> bool:
        """Whether the arrays record gradients."""
        return False if self.body_q is None else bool(self.body_q.requires_grad)

    def clear_forces(self) -> None:
        """Set all outer forces to zero."""
        for force in (self.body_f, self.particle_f):
            if force is not None:
                force.zero_()

    def assign(self, other: State) -> None:
        """Copy all arrays of another state of the same model into this one; allocates nothing."""
        mine, theirs = dict(_arrays(self)), dict(_arrays(other))
        odd = sorted(set(mine) ^ set(theirs))
        if odd:
            given = f"another state where only one of both has {', '.join(odd)}"
            raise ModelError(problem("State.assign", given, "states of the same model", "make both by model.state()"))
        for name, array in mine.items():
            wp.copy(array, theirs[name])


class Control:
    """Inputs of a step; made by ``model.control()``.

    Attributes:
        joint_target_q: Coordinates that joint drives seek, laid out as ``State.joint_q``.
        joint_target_qd: Speeds that joint drives seek, one a DOF.
        joint_act: Feed-forward input of joint drives, one a DOF.
        joint_f: Forces on the DOFs [N, N m]; for free joints a (force at the centre of mass, torque) in world axes.
    """

    def __init__(self) -> None:
        self.joint_target_q: wp.array | None = None
        self.joint_target_qd: wp.array | None = None
        self.joint_act: wp.array | None = None
        self.joint_f: wp.array | None = None

    def clear(self, model: Model | None = None) -> None:
        """Set all inputs to zero.

        Args:
            model: Where to take ``joint_target_q`` from instead of zero, which is no rotation for a quaternion.
        """
        for _, array in _arrays(self):
            array.zero_()
        if model is not None and self.joint_target_q is not None and model.joint_target_q is not None:
            wp.copy(self.joint_target_q, model.joint_target_q)


class Contacts:
    """Contacts in fixed-size arrays, of which the first ``rigid_contact_count[0]`` are valid.

    Attributes:
        rigid_contact_count: Number of contacts, on the device.
        rigid_contact_shape0: First shape of each contact, -1 for none.
        rigid_contact_shape1: Second shape.
        rigid_contact_point0: Contact point on the first shape, in its body's frame [m].
        rigid_contact_point1: Contact point on the second shape, in its body's frame [m].
        rigid_contact_offset0: From the point to the surface with margin, in the first body's frame [m].
        rigid_contact_offset1: The same for the second body.
        rigid_contact_normal: Normal from the first to the second shape, world axes.
        rigid_contact_margin0: Margin of the first shape [m].
        rigid_contact_margin1: Margin of the second shape [m].
        rigid_contact_force: Force on the second shape, world axes [N].
        rigid_contact_tids: Which thread found the contact, -1 for none.
        rigid_contact_point_id: Which point of its pair the contact is.
        contact_counters: The counters of all kinds of contacts, of which ``rigid_contact_count`` is the first.
        contact_generation: Counts how often the contacts were recomputed.
    """

    EXTENDED_ATTRIBUTES: ClassVar[frozenset[str]] = frozenset({"force"})
    """Arrays that exist on request only."""

    def __init__(
        self,
        rigid_contact_max: int,
        soft_contact_max: int = 0,
        *,
        soft_contact_tids_size: int | None = None,
        requires_grad: bool = False,
        device: Any = None,
        per_contact_shape_properties: bool = False,
        clear_buffers: bool = False,
        requested_attributes: set[str] | None = None,
        **unsupported: Any,
    ) -> None:
        asked = sorted(name for name, value in unsupported.items() if value)
        if asked or soft_contact_max:
            given = ", ".join(asked) or f"soft_contact_max {soft_contact_max}"
            raise ModelError(problem("Contacts", given, "contacts of rigid bodies", "leave it out"))
        requested = () if requested_attributes is None else tuple(requested_attributes)
        self.validate_extended_attributes(requested)
        self.rigid_contact_max = int(rigid_contact_max)
        self.soft_contact_max = 0
        self.clear_buffers = clear_buffers
        self.requires_grad = requires_grad
        self.per_contact_shape_properties = per_contact_shape_properties
        count = self.rigid_contact_max
        with wp.ScopedDevice(device):
            self.device = wp.get_device()
            self.contact_counters = wp.zeros(4, dtype=wp.int32)
            self.rigid_contact_count = self.contact_counters[0:1]
            self.soft_contact_count = self.contact_counters[1:2]
            self.contact_generation = wp.zeros(1, dtype=wp.int32)
            self.rigid_contact_point_id = wp.zeros(count, dtype=wp.int32)
            for name in ("shape0", "shape1", "tids"):
                setattr(self, f"rigid_contact_{name}", wp.full(count, -1, dtype=wp.int32))
            for name in ("point0", "point1", "offset0", "offset1", "normal", "force"):
                setattr(self, f"rigid_contact_{name}", wp.zeros(count, dtype=wp.vec3, requires_grad=requires_grad))
            scalars = ("margin0", "margin1")
            optional = ("stiffness", "damping", "friction")
            for name in (*scalars, *optional):
                wanted = name in scalars or per_contact_shape_properties
                value = wp.zeros(count, dtype=wp.float32, requires_grad=requires_grad) if wanted else None
                setattr(self, f"rigid_contact_{name}", value)
            self.force = wp.zeros(count, dtype=wp.spatial_vector) if "force" in requested else None

    @classmethod
    def validate_extended_attributes(cls, attributes: tuple[str, ...]) -> None:
        """Raise unless all names are among the optional arrays."""
        _check_names(attributes, cls.EXTENDED_ATTRIBUTES, "requested contact attributes")

    def clear(self, bump_generation: bool = True) -> None:
        """Forget all contacts; with ``clear_buffers`` their shapes and forces too."""
        self.contact_counters.zero_()
        if bump_generation:
            wp.launch(_count_up, dim=1, inputs=[self.contact_generation], device=self.device)
        if self.clear_buffers:
            self.rigid_contact_shape0.fill_(-1)
            self.rigid_contact_shape1.fill_(-1)
            self.rigid_contact_tids.fill_(-1)
            self.rigid_contact_force.zero_()


@wp.kernel
def _count_up(counter: wp.array(dtype=wp.int32)):
    counter[0] = counter[0] + 1
