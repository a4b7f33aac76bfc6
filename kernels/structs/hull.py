"""The group of convex hulls of meshes, and what the search for contacts of convex geoms needs."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar

MOST_CELLS = 16
"""Cells along an edge of the cube around a hull, at most."""
MOST_CORNERS = 64
"""Corners of a face at most; of what lies flat on a face of so many, all are kept until four are chosen."""
MOST_ITERATIONS = 52
"""Times a polytope grows at most, whatever mjOption.ccd_iterations says: it has room for 56 vertices."""

HULL = group(
    "Hull",
    "hull",
    "hull_",
    [
        scalar("nconvex", "geom pairs that the kernel for general convex shapes treats"),
        scalar("iterations", "largest number of times a polytope grows (mjOption.ccd_iterations)"),
        index("vertadr", "nmesh", doc="first vertex of each mesh's hull"),
        index("vertnum", "nmesh", doc="vertices of each mesh's hull; 0: the mesh does not collide"),
        index("center", "nmesh", doc="centre of the box around each mesh's hull in the mesh's frame [m]", dtype=wp.vec3),
        index("half", "nmesh", doc="its half lengths [m]", dtype=wp.vec3),
        index("vert", "nhullvert", doc="vertices of the hulls in the frames of the meshes [m]", dtype=wp.vec3),
        index("cells", "nmesh", doc="cells along an edge of a cube around each mesh, each for the directions that pass through it"),
        index("celladr", "nmesh", doc="first entry of each mesh in extremeadr"),
        index("extremeadr", "nhullcell", doc="first entry of each cell of the cube's sides, +x, -x, +y, ..., in extreme, and the end"),
        index("extreme", "nhullextreme", doc="vertices that can be the farthest ones, counted from the hull's first"),
        index("aroundadr", "nhullvert", doc="first entry of each vertex in around"),
        index("aroundnum", "nhullvert", doc="faces around each vertex"),
        index("around", "nhullaround", doc="faces"),
        index("normal", "nhullface", doc="outward normals of the faces", dtype=wp.vec3),
        index("corneradr", "nhullface", doc="first entry of each face in corner"),
        index("cornernum", "nhullface", doc="corners of each face, at most 24"),
        index("corner", "nhullcorner", doc="corners, counter-clockwise, counted from the hull's first vertex"),
    ],
)
Hull = HULL.struct
