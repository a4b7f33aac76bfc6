"""Contacts: points, frames and forces."""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.enums import ConeType
from newtonish.viewer.scene.arrays import TextLabel
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.enums import Frame, Kind, Label

__all__ = ["add_contacts", "contact_forces"]

SECONDS_SHOWN = 0.5
"""Arrows of surfaces that move are as long as their motion in this time."""


def add_contacts(draft: Draft) -> None:
    """Everything about contacts that options ask for."""
    options, found = draft.options, draft.found
    count = found["ncon"][draft.shown]
    slots = int(count.max(initial=0))
    if not slots:
        return
    real = np.arange(slots) < count[:, None]
    frame = found["contact.frame"][draft.shown, :slots].astype(float)
    axes = np.swapaxes(frame, -1, -2)  # columns: normal, tangents
    position = found["contact.pos"][draft.shown, :slots] + draft.offsets
    index = np.arange(slots)
    if options.contactpoint:
        _points(draft, position, axes, index, real, slots)
    if options.frame == Frame.CONTACT:
        length, width = (0.5 * draft.scale * size for size in (draft.visual.scale.framelength, draft.visual.scale.framewidth))
        draft.axes(position, axes, length, width, index, real)
    if options.contactforce:
        _forces(draft, position, axes, index, real & (found["contact.efc_address"][draft.shown, :slots] >= 0), slots)


def _points(draft: Draft, position: np.ndarray, axes: np.ndarray, index: np.ndarray, real: np.ndarray, slots: int) -> None:
    found, size, rgba = draft.found, draft.visual.scale, draft.visual.rgba
    depth = -0.5 * found["contact.dist"][draft.shown, :slots]
    scale = np.empty((*position.shape[:2], 3))
    scale[..., :2] = size.contactwidth * draft.scale
    scale[..., 2] = np.maximum(size.contactheight * draft.scale, depth)
    held = found["contact.efc_address"][draft.shown, :slots, None] >= 0
    color = np.where(held, rgba.contactpoint, rgba.contactgap)
    draft.add("cylinder", position, axes[..., [1, 2, 0]], scale, color, Kind.CONTACT, index, mask=real)
    geom = found["contact.geom"][draft.shown, :slots]
    if draft.options.label == Label.CONTACTPOINT:
        names = [name or f"g{at}" for at, name in enumerate(found.compiled.geom_names)]
        for world, slot in np.argwhere(real):
            pair = " | ".join(names[at] for at in geom[world, slot].tolist())
            draft.labels.append(TextLabel(pair, position[world, slot].astype(np.float32)))
    if found.world("geom_surfacevel").any():
        _surfaces(draft, position, axes[..., 0], geom, color, index, real)


def _surfaces(draft: Draft, position: np.ndarray, normal: np.ndarray, geom: np.ndarray, color: np.ndarray, index: np.ndarray, real: np.ndarray) -> None:
    """Arrows along the motion of surfaces that convey."""
    found, world = draft.found, np.arange(len(draft.shown))[:, None]
    width = draft.visual.scale.forcewidth * draft.scale
    velocity = draft.of(found.world("geom_surfacevel"))
    for side in range(2):
        at = geom[..., side]
        turned = found["geom_xmat"][draft.shown][world, at].astype(float)
        center = found["geom_xpos"][draft.shown][world, at] + draft.offsets
        linear, angular = (np.matmul(turned, velocity[world, at][..., part, None])[..., 0] for part in (slice(3), slice(3, 6)))
        moved = linear + np.cross(angular, position - center)
        moved = moved - (moved * normal).sum(axis=-1, keepdims=True) * normal
        mask = real & (np.linalg.norm(moved, axis=-1) > MINVAL)
        draft.connect("arrow", width, position, position + SECONDS_SHOWN * moved, color, Kind.CONTACT, index, mask=mask)


def contact_forces(draft: Draft, slots: int) -> np.ndarray:
    """(shown, slots, 3) force of each contact along its normal and tangents [N], from the forces of its rows."""
    found, shown = draft.found, draft.shown
    rows, dim = found["efc.force"][shown].astype(float), found["contact.dim"][shown, :slots]
    first = found["contact.efc_address"][shown, :slots]
    world = np.arange(len(shown))[:, None, None]

    def force(offset: np.ndarray, counts: np.ndarray) -> np.ndarray:
        at = np.clip(first[..., None] + offset, 0, rows.shape[1] - 1)
        return np.where(counts & (first[..., None] >= 0), rows[world, at], 0.0)

    plain = force(np.arange(3), np.arange(3) < dim[..., None])
    if int(found.compiled.opt.cone) == ConeType.ELLIPTIC:
        return plain
    # a pyramid has two edges for each direction of friction, whose forces add up to the normal one
    edges = force(np.arange(10), np.arange(10) < 2 * (dim[..., None] - 1))
    tilt = edges[..., 0:4:2] - edges[..., 1:4:2]
    friction = found["contact.friction"][shown, :slots]
    pyramid = np.concatenate([edges.sum(axis=-1, keepdims=True), tilt * friction[..., :2]], axis=-1)
    return np.where((dim == 1)[..., None], plain, pyramid)


def _forces(draft: Draft, position: np.ndarray, axes: np.ndarray, index: np.ndarray, real: np.ndarray, slots: int) -> None:
    """Arrows towards the body with the higher number: of the whole force, or of its normal part and of friction."""
    found, c, rgba = draft.found, draft.found.compiled, draft.visual.rgba
    local = contact_forces(draft, slots)
    real = real & (np.linalg.norm(local, axis=-1) > MINVAL)
    body = c.geom_bodyid[found["contact.geom"][draft.shown, :slots]]
    toward = np.where(body[..., 0] > body[..., 1], -1.0, 1.0)[..., None] * draft.visual.map.force / draft.mass
    width = draft.visual.scale.forcewidth * draft.scale
    several = found["contact.dim"][draft.shown, :slots] > 1
    split = several & draft.options.contactsplit
    both = (body > 0).all(axis=-1) & ~split
    for shape, mask, part, color in (
        ("arrow2", real & both, slice(0, 3), rgba.contactforce),
        ("arrow", real & ~both & ~split, slice(0, 3), rgba.contactforce),
        ("arrow", real & split, slice(0, 1), rgba.contactforce),
        ("arrow", real & split, slice(1, 3), rgba.contactfriction),
    ):
        vector = np.matmul(axes[..., part], local[..., part, None])[..., 0] * toward
        draft.connect(shape, width, position, position + vector, color, Kind.CONTACT, index, mask=mask)
    if draft.options.label == Label.CONTACTFORCE:
        for world, slot in np.argwhere(real):
            text = f"{np.linalg.norm(local[world, slot]):.3g}"
            draft.labels.append(TextLabel(text, position[world, slot].astype(np.float32)))
