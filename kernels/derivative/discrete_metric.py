"""What the metric of integrator discrete adds to the linearized dynamics.

Its residual has B = M + h D + h^2 K in the place of M, and springs take h K v more. D and K are constant here; ``metric_changes.py`` and ``metric_bends.py`` add how they
change. (Rows: ``response.py``, ``row_scales.py``.)
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.derivative.algebra import real, vec8d
from newtonish.kernels.derivative.firmness import DAMPER, SPRING, firmness_of_actuator, firmness_of_tendon
from newtonish.kernels.derivative.lu import lu_factor_world
from newtonish.kernels.derivative.row_scales import bond_scales_world, contact_scales_world, scalar_scales_world
from newtonish.kernels.derivative.solves import copy_matrix
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.integrate.discrete.slopes import joint_stiffness
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Contact, Drive, Efc, Force, Kinematics, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, Joint, Option, Site, Size, Tendon, Tree


@wp.func
def _joints(size: Size, opt: Option, jnt: Joint, dof: Dof, state: State, linear: Linear, h: wp.float64, w: int, lane: int):
    """Springs and dampers of joints, on the diagonals of H and Gv."""
    for i in range(lane, size.nv, lanes()):
        j = dof.jntid[i]
        turning = jnt.type[j] == JointType.BALL or (jnt.type[j] == JointType.FREE and i >= jnt.dofadr[j] + 3)
        spring = real(0.0)
        damper = real(0.0)
        if (opt.disableflags & DisableBit.SPRING) == 0:
            both = joint_stiffness(jnt, state, w, j)
            spring = real(wp.where(turning, both[1], both[0]))
        if (opt.disableflags & DisableBit.DAMPER) == 0:
            damper = wp.max(real(0.0), real(damping_slope(dof, state, w, i)))
        linear.H[w, i, i] = linear.H[w, i, i] + h * damper + h * h * spring
        linear.Gv[w, i, i] = linear.Gv[w, i, i] + h * spring


@wp.func
def _add_square(
    linear: Linear, colind: wp.array(dtype=int), values: wp.array2d(dtype=float), damper: wp.float64, spring: wp.float64, h: wp.float64,
    first: int, last: int, w: int,
):  # fmt: skip
    """A spring and damper along a row: h damper + h^2 spring in H, h spring in Gv."""
    for n in range(first, last):
        for k in range(first, last):
            i = colind[n]
            j = colind[k]
            product = real(values[w, n]) * real(values[w, k])
            linear.H[w, i, j] = linear.H[w, i, j] + h * (damper + h * spring) * product
            linear.Gv[w, i, j] = linear.Gv[w, i, j] + h * spring * product


@wp.func
def _tendons_and_actuators(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive, ten: TendonState,
    efm: Metric, linear: Linear, zero_controls: bool, h: wp.float64, w: int,
):  # fmt: skip
    """Springs and dampers of tendons and actuators that the metric has; one lane calls it."""
    for t in range(size.ntendon):
        firm = vec8d()
        if efm.ts[w, t] != 0.0:
            firm = firmness_of_tendon(opt, tendon, ten, w, t)
            first = tendon.J_rowadr[t]
            _add_square(linear, tendon.J_colind, ten.J, firm[DAMPER], firm[SPRING], h, first, first + tendon.J_rownnz[t], w)
        linear.ten_firm[w, t] = firm
    for a in range(size.nactuator):
        firm = vec8d()
        if efm.act[w, a] != 0.0:
            firm = firmness_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
            for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                first = drive.moment_rowadr[w, o]
                last = first + drive.moment_rownnz[w, o]
                _add_square(linear, drive.moment_colind[w], drive.actuator_moment, firm[DAMPER], firm[SPRING], h, first, last, w)
        linear.act_firm[w, a] = firm


@wp.kernel
def _discrete_metric(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, actuator: Actuator, tendon: Tendon,
    eq: Equality, state: State, kin: Kinematics, com: Com, frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc, efm: Metric,
    status: Status, linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        h = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for i in range(linear.stiffer.shape[1]):  # what changes of the metric are summed in
            for line in range(lane, linear.stiffer.shape[2], lanes()):
                linear.stiffer[w, i, line] = real(0.0)
            for k in range(lane, linear.heavier.shape[1], lanes()):
                linear.heavier[w, i, k] = real(0.0)
        for i in range(linear.rescaled.shape[1]):
            for line in range(lane, linear.rescaled.shape[2], lanes()):
                linear.rescaled[w, i, line] = real(0.0)
        sync()
        _joints(size, opt, jnt, dof, state, linear, h, w, lane)
        sync()
        if lane == 0:
            _tendons_and_actuators(size, opt, jnt, actuator, tendon, state, frc, drive, ten, efm, linear, zero_controls, h, w)
        sync()
        for i in range(linear.Kv.shape[1]):  # bodies apart
            for k in range(lane, size.nv, lanes()):
                linear.H[w, i, k] = linear.H[w, i, k] + linear.K[w, i, k]
                linear.Gq[w, i, k] = linear.Gq[w, i, k] + linear.Kq[w, i, k]
                linear.Gv[w, i, k] = linear.Gv[w, i, k] + linear.Kv[w, i, k]
        if linear.Kv.shape[1] > 0:  # the acceleration is the whole step's: K acc = M a with K = M
            sync()
            copy_matrix(linear.K, linear.M, size.nv, w)
            lu_factor_world(linear.K, size.nv, w)
        scalar_scales_world(size, opt, jnt, dof, tendon, eq, state, com, ten, contact, efc, efm, status, linear, motion, w, lane)
        bond_scales_world(size, opt, tree, body, jnt, dof, site, eq, kin, com, contact, efc, efm, status, linear, motion, w, lane)
        contact_scales_world(size, opt, tree, body, jnt, dof, geom, com, contact, efc, efm, status, linear, motion, w, lane)


through_worlds(_discrete_metric)


def discrete_metric(m: Any, d: Any, jnt: Joint, tendon: Tendon, state: State, work: Workspace) -> None:
    """Add the metric of integrator discrete to H, Gq and Gv, before H has its factor.

    Reads   m; ``jnt`` and ``tendon`` (with springs as they are), ``state`` (with the controls that act), d.kin, d.com, d.frc, d.drive, d.ten, d.contact, d.efc, d.efm, work.linear.M, work.motion.inertia
    Writes  work.linear: H, Gq, Gv, ten_firm, act_firm, one, another, bar_q, bar_v; zero in stiffer and heavier
    MuJoCo  no equivalent.
    """
    groups = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.site, m.actuator, tendon, m.eq, state, d.kin, d.com, d.frc, d.drive]
    launch(_discrete_metric, d, [*groups, d.ten, d.contact, d.efc, d.efm, d.status, work.linear, work.motion])
