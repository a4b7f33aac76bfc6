"""How the slope of a medium's force changes with velocity: the second derivative of the force on one body, along one direction.

Added mass and Magnus lift are bilinear in both velocities, so that their slope at a change of velocity is the change of the slope. Lift, drag and angular
drag follow the product rule, a change beside each value of ``forces/fluid_models.py``.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.forces.fluid import DRAG, ELLIPSOIDS, INERTIA_BOX, _slope_at
from newtonish.kernels.forces.fluid_models import Drag, box_drag, ellipsoid_drag, semiaxes
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Kinematics, Velocity
from newtonish.kernels.structs.field import vec12
from newtonish.kernels.structs.model import Body, Geom, Option


@wp.struct
class Flow:
    """Velocity of something relative to the medium, and a change of it, in its own frame."""

    omega: wp.vec3
    velocity: wp.vec3
    omega_change: wp.vec3
    velocity_change: wp.vec3


@wp.func
def _flow(opt: Option, vel: Velocity, rot: wp.mat33, offset: wp.vec3, change: wp.spatial_vector, w: int, b: int) -> Flow:
    """The flow past a frame on body ``b``, whose spatial velocity changes by ``change``."""
    inverse = wp.transpose(rot)
    omega = wp.spatial_top(vel.cvel[w, b])
    velocity = wp.spatial_bottom(vel.cvel[w, b]) + wp.cross(omega, offset) - opt.wind[per_world(opt.wind.shape[0], w)]
    found = Flow()
    found.omega = inverse * omega
    found.velocity = inverse * velocity
    found.omega_change = inverse * wp.spatial_top(change)
    found.velocity_change = inverse * (wp.spatial_bottom(change) + wp.cross(wp.spatial_top(change), offset))
    return found


@wp.func
def _signed(values: wp.vec3, change: wp.vec3) -> wp.vec3:
    """Change of the sizes of three values."""
    result = wp.vec3()
    for i in range(3):
        result[i] = wp.where(values[i] < 0.0, -change[i], change[i])
    return result


@wp.func
def _box_bend(opt: Option, body: Body, flow: Flow, w: int, b: int) -> Drag:
    """Of the inertia box: drag on each face is quadratic."""
    one = wp.vec3(1.0, 1.0, 1.0)
    at_one = box_drag(
        body.mass[per_world(body.mass.shape[0], w), b], body.inertia[per_world(body.inertia.shape[0], w), b], one, one,
        opt.density[per_world(opt.density.shape[0], w)], 0.0,
    )  # fmt: skip
    bend = Drag()
    bend.tw = at_one.tw * wp.diag(_signed(flow.omega, flow.omega_change))
    bend.fv = at_one.fv * wp.diag(_signed(flow.velocity, flow.velocity_change))
    return bend


@wp.func
def _lift_and_drag_bend(axes: wp.vec3, fluid: vec12, velocity: wp.vec3, change: wp.vec3, density: float) -> wp.mat33:
    """Change of the slope of Kutta lift, blunt and slender drag; names are those of ``fluid_models._lift_and_drag``, with a ``d`` for changes."""
    bend = wp.mat33()
    longest = wp.max(wp.max(axes[0], axes[1]), axes[2])
    shortest = wp.min(wp.min(axes[0], axes[1]), axes[2])
    middle = axes[0] + axes[1] + axes[2] - longest - shortest
    speed = wp.length(velocity)
    if speed > MINVAL and longest > MINVAL:
        v = velocity / speed
        s = axes / longest
        faces = wp.vec3(s[1] * s[2], s[2] * s[0], s[0] * s[1])
        q = wp.cw_mul(faces, faces)
        u = wp.cw_mul(q, v)
        n = wp.dot(v, u)
        length = wp.length(u)
        if n > MINVAL:
            unit = wp.identity(n=3, dtype=float)
            area = wp.pi * longest * longest * length / wp.sqrt(n)
            growth = wp.cw_mul(q, u) / (length * length) - u / n
            dspeed = wp.dot(v, change)
            dv = (change - dspeed * v) / speed
            du = wp.cw_mul(q, dv)
            dn = 2.0 * wp.dot(u, dv)
            longer = wp.dot(u, du) / (length * length)  # change of log(length)
            darea = area * (longer - 0.5 * dn / n)
            dgrowth = (wp.cw_mul(q, du) - 2.0 * longer * wp.cw_mul(q, u)) / (length * length) - (du - (dn / n) * u) / n
            # lift
            lift = fluid[4] * density * wp.pi * longest * longest * speed * wp.sqrt(n) / length
            dlift = lift * (dspeed / speed + 0.5 * dn / n - longer)
            direction = n * v - u
            ddirection = dn * v + n * dv - du
            slope = n * unit + 2.0 * (wp.outer(v, u) - wp.outer(u, v)) - wp.diag(q) - wp.outer(direction, growth + v)
            dslope = dn * unit + 2.0 * (wp.outer(dv, u) + wp.outer(v, du) - wp.outer(du, v) - wp.outer(u, dv))
            dslope = dslope - wp.outer(ddirection, growth + v) - wp.outer(direction, dgrowth + dv)
            bend += dlift * slope + lift * dslope
            # drag
            total = area * fluid[1] + fluid[2] * (wp.pi * longest * middle - area)
            dtotal = (fluid[1] - fluid[2]) * darea
            bend -= (density * (dtotal * speed + total * dspeed)) * (unit + wp.outer(v, v))
            bend -= (density * total * speed) * (wp.outer(dv, v) + wp.outer(v, dv))
            each = density * (fluid[1] - fluid[2])
            bend -= (each * (darea * speed + area * dspeed)) * wp.outer(v, growth)
            bend -= (each * area * speed) * (wp.outer(dv, growth) + wp.outer(v, dgrowth))
    return bend


@wp.func
def _angular_drag_bend(axes: wp.vec3, fluid: vec12, omega: wp.vec3, change: wp.vec3, density: float) -> wp.mat33:
    """The same of angular drag, which is -density |r| omega with r = moments * omega."""
    longest = wp.max(wp.max(axes[0], axes[1]), axes[2])
    shortest = wp.min(wp.min(axes[0], axes[1]), axes[2])
    middle = axes[0] + axes[1] + axes[2] - longest - shortest
    most = 8.0 / 15.0 * wp.pi * middle * longest * longest * longest * longest
    moments = wp.vec3()
    for i in range(3):
        other = wp.max(axes[(i + 1) % 3], axes[(i + 2) % 3])
        own = 8.0 / 15.0 * wp.pi * axes[i] * other * other * other * other
        moments[i] = fluid[3] * own + fluid[2] * (most - own)
    r = wp.cw_mul(moments, omega)
    size = wp.length(r)
    bend = wp.mat33()
    if size > 0.0:
        r = r / size
        dr = wp.cw_mul(moments, change)
        larger = wp.dot(r, dr)
        along = wp.cw_mul(moments, r)
        dalong = wp.cw_mul(moments, dr - larger * r) / size
        bend = -density * (larger * wp.identity(n=3, dtype=float) + wp.outer(change, along) + wp.outer(omega, dalong))
    return bend


@wp.func
def _geom_bend(opt: Option, geom: Geom, flow: Flow, part: int, w: int, g: int) -> Drag:
    """Of the ellipsoid of a geom; with ``DRAG`` no lift and no added mass."""
    axes = semiaxes(geom.type[g], geom.size[per_world(geom.size.shape[0], w), g])
    density = opt.density[per_world(opt.density.shape[0], w)]
    fluid = geom.fluid[per_world(geom.fluid.shape[0], w), g]
    if part == DRAG:
        for k in range(4, 12):
            fluid[k] = 0.0
    bilinear = fluid
    for k in range(1, 5):
        bilinear[k] = 0.0
    bend = ellipsoid_drag(axes, bilinear, flow.omega_change, flow.velocity_change, density, 0.0)
    bend.fv += fluid[0] * _lift_and_drag_bend(axes, fluid, flow.velocity, flow.velocity_change, density)
    bend.tw += fluid[0] * _angular_drag_bend(axes, fluid, flow.omega, flow.omega_change, density)
    return bend


@wp.func
def body_fluid_bend(
    opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, part: int, change: wp.spatial_vector, w: int, b: int,
) -> wp.spatial_matrix:  # fmt: skip
    """Change of ``body_fluid_slope``, as seen from body ``b``, if the body's velocity changes by ``change``."""
    bend = wp.spatial_matrix()
    origin = com.subtree_com[w, body.rootid[b]]
    if body.fluid[b] == INERTIA_BOX:
        rot = kin.ximat[w, b]
        offset = kin.xipos[w, b] - origin
        flow = _flow(opt, vel, rot, offset, change, w, b)
        bend = _slope_at(_box_bend(opt, body, flow, w, b), rot, offset, part)
    elif body.fluid[b] == ELLIPSOIDS:
        for g in range(body.geomadr[b], body.geomadr[b] + body.geomnum[b]):
            if geom.fluid[per_world(geom.fluid.shape[0], w), g][0] > 0.0:
                rot = kin.geom_xmat[w, g]
                offset = kin.geom_xpos[w, g] - origin
                flow = _flow(opt, vel, rot, offset, change, w, b)
                bend += _slope_at(_geom_bend(opt, geom, flow, part, w, g), rot, offset, part)
    return bend
