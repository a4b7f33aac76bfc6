"""Objects by name, beside MuJoCo's bindings: a model with every kind of object, in two unequal worlds."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError
from newtonish.mjw.by_name import attributes
from newtonish.mjw.data import Data, Model

MODEL = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <light name="lamp" pos="0 0 3" dir="0 0.1 -1"/>
    <camera name="eye" pos="0 -2 1" fovy="50"/>
    <geom name="floor" type="plane" size="3 3 .1"/>
    <body name="hand" mocap="true" pos="1 1 1"><site name="palm" pos="0 0 .1"/></body>
    <body name="ball" pos="0 1 2"><freejoint name="fly"/><geom name="ball" size=".1" mass="2"/></body>
    <body name="torso" pos="0 0 1.5">
      <joint name="shoulder" type="ball" damping=".2"/>
      <geom name="torso" type="capsule" size=".05 .2" rgba=".1 .2 .3 1"/>
      <site name="chest" pos="0 0 .1"/>
      <body name="shin" pos="0 0 -.4">
        <joint name="knee" axis="0 1 0" range="-90 90" damping=".1" armature=".01" stiffness="3"/>
        <joint name="slide" type="slide" axis="0 0 1"/>
        <geom name="shin" type="box" size=".05 .05 .15" pos="0 0 -.15"/>
        <camera name="foot" pos="0 0 -.3"/>
        <light name="torch" pos="0 0 -.3"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="cord" stiffness="5"><site site="palm"/><site site="chest"/></spatial>
    <fixed name="sum"><joint joint="knee" coef="2"/><joint joint="slide" coef="-1"/></fixed>
  </tendon>
  <equality><connect name="pin" body1="ball" body2="torso" anchor="0 .2 0" active="false"/><tendon name="tie" tendon1="sum"/></equality>
  <actuator>
    <motor name="turn" joint="knee" gear="3" ctrlrange="-1 1"/>
    <intvelocity name="hold" joint="slide" kp="2" actrange="-1 1"/>
    <general name="filter" joint="knee" dyntype="filter" dynprm=".1"/>
  </actuator>
  <sensor>
    <framepos name="where" objtype="body" objname="shin"/><jointpos name="angle" joint="knee"/><framequat name="how" objtype="site" objname="chest"/>
  </sensor>
  <keyframe><key name="start" time="2"/><key name="bent" qpos="0 1 2 1 0 0 0 1 0 0 0 .5 .1" ctrl="1 2 3" act=".1 .2"/></keyframe>
</mujoco>
"""
NAMES = {
    "body": "world hand ball torso shin", "joint": "fly shoulder knee slide", "geom": "floor ball torso shin", "site": "palm chest",
    "actuator": "turn hold filter", "sensor": "where angle how", "tendon": "cord sum", "equality": "pin tie", "camera": "eye foot",
    "light": "lamp torch", "key": "start bent",
}  # fmt: skip
OTHERWISE = {("joint", "bodyid"), ("joint", "qacc_warmstart"), ("tendon", "wrapadr")}
"""MuJoCo's has one for each dof; is written by a step, ours by forward; counts points without room between tendons."""


@pytest.fixture
def worlds():
    """Our model and data of two unequal worlds, MuJoCo's model and its two data, evaluated."""
    mjm = mujoco.MjModel.from_xml_string(MODEL)
    m = mjw.put_model(mjm)
    d = mjw.make_data(m, nworld=2)
    rng, mjds = np.random.default_rng(3), [mujoco.MjData(mjm) for _ in range(2)]
    for w, mjd in enumerate(mjds):
        mujoco.mj_integratePos(mjm, mjd.qpos, rng.normal(size=mjm.nv), 0.3)
        mjd.qvel, mjd.ctrl, mjd.act = rng.normal(size=mjm.nv), rng.normal(size=mjm.nu), 0.2 * rng.normal(size=mjm.na)
        mjd.qfrc_applied, mjd.eq_active[0] = rng.normal(size=mjm.nv), w
        for name in ("qpos", "qvel", "ctrl", "act", "qfrc_applied", "eq_active"):
            host = getattr(d, name).numpy()
            host[w] = getattr(mjd, name)
            getattr(d, name).assign(host)
            getattr(mjd, name)[:] = host[w]
        for stage in (mujoco.mj_forward, mujoco.mj_subtreeVel, mujoco.mj_rnePostConstraint):
            stage(mjm, mjd)
    for stage in (mjw.forward, mjw.camlight, mjw.subtree_vel, mjw.rne_postconstraint):
        stage(m, d)
    return m, d, mjm, mjds


def shared_attributes(ours, theirs):
    names = {name for name in dir(theirs) if not name.startswith("_")}
    return sorted(names & set(dir(ours)) - {"id", "name"})


@pytest.mark.parametrize("kind", NAMES)
def test_model_as_in_mujoco(worlds, kind):
    m, _, mjm, _ = worlds
    short = {"equality": "eq", "camera": "cam", "joint": "jnt"}.get(kind, kind)
    for number, name in enumerate(NAMES[kind].split()):
        ours, theirs = getattr(m, kind)(name), getattr(mjm, kind)(name)
        assert (ours.id, ours.name, getattr(m, short)(number).id, getattr(m, kind)(number).name) == (theirs.id, name, number, name)
        compared = shared_attributes(ours, theirs)
        assert len(compared) >= (3 if kind == "site" else 4)
        pairs = {one: (getattr(ours, one).numpy().ravel(), np.ravel(getattr(theirs, one))) for one in compared if (kind, one) not in OTHERWISE}
        assert not {one: pair for one, pair in pairs.items() if not np.array_equal(pair[0], pair[1].astype(pair[0].dtype))}


@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind not in ("equality", "key")])
def test_data_as_in_mujoco(worlds, kind):
    _, d, _, mjds = worlds
    for name in NAMES[kind].split():
        ours = getattr(d, kind)(name)
        for attribute in shared_attributes(ours, getattr(mjds[0], kind)(name)):
            if (kind, attribute) in OTHERWISE:
                continue
            found = getattr(ours, attribute).numpy()
            assert found.shape[0] == 2
            for w, mjd in enumerate(mjds):
                wanted = np.ravel(getattr(getattr(mjd, kind)(name), attribute))
                np.testing.assert_allclose(found[w].ravel(), wanted, rtol=2e-4, atol=2e-4, err_msg=f"{kind} {name} {attribute}")


def test_equality_and_mocap(worlds):
    _, d, _, mjds = worlds
    assert d.equality("pin").active.numpy().tolist() == [False, True] == [bool(mjd.eq_active[0]) for mjd in mjds]
    d.body("hand").mocap_pos = [[[1, 2, 3]], [[4, 5, 6]]]
    np.testing.assert_array_equal(d.mocap_pos.numpy(), [[[1, 2, 3]], [[4, 5, 6]]])
    assert d.body("torso").mocap_pos.shape == (2, 0)


def test_what_is_written_is_stepped_with(worlds):
    m, d, mjm, mjds = worlds
    d.actuator("turn").ctrl = [0.3, -0.4]
    d.joint("knee").qvel.fill_(0.5)
    m.body("shin").mass = [1.0, 2.0]  # one for each world from now on
    assert m.body_mass.shape[0] == 2 and m.body("torso").mass.numpy()[0] == m.body("torso").mass.numpy()[1]
    mjw.step(m, d)
    m.body("shin").mass = [3.0, 4.0]  # in place: the recorded step sees it
    version = m.version
    mjw.step(m, d)
    assert m.version == version
    for w, mjd in enumerate(mjds):
        mjd.actuator("turn").ctrl[:], mjd.joint("knee").qvel[:] = (0.3, -0.4)[w], 0.5
        for mass in (1.0 + w, 3.0 + w):
            mjm.body("shin").mass[:] = mass
            mujoco.mj_step(mjm, mjd)
        np.testing.assert_allclose(d.joint("knee").qvel.numpy()[w], mjd.joint("knee").qvel, rtol=2e-4, atol=2e-4)


def test_fields_of_the_host_are_set_by_name(worlds):
    m, d, *_ = worlds
    m.geom("torso").rgba = (1, 0, 0, 1)
    np.testing.assert_array_equal(m.geom_rgba.numpy()[0, 2], (1, 0, 0, 1))
    before = m.joint("knee").armature.numpy()[0, 0]
    m.actuator("turn").armature = 0.5
    assert m.joint("knee").armature.numpy()[0, 0] == pytest.approx(before + 0.5 * 9)  # gear 3
    mjw.step(m, d)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda m, d: m.body("torsoo"), ["m.body", "'torsoo'", "did you mean 'torso'?"]),
        (lambda m, d: d.joint(4), ["d.joint", "got 4", "0 to 3"]),
        (lambda m, d: d.body("torso").xposs, ["d.body('torso')", "'xposs'", "did you mean"]),
        (lambda m, d: m.joint("knee").qpos, ["m.joint('knee')", "ask d for it: d.joint('knee').qpos"]),
        (lambda m, d: m.tree("torso"), ["m.tree", "allowed: actuator, body"]),
        (lambda m, d: setattr(d.joint("fly"), "qpos", [1, 2]), ["d.joint('fly').qpos", "(2,)", "(2, 7)"]),
        (lambda m, d: setattr(d.joint("knee"), "qpos", "far"), ["d.joint('knee').qpos", "numbers of shape (2, 1)"]),
        (lambda m, d: setattr(d.joint("knee"), "qpso", 1), ["'qpso'", "did you mean qpos"]),
    ],
)
def test_what_is_wrong_is_named(worlds, wrong, words):
    with pytest.raises((ModelError, AttributeError)) as caught:
        wrong(*worlds[:2])
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_every_object_shows_what_it_has(worlds):
    m, d, *_ = worlds
    for kind, names in NAMES.items():
        for name in names.split():
            assert f"'{name}'" in repr(getattr(m, kind)(name))
            if kind != "key":
                assert set(attributes(Data, kind)) <= set(dir(getattr(d, kind)(name)))
                assert all(isinstance(getattr(getattr(d, kind)(name), one), wp.array) for one in attributes(Data, kind))
            assert all(isinstance(getattr(getattr(m, kind)(name), one), wp.array) for one in attributes(Model, kind))


def test_a_copy_and_a_file_find_objects(worlds):
    import dataclasses

    m, *_ = worlds
    other = dataclasses.replace(m, body_mass=2 * m.body_mass.numpy())
    assert other.body("ball").mass.numpy()[0] == 2 * m.body("ball").mass.numpy()[0]
    assert other.key("bent").qpos.numpy()[11] == 0.5
    m, d = mjw.load(MODEL, nworld=2)
    assert m.tendon("sum").id == 1 and d.sensor("how").data.shape == (2, 4) and m.light("torch").id == 1


def test_the_end_of_a_path_is_enough_where_only_one_ends_so(device):
    """Labels of Newton's importers are paths; of two legs the path has to say which."""
    legs = "".join(f'<body name="{side}"><joint name="hip"/><geom size=".1"/></body>'.replace('name="hip"', f'name="{side}/hip"') for side in ("left", "right"))
    m, d = mjw.load(f'<mujoco><worldbody><body name="robot/torso"><freejoint/><geom size=".1"/>{legs}</body></worldbody></mujoco>', nworld=2, device=device)
    assert m.body("torso").name == "robot/torso" and m.joint("left/hip").id == 1
    assert d.joint("right/hip").qpos.shape == (2, 1)
    with pytest.raises(ModelError, match=r"m\.joint: got 'hip'; allowed: .*'left/hip', 'right/hip'"):
        m.joint("hip")
