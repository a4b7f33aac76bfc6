"""Rows with the exact diagonal of the inverse inertia (flag diagexact), against MuJoCo."""

import mujoco
import numpy as np
import oracle
import pytest
from constraint_rigs import zoo
from paths import OWN

from newtonish import mjw

DIAGEXACT = int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)
SOLVERS = {"NEWTON": (2, 0), "CG": (1, 0), "PGS": (0, 0), "NOSLIP": (2, 5)}
# a box on its corner, so that the edges of a pyramid meet different inertias, and every kind of equality
MIXED = """<mujoco><option impratio="3" cone="{cone}"><flag diagexact="enable"/></option><worldbody><site name="w" pos="0 .1 2"/>
  <geom type="plane" size="3 3 .1"/>
  <body pos="0 0 1"><joint name="h" axis="0 1 0" range="-10 10" frictionloss=".3"/><geom size=".1" pos=".3 0 0"/><site name="s1" pos=".3 0 .1"/>
  <body name="b" pos=".5 0 0"><joint type="ball" range="0 10" frictionloss=".1"/><geom type="box" size=".1 .05 .2" pos=".2 0 0"/></body></body>
  <body name="c" pos=".3 .6 .1" euler="20 30 0"><freejoint/>
  <geom size=".05 .11 .22" type="box" condim="6" friction=".9 .02 .001"/><site name="s3" pos=".1 0.05 .02"/></body>
  <body name="d" pos="2 .6 .1"><freejoint/><geom size=".12" condim="1"/><geom type="box" size=".1 .3 .05" pos=".1 .1 0"/></body>
  <body pos="1 2 .1"><freejoint/><geom type="box" size=".13 .2 .1" condim="4"/></body></worldbody>
  <tendon><spatial name="t" range="0 .5" frictionloss="1"><site site="s1"/><site site="s3"/></spatial></tendon>
  <equality><connect body1="b" body2="c" anchor=".1 .2 .3"/><weld body1="c" body2="d" torquescale=".7"/>
  <joint joint1="h" polycoef=".1 0 0 0 0"/><tendon tendon1="t"/></equality></mujoco>"""


def check(pair: oracle.Pair) -> None:
    pair.mjm.opt.enableflags |= DIAGEXACT
    pair.m.opt.enableflags |= DIAGEXACT
    oracle.forward(pair)
    oracle.compare_rows(pair)
    for world, mjd in enumerate(pair.mjds):  # D spans orders of magnitude: row by row as well
        ours = pair.d.efc.D.numpy()[world, oracle.row_order(pair, world)]
        np.testing.assert_allclose(ours, mjd.efc_D, rtol=2e-3, err_msg=f"world {world}")
    oracle.compare_solution(pair)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_kind_of_row_agrees(solver: str, cone: str, device: str) -> None:
    mjm = mujoco.MjModel.from_xml_string(MIXED.format(cone=cone))
    mjm.opt.solver, mjm.opt.noslip_iterations = SOLVERS[solver]
    if solver != "NEWTON":
        mjm.opt.iterations = 3000
        mjm.opt.tolerance = 0.0 if solver == "CG" else 1e-10
    pair = oracle.from_model(mjm, nworld=3, seed=2, device=device)
    pair.mjm.opt.enableflags |= DIAGEXACT
    pair.m.opt.enableflags |= DIAGEXACT
    oracle.forward(pair)
    oracle.compare_rows(pair)
    for world, mjd in enumerate(pair.mjds):
        ours = pair.d.efc.D.numpy()[world, oracle.row_order(pair, world)]
        np.testing.assert_allclose(ours, mjd.efc_D, rtol=2e-3, err_msg=f"world {world}")
    if solver == "NEWTON":
        oracle.compare_solution(pair)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_limits_and_contacts_agree_in_motion(cone: str, condim: int, device: str) -> None:
    pair = oracle.from_model(zoo(cone, condim, 2.0), nworld=3, device=device)
    oracle.advance(pair, 60)
    check(pair)


def test_equalities_agree(device: str) -> None:
    """Some rows of the zoo move nothing: MuJoCo gives them D = 1e15, which float32 cannot add up; ours keep their D."""
    pair = oracle.load(OWN / "equality_zoo.xml", nworld=3, device=device)
    oracle.advance(pair, 5)
    pair.mjm.opt.enableflags |= DIAGEXACT
    pair.m.opt.enableflags |= DIAGEXACT
    oracle.forward(pair)
    for world, mjd in enumerate(pair.mjds):
        idle = np.abs(oracle.dense_jacobian(pair.mjm, mjd)).max(axis=1) < 1e-6
        assert (mjd.efc_D[~idle] < 1e9).all()
        ours = pair.d.efc.D.numpy()[world, : mjd.nefc]
        np.testing.assert_allclose(ours[~idle], mjd.efc_D[~idle], rtol=2e-3, err_msg=f"world {world}")
        assert (ours[idle] < 1e9).all()
    oracle.compare_solution(pair)


def test_the_flag_changes_the_rows_and_can_be_switched_off_again(device: str) -> None:
    pair = oracle.from_model(zoo(), nworld=2, device=device)
    oracle.forward(pair)
    plain = pair.d.efc.D.numpy().copy()
    check(pair)
    assert not np.allclose(pair.d.efc.D.numpy(), plain, rtol=1e-2)
    pair.m.opt.enableflags &= ~DIAGEXACT
    mjw.forward(pair.m, pair.d)
    np.testing.assert_array_equal(pair.d.efc.D.numpy(), plain)


def test_a_sphere_has_the_diagonal_of_its_mass(device: str) -> None:
    """A law: a frictionless contact of a free sphere with the ground meets 1/m, whatever the reference pose says."""
    file = """<mujoco><option><flag diagexact="enable"/></option><worldbody><geom type="plane" size="1 1 .1" condim="1" solimp="0.5 0.5 0.001"/>
      <body pos="0 0 .099"><freejoint/><geom size=".1" mass="{}" condim="1" solimp="0.5 0.5 0.001"/></body></worldbody></mujoco>"""
    for mass in (0.5, 4.0):
        m, d = mjw.load(file.format(mass), nworld=2, device=device, strict=True)
        mjw.forward(m, d)
        assert d.nefc.numpy().tolist() == [1, 1]
        np.testing.assert_allclose(d.efc.D.numpy()[:, 0], mass, rtol=1e-5)  # R = (1 - d)/d A with d = 1/2
