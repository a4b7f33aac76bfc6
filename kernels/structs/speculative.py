"""The groups of speculative contacts: how thick geoms are, how far they move within the step, and what such contacts have besides others.

Arrays of Data are empty unless the flag ``speculative`` is set.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, value

f32 = wp.float32

THICKNESS = group(
    "Thickness",
    "thickness",
    "thickness_",
    [value("least", f32, "ngeom", doc="smallest half extent of the box around a geom [m]")],
)

AHEAD = group(
    "Ahead",
    "ahead",
    "ahead_",
    [
        value("shift", wp.vec3, "ngeomahead", doc="displacement of a geom's centre within the step, by its velocity [m]"),
        value("turn", wp.vec3, "ngeomahead", doc="rotation within the step [rad]"),
        value("travel", f32, "ngeomahead", doc="how far a point of the geom moves at most [m]"),
        value("gap", f32, "ngeomahead", doc="the geom's gap and its travel [m]"),
        value("share", f32, "nconahead", doc="share of the step after which the geoms of a speculative contact meet; 0: not speculative"),
        value("closing", f32, "nconahead", doc="how much nearer the geoms would come in a whole step at the speed until then [m]"),
        value("span", wp.vec3, "nconahead", doc="from the point of geom 1 that is to touch to that of geom 2, at the start of the step [m]"),
        value("active", f32, "nconahead", doc="not zero: the contact has rows at any distance, being speculative or able to pull"),
    ],
)

Thickness = THICKNESS.struct
Ahead = AHEAD.struct
