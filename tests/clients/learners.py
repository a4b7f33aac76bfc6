"""Gymnasium and Stable-Baselines3 on the environments of ``newtonish.envs``: their checkers, and how fast half-cheetah is."""

from __future__ import annotations

import subprocess
from pathlib import Path

from environment import Environment

REQUIREMENTS = ["gymnasium[mujoco]>=1.1", "stable-baselines3>=2.5", "mujoco==4.0.*", "imageio>=2.14"]
PACKAGES = ("gymnasium", "stable-baselines3", "mujoco", "warp-lang")
SCRIPTS = {"checkers": "learner_checks.py", "speed": "learner_speed.py"}
"""Scripts that print a table, by the mark that it has on the page."""


def table(environment: Environment, script: str) -> list[str]:
    """What a script prints."""
    command = [environment.python, Path(__file__).with_name(script)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("|")]
