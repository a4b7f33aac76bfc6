"""Arguments of Newton's constructor that say how a solver works with states, threads and files."""

import warnings

import numpy as np
import pytest
import warp as wp
from solver_rigs import every_joint, replicated, shake

from newtonish import ModelBuilder, SolverMuJoCo
from newtonish.errors import ModelError

NWORLD = 3


def shaken(model, seed: int):
    state = model.state()
    shake(model, state, seed=seed, q=0.1)
    return state


def path_of(model, steps: int, **options) -> list[np.ndarray]:
    """Positions after each step; before each step the caller writes other coordinates into the state."""
    solver, state, path = SolverMuJoCo(model, **options), model.state(), []
    for k in range(steps):
        state.assign(shaken(model, k))
        solver.step(state, state, None, None, 0.004)
        path.append(state.joint_q.numpy().copy())
    return path


def test_coordinates_are_read_every_few_steps_only(device: str):
    model = replicated(every_joint(), NWORLD, device)
    third = path_of(model, 6, update_data_interval=3)
    solver, state = SolverMuJoCo(model), model.state()
    for k in range(6):
        if k % 3 == 0:
            state.assign(shaken(model, k))
        solver.step(state, state, None, None, 0.004)
        np.testing.assert_allclose(state.joint_q.numpy(), third[k], atol=2e-5)


def test_coordinates_are_never_read_again_with_zero(device: str):
    model = replicated(every_joint(), NWORLD, device)
    ours = path_of(model, 5, update_data_interval=0)
    solver, state = SolverMuJoCo(model), model.state()
    for k in range(5):
        solver.step(state, state, None, None, 0.004)
        np.testing.assert_allclose(ours[k], state.joint_q.numpy(), atol=2e-5)


def test_a_reset_is_seen_whatever_the_interval(device: str):
    model = replicated(every_joint(), NWORLD, device)
    solver, state = SolverMuJoCo(model, update_data_interval=0), model.state()
    for _ in range(4):
        solver.step(state, state, None, None, 0.004)
    kept = solver.mjw_data.qpos.numpy()[1].copy()
    solver.reset(state, wp.array([True, False, True], dtype=wp.bool, device=device))
    after = solver.mjw_data.qpos.numpy()
    np.testing.assert_array_equal(after[1], kept)
    np.testing.assert_allclose(after[[0, 2]], np.tile(solver.compiled.qpos0, (2, 1)), atol=2e-6)


def test_newtons_interval_means_the_same(device: str):
    newton = pytest.importorskip("newton")
    scene = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(scene)
    bob = scene.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.1), com=wp.vec3(0.3, 0.0, 0.0))
    scene.add_articulation([scene.add_joint_revolute(-1, bob, axis=(0.0, 1.0, 0.0))])
    model = scene.finalize(device="cpu")
    for interval in (0, 2, 3):
        paths = []
        for kind, more in ((SolverMuJoCo, {}), (newton.solvers.SolverMuJoCo, {"use_mujoco_cpu": True})):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                solver = kind(model, update_data_interval=interval, **more)
            state = model.state()
            path = []
            for _ in range(7):
                state.joint_q.fill_(0.5)
                solver.step(state, state, model.control(), None, 0.01)
                path.append(state.joint_q.numpy()[0])
            paths.append(path)
        np.testing.assert_allclose(*paths, atol=1e-6, err_msg=f"interval {interval}")


def test_a_file_is_written_and_hints_are_taken(device: str, tmp_path):
    model = replicated(every_joint(), 2, device)
    SolverMuJoCo(model, save_to_mjcf=str(tmp_path / "saved.xml"), njmax_nnz=1000)
    again = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again.add_mjcf(str(tmp_path / "saved.xml"))
    assert again.joint_count > 0
    for name in ("njmax_nnz", "update_data_interval"):
        for value in (-1, 2.5, True):
            with pytest.raises(ModelError, match=name):
                SolverMuJoCo(model, **{name: value})


def test_an_odd_number_of_captured_steps_equals_eager_ones(device: str):
    model = replicated(every_joint(), NWORLD, device)
    results = []
    for captured in (False, True):
        solver, states = SolverMuJoCo(model), [model.state(), model.state()]
        shake(model, states[0], q=0.1)

        def three(solver=solver, states=states) -> None:
            solver.step(states[0], states[1], None, None, 0.004)
            solver.step(states[1], states[0], None, None, 0.004)
            solver.step(states[0], states[1], None, None, 0.004)
            states[0].assign(states[1])

        if captured:
            with wp.ScopedCapture(device=device) as capture:
                three()
        for _ in range(5):
            wp.capture_launch(capture.graph) if captured else three()
        results.append((states[0].joint_q.numpy().copy(), solver.mjw_data.act.numpy(), solver.mjw_data.qacc_warmstart.numpy()))
    for eager, replayed in zip(*results):
        np.testing.assert_array_equal(eager, replayed)
