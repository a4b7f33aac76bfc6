"""Tasks of our own, their observations and rewards beside MuJoCo's arithmetic on the same states, in unequal worlds."""

import mujoco
import numpy as np
import pytest

from newtonish import envs
from newtonish.assets import asset_path


@pytest.mark.parametrize(("task", "size"), [("Reach-v0", 3), ("QuadrupedWalk-v0", 3), ("HandCube-v0", 4)])
def test_actions_are_normalised_and_goals_those_of_the_seed(task: str, size: int) -> None:
    env = envs.make_vec(task, 3, max_episode_steps=2)
    assert (env.single_action_space.low == -1.0).all() and (env.single_action_space.high == 1.0).all()
    env.reset(seed=4)
    goals = env.worlds.goal.copy()
    assert goals.shape == (3, size) and len(np.unique(goals)) == 3 * size
    for _ in range(3):
        env.step(np.zeros(env.action_space.shape))
    assert (env.worlds.goal != goals).any(axis=1).all(), "a new episode has a new goal"
    env.reset(seed=4)
    assert np.array_equal(env.worlds.goal, goals)


def test_reach_observes_and_rewards_the_tools_place() -> None:
    env = envs.make_vec("Reach-v0", 2)
    first, _ = env.reset(seed=1)
    model = mujoco.MjModel.from_xml_path(str(asset_path("arm.xml")))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)

    def place(world: int) -> np.ndarray:
        data.qpos[:] = env.worlds.qpos[world]
        mujoco.mj_kinematics(model, data)
        return data.site("tool").xpos.copy()

    for world in range(2):
        np.testing.assert_allclose(first[world, 14:17], place(world), atol=1e-6)
    for _ in range(20):
        action = rng.uniform(-1.0, 1.0, (2, 7)).astype(np.float32)
        observed, reward, terminated, _, info = env.step(action)
        for world in range(2):
            tool = place(world)
            distance = np.linalg.norm(env.worlds.goal[world] - tool)
            np.testing.assert_allclose(observed[world, 14:20], [*tool, *(env.worlds.goal[world] - tool)], atol=2e-6)
            np.testing.assert_allclose(info["distance"][world], distance, atol=2e-6)
            np.testing.assert_allclose(reward[world], -distance + (distance < 0.05) - 1e-3 * np.square(action[world]).sum(), atol=1e-5)
        assert not terminated.any()


def test_goals_of_reach_are_reached_by_inverse_kinematics() -> None:
    """The Jacobian's transpose steers the tool to within the tolerance: the goals are within reach, and actions move the arm."""
    env = envs.make_vec("Reach-v0", 16)
    env.reset(seed=0)
    model = mujoco.MjModel.from_xml_path(str(asset_path("arm.xml")))
    data, jacobian = mujoco.MjData(model), np.zeros((3, model.nv))
    for _ in range(99):
        action = np.zeros((16, 7), dtype=np.float32)
        qpos = env.worlds.qpos
        for world in range(16):
            data.qpos[:] = qpos[world]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_jacSite(model, data, jacobian, None, model.site("tool").id)
            error = env.worlds.goal[world] - data.site("tool").xpos
            change = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 0.01 * np.eye(3), error)
            action[world] = np.clip(change / 0.3, -1.0, 1.0)
        _, reward, _, _, info = env.step(action)
    assert (info["distance"] < 0.05).mean() > 0.9
    assert np.array_equal(info["reached"], info["distance"] < 0.05)
    assert (reward[info["reached"]] > 0.9).all()


def test_quadruped_observes_its_velocity_in_its_own_frame() -> None:
    env = envs.make_vec("QuadrupedWalk-v0", 2)
    env.reset(seed=0)
    model = mujoco.MjModel.from_xml_path(str(asset_path("quadruped.xml")))
    data, velocity = mujoco.MjData(model), np.zeros(6)
    rng = np.random.default_rng(0)
    qpos, qvel = env.worlds.qpos.astype(float), env.worlds.qvel.astype(float)
    qpos[:, 3:7] = rng.normal(size=(2, 4))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    qvel[:, :6] = rng.normal(size=(2, 6))
    observed = env.set_state(qpos, qvel)
    for world in range(2):
        data.qpos[:], data.qvel[:] = qpos[world], qvel[world]
        mujoco.mj_forward(model, data)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body("trunk").id, velocity, 1)
        np.testing.assert_allclose(observed[world, 3:6], velocity[3:], atol=1e-5)
        np.testing.assert_allclose(observed[world, 6:9], velocity[:3], atol=1e-5)
        np.testing.assert_allclose(observed[world, :3], -data.body("trunk").xmat.reshape(3, 3)[2], atol=1e-5)
    np.testing.assert_allclose(observed[:, 9:12], env.worlds.goal, atol=1e-6)
    assert (observed[:, -12:] == 0.0).all(), "the last targets are those of standing"


def test_quadruped_stands_and_is_rewarded_for_its_command() -> None:
    env = envs.make_vec("QuadrupedWalk-v0", 4, reset_noise_scale=0.0, command_low=(0.0, 0.0, 0.0), command_high=(0.0, 0.0, 0.0))
    env.reset(seed=0)
    env.worlds.goal[1:, 0] = (0.4, 0.8, 0.8)
    for _ in range(60):
        _, reward, terminated, _, info = env.step(np.zeros((4, 12)))
        assert not terminated.any()
    assert np.abs(info["velocity"]).max() < 0.02
    np.testing.assert_allclose(info["reward_follow"], np.exp([0.0, -1.0, -4.0, -4.0]) + 0.5, atol=0.05)
    assert reward[0] > 1.4


def test_quadruped_that_lies_on_its_back_has_fallen() -> None:
    env = envs.make_vec("QuadrupedWalk-v0", 2)
    env.reset(seed=0)
    qpos = env.worlds.qpos
    qpos[1, 3:7] = (0.0, 1.0, 0.0, 0.0)
    env.set_state(qpos, np.zeros((2, 18)))
    assert env.step(np.zeros((2, 12)))[2].tolist() == [False, True]


def hand_states(env: envs.WorldVectorEnv, rng: np.random.Generator) -> np.ndarray:
    """Positions of hands with cubes that lie each in another way above the palm."""
    qpos = env.worlds.qpos.astype(float)
    qpos[:, 16:19] += np.array((0.0, 0.0, 0.02)) + rng.uniform(-0.005, 0.005, (len(qpos), 3))
    qpos[:, 19:] = rng.normal(size=(len(qpos), 4))
    qpos[:, 19:] /= np.linalg.norm(qpos[:, 19:], axis=1, keepdims=True)
    return qpos


def test_hand_observes_the_turn_that_is_left() -> None:
    env = envs.make_vec("HandCube-v0", 3)
    env.reset(seed=0)
    rng, left = np.random.default_rng(1), np.zeros(4)
    qpos, qvel = hand_states(env, rng), rng.normal(size=(3, 22))
    observed = env.set_state(qpos, qvel)
    for world in range(3):
        mujoco.mju_negQuat(left, qpos[world, 19:])
        mujoco.mju_mulQuat(left, left.copy(), env.worlds.goal[world])
        np.testing.assert_allclose(observed[world, 45:49], left * (1.0 if left[0] >= 0 else -1.0), atol=1e-6)
        np.testing.assert_allclose(observed[world, 32:39], [*(10 * qpos[world, 16:19]), *qpos[world, 19:]], atol=1e-5)
        np.testing.assert_allclose(observed[world, 39:45], [*qvel[world, 16:19], *(0.2 * qvel[world, 19:])], atol=1e-5)


def test_hand_is_rewarded_for_what_it_turns_as_mujoco_turns_it() -> None:
    """Rewards of steps beside MuJoCo's simulation of the same worlds; a world whose cube has its goal is told so."""
    env = envs.make_vec("HandCube-v0", 3)
    env.reset(seed=2)
    rng = np.random.default_rng(3)
    model = mujoco.MjModel.from_xml_path(str(asset_path("hand_cube.xml")))
    data = [mujoco.MjData(model) for _ in range(3)]
    env.set_state(qpos := hand_states(env, rng), qvel := 0.2 * rng.normal(size=(3, 22)))
    for each, position, velocity, ctrl in zip(data, qpos, qvel, env.worlds.read("ctrl")):
        each.qpos[:], each.qvel[:], each.ctrl[:] = position, velocity, ctrl

    def angle(world: int) -> float:
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, env.worlds.goal[world], data[world].qpos[19:])
        return float(np.linalg.norm(turn))

    low, high = model.actuator_ctrlrange.T
    for _ in range(3):
        action = rng.uniform(-1.0, 1.0, (3, 16)).astype(np.float32)
        _, reward, terminated, _, info = env.step(action)
        assert not terminated.any()
        for world in range(3):
            before = angle(world)
            data[world].ctrl[:] = low + 0.5 * (action[world] + 1.0) * (high - low)
            mujoco.mj_step(model, data[world], 10)
            np.testing.assert_allclose(info["angle"][world], angle(world), atol=1e-3)
            expected = 5.0 * (before - angle(world)) + (angle(world) < 0.3) - 1e-3 * np.square(action[world]).sum()
            np.testing.assert_allclose(reward[world], expected, atol=1e-2)
    env.worlds.goal[1] = env.worlds.qpos[1, 19:]
    assert env.step(np.zeros((3, 16)))[4]["reached"].tolist() == [False, True, False]


def test_cube_stays_on_a_hand_at_rest_and_its_fall_ends_the_episode() -> None:
    env = envs.make_vec("HandCube-v0", 8, turn=0.5, autoreset_mode="Disabled")
    env.reset(seed=0)
    rest = env.task.rest(env.worlds)
    low, high = env.task.servos(env.worlds)
    action = np.tile(2.0 * (rest - low) / (high - low) - 1.0, (8, 1))
    for _ in range(25):
        _, _, terminated, _, _ = env.step(action)
        assert not terminated.any()
    assert (env.worlds.goal[:, 0] >= np.cos(0.25)).all(), "goals are within half a radian"
    qpos = env.worlds.qpos
    qpos[3, 16:19] = (0.0, 0.2, 0.05)
    env.set_state(qpos, np.zeros((8, 22)))
    _, reward, terminated, _, _ = env.step(action)
    assert np.flatnonzero(terminated).tolist() == [3] and reward[3] < -4.0 < reward[[0, 1, 2, 4, 5, 6, 7]].min()


def test_hands_own_randomisation_makes_worlds_differ() -> None:
    env = envs.make_vec("HandCube-v0", 3, randomize=envs.tasks.HandCube.RANDOMIZE)
    env.reset(seed=0)
    m, cube, servo = env.worlds.m, env.worlds.index("body", "cube"), 5
    mass = m.body_mass.numpy()[:, cube]
    assert len(np.unique(mass)) == 3 and (np.abs(mass / 0.1029 - 1.05) < 0.351).all()
    np.testing.assert_allclose(m.body_inertia.numpy()[:, cube, 0] / mass, 2.0 * 0.035**2 / 3.0, rtol=1e-5)
    np.testing.assert_allclose(m.actuator_gainprm.numpy()[:, servo, 0], -m.actuator_biasprm.numpy()[:, servo, 1], rtol=1e-6)
    assert len(np.unique(m.dof_damping.numpy()[:, 0])) == 3 and len(np.unique(m.geom_friction.numpy()[:, -1, 0])) == 3
