"""``newtonish view MODEL``: a window on a simulation; ``newtonish view run.npz``: one that plays a recorded run."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from newtonish.cli.arguments import UsageError, use_device
from newtonish.errors import problem

__all__ = ["run"]


def _source(arguments: Namespace) -> Any:
    """The simulation or the recording to show."""
    path = Path(arguments.model or "")
    if path.suffix.lower() == ".npz" and path.is_file():
        use_device("cpu")
        from newtonish.viewer.file import is_recording

        if is_recording(path):
            from newtonish.viewer.replay import Replay

            given = [f"--{name}" for name, usual in (("worlds", 1), ("keyframe", None), ("push", None)) if getattr(arguments, name) != usual]
            if given:
                raise UsageError(problem(f"view {path.name}", ", ".join(given), "none of these with a recorded run", "leave them out"))
            return Replay(path)
    from newtonish.cli.record import open_simulation

    return open_simulation(arguments)


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    from newtonish.viewer.window import ViewerGL  # first: without OpenGL nothing needs to be loaded

    source = _source(arguments)
    source.paused = arguments.paused
    viewer = ViewerGL(*arguments.size)
    try:
        viewer.run(source)
    finally:
        viewer.close()
    return 0
