"""Contacts of Newton's own pipeline, and forces in Newton's container, against Newton's SolverMuJoCo on the same model."""

import warnings

import numpy as np
import pytest
import warp as wp

from newtonish import CollisionPipeline, SolverMuJoCo

newton = pytest.importorskip("newton")
NWORLD = 3


@pytest.fixture(scope="module")
def model():
    """A box on a plane and a capsule across it, deeper in every world."""
    builder, one = newton.ModelBuilder(), newton.ModelBuilder()
    for each in (builder, one):
        newton.solvers.SolverMuJoCo.register_custom_attributes(each)
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 1.55)
    one.add_shape_box(one.add_body(xform=wp.transform((0.0, 0.0, 0.099), wp.quat_identity())), hx=0.2, hy=0.15, hz=0.1)
    one.add_shape_capsule(one.add_body(xform=wp.transform((0.1, 0.05, 0.27), turn)), radius=0.08, half_height=0.2)
    builder.add_ground_plane()
    for w in range(NWORLD):
        builder.add_world(one, xform=wp.transform((2.0 * w, 0.0, 0.001 * w), wp.quat_identity()))
    return builder.finalize(device="cpu")


@pytest.fixture(params=["pyramidal", "elliptic"])
def stepped(request, model):
    """Both solvers after one step with the same contacts."""
    state = model.state()
    state.joint_qd.assign(0.2 * np.random.default_rng(0).standard_normal(model.joint_dof_count).astype(np.float32))
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    pipeline.collide(state, contacts)
    options = dict(use_mujoco_contacts=False, cone=request.param, solver="newton", iterations=100, ls_iterations=50)
    theirs = newton.solvers.SolverMuJoCo(model, njmax=200, nconmax=100, **options)
    ours, results, reports = SolverMuJoCo(model, **options), [], []
    for solver in (theirs, ours):
        after = model.state()
        reports.append(solver.observables({"contact_f", "overflow"}, contacts=contacts))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver.step(state, after, model.control(), contacts, 0.002, observables=reports[-1])
        results.append(after.joint_qd.numpy())
    return theirs, ours, results, reports


def test_contacts_and_velocities_agree(stepped):
    theirs, ours, (expected, got), _ = stepped
    count = int(theirs.mjw_data.nacon.numpy()[0])
    world = theirs.mjw_data.contact.worldid.numpy()[:count]
    assert count == 27
    np.testing.assert_array_equal(np.bincount(world), ours.mjw_data.ncon.numpy())
    for name in ("pos", "dist", "frame", "friction", "solref", "solreffriction", "solimp", "includemargin", "dim"):
        t = getattr(theirs.mjw_data.contact, name).numpy()[:count]
        o = getattr(ours.mjw_data.contact, name).numpy()
        for w in range(NWORLD):
            mine = o[w, : np.sum(world == w)]  # on one CPU thread Newton keeps the order of the container as well
            np.testing.assert_allclose(mine, t[world == w], rtol=1e-5, atol=5e-6, err_msg=f"{name} of world {w}")
    np.testing.assert_allclose(got, expected, atol=1e-3)


def forces_by_pair(solver) -> dict[tuple[int, int], np.ndarray]:
    """Sum of ``contacts.force`` over the points of each pair of shapes."""
    contacts = newton.Contacts(solver.get_max_contact_count(), 0, device="cpu", requested_attributes={"force"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver.update_contacts(contacts)
    count = int(contacts.rigid_contact_count.numpy()[0])
    total: dict[tuple[int, int], np.ndarray] = {}
    shapes = zip(contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_shape1.numpy()[:count])
    for pair, force in zip(shapes, contacts.force.numpy()):
        key = (int(pair[0]), int(pair[1]))
        total[key] = total.get(key, np.zeros(6)) + force
    return total


def test_forces_agree(stepped):
    theirs, ours, _, _ = stepped
    expected, got = forces_by_pair(theirs), forces_by_pair(ours)
    assert set(got) == set(expected)
    largest = max(np.abs(force).max() for force in expected.values())
    for pair, force in expected.items():
        np.testing.assert_allclose(got[pair], force, atol=1e-3 * largest, err_msg=str(pair))
    assert sum(force[2] for pair, force in got.items() if pair[0] == 0) < -100.0  # the plane is pressed down


def test_forces_lie_in_the_rows_of_the_contacts_that_were_given(stepped):
    expected, got = stepped[3]
    largest = np.abs(expected.contact_f.numpy()).max()
    assert largest > 1.0 and got.contacts is expected.contacts
    np.testing.assert_allclose(got.contact_f.numpy(), expected.contact_f.numpy(), atol=1e-3 * largest)
    assert not expected.overflow.numpy().any() and not got.overflow.numpy().any()


def test_overflows_have_newtons_bits(model):
    """Nine contacts a world and room for five; then a container that holds fewer than were found; then room enough."""
    state = model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    full, short = (newton.CollisionPipeline(model, **options) for options in ({}, {"rigid_contact_max": 20}))
    bits = SolverMuJoCo.OverflowBits
    assert {b.name: int(b) for b in bits} == {b.name: int(b) for b in newton.solvers.SolverMuJoCo.OverflowBits}
    for pipeline, nconmax, wanted in ((full, 5, bits.SOLVER_NCONMAX), (short, 100, bits.CONTACT_PIPELINE), (full, 100, 0)):
        contacts, found = pipeline.contacts(), []
        pipeline.collide(state, contacts)
        for kind in (newton.solvers.SolverMuJoCo, SolverMuJoCo):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                solver = kind(model, use_mujoco_contacts=False, njmax=200, nconmax=nconmax)
                report = solver.observables({"overflow"})
                solver.step(state, model.state(), model.control(), contacts, 0.002, observables=report)
            found.append(report.overflow.numpy().tolist())
        assert found[0] == found[1] == [int(wanted)] * NWORLD


def test_our_pipeline_takes_newtons_model_and_container(model):
    state = model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    pipeline = CollisionPipeline(model)
    ours = pipeline.collide(state)
    theirs = newton.Contacts(pipeline.rigid_contact_max, 0, device="cpu")
    pipeline.collide(state, theirs)
    count = int(ours.rigid_contact_count.numpy()[0])
    assert count == int(theirs.rigid_contact_count.numpy()[0]) >= 6 * NWORLD
    for name in ("shape0", "shape1", "point0", "point1", "normal"):
        np.testing.assert_array_equal(*(getattr(c, f"rigid_contact_{name}").numpy()[:count] for c in (ours, theirs)))
    solver, after = newton.solvers.SolverMuJoCo(model, use_mujoco_contacts=False, njmax=200, nconmax=100), model.state()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver.step(state, after, model.control(), theirs, 0.002)  # Newton's solver takes them as well
    assert int(solver.mjw_data.nacon.numpy()[0]) == count
