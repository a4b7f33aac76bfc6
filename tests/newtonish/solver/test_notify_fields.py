"""convert(edited model) equals notify(edit), field by field, for every kind of property, in one world and in all."""

import numpy as np
import pytest
import warp as wp

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.errors import UnsupportedError
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
    if flag == "BODY_PROPERTIES":
        worlds = [0, 1, 2]  # which bodies are kinematic is structure: the same in every world
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


def test_a_centre_of_mass_that_couples_dofs_is_refused(device: str):
    """The mass matrix has no room for what a body at its centre of mass did not need."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_body(mass=1.0, inertia=wp.mat33(np.diag([0.1, 0.2, 0.3])), label="ball")
    model = builder.finalize(device=device)
    solver = SolverMuJoCo(model)
    model.body_mass.fill_(2.0)
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    model.body_com.fill_(wp.vec3(0.1, 0.0, 0.0))
    with pytest.raises(UnsupportedError, match="centre of mass"):
        solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)


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
