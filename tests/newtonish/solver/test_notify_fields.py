"""convert(edited model) equals notify(edit), field by field, for every kind of property, in one world and in all."""

import numpy as np
import pytest
import warp as wp

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.convert import convert
from newtonish.errors import NewtonishWarning
from newtonish.kernels.structs.container import Model
from newtonish.solver.notify import changed_names

NWORLD = 3
MODEL = """<mujoco><option integrator="implicitfast"/><worldbody><site name="w" pos="0 .1 .8"/>
<geom name="floor" type="plane" size="3 3 .1"/>
<body pos="0 0 .5"><joint name="a" axis="0 1 0" damping=".1" range="-1 1" limited="true" ref=".1"/><geom size=".05" pos=".2 0 0"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 0" frictionloss=".1" armature=".02" stiffness="1"/><geom size=".04" pos=".2 0 0"/><site name="s" pos=".2 0 0"/></body></body>
<body pos="0 0 1"><freejoint name="c"/><geom type="box" size=".05 .04 .03" pos=".01 .005 .02"/></body>
<body pos="0 1 1"><joint name="d" type="ball"/><geom type="capsule" size=".03 .1" pos="0 0 .1"/></body></worldbody>
<equality><joint joint1="a" joint2="b" polycoef="0 .5 0 0 0"/></equality>
<tendon><spatial name="t" stiffness="4" damping=".1" range=".1 1" limited="true"><site site="w"/><site site="s"/></spatial></tendon>
<actuator><motor joint="a" gear="3"/><position joint="b" kp="5"/><motor tendon="t" gear="2"/></actuator></mujoco>"""
F = ModelFlags
EDITS = {
    "JOINT_PROPERTIES": ("joint_X_p",),
    "JOINT_DOF_FORCE_PROPERTIES": ("joint_friction", "joint_damping", "joint_stiffness", "joint_limit_ke", "joint_limit_upper"),
    "JOINT_DOF_INERTIAL_PROPERTIES": ("joint_armature",),
    "JOINT_REFERENCE_POSE_PROPERTIES": ("mujoco.dof_ref",),
    "JOINT_DOF_PROPERTIES": ("joint_damping", "joint_armature", "mujoco.dof_ref"),
    "BODY_PROPERTIES": ("body_flags",),
    "BODY_INERTIAL_PROPERTIES": ("body_mass", "body_inertia", "body_com"),
    "SHAPE_PROPERTIES": ("shape_material_mu", "shape_transform", "mujoco.geom_solimp"),
    "MODEL_PROPERTIES": ("gravity",),
    "CONSTRAINT_PROPERTIES": ("mujoco.equality_constraint_polycoef",),
    "TENDON_PROPERTIES": ("mujoco.tendon_stiffness", "mujoco.tendon_damping"),
    "ACTUATOR_PROPERTIES": ("mujoco.actuator_gear", "mujoco.actuator_forcerange"),
}
WITHOUT = {"SHAPE_TYPE_AND_SOURCE", "ALL"}


def model_of(device: str):
    one = ModelBuilder()
    one.add_mjcf(MODEL)
    builder = ModelBuilder()
    builder.replicate(one, NWORLD)
    return builder.finalize(device=device)


def edit(model, name: str, worlds: list[int]) -> None:
    """Other values of one array in some worlds."""
    holder = model.mujoco if name.startswith("mujoco.") else model
    array = getattr(holder, name.removeprefix("mujoco."))
    values = array.numpy().copy()
    count = len(values) // NWORLD
    for w in worlds:
        part = values[w * count : (w + 1) * count]
        if name == "body_flags":
            part[2] = 2  # the free box moves as it is told
        elif name in ("joint_X_p", "shape_transform"):
            part[:, :3] += 0.01 * (w + 1)
        elif name in ("gravity",):
            part[:, 0] += 0.5 * (w + 1)
        elif name == "mujoco.geom_solimp":
            part[:, 0] = 0.8 - 0.01 * w
        elif name == "mujoco.dof_ref":
            part[:2] += 0.02 * (w + 1)
        elif name == "body_com":
            part += 0.01 * (w + 1)
        else:
            part *= 1.1 + 0.1 * w
    array.assign(values)


def fields(m: Model) -> dict[str, np.ndarray]:
    """Every array of a model by its flat name."""
    return {
        group.flat_name(field): getattr(getattr(m, group.name), field.name).numpy().copy()
        for group in m.GROUPS
        for field in group.fields
        if field.dims is not None
    }


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal, one value a world or one for all."""
    if a.shape != b.shape and (a.ndim != b.ndim or a.shape[1:] != b.shape[1:] or 1 not in (len(a), len(b))):
        return False
    return np.array_equal(*np.broadcast_arrays(a, b))


def test_every_flag_is_here():
    assert set(EDITS) | WITHOUT == {flag.name for flag in ModelFlags}


@pytest.mark.parametrize("worlds", [[1], [0, 1, 2]], ids=["one-world", "all-worlds"])
@pytest.mark.parametrize("flag", EDITS)
def test_fields_are_those_of_a_new_solver(flag: str, worlds: list[int], device: str):
    model = model_of(device)
    solver = SolverMuJoCo(model)
    before = fields(solver.mjw_model)
    for name in EDITS[flag]:
        edit(model, name, worlds)
    solver.notify_model_changed(ModelFlags[flag])
    notified, new = fields(solver.mjw_model), fields(SolverMuJoCo(model).mjw_model)
    different = [name for name in notified if not same(notified[name], new[name])]
    assert not different
    moved = [name for name in notified if not same(notified[name], before[name])]
    value = int(ModelFlags[flag])
    if flag == "JOINT_DOF_PROPERTIES":
        value |= int(F.JOINT_DOF_FORCE_PROPERTIES | F.JOINT_DOF_INERTIAL_PROPERTIES | F.JOINT_REFERENCE_POSE_PROPERTIES)
    assert moved, "the edit counts"
    assert set(moved) <= changed_names(value)


def loose_bodies(device: str, count: int = NWORLD):
    """A free body and one that slides, both with their centre of mass in the origin: nothing in them couples."""
    one = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(one)
    inertia = wp.mat33(np.diag([0.1, 0.2, 0.3]))
    one.add_body(mass=1.0, inertia=inertia, label="loose")
    rider = one.add_link(mass=1.0, inertia=inertia, label="rider")
    joints = [one.add_joint_d6(-1, rider, linear_axes=[axis], angular_axes=[]) for axis in [ModelBuilder.JointDofConfig(axis=(1, 0, 0))]]
    one.add_articulation(joints)
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.replicate(one, count)
    return builder.finalize(device=device)


def spin(model):
    state = model.state()
    state.joint_qd.assign(np.linspace(0.5, 2.0, model.joint_dof_count, dtype=np.float32))
    return state


@pytest.mark.parametrize("integrator", ["euler", "implicitfast", "implicit", "discrete"])
def test_a_centre_of_mass_that_couples_dofs_gets_room(integrator: str, device: str):
    """The mass matrix is laid out again; the motion is that of a solver made after the edit, to the bit, warm start aside."""
    model = loose_bodies(device)
    solver, state = SolverMuJoCo(model, integrator=integrator), spin(model)
    solver.step(state, state, None, None, 0.002)  # recorded with the old layout
    entries = int(solver.mjw_model.size.nC)
    values = np.zeros((model.body_count, 3), dtype=np.float32)
    values[2] = (0.1, -0.05, 0.2)  # in the second world only: one structure serves all
    model.body_com.assign(values)
    with pytest.warns(NewtonishWarning, match="captured again"):
        solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    assert int(solver.mjw_model.size.nC) > entries and solver.mjw_data.M.shape == (NWORLD, solver.mjw_model.size.nC)
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)  # there is room now: nothing is replaced, nothing said
    new = SolverMuJoCo(model, integrator=integrator)
    notified, fresh = fields(solver.mjw_model), fields(new.mjw_model)
    assert not [name for name in notified if not same(notified[name], fresh[name])]
    ours, theirs = spin(model), spin(model)
    solver.reset(model.state())
    for _ in range(20):
        solver.step(ours, ours, None, None, 0.002)
        new.step(theirs, theirs, None, None, 0.002)
    np.testing.assert_array_equal(ours.joint_q.numpy(), theirs.joint_q.numpy())
    with wp.ScopedCapture(device=device) as capture:
        solver.step(ours, ours, None, None, 0.002)
    wp.capture_launch(capture.graph)
    new.step(theirs, theirs, None, None, 0.002)
    np.testing.assert_array_equal(ours.joint_q.numpy(), theirs.joint_q.numpy())


def test_momentum_is_kept_by_a_body_whose_centre_was_moved(device: str):
    """A law that needs no second solver: thrown without gravity, the centre of mass flies straight on."""
    model = loose_bodies(device)
    model.gravity.zero_()
    solver = SolverMuJoCo(model, integrator="implicit")
    model.body_com.fill_(wp.vec3(0.1, 0.05, -0.2))
    with pytest.warns(NewtonishWarning):
        solver.notify_model_changed(ModelFlags.ALL & ~ModelFlags.TENDON_PROPERTIES)
    state = spin(model)
    solver.step(state, state, None, None, 1e-3)
    before = state.body_qd.numpy()[::2, :3].copy()
    for _ in range(300):
        solver.step(state, state, None, None, 1e-3)
    np.testing.assert_allclose(state.body_qd.numpy()[::2, :3], before, atol=2e-3)
    assert np.ptp(state.body_q.numpy()[::2], axis=0).max() > 1e-2, "the worlds move unequally"


def test_a_body_can_be_kinematic_in_single_worlds(device: str):
    """Held in one world, falling in the others, at conversion and after an edit."""
    model = loose_bodies(device)
    flags = model.body_flags.numpy()
    flags[2] = 2
    model.body_flags.assign(flags)
    solver, state = SolverMuJoCo(model), model.state()
    armature = solver.mjw_model.dof_armature.numpy()
    assert (armature[1, :6] == 1e10).all() and not armature[[0, 2]].any()
    solver.step(state, state, None, None, 0.002)
    speed = state.joint_qd.numpy().reshape(NWORLD, -1)[:, 2]
    np.testing.assert_allclose(speed, [-0.01962, 0.0, -0.01962], atol=1e-5)
    flags[[2, 4]] = 1, 2
    model.body_flags.assign(flags)
    solver.notify_model_changed(ModelFlags.BODY_PROPERTIES)
    notified, fresh = fields(solver.mjw_model), fields(SolverMuJoCo(model).mjw_model)
    assert not [name for name in notified if not same(notified[name], fresh[name])]
    solver.step(state, state, None, None, 0.002)
    np.testing.assert_allclose(state.joint_qd.numpy().reshape(NWORLD, -1)[:, 2], [-0.03924, -0.01962, -0.01962], atol=1e-5)


def test_a_graph_sees_every_edit(device: str):
    """With values by world from the start, nothing that a captured graph reads is replaced."""
    model = model_of(device)
    for names in EDITS.values():
        for name in names:
            if name != "body_flags":
                edit(model, name, [0, 1, 2])
    solver, state = SolverMuJoCo(model), model.state()
    with wp.ScopedCapture(device=device) as capture:
        solver.step(state, state, None, None, 0.002)
    for flag, names in EDITS.items():
        if flag != "BODY_PROPERTIES":
            for name in names:
                edit(model, name, [1])
            solver.notify_model_changed(ModelFlags[flag])
    for _ in range(5):
        wp.capture_launch(capture.graph)
    fresh, expected = SolverMuJoCo(model), model.state()
    for _ in range(5):
        fresh.step(expected, expected, None, None, 0.002)
    np.testing.assert_array_equal(state.joint_q.numpy(), expected.joint_q.numpy())


DIRECT = [
    (F.JOINT_DOF_FORCE_PROPERTIES, "joint_damping", None),
    (F.JOINT_DOF_PROPERTIES, "joint_damping", "mujoco.dof_ref"),
    (F.JOINT_DOF_FORCE_PROPERTIES, "joint_friction", None),
    (F.SHAPE_PROPERTIES, "shape_material_mu", "mujoco.geom_solimp"),
    (F.SHAPE_PROPERTIES, "shape_material_mu_torsional", "shape_transform"),
    (F.SHAPE_PROPERTIES, "shape_material_mu_rolling", "shape_material_ke"),
    (F.MODEL_PROPERTIES, "gravity", None),
    (F.MODEL_PROPERTIES | F.SHAPE_PROPERTIES, "gravity", "shape_material_kd"),
]


@pytest.mark.parametrize(("flag", "name", "other"), DIRECT)
def test_some_edits_are_taken_over_without_a_conversion(flag, name, other, device, monkeypatch):
    """The result is that of a conversion to the bit; with another edit beside it, or none at all, it is one."""
    model = model_of(device)
    solver, calls = SolverMuJoCo(model), []

    def notified() -> int:
        """Notify, compare with a new solver, and count the conversions."""
        with monkeypatch.context() as counted:
            counted.setattr("newtonish.solver.converted.convert", lambda *a, **k: calls.append(1) or convert(*a, **k))
            calls.clear()
            solver.notify_model_changed(flag)
        new = SolverMuJoCo(model)
        wanted, ours = fields(new.mjw_model), fields(solver.mjw_model)
        assert not [each for each, values in wanted.items() if not same(ours[each], values)]
        mine, fresh = solver.compiled, new.compiled
        assert mine.batched.keys() == fresh.batched.keys()
        assert all(np.array_equal(mine.batched[each], fresh.batched[each]) for each in fresh.batched)
        for each in ("dof_damping", "dof_frictionloss", "geom_friction"):
            assert np.array_equal(getattr(mine, each), getattr(fresh, each))
        assert np.array_equal(mine.opt.gravity, fresh.opt.gravity) and solver.mjw_data.njmax == new.mjw_data.njmax
        return len(calls)

    for worlds in ([1], [0, 2], [0, 1, 2]):
        edit(model, name, worlds)
        assert not notified()
    assert notified() == 1, "nothing was edited: arrays of the solver become the model's again"
    if other is not None:
        edit(model, name, [1])
        edit(model, other, [2])
        assert notified() == 1
    edit(model, name, [0])
    assert not notified(), "and so on from there"


def test_dry_friction_where_there_was_none_gets_rows(device):
    model = model_of(device)
    model.joint_friction.zero_()
    solver, state = SolverMuJoCo(model), model.state()
    before = solver.mjw_data.njmax
    values = model.joint_friction.numpy()
    values[len(values) // NWORLD :] = 0.2
    model.joint_friction.assign(values)
    solver.notify_model_changed(F.JOINT_DOF_FORCE_PROPERTIES)
    new, expected = SolverMuJoCo(model), model.state()
    assert solver.mjw_data.njmax == new.mjw_data.njmax > before
    for _ in range(5):
        solver.step(state, state, None, None, 0.002)
        new.step(expected, expected, None, None, 0.002)
    np.testing.assert_array_equal(state.joint_q.numpy(), expected.joint_q.numpy())


def test_damping_that_an_actuator_has_a_share_in_is_converted(device, monkeypatch):
    one, builder = ModelBuilder(), ModelBuilder()
    one.add_mjcf(MODEL.replace('<position joint="b" kp="5"/>', '<position joint="b" kp="5" damping=".3"/>'))
    builder.replicate(one, NWORLD)
    model = builder.finalize(device=device)
    solver, calls = SolverMuJoCo(model), []
    monkeypatch.setattr("newtonish.solver.converted.convert", lambda *a, **k: calls.append(1) or convert(*a, **k))
    edit(model, "joint_damping", [1])
    solver.notify_model_changed(F.JOINT_DOF_FORCE_PROPERTIES)
    assert len(calls) == 1
    wanted = fields(SolverMuJoCo(model).mjw_model)
    assert not [name for name, values in fields(solver.mjw_model).items() if not same(values, wanted[name])]
