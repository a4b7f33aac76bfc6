"""Point instancers: every instance becomes a copy of its prototype, as a reference to it, before the stage is read.

The copies are authored into a layer of their own over a second view of the stage; the caller's stage stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from newtonish.diagnostics import Diagnostics, Location
from newtonish.importers.usd.runtime import prims_below

__all__ = ["MOST", "expand"]

MOST = 100_000
"""Most instances of all instancers of a stage."""


def expand(stage: Any, log: Diagnostics, root: str = "/", ignore: Sequence[str] = ()) -> tuple[Any, frozenset[str]]:
    """Return a stage with the instances of its point instancers, and the paths of what stands in them for copying only.

    Instancers count that are at ``root`` or below it, and that no regular expression of ``ignore`` leaves out. Instances that are masked or
    invisible are left out, and prototypes that stand in an instancer are no things themselves, as UsdGeom has it.
    """
    from pxr import Sdf, Usd, UsdGeom

    start = stage.GetPrimAtPath(root)
    prims = prims_below(start) if start else ()
    found = [prim for prim in prims if prim.IsA(UsdGeom.PointInstancer) and not _left_out(prim, ignore)]
    if not found:
        return stage, frozenset()
    layer = Sdf.Layer.CreateAnonymous("instances.usda")
    skipped: set[str] = set()
    count = 0
    for prim in found:
        made = _instances(UsdGeom.PointInstancer(prim), log)
        count += len(made)
        skipped.update(str(child.GetPath()) for child in prim.GetAllChildren())
        if count > MOST:
            given = f"{count} instances so far"
            log.problem(Location(str(prim.GetPath())), "positions", given, f"at most {MOST} on a stage", "leave the instancer out (ignore_paths), or use fewer")
            break
        if prim.IsInstanceProxy() and made:
            remedy = "clear 'instanceable' of the prim that it stands in"
            log.problem(Location(str(prim.GetPath())), "type", "a point instancer inside an instance", "one outside", remedy)
            continue
        for number, (prototype, matrix) in made.items():
            path = Sdf.Path(f"{prim.GetPath()}/instance_{number}")
            spec = Sdf.CreatePrimInLayer(layer, path)
            spec.specifier = Sdf.SpecifierDef
            if not stage.GetPrimAtPath(prototype).GetTypeName():
                spec.typeName = "Xform"
            spec.referenceList.Prepend(Sdf.Reference("", prototype))
            Sdf.AttributeSpec(spec, "xformOp:transform:instance", Sdf.ValueTypeNames.Matrix4d).default = matrix
            Sdf.AttributeSpec(spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform).default = ["xformOp:transform:instance"]
    session = Sdf.Layer.CreateAnonymous("session.usda")
    session.subLayerPaths = [layer.identifier, stage.GetSessionLayer().identifier]
    view = Usd.Stage.OpenMasked(stage.GetRootLayer(), session, stage.GetPathResolverContext(), stage.GetPopulationMask())
    view.MuteAndUnmuteLayers(stage.GetMutedLayers(), [])
    view.SetLoadRules(stage.GetLoadRules())
    return view, frozenset(skipped)


def _left_out(prim: Any, ignore: Sequence[str]) -> bool:
    """Whether the path of a prim, or of one around it, begins with a match."""
    return any(re.match(text, str(path)) for text in ignore for path in prim.GetPath().GetPrefixes())


def _instances(instancer: Any, log: Diagnostics) -> dict[int, tuple[Any, Any]]:
    """Prototype and matrix of each instance by its number."""
    from pxr import Usd, UsdGeom

    prim = instancer.GetPrim()
    place = Location(str(prim.GetPath()))
    time = Usd.TimeCode.EarliestTime()
    kinds = instancer.GetProtoIndicesAttr().Get(time)
    prototypes = instancer.GetPrototypesRel().GetForwardedTargets()
    kinds = list(kinds) if kinds is not None else []
    positions = instancer.GetPositionsAttr().Get(time)
    if len(positions if positions is not None else ()) != len(kinds):
        given = f"{len(positions if positions is not None else ())} positions for {len(kinds)} protoIndices"
        log.problem(place, "positions", given, "one for each instance", "correct the arrays")
        return {}
    wrong = [kind for kind in kinds if not 0 <= kind < len(prototypes)]
    gone = [str(path) for path in prototypes if not prim.GetStage().GetPrimAtPath(path)]
    if wrong or gone:
        given = f"prototype {wrong[0]} of {len(prototypes)}" if wrong else f"prototype {gone[0]}, which is no prim"
        log.problem(place, "protoIndices" if wrong else "prototypes", given, "a prototype of the list for each instance", "correct the array")
        return {}
    matrices = instancer.ComputeInstanceTransformsAtTime(time, time, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask)
    mask = instancer.ComputeMaskAtTime(time)
    if len(matrices) != len(kinds):
        log.problem(place, "orientations, scales", f"{len(matrices)} transforms for {len(kinds)} instances", "one for each instance", "correct the arrays")
        return {}
    return {n: (prototypes[kind], matrix) for n, (kind, matrix) in enumerate(zip(kinds, matrices)) if not mask or mask[n]}
