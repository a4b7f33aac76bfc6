"""What Newton's schemas and Newton's importer make of stages, in a process of its own (schemas are registered before anything opens a stage).

``python tests/support/newton_stages.py OUT.json STAGE...`` writes, for each stage, which attributes ``newton:*`` are not those of the schemas
that the registry knows their prims to have, and rows of the builder of Newton's ``add_usd`` with its own attributes alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["BODY", "DOF", "SHAPE", "rows", "stages_by_newton"]

BODY = ("body_mass", "body_com", "body_inertia")
DOF = (
    "joint_limit_lower", "joint_limit_upper", "joint_armature", "joint_friction", "joint_damping", "joint_velocity_limit", "joint_limit_ke", "joint_limit_kd",
)  # fmt: skip
SHAPE = ("shape_margin", "shape_gap", "shape_material_mu", "shape_material_mu_torsional", "shape_material_mu_rolling", "shape_material_ke", "shape_material_kd")


def stages_by_newton(stages: list[Path], out: Path) -> dict[str, Any]:
    """What there is to say of each stage, by its path."""
    subprocess.run([sys.executable, __file__, str(out), *map(str, stages)], check=True, capture_output=True, timeout=600)
    return json.loads(out.read_text(encoding="utf-8"))


def rows(builder: Any, result: dict[str, Any]) -> dict[str, Any]:
    """Bodies, shapes, and joints of one degree of freedom by the paths of their prims; works for Newton's builder and for ours."""
    import numpy as np

    def numbers(name: str, row: int) -> list[float]:
        return np.array(getattr(builder, name)[row], dtype=float).reshape(-1).tolist()

    joints = {}
    for path, row in result["path_joint_map"].items():
        first = builder.joint_qd_start[row]
        last = builder.joint_qd_start[row + 1] if row + 1 < builder.joint_count else builder.joint_dof_count
        if last - first == 1:
            joints[path] = {name: numbers(name, first) for name in DOF}
    return {
        "bodies": {path: {name: numbers(name, row) for name in BODY} for path, row in result["path_body_map"].items() if row >= 0},
        "joints": joints,
        "shapes": {path: {name: numbers(name, row) for name in SHAPE} for path, row in result["path_shape_map"].items()},
    }


def _unknown(stage: Any) -> list[str]:
    """Attributes ``newton:*`` that the definition of their prim does not have, or has with another type."""
    found = []
    for prim in stage.TraverseAll():
        definition = prim.GetPrimDefinition()
        for name in prim.GetAuthoredPropertyNames():
            if not name.startswith("newton:"):
                continue
            known = definition.GetAttributeDefinition(name)
            if prim.GetRelationship(name):
                if name not in definition.GetPropertyNames():
                    found.append(f"{prim.GetPath()} {name}")
            elif (
                not known or known.GetTypeName() != prim.GetAttribute(name).GetTypeName() or known.GetVariability() != prim.GetAttribute(name).GetVariability()
            ):
                found.append(f"{prim.GetPath()} {name}")
    return found


def main() -> None:
    """Read the stages that are named on the command line."""
    warnings.simplefilter("ignore")
    import_module("newton_usd_schemas")
    import newton
    from pxr import Usd

    found: dict[str, Any] = {}
    for path in sys.argv[2:]:
        builder = newton.ModelBuilder()
        found[path] = {"unknown": _unknown(Usd.Stage.Open(path)), **rows(builder, builder.add_usd(path))}
    Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
