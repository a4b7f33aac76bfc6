"""``step``, ``forward`` and their parts, recorded once and replayed on all cores."""

from __future__ import annotations

import functools
from collections.abc import Callable

from newtonish.arguments import is_integer
from newtonish.common.enums import Stage
from newtonish.errors import ModelError, problem
from newtonish.kernels import forward as stages
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import integer, switch
from newtonish.mjw.replay import run


def step(m: Model, d: Data, nstep: int = 1) -> None:
    """Advance every world by ``m.opt.timestep`` [s], once or several times.

    Worlds whose state is no longer finite are put back into the reference pose and counted in ``d.nonfinite``.

    Args:
        m: model.
        d: data; ``qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied, mocap_pos, mocap_quat, qacc_warmstart`` are read.
        nstep: number of steps under the same inputs. It takes less time on a CPU than as many calls, because worlds go through ten
            steps in groups that fit into the cache. The result is the same.

    Where a world needs more room than was estimated, a CPU takes the step again with more, and the result is that of a run which had it from the
    beginning; functions of yours that the step calls are called again as well. On a GPU, in a graph of your own, and where you gave the capacity,
    what has no room is left out and the world is flagged in ``d.overflow`` (``check_capacity``).

    Raises:
        ModelError: ``m`` and ``d`` do not belong together, or ``nstep`` is not a whole number of at least 1.
        CapacityError, NonfiniteError: as asked for by ``strict_capacity`` and ``on_nonfinite`` of ``make_data``.

    Warns:
        NewtonishWarning: if a world needed more contacts or rows than it has room for, or than were estimated.

    MuJoCo: mj_step.
    """
    if type(nstep) is not int or nstep < 1:
        nstep = integer("step: nstep", nstep, 1)
    repeat = getattr(d, "repeat_step", None)
    if repeat is None or not repeat(m, d, nstep):
        run(stages.step, m, d, nstep)


def forward(m: Model, d: Data) -> None:
    """Accelerations and everything they depend on; the state stays. MuJoCo: mj_forward."""
    run(stages.forward, m, d)


def step1(m: Model, d: Data) -> None:
    """First half of a step: all that does not need the controls. MuJoCo: mj_step1."""
    run(stages.step1, m, d)


def step2(m: Model, d: Data) -> None:
    """Second half of a step: controls, constraint forces, integration. MuJoCo: mj_step2."""
    run(stages.step2, m, d)


def inverse(m: Model, d: Data) -> None:
    """Force that gives the acceleration ``d.qacc`` in the present state, in ``d.qfrc_inverse``; the state stays.

    With the flag ``invdiscrete`` the acceleration is that of a whole step: change of velocity over time step.

    Args:
        m: model.
        d: data; ``qpos, qvel, act, ctrl`` and ``qacc`` are read.

    Sensors and energy are evaluated as in ``forward``.

    MuJoCo: mj_inverse.
    """
    run(_skipping("inverse", Stage.NONE, False), m, d)


def forward_skip(m: Model, d: Data, skipstage: int = Stage.NONE, skipsensor: bool = False) -> None:
    """``forward`` for a state of which a part has not changed since it was evaluated last.

    Args:
        m: model.
        d: data.
        skipstage: ``Stage.POS``: what depends on positions alone is that of ``d.qpos`` already: kinematics, contacts, mass
            matrix. ``Stage.VEL``: what depends on velocities as well, such as the constraint rows. ``Stage.NONE``: nothing.
        skipsensor: leave sensors and energy as they are.

    Raises:
        ModelError: another stage.

    Forces that depend on velocities are computed in one kernel with those of actuators, and so again in any case.

    MuJoCo: mj_forwardSkip.
    """
    run(_skipping("forward_skip", _stage("forward_skip", skipstage), switch("forward_skip: skipsensor", skipsensor)), m, d)


def inverse_skip(m: Model, d: Data, skipstage: int = Stage.NONE, skipsensor: bool = False) -> None:
    """``inverse`` for a state of which a part has not changed since it was evaluated last; arguments as in ``forward_skip``.

    MuJoCo: mj_inverseSkip.
    """
    run(_skipping("inverse_skip", _stage("inverse_skip", skipstage), switch("inverse_skip: skipsensor", skipsensor)), m, d)


def _stage(name: str, skipstage: int) -> int:
    """A stage that can be skipped."""
    allowed = (Stage.NONE, Stage.POS, Stage.VEL)
    if not is_integer(skipstage) or skipstage not in allowed or isinstance(skipstage, bool):
        names = ", ".join(f"Stage.{stage.name} ({int(stage)})" for stage in allowed)
        raise ModelError(problem(f"{name}: skipstage", repr(skipstage), names, "pass one of these"))
    return int(skipstage)


@functools.cache
def _skipping(name: str, skipstage: int, skipsensor: bool) -> Callable[[Model, Data], None]:
    """A function of (m, d), the same one for the same arguments: a recording belongs to it."""

    def launches(m: Model, d: Data) -> None:
        if name == "forward_skip":
            stages.forward(m, d, skipstage, skipsensor)
        else:
            from newtonish.kernels.inverse import inverse  # kernels of its own

            inverse(m, d, skipstage, skipsensor)

    launches.__name__ = name
    return launches
