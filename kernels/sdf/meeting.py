"""What a search for the contacts of two geoms with distance fields knows, in memory.

Fields are evaluated by functions out of line with most of a thread's registers on a GPU. What is asked for again behind such a call is read again.
"""

import warp as wp

from newtonish.kernels.collision.walk import KEPT_IN_MEMORY
from newtonish.kernels.structs.field import vec8d


@wp.struct
class Frame:
    """Axes and origin in the world."""

    axes: wp.mat33d
    pos: wp.vec3d


@wp.struct
class Common:
    """The common part of two geoms' boxes, along the axes of the first geom, and the way from there to the frame of the second field."""

    low: wp.vec3d
    high: wp.vec3d
    turn: wp.mat33d
    shift: wp.vec3d


@wp.struct
class Probe:
    """A geom and a point in the frame of its field, and what the field is there."""

    type: wp.int32
    size: wp.vec3d  # of a primitive
    field: wp.int32  # number of a function; -1: an octree
    prm: vec8d  # of a function
    root: wp.int32  # of an octree
    x: wp.vec3d
    dist: wp.float64
    grad: wp.vec3d
    here: wp.vec3d  # point of which a gradient is found by differences
    kept: wp.float64  # distance there
    behind: wp.float64  # at the point behind


@wp.struct
class Descent:
    """A descent in the frame of the second field: where it is and what it lowered there, and how far the next step goes."""

    x: wp.vec3d
    dist: wp.float64
    step: wp.int32
    origin: wp.vec3d  # of the step
    before: wp.float64  # what was to be lowered there
    slope: wp.vec3d  # gradient of that
    length: wp.float64
    wanted: wp.float64  # change that is enough


@wp.struct
class Face:
    """Corners of a triangle in the frame of the field."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d


@wp.struct
class Meeting:
    """Two geoms, the second of which is a field."""

    geom1: wp.int32
    geom2: wp.int32
    frame1: Frame  # of the geoms
    frame2: Frame
    field1: Frame  # of their fields
    field2: Frame
    turn: wp.mat33d  # from the second field's frame to the first's
    shift: wp.vec3d
    probe1: Probe
    probe2: Probe
    descent: Descent
    start: wp.int32  # number of the descent
    ends: wp.array(dtype=wp.vec4d)  # of all descents: point, and the larger distance there
    out: wp.vec3d  # normal of a contact, in the world
    pos: wp.vec3d  # and where it lies
    box: Common
    face: Face
    batch: wp.int32  # first triangle of those that are looked at together
    number: wp.int32  # triangle


@wp.func_native(KEPT_IN_MEMORY)
def keep_in_memory(kept: wp.ref[Meeting]):
    """Have what is kept read from memory again behind each call and each barrier, instead of being held in registers."""
    ...
