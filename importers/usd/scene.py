"""The physics scene: gravity, and what ``mjc:*`` and others say of options, flags and the compiler."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newtonish.diagnostics import Location
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.document import mjc_values
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.read import Node

__all__ = ["Scene", "read_scene"]

OPTIONS = (
    "actuatorgroupdisable ccd_iterations ccd_tolerance cone density impratio integrator jacobian ls_iterations"
    " ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints"
    " sdf_iterations solver tolerance viscosity wind sleep_tolerance"
)
LISTS = {"o_solref": 2, "o_solimp": 5, "o_friction": 5}
FLAGS = (
    "actuation autoreset clampctrl constraint contact damper energy equality eulerdamp filterparent frictionloss fwdinv"
    " invdiscrete island limit midphase multiccd nativeccd override refsafe sensor spring warmstart"
)
EARTH = 9.81
"""Gravity where the scene leaves it to the reader [m/s^2]."""


class Scene:
    """What the scene says.

    Attributes:
        settings: How elements are to be read; their angles are radians.
        degree: Whether ``mjc:ref`` and ``mjc:springref`` are in degrees.
        option: The element of options.
        gravity: In the stage's axes [m/s^2].
        mujoco: Whether what is not authored has MuJoCo's default, and not the builder's.
        prim: The prim of the scene, None for none.
    """

    def __init__(self) -> None:
        self.settings = Settings(degree=False)
        self.degree = True
        self.option = Node("option", Location("/"), kind="option")
        self.gravity = np.zeros(3)
        self.mujoco = False
        self.prim: Any = None

    @property
    def authored(self) -> set[str]:
        """Names of the options and flags that are written, without namespace."""
        names = {"disableactuator" if name == "actuatorgroupdisable" else name for name in self.option.values}
        return names | {f"flag_{name}" for flag in self.option.children for name in flag.values}


def read_scene(source: Source, resolver: Resolver) -> Scene:
    """Read the first physics scene; without one, Earth's gravity and MuJoCo's options."""
    scene = Scene()
    up = np.array([0.0, 1.0, 0.0] if source.up == "Y" else [0.0, 0.0, 1.0])
    found = source.of("PhysicsScene")
    for prim in found[1:]:
        source.log.ignored("scene", source.place(prim), str(prim.GetPath()), f"is a second scene; {found[0].GetPath()} is used")
    if not found:
        scene.gravity = -EARTH * up
        return scene
    prim = scene.prim = found[0]
    direction = np.array(source.get(prim, "physics:gravityDirection", [0.0, 0.0, 0.0]))
    size = source.get(prim, "physics:gravityMagnitude", -math.inf)
    size = EARTH if math.isinf(size) or size < 0 else size * source.length
    length = float(np.linalg.norm(direction))
    if not math.isfinite(length) or not math.isfinite(size):
        source.problem(prim, "physics:gravityDirection, gravityMagnitude", f"{direction.tolist()}, {size}", "finite numbers", "correct them")
        return scene
    scene.gravity = size * (direction / length if length > 0 else -up)
    scene.option = Node("option", source.place(prim), kind="option")
    _common(source, resolver, prim, scene)
    kept = any(name.startswith("newtonish:option:") for name in source.authored(prim))
    scene.mujoco = kept or (resolver.mjc and "MjcSceneAPI" in source.apis(prim))
    if resolver.mjc:
        _options(source, prim, scene)
        _compiler(source, prim, scene)
    if kept and "MjcSceneAPI" not in source.apis(prim):  # a stage of ours that has what MuJoCo says beside the schemas
        _compiler(source, prim, scene, "newtonish")
    return scene


def _common(source: Source, resolver: Resolver, prim: Any, scene: Scene) -> None:
    """Options that several dialects have."""
    for name in ("timestep", "iterations"):
        value = resolver.find(prim, name)
        if value is not None:
            scene.option.values[name] = value
    if not resolver.find(prim, "gravity_enabled", default=True):
        _flag(scene, "gravity", False)


def _flag(scene: Scene, name: str, enabled: bool) -> None:
    """Add a flag to the options."""
    if not scene.option.children:
        scene.option.children.append(Node("flag", scene.option.location, kind="flag"))
    scene.option.children[0].values[name] = "enable" if enabled else "disable"


def _options(source: Source, prim: Any, scene: Scene) -> None:
    """Read ``mjc:option:*`` and ``mjc:flag:*``."""
    words = {key.rpartition(":")[2]: value for key, value in mjc_values(source, prim, " ".join(f"option:{name}" for name in OPTIONS.split())).items()}
    for name, count in LISTS.items():
        if name in words and len(words[name]) != count:
            source.problem(prim, f"mjc:option:{name}", f"{len(words[name])} numbers", f"{count} numbers", "correct the array")
            del words[name]
    for name in ("integrator", "cone", "jacobian", "solver"):
        if name in words:
            known = {word.lower(): word for word in KEYWORDS[name].split()}
            if str(words[name]).lower() not in known:
                source.problem(prim, f"mjc:option:{name}", f"'{words[name]}'", ", ".join(known), "correct it")
                del words[name]
            else:
                words[name] = known[str(words[name]).lower()]
    scene.option.values.update(words)
    for name in FLAGS.split():
        value = source.get(prim, f"mjc:flag:{name}")
        if value is not None:
            _flag(scene, name, bool(value))


def _compiler(source: Source, prim: Any, scene: Scene, space: str = "mjc") -> None:
    """Read ``mjc:compiler:*``, or the same words of another namespace."""
    settings = scene.settings

    def value(name: str) -> Any:
        return source.get(prim, f"{space}:compiler:{name}")

    angle = value("angle")
    if angle not in (None, "degree", "radian"):
        source.problem(prim, f"{space}:compiler:angle", f"'{angle}'", "degree, radian", "correct it")
    scene.degree = angle != "radian"
    for name in ("autoLimits", "balanceInertia", "alignFree", "fuseStatic"):
        if value(name) is not None:
            setattr(settings, name.lower(), bool(value(name)))
    for name in ("boundMass", "boundInertia", "setTotalMass"):
        number = source.number(prim, f"{space}:compiler:{name}")
        if number is None:
            continue
        if not math.isfinite(number) or (name != "setTotalMass" and number < 0):
            source.problem(prim, f"{space}:compiler:{name}", str(number), "a number not below zero", "correct it")
        else:
            setattr(settings, name.lower(), number)
    infer = value("inertiaFromGeom")
    if infer not in (None, "auto", "true", "false"):
        source.problem(prim, f"{space}:compiler:inertiaFromGeom", f"'{infer}'", "auto, true, false", "correct it")
    elif infer is not None:
        settings.inertiafromgeom = infer
    low, high = value("inertiaGroupRange:min"), value("inertiaGroupRange:max")
    settings.inertiagrouprange = (0 if low is None else low, 5 if high is None else high)
    for name, note in (
        ("fitAABB", "has no effect: shapes are not fitted to meshes"),
        ("saveInertial", "has no effect on physics"),
        ("useThread", "has no effect on physics"),
    ):
        if value(name) is not None:
            source.log.ignored(f"compiler {name}", source.place(prim), f"{space}:compiler:{name}", note, warn=False)
