"""save_to_mjcf: one world of a model as MJCF that needs no other file and compiles to the same arrays.

What is written is the result of compiling: no defaults, includes, frames or macros, angles in radians, actuators in their
general form, inertia for every body, meshes by their vertices. The XML reference of MuJoCo says what each word means.
"""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from newtonish.convert import CompiledModel, convert
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError, problem, raise_all
from newtonish.exporters.assets import Assets
from newtonish.exporters.custom import write_custom
from newtonish.exporters.drives import write_actuators, write_keyframes, write_sensors
from newtonish.exporters.fields import write_fields
from newtonish.exporters.pictures import PictureWriter, write_png
from newtonish.exporters.relations import write_contact, write_equalities, write_tendons
from newtonish.exporters.settings import write_settings
from newtonish.exporters.tree import write_tree
from newtonish.exporters.world import CompiledWorld
from newtonish.files import write_file
from newtonish.namespaces.looks import Texture

__all__ = ["compiled_tree", "save_to_mjcf", "to_mjcf", "world_text"]

MODES = ("none", "muscle", "muscleuser", "all")
LENGTH_RANGE = {
    "mode": 1, "useexisting": True, "uselimit": False, "accel": 20.0, "maxforce": 0.0, "timeconst": 1.0, "timestep": 0.01,
    "inttotal": 10.0, "interval": 2.0, "tolrange": 0.05,
}  # fmt: skip
"""How length ranges are found where nothing is said."""


def save_to_mjcf(source: Any, path: str | PathLike[str], world: int = 0) -> None:
    """Write one world of a model as an MJCF file, which MuJoCo and ``ModelBuilder.add_mjcf`` compile to the same arrays.

    Meshes and heightfields are written into the file, and so is what the model keeps of pictures (materials, procedural textures,
    skins, ...); textures that come from files are written as PNG files beside it, ``NAME_of_the_file.TEXTURE.png``.

    Args:
        source: A Model (ours or Newton's), a ``SolverMuJoCo``, or the result of ``newtonish.convert.convert``.
        path: File to write; an existing one is replaced.
        world: Whose values are written, from 0.

    Raises:
        ModelError: There is no such world, or the model cannot be converted.
        UnsupportedError: With everything in the model that MJCF has no words for, each by name. Nothing is written then.
        OSError: The file cannot be written.
    """
    files: dict[str, Texture] = {}
    text = to_mjcf(source, world, Path(path).stem, files)
    for name, texture in files.items():
        write_png(texture, Path(path).parent / name)
    write_file(path, text)


def to_mjcf(source: Any, world: int = 0, stem: str = "model", files: dict[str, Texture] | None = None) -> str:
    """The text of :func:`save_to_mjcf`; textures that have to be files go into ``files``, by the names that the text calls them, or are left out."""
    root, one = compiled_tree(source, world, "save_to_mjcf", pictures=PictureWriter(stem, files))
    raise_all(UnsupportedError, "save_to_mjcf", one.problems)
    _warn_of_gains(one)
    etree.indent(root, "  ")
    return etree.tostring(root, encoding="unicode", pretty_print=True)


def world_text(source: Any, world: int, who: str) -> tuple[str, list[str]]:
    """One world of a model as MJCF without pictures, and what has no words in it, a line each; ``who`` is named in errors."""
    root, one = compiled_tree(source, world, who)
    return etree.tostring(root, encoding="unicode"), one.problems


def compiled_tree(source: Any, world: int, who: str, filters: bool = True, pictures: PictureWriter | None = None) -> tuple[etree._Element, CompiledWorld]:
    """The elements of one world of a model, and that world with what has no words in MJCF.

    ``who`` is named in errors; without ``filters``, pairs of geoms that must not meet are left to the caller. Without ``pictures``, what is kept for
    viewers is left out.
    """
    model = getattr(source, "model", source)
    compiled = source if isinstance(source, CompiledModel) else getattr(source, "compiled", None)
    if compiled is None:
        if not hasattr(source, "body_count"):
            text = problem(f"{who}: source", f"a {type(source).__name__}", "a Model, a SolverMuJoCo or a CompiledModel", "pass one of these")
            raise ModelError(text)
        compiled = convert(source)
    if isinstance(world, bool) or not isinstance(world, (int, np.integer)) or not 0 <= world < compiled.nworld:
        raise ModelError(problem(f"{who}: world", repr(world), f"0 to {compiled.nworld - 1}", "pass the number of a world"))
    one = CompiledWorld(compiled, int(world), pictures is not None)
    root = etree.Element("mujoco")
    namespace = getattr(model, "mujoco", None)
    write_settings(root, one, _length_range(namespace), _number(namespace, "stat_meaninertia"))
    write_fields(root, one)
    if pictures is not None:
        pictures.write_assets(root, one)
    assets = Assets(root, one)
    write_tree(root, one, assets)
    write_contact(root, one, filters)
    write_tendons(root, one)
    write_equalities(root, one)
    write_actuators(root, one)
    write_sensors(root, one)
    write_custom(root, one)
    write_keyframes(root, one)
    if pictures is not None:
        pictures.write_skins(root, one)
    return root, one


def _warn_of_gains(world: CompiledWorld) -> None:
    """Say that contacts whose stiffness is in newtons per metre are written with the solref that stands for it."""
    stiff = np.flatnonzero(np.any(world.geom_gain, axis=-1))
    if len(stiff):
        given = f"stiffness in N/m of {len(stiff)} geoms, the first is '{world.names['geom'][stiff[0]]}'"
        allowed = "solref, which depends on the masses that touch; that of the geoms is written"
        warnings.warn(problem("save_to_mjcf", given, allowed, "check the contacts of the written model"), NewtonishWarning, stacklevel=4)


def _length_range(namespace: Any) -> dict[str, Any]:
    """How a model says that length ranges are found; empty where it says nothing."""
    found: dict[str, Any] = {}
    for name, default in LENGTH_RANGE.items():
        value = _number(namespace, f"lengthrange_{name}")
        if value is not None and value != default:
            found[name] = MODES[int(value)] if name == "mode" else bool(value) if isinstance(default, bool) else value
    return found


def _number(namespace: Any, name: str) -> float | None:
    """An attribute that exists once, None where there is none or it is not given."""
    value = getattr(namespace, name, None)
    if value is None:
        return None
    number = float(np.asarray(value.numpy() if hasattr(value, "numpy") else value).ravel()[0])
    return None if np.isnan(number) else float(str(np.float32(number)))
