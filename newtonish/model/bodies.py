"""Bodies: adding links and free bodies, and the mass that shapes give to them.

A body's mass properties are the sum over its shapes' densities, unless they are locked: about the common centre of mass,
in the body's axes, by the parallel-axis theorem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import AttributeFrequency, BodyFlags
from newtonish.model.inertia import MassProperties, rotate_inertia, shift_inertia
from newtonish.model.transforms import Mat33, Transform, Vec3, as_matrix, as_transform, as_vector, transform_point

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder


class BodyMethods:
    """Part of :class:`~newtonish.ModelBuilder` that adds bodies."""

    def add_link(
        self: ModelBuilder,
        *,
        xform: Transform | None = None,
        com: Vec3 | None = None,
        inertia: Mat33 | None = None,
        mass: float = 0.0,
        label: str | None = None,
        lock_inertia: bool = False,
        is_kinematic: bool = False,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a body that still needs a joint, and return its index.

        Args:
            xform: Pose of the body frame in the world [m].
            com: Centre of mass in the body frame [m].
            inertia: Inertia about the centre of mass in body axes [kg m^2].
            mass: Mass [kg].
            label: Name; by default ``body_<index>``.
            lock_inertia: Whether shapes added later leave mass, centre of mass and inertia alone.
            is_kinematic: Whether the body is moved by the user and not by forces.
            custom_attributes: Values of attributes of BODY frequency.
        """
        body = self.body_count
        name = label or f"body_{body}"
        what = f"body '{name}'"
        pose = as_transform(xform, what)
        centre = np.zeros(3) if com is None else as_vector(com, 3, what)
        moments = as_matrix(inertia, what)
        values = self._checked_custom_values(custom_attributes, AttributeFrequency.BODY, body, what)
        self._append_row(
            body_label=name,
            body_world=self.current_world,
            body_q=pose,
            body_qd=np.zeros(6),
            body_com=centre,
            body_mass=mass,
            body_inertia=moments,
            body_flags=int(BodyFlags.KINEMATIC if is_kinematic else BodyFlags.DYNAMIC),
            body_lock_inertia=lock_inertia,
        )
        self._topology.add_body(body)
        self._store_custom_values(values)
        return body

    def add_body(
        self: ModelBuilder,
        *,
        xform: Transform | None = None,
        com: Vec3 | None = None,
        inertia: Mat33 | None = None,
        mass: float = 0.0,
        label: str | None = None,
        lock_inertia: bool = False,
        is_kinematic: bool = False,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a free-floating body: a link, a free joint to the world, and an articulation of that joint.

        The joint is called ``<label>_free_joint`` and the articulation ``<label>_articulation``. Arguments are those
        of :meth:`add_link`; the index of the body is returned.
        """
        body = self.add_link(
            xform=xform,
            com=com,
            inertia=inertia,
            mass=mass,
            label=label,
            lock_inertia=lock_inertia,
            is_kinematic=is_kinematic,
            custom_attributes=custom_attributes,
        )
        joint = self.add_joint_free(body, label=f"{label}_free_joint" if label else None)
        self.add_articulation([joint], label=f"{label}_articulation" if label else None)
        return body

    def _check_body(self: ModelBuilder, body: int, what: str, role: str) -> None:
        """Raise unless ``body`` is the world or a body of the current world."""
        if body == -1:
            return
        if not -1 <= body < self.body_count:
            allowed = f"-1 (the world) to {self.body_count - 1}"
            raise ModelError(problem(what, f"{role} {body}", allowed, "add the body first and pass its index"))
        world = self.body_world[body]
        if world != self.current_world:
            given = f"{role} '{self.body_label[body]}' of world {world}"
            allowed = f"bodies of the current world {self.current_world}"
            raise ModelError(problem(what, given, allowed, "add both between the same begin_world and end_world"))

    def _add_body_mass(self: ModelBuilder, body: int, added: MassProperties, xform: np.ndarray) -> None:
        """Add a part's mass properties, given in the frame ``xform`` of the body, to a body."""
        mass, com, inertia = added
        old_mass = self.body_mass[body]
        total = old_mass + mass
        if mass == 0.0 or total == 0.0:
            return
        place = transform_point(xform, com)
        old_com = self._columns["body_com"].array[body].copy()
        new_com = (old_mass * old_com + mass * place) / total
        moments = self._columns["body_inertia"].array[body]
        moments[:] = shift_inertia(old_mass, moments, new_com - old_com) + shift_inertia(mass, rotate_inertia(inertia, xform[3:]), new_com - place)
        self.body_mass[body] = total
        self.body_com[body] = new_com
