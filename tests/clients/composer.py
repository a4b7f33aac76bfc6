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
ENVIRONMENTS = {
    "arm": "an arm with a variation of its mass (`tests/clients/composer_arm.py`)",
    "ant": "`GoToTarget` of an `Ant` on a `Floor`",
    "ball": "`GoToTarget` of a `RollingBallWithHead` on a `Floor`",
    "humanoid": "`RunThroughCorridor` of a `CMUHumanoidPositionControlled` in an `EmptyCorridor`",
}
STEPS = (1, 10, 50)
"""Control steps of the first episode after which positions are compared."""


def episode(environment: Environment, engine: str, name: str) -> dict:
    """What the script says of its episodes on an engine."""
    script = Path(__file__).with_name("composer_episode.py")
    done = subprocess.run([environment.python, script, engine, name], check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"MUJOCO_GL": "disabled"})
    result = json.loads(done.stdout.splitlines()[-1])
    if result["engine"] != ENGINES[engine]:
        raise RuntimeError(f"{engine} was asked for, {result['engine']} ran")
    return result


def table(environment: Environment, names: list[str] | None = None) -> list[str]:
    """A line for each environment."""
    lines = [
        f"| environment | positions after {', '.join(map(str, STEPS))} steps | returns, dm_control | newtonish | seconds, dm_control | newtonish |",
        "|---|---|---|---|---|---|",
    ]
    for name in names or ENVIRONMENTS:
        theirs, ours = (episode(environment, engine, name) for engine in ENGINES)
        apart = np.abs(np.subtract(theirs["path"], ours["path"])).max(axis=1)
        far = ", ".join(f"{apart[:count].max():.0e}" for count in STEPS)
        returns = (", ".join(f"{value:.4f}" for value in result["returns"]) for result in (theirs, ours))
        lines.append(f"| {ENVIRONMENTS[name]} | {far} | {' | '.join(returns)} | {theirs['seconds']:.2f} | {ours['seconds']:.2f} |")
    return lines
