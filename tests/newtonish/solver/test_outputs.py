"""Accelerations and forces beside the new state, as Newton's solver reports them, eager, recorded and captured."""

import numpy as np
import pytest
import warp as wp
from solver_rigs import every_joint, replicated, shake

from newtonish import ModelBuilder, SolverMuJoCo
from newtonish.errors import ModelError, UnsupportedError
from newtonish.solver import recorded

newton = pytest.importorskip("newton")

NWORLD = 3
STATE = ("body_qdd", "body_parent_f", "mujoco:qfrc_actuator")
DOFS = ("qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_frictionloss")
KINDS = ("body_qdd", "body_parent_f", *DOFS)


def tree(kind) -> object:
    """A free base, a driven ball joint, a driven hinge at its limit: every kind of dof."""
    solver = SolverMuJoCo if kind is not newton.ModelBuilder else newton.solvers.SolverMuJoCo
    builder = kind()
    solver.register_custom_attributes(builder)
    mass = {"mass": 1.3, "inertia": wp.mat33(np.diag([0.1, 0.12, 0.08])), "com": wp.vec3(0.1, 0.05, -0.2)}
    links = [builder.add_link(**mass) for _ in range(3)]
    turned = wp.transform(wp.vec3(0.2, 0.1, -0.3), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.7))
    drive = {"target_ke": 30.0, "target_kd": 1.0, "target_q": 0.6, "limit_lower": -0.3, "limit_upper": 0.2, "friction": 0.1}
    joints = [
        builder.add_joint_free(links[0]),
        builder.add_joint_ball(links[0], links[1], parent_xform=turned, child_xform=turned, damping=0.1),
        builder.add_joint_revolute(links[1], links[2], axis=(0.0, 1.0, 0.0), parent_xform=turned, **drive),
    ]
    builder.add_articulation(joints)
    return builder


def peer(device: str):
    """The same tree in Newton's own models: of all worlds for us, of one for Newton's solver."""
    models = []
    for count in (NWORLD, 1):
        scene = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(scene)
        scene.replicate(tree(newton.ModelBuilder), count)
        model = scene.finalize(device=device if count > 1 else "cpu")
        model.request_state_attributes(*STATE)
        models.append(model)
    return models


@pytest.mark.filterwarnings("ignore")
def test_requested_arrays_of_a_state_equal_newtons(device: str):
    model, single = peer(device)
    states, control = [model.state(), model.state()], model.control()
    shake(model, states[0], q=0.4)
    start = {name: getattr(states[0], name).numpy().reshape(NWORLD, -1) for name in ("joint_q", "joint_qd")}
    SolverMuJoCo(model).step(states[0], states[1], control, None, 0.002)
    theirs = newton.solvers.SolverMuJoCo(single, use_mujoco_cpu=True)
    for w in range(NWORLD):
        before, after = single.state(), single.state()
        for name, values in start.items():
            getattr(before, name).assign(values[w])
        theirs.reset(single.state())
        theirs.step(before, after, single.control(), None, 0.002)
        for name, of in (("body_qdd", lambda s: s.body_qdd), ("body_parent_f", lambda s: s.body_parent_f),
                         ("qfrc_actuator", lambda s: s.mujoco.qfrc_actuator)):  # fmt: skip
            expected = of(after).numpy()
            ours = of(states[1]).numpy().reshape(NWORLD, *expected.shape)[w]
            assert np.abs(expected).max() > 0.1, name
            # Newton turns forces of ball joints by the pose after the step
            np.testing.assert_allclose(ours, expected, atol=2e-3 * np.abs(expected).max(), err_msg=f"{name} of world {w}")


def test_accelerations_are_the_change_of_velocities(device: str):
    model = replicated(every_joint(), NWORLD, device)
    model.request_state_attributes("body_qdd")
    solver = SolverMuJoCo(model, integrator="euler")
    states = [model.state(), model.state()]
    shake(model, states[0])
    dt = 1e-3
    solver.step(states[0], states[0], None, None, dt)  # body_qd of the start
    before = states[0].body_qd.numpy().copy()
    solver.step(states[0], states[1], None, None, dt)
    change = (states[1].body_qd.numpy() - before) / dt
    np.testing.assert_allclose(states[1].body_qdd.numpy(), change, atol=0.02 * np.abs(change).max())


@pytest.mark.parametrize("how", ["recorded", "captured", "plain"])
def test_a_container_is_filled_and_the_motion_stays(device: str, how: str, monkeypatch):
    model = replicated(tree(ModelBuilder), NWORLD, device)
    plain, solver = SolverMuJoCo(model), SolverMuJoCo(model)
    if how == "plain":
        monkeypatch.setattr(recorded, "_MOST", 0)
    observables = solver.observables(KINDS)
    pairs = []
    for each in (plain, solver):
        states = [model.state(), model.state()]
        shake(model, states[0], q=0.4)
        named = {} if each is plain else {"observables": observables}
        if each is solver and how == "captured":
            with wp.ScopedCapture(device=device) as capture:
                each.step(states[0], states[1], None, None, 0.002, **named)
            wp.capture_launch(capture.graph)
        else:
            each.step(states[0], states[1], None, None, 0.002, **named)
        pairs.append(states[1])
    np.testing.assert_array_equal(pairs[0].joint_qd.numpy(), pairs[1].joint_qd.numpy())
    data = solver.mjw_data
    hinge = model.joint_dof_count // NWORLD - 1
    for kind in DOFS[:3]:
        ours = getattr(observables, kind).numpy().reshape(NWORLD, -1)[:, hinge]
        np.testing.assert_array_equal(ours, getattr(data, kind).numpy()[:, hinge])
    assert np.all(np.abs(observables.body_parent_f.numpy()).max(axis=1)[1:] > 0.0)
    assert observables.is_requested("qfrc_bias") and not observables.is_requested("overflow")


@pytest.mark.filterwarnings("ignore")
def test_forces_on_dofs_equal_newtons(device: str):
    """Friction on every dof: of a free body, a ball and a hinge at its limit."""
    model, single = peer(device)
    for each in (model, single):
        each.joint_friction.assign(np.tile(np.linspace(0.1, 0.9, single.joint_dof_count, dtype=np.float32), each.world_count))
    state, control = model.state(), model.control()
    shake(model, state, q=0.4)
    start = {name: getattr(state, name).numpy().reshape(NWORLD, -1) for name in ("joint_q", "joint_qd")}
    solver, theirs = SolverMuJoCo(model), newton.solvers.SolverMuJoCo(single, use_mujoco_cpu=True)
    got, expected = solver.observables(DOFS), theirs.observables(DOFS)
    solver.step(state, model.state(), control, None, 0.002, observables=got)
    for w in range(NWORLD):
        before = single.state()
        for name, values in start.items():
            getattr(before, name).assign(values[w])
        theirs.reset(single.state())
        theirs.step(before, single.state(), single.control(), None, 0.002, observables=expected)
        for kind in DOFS:
            wanted = getattr(expected, kind).numpy()
            assert np.abs(wanted).max() > 0.1, kind
            ours = getattr(got, kind).numpy().reshape(NWORLD, -1)[w]
            # Newton turns forces of ball joints by the pose after the step
            np.testing.assert_allclose(ours, wanted, atol=2e-3 * np.abs(wanted).max(), err_msg=f"{kind} of world {w}")


def test_a_selection_shares_arrays_and_leaves_the_others_alone(device: str):
    model = replicated(every_joint(), NWORLD, device)
    solver, state = SolverMuJoCo(model), model.state()
    shake(model, state, q=0.2)
    everything = solver.observables(solver.supported_observables - {"contact_f"})
    part = everything.select({"qfrc_bias"})
    solver.step(state, state, None, None, 0.002, observables=part)
    assert part.qfrc_bias is everything.qfrc_bias and everything.qfrc_bias.numpy().any()
    assert part.qfrc_constraint is None and not everything.qfrc_actuator.numpy().any() and not everything.body_qdd.numpy().any()
    with pytest.raises(ModelError, match="select: kinds: got qfrc_actuator"):
        part.select({"qfrc_actuator"})


def test_other_kinds_and_other_solvers_containers_are_refused(device: str):
    model = replicated(every_joint(), 1, device)
    solver, state = SolverMuJoCo(model), model.state()
    with pytest.raises(UnsupportedError, match="body_mass"):
        solver.observables({"body_mass"})
    with pytest.raises(ModelError, match="contacts: got None"):
        solver.observables({"contact_f"})
    with pytest.raises(ModelError, match="observables: got another solver's"):
        SolverMuJoCo(model).step(state, state, None, None, 0.01, observables=solver.observables({"qfrc_bias"}))
    with pytest.raises(ModelError, match="observables: got a dict"):
        solver.step(state, state, None, None, 0.01, observables={})
