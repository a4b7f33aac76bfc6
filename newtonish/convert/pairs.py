"""Explicit contact pairs and excluded body pairs, sorted by signature (two body ids), as MuJoCo keeps them."""

from __future__ import annotations

import numpy as np

from newtonish.convert.bodies import BodyTree
from newtonish.convert.geoms import ShapeList
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["exclude_signatures", "pair_tables"]


def pair_tables(worlds: Worlds, shapes: ShapeList) -> dict[str, np.ndarray]:
    """The ``pair_*`` fields; the geom on the body with the smaller id comes first."""
    source = worlds.source
    table = "mujoco:pair"
    geom_of = np.full(worlds.index["shape"].shape[1] + 1, -1, dtype=np.int64)
    geom_of[shapes.geom] = np.arange(len(shapes.geom))
    ends = [geom_of[worlds.local("shape", worlds.template(table, source.custom(name)))] for name in ("pair_geom1", "pair_geom2")]
    problems = []
    for row in np.flatnonzero((ends[0] < 0) | (ends[1] < 0)):
        name = worlds.template(table, source.custom("pair_label"))[row] or f"number {row}"
        problems.append(problem(f"contact pair '{name}'", "a shape that is not a geom", "two shapes of one world", "name two geoms"))
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
        **{f"pair_{name}": pick(f"pair_{name}") for name in ("solref", "solreffriction", "solimp", "margin", "gap", "friction", "adhesion")},
    }


def exclude_signatures(worlds: Worlds, tree: BodyTree) -> dict[str, np.ndarray]:
    """``exclude_signature``: smaller body id · 65536 + larger body id, sorted."""
    source = worlds.source
    ids = []
    for name in ("exclude_body1", "exclude_body2"):
        link = worlds.local("body", worlds.template("mujoco:exclude", source.custom(name)))
        ids.append(np.where(link < 0, 0, tree.to_mjc[link]) if len(tree.to_mjc) else np.zeros_like(link))
    return {"exclude_signature": np.sort((np.minimum(*ids) << 16) + np.maximum(*ids))}
