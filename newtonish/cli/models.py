"""Models that the command line knows by name, and the suite that ``newtonish bench --suite`` runs.

A name is taken for a file first. Scenes of many bodies are written into a temporary folder when they are asked for:
``humanoids_N`` and ``boxes_N`` with any number.
"""

from __future__ import annotations

import functools
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from newtonish.assets import HUMANOID, asset_path
from newtonish.assets.scenes import crowd, pile
from newtonish.cli.arguments import UsageError
from newtonish.cli.options import Setting
from newtonish.errors import problem

__all__ = ["FILES", "SUITE", "Entry", "as_mjcf", "model_path", "with_options"]

FILES = {
    "humanoid": HUMANOID,
    "biped_flat": "biped_flat.xml",
    "biped_terrain": "biped_terrain.xml",
    "arm": "arm.xml",
    "arm_gripper": "arm_gripper.xml",
    "hand_cube": "hand_cube.xml",
    "muscle_arm": "muscle_arm.xml",
}
"""Packaged files by their names on the command line."""

SCENES: dict[str, Callable[[int], str]] = {"humanoids": crowd, "boxes": pile}
"""Scenes written on demand; their names end in the number of copies."""

SUFFIXES = (".xml", ".mjcf", ".urdf", ".usd", ".usda", ".usdc", ".usdz", ".npz")
"""Of model files."""

LARGEST = 1000
"""Copies that a scene may have."""


@dataclass(frozen=True)
class Entry:
    """One model of the suite.

    Attributes:
        name: As on the command line.
        about: What it stands for.
        cost: About how long newtonish takes for a world and step on one core [us]; sets the number of steps.
        worlds: Numbers of worlds it is measured with.
    """

    name: str
    about: str
    cost: float
    worlds: tuple[int, ...] = (1, 256, 1024, 8192)


SUITE = (
    Entry("humanoid", "one humanoid, torque motors and servos", 25),
    Entry("humanoids_3", "three humanoids that touch", 120),
    Entry("biped_flat", "a biped of 29 servos on flat ground", 40),
    Entry("biped_terrain", "the same on a heightfield", 80),
    Entry("arm", "an arm of seven joints, no contacts", 4),
    Entry("arm_gripper", "an arm with a gripper and five objects on a table", 80),
    Entry("hand_cube", "a hand with a cube, elliptic cones", 50),
    Entry("muscle_arm", "fifteen muscles with wrapping tendons", 12),
    Entry("humanoids_10", "ten humanoids in one world", 600, (1, 256)),
    Entry("humanoids_30", "thirty humanoids in one world", 3000, (1,)),
    Entry("boxes_75", "a pile of boxes: 76 bodies", 4000, (1, 64)),
    Entry("humanoids_100", "a hundred humanoids in one world", 20000, (1,)),
)
"""What ``--suite`` measures, from small to large."""


@functools.lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory:
    """Where scenes are written; it goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="newtonish-scenes-")


def _scene(kind: str, count: int) -> Path:
    """The file of a scene, written at the first request."""
    path = Path(_folder().name) / f"{kind}_{count}.xml"
    if not path.exists():
        path.write_text(SCENES[kind](count), encoding="utf-8")
    return path


def _built_in(name: str) -> Path | None:
    """The file of a model known by name; None for another name."""
    if name in FILES:
        return asset_path(FILES[name])
    match = re.fullmatch(r"([a-z]+)_(\d+)", name)
    if match is None or match[1] not in SCENES:
        return None
    if not 1 <= int(match[2]) <= LARGEST:
        text = problem(f"model {name!r}", f"{match[2]} copies", f"1 to {LARGEST}", "choose another number")
        raise UsageError(text)
    return _scene(match[1], int(match[2]))


def as_mjcf(path: Path) -> Path:
    """The path of a model as other engines read it: archives of compiled arrays, URDF files and USD stages are written as MJCF for them."""
    from newtonish.exporters.archive import is_archive
    from newtonish.exporters.mjcf import save_to_mjcf
    from newtonish.importers.urdf.read import is_urdf
    from newtonish.mjw.from_file import read_compiled
    from newtonish.model.sources import is_usd

    if not is_archive(path) and not is_urdf(path) and not is_usd(path):
        return path
    copy = Path(_folder().name) / f"{path.stem}.xml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the engine that is measured has shown them
        save_to_mjcf(read_compiled(path)[0], copy)
    return copy


def _near(path: Path) -> str | None:
    """The built-in model, or the model file of that folder, whose name is most like a path that is not there."""
    folder = path.parent
    beside = [entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES] if folder.is_dir() else []
    built_in = [] if len(path.parts) > 1 else [*FILES]
    found = get_close_matches(path.name, [*built_in, *beside], n=1)
    return None if not found else found[0] if found[0] in built_in else str(folder / found[0])


def with_options(path: Path, settings: Sequence[Setting]) -> Path:
    """A copy of a model with other options, for engines that each read the file; the path itself without any."""
    if not settings:
        return path
    from newtonish import mjcf

    root = mjcf.from_path(str(as_mjcf(path)), escape_separators=True)
    for name, value in settings:
        try:
            setattr(root.option, name, value if "," not in value else [float(part) for part in value.split(",")])
        except (AttributeError, ValueError) as error:
            raise UsageError(f"--option {name}={value}: {' '.join(str(error).split())}") from error
    folder = Path(tempfile.mkdtemp(dir=_folder().name))
    mjcf.export_with_assets(root, str(folder), f"{path.stem}.xml")
    return folder / f"{path.stem}.xml"


def model_path(text: str | None) -> Path:
    """Path of a model file, or of a built-in model by its name; the packaged humanoid when none is named."""
    if text is None:
        return asset_path()
    path = Path(text)
    if path.is_dir():
        raise UsageError(problem(f"model {text!r}", "a folder", "a model file (.xml, .urdf, .usda or .npz)", "name a file in that folder"))
    if not path.exists():
        built_in = _built_in(text)
        if built_in is not None:
            return built_in
        known = f"a path to a model file, or {', '.join(FILES)}, {', '.join(f'{kind}_N' for kind in SCENES)}"
        near = _near(path)
        raise UsageError(problem(f"model {text!r}", "no such file", known, f"did you mean {near}?" if near else "check the path"))
    if not os.access(path, os.R_OK):
        raise UsageError(problem(f"model {text!r}", "a file without read permission", "a readable file", "change it"))
    return path
