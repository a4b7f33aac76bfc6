"""The collision stage: the smallest kernel that knows a model's shapes, then what contacts have besides geometry."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import BroadphaseType, DisableBit
from newtonish.kernels.constraint.stage import contact_material
from newtonish.kernels.reset import no_contacts
from newtonish.kernels.sleep.stage import may_sleep, wake_tendons
from newtonish.kernels.speculative.stage import contact_distances, find_ahead, may_speculate


def collision(m: Any, d: Any) -> None:
    """Contacts of all worlds.

    Reads   m.geom, m.pair, m.collide or m.sweep, m.hull, m.hfield, m.gain, m.opt; d.kin (after kinematics), d.outside
    Writes  d.contact, d.status (ncon, ncon_needed, overflow). Contacts beyond nconmax are left out.
    MuJoCo  mj_collision. Where ``m.finds_contacts`` is off, the contacts of ``d`` are the user's and stay.
    """
    wake_tendons(m, d)
    if d.outside is not None:  # who writes contacts knows the gains of each
        d.outside(m, d)
    elif m.finds_contacts:
        find_contacts(m, d)
        contact_gains(m, d)
    contact_material(m, d)
    contact_distances(m, d)


def find_contacts(m: Any, d: Any) -> None:
    """Contacts of the geoms that may touch, by the smallest kernel that knows their shapes."""
    if not _collides(m):
        no_contacts(m, d)
    elif m.sdf.ncollide > 0:
        _find_fields(m, d)
    elif may_speculate(m):
        find_ahead(m, d)
    elif may_sleep(m):
        _find_awake(m, d)
    elif m.opt.broadphase != BroadphaseType.NXN:
        from newtonish.kernels.fused.collision_sweep import launch_collision_sweep

        launch_collision_sweep(m, d)
    elif m.hfield.ncollide > 0:
        from newtonish.kernels.fused.collision_hfield import launch_collision_hfield

        launch_collision_hfield(m, d)
    elif m.hull.nconvex > 0 or m.opt.symmetric_contacts != 0:
        from newtonish.kernels.fused.collision_convex import launch_collision_convex

        launch_collision_convex(m, d)
    elif m.simple.collision:
        from newtonish.kernels.fused.collision_round import launch_collision_round

        launch_collision_round(m, d)
    else:
        from newtonish.kernels.fused.collision import launch_collision

        launch_collision(m, d)


def _find_fields(m: Any, d: Any) -> None:
    """The same in models with signed distance fields, whose trees do not sleep and whose contacts are not speculative."""
    from newtonish.kernels.fused.collision_sdf import launch_collision_sdf

    launch_collision_sdf(m, d)


def _find_awake(m: Any, d: Any) -> None:
    """The same in models in which trees may sleep, of geoms that are awake."""
    if m.opt.broadphase != BroadphaseType.NXN or m.hfield.ncollide > 0:
        from newtonish.kernels.fused.collision_awake_sweep import launch_collision_awake_sweep

        launch_collision_awake_sweep(m, d)
    elif m.hull.nconvex > 0 or m.opt.symmetric_contacts != 0:
        from newtonish.kernels.fused.collision_awake_convex import launch_collision_awake_convex

        launch_collision_awake_convex(m, d)
    else:
        from newtonish.kernels.fused.collision_awake import launch_collision_awake

        launch_collision_awake(m, d)


def _collides(m: Any) -> bool:
    """Whether geoms of the model can touch each other."""
    off = DisableBit.CONTACT | DisableBit.CONSTRAINT
    return not m.opt.disableflags & off and (m.size.ncollide > 0 or m.opt.broadphase != BroadphaseType.NXN)


def contact_gains(m: Any, d: Any) -> None:
    """Force-space gains of contacts, in models with such geoms."""
    if m.nforced > 0:
        from newtonish.kernels.collision import gains

        gains.contact_gains(m, d)
