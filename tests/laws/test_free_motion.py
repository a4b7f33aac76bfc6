"""Laws of bodies that nothing touches: free fall, and the momentum of a tree that only acts on itself."""

import numpy as np
import pytest
import warp as wp
from rigid import Bodies
from solver_rigs import link, replicated, shake

from newtonish import ModelBuilder, SolverMuJoCo

NWORLD = 3
G = 9.81


@pytest.mark.parametrize(("integrator", "spin"), [("euler", 0.0), ("implicitfast", 0.0), ("rk4", 2.0)])
def test_free_fall(device: str, integrator: str, spin: float):
    """The centre of mass follows the parabola, with Runge-Kutta whatever the spin.

    Semi-implicit Euler without spin falls by g h^2 n (n + 1) / 2 in n steps, half a step ahead of the parabola.
    """
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    body = link(builder, np.random.default_rng(0), "stone")
    builder.add_articulation([builder.add_joint_free(body)])
    model = replicated(builder, NWORLD, device)
    solver, state = SolverMuJoCo(model, integrator=integrator), model.state()
    start = np.random.default_rng(1).standard_normal((NWORLD, 6)).astype(np.float32)
    start[:, 3:] *= spin
    state.joint_qd.assign(start.reshape(-1))
    before = Bodies.of(model, _posed(model, state), NWORLD)
    h, n = 0.005, 200
    for _ in range(n):
        solver.step(state, state, None, None, h)
    after = Bodies.of(model, state, NWORLD)
    fall = np.array([0.0, 0.0, G])
    np.testing.assert_allclose(after.velocity[:, 0], start[:, :3] - fall * n * h, atol=2e-4)
    steps = n * n if integrator == "rk4" else n * (n + 1)
    path = before.centre[:, 0] + start[:, :3] * n * h - fall * h * h * steps / 2
    np.testing.assert_allclose(after.centre[:, 0], path, atol=2e-4)


def _posed(model, state):
    from newtonish import eval_fk

    eval_fk(model, state.joint_q, state.joint_qd, state)
    return state


def tree() -> ModelBuilder:
    """A floating base with two limbs of two links, hinges and a ball."""
    rng = np.random.default_rng(2)
    builder = ModelBuilder(gravity=0.0)
    SolverMuJoCo.register_custom_attributes(builder)
    base, thigh, shin, upper, lower = (link(builder, rng, n) for n in ("base", "thigh", "shin", "upper", "lower"))

    def at(z: float) -> dict[str, wp.transform]:
        return {"parent_xform": wp.transform((0.1, 0.0, z), wp.quat_identity())}

    joints = [
        builder.add_joint_free(base),
        builder.add_joint_revolute(base, thigh, axis=(0.0, 1.0, 0.0), **at(-0.3)),
        builder.add_joint_revolute(thigh, shin, axis=(1.0, 0.0, 0.0), **at(-0.4)),
        builder.add_joint_ball(base, upper, **at(0.3)),
        builder.add_joint_prismatic(upper, lower, axis=(0.0, 0.0, 1.0), **at(0.4)),
    ]
    builder.add_articulation(joints)
    return builder


@pytest.mark.parametrize("integrator", ["euler", "implicitfast", "rk4"])
def test_a_tree_that_acts_on_itself_keeps_its_momentum(device: str, integrator: str):
    """Forces in the joints change neither the linear momentum nor the angular momentum about the centre of mass.

    Semi-implicit integrators keep it to first order in the step, Runge-Kutta to the precision of float32.
    """
    model = replicated(tree(), NWORLD, device)
    solver, state, control = SolverMuJoCo(model, integrator=integrator), model.state(), model.control()
    shake(model, state, q=0.3, qd=0.3)
    rng = np.random.default_rng(4)
    first = Bodies.of(model, _posed(model, state), NWORLD)
    h, steps = 0.001, 400
    for k in range(steps):
        if k % 100 == 0:
            force = 0.3 * rng.standard_normal((NWORLD, model.joint_dof_count // NWORLD))
            force[:, :6] = 0.0
            control.joint_f.assign(force.reshape(-1).astype(np.float32))
        solver.step(state, state, control, None, h)
    last = Bodies.of(model, state, NWORLD)
    scale = np.einsum("wb,wb->w", first.mass, np.linalg.norm(last.velocity, axis=-1)).max()
    moved = np.abs(last.velocity - first.velocity).max()
    assert moved > 0.1, "the forces have an effect"
    tolerance = scale * (1e-4 if integrator == "rk4" else 5e-3)
    np.testing.assert_allclose(last.momentum, first.momentum, atol=tolerance)
    np.testing.assert_allclose(last.angular_momentum, first.angular_momentum, atol=tolerance)
