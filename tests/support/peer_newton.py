"""As a plug-in of pytest (``-p peer_newton``): Newton's test files of its MuJoCo solver, with newtonish.SolverMuJoCo in its place.

The models are Newton's own, with its own declarations of custom attributes. Private functions that some tests import stay Newton's. Of private names
of the solver the two packages are there, ``_mujoco`` and in place of mujoco_warp ``newtonish.mjw``. Where a test file reads ``d.contact``, it sees the
contacts of all worlds one after another (``mjw.contact_list``), the layout that it is written for. Functions on the level of a file, with an argument
``test``, are no tests: classes of the same file call them.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path


def pytest_configure(config) -> None:
    import mujoco
    import newton.solvers
    from newton._src import solvers
    from newton._src.solvers.mujoco import solver_mujoco

    import newtonish
    from newtonish import mjw
    from newtonish.kernels.structs.container import Data

    theirs = solver_mujoco.SolverMuJoCo

    class SolverMuJoCo(newtonish.SolverMuJoCo):
        register_custom_attributes = theirs.register_custom_attributes
        _mujoco, _mujoco_warp = mujoco, mjw

    for module in (newton.solvers, solvers):
        module.SolverMuJoCo = SolverMuJoCo
    Data.contact = property(lambda d: mjw.contact_list(d) if _is_read_by_a_test() else d.__dict__["contact"])


def pytest_collection_modifyitems(items) -> None:
    items[:] = [item for item in items if getattr(item, "cls", None) is not None or "test" not in inspect.signature(item.function).parameters]


def _is_read_by_a_test() -> bool:
    """Whether the attribute that is being read is read in a test file, not in the library."""
    return Path(sys._getframe(2).f_code.co_filename).name.startswith("test_")
