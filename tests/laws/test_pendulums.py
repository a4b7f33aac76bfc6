"""Laws of pendulums: the exact period at large amplitude, and the energy of a frictionless double pendulum."""

import numpy as np
import pytest
import warp as wp
from rigid import Bodies
from scipy.special import ellipk
from solver_rigs import replicated

from newtonish import ModelBuilder, SolverMuJoCo, eval_fk

G = 9.81
LENGTH, MASS = 0.8, 1.3
INERTIA_Y = 0.012
INERTIA = wp.mat33(0.01, 0.0, 0.0, 0.0, INERTIA_Y, 0.0, 0.0, 0.0, 0.005)


def chain(count: int) -> ModelBuilder:
    """Links that hang below each other on hinges about y, each with its mass at its end."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    joints, parent = [], -1
    for k in range(count):
        body = builder.add_link(mass=MASS, inertia=INERTIA, com=(0.0, 0.0, -LENGTH), label=f"link{k}", lock_inertia=True)
        at = wp.transform((0.0, 0.0, -LENGTH if k else 0.0), wp.quat_identity())
        joints.append(builder.add_joint_revolute(parent, body, axis=(0.0, 1.0, 0.0), parent_xform=at))
        parent = body
    builder.add_articulation(joints)
    return builder


def crossings(times: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Times at which a trajectory passes zero upwards, interpolated."""
    k = np.flatnonzero((angles[:-1] < 0.0) & (angles[1:] >= 0.0))
    return times[k] + (times[k + 1] - times[k]) * -angles[k] / (angles[k + 1] - angles[k])


@pytest.mark.parametrize("integrator", ["euler", "implicitfast", "rk4"])
def test_period_of_a_pendulum(device: str, integrator: str):
    """T = 4 sqrt(I / (m g l)) K(sin^2(a / 2)) for amplitude a, with I about the hinge: small, large, almost upside down."""
    amplitudes = np.array([0.1, 1.5, 2.8])
    model = replicated(chain(1), 3, device)
    solver, state = SolverMuJoCo(model, integrator=integrator), model.state()
    state.joint_q.assign(amplitudes.astype(np.float32))
    h, steps = 0.002, 4500
    angles = np.zeros((steps + 1, 3))
    angles[0] = amplitudes
    for k in range(steps):
        solver.step(state, state, None, None, h)
        angles[k + 1] = state.joint_q.numpy()
    inertia = MASS * LENGTH**2 + INERTIA_Y
    exact = 4.0 * np.sqrt(inertia / (MASS * G * LENGTH)) * ellipk(np.sin(amplitudes / 2.0) ** 2)
    times = h * np.arange(steps + 1)
    periods = np.array([np.diff(crossings(times, angles[:, w])).mean() for w in range(3)])
    np.testing.assert_allclose(periods, exact, rtol=2e-3 if integrator != "rk4" else 2e-4)


def test_energy_of_a_frictionless_double_pendulum(device: str):
    """Ten seconds of chaos change the energy by less than a thousandth of what is in motion."""
    model = replicated(chain(2), 3, device)
    solver, state = SolverMuJoCo(model, integrator="rk4"), model.state()
    state.joint_q.assign(np.array([[1.0, 0.5], [2.0, -1.0], [3.0, 2.0]], np.float32).reshape(-1))
    eval_fk(model, state.joint_q, state.joint_qd, state)
    start = Bodies.of(model, state, 3).energy(G)
    h = 0.002
    energies = []
    for k in range(int(10.0 / h)):
        solver.step(state, state, None, None, h)
        if k % 250 == 249:
            energies.append(Bodies.of(model, state, 3).energy(G))
    lowest = -G * MASS * LENGTH * 3.0
    drift = np.abs(np.array(energies) - start).max(axis=0)
    assert np.all(drift < 1e-3 * (start - lowest)), drift / (start - lowest)
