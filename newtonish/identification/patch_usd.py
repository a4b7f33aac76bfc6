"""Identified parameters as a layer over a USD stage: nothing but the attributes that change, in their own units."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from newtonish.errors import UnsupportedError, problem
from newtonish.files import write_file
from newtonish.identification.fields import check_written, delays_of, found_fields, index_of
from newtonish.identification.parameters import KINDS
from newtonish.identification.result import Estimate, Identification
from newtonish.mjw.from_file import read_compiled

__all__ = ["save_layer"]

_AXES = ("angular", "linear", "rotX", "rotY", "rotZ", "transX", "transY", "transZ")
_PURPOSES = ("material:binding:physics", "material:binding")


class _Task(NamedTuple):
    """What is written where."""

    over: Any  # the layer as a stage
    compiled: Any
    fields: dict[str, np.ndarray]
    mass: float  # kg in the stage's unit
    length: float  # m

    def prim(self, each: Estimate, path: str) -> Any:
        found = self.over.GetPrimAtPath(path) if path.startswith("/") else None
        if not found or found.IsInstanceProxy():
            given = f"{path!r}, which is no prim of its own"
            raise UnsupportedError(problem(f"merge {each.name}", given, "objects that have a prim, outside of instances", "write it as Python lines (.py)"))
        return found


def save_layer(source: str | PathLike[str], found: Identification, path: str | PathLike[str]) -> None:
    """Write a layer with the parameters that were found, whose sublayer is the stage.

    Args:
        source: the stage.
        found: what ``identify`` returned for it.
        path: file to write (.usda).

    Raises:
        UnsupportedError: a parameter has no attribute of its own in the stage, or the layer does not compile to what was found.
    """
    from pxr import Sdf, Usd, UsdGeom, UsdPhysics

    stage_path, out = Path(source).resolve(), Path(path)
    compiled = read_compiled(str(source))[0]
    stage = Usd.Stage.Open(str(stage_path))
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.subLayerPaths.append(stage_path.as_posix())  # relative to the layer's place once it has one
    over = Usd.Stage.Open(layer)
    if stage.GetDefaultPrim():
        layer.defaultPrim = stage.GetRootLayer().defaultPrim
    UsdGeom.SetStageUpAxis(over, UsdGeom.GetStageUpAxis(stage))
    UsdGeom.SetStageMetersPerUnit(over, UsdGeom.GetStageMetersPerUnit(stage))
    UsdPhysics.SetStageKilogramsPerUnit(over, UsdPhysics.GetStageKilogramsPerUnit(stage))
    fields = found_fields(compiled, found.estimates)
    task = _Task(over, compiled, fields, float(UsdPhysics.GetStageKilogramsPerUnit(stage)), float(UsdGeom.GetStageMetersPerUnit(stage)))
    whole: set[tuple[str, int]] = set()
    for each in found.estimates:
        owner, i = KINDS[each.kind].owner, index_of(compiled, each)
        if each.kind in ("bias", "delay") or (owner, i) in whole:
            continue
        _WRITERS[owner](task, each, i)
        if owner in ("body", "actuator"):  # written with all that was found of them
            whole.add((owner, i))
    for name, delay in delays_of(compiled, found.estimates).items():
        _delay(task, next(each for each in found.estimates if each.kind == "delay" and each.object in ("", name)), name, delay)
    text = layer.ExportToString().replace(f"@{stage_path.as_posix()}@", f"@{Path(os.path.relpath(stage_path, out.resolve().parent)).as_posix()}@", 1)
    write_file(out, text)
    check_written(out, fields)


def _body(task: _Task, each: Estimate, i: int) -> None:
    """All of the inertia, as it was compiled, but mass and moments."""
    from pxr import Gf, UsdPhysics

    c = task.compiled
    mass = float(task.fields["body_mass"][i]) if "body_mass" in task.fields else float(c.body_mass[i])
    moments = task.fields["body_inertia"][i] / (task.mass * task.length**2)
    api = UsdPhysics.MassAPI.Apply(task.prim(each, c.body_names[i]))
    api.CreateMassAttr().Set(mass / task.mass)
    api.CreateCenterOfMassAttr().Set(Gf.Vec3f(*(float(value) / task.length for value in c.body_ipos[i])))
    api.CreateDiagonalInertiaAttr().Set(Gf.Vec3f(*map(float, moments)))
    api.CreatePrincipalAxesAttr().Set(Gf.Quatf(*map(float, c.body_iquat[i])))


def _joint(task: _Task, each: Estimate, i: int) -> None:
    _put(task.prim(each, each.object), {f"mjc:{each.kind}": each.value})


def _actuator(task: _Task, each: Estimate, i: int) -> None:
    """An MjcActuator's parameters, or the gains of the joint's DriveAPI."""
    c, gain, bias = task.compiled, task.fields["actuator_gainprm"][i], task.fields["actuator_biasprm"][i]
    prim = task.over.GetPrimAtPath(c.actuator_names[i]) if c.actuator_names[i].startswith("/") else None
    if prim and prim.GetTypeName() == "MjcActuator":
        _put(prim, {"mjc:gainPrm": list(gain), "mjc:biasPrm": list(bias)})
        return
    joint = task.prim(each, c.jnt_names[int(c.actuator_trnid[i, 0])])
    old = {"stiffness": -float(c.actuator_biasprm[i, 1]), "damping": -float(c.actuator_biasprm[i, 2])}
    new = {"stiffness": -float(bias[1]), "damping": -float(bias[2])}
    for axis in _AXES:
        for word, value in new.items():
            attribute = joint.GetAttribute(f"drive:{axis}:physics:{word}")
            if attribute and attribute.Get() and old[word]:
                attribute.Set(float(attribute.Get()) * value / old[word])  # per degree, and in the stage's masses and lengths


def _geom(task: _Task, each: Estimate, i: int) -> None:
    prim = task.prim(each, each.object)
    if each.kind != "friction":
        _put(prim, {"mjc:solref": list(task.fields["geom_solref"][i])})
        return
    material = next((path for purpose in _PURPOSES for path in _bound(prim, purpose)), None)
    if material is None:
        raise UnsupportedError(problem(f"merge {each.name}", "a shape without a physics material", "shapes that have one", "write it as Python lines (.py)"))
    surface = task.prim(each, str(material))
    for word in ("dynamicFriction", "staticFriction"):  # one number in MuJoCo
        attribute = surface.GetAttribute(f"physics:{word}")
        if attribute and attribute.HasAuthoredValue():
            attribute.Set(each.value)


def _bound(prim: Any, purpose: str) -> list[Any]:
    while prim and not prim.IsPseudoRoot():
        if prim.HasRelationship(purpose):
            return list(prim.GetRelationship(purpose).GetTargets())
        prim = prim.GetParent()
    return []


def _delay(task: _Task, each: Estimate, name: str, delay: float) -> None:
    """A buffer that is read linearly, as ``merged`` writes it."""
    from pxr import Sdf

    prim = task.prim(each, name)
    if prim.GetTypeName() != "MjcActuator":
        raise UnsupportedError(problem(f"merge {each.name}", f"{name}, which is no MjcActuator", "MjcActuators", "write it as Python lines (.py)"))
    if delay > 0.0:
        _put(prim, {"newtonish:delay": delay})
        samples = math.ceil(delay / float(task.compiled.opt.timestep)) + 2
        for word, kind, value in (("nsample", Sdf.ValueTypeNames.Int, samples), ("interp", Sdf.ValueTypeNames.Token, "linear")):
            prim.CreateAttribute(f"newtonish:{word}", kind, True).Set(value)


def _put(prim: Any, values: dict[str, Any]) -> None:
    from pxr import Sdf

    for word, value in values.items():
        many = isinstance(value, list)
        kind = Sdf.ValueTypeNames.DoubleArray if many else Sdf.ValueTypeNames.Double
        prim.CreateAttribute(word, kind).Set([float(number) for number in value] if many else float(value))


_WRITERS: dict[str, Callable[[_Task, Estimate, int], None]] = {"body": _body, "jnt": _joint, "actuator": _actuator, "geom": _geom}
