"""dm_control's composer on ``newtonish.mjcf`` and on its own PyMJCF: the same episodes, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
from environment import Environment

REQUIREMENTS = ["dm_control==1.0.50", "mujoco==3.17.*"]
PACKAGES = ("dm_control", "mujoco", "warp-lang")
ENGINES = {"dm_control": "dm_control.mjcf.physics", "newtonish": "newtonish.physics.physics"}
"""Where the class of the environment's physics has to come from."""


def episode(environment: Environment, engine: str) -> dict:
    """What the script says of its episodes on an engine."""
    script = Path(__file__).with_name("composer_episode.py")
    done = subprocess.run(
        [environment.python, script, engine], check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"MUJOCO_GL": "disabled"}
    )
    result = json.loads(done.stdout.splitlines()[-1])
    if result["engine"] != ENGINES[engine]:
        raise RuntimeError(f"{engine} was asked for, {result['engine']} ran")
    return result


def table(environment: Environment) -> list[str]:
    """A line for each engine."""
    results = {engine: episode(environment, engine) for engine in ENGINES}
    lines = ["| engine | control steps | returns | last observations | seconds |", "|---|---|---|---|---|"]
    for engine, result in results.items():
        apart = max(np.abs(np.subtract(values, results["dm_control"]["last"][name])).max() for name, values in result["last"].items())
        returns = ", ".join(f"{value:.5f}" for value in result["returns"])
        lines.append(f"| {engine} | {result['steps']} | {returns} | {apart:.0e} | {result['seconds']:.2f} |")
    return lines
