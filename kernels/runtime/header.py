"""Compiling for a CPU: Warp's own header once for all modules, their sources meanwhile, then as many at a time as there are cores.

Every module begins with that header. The first compilation in a folder leaves a precompiled form of it there, which takes longer than
most modules do after it. Here the first module to be compiled is one of a single small kernel, which every step on a CPU needs, from
the moment a model is about to be read. Each other module has a thread, which writes its source, waits until the header is there and a
core is free, and compiles in the folder with the header.

A thread waits where Warp's runtime is asked for that folder, just before the compiler begins. The method that is asked is no interface
that Warp promises: where it is missing, each thread makes a header of its own, as it would without this file. Where precompiled headers are
switched off, nobody waits for one, and there are no more threads than cores.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import warp as wp

from newtonish.kernels.runtime.launch import load_now, prepared
from newtonish.kernels.runtime.workers import for_each, start


class Turns:
    """Folders to compile in, one for each module that may be compiled at a time; of those that wait the lowest place is next.

    A folder is its path, or None as long as nobody has compiled in it.
    """

    def __init__(self) -> None:
        self._free: list[str | None] = []
        self._waiting: list[int] = []
        self._begun = False
        self._changed = threading.Condition()

    def begin(self, folder: str | None, count: int) -> None:
        """Let ``count`` modules be compiled at a time in a folder; called again, give it to those that have none instead."""
        with self._changed:
            self._free = [free or folder for free in self._free] if self._begun else self._free + [folder] * count
            self._begun = True
            self._changed.notify_all()

    def take(self, place: int) -> str:
        with self._changed:
            self._waiting.append(place)
            self._changed.wait_for(lambda: bool(self._free) and place == min(self._waiting))
            self._waiting.remove(place)
            self._changed.notify_all()
            return self._free.pop() or new_folder()

    def give(self, folders: Sequence[str | None]) -> None:
        with self._changed:
            self._free.extend(folders)
            self._changed.notify_all()


_lock = threading.Lock()
_state: dict[str, Future] = {}  # "first": the future of that module
_turns = Turns()
_thread = threading.local()  # .folder: tells the folder that this thread is to compile in


def begin(device: Any) -> Future | None:
    """Start compiling the first module in a thread of its own, or loading it from the cache; on a GPU nothing is done.

    After a failure, such as a full disk, the next call tries again.

    Returns:
        What becomes of it; None on a GPU.
    """
    if not wp.get_device(device).is_cpu:
        return None
    first = _first_module()
    with _lock:
        if "first" not in _state or _failed(_state["first"]):
            _state["first"] = start(_load_first, first, name="newtonish-header")
        return _state["first"]


def _failed(future: Future) -> bool:
    return future.done() and future.exception() is not None


def load_side_by_side(modules: Sequence[wp.Module]) -> None:
    """Compile and load modules for a CPU, those in front first; raises what any of them raises."""
    first = begin("cpu")
    if asked_of_us() and wp.config.use_precompiled_headers:
        threads = len(modules)
    else:
        threads = min(len(modules), _cores())
        first.result()
    for_each(_load_in_turn, modules, threads)
    first.result()


def asked_of_us() -> bool:
    """Have Warp's runtime ask us for the folder of our threads; False where it asks for folders in another way."""
    runtime = getattr(wp._src.context, "runtime", None) if hasattr(wp, "_src") else None
    warps = getattr(runtime, "get_clang_pch_dir", None)
    if not callable(warps):
        return False
    if not hasattr(warps, "of_newtonish"):

        def folder() -> str | None:
            ours = getattr(_thread, "folder", None)
            return warps() if ours is None else ours()

        folder.of_newtonish = True  # not to be put around itself
        runtime.get_clang_pch_dir = folder
    return True


@contextmanager
def compiling_in(folder: Callable[[], str]) -> Iterator[None]:
    """Within it, this thread compiles in the folder that the function tells."""
    _thread.folder = folder
    try:
        yield
    finally:
        _thread.folder = None


def new_folder() -> str:
    """An empty folder, removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="newtonish_header_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cores() -> int:
    return os.cpu_count() or 1


def _first_module() -> wp.Module:
    """The module of a single small kernel, which every step on a CPU needs."""
    from newtonish.kernels.runtime import sequence

    return prepared(wp.get_module(sequence.__name__))


def _load_first(module: wp.Module) -> None:
    asked_of_us()
    folders: list[str] = []

    def make() -> str:
        folders.append(new_folder())
        return folders[0]

    try:
        with compiling_in(make):
            _load(module)
    except Exception:
        _turns.begin(None, _cores())  # the header in the folder may be a part of one, but nobody waits for another
        raise
    # without a folder it was in the cache: a module that is not makes a header, in a folder that is its own for the time
    _turns.begin(folders[0] if folders else None, _cores())


def _load_in_turn(module: wp.Module, place: int) -> None:
    taken: list[str] = []

    def wait() -> str:
        if not taken:  # asked again, it would wait for a turn that it holds itself
            taken.append(_turns.take(place))
        return taken[0]

    try:
        with compiling_in(wait):
            _load(module)
    finally:
        _turns.give(taken)


def _load(module: wp.Module) -> None:
    """Load a module from the cache, or compile it; one that the cache holds and that cannot be loaded is compiled again."""
    try:
        load_now([module], "cpu", block_dim=1, workers=0)
    except Exception as error:  # of what a damaged file leads to; of a compiler's error there is nothing in the cache
        folder = Path(wp.config.kernel_cache_dir) / module.get_module_identifier(block_dim=1)
        if not (folder / f"{folder.name}.meta").exists():
            raise
        warnings.warn(f"kernel cache: {folder} cannot be loaded ({error}) and is recompiled", stacklevel=2)
        shutil.rmtree(folder, ignore_errors=True)
        load_now([module], "cpu", block_dim=1, workers=0)
