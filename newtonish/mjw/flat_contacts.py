"""The contacts of all worlds one after another, as mujoco_warp lists them; Data itself keeps them in slots of each world."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import ConstraintType
from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data
from newtonish.kernels.structs.data import CONTACT

__all__ = ["ContactList", "contact_list"]


class ContactList:
    """Contacts in the order of their worlds, and within a world in that of its slots; a copy.

    Every array of ``d.contact`` is there without its world axis, of length ``nacon``, and besides:

    Attributes:
        nacon: Number of contacts.
        efc_address: Rows of each contact in its world's ``d.efc``, (nacon, most rows of a contact); -1 behind them.
        worldid: World of each contact.
        type: 1 for each, mujoco_warp's mark of contacts that constrain: no sensor adds contacts here.
        slot: Its place in ``d.contact`` within that world.
        id: Its number for ``contact_force``.
    """

    def __init__(self, arrays: dict[str, wp.array]) -> None:
        self.nacon = len(arrays["worldid"])
        self.__dict__.update(arrays)

    def __repr__(self) -> str:
        return f"<ContactList: {self.nacon} contacts>"


def contact_list(d: Data) -> ContactList:
    """Gather the contacts of all worlds. Waits for the device.

    Raises:
        ModelError: ``d`` is no Data.
    """
    if not isinstance(d, Data):
        raise ModelError(problem("contact_list: d", f"a {type(d).__name__}", "a newtonish.mjw.Data", "pass one"))
    found = np.minimum(d.status.ncon.numpy(), d.nconmax)
    worldid, slot = np.nonzero(np.arange(d.nconmax) < found[:, None])
    arrays: dict[str, Any] = {"worldid": worldid, "slot": slot, "id": worldid * d.nconmax + slot, "type": np.ones_like(slot)}
    arrays = {name: wp.array(host.astype(np.int32), dtype=wp.int32, device=d.device) for name, host in arrays.items()}
    for f in CONTACT.fields:
        if f.dims == ("nconmax",):
            host = getattr(d.contact, f.name).numpy()[worldid, slot]
            arrays[f.name] = wp.array(host, dtype=f.dtype, ndim=1, device=d.device) if len(host) else wp.zeros(0, dtype=f.dtype, device=d.device)
    arrays["efc_address"] = wp.array(_rows(d, worldid, slot), dtype=wp.int32, ndim=2, device=d.device)
    return ContactList(arrays)


def _rows(d: Data, worldid: np.ndarray, slot: np.ndarray) -> np.ndarray:
    """Every row of each contact: as many as its kind of row and its dimension have."""
    first, dim = (getattr(d.contact, name).numpy()[worldid, slot] for name in ("efc_address", "dim"))
    if not len(first) or d.njmax == 0:
        return np.full((len(first), 1), -1, dtype=np.int32)
    kind = d.efc.type.numpy()[worldid, np.clip(first, 0, d.njmax - 1)]
    number = np.where(kind == ConstraintType.CONTACT_PYRAMIDAL, 2 * (dim - 1), dim)
    number = np.where(first < 0, 0, number)
    step = np.arange(max(1, int(number.max())))
    return np.where(step < number[:, None], first[:, None] + step, -1).astype(np.int32)
