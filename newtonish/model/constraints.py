"""Constraints between joints: a joint that mimics another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import AttributeFrequency, JointType
from newtonish.model.transforms import as_vector

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

MIMIC_TYPES = (JointType.PRISMATIC, JointType.REVOLUTE, JointType.D6)


class ConstraintMethods:
    """Part of :class:`~newtonish.ModelBuilder` that couples joints."""

    def set_joint_mimic(
        self: ModelBuilder,
        joint: int,
        reference_joint: int | None,
        *,
        coeffs: Any = (0.0, 1.0),
    ) -> None:
        """Make a joint follow another one: q = coeffs[0] + coeffs[1] * q_reference, coordinate by coordinate.

        Args:
            joint: The follower: PRISMATIC, REVOLUTE or D6.
            reference_joint: The joint it follows, with as many axes, that follows none itself; None ends it.
            coeffs: Offset [m or rad] and factor.
        """
        self._check_joint_index(joint, "set_joint_mimic", "follower joint")
        if reference_joint is None:
            self.joint_mimic_joint[joint] = -1
            self.joint_mimic_coeffs[joint] = (0.0, 1.0)
            return
        self._check_joint_index(reference_joint, "set_joint_mimic", "reference joint")
        what = f"mimic joint '{self.joint_label[joint]}' of '{self.joint_label[reference_joint]}'"
        factors = as_vector(coeffs, 2, what)
        if not np.all(np.isfinite(factors)):
            raise ModelError(problem(what, f"coeffs {factors.tolist()}", "finite numbers", "correct them"))
        fault = self._mimic_fault(joint, reference_joint)
        if fault is not None:
            raise ModelError(problem(what, *fault))
        self.joint_mimic_joint[joint] = reference_joint
        self.joint_mimic_coeffs[joint] = factors

    def _mimic_fault(self: ModelBuilder, joint: int, reference: int) -> tuple[str, str, str] | None:
        """Return (given, allowed, remedy) if a joint cannot follow another one."""
        columns = self._columns
        types = [self.joint_type[j] for j in (joint, reference)]
        if any(kind not in MIMIC_TYPES for kind in types):
            given = f"types {types[0].name} and {types[1].name}"
            return given, ", ".join(kind.name for kind in MIMIC_TYPES), "couple other joints by constraints"
        if joint == reference:
            return "itself as the reference", "another joint", "pass its index"
        axes = [sum(self.joint_dof_dim[j]) for j in (joint, reference)]
        if axes[0] != axes[1]:
            return f"{axes[0]} and {axes[1]} axes", "equal numbers", "choose joints with equally many axes"
        worlds = [self.joint_world[j] for j in (joint, reference)]
        if worlds[0] != worlds[1]:
            return f"worlds {worlds[0]} and {worlds[1]}", "one world", "couple joints inside each world"
        trees = [self.joint_articulation[j] for j in (joint, reference)]
        if trees[0] != trees[1] and min(trees) >= 0:
            names = [self.articulation_label[tree] for tree in trees]
            return f"articulations '{names[0]}' and '{names[1]}'", "one articulation", "couple joints inside one"
        if self.joint_mimic_joint[reference] != -1 or np.any(columns["joint_mimic_joint"].array == joint):
            return "a chain of mimic joints", "references that follow nothing", "refer to the first joint of the chain"
        return None

    def add_constraint_mimic(
        self: ModelBuilder,
        joint0: int,
        joint1: int,
        coef0: float = 0.0,
        coef1: float = 1.0,
        enabled: bool = True,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a constraint joint0 = coef0 + coef1 * joint1 that a solver holds softly, and return its index."""
        index = len(self.constraint_mimic_joint0)
        what = f"mimic constraint '{label or index}'"
        for joint, role in ((joint0, "follower joint"), (joint1, "leader joint")):
            self._check_joint_index(joint, what, role)
            if self.joint_world[joint] != self.current_world:
                given = f"{role} '{self.joint_label[joint]}' of world {self.joint_world[joint]}"
                raise ModelError(problem(what, given, f"joints of world {self.current_world}", "add it in that world"))
        values = self._checked_custom_values(custom_attributes, AttributeFrequency.CONSTRAINT_MIMIC, index, what)
        self._append_row(
            constraint_mimic_joint0=joint0,
            constraint_mimic_joint1=joint1,
            constraint_mimic_coef0=coef0,
            constraint_mimic_coef1=coef1,
            constraint_mimic_enabled=enabled,
            constraint_mimic_label=label or "",
            constraint_mimic_world=self.current_world,
        )
        self._store_custom_values(values)
        return index

    def _check_joint_index(self: ModelBuilder, joint: int, what: str, role: str) -> None:
        if not 0 <= joint < self.joint_count:
            allowed = f"0 to {self.joint_count - 1}" if self.joint_count else "joints that exist; there are none"
            raise ModelError(problem(what, f"{role} {joint}", allowed, "pass the index that add_joint_* returned"))
