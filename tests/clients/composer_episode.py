"""An episode of a composer environment of dm_control: ``python composer_episode.py newtonish|dm_control``; prints returns and last observations as JSON.

For newtonish one import is replaced: ``dm_control.mjcf`` is ``newtonish.mjcf`` before composer is imported.
"""

from __future__ import annotations

import json
import sys
import time

if sys.argv[1] == "newtonish":
    import dm_control

    import newtonish.mjcf

    dm_control.mjcf = newtonish.mjcf
    sys.modules["dm_control.mjcf"] = newtonish.mjcf

import numpy as np
from dm_control import composer, mjcf
from dm_control.composer import variation
from dm_control.composer.observation import observable
from dm_control.composer.variation import distributions


class Arm(composer.Entity):
    """Two links with motors."""

    def _build(self, name: str = "arm") -> None:
        self._root = mjcf.RootElement(model=name)
        parent, self.joints = self._root.worldbody, []
        for k, x in enumerate((0.0, 0.3)):
            parent = parent.add("body", name=f"link{k}", pos=[x, 0, 0])
            self.joints.append(parent.add("joint", name=f"hinge{k}", axis=[0, 1, 0], damping=0.05))
            parent.add("geom", name=f"rod{k}", type="capsule", fromto=[0, 0, 0, 0.3, 0, 0], size=[0.03])
            self._root.actuator.add("motor", name=f"motor{k}", joint=self.joints[-1], ctrllimited=True, ctrlrange=[-1, 1])
        self.tip = parent.add("site", name="tip", pos=[0.3, 0, 0])

    @property
    def mjcf_model(self):
        return self._root

    @property
    def actuators(self):
        return self._root.find_all("actuator")

    def _build_observables(self):
        return ArmObservables(self)


class ArmObservables(composer.Observables):
    """Angles, velocities and the tip."""

    @composer.observable
    def angles(self):
        return observable.MJCFFeature("qpos", self._entity.joints)

    @composer.observable
    def velocities(self):
        return observable.MJCFFeature("qvel", self._entity.joints)

    @composer.observable
    def tip(self):
        return observable.MJCFFeature("xpos", self._entity.tip)


class Reach(composer.Task):
    """Hold the tip up, with another first angle and another mass in every episode."""

    def __init__(self) -> None:
        self._arena, self._arm = composer.Arena(), Arm()
        self._arena.attach(self._arm)
        self._variator = variation.MJCFVariator()
        self._variator.bind_attributes(self._arm.mjcf_model.find("geom", "rod1"), mass=distributions.Uniform(0.5, 1.0))
        for name in ("angles", "velocities", "tip"):
            getattr(self._arm.observables, name).enabled = True
        self.control_timestep = 0.02

    @property
    def root_entity(self):
        return self._arena

    def initialize_episode_mjcf(self, random_state) -> None:
        self._variator.apply_variations(random_state)

    def initialize_episode(self, physics, random_state) -> None:
        physics.bind(self._arm.joints).qpos = random_state.uniform(-0.5, 0.5, 2)

    def before_step(self, physics, action, random_state) -> None:
        physics.bind(self._arm.actuators).ctrl = action

    def get_reward(self, physics) -> float:
        return float(physics.bind(self._arm.tip).xpos[2])


def main() -> None:
    """Two episodes of random actions."""
    environment = composer.Environment(Reach(), time_limit=1.0, random_state=np.random.RandomState(7))
    actions, returns, steps = np.random.RandomState(1), [], 0
    start = time.perf_counter()
    for _ in range(2):
        step, total = environment.reset(), 0.0
        while not step.last():
            step = environment.step(actions.uniform(-1, 1, 2))
            total, steps = total + step.reward, steps + 1
        returns.append(total)
    last = {name: np.asarray(value).ravel().tolist() for name, value in step.observation.items()}
    engine = type(environment.physics.__repr__.__self__).__module__
    print(json.dumps({"engine": engine, "steps": steps, "returns": returns, "last": last, "seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
