"""The group of convex hulls of meshes, and what the search for contacts of convex geoms needs."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar

CELLS = 4
"""Cells of the table ``nearby`` along an edge of the cube around a mesh."""
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
        index("nearby", "nmesh", 6 * CELLS * CELLS, doc="farthest vertex along each cell of a cube's sides: +x, -x, +y, ..."),
        index("edgeadr", "nhullvert", doc="first entry of each vertex in edge"),
        index("edgenum", "nhullvert", doc="neighbours of each vertex"),
        index("edge", "nhulledge", doc="neighbours, counted from the hull's first vertex"),
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
