"""Worlds with other numbers of mesh shapes: the pieces of an object that is cut into convex parts, for instance.

All worlds share one list of geoms. A body has as many places for meshes as in the world where it has most of them, and a world with
fewer leaves some empty. What stands in an empty place is the shape of a world that has one there, so that every table can be read; its geom is then
put where nothing meets it (``hide``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newtonish.model.enums import GeoType

if TYPE_CHECKING:
    from newtonish.convert.source import Source

__all__ = ["hide", "same_layout", "shape_slots", "world_of_pairs"]

MESHES = (int(GeoType.MESH), int(GeoType.CONVEX_MESH))
FAR, DEEP, TINY = 1e4, 1e8, 1e-12
"""How far off a geom in an empty place is, how deep in it contacts begin, and the radius of its bounds [m]."""


def same_layout(source: Source, world: np.ndarray, body_index: np.ndarray) -> bool:
    """Whether every world has the same kinds of shapes on the same bodies, in the same order; arguments as of :func:`shape_slots`."""
    sizes = np.bincount(world[world >= 0], minlength=len(body_index))
    if np.any(sizes != sizes[0]):
        return False
    own = np.argsort(world, kind="stable")[np.sum(world < 0) :].reshape(len(body_index), -1)
    return all(bool(np.all(column[own] == column[own[:1]])) for column in _layout(source, body_index))


def _layout(source: Source, body_index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position of each shape's body within its world, -1 for the world itself, and its kind."""
    position = np.full(source.rows("body") + 1, -1, dtype=np.int64)
    position[body_index] = np.arange(body_index.shape[1])
    return position[source.array("shape_body")], source.array("shape_type")


def shape_slots(source: Source, world: np.ndarray, body_index: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows of the shapes of each world, with places for meshes that some worlds lack.

    Args:
        source: The model.
        world: World of each shape, -1 for shared ones.
        body_index: Rows of the bodies of each world (count, n).

    Returns:
        Rows (count, n), and whether each place is empty; None where worlds differ in more than meshes.
    """
    body, kind = _layout(source, body_index)
    places: dict[tuple[int, int, int], int] = {}
    taken: list[dict[int, int]] = []
    for w in range(len(body_index)):
        taken.append({})
        number: dict[tuple[int, int], int] = {}
        for row in np.flatnonzero(world == w).tolist():
            group = (int(body[row]), int(kind[row]) if kind[row] in MESHES else -1)
            number[group] = number.get(group, 0) + 1
            taken[w][places.setdefault((*group, number[group]), len(places))] = row
    fixed = {place for (_, mesh, _), place in places.items() if mesh < 0}
    if any(not fixed <= here.keys() for here in taken):
        return None
    donor = {place: row for here in reversed(taken) for place, row in here.items()}
    shared = np.flatnonzero(world < 0)
    rows = np.array([[*shared, *(here.get(place, donor[place]) for place in range(len(places)))] for here in taken], dtype=np.int64)
    empty = np.array([[False] * len(shared) + [place not in here for place in range(len(places))] for here in taken], dtype=bool)
    return rows, empty


def world_of_pairs(empty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Worlds whose rules stand for all, and for each pair of places the first of them that has both, -1 for none; (n, n).

    Args:
        empty: Whether each place is empty (count, n).
    """
    worlds = np.sort(np.unique(empty, axis=0, return_index=True)[1])
    first = np.full((empty.shape[1], empty.shape[1]), -1, dtype=np.int64)
    for w in worlds[::-1]:
        there = ~empty[w]
        first[np.ix_(there, there)] = w
    return worlds, first


def hide(tables: dict[str, np.ndarray], empty: np.ndarray) -> None:
    """Let geoms in empty places touch nothing.

    Args:
        tables: Tables of the geoms, per distinct world.
        empty: Whether each geom's place is empty (distinct, ngeom).
    """
    for name, value in (("geom_margin", -DEEP), ("geom_gap", 0.0), ("geom_rbound", TINY)):
        tables[name] = np.where(empty, value, tables[name])
    tables["geom_pos"] = np.where(empty[..., None], np.array([FAR, 0.0, 0.0]), tables["geom_pos"])
