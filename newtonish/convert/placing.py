"""Geoms that show meshes and heightfields, in every distinct world: which one, where it moves the geom, and how large it is.

A mesh stands in its inertial frame (see ``meshes``), a heightfield is measured from its lowest sample (see ``hfields``).
Worlds may show other ones; then they are numbered through, and ``geom_dataid`` has a world axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.common import frames
from newtonish.convert.cones import unit_cone
from newtonish.convert.hfields import HeightfieldSet
from newtonish.convert.meshes import MeshSet
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["Placement", "place_hfields", "place_meshes"]


@dataclass
class Placement:
    """Numbers of geoms (worlds, n, ...), changed in place, and what comes with their meshes and heightfields.

    Attributes:
        rows: Shape of each geom.
        pos: Origin [m].
        quat: Orientation, w first.
        size: Scale of a mesh or heightfield before, ``geom_size`` after [m].
        dataid: Mesh or heightfield; -1: none.
        box: ``geom_aabb`` of geoms that have one.
        radius: ``geom_rbound`` of heightfields [m].
    """

    rows: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    size: np.ndarray

    def __post_init__(self) -> None:
        self.dataid = np.full(self.rows.shape, -1, dtype=np.int32)
        self.box = np.zeros((*self.rows.shape, 6))
        self.radius = np.zeros(self.rows.shape)


def place_meshes(worlds: Worlds, placement: Placement, geoms: np.ndarray, meshes: MeshSet, cone: np.ndarray) -> None:
    """Compile the meshes that ``geoms`` show and move the geoms into their inertial frames; ``cone`` says which geoms are cones."""
    source, p = worlds.source, placement
    content = source.geometry[p.rows]
    first: dict[int, int] = {}  # shape whose mesh stands for all of its content, but for those of the template world
    for geom in geoms.tolist():
        frame = [source.custom(name)[p.rows[:, geom]] for name in ("mesh_pos", "mesh_quat")]
        key = np.concatenate([content[:, geom, None], p.size[:, geom], *frame], axis=1)
        for at in _alike(key):
            row, own = int(p.rows[at[0], geom]), int(content[at[0], geom])
            shown = int(p.rows[0, geom]) if own == content[0, geom] else first.setdefault(own, row)
            name, mesh = source.labels("shape")[row], unit_cone() if cone[geom] else source.model.shape_source[shown]
            if mesh is None:
                text = problem(f"shape '{name}'", "no mesh", "a mesh in every world", "give it one, or another type")
                raise_all(ModelError, "conversion", [text])
            number = meshes.add(name, mesh, p.size[at[0], geom], frame[0][at[0]], frame[1][at[0]])
            compiled = meshes.meshes[number]
            low, high = compiled.bounds
            p.dataid[at, geom] = number
            p.pos[at, geom], p.quat[at, geom] = frames.compose(p.pos[at, geom], p.quat[at, geom], compiled.pos, compiled.quat)
            p.box[at, geom] = [*(0.5 * (low + high)), *(0.5 * (high - low))]
            p.size[at, geom] = np.maximum(np.abs(low), np.abs(high))


def place_hfields(worlds: Worlds, placement: Placement, geoms: np.ndarray, hfields: HeightfieldSet) -> None:
    """Collect the heightfields that ``geoms`` show and move the geoms to the lowest samples.

    One heightfield has samples in every world; where grids have other numbers of rows or columns, there are more of them, and
    each is one for some of the worlds.
    """
    source, p = worlds.source, placement
    base = source.custom("hfield_base")[p.rows]
    for geom in geoms.tolist():
        shown = [source.model.shape_source[row] for row in p.rows[:, geom]]
        scale = p.size[:, geom].copy()
        if any(s is None for s in shown) or np.any(scale <= 0.0):
            given = "no heightfield" if any(s is None for s in shown) else f"scale {scale.min(axis=0).tolist()}"
            text = problem(f"shape '{source.labels('shape')[p.rows[0, geom]]}'", given, "a heightfield at a positive scale", "correct it")
            raise_all(ModelError, "conversion", [text])
        pos, quat = p.pos[:, geom].copy(), p.quat[:, geom]
        for at in _alike(np.array([(s.nrow, s.ncol) for s in shown], dtype=np.float64)):
            members = set(at.tolist())
            filled = [s if w in members else shown[at[0]] for w, s in enumerate(shown)]
            number = hfields.add(filled, scale, base[:, geom])
            place, size, box = hfields.place(number, pos, quat, scale)
            p.dataid[at, geom], p.pos[at, geom], p.size[at, geom] = number, place[at], size[at]
            p.box[at, geom], p.radius[at, geom] = box[at], hfields.radius(number)[at]


def _alike(keys: np.ndarray) -> list[np.ndarray]:
    """Positions of the rows of ``keys`` with equal bits; the group of the first row is the first."""
    keys = np.ascontiguousarray(keys)
    bits = keys.view(np.uint64)
    if np.array_equal(bits, np.broadcast_to(bits[:1], bits.shape)):
        return [np.arange(len(keys))]
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(bits):
        groups.setdefault(row.tobytes(), []).append(i)
    return [np.array(members) for members in groups.values()]
