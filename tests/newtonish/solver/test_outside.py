"""Contacts from outside: the solver's own fed back, Newton's pipeline, and what may be wrong with them."""

import numpy as np
import pytest
import warp as wp

from newtonish import CapacityError, Contacts, ModelBuilder, ModelError, SolverMuJoCo, mjw
from newtonish.solver import recorded

KERNELS = "newtonish.kernels"
NWORLD = 4
NAMES = ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "margin0", "margin1", "normal")


def pile(margin: float = 0.0):
    """A box, a capsule and a ball on an arm, near one another and a plane."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.default_shape_cfg.margin = margin
    box, capsule, ball = (builder.add_link(label=name) for name in ("box", "capsule", "ball"))
    builder.add_shape_box(box, hx=0.2, hy=0.15, hz=0.1)
    builder.add_shape_capsule(capsule, radius=0.08, half_height=0.2)
    builder.add_shape_sphere(ball, radius=0.1)
    builder.add_articulation([builder.add_joint_free(box)])
    builder.add_articulation(
        [
            builder.add_joint_free(capsule),
            builder.add_joint_revolute(
                capsule, ball, axis=(0.0, 1.0, 0.0), parent_xform=wp.transform((0.0, 0.0, 0.45), wp.quat_identity()), collision_filter_parent=True
            ),
        ]
    )
    return builder


def scene(device: str, margin: float = 0.0):
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_ground_plane()
    builder.replicate(pile(margin), NWORLD)
    model = builder.finalize(device=device)
    state = model.state()
    q = state.joint_q.numpy().reshape(NWORLD, -1)
    rng = np.random.default_rng(0)
    for w in range(NWORLD):
        q[w, :7] = [0.3 * w, 0.0, 0.098 + 0.02 * (w == 3), 0.0, 0.0, 0.0, 1.0]
        turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), float(np.pi / 2 + 0.05 * w))
        q[w, 7:14] = [0.3 * w + 0.1, 0.05, 0.27 + 0.001 * w, *turn]
    state.joint_q.assign(q.reshape(-1))
    state.joint_qd.assign(0.3 * rng.standard_normal(state.joint_qd.shape).astype(np.float32))
    return model, state


def found(model, state, **options):
    """Contacts that a solver finds in a state, and the state after its step."""
    solver, after = SolverMuJoCo(model, **options), model.state()
    solver.step(state, after, None, None, 0.002)
    contacts = Contacts(solver.get_max_contact_count(), device=model.device)
    solver.update_contacts(contacts)
    return contacts, after, solver


@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contacts_fed_back_give_the_same_step(cone, margin, device: str):
    model, state = scene(device, margin)
    model.shape_material_kf.fill_(-1.0)  # counts for contacts from outside alone, with elliptic cones
    contacts, expected, inside = found(model, state, cone=cone)
    assert inside.mjw_data.ncon.numpy().min() >= 1 and inside.mjw_data.ncon.numpy().max() >= 5
    solver, after = SolverMuJoCo(model, cone=cone, use_mujoco_contacts=False), model.state()
    solver.step(state, after, None, contacts, 0.002)
    np.testing.assert_array_equal(solver.mjw_data.ncon.numpy(), inside.mjw_data.ncon.numpy())
    for name in ("dist", "pos", "frame", "friction", "solref", "solimp", "includemargin", "dim"):
        for w, n in enumerate(solver.mjw_data.ncon.numpy()):
            ours, theirs = (getattr(s.mjw_data.contact, name).numpy()[w, :n] for s in (solver, inside))
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=2e-6, err_msg=f"{name} of world {w}")
    np.testing.assert_allclose(after.joint_qd.numpy(), expected.joint_qd.numpy(), atol=2e-3)


def shuffled(contacts, rng, keep_order: bool):
    """The same contacts with those of several worlds mixed up, each world's in the same order or not."""
    count = int(contacts.rigid_contact_count.numpy()[0])
    order = rng.permutation(count)
    other = Contacts(contacts.rigid_contact_max, device=contacts.device)
    body = np.maximum(contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_shape1.numpy()[:count])
    if keep_order:
        world = (body - 1) // 3  # three shapes a world, after the plane
        for w in range(NWORLD):
            mine = world[order] == w
            order[mine] = np.sort(order[mine])
    for name in NAMES:
        array = getattr(contacts, f"rigid_contact_{name}").numpy()
        array[:count] = array[order]
        getattr(other, f"rigid_contact_{name}").assign(array)
    other.rigid_contact_count.assign(np.array([count], dtype=np.int32))
    return other


def test_worlds_may_lie_in_any_order(device: str):
    model, state = scene(device)
    contacts = found(model, state)[0]
    rng = np.random.default_rng(1)
    results = []
    for c in (contacts, shuffled(contacts, rng, True), shuffled(contacts, rng, True)):
        solver, after = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
        solver.step(state, after, None, c, 0.002)
        results.append(after.joint_qd.numpy())
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])
    solver, after = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
    solver.step(state, after, None, shuffled(contacts, rng, False), 0.002)
    np.testing.assert_allclose(after.joint_qd.numpy(), results[0], atol=2e-3)


def test_a_step_with_contacts_can_be_captured_from_the_first_on(device: str):
    model, state = scene(device)
    contacts = found(model, state)[0]
    plain, captured = (SolverMuJoCo(model, use_mujoco_contacts=False) for _ in range(2))
    a, b = model.state(), model.state()
    plain.step(state, a, None, contacts, 0.002)
    with wp.ScopedCapture(device=model.device) as capture:
        captured.step(state, b, None, contacts, 0.002)
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(a.joint_qd.numpy(), b.joint_qd.numpy())


def test_contacts_that_nothing_can_move_and_other_rubbish_are_left_out(device: str):
    model, state = scene(device)
    contacts = found(model, state)[0]
    shape0, shape1 = contacts.rigid_contact_shape0.numpy(), contacts.rigid_contact_shape1.numpy()
    solver, after = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
    solver.step(state, after, None, contacts, 0.002)
    before = solver.mjw_data.ncon.numpy().copy()
    shape0[:3] = [-1, 0, 10_000]
    shape1[1] = 0
    contacts.rigid_contact_shape0.assign(shape0)
    contacts.rigid_contact_shape1.assign(shape1)
    solver.step(state, after, None, contacts, 0.002)
    assert solver.mjw_data.ncon.numpy().sum() == before.sum() - 3


def test_a_model_built_without_worlds_takes_contacts(device: str):
    """All of its shapes are of no world, as in most short scripts."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_sphere(builder.add_body(xform=wp.transform((0.0, 0.0, 0.099), wp.quat_identity())), radius=0.1)
    model = builder.finalize(device=device)
    assert int(model.world_count) == 1 and (model.shape_world.numpy() == -1).all()
    solver, state = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
    for _ in range(50):
        solver.step(state, state, None, model.collide(state), 0.004)
    assert int(solver.mjw_data.ncon.numpy()[0]) == 1
    assert 0.09 < float(state.joint_q.numpy()[2]) < 0.101


def test_overflow_is_flagged_for_the_world_that_has_it(device: str):
    model, state = scene(device)
    contacts = found(model, state)[0]
    solver, after = SolverMuJoCo(model, use_mujoco_contacts=False, nconmax=4), model.state()
    with pytest.warns(UserWarning, match="nconmax=4"):
        solver.step(state, after, None, contacts, 0.002)
    wanted = solver.mjw_data.ncon_needed.numpy()
    assert wanted.max() > 4
    np.testing.assert_array_equal(solver.mjw_data.overflow.numpy() != 0, wanted > 4)
    strict = SolverMuJoCo(model, use_mujoco_contacts=False, nconmax=4, strict_capacity=True)
    with pytest.warns(UserWarning), pytest.raises(CapacityError):
        strict.step(state, after, None, contacts, 0.002)


def test_what_is_no_container_is_named(device: str):
    model, state = scene(device)
    solver = SolverMuJoCo(model, use_mujoco_contacts=False)
    with pytest.raises(ModelError, match="contacts: got None"):
        solver.step(state, state, None, None, 0.002)
    contacts = Contacts(8, device=device)
    contacts.rigid_contact_normal = wp.zeros(7, dtype=wp.vec3, device=device)
    with pytest.raises(ModelError, match="rigid_contact_normal"):
        solver.step(state, state, None, contacts, 0.002)


def test_a_contact_may_bring_its_own_stiffness(device: str):
    model, state = scene(device)
    source = found(model, state)[0]
    contacts = Contacts(source.rigid_contact_max, device=device, per_contact_shape_properties=True)
    for name in ("count", *NAMES):
        wp.copy(getattr(contacts, f"rigid_contact_{name}"), getattr(source, f"rigid_contact_{name}"))
    solver, after = SolverMuJoCo(model, use_mujoco_contacts=False, cone="elliptic"), model.state()
    contacts.rigid_contact_stiffness.fill_(3000.0)
    contacts.rigid_contact_friction.fill_(0.5)
    solver.step(state, after, None, contacts, 0.002)
    c, geoms = solver.mjw_data.contact, solver.mjw_data.contact.geom.numpy()
    invweight = solver.mjw_model.body_invweight0.numpy()[0, solver.mjw_model.geom_bodyid.numpy(), 0]
    for w, n in enumerate(solver.mjw_data.ncon.numpy()):
        rate = np.sqrt(3000.0 * invweight[geoms[w, :n]].sum(axis=1) * 0.05)
        np.testing.assert_allclose(c.solref.numpy()[w, :n, 0], 1.0 / rate, rtol=1e-4)
        np.testing.assert_allclose(c.solref.numpy()[w, :n, 1], 1.0, rtol=1e-4)
        np.testing.assert_allclose(c.friction.numpy()[w, :n, :2], 0.5, rtol=1e-6)
        np.testing.assert_allclose(c.solimp.numpy()[w, :n], np.tile([0.95, 0.95, 0.001, 1.0, 0.5], (n, 1)), rtol=1e-6)


def test_they_are_all_that_is_compiled_for_contacts(monkeypatch, device: str):
    """And a step without the solver finds its own again."""
    model, state = scene(device)
    contacts, _, _ = found(model, state)
    asked = []
    monkeypatch.setattr(recorded, "load_modules", lambda device, builds: asked.extend(build.module.name for build in builds))
    solver = SolverMuJoCo(model, use_mujoco_contacts=False)
    assert f"{KERNELS}.bridge.outside" in asked and f"{KERNELS}.reset" in asked
    assert not any(name.startswith(f"{KERNELS}.fused.collision") for name in asked)
    monkeypatch.undo()
    solver.step(state, model.state(), None, contacts, 0.002)
    m, d = solver.mjw_model, solver.mjw_data
    assert d.outside is None
    assert d.ncon.numpy().max() >= 5
    d.ncon.zero_()
    mjw.forward(m, d)
    assert d.ncon.numpy().max() >= 5


@pytest.mark.parametrize("shapes", [False, True], ids=["no shapes", "fixed box over ground"])
def test_models_whose_shapes_cannot_touch(shapes: bool, device: str):
    """A pendulum, and beside it what stands still: nothing is listed, and the solver steps without looking."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    if shapes:
        builder.add_ground_plane()
        box = builder.add_link()
        builder.add_shape_box(box, hx=0.2, hy=0.2, hz=0.01)
        builder.add_articulation([builder.add_joint_fixed(-1, box)])
    bob = builder.add_link(mass=1.0, com=(0.1, 0.0, 0.0), inertia=np.eye(3))
    builder.add_articulation([builder.add_joint_revolute(-1, bob, axis=(0.0, 1.0, 0.0))])
    model = builder.finalize(device=device)
    after = []
    for inside in (False, True):
        solver, states = SolverMuJoCo(model, use_mujoco_contacts=inside), [model.state(), model.state()]
        for _ in range(5):
            solver.step(*states, None, None if inside else Contacts(4, device=device), 0.005)
            states.reverse()
        after.append(states[0].joint_q.numpy())
    assert after[0][-1] > 1e-4
    np.testing.assert_array_equal(*after)


def test_shapes_that_would_not_collide_by_themselves_may_be_in_contact(device: str):
    """A pipeline has rules of its own: contacts of a model without any pair that MuJoCo's would let collide act, and so does their absence."""

    def two(group: int):
        builder = ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        builder.add_ground_plane()
        one = ModelBuilder()
        SolverMuJoCo.register_custom_attributes(one)
        ball = one.add_link(label="ball", mass=1.0, inertia=np.eye(3) * 0.01)
        one.add_shape_sphere(ball, radius=0.1, cfg=ModelBuilder.ShapeConfig(density=0.0, collision_group=group))
        one.add_articulation([one.add_joint_free(ball)])
        builder.replicate(one, 2)
        model = builder.finalize(device=device)
        state = model.state()
        q = state.joint_q.numpy().reshape(2, -1)
        q[:, 2] = 0.098, 0.5
        state.joint_q.assign(q.reshape(-1))
        return model, state

    contacts = found(*two(-1))[0]
    model, state = two(0)
    solver, after = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
    assert solver.mjw_model.size.ncollide == 0
    solver.step(state, after, None, contacts, 0.002)
    resting, falling = after.joint_qd.numpy().reshape(2, -1)[:, 2]
    assert resting > -1e-3 and falling == pytest.approx(-9.81 * 0.002, rel=1e-4)
    solver.step(state, after, None, Contacts(0, device=device), 0.002)
    np.testing.assert_allclose(after.joint_qd.numpy().reshape(2, -1)[:, 2], -9.81 * 0.002, rtol=1e-4)
