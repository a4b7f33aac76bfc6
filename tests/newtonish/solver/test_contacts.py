"""The contacts of a step in Newton's arrays."""

from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp
from solver_rigs import replicated

from newtonish import Contacts, ModelBuilder, SolverMuJoCo, mjw
from newtonish.errors import CapacityError, ModelError

NWORLD = 3
MASS = 2.0


@pytest.fixture(params=["pyramidal", "elliptic"])
def resting(request, device: str):
    """Boxes that have come to rest on a plane, in the second world high above it."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_ground_plane()
    body = builder.add_link(mass=MASS, inertia=wp.mat33(0.02, 0.0, 0.0, 0.0, 0.02, 0.0, 0.0, 0.0, 0.02), lock_inertia=True)
    builder.add_articulation([builder.add_joint_free(body)])
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = replicated(builder, NWORLD, device)
    solver, state = SolverMuJoCo(model, cone=request.param), model.state()
    q = state.joint_q.numpy().reshape(NWORLD, 7)
    q[:, 2] = [0.1, 5.0, 0.1]
    q[:, 0] = [0.0, 1.0, 2.0]
    state.joint_q.assign(q.reshape(-1))
    for _ in range(150):
        solver.step(state, state, None, None, 0.004)
    contacts = Contacts(solver.get_max_contact_count(), device=device)
    solver.update_contacts(contacts)
    return model, solver, state, contacts


def test_each_world_has_its_contacts(resting):
    model, _, _, contacts = resting
    count = int(contacts.rigid_contact_count.numpy()[0])
    assert count == 8
    pairs = np.stack([contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_shape1.numpy()[:count]])
    worlds = model.shape_world.numpy()[pairs].max(axis=0)
    np.testing.assert_array_equal(worlds, [0] * 4 + [2] * 4)


def test_points_lie_on_the_shapes_and_forces_carry_the_weight(resting):
    _, _, _, contacts = resting
    normal, force = contacts.rigid_contact_normal.numpy()[:8], contacts.rigid_contact_force.numpy()[:8]
    np.testing.assert_allclose(normal, np.tile([0.0, 0.0, 1.0], (8, 1)), atol=1e-4)
    np.testing.assert_allclose(force[:4].sum(axis=0), [0.0, 0.0, MASS * 9.81], atol=0.05)
    np.testing.assert_allclose(force[4:].sum(axis=0), [0.0, 0.0, MASS * 9.81], atol=0.05)
    on_plane, on_box = contacts.rigid_contact_point0.numpy()[:8], contacts.rigid_contact_point1.numpy()[:8]
    np.testing.assert_allclose(on_plane[:, 2], 0.0, atol=1e-4)
    np.testing.assert_allclose(np.abs(on_box), 0.1, atol=1e-4)
    np.testing.assert_allclose(on_plane[4:, 0] - on_plane[:4, 0], 2.0, atol=1e-2)


@pytest.mark.parametrize("how", ["recorded", "captured"])
def test_a_step_writes_its_contacts_and_their_forces(resting, how: str, device: str):
    """``contact_f`` is what update_contacts says after the step, and the contacts themselves are written with it."""
    model, solver, state, _ = resting
    contacts = Contacts(solver.get_max_contact_count(), device=device, requested_attributes={"force"})
    report = solver.observables({"contact_f", "overflow"}, contacts=contacts)
    if how == "captured":
        with wp.ScopedCapture(device=device) as capture:
            solver.step(state, state, None, contacts, 0.004, observables=report)
        wp.capture_launch(capture.graph)
    else:
        solver.step(state, state, None, contacts, 0.004, observables=report)
    after = Contacts(solver.get_max_contact_count(), device=device, requested_attributes={"force"})
    solver.update_contacts(after)
    for name in ("rigid_contact_count", "rigid_contact_shape1", "rigid_contact_point0", "rigid_contact_normal", "force"):
        np.testing.assert_array_equal(getattr(contacts, name).numpy(), getattr(after, name).numpy())
    np.testing.assert_array_equal(report.contact_f.numpy(), after.force.numpy())
    np.testing.assert_allclose(report.contact_f.numpy()[:4, :3].sum(axis=0), [0.0, 0.0, -MASS * 9.81], atol=0.05)
    assert not report.contact_f.numpy()[8:].any() and not report.overflow.numpy().any()


def test_overflow_is_that_of_the_last_step(resting, device: str):
    """Room for two of four contacts in the worlds that touch; none is needed after they are lifted, and Data keeps the flag."""
    model, _, state, _ = resting
    solver = SolverMuJoCo(model, nconmax=2)
    report = solver.observables({"overflow"})
    solver.step(state, state, None, None, 0.004, observables=report)
    narrow = int(mjw.OverflowType.NARROWPHASE)
    assert report.overflow.numpy().tolist() == [narrow, 0, narrow]
    q = state.joint_q.numpy().reshape(NWORLD, 7)
    q[0, 2] += 1.0
    state.joint_q.assign(q.reshape(-1))
    solver.step(state, state, None, None, 0.004, observables=report)
    assert report.overflow.numpy().tolist() == [0, 0, narrow]
    assert solver.mjw_data.overflow.numpy().tolist() == [narrow, 0, narrow]


def test_arrays_of_another_device_are_refused(resting):
    """As contacts are that were made without a device, where the default one is a GPU and the model is on the CPU."""
    solver, contacts = resting[1], resting[3]
    contacts.rigid_contact_normal = SimpleNamespace(device="cuda:7")
    with pytest.raises(ModelError, match=r"contacts: got arrays on cuda:7; allowed: on \w+(:0)?; make it with newtonish\.Contacts"):
        solver.update_contacts(contacts)


def test_a_small_container_is_refused(resting, device: str):
    solver, state = resting[1:3]
    small, enough = Contacts(1, device=device), Contacts(solver.get_max_contact_count(), device=device)
    with pytest.raises(CapacityError, match="rigid_contact_max"):
        solver.update_contacts(small)
    with pytest.raises(CapacityError, match="observables: contacts: got rigid_contact_max=1"):
        solver.observables({"contact_f"}, contacts=small)
    report = solver.observables({"contact_f"}, contacts=enough)
    with pytest.raises(CapacityError, match="step: contacts: got rigid_contact_max=1"):
        solver.step(state, state, None, small, 0.004, observables=report)
    larger = Contacts(solver.get_max_contact_count() + 5, device=device)
    with pytest.raises(CapacityError, match="rows of contact_f"):
        solver.step(state, state, None, larger, 0.004, observables=report)
    with pytest.raises(ModelError, match="step: contacts: got None"):
        solver.step(state, state, None, None, 0.004, observables=report)
