"""Every attribute that scripts for Newton's solver can write counts: it changes the compiled model, or it is refused or warned of."""

import warnings

import newton
import numpy as np
import pytest

import newtonish
from newtonish import SolverMuJoCo
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import convert
from newtonish.errors import NewtonishError

XML = """
<mujoco><option density="1"/><asset><hfield name="t" nrow="3" ncol="3" size="1 1 .5 .1" elevation="0 1 2 1 0 1 2 1 0"/></asset>
<worldbody><geom name="floor" type="hfield" hfield="t"/>
  <body name="a" pos="0 0 1"><freejoint/><geom name="ga" size=".1"/><site name="s0" pos="0 0 .1"/>
    <body name="b" pos=".3 0 0"><joint name="h1" axis="0 1 0" range="-60 60" armature=".01" stiffness="2" ref="5" frictionloss=".1"/>
      <geom name="gb" size=".05"/><site name="s1"/>
      <body name="c" pos=".3 0 0"><joint name="h2" axis="0 1 0" range="-60 60"/><geom name="gc" size=".05"/><site name="s2"/></body></body></body>
  <body name="d" pos="2 0 1"><joint name="sl" type="slide" axis="0 0 1"/><geom name="gd" size=".1"/><site name="s3"/></body></worldbody>
<contact><pair geom1="gb" geom2="gd"/></contact>
<equality><joint joint1="h1" joint2="h2"/><connect body1="b" body2="d" anchor=".1 0 0"/><weld body1="c" body2="d"/><tendon tendon1="tf" tendon2="ts"/></equality>
<tendon><fixed name="tf"><joint joint="h1" coef="2"/><joint joint="h2" coef="-1"/></fixed>
  <spatial name="ts"><site site="s0"/><geom geom="gb" sidesite="s1"/><site site="s2"/><pulley divisor="2"/><site site="s1"/><site site="s3"/></spatial></tendon>
<actuator><motor name="m" joint="h1"/><general name="t" tendon="tf"/><general name="si" site="s1" refsite="s0"/>
  <general name="cr" cranksite="s1" slidersite="s3" cranklength=".2"/><general name="f" joint="h2" dyntype="filter" dynprm=".1"/></actuator>
</mujoco>
"""

_theirs = newton.ModelBuilder()
newton.solvers.SolverMuJoCo.register_custom_attributes(_theirs)
ROWS = {attribute.name: attribute for attribute in _theirs.custom_attributes.values() if attribute.namespace == "mujoco"}

WITHOUT_EFFECT = {
    "site_size_is_display": "how a site is drawn",
    "equality_constraint_target": "names a joint that closes a loop, or a mimic; this model has none (test_loops.py)",
    "equality_constraint_target_kind": "",
    "dof_springref": "a deprecated name: see the test of it",
    **dict.fromkeys(("actuator_has_ctrlrange", "actuator_has_forcerange", "actuator_has_actrange"), "a range that rises is one that was written"),
    "tendon_articulation": "which articulation a row came with, for copies of builders",
    "tendon_joint_articulation": "",
    "tendon_wrap_articulation": "",
    "actuator_articulation": "",
}
ROW_NUMBERS = "row numbers"
# a value that differs from what the model has, where adding something to it would not do
OTHER = {
    "equality_constraint_type": 2, "equality_constraint_objtype": 6, "contype": 6,
    "conaffinity": 6, "condim": 4, "solref_mode": 0, "solreflimit_mode": 0, "actuator_trntype": 4, "ctrl_source": 0,
    "tendon_type": 0, "tendon_wrap_type": 2, "sleep_policy": 4, "joint_dof_label": "other", "integrator": 1, "solver": 1, "cone": 1,
    "jacobian": 0, "tendon_solref_limit_mode": 0, "actuator_actdim": 2, "ctrl_type": 0,
    "actuator_target_label": "tf", "collision_mask_domain": ROW_NUMBERS,
}  # fmt: skip
# another attribute that must be set for this one to count, as the table says
WITH = {
    "solref": {"solref_mode": 1}, "solreflimit": {"solreflimit_mode": 1}, "tendon_limit_ke": {"tendon_solref_limit_mode": 0, "tendon_limit_kd": 3.0},
    "tendon_limit_kd": {"tendon_solref_limit_mode": 0, "tendon_limit_ke": 3.0}, "solreflimit_gain_baseline": {"solreflimit_mode": 2},
    "tendon_solref_limit_mode": {"tendon_limit_ke": 3.0, "tendon_limit_kd": 3.0}, "solreflimit_mode": {"solreflimit_mode": 1},
    "equality_constraint_joint1": {"equality_constraint_joint1_dof": -1}, "equality_constraint_joint2": {"equality_constraint_joint2_dof": -1},
    "solref_mode": {"solref": 0.1}, "tendon_joint": {"tendon_joint_dof": -1}, "actuator_target_label": {"actuator_trnid": -1},
    "dof_passive_stiffness": {"dof_passive_stiffness": 0.0},
    "autolimits": {"actuator_ctrlrange": (-1.0, 1.0), "actuator_ctrllimited": 2}, "actuator_actdim": {"actuator_dyntype": 2}, 
    "collision_mask_domain": {"contype": 2, "conaffinity": 1}, "ctrl_type": {"ctrl_source": 0, "actuator_armature": 1.0},
}  # fmt: skip


def scene() -> newtonish.Model:
    part = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part.add_mjcf(XML)
        main = newtonish.ModelBuilder()
        SolverMuJoCo.register_custom_attributes(main)
        main.replicate(part, 2)
        for dof in range(main.joint_dof_count):
            main.joint_target_mode[dof] = int(newtonish.JointTargetMode.POSITION_VELOCITY)
        return main.finalize(device="cpu")


def assign(model: newtonish.Model, name: str, value: object) -> None:
    """Write a value into every row of an attribute; None: something else than there is."""
    array = getattr(model.mujoco, name)
    if isinstance(array, list):
        array[:] = [f"{item}_other" if value is None else str(value) for item in array]
        return
    old = array.numpy()
    if value is ROW_NUMBERS:
        new = np.arange(len(old))
    elif value is not None:
        new = np.broadcast_to(np.asarray(value), old.shape)
    elif old.dtype.kind == "b":
        new = ~old
    else:
        rising = np.arange(1, old.shape[-1] + 1) if old.ndim > 1 else 1  # ranges must rise
        new = np.where(np.isfinite(old), old + 0.125 * rising, 7.0) if old.dtype.kind == "f" else old + rising
    array.assign(new.astype(old.dtype).reshape(old.shape))


def picture(model: newtonish.Model) -> dict[str, str]:
    """Everything that the conversion puts out, its warnings and its refusal."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            compiled = convert(model)
        except NewtonishError as error:
            return {"refused": str(error)}
    result = {name: repr(getattr(compiled, name).tolist()) for name in FIELDS}
    result |= {name: repr(value.tolist()) for name, value in compiled.batched.items()}
    result |= {name: repr(value) for name, value in [*vars(compiled.opt).items(), *vars(compiled.stat).items()]}
    result |= {name: repr(value) for name, value in vars(compiled).items() if name.endswith("_names") or name == "geom_filter_pairs"}
    result |= {name: repr(np.asarray(value).tolist()) for name, value in vars(compiled.maps).items()}
    return result | {"said": repr(sorted(str(w.message) for w in said))}


@pytest.fixture(scope="module")
def untouched() -> dict[str, str]:
    return picture(scene())


@pytest.mark.parametrize("name", ROWS)
def test_an_attribute_counts(name: str, untouched: dict[str, str]) -> None:
    if ROWS[name].assignment == newton.Model.AttributeAssignment.CONTROL:
        assert hasattr(scene().control().mujoco, name)
        return
    model = scene()
    before = untouched
    if name in WITH:
        for other, value in WITH[name].items():
            assign(model, other, value)
        before = picture(model)
    assign(model, name, OTHER.get(name))
    after = picture(model)
    changed = sorted(key for key in set(before) | set(after) if before.get(key) != after.get(key))
    assert bool(changed) != (name in WITHOUT_EFFECT), changed


def test_deprecated_names_limits_of_speed_and_switched_off_joints_are_said() -> None:
    builder = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    for name, more in (("old", {}), ("rest", {"stiffness": 2.0}), ("slow", {"velocity_limit": 3.0}), ("off", {"enabled": False})):
        body = builder.add_link(mass=1.0, inertia=np.eye(3))
        spring = {"mujoco:dof_passive_stiffness": 5.0} if name == "old" else {"mujoco:dof_springref": 0.5 if name == "rest" else 0.0}
        joint = builder.add_joint_revolute(-1, body, axis=(0, 0, 1), label=name, custom_attributes=spring, **more)
        builder.add_articulation([joint])
    said = picture(builder.finalize(device="cpu"))["said"]
    for name, what in (
        ("old", "mujoco:dof_passive_stiffness alone"),
        ("rest", "mujoco:dof_springref alone"),
        ("slow", "a velocity limit"),
        ("off", "joint_enabled = False"),
    ):
        assert f"joint '{name}': got {what}" in said


def test_the_old_name_of_damping_is_gone_in_both() -> None:
    """Newton's page calls it deprecated; Newton 1.8 has it no more."""
    for model in (scene(), newton.ModelBuilder().finalize(device="cpu")):
        with pytest.raises(AttributeError, match=r"dof_passive_damping|mujoco"):
            _ = model.mujoco.dof_passive_damping


def test_targets_by_name_are_found_in_every_world() -> None:
    by_number = convert(scene())
    model = scene()
    assign(model, "actuator_trnid", -1)
    names = ["b/h1", "tf", "s1", "s1", "c/h2"]
    labels = [
        next(n for n in [*model.mujoco.joint_dof_label, *model.mujoco.tendon_label, *model.shape_label] if n.endswith(name.split("/")[-1])) for name in names
    ]
    model.mujoco.actuator_target_label[:] = labels * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_name = convert(model)
    first = [c.actuator_trnid[c.maps.actuator_source == 2][:, 0].tolist() for c in (by_number, by_name)]
    assert first[0] == first[1]
