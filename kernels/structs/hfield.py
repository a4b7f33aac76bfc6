"""The group of heightfields."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar, value

HFIELD = group(
    "HeightField",
    "hfield",
    "hfield_",
    [
        scalar("nhfield", "heightfields", flat="nhfield"),
        scalar("ncollide", "geom pairs with a heightfield"),
        index("nrow", "nhfield", doc="rows of the grid, along y"),
        index("ncol", "nhfield", doc="columns of the grid, along x"),
        index("adr", "nhfield", doc="first entry of each heightfield in data"),
        value("size", wp.vec4, "nhfield", doc="half extents along x and y, height of a sample of 1, depth below 0 [m]"),
        value("data", wp.float32, "nhfielddata", doc="samples from 0 to 1, row by row, the first at -x, -y"),
    ],
)
HeightField = HFIELD.struct
