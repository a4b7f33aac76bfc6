"""Worlds in which a body has other numbers of meshes: each moves as a model of its own."""

import mujoco
import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish.errors import ModelError
from newtonish.exporters import save_to_mjcf

COUNTS = (2, 4, 1)


def box_of(pieces: int) -> newtonish.ModelBuilder:
    """A box of 20 x 10 x 10 cm cut into slices, a ball beside it, and a second box of one slice more on it."""
    world = newtonish.ModelBuilder()
    for name, number, height in (("lower", pieces, 0.06), ("upper", pieces % 2 + 1, 0.18)):
        body = world.add_link(xform=wp.transform((0.0, 0.0, height), wp.quat_identity()), mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01), label=name)
        world.add_articulation([world.add_joint_free(body)])
        half = 0.1 / number
        corners = np.array([[x, y, z] for x in (-half, half) for y in (-0.05, 0.05) for z in (-0.05, 0.05)], dtype=np.float32)
        faces = np.array([0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3], dtype=np.int32)
        for k in range(number):
            shift = wp.transform((-0.1 + (2 * k + 1) * half, 0.0, 0.0), wp.quat_identity())
            cfg = newtonish.ModelBuilder.ShapeConfig(density=0.0)
            world.add_shape_convex_hull(body, mesh=newtonish.Mesh(corners, faces), xform=shift, cfg=cfg, label=f"{name}{k}")
    ball = world.add_body(xform=wp.transform((0.5, 0.0, 0.1), wp.quat_identity()), label="ball")
    world.add_shape_sphere(ball, radius=0.05, label="ball")
    return world


def model_of(counts) -> newtonish.Model:
    main = newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(main)
    main.add_ground_plane()
    for pieces in counts:
        main.add_world(box_of(pieces))
    return main.finalize(device="cpu")


@pytest.fixture(scope="module")
def solver() -> newtonish.SolverMuJoCo:
    return newtonish.SolverMuJoCo(model_of(COUNTS))


def test_places_are_those_of_the_world_with_most(solver) -> None:
    geoms = solver.mjc_geom_to_newton_shape.numpy()
    assert geoms.shape == (3, 1 + 4 + 2 + 1)
    assert (geoms >= 0).sum(axis=1).tolist() == [1 + c + c % 2 + 1 + 1 for c in COUNTS]
    shapes = solver.newton_shape_to_mjc_geom.numpy()
    body, mapped = solver.model.shape_body.numpy(), solver.mjc_body_to_newton.numpy()
    for world, row in enumerate(geoms):
        for geom, shape in enumerate(row):
            if shape >= 0:
                assert shapes[shape] == geom and body[shape] == mapped[world, solver.compiled.geom_bodyid[geom]]


def test_each_world_moves_as_it_does_alone(solver) -> None:
    """Through the fall onto the ground and onto each other; nothing is met where a world has no mesh."""

    def run(model, solver) -> tuple[np.ndarray, np.ndarray]:
        state = model.state()
        for _ in range(150):
            solver.step(state, state, None, None, 0.002)
        return state.body_q.numpy().reshape(model.world_count, -1, 7), solver.mjw_data.ncon.numpy()

    together, ncon = run(solver.model, solver)
    for world, pieces in enumerate(COUNTS):
        model = model_of([pieces])
        alone, number = run(model, newtonish.SolverMuJoCo(model))
        np.testing.assert_allclose(together[world], alone[0], atol=1e-4, err_msg=str(world))
        assert ncon[world] == number[0]


def test_a_world_is_written_with_its_own_meshes(solver, tmp_path) -> None:
    for world, pieces in enumerate(COUNTS):
        save_to_mjcf(solver, tmp_path / "world.xml", world=world)
        assert mujoco.MjModel.from_xml_path(str(tmp_path / "world.xml")).ngeom == 1 + pieces + pieces % 2 + 1 + 1


def test_contacts_from_outside_know_the_places() -> None:
    model = model_of(COUNTS)
    solver, state = newtonish.SolverMuJoCo(model, use_mujoco_contacts=False), model.state()
    for _ in range(150):
        solver.step(state, state, None, model.collide(state), 0.002)
    height = state.body_q.numpy().reshape(3, -1, 7)[:, :2, 2]
    np.testing.assert_allclose(height, [[0.05, 0.15]] * 3, atol=2e-3)


def test_worlds_of_the_same_number_on_other_bodies() -> None:
    main = newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(main)
    for counts in ((2, 3), (3, 2)):
        world = newtonish.ModelBuilder()
        for pieces in counts:
            world.add_builder(box_of(pieces))
        main.add_world(world)
    geoms = newtonish.SolverMuJoCo(main.finalize(device="cpu")).mjc_geom_to_newton_shape.numpy()
    assert (geoms >= 0).sum(axis=1).tolist() == [5 + 1 + 2 + 2] * 2


def test_filters_that_differ_between_worlds_are_named() -> None:
    main = newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(main)
    for pieces in (2, 4):
        world = box_of(pieces)
        if pieces == 4:
            world.add_shape_collision_filter_pair(world.shape_label.index("lower0"), world.shape_label.index("ball"))
        main.add_world(world)
    with pytest.raises(ModelError, match="'lower0' and 'ball'"):
        newtonish.SolverMuJoCo(main.finalize(device="cpu"))


def test_other_numbers_of_other_shapes_are_refused() -> None:
    main = newtonish.ModelBuilder()
    for number in (1, 2):
        world = newtonish.ModelBuilder()
        body = world.add_body(mass=1.0)
        for _ in range(number):
            world.add_shape_sphere(body, radius=0.1)
        main.add_world(world)
    with pytest.raises(ModelError, match="world 1: got 2 shape entries"):
        newtonish.SolverMuJoCo(main.finalize(device="cpu"))
