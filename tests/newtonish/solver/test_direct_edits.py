"""Edits of joints, masses and actuators convert the edited worlds alone: every number is that of a conversion of the whole model."""

import numpy as np
import pytest

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import convert
from newtonish.kernels.structs.container import Model

F = ModelFlags
NWORLD = 4
JOINTS = F.JOINT_DOF_PROPERTIES
PLAIN = """<mujoco><worldbody><geom type="plane" size="3 3 .1"/><camera name="eye" pos="0 -2 1"/>
<body name="arm" pos="0 0 .5"><joint name="a" axis="0 1 0" damping=".1" range="-1 1" frictionloss=".02"/><geom size=".05" pos=".2 0 0"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 0" armature=".02" stiffness="1"/><geom type="capsule" size=".04 .1" pos=".2 0 0"/></body></body>
<body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".05 .04 .03" pos=".01 .005 .02"/></body></worldbody>
<actuator><motor joint="a" gear="3" ctrlrange="-1 1" forcerange="-5 5"/><position joint="b" kp="5" kv=".2"/></actuator></mujoco>"""
RELATIVE = """<mujoco><worldbody><camera pos="0 -2 1" mode="trackcom"/><light pos="0 0 3" mode="targetbodycom" target="arm"/>
<body name="arm" pos="0 0 .5"><joint name="a" axis="0 1 0" range="-1 1" springdamper=".1 1.2"/><geom size=".05" pos=".2 0 0"/><site name="s" pos=".1 0 0"/>
<body pos=".4 0 0"><joint name="b" type="ball" armature=".02" damping=".3"/><geom type="capsule" size=".04 .1" pos=".2 0 0"/><site name="e" pos=".3 0 0"/></body></body>
<body name="slider" pos="1 0 0"><joint name="c" type="slide" damping=".2" stiffness="3" armature=".1"/><geom size=".1"/></body></worldbody>
<tendon><spatial name="t" stiffness="4" range=".1 1"><site site="s"/><site site="e"/></spatial>
<fixed name="f" armature=".05"><joint joint="a" coef=".5"/><joint joint="c" coef="1"/></fixed></tendon>
<equality><joint joint1="a" joint2="c" polycoef="0 .5 0 0 0"/><connect body1="slider" anchor="0 0 .1"/></equality>
<actuator><position joint="a" kp="5" dampratio=".8"/><motor tendon="f" gear="2"/><motor site="e" gear="1 0 0 0 .2 0"/><motor joint="b" gear="1 2 3"/></actuator></mujoco>"""
EDITS = [
    (F.JOINT_DOF_FORCE_PROPERTIES, ("joint_stiffness",)),
    (F.JOINT_DOF_FORCE_PROPERTIES, ("joint_limit_upper", "joint_damping", "joint_friction")),
    (F.JOINT_DOF_FORCE_PROPERTIES, ("joint_limit_ke",)),
    (F.JOINT_DOF_INERTIAL_PROPERTIES, ("joint_armature",)),
    (F.BODY_INERTIAL_PROPERTIES, ("body_mass", "body_inertia")),
    (F.BODY_INERTIAL_PROPERTIES, ("body_com",)),
    (F.ACTUATOR_PROPERTIES, ("mujoco.actuator_gainprm", "mujoco.actuator_biasprm")),
    (F.ACTUATOR_PROPERTIES, ("mujoco.actuator_gear", "mujoco.actuator_forcerange")),
    (
        JOINTS | F.BODY_INERTIAL_PROPERTIES | F.ACTUATOR_PROPERTIES | F.MODEL_PROPERTIES | F.SHAPE_PROPERTIES,
        ("body_mass", "body_com", "joint_armature", "joint_damping", "mujoco.actuator_gainprm", "gravity", "shape_material_mu"),
    ),
]


def model_of(text: str, device: str):
    one, builder = ModelBuilder(), ModelBuilder()
    one.add_mjcf(text)
    builder.replicate(one, NWORLD)
    return builder.finalize(device=device)


def edit(model, name: str, worlds: list[int]) -> bool:
    """Other values of one array in some worlds, by unequal factors; whether there was anything to change."""
    array = getattr(model.mujoco if name.startswith("mujoco.") else model, name.removeprefix("mujoco."))
    before = array.numpy()
    values, count = before.copy(), len(before) // NWORLD
    for w in worlds:
        values[w * count : (w + 1) * count] *= 1.05 + 0.03 * w
    changed = not np.array_equal(values, before)
    array.assign(values)
    return changed


class Notified:
    """A solver that is told of edits, beside one made anew after each."""

    def __init__(self, model, monkeypatch) -> None:
        self.model, self.solver, self.conversions = model, SolverMuJoCo(model), 0
        self.monkeypatch = monkeypatch

    def __call__(self, flags: int) -> int:
        """Notify, compare everything, and count the conversions."""
        self.conversions = 0
        with self.monkeypatch.context() as counted:
            counted.setattr("newtonish.solver.converted.convert", self._convert)
            self.solver.notify_model_changed(flags)
        new = SolverMuJoCo(self.model)
        wanted, ours = _fields(new.mjw_model), _fields(self.solver.mjw_model)
        assert not [name for name, values in wanted.items() if not _same(ours[name], values)]
        self._compare_conversions(self.solver.compiled, new.compiled)
        assert self.solver.mjw_data.njmax == new.mjw_data.njmax
        return self.conversions

    def _convert(self, *args, **kwargs):
        self.conversions += 1
        return convert(*args, **kwargs)

    @staticmethod
    def _compare_conversions(mine, fresh) -> None:
        assert mine.batched.keys() == fresh.batched.keys()
        assert not [name for name in fresh.batched if not np.array_equal(mine.batched[name], fresh.batched[name])]
        assert not [name for name in FIELDS if not np.array_equal(getattr(mine, name), getattr(fresh, name))]
        assert np.array_equal(mine.jnt_forced, fresh.jnt_forced)
        for name, value in vars(fresh.stat).items():
            assert np.array_equal(getattr(mine.stat, name), value)
        assert np.array_equal(mine.opt.gravity, fresh.opt.gravity)


def _fields(m: Model) -> dict[str, np.ndarray]:
    return {g.flat_name(f): getattr(getattr(m, g.name), f.name).numpy() for g in m.GROUPS for f in g.fields if f.dims is not None}


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal, one value a world or one for all."""
    return a.shape[1:] == b.shape[1:] and (len(a) == len(b) or 1 in (len(a), len(b))) and np.array_equal(*np.broadcast_arrays(a, b))


@pytest.mark.parametrize("text", [PLAIN, RELATIVE], ids=["plain", "relative"])
def test_numbers_are_those_of_a_conversion(text: str, device: str, monkeypatch):
    """One world, the first, several, all; then as it was; one edit after another on the same solver."""
    notified = Notified(model_of(text, device), monkeypatch)
    for flags, names in EDITS:
        for worlds in ([1], [0], [2, 3], [0, 1, 2, 3]):
            changed = [edit(notified.model, name, worlds) for name in names]
            assert notified(flags) == (0 if any(changed) else 1), (names, worlds)


def test_worlds_that_become_alike_share_their_numbers_again(device: str, monkeypatch):
    notified = Notified(model_of(PLAIN, device), monkeypatch)
    kept = notified.model.body_mass.numpy().copy()
    edit(notified.model, "body_mass", [2])
    assert notified(F.BODY_INERTIAL_PROPERTIES) == 0 and "body_mass" in notified.solver.compiled.batched
    notified.model.body_mass.assign(kept)
    assert notified(F.BODY_INERTIAL_PROPERTIES) == 0 and "body_mass" not in notified.solver.compiled.batched


def test_what_all_worlds_share_is_converted(device: str, monkeypatch):
    """A limit where no world had one makes rows in all: the model is converted, as often as that, and not again."""
    notified = Notified(model_of(PLAIN, device), monkeypatch)
    for bound, value in (("joint_limit_lower", -0.5), ("joint_limit_upper", 0.5)):
        values = getattr(notified.model, bound).numpy()
        values.reshape(NWORLD, -1)[3, 1] = value
        getattr(notified.model, bound).assign(values)
    limited = notified.model.mujoco.joint_limited.numpy()
    limited.reshape(NWORLD, -1)[:, 1] = 1
    notified.model.mujoco.joint_limited.assign(limited)
    assert notified(F.JOINT_DOF_FORCE_PROPERTIES) == 1
    edit(notified.model, "joint_limit_upper", [3])
    assert notified(F.JOINT_DOF_FORCE_PROPERTIES) == 0


def test_edits_without_their_flag_wait(device: str, monkeypatch):
    """Masses edited unsaid reach the solver with their flag, whatever was notified in between."""
    model = model_of(PLAIN, device)
    solver, mass = SolverMuJoCo(model), model.body_mass.numpy().copy()
    edit(model, "body_mass", [1])
    for name in ("joint_damping", "joint_armature"):
        edit(model, name, [2])
        solver.notify_model_changed(JOINTS)
        np.testing.assert_array_equal(solver._m.body.mass.numpy()[0, 1:], mass[:3])
        assert len(solver._m.body.mass) == 1
    edit(model, "body_inertia", [3])
    solver.notify_model_changed(F.BODY_INERTIAL_PROPERTIES)
    wanted, ours = _fields(SolverMuJoCo(model).mjw_model), _fields(solver.mjw_model)
    assert not [name for name, values in wanted.items() if not _same(ours[name], values)]
