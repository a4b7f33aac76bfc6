"""Running a function of (m, d), recorded at its first call, and again when the model, the data or an option changed.

Along with it: how many threads run it, which Warp modules it needs, and running it again with more room where worlds lacked some.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from functools import partial

from newtonish.collector import paused
from newtonish.errors import ModelError, problem
from newtonish.kernels.forward import forward, step, step1
from newtonish.kernels.reset import reset_worlds
from newtonish.kernels.runtime.modules import Build, load_modules, planned_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.capacity import larger, larger_hessian, needed
from newtonish.mjw.growth import check_complete, complete, give_room_to_pairs, grow, larger_near
from newtonish.mjw.matching import check_options, check_pair, integer
from newtonish.mjw.recording import Recording, lack_room
from newtonish.mjw.repeated import repeat_of
from newtonish.mjw.snapshot import Snapshot, may_grow
from newtonish.mjw.structure import check_structure
from newtonish.mjw.tables.fluid import notice_medium

# steps without a look at capacities, at least, and steps of worlds: so many are taken again where a world ran out of room
_STEPS_TOGETHER, _WORK_TOGETHER = 10, 256
# below this many steps of worlds a thread, waking a thread costs more than it saves (about 50 us against 2 to 10 us a step)
_LEAST_WORK = 16
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
    """A recording of ``function`` that the caller keeps, for the present version of both and the present number of threads."""
    complete(m, d)
    return _make(function, m, d, threads_for(d))


def _make(function: Callable[[Model, Data], None], m: Model, d: Data, threads: int) -> Recording:
    check_options(m)
    with paused():
        builds = planned_modules(function, m, d)
        if function in (forward, step1):  # as a rule a step follows, whose other modules are compiled along with these
            builds += planned_modules(step, m, d)
        load_modules(d.device, builds)
    more, solved = getattr(function, "overwrites", ()), getattr(function, "begins_with_solution", False)
    return Recording(function, m, d, threads, Snapshot(m, d, more, solved) if may_grow(d) else None)


def threads_for(d: Data, steps: int = 1) -> int:
    """Threads that share out this many steps of all worlds; few are not shared out, whatever is in force."""
    work = d.nworld * steps
    if work < 2 * _LEAST_WORK or d.nworld == 1 or d.device.is_cuda:
        return 1
    return min(get_num_threads(), d.nworld, work // _LEAST_WORK)


def run(function: Callable[[Model, Data], None], m: Model, d: Data, steps: int = 1) -> None:
    """Run ``function(m, d)`` on all worlds, recorded at the first call and replayed afterwards.

    A change of an option (``m.opt.iterations = 5``) or of a field by its flat name makes a new recording. Inside a capture of the
    caller's, nothing is recorded apart: the plain launches become part of that capture. On a CPU, where worlds lacked room for which capacities
    may grow, they do, and all worlds begin again: nobody sees what came of it.

    Args:
        function: launches kernels; what it overwrites beside the data and reads again, such as a state that is both input and output, are arrays
            in its attribute ``overwrites``; one that integrates what was solved before has a true ``begins_with_solution``.
        m: model.
        d: data.
        steps: how often.
    """
    fits = isinstance(d, Data)
    if fits:
        d.room.look()
        if d.guard is not None:
            d.guard.look()
    if isinstance(m, Model):
        check_structure(m)
    while steps > 0:
        count = steps if steps == 1 or not fits else min(steps, _together(d))
        recording = d.recordings.get((function, threads_for(d, count))) if fits and not d.device.is_capturing else None
        if recording is None or not recording.serves(m, d):
            check_pair(function.__name__, m, d)
            if d.device.is_capturing:
                check_options(m)
                check_complete(function.__name__, m, d)
                load_modules(d.device, planned_modules(function, m, d))
                for _ in range(steps):
                    function(m, d)
                return
            recording = _recorded(function, m, d, count)
        if recording.replay(count):
            _take_again(function, m, d, count, recording)
        steps -= count
    if d.guard is not None:
        d.guard.look(m, d)


def _together(d: Data) -> int:
    """Steps that are taken without a look at capacities, and again if one of them lacked room."""
    return max(_STEPS_TOGETHER, _WORK_TOGETHER // d.nworld)


def _take_again(function: Callable[[Model, Data], None], m: Model, d: Data, count: int, recording: Recording) -> None:
    """After a replay in which worlds lacked room."""
    _begin_again(partial(_replayed, function, m, d, count), recording.snapshot, m, d)


def _after_full(m: Model, d: Data, recording: Recording) -> Callable[[int], None]:
    """``_take_again`` for so many steps, without holding the data, which holds it."""
    owner = weakref.ref(d)

    def again(steps: int) -> None:
        data = owner()
        if data is not None:
            _take_again(step, m, data, steps, recording)

    return again


def run_plainly(function: Callable[[Model, Data], None], m: Model, d: Data) -> None:
    """``run`` on a CPU without a recording, once."""

    def attempt() -> tuple[bool, Snapshot | None]:
        complete(m, d)
        snapshot = Snapshot(m, d) if may_grow(d) else None
        if snapshot is not None:
            snapshot.take(whole=True)
        function(m, d)
        return lack_room(d), snapshot

    full, snapshot = attempt()
    if full:
        _begin_again(attempt, snapshot, m, d)


def _replayed(function: Callable[[Model, Data], None], m: Model, d: Data, count: int) -> tuple[bool, Snapshot | None]:
    """Whether worlds lack room in the end, and how it began."""
    recording = _recorded(function, m, d, count)
    return recording.replay(count), recording.snapshot


def _begin_again(attempt: Callable[[], tuple[bool, Snapshot | None]], snapshot: Snapshot | None, m: Model, d: Data) -> None:
    """After an attempt in which worlds lacked room: another one with more, until there is enough or nothing may grow."""
    before, full = d.room.capacities(), True
    while full and snapshot is not None:
        room = _more_room(m, d)
        if room is None:
            break
        snapshot.restore()
        d.room.lower()
        if d.guard is not None:
            d.guard.lower()
        _give(m, d, room)
        full, snapshot = attempt()
    if full:
        check_capacity(m, d)
    else:
        d.room.lower()
        d.room.tell_of_growth(before)


def _more_room(m: Model, d: Data) -> tuple[int, int, int, int] | None:
    """Contacts, rows, floats of a Hessian and near pairs of a world, with what may grow grown; None: nothing may, or need."""
    contacts, rows = needed(d)
    nconmax, njmax = larger(m, d, contacts, rows) if contacts > d.nconmax or rows > d.njmax else (d.nconmax, d.njmax)
    room = nconmax, njmax, larger_hessian(m, d), larger_near(m, d)
    return None if room == (d.nconmax, d.njmax, d.nhessian, d.near.key.shape[1]) else room


def _give(m: Model, d: Data, room: tuple[int, int, int, int]) -> None:
    """Give every world that room; what was found so far is kept."""
    give_room_to_pairs(m, d, room[3])
    if room[:3] != (d.nconmax, d.njmax, d.nhessian):
        grow(m, d, *room[:3])


def _recorded(function: Callable[[Model, Data], None], m: Model, d: Data, steps: int) -> Recording:
    """The recording of so many steps of a function for the present version of both, in the place of those for another version."""
    notice_medium(m)
    complete(m, d)
    if not all(recording.serves(m, d) for recording in d.recordings.values()):
        d.recordings.clear()
        d.repeat_step = None
    key = function, threads_for(d, steps)
    if key not in d.recordings:
        recording = d.recordings[key] = _make(function, m, d, key[1])
        alone = _together(d) if d.nworld == 1 else (2 * _LEAST_WORK - 1) // d.nworld  # steps that one thread takes
        if function is step and key[1] == 1 and alone > 0:
            d.repeat_step = repeat_of(m, d, recording, min(alone, _together(d)), _after_full(m, d, recording))
    return d.recordings[key]


def check_capacity(m: Model, d: Data) -> bool:
    """Let capacities grow that were left to be estimated, and warn of worlds that lacked room: once for each Data, and again when
    they want more than the last warning advised.

    On a CPU ``step`` needs no such call: it is taken again with more room. On a GPU, and after graphs of your own, it waits for the device: call
    it where you read results; what steps have left out by then is lost, and their worlds are flagged in ``d.overflow``. Graphs that you captured
    keep the arrays they were made with: capture them again when this returns True.

    Args:
        m: model.
        d: data.

    Returns:
        Whether capacities grew.

    Raises:
        ModelError: the model and the data do not belong together.
        CapacityError: worlds lacked room, and the data was made with ``strict_capacity=True``; capacities have grown all the same.
        NonfiniteError: worlds were reset, and the data was made with ``on_nonfinite="raise"``.

    Warns:
        NewtonishWarning: which world lacked room in which step, what it wanted, what it had, and what was done about it.
    """
    check_pair("check_capacity", m, d)
    room, lacks = _more_room(m, d), d.room.lacks()
    try:
        if lacks:
            d.room.tell(_remedy(m, d, room))
        if room is not None and room[2] > d.nhessian:
            d.room.tell_of_islands(f"there is room for {room[2]} from the next step on")
    finally:  # an error about the step that lacked room leaves room for the next one
        d.room.lower()
        if room is not None:
            _give(m, d, room)
    if d.guard is not None:
        d.guard.look(m, d)
    return room is not None


def _remedy(m: Model, d: Data, room: tuple[int, int, int, int] | None) -> str:
    """What was done for worlds that lacked room, or is to be done."""
    if room is not None and room[:2] != (d.nconmax, d.njmax):
        return f"they have nconmax={room[0]} and njmax={room[1]} from the next step on"
    if room is not None and room[3] > d.near.key.shape[1]:
        return f"there is room for {room[3]} near pairs from the next step on"
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
