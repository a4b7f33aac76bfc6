"""A stage of several root prims as one of a single root, which can be referred to as a whole.

A reference brings in one prim and what is below it, and drops relationships that lead elsewhere, such as those of a joint that stands beside
its bodies. So such a stage is flattened into a layer in which all its roots stand below one, and every path in it is led there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pxr import Sdf

__all__ = ["TOP", "gather"]

TOP = Sdf.Path("/scene")


def gather(stage: Any, path: Path) -> None:
    """Write a stage below :data:`TOP`.

    Raises:
        OSError: The file cannot be written.
    """
    flat, layer = stage.Flatten(), Sdf.Layer.CreateAnonymous(".usdc")
    for name in ("metersPerUnit", "kilogramsPerUnit", "upAxis", "timeCodesPerSecond"):
        if flat.pseudoRoot.HasInfo(name):
            layer.pseudoRoot.SetInfo(name, flat.pseudoRoot.GetInfo(name))
    layer.pseudoRoot.SetInfo("defaultPrim", TOP.name)
    Sdf.PrimSpec(layer, TOP.name, Sdf.SpecifierDef, "Xform")
    for root in list(flat.rootPrims):
        Sdf.CopySpec(flat, root.path, layer, TOP.AppendChild(root.name))
    with Sdf.ChangeBlock():
        layer.Traverse(TOP, lambda place: _lead(layer.GetObjectAtPath(place)))
    if not layer.Export(str(path)):
        raise OSError(f"{path} cannot be written")


def _below(path: Any) -> Any:
    """A path below the new root; one that copying has led there already stays."""
    return path if path.isEmpty or path.HasPrefix(TOP) else path.ReplacePrefix(Sdf.Path.absoluteRootPath, TOP)


def _reference(reference: Any) -> Any:
    """A reference inside the layer below the new root."""
    return reference if reference.assetPath else Sdf.Reference(primPath=_below(reference.primPath), layerOffset=reference.layerOffset)


def _lead(spec: Any) -> None:
    """Lead the paths that a prim or a property names below the new root."""
    if isinstance(spec, Sdf.RelationshipSpec):
        spec.targetPathList.ModifyItemEdits(_below)
    elif isinstance(spec, Sdf.AttributeSpec):
        spec.connectionPathList.ModifyItemEdits(_below)
    elif isinstance(spec, Sdf.PrimSpec):
        spec.referenceList.ModifyItemEdits(_reference)
        spec.inheritPathList.ModifyItemEdits(_below)
        spec.specializesList.ModifyItemEdits(_below)
