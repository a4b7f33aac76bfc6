"""Work lists of the sensors that look at shapes: rays of rangefinders, and distances between geoms."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar

SURFACE = group(
    "Surface",
    "surface",
    "surface_",
    [
        index("mesh", "nmesh", doc="wp.Mesh of each mesh, in the mesh's frame; 0: not made yet, no ray hits it", dtype=wp.uint64),
    ],
)

RANGING = group(
    "Ranging",
    "ranging",
    "ranging_",
    [
        scalar("nray", "rays of all rangefinders"),
        index("sensor", "nray", doc="sensor of each ray"),
        index("pixel", "nray", doc="place of each ray in its sensor, row by row; 0 for sites"),
        index("offset", "nray", doc="first number of each ray in its sensor's output"),
    ],
)

MEASURE = group(
    "Measure",
    "measure",
    "measure_",
    [
        scalar("number", "distances: sensors of the same objects and cutoff share one"),
        index("adr", "nmeasure", doc="first entry of each distance in sensor"),
        index("num", "nmeasure", doc="sensors of each distance"),
        index("sensor", "nmeasuresensor", doc="sensors that show the distance, its normal or its end points"),
    ],
)

INSIDE = group(
    "Inside",
    "inside",
    "inside_",
    [
        scalar("number", "sensors of what lies in a site that look at meshes or whole geoms"),
        index("sensor", "ninside", doc="these sensors"),
        index("mesh", "nsite", doc="mesh of each site; -1: none"),
        index("pos", "nsite", doc="origin of the mesh's frame in the site's [m]", dtype=wp.vec3),
        index("quat", "nsite", doc="axes of the mesh's frame in the site's", dtype=wp.vec4),
    ],
)

TACTILE = group(
    "Tactile",
    "tactile",
    "tactile_",
    [
        scalar("number", "taxels of all tactile sensors"),
        index("sensor", "ntaxel", doc="sensor of each taxel"),
        index("vertex", "ntaxel", doc="number of each taxel in its sensor's mesh"),
        index("count", "ntaxel", doc="taxels of the sensor"),
        index("pos", "ntaxel", doc="place in the geom's frame [m]", dtype=wp.vec3),
        index("tangent1", "ntaxel", doc="unit vector along which sliding is measured, geom's frame; 0: not measured", dtype=wp.vec3),
        index("tangent2", "ntaxel", doc="the second of these", dtype=wp.vec3),
    ],
)

Surface = SURFACE.struct
Ranging = RANGING.struct
Measure = MEASURE.struct
Inside = INSIDE.struct
Tactile = TACTILE.struct
