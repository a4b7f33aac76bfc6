"""Custom numbers, texts and tuples of objects: kept for the user, without effect on the physics; those of the first world."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from newtonish.common.enums import ObjType
from newtonish.convert.sensors import LOST, TABLE, Objects, SensorList, object_ids
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all

__all__ = ["custom_tables"]

_OWN = {ObjType.NUMERIC: "numeric", ObjType.TEXT: "text", ObjType.TUPLE: "tuple"}

Table = dict[str, np.ndarray]


def custom_tables(worlds: Worlds, objects: Objects, sensors: SensorList) -> tuple[Table, dict[str, int], dict[str, list[str]]]:
    """The ``numeric_*``, ``text_*`` and ``tuple_*`` fields, their sizes, and the names of each kind.

    Args:
        worlds: The worlds.
        objects: What elements of tuples can name.
        sensors: The sensors, which they can name as well.
    """
    source = worlds.source
    rows = {kind: np.flatnonzero(source.custom(f"{kind}_world") <= 0) for kind in ("numeric", "text", "tuple")}
    names = {kind: [str(name) for name in source.custom(f"{kind}_label")[at]] for kind, at in rows.items()}
    numbers = _runs(worlds, "numeric", rows["numeric"], source.rows("mujoco:numeric_value"))
    elements = _runs(worlds, "tuple", rows["tuple"], source.rows("mujoco:tuple_element"))
    texts = [str(text).encode() + b"\0" for text in source.custom("text_data")[rows["text"]]]
    kinds = source.custom("tuple_objtype")[elements]
    table = {
        "numeric_size": source.custom("numeric_size")[rows["numeric"]],
        "numeric_data": source.custom("numeric_data")[numbers],
        "text_size": np.array([len(text) for text in texts], dtype=np.int32),
        "text_data": np.frombuffer(b"".join(texts), dtype=np.uint8),
        "tuple_size": source.custom("tuple_size")[rows["tuple"]],
        "tuple_objtype": kinds,
        "tuple_objid": _objects(worlds, objects, sensors, rows, kinds, source.custom("tuple_obj")[elements]),
        "tuple_objprm": source.custom("tuple_objprm")[elements],
    }
    table |= {f"{kind}_adr": np.cumsum(table[f"{kind}_size"]) - table[f"{kind}_size"] for kind in rows}
    sizes = {f"n{kind}": len(at) for kind, at in rows.items()}
    sizes |= {"nnumericdata": len(numbers), "ntextdata": len(table["text_data"]), "ntupledata": len(elements)}
    return table, sizes, names


def _runs(worlds: Worlds, kind: str, rows: np.ndarray, count: int) -> np.ndarray:
    """Rows of the pool that belong to the entries ``rows`` of a kind, one entry after another."""
    first, number = (worlds.source.custom(f"{kind}_{name}")[rows] for name in ("adr", "size"))
    wrong = (number < 0) | ((number > 0) & ((first < 0) | (first + number > count)))
    if np.any(wrong):
        at = int(np.argmax(wrong))
        name, given = worlds.source.custom(f"{kind}_label")[rows[at]], f"{kind}_adr {first[at]}, {kind}_size {number[at]}"
        raise_all(ModelError, "conversion", [problem(f"{kind} '{name}'", given, f"a run of the {count} rows of its pool", "correct them")])
    return np.concatenate([np.arange(a, a + n) for a, n in zip(first, number, strict=True)] + [np.zeros(0)]).astype(np.int64)


def _objects(worlds: Worlds, objects: Objects, sensors: SensorList, rows: dict[str, Any], kinds: np.ndarray, given: np.ndarray) -> np.ndarray:
    """MuJoCo's ids of the elements' objects; -1, with a warning, for what is not simulated."""
    ids = object_ids(worlds, objects, kinds, given)
    listed = {ObjType.SENSOR: worlds.index[TABLE][0][sensors.row], **{kind: rows[name] for kind, name in _OWN.items()}}
    for kind, known in listed.items():
        for at in np.flatnonzero(kinds == kind):
            found = np.flatnonzero(known == given[at])
            ids[at] = found[0] if len(found) else LOST
    lost = (ids == LOST) | ((given < 0) & ~np.isin(kinds, (ObjType.BODY, ObjType.XBODY)))
    if np.any(lost):
        text = problem("tuples", f"{int(lost.sum())} elements that name nothing that is simulated", "objects of the first world", "correct tuple_obj")
        warnings.warn(text, NewtonishWarning, stacklevel=5)
    return np.where(lost, -1, ids)
