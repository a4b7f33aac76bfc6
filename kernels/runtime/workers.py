"""Threads that nobody has to wait for: compiling goes on in native code for seconds, and an interrupt should not.

Python joins the threads of a pool at its end, however it ends. These are its daemons; where some still compile at the end, the process
leaves at once instead of taking down the compiler's memory under them.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

INTERRUPTED = 130
"""Exit code of a process that was interrupted."""

_running: set[threading.Thread] = set()


def start(function: Callable[..., Any], *arguments: Any, name: str = "newtonish") -> Future:
    """Run a function in a thread of its own; what becomes of it."""
    future: Future = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)
        finally:
            _running.discard(threading.current_thread())

    thread = threading.Thread(target=run, name=name, daemon=True)
    _running.add(thread)
    thread.start()
    return future


def for_each(function: Callable[[Any, int], None], items: Sequence[Any], threads: int) -> None:
    """``function(item, place)`` for all items, those in front first; raises what one of them raises, once all are over.

    An interrupt is raised at once: what is running goes on unseen, what has not begun does not begin.
    """
    waiting = deque(enumerate(items))

    def work() -> None:
        while True:
            try:
                place, item = waiting.popleft()
            except IndexError:
                return
            function(item, place)

    futures = [start(work, name=f"newtonish_{k}") for k in range(min(threads, len(items)))]
    errors = []
    try:
        for future in futures:
            error = future.exception()
            if error is not None:
                errors.append(error)
    except BaseException:
        waiting.clear()
        raise
    if errors:
        raise errors[0]


@atexit.register
def _leave() -> None:
    """End without the interpreter's own end where threads are still in native code."""
    if any(thread.is_alive() for thread in _running):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(INTERRUPTED)
