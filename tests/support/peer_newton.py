"""As a plug-in of pytest (``-p peer_newton``): Newton's test files of its MuJoCo solver, with newtonish.SolverMuJoCo in its place.

The models are Newton's own, with its own declarations of custom attributes. Private functions that some tests import stay Newton's. Of private names
of the solver the two packages are there, ``_mujoco`` and in place of mujoco_warp ``newtonish.mjw``.
"""

from __future__ import annotations


def pytest_configure(config) -> None:
    import mujoco
    import newton.solvers
    from newton._src import solvers
    from newton._src.solvers.mujoco import solver_mujoco

    import newtonish
    from newtonish import mjw

    theirs = solver_mujoco.SolverMuJoCo

    class SolverMuJoCo(newtonish.SolverMuJoCo):
        register_custom_attributes = theirs.register_custom_attributes
        import_mujoco = theirs.import_mujoco
        _mujoco, _mujoco_warp = mujoco, mjw

    for module in (newton.solvers, solvers):
        module.SolverMuJoCo = SolverMuJoCo
