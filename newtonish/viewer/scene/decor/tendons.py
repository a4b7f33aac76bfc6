"""Spatial tendons along their paths, and slack ones as hanging ropes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.enums import ConstraintType, DisableBit, GeomType, TrnType
from newtonish.viewer.scene.arrays import TextLabel
from newtonish.viewer.scene.decor.catenary import hanging
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.decor.limits import limit_impedance
from newtonish.viewer.scene.enums import Category, Kind, Label
from newtonish.viewer.scene.rotations import from_z

__all__ = ["Pieces", "add_pieces", "add_tendons", "pieces"]

PULLEY = -2
MOST_POINTS = 100


@dataclass
class Pieces:
    """Straight pieces of the paths of tendons, one row each.

    Attributes:
        start, end: (n, 3) [m].
        width: (n,) radius [m].
        world: (n,) position among the worlds that are shown.
        tendon: (n,) which.
        first: (n,) whether the path begins with it.
    """

    start: np.ndarray
    end: np.ndarray
    width: np.ndarray
    world: np.ndarray
    tendon: np.ndarray
    first: np.ndarray


def pieces(draft: Draft, tendon: np.ndarray, skip: np.ndarray | None = None) -> Pieces:
    """The paths of some tendons (n,), in straight pieces; where they lie on something round, in pieces short enough to look it.

    Args:
        draft: What is drawn.
        tendon: Which.
        skip: (shown, tendons) those that are left out.
    """
    found, shown = draft.found, draft.shown
    points = found["wrap_xpos"][shown].astype(float) + draft.offsets
    objects = found["wrap_obj"][shown]
    begin, number = found["ten_wrapadr"][shown], found["ten_wrapnum"][shown]
    slot = np.arange(max(points.shape[1] - 1, 0))
    inside = (begin[:, tendon, None] <= slot) & (slot < (begin + number)[:, tendon, None] - 1)
    if skip is not None:
        inside &= ~skip[:, tendon, None]
    real = inside.any(axis=1) & (objects[:, :-1] != PULLEY) & (objects[:, 1:] != PULLEY)
    world, at = np.nonzero(real)
    owner = tendon[np.argmax(inside, axis=1)[world, at]]
    start, end = points[world, at], points[world, at + 1]
    first = begin[world, owner] == at
    round_ = (objects[world, at] >= 0) & (objects[world, at + 1] == objects[world, at])
    if round_.any():
        on = np.flatnonzero(round_)
        before = points[world[on], np.maximum(at[on] - 1, 0)]
        starts, ends, row = _arcs(draft, start[on], end[on], before, world[on], objects[world[on], at[on]])
        plain = ~round_
        start, end = np.concatenate([start[plain], starts]), np.concatenate([end[plain], ends])
        world, owner = np.concatenate([world[plain], world[on][row]]), np.concatenate([owner[plain], owner[on][row]])
        first = np.concatenate([first[plain], np.zeros(len(row), dtype=bool)])
    width = draft.of(found.world("tendon_width"))[world, owner]
    return Pieces(start, end, width, world, owner, first)


def _arcs(
    draft: Draft, start: np.ndarray, end: np.ndarray, before: np.ndarray, world: np.ndarray, geom: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pieces of arcs around spheres and cylinders, from ``start`` (k, 3), reached from ``before``, to ``end``; and the arc of each.

    Around a cylinder the path climbs evenly. The pieces are half as long as the edges of a sphere in MuJoCo's ``quality.numslices``.
    """
    found, c = draft.found, draft.found.compiled
    at = draft.shown[world]
    center = found["geom_xpos"][at, geom].astype(float) + draft.bodies.offsets[at]
    turned = found["geom_xmat"][at, geom].astype(float)
    one, two = start - center, end - center
    across = np.cross(one, two)
    size = np.linalg.norm(across, axis=1, keepdims=True)
    axis = np.where((c.geom_type[geom] == GeomType.SPHERE)[:, None], across / np.maximum(size, MINVAL), turned[..., 2])
    height_one, height_two = (one * axis).sum(axis=1), (two * axis).sum(axis=1)
    flat_one, flat_two = one - height_one[:, None] * axis, two - height_two[:, None] * axis
    side = np.cross(axis, flat_one)
    angle = np.arctan2((side * flat_two).sum(axis=1), (flat_one * flat_two).sum(axis=1))
    along = (side * (start - before)).sum(axis=1)  # the arc goes on in the direction the path came in
    angle = np.where((along > 0) & (angle < -1e-6), angle + 2 * np.pi, np.where((along < 0) & (angle > 1e-6), angle - 2 * np.pi, angle))
    count = np.maximum(1, np.round(np.abs(angle) * draft.visual.quality.numslices / np.pi)).astype(int)
    step = np.arange(count.max() + 1)
    share = np.minimum(step / count[:, None], 1.0)[..., None]
    turn = share * angle[:, None, None]
    radius = (1 - share) + share * (np.linalg.norm(flat_two, axis=1) / np.maximum(np.linalg.norm(flat_one, axis=1), MINVAL))[:, None, None]
    height = height_one[:, None, None] + share * (height_two - height_one)[:, None, None]
    path = center[:, None] + radius * (np.cos(turn) * flat_one[:, None] + np.sin(turn) * side[:, None]) + height * axis[:, None]
    row, piece = np.nonzero(step[:-1] < count[:, None])
    return path[row, piece], path[row, piece + 1], row


def add_pieces(draft: Draft, given: Pieces, width: np.ndarray, color: np.ndarray, kind: Kind, index: Any, **more: Any) -> None:
    """Draw pieces as capsules."""
    along = given.end - given.start
    scale = np.stack([width, width, 0.5 * np.linalg.norm(along, axis=1)], axis=1)
    world = draft.shown[given.world]
    draft.store("capsule", given.start + 0.5 * along, from_z(along), scale, color, kind, index, world, **more)


def add_tendons(draft: Draft) -> None:
    """Capsules, in the tendon's colour, or in that of its limit as far as that holds it."""
    c = draft.found.compiled
    chosen = np.flatnonzero(np.array(draft.options.tendongroup)[np.clip(c.tendon_group, 0, 5)])
    if not len(chosen) or not draft.found["wrap_xpos"].size:
        return
    slack, length = _slack(draft)
    path = pieces(draft, chosen, slack)
    color, material = _color(draft)
    if len(path.start):
        add_pieces(draft, path, path.width, color[path.world, path.tendon], Kind.TENDON, path.tendon, category=Category.DYNAMIC,
                   material=material[path.tendon])  # fmt: skip
    if draft.options.label == Label.TENDON:
        names = [name or f"tendon {at}" for at, name in enumerate(c.tendon_names)]
        for at in np.flatnonzero(path.first):
            draft.labels.append(TextLabel(names[path.tendon[at]], path.start[at].astype(np.float32)))
    for at, tendon in np.argwhere(slack[:, chosen]):  # ropes hang by themselves, one by one
        _rope(draft, int(at), int(chosen[tendon]), length[at, chosen[tendon]], color, int(material[chosen[tendon]]))


def _color(draft: Draft) -> tuple[np.ndarray, np.ndarray]:
    """Colours (shown, ntendon, 4), and rows of materials (ntendon,)."""
    c = draft.found.compiled
    own = np.repeat(c.tendon_rgba[None].astype(float), len(draft.shown), axis=0)
    material, rgba = draft.maker.tendon_looks()
    gray = np.all(c.tendon_rgba == np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32), axis=-1)
    held = limit_impedance(draft, ConstraintType.LIMIT_TENDON, c.ntendon, "tendon_solimp_lim")[..., None]
    plain = gray & (material < 0)
    mixed = (1 - held) * own[..., :3] + held * draft.visual.rgba.constraint[:3]
    own[..., :3] = np.where(plain[:, None], mixed, own[..., :3])
    own = np.where((gray & (material >= 0))[:, None], rgba, own)
    if draft.options.transparent:
        own[..., 3] *= draft.visual.map.alpha
    return own, material


def _slack(draft: Draft) -> tuple[np.ndarray, np.ndarray]:
    """Which tendons (shown, ntendon) hang as ropes, and how long they are: two sites, nothing but a limit or a spring from 0."""
    found, c = draft.found, draft.found.compiled
    length = found["ten_length"][draft.shown]
    field = {name: draft.of(found.world(f"tendon_{name}")) for name in (
        "stiffness", "stiffnesspoly", "lengthspring", "range", "damping", "dampingpoly", "frictionloss")}  # fmt: skip
    stiff = (field["stiffness"] != 0) | (field["stiffnesspoly"] != 0).any(axis=-1)
    spring = stiff & (field["lengthspring"][..., 0] == 0) & (field["lengthspring"][..., 1] > 0)
    limit = ~stiff & c.tendon_limited & (field["range"][..., 0] == 0) & (length < field["range"][..., 1])
    damped = (field["damping"] != 0) | (field["dampingpoly"] != 0).any(axis=-1)
    driven = np.zeros(c.ntendon, dtype=bool)
    driven[c.actuator_trnid[c.actuator_trntype == TrnType.TENDON, 0]] = True
    falls = np.linalg.norm(c.opt.gravity) > MINVAL and not int(c.opt.disableflags) & DisableBit.GRAVITY
    slack = falls & (c.tendon_num == 2) & (spring != limit) & ~damped & (field["frictionloss"] == 0) & ~driven
    slack = slack & (found["ten_wrapnum"][draft.shown] == 2)
    return slack, np.where(limit, field["range"][..., 1], field["lengthspring"][..., 1])


def _rope(draft: Draft, at: int, tendon: int, length: float, color: np.ndarray, material: int) -> None:
    """One slack tendon of one world."""
    c, found, world = draft.found.compiled, draft.found, int(draft.shown[at])
    first = int(found["ten_wrapadr"][world, tendon])
    ends = found["wrap_xpos"][world, first : first + 2] + draft.bodies.offsets[world]
    count = min(int(draft.visual.quality.numslices) + 2, MOST_POINTS)
    points = hanging(ends[0], ends[1], np.asarray(c.opt.gravity), float(length), count)
    mask = np.zeros((len(draft.shown), len(points) - 1), dtype=bool)
    mask[at] = True
    path = np.broadcast_to(points, (len(draft.shown), *points.shape))
    tint = np.broadcast_to(color[at, tendon], (*mask.shape, 4))
    draft.connect("capsule", float(c.tendon_width[tendon]), path[:, :-1], path[:, 1:], tint, Kind.TENDON, tendon, mask=mask,
                  category=Category.DYNAMIC, material=material)  # fmt: skip
    names = c.tendon_names[tendon] or f"tendon {tendon}"
    draft.label(Label.TENDON, [names], path[:, :1], mask[:, :1])
