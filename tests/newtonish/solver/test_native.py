"""MuJoCo's own objects and its C code beside the solver: ``mj_model``, ``mj_data``, ``use_mujoco_cpu``."""

import sys
import warnings

import mujoco
import numpy as np
import pytest
import warp as wp
from solver_rigs import every_joint, replicated, shake

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.errors import NewtonishWarning, UnsupportedError

NWORLD = 2


@pytest.fixture
def model():
    """Two worlds of other masses, with every kind of joint and no contacts."""
    model = replicated(every_joint(), NWORLD, "cpu")
    mass = model.body_mass.numpy().reshape(NWORLD, -1)
    mass[1] *= 1.5
    model.body_mass.assign(mass.ravel())
    return model


def stepped(model, steps: int = 10, **options):
    """A solver after some steps from a shaken state, and that state."""
    solver, state = SolverMuJoCo(model, **options), model.state()
    shake(model, state)
    control = model.control()
    control.joint_f.fill_(0.3)
    for _ in range(steps):
        solver.step(state, state, control, None, 0.002)
    return solver, state


def test_mujocos_code_moves_unequal_worlds_as_our_kernels_do(model) -> None:
    native, theirs = stepped(model, use_mujoco_cpu=True)
    _, ours = stepped(model)
    for name in ("joint_q", "joint_qd", "body_q", "body_qd"):
        np.testing.assert_allclose(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), rtol=1e-3, atol=2e-4, err_msg=name)
    assert native.mj_data.time == pytest.approx(0.02)
    np.testing.assert_allclose(native.mjw_data.qpos.numpy()[0], native.mj_data.qpos, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(native.mjw_data.qacc.numpy()[0], native.mj_data.qacc, rtol=1e-5, atol=1e-5)


def test_what_a_step_reports_is_the_same(model) -> None:
    found = []
    for native in (True, False):
        solver = SolverMuJoCo(model, use_mujoco_cpu=native)
        assert ("overflow" in solver.supported_observables) == (not native)
        seen = solver.observables(("body_qdd", "body_parent_f", "qfrc_bias"))
        state = model.state()
        shake(model, state)
        solver.step(state, state, None, None, 0.002, observables=seen)
        found.append(seen)
    for name in ("body_qdd", "body_parent_f", "qfrc_bias"):
        mine, theirs = (getattr(seen, name).numpy() for seen in found)
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-3 * np.abs(theirs).max(), err_msg=name)
    with pytest.raises(UnsupportedError, match="overflow"):
        SolverMuJoCo(model, use_mujoco_cpu=True).observables("overflow")


def test_what_is_reported_is_of_the_step_that_was_asked_for() -> None:
    """Forces of a DC motor depend on the time step, which is the script's and not the file's."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf("""<mujoco><option timestep="0.01" integrator="Euler"/><worldbody><body><joint name="j"/><geom size=".1" mass="1"/></body></worldbody>
      <actuator><dcmotor joint="j" resistance="2" motorconst="0.5" inductance="0.004"/></actuator></mujoco>""")
    model = builder.finalize(device="cpu")
    solver, state, control = SolverMuJoCo(model, use_mujoco_cpu=True), model.state(), model.control()
    control.mujoco.ctrl.fill_(3.0)
    state.joint_qd.fill_(0.5)
    seen = solver.observables("qfrc_actuator")
    for _ in range(3):
        solver.step(state, state, control, None, 0.001, observables=seen)
        np.testing.assert_allclose(seen.qfrc_actuator.numpy(), solver.mj_data.qfrc_actuator, rtol=1e-6)
    assert abs(solver.mj_data.qfrc_actuator[0]) > 1e-3


def test_an_edit_reaches_the_objects_that_a_script_holds(model) -> None:
    solver, _ = stepped(model, 1, use_mujoco_cpu=True)
    held, worlds = solver.mj_model, solver._native.models
    model.body_mass.assign(model.body_mass.numpy() * 2.0)
    model.body_inertia.assign(model.body_inertia.numpy() * 2.0)
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    assert solver.mj_model is held
    fresh = SolverMuJoCo(model, use_mujoco_cpu=True)._native.models
    for one, other in zip(worlds, fresh):
        np.testing.assert_allclose(one.body_mass, other.body_mass, rtol=1e-6)
        np.testing.assert_allclose(one.body_invweight0, other.body_invweight0, rtol=1e-5, atol=1e-9)


def test_a_reset_puts_masked_worlds_back(model) -> None:
    solver, state = stepped(model, 3, use_mujoco_cpu=True, update_data_interval=0)
    solver.reset(state, wp.array([False, True], dtype=wp.bool, device="cpu"))
    first, second = solver._native.data
    assert first.time > 0.0 == second.time
    np.testing.assert_allclose(second.qpos, solver.mjw_data.qpos.numpy()[1], atol=1e-6)
    np.testing.assert_array_equal(second.qacc_warmstart, 0.0)


def test_mj_data_is_filled_after_each_step_and_is_the_scripts_between(model) -> None:
    solver, state = stepped(model, 1)
    first = solver.mj_data
    np.testing.assert_allclose(first.qpos, solver.mjw_data.qpos.numpy()[0], atol=1e-6)
    first.qvel[:] = 3.0
    assert solver.mj_data is first
    np.testing.assert_array_equal(solver.mj_data.qvel, 3.0)
    solver.step(state, state, None, None, 0.002)
    np.testing.assert_allclose(solver.mj_data.qvel, solver.mjw_data.qvel.numpy()[0], atol=1e-6)
    mujoco.mj_forward(solver.mj_model, solver.mj_data)


def test_before_the_first_step_both_hold_the_models_own_state(model) -> None:
    model.joint_q.assign(model.joint_q.numpy() + np.float32(0.0))
    solver = SolverMuJoCo(model)
    np.testing.assert_allclose(solver.mjw_data.xpos.numpy()[0], solver.mj_data.xpos, atol=1e-5)
    np.testing.assert_allclose(solver.mjw_data.xpos.numpy()[0, 1], model.state().body_q.numpy()[0, :3], atol=1e-5)


def test_a_look_does_not_change_the_steps(model) -> None:
    paths = []
    for looked in (True, False):
        solver, state = SolverMuJoCo(model), model.state()
        if looked:
            solver.mjw_data.qacc.numpy()
        solver.step(state, state, None, None, 0.002)
        paths.append(state.joint_qd.numpy())
    np.testing.assert_array_equal(*paths)


def test_fields_that_are_read_have_every_world(model) -> None:
    solver = SolverMuJoCo(replicated(every_joint(), NWORLD, "cpu"))
    assert solver._m.dof.armature.shape[0] == 1
    wide = solver.mjw_model.dof_armature
    assert wide.shape[0] == NWORLD and solver.mjw_model.dof_armature is wide and solver._m.dof.armature is wide
    values = wide.numpy()
    values[1] += 0.5
    wide.assign(values)  # reaches the second world alone
    state = solver.model.state()
    shake(solver.model, state)
    state.joint_q.assign(np.tile(state.joint_q.numpy().reshape(NWORLD, -1)[0], NWORLD))
    state.joint_qd.assign(np.tile(state.joint_qd.numpy().reshape(NWORLD, -1)[0], NWORLD))
    solver.step(state, state, None, None, 0.002)
    first, second = state.joint_qd.numpy().reshape(NWORLD, -1)
    assert np.abs(first - second).max() > 1e-4


def test_without_mujoco_the_compiled_model_stands_for_it(model, monkeypatch) -> None:
    solver = SolverMuJoCo(model)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setattr("newtonish.solver.newton_names.find_spec", lambda name: None)
    assert solver.mj_model is solver.compiled
    for look in (lambda: solver.mj_data, lambda: SolverMuJoCo(model, use_mujoco_cpu=True), SolverMuJoCo.import_mujoco):
        with pytest.raises(UnsupportedError, match="pip install mujoco"):
            look()


def test_a_model_that_mujoco_does_not_take_keeps_its_own_arrays() -> None:
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    link = builder.add_link(mass=0.0, label="nothing")
    builder.add_articulation([builder.add_joint_revolute(-1, link, armature=0.1)])
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    with pytest.warns(NewtonishWarning, match="mj_model"):
        assert solver.mj_model is solver.compiled
    assert solver.mj_model is solver.compiled


def test_models_of_newtons_own_builder_become_mujocos() -> None:
    """Infinite planes, joints' dampings and names of its kind, without a warning of Newton's about names that it is going to remove."""
    newton = pytest.importorskip("newton")
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(label="ball", xform=wp.transform((0.0, 0.0, 0.09), wp.quat_identity()))
    builder.add_shape_sphere(body, radius=0.1)
    model = builder.finalize(device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        solver = SolverMuJoCo(model)
        solver.notify_model_changed(ModelFlags.ALL & ~ModelFlags.TENDON_PROPERTIES)
    assert solver.mj_model.ngeom == 2 and mujoco.mj_name2id(solver.mj_model, mujoco.mjtObj.mjOBJ_BODY, "ball") == 1
    assert solver.mj_data.ncon == 1
    model.body_com.assign(np.float32([[0.01, 0.0, 0.0]]))  # the mass matrix gets entries
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    np.testing.assert_allclose(solver.mj_model.body_ipos[1], [0.01, 0.0, 0.0], atol=1e-7)
    mujoco.mj_forward(solver.mj_model, solver.mj_data)


def test_a_limit_holds_on_a_kinematic_base_as_on_a_fixed_one() -> None:
    """The inertia of a base that nothing moves does not end MuJoCo's solver early."""
    paths = []
    for kinematic in (True, False):
        builder = ModelBuilder()
        base = builder.add_link(mass=0.01, inertia=wp.mat33(np.eye(3) * 1e-4), is_kinematic=kinematic)
        arm = builder.add_link(mass=5.0, com=wp.vec3(0.3, 0.0, 0.0), inertia=wp.mat33(np.eye(3) * 0.2))
        root = builder.add_joint_free(base) if kinematic else builder.add_joint_fixed(-1, base)
        builder.add_articulation([root, builder.add_joint_revolute(base, arm, axis=(0.0, 1.0, 0.0), limit_lower=-0.3, limit_upper=0.3)])
        model = builder.finalize(device="cpu")
        solver, state = SolverMuJoCo(model, use_mujoco_cpu=True), model.state()
        paths.append([])
        for _ in range(120):
            solver.step(state, state, None, None, 0.002)
            paths[-1].append(state.joint_q.numpy()[-1])
    assert max(paths[0]) > 0.3
    np.testing.assert_allclose(*paths, atol=1e-4)


def test_contacts_from_outside_are_not_for_mujocos_code() -> None:
    builder = ModelBuilder()
    ball = builder.add_body(mass=1.0, inertia=wp.mat33(np.eye(3)))
    builder.add_shape_sphere(ball, radius=0.1)
    model = builder.finalize(device="cpu")
    with pytest.raises(UnsupportedError, match="use_mujoco_contacts=True"):
        SolverMuJoCo(model, use_mujoco_cpu=True, use_mujoco_contacts=False)
    SolverMuJoCo(model, use_mujoco_cpu=True, use_mujoco_contacts=False, disable_contacts=True)
