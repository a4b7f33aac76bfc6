"""Equality and mimic constraints of a Newton model under SolverMuJoCo: edits are taken over, worlds may differ."""

import numpy as np
import pytest
from solver_rigs import replicated

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo

NWORLD = 3


def scene(device: str):
    """Two pendulums that a joint equality couples, and one that a mimic constraint makes follow the first."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    joints = []
    for i in range(3):
        link = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.05, com=(0.3, 0.0, 0.0), label=f"link{i}")
        joints.append(builder.add_joint_revolute(-1, link, axis=(0.0, 1.0, 0.0), label=f"hinge{i}"))
        builder.add_articulation(joints[-1:])
    row = {"type": 2, "joint1": joints[1], "joint2": joints[0], "polycoef": (0.1, 0.5, 0.0, 0.0, 0.0), "label": "gear"}
    builder.add_custom_values(**{f"mujoco:equality_constraint_{key}": value for key, value in row.items()})
    builder.add_constraint_mimic(joints[2], joints[0], coef0=0.0, coef1=-1.0)
    return replicated(builder, NWORLD, device)


def play(model, solver) -> np.ndarray:
    state = model.state()
    solver.reset(state)
    for _ in range(150):
        solver.step(state, state, None, None, 0.002)
    return state.joint_q.numpy().reshape(NWORLD, 3)


def test_equality_and_mimic_constraints_hold(device: str):
    model = scene(device)
    q = play(model, SolverMuJoCo(model))
    assert np.abs(q[:, 0]).min() > 0.1
    np.testing.assert_allclose(q[:, 1], 0.1 + 0.5 * q[:, 0], atol=5e-3)
    np.testing.assert_allclose(q[:, 2], -q[:, 0], atol=5e-3)


def test_edits_are_taken_over_world_by_world(device: str):
    model = scene(device)
    solver = SolverMuJoCo(model)
    model.mujoco.equality_constraint_enabled.assign(np.array([True, False, True]))
    polycoef = model.mujoco.equality_constraint_polycoef.numpy()
    polycoef[2, :2] = [0.0, 2.0]
    model.mujoco.equality_constraint_polycoef.assign(polycoef)
    coef1 = model.constraint_mimic_coef1.numpy()
    coef1[1] = 3.0
    model.constraint_mimic_coef1.assign(coef1)
    solver.notify_model_changed(ModelFlags.CONSTRAINT_PROPERTIES)
    assert solver.mjw_data.eq_active.numpy().tolist() == [[True, True], [False, True], [True, True]]
    q = play(model, solver)
    np.testing.assert_array_equal(q, play(model, SolverMuJoCo(model)))
    assert q[0, 1] == pytest.approx(0.1 + 0.5 * q[0, 0], abs=5e-3)
    assert abs(q[1, 1] - 0.1 - 0.5 * q[1, 0]) > 0.05
    assert q[2, 1] == pytest.approx(2.0 * q[2, 0], abs=5e-3)
    assert q[1, 2] == pytest.approx(3.0 * q[1, 0], abs=5e-3)
