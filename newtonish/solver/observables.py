"""What a step is asked to report beside the new state: optional arrays of a state, or of a container made by the solver."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

import warp as wp

from newtonish.arguments import shown
from newtonish.errors import CapacityError, ModelError, UnsupportedError, problem

__all__ = ["DOF_FORCES", "KINDS", "Observables", "outputs_of"]

BODIES = ("body_qdd", "body_parent_f")
DOF_FORCES = ("qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_frictionloss")
KINDS = (*BODIES, *DOF_FORCES, "contact_f", "overflow")


class Observables:
    """Arrays that steps of one solver fill; made by ``SolverMuJoCo.observables``.

    Attributes:
        body_qdd: (linear of the centre of mass, angular) acceleration of each body, world axes [m/s^2, rad/s^2].
        body_parent_f: (force, torque about the centre of mass) that each body gets through the joint above it, world
            axes [N, N m].
        qfrc_actuator: Forces of actuators on the DOFs [N, N m].
        qfrc_bias: Coriolis, centrifugal and gravitational forces on the DOFs [N, N m].
        qfrc_constraint: Forces of constraints on the DOFs, those of friction loss among them [N, N m].
        qfrc_frictionloss: Forces of friction loss alone on the DOFs [N, N m].
        contact_f: (force, torque) on the first shape of each contact of the step's ``contacts``, world axes [N, N m].
        overflow: Bits of ``SolverMuJoCo.OverflowBits`` and ``newtonish.mjw.OverflowType`` for what did not fit in the last
            step, one number a world.
    """

    body_qdd: wp.array | None = None
    body_parent_f: wp.array | None = None
    qfrc_actuator: wp.array | None = None
    qfrc_bias: wp.array | None = None
    qfrc_constraint: wp.array | None = None
    qfrc_frictionloss: wp.array | None = None
    contact_f: wp.array | None = None
    overflow: wp.array | None = None

    def __init__(self, solver: Any, kinds: Iterable[str], contacts: Any = None) -> None:
        self.solver, self.model = solver, solver.model
        try:
            self.kinds = frozenset([kinds] if isinstance(kinds, str) else kinds)
        except TypeError:
            raise ModelError(problem("observables: kinds", shown(kinds), ", ".join(KINDS), "pass a list of these")) from None
        for kind in sorted(self.kinds, key=str):
            if kind not in solver.supported_observables:
                given, allowed = repr(kind), ", ".join(name for name in KINDS if name in solver.supported_observables)
                raise UnsupportedError(problem("SolverMuJoCo.observables: kinds", given, allowed, "ask for these"))
        self._layout: dict[str, Any] = {}  # which contacts the rows of contact_f are; shared with selections
        if "contact_f" in self.kinds:
            self.follow(contacts, "SolverMuJoCo.observables: contacts")
        sizes = {
            **dict.fromkeys(BODIES, (int(self.model.body_count), wp.spatial_vector)),
            **dict.fromkeys(DOF_FORCES, (int(self.model.joint_dof_count), wp.float32)),
            "contact_f": (_rows(contacts), wp.spatial_vector),
            "overflow": (solver._d.nworld, wp.int32),
        }
        for kind in self.kinds:
            setattr(self, kind, wp.zeros(sizes[kind][0], dtype=sizes[kind][1], device=self.model.device))

    def is_requested(self, kind: str) -> bool:
        """Whether steps fill the array of this name."""
        return kind in self.kinds

    def select(self, kinds: Iterable[str]) -> Observables:
        """A container of some of these arrays, the same ones, for steps that are to fill no others."""
        kinds = frozenset([kinds] if isinstance(kinds, str) else kinds)
        missing = sorted(kinds - self.kinds)
        if missing:
            allowed = ", ".join(sorted(self.kinds))
            raise ModelError(problem("Observables.select: kinds", ", ".join(missing), allowed, "request them when it is made"))
        selected = copy(self)
        selected.kinds = kinds
        for kind in self.kinds - kinds:
            setattr(selected, kind, None)
        return selected

    @property
    def contacts(self) -> Any:
        """The contacts that the rows of ``contact_f`` belong to."""
        return self.contacts_for_kind("contact_f")

    def contacts_for_kind(self, kind: str) -> Any:
        """The contacts that the rows of an array belong to; None for arrays that have no such rows."""
        return self._layout.get("contacts") if kind == "contact_f" and kind in self.kinds else None

    def follow(self, contacts: Any, name: str) -> None:
        """Take ``contacts`` for those that ``contact_f`` tells of from now on.

        Raises:
            ModelError: They are none, or on another device.
            CapacityError: They have too little room, or ``contact_f`` has.
        """
        if not hasattr(contacts, "rigid_contact_max"):
            given = "None" if contacts is None else f"a {type(contacts).__name__}"
            remedy = "pass the contacts that contact_f is to follow"
            raise ModelError(problem(name, given, "a Contacts", remedy))
        if contacts.rigid_contact_count.device != self.solver.device:
            given = f"on {contacts.rigid_contact_count.device}"
            raise ModelError(problem(name, given, f"on {self.solver.device}", "make them there"))
        needed = self.solver.get_max_contact_count() if self.solver.use_mujoco_contacts else 0
        if contacts.rigid_contact_max < needed:
            remedy = "make it as large as solver.get_max_contact_count(); give nconmax, so that this does not grow"
            raise CapacityError(problem(name, f"rigid_contact_max={contacts.rigid_contact_max}", f"at least {needed}", remedy))
        if self.contact_f is not None and _rows(contacts) > len(self.contact_f):
            given, allowed = f"room for {_rows(contacts)}", f"at most {len(self.contact_f)}, the rows of contact_f"
            raise CapacityError(problem(name, given, allowed, "make the observables with the largest contacts"))
        self._layout["contacts"] = contacts


def _rows(contacts: Any) -> int:
    """How many contacts of all kinds a container has room for."""
    if contacts is not None and not hasattr(contacts, "rigid_contact_max"):
        raise ModelError(problem("observables: contacts", shown(contacts), "Contacts or None", "pass what CollisionPipeline.contacts returns"))
    return 0 if contacts is None else int(contacts.rigid_contact_max) + int(getattr(contacts, "soft_contact_max", 0))


def outputs_of(solver: Any, state: Any, observables: Any) -> list[tuple[str, wp.array]]:
    """Kinds and arrays that a step is to fill before it integrates, beside the new state.

    Raises:
        ModelError: An array does not fit the model.
    """
    model = solver.model
    found = [(kind, getattr(state, kind, None)) for kind in BODIES]
    found.append(("qfrc_actuator", getattr(getattr(state, "mujoco", None), "qfrc_actuator", None)))
    for kind, array in found:
        count = int(model.body_count if kind in BODIES else model.joint_dof_count)
        if array is not None and (len(array) != count or array.device != solver.device):
            given, allowed = f"{len(array)} on {array.device}", f"{count} on {solver.device}"
            raise ModelError(problem(f"SolverMuJoCo.step: state_out.{kind}", given, allowed, "make it with model.state()"))
    if observables is not None:
        found += [(kind, getattr(observables, kind)) for kind in (*BODIES, *DOF_FORCES)]
    return [(kind, array) for kind, array in found if array is not None]
