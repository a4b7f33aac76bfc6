"""The interface that scripts written for Newton's SolverMuJoCo use: arguments, nested names, the base class."""

import inspect

import pytest

import newtonish
from newtonish import ModelBuilder, SolverBase, SolverMuJoCo, solvers
from newtonish.errors import UnsupportedError

newton = pytest.importorskip("newton")


@pytest.mark.parametrize(
    "name", ["__init__", "step", "reset", "notify_model_changed", "update_contacts", "get_max_contact_count", "register_custom_attributes"]
)
def test_signatures_have_newtons_names_order_and_defaults(name: str):
    ours, theirs = (
        inspect.signature(getattr(kind, name)).parameters.values() for kind in (SolverMuJoCo, newton.solvers.SolverMuJoCo)
    )
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


@pytest.mark.parametrize("name", ["TrnType", "CtrlSource", "CtrlType", "EqType", "SleepPolicy"])
def test_nested_enumerations_have_newtons_numbers(name: str):
    ours, theirs = getattr(SolverMuJoCo, name), getattr(newton.solvers.SolverMuJoCo, name)
    assert {e.name: int(e) for e in ours} == {e.name: int(e) for e in theirs}


def test_public_names():
    assert solvers.SolverMuJoCo is SolverMuJoCo is newtonish.SolverMuJoCo
    assert issubclass(SolverMuJoCo, SolverBase)


class Still(SolverBase):
    """The smallest solver."""

    def step(self, state_in, state_out, control, contacts, dt, *, observables=None):
        state_out.assign(state_in)


def test_a_solver_of_ones_own_needs_a_step_only(device: str):
    builder = ModelBuilder()
    builder.add_articulation([builder.add_joint_free(builder.add_link(mass=1.0, inertia=(1.0, 1.0, 1.0)))])
    model = builder.finalize(device=device)
    solver, states = Still(model), [model.state(), model.state()]
    solver.step(states[0], states[1], None, None, 0.01)
    solver.reset(states[0])
    solver.notify_model_changed(newtonish.ModelFlags.ALL)
    assert str(solver.device) == str(model.device)
    with pytest.raises(UnsupportedError, match="update_contacts"):
        solver.update_contacts(None)
    with pytest.raises(UnsupportedError, match="step"):
        SolverBase(model).step(states[0], states[1], None, None, 0.01)
