"""The tests of a tuner's outcome run by MuJoCo, with the file that was written: figures of each joint, the worst of all scenarios."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from newtonish.tuning.figures import impact_figures, step_figures
from newtonish.tuning.scenarios import carrier

__all__ = ["mujoco_figures"]


def mujoco_figures(path: str, outcome: Any, which: str = "after") -> list[dict[str, float]]:
    """Figures of every joint of an outcome under the gains of a file.

    Args:
        path: The file, authored or tuned.
        outcome: Whose scenarios, steps and length.
        which: Courses that say where a test begins, ``before`` or ``after``.
    """
    courses, settings = outcome.courses[which], outcome.state["settings"]
    found = []
    for t, result in enumerate(outcome.results):
        figures = []
        for s, scenario in enumerate(outcome.scenarios):
            m = mujoco.MjModel.from_xml_path(path)
            start, way = float(courses["q"][0, t, s]), float(courses["way"][0, t, s])
            figures.append(_figures(m, result.target, scenario, start, way, settings))
        found.append({name: max(float(each[name]) for each in figures) for name in figures[0]})
    return found


def _figures(m: Any, target: Any, scenario: Any, start: float, way: float, settings: dict[str, Any]) -> dict[str, float]:
    joint = m.joint(target.name)
    held(m, scenario.payload, carrier(_Tree(m), joint.id) if settings["payload_body"] is None else m.body(settings["payload_body"]).id)
    d, impact = mujoco.MjData(m), settings["test"] == "impact"
    d.qpos[:] = scenario.qpos
    d.qpos[joint.qposadr[0]] = start
    drives = [a for a in range(m.nu) if m.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_JOINT and m.actuator_biasprm[a, 1] < 0.0]
    own = [a for a in drives if m.actuator_trnid[a, 0] == joint.id]
    if impact:
        m.actuator_gainprm[own], m.actuator_biasprm[own] = 0.0, 0.0
        d.qvel[joint.dofadr[0]] = way * settings["speed"]
    else:
        mujoco.mj_forward(m, d)
    load = held_force(m, d)
    sag = 0.0
    for a in drives:
        other, gear, kp = int(m.actuator_trnid[a, 0]), m.actuator_gear[a, 0], -m.actuator_biasprm[a, 1]
        if kp == 0.0:
            continue
        hold = load[m.jnt_dofadr[other]] / gear
        d.ctrl[a] = (hold + kp * gear * d.qpos[m.jnt_qposadr[other]]) / m.actuator_gainprm[a, 0]
        if other == joint.id:
            sag = hold / (kp * gear)
            d.ctrl[a] += kp * gear * way / m.actuator_gainprm[a, 0]
    q, v, force = [start], [float(d.qvel[joint.dofadr[0]])], []
    for _ in range(int(np.ceil(settings["seconds"] / m.opt.timestep))):
        mujoco.mj_step(m, d)
        q.append(float(d.qpos[joint.qposadr[0]]))
        v.append(float(d.qvel[joint.dofadr[0]]))
        force.append(float((d.qfrc_constraint if impact else d.qfrc_actuator)[joint.dofadr[0]]))
    times = np.arange(len(q)) * m.opt.timestep
    columns = [np.array(values)[:, None] for values in (q, v, [force[0], *force])]
    if impact:
        figures = impact_figures(times, *columns, np.array([target.high if way > 0.0 else target.low]), np.array([way * settings["speed"]]))
    else:
        figures = step_figures(times, *columns, np.array([way]), np.array([start - sag + way]))
    return {name: float(values[0]) for name, values in figures.items()}


def held_force(m: Any, d: Any) -> np.ndarray:
    """What keeps the pose, of the pose at rest."""
    rest = mujoco.MjData(m)
    rest.qpos[:] = d.qpos
    mujoco.mj_forward(m, rest)
    return rest.qfrc_bias - rest.qfrc_passive


def held(m: Any, payload: float, body: int) -> None:
    """Hold free bases, switch off contacts and bounds of controls, add the payload."""
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    m.actuator_ctrllimited[:] = 0
    if payload:
        m.body_mass[body] += payload
        mujoco.mj_setConst(m, mujoco.MjData(m))
    for joint in range(m.njnt):
        if m.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            first = m.jnt_dofadr[joint]
            m.dof_armature[first : first + 6] = 1e4 * m.body_mass.sum()


class _Tree:
    """What ``carrier`` reads of a compiled model."""

    def __init__(self, m: Any) -> None:
        self.jnt_bodyid, self.nbody, self.body_parentid = m.jnt_bodyid, m.nbody, m.body_parentid
