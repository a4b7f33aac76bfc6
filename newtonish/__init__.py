"""MuJoCo's physics model as a plug-in solver in NVIDIA Warp, for thousands of worlds at once.

Public names are loaded on first use (PEP 562), so that ``import newtonish`` costs nothing and the command line can
answer ``--help`` without starting Warp. Two entrances lead to the same engine: the generic one (:class:`ModelBuilder`,
:class:`Model`, :class:`SolverMuJoCo`) and the array-level one (:mod:`newtonish.mjw`). :mod:`newtonish.mjcf` edits MJCF.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from newtonish.collector import paused
from newtonish.errors import (
    CapacityError,
    ImporterError,
    ModelError,
    NewtonishError,
    NewtonishWarning,
    UnsupportedError,
)

if TYPE_CHECKING:
    from newtonish.collide import CollisionPipeline
    from newtonish.exporters.mjcf import save_to_mjcf
    from newtonish.exporters.usd import save_to_usd
    from newtonish.model.builder import ModelBuilder
    from newtonish.model.enums import (
        Axis,
        BodyFlags,
        GeoType,
        JointTargetMode,
        JointType,
        ModelFlags,
        ShapeFlags,
        StateFlags,
    )
    from newtonish.model.fk import eval_fk, eval_ik
    from newtonish.model.geometry import Mesh
    from newtonish.model.heightfield import Heightfield
    from newtonish.model.model import Model
    from newtonish.model.state import Contacts, Control, State
    from newtonish.solver.base import SolverBase
    from newtonish.solver.solver_mujoco import SolverMuJoCo
    from newtonish.verbosity import set_verbosity
    from newtonish.viewer.web.notebook import show

__version__ = "0.1.0"

_HOME = {
    "Axis": "newtonish.model.enums",
    "BodyFlags": "newtonish.model.enums",
    "CollisionPipeline": "newtonish.collide",
    "Contacts": "newtonish.model.state",
    "Control": "newtonish.model.state",
    "GeoType": "newtonish.model.enums",
    "Heightfield": "newtonish.model.heightfield",
    "JointTargetMode": "newtonish.model.enums",
    "JointType": "newtonish.model.enums",
    "Mesh": "newtonish.model.geometry",
    "Model": "newtonish.model.model",
    "ModelBuilder": "newtonish.model.builder",
    "ModelFlags": "newtonish.model.enums",
    "ShapeFlags": "newtonish.model.enums",
    "SolverBase": "newtonish.solver.base",
    "SolverMuJoCo": "newtonish.solver.solver_mujoco",
    "State": "newtonish.model.state",
    "StateFlags": "newtonish.model.enums",
    "eval_fk": "newtonish.model.fk",
    "eval_ik": "newtonish.model.fk",
    "save_to_mjcf": "newtonish.exporters.mjcf",
    "save_to_usd": "newtonish.exporters.usd",
    "set_verbosity": "newtonish.verbosity",
    "show": "newtonish.viewer.web.notebook",
}
"""Which module defines each name that is loaded on first use."""

_SUBMODULES = ("envs", "interop", "mjcf", "mjw", "solvers")

__all__ = [
    "Axis",
    "BodyFlags",
    "CapacityError",
    "CollisionPipeline",
    "Contacts",
    "Control",
    "GeoType",
    "Heightfield",
    "ImporterError",
    "JointTargetMode",
    "JointType",
    "Mesh",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelFlags",
    "NewtonishError",
    "NewtonishWarning",
    "ShapeFlags",
    "SolverBase",
    "SolverMuJoCo",
    "State",
    "StateFlags",
    "UnsupportedError",
    "__version__",
    "eval_fk",
    "eval_ik",
    "interop",
    "mjcf",
    "mjw",
    "save_to_mjcf",
    "save_to_usd",
    "set_verbosity",
    "show",
    "solvers",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home module and keep it for the next use."""
    if name not in _HOME and name not in _SUBMODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its public names are in __all__")
    with paused():
        value = getattr(import_module(_HOME[name]), name) if name in _HOME else import_module(f"{__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
