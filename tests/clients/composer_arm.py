"""An environment of dm_control's composer with all that belongs to one: an entity with observables, a variation, a task with hooks."""

from __future__ import annotations

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
