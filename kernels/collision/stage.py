"""The collision stage: the kernel for simple shapes, or a larger one if the model has general convex pairs or heightfields."""

from __future__ import annotations

from typing import Any

from newtonish.kernels.enums import BroadphaseType
from newtonish.kernels.later import fused
from newtonish.kernels.launch import launch
from newtonish.kernels.needs import collides, is_convex
from newtonish.kernels.optional import contact_gains, contact_material
from newtonish.kernels.reset import no_contacts


def collision(m: Any, d: Any) -> None:
    """Contacts of all worlds.

    Reads   m.geom, m.pair, m.collide or m.sweep, m.hull, m.hfield, m.gain, m.opt; d.kin (after kinematics), d.outside
    Writes  d.contact, d.status (ncon, ncon_needed, overflow). Contacts beyond nconmax are left out.
    MuJoCo  mj_collision.
    """
    if d.outside is not None:
        d.outside(m, d)
    elif not collides(m):
        no_contacts(m, d)
    elif m.opt.broadphase != BroadphaseType.NXN:
        groups = [m.size, m.opt, m.body, m.geom, m.pair, m.hull, m.hfield, m.sweep]
        launch(fused("collision_sweep"), d, [*groups, d.kin, d.contact, d.near, d.status])
    else:
        _listed_pairs(m, d)
    if d.outside is None:  # who writes contacts knows the gains of each
        contact_gains(m, d)
    contact_material(m, d)


def _listed_pairs(m: Any, d: Any) -> None:
    """Contacts of the pairs that were listed when the model was made, by the smallest kernel that knows their shapes."""
    groups = [m.size, m.opt, m.body, m.geom, m.pair, m.collide]
    if m.hfield.ncollide > 0:
        launch(fused("collision_hfield"), d, [*groups, m.hull, m.hfield, d.kin, d.contact, d.status])
    elif is_convex(m):
        launch(fused("collision_convex"), d, [*groups, m.hull, d.kin, d.contact, d.status])
    elif "collision" in m.simple:
        launch(fused("collision_round"), d, [*groups, d.kin, d.contact, d.status])
    else:
        launch(fused("collision"), d, [*groups, d.kin, d.contact, d.status])
