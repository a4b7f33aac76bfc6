"""Why worlds were reset: which number of which entity was not finite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonish.common.enums import NonfiniteType
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import check_pair

__all__ = ["Reset", "resets"]

_KIND = 24  # bits of an entity's number in ``d.nonfinite_origin``
_ENTITY = {
    NonfiniteType.QACC: "dof", NonfiniteType.QVEL: "dof", NonfiniteType.QPOS: "coordinate", NonfiniteType.ACT: "activation",
    NonfiniteType.EQUALITY: "equality", NonfiniteType.FRICTION_DOF: "dof", NonfiniteType.FRICTION_TENDON: "tendon",
    NonfiniteType.LIMIT_JOINT: "jnt", NonfiniteType.LIMIT_TENDON: "tendon", NonfiniteType.CONTACT: "geom", NonfiniteType.PAIR: "pair",
    NonfiniteType.GEOM: "geom", NonfiniteType.QFRC_APPLIED: "dof", NonfiniteType.XFRC_APPLIED: "body", NonfiniteType.MOCAP_POS: "body",
    NonfiniteType.MOCAP_QUAT: "body",
}  # fmt: skip
_INPUTS = (NonfiniteType.QFRC_APPLIED, NonfiniteType.XFRC_APPLIED, NonfiniteType.MOCAP_POS, NonfiniteType.MOCAP_QUAT)


@dataclass(frozen=True)
class Reset:
    """Why a world was put back into its reference pose the last time.

    Attributes:
        world: the world.
        count: how often it was since its last ``reset_data``.
        kind: what the step met that is not finite.
        index: of which entity.
        fields: entries of the model that are NaN in this world now, such as ``geom_size[2]``; usually the cause.
        text: the same as a sentence.
    """

    world: int
    count: int
    kind: NonfiniteType
    index: int
    fields: tuple[str, ...]
    text: str


def resets(m: Model, d: Data) -> list[Reset]:
    """Worlds that were reset because a number was not finite, each with the origin of its last reset.

    Waits for the device and reads the model's arrays; a step only notes numbers.

    Args:
        m: model.
        d: data.

    Returns:
        One entry for each such world, in their order.

    Raises:
        ModelError: the model and the data do not belong together.
    """
    check_pair("resets", m, d)
    counts, origins = d.nonfinite.numpy(), d.nonfinite_origin.numpy()
    worlds = np.flatnonzero(counts)
    unknown = _unknown_fields(m) if len(worlds) else []
    return [_reset(m, int(w), int(counts[w]), int(origins[w]), unknown) for w in worlds]


def _reset(m: Model, world: int, count: int, origin: int, unknown: list[tuple[str, np.ndarray]]) -> Reset:
    kind, index = NonfiniteType(origin >> _KIND), origin & ((1 << _KIND) - 1)
    fields = tuple(f"{name}[{', '.join(map(str, entry[1:]))}]" for name, entries in unknown for entry in entries.tolist() if entry[0] in (-1, world))
    what = kind.name.lower() + " of " * (kind in _ENTITY) + _entity(m, kind, index)
    if kind not in _INPUTS and fields:
        what += f"; in the model {', '.join(fields[:5])} {'are' if len(fields) > 1 else 'is'} NaN"
    return Reset(world, count, kind, index, fields, f"world {world} was reset {count} times, the last time for {what}")


def _entity(m: Model, kind: NonfiniteType, index: int) -> str:
    """Kind, number and name of an entity; a dof has that of its joint."""
    if kind not in _ENTITY:
        return ""
    entity, owner = _ENTITY[kind], index
    label = f"{entity} {index}"
    if entity == "dof":
        entity, owner = "jnt", int(m.dof_jntid.numpy()[index])
    elif entity == "coordinate":
        entity, owner = "jnt", int(np.searchsorted(m.jnt_qposadr.numpy(), index, side="right")) - 1
    names = m.names.get(entity, [])
    return label + (f" ('{names[owner]}')" if owner < len(names) and names[owner] else "")


def _unknown_fields(m: Model) -> list[tuple[str, np.ndarray]]:
    """Float fields of the model with NaN: the world (-1: all) and the place of each."""
    found = []
    for g in m.GROUPS:
        for f in g.fields:
            if f.dims is None or f.dtype in (wp.int32, wp.vec2i, wp.vec3i, wp.uint64):
                continue
            array = getattr(getattr(m, g.name), f.name).numpy()
            entries = np.argwhere(np.isnan(array))
            if len(entries):
                if not f.per_world:
                    entries = np.insert(entries, 0, -1, axis=1)
                elif len(array) == 1:
                    entries[:, 0] = -1
                name = f"opt.{f.name}" if g.name == "opt" else g.flat_name(f)
                found.append((name, entries))
    return found
