"""Follow what ``newtonish tune`` says of drives that ring, and step each of them in MuJoCo C before and after.

Bases are held and contacts are off, as a drive is described by itself; gravity is off, so that a step is one.

    python tests/support/doctor_remedies.py ../shared/models/unitree_g1/scene.xml ../shared/models/barkour_vb/scene.xml
"""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any

import mujoco

from newtonish.tuning import diagnose

STEP, SECONDS, HELD = 0.1, 1.5, 1e4


def overshoot(m: Any, joint: str) -> float:
    """Of a step of one joint, as a share of it."""
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    d.qvel[:] = 0.0
    at = m.joint(joint)
    for a in range(m.nu):
        d.ctrl[a] = d.qpos[m.jnt_qposadr[m.actuator_trnid[a, 0]]] + STEP * (m.actuator_trnid[a, 0] == at.id)
    start, highest = float(d.qpos[at.qposadr[0]]), 0.0
    for _ in range(int(SECONDS / m.opt.timestep)):
        mujoco.mj_step(m, d)
        highest = max(highest, (float(d.qpos[at.qposadr[0]]) - start) / STEP)
    return highest - 1.0


def main() -> int:
    """Print what was said and what MuJoCo does."""
    warnings.simplefilter("ignore")
    for path in sys.argv[1:]:
        m = mujoco.MjModel.from_xml_path(path)
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        m.opt.gravity[:] = 0.0
        for joint in range(m.njnt):
            if m.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
                m.dof_armature[m.jnt_dofadr[joint] : m.jnt_dofadr[joint] + 6] = HELD
        drives = [row for row in diagnose(path) if row.kind == "drive"]
        said = {row.name: re.search(r"by (\d+%).* ([\d.e+]+) would be critical", " ".join(row.remedies)) for row in drives}
        red = {name: match for name, match in said.items() if match}
        before = {name: overshoot(m, name) for name in red}
        for a in range(m.nu):
            joint = m.joint(m.actuator_trnid[a, 0])
            if joint.name in red:
                m.actuator_biasprm[a, 2] = float(m.dof_damping[joint.dofadr[0]]) - float(red[joint.name][2])
        print(f"{path}: {len(red)} of {len(drives)} drives ring")
        for name, match in red.items():
            print(f"  {name}: said {match[1]}, MuJoCo {before[name]:.0%}; with the critical damping {max(overshoot(m, name), 0.0):.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
