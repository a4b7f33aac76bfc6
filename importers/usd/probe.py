"""Whether the USD library survives a file, found out in another process: a damaged layer can end the process that opens it, and a pipe can stop it.

The library trusts much of what a binary layer says of itself, so that no inspection short of reading it finds everything. The process is started for the first file and
serves the files after it; it ends when it has had none for a while. Decision 108.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

__all__ = ["objection_to"]

SWITCH = "NEWTONISH_USD_PROBE"
"""Environment variable: ``0`` opens files without asking another process first."""
PROGRAM = Path(__file__).with_name("probe_process.py")


class _Probe:
    """The other process.

    Attributes:
        ready: Whether it has the library.
    """

    def __init__(self) -> None:
        # arrays of a crate that are not copied would be read by nobody there, and by us here
        surroundings = {**os.environ, "USDC_ENABLE_ZERO_COPY_ARRAYS": "0"}
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, encoding="utf-8", env=surroundings, start_new_session=True,
        )  # fmt: skip
        self.ready = self.ask([str(place) for place in sys.path]) is not None

    @property
    def _pipes(self) -> tuple[IO[str], IO[str]]:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        return to, back

    def ask(self, what: object) -> str | None:
        """Send a line; the answer, None where there is none."""
        to, back = self._pipes
        try:
            to.write(json.dumps(what) + "\n")
            to.flush()
            answer = back.readline()
        except OSError:
            return None
        return str(json.loads(answer)) if answer else None

    def end(self, at_once: bool = False) -> int:
        """Wait for the end; the exit status."""
        if at_once:
            self._process.kill()
        for pipe in self._pipes:
            try:
                pipe.close()
            except OSError:  # what was written last and did not get there
                continue
        return self._process.wait()


_lock = threading.Lock()
_probe: _Probe | None = None
_possible = True


def objection_to(path: str | Path) -> str | None:
    """Why a file is not to be opened, in words of what it is; None where a process that read it lives, and where no process can be asked."""
    global _probe
    with _lock:
        for _ in range(2):  # one that has waited for long enough may end while it is spoken to
            probe = _running()
            if probe is None:
                return None
            try:
                answer = probe.ask(os.path.abspath(path))
            except BaseException:  # an interrupt: the answer to this file would be taken for that to the next one
                _probe = None
                probe.end(at_once=True)
                raise
            if answer is not None:
                return f"the layer {answer}, which is a pipe, a device or a folder" if answer else None
            _probe = None
            status = probe.end()
            if status:
                return f"a damaged or overlong file, which ends a process that reads it ({_named(status)})"
    return None


def _running() -> _Probe | None:
    """The process, started if there is none; None where there can be none."""
    global _probe, _possible
    if not _possible or os.environ.get(SWITCH, "") == "0":
        return None
    if _probe is None:
        # a program that embeds Python would be started again as a whole
        _possible = Path(sys.executable or "").name.lower().startswith(("python", "pypy")) and not getattr(sys, "frozen", False)
        try:
            _probe = _Probe() if _possible else None
        except OSError:
            _possible = False
    if _probe is not None and not _probe.ready:
        _possible = False
        _finish()
    return _probe


def _named(status: int) -> str:
    """An exit status in words."""
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit status {status:#x}"


@atexit.register
def _finish() -> None:
    """End the process if there is one."""
    global _probe
    probe, _probe = _probe, None
    if probe is not None:
        probe.end(at_once=True)


def _forget() -> None:
    """In a process that was forked: the probe is another's, and so may be what holds the lock."""
    global _probe, _lock, _anothers
    _anothers, _probe, _lock = _probe, None, threading.Lock()


_anothers: _Probe | None = None
"""Kept, as nobody but its owner can wait for it."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
