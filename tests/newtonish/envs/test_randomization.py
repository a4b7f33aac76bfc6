"""Domain randomisation: each world has the physics of MuJoCo's model with the same changes."""

import mujoco
import numpy as np
import pytest

from newtonish import envs
from newtonish.envs.task import gymnasium_model

MASS = {("body_mass", "body_inertia"): ("torso", 0.5, 2.0)}


def changed_model(env: envs.WorldVectorEnv, world: int) -> mujoco.MjModel:
    """MuJoCo's model of half-cheetah with the masses and friction of one world."""
    model = mujoco.MjModel.from_xml_path(gymnasium_model("half_cheetah.xml"))
    m = env.worlds.m
    for name in ("body_mass", "body_inertia", "geom_friction"):
        array = getattr(m, name).numpy()
        getattr(model, name)[:] = array[world if len(array) > 1 else 0]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def test_each_world_has_the_physics_of_its_own_model() -> None:
    env = envs.make_vec("HalfCheetah-v5", 3, randomize={**MASS, "geom_friction": (None, 0.3, 1.5, "scale", 0)}, autoreset_mode="Disabled")
    env.reset(seed=2)
    ended = np.array([True, False, True])
    for mask in (np.ones(3, dtype=bool), ended, ~ended):
        env.reset(options={"reset_mask": mask})
        for world in range(3):
            model = changed_model(env, world)
            np.testing.assert_allclose(env.worlds.m.body_invweight0.numpy()[world], model.body_invweight0, rtol=1e-5)
            np.testing.assert_allclose(env.worlds.m.dof_invweight0.numpy()[world], model.dof_invweight0, rtol=1e-5)
        states = list(zip(env.worlds.qpos, env.worlds.qvel, strict=True))
        env.step(np.full((3, 6), 0.3, dtype=np.float32))
        for world, (qpos, qvel) in enumerate(states):
            model = changed_model(env, world)
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, 0.3
            mujoco.mj_step(model, data, 5)
            np.testing.assert_allclose(env.worlds.qpos[world], data.qpos, atol=1e-5)


def test_values_are_within_their_range_and_differ() -> None:
    specification = {
        **MASS,
        "geom_friction": envs.Randomize(["floor"], 0.5, 0.6, "set", 0),
        "dof_damping": (["bthigh", "ffoot"], 1.0, 2.0, "add"),
        "actuator_gear": (None, 0.9, 1.1),
    }
    env, plain = (envs.make_vec("HalfCheetah-v5", 64, randomize=given) for given in (specification, None))
    a, b = env.reset(seed=9)[0], plain.reset(seed=9)[0]
    assert np.array_equal(a, b)  # initial states do not depend on it
    m, own = env.worlds.m, plain.worlds.m
    torso = m.names["body"].index("torso")
    factor = m.body_mass.numpy() / np.where(own.body_mass.numpy() > 0, own.body_mass.numpy(), 1.0)
    assert 0.5 <= factor[:, torso].min() < 0.7 and 1.8 < factor[:, torso].max() <= 2.0
    assert np.array_equal(np.delete(factor, torso, axis=1), np.delete(np.repeat(own.body_mass.numpy() > 0, 64, axis=0), torso, axis=1))
    inertia = m.body_inertia.numpy()[:, torso] / own.body_inertia.numpy()[:, torso]
    np.testing.assert_allclose(inertia, np.repeat(factor[:, torso, None], 3, axis=1), rtol=1e-6)
    friction = m.geom_friction.numpy()[:, m.names["geom"].index("floor")]
    assert 0.5 <= friction[:, 0].min() < friction[:, 0].max() <= 0.6
    assert np.array_equal(friction[:, 1:], np.repeat(own.geom_friction.numpy()[:, 0, 1:], 64, axis=0))
    added = m.dof_damping.numpy() - own.dof_damping.numpy()
    assert (added[:, [3, 8]] > 0.99).all() and (np.delete(added, [3, 8], axis=1) == 0.0).all()


def test_a_seed_gives_the_same_values_again_and_an_episode_new_ones() -> None:
    env = envs.make_vec("HalfCheetah-v5", 2, max_episode_steps=3, randomize=MASS)
    env.reset(seed=1)
    first = env.worlds.m.body_mass.numpy().copy()
    for _ in range(4):
        env.step(np.zeros((2, 6), dtype=np.float32))
    second = env.worlds.m.body_mass.numpy().copy()
    assert (first[:, 1] != second[:, 1]).all()
    env.reset(seed=1)
    assert np.array_equal(env.worlds.m.body_mass.numpy(), first)


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ({"body_weight": (None, 1, 2)}, "randomize: body_weight: got no such field"),
        ({"body_parentid": (None, 1, 2)}, "body_parentid: got no such field"),
        ({"body_mass": ("tail", 1, 2)}, "body_mass: got no body 'tail'; allowed: world, torso"),
        ({"body_mass": (None, 2, 1)}, "body_mass: got 2 to 1"),
        ({"body_mass": (None, 1, 2, "divide")}, "operation 'divide'"),
        ({"geom_friction": (None, 1, 2, "scale", 3)}, "component 3; allowed: 0 to 2"),
        ({"qpos0": ("rootx", 1, 2)}, "qpos0: got names 'rootx'; allowed: None"),
    ],
)
def test_misuse_is_explained(specification: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        envs.make_vec("HalfCheetah-v5", 2, randomize=specification)
