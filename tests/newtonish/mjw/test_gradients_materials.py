"""Derivatives of contacts with other laws: pulls, moving surfaces, gains in units of force, springs in motion."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from gradient_checks import TOLERANCE, check, check_transpose
from gradient_models import pair_of

from newtonish import mjw
from newtonish.common.constants import SPRING_IMPEDANCE
from newtonish.mjw.structure import keep_structure

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

TAIL = '<body pos="0 0 .2"><joint axis="1 0 0"/><geom size=".05" contype="0" conaffinity="0"/></body>'
SCENE = """
<mujoco>
  <option timestep=".002" integrator="{integrator}" cone="{cone}" impratio="{impratio}"/>
  <default><geom condim="4" friction=".8 .1 .1"/></default>
  <worldbody>
    <geom name="ceiling" type="plane" size="3 3 .1" pos="0 0 1" zaxis="0 .1 -1"/>
    <body pos="0 0 0"><joint axis="1 0 0" stiffness="300" damping="1"/><joint axis="0 0 1" stiffness="30" damping="1"/>
      <geom name="table" type="box" size=".6 .4 .1" {table}/></body>
    <body pos=".1 .05 .194"><freejoint/><geom name="ball" size=".1" {ball}/>{tail}</body>
    <body pos="-.2 .05 .163"><freejoint/><geom name="stick" type="capsule" size=".07 .1" euler="4 88 20" {ball}/>{tail}</body>
    <body pos="-.2 .3 .87"><freejoint/><geom name="hanging" size=".1" pos="0 .01 0" {ball}/><geom size=".05" pos="0 .1 -.2" contype="0" conaffinity="0"/>{tail}</body>
  </worldbody>
</mujoco>
""".replace("{tail}", TAIL)


def stiff(xml: str) -> str:
    """The scene with springs and dampers that are much of a metric."""
    return xml.replace("<freejoint/>", '<joint type="free" damping="40 3 3" stiffness="200 100 0"/>').replace('damping="1"', 'damping="30 5 5"')


@pytest.mark.parametrize(
    ("cone", "integrator"),
    [("pyramidal", "Euler"), ("elliptic", "Euler"), ("elliptic", "RK4"), ("pyramidal", "implicit"), ("pyramidal", "discrete"), ("elliptic", "discrete")],
)
def test_contacts_that_pull_and_surfaces_that_move(cone, integrator, device):
    flowing, sticky = 'surfacevel=".3 .1 .2 .4 -.2 1"', 'adhesion="9" gap=".03" margin=".01"'
    pair = pair_of(SCENE.format(integrator=integrator, cone=cone, impratio=1, table=flowing, ball=sticky), 5, device, spread=0.02)
    assert all(mjd.ncon >= 3 for mjd in pair.mjds)
    assert any(mjd.contact.dist.max() > 0.011 for mjd in pair.mjds)  # within the gap
    check_transpose(pair, *check(pair))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contacts_that_pull_in_a_metric_that_changes_their_weights(cone, device):
    """The force that holds up the pull is no part of what a weight multiplies."""
    flowing, sticky = 'surfacevel=".3 .1 .2 .4 -.2 1"', 'adhesion="100" gap=".03" margin=".01"'
    pair = pair_of(stiff(SCENE.format(integrator="discrete", cone=cone, impratio=1, table=flowing, ball=sticky)), 5, device, spread=0.02)
    assert all(mjd.ncon >= 3 for mjd in pair.mjds)
    check(pair, 4e-6)


def test_sensors_feel_the_pull_turn(device):
    xml = SCENE.format(integrator="Euler", cone="elliptic", impratio=1, table="", ball='adhesion="9" gap=".03" margin=".01"')
    xml = xml.replace('<geom name="table"', '<site name="s" pos="0 .1 0"/><geom name="table"')
    xml = xml.replace('<geom name="hanging"', '<site name="t" size=".2"/><geom name="hanging"')
    xml = xml.replace("</worldbody>", '</worldbody><sensor><force site="s"/><torque site="s"/><touch site="t"/></sensor>')
    pair = pair_of(xml, 5, device, spread=0.02)
    nx = 2 * pair.mjm.nv
    C = wp.zeros((pair.nworld, 7, nx), dtype=float, device=device)
    mjw.transition(pair.m, pair.d, C=C)
    for world, mjd in enumerate(pair.mjds):
        wanted = np.zeros((7, nx))
        mujoco.mjd_transitionFD(pair.mjm, mjd, 1e-6, True, None, None, wanted, None)
        assert np.linalg.norm(C.numpy()[world] - wanted) <= 5.0 * TOLERANCE * np.linalg.norm(wanted)


PAIR = """<pair geom1="{0}" geom2="{1}" condim="4" friction=".8 .8 .1 .1 .1" solref="{2[0]:.9g} {2[1]:.9g}" solimp="{3[0]:.9g} {3[1]:.9g} {3[2]:.9g} .5 2"
    solreffriction="{4[0]:.9g} {4[1]:.9g}"/>"""


def with_same_contacts(pair: oracle.Pair, xml: str, impratio: float) -> None:
    """Let MuJoCo have, by explicit pairs, the parameters that our contacts ended up with."""
    mjw.forward(pair.m, pair.d)
    contact = {name: getattr(pair.d.contact, name).numpy()[0] for name in ("geom", "solref", "solimp", "solreffriction")}
    names = [mujoco.mj_id2name(pair.mjm, mujoco.mjtObj.mjOBJ_GEOM, g) for g in range(pair.mjm.ngeom)]
    pairs = ""
    for c in np.unique(contact["geom"][: pair.mjds[0].ncon], axis=0, return_index=True)[1]:
        one, two = contact["geom"][c]
        pairs += PAIR.format(names[one], names[two], contact["solref"][c], contact["solimp"][c], contact["solreffriction"][c])
    pair.mjm = mujoco.MjModel.from_xml_string(xml.replace("</mujoco>", f"<contact>{pairs}</contact></mujoco>"))
    pair.mjm.opt.tolerance, pair.mjm.opt.iterations, pair.mjm.opt.impratio = 1e-14, 200, impratio
    before, pair.mjds = pair.mjds, [mujoco.MjData(pair.mjm) for _ in pair.mjds]
    for old, new in zip(before, pair.mjds, strict=True):
        new.qpos[:], new.qvel[:] = old.qpos, old.qvel
        mujoco.mj_forward(pair.mjm, new)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
def test_gains_in_units_of_force(integrator, cone, springs, device):
    xml = SCENE.format(integrator=integrator, cone=cone, impratio=1, table="", ball="")
    if integrator == "discrete":
        xml = stiff(xml)
    pair = pair_of(xml, 0, device, spread=0.02)
    pair.m.geom_gain.fill_(wp.vec2(2.0e4, 60.0))
    pair.m.nforced = pair.mjm.ngeom
    ratio = 1.0
    if springs:
        pair.m.geom_impedance.fill_(SPRING_IMPEDANCE)
        pair.m.flg_spring = 1
        keep_structure(pair.m)
        ratio = 0.99 / 0.01 * (1.0 - SPRING_IMPEDANCE) / SPRING_IMPEDANCE if cone == "elliptic" else 1.0
    with_same_contacts(pair, xml, ratio)
    assert all(mjd.ncon >= 2 for mjd in pair.mjds)
    check_transpose(pair, *check(pair))
