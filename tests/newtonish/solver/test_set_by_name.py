"""Values set by name act in the next step as in a solver made from a model that had them from the start, and as in MuJoCo."""

import mujoco
import numpy as np
import pytest

from newtonish import ModelBuilder, SolverMuJoCo
from newtonish.errors import ModelError
from newtonish.model.enums import JointTargetMode

ROBOT = """<mujoco><option gravity="0 0 0" integrator="implicitfast"/><worldbody><body name="a"><joint name="left_knee" axis="0 1 0" range="-10 10" limited="true"/>
  <geom name="shin" size=".1" pos=".3 0 0" mass="2"/><body name="b" pos=".6 0 0"><joint name="right_knee" axis="0 1 0" armature=".1" damping=".2"/>
  <geom name="foot" size=".1" pos=".3 0 0" mass="1"/></body></body></worldbody>
  <tendon><fixed name="cord"><joint joint="left_knee" coef="1"/><joint joint="right_knee" coef="-1"/></fixed></tendon>
  <actuator><position name="left" joint="left_knee" kp="20" kv="1"/><position name="right" joint="right_knee" kp="10"/></actuator></mujoco>"""


def made():
    builder, one = ModelBuilder(), ModelBuilder()
    for each in (builder, one):
        SolverMuJoCo.register_custom_attributes(each)
    one.add_mjcf(ROBOT)
    builder.replicate(one, 2)
    return builder.finalize(device="cpu")


def moved(solver) -> np.ndarray:
    model = solver.model
    state, control = model.state(), model.control()
    state.joint_q.assign(np.array([0.3, -0.1, 0.25, 0.2], np.float32))
    for _ in range(60):
        solver.step(state, state, control, None, 0.002)
    return state.joint_q.numpy().reshape(2, 2)


def test_values_by_name_act_as_in_mujoco() -> None:
    solver = SolverMuJoCo(made())
    solver.set(actuator="left", kp=[30.0, 60.0], kv=3.0)
    solver.set(joint="*_knee", armature=[[0.2, 0.1], [0.3, 0.4]], damping=0.5)
    solver.set(tendon="cord", stiffness=[5.0, 9.0], world=[1, 0])
    solver.set(joint="left_knee", solreflimit=(0.05, 0.8))
    ours, start = moved(solver), np.array([[0.3, -0.1], [0.25, 0.2]])
    for world in range(2):
        spec = mujoco.MjSpec.from_string(ROBOT)
        m = spec.compile()
        kp, armature = (30.0, 60.0)[world], ((0.2, 0.1), (0.3, 0.4))[world]
        m.actuator_gainprm[0, 0], m.actuator_biasprm[0, 1:3] = kp, (-kp, -3.0)
        m.dof_armature[:], m.dof_damping[:] = armature, 0.5
        m.tendon_stiffness[:], m.jnt_solref[0] = (9.0, 5.0)[world], (0.05, 0.8)
        d = mujoco.MjData(m)
        mujoco.mj_setConst(m, d)
        d.qpos[:] = start[world]
        mujoco.mj_step(m, d, 60)
        assert ours[world] == pytest.approx(d.qpos, abs=2e-5)


def test_masses_by_name_act_as_in_mujoco() -> None:
    solver = SolverMuJoCo(made())
    inertia = np.array([[0.03, 0.004, 0.0], [0.004, 0.02, 0.001], [0.0, 0.001, 0.025]])
    solver.set(body="b", mass=[1.5, 3.0], inertia=[inertia, 2.0 * inertia], com=(0.25, 0.0, 0.02))
    ours, start = moved(solver), np.array([[0.3, -0.1], [0.25, 0.2]])
    for world in range(2):
        spec = mujoco.MjSpec.from_string(ROBOT)
        b = spec.body("b")
        b.explicitinertial, b.mass, b.ipos = True, (1.5, 3.0)[world], (0.25, 0.0, 0.02)
        b.fullinertia = (1.0 + world) * np.array([0.03, 0.02, 0.025, 0.004, 0.0, 0.001])
        m = spec.compile()
        d = mujoco.MjData(m)
        d.qpos[:] = start[world]
        mujoco.mj_step(m, d, 60)
        assert ours[world] == pytest.approx(d.qpos, abs=2e-5)
    found = solver.model
    rows = [row for row, label in enumerate(found.body_label) if label.rsplit("/", 1)[-1] == "b"]
    assert found.body_inv_mass.numpy()[rows] == pytest.approx([1 / 1.5, 1 / 3.0])
    assert found.body_inv_inertia.numpy()[rows[0]] == pytest.approx(np.linalg.inv(inertia), rel=1e-4, abs=1e-3)
    for wrong, text in ((dict(mass=0.0), "masses above 0"), (dict(inertia=-inertia), "no inertia")):
        with pytest.raises(ModelError, match=text):
            solver.set(body="b", **wrong)


def test_gains_of_limits_and_materials_count_once_they_are_set() -> None:
    solver = SolverMuJoCo(made())
    solver.set(joint="left_knee", limit_ke=[4e3, 9e3], limit_kd=50.0)
    solver.set(shape="foot", ke=1e4, mu=[0.3, 0.9])
    m = solver.mjw_model
    raw = np.asarray(m.jnt_solref.numpy()[:, 0], dtype=float)
    stiffness = 1.0 / np.square(0.95 * raw[:, 0] * raw[:, 1]) / (0.05 * m.dof_invweight0.numpy()[:, 0])
    assert stiffness * 0.95**2 == pytest.approx([4e3, 9e3], rel=1e-4)
    assert m.geom_friction.numpy()[:, 1, 0] == pytest.approx([0.3, 0.9])
    assert set(solver.model.mujoco.solref_mode.numpy()) == {0, 2}


def test_target_gains_differ_between_worlds() -> None:
    builder, one = ModelBuilder(), ModelBuilder()
    for each in (builder, one):
        SolverMuJoCo.register_custom_attributes(each)
    link = one.add_link(mass=2.0, inertia=0.5 * np.eye(3), lock_inertia=True)
    hinge = one.add_joint_revolute(-1, link, axis=(0.0, 0.0, 1.0), target_ke=10.0, target_kd=1.0, label="robot/knee")
    one.joint_target_mode[0] = JointTargetMode.POSITION
    one.add_articulation([hinge])
    builder.replicate(one, 2)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model)
    solver.set(joint="knee", ke=[50.0, 80.0])
    solver.set(joint="knee", kd=4.0, world=1)
    assert np.array_equal(model.joint_target_ke.numpy(), [50.0, 80.0])
    assert solver.mjw_model.actuator_gainprm.numpy()[:, 0, 0] == pytest.approx([50.0, 80.0])
    assert solver.mjw_model.actuator_biasprm.numpy()[:, 0, 1] == pytest.approx([-50.0, -80.0])
    assert np.array_equal(model.joint_target_kd.numpy(), [1.0, 4.0])


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (dict(joint="left_kne", damping=1.0), "did you mean 'left_knee'"),
        (dict(joint="left_knee", dampng=1.0), "did you mean 'damping'"),
        (dict(joint="left_knee", damping=[1.0, 2.0, 3.0]), r"allowed: a number or \(2,\) or \(2, 1\)"),
        (dict(joint="left_knee", damping=float("nan")), "got NaN"),
        (dict(joint="left_knee", damping="much"), "got 'much'"),
        (dict(joint="left_knee", ke=1.0), r"set\(actuator=..., kp=...\)"),
        (dict(joint="left_knee", shape="foot", mu=1.0), "one of joint, shape, body, tendon, actuator"),
        (dict(joint="left_knee", damping=1.0, world=2), "allowed: 0 to 1"),
        (dict(shape="foot"), "got nothing to set"),
        (dict(shape=3, mu=1.0), "labels of shapes|object is not"),
    ],
)
def test_nonsense_is_refused_and_changes_nothing(what, words) -> None:
    model = made()
    before = model.joint_damping.numpy().copy()
    with pytest.raises(ModelError, match=words):
        model.set(**what)
    assert np.array_equal(model.joint_damping.numpy(), before)
