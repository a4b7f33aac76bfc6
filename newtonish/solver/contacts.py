"""The contacts of the last step in Newton's ``Contacts``."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import CapacityError, ModelError, problem
from newtonish.kernels.bridge.contacts import FlatContacts, contacts_kernel
from newtonish.kernels.runtime.launch import launch

__all__ = ["ContactExport"]

_NAMES = ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "margin0", "margin1", "normal", "force")


class ContactExport:
    """Writes contacts into containers of enough room.

    Args:
        index: The conversion's ``IndexMaps``.
        model: The Newton model.
    """

    def __init__(self, index: Any, model: Any) -> None:
        device, self._margin = model.device, model.shape_margin
        shapes = np.ascontiguousarray(index.mjc_geom, dtype=np.int32)
        self._shapes: wp.array = wp.array(shapes, dtype=wp.int32, ndim=2, device=device)

    def write(self, m: Any, d: Any, contacts: Any, wrenches: wp.array | None = None) -> None:
        """Fill ``rigid_contact_*``: shapes, points, normals and the forces on the second shape.

        ``wrenches``, else ``contacts.force`` if there is one, receives force and torque on the first shape, as in Newton. Points
        are relative to the poses in which the contacts were found, those at the start of the last step.
        """
        missing = [f"rigid_contact_{name}" for name in _NAMES if getattr(contacts, f"rigid_contact_{name}", None) is None]
        if missing:
            given = f"a {type(contacts).__name__} without {', '.join(missing)}"
            raise ModelError(problem("update_contacts: contacts", given, "a Contacts", "make it with newtonish.Contacts"))
        needed = d.nworld * d.nconmax
        if contacts.rigid_contact_max < needed:
            given = f"rigid_contact_max={contacts.rigid_contact_max}"
            remedy = "make it as large as solver.get_max_contact_count()"
            raise CapacityError(problem("contacts", given, f"at least {needed}", remedy))
        wrenches = getattr(contacts, "force", None) if wrenches is None else wrenches
        arrays = {"count": contacts.rigid_contact_count, **{name: getattr(contacts, f"rigid_contact_{name}") for name in _NAMES}}
        elsewhere = dict.fromkeys(str(array.device) for array in (*arrays.values(), wrenches) if array is not None and array.device != d.device)
        if elsewhere:  # Warp does not look into structs: a kernel would reach for memory that it has not
            remedy = f"make it with newtonish.Contacts(..., device={str(d.device)!r})"
            raise ModelError(problem("update_contacts: contacts", f"arrays on {', '.join(elsewhere)}", f"on {d.device}", remedy))
        flat = FlatContacts()
        for name, array in arrays.items():
            setattr(flat, name, array)
        if wrenches is not None:
            wrenches.zero_()
            flat.wrench = wrenches
        inputs = [m.opt, m.geom, d.kin, d.contact, d.efc, d.status, self._shapes, self._margin, d.nworld, flat]
        launch(contacts_kernel, d, inputs)
