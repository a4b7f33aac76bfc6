"""Sensors of what lies in the volume of a site that need more than a test of simple shapes.

Whether an object's origin lies in the convex hull of a site's mesh; and, with ``enclosed``, how far geoms jut out of a
site's volume, the farthest of them counting. MuJoCo: documentation, chapter XML Reference, element ``sensor/insidesite``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.collision.support import make_shape
from newtonish.kernels.constants import BODY, GEOM, SITE
from newtonish.kernels.math.quat import quat_to_mat
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sensor.enclose import FAR, hull_side, juts_out
from newtonish.kernels.sensor.frame import frame_pos
from newtonish.kernels.sensor.write import put_scalar
from newtonish.kernels.structs.data import Kinematics, Sense
from newtonish.kernels.structs.geometric import Inside
from newtonish.kernels.structs.model import Body, Geom, Hull, Sensor, Site, Size
from newtonish.kernels.structs.optics import CamLight


@wp.func
def _volume_mat(inside: Inside, kin: Kinematics, w: int, i: int) -> wp.mat33:
    """Axes of a site's volume: those of its mesh, which stands in the site as it stands in its file."""
    return kin.site_xmat[w, i] * quat_to_mat(inside.quat[i])


@wp.func
def _volume_pos(inside: Inside, kin: Kinematics, w: int, i: int) -> wp.vec3:
    return kin.site_xpos[w, i] + kin.site_xmat[w, i] * inside.pos[i]


@wp.func(inline=False)
def _juts_out_of(
    site: Site, hull: Hull, inside: Inside, kin: Kinematics, w: int, i: int, kind: int, mesh: int, pos: wp.vec3,
    mat: wp.mat33, size: wp.vec3,
) -> float:  # fmt: skip
    """How far a shape juts out of site ``i``."""
    zero = wp.vec3(0.0, 0.0, 0.0)
    own = site.size[per_world(site.size.shape[0], w), i]
    volume = make_shape(hull, site.type[i], inside.mesh[i], zero, wp.identity(n=3, dtype=float), own)
    to = wp.transpose(_volume_mat(inside, kin, w, i))
    shape = make_shape(hull, kind, mesh, to * (pos - _volume_pos(inside, kin, w, i)), to * mat, size)
    return juts_out(hull, volume, shape)


@wp.func
def _geom_juts_out(geom: Geom, site: Site, hull: Hull, inside: Inside, kin: Kinematics, w: int, i: int, g: int) -> float:
    """How far a geom juts out of site ``i``."""
    size = geom.size[per_world(geom.size.shape[0], w), g]
    mesh = geom.dataid[per_world(geom.dataid.shape[0], w), g]
    pos = kin.geom_xpos[w, g]
    return _juts_out_of(site, hull, inside, kin, w, i, geom.type[g], mesh, pos, kin.geom_xmat[w, g], size)


@wp.func
def _carries(body: Body, kind: int, i: int, b: int) -> bool:
    """Whether body ``b`` is body ``i``, or for ``xbody`` in its subtree."""
    if kind == BODY:
        return b == i
    above = wp.int32(b)
    while above > i:  # a parent's index is smaller
        above = body.parentid[above]
    return above == i


@wp.kernel
def _inside_sites(
    size: Size, body: Body, geom: Geom, site: Site, hull: Hull, inside: Inside, sensor: Sensor, kin: Kinematics,
    eyes: CamLight, sense: Sense,
):  # fmt: skip
    w, lane = wp.tid()
    for k in range(lane, inside.number, lanes()):
        s = inside.sensor[k]
        kind = sensor.objtype[s]
        i = sensor.objid[s]
        volume = sensor.refid[s]
        if sensor.intprm[s][0] == 0:
            away = frame_pos(kin, eyes, w, kind, i) - _volume_pos(inside, kin, w, volume)
            p = wp.transpose(_volume_mat(inside, kin, w, volume)) * away
            mesh = inside.mesh[volume]
            above = hull_side(hull, hull.vertadr[mesh], hull.vertnum[mesh], p).dist
            put_scalar(sensor, sense, w, s, 0, wp.where(above < 0.0, 1.0, 0.0))
        elif kind == SITE:
            pos = _volume_pos(inside, kin, w, i)
            mat = _volume_mat(inside, kin, w, i)
            own = site.size[per_world(site.size.shape[0], w), i]
            far = _juts_out_of(site, hull, inside, kin, w, volume, site.type[i], inside.mesh[i], pos, mat, own)
            put_scalar(sensor, sense, w, s, 0, far)
        elif kind == GEOM:
            put_scalar(sensor, sense, w, s, 0, _geom_juts_out(geom, site, hull, inside, kin, w, volume, i))
        else:
            most = wp.float32(-FAR)
            for g in range(size.ngeom):
                if _carries(body, kind, i, geom.bodyid[g]):
                    most = wp.max(most, _geom_juts_out(geom, site, hull, inside, kin, w, volume, g))
            put_scalar(sensor, sense, w, s, 0, most)


def inside_sites(m: Any, d: Any) -> None:
    """Sensors of what lies in sites with meshes, and of how far geoms jut out of sites, after ``camlight``.

    Reads   m.geom, m.site, m.hull; d.kin. Writes d.sensordata.
    """
    launch(_inside_sites, d, [m.size, m.body, m.geom, m.site, m.hull, m.inside, m.sensor, d.kin, d.camlight, d.sense])
