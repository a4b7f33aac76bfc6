"""Pushing a state and pulling it again, and the poses and velocities that MuJoCo's kinematics makes of it."""

import numpy as np
import pytest
from solver_rigs import every_joint, replicated, shake

from newtonish import SolverMuJoCo, eval_fk
from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.solver.pull import pull
from newtonish.solver.push import push

NWORLD = 3


@pytest.fixture(scope="module")
def scene(device: str):
    model = replicated(every_joint(), NWORLD, device)
    solver = SolverMuJoCo(model)
    state = model.state()
    shake(model, state)
    eval_fk(model, state.joint_q, state.joint_qd, state)
    control = model.control()
    push(solver.mjw_model, solver.mjw_data, solver._maps, solver._inputs, state, control, 0.002)
    return model, solver, state


def test_pull_returns_what_was_pushed(scene):
    model, solver, state = scene
    after = model.state()
    pull(solver.mjw_model, solver.mjw_data, solver._maps, model, state, after)
    for name in ("joint_q", "joint_qd"):
        np.testing.assert_allclose(getattr(after, name).numpy(), getattr(state, name).numpy(), atol=5e-6, err_msg=name)
    np.testing.assert_allclose(after.body_q.numpy(), state.body_q.numpy(), atol=1e-5)
    np.testing.assert_allclose(after.body_qd.numpy(), state.body_qd.numpy(), atol=2e-5)


def test_kinematics_of_both_sides_agree(scene):
    """Poses of all bodies from joint_q by Newton's rules equal those from qpos by MuJoCo's; so do the velocities."""
    _, solver, state = scene
    m, d = solver.mjw_model, solver.mjw_data
    for stage in (kinematics, com_pos, com_vel):
        stage(m, d)
    rows = solver.compiled.maps.mjc_body[:, 1:]
    body_q, body_qd = state.body_q.numpy()[rows], state.body_qd.numpy()[rows]
    np.testing.assert_allclose(d.xpos.numpy()[:, 1:], body_q[..., :3], atol=2e-5)
    quat = d.xquat.numpy()[:, 1:][..., [1, 2, 3, 0]]
    np.testing.assert_allclose(np.abs(np.sum(quat * body_q[..., 3:], axis=-1)), 1.0, atol=1e-5)
    cvel, root = d.cvel.numpy()[:, 1:], m.body_rootid.numpy()[1:]
    arm = d.xipos.numpy()[:, 1:] - d.subtree_com.numpy()[:, root]
    linear = cvel[..., 3:] + np.cross(cvel[..., :3], arm)
    np.testing.assert_allclose(linear, body_qd[..., :3], atol=5e-5)
    np.testing.assert_allclose(cvel[..., :3], body_qd[..., 3:], atol=5e-5)


def test_the_reference_pose_is_that_of_zero_coordinates(scene):
    model, solver, _ = scene
    state = model.state()
    push(solver.mjw_model, solver.mjw_data, solver._maps, solver._inputs, state, model.control(), 0.002)
    np.testing.assert_allclose(solver.mjw_data.qpos.numpy(), np.tile(solver.compiled.qpos0, (NWORLD, 1)), atol=2e-6)
