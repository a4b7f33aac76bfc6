"""Gradients of a step by fields of the model against centred differences of MuJoCo in float64, in worlds with parameters of their own."""

import numpy as np
import oracle
import pytest
import warp as wp
from field_gradients import FIELDS, errors, gradients, host_field, vary
from gradient_models import BONDS, CONTACTS, EQUALITIES, JOINTS, STACKS, pair_of
from gradient_models_forces import STRINGS, TRANSMISSIONS

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
TOLERANCE = 5e-5
"""Of the norms of the gradient given and of the change."""

MIXED = """
<mujoco>
  <option timestep=".004" cone="elliptic" impratio="2"/>
  <default><default class="idle"><geom contype="0" conaffinity="0" type="capsule" size=".04 .1" pos=".05 0 .05"/></default></default>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 .1" euler="1 .5 0" friction=".7 .02 .01"/>
    <body name="table" pos="0 0 .1" euler="2 1 30"><geom type="box" size=".3 .3 .1" friction=".6"/>
      <body pos=".1 0 .2"><joint axis="0 1 0" stiffness="80" damping="1"/><joint axis="1 0 0" pos="0 .1 0" stiffness="80" damping="1"/>
        <geom name="slope" type="box" size=".3 .2 .05" priority="1" friction=".5" solref="-20000 -200" solimp=".8 .95 .003 .4 3"/>
        <body pos="0 0 .3"><joint axis="1 .2 .1"/><geom class="idle"/></body></body></body>
    <body pos=".1 0 .43"><freejoint/><geom type="sphere" size=".08"/><body pos="0 0 .15"><joint axis="1 0 0"/><geom class="idle"/></body></body>
    <body pos="0 1 .111"><freejoint/><geom type="sphere" size=".1" condim="6" solmix="2" friction=".8 .03 .02"/>
      <body pos="0 0 .15"><joint axis="1 0 0"/><geom class="idle"/></body></body>
    <body pos="0 1.5 .12"><freejoint/><geom type="capsule" size=".1 .2" euler="90 0 0" friction=".5" solref="-9000 -150"/>
      <body pos="0 0 .15"><joint axis="1 0 0"/><geom class="idle"/></body></body>
    <body pos="0 2 .132"><freejoint/><geom name="c" type="sphere" size=".1" contype="0" conaffinity="0"/>
      <body pos="0 0 .15"><joint axis="1 0 0"/><geom class="idle"/></body></body>
    <body mocap="true" pos="0 1 .305"><geom type="sphere" size=".1"/></body>
  </worldbody>
  <contact><pair geom1="floor" geom2="c" condim="6" friction=".7 .6 .03 .02 .01" solreffriction=".03 1.2" solref=".015 .9" solimp=".85 .93 .002 .6 1.5" margin=".002"/></contact>
</mujoco>
"""


def of_model(pair: oracle.Pair) -> list[str]:
    """Fields that the model has entries of."""
    return [name for name in FIELDS if host_field(pair.mjm, name).size]


def check(pair: oracle.Pair, names: list[str], needed: str = "", tolerance: float = TOLERANCE) -> None:
    """All of ``names`` are right, and those of ``needed`` change the step."""
    rng = np.random.default_rng(7)
    for mjd in pair.mjds:
        mjd.xfrc_applied[1:] = 0.1 * rng.standard_normal((pair.mjm.nbody - 1, 6))
    oracle.push(pair)
    for mjd, row in zip(pair.mjds, pair.d.xfrc_applied.numpy(), strict=True):
        mjd.xfrc_applied[:] = row
    found = errors(vary(pair), names)
    assert set(needed.split()) <= set(found)
    wrong = {name: f"{error:.1e}" for name, error in found.items() if not error <= tolerance}
    assert not wrong


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_joints_springs_and_actuators(integrator, device):
    pair = pair_of(JOINTS.format(integrator=integrator), 20, device)
    needed = "body_mass body_inertia body_ipos body_iquat body_pos body_quat jnt_pos jnt_axis body_gravcomp jnt_stiffness jnt_stiffnesspoly qpos_spring dof_armature dof_damping"
    needed += " dof_dampingpoly dof_frictionloss tendon_stiffness tendon_stiffnesspoly tendon_damping tendon_dampingpoly tendon_lengthspring tendon_armature"
    check(pair, of_model(pair), needed + " actuator_gainprm actuator_biasprm actuator_dynprm actuator_gear opt.gravity")


def test_stages_of_rk4(device):
    """Each stage adds what it owes; a filter's time constant, through which activations go too, is refused."""
    pair = pair_of(JOINTS.format(integrator="RK4"), 20, device)
    names = [name for name in of_model(pair) if name != "actuator_dynprm"]
    check(pair, names, "body_mass body_pos body_quat dof_armature dof_damping dof_frictionloss actuator_gainprm actuator_gear opt.gravity")
    given = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    dynamics = wp.zeros((3, pair.mjm.nu), dtype=FIELDS["actuator_dynprm"].dtype, device=device)
    with pytest.raises(UnsupportedError, match="actuator_dynprm: got RK4"):
        mjw.step_vjp(pair.m, pair.d, given, fields={"actuator_dynprm": dynamics})


@pytest.mark.parametrize(("cone", "dim", "friction"), [("pyramidal", 6, ".8 .1 .1"), ("elliptic", 3, "1"), ("elliptic", 6, ".8 .1 .1")])
def test_contacts(cone, dim, friction, device):
    pair = pair_of(CONTACTS.format(integrator="Euler", cone=cone, dim=dim, friction=friction), 150, device)
    check(pair, of_model(pair), "body_pos body_quat geom_pos geom_quat geom_friction geom_solref geom_solimp geom_margin body_mass")


def test_contacts_of_faces_edges_and_corners(device):
    pair = pair_of(STACKS, 4, device, spread=0.02)
    pair.mjm.geom_margin[:] = 1e-3  # MuJoCo finds no contacts of hulls with less than none
    check(pair, of_model(pair), "body_pos geom_pos geom_quat geom_friction")


def test_mixed_parameters_pairs_and_static_bodies(device):
    pair = pair_of(MIXED, 10, device, spread=0.02)
    pairs = {tuple(sorted(contact)) for mjd in pair.mjds for contact in mjd.contact.geom}
    assert len(pairs) >= 5
    check(
        pair,
        of_model(pair),
        "body_pos body_quat geom_pos geom_friction geom_solref geom_solimp pair_friction pair_solref pair_solreffriction pair_solimp pair_margin",
    )


def test_equalities_and_limits(device):
    pair = pair_of(EQUALITIES, 60, device)
    needed = (
        "jnt_range jnt_margin jnt_solref jnt_solimp dof_frictionloss eq_data eq_solref eq_solimp tendon_range tendon_margin tendon_solref_lim tendon_solimp_lim"
    )
    check(pair, of_model(pair), needed + " tendon_frictionloss")


def test_connects_and_welds(device):
    pair = pair_of(BONDS, 20, device)
    check(pair, of_model(pair), "eq_data eq_solref eq_solimp body_pos body_quat body_mass")


def test_other_results_and_bits_stay(device):
    """Fields beside the state change no bit of it, the same call gives the same bits, and some fields those of all."""
    pair = pair_of(CONTACTS.format(integrator="Euler", cone="elliptic", dim=3, friction="1"), 150, device)
    varied = vary(pair)
    nx = 2 * pair.mjm.nv
    bar = np.random.default_rng(0).standard_normal((3, nx))
    first, second = gradients(varied, bar, of_model(pair)), gradients(varied, bar, of_model(pair))
    for name, values in first.items():
        np.testing.assert_array_equal(values, second[name])
    np.testing.assert_array_equal(gradients(varied, bar, ["geom_friction"])["geom_friction"], first["geom_friction"])
    given = wp.array(bar.astype(np.float32), device=device)
    alone, beside = wp.zeros((3, nx), dtype=float, device=device), wp.zeros((3, nx), dtype=float, device=device)
    mass = wp.zeros((3, pair.mjm.nbody), dtype=float, device=device)
    mjw.step_vjp(pair.m, pair.d, given, alone)
    mjw.step_vjp(pair.m, pair.d, given, beside, fields={"body_mass": mass})
    np.testing.assert_array_equal(alone.numpy(), beside.numpy())
    np.testing.assert_array_equal(mass.numpy(), first["body_mass"].astype(np.float32))


def test_inside_a_capture(device):
    pair = pair_of(JOINTS.format(integrator="Euler"), 20, device)
    given = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    mass = wp.zeros((3, pair.mjm.nbody), dtype=float, device=device)
    mjw.step_vjp(pair.m, pair.d, given)
    with pytest.raises(ModelError, match="with fields"), wp.ScopedCapture(device=device):
        mjw.step_vjp(pair.m, pair.d, given, fields={"body_mass": mass})
    mjw.step_vjp(pair.m, pair.d, given, fields={"body_mass": mass})
    before = mass.numpy().copy()
    with wp.ScopedCapture(device=device) as capture:
        mjw.step_vjp(pair.m, pair.d, given, fields={"body_mass": mass})
    mass.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(mass.numpy(), before)


def test_wrong_fields_are_refused(device):
    pair = pair_of(JOINTS.format(integrator="Euler"), 0, device)
    given = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    mass = wp.zeros((3, pair.mjm.nbody), dtype=float, device=device)
    with pytest.raises(ModelError, match=r"step_vjp: fields: got 'mass'; allowed: body_mass, body_inertia"):
        mjw.step_vjp(pair.m, pair.d, given, fields={"mass": mass})
    with pytest.raises(ModelError, match=r"fields\['body_pos'\]: got an array of shape"):
        mjw.step_vjp(pair.m, pair.d, given, fields={"body_pos": mass})
    with pytest.raises(ModelError, match="a list; allowed: a dict"):
        mjw.step_vjp(pair.m, pair.d, given, fields=[mass])


@pytest.mark.parametrize(
    ("xml", "field", "words"),
    [
        (STRINGS.format(integrator="Euler"), "body_pos", "fields: body_pos: got spatial tendons"),
        (STRINGS.format(integrator="Euler"), "actuator_gainprm", "fields: actuator_gainprm: got actuator '3' with a force law of its own"),
        (TRANSMISSIONS.format(integrator="Euler"), "actuator_gear", "which acts on a SITE"),
        (TRANSMISSIONS.format(integrator="Euler"), "actuator_gear", "whose gear turns with the parent"),
    ],
)
def test_fields_that_act_through_something_unseen_are_refused(xml, field, words, device):
    pair = pair_of(xml, 0, device)
    given = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    shape = getattr(pair.m, field).shape[1:]
    with pytest.raises(UnsupportedError, match=words):
        mjw.step_vjp(pair.m, pair.d, given, fields={field: wp.zeros((3, *shape), dtype=FIELDS[field].dtype, device=device)})


def test_what_changes_after_a_call_is_looked_at_again(device):
    """Fields that were allowed once are refused when the model has something that they act through unseen; no call makes the next one look through the model."""
    pair = pair_of(JOINTS.format(integrator="Euler"), 0, device)
    given = wp.ones((3, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    fields = {
        "dof_frictionloss": wp.zeros((3, pair.mjm.nv), dtype=float, device=device),
        "jnt_range": wp.zeros((3, pair.mjm.njnt), dtype=wp.vec2, device=device),
    }
    mjw.step_vjp(pair.m, pair.d, given, fields=fields)
    mjw.step_vjp(pair.m, pair.d, given, fields=fields)
    assert not pair.m.handed
    pair.m.opt.integrator = mjw.IntegratorType.DISCRETE
    with pytest.raises(UnsupportedError, match="fields: jnt_range: got DISCRETE"):
        mjw.step_vjp(pair.m, pair.d, given, fields=fields)
    pair.m.opt.integrator = mjw.IntegratorType.EULER
    mass = {"body_mass": wp.zeros((3, pair.mjm.nbody), dtype=float, device=device)}
    mjw.step_vjp(pair.m, pair.d, given, fields=mass)
    pair.m.jnt_actgravcomp.assign(np.ones(pair.mjm.njnt, dtype=pair.m.jnt_actgravcomp.numpy().dtype))
    with pytest.raises(UnsupportedError, match="fields: body_mass: got compensated weight"):
        mjw.step_vjp(pair.m, pair.d, given, fields=mass)


@pytest.mark.parametrize("call", ["step", "trajectory"])
def test_contacts_that_get_more_room_on_the_way(call, device):
    """The evaluation in which contacts get room for more gives what one with room enough gives."""
    boxes = "".join(f'<body pos="0 0 {i + 1}"><freejoint/><geom type="box" size=".1 .12 .15" euler="{3 + i} 4 0"/></body>' for i in range(12))
    xml = f'<mujoco><worldbody><geom type="plane" size="5 5 .1"/>{boxes}</worldbody></mujoco>'
    found = []
    for room in ({}, {"nconmax": 600, "njmax": 2400}):
        m, d = mjw.load(xml, nworld=2, device=device, **room)
        next_bar, state_bar = wp.ones((2, 2 * m.nv), dtype=float, device=device), wp.zeros((2, 2 * m.nv), dtype=float, device=device)
        fields = {"geom_friction": wp.zeros((2, m.size.ngeom), dtype=wp.vec3, device=device)}
        mjw.step_vjp(m, d, next_bar, state_bar, fields=fields)
        before = d.nconmax
        qpos = d.qpos.numpy().copy().reshape(2, 12, 7)
        qpos[:, :, :3] = np.arange(12)[:, None] * [0.02, 0.03, 0.05] + [0.0, 0.0, 0.14] + 0.001 * np.arange(2)[:, None, None]
        d.qpos.assign(qpos.reshape(2, -1))
        if call == "step":
            mjw.step_vjp(m, d, next_bar, state_bar, fields=fields)
        else:
            trajectory = mjw.Trajectory(m, d, 1)
            trajectory.rollout()
            trajectory.vjp(next_bar, state_bar=state_bar, fields=fields)
        found.append((state_bar.numpy(), fields["geom_friction"].numpy()))
        assert room or wp.get_device(device).is_cuda or d.nconmax > before
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert np.abs(found[0][1]).max() > 0.0


def test_parameters_of_forces_along_paths(device):
    """Springs, dampers and limits of spatial tendons, gains of what pulls on them, and masses, whose gradients are those of any tendon."""
    pair = pair_of(STRINGS.format(integrator="Euler"), 5, device)
    names = [
        "body_mass",
        "body_inertia",
        "dof_damping",
        "tendon_stiffness",
        "tendon_stiffnesspoly",
        "tendon_damping",
        "tendon_dampingpoly",
        "tendon_lengthspring",
    ]
    check(pair, names, " ".join(names))
    pair = pair_of(TRANSMISSIONS.format(integrator="implicitfast"), 5, device)
    check(pair, ["body_mass", "actuator_gainprm", "actuator_biasprm"], "actuator_gainprm actuator_biasprm")
