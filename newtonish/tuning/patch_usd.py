"""Tuned gains as a layer over a USD stage: nothing but the attributes that change, in their own units."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from newtonish.errors import UnsupportedError, problem
from newtonish.files import write_file
from newtonish.tuning.result import Outcome, TargetResult

__all__ = ["write_usd"]


def write_usd(source: Path, outcome: Outcome, names: list[str], out: Path) -> None:
    """Write a layer whose sublayer is the stage.

    Args:
        source: The stage.
        outcome: What was found.
        names: Names of all actuators, in their order.
        out: File to write (.usda).

    Raises:
        UnsupportedError: A joint's drive is neither an MjcActuator nor a DriveAPI.
    """
    from pxr import Sdf, Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.Open(str(source))
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.subLayerPaths.append(source.resolve().as_posix())  # relative to the layer's place once it has one
    over = Usd.Stage.Open(layer)
    if stage.GetDefaultPrim():
        layer.defaultPrim = stage.GetRootLayer().defaultPrim
    UsdGeom.SetStageUpAxis(over, UsdGeom.GetStageUpAxis(stage))
    UsdGeom.SetStageMetersPerUnit(over, UsdGeom.GetStageMetersPerUnit(stage))
    UsdPhysics.SetStageKilogramsPerUnit(over, UsdPhysics.GetStageKilogramsPerUnit(stage))
    for result in filter(lambda result: result.changed, outcome.results):
        if result.target.kind == "limit":
            _limit(over, result, Sdf)
        else:
            for actuator in dict.fromkeys((result.target.stiffener, result.target.damper)):
                _drive(over, result, actuator, names[actuator], Sdf)
    layer.subLayerPaths[0] = Path(os.path.relpath(source.resolve(), out.resolve().parent)).as_posix()
    write_file(out, layer.ExportToString())


def _limit(over: Any, result: TargetResult, sdf: Any) -> None:
    sign = -1.0 if result.target.names[0] == "stiffness" else 1.0
    prim = over.OverridePrim(result.target.name)
    prim.CreateAttribute("mjc:solreflimit", sdf.ValueTypeNames.DoubleArray).Set([sign * value for value in result.values])


def _drive(over: Any, result: TargetResult, actuator: int, name: str, sdf: Any) -> None:
    """An MjcActuator's parameters, or the gains of the joint's DriveAPI."""
    target, (kp, kv), (old_kp, old_kv) = result.target, result.values, result.authored
    prim = over.GetPrimAtPath(name) if name else None
    if prim and prim.GetTypeName() == "MjcActuator":
        gain, bias = (list(prim.GetAttribute(f"mjc:{word}").Get() or []) for word in ("gainPrm", "biasPrm"))
        gain, bias = gain + [1.0] * (not gain), bias + [0.0] * (3 - len(bias))
        if actuator == target.stiffener:
            gain[0], bias[1] = gain[0] * kp / old_kp, -kp
        if actuator == target.damper:  # a positive number is a damping ratio
            bias[2] = bias[2] * kv / old_kv * math.sqrt(old_kp / kp) if bias[2] > 0.0 and old_kv > 0.0 else -kv
        for word, values in (("gainPrm", gain), ("biasPrm", bias)):
            prim.CreateAttribute(f"mjc:{word}", sdf.ValueTypeNames.DoubleArray).Set([float(f"{value:.6g}") for value in values])
        return
    joint = over.GetPrimAtPath(target.name)
    for axis in ("angular", "linear", "rotX", "rotY", "rotZ", "transX", "transY", "transZ"):
        stiffness = joint.GetAttribute(f"drive:{axis}:physics:stiffness") if joint else None
        if stiffness and stiffness.Get():
            unit = float(stiffness.Get()) / old_kp  # per degree, and in the stage's masses and lengths
            for word, value in (("stiffness", kp), ("damping", kv)):
                joint.CreateAttribute(f"drive:{axis}:physics:{word}", sdf.ValueTypeNames.Float).Set(float(f"{value * unit:.6g}"))
            return
    raise UnsupportedError(
        problem(f"joint '{target.name}'", "no MjcActuator and no DriveAPI in the stage", "one of these", "write the gains as Python lines (.py)")
    )
