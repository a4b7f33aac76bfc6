"""State, Control and Contacts: what they hold and that they are independent copies."""

import numpy as np
import pytest
import warp as wp

import newtonish as nt


def model_of_two(device: str) -> nt.Model:
    robot = nt.ModelBuilder()
    robot.add_body(mass=1.0)
    arm = robot.add_link(mass=1.0)
    robot.add_articulation([robot.add_joint_ball(-1, arm)])
    scene = nt.ModelBuilder()
    scene.replicate(robot, 2)
    scene.joint_q[0] = 5.0
    scene.request_state_attributes("body_qdd", "mujoco:qfrc_actuator")
    return scene.finalize(device)


def test_state_is_an_independent_copy(device: str) -> None:
    model = model_of_two(device)
    state, other = model.state(), model.state()
    assert (state.body_count, state.joint_coord_count, state.joint_dof_count) == (4, 22, 18)
    state.joint_q.fill_(3.0)
    state.body_f.fill_(1.0)
    assert model.joint_q.numpy()[0] == 5.0 and other.joint_q.numpy()[0] == 5.0
    other.assign(state)
    assert np.all(other.joint_q.numpy() == 3.0) and np.all(other.body_f.numpy() == 1.0)
    other.clear_forces()
    assert not np.any(other.body_f.numpy()) and np.all(state.body_f.numpy() == 1.0)
    assert state.body_qdd.shape == (4,) and state.mujoco.qfrc_actuator.shape == (18,)
    assert not state.requires_grad and model.state(requires_grad=True).requires_grad


def test_states_of_different_models_do_not_mix(device: str) -> None:
    plain = nt.ModelBuilder()
    plain.add_body(mass=1.0)
    with pytest.raises(nt.ModelError, match="body_qdd"):
        model_of_two(device).state().assign(plain.finalize(device).state())
    with pytest.raises(nt.ModelError, match=r"body_speed.*body_qdd"):
        plain.request_state_attributes("body_speed")


def test_control_keeps_quaternions_when_cleared(device: str) -> None:
    model = model_of_two(device)
    control = model.control()
    control.joint_f.fill_(2.0)
    control.clear(model)
    assert not np.any(control.joint_f.numpy())
    np.testing.assert_array_equal(control.joint_target_q.numpy()[[6, 10]], [1.0, 1.0])
    control.clear()
    assert not np.any(control.joint_target_q.numpy())
    shared = model.control(clone_variables=False)
    assert shared.joint_f is model.joint_f


def test_contacts(device: str) -> None:
    contacts = nt.Contacts(8, 0, device=device, clear_buffers=True, requested_attributes={"force"})
    assert contacts.rigid_contact_shape0.shape == (8,) and contacts.rigid_contact_normal.dtype == wp.vec3f
    assert contacts.force.shape == (8,)
    contacts.rigid_contact_count.fill_(3)
    contacts.rigid_contact_shape1.fill_(7)
    assert contacts.contact_counters.numpy().tolist() == [3, 0, 0, 0]
    contacts.clear()
    assert contacts.rigid_contact_count.numpy()[0] == 0 and contacts.contact_generation.numpy()[0] == 1
    assert np.all(contacts.rigid_contact_shape1.numpy() == -1)
    with pytest.raises(nt.ModelError, match="soft_contact_max 4"):
        nt.Contacts(8, 4)


def test_model_without_joints_or_bodies(device: str) -> None:
    builder = nt.ModelBuilder()
    builder.add_ground_plane()
    model = builder.finalize(device)
    state = model.state()
    assert state.body_q is None and model.body_q.shape == (0,)
    nt.eval_fk(model, model.joint_q, model.joint_qd, state)
