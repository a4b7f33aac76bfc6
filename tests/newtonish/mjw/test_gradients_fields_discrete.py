"""Gradients by fields of the model of steps in the metric of integrator discrete, against centred differences of MuJoCo in float64."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from field_gradients import FIELDS, difference, errors, gradients, host_field, vary
from gradient_models import CONTACTS, EQUALITIES, JOINTS, pair_of
from gradient_models_forces import TRANSMISSIONS

from newtonish import mjw
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

SPRINGS = '<default><joint stiffness=".5 .2" damping=".05 .02"/><tendon stiffness=".3 .1" damping=".03 .01"/></default><worldbody>'
"""Everywhere, as the metric takes no stiffness and no damping below zero, and differences around zero are those of both sides."""

ALONE = """
<mujoco><option timestep=".005"/><worldbody><geom type="plane" size="3 3 .1"/>
  <body pos="0 0 1"><joint type="free"/><geom type="box" size=".05 .15 .2" pos=".1 .2 .05"/></body>
  <body pos="0 1 .19"><joint type="free"/><geom type="capsule" size=".1 .2" euler="80 10 0"/></body>
  <body pos="0 2 1"><joint name="f" type="free"/><geom type="box" size=".05 .15 .2" pos=".1 .2 .05"/></body></worldbody>
  <actuator><velocity joint="f" gear="1 2 3 .3 .2 .1" kv=".5"/></actuator></mujoco>
"""
AFFINE = (
    JOINTS.format(integrator="Euler")
    .replace("<freejoint/>", '<joint type="free"/>')
    .replace('name="d" axis="1 0 1"', 'name="d" axis="1 0 1" range="-1 0" limited="true"')
    .replace(
        "<actuator>",
        """<actuator><general joint="d" gear="1.5" gaintype="affine" gainprm="1 -.3 -.4" dyntype="filter" dynprm=".05" actearly="true" biastype="affine" biasprm=".1 -3 -.2"/>
    <general tendon="t" gear="2" gaintype="affine" gainprm="1 -.3 -.5" biastype="affine" biasprm="0 -2 -.3"/>""",
    )
)
RESTING = CONTACTS.format(integrator="Euler", cone="elliptic", dim=3, friction="1").replace("<freejoint/>", '<joint type="free"/>')


def in_metric(xml: str, springs: str = SPRINGS) -> str:
    """The model with integrator discrete."""
    return xml.replace('integrator="Euler"', "").replace("<option ", '<option integrator="discrete" ').replace("<worldbody>", springs, 1)


def by_rows(name: str) -> bool:
    """Whether a field acts through what rows are made of, which has no gradient here."""
    frames = ("body_pos", "body_quat", "jnt_pos", "jnt_axis")
    return "sol" in name or name.startswith(("geom_", "pair_", "eq_")) or name.endswith(("_range", "_margin")) or name in frames


@pytest.mark.parametrize(
    ("xml", "steps", "needed"),
    [
        (AFFINE, 20, "tendon_stiffnesspoly tendon_dampingpoly tendon_lengthspring tendon_armature actuator_gainprm actuator_dynprm actuator_gear"),
        (EQUALITIES, 60, "jnt_stiffness dof_damping tendon_damping tendon_armature dof_frictionloss"),
        (RESTING, 150, "body_mass body_inertia body_ipos body_iquat jnt_stiffnesspoly qpos_spring dof_armature dof_dampingpoly"),
        (ALONE, 40, "body_mass body_inertia body_ipos actuator_biasprm"),
    ],
    ids=["affine", "equalities", "contacts", "alone"],
)
def test_fields_in_the_metric(xml, steps, needed, device):
    """Those of inertia, springs, dampers and drives: what they pull, and how much weight they give to rows."""
    pair = pair_of(in_metric(xml), steps, device)
    assert all(mjd.nefc for mjd in pair.mjds)
    for mjd in pair.mjds:  # so that bias forces are felt
        mjd.qvel[:] = np.clip(2.0 * mjd.qvel, -9.0, 9.0).astype(np.float32)
    oracle.push(pair)
    names = [name for name in FIELDS if host_field(pair.mjm, name).size and not by_rows(name)]
    found = errors(vary(pair), names)
    assert set(needed.split()) <= set(found)
    wrong = {name: f"{error:.1e}" for name, error in found.items() if not error <= 5e-5}
    assert not wrong


def test_springs_and_dampers_that_are_not_there_yet(device):
    """The gradient at zero is that of those which begin."""
    pair = pair_of(in_metric(EQUALITIES, "<worldbody>"), 60, device)
    varied = vary(pair)
    bar = np.random.default_rng(0).standard_normal((3, 2 * pair.mjm.nv))
    found = gradients(varied, bar, ["dof_damping", "tendon_damping"])
    for name, ours in found.items():
        direction = np.ones(host_field(pair.mjm, name).size)
        for world, (mjm, mjd) in enumerate(zip(varied.models, pair.mjds, strict=True)):
            host_field(mjm, name)[:] = 1e-6  # so that differences are those of one side
            mujoco.mj_forward(mjm, mjd)
            change = difference(mjm, mjd, name, direction, 1e-6)
            host_field(mjm, name)[:] = 0.0
            assert abs(ours[world].sum() - bar[world] @ change) <= 1e-4 * np.linalg.norm(bar[world]) * np.linalg.norm(change)


def test_drives_that_turn(device):
    pair = pair_of(in_metric(TRANSMISSIONS.format(integrator="Euler"), "<worldbody>"), 5, device)
    found = errors(vary(pair), ["body_mass", "actuator_gainprm", "actuator_biasprm"])
    assert max(found.values()) <= 1e-5 and len(found) == 3


@pytest.mark.parametrize("field", ["body_pos", "jnt_axis", "geom_friction", "jnt_solref", "eq_data"])
def test_what_rows_are_made_of_is_refused(field, device):
    pair = pair_of(in_metric(EQUALITIES), 0, device)
    given = wp.ones((3, 2 * pair.mjm.nv), dtype=float, device=device)
    shape = getattr(pair.m, field).shape[1:]
    with pytest.raises(UnsupportedError, match=f"fields: {field}: got DISCRETE, whose rows are made in its metric"):
        mjw.step_vjp(pair.m, pair.d, given, fields={field: wp.zeros((3, *shape), dtype=FIELDS[field].dtype, device=device)})
