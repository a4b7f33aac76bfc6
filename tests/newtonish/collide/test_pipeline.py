"""Contacts of a state without a solver: the same as the solver's, and those of meshes that are not convex."""

import numpy as np
import pytest
import warp as wp

from newtonish import (
    CapacityError,
    CollisionPipeline,
    Heightfield,
    Mesh,
    ModelBuilder,
    NewtonishWarning,
    SolverMuJoCo,
    UnsupportedError,
)

NWORLD = 3
SLOPE = 0.5  # of the sides of the valley
IDENTITY = wp.quat_identity()


def valley(cells: int = 4, length: float = 2.0) -> Mesh:
    """An open surface z = SLOPE |x|, a valley along y, of cells by two triangles."""
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 2 * cells + 1), np.linspace(-0.5 * length, 0.5 * length, cells + 1))
    points = np.stack([x, y, SLOPE * np.abs(x)], axis=-1).reshape(-1, 3)
    corner = (np.arange(cells)[:, None] * (2 * cells + 1) + np.arange(2 * cells)).reshape(-1)
    right, up = corner + 1, corner + 2 * cells + 1
    faces = np.concatenate([np.stack([corner, right, up + 1], axis=1), np.stack([corner, up + 1, up], axis=1)])
    return Mesh(points, faces, compute_inertia=False)


def frame(inner: float = 0.3, outer: float = 0.5, half: float = 0.1) -> Mesh:
    """A square frame with a square hole, closed."""
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    rings = [(outer, -half), (outer, half), (inner, half), (inner, -half)]
    points = np.concatenate([np.column_stack([size * square, np.full(4, z)]) for size, z in rings])
    faces = []
    for ring in range(4):
        for k in range(4):
            a, b = 4 * ring + k, 4 * ring + (k + 1) % 4
            c, d = 4 * ((ring + 1) % 4) + (k + 1) % 4, 4 * ((ring + 1) % 4) + k
            faces += [(a, b, c), (a, c, d)]
    return Mesh(points, faces)


def model_of(device: str, shape, ground, worlds: int = NWORLD, gap: float = 0.0):
    """A free body with one shape in every world over a shared ground."""
    builder, one = ModelBuilder(), ModelBuilder()
    for each in (builder, one):
        SolverMuJoCo.register_custom_attributes(each)
        each.rigid_gap = gap
    ground(builder)
    body = one.add_link(label="body")
    one.add_articulation([one.add_joint_free(body)])
    shape(one, body)
    builder.replicate(one, worlds)
    return builder.finalize(device=device)


def at(model, *positions, quat=IDENTITY):
    state = model.state()
    state.body_q.assign(np.array([[*p, *quat] for p in positions], dtype=np.float32))
    return state


def listed(contacts):
    """Normals, distances and points in the world frame (the second shape's body is at the origin or not turned)."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    return {name: getattr(contacts, f"rigid_contact_{name}").numpy()[:n] for name in ("shape0", "shape1", "normal", "point0", "point1")}


def distances(model, state, contacts) -> np.ndarray:
    found, body, q = listed(contacts), model.shape_body.numpy(), state.body_q.numpy()
    ends = []
    for side in ("0", "1"):
        b = body[found[f"shape{side}"]]
        ends.append(found[f"point{side}"] + np.where(b[:, None] >= 0, q[np.maximum(b, 0), :3], 0.0))
    return np.einsum("ci,ci->c", found["normal"], ends[1] - ends[0])


def test_a_ball_in_a_valley_touches_both_sides(device: str):
    model = model_of(device, lambda b, body: b.add_shape_sphere(body, radius=0.2), lambda b: b.add_shape_mesh(-1, mesh=valley()))
    steep = np.sqrt(1.0 + SLOPE**2)
    state = at(model, (0.0, 0.05, 0.2 * steep - 0.01), (0.0, 0.03, 0.3), (0.45, 0.02, 0.225 + 0.2 * steep - 0.01))
    contacts = model.collide(state)
    found = listed(contacts)
    np.testing.assert_array_equal(found["shape0"].clip(1) + found["shape1"].clip(1) - 1, [1, 1, 3])  # the world above is empty
    sign = np.where(found["shape0"] == 0, 1.0, -1.0)[:, None]  # from the ground to the ball
    normal = found["normal"] * sign
    np.testing.assert_allclose(np.abs(normal[:, 0]), SLOPE / steep, atol=1e-5)
    np.testing.assert_allclose(normal[:, 2], 1.0 / steep, atol=1e-5)
    assert normal[0, 0] * normal[1, 0] < 0.0
    np.testing.assert_allclose(distances(model, state, contacts), -0.01 / steep, atol=1e-5)


def test_a_ball_fits_through_the_hole_of_a_frame(device: str):
    model = model_of(device, lambda b, body: b.add_shape_sphere(body, radius=0.2), lambda b: b.add_shape_mesh(-1, mesh=frame()))
    state = at(model, (0.0, 0.0, 0.0), (0.15, 0.0, 0.02), (0.4, 0.0, 0.28))
    contacts = model.collide(state)
    found = listed(contacts)
    np.testing.assert_array_equal(np.maximum(found["shape0"], found["shape1"]), [2, 3])  # its hull would fill the hole
    np.testing.assert_allclose(distances(model, state, contacts), [-0.05, -0.02], atol=1e-5)
    np.testing.assert_allclose(np.abs(found["normal"]), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], atol=1e-5)


def test_each_world_has_a_frame_of_its_own(device: str):
    """Meshes that are not convex may be others in every world: a ball touches the narrow frame and falls through the wide one."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    for inner in (0.15, 0.3, 0.15):
        one = ModelBuilder()
        one.rigid_gap = 0.0
        body = one.add_link(label="body")
        one.add_articulation([one.add_joint_free(body)])
        one.add_shape_sphere(body, radius=0.2)
        one.add_shape_mesh(-1, mesh=frame(inner))
        builder.add_world(one)
    model = builder.finalize(device=device)
    state = at(model, *[(0.0, 0.0, 0.0)] * 3)
    found = listed(model.collide(state))
    assert set(found["shape0"]) | set(found["shape1"]) == {0, 1, 4, 5}
    np.testing.assert_allclose(np.abs(found["normal"]).max(axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("kind", ["capsule", "box", "cylinder", "hull", "frame", "plane"])
def test_other_shapes_lie_on_a_mesh_by_several_points(kind, device: str):
    def shape(b, body):
        if kind == "capsule":
            b.add_shape_capsule(body, radius=0.05, half_height=0.2, xform=wp.transform((0.0, 0.0, 0.0), wp.quat(0.0, 0.7071068, 0.0, 0.7071068)))
        elif kind == "box":
            b.add_shape_box(body, hx=0.2, hy=0.1, hz=0.05)
        elif kind == "cylinder":
            b.add_shape_cylinder(body, radius=0.2, half_height=0.05)
        elif kind == "hull":
            b.add_shape_convex_hull(body, mesh=frame(inner=0.1, outer=0.2, half=0.05))
        else:
            b.add_shape_mesh(body, mesh=frame(half=0.05))

    def ground(b):
        if kind == "plane":
            b.add_ground_plane()
        else:
            b.add_shape_mesh(-1, mesh=frame(inner=0.05, outer=1.0), xform=wp.transform((0.0, 0.0, -0.1), IDENTITY))

    model = model_of(device, shape, ground)
    state = at(model, (0.47, 0.48, 0.049), (0.5, 0.5, 0.06), (0.44, 0.47, 0.048))
    contacts = model.collide(state)
    found, dist = listed(contacts), distances(model, state, contacts)
    body = np.maximum(model.shape_body.numpy()[found["shape0"]], model.shape_body.numpy()[found["shape1"]])
    deep = dist < 0.0
    for world, depth in ((0, 0.001), (2, 0.002)):
        mine = deep & (body == world)
        assert mine.sum() >= 2
        np.testing.assert_allclose(dist[mine], -depth, atol=2e-5)
        np.testing.assert_allclose(np.abs(found["normal"][mine, 2]), 1.0, atol=1e-4)
        spread = np.ptp(found["point1"][mine], axis=0)
        assert spread[0] > 0.3, "the points are as far apart as the shape is long"
    assert not np.any(deep & (body == 1))


def test_a_ball_rolls_on_a_mesh_as_on_a_heightfield(device: str):
    x = np.linspace(-1.0, 1.0, 9)
    heights = np.tile(0.1 * np.abs(x), (9, 1))

    def terrain(b):
        b.add_shape_heightfield(heightfield=Heightfield(heights, 9, 9, 1.0, 1.0))

    def surface(b):
        points = np.stack([*np.meshgrid(x, x), heights], axis=-1).reshape(-1, 3)
        corner = (np.arange(8)[:, None] * 9 + np.arange(8)).reshape(-1)
        faces = np.concatenate([np.stack([corner, corner + 1, corner + 10], axis=1), np.stack([corner, corner + 10, corner + 9], axis=1)])
        b.add_shape_mesh(-1, mesh=Mesh(points, faces, compute_inertia=False))

    rests = []
    for ground in (terrain, surface):
        model = model_of(device, lambda b, body: b.add_shape_sphere(body, radius=0.1), ground)
        solver, state = SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
        q = state.joint_q.numpy().reshape(NWORLD, 7)
        q[:, :3] = [[0.3, 0.1, 0.15], [-0.2, 0.0, 0.15], [0.0, 0.2, 0.2]]
        state.joint_q.assign(q.reshape(-1))
        state.body_q.assign(q)
        contacts = model.contacts()
        for _ in range(500):
            model.collide(state, contacts)
            solver.step(state, state, None, contacts, 0.004)
        rests.append(state.joint_q.numpy().reshape(NWORLD, 7)[:, 2])
        q = state.joint_q.numpy().reshape(NWORLD, 7)
        np.testing.assert_allclose(q[:, 2] - 0.1 * np.abs(q[:, 0]), 0.1005, atol=2e-3)  # it rolls to and fro on the sides
    np.testing.assert_allclose(rests[0], rests[1], atol=3e-3)


def primitives(device: str, gap: float = 0.0):
    def shapes(b, body):
        b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
        other = b.add_link()
        b.add_articulation([b.add_joint_free(other)])
        b.add_shape_capsule(other, radius=0.08, half_height=0.2)

    return model_of(device, shapes, lambda b: b.add_ground_plane(), gap=gap)


def dropped(model):
    state = model.state()
    q = np.zeros((NWORLD, 2, 7), dtype=np.float32)
    q[..., 6] = 1.0
    q[:, 0, 2] = [0.099, 0.3, 0.097]
    q[:, 1, :3] = [[0.02, 0.0, 0.47], [1.0, 0.0, 0.27], [0.05, 0.03, 0.468]]
    state.joint_q.assign(q.reshape(-1))
    state.body_q.assign(q.reshape(-1, 7))
    return state


def test_contacts_are_those_that_the_solver_finds(device: str):
    model = primitives(device)
    state, inside, outside = dropped(model), SolverMuJoCo(model), SolverMuJoCo(model, use_mujoco_contacts=False)
    a, b = model.state(), model.state()
    inside.step(state, a, None, None, 0.002)
    contacts = model.collide(state)
    assert int(contacts.rigid_contact_count.numpy()[0]) == int(inside.mjw_data.ncon.numpy().sum()) > 6
    outside.step(state, b, None, contacts, 0.002)
    np.testing.assert_allclose(b.joint_qd.numpy(), a.joint_qd.numpy(), atol=1e-3)


def test_gaps_list_contacts_ahead_of_time(device: str):
    model = primitives(device, gap=0.15)
    contacts = model.collide(dropped(model))
    near = int(contacts.rigid_contact_count.numpy()[0])
    assert near > int(primitives(device).collide(dropped(primitives(device))).rigid_contact_count.numpy()[0])
    assert distances(model, dropped(model), contacts).max() > 0.05


def test_equal_states_give_equal_bits_also_captured(device: str):
    model = primitives(device)
    state, pipeline = dropped(model), CollisionPipeline(model)
    first, second = pipeline.contacts(), pipeline.contacts()
    pipeline.collide(state, first)
    with wp.ScopedCapture(device=model.device) as capture:
        pipeline.collide(state, second)
    wp.capture_launch(capture.graph)
    for name in ("count", "shape0", "shape1", "point0", "point1", "normal"):
        assert np.array_equal(*(getattr(c, f"rigid_contact_{name}").numpy() for c in (first, second)))


def test_too_little_room_is_said_and_flagged(device: str):
    model = primitives(device)
    pipeline = CollisionPipeline(model, rigid_contact_max=2 * NWORLD)
    with pytest.warns(NewtonishWarning, match="rigid_contact_max="):
        contacts = pipeline.collide(dropped(model))
    assert int(contacts.rigid_contact_count.numpy()[0]) == 5
    np.testing.assert_array_equal(pipeline.overflow.numpy() != 0, [True, False, True])
    with pytest.raises(CapacityError, match="rigid_contact_max"):
        CollisionPipeline(model).collide(dropped(model), contacts)


def test_shapes_and_arguments_that_are_not_supported_are_named(device: str):
    """Each by its name, with what it has, what is allowed and what to do."""

    def hat(b, body):
        b.add_shape_mesh(body, mesh=frame(), label="hat")

    model = model_of(device, hat, lambda b: b.add_ground_plane(), worlds=1)
    at_hat = list(model.shape_label).index("hat")
    remedy = "use its mesh, or turn its collisions off"
    model.shape_source[at_hat].sdf = object()
    with pytest.raises(UnsupportedError, match=f"shape 'hat': got a signed distance field; allowed: planes.*; {remedy}"):
        CollisionPipeline(model)
    model.shape_source[at_hat].sdf = None
    for array, value, what in ((model.shape_flags, 2 + 16, "hydroelastic contacts"), (model.shape_type, 11, "shape type 11")):
        before = array.numpy().copy()
        edited = before.copy()
        edited[at_hat] = value
        array.assign(edited)
        with pytest.raises(UnsupportedError, match=f"shape 'hat': got {what}; allowed: planes.*; {remedy}"):
            CollisionPipeline(model)
        array.assign(before)
    CollisionPipeline(model, soft_contact_max=0)  # none is what there are
    for name, value in (("soft_contact_max", 8), ("contact_matching", "sticky"), ("speculative_config", object()), ("sdf_hydroelastic_config", object())):
        with pytest.raises(UnsupportedError, match=f"{name}: got .*; allowed: its default; leave it out"):
            CollisionPipeline(model, **{name: value})


def test_cones_meet_as_hulls(device: str):
    """Tip down on a plane, by 2 mm; and beside a mesh that is not convex."""

    def hat(b, body):
        b.add_shape_cone(body, radius=0.1, half_height=0.2)

    model = model_of(device, hat, lambda b: b.add_ground_plane(), worlds=1)
    turned = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), wp.pi)
    state = at(model, (0.3, 0.1, 0.198), quat=turned)
    found = listed(model.collide(state))
    assert len(found["shape0"]) == 1
    np.testing.assert_allclose(np.abs(found["normal"][0]), [0.0, 0.0, 1.0], atol=1e-6)
    model = model_of(device, hat, lambda b: b.add_shape_mesh(-1, mesh=valley()), worlds=1)
    low = model.collide(at(model, (0.5, 0.0, 0.449), quat=turned))
    assert int(low.rigid_contact_count.numpy()[0]) >= 1


def test_a_corner_between_walls_is_outside_of_them_all(device: str):
    """As far from four walls: the sign must come from one of them, not from the sum of their normals."""
    model = model_of(
        device,
        lambda b, body: b.add_shape_box(body, hx=0.02, hy=0.02, hz=0.02, xform=wp.transform((0.02, 0.02, 0.02), IDENTITY)),
        lambda b: b.add_shape_mesh(-1, mesh=frame(inner=0.05)),
        worlds=1,
    )
    contacts = model.collide(at(model, (0.0, 0.0, 0.0)))
    assert int(contacts.rigid_contact_count.numpy()[0]) == 0
