"""Contacts that a script logs or a recording holds, in Newton's layout, where no solver is there to be asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.enums import Kind
from newtonish.viewer.scene.rotations import from_z

__all__ = ["add_logged_contacts"]


def add_logged_contacts(draft: Draft) -> None:
    """Points as flat cylinders, forces as arrows on what moves."""
    contacts, model, options = draft.contacts, draft.maker.model, draft.options
    count = min(int(contacts.rigid_contact_count.numpy()[0]), int(contacts.rigid_contact_max))
    shapes = np.stack([getattr(contacts, f"rigid_contact_shape{side}").numpy()[:count] for side in range(2)], axis=1)
    body = np.where(shapes >= 0, model.shape_body.numpy()[np.maximum(shapes, 0)], -1)
    owner = np.where(shapes >= 0, model.shape_world.numpy()[np.maximum(shapes, 0)], -1).max(axis=1, initial=-1)
    world = np.maximum(owner, 0)
    shown = np.isin(world, draft.shown) & (shapes >= 0).all(axis=1)
    position = 0.5 * sum(_surface(draft, side, body[:, side], world, count) for side in range(2))
    normal = contacts.rigid_contact_normal.numpy()[:count].astype(float)
    index, size, rgba = np.arange(count), draft.visual.scale, draft.visual.rgba
    if options.contactpoint:
        flat = np.array([size.contactwidth, size.contactwidth, size.contactheight]) * draft.scale
        place = position[shown], from_z(normal[shown]), flat
        draft.store("cylinder", *place, rgba.contactpoint, Kind.CONTACT, index[shown], owner[shown])
    if options.contactforce:
        force = _forces(contacts, count) * np.where(body[:, 1:] >= 0, 1.0, -1.0) * draft.visual.map.force / draft.mass
        length = np.linalg.norm(force, axis=1)
        seen = shown & (length > MINVAL)
        width = np.full(seen.sum(), size.forcewidth * draft.scale)
        place = position[seen], from_z(force[seen]), np.stack([width, width, length[seen]], axis=1)
        draft.store("arrow", *place, rgba.contactforce, Kind.CONTACT, index[seen], owner[seen])


def _surface(draft: Draft, side: int, body: np.ndarray, world: np.ndarray, count: int) -> np.ndarray:
    """(count, 3) point of each contact on the surface of one of its shapes, where it is drawn [m]."""
    local = getattr(draft.contacts, f"rigid_contact_point{side}").numpy()[:count].astype(float)
    offset = getattr(draft.contacts, f"rigid_contact_offset{side}", None)
    if offset is not None:
        local = local + offset.numpy()[:count]
    placed = local + draft.bodies.offsets[world]
    held = body >= 0
    turned = np.einsum("nij,nj->ni", draft.bodies.rotation[body[held]], local[held])
    placed[held] = turned + draft.bodies.position[body[held]]
    return placed


def _forces(contacts: Any, count: int) -> np.ndarray:
    """(count, 3) force on the second shape [N]; zero where the container has none."""
    own = getattr(contacts, "rigid_contact_force", None)
    if own is not None:
        return own.numpy()[:count].astype(float)
    wrench = getattr(contacts, "force", None)
    return np.zeros((count, 3)) if wrench is None else -wrench.numpy()[:count, :3].astype(float)
