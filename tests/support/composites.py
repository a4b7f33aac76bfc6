"""Models with ``<composite>`` and what MuJoCo 2.3.7, the last that this project knows to build all of them, compiles them to.

The reference numbers lie in ``tests/models/composites.json``. They are written by running this file with that version::

    python tests/support/composites.py tests/models/composites.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROPE = '<geom type="capsule" size=".01 .015"/></composite></body>'

CASES = {
    "particle": '<composite prefix="p" type="particle" count="2 3 2" spacing="0.07" offset="0 0 1"><geom size=".02"/></composite>',
    "particle with joints": '<composite type="particle" count="2 1 1" spacing="0.07"><joint kind="particle" type="hinge" axis="1 0 0"'
    ' damping="2"/><joint kind="particle" type="slide" axis="0 1 0"/><geom type="box" size=".02 .02 .03"/></composite>',
    "string": '<composite type="grid" count="4 1 1" spacing="0.045" offset="0 0 1"><joint kind="main" damping="0.001" armature="0.01"/>'
    '<tendon kind="main" width="0.01" damping="3"/><geom size=".02"/><pin coord="1"/></composite>',
    "grid": '<composite type="grid" count="3 4 1" spacing="0.05" offset="0 0 1"><skin inflate="0.001" texcoord="true"/><tendon kind="shear"'
    ' width="0.004" solreffix="0.03 1.2" solimpfix="0.8 0.95"/><geom size=".02" mass="0.1"/><pin coord="0 0"/><pin coord="2 0"/></composite>',
    "rope": '<body name="B2" pos="0 0 1"><composite type="rope" count="5 1 1" spacing="0.04"><joint kind="main" damping="0.005"/>'
    '<joint kind="twist" damping="0.1"/><joint kind="stretch" stiffness="3"/>' + ROPE,
    "loop": '<body name="B1" pos="0 0 1"><freejoint/><composite type="loop" count="6 1 1" spacing="0.04" solrefsmooth="0.03">'
    '<joint kind="main" damping="0.005"/>' + ROPE,
    "cloth": '<body name="B1_2" pos="0 0 1"><freejoint/><composite type="cloth" count="3 4 1" spacing="0.05" flatinertia="0.3">'
    '<joint kind="main" damping="0.001"/><skin texcoord="true" inflate="0.005"/><geom type="capsule" size="0.015 0.01"/></composite></body>',
    "cloth with all": '<body name="B0_0" pos="0 0 1"><freejoint/><composite type="cloth" count="3 3 1" spacing="0.05"><joint kind="main"'
    ' damping="0.001"/><joint kind="twist" damping="0.1"/><joint kind="stretch" stiffness="3"/><tendon kind="shear"/>'
    '<geom type="ellipsoid" size="0.015 0.01 0.012"/></composite></body>',
    "box": '<body pos="0 0 1"><freejoint/><composite type="box" count="3 2 3" spacing="0.04" solrefsmooth="0.03 1"><joint kind="main"'
    ' damping="0.1"/><tendon kind="main" solreffix="0.02 1"/><skin texcoord="true"/><geom type="capsule" size=".015 0.05"/></composite></body>',
    "cylinder": '<body pos="0 0 1"><composite type="cylinder" count="3 4 3" spacing="0.04"><geom size=".015"/></composite></body>',
    "ellipsoid": '<body pos="0 0 1"><freejoint/><composite type="ellipsoid" count="3 3 4" spacing="0.05"><geom type="ellipsoid"'
    ' size=".015 0.05 0.02"/></composite></body>',
    "cable": '<composite type="cable" prefix="c" curve="cos(s) sin(s) s" count="5 1 1" size="1 .1 1" offset="0 0 1" initial="free">'
    '<joint kind="main" damping="0.1"/><geom type="box" size=".01 .02 .03"/></composite>',
    "cable of points": '<composite type="cable" vertex="0 0 0 .1 0 0 .1 .1 0 .1 .1 .1" initial="none"><geom type="capsule" size=".01"/></composite>',
}  # fmt: skip

NAMES = {"body": "nbody", "jnt": "njnt", "geom": "ngeom", "site": "nsite", "tendon": "ntendon"}

FIELDS = [
    "body_parentid", "body_pos", "body_quat", "body_mass", "body_inertia", "jnt_type", "jnt_pos", "jnt_axis", "jnt_group",
    "jnt_stiffness", "dof_damping", "dof_armature", "geom_type", "geom_size", "geom_pos", "geom_quat", "geom_contype",
    "geom_condim", "geom_priority", "geom_group", "geom_friction", "geom_bodyid", "site_pos", "site_size", "site_bodyid",
    "eq_type", "eq_obj1id", "eq_obj2id", "eq_solref", "eq_solimp", "tendon_stiffness", "tendon_damping", "tendon_length0",
    "exclude_signature",
]  # fmt: skip


def mjcf(case: str) -> str:
    """The whole text of a case; its default classes mean nothing to a composite."""
    defaults = '<default><geom density="5" contype="4"/><joint damping="5"/><tendon stiffness="5"/><site size="1"/><equality solref="1"/></default>'
    return f"<mujoco>{defaults}<worldbody>{CASES[case]}</worldbody></mujoco>"


def write(path: str) -> None:
    """Compile all cases with the old MuJoCo and write its arrays."""
    import mujoco

    if mujoco.__version__ != "2.3.7":
        raise SystemExit(f"MuJoCo {mujoco.__version__}: install mujoco==2.3.7 in an environment of its own, and run this there")
    result = {}
    for case in CASES:
        model = mujoco.MjModel.from_xml_string(mjcf(case))
        arrays = {field: _numbers(getattr(model, field)) for field in FIELDS}
        arrays["exclude_signature"] = [[number - 65537] for (number,) in arrays["exclude_signature"]]  # bodies counted from one then
        arrays["geom_size"] = [[size[0], 0.0, 0.0] if kind == 2 else size for (kind,), size in zip(arrays["geom_type"], arrays["geom_size"])]
        names = {kind: [getattr(model, kind)(i).name for i in range(getattr(model, size))] for kind, size in NAMES.items()}
        result[case] = {"arrays": arrays, "names": names}
    Path(path).write_text(json.dumps(result, indent=0, separators=(",", ":")).replace(",\n", ",").replace("[\n", "[").replace("\n]", "]") + "\n")


def _numbers(array: Any) -> list[Any]:
    """The numbers of an array, seven digits each, one list a row."""
    rows = np.asarray(array)
    rows = rows if rows.ndim > 1 else rows[:, None]
    return [[int(x) if rows.dtype.kind in "iub" else float(f"{x:.7g}") for x in row] for row in rows]


if __name__ == "__main__":
    write(sys.argv[1])
