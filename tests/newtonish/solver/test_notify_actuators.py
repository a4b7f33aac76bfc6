"""Edits of actuators and tendons of a file reach a solver that was made before, world by world and bit by bit."""

import numpy as np
import pytest
import warp as wp

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.kernels.structs.container import Model
from newtonish.solver.notify import changed_names

MODEL = """<mujoco><option integrator="implicitfast"/><worldbody><site name="w" pos="0 .1 .8"/>
<body pos="0 0 .5"><joint name="a" axis="0 1 0" damping=".1"/><geom size=".05" pos=".2 0 0"/><site name="crank" pos=".1 0 .02"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom size=".04" pos=".2 0 0"/><site name="s" pos=".2 0 0"/></body></body>
<body pos="0 0 1"><joint name="c" type="slide" axis="0 0 1"/><geom size=".05"/><site name="slider" zaxis="0 0 1"/></body></worldbody>
<tendon><spatial name="t" armature=".02" damping=".1" stiffness="4" springlength=".3" actuatorfrcrange="-.5 .5"><site site="w"/><site site="s"/></spatial>
<fixed name="f"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed></tendon>
<actuator><motor name="ma" joint="a" gear="3" armature=".01" damping=".2"/><motor name="mt" tendon="t" gear="-5"/>
<muscle name="mm" tendon="f" lengthrange="-1 1"/><motor name="mc" cranksite="crank" slidersite="slider" cranklength=".6"/></actuator></mujoco>"""
# value fields that no notification takes over: options but gravity are read once, and others have no flag or only matter to pictures
WAITING = {
    "tolerance", "ls_tolerance", "noslip_tolerance", "sleep_tolerance", "impratio_invsqrt", "o_friction", "o_margin", "o_solref", "o_solimp", "magnetic",
    "timestep", "density", "viscosity", "wind", "geom_dataid", "geom_fluid", "sensor_cutoff", "sensor_noise", "sensor_delay", "sensor_interval",
    "actuator_history", "actuator_historyadr", "sensor_history", "sensor_historyadr",
    "cam_fovy", "cam_intrinsic", "cam_pos", "cam_quat", "light_pos", "light_dir",
}  # fmt: skip
ACTUATOR, TENDON = ModelFlags.ACTUATOR_PROPERTIES, ModelFlags.TENDON_PROPERTIES
EDITS = {
    "actuator_gear": (ACTUATOR, ("actuator_gear", "dof_armature", "dof_damping", "actuator_acc0")),
    "actuator_armature": (ACTUATOR, ("dof_armature", "dof_invweight0")),
    "actuator_damping": (ACTUATOR, ("dof_damping",)),
    "actuator_cranklength": (ACTUATOR, ("actuator_cranklength",)),
    "actuator_lengthrange": (ACTUATOR, ("actuator_lengthrange",)),
    "tendon_armature": (TENDON, ("tendon_armature", "tendon_invweight0")),
    "tendon_actuator_force_range": (TENDON, ("tendon_actfrcrange",)),
    "tendon_stiffness": (TENDON, ("tendon_stiffness",)),
}


def scene(device):
    one = ModelBuilder()
    one.add_mjcf(MODEL)
    builder = ModelBuilder()
    builder.replicate(one, 3)
    return builder.finalize(device=device)


def edit(model, name: str) -> None:
    """Other values in each world."""
    array = getattr(model.mujoco, name)
    values = array.numpy().astype(np.float64)
    share = np.repeat([0.8, 1.2, 1.3], len(values) // 3).reshape(-1, *([1] * (values.ndim - 1)))
    array.assign((values * share + (0.02 if "damping" in name else 0.0)).astype(np.float32))


def play(model, solver) -> np.ndarray:
    state, control = model.state(), model.control()
    control.mujoco.ctrl.fill_(0.8)
    solver.reset(model.state())
    for _ in range(30):
        solver.step(state, state, control, None, 0.002)
    return np.concatenate([state.joint_q.numpy(), state.joint_qd.numpy()])


@pytest.mark.parametrize("name", EDITS)
def test_a_notified_solver_equals_a_new_one(name: str, device: str) -> None:
    flag, fields = EDITS[name]
    model = scene(device)
    solver = SolverMuJoCo(model)
    before = play(model, solver)
    edit(model, name)
    solver.notify_model_changed(flag)
    new = SolverMuJoCo(model)
    for field in fields:
        ours, expected = getattr(solver.mjw_model, field).numpy(), getattr(new.mjw_model, field).numpy()
        assert np.array_equal(ours, expected) and len(ours) == 3, field
    after = play(model, solver)
    assert np.any(after != before), "the edit has an effect"
    np.testing.assert_array_equal(after, play(model, new))


def test_a_first_tendon_with_inertia_is_noticed(device: str) -> None:
    model = scene(device)
    inertia = wp.clone(model.mujoco.tendon_armature)
    model.mujoco.tendon_armature.zero_()
    solver = SolverMuJoCo(model)
    model.mujoco.tendon_armature.assign(inertia)
    solver.notify_model_changed(TENDON)
    np.testing.assert_array_equal(play(model, solver), play(model, SolverMuJoCo(model)))


def test_every_value_is_taken_over_or_known_to_wait() -> None:
    names = changed_names(int(ModelFlags.ALL))
    groups = [g for g in Model.GROUPS if g.name != "size"]
    values = {g.flat_name(f) for g in groups for f in g.fields if f.dims is not None and f.per_world}
    assert values - names == WAITING
