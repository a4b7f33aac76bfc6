"""Running a function of (m, d), recorded at its first call, and again when the model, the data or an option changed.

Along with it: how many threads run it, which Warp modules it needs, and room for more contacts and rows after it.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from newtonish.collector import paused
from newtonish.errors import ModelError, problem
from newtonish.kernels.forward import forward, step, step1
from newtonish.kernels.reset import reset_worlds
from newtonish.kernels.runtime.modules import Build, load_modules, planned_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.capacity import larger, larger_hessian, needed
from newtonish.mjw.growth import check_complete, complete, give_room_to_pairs, grow
from newtonish.mjw.matching import check_options, check_pair, integer
from newtonish.mjw.recording import LEAST_WORLDS_A_THREAD, Recording
from newtonish.mjw.structure import check_structure
from newtonish.mjw.tables.fluid import notice_medium

# steps without a look at capacities: worlds that ran out of room do without for as long
_STEPS_TOGETHER = 10
_state: dict[str, int | None] = {"threads": None}


def set_num_threads(count: int | None) -> None:
    """Number of CPU threads that ``step`` and ``forward`` use; None: ``NEWTONISH_NUM_THREADS``, else all cores."""
    _state["threads"] = None if count is None else integer("set_num_threads", count, 1)


def get_num_threads() -> int:
    """Number of CPU threads in force."""
    if _state["threads"] is not None:
        return int(_state["threads"])
    text = os.environ.get("NEWTONISH_NUM_THREADS", "")
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise ModelError(problem("NEWTONISH_NUM_THREADS", repr(text), "an integer >= 1", "set it to the number of cores"))
    return int(text)


def step_and_reset(m: Model, d: Data) -> None:
    """Launch what programs do first: a step, and a reset of worlds. It is there to be planned, not to be run."""
    step(m, d)
    reset_worlds(m, d, d.everywhere)


def modules_of_step(m: Model, d: Data, *, for_cuda: bool = False) -> list[Build]:
    """What has to be compiled before worlds can be reset and take a step; arguments as of ``planned_modules``."""
    return planned_modules(step_and_reset, m, d, for_cuda=for_cuda)


def record(function: Callable[[Model, Data], None], m: Model, d: Data) -> Recording:
    """A recording of ``function`` that the caller keeps, for the present version of both."""
    complete(m, d)
    return _make(function, m, d)


def _make(function: Callable[[Model, Data], None], m: Model, d: Data) -> Recording:
    check_options(m)
    with paused():
        builds = planned_modules(function, m, d)
        if function in (forward, step1):  # as a rule a step follows, whose other modules are compiled along with these
            builds += planned_modules(step, m, d)
        load_modules(d.device, builds)
    return Recording(function, m, d, _threads(d))


def _threads(d: Data) -> int:
    """Threads that may run a recording; few worlds are not shared out, whatever is in force."""
    return 1 if d.nworld < 2 * LEAST_WORLDS_A_THREAD or d.device.is_cuda else get_num_threads()


def run(function: Callable[[Model, Data], None], m: Model, d: Data, steps: int = 1) -> bool:
    """Run ``function(m, d)`` on all worlds, recorded at the first call and replayed afterwards.

    A change of an option (``m.opt.iterations = 5``) or of a field by its flat name makes a new recording. Inside a capture of the
    caller's, nothing is recorded apart: the plain launches become part of that capture.

    Args:
        function: launches kernels.
        m: model.
        d: data.
        steps: how often. Capacities grow after ten of them at the earliest.

    Returns:
        Whether capacities grew: then some world lacked room in this run and has it in the next.
    """
    grew = False
    if isinstance(d, Data):
        d.room.look()
    if isinstance(m, Model):
        check_structure(m)
    while steps > 0:
        recording = d.recordings.get(function) if isinstance(d, Data) and not d.device.is_capturing else None
        if recording is None or not recording.serves(m, d, _threads(d)):
            check_pair(function.__name__, m, d)
            if d.device.is_capturing:
                check_options(m)
                check_complete(function.__name__, m, d)
                load_modules(d.device, planned_modules(function, m, d))
                for _ in range(steps):
                    function(m, d)
                return False
            recording = _recorded(function, m, d)
        if recording.replay(min(steps, _STEPS_TOGETHER)):
            grew = check_capacity(m, d) or grew
        steps -= _STEPS_TOGETHER
    return grew


def _recorded(function: Callable[[Model, Data], None], m: Model, d: Data) -> Recording:
    """The recording of a function for the present version of both, in the place of those for another version."""
    notice_medium(m)
    complete(m, d)
    if not all(recording.serves(m, d, _threads(d)) for recording in d.recordings.values()):
        d.recordings.clear()
    if function not in d.recordings:
        d.recordings[function] = _make(function, m, d)
    return d.recordings[function]


def check_capacity(m: Model, d: Data) -> bool:
    """Let capacities grow that were left to be estimated, and warn of worlds that lacked room: once for each Data, and again when
    they want more than the last warning advised.

    ``step`` calls this by itself on a CPU. On a GPU, and after graphs of your own, it waits for the device: call it where you read
    results. Graphs that you captured keep the arrays they were made with: capture them again when this returns True.

    Args:
        m: model.
        d: data.

    Returns:
        Whether capacities grew.

    Raises:
        ModelError: the model and the data do not belong together.
        CapacityError: worlds lacked room, and the data was made with ``strict_capacity=True``; capacities have grown all the same.

    Warns:
        NewtonishWarning: which world lacked room in which step, what it wanted, what it had, and what was done about it.
    """
    check_pair("check_capacity", m, d)
    spread = give_room_to_pairs(m, d)
    contacts, rows = needed(d)
    nconmax, njmax, nhessian = d.nconmax, d.njmax, larger_hessian(m, d)
    lacked = contacts > nconmax or rows > njmax
    if lacked:
        nconmax, njmax = larger(m, d, contacts, rows)
    grows = (nconmax, njmax, nhessian) != (d.nconmax, d.njmax, d.nhessian)
    try:
        if lacked:
            d.room.tell(_remedy(m, d, nconmax, njmax))
        if nhessian > d.nhessian:
            d.room.tell_of_islands(f"there is room for {nhessian} from the next step on")
    finally:  # an error about the step that lacked room leaves room for the next one
        d.room.lower()
        if grows:
            grow(m, d, nconmax, njmax, nhessian)
    return grows or spread


def _remedy(m: Model, d: Data, nconmax: int, njmax: int) -> str:
    """What was done for worlds that lacked room, or is to be done."""
    if (nconmax, njmax) != (d.nconmax, d.njmax):
        return f"they have nconmax={nconmax} and njmax={njmax} from the next step on"
    numbers = " and ".join(f"{name}={number}" for name, number in suggest_capacity(m, d).items())
    return f"pass {numbers} to make_data, or None to let them grow"


def suggest_capacity(m: Model, d: Data) -> dict[str, int]:
    """Capacities for another run: those of ``d``, or half as much again as its worlds wanted of what they lacked.

    Args:
        m: model.
        d: data of a run that is like the other one.

    Returns:
        ``nconmax`` and ``njmax``, as ``make_data(m, nworld, **suggest_capacity(m, d))`` takes them. Rows are only counted for contacts
        that had room, so what contacts lacked is made up for by the most rows that they can have.

    Raises:
        ModelError: the model and the data do not belong together.
    """
    check_pair("suggest_capacity", m, d)
    nconmax, njmax = larger(m, d, *needed(d), caps=False)
    return {"nconmax": nconmax, "njmax": njmax}
