"""Public calls with one wrong argument end in an error that names it, or run; a seeded part of what ``tests/support/hostile_calls.py`` tries."""

from pathlib import Path

import numpy as np
import pytest
import warp as wp
from hostile_calls import ROOMS, run

import newtonish
import newtonish.envs
from newtonish import mjw
from newtonish.errors import ModelError

FOUR_PARTS = r": got .+; allowed: .+; .+"
FALLING = '<mujoco><worldbody><body pos="0 0 {}"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'


def test_no_call_with_a_wrong_argument_ends_in_a_foreign_exception_or_a_crash():
    found = run(120, seed=7, rooms=[room for room in ROOMS if room not in ("envs", "number")])
    assert (found["foreign"], found["crashed"]) == (0, 0)
    assert found["refused"] > 60


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("add_link", {"mass": "heavy"}), ("add_link", {"xform": 1.5}), ("add_link", {"inertia": ["x"]}), ("add_link", {"custom_attributes": [1]}),
        ("add_shape_box", {"body": None}), ("add_shape_box", {"body": 0, "hx": [1.0, 2.0]}), ("add_shape_box", {"body": 0, "cfg": 1}), ("add_shape_box", {"body": 10**40}),
        ("add_shape", {"body": 0, "type": 99}), ("add_shape_mesh", {"body": 0, "mesh": {}}), ("add_joint_revolute", {"parent": -1, "child": "a"}),
        ("add_joint_d6", {"parent": -1, "child": 0, "linear_axes": [1.0]}), ("add_articulation", {"joints": 0}), ("replicate", {"builder": None, "copy_count": 2}), ("finalize", {"device": ["x"]}),
    ],
)  # fmt: skip
def test_the_error_of_a_builder_has_four_parts_and_adds_nothing(method, arguments):
    builder = newtonish.ModelBuilder()
    builder.add_link(mass=1.0)
    before = builder.entity_counts()
    with pytest.raises(ModelError, match=FOUR_PARTS):
        getattr(builder, method)(**arguments)
    assert builder.entity_counts() == before


@pytest.mark.parametrize("seconds", [0.0, -0.002, float("nan"), float("inf"), [0.002, 0.0]])
def test_a_time_step_that_is_not_positive_is_refused(seconds):
    m, _ = mjw.load(FALLING.format(1), nworld=2)
    before = m.opt.timestep.numpy()
    for given in (seconds, wp.array(np.atleast_1d(seconds), dtype=wp.float32)):
        with pytest.raises(ValueError, match=FOUR_PARTS):
            m.opt.timestep = given
    np.testing.assert_array_equal(m.opt.timestep.numpy(), before)


def test_what_a_rerun_of_all_calls_found():
    m, d = mjw.load(
        '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><sensor><jointpos joint="j" nsample="4" delay=".004"/></sensor></mujoco>',
        nworld=2,
    )
    with pytest.raises(ModelError, match="read_sensor: interp" + FOUR_PARTS):
        mjw.read_sensor(m, d, 0, wp.zeros(2, dtype=wp.float32), np.zeros(7), wp.zeros((2, 1), dtype=wp.float32))
    with pytest.raises(ValueError, match="sleep_tolerance" + FOUR_PARTS):
        m.opt.sleep_tolerance = Path("/nowhere")
    for key in (1, (), (1, 2)):
        with pytest.raises(ModelError, match="randomize" + FOUR_PARTS):
            newtonish.envs.make_vec("InvertedPendulum-v5", num_envs=2, randomize={key: 2})
    for call in (mjw.forward_skip, mjw.inverse_skip):
        for name in ("skipstage", "skipsensor"):
            with pytest.raises(ModelError, match=f"{call.__name__}: {name}{FOUR_PARTS}"):
                call(m, d, **{name: np.zeros(2)})
    with pytest.raises(ModelError, match="rne: flg_acc" + FOUR_PARTS):
        mjw.rne(m, d, np.zeros(3))
    with pytest.raises(ModelError, match="sensor_acc: skip_rne_postconstraint" + FOUR_PARTS):
        mjw.sensor_acc(m, d, np.zeros(3))
    for spacing in ({}, "x", (1.0, None, 2.0)):
        with pytest.raises(ModelError, match="spacing.*" + FOUR_PARTS):
            newtonish.ModelBuilder().replicate(newtonish.ModelBuilder(), 2, spacing=spacing)
    with pytest.raises(ModelError, match="got component 0; allowed: None"):
        newtonish.envs.make_vec("InvertedPendulum-v5", num_envs=2, randomize={"body_mass": newtonish.envs.Randomize(None, 0.9, 1.1, "scale", 0)})
    newtonish.envs.make_vec("InvertedPendulum-v5", num_envs=2, randomize={"body_mass": newtonish.envs.Randomize([], 0.9, 1.1)}).reset(seed=1)


def test_a_time_step_that_is_written_in_place_keeps_to_its_world():
    m, d = mjw.load(FALLING.format(1), nworld=2)
    m.opt.timestep = [0.002, 0.002]
    m.opt.timestep.assign(np.array([np.nan, 0.002], dtype=np.float32))
    mjw.step(m, d)
    assert np.isfinite(d.qpos.numpy()).all()
    [reset] = mjw.resets(m, d)
    assert reset.world == 0 and any("timestep" in field for field in reset.fields)
    assert 0.9 < d.qpos.numpy()[1, 2] < 1.0


@pytest.mark.parametrize("name", ["limit_lower", "target_q", "damping"])
def test_an_integer_that_numpy_does_not_hold_is_refused(name):
    with pytest.raises(ModelError, match=FOUR_PARTS):
        newtonish.ModelBuilder.JointDofConfig(**{name: 10**40})


def test_sequences_may_be_arrays():
    builder = newtonish.ModelBuilder()
    first, second, third = (builder.add_link(mass=1.0) for _ in range(3))
    axis = newtonish.ModelBuilder.JointDofConfig(axis=(0.0, 0.0, 1.0))
    joints = [
        builder.add_joint_d6(-1, first, linear_axes=np.array([]), angular_axes=np.array([axis])),
        builder.add_joint(newtonish.JointType.D6, first, second, linear_axes=np.array([]), angular_axes=np.array([axis, axis])),
        builder.add_joint_fixed(second, third),
    ]
    builder.add_articulation(joints)
    assert builder.collapse_fixed_joints(joints_to_keep=np.array([2]))["body_merged_parent"] == {}
    assert builder.collapse_fixed_joints(joints_to_keep=np.array([]))["body_merged_parent"] == {2: 1}


def test_a_switch_is_no_array():
    m, _ = mjw.load(FALLING.format(1), nworld=2)
    with pytest.raises(ModelError, match=FOUR_PARTS):
        mjw.make_data(m, nworld=2, strict_capacity=np.full(7, np.nan))
