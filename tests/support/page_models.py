"""The models of the page on GPUs (``docs/gpu.md``): built-in ones by name, real ones by their file in the folder beside the repository."""

from __future__ import annotations

from paths import REPO

from newtonish.cli.models import model_path

PAGE_MODELS = (
    "humanoid", "arm", "unitree_g1/scene.xml", "humanoids_3", "arm_gripper", "hand_cube", "biped_flat", "biped_terrain", "muscle_arm",
    "dm_humanoid/humanoid.xml",
)  # fmt: skip


def file_of(name: str) -> str:
    """The file of a model of the page, or of another built-in one, or ``name`` as it is if it is a path."""
    shared = REPO.parent / "shared" / "models" / name
    return str(shared if name.endswith(".xml") and shared.exists() else model_path(name))
