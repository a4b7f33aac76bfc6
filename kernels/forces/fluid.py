"""Forces of the medium (density, viscosity, wind) on bodies, as generalized force, and their derivative by velocity.

Every body has a wrench and, for the implicit integrators, a slope: the 6 by 6 matrix of the wrench's derivative by the
body's spatial velocity, both in the com-based frame of the tree. As that frame is one for the whole tree, slopes of a
subtree can be added, and the derivative of the force on dof i by the velocity of dof k is cdof_i . slope cdof_k with the
slope of the subtree below the deeper of the two.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.forces.fluid_models import Drag, box_drag, ellipsoid_drag, semiaxes
from newtonish.kernels.forces.wrench import accumulate_wrench_world, wrench_at, wrench_on_dof
from newtonish.kernels.math.world import fresh, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Force, Kinematics, Scratch, Velocity
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Size, Tree

INERTIA_BOX = wp.constant(1)
ELLIPSOIDS = wp.constant(2)

# which part of a slope is asked for
WHOLE = wp.constant(0)
SYMMETRIC = wp.constant(1)
DRAG = wp.constant(2)  # the symmetric part of what takes energy: drag and viscous resistance


@wp.func
def _body_drag(opt: Option, body: Body, kin: Kinematics, com: Com, vel: Velocity, w: int, b: int) -> Drag:
    """Inertia-box model of body ``b``, in its inertial frame."""
    rot = kin.ximat[w, b]
    omega = wp.spatial_top(vel.cvel[w, b])
    offset = kin.xipos[w, b] - com.subtree_com[w, body.rootid[b]]
    velocity = wp.spatial_bottom(vel.cvel[w, b]) + wp.cross(omega, offset) - opt.wind[per_world(opt.wind.shape[0], w)]
    inverse = wp.transpose(rot)
    return box_drag(
        body.mass[per_world(body.mass.shape[0], w), b], body.inertia[per_world(body.inertia.shape[0], w), b],
        inverse * omega, inverse * velocity, opt.density[per_world(opt.density.shape[0], w)],
        opt.viscosity[per_world(opt.viscosity.shape[0], w)],
    )  # fmt: skip


@wp.func
def _geom_drag(opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, part: int, w: int, b: int, g: int) -> Drag:
    """Ellipsoid model of geom ``g`` of body ``b``, in the frame of the geom; with ``DRAG`` no lift and no added mass."""
    rot = kin.geom_xmat[w, g]
    omega = wp.spatial_top(vel.cvel[w, b])
    offset = kin.geom_xpos[w, g] - com.subtree_com[w, body.rootid[b]]
    velocity = wp.spatial_bottom(vel.cvel[w, b]) + wp.cross(omega, offset) - opt.wind[per_world(opt.wind.shape[0], w)]
    inverse = wp.transpose(rot)
    axes = semiaxes(geom.type[g], geom.size[per_world(geom.size.shape[0], w), g])
    coefficients = geom.fluid[per_world(geom.fluid.shape[0], w), g]
    if part == DRAG:
        for k in range(4, 12):
            coefficients[k] = 0.0
    return ellipsoid_drag(
        axes, coefficients, inverse * omega, inverse * velocity,
        opt.density[per_world(opt.density.shape[0], w)], opt.viscosity[per_world(opt.viscosity.shape[0], w)],
    )  # fmt: skip


@wp.func
def _slope_at(drag: Drag, rot: wp.mat33, offset: wp.vec3, part: int) -> wp.spatial_matrix:
    """The slopes of a drag in a frame with axes ``rot`` at ``offset``, in the com-based frame."""
    inverse = wp.transpose(rot)
    tw = rot * drag.tw * inverse
    tv = rot * drag.tv * inverse
    fw = rot * drag.fw * inverse
    fv = rot * drag.fv * inverse
    if part != WHOLE:
        tw = 0.5 * (tw + wp.transpose(tw))
        fv = 0.5 * (fv + wp.transpose(fv))
        tv = 0.5 * (tv + wp.transpose(fw))
        fw = wp.transpose(tv)
    s = wp.skew(offset)
    ww = tw - tv * s + s * (fw - fv * s)
    wv = tv + s * fv
    vw = fw - fv * s
    slope = wp.spatial_matrix()
    for i in range(3):
        for j in range(3):
            slope[i, j] = ww[i, j]
            slope[i, j + 3] = wv[i, j]
            slope[i + 3, j] = vw[i, j]
            slope[i + 3, j + 3] = fv[i, j]
    return slope


@wp.func
def _box_slope(opt: Option, body: Body, kin: Kinematics, com: Com, vel: Velocity, part: int, w: int, b: int) -> wp.spatial_matrix:
    """Slope of the inertia-box model of body ``b``."""
    drag = _body_drag(opt, body, kin, com, vel, w, b)
    return _slope_at(drag, kin.ximat[w, b], kin.xipos[w, b] - com.subtree_com[w, body.rootid[b]], part)


@wp.func
def _geom_slope(
    opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, part: int, w: int, b: int, g: int,
) -> wp.spatial_matrix:  # fmt: skip
    """Slope of the ellipsoid model of geom ``g`` of body ``b``."""
    drag = _geom_drag(opt, body, geom, kin, com, vel, part, w, b, g)
    return _slope_at(drag, kin.geom_xmat[w, g], kin.geom_xpos[w, g] - com.subtree_com[w, body.rootid[b]], part)


@wp.func
def body_fluid_slope(opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, part: int, w: int, b: int) -> wp.spatial_matrix:
    """Derivative of the medium's wrench on body ``b`` by the body's velocity, or the ``part`` of it that is asked for."""
    slope = wp.spatial_matrix()
    if body.fluid[b] == INERTIA_BOX:
        slope = _box_slope(opt, body, kin, com, vel, part, w, b)
    elif body.fluid[b] == ELLIPSOIDS:
        for g in range(body.geomadr[b], body.geomadr[b] + body.geomnum[b]):
            if geom.fluid[per_world(geom.fluid.shape[0], w), g][0] > 0.0:
                slope += _geom_slope(opt, body, geom, kin, com, vel, part, w, b, g)
    return slope


@wp.func
def add_body_fluid_slope(
    opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, part: int,
    slope: wp.array2d(dtype=wp.spatial_matrix), w: int, b: int,
):  # fmt: skip
    """Add ``body_fluid_slope`` to ``slope`` in memory: a lane of a GPU lacks registers for the sum beside the slope of a geom."""
    if body.fluid[b] == INERTIA_BOX:
        slope[w, b] = slope[w, b] + _box_slope(opt, body, kin, com, vel, part, fresh(w), fresh(b))
    elif body.fluid[b] == ELLIPSOIDS:
        for g in range(body.geomadr[b], body.geomadr[b] + body.geomnum[b]):
            if geom.fluid[per_world(geom.fluid.shape[0], w), g][0] > 0.0:
                slope[w, b] = slope[w, b] + _geom_slope(opt, body, geom, kin, com, vel, part, fresh(w), fresh(b), fresh(g))


@wp.func
def _body_wrench(opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, w: int, b: int) -> wp.spatial_vector:
    """Wrench of the medium on body ``b`` in the com-based frame."""
    wrench = wp.spatial_vector()
    origin = com.subtree_com[w, body.rootid[b]]
    if body.fluid[b] == INERTIA_BOX:
        drag = _body_drag(opt, body, kin, com, vel, w, b)
        rot = kin.ximat[w, b]
        wrench = wrench_at(rot * drag.force, rot * drag.torque, kin.xipos[w, b] - origin)
    elif body.fluid[b] == ELLIPSOIDS:
        for g in range(body.geomadr[b], body.geomadr[b] + body.geomnum[b]):
            if geom.fluid[per_world(geom.fluid.shape[0], w), g][0] > 0.0:
                drag = _geom_drag(opt, body, geom, kin, com, vel, WHOLE, w, b, g)
                axes = kin.geom_xmat[w, g]
                wrench += wrench_at(axes * drag.force, axes * drag.torque, kin.geom_xpos[w, g] - origin)
    return wrench


@wp.func
def fluid_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, kin: Kinematics, com: Com, vel: Velocity,
    frc: Force, scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """Forces of the medium on all dofs of one world; returns with a barrier."""
    # MuJoCo leaves out all passive forces when springs and dampers are disabled
    off = int(DisableBit.SPRING | DisableBit.DAMPER)
    if size.nfluid == 0 or (opt.disableflags & off) == off:
        for i in range(lane, size.nv, lanes()):
            frc.qfrc_fluid[w, i] = 0.0
    else:
        for b in range(lane, size.nbody, lanes()):
            scratch.wrench[w, b] = _body_wrench(opt, body, geom, kin, com, vel, w, b)
        sync()
        accumulate_wrench_world(size, tree, scratch.wrench, w, lane)
        for i in range(lane, size.nv, lanes()):
            frc.qfrc_fluid[w, i] = wrench_on_dof(dof, com, scratch.wrench, w, i)
    sync()


@wp.kernel
def _fluid(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, kin: Kinematics, com: Com, vel: Velocity,
    frc: Force, scratch: Scratch,
):  # fmt: skip
    w, lane = wp.tid()
    fluid_world(size, opt, tree, body, dof, geom, kin, com, vel, frc, scratch, w, lane)


def fluid(m: Any, d: Any) -> None:
    """Forces of the medium.

    Reads   m.opt (density, viscosity, wind), m.body, m.geom, m.dof, m.tree; d.kin, d.com, d.vel.cvel (after com_vel)
    Writes  d.frc.qfrc_fluid [N, N m]; d.scratch.wrench
    MuJoCo  the fluid part of mj_passive.
    """
    inputs = [m.size, m.opt, m.tree, m.body, m.dof, m.geom, d.kin, d.com, d.vel, d.frc, d.scratch]
    launch(_fluid, d, inputs)
