"""One number that is not finite, in an input or in the model, of one world of three: that world starts over and says why; the others go on."""

import mujoco
import numpy as np
import pytest

from newtonish import mjw
from newtonish.common.enums import NonfiniteType

XML = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="handle" mocap="true" pos="0 0 1"/>
    <body name="held" pos="0 0 1"><freejoint name="held"/><geom name="held" type="box" size=".1 .1 .1"/></body>
    <body name="ball" pos="1 0 .1"><freejoint name="ball"/><geom name="ball" type="sphere" size=".1"/></body>
    <body name="can" pos="2 0 .1"><freejoint name="can"/><geom name="can" type="cylinder" size=".1 .1"/></body>
    <body name="arm" pos="3 0 1"><joint name="hinge" axis="0 1 0" range="-10 10" limited="true" frictionloss=".1"/>
      <geom name="arm" type="capsule" size=".04" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="ball joint" type="ball" range="0 5" limited="true"/><geom name="tip" type="capsule" size=".03" fromto="0 0 0 .2 0 0"/></body>
    </body>
    <body name="cart" pos="4 0 1"><joint name="slide" type="slide" axis="1 0 0"/><geom name="cart" type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <tendon><fixed name="rope" limited="true" range="-.01 .01" frictionloss=".1"><joint joint="slide" coef="1"/></fixed></tendon>
  <equality><weld name="grip" body1="handle" body2="held"/></equality>
</mujoco>
"""
NAN = float("nan")
# where a number of world 1 is set, and what its reset is said to be for
CASES = {
    ("d", "mocap_pos", (0, 2)): ("MOCAP_POS", 1), ("d", "mocap_quat", (0, 1)): ("MOCAP_QUAT", 1),
    ("d", "qfrc_applied", (0,)): ("QFRC_APPLIED", 0), ("d", "xfrc_applied", (3, 2)): ("XFRC_APPLIED", 3),
    ("m", "geom_size", (2, 0)): ("GEOM", 2), ("m", "geom_pos", (3, 1)): ("GEOM", 3), ("m", "geom_quat", (3, 0)): ("GEOM", 3),
    ("m", "geom_margin", (2,)): ("GEOM", 2), ("m", "geom_gap", (2,)): ("GEOM", 2), ("m", "geom_rbound", (2,)): ("GEOM", 2),
    ("m", "geom_friction", (2, 0)): ("CONTACT", 0), ("m", "geom_friction", (0, 0)): ("CONTACT", 0),
    ("m", "geom_solref", (2, 0)): ("CONTACT", 0), ("m", "geom_solimp", (2, 3)): ("CONTACT", 0), ("m", "geom_solmix", (2,)): ("CONTACT", 0),
    ("m", "body_invweight0", (3, 0)): ("CONTACT", 0),
    ("m", "jnt_range", (3, 0)): ("LIMIT_JOINT", 3), ("m", "jnt_margin", (3,)): ("LIMIT_JOINT", 3), ("m", "jnt_range", (4, 1)): ("LIMIT_JOINT", 4),
    ("m", "jnt_solref", (4, 0)): ("LIMIT_JOINT", 4), ("m", "dof_frictionloss", (18,)): ("FRICTION_DOF", 18),
    ("m", "dof_solimp", (18, 0)): ("FRICTION_DOF", 18), ("m", "dof_invweight0", (18,)): ("FRICTION_DOF", 18),
    ("m", "tendon_range", (0, 1)): ("LIMIT_TENDON", 0), ("m", "tendon_margin", (0,)): ("LIMIT_TENDON", 0),
    ("m", "tendon_frictionloss", (0,)): ("FRICTION_TENDON", 0), ("m", "eq_data", (0, 3)): ("EQUALITY", 0),
    ("m", "eq_solref", (0, 1)): ("EQUALITY", 0), ("m", "eq_solimp", (0, 1)): ("EQUALITY", 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def mjm():
    return mujoco.MjModel.from_xml_string(XML)


def run(mjm, where=None, name=None, at=None, steps=3, value=NAN, **options):
    batch = {name: 3} if where == "m" else {}
    m = mjw.put_model(mjm, batch_sizes=batch)
    for key, given in options.items():
        setattr(m.opt, key, given)
    d = mjw.make_data(m, 3)
    qvel = d.qvel.numpy()
    qvel += 0.01 * np.arange(3)[:, None]
    d.qvel.assign(qvel)
    qpos = d.qpos.numpy()
    qpos[:, 22:26] = [np.cos(0.2), 0.0, np.sin(0.2), 0.0]  # beyond the limits of the ball joint and of the tendon
    qpos[:, 26] = 0.02
    d.qpos.assign(qpos)
    for _ in range(2):
        mjw.step(m, d)
    if where:
        array = getattr({"m": m, "d": d}[where], name)
        values = array.numpy()
        values[(1, *at)] = value
        array.assign(values)
    for _ in range(steps):
        mjw.step(m, d)
    return m, d


@pytest.mark.parametrize("cone,solver", [(0, 2), (1, 1), (0, 0)], ids=["pyramids, Newton", "cones, CG", "PGS"])
def test_nan_anywhere_resets_its_world_names_itself_and_leaves_the_neighbours(mjm, cone, solver):
    _, usual = run(mjm, cone=cone, solver=solver)
    for (where, name, at), origin in CASES.items():
        _, d = run(mjm, where, name, at, cone=cone, solver=solver)
        assert d.nonfinite.numpy()[[0, 2]].tolist() == [0, 0], name
        assert 1 <= d.nonfinite.numpy()[1] <= (1 if "mocap" in name else 3), (name, d.nonfinite.numpy())
        found = int(d.nonfinite_origin.numpy()[1])
        assert (NonfiniteType(found >> 24).name, found & 0xFFFFFF) == origin, (name, at)
        for part in ("qpos", "qvel"):
            assert np.array_equal(getattr(d, part).numpy()[[0, 2]], getattr(usual, part).numpy()[[0, 2]]), name
            assert np.isfinite(getattr(d, part).numpy()).all(), name


@pytest.mark.parametrize(
    "where,name,at",
    [("d", "mocap_pos", (0, 2)), ("m", "geom_size", (2, 0)), ("m", "geom_margin", (2,)), ("m", "dof_frictionloss", (18,)), ("m", "eq_data", (0, 3))],
)
def test_mujoco_resets_as_well_and_counts_a_bad_acceleration(where, name, at):
    own = mujoco.MjModel.from_xml_string(XML)
    mjd = mujoco.MjData(own)
    getattr({"m": own, "d": mjd}[where], name)[at] = NAN
    mujoco.mj_step(own, mjd)
    bad = int(mujoco.mjtWarning.mjWARN_BADQACC)
    assert mjd.warning[bad].number > 0
    batch = {name: 3} if where == "m" else {}
    m = mjw.put_model(mujoco.MjModel.from_xml_string(XML), batch_sizes=batch)
    mjw.watch(m)
    d = mjw.make_data(m, 3)
    array = getattr({"m": m, "d": d}[where], name)
    values = array.numpy()  # of a GPU a copy
    values[(1, *at)] = NAN
    array.assign(values)
    mjw.step(m, d)
    assert mjw.warnings(m, d)[bad].tolist() == [0, 1, 0]


def test_resets_name_the_array_and_the_entity(mjm):
    m, d = run(mjm, "m", "geom_size", (2, 0))
    (reset,) = mjw.resets(m, d)
    assert (reset.world, reset.count, reset.kind, reset.index) == (1, 3, NonfiniteType.GEOM, 2)
    assert reset.fields == ("geom_size[2, 0]",) and "geom 2 ('ball')" in reset.text
    m, d = run(mjm, "d", "mocap_pos", (0, 1))
    assert mjw.resets(m, d)[0].text == "world 1 was reset 1 times, the last time for mocap_pos of body 1 ('handle')"
    mjw.reset_data(m, d)
    assert mjw.resets(m, d) == []


def test_without_automatic_reset_the_world_is_seen_to_be_wrong(mjm):
    flags = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    _, d = run(mjm, "m", "geom_margin", (2,), steps=1, disableflags=flags)
    assert np.isnan(d.qvel.numpy()[1]).all() and np.isfinite(d.qvel.numpy()[[0, 2]]).all()
    assert d.nonfinite.numpy().tolist() == [0, 0, 0] and d.nonfinite_met.numpy()[1] == (int(NonfiniteType.GEOM) << 24) + 2


def test_a_nan_tolerance_lets_the_solver_go_on(mjm):
    _, usual = run(mjm, "m", "geom_rbound", (0,), value=0.0, steps=20)
    m = mjw.put_model(mjm)
    d = mjw.make_data(m, 3)
    m.opt.tolerance.assign(np.array([NAN], np.float32))
    for _ in range(20):
        mjw.step(m, d)
    assert (d.solver_niter.numpy() > 0).all() and d.nonfinite.numpy().sum() == 0
    assert np.abs(d.qpos.numpy()[:, 2] - 1.0).max() < 1e-3  # the weld holds


@pytest.mark.parametrize("name,at,kind,word", [("qvel", 3, NonfiniteType.QVEL, "BADQVEL"), ("qpos", 9, NonfiniteType.QPOS, "BADQPOS")])
def test_nan_in_a_state_is_put_down_to_the_state_and_not_to_what_it_spoils(mjm, name, at, kind, word):
    """As in MuJoCo, which counts a bad position or velocity where one is; the rows and geoms of that world are NaN as well."""
    own = mujoco.MjModel.from_xml_string(XML)
    mjd = mujoco.MjData(own)
    getattr(mjd, name)[at] = NAN
    mujoco.mj_step(own, mjd)
    assert mjd.warning[getattr(mujoco.mjtWarning, f"mjWARN_{word}")].number == 1
    m, d = run(mjm, "d", name, (at,), steps=1)
    (reset,) = mjw.resets(m, d)
    assert (reset.world, reset.count, reset.kind, reset.index) == (1, 1, kind, at), reset.text
