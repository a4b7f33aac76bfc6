"""SolverMuJoCo: arguments, and steps that equal those of the array-level interface and of MuJoCo."""

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import shared_model
from solver_rigs import every_joint, replicated, shake

from newtonish import ModelBuilder, SolverMuJoCo, mjw
from newtonish.errors import CapacityError, ModelError, NewtonishError, NewtonishWarning, UnsupportedError
from newtonish.solver.pull import pull
from newtonish.solver.push import push

NWORLD = 3
SMALL = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="box" pos="0 0 0.35" quat="0.9 0.2 0.3 0.1">
      <freejoint/>
      <geom type="box" size="0.1 0.2 0.15" pos="0.05 0 0.02"/>
      <body pos="0 0 0.3">
        <joint name="slide" type="slide" axis="1 0 0.2" ref="0.1" range="-0.2 0.2" stiffness="20" damping="0.5"/>
        <joint name="hinge" axis="0 1 0" ref="30" armature="0.02" frictionloss="0.1"/>
        <geom type="capsule" size="0.05 0.1"/>
        <body pos="0.2 0 0.1">
          <joint name="ball" type="ball" damping="0.05" pos="-0.05 0 0"/>
          <geom type="sphere" size="0.08" pos="0 0 0.1"/>
        </body>
      </body>
    </body>
    <body name="pendulum" pos="1 0 1">
      <joint name="swing" axis="0 1 0" damping="0.01"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="slide" gear="5"/>
    <position joint="hinge" kp="8" kv="0.3"/>
    <velocity joint="swing" kv="0.5"/>
    <motor joint="ball" gear="0.1 0.2 0.3"/>
  </actuator>
</mujoco>
"""


def imported(source: str, device: str, count: int = NWORLD):
    """A model of ``count`` worlds of an MJCF file or text."""
    builder = ModelBuilder()
    builder.add_mjcf(str(source))
    return replicated(builder, count, device)


def arrays(state) -> list[np.ndarray]:
    return [getattr(state, name).numpy() for name in ("joint_q", "joint_qd", "body_q", "body_qd")]


def test_refused_arguments_are_named_together(device: str):
    model = replicated(every_joint(), 2, device)
    with pytest.raises(UnsupportedError) as error:
        SolverMuJoCo(model, nvmax=3, enable_sleeping=True, use_speculative_contacts=True, use_mujoco_contacts=False, separate_worlds=False)
    assert len(error.value.problems) == 4
    assert all(name in str(error.value) for name in ("nvmax", "enable_sleeping", "use_speculative_contacts", "separate_worlds"))
    with pytest.raises(NewtonishError, match="cone"):
        SolverMuJoCo(model, cone="round")


@pytest.mark.parametrize(
    ("argument", "value", "words"),
    [
        ("separate_worlds", False, "got False for 2 worlds; allowed: None or True, as every world.*; leave it out, or build one world"),
        ("enable_sleeping", True, "got True; allowed: None or False; leave it out: every tree is simulated"),
        ("nvmax", 3, "got 3; allowed: None; leave it out: it belongs to sleeping"),
        ("sleep_tolerance", 0.1, "got 0.1; allowed: None; leave it out: it belongs to sleeping"),
    ],
)
def test_each_refusal_says_what_is_allowed_and_what_to_do(argument, value, words, device: str):
    with pytest.raises(UnsupportedError, match=f"SolverMuJoCo: {argument}: {words}"):
        SolverMuJoCo(replicated(every_joint(), 2, device), **{argument: value})


def test_a_fast_shape_does_not_pass_through_a_wall(device: str):
    """With the argument as with the flag of the file, and only then; of contacts that the step is given it is refused."""
    text = """<mujoco><option timestep=".01" gravity="0 0 0">{}</option><worldbody><geom type="box" size=".01 1 1" pos="1 0 0"/>
        <body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    for flag, argument in (("", False), ("", True), ('<flag speculative="enable"/>', False)):
        builder = ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        builder.add_mjcf(text.format(flag))
        model = builder.finalize(device=device)
        solver = SolverMuJoCo(model, use_speculative_contacts=argument)
        state, after = model.state(), model.state()
        speed = state.joint_qd.numpy()
        speed[0] = 60.0
        state.joint_qd.assign(speed)
        for _ in range(4):
            solver.step(state, after, model.control(), None, 0.01)
            state, after = after, state
        assert (state.joint_q.numpy()[0] < 0.91) == (argument or bool(flag))
    with pytest.raises(UnsupportedError, match="use_speculative_contacts: got True with use_mujoco_contacts=False"):
        SolverMuJoCo(model, use_speculative_contacts=True, use_mujoco_contacts=False)


def test_a_model_that_may_sleep_is_simulated_awake(device: str):
    builder = ModelBuilder()
    builder.add_mjcf('<mujoco><option><flag sleep="enable"/></option><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
    with pytest.warns(NewtonishWarning, match=r"SolverMuJoCo: model: got enable_sleeping, which has no effect; .* step the model with newtonish.mjw"):
        solver = SolverMuJoCo(builder.finalize(device=device))
    assert solver.mjw_model.opt.enableflags == 0 and solver.mjw_data.tree_asleep.size == 0


def test_one_world_may_be_simulated_as_one(device: str):
    assert SolverMuJoCo(replicated(every_joint(), 1, device), separate_worlds=False).mjw_data.nworld == 1


def test_the_discrete_integrator_is_taken_from_argument_and_model(device: str):
    builder = ModelBuilder()
    builder.add_mjcf('<mujoco><option density="1000"/><worldbody><body><freejoint/><geom size=".1" fluidshape="ellipsoid"/></body></worldbody></mujoco>')
    model = builder.finalize(device=device)
    assert SolverMuJoCo(model, integrator=4).mjw_model.opt.integrator == 4
    model.mujoco.integrator.fill_(4)
    assert SolverMuJoCo(model).mjw_model.opt.integrator == 4


def test_options_reach_the_device(device: str):
    model = replicated(every_joint(), 2, device)
    solver = SolverMuJoCo(model, iterations=7, ls_iterations=9, cone="elliptic", integrator="euler", impratio=4.0, tolerance=1e-5, njmax=40, nconmax=5)
    opt = solver.mjw_model.opt
    assert (opt.iterations, opt.ls_iterations, opt.cone, opt.integrator) == (7, 9, 1, 0)
    np.testing.assert_allclose(opt.impratio_invsqrt.numpy(), 0.5)
    np.testing.assert_allclose(opt.tolerance.numpy(), 1e-5)
    assert (solver.mjw_data.njmax, solver.mjw_data.nconmax) == (40, 5)
    assert solver.get_max_contact_count() == 10


def test_registering_attributes_twice_changes_nothing():
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    before = set(builder.custom_attributes)
    SolverMuJoCo.register_custom_attributes(builder)
    assert set(builder.custom_attributes) == before
    assert "mujoco:dof_ref" in before


def test_a_bad_time_step_is_refused(device: str):
    model = replicated(every_joint(), 1, device)
    solver, state = SolverMuJoCo(model), model.state()
    for dt in (0.0, -0.01, float("nan")):
        with pytest.raises(ModelError, match="dt"):
            solver.step(state, state, None, None, dt)


class Twins:
    """An MJCF model in three unequal worlds: in the solver, in the array-level interface and in MuJoCo."""

    def __init__(self, source: str, device: str, lift: float = 0.0, noise: float = 0.1):
        text = str(source)
        self.mjm = (mujoco.MjModel.from_xml_string if "<" in text else mujoco.MjModel.from_xml_path)(text)
        self.model = imported(text, device)
        self.solver = SolverMuJoCo(self.model, skip_visual_only_geoms=False)
        self.states = [self.model.state(), self.model.state()]
        self.control = self.model.control()
        self.m = mjw.put_model(self.mjm, device=device)
        self.d = mjw.make_data(self.m, NWORLD)
        self.mjds = [mujoco.MjData(self.mjm) for _ in range(NWORLD)]
        rng = self.rng = np.random.default_rng(0)
        for world, mjd in enumerate(self.mjds):
            if world:
                mujoco.mj_integratePos(self.mjm, mjd.qpos, noise * rng.standard_normal(self.mjm.nv), 1.0)
                mjd.qvel[:] = noise * rng.standard_normal(self.mjm.nv)
            mjd.qpos[2] += lift
        self.d.qpos.assign(np.array([x.qpos for x in self.mjds], np.float32))
        self.d.qvel.assign(np.array([x.qvel for x in self.mjds], np.float32))
        data = self.solver.mjw_data
        wp.copy(data.qpos, self.d.qpos)
        wp.copy(data.qvel, self.d.qvel)
        pull(self.solver.mjw_model, data, self.solver._maps, self.model, self.states[0], self.states[0])

    def step(self, ctrl: np.ndarray) -> None:
        """One step on all three sides under controls (worlds, nu)."""
        dt = float(self.mjm.opt.timestep)
        self.control.mujoco.ctrl.assign(ctrl.reshape(-1).astype(np.float32))
        self.solver.step(self.states[0], self.states[1], self.control, None, dt)
        self.states.reverse()
        self.d.ctrl.assign(ctrl.astype(np.float32))
        mjw.step(self.m, self.d)
        for mjd, u in zip(self.mjds, ctrl):
            mjd.ctrl[:] = u
            mujoco.mj_step(self.mjm, mjd)

    def run(self, steps: int) -> None:
        ctrl = np.zeros((NWORLD, self.mjm.nu))
        for k in range(steps):
            if k % 10 == 0:
                ctrl = self.rng.uniform(-1.0, 1.0, (NWORLD, self.mjm.nu))
            self.step(ctrl)

    def coordinates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """qpos of the solver (read from its final state), the array level and MuJoCo."""
        solver = self.solver
        push(solver.mjw_model, solver.mjw_data, solver._maps, solver._inputs, self.states[0], self.control, 0.001)
        return solver.mjw_data.qpos.numpy(), self.d.qpos.numpy(), np.array([x.qpos for x in self.mjds])


def test_steps_equal_those_of_the_array_level_and_of_mujoco(device: str):
    twins = Twins(SMALL, device, lift=2.0)
    twins.run(50)
    ours, level, oracle = twins.coordinates()
    np.testing.assert_allclose(ours, level, atol=2e-5)
    np.testing.assert_allclose(ours, oracle, atol=1e-4)
    labels = list(twins.model.body_label)[: twins.model.body_count // NWORLD]
    for w, mjd in enumerate(twins.mjds):
        mujoco.mj_kinematics(twins.mjm, mjd)
        rows = twins.solver.compiled.maps.mjc_body[w, 1:]
        np.testing.assert_allclose(twins.states[0].body_q.numpy()[rows, :3], mjd.xpos[1:], atol=2e-4, err_msg=str(labels))


def test_steps_in_contact_equal_those_of_mujoco(device: str):
    twins = Twins(SMALL, device)
    twins.run(50)
    assert max(mjd.ncon for mjd in twins.mjds) > 0
    ours, level, oracle = twins.coordinates()
    np.testing.assert_allclose(ours, level, atol=2e-3)
    np.testing.assert_allclose(ours, oracle, atol=5e-3)


@pytest.mark.parametrize("path", ["dm_humanoid/humanoid.xml", "gym_ant/ant.xml", "gym_walker2d/walker2d_v5.xml"])
def test_real_models_equal_mujoco(device: str, path: str):
    twins = Twins(shared_model(path), device)
    twins.run(50)
    ours, level, oracle = twins.coordinates()
    np.testing.assert_allclose(ours, level, atol=2e-3 * np.abs(oracle).max())
    np.testing.assert_allclose(ours, oracle, atol=5e-3 * np.abs(oracle).max())


def test_a_captured_step_equals_an_eager_one(device: str):
    model = imported(SMALL, device)
    results = []
    for captured in (False, True):
        solver = SolverMuJoCo(model, nconmax=16, njmax=80)
        states, control = [model.state(), model.state()], model.control()
        shake(model, states[0], q=0.05)

        def two_steps(solver=solver, states=states, control=control) -> None:
            solver.step(states[0], states[1], control, None, 0.004)
            solver.step(states[1], states[0], control, None, 0.004)

        if captured:
            with wp.ScopedCapture(device=device) as capture:  # the very first step is captured
                two_steps()
            for _ in range(10):
                wp.capture_launch(capture.graph)
        else:
            for _ in range(10):
                two_steps()
        results.append(arrays(states[0]))
    for eager, replayed in zip(*results):
        np.testing.assert_array_equal(eager, replayed)


def test_steps_may_write_into_the_state_they_read(device: str):
    model = imported(SMALL, device)
    solver, state, other = SolverMuJoCo(model), model.state(), [model.state(), model.state()]
    for s in (state, other[0]):
        shake(model, s, q=0.05)
    for _ in range(6):
        solver.step(state, state, None, None, 0.004)
    solver.reset(model.state())
    for _ in range(6):
        solver.step(other[0], other[1], None, None, 0.004)
        other.reverse()
    for a, b in zip(arrays(state), arrays(other[0])):
        np.testing.assert_array_equal(a, b)


def test_the_time_step_is_the_callers_and_needs_no_new_recording(device: str):
    model = replicated(every_joint(), NWORLD, device)
    solver, state = SolverMuJoCo(model), model.state()
    solver.step(state, state, None, None, 0.001)
    version = (solver.mjw_model.version, solver.mjw_data.version)
    for dt in (0.004, 0.002):
        before = solver.mjw_data.time.numpy().copy()
        solver.step(state, state, None, None, dt)
        np.testing.assert_allclose(solver.mjw_data.time.numpy() - before, dt, rtol=1e-4)
    assert (solver.mjw_model.version, solver.mjw_data.version) == version


def test_without_a_control_the_models_own_is_used(device: str):
    model = imported(SMALL, device)
    solver, results = SolverMuJoCo(model), []
    model.mujoco.ctrl.assign(np.linspace(-1.0, 1.0, len(model.mujoco.ctrl)).astype(np.float32))
    for control in (None, model.control()):
        state = model.state()
        solver.reset(state)
        for _ in range(3):
            solver.step(state, state, control, None, 0.004)
        results.append(arrays(state))
    for a, b in zip(*results):
        np.testing.assert_array_equal(a, b)
    assert np.abs(results[0][1]).max() > 0.0


def test_joint_drives_reach_their_targets(device: str):
    """Position and velocity drives of joints, scalar and ball, without gravity and with different targets per world."""
    builder = ModelBuilder(gravity=0.0)
    SolverMuJoCo.register_custom_attributes(builder)
    inertia = wp.mat33(0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1)
    links = [builder.add_link(mass=1.0, inertia=inertia) for _ in range(2)]
    joints = [
        builder.add_joint_revolute(-1, links[0], axis=(0.0, 0.0, 1.0), target_ke=40.0, target_kd=4.0, target_q=0.0),
        builder.add_joint_prismatic(-1, links[1], axis=(1.0, 0.0, 0.0), target_ke=0.0, target_kd=20.0, target_qd=0.0),
    ]
    for joint in joints:
        builder.add_articulation([joint])
    model = replicated(builder, NWORLD, device)
    solver, state, control = SolverMuJoCo(model), model.state(), model.control()
    angles, speeds = np.array([0.5, -0.2, 1.0], np.float32), np.array([0.3, -0.4, 0.1], np.float32)
    control.joint_target_q.assign(np.stack([angles, 0 * angles], axis=1).reshape(-1))
    control.joint_target_qd.assign(np.stack([0 * speeds, speeds], axis=1).reshape(-1))
    for _ in range(400):
        solver.step(state, state, control, None, 0.01)
    np.testing.assert_allclose(state.joint_q.numpy()[0::2], angles, atol=1e-3)
    np.testing.assert_allclose(state.joint_qd.numpy()[1::2], speeds, atol=1e-3)


def test_strict_capacity_raises(device: str):
    model = imported(SMALL, device)
    solver, state = SolverMuJoCo(model, nconmax=1, njmax=4, strict_capacity=True), model.state()
    q = state.joint_q.numpy().reshape(NWORLD, -1)
    q[1, 2] = 0.05
    state.joint_q.assign(q.reshape(-1))
    with pytest.raises(CapacityError, match="world 1"):
        solver.step(state, state, None, None, 0.004)


def test_a_model_without_worlds_is_one_world(device: str):
    builder = every_joint()
    plain, framed = builder.finalize(device=device), replicated(every_joint(), 1, device)
    results = []
    for model in (plain, framed):
        state = model.state()
        shake(model, state)
        solver = SolverMuJoCo(model)
        for _ in range(3):
            solver.step(state, state, None, None, 0.002)
        results.append(arrays(state))
    for a, b in zip(*results):
        np.testing.assert_array_equal(a, b)


def test_a_model_of_newtons_own_is_accepted(device: str):
    newton = pytest.importorskip("newton")
    results = []
    for kind, solver_kind in ((ModelBuilder, SolverMuJoCo), (newton.ModelBuilder, newton.solvers.SolverMuJoCo)):
        builder, scene = kind(), kind()
        for each in (builder, scene):
            solver_kind.register_custom_attributes(each)
        mass = {"mass": 1.0, "inertia": wp.mat33(np.diag([0.1, 0.12, 0.08])), "com": wp.vec3(0.1, 0.0, -0.3)}
        base, arm = builder.add_link(**mass), builder.add_link(**mass)
        drive = {"target_ke": 10.0, "target_kd": 1.0, "target_q": 0.4}
        at = wp.transform((0.0, 0.0, -0.5), wp.quat_identity())
        joints = [
            builder.add_joint_free(base),
            builder.add_joint_revolute(base, arm, axis=(0.0, 1.0, 0.0), parent_xform=at, **drive),
        ]
        builder.add_articulation(joints)
        scene.replicate(builder, NWORLD)
        model = scene.finalize(device=device)
        state = model.state()
        shake(model, state)
        solver = SolverMuJoCo(model)
        for _ in range(20):
            solver.step(state, state, None, None, 0.004)
        results.append(arrays(state))
    for a, b in zip(*results):
        np.testing.assert_allclose(a, b, atol=1e-6)
