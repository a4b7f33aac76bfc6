"""Looking at models: the abstract scene, its drawing, windows, recordings and files of runs.

Names are loaded on first use; only ``ViewerGL`` needs OpenGL.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newtonish.viewer.errors import ViewerUnavailable
    from newtonish.viewer.file import ViewerFile
    from newtonish.viewer.null import ViewerNull
    from newtonish.viewer.renderer import Renderer
    from newtonish.viewer.replay import Replay
    from newtonish.viewer.rerun import ViewerRerun
    from newtonish.viewer.script_panel import ScriptPanel
    from newtonish.viewer.simulation import Simulation
    from newtonish.viewer.usd import ViewerUSD
    from newtonish.viewer.web.window import ViewerWeb
    from newtonish.viewer.window import ViewerGL

_HOME = {
    "Renderer": "newtonish.viewer.renderer",
    "Replay": "newtonish.viewer.replay",
    "ScriptPanel": "newtonish.viewer.script_panel",
    "Simulation": "newtonish.viewer.simulation",
    "ViewerFile": "newtonish.viewer.file",
    "ViewerGL": "newtonish.viewer.window",
    "ViewerNull": "newtonish.viewer.null",
    "ViewerRerun": "newtonish.viewer.rerun",
    "ViewerUSD": "newtonish.viewer.usd",
    "ViewerUnavailable": "newtonish.viewer.errors",
    "ViewerWeb": "newtonish.viewer.web.window",
}

__all__ = [
    "Renderer", "Replay", "ScriptPanel", "Simulation", "ViewerFile", "ViewerGL", "ViewerNull", "ViewerRerun", "ViewerUSD", "ViewerUnavailable", "ViewerWeb",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name from its home module and keep it for the next use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its public names are in __all__")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
