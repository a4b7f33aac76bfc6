"""What is still within a step: no forces and no acceleration of trees asleep, and sensors that keep what they said.

MuJoCo: mj_fwdAcceleration, and the sleep states of sensors in mj_sensorPos, mj_sensorVel and mj_sensorAcc.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import Stage
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Force, Sense, Solve, State
from newtonish.kernels.structs.model import Dof, Sensor, Size
from newtonish.kernels.structs.sleep import Rest, Sleep

LAST = wp.constant(int(Stage.ACC))


@wp.kernel
def still_forces_kernel(size: Size, dof: Dof, state: State, frc: Force, rest: Rest):
    """No force, and no acceleration for the solver to begin with."""
    w, lane = wp.tid()
    if rest.ntree_awake[w] < size.ntree:
        for i in range(lane, size.nv, lanes()):
            if rest.tree_awake[w, dof.treeid[i]] == 0:
                frc.qfrc_smooth[w, i] = 0.0
                frc.qacc_smooth[w, i] = 0.0
                state.qacc_warmstart[w, i] = 0.0


@wp.kernel
def still_solution_kernel(size: Size, dof: Dof, sol: Solve, rest: Rest):
    """No acceleration."""
    w, lane = wp.tid()
    if rest.ntree_awake[w] < size.ntree:
        for i in range(lane, size.nv, lanes()):
            if rest.tree_awake[w, dof.treeid[i]] == 0:
                sol.qacc[w, i] = 0.0


@wp.func
def _is_asleep(sleep: Sleep, rest: Rest, w: int, s: int) -> bool:
    """Whether the value of sensor ``s`` follows trees asleep only."""
    first = sleep.sensor_treeadr[s]
    end = sleep.sensor_treeadr[s + 1]
    asleep = first < end
    for k in range(first, end):
        if rest.tree_awake[w, sleep.sensor_treeid[k]] != 0:
            asleep = False
    return asleep


@wp.kernel
def hold_sensors_kernel(size: Size, sensor: Sensor, sleep: Sleep, sense: Sense, rest: Rest):
    """Sensors of forces and accelerations keep what they said, or say what is new; others see that nothing moves."""
    w, lane = wp.tid()
    held = rest.held[w] != 0
    sync()
    for s in range(lane, size.nsensor, lanes()):
        if sensor.needstage[s] == LAST:
            keeps = held and _is_asleep(sleep, rest, w, s)
            for k in range(sensor.adr[s], sensor.adr[s] + sensor.dim[s]):
                if keeps:
                    sense.sensordata[w, k] = rest.sensordata[w, k]
                else:
                    rest.sensordata[w, k] = sense.sensordata[w, k]
    if lane == 0:
        rest.held[w] = 1


def still_forces(m: Any, d: Any) -> None:
    """Before the solver. Reads d.sleep. Writes d.frc (qfrc_smooth, qacc_smooth), d.state.qacc_warmstart of trees asleep."""
    launch(still_forces_kernel, d, [m.size, m.dof, d.state, d.frc, d.sleep])


def still_solution(m: Any, d: Any) -> None:
    """After the solver. Reads d.sleep. Writes d.sol.qacc of trees asleep."""
    launch(still_solution_kernel, d, [m.size, m.dof, d.sol, d.sleep])


def hold_sensors(m: Any, d: Any) -> None:
    """After the sensors of accelerations. Reads d.sleep. Writes d.sense.sensordata of sensors asleep, d.sleep.sensordata of others."""
    launch(hold_sensors_kernel, d, [m.size, m.sensor, m.sleep, d.sense, d.sleep])
