"""Equality constraints against MuJoCo: rows, forces and motion of every type, switched on and off world by world."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN

from newtonish import mjw
from newtonish.errors import UnsupportedError

ZOO = OWN / "equality_zoo.xml"
NAMES = ("chain", "gear", "glue", "nail", "belt", "drag", "pins", "clamp", "hold", "lock", "ground", "ground2", "blend", "loose")


def activate(pair: oracle.Pair, choose) -> None:
    """Set ``eq_active`` on both sides; ``choose`` says of (world, constraint) whether it holds."""
    for world, mjd in enumerate(pair.mjds):
        mjd.eq_active[:] = [choose(world, e) for e in range(pair.mjm.neq)]
    pair.d.eq_active.assign(np.array([mjd.eq_active for mjd in pair.mjds], dtype=bool))


def single(name: str):
    """A rule by which world 0 has no constraint and the others have one."""
    index = NAMES.index(name)
    return lambda world, e: world > 0 and e == index


@pytest.mark.parametrize("name", NAMES)
def test_each_constraint_alone_agrees(name, device):
    pair = oracle.load(ZOO, nworld=4, device=device)
    activate(pair, single(name))
    for steps in (0, 30):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_all(pair)
    assert pair.d.ne.numpy()[0] == 0
    assert pair.d.ne.numpy()[1] in (1, 3, 6)


def test_any_choice_of_constraints_in_each_world(device):
    pair = oracle.load(ZOO, nworld=6, device=device)
    rng = np.random.default_rng(3)
    chosen = rng.random((6, pair.mjm.neq)) < 0.4
    activate(pair, lambda world, e: chosen[world, e])
    oracle.forward(pair)
    oracle.compare_rows(pair)
    for world, mjd in enumerate(pair.mjds):
        assert pair.d.efc.id.numpy()[world, : mjd.ne].tolist() == mjd.efc_id[: mjd.ne].tolist()
    assert len(set(pair.d.ne.numpy().tolist())) > 2


def test_reset_restores_what_the_model_activates(device):
    pair = oracle.load(ZOO, nworld=3, device=device)
    expected = np.tile(np.asarray(pair.mjm.eq_active0, dtype=bool), (3, 1))
    assert np.array_equal(pair.d.eq_active.numpy(), expected)
    activate(pair, lambda world, e: False)
    assert not pair.d.eq_active.numpy().any()
    mjw.reset_data(pair.m, pair.d)
    assert np.array_equal(pair.d.eq_active.numpy(), expected)


@pytest.mark.parametrize("flag", ["EQUALITY", "CONSTRAINT", "REFSAFE"])
def test_flags(flag, device):
    def change(mjm):
        mjm.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
        mjm.opt.timestep = 0.02

    pair = oracle.load(ZOO, nworld=2, change=change, device=device)
    oracle.forward(pair)
    oracle.compare_rows(pair)
    assert (pair.d.ne.numpy() > 0).all() == (flag == "REFSAFE")


def test_too_little_room_leaves_out_whole_constraints_and_says_so(device):
    pair = oracle.load(ZOO, nworld=2, device=device, njmax=12)
    mjw.forward(pair.m, pair.d)
    assert pair.d.ne.numpy().tolist() == [10, 10]  # connect 3, joint 1, weld 6; the next connect has no room
    assert pair.d.nefc_needed.numpy().min() > 40
    assert pair.d.overflow.numpy().all()


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICITFAST"])
def test_motion_agrees_and_mechanisms_stay_closed(integrator, device):
    def change(mjm):
        mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))

    pair = oracle.load(ZOO, nworld=3, change=change, device=device)
    activate(pair, lambda world, e: NAMES[e] in ("chain", "gear", "glue", "drag")[: world + 2])
    for _ in range(100):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        np.testing.assert_allclose(pair.d.qpos.numpy()[world], mjd.qpos, atol=5e-4)
        assert np.abs(pair.d.efc.pos.numpy()[world, :3]).max() < 0.02


def test_data_of_mujoco_is_taken_over_and_given_back(device):
    mjm = mujoco.MjModel.from_xml_path(str(ZOO))
    mjd = mujoco.MjData(mjm)
    mjd.eq_active[:] = np.arange(mjm.neq) % 2
    mujoco.mj_forward(mjm, mjd)
    d = mjw.put_data(mjm, mjd, nworld=2)
    assert np.array_equal(d.eq_active.numpy()[1], np.arange(mjm.neq) % 2 == 1)
    assert d.ne.numpy().tolist() == [mjd.ne] * 2
    result = mujoco.MjData(mjm)
    mjw.get_data_into(result, mjm, d, 1)
    assert np.array_equal(result.eq_active, mjd.eq_active)


def test_flex_equalities_are_refused():
    mjm = mujoco.MjModel.from_xml_path(str(ZOO))
    mjm.eq_type[1] = mujoco.mjtEq.mjEQ_FLEX
    with pytest.raises(UnsupportedError, match="equality constraint 1: got flex"):
        mjw.put_model(mjm)


FIXED = """<mujoco><option jacobian="{jacobian}"/><worldbody><site name="w" pos=".4 0 .3"/><body name="fixed" pos="0 0 1"><geom size=".1"/><site name="f"/></body>
  <body name="a" pos="0 2 0"><joint name="j" axis="0 1 0" frictionloss=".1"/><geom size=".1" pos=".2 0 0"/><site name="s" pos=".3 0 .1"/></body></worldbody>
  <tendon><spatial name="still" frictionloss=".2" limited="true" range="0 .5"><site site="w"/><site site="f"/></spatial>
  <spatial name="moving" frictionloss=".2" limited="true" range="0 .5"><site site="w"/><site site="s"/></spatial></tendon>
  <equality><weld body1="fixed"/><connect site1="w" site2="f"/><tendon tendon1="still"/><tendon tendon1="still" tendon2="moving"/>
  <weld body1="fixed" body2="a"/></equality></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_what_no_dof_moves_has_no_rows(jacobian, device):
    """Bodies and tendons that are fixed to the world cannot be held or stopped: equalities, limits, friction."""
    mjm = mujoco.MjModel.from_xml_string(FIXED.format(jacobian=jacobian))
    pair = oracle.from_model(mjm, 3, device=device)
    oracle.advance(pair, 5)
    oracle.forward(pair)
    oracle.compare_rows(pair)
    oracle.compare_solution(pair)


def test_rows_that_mujoco_left_out_do_not_hide_how_its_jacobian_is_stored(device):
    """In dense storage there is room for all rows that were counted, also for those whose Jacobian turned out to be zero."""
    text = FIXED.format(jacobian="dense").replace('<weld body1="fixed" body2="a"/>', '<joint joint1="j"/><tendon tendon1="zero"/>')
    text = text.replace("</tendon>", '<spatial name="zero" frictionloss=".1"><site site="s"/><site site="t"/></spatial></tendon>')
    text = text.replace('<site name="s" pos=".3 0 .1"/>', '<site name="s" pos=".3 0 .1"/><site name="t" pos=".3 .2 .1"/>')
    mjm = mujoco.MjModel.from_xml_string(text)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    d = mjw.put_data(mjm, mjd, nworld=2)
    for world in range(2):
        np.testing.assert_allclose(d.efc.J.numpy()[world, : mjd.nefc, :1], mjd.efc_J.ravel()[: mjd.nefc, None], atol=1e-6)
