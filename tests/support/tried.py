"""Trials that may end their process, in processes of their own: each tells in letters, one a trial, how far it came."""

from __future__ import annotations

import collections
import subprocess
import sys
import tempfile

__all__ = ["MARK", "run_trials"]

MARK = "\x01"
"""Stands before each letter on a child's standard output: ``o`` ran on, ``r`` was refused, ``x`` ended in another exception, ``h`` took too long."""


def run_trials(script: str, count: int, seed: int, told: str, before: tuple[str, ...] = (), behind: tuple[str, ...] = ()) -> dict[str, int]:
    """Run ``count`` trials of a script; how many were refused, ran on, ended in another exception, took too long, or ended in a crash.

    Args:
        script: Path of the script, called as ``script child *before FIRST COUNT SEED FOLDER *behind``. It prints ``MARK`` and a letter when a trial is
            over, so that a process that died has printed one less than it began; the next process goes on behind that one.
        count: Number of trials.
        seed: First number of each trial's seed.
        told: Lines of the child's standard error that begin with this are passed on.
        before: Arguments before the numbers.
        behind: Arguments behind the folder.
    """
    found: collections.Counter[str] = collections.Counter()
    first = 0
    with tempfile.TemporaryDirectory() as folder:
        while first < count:
            words = [sys.executable, script, "child", *before, str(first), str(count - first), str(seed), folder, *behind]
            done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)
            sys.stderr.write("".join(line + "\n" for line in done.stderr.splitlines() if line.startswith(told)))
            if done.returncode > 0:  # an error of the script itself, not a signal
                raise RuntimeError(done.stderr[-3000:])
            letters = [part[0] for part in done.stdout.split(MARK)[1:]]
            found.update(letters)
            first += len(letters)
            if first < count:
                print(f"{' '.join([*before, str(first)])}: the process ended with {done.returncode}: {done.stderr[-1500:]}", file=sys.stderr)
                found["crash"] += 1
                first += 1
    return {"tried": count, "refused": found["r"], "ran": found["o"], "foreign": found["x"], "hung": found["h"], "crashed": found["crash"]}
