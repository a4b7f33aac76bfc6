"""``newtonish view MODEL``: a window on a simulation, on the screen or in a browser; ``newtonish view run.npz``: one that plays a recorded run.

``newtonish serve`` is the browser's, for others too.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from newtonish.cli.arguments import UsageError, use_device
from newtonish.errors import problem

__all__ = ["run", "serve"]


def _source(arguments: Namespace) -> Any:
    """The simulation or the recording to show."""
    path = Path(arguments.model or "")
    if path.suffix.lower() == ".npz" and path.is_file():
        use_device("cpu")
        from newtonish.viewer.file import is_recording

        if is_recording(path):
            from newtonish.viewer.replay import Replay

            given = [
                f"--{name}"
                for name, usual in (("worlds", 1), ("keyframe", None), ("push", None), ("control", "zero"), ("camera", None), ("track", None))
                if getattr(arguments, name) != usual
            ]
            if given:
                raise UsageError(problem(f"view {path.name}", ", ".join(given), "none of these with a recorded run", "leave them out"))
            return Replay(path)
    from newtonish.cli.record import driver, open_simulation

    simulation = open_simulation(arguments)
    simulation.drive = driver(simulation, arguments.control, arguments.seed)
    return simulation


def _begin(viewer: Any, source: Any, arguments: Namespace) -> None:
    """Show what the command line asks for, from where it says."""
    from newtonish.cli.record import camera_of

    source.paused = arguments.paused
    viewer.show(source)
    arguments.world = None
    session = viewer.session
    session.take_camera(camera_of(session.maker, source, arguments))
    session.options.show(arguments.show or "")


def run(arguments: Namespace) -> int:
    """Carry out ``view``."""
    if arguments.web:
        return serve(arguments)
    from newtonish.viewer.window import ViewerGL  # first: without OpenGL nothing needs to be loaded

    source = _source(arguments)
    viewer = ViewerGL(*arguments.size)
    try:
        _begin(viewer, source, arguments)
        viewer.run()
    finally:
        viewer.close()
    return 0


def serve(arguments: Namespace) -> int:
    """Carry out ``serve``, and ``view --web``."""
    from newtonish.viewer.web.window import ViewerWeb

    source = _source(arguments)
    with ViewerWeb(arguments.port, arguments.host) as viewer:
        _begin(viewer, source, arguments)
        print(f"open {viewer.url} in a browser; Ctrl-C ends it", flush=True)
        viewer.run(rest=True)
    return 0
