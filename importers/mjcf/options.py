"""MJCF's ``option``, ``flag``, ``size`` and ``statistic``: values of the ``mujoco:*`` attributes that exist once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.compiler import Settings
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import schema
from newtonish.model.enums import AttributeFrequency
from newtonish.namespaces.mujoco_table import MUJOCO_ATTRIBUTES

__all__ = ["read_options", "write_options"]

ENUMS = ("integrator", "cone", "jacobian", "solver")
MJCF_DEFAULTS = {"integrator": "Euler", "cone": "pyramidal", "jacobian": "auto", "solver": "Newton"}
FLAGS_NOT_YET = ("ipc",)
GRAVITY = (0.0, 0.0, -9.81)

_LISTS = {row.name: row.default for row in MUJOCO_ATTRIBUTES if isinstance(row.default, tuple)}


def read_options(root: Node, settings: Settings, log: Diagnostics) -> dict[str, Any]:
    """Return attribute values by name without namespace, and gravity under ``gravity``."""
    values: dict[str, Any] = {"gravity": list(GRAVITY), "autolimits": settings.autolimits, "flag_multiccd": True}
    values.update({name: KEYWORDS[name].split().index(MJCF_DEFAULTS[name]) for name in ENUMS})
    for node in root.sections("option"):
        for name, value in node.values.items():
            _option(node, name, value, values, log)
        for child in node.sections("flag"):
            _flags(child, values, log)
    for node in (child for section in root.sections("compiler") for child in section.sections("lengthrange")):
        for name, value in node.values.items():
            if isinstance(value, float) and not 0 <= value < math.inf:
                log.problem(node.at(name), f"lengthrange, {name}", str(value), "a number not below zero", "correct it")
            values[f"lengthrange_{name}"] = KEYWORDS["lrmode"].split().index(value) if name == "mode" else value
    for node in root.sections("size"):
        number = node.values.get("nuserdata", 0)
        if not 0 <= number <= 1_000_000:
            log.problem(node.at("nuserdata"), "size, nuserdata", str(number), "0 to 1000000", "use a number in that range")
        elif number:
            values["nuserdata"] = number
    for node in root.sections("statistic"):
        for name, value in node.values.items():
            if name != "center" and (not math.isfinite(value) or value <= 0):
                log.problem(node.at(name), f"statistic, {name}", str(value), "a number above zero", "correct it")
            values[f"stat_{name}"] = value
    return values


def write_options(builder: Any, options: dict[str, Any], turn: np.ndarray) -> None:
    """Write attributes that exist once, or once for each world; vectors are turned with the axes of the file."""
    values = {k: frames.rotate(turn, np.array(v)).tolist() if k in ("gravity", "wind", "magnetic") else v for k, v in options.items()}
    gravity = values.pop("gravity", None)
    if gravity is not None and builder.current_world >= 0:
        import warp as wp

        builder.world_gravity[builder.current_world] = wp.vec3(*gravity)
    elif gravity is not None:
        builder.gravity = gravity
    for name, value in values.items():
        attribute = builder.custom_attributes[f"mujoco:{name}"]
        row = max(builder.current_world, 0) if attribute.frequency == AttributeFrequency.WORLD else 0
        attribute.values[row] = value


def _option(node: Node, name: str, value: Any, values: dict[str, Any], log: Diagnostics) -> None:
    """Read one attribute of ``option``."""
    numbers = value if isinstance(value, list) else [value]
    if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
        log.problem(node.at(name), f"option, {name}", str(value), "finite numbers", "correct it")
        return
    if name == "timestep" and value <= 0:
        log.problem(node.at(name), "option, timestep", str(value), "a time above zero [s]", "correct it")
        return
    if name == "actuatorgroupdisable":
        if any(not 0 <= group <= 30 for group in value):
            log.problem(node.at(name), f"option, {name}", str(value), "groups 0 to 30", "correct it")
            return
        values["disableactuator"] = sum({1 << group for group in value})
        return
    if name in ENUMS:
        value = KEYWORDS[name].split().index(value)
    if name in _LISTS and isinstance(value, list):
        value = [*value, *_LISTS[name][len(value) :]]
    values[name] = value


def _flags(node: Node, values: dict[str, Any], log: Diagnostics) -> None:
    """Read the ``flag`` element."""
    for name, value in node.values.items():
        enabled = value == "enable"
        values["enable_sleeping" if name == "sleep" else f"flag_{name}"] = enabled
        if enabled and name in FLAGS_NOT_YET and name in schema("flag").attributes:
            log.ignored(f"flag.{name}", node.at(name), f"flag, {name}", "is kept but not simulated yet")
