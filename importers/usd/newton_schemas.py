"""What newton-usd-schemas says of its own schemas, so that it need not be installed, and why some of their attributes are not read."""

from __future__ import annotations

__all__ = ["APPLIED_WITH", "UNREAD", "reason"]

UNREAD = "is authored and not read"
REASONS = {
    "newton:xpbd:": "is of a solver of Newton's that is not this one",
    "newton:kamino:": "is of a solver of Newton's that is not this one",
    "newton:vbd:": "is of a solver of Newton's that is not this one",
    "newton:mpm:": "is of Newton's solver of grains, which is not this one",
    "newton:sdf": "is of distance fields; meshes collide as convex hulls here",
    "newton:hydroelastic": "is of hydroelastic contacts, which MuJoCo does not have",
    "newton:curves": "is of deformable curves, which are not read",
    "physics:masses": "is of deformable points, which are not read",
}
"""Why attributes whose names begin so are not read."""


def reason(name: str) -> str:
    """Why an attribute is not read."""
    return next((text for start, text in REASONS.items() if name.startswith(start)), UNREAD)


COLLIDER = ("NewtonCollisionAPI", "PhysicsCollisionAPI")
APPLIED_WITH = {
    "NewtonArticulationRootAPI": ("PhysicsArticulationRootAPI",), "NewtonMassAPI": ("PhysicsMassAPI",), "NewtonMaterialAPI": ("PhysicsMaterialAPI",),
    "NewtonCollisionAPI": COLLIDER, "NewtonMeshCollisionAPI": (*COLLIDER, "PhysicsMeshCollisionAPI"), "NewtonSDFCollisionAPI": COLLIDER,
}  # fmt: skip
"""Schemas that others bring with them; the library knows that only where Newton's are registered."""
