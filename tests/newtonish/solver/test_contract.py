"""The contract of a solver, asked of SolverMuJoCo and of the solver of the plug-in guide alike."""

import re

import numpy as np
import pytest
import warp as wp
from paths import REPO

import newtonish
from newtonish import ModelBuilder, SolverBase, SolverMuJoCo
from newtonish.errors import ModelError, UnsupportedError

NWORLD = 3


@pytest.fixture(scope="module")
def falling(tmp_path_factory):
    """The class of the guide, as its reader would have it."""
    block = re.findall(r"^```python\n(.*?)^```", (REPO / "docs/plugin_guide.md").read_text(encoding="utf-8"), re.S | re.M)[0]
    script = tmp_path_factory.mktemp("guide") / "falling.py"
    script.write_text(block, encoding="utf-8")
    names = {"__name__": "falling", "__file__": str(script)}
    exec(compile(block, str(script), "exec"), names)
    return names["Falling"]


@pytest.fixture(params=["SolverMuJoCo", "foreign"])
def kind(request, falling):
    return SolverMuJoCo if request.param == "SolverMuJoCo" else falling


@pytest.fixture
def model(device):
    one = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(one)
    for height in (1.0, 2.0):
        one.add_body(xform=wp.transform((0.0, 0.0, height), wp.quat_identity()), mass=2.0, inertia=wp.mat33(np.eye(3) * 0.1))
    builder = ModelBuilder()
    builder.replicate(one, NWORLD)
    return builder.finalize(device=device)


def started(model):
    state = model.state()
    state.joint_qd.assign(np.linspace(-1.0, 1.0, model.joint_dof_count).astype(np.float32))
    state.body_f.assign(np.linspace(-2.0, 2.0, model.body_count * 6).reshape(-1, 6).astype(np.float32) * [1, 1, 1, 0, 0, 0])
    return state


def test_one_state_or_two_make_no_difference(kind, model):
    solver = kind(model)
    assert isinstance(solver, SolverBase) and solver.model is model and str(solver.device) == str(model.device)
    one, two = started(model), [started(model), model.state()]
    two[1].body_f.assign(two[0].body_f)
    solver.step(one, one, None, None, 0.01)
    solver.reset(model.state())
    solver.step(two[0], two[1], model.control(), None, 0.01)
    np.testing.assert_array_equal(one.joint_q.numpy(), two[1].joint_q.numpy())
    assert np.any(two[1].body_qd.numpy() != 0.0), "poses and velocities of bodies follow"


def test_steps_allocate_nothing(kind, model):
    solver, states = kind(model), [started(model), started(model)]
    for _ in range(2):
        solver.step(states[0], states[1], None, None, 0.01)
        solver.step(states[1], states[0], None, None, 0.01)
    reports = []
    with wp.ScopedMemoryTracker("steps", report_func=reports.append):
        for _ in range(5):
            solver.step(states[0], states[1], None, None, 0.01)
            solver.step(states[1], states[0], None, None, 0.01)
    total = reports[0].split("Peak usage")[0]
    assert "Total allocations:" in total and str(model.device) not in total, total


def test_a_captured_step_is_the_same_step(kind, model, device):
    results = []
    for captured in (False, True):
        solver, state = kind(model), started(model)
        if captured:
            with wp.ScopedCapture(device=device) as capture:
                solver.step(state, state, None, None, 0.01)
            for _ in range(3):
                wp.capture_launch(capture.graph)
        else:
            for _ in range(3):
                solver.step(state, state, None, None, 0.01)
        results.append(state.joint_q.numpy().copy())
    np.testing.assert_array_equal(*results)


def test_an_edit_is_taken_over_when_it_is_notified(kind, model):
    solver, state, edited = kind(model), started(model), started(model)
    solver.step(state, state, None, None, 0.01)
    model.body_mass.fill_(4.0)
    model.body_inertia.fill_(wp.mat33(np.eye(3) * 0.2))
    solver.notify_model_changed(newtonish.ModelFlags.BODY_INERTIAL_PROPERTIES)
    solver.reset(model.state())
    solver.step(edited, edited, None, None, 0.01)
    fresh, expected = kind(model), started(model)
    fresh.step(expected, expected, None, None, 0.01)
    np.testing.assert_array_equal(edited.joint_q.numpy(), expected.joint_q.numpy())
    assert np.any(edited.joint_q.numpy() != state.joint_q.numpy())


def test_both_move_free_bodies_alike(falling, model):
    paths = []
    for each in (falling, SolverMuJoCo):
        solver, state = each(model), started(model)
        for _ in range(50):
            solver.step(state, state, None, None, 0.002)
        paths.append(state.joint_q.numpy().copy())
    np.testing.assert_allclose(*paths, atol=1e-4)


def test_what_it_cannot_do_is_refused_by_name(falling, model, device):
    with pytest.raises(UnsupportedError, match=r"Falling\.update_contacts"):
        falling(model).update_contacts(newtonish.Contacts(4, 0, device=device))
    hinged = ModelBuilder()
    link = hinged.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)))
    hinged.add_articulation([hinged.add_joint_revolute(-1, link, axis=(0.0, 1.0, 0.0))])
    with pytest.raises(ModelError, match="free joints"):
        falling(hinged.finalize(device=device))
