"""The collision stage: the kernel for simple shapes, or a larger one if the model has general convex pairs or heightfields."""

from __future__ import annotations

from typing import Any

from newtonish.kernels.constraint.material import contact_material
from newtonish.kernels.enums import BroadphaseType
from newtonish.kernels.fused.collision import collision_kernel
from newtonish.kernels.fused.collision_convex import collision_convex_kernel
from newtonish.kernels.fused.collision_hfield import collision_hfield_kernel
from newtonish.kernels.fused.collision_round import collision_round_kernel
from newtonish.kernels.fused.collision_sweep import collision_sweep_kernel
from newtonish.kernels.launch import launch


def collision(m: Any, d: Any) -> None:
    """Contacts of all worlds.

    Reads   m.geom, m.pair, m.collide or m.sweep, m.hull, m.hfield, m.opt; d.kin (after kinematics)
    Writes  d.contact, d.status (ncon, ncon_needed, overflow). Contacts beyond nconmax are left out.
    MuJoCo  mj_collision.
    """
    if m.opt.broadphase != BroadphaseType.NXN:
        groups = [m.size, m.opt, m.body, m.geom, m.pair, m.hull, m.hfield, m.sweep]
        launch(collision_sweep_kernel, d, [*groups, d.kin, d.contact, d.near, d.status])
    else:
        _listed_pairs(m, d)
    contact_material(m, d)


def _listed_pairs(m: Any, d: Any) -> None:
    """Contacts of the pairs that were listed when the model was made, by the smallest kernel that knows their shapes."""
    groups = [m.size, m.opt, m.body, m.geom, m.pair, m.collide]
    if m.hfield.ncollide > 0:
        launch(collision_hfield_kernel, d, [*groups, m.hull, m.hfield, d.kin, d.contact, d.status])
    elif m.hull.nconvex > 0:
        launch(collision_convex_kernel, d, [*groups, m.hull, d.kin, d.contact, d.status])
    elif "collision" in m.simple:
        launch(collision_round_kernel, d, [*groups, d.kin, d.contact, d.status])
    else:
        launch(collision_kernel, d, [*groups, d.kin, d.contact, d.status])
