"""Which rows of which arrays belong to an element: ``bind(joint).damping`` is ``dof_damping`` of the joint's dofs.

The names of arrays are MuJoCo's without the prefix of the kind, as in PyMJCF; which rows an element has follows from the size that
counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data, Model
from newtonish.physics.arrays import first_size

__all__ = ["KINDS", "Field", "Kind", "field_of", "rows_of"]

_JOINT_WIDTHS = {0: (7, 6), 1: (4, 3)}
"""Coordinates and dofs of joints by type; hinges and slides have one each."""


@dataclass(frozen=True)
class Kind:
    """A namespace of PyMJCF: where its names are, prefixes of its arrays, and the sizes that count its rows."""

    names: str
    prefixes: tuple[str, ...]
    sizes: tuple[str, ...]


KINDS = {
    "actuator": Kind("actuator_names", ("actuator",), ("nactuator", "nu", "na", "nout")),
    "body": Kind("body_names", ("body",), ("nbody", "nmocap")),
    "camera": Kind("cam_names", ("cam",), ("ncam",)),
    "equality": Kind("eq_names", ("eq",), ("neq",)),
    "geom": Kind("geom_names", ("geom",), ("ngeom",)),
    "joint": Kind("jnt_names", ("jnt", "dof"), ("njnt", "nv", "nq")),
    "light": Kind("light_names", ("light",), ("nlight",)),
    "material": Kind("mat_names", ("mat",), ("nmat",)),
    "sensor": Kind("sensor_names", ("sensor",), ("nsensor", "nsensordata")),
    "site": Kind("site_names", ("site",), ("nsite",)),
    "tendon": Kind("tendon_names", ("tendon", "ten"), ("ntendon",)),
}


class Field(NamedTuple):
    """An array of the model or the data, and the size that counts its rows."""

    name: str
    of_model: bool
    size: str


def field_of(namespace: str, attribute: str, m: Model) -> Field:
    """The array that an attribute of a bound element stands for; an AttributeError where there is none."""
    kind = KINDS[namespace]
    for name in (*(f"{prefix}_{attribute}" for prefix in kind.prefixes), attribute):
        holder: type[Model] | type[Data]
        for holder in (Model, Data):
            size = first_size(holder, name)
            if size in kind.sizes:
                return Field(name, holder is Model, size)
        if name != attribute and m.host_fields is not None and name in m.host_fields:
            return Field(name, True, kind.sizes[0])
    given, allowed = f"attribute '{attribute}'", f"MuJoCo's arrays of {namespace}s without the prefix '{kind.prefixes[0]}_'"
    raise AttributeError(problem(f"bind({namespace})", given, allowed, "look for it in physics.data and physics.model"))


def rows_of(compiled: Any, namespace: str, ids: list[int], size: str) -> np.ndarray:
    """Rows of all elements ``ids`` in arrays with as many rows as ``size`` says, one element after another."""
    parts = [_rows(compiled, namespace, i, size) for i in ids]
    return np.concatenate([*parts, np.zeros(0, dtype=np.int64)]).astype(np.int64)


def _rows(compiled: Any, namespace: str, i: int, size: str) -> np.ndarray:
    """Rows of one element."""
    if size in ("nq", "nv"):
        widths = _JOINT_WIDTHS.get(int(compiled.jnt_type[i]), (1, 1))
        first, width = (compiled.jnt_qposadr[i], widths[0]) if size == "nq" else (compiled.jnt_dofadr[i], widths[1])
    elif size == "nmocap":
        first, width = compiled.body_mocapid[i], 1
        if first < 0:
            text = problem(f"body '{compiled.body_names[i]}'", "a look at its mocap pose", "bodies with mocap='true'", "bind another body")
            raise ModelError(text)
    elif size in ("nu", "na", "nout"):
        word = {"nu": "ctrl", "na": "act", "nout": "out"}[size]
        first, width = getattr(compiled, f"actuator_{word}adr")[i], getattr(compiled, f"actuator_{word}num")[i]
    elif size == "nsensordata":
        first, width = compiled.sensor_adr[i], compiled.sensor_dim[i]
    else:
        first, width = i, 1
    return np.arange(int(first), int(first) + int(width))
