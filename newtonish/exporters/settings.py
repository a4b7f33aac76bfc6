"""The sections that hold for the whole: compiler, option, size, statistic."""

from __future__ import annotations

from typing import Any

from lxml import etree

from newtonish.exporters.world import CompiledWorld, add

__all__ = ["write_settings"]

NUMBERS = (
    "timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "sleep_tolerance", "gravity", "wind",
    "magnetic", "density", "viscosity", "o_margin", "o_solref", "o_solimp", "o_friction", "iterations", "ls_iterations",
    "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints",
)  # fmt: skip
WORDS = {
    "integrator": ("Euler", "RK4", "implicit", "implicitfast", "discrete"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
    "solver": ("PGS", "CG", "Newton"),
}
DISABLE = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl", "warmstart",
    "filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp", "autoreset", "nativeccd", "island", "multiccd",
)  # fmt: skip
ENABLE = ("override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "ipc", "speculative")
USER = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
STATISTICS = ("meanmass", "meansize", "extent", "center")
_GROUPS = 31


def write_settings(root: etree._Element, world: CompiledWorld, length_range: dict[str, Any], inertia: float | None) -> None:
    """Write what stands before the objects.

    Args:
        root: The ``mujoco`` element.
        world: The arrays.
        length_range: How length ranges of actuators are found that are not given.
        inertia: Mean inertia, where it is not that of the bodies; MuJoCo warns of it.
    """
    compiler = add(root, "compiler", angle="radian", autolimits=False, inertiafromgeom="false", boundmass=0.0, boundinertia=0.0, balanceinertia=False)
    if length_range:
        add(compiler, "lengthrange", **length_range)
    values = {name: world.option(name) for name in NUMBERS}
    words = {name: known[int(world.option(name))] for name, known in WORDS.items()}
    groups = [i for i in range(_GROUPS) if int(world.option("disableactuator")) >> i & 1]
    option = add(root, "option", **values, **words, actuatorgroupdisable=groups or None)
    off, on = int(world.option("disableflags")), int(world.option("enableflags"))
    flags = {name: "disable" for bit, name in enumerate(DISABLE) if off >> bit & 1}
    flags |= {name: "enable" for bit, name in enumerate(ENABLE) if on >> bit & 1}
    if flags:
        add(option, "flag", **flags)
    widths = {f"nuser_{kind}": getattr(world.compiled, f"nuser_{kind}") for kind in USER}
    sizes = {name: number for name, number in {"nuserdata": world.compiled.nuserdata, **widths}.items() if number}
    if sizes:
        add(root, "size", **sizes)
    statistic = {name: getattr(world.compiled.stat, name) for name in STATISTICS}
    statistic = {name: value for name, value in statistic.items() if name == "center" or value > 0.0}
    add(root, "statistic", meaninertia=inertia, **statistic)
