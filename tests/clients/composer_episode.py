"""Episodes of a composer environment of dm_control: ``python composer_episode.py newtonish|dm_control NAME``; prints returns and trajectories as JSON.

For newtonish one line puts ``newtonish.mjcf`` in the place of ``dm_control.mjcf`` before composer is imported.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

if sys.argv[1] == "newtonish":
    from newtonish import mjcf

    mjcf.install_as("dm_control.mjcf")

import numpy as np
from composer_arm import Reach
from dm_control import composer
from dm_control.locomotion.arenas import corridors, floors
from dm_control.locomotion.tasks import corridors as corridor_tasks
from dm_control.locomotion.tasks import go_to_target
from dm_control.locomotion.walkers import ant, cmu_humanoid, jumping_ball

EPISODES, STEPS = 2, 50


def humanoid_in_corridor() -> composer.Task:
    """The CMU humanoid with position servos, without the pictures of its camera."""
    walker = cmu_humanoid.CMUHumanoidPositionControlled()
    arena = corridors.EmptyCorridor()
    timing = {"physics_timestep": 0.005, "control_timestep": 0.03}
    task = corridor_tasks.RunThroughCorridor(walker, arena, walker_spawn_position=(0.5, 0, 0), target_velocity=3.0, **timing)
    walker.observables.egocentric_camera.enabled = False
    return task


TASKS = {
    "arm": Reach,
    "ant": lambda: go_to_target.GoToTarget(walker=ant.Ant(), arena=floors.Floor()),
    "ball": lambda: go_to_target.GoToTarget(walker=jumping_ball.RollingBallWithHead(), arena=floors.Floor()),
    "humanoid": humanoid_in_corridor,
}


def main() -> None:
    """Episodes of random actions in the middle of their ranges."""
    environment = composer.Environment(TASKS[sys.argv[2]](), random_state=np.random.RandomState(7))
    spec, draws, returns, path = environment.action_spec(), np.random.RandomState(1), [], []
    middle, half = 0.5 * (spec.maximum + spec.minimum), 0.5 * (spec.maximum - spec.minimum)
    start = time.perf_counter()
    for _ in range(EPISODES):
        step, total = environment.reset(), 0.0
        for _ in range(STEPS):
            if not step.last():
                step = environment.step(middle + half * draws.uniform(-1, 1, spec.shape))
                total += step.reward
            path.append(np.asarray(environment.physics.data.qpos, dtype=float).tolist())
        returns.append(total)
    last = {name: np.asarray(value, dtype=float).ravel().tolist() for name, value in step.observation.items()}
    engine = type(environment.physics.__repr__.__self__).__module__
    seconds = time.perf_counter() - start
    print(json.dumps({"engine": engine, "returns": returns, "last": last, "path": path, "seconds": seconds}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
