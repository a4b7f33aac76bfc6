"""From a pair of geoms to its contact points: the narrowphase function of the two types."""

import warp as wp

from newtonish.kernels.collision.capsule_box import capsule_box
from newtonish.kernels.collision.capsule_cylinder import capsule_cylinder
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from newtonish.kernels.collision.sphere_box import sphere_box
from newtonish.kernels.collision.sphere_capsule import capsule_capsule, sphere_capsule, sphere_sphere
from newtonish.kernels.collision.sphere_cylinder import sphere_cylinder
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, PLANE, SPHERE
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom


@wp.func
def _z_axis(mat: wp.mat33) -> wp.vec3:
    return wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2])


@wp.func
def _with_plane(origin: wp.vec3, normal: wp.vec3, kind: int, pos: wp.vec3, mat: wp.mat33, size: wp.vec3, reach: float) -> Manifold:
    """A plane and a geom of type ``kind``."""
    if kind == SPHERE:
        return plane_sphere(origin, normal, pos, size[0], reach)
    if kind == CAPSULE:
        return plane_capsule(origin, normal, pos, _z_axis(mat), size[0], size[1], reach)
    if kind == BOX:
        return plane_box(origin, normal, pos, mat, size, reach)
    if kind == CYLINDER:
        return plane_cylinder(origin, normal, pos, mat, size[0], size[1], reach)
    if kind == ELLIPSOID:
        return plane_ellipsoid(origin, normal, pos, mat, size, reach)
    return Manifold()


@wp.func
def _with_sphere(center: wp.vec3, radius: float, axis: wp.vec3, kind: int, pos: wp.vec3, mat: wp.mat33, size: wp.vec3, reach: float) -> Manifold:
    """A sphere and a geom of type ``kind``."""
    if kind == SPHERE:
        return sphere_sphere(center, radius, axis, pos, size[0], _z_axis(mat), reach)
    if kind == CAPSULE:
        return sphere_capsule(center, radius, axis, pos, _z_axis(mat), size[0], size[1], reach)
    if kind == BOX:
        return sphere_box(center, radius, pos, mat, size, reach)
    if kind == CYLINDER:
        return sphere_cylinder(center, radius, axis, pos, _z_axis(mat), size[0], size[1], reach)
    return Manifold()


@wp.func
def _with_capsule(
    capsule: wp.vec3, axis: wp.vec3, capsule_size: wp.vec3, kind: int, pos: wp.vec3, mat: wp.mat33, size: wp.vec3,
    reach: float, lies: bool,
) -> Manifold:  # fmt: skip
    """A capsule and a geom of type ``kind``."""
    if kind == CAPSULE:
        return capsule_capsule(capsule, axis, capsule_size[0], capsule_size[1], pos, _z_axis(mat), size[0], size[1], reach)
    if kind == BOX:
        return capsule_box(capsule, axis, capsule_size[0], capsule_size[1], pos, mat, size, reach)
    if kind == CYLINDER:
        return capsule_cylinder(capsule, axis, capsule_size[0], capsule_size[1], pos, mat, size[0], size[1], reach, lies)
    return Manifold()


@wp.func
def points_of(
    type1: int, pos1: wp.vec3, mat1: wp.mat33, size1: wp.vec3, type2: int, pos2: wp.vec3, mat2: wp.mat33, size2: wp.vec3, reach: float, lies: bool
) -> Manifold:  # fmt: skip
    """Points of two geoms, the one of the lower type first.

    Args:
        reach: detection distance [m]: points farther apart are left out.
        lies: whether capsules lie on caps of cylinders (``capsule_cylinder``): else the closest of the points tells the distance.
    """
    if type1 == PLANE:
        return _with_plane(pos1, _z_axis(mat1), type2, pos2, mat2, size2, reach)
    if type1 == SPHERE:
        return _with_sphere(pos1, size1[0], _z_axis(mat1), type2, pos2, mat2, size2, reach)
    if type1 == CAPSULE:
        return _with_capsule(pos1, _z_axis(mat1), size1, type2, pos2, mat2, size2, reach, lies)
    return Manifold()


@wp.func
def simple_narrowphase(geom: Geom, kin: Kinematics, w: int, g1: int, g2: int, reach: float, lies: bool) -> Manifold:
    """``points_of`` two geoms of a world."""
    size_w = per_world(geom.size.shape[0], w)
    return points_of(
        geom.type[g1], kin.geom_xpos[w, g1], kin.geom_xmat[w, g1], geom.size[size_w, g1],
        geom.type[g2], kin.geom_xpos[w, g2], kin.geom_xmat[w, g2], geom.size[size_w, g2], reach, lies,
    )  # fmt: skip


@wp.func
def narrowphase(geom: Geom, kin: Kinematics, w: int, g1: int, g2: int, reach: float) -> Manifold:
    """Contact points of two geoms, the one of the lower type first; ``reach``: detection distance [m]."""
    return simple_narrowphase(geom, kin, w, g1, g2, reach, True)
