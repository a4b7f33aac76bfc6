"""Explicit contact pairs, excluded body pairs, and the geom pairs that Newton's own filters take out.

Explicit pairs and excludes are sorted by signature (two body ids), as MuJoCo keeps them. Newton's filter pairs and
collision groups become ``geom_filter_pairs``, pairs to drop in addition to MuJoCo's rules: a positive group meets
itself and negative groups, a negative one meets all but itself, group 0 meets nothing. Groups count between shapes
whose MuJoCo masks were not authored.
"""

from __future__ import annotations

import numpy as np

from newtonish.convert.bodies import BodyTree
from newtonish.convert.geoms import ShapeList, masks
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["exclude_signatures", "filter_pairs", "pair_tables"]


def pair_tables(worlds: Worlds, shapes: ShapeList) -> dict[str, np.ndarray]:
    """The ``pair_*`` fields; the geom on the body with the smaller id comes first."""
    source = worlds.source
    table = "mujoco:pair"
    geom_of = np.full(worlds.index["shape"].shape[1] + 1, -1, dtype=np.int64)
    geom_of[shapes.geom] = np.arange(len(shapes.geom))
    ends = [
        geom_of[worlds.local("shape", worlds.template(table, source.custom(name)))]
        for name in ("pair_geom1", "pair_geom2")
    ]
    problems = []
    for row in np.flatnonzero((ends[0] < 0) | (ends[1] < 0)):
        name = worlds.template(table, source.custom("pair_label"))[row] or f"number {row}"
        problems.append(
            problem(f"contact pair '{name}'", "a shape that is not a geom", "two shapes of one world", "name two geoms")
        )
    raise_all(ModelError, "conversion", problems)
    bodies = [shapes.geom_body[e] for e in ends]
    swap = bodies[0] > bodies[1]
    first, second = np.where(swap, ends[1], ends[0]), np.where(swap, ends[0], ends[1])
    signature = (np.minimum(*bodies) << 16) + np.maximum(*bodies)
    order = np.argsort(signature, kind="stable")

    def pick(name: str) -> np.ndarray:
        return worlds.pick(table, source.custom(name))[:, order]

    return {
        "pair_dim": worlds.template(table, source.custom("pair_condim"))[order],
        "pair_geom1": first[order],
        "pair_geom2": second[order],
        "pair_signature": signature[order],
        **{
            f"pair_{name}": pick(f"pair_{name}")
            for name in ("solref", "solreffriction", "solimp", "margin", "gap", "friction", "adhesion")
        },
    }


def exclude_signatures(worlds: Worlds, tree: BodyTree) -> dict[str, np.ndarray]:
    """``exclude_signature``: smaller body id · 65536 + larger body id, sorted."""
    source = worlds.source
    ids = []
    for name in ("exclude_body1", "exclude_body2"):
        link = worlds.local("body", worlds.template("mujoco:exclude", source.custom(name)))
        ids.append(np.where(link < 0, 0, tree.to_mjc[link]) if len(tree.to_mjc) else np.zeros_like(link))
    return {"exclude_signature": np.sort((np.minimum(*ids) << 16) + np.maximum(*ids))}


def filter_pairs(worlds: Worlds, shapes: ShapeList) -> np.ndarray:
    """Geom pairs (n, 2), smaller id first, sorted, that must not collide besides what masks and bodies already say."""
    contype, conaffinity, authored = masks(worlds, shapes)
    pairs = np.concatenate([_named_pairs(worlds, shapes), _group_pairs(worlds, shapes, authored)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    a, b = pairs.T
    meet = ((contype[a] & conaffinity[b]) | (contype[b] & conaffinity[a])) != 0
    return pairs[meet & (shapes.geom_body[a] != shapes.geom_body[b])].astype(np.int32)


def _named_pairs(worlds: Worlds, shapes: ShapeList) -> np.ndarray:
    """Filter pairs of the template world as geom ids."""
    model = worlds.source.model
    if hasattr(model, "shape_collision_filter_pairs_array"):
        pairs = np.asarray(model.shape_collision_filter_pairs_array(), dtype=np.int64).reshape(-1, 2)
    else:
        pairs = np.array(list(model.shape_collision_filter_pairs), dtype=np.int64).reshape(-1, 2)
    geom_of = np.full(worlds.source.rows("shape"), -1, dtype=np.int64)
    geom_of[worlds.index["shape"][0][shapes.geom]] = np.arange(len(shapes.geom))
    pairs = geom_of[pairs]
    return pairs[np.all(pairs >= 0, axis=1)]


def _group_pairs(worlds: Worlds, shapes: ShapeList, authored: np.ndarray) -> np.ndarray:
    """Pairs of geoms whose collision groups do not meet."""
    group = worlds.template("shape", worlds.source.array("shape_collision_group"))[shapes.geom]
    free = np.flatnonzero(~authored & (group != 0))
    kinds, member = np.unique(group[free], return_inverse=True)
    first, second = np.meshgrid(kinds, kinds, indexing="ij")
    meet = np.where(first == second, first > 0, (first < 0) | (second < 0))
    rows = [np.zeros((0, 2), dtype=np.int64)]
    for i, j in np.argwhere(~meet & (first <= second)):
        left, right = free[member == i], free[member == j]
        grid = np.stack(np.meshgrid(left, right, indexing="ij"), axis=-1).reshape(-1, 2)
        rows.append(grid[grid[:, 0] != grid[:, 1]])
    return np.concatenate(rows)
