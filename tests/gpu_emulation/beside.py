"""What is launched beside steps: functions of (m, d) that launch plainly; arrays that they return are compared along with those of d."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.common.enums import IntegratorType, State
from newtonish.kernels.forces.actuation import actuator_velocity
from newtonish.kernels.forward import step
from newtonish.kernels.sleep.fall import sleep_initially
from newtonish.mjw.flights import FlightRecorder
from newtonish.mjw.guard import Guard

STAGES = (
    "kinematics", "com_pos", "camlight", "tendon", "crb", "factor_m", "collision", "make_constraint", "transmission", "com_vel", "passive", "rne",
    "fwd_actuation", "fwd_acceleration", "solve", "noslip", "rne_postconstraint", "subtree_vel", "sensor_pos", "sensor_vel", "sensor_acc", "energy_pos",
    "energy_vel", "euler",
)  # fmt: skip


def no_change(m: Any, d: Any) -> None:
    """A function of the user's."""


def stages(m: Any, d: Any) -> list[wp.array]:
    """A step by the functions of its stages."""
    for name in STAGES:
        getattr(mjw, name)(m, d)
    products = [wp.zeros((d.nworld, m.nv), dtype=float, device=d.device) for _ in range(3)]
    mjw.mul_m(m, d, products[0], d.qvel)
    mjw.solve_m(m, d, products[1], d.qfrc_smooth)
    mjw.xfrc_accumulate(m, d, products[2])
    skipped = wp.array(np.arange(d.nworld) == 1, dtype=bool, device=d.device)
    products.append(wp.zeros_like(products[0]))
    mjw.mul_m(m, d, products[3], d.qvel, skipped)
    return products


def solvers(m: Any, d: Any) -> None:
    """Rows, islands, and each solver by itself."""
    mjw.fwd_position(m, d)
    mjw.fwd_velocity(m, d)
    mjw.fwd_actuation(m, d)
    mjw.fwd_acceleration(m, d)
    if d.sparse:
        mjw.island(m, d)
    for solve in (mjw.solve, mjw.solve_cg, mjw.solve_pgs):
        solve(m, d)
    mjw.noslip(m, d)


def implicitly(m: Any, d: Any) -> None:
    """A medium's forces, and the stage of the integrator implicitfast."""
    mjw.passive(m, d)
    mjw.fluid(m, d)
    mjw.implicit(m, d)


def reset(m: Any, d: Any) -> None:
    """Reset of one of the worlds."""
    mjw.reset_data(m, d, wp.array(np.arange(d.nworld) == 1, dtype=bool, device=d.device))


def _too_much(m: Any, d: Any) -> np.ndarray:
    """Applied forces of which the second world has more than a step bears, and finite, so that results can be compared."""
    found = np.zeros((d.nworld, m.nv), np.float32)
    found[1, 0] = 1e12
    return found


def spoilt(m: Any, d: Any) -> None:
    """A step in which the second world goes wrong and is reset."""
    d.state.qfrc_applied.assign(_too_much(m, d))
    step(m, d)


def guarded(m: Any, d: Any) -> list[wp.array]:
    """Steps in which the second world goes wrong: it stops, then its reset is signalled; both are recorded, and it is reset on request."""
    found = []
    spoilt = _too_much(m, d)
    for stops in (True, False):
        d.guard, d.recorder = Guard(m, d, stops), FlightRecorder(m, d, 2, None)
        for force in (np.zeros_like(spoilt), spoilt, spoilt):
            d.state.qfrc_applied.assign(force)  # by its group: reading it by name would raise
            step(m, d)
        kept, counts = d.guard.of(0, d.nworld)
        ring, stats, marks = d.recorder.of(0, d.nworld)
        told = wp.array(np.delete(stats.numpy(), 2, axis=2), dtype=int)  # iterations of the solver may differ by rounding
        found += [ring, told, marks, counts, wp.clone(d.guard.signal), *([kept.qpos, kept.qvel, kept.act] if stops else [])]
        d.guard = None
        reset(m, d)
    return found


def begin_asleep(m: Any, d: Any) -> None:
    """Trees that begin asleep do so, and one of the worlds starts over."""
    sleep_initially(m, d)
    reset(m, d)


def jacobians(m: Any, d: Any) -> list[wp.array]:
    """Of points, bodies and centres of mass, and how they change."""
    found = [wp.zeros((d.nworld, 3, m.nv), dtype=float, device=d.device) for _ in range(7)]
    point = wp.array(np.linspace(0.0, 1.0, 3 * d.nworld).reshape(-1, 3), dtype=wp.vec3, device=d.device)
    body = m.nbody - 1
    mjw.jac(m, d, found[0], found[1], point, body)
    mjw.jac_geom(m, d, found[2], found[3], m.ngeom - 1)
    mjw.jac_subtree_com(m, d, found[4], 1)
    mjw.jac_dot(m, d, found[5], found[6], point, body)
    return found


def rays(m: Any, d: Any) -> list[wp.array]:
    """Many rays through each world, from all around."""
    turns = np.linspace(0.0, 6.0, 40)
    start = np.stack([np.cos(turns), np.sin(turns), np.full(40, 0.4)], axis=1)
    pnt, vec = (wp.array(values[None], dtype=wp.vec3, device=d.device) for values in (start, np.array([0.0, 0.0, 0.1]) - start))
    dist, geomid, normal = (wp.zeros((d.nworld, 40), dtype=kind, device=d.device) for kind in (float, int, wp.vec3))
    mjw.rays(m, d, pnt, vec, [-1] * 6, True, wp.full(40, -1, dtype=int, device=d.device), dist, geomid, normal)
    return [dist, geomid, normal]


def pictures(m: Any, d: Any) -> list[wp.array]:
    """Depths, segmentation and colours of every camera, and one camera's of each of them by itself."""
    kinds = {"render_rgb": True, "render_depth": True, "render_seg": True}
    context = mjw.create_render_context(m, d.nworld, background_color=(0.1, 0.3, 0.0, 1.0), device=d.device, **kinds)
    mjw.render(m, d, context)
    width, height = context.cam_res[1]
    depth, seg, rgb = (wp.zeros((d.nworld, height, width), dtype=kind, device=d.device) for kind in (float, wp.vec2i, wp.vec3))
    mjw.get_depth(context, 1, 5.0, depth)
    mjw.get_segmentation(context, 1, seg)
    mjw.get_rgb(context, 1, rgb)
    return [context.depth_data, context.seg_data, context.rgb_data, depth, seg, rgb]


def states(m: Any, d: Any) -> list[wp.array]:
    """A state as a row, a part of it, and the row put back into one world."""
    size, part = mjw.state_size(m, State.INTEGRATION), mjw.state_size(m, State.PHYSICS)
    row, some = (wp.zeros((d.nworld, length), dtype=float, device=d.device) for length in (size, part))
    mjw.get_state(m, d, row, State.INTEGRATION)
    mjw.extract_state(m, d, row, State.INTEGRATION, some, State.PHYSICS)
    d.qpos.zero_()
    mjw.set_state(m, d, row, State.INTEGRATION, wp.array(np.arange(d.nworld) == 1, dtype=bool, device=d.device))
    return [row, some]


def rollout(m: Any, d: Any, steps: int = 2) -> list[wp.array]:
    """Steps under rows of all that a user sets, from the second world's state, with states and sensors on the way."""
    user, full = int(State.USER), int(State.FULLPHYSICS)
    given = {State.MOCAP_QUAT, State.EQ_ACTIVE}
    sizes = {part: mjw.state_size(m, part) for part in State if part & user and part.bit_count() == 1}
    row = np.concatenate([np.full(size, 1.0 if part in given else 0.1) for part, size in sorted(sizes.items())] or [np.zeros(0)])
    controls = wp.array(row * np.linspace(0.5, 1.0, steps * d.nworld).reshape(steps, d.nworld, 1), dtype=float, device=d.device)
    start = wp.zeros((d.nworld, mjw.state_size(m, full)), dtype=float, device=d.device)
    mjw.get_state(m, d, start, full)
    states, sensors = (wp.zeros((steps, d.nworld, width), dtype=float, device=d.device) for width in (mjw.state_size(m, user | full), m.size.nsensordata))
    mjw.rollout(m, d, controls, control_spec=user, initial_state=start[1:2], states=states, state_spec=user | full, sensordata=sensors)
    return [states, sensors]


def rollout_once(m: Any, d: Any) -> list[wp.array]:
    """The same of one step."""
    return rollout(m, d, steps=1)


def hist(m: Any, d: Any) -> list[wp.array]:
    """Buffers of delayed controls and sensors, filled and read."""
    time = wp.full(d.nworld, 0.011, dtype=float, device=d.device)
    delayed = [int(np.flatnonzero(history.numpy()[0, :, 0])[0]) for history in (m.actuator_history, m.sensor_history)]
    control, sensed = (
        wp.zeros(d.nworld, dtype=float, device=d.device),
        wp.zeros((d.nworld, int(m.sensor_dim.numpy()[delayed[1]])), dtype=float, device=d.device),
    )
    samples = int(m.actuator_history.numpy()[0, delayed[0], 0])
    mjw.init_ctrl_history(m, d, delayed[0], np.linspace(-0.02, 0.0, samples), np.linspace(1.0, 2.0, d.nworld * samples).reshape(d.nworld, samples))
    mjw.read_ctrl(m, d, delayed[0], time, 1, control)
    mjw.read_sensor(m, d, delayed[1], time, 1, sensed)
    return [control, sensed]


def transition(m: Any, d: Any) -> list[wp.array]:
    """Derivatives of a step by differences."""
    nx, nu, ns = 2 * m.nv + m.size.na, m.nu, m.size.nsensordata
    found = [wp.zeros((d.nworld, rows, columns), dtype=float, device=d.device) for rows, columns in ((nx, nx), (nx, nu), (ns, nx), (ns, nu))]
    mjw.transition_fd(m, d, 1e-2, True, *found)
    return found


def gradients(m: Any, d: Any) -> list[wp.array]:
    """Analytic derivatives of a step, and its adjoint."""
    nx, nu = 2 * m.nv + m.size.na, m.nu
    A, B, state, ctrl, force = (wp.zeros((d.nworld, *shape), dtype=float, device=d.device) for shape in ((nx, nx), (nx, nu), (nx,), (nu,), (m.nv,)))
    wrench = wp.zeros((d.nworld, m.nbody), dtype=wp.spatial_vector, device=d.device)
    mjw.transition(m, d, A, B)
    given = np.sin(np.arange(d.nworld * nx, dtype=np.float32)).reshape(d.nworld, nx)
    mjw.step_vjp(m, d, wp.array(given, device=d.device), state, ctrl, force, wrench)
    return [A, B, state, ctrl, force, wrench]


def kinks(m: Any, d: Any) -> list[wp.array]:
    """Analytic derivatives of a step, and why it has none."""
    nx = 2 * m.nv + m.size.na
    A, found = wp.zeros((d.nworld, nx, nx), dtype=float, device=d.device), wp.zeros(d.nworld, dtype=wp.int32, device=d.device)
    mjw.transition(m, d, A, kinks=found)
    return [A, found]


def field_gradients(m: Any, d: Any) -> list[wp.array]:
    """Gradients by fields of the model."""
    names = ("body_mass", "body_inertia", "dof_armature", "dof_damping", "actuator_gainprm")
    if m.size.nfluid == 0 and m.opt.integrator != IntegratorType.DISCRETE:  # which have none by frames and by what rows are made of
        names += ("body_iquat", "geom_friction", "geom_pos", "eq_data")
        if m.opt.integrator != IntegratorType.IMPLICIT:  # which has none by frames
            names += ("body_pos", "body_quat")
    fields = {name: wp.zeros((d.nworld, *getattr(m, name).shape[1:]), dtype=getattr(m, name).dtype, device=d.device) for name in names}
    fields = {name: array for name, array in fields.items() if array.size}
    nx = 2 * m.nv + m.size.na
    given = np.sin(np.arange(d.nworld * nx, dtype=np.float32)).reshape(d.nworld, nx)
    mjw.step_vjp(m, d, wp.array(given, device=d.device), fields=fields)
    return list(fields.values())


def sensor_gradients(m: Any, d: Any) -> list[wp.array]:
    """Derivatives of sensors, and their adjoint."""
    nx, nu, ns = 2 * m.nv + m.size.na, m.nu, m.size.nsensordata
    C, D, state, ctrl, nothing = (wp.zeros((d.nworld, *shape), dtype=float, device=d.device) for shape in ((ns, nx), (ns, nu), (nx,), (nu,), (nx,)))
    wrench = wp.zeros((d.nworld, m.nbody), dtype=wp.spatial_vector, device=d.device)
    mjw.transition(m, d, C=C, D=D)
    given = np.sin(np.arange(d.nworld * ns, dtype=np.float32)).reshape(d.nworld, ns)
    mjw.step_vjp(m, d, nothing, state, ctrl, None, wrench, sensor_bar=wp.array(given, device=d.device))
    return [C, D, state, ctrl, wrench]


def trajectory(m: Any, d: Any) -> list[wp.array]:
    """Some steps under forces, and the adjoint back through them, with kinks and, if there are any, sensors."""
    nx, ns, way = 2 * m.nv + m.size.na, m.size.nsensordata, mjw.Trajectory(m, d, 3, 2)
    force = wp.array(np.sin(np.arange(d.nworld * 3 * m.nv, dtype=np.float32)).reshape(3, d.nworld, m.nv), device=d.device)
    state, ctrl, qfrc = (wp.zeros(shape, dtype=float, device=d.device) for shape in ((d.nworld, nx), (3, d.nworld, m.nu), (3, d.nworld, m.nv)))
    wrench = wp.zeros((3, d.nworld, m.nbody), dtype=wp.spatial_vector, device=d.device)
    kinks = wp.zeros((3, d.nworld), dtype=wp.int32, device=d.device)
    way.rollout(None, force, wrench)
    given = np.cos(np.arange(d.nworld * 3 * nx, dtype=np.float32)).reshape(3, d.nworld, nx)
    next_bar, back = wp.array(given, device=d.device), wp.zeros((d.nworld, m.nq), dtype=float, device=d.device)
    mjw.to_tangent(m, way.qpos, wp.clone(way.qpos), next_bar)
    sensed = np.sin(np.arange(d.nworld * 3 * ns, dtype=np.float32)).reshape(3, d.nworld, ns)
    way.vjp(next_bar, state, ctrl, qfrc, wrench, sensor_bar=wp.array(sensed, device=d.device) if ns else None, kinks=kinks)
    mjw.from_tangent(m, d.qpos, state, back)
    return [way.qpos, way.qvel, way.act, way.sensordata, next_bar, state, ctrl, qfrc, wrench, kinks, back]


def inverse_differences(m: Any, d: Any) -> list[wp.array]:
    """Derivatives of inverse dynamics by differences."""
    found = [wp.zeros((d.nworld, m.nv, m.nv), dtype=float, device=d.device) for _ in range(3)]
    mjw.inverse_fd(m, d, 1e-2, True, *found)
    return found


def noise(m: Any, d: Any) -> None:
    """Noise on the sensors."""
    m.sensor_noise.fill_(0.1)
    mjw.add_sensor_noise(m, d, 3)


def contact_forces(m: Any, d: Any) -> list[wp.array]:
    """Of every contact slot."""
    count = d.nworld * d.nconmax
    force = wp.zeros(count, dtype=wp.spatial_vector, device=d.device)
    mjw.contact_force(m, d, wp.array(np.arange(count), dtype=int, device=d.device), True, force)
    return [force]


def velocity(m: Any, d: Any) -> None:
    """What depends on positions and velocities alone, by themselves."""
    mjw.fwd_position(m, d)
    mjw.fwd_velocity(m, d)
    actuator_velocity(m, d)


def course(m: Any, d: Any) -> list[wp.array]:
    """Cost, and slope of the cost, by iterations of the solver."""
    found = mjw.solver_course(m, d)
    return [wp.array(np.asarray(values), device="cpu") for values in vars(found).values() if isinstance(values, np.ndarray)]
