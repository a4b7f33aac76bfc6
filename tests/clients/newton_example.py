"""One of Newton's own examples with our solver in place of its own; runs in the client's environment.

``newton_example.py MODULE ARGUMENTS``: the class is exchanged by one assignment, ``newton.solvers.SolverMuJoCo =
newtonish.solvers.SolverMuJoCo``; the script itself is Newton's file. It runs as Newton's own tests run it, and its
checks at the end raise. The last line says how many solvers of ours it made.
"""

from __future__ import annotations

import json
import runpy
import sys
import warnings

import newton
import newton.solvers

import newtonish
import newtonish.solvers

made = 0
start = newtonish.solvers.SolverMuJoCo.__init__


def count(self, *args, **kwargs) -> None:
    """Note that a solver was made."""
    global made
    made += 1
    start(self, *args, **kwargs)


module, *arguments = sys.argv[1:]
warnings.simplefilter("ignore")
newtonish.solvers.SolverMuJoCo.__init__ = count
newton.solvers.SolverMuJoCo = newtonish.solvers.SolverMuJoCo
sys.argv = [module, *arguments, "--device", "cpu", "--test", "--quiet", "--viewer", "null"]
try:
    runpy.run_module(f"newton.examples.{module}", run_name="__main__", alter_sys=True)
finally:  # some of them leave by sys.exit
    print("MADE", json.dumps(made), file=sys.__stdout__, flush=True)
