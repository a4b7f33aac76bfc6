"""The group of force-space contact gains, which MuJoCo does not know."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, value

GAIN = group(
    "Gain",
    "gain",
    "geom_",
    [
        value("gain", wp.vec2, "ngeom", doc="stiffness [N/m] and damping [N s/m] of its contacts; zero: solref says them"),
        value("impedance", wp.float32, "ngeom", doc="flat impedance under which the gains hold in motion as well; zero: solimp says it"),
        value("kf", wp.float32, "ngeom", doc="friction stiffness of contacts from outside [N s/m]; negative: none given"),
    ],
)
Gain = GAIN.struct
