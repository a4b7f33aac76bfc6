"""The groups of collision beside geoms and pairs: hulls of meshes, heightfields, the sweep over many geoms, force-space contact gains."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar, scratch, value, vec8d

MOST_CELLS = 16
"""Cells along an edge of the cube around a hull, at most."""
MOST_CORNERS = 64
"""Corners of a face at most; of what lies flat on a face of so many, all are kept until four are chosen."""
MOST_ITERATIONS = 42
"""Times a polytope grows at most, whatever mjOption.ccd_iterations says: it has room for 46 vertices, so that a GPU's multiprocessor holds eighty."""

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
        index("extremeadr", "nhullcell", doc="first entry of each cell of the cube's sides, +x, -x, +y, ..., and of parts of them in extreme, and the end"),
        index("extreme", "nhullextreme", doc="vertices that can be the farthest ones, counted from the hull's first; negative: the cell's first part"),
        index("aroundadr", "nhullvert", doc="first entry of each vertex in around"),
        index("aroundnum", "nhullvert", doc="faces around each vertex"),
        index("around", "nhullaround", doc="faces"),
        index("faceadr", "nmesh", doc="first face of each mesh's hull"),
        index("facenum", "nmesh", doc="faces of each mesh's hull"),
        index("normal", "nhullface", doc="outward normals of the faces", dtype=wp.vec3),
        index("offset", "nhullface", doc="distances of the faces' planes from the mesh's origin, along the normals [m]", dtype=wp.float32),
        index("corneradr", "nhullface", doc="first entry of each face in corner"),
        index("cornernum", "nhullface", doc="corners of each face, at most 24"),
        index("corner", "nhullcorner", doc="corners, counter-clockwise, counted from the hull's first vertex"),
    ],
)
Hull = HULL.struct

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

FACES_KEPT = 50
"""Most contacts of a mesh and a signed distance field, as in MuJoCo."""
FACE_BATCH = 64
"""Triangles of a mesh that are looked at before any is searched."""
ENDS_OF_FACES = FACES_KEPT + FACE_BATCH
"""Room for where searches end that meshes need."""

SDF = group(
    "Sdf",
    "sdf",
    "sdf_",
    [
        scalar("ncollide", "geom pairs with a signed distance field"),
        scalar("initpoints", "points from which contacts of a pair are searched for (mjOption.sdf_initpoints)"),
        scalar("iterations", "most steps from each of them (mjOption.sdf_iterations)"),
        index("field", "ngeomfield", doc="which of the kernel's functions a geom is; -1: the octree of its mesh, or no field"),
        index("prm", "ngeomfield", doc="parameters of the function", dtype=vec8d),
        index("root", "ngeomfield", doc="outermost cell of the octree of a geom's mesh; -1: none"),
        index("pos", "ngeomfield", doc="origin of the field in the geom's frame [m]", dtype=wp.vec3d),
        index("mat", "ngeomfield", doc="axes of the field in the geom's frame", dtype=wp.mat33d),
        index("center", "ngeomfield", doc="centre of the box around the geom, in its frame [m]", dtype=wp.vec3d),
        index("half", "ngeomfield", doc="its half sides [m]", dtype=wp.vec3d),
        index("tri_adr", "ngeomfield", doc="first triangle of a geom's mesh, where it meets fields"),
        index("tri_num", "ngeomfield", doc="how many it has"),
        index("tri", "nfieldtri", 3, doc="corners of a triangle, in the frame of the mesh's geom [m]", dtype=wp.vec3),
        index("oct_child", "noct", 8, doc="cells within a cell, from the mesh's outermost one; -1: none"),
        index("oct_center", "noct", doc="centre of a cell, in the frame of the mesh's geom [m]", dtype=wp.vec3d),
        index("oct_half", "noct", doc="its half sides [m]", dtype=wp.vec3d),
        index("oct_coeff", "noct", 8, doc="signed distances at its corners [m]", dtype=wp.float64),
    ],
)
Sdf = SDF.struct

SDF_STATE = group(
    "SdfState",
    "overlap",
    "overlap_",
    [scratch("point", wp.vec4d, "nstart", doc="where the searches for contacts of a pair ended, in the frame of the second field, and the distance there [m]")],
)
SdfState = SDF_STATE.struct

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
