"""Putting worlds back into the reference pose: on request, and by itself when a state is no longer finite.

MuJoCo: ``mj_resetData``, and the automatic reset of ``mj_checkPos``, ``mj_checkVel`` and ``mj_checkAcc``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.guard.stage import after_reset
from newtonish.kernels.history.stage import forget
from newtonish.kernels.math.world import lanes, per_world, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.runtime.nonfinite import is_bad, origin_of_reset
from newtonish.kernels.runtime.overflow import note_overflow_time
from newtonish.kernels.sleep import stage as sleeping
from newtonish.kernels.structs.data import Diagnostics, Drive, Sense, Solve, State, Status, User
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Size


@wp.func
def reset_state_world(size: Size, body: Body, jnt: Joint, state: State, sol: Solve, w: int, lane: int):
    """State, warm start and results of one world, as after allocation; controls and applied forces are kept. No barrier follows."""
    for i in range(lane, size.nq, lanes()):
        state.qpos[w, i] = jnt.qpos0[per_world(jnt.qpos0.shape[0], w), i]
    for i in range(lane, size.nv, lanes()):
        state.qvel[w, i] = 0.0
        state.qacc_warmstart[w, i] = 0.0
        sol.qacc[w, i] = 0.0
        sol.qfrc_constraint[w, i] = 0.0
    for i in range(lane, size.na, lanes()):
        state.act[w, i] = 0.0
    for i in range(lane, size.neq, lanes()):
        state.eq_active[w, i] = jnt.eq_active0[per_world(jnt.eq_active0.shape[0], w), i] != 0
    for i in range(lane, size.nbody, lanes()):
        mocap = body.mocapid[i]
        if mocap >= 0:
            state.mocap_pos[w, mocap] = body.pos[per_world(body.pos.shape[0], w), i]
            state.mocap_quat[w, mocap] = body.quat[per_world(body.quat.shape[0], w), i]
    if lane == 0:
        state.time[w] = 0.0
        state.time_low[w] = 0.0


@wp.func
def autoreset_world(size: Size, opt: Option, body: Body, jnt: Joint, state: State, sol: Solve, status: Status, w: int, lane: int):
    """Note that a step lacked room; reset a world that met what is not finite, or whose state is not, and count it.

    The last of a kernel: no barrier follows.
    """
    if lane == 0:
        note_overflow_time(opt, state, status, w)
    bad = int(0)
    for i in range(lane, size.nq, lanes()):
        if is_bad(state.qpos[w, i]):
            bad += 1
    for i in range(lane, size.nv, lanes()):
        if is_bad(state.qvel[w, i]) or is_bad(sol.qacc[w, i]):
            bad += 1
    for i in range(lane, size.na, lanes()):
        if is_bad(state.act[w, i]):
            bad += 1
    enabled = (opt.disableflags & DisableBit.AUTORESET) == 0
    if status.nonfinite_met[w] != 0:
        bad += 1
        if not enabled:  # as MuJoCo's acceleration is then
            for i in range(lane, size.nv, lanes()):
                state.qvel[w, i] = wp.nan
                sol.qacc[w, i] = wp.nan
    if sum_lanes_int(bad) > 0 and enabled:
        sync()  # all lanes have read what the first one writes
        if lane == 0:
            status.nonfinite[w] = status.nonfinite[w] + 1
            status.nonfinite_origin[w] = origin_of_reset(size, body, state, sol, status, w)
            status.nonfinite_met[w] = 0
        sync()
        reset_state_world(size, body, jnt, state, sol, w, lane)


@wp.kernel
def _autoreset(size: Size, opt: Option, body: Body, jnt: Joint, state: State, sol: Solve, status: Status):
    w, lane = wp.tid()
    autoreset_world(size, opt, body, jnt, state, sol, status, w, lane)


def autoreset(m: Any, d: Any) -> None:
    """Reset the worlds that are no longer finite and count them in ``d.nonfinite``.

    Reads   m.opt, m.body, m.jnt; d.state, d.sol.qacc, d.status.nonfinite_met
    Writes  d.state, d.sol, d.status.nonfinite and nonfinite_origin of those worlds; d.status.overflow_time
    MuJoCo  mj_checkPos, mj_checkVel, mj_checkAcc.
    """
    launch(_autoreset, d, [m.size, m.opt, m.body, m.jnt, d.state, d.sol, d.status])


@wp.kernel
def _reset(
    size: Size, body: Body, jnt: Joint, actuator: Actuator, state: State, drive: Drive, sol: Solve, status: Status,
    mask: wp.array(dtype=bool),
):  # fmt: skip
    w, lane = wp.tid()
    if mask[w]:
        reset_state_world(size, body, jnt, state, sol, w, lane)
        for i in range(lane, size.na, lanes()):
            drive.act_dot[w, i] = 0.0
        for i in range(lane, size.nu, lanes()):
            state.ctrl[w, i] = actuator.ctrl0[i]
        for i in range(lane, size.nv, lanes()):
            state.qfrc_applied[w, i] = 0.0
        for i in range(lane, size.nbody, lanes()):
            state.xfrc_applied[w, i] = wp.spatial_vector()
        if lane == 0:
            status.ncon[w] = 0
            status.ne[w] = 0
            status.nf[w] = 0
            status.nl[w] = 0
            status.nefc[w] = 0
            status.solver_niter[w] = 0
            status.overflow[w] = 0
            status.overflow_time[w, 0] = -1.0
            status.overflow_time[w, 1] = -1.0
            status.ncon_needed[w] = 0
            status.nefc_needed[w] = 0
            status.nhessian_needed[w] = 0
            status.nonfinite[w] = 0
            status.nonfinite_met[w] = 0
            status.nonfinite_origin[w] = 0


@wp.kernel
def _clear_sensors(sense: Sense, mask: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if mask[w]:
        for i in range(lane, sense.sensordata.shape[1], lanes()):
            sense.sensordata[w, i] = 0.0
        if lane == 0:
            sense.energy[w] = wp.vec2()


@wp.kernel
def _clear_user(user: User, diag: Diagnostics, mask: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if mask[w]:
        for i in range(lane, user.userdata.shape[1], lanes()):
            user.userdata[w, i] = 0.0
        for i in range(lane, diag.warning.shape[1], lanes()):
            diag.warning[w, i] = 0
        if lane == 0:
            diag.solver_fwdinv[w] = wp.vec2()


@wp.kernel
def _no_contacts(status: Status):
    w, lane = wp.tid()
    if lane == 0:
        status.ncon[w] = 0
        status.nonfinite_met[w] = 0


def no_contacts(m: Any, d: Any) -> None:
    """What the collision stage leaves in worlds where nothing can touch; in this module, which every step loads anyway."""
    launch(_no_contacts, d, [d.status])


def reset_worlds(m: Any, d: Any, mask: wp.array) -> None:
    """Reset the worlds that ``mask`` (nworld,) names: state, inputs, warm start, status, sensors and what they remember.

    MuJoCo  mj_resetData.
    """
    launch(_reset, d, [m.size, m.body, m.jnt, m.actuator, d.state, d.drive, d.sol, d.status, mask])
    launch(_clear_sensors, d, [d.sense, mask])
    launch(_clear_user, d, [d.user, d.diag, mask])
    forget(m, d, mask)
    sleeping.forget(m, d, mask)
    after_reset(d, mask)
