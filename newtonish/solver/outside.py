"""Contacts from outside: taking the arrays of a ``Contacts`` container, and sorting them by world, before a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import CapacityError, ModelError, problem, raise_all
from newtonish.kernels.bridge import outside
from newtonish.kernels.bridge.outside import OutsideContacts, ShapeMaps, contact_worlds_kernel, outside_kernel
from newtonish.kernels.math import sort_by_world
from newtonish.kernels.math.sort_by_world import SortByWorld
from newtonish.kernels.runtime.launch import block_dim, launch, launch_on
from newtonish.kernels.runtime.modules import Build, builds_of

__all__ = ["Outside"]

_INDICES = ("count", "shape0", "shape1")
_VECTORS = ("point0", "point1", "offset0", "offset1", "normal")
_SCALARS = ("margin0", "margin1")
_OWN = ("stiffness", "damping", "friction")
_TYPES = {**dict.fromkeys(_INDICES, wp.int32), **dict.fromkeys(_VECTORS, wp.vec3), **dict.fromkeys((*_SCALARS, *_OWN), wp.float32)}


class Outside:
    """Feeds contacts of Newton's layout to a solver's Data.

    Args:
        model: The Newton model.
        compiled: Its conversion.
        worlds: Number of worlds.
        capacity: Contacts of all worlds together to begin with.
    """

    def __init__(self, model: Any, compiled: Any, worlds: int, capacity: int) -> None:
        self._device, self._worlds = wp.get_device(model.device), worlds
        maps = compiled.maps
        geom = np.asarray(maps.shape_to_geom)
        held = np.asarray(compiled.body_dofnum)[np.asarray(compiled.body_weldid)][np.asarray(compiled.geom_bodyid)] == 0
        fixed = np.where(geom >= 0, held[np.maximum(geom, 0)], True) if len(held) else np.ones(len(geom), dtype=bool)
        self._shapes = ShapeMaps()
        # shapes of a model that was built without worlds belong to its only one
        world = np.maximum(maps.shape_world, 0 if worlds == 1 else -1)
        for name, values in (("world", world), ("geom", geom), ("fixed", fixed)):
            setattr(self._shapes, name, wp.array(np.asarray(values, dtype=np.int32), dtype=wp.int32, device=self._device))
        # the model's own arrays: edits of them are seen
        self._shapes.body, self._shapes.margin, self._shapes.body_flags = model.shape_body, model.shape_margin, model.body_flags
        self._sort = SortByWorld(capacity, worlds, self._device)
        self._outgrown: list[SortByWorld] = []

    def take(self, contacts: Any) -> OutsideContacts:
        """The arrays of a container, checked.

        Raises:
            ModelError: It is none, or an array does not fit.
            CapacityError: It is larger than what was sorted before, inside a capture on a GPU.
        """
        name = "SolverMuJoCo.step: contacts"
        if contacts is None or not hasattr(contacts, "rigid_contact_shape0"):
            given = "None" if contacts is None else f"a {type(contacts).__name__}"
            remedy = "pass what model.collide(state) returns, or leave use_mujoco_contacts=True"
            raise ModelError(problem(name, given, "a Contacts", remedy))
        flat = OutsideContacts()
        problems = []
        length = len(contacts.rigid_contact_shape0)
        for key, dtype in _TYPES.items():
            array = getattr(contacts, f"rigid_contact_{key}", None)
            if array is None and key in _OWN:
                continue
            wanted = 1 if key == "count" else length
            fits = isinstance(array, wp.array) and array.dtype == dtype and len(array) == wanted and array.device == self._device
            if not fits:
                allowed = f"an array of {wanted} {dtype.__name__} on {self._device}"
                problems.append(problem(f"{name}.rigid_contact_{key}", _described(array), allowed, "make it with model.contacts()"))
            else:
                setattr(flat, key, array)
        raise_all(ModelError, "SolverMuJoCo.step", problems)
        if (getattr(contacts, "rigid_contact_stiffness", None) is None) != (getattr(contacts, "rigid_contact_damping", None) is None):
            allowed = "both stiffness and damping of contacts, or neither"
            raise ModelError(problem(name, "one of the two", allowed, "pass per_contact_shape_properties=True to Contacts"))
        self._make_room(length)
        return flat

    def _make_room(self, length: int) -> None:
        if length <= self._sort.capacity:
            return
        if self._device.is_capturing and self._device.is_cuda:
            remedy = "take one step with these contacts before capturing"
            raise CapacityError(problem("SolverMuJoCo.step: contacts", f"room for {length}", f"{self._sort.capacity}", remedy))
        self._outgrown.append(self._sort)  # graphs of the caller's may hold it
        self._sort = SortByWorld(length, self._worlds, self._device)

    def builds(self, d: Any) -> list[Build]:
        """What has to be compiled for ``sort`` and for writers of contacts into ``d``."""
        return [build for kernels in (outside, sort_by_world) for build in builds_of(kernels, d)]

    @property
    def places(self) -> tuple[wp.array, wp.array, wp.array]:
        """How many contacts there are, the world of each, and their order by world, as the last ``sort`` left them."""
        return self._sort.number, self._sort.key, self._sort.order

    def key(self, flat: OutsideContacts) -> tuple[Any, ...]:
        """What a recording with these contacts is valid for."""
        arrays = [getattr(flat, name) for name in _TYPES]
        return (*((a.ptr, a.shape) if a is not None and a.size else None for a in arrays), self._sort.order.ptr)

    def sort(self, flat: OutsideContacts) -> None:
        """Sort the contacts by world; several launches on all of them, ahead of the worlds' own."""
        inputs = [flat, self._shapes, self._worlds, self._sort.number, self._sort.key]
        lanes = block_dim(self._device)
        launch_on(contact_worlds_kernel, self._device, max(1, len(flat.shape0)), inputs, block_dim=lanes)
        self._sort.run()

    def any_writer(self) -> Callable[[Any, Any], None]:
        """A writer of no contacts in particular, whose launches can be planned."""
        return self.writer(OutsideContacts())

    def writer(self, flat: OutsideContacts) -> Callable[[Any, Any], None]:
        """The function (m, d) that takes the place of collision, also for a slice of the worlds."""
        shapes, places = self._shapes, self.places

        def write(m: Any, d: Any) -> None:
            groups = [m.opt, m.body, m.geom, m.pair, m.gain, d.kin, d.contact, d.status]
            launch(outside_kernel, d, [*groups, flat, shapes, *places, d.first_world])

        return write


def _described(array: Any) -> str:
    if not isinstance(array, wp.array):
        return "None" if array is None else f"a {type(array).__name__}"
    return f"array of shape {array.shape} of {array.dtype.__name__} on {array.device}"
