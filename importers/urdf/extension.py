"""The ``<mujoco>`` element of a URDF file: ``compiler``, ``option``, ``size`` and ``statistic``, with the words they have in MJCF.

MuJoCo does not check these words; here a misspelt one is a located warning, and a wrong value an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newtonish.diagnostics import Diagnostics, Location
from newtonish.importers import frames
from newtonish.importers.mjcf.compiler import read_settings
from newtonish.importers.mjcf.options import read_options, write_options
from newtonish.mjcf.language.read import Node, check_tree
from newtonish.mjcf.language.schema import nearest, schema
from newtonish.namespaces import mujoco

__all__ = ["Extension", "read_extension", "set_mujoco_defaults"]

_SECTIONS = ("compiler", "option", "size", "statistic", "visual")
_USED = ("meshdir", "assetdir", "strippath", "discardvisual", "fusestatic", "balanceinertia", "boundmass", "boundinertia",
         "settotalmass", "inertiafromgeom")  # fmt: skip
_MEANINGLESS = ("angle", "eulerseq", "coordinate", "autolimits", "texturedir", "usethread", "saveinertial", "passthrough",
                "savecanonical", "savecompiled")  # fmt: skip


@dataclass
class Extension:
    """What the element says; the defaults hold for files without it.

    Attributes:
        meshdir: Folder of meshes, None where none is named.
        strippath: Whether folders in the names of meshes do not count.
        discardvisual: Whether visual geometry is left out.
        fusestatic: Whether links that fixed joints connect are merged.
        balanceinertia: Whether impossible moments are made their mean; None where nothing is said.
        boundmass: Least mass of a link [kg].
        boundinertia: Least principal moment of a link [kg m^2].
        settotalmass: Mass of the robot [kg]; not positive leaves it.
        inertiafromgeom: ``false``, ``true`` or ``auto`` (where no inertial is written).
        options: Values of ``mujoco:*`` attributes that exist once, as far as they are written; gravity as ``gravity``.
    """

    meshdir: str | None = None
    strippath: bool = True
    discardvisual: bool = False
    fusestatic: bool = False
    balanceinertia: bool | None = None
    boundmass: float = 0.0
    boundinertia: float = 0.0
    settotalmass: float = -1.0
    inertiafromgeom: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)


def read_extension(node: Node | None, folder: Path, log: Diagnostics) -> Extension:
    """Return what the element ``mujoco`` says."""
    if node is None:
        return Extension()
    _take_out_unknown(node, "mujoco", log)
    check_tree(node, log)
    for section in node.sections("visual"):
        log.ignored("mujoco/visual", section.location, "mujoco, visual", "has no effect on physics", warn=False)
    written: dict[str, Any] = {}
    for section in node.sections("compiler"):
        for name in section.values:
            if name in _MEANINGLESS:
                log.ignored("compiler words", section.at(name), f"compiler, {name}", "has no effect on a URDF file", warn=False)
            elif name not in _USED:
                log.ignored(f"compiler.{name}", section.at(name), f"compiler, {name}", "is not simulated for URDF files")
        written |= section.values
    settings = read_settings(node, folder, log)
    return Extension(
        meshdir=settings.meshdir if "meshdir" in written or "assetdir" in written else None,
        strippath=written.get("strippath", True),
        discardvisual=settings.discardvisual,
        fusestatic=settings.fusestatic,
        balanceinertia=written.get("balanceinertia"),
        boundmass=settings.boundmass,
        boundinertia=settings.boundinertia,
        settotalmass=settings.settotalmass,
        inertiafromgeom=settings.inertiafromgeom,
        options=_written_options(node, read_options(node, settings, log)),
    )


def set_mujoco_defaults(builder: Any) -> None:
    """Give a builder the options that MuJoCo starts from, in the ``mujoco`` namespace."""
    mujoco.register(builder)
    write_options(builder, _default_options(), frames.IDENTITY)


def _default_options() -> dict[str, Any]:
    """The options of an MJCF file that says nothing."""
    log, empty = Diagnostics(""), Node("mujoco", Location(""))
    return read_options(empty, read_settings(empty, Path(), log), log)


def _written_options(node: Node, options: dict[str, Any]) -> dict[str, Any]:
    """The options without those that are MJCF's defaults and not written."""
    none = _default_options()
    named = {name for section in node.sections("option") for name in section.values}
    named |= {f"flag_{name}" for section in node.sections("option") for flag in section.sections("flag") for name in flag.values}
    return {name: value for name, value in options.items() if name not in none or name in named}


def _take_out_unknown(node: Node, kind: str, log: Diagnostics) -> None:
    """Take out elements and attributes that MJCF does not know, with a warning, so that what is known can be checked."""
    known = schema(kind)
    for name in [name for name in node.text if name not in known.attributes]:
        hint = nearest(name, known.attributes) or f"known are {', '.join(sorted(known.attributes)) or 'none'}"
        log.ignored(f"mujoco {kind}.{name}", node.at(name), f"mujoco, {kind}, {name}", f"an undeclared attribute has no effect; {hint}")
        del node.text[name]
    children = _SECTIONS if kind == "mujoco" else known.children
    for child in node.children:
        if child.tag not in children:
            hint = nearest(child.tag, children) or f"known are {', '.join(sorted(children)) or 'none'}"
            log.ignored(f"mujoco {kind}/{child.tag}", child.location, f"mujoco, {child.label}", f"has no effect in a URDF file; {hint}")
        else:
            _take_out_unknown(child, known.children[child.tag], log)
    node.children = [child for child in node.children if child.tag in children]
