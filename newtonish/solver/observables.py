"""What a step is asked to report beside the new state: optional arrays of a state, or of a container made by the solver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem

__all__ = ["Observables", "outputs_of"]

BODIES = ("body_qdd", "body_parent_f")
KINDS = (*BODIES, "qfrc_actuator", "qfrc_bias", "qfrc_constraint")
_ELSEWHERE = {
    "contact_f": "call solver.update_contacts after the step",
    "overflow": "read solver.mjw_data.overflow, whose bits stay until a reset",
    "qfrc_frictionloss": "read the rows of solver.mjw_data.efc",
}


class Observables:
    """Arrays that steps of one solver fill; made by ``SolverMuJoCo.observables``.

    Attributes:
        body_qdd: (linear of the centre of mass, angular) acceleration of each body, world axes [m/s^2, rad/s^2].
        body_parent_f: (force, torque about the centre of mass) that each body gets through the joint above it, world
            axes [N, N m].
        qfrc_actuator: Forces of actuators on the DOFs [N, N m].
        qfrc_bias: Coriolis, centrifugal and gravitational forces on the DOFs [N, N m].
        qfrc_constraint: Forces of constraints on the DOFs [N, N m].
    """

    body_qdd: wp.array | None = None
    body_parent_f: wp.array | None = None
    qfrc_actuator: wp.array | None = None
    qfrc_bias: wp.array | None = None
    qfrc_constraint: wp.array | None = None

    def __init__(self, solver: Any, kinds: Iterable[str]) -> None:
        self.solver = solver
        self.kinds = frozenset([kinds] if isinstance(kinds, str) else kinds)
        for kind in sorted(self.kinds, key=str):
            if kind not in KINDS:
                remedy = _ELSEWHERE.get(kind, "ask for these")
                raise UnsupportedError(problem("SolverMuJoCo.observables: kinds", repr(kind), ", ".join(KINDS), remedy))
        model = solver.model
        for kind in self.kinds:
            count, dtype = (model.body_count, wp.spatial_vector) if kind in BODIES else (model.joint_dof_count, float)
            setattr(self, kind, wp.zeros(int(count), dtype=dtype, device=model.device))

    def is_requested(self, kind: str) -> bool:
        """Whether steps fill the array of this name."""
        return kind in self.kinds


def outputs_of(solver: Any, state: Any, observables: Any) -> list[tuple[str, wp.array]]:
    """Kinds and arrays that a step is to fill, beside the new state.

    Raises:
        ModelError: The container is another solver's, or none.
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
        if not isinstance(observables, Observables) or observables.solver is not solver:
            given = "another solver's" if isinstance(observables, Observables) else f"a {type(observables).__name__}"
            allowed = "None, or what this solver's observables() made"
            raise ModelError(problem("SolverMuJoCo.step: observables", given, allowed, "make it with solver.observables"))
        found += [(kind, getattr(observables, kind)) for kind in sorted(observables.kinds)]
    return [(kind, array) for kind, array in found if array is not None]
