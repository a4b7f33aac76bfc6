"""``step``, ``forward`` and their parts, recorded once and replayed on all cores."""

from __future__ import annotations

from newtonish.kernels import forward as stages
from newtonish.kernels import inverse as inverse_stages
from newtonish.kernels.modules import load_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.replay import run


def step(m: Model, d: Data) -> None:
    """Advance every world by ``m.opt.timestep`` [s].

    Worlds whose state is no longer finite are put back into the reference pose and counted in ``d.nonfinite``.

    Args:
        m: model.
        d: data; ``qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied, mocap_pos, mocap_quat, qacc_warmstart`` are read.

    Warns:
        NewtonishWarning: once, if a world needed more contacts or rows than it has room for.

    MuJoCo: mj_step.
    """
    run(stages.step, m, d)


def forward(m: Model, d: Data) -> None:
    """Accelerations and everything they depend on; the state stays. MuJoCo: mj_forward."""
    while run(stages.forward, m, d):  # the state has not moved: once more, with room for everything
        pass


def step1(m: Model, d: Data) -> None:
    """First half of a step: all that does not need the controls. MuJoCo: mj_step1."""
    while run(stages.step1, m, d):
        pass


def step2(m: Model, d: Data) -> None:
    """Second half of a step: controls, constraint forces, integration. MuJoCo: mj_step2."""
    run(stages.step2, m, d)


def inverse(m: Model, d: Data) -> None:
    """Force that gives the acceleration ``d.qacc`` in the present state, in ``d.qfrc_inverse``; the state stays.

    With the flag ``invdiscrete`` the acceleration is that of a whole step: change of velocity over time step.

    Args:
        m: model.
        d: data; ``qpos, qvel, act, ctrl`` and ``qacc`` are read.

    MuJoCo: mj_inverse.
    """
    load_modules(d.device, ["newtonish.kernels.inverse"])  # may not happen within a capture
    while run(inverse_stages.inverse, m, d):
        pass
