"""Derivatives of sensors by the state and the controls of a step.

A sensor has derivatives by position, velocity and acceleration of each dof, by activations and by controls, each with the others held. The
acceleration is the solver's, da = -H^-1 dr: so C and D are solves with the same factor, and their adjoint (``sensor_adjoint.py``) one more right side.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DataType, SensorType
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.integrator import solve_hessian
from newtonish.kernels.derivative.metric_bends import rescaling
from newtonish.kernels.derivative.sensor_bodies import body_sensor_change
from newtonish.kernels.derivative.sensor_frames import BY_POSITION, BY_VELOCITY, frame_sensor_change, is_frame_sensor
from newtonish.kernels.derivative.sensor_rows import force_share, row_sensor_change
from newtonish.kernels.derivative.transition import UNKNOWN, right_sides_world
from newtonish.kernels.derivative.workspace import SENSED, Linear, LinearMotion, Sensed, Workspace
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.sensor.position import limit_row
from newtonish.kernels.structs.data import Com, Contact, Drive, Efc, Force, Kinematics, Sense, Solve, State, Status, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, Joint, Option, Sensor, Site, Size, Tendon, Tree
from newtonish.kernels.structs.optics import Camera, CamLight


@wp.func
def is_bounded(sensor: Sensor, sense: Sense, w: int, s: int, row: int) -> bool:
    """Whether the cutoff holds a number where it is."""
    cutoff = sensor.cutoff[per_world(sensor.cutoff.shape[0], w), s]
    x = sense.sensordata[w, row]
    datatype = sensor.datatype[s]
    held = wp.bool(False)
    if cutoff > 0.0:
        held = (datatype == DataType.REAL and wp.abs(x) >= cutoff) or (datatype == DataType.POSITIVE and x >= cutoff)
    return held


@wp.kernel
def _on_frames(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, cam: Camera, actuator: Actuator, tendon: Tendon,
    eq: Equality, sensor: Sensor, state: State, kin: Kinematics, eyes: CamLight, com: Com, drive: Drive, ten: TendonState, efc: Efc, sol: Solve,
    status: Status, linear: Linear, motion: LinearMotion, sensed: Sensed, nworld: int,
):  # fmt: skip
    """Sensors of frames, joints, tendons, actuators and limits."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for s in range(size.nsensor):
            kind = sensor.type[s]
            for k in range(lane, size.nv, lanes()):
                modes = wp.int32(3)
                for mode in range(modes):
                    change = wp.vec4d()
                    if is_frame_sensor(kind):
                        change = frame_sensor_change(opt, tree, body, dof, geom, site, cam, sensor, kin, eyes, com, motion, w, s, k, mode)
                    else:
                        change = row_sensor_change(
                            size, opt, jnt, dof, actuator, tendon, eq, sensor, state, drive, ten, efc, sol, status, linear, w, s, k, mode
                        )
                    for i in range(sensor.dim[s]):
                        row = sensor.adr[s] + i
                        if mode == BY_POSITION:
                            sensed.by_q[w, row, k] = change[i]
                        elif mode == BY_VELOCITY:
                            sensed.by_v[w, row, k] = change[i]
                        else:
                            sensed.by_a[w, row, k] = change[i]


through_worlds(_on_frames)


@wp.func
def _is_of_bodies(kind: int) -> bool:
    """Whether ``body_sensor_change`` knows a type."""
    one = kind == SensorType.TOUCH or kind == SensorType.FORCE or kind == SensorType.TORQUE or kind == SensorType.E_POTENTIAL or kind == SensorType.E_KINETIC
    return one or kind == SensorType.SUBTREECOM or kind == SensorType.SUBTREELINVEL or kind == SensorType.SUBTREEANGMOM


@wp.kernel
def _on_bodies(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, site: Site, sensor: Sensor, state: State, kin: Kinematics,
    com: Com, frc: Force, contact: Contact, efc: Efc, status: Status, sense: Sense, linear: Linear, motion: LinearMotion, sensed: Sensed, nworld: int,
):  # fmt: skip
    """Sensors of many bodies, after the others."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for s in range(size.nsensor):
            if _is_of_bodies(sensor.type[s]):
                for k in range(lane, size.nv, lanes()):
                    modes = wp.int32(3)
                    for mode in range(modes):
                        change = body_sensor_change(
                            size, opt, tree, body, dof, geom, site, sensor, state, kin, com, frc, contact, efc, status, sense, linear, motion,
                            w, s, k, mode,
                        )  # fmt: skip
                        for i in range(sensor.dim[s]):
                            row = sensor.adr[s] + i
                            if mode == BY_POSITION:
                                sensed.by_q[w, row, k] = change[i]
                            elif mode == BY_VELOCITY:
                                sensed.by_v[w, row, k] = change[i]
                            else:
                                sensed.by_a[w, row, k] = change[i]


through_worlds(_on_bodies)


@wp.func
def _inputs_of_forces(
    size: Size, jnt: Joint, actuator: Actuator, sensor: Sensor, drive: Drive, efc: Efc, status: Status, linear: Linear, sensed: Sensed, w: int, s: int,
):  # fmt: skip
    """What activations and controls do to a sensor of actuator forces, to one of a limit's force by its weight, or nothing."""
    for i in range(sensor.dim[s]):
        row = sensor.adr[s] + i
        for k in range(size.na):
            sensed.by_act[w, row, k] = real(0.0)
        for k in range(size.nu):
            sensed.by_ctrl[w, row, k] = real(0.0)
    kind = sensor.type[s]
    if kind == SensorType.ACTUATORFRC or kind == SensorType.JOINTACTFRC or kind == SensorType.TENDONACTFRC:
        row = sensor.adr[s]
        for a in range(size.nactuator):
            share = force_share(jnt, actuator, sensor, drive, linear, w, s, a)
            if actuator.actadr[a] >= 0:
                k = actuator.actadr[a] + actuator.actnum[a] - 1
                sensed.by_act[w, row, k] = sensed.by_act[w, row, k] + share * linear.force_act[w, a]
            if actuator.ctrlnum[a] > 0:
                k = actuator.ctrladr[a]
                sensed.by_ctrl[w, row, k] = sensed.by_ctrl[w, row, k] + share * linear.force_ctrl[w, a]
    elif kind == SensorType.JOINTLIMITFRC or kind == SensorType.TENDONLIMITFRC:
        r = limit_row(efc, status, w, sensor.objtype[s], sensor.objid[s])
        if r >= 0:
            row = sensor.adr[s]
            force = real(efc.force[w, r])
            for k in range(size.na):
                sensed.by_act[w, row, k] = force * rescaling(size, efc, linear, w, r, 2 * size.nv + k)
            for k in range(size.nu):
                sensed.by_ctrl[w, row, k] = force * rescaling(size, efc, linear, w, r, 2 * size.nv + size.na + k)


@wp.func
def finish_sensors(
    size: Size, jnt: Joint, actuator: Actuator, sensor: Sensor, drive: Drive, efc: Efc, status: Status, sense: Sense, linear: Linear, sensed: Sensed,
    w: int, lane: int,
):  # fmt: skip
    """Add activations and controls, and clear what a cutoff holds; ends with a barrier."""
    sync()
    for s in range(lane, size.nsensor, lanes()):
        _inputs_of_forces(size, jnt, actuator, sensor, drive, efc, status, linear, sensed, w, s)
        for i in range(sensor.dim[s]):
            row = sensor.adr[s] + i
            if is_bounded(sensor, sense, w, s, row):
                for k in range(size.nv):
                    sensed.by_q[w, row, k] = real(0.0)
                    sensed.by_v[w, row, k] = real(0.0)
                    sensed.by_a[w, row, k] = real(0.0)
                for k in range(size.na):
                    sensed.by_act[w, row, k] = real(0.0)
                for k in range(size.nu):
                    sensed.by_ctrl[w, row, k] = real(0.0)
    sync()


@wp.kernel
def _matrices(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, sensor: Sensor, drive: Drive, efc: Efc, status: Status, sense: Sense, linear: Linear,
    sensed: Sensed, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        finish_sensors(size, jnt, actuator, sensor, drive, efc, status, sense, linear, sensed, w, lane)
        nx = 2 * size.nv + size.na
        right_sides_world(size, actuator, drive, linear, w, lane)
        solve_hessian(opt, linear, linear.column, size.nv, w)
        for line in range(lane, nx + size.nu, lanes()):
            for row in range(size.nsensordata):
                total = real(0.0)
                for k in range(size.nv):
                    total += sensed.by_a[w, row, k] * linear.column[w, k, line]
                if line < size.nv:
                    total += sensed.by_q[w, row, line]
                elif line < 2 * size.nv:
                    total += sensed.by_v[w, row, line - size.nv]
                elif line < nx:
                    total += sensed.by_act[w, row, line - 2 * size.nv]
                else:
                    total += sensed.by_ctrl[w, row, line - nx]
                found = float(total)
                if linear.blind[w] != 0:
                    found = UNKNOWN
                if line < nx:
                    sensed.C[w, row, line] = found
                else:
                    sensed.D[w, row, line - nx] = found
        sync()


through_worlds(_matrices)


def make_sensed(m: Any, nworld: int, device: Any) -> Any:
    """Arrays for a model."""
    sizes = {"nsensordata": m.size.nsensordata, "nv": m.size.nv, "na": m.size.na, "nu": m.size.nu, "nx": 2 * m.size.nv + m.size.na}
    sensed = SENSED.struct()
    for f in SENSED.fields:
        setattr(sensed, f.name, wp.zeros((nworld, *(sizes[dim] for dim in f.dims)), dtype=f.dtype, device=device))
    return sensed


def bytes_of_sensed(m: Any, nworld: int) -> int:
    """Memory of those arrays [bytes]."""
    inputs = 2 * m.size.nv + m.size.na + m.size.nu
    return nworld * m.size.nsensordata * (8 * (inputs + m.size.nv) + 4 * (inputs + 1))


def linearize_sensors(m: Any, d: Any, work: Workspace) -> None:
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.site, m.cam, m.actuator, m.tendon, m.eq, m.sensor, d.state, d.kin, d.camlight, d.com]
    launch(_on_frames, d, [*groups, d.drive, d.ten, d.efc, d.sol, d.status, work.linear, work.motion, work.sensed])
    groups = [m.size, m.opt, m.tree, m.body, m.dof, m.geom, m.site, m.sensor, d.state, d.kin, d.com, d.frc, d.contact, d.efc, d.status]
    launch(_on_bodies, d, [*groups, d.sense, work.linear, work.motion, work.sensed])


def sensor_matrices(m: Any, d: Any, work: Workspace) -> None:
    """Derivatives C and D of the sensors, after ``linearize`` of the state that they are of.

    Reads   m; d, as ``forward`` left it, work
    Writes  work.sensed, work.linear.column
    MuJoCo  mjd_transitionFD, by finite differences there.
    """
    linearize_sensors(m, d, work)
    launch(_matrices, d, [m.size, m.opt, m.jnt, m.actuator, m.sensor, d.drive, d.efc, d.status, d.sense, work.linear, work.sensed])
