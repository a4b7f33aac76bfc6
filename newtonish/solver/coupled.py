"""Taking part in Newton's coupling of several solvers (``newton.solvers.experimental.coupled``).

Newton asks that such a solver inherits a class of its own, whose methods ``coupling_*`` mostly need nothing but the
model. Nothing of Newton's is imported for that: once a script has imported the coupling, solvers for models of that package
inherit the class as well, and what depends on the solver is answered here.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels.runtime.launch import block_dim, launch_on

__all__ = ["Coupled", "joined"]


class Coupled:
    """What couplings ask of a solver that simulates trees of bodies."""

    model: Any
    _m: Any
    device: Any
    compiled: Any

    def coupling_eval_effective_mass(self, endpoint_kind: wp.array, endpoint_index: wp.array, endpoint_local_pos: wp.array, out: wp.array) -> None:
        """Effective masses [kg] of points, in the mean over directions, for the reference pose.

        Args:
            endpoint_kind: 0 for a body, 1 for a particle.
            endpoint_index: Which body or particle of the model.
            endpoint_local_pos: The point from the body's centre of mass, body frame [m].
            out: Receives masses [kg]; those of bodies that are not simulated are their own.
        """
        from newtonish.kernels.bridge.coupled import effective_mass  # its kernels are for those who need them

        model, m = self.model, self._m
        particles = model.particle_mass if getattr(model, "particle_mass", None) is not None else wp.zeros(0, dtype=float, device=model.device)
        inputs = [endpoint_kind, endpoint_index, endpoint_local_pos, self._places, m.body_invweight0, model.body_mass, particles, out]
        _launch(effective_mass, self.device, len(out), inputs)

    def coupling_eval_effective_mass_block(
        self, endpoint_kind: wp.array, endpoint_index: wp.array, endpoint_local_pos: wp.array, out_mass: wp.array, out_inertia: wp.array | None = None
    ) -> None:
        """Effective masses as in ``coupling_eval_effective_mass``, and tensors of inertia [kg m^2], not below the bodies' own."""
        from newtonish.kernels.bridge.coupled import effective_inertia

        self.coupling_eval_effective_mass(endpoint_kind, endpoint_index, endpoint_local_pos, out_mass)
        if out_inertia is None:
            return
        model, m = self.model, self._m
        inputs = [endpoint_kind, endpoint_index, self._places, m.body_invweight0, model.body_mass, model.body_inertia, out_mass, out_inertia]
        _launch(effective_inertia, self.device, len(out_inertia), inputs)

    def coupling_eval_gravity_acceleration(self, out_body_acceleration: wp.array | None, out_particle_acceleration: wp.array | None) -> None:
        """Gravity [m/s^2] of bodies, less what ``gravcomp`` takes away, and of particles, for which the solver does nothing."""
        from newtonish.kernels.bridge.coupled import gravity_acceleration

        if out_particle_acceleration is not None:
            super().coupling_eval_gravity_acceleration(None, out_particle_acceleration)
        if out_body_acceleration is not None and len(out_body_acceleration):
            inputs = [self.model.gravity, self.model.body_world, self._places, self._m.body_gravcomp, out_body_acceleration]
            _launch(gravity_acceleration, self.device, len(out_body_acceleration), inputs)

    @property
    def _places(self) -> wp.array:
        """World and body of MuJoCo's arrays for each body of the model; -1 for one that is not simulated."""
        if self.__dict__.get("_place_of") is None:
            bodies = np.asarray(self.compiled.maps.mjc_body)
            places = np.full((int(self.model.body_count), 2), -1, dtype=np.int32)
            world, body = np.nonzero(bodies >= 0)
            places[bodies[world, body]] = np.stack((world, body), axis=1)
            self._place_of: wp.array = wp.array(places, dtype=wp.vec2i, device=self.model.device)
        return self._place_of


def _launch(kernel: Any, device: wp.Device, number: int, inputs: list[Any]) -> None:
    launch_on(kernel, device, number, inputs, block_dim=block_dim(device))


def joined(cls: type, model: Any) -> type:
    """``cls``, or where the model's package couples solvers and its coupling is imported, a class that takes part in it."""
    package = type(model).__module__.split(".")[0]
    module = sys.modules.get(f"{package}.solvers.experimental.coupled")
    base = vars(module).get("CouplingInterface") if module is not None else None  # getattr would import it
    return cls if base is None or issubclass(cls, base) else _with(cls, base)


@lru_cache
def _with(cls: type, base: type) -> type:
    return type(cls.__name__, (cls, base), {"__module__": cls.__module__, "__doc__": cls.__doc__, "__qualname__": cls.__qualname__})
