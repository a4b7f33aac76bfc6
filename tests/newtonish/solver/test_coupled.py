"""What Newton's coupling of several solvers asks of SolverMuJoCo: answers beside those of Newton's own solver."""

import warnings

import newton
import numpy as np
import pytest
import warp as wp
from newton.solvers.experimental.coupled import CouplingInterface

from newtonish import ModelBuilder, SolverMuJoCo

ARM = """<mujoco><worldbody><body name="upper" pos="0 0 1" gravcomp=".3"><joint axis="0 1 0" armature=".02"/><geom size=".03" fromto="0 0 0 .4 0 0" type="capsule"/>
<body name="lower" pos=".4 0 0"><joint axis="0 1 0"/><geom type="box" size=".1 .02 .03" pos=".1 0 0"/></body></body>
<body name="loose" pos="0 1 1"><freejoint/><geom type="box" size=".1 .05 .2"/></body></worldbody></mujoco>"""
BODY, PARTICLE = 0, 1


def _model(kind: type, register) -> newton.Model:
    """Two worlds, the second with heavier bodies."""
    one, builder = kind(), kind()
    for each in (one, builder):
        register(each)
    one.add_mjcf(ARM)
    builder.replicate(one, 2)
    model = builder.finalize(device="cpu")
    half = len(model.body_mass) // 2
    factors = np.repeat([1.0, 1.7], half)
    for name in ("body_mass", "body_inertia"):
        array = getattr(model, name)
        array.assign((array.numpy().T * factors).T.astype(np.float32))
    model.body_inv_mass.assign(1.0 / model.body_mass.numpy())
    model.body_inv_inertia.assign(np.linalg.inv(model.body_inertia.numpy()))
    return model


def _answers(solver, model) -> list[np.ndarray]:
    """Masses and tensors of every body at its centre and beside it and of an index that is none, and gravity."""
    bodies = int(model.body_count)
    index = wp.array([*range(bodies), *range(bodies), -1], dtype=int, device="cpu")
    number = len(index)
    kind = wp.full(number, BODY, dtype=int, device="cpu")
    point = wp.array([[0.0, 0.0, 0.0]] * bodies + [[0.1, -0.2, 0.3]] * (bodies + 1), dtype=wp.vec3, device="cpu")
    alone, mass = (wp.full(number, -1.0, dtype=float, device="cpu") for _ in range(2))
    inertia = wp.zeros(number, dtype=wp.mat33, device="cpu")
    gravity = wp.zeros(bodies, dtype=wp.vec3, device="cpu")
    solver.coupling_eval_effective_mass(kind, index, point, alone)
    solver.coupling_eval_effective_mass_block(kind, index, point, mass, inertia)
    solver.coupling_eval_gravity_acceleration(gravity, None)
    assert np.array_equal(alone.numpy(), mass.numpy())
    return [mass.numpy(), inertia.numpy(), gravity.numpy()]


def test_masses_and_gravity_are_those_of_newtons_solver():
    model = _model(newton.ModelBuilder, newton.solvers.SolverMuJoCo.register_custom_attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = newton.solvers.SolverMuJoCo(model)
    ours = SolverMuJoCo(model)
    for name, mine, other in zip(("mass", "inertia", "gravity"), _answers(ours, model), _answers(theirs, model)):
        assert np.abs(other).max() > 0.0
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=1e-6, err_msg=name)
    assert isinstance(ours, CouplingInterface) and isinstance(ours, SolverMuJoCo) and type(ours).__name__ == "SolverMuJoCo"
    for name in (name for name in vars(CouplingInterface) if name.startswith("coupling_")):
        assert callable(getattr(ours, name))


def test_models_of_ours_have_solvers_of_the_plain_class():
    model = _model(ModelBuilder, SolverMuJoCo.register_custom_attributes)
    solver = SolverMuJoCo(model)
    assert type(solver) is SolverMuJoCo
    mass, inertia, gravity = _answers(solver, model)
    free = [2, 5]
    assert mass[free] == pytest.approx(model.body_mass.numpy()[free], rel=1e-5)
    np.testing.assert_allclose(inertia[free], model.body_inertia.numpy()[free], rtol=1e-4, atol=1e-9)
    assert gravity[:, 2] == pytest.approx([-9.81 * 0.7, -9.81, -9.81] * 2, rel=1e-5) and mass[-1] == 0.0
