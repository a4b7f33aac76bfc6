"""``newtonish list``: the models and tasks that are known by name."""

from __future__ import annotations

from argparse import Namespace

from newtonish.cli import tables
from newtonish.cli.models import FILES, LARGEST, SCENES, SUITE, model_path
from newtonish.cli.output import findings

__all__ = ["run"]

_ABOUT = {entry.name: entry.about for entry in SUITE}
_SCENES = {"humanoids": "N humanoids in one world", "boxes": "a pile of N boxes"}


def _tasks() -> dict[str, str]:
    """Names of environments, with what each is; none without Gymnasium."""
    try:
        from newtonish.envs import TASKS
    except ModuleNotFoundError:
        return {}
    own = {name: " ".join((task.__doc__ or "").split()).split(". ")[0].replace("``", "") for name, task in TASKS.items()}
    return {name: "Gymnasium's task of this name" if name.endswith("-v5") else about for name, about in own.items()}


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    models = {name: _ABOUT.get(name, "") for name in FILES}
    scenes = {f"{kind}_N": f"{_SCENES.get(kind, '')}, N from 1 to {LARGEST}" for kind in SCENES}
    tasks = _tasks()
    findings(arguments, {"models": {name: {"about": about, "file": model_path(name)} for name, about in models.items()}, "scenes": scenes, "tasks": tasks})
    tables.grid("Models, for every command that takes one", ("name", "what it is"), [*models.items(), *scenes.items()], left=2)
    if tasks:
        tables.grid("Tasks, for newtonish.envs.make_vec(NAME)", ("name", "what it is"), list(tasks.items()), left=2)
    else:
        print("\nTasks need Gymnasium: pip install 'newtonish[envs]'")
    return 0
