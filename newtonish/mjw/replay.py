"""Recording a function of (m, d) once and replaying it: a graph a thread on a CPU, one graph on a GPU.

Worlds do not touch each other, so a slice of the worlds is a smaller problem of the same kind: each thread replays a
graph that was recorded on views of its slice. A replay leaves Python's interpreter lock, which is what lets threads run
side by side. Inside a capture of the caller's, nothing is recorded apart: the plain launches become part of that capture.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import warp as wp

from newtonish.collector import paused
from newtonish.errors import ModelError, problem
from newtonish.kernels.enums import BroadphaseType
from newtonish.kernels.modules import load_modules, step_modules
from newtonish.kernels.needs import has_equalities, has_laws, has_material, has_past, is_diagnosed, is_exact, is_forced
from newtonish.kernels.sensor_stage import sensor_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.capacity import is_sparse, larger, larger_hessian, needed, report
from newtonish.mjw.data import complete, give_room_to_pairs, grow
from newtonish.mjw.matching import check_options, check_pair, integer, options
from newtonish.mjw.medium import notice_medium

# below this many worlds a thread, waking a thread costs more than it saves (about 50 us against 5-10 us a world)
_LEAST_WORLDS_A_THREAD = 8
_state: dict[str, int | ThreadPoolExecutor | None] = {"threads": None, "pool": None, "pool_size": 0}


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


def needed_modules(m: Model) -> list[str]:
    """Names of the kernel modules that a step of this model launches."""
    opt = m.opt
    more = {"noslip": opt.noslip_iterations > 0, "fluid": m.size.nfluid > 0, "convex": m.hull.nconvex > 0}
    more["sweep"] = opt.broadphase != BroadphaseType.NXN
    more["hfield"] = m.hfield.ncollide > 0
    more["equality"] = has_equalities(m)
    more["exact"] = is_exact(m)
    more["past"] = has_past(m)
    more["material"] = has_material(m)
    more["gains"] = is_forced(m)
    more["laws"] = has_laws(m)
    more["sparse"] = is_sparse(m)
    names = [*step_modules(opt.integrator, opt.solver, simple=m.simple, **more), *sensor_modules(m)]
    names += ["newtonish.kernels.forces.acceleration"] * (m.callback.passive is not None)
    names += ["newtonish.kernels.support.calls"] * any(m.callback.key())
    return names + ["newtonish.kernels.support.diagnostics"] * is_diagnosed(m)


class Recording:
    """Graphs of one function over slices of the worlds, valid for one version of a model and a data.

    Holds the model, so that no other one can take its place in memory, and thereby its ``id``, while this lives.
    """

    def __init__(self, function: Callable[[Model, Data], None], m: Model, d: Data, threads: int):
        check_options(m)
        self.m = m
        with paused():
            load_modules(d.device, needed_modules(m))
        count = 1 if d.device.is_cuda else max(1, min(threads, d.nworld // _LEAST_WORLDS_A_THREAD))
        bounds = [d.nworld * i // count for i in range(count + 1)]
        self.views = [(m.view(a, b), d.view(a, b)) for a, b in itertools.pairwise(bounds)]
        self.graphs = []
        for m_view, d_view in self.views:
            with wp.ScopedCapture(device=d.device) as capture:
                function(m_view, d_view)
            self.graphs.append(capture.graph)
        self._wanted = [] if d.device.is_cuda else _wanted(d)

    def is_full(self) -> bool:
        """Whether some world wanted more than there is room for. For one world it takes less time than ``check_capacity``."""
        return any(wanted.max() > room for wanted, room in self._wanted)

    def replay(self) -> None:
        if len(self.graphs) == 1:
            wp.capture_launch(self.graphs[0])
            return
        others = [_pool(len(self.graphs) - 1).submit(wp.capture_launch, graph) for graph in self.graphs[1:]]
        wp.capture_launch(self.graphs[0])
        for other in others:
            other.result()


def _wanted(d: Data) -> list[tuple[np.ndarray, int]]:
    """What worlds wanted of each capacity, as views of the arrays that a step on a CPU writes, and the room there is."""
    pairs = [(d.ncon_needed, d.nconmax), (d.nefc_needed, d.njmax)]
    pairs += [(d.nhessian_needed, d.nhessian)] * d.sparse
    pairs += [(d.near.needed, d.near.key.shape[1])] * (d.near.key.shape[1] > 0)
    return [(wanted.numpy(), room) for wanted, room in pairs]


def record(function: Callable[[Model, Data], None], m: Model, d: Data) -> Recording:
    """A recording of ``function`` that the caller keeps, for the present version of both."""
    complete(m, d)
    return Recording(function, m, d, 1 if d.device.is_cuda else get_num_threads())


def _pool(size: int) -> ThreadPoolExecutor:
    if _state["pool"] is None or _state["pool_size"] < size:
        _state["pool"], _state["pool_size"] = ThreadPoolExecutor(size, thread_name_prefix="newtonish"), size
    return _state["pool"]


def run(function: Callable[[Model, Data], None], m: Model, d: Data) -> bool:
    """Run ``function(m, d)`` on all worlds, recorded at the first call and replayed afterwards.

    A change of an option (``m.opt.iterations = 5``) or of a field by its flat name makes a new recording.

    Returns:
        Whether capacities grew: then some world lacked room in this run and has it in the next.
    """
    check_pair(function.__name__, m, d)
    if d.device.is_capturing:
        check_options(m)
        function(m, d)
        return False
    key = _key(function, m, d)
    if key not in d.recordings:
        if notice_medium(m):
            return run(function, m, d)
        complete(m, d)
        key = _key(function, m, d)
        if any(k[1:] != key[1:] for k in d.recordings):
            d.recordings.clear()
        d.recordings[key] = Recording(function, m, d, key[4])
    recording = d.recordings[key]
    recording.replay()
    # reading the counters of a GPU would wait for it; see check_capacity
    return not d.device.is_cuda and recording.is_full() and check_capacity(m, d)


def _key(function: Callable[[Model, Data], None], m: Model, d: Data) -> tuple[Any, ...]:
    """What a recording is valid for, and what the arrays that it needs depend on."""
    threads = 1 if d.device.is_cuda else get_num_threads()
    return (function, id(m), m.version, d.version, threads, options(m), m.callback.key(), m.watching)


def check_capacity(m: Model, d: Data) -> bool:
    """Let capacities grow that were left to be estimated, and report caps that were too small; returns whether they grew.

    ``step`` calls this by itself on a CPU. On a GPU it costs a synchronisation: call it where you read results.
    """
    spread = give_room_to_pairs(m, d)
    contacts, rows = needed(d)
    nconmax, njmax, nhessian = d.nconmax, d.njmax, larger_hessian(m, d)
    if contacts > nconmax or rows > njmax:
        nconmax, njmax = larger(m, d, contacts, rows)
        report(d, contacts, rows, nconmax, njmax)
    grew = (nconmax, njmax, nhessian) != (d.nconmax, d.njmax, d.nhessian)
    if grew:
        grow(m, d, nconmax, njmax, nhessian)
    return grew or spread
