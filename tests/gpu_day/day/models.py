"""The models of a day."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from day.places import REPO

__all__ = ["BENCHED", "EIGHT", "SHARED", "chosen", "model_file", "present", "shared_folders"]

EIGHT = ("humanoid", "humanoids_3", "unitree_g1/scene.xml", "arm", "arm_gripper", "biped_terrain", "hand_cube", "muscle_arm")
"""Compared with the CPU: built-in models by name, others by their file in the folder of real models."""

BENCHED = ("humanoid", "humanoids_3", "unitree_g1/scene.xml", "arm")
"""Measured beside mujoco_warp."""

SHARED = REPO.parent / "shared" / "models"
"""Real models, beside the repository."""


def model_file(name: str) -> Path:
    """The file of a model; FileNotFoundError for one of the folder of real models where that folder is missing."""
    if name.endswith(".xml"):
        path = SHARED / name
        if not path.exists():
            raise FileNotFoundError(f"{name}: {SHARED} has no such file; put the folder of real models beside the repository")
        return path
    from newtonish.cli.models import model_path

    return model_path(name)


def chosen(run: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    """The models that were asked for, or those of a slice as far as their files are there; the journal has the others."""
    if run.options.models:
        return tuple(run.options.models)
    there = present(default)
    for name in default:
        if name not in there:
            run.journal.write("left out", model=name, why="the folder of real models is not beside the repository")
    return there


def present(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the models whose files are there."""
    return tuple(name for name in names if not name.endswith(".xml") or (SHARED / name).exists())


def shared_folders(names: tuple[str, ...]) -> list[Path]:
    """Folders of the real models among these."""
    return [SHARED / Path(name).parts[0] for name in names if name.endswith(".xml")]
