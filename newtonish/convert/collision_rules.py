"""Which geoms may touch: Newton's groups, filter pairs and authored masks as ``contype``, ``conaffinity`` and pairs to drop.

Geoms that are told apart by nothing form one class: the same masks, the same group, the same origin. Two classes meet by
their masks where both were read from one file, else by their groups: a positive group meets itself and negative groups, a
negative one meets all but itself, group 0 meets nothing. Authored masks stay as they are wherever they let everything meet
that may. Otherwise classes are coloured: classes that meet the same classes share a bit of ``contype``, and whoever meets
them accepts it. More classes than bits: those of the smallest ones share the last bit, and what of them must not meet is
dropped pair by pair, as filter pairs are, so that nothing collides that should not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.convert.slots import world_of_pairs
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, problem
from newtonish.namespaces.mujoco_table import UNSET_MASK

__all__ = ["CollisionRules", "collision_rules", "encode"]

COLLIDE_SHAPES = 2
BITS = 32


@dataclass
class CollisionRules:
    """Masks of the geoms, which geoms had theirs authored, and pairs (n, 2), smaller id first, sorted, that must not meet."""

    contype: np.ndarray
    conaffinity: np.ndarray
    authored: np.ndarray
    pairs: np.ndarray


def collision_rules(worlds: Worlds, geoms: np.ndarray, bodies: np.ndarray) -> CollisionRules:
    """The rules of the template world.

    Args:
        worlds: The worlds.
        geoms: Template position of each geom's shape.
        bodies: MuJoCo body of each geom.
    """
    source = worlds.source

    def template(values: np.ndarray) -> np.ndarray:
        return worlds.template("shape", values)[geoms].astype(np.int64)

    group = template(source.array("shape_collision_group"))
    raw = np.stack([template(source.custom(name)) for name in ("contype", "conaffinity")], axis=-1)
    authored = np.any(raw != UNSET_MASK, axis=-1)
    silent = ((template(source.array("shape_flags")) & COLLIDE_SHAPES) == 0) | (~authored & (group == 0))
    masks = np.where(silent[:, None], 0, np.where(raw == UNSET_MASK, 1, raw)) & 0xFFFFFFFF
    domain = template(source.custom("collision_mask_domain"))
    loud = np.flatnonzero(~silent)
    signature = np.column_stack([authored, masks, domain, group])[loud]
    kinds, member, count = np.unique(signature, axis=0, return_inverse=True, return_counts=True)
    meet = _meeting(kinds)
    apart = np.zeros((0, 2), dtype=np.int64)
    if np.any(kinds[:, 0] == 1) and not np.any(meet & ~_by_masks(kinds)):
        apart = np.argwhere(_by_masks(kinds) & ~meet)
    elif len(kinds) > 1 or not np.all(meet):
        contype, conaffinity, apart = encode(meet, count)
        masks[loud] = np.stack([contype, conaffinity], axis=-1)[member.reshape(-1)]
    contype, conaffinity = masks.astype(np.uint32).view(np.int32).T
    pairs = np.concatenate([_named_pairs(worlds, geoms), _members(loud, member.reshape(-1), apart)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    a, b = pairs.T
    touch = ((contype[a] & conaffinity[b]) | (contype[b] & conaffinity[a])) != 0
    return CollisionRules(contype, conaffinity, authored, pairs[touch & (bodies[a] != bodies[b])].astype(np.int32))


def _by_masks(kinds: np.ndarray) -> np.ndarray:
    """Whether the masks of classes (rows of authored, contype, conaffinity, domain, group) let them meet, (K, K)."""
    accepts = (kinds[:, None, 1] & kinds[None, :, 2]) != 0
    return accepts | accepts.T


def _meeting(kinds: np.ndarray) -> np.ndarray:
    """Whether classes may meet, (K, K); the diagonal says it of two geoms of one class."""
    authored, domain, group = kinds[:, 0] == 1, kinds[:, 3], kinds[:, 4]
    a, b = np.meshgrid(group, group, indexing="ij")
    by_groups = np.where(a == b, a > 0, (a < 0) | (b < 0)) & (a != 0) & (b != 0)
    one, two = np.meshgrid(authored, authored, indexing="ij")
    origin, other = np.meshgrid(domain, domain, indexing="ij")
    named = (one & (origin >= 0)) | (two & (other >= 0))  # masks that hold within their own file only
    grouped = np.where(named, ~(one & two & (origin == other)), ~(one | two))
    return np.where(grouped, by_groups, _by_masks(kinds))


def encode(meet: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masks of classes that let just those meet that should, but for pairs of classes that must be kept apart besides.

    Args:
        meet: Symmetric, (K, K).
        count: Number of geoms of each class.

    Returns:
        contype and conaffinity (K,), and pairs of classes (n, 2) that these masks let meet but ``meet`` does not.
    """
    colours, of = np.unique(meet, axis=0, return_inverse=True)
    of = of.reshape(-1)
    size = np.bincount(of, weights=count, minlength=len(colours))
    order = np.argsort(-size, kind="stable")
    own = order if len(order) <= BITS else order[: BITS - 1]
    contype, conaffinity = np.zeros(len(meet), dtype=np.int64), np.zeros(len(meet), dtype=np.int64)
    for bit, colour in enumerate(own.tolist()):
        if np.any(colours[colour]):
            contype[of == colour] |= 1 << bit
            conaffinity[colours[colour]] |= 1 << bit
    rest = np.isin(of, order[len(own) :])
    contype[rest] |= 1 << (BITS - 1)
    conaffinity[rest] |= 1 << (BITS - 1)
    accepts = (contype[:, None] & conaffinity[None, :]) != 0
    return contype, conaffinity, np.argwhere((accepts | accepts.T) & ~meet)


def _members(loud: np.ndarray, member: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Pairs of geoms of pairs of classes."""
    rows = [np.zeros((0, 2), dtype=np.int64)]
    for one, two in classes.tolist():
        if one <= two:
            grid = np.stack(np.meshgrid(loud[member == one], loud[member == two], indexing="ij"), axis=-1).reshape(-1, 2)
            rows.append(grid[grid[:, 0] != grid[:, 1]])
    return np.concatenate(rows)


def _named_pairs(worlds: Worlds, geoms: np.ndarray) -> np.ndarray:
    """Filter pairs of the template world as geom ids."""
    model = worlds.source.model
    if hasattr(model, "shape_collision_filter_pairs_array"):
        pairs = np.asarray(model.shape_collision_filter_pairs_array(), dtype=np.int64).reshape(-1, 2)
    else:
        pairs = np.array(list(model.shape_collision_filter_pairs), dtype=np.int64).reshape(-1, 2)
    if worlds.empty.any():
        return _pairs_of_places(worlds, geoms, pairs)
    pairs = _ids(worlds, 0, geoms)[pairs]
    return pairs[np.all(pairs >= 0, axis=1)]


def _pairs_of_places(worlds: Worlds, geoms: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The same where worlds have empty places: for each pair the rule of the worlds that have both geoms, which must be one."""
    chosen, first = world_of_pairs(worlds.empty[:, geoms])
    kept_apart = np.zeros(first.shape, dtype=bool)
    for world in chosen.tolist():
        there = ~worlds.empty[world][geoms]
        ids = _ids(worlds, world, geoms)[pairs]
        ids = ids[np.all(ids >= 0, axis=1)]
        here = np.zeros(first.shape, dtype=bool)
        here[ids[:, 0], ids[:, 1]] = here[ids[:, 1], ids[:, 0]] = True
        differ = (here != kept_apart) & there[:, None] & there & (first < world)
        if differ.any():
            a, b = (worlds.source.labels("shape")[worlds.index["shape"][world][geoms[g]]] for g in np.argwhere(differ)[0])
            given, allowed = "a collision filter that differs in other worlds", "the same filters wherever both shapes are"
            raise ModelError(problem(f"world {world}: shapes '{a}' and '{b}'", given, allowed, "filter the pair in every world"))
        kept_apart |= here
    return np.argwhere(np.triu(kept_apart))


def _ids(worlds: Worlds, world: int, geoms: np.ndarray) -> np.ndarray:
    """Geom of each shape of one world, -1 for the others."""
    rows = worlds.index["shape"][world][geoms]
    there = ~worlds.empty[world][geoms]
    result = np.full(worlds.source.rows("shape"), -1, dtype=np.int64)
    result[rows[there]] = np.flatnonzero(there)
    return result
