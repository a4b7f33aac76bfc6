"""The arrays of one world under MuJoCo's names, as numpy views of the memory that the simulation reads and writes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import warp as wp

from newtonish.kernels.structs.container import Data, Model

__all__ = ["Contact", "DataArrays", "ModelArrays", "first_size", "one_world"]

MATRIX = 2
"""Axes of an entry that is a matrix; MuJoCo has nine numbers."""


def one_world(holder: Model | Data, name: str) -> Any:
    """An array of the first world: a view, matrices as rows of nine numbers; numbers stay as they are."""
    values = getattr(holder, name)
    if not isinstance(values, wp.array | np.ndarray):
        return values
    host = values.numpy() if isinstance(values, wp.array) else values
    known = type(holder).FLAT.get(name)
    if known is None or known[1].per_world:
        host = host[0] if len(host) else host.reshape(host.shape[1:])
    if known is not None and host.ndim > MATRIX and known[1].dims is not None and len(known[1].dims) == 1:
        host = host.reshape(len(host), -1)
    return host


def first_size(holder: type[Model] | type[Data], name: str) -> str | None:
    """Name of the size that counts an array's rows; None where there is no such array."""
    known = holder.FLAT.get(name)
    dims = None if known is None else known[1].dims
    return str(dims[0]) if dims else None


class Contact(NamedTuple):
    """One contact, as in ``mjContact``; arrays are views."""

    dist: float
    pos: np.ndarray
    frame: np.ndarray
    includemargin: float
    friction: np.ndarray
    dim: int
    geom: np.ndarray
    geom1: int
    geom2: int
    efc_address: int


class DataArrays:
    """``physics.data``: arrays of ``mjData`` in float32, views that can be written into, and ``time`` [s].

    Attributes:
        ptr: The Data, for MuJoCo's functions by name (``newtonish.physics.functions``).
    """

    def __init__(self, d: Data) -> None:
        self.__dict__.update(d=d, ptr=d)

    @property
    def time(self) -> float:
        """Time [s]."""
        return float(self.d.time.numpy()[0]) + float(self.d.time_low.numpy()[0])

    @property
    def ncon(self) -> int:
        """Number of contacts."""
        return int(self.d.ncon.numpy()[0])

    @property
    def contact(self) -> list[Contact]:
        """The contacts, ``ncon`` of them."""
        names = ("dist", "pos", "frame", "includemargin", "friction", "dim", "geom", "efc_address")
        dist, pos, frame, margin, friction, dim, geom, row = (getattr(self.d.contact, name).numpy()[0] for name in names)
        return [
            Contact(
                float(dist[i]), pos[i], frame[i].reshape(9), float(margin[i]), friction[i], int(dim[i]), geom[i], int(geom[i][0]), int(geom[i][1]), int(row[i])
            )
            for i in range(min(self.ncon, len(dist)))
        ]

    def __getattr__(self, name: str) -> Any:
        return one_world(self.__dict__["d"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "time":
            self.d.time.fill_(float(value))
            self.d.time_low.zero_()
        else:
            one_world(self.d, name)[...] = value


class ModelArrays:
    """``physics.model``: arrays of ``mjModel``, float32 where the simulation reads them; sizes, ``opt``, names and ids.

    Attributes:
        ptr: The Model, for MuJoCo's functions by name (``newtonish.physics.functions``).
    """

    def __init__(self, m: Model, compiled: Any) -> None:
        self.__dict__.update(m=m, compiled=compiled, ptr=m)

    @property
    def opt(self) -> Any:
        """Options; ``timestep`` and what else differs between worlds has a world axis."""
        return self.m.opt

    def id2name(self, id: int, kind: str) -> str:
        """Name of an element by its id and PyMJCF's namespace (``joint``, ``geom``, ...)."""
        from newtonish.physics.rows import KINDS

        return str(getattr(self.compiled, KINDS[kind].names)[id])

    def name2id(self, name: str, kind: str) -> int:
        """Id of an element by its name and PyMJCF's namespace; a ValueError where there is none."""
        from newtonish.physics.rows import KINDS

        return list(getattr(self.compiled, KINDS[kind].names)).index(name)

    def __getattr__(self, name: str) -> Any:
        m, compiled = self.__dict__["m"], self.__dict__["compiled"]
        if name in type(m).FLAT or not hasattr(compiled, name):
            return one_world(m, name)
        try:
            return one_world(m, name)
        except AttributeError:
            return getattr(compiled, name)

    def __setattr__(self, name: str, value: Any) -> None:
        write_model(self.m, name, slice(None), value)


def write_model(m: Model, name: str, rows: Any, value: Any) -> None:
    """Write rows of an array of the model; the next step sees them."""
    array = getattr(m, name)
    if isinstance(array, wp.array):
        one_world(m, name)[rows] = value
        m.touch()
    else:  # no kernel reads it
        host = np.array(array)
        (host[0] if type(m).FLAT.get(name) is None else host)[rows] = value
        setattr(m, name, host)
