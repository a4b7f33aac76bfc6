"""The groups of the sweep: which near geoms may collide, and the near pairs of a world."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, value

SWEEP = group(
    "Sweep",
    "sweep",
    "sweep_",
    [
        index("exclude_adr", "nbody1", doc="first entry of each body in exclude, and the end"),
        index("exclude", "nexcluded", doc="bodies of higher number that a body does not collide with"),
        index("drop_adr", "ngeom1", doc="first entry of each geom in drop, and the end"),
        index("drop", "ndropped", doc="geoms of higher number that a geom does not collide with by itself: explicit pairs, filters"),
    ],
)
NEAR = group(
    "Near",
    "near",
    "near_",
    [
        value("order", wp.int64, "nswept", doc="geoms by the lower ends of their bounds along the sweep axis"),
        value("key", wp.int64, "nnearmax", doc="near pairs in the order of contacts: bodies, then geoms within them"),
        value("geom1", wp.int32, "nnearmax", doc="geom of the lower type"),
        value("geom2", wp.int32, "nnearmax", doc="geom of the higher type"),
        value("pairid", wp.int32, "nnearmax", doc="explicit pair; -1: none"),
        value("needed", wp.int32, doc="largest number of near pairs since the last time they were given room"),
    ],
)
Sweep = SWEEP.struct
Near = NEAR.struct
