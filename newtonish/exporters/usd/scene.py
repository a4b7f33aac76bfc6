"""The physics scene: gravity, and options, flags and what else holds for the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.kept import PREFIX, Keeper, same
from newtonish.exporters.usd.layer import StageLayer
from newtonish.mjcf.language.read import Node

__all__ = ["write_scene"]

TYPES = Sdf.ValueTypeNames
OPTIONS = {
    **dict.fromkeys(("ccd_iterations", "iterations", "ls_iterations", "noslip_iterations", "sdf_initpoints", "sdf_iterations"), TYPES.Int),
    **dict.fromkeys(
        ("ccd_tolerance", "density", "impratio", "ls_tolerance", "noslip_tolerance", "o_margin", "timestep", "tolerance", "viscosity", "sleep_tolerance"),
        TYPES.Double,
    ),
    **dict.fromkeys(("magnetic", "wind"), TYPES.Double3), **dict.fromkeys(("o_friction", "o_solimp", "o_solref"), TYPES.DoubleArray),
    **dict.fromkeys(("cone", "integrator", "jacobian", "solver"), TYPES.Token), "actuatorgroupdisable": TYPES.IntArray,
}  # fmt: skip
USUAL = {
    "ccd_iterations": 35, "iterations": 100, "ls_iterations": 50, "noslip_iterations": 0, "sdf_initpoints": 40, "sdf_iterations": 10,
    "ccd_tolerance": 1e-6, "density": 0.0, "impratio": 1.0, "ls_tolerance": 0.01, "noslip_tolerance": 1e-6, "o_margin": 0.0, "tolerance": 1e-8,
    "viscosity": 0.0, "sleep_tolerance": 1e-3, "magnetic": [0.0, -0.5, 0.0], "wind": [0.0] * 3, "o_friction": [1.0, 1.0, 0.005, 1e-4, 1e-4],
    "o_solimp": [0.9, 0.95, 0.001, 0.5, 2.0], "o_solref": [0.02, 1.0], "cone": "pyramidal", "jacobian": "auto", "solver": "Newton",
}  # fmt: skip
"""Options that need not be written."""
WORDS = {"integrator": ("Euler", "RK4", "implicit", "implicitfast")}
"""Values for which the schema has no token are kept beside it."""
FLAGS = [
    "actuation",
    "autoreset",
    "clampctrl",
    "constraint",
    "contact",
    "damper",
    "energy",
    "equality",
    "eulerdamp",
    "filterparent",
    "frictionloss",
    "fwdinv",
    "gravity",
    "invdiscrete",
    "island",
    "limit",
    "midphase",
    "multiccd",
    "nativeccd",
    "override",
    "refsafe",
    "sensor",
    "spring",
    "warmstart",
]
EXACT = 1e-6
"""Relative difference of time steps that is single precision."""
COMPILER = {"angle": TYPES.Token, "autolimits": TYPES.Bool, "inertiafromgeom": TYPES.Token}
CAMEL = {"autolimits": "autoLimits", "inertiafromgeom": "inertiaFromGeom"}


def write_scene(layer: StageLayer, keeper: Keeper, root: Node, path: str) -> None:
    """Write the scene; without ``mjc:*`` options stand beside the schemas."""
    spec = layer.define(path, "PhysicsScene", ("MjcSceneAPI",))
    for section in root.children:
        if section.tag == "option":
            _options(layer, keeper, spec, section)
        elif section.tag == "compiler":
            for name, kind in COMPILER.items():
                space = "mjc" if layer.mjc else PREFIX
                layer.put(spec, f"{space}:compiler:{CAMEL.get(name, name)}", kind, section.values[name], uniform=True, custom=not layer.mjc)
            for child in section.children:
                keeper.rest(spec, child, prefix=f"compiler:{child.tag}:", strict=True)
        elif section.tag in ("size", "statistic"):
            keeper.rest(spec, section, prefix=f"{section.tag}:", strict=True)


def _options(layer: StageLayer, keeper: Keeper, spec: Any, option: Node) -> None:
    """Write options and flags."""
    gravity = np.array(option.values["gravity"])
    size = float(np.linalg.norm(gravity))
    layer.put(spec, "physics:gravityDirection", TYPES.Vector3f, gravity / size if size else (0.0, 0.0, -1.0))
    layer.put(spec, "physics:gravityMagnitude", TYPES.Float, size)
    said = _newton(layer, spec, option)
    for name, value in option.values.items():
        if name == "gravity" or (name in USUAL and same(value, USUAL[name])) or (name in said and not layer.mjc):
            continue
        if not layer.mjc or name not in OPTIONS or value not in WORDS.get(name, (value,)):
            keeper.one(spec, option, name, "option:")
            continue
        value = value.lower() if OPTIONS[name] == TYPES.Token else value
        layer.put(spec, f"mjc:option:{name}", OPTIONS[name], value, uniform=True)
    for flags in option.children:
        for name, value in flags.values.items():
            if name == "gravity" and not layer.mjc:
                continue  # newton:gravityEnabled says it
            if name in FLAGS and layer.mjc:
                layer.put(spec, f"mjc:flag:{name}", TYPES.Bool, value == "enable", uniform=True)
            else:
                layer.put(spec, f"{PREFIX}:option:flag:{name}", TYPES.Token, value, uniform=True, custom=True)


def _newton(layer: StageLayer, spec: Any, option: Node) -> set[str]:
    """Write what NewtonSceneAPI has; returns the options that it says to the digit: steps in a second are a whole number there."""
    if not layer.newton:
        return set()
    step = option.values["timestep"]
    rate = max(1, round(1.0 / step))
    layer.say(spec, "timeStepsPerSecond", rate)
    layer.say(spec, "maxSolverIterations", option.values["iterations"])
    layer.say(spec, "gravityEnabled", all(flags.values.get("gravity") != "disable" for flags in option.children))
    return {"iterations", *(["timestep"] if abs(rate * step - 1.0) < EXACT else [])}
