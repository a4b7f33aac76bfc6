"""Checkpoints: what a simulation goes on from, in a file, so that a resumed run is the one that was not interrupted, to the bit.

A file is a NumPy archive (.npz) of plain arrays. Beside them stand a header in JSON with a hash of the model, the options and the capacities,
and a digest of it all. Nothing is pickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from os import PathLike
from typing import Any, NoReturn

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.files import read_file, replacing
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.growth import grow
from newtonish.mjw.matching import check_pair

__all__ = ["restore", "save"]

FORMAT, VERSION = "newtonish checkpoint", 1
_GROUPS = ("state", "hist")
_FURTHER = ("userdata", "qacc", "qfrc_constraint", "efc_Ma", "sensordata", "nonfinite", "nonfinite_origin", "overflow", "overflow_time")
"""Besides the groups: a solver may start from its last solution, sensors are held between evaluations, and a history follows the number of automatic resets."""
_MOST = 1 << 30
_REMEDY = "pass a file that mjw.save wrote"


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
    arrays |= {f"option/{f.name}": getattr(m.opt, f.name).numpy() for f in _options(m) if f.dims is not None}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "model": _hash_of(m),
        "nworld": d.nworld,
        "capacities": {name: int(getattr(d, name)) for name in ("nconmax", "njmax", "nhessian")},
        "options": {f.name: int(getattr(m.opt, f.name)) for f in _options(m) if f.dims is None} | _beside(m),
    }
    text = json.dumps(header, sort_keys=True).encode()
    digest = np.frombuffer(_digest(text, arrays), dtype=np.uint8)
    with replacing(path) as partial, open(partial, "wb") as file:
        np.savez(file, header=np.frombuffer(text, dtype=np.uint8), digest=digest, **arrays)


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
    header, arrays = _read(str(path), path)
    if header["model"] != _hash_of(m):
        given, allowed = f"a checkpoint of model {header['model'][:12]}", f"model {_hash_of(m)[:12]}, which m is"
        _refuse(path, given, allowed, "load the model that it was saved with, and change its fields as they were then")
    if header["nworld"] != d.nworld:
        _refuse(path, f"a checkpoint of {header['nworld']} worlds", f"{d.nworld}, as d has", f"make d with nworld={header['nworld']}")
    targets = _arrays(d)
    _check_arrays(path, m, targets, arrays)
    _make_room(path, m, d, header["capacities"])
    _set_options(m, header["options"], arrays)
    for name, array in _arrays(d).items():
        if array.size:
            array.assign(wp.array(arrays[name], dtype=array.dtype, ndim=array.ndim, device="cpu"))


def _arrays(d: Data) -> dict[str, wp.array]:
    """What a step reads of what came before it, by flat name."""
    return {flat: getattr(d, flat) for flat, (g, _) in Data.FLAT.items() if g.name in _GROUPS or flat in _FURTHER}


def _options(m: Model) -> tuple[Any, ...]:
    return next(g.fields for g in m.GROUPS if g.name == "opt")


def _beside(m: Model) -> dict[str, Any]:
    """Options that no kernel reads, as far as they are numbers."""
    found = {name: m.opt.__dict__[name] for name in m.opt.__dict__["_beside"]}
    return {name: value for name, value in found.items() if isinstance(value, (bool, int, float))}


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


def _digest(text: bytes, arrays: dict[str, np.ndarray]) -> bytes:
    result = hashlib.sha256(text)
    for name in sorted(arrays):
        result.update(f"{name}:{arrays[name].dtype.str}{arrays[name].shape};".encode())
        result.update(np.ascontiguousarray(arrays[name]).tobytes())
    return result.digest()


def _read(name: str, path: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file that is whole."""
    contents = read_file(path, _MOST)
    try:
        with zipfile.ZipFile(io.BytesIO(contents)) as archive:
            packed = any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist())
        if packed:  # could be of any size
            raise ValueError("compressed arrays")
        with np.load(io.BytesIO(contents), allow_pickle=False) as file:
            arrays = {one: file[one] for one in file.files}
        text, digest = arrays.pop("header").tobytes(), arrays.pop("digest").tobytes()
        header = json.loads(text)
        kind = header["format"], header["version"]
    except (LookupError, ValueError, TypeError, AttributeError, EOFError, NotImplementedError, OSError, RuntimeError, MemoryError, zipfile.BadZipFile) as error:
        _refuse(path, f"no checkpoint, or a damaged one ({' '.join(str(error).split())})", f"{FORMAT} of version {VERSION}", _REMEDY)
    if kind != (FORMAT, VERSION):
        _refuse(path, f"{kind[0]!r} of version {kind[1]!r}", f"{FORMAT!r} of version {VERSION}", _REMEDY)
    if digest != _digest(text, arrays):
        _refuse(path, "a checkpoint whose contents differ from their digest", "what mjw.save wrote, unchanged", "go back to an older checkpoint")
    return header, arrays


def _check_arrays(path: Any, m: Model, targets: dict[str, wp.array], arrays: dict[str, np.ndarray]) -> None:
    """Every array must be there, in its shape and type, and the options' too."""
    wanted = {name: array.numpy() for name, array in targets.items()}
    wanted |= {f"option/{f.name}": getattr(m.opt, f.name).numpy() for f in _options(m) if f.dims is not None}
    for name, old in wanted.items():
        new = arrays.get(name)
        worlds = new is not None and name.startswith("option/") and new.shape[0] in (1, targets["time"].shape[0])
        fits = new is not None and new.dtype == old.dtype and (new.shape == old.shape or (worlds and new.shape[1:] == old.shape[1:]))
        if not fits:
            given = f"no {name}" if new is None else f"{name} of shape {new.shape} of {new.dtype}"
            _refuse(path, given, f"shape {old.shape} of {old.dtype}", "restore with the options, such as the integrator, that it was saved with")


def _make_room(path: Any, m: Model, d: Data, wanted: dict[str, int]) -> None:
    """Give a data whose capacities grow those that there were, so that no step lacks what it had."""
    for name, grows in (("nconmax", d.grow_contacts or d.pool is not None), ("njmax", d.grow_rows)):
        if wanted[name] > getattr(d, name) and not grows:
            _refuse(path, f"a checkpoint with {name} {wanted[name]}", f"at most {getattr(d, name)}, which d was made with", "make d with that capacity")
    room = {name: max(int(wanted[name]), int(getattr(d, name))) for name in wanted}
    if any(room[name] != getattr(d, name) for name in room):
        grow(m, d, room["nconmax"], room["njmax"], room["nhessian"])


def _set_options(m: Model, numbers: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Set those options that differ; the model learns of each."""
    for name, value in numbers.items():
        if getattr(m.opt, name) != value:
            setattr(m.opt, name, value)
    for f in _options(m):
        if f.dims is not None and not np.array_equal(getattr(m.opt, f.name).numpy(), arrays[f"option/{f.name}"]):
            setattr(m.opt, f.name, arrays[f"option/{f.name}"])


def _refuse(path: Any, given: str, allowed: str, remedy: str) -> NoReturn:
    raise ModelError(problem(f"checkpoint '{path}'", given, allowed, remedy)) from None
