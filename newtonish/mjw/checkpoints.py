"""Checkpoints: what a simulation goes on from, in a file, so that a resumed run is the one that was not interrupted, to the bit.

A file is a NumPy archive (.npz) of plain arrays. Beside them stand a header in JSON with a hash of the model, the options and the capacities,
and a digest of it all. Nothing is pickled.
"""

from __future__ import annotations

import hashlib
import json
from os import PathLike
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw import sealed
from newtonish.mjw.growth import grow
from newtonish.mjw.matching import check_pair
from newtonish.mjw.snapshot import persistent

__all__ = ["restore", "save"]

KIND = sealed.Kind("newtonish checkpoint", 1, "checkpoint", "mjw.save")


@checked
def save(path: str | PathLike[str], m: Model, d: Data) -> None:
    """Write a checkpoint of all worlds, between two steps; a failure leaves the file that was there.

    It holds time, positions, velocities, activations, controls, applied forces, mocap poses, active constraints, warm start, histories of
    delays, plastic state, user data, held sensors, and all of ``m.opt``. Model fields are not in it, but a hash of them is.

    Args:
        path: the file; ``.npz`` is usual, and nothing is added to it.
        m: model.
        d: data.

    Raises:
        ModelError: the model and the data do not belong together.
        OSError: the file cannot be written.
    """
    check_pair("save", m, d)
    arrays = {name: array.numpy() for name, array in _arrays(d).items()}
    arrays |= sealed.option_arrays(m)
    header = {
        "model": _hash_of(m),
        "nworld": d.nworld,
        "capacities": {name: int(getattr(d, name)) for name in ("nconmax", "njmax", "nhessian")},
        "options": sealed.option_numbers(m),
    }
    sealed.write(path, KIND, header, arrays)


@checked
def restore(path: str | PathLike[str], m: Model, d: Data) -> None:
    """Put a checkpoint into a model and a data like those that it was made of; the next step is the one that followed it, to the bit.

    Options become those of the checkpoint. Buffers grow to the capacities that there were. Results such as ``d.xpos`` are those of the next
    ``mjw.step`` or ``mjw.forward``. Nothing is changed unless everything fits.

    Args:
        path: a file that ``save`` wrote.
        m: the same model, also in fields that were changed after it was put.
        d: data with as many worlds.

    Raises:
        ModelError: the file is none of these, is damaged, or is of another model, number of worlds or version.
        OSError: the file cannot be read.
    """
    check_pair("restore", m, d)
    header, arrays = sealed.read(path, KIND)
    if header["model"] != _hash_of(m):
        given, allowed = f"a checkpoint of model {header['model'][:12]}", f"model {_hash_of(m)[:12]}, which m is"
        sealed.refuse(path, KIND, given, allowed, "load the model that it was saved with, and change its fields as they were then")
    if header["nworld"] != d.nworld:
        sealed.refuse(path, KIND, f"a checkpoint of {header['nworld']} worlds", f"{d.nworld}, as d has", f"make d with nworld={header['nworld']}")
    targets = _arrays(d)
    _check_arrays(path, m, targets, arrays)
    _make_room(path, m, d, header["capacities"])
    sealed.set_options(m, header["options"], arrays)
    for name, array in _arrays(d).items():
        if array.size:
            array.assign(wp.array(arrays[name], dtype=array.dtype, ndim=array.ndim, device="cpu"))


def _arrays(d: Data) -> dict[str, wp.array]:
    """What a step reads of what came before it, by flat name."""
    return {flat: getattr(d, flat) for flat in persistent()}


def _hash_of(m: Model) -> str:
    """SHA-256 of sizes, names and every array that kernels read, options apart."""
    result = hashlib.sha256(json.dumps(m.names, sort_keys=True).encode())
    for g in m.GROUPS:
        for f in g.fields if g.name != "opt" else ():
            value = getattr(getattr(m, g.name), f.name)
            if f.dims is None:
                if f.name != "nfluid":  # follows from options
                    result.update(f"{g.name}.{f.name}={value};".encode())
                continue
            host = np.ascontiguousarray(value.numpy())
            result.update(f"{g.name}.{f.name}:{host.dtype.str}{host.shape};".encode())
            result.update(host.tobytes())
    return result.hexdigest()


def _check_arrays(path: Any, m: Model, targets: dict[str, wp.array], arrays: dict[str, np.ndarray]) -> None:
    """Every array must be there, in its shape and type, and the options' too."""
    wanted = {name: array.numpy() for name, array in targets.items()}
    wanted |= sealed.option_arrays(m)
    for name, old in wanted.items():
        new = arrays.get(name)
        worlds = new is not None and name.startswith(sealed.OPTION) and new.shape[0] in (1, targets["time"].shape[0])
        fits = new is not None and new.dtype == old.dtype and (new.shape == old.shape or (worlds and new.shape[1:] == old.shape[1:]))
        if not fits:
            given = f"no {name}" if new is None else f"{name} of shape {new.shape} of {new.dtype}"
            sealed.refuse(path, KIND, given, f"shape {old.shape} of {old.dtype}", "restore with the options, such as the integrator, that it was saved with")


def _make_room(path: Any, m: Model, d: Data, wanted: dict[str, int]) -> None:
    """Give a data whose capacities grow those that there were, so that no step lacks what it had."""
    for name, grows in (("nconmax", d.grow_contacts or d.pool is not None), ("njmax", d.grow_rows)):
        if wanted[name] > getattr(d, name) and not grows:
            sealed.refuse(
                path, KIND, f"a checkpoint with {name} {wanted[name]}", f"at most {getattr(d, name)}, which d was made with", "make d with that capacity"
            )
    room = {name: max(int(wanted[name]), int(getattr(d, name))) for name in wanted}
    if any(room[name] != getattr(d, name) for name in room):
        grow(m, d, room["nconmax"], room["njmax"], room["nhessian"])
