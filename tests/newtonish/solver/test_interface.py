"""The interface that scripts written for Newton's SolverMuJoCo use: arguments, nested names, the base class."""

import inspect

import pytest

import newtonish
from newtonish import ModelBuilder, SolverBase, SolverMuJoCo, solvers
from newtonish.errors import UnsupportedError

newton = pytest.importorskip("newton")


# of Newton's couplings between solvers, of particles, and of pipelines that a solver owns
LEFT_OUT = {"EndpointKind", "CollisionSlot", "CollisionFrequencyType", "collision_frequency", "collision_frequency_type", "integrate_particles"}


def newtons_names(title: str) -> list[str]:
    """Public names of a solver class of Newton's."""
    names = [name for name in dir(getattr(newton.solvers, title)) if not name.startswith(("_", "coupling_"))]
    return sorted(set(names) - LEFT_OUT - ({"Observables"} if title == "SolverBase" else set()))


@pytest.mark.parametrize("title", ["SolverBase", "SolverMuJoCo"])
def test_methods_have_newtons_names_order_and_defaults(title: str):
    mine, peer = getattr(solvers, title), getattr(newton.solvers, title)
    names = newtons_names(title)
    assert {"step", "reset", "observables", "set_collision_frequency", "supported_observables"} <= set(names)
    assert not [name for name in names if not hasattr(mine, name)]
    for name in names:
        theirs = inspect.getattr_static(peer, name)
        if isinstance(theirs, property) or name == "supports_collision_pipeline":
            assert isinstance(inspect.getattr_static(mine, name), type(theirs)), name
        elif inspect.isroutine(getattr(peer, name)):
            ours, theirs = (inspect.signature(getattr(kind, name)).parameters.values() for kind in (mine, peer))
            assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs], name


@pytest.mark.parametrize("title", ["SolverBase", "SolverMuJoCo"])
def test_constructors_have_newtons_names_order_and_defaults(title: str):
    ours, theirs = (list(inspect.signature(getattr(module, title).__init__).parameters.values()) for module in (solvers, newton.solvers))
    assert [(p.name, p.kind, p.default) for p in ours[: len(theirs)]] == [(p.name, p.kind, p.default) for p in theirs]
    assert all(p.kind is p.KEYWORD_ONLY for p in ours[len(theirs) :])
    assert [p.name for p in ours[len(theirs) :]] == (["on_nonfinite"] if title == "SolverMuJoCo" else [])


def test_names_of_observables_are_newtons(device: str):
    for ours, theirs in ((SolverBase, newton.solvers.SolverBase), (SolverMuJoCo, newton.solvers.SolverMuJoCo)):
        names = [name for name in dir(theirs.ObservableKind) if not name.startswith("_")]
        assert names and all(getattr(ours.ObservableKind, name) == getattr(theirs.ObservableKind, name) for name in names)
        assert ours.SUPPORTED_OBSERVABLES == theirs.SUPPORTED_OBSERVABLES


@pytest.mark.parametrize("name", ["TrnType", "CtrlSource", "CtrlType", "EqType", "SleepPolicy", "OverflowBits"])
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
    with pytest.raises(UnsupportedError, match="observables"):
        solver.observables({"body_qdd"})
    solver.validate_observables(None)
    with pytest.raises(UnsupportedError, match="observables: got a dict"):
        solver.validate_observables({})
    assert solver.supported_observables == frozenset()
    with pytest.raises(UnsupportedError, match="integrate_bodies"):
        solver.integrate_bodies(model, states[0], states[1], 0.01)
    with pytest.raises(UnsupportedError, match="step"):
        SolverBase(model).step(states[0], states[1], None, None, 0.01)


def test_pipelines_of_the_solvers_own_are_refused(device: str):
    model = ModelBuilder().finalize(device=device)
    with pytest.raises(UnsupportedError, match="SolverBase: collision_pipeline"):
        SolverBase(model, collision_pipeline=object())
    solver = SolverBase(model, collision_frequency=None)
    solver.set_collision_frequency()
    with pytest.raises(UnsupportedError, match="collision_frequency"):
        solver.set_collision_frequency(collision_frequency={})


def test_what_needs_mujoco_is_refused_by_name(device: str):
    builder = ModelBuilder()
    builder.add_articulation([builder.add_joint_free(builder.add_link(mass=1.0, inertia=(1.0, 1.0, 1.0)))])
    solver = SolverMuJoCo(builder.finalize(device=device))
    assert [module.__name__ for module in SolverMuJoCo.import_mujoco()] == ["mujoco", "newtonish.mjw"]
    with pytest.raises(UnsupportedError, match="save_to_mjcf"):
        solver.render_mujoco_viewer()
    solver.close_mujoco_viewer()
