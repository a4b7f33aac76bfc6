"""The adjoint of sensors: what they owe to the state and the inputs of a step, in one more solve with the Hessian's factor."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import SensorType
from newtonish.kernels.derivative.algebra import at_point, real, top, vec6d, wide, wide6, wide_matrix
from newtonish.kernels.derivative.forces import work_of_output
from newtonish.kernels.derivative.integrator import solve_hessian_transposed
from newtonish.kernels.derivative.sensor_bodies import end_of_subtree
from newtonish.kernels.derivative.sensor_frames import arm_of
from newtonish.kernels.derivative.sensor_stage import finish_sensors, is_bounded, linearize_sensors
from newtonish.kernels.derivative.solves import add_transposed
from newtonish.kernels.derivative.workspace import Linear, Sensed, Workspace
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Efc, Kinematics, Sense, Status
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Sensor, Site, Size, Tree


@wp.func
def _force_on_body(body: Body, site: Site, sensor: Sensor, size: Size, kin: Kinematics, com: Com, sensed: Sensed, w: int, b: int) -> vec6d:
    """Adjoint of a force and torque on body ``b`` that sensors of the forces between bodies measure, force first."""
    found = vec6d()
    for s in range(size.nsensor):
        kind = sensor.type[s]
        if kind == SensorType.FORCE or kind == SensorType.TORQUE:
            i = sensor.objid[s]
            carrier = site.bodyid[i]
            if b >= carrier and b < end_of_subtree(size, body, carrier):
                row = sensor.adr[s]
                seen = wp.vec3d(real(sensed.bar[w, row]), real(sensed.bar[w, row + 1]), real(sensed.bar[w, row + 2]))
                seen = wide_matrix(kin.site_xmat[w, i]) * seen
                if kind == SensorType.FORCE:
                    found -= vec6d(seen[0], seen[1], seen[2], real(0.0), real(0.0), real(0.0))
                else:
                    push = wp.cross(seen, wide(kin.site_xpos[w, i]) - wide(kin.xipos[w, b]))
                    found += vec6d(push[0], push[1], push[2], -seen[0], -seen[1], -seen[2])
    return found


@wp.kernel
def _adjoint(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, site: Site, actuator: Actuator, sensor: Sensor, kin: Kinematics, com: Com, drive: Drive,
    efc: Efc, status: Status, sense: Sense, linear: Linear, sensed: Sensed, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        nv = size.nv
        finish_sensors(size, jnt, actuator, sensor, drive, efc, status, sense, linear, sensed, w, lane)
        for s in range(lane, size.nsensor, lanes()):
            for i in range(sensor.dim[s]):
                if is_bounded(sensor, sense, w, s, sensor.adr[s] + i):
                    sensed.bar[w, sensor.adr[s] + i] = 0.0
        sync()
        for k in range(lane, nv, lanes()):
            by_q = real(0.0)
            by_v = real(0.0)
            by_a = real(0.0)
            for row in range(size.nsensordata):
                given = real(sensed.bar[w, row])
                by_q += sensed.by_q[w, row, k] * given
                by_v += sensed.by_v[w, row, k] * given
                by_a += sensed.by_a[w, row, k] * given
            linear.bar_q[w, k, 0] = by_q
            linear.bar_v[w, k, 0] = by_v
            linear.another[w, k, 0] = by_a
        sync()
        if lane == 0:
            solve_hessian_transposed(opt, linear, linear.another, nv, w)
        sync()
        add_transposed(linear.Gq, linear.another, linear.bar_q, real(-1.0), nv, w)
        add_transposed(linear.Gv, linear.another, linear.bar_v, real(-1.0), nv, w)
        sync()
        for k in range(lane, nv, lanes()):
            linear.state_bar[w, k] = linear.state_bar[w, k] + float(linear.bar_q[w, k, 0])
            linear.state_bar[w, nv + k] = linear.state_bar[w, nv + k] + float(linear.bar_v[w, k, 0])
            linear.qfrc_bar[w, k] = linear.qfrc_bar[w, k] + float(linear.another[w, k, 0])
        for a in range(lane, size.nactuator, lanes()):
            _actuator_adjoint(size, actuator, drive, linear, sensed, w, a)
        if linear.Gu.shape[1] > 0:
            sync()
            for line in range(lane, size.na + size.nu, lanes()):
                _input_adjoint(size, linear, w, line)
        for b in range(lane, size.nbody, lanes()):
            moved = _force_on_body(body, site, sensor, size, kin, com, sensed, w, b)
            turning = vec6d()
            for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
                j = tree.chain_dofid[at]
                turning += wide6(com.cdof[w, j]) * linear.another[w, j, 0]
            push = at_point(turning, arm_of(body, com, wide(kin.xipos[w, b]), w, b))
            turn = top(turning)
            by = wp.spatial_vector(
                float(moved[0] + push[0]), float(moved[1] + push[1]), float(moved[2] + push[2]),
                float(moved[3] + turn[0]), float(moved[4] + turn[1]), float(moved[5] + turn[2]),
            )  # fmt: skip
            linear.xfrc_bar[w, b] = linear.xfrc_bar[w, b] + by
        sync()


through_worlds(_adjoint)


@wp.func
def _actuator_adjoint(size: Size, actuator: Actuator, drive: Drive, linear: Linear, sensed: Sensed, w: int, a: int):
    """Add what sensors owe to the activation and the control of actuator ``a``."""
    o = actuator.outadr[a]
    work = work_of_output(drive, linear, w, o)
    if actuator.actadr[a] >= 0:
        k = actuator.actadr[a] + actuator.actnum[a] - 1
        by_act = linear.force_act[w, a] * work
        for row in range(size.nsensordata):
            by_act += sensed.by_act[w, row, k] * real(sensed.bar[w, row])
        linear.state_bar[w, 2 * size.nv + k] = linear.state_bar[w, 2 * size.nv + k] + float(by_act)
    if actuator.ctrlnum[a] > 0:
        k = actuator.ctrladr[a]
        by_ctrl = linear.force_ctrl[w, a] * work
        for row in range(size.nsensordata):
            by_ctrl += sensed.by_ctrl[w, row, k] * real(sensed.bar[w, row])
        linear.ctrl_bar[w, k] = linear.ctrl_bar[w, k] + float(by_ctrl)


@wp.func
def _input_adjoint(size: Size, linear: Linear, w: int, line: int):
    """Add what sensors owe to activation or control ``line`` through the accelerations, but for a force of one input."""
    total = real(0.0)
    for i in range(size.nv):
        total += linear.Gu[w, i, line] * linear.another[w, i, 0]
    if line < size.na:
        linear.state_bar[w, 2 * size.nv + line] = linear.state_bar[w, 2 * size.nv + line] + float(total)
    else:
        linear.ctrl_bar[w, line - size.na] = linear.ctrl_bar[w, line - size.na] + float(total)


def sensor_adjoint(m: Any, d: Any, work: Workspace) -> None:
    """Add what sensors owe to the state and the inputs, after the step's adjoint and ``linearize``.

    Reads   m; d, as ``forward`` left it, work (work.sensed.bar among it)
    Writes  work.sensed, work.linear.state_bar, ctrl_bar, qfrc_bar, xfrc_bar, another
    MuJoCo  no equivalent.
    """
    linearize_sensors(m, d, work)
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.site, m.actuator, m.sensor, d.kin, d.com, d.drive, d.efc, d.status, d.sense]
    launch(_adjoint, d, [*groups, work.linear, work.sensed])
