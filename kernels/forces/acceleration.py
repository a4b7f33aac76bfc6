"""Sum of all forces but those of constraints, and the acceleration they would give alone."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.forces.applied import xfrc_accumulate_world
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.smooth.solve_m import solve_m_world
from newtonish.kernels.structs.data import Com, Force, Kinematics, Mass, Scratch, State
from newtonish.kernels.structs.model import Body, Dof, Size, Tree


@wp.func
def acceleration_world(
    size: Size, tree: Tree, body: Body, dof: Dof, state: State, kin: Kinematics, com: Com, mass: Mass, frc: Force,
    scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """Smooth force and smooth acceleration of one world."""
    for i in range(lane, size.nv, lanes()):
        inner = frc.qfrc_passive[w, i] - frc.qfrc_bias[w, i] + frc.qfrc_actuator[w, i]
        frc.qfrc_smooth[w, i] = inner + state.qfrc_applied[w, i]
    sync()
    xfrc_accumulate_world(size, tree, body, dof, state, kin, com, scratch, frc.qfrc_smooth, w, lane)
    solve_m_world(size, dof, mass, frc.qacc_smooth, frc.qfrc_smooth, w, lane)


@wp.kernel
def _fwd_acceleration(
    size: Size, tree: Tree, body: Body, dof: Dof, state: State, kin: Kinematics, com: Com, mass: Mass, frc: Force,
    scratch: Scratch,
):  # fmt: skip
    w, lane = wp.tid()
    acceleration_world(size, tree, body, dof, state, kin, com, mass, frc, scratch, w, lane)


def fwd_acceleration(m: Any, d: Any) -> None:
    """Smooth force (passive - bias + actuator + applied) and smooth acceleration.

    Reads   m.body, m.dof, m.tree; d.state (qfrc_applied, xfrc_applied), d.kin.xipos, d.com, d.mass (after factor_m), d.frc
    Writes  d.frc.qfrc_smooth [N, N m], d.frc.qacc_smooth [m/s^2, rad/s^2]; d.scratch.wrench
    MuJoCo  mj_fwdAcceleration.
    """
    inputs = [m.size, m.tree, m.body, m.dof, d.state, d.kin, d.com, d.mass, d.frc, d.scratch]
    launch(_fwd_acceleration, d, inputs)
