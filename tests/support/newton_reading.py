"""Reads stages by Newton's importer, in a process of its own (its schemas have to be registered before anything opens a stage).

``python tests/support/newton_reading.py OUT.json STAGE...`` writes, for each stage, bodies and joints by the paths of their prims.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

__all__ = ["by_newton"]

DOFS = (
    "joint_limit_lower", "joint_limit_upper", "joint_armature", "joint_friction", "joint_damping", "joint_target_ke", "joint_target_kd",
    "joint_effort_limit", "joint_velocity_limit", "joint_target_qd",
)  # fmt: skip


def by_newton(stages: list[Path], out: Path) -> dict[str, Any]:
    """What Newton makes of each stage, by its path; an error's text where it makes nothing."""
    subprocess.run([sys.executable, __file__, str(out), *map(str, stages)], check=True, capture_output=True, timeout=600)
    return json.loads(out.read_text(encoding="utf-8"))


def numbers(values: Any) -> list[float]:
    """Plain numbers of a vector, a quaternion or a matrix."""
    import numpy as np

    return np.array(values, dtype=float).reshape(-1).tolist()


def reading(builder: Any, result: dict[str, Any]) -> dict[str, Any]:
    """Bodies and joints of a builder by path; works for Newton's and for ours."""
    bodies = {
        path: {
            "mass": float(builder.body_mass[row]),
            "com": numbers(builder.body_com[row]),
            "inertia": numbers(builder.body_inertia[row]),
            "pose": numbers(builder.body_q[row]),
        }
        for path, row in result["path_body_map"].items()
        if row >= 0
    }
    joints = {}
    for path, row in result["path_joint_map"].items():
        first = builder.joint_qd_start[row]
        last = builder.joint_qd_start[row + 1] if row + 1 < builder.joint_count else builder.joint_dof_count
        child = builder.joint_child[row]
        frame = numbers(builder.joint_X_c[row])
        joints[path] = {
            "type": int(builder.joint_type[row]),
            "child": builder.body_label[child],
            "parent": builder.body_label[builder.joint_parent[row]] if builder.joint_parent[row] >= 0 else "",
            "frame": frame,
            "axes": [numbers(builder.joint_axis[dof]) for dof in range(first, last)],
            **{name: [float(getattr(builder, name)[dof]) for dof in range(first, last)] for name in DOFS},
        }
    return {"bodies": bodies, "joints": joints, "shapes": sorted(result["path_shape_map"])}


def main() -> None:
    """Read the stages that are named on the command line."""
    warnings.simplefilter("ignore")
    import newton

    found: dict[str, Any] = {}
    for path in sys.argv[2:]:
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        resolvers = [newton.usd.SchemaResolverMjc(), newton.usd.SchemaResolverNewton(), newton.usd.SchemaResolverPhysx()]
        try:
            result = builder.add_usd(path, schema_resolvers=resolvers, convert_mjc_equality_constraints=False)
            found[path] = reading(builder, result)
        except Exception as error:  # whatever it raises is what it makes of the stage
            found[path] = {"error": f"{type(error).__name__}: {error}"}
    Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
