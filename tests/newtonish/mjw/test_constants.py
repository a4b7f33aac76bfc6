"""``set_const`` in unequal worlds against MuJoCo's ``mj_setConst`` of each world's model, from both entrances."""

import dataclasses

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model

from newtonish import mjw
from newtonish.errors import ModelError, NewtonishWarning

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

XML = """
<mujoco>
  <worldbody>
    <body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="s1" pos=".1 0 .1"/>
      <body name="b" pos=".3 0 0"><joint name="j2" axis="0 1 0" range="-1 1" limited="true"/><geom type="box" size=".1 .1 .1"/>
        <geom name="pin" type="cylinder" size=".03 .1" pos=".1 0 .05" zaxis="0 1 0"/><site name="s2" pos=".2 0 0"/></body></body>
    <body name="f" pos="1 0 1"><freejoint/><geom type="capsule" size=".1 .2"/><site name="s3" pos="0 .2 0"/></body>
    <body name="g" pos="1 1 1"><joint type="ball"/><geom type="ellipsoid" size=".1 .2 .05" pos=".1 0 0"/></body>
  </worldbody>
  <tendon>
    <spatial name="t" range="0 2" limited="true"><site site="s1"/><geom geom="pin"/><site site="s2"/><pulley divisor="2"/>
      <site site="s2"/><site site="s3"/></spatial>
    <fixed name="tf" range="-1 1" limited="true"><joint joint="j1" coef="2"/><joint joint="j2" coef="-.5"/></fixed>
  </tendon>
  <equality><connect body1="a" body2="f" anchor="0 0 .1"/><weld body1="b" body2="f" anchor=".1 0 0"/><weld body1="b" body2="g" relpose=".1 0 0 1 0 0 0"/></equality>
  <actuator><motor joint="j1" gear="3"/><muscle tendon="t" lengthrange=".1 .5"/><position joint="j2" kp="4"/><motor site="s2" gear="1 0 0 0 0 1"/></actuator>
</mujoco>
"""
NAMES = (
    "body_subtreemass", "geom_rbound", "tendon_length0", "eq_data", "dof_invweight0", "body_invweight0", "tendon_invweight0",
    "actuator_acc0",
)  # fmt: skip


def edit(name: str, array: np.ndarray, world: int, simple: np.ndarray) -> np.ndarray:
    """Another value of a field in each world; ``array`` is of one world, ``simple`` tells bodies whose inertia must not shift."""
    f = 1.0 + 0.5 * world
    scaled = ("body_mass", "body_inertia", "actuator_gear")
    shifted = {"dof_armature": 0.1, "body_ipos": 0.02, "site_pos": 0.03, "body_pos": 0.05, "geom_size": 0.01}
    if name in scaled:
        return array * f
    result = array + shifted[name] * world
    if name in ("body_ipos", "body_pos"):
        fixed = simple.astype(bool) if name == "body_ipos" else np.zeros(len(array), dtype=bool)
        fixed[0] = True
        result[fixed] = array[fixed]
    return result


EDITED = ("body_mass", "body_inertia", "actuator_gear", "dof_armature", "body_ipos", "site_pos", "body_pos", "geom_size")


def load(name: str) -> mujoco.MjModel:
    if name == "zoo":
        return mujoco.MjModel.from_xml_string(XML)
    return mujoco.MjModel.from_xml_path(str(OWN / name if "/" not in name else shared_model(name)))


@pytest.mark.parametrize("entrance", ["put_model", "load"])
@pytest.mark.parametrize("name", ["zoo", "smooth_zoo.xml", "spatial_tendons.xml", "equality_zoo.xml", "dm_humanoid/humanoid.xml"])
def test_constants_follow_edits_world_by_world(name, entrance, device):
    model = load(name)
    if entrance == "load":
        source = XML if name == "zoo" else str(OWN / name if "/" not in name else shared_model(name))
        m, d = mjw.load(source, nworld=3, device=device)
    else:
        m = mjw.put_model(model, strict=False, device=device)
        d = mjw.make_data(m, 3)
    oracles = [load(name) for _ in range(3)]
    for field in EDITED:
        array = getattr(m, field)
        if not array.size:
            continue
        given = [getattr(other, field) for other in oracles]
        for world, other in enumerate(oracles):
            getattr(other, field)[:] = edit(field, given[world].copy(), world, model.body_simple)
        # armature of actuators is in the joints' on the device, so there the change is added
        first = getattr(m, field).numpy()[0]
        setattr(m, field, np.stack([edit(field, first.astype(np.float64), w, model.body_simple) for w in range(3)]).astype(np.float32))
    mjw.set_const(m, d)
    for world, other in enumerate(oracles):
        mujoco.mj_setConst(other, mujoco.MjData(other))
        for field in NAMES:
            array = getattr(m, field)
            if not array.size:
                continue
            ours = array.numpy()[min(world, len(array) - 1)].ravel()
            theirs = np.asarray(getattr(other, field), dtype=np.float64).ravel()
            if field == "geom_rbound":  # MuJoCo leaves it to the user
                theirs = bounding_radius(other, ours)
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6, err_msg=f"{field}, world {world}")


BALLS = """<mujoco><worldbody><body name="torso" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" mass="10"/>
    <camera name="t" pos="2 0 1" mode="track"/><camera name="com" pos="2 0 1" mode="trackcom"/><light name="l" mode="trackcom" pos=".1 .2 .3" dir="1 0 -1"/>
    <body name="arm" pos=".2 0 0" quat=".9 .1 .2 .1"><joint name="twist" axis="1 0 .2" pos="0 .1 0"/><joint name="shoulder" type="ball" pos=".05 .1 0"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05" mass="2"/><camera name="hand" pos=".1 0 0" euler="10 20 30"/>
      <body name="forearm" pos=".3 0 0"><joint name="elbow" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .25 0 0" size=".04" mass="1"/>
        <site name="s" pos=".2 .05 0"/><light name="torch" pos=".1 0 0" dir="1 0 0"/></body></body></body>
    <body name="post" pos="1 0 1"><joint type="ball"/><geom size=".1" pos=".1 0 0"/><site name="p" pos=".1 .1 0"/></body></worldbody>
  <tendon><spatial name="t"><site site="s"/><site site="p"/></spatial></tendon>
  <equality><connect body1="forearm" body2="post" anchor=".1 0 0"/><weld body1="arm" body2="post"/></equality>
  <actuator><motor joint="elbow"/><motor joint="shoulder" gear="1 2 3"/><general jointinparent="shoulder" gear="3 1 2"/><motor tendon="t"/>
    <general site="s" refsite="p" gear="1 0 0 0 1 0"/></actuator></mujoco>"""
MOUNTED = ("cam_pos0", "cam_poscom0", "cam_mat0", "light_pos0", "light_poscom0", "light_dir0")


@pytest.mark.parametrize("entrance", ["put_model", "load"])
def test_constants_follow_reference_poses_of_balls_world_by_world(entrance, device):
    """Also of balls that are not at their body's origin, follow a hinge, or whose quaternion is not normalized."""
    turns = ([1.0, 0.0, 0.0, 0.0], [0.9, 0.1, 0.3, 0.1], [0.4, -0.8, 1.2, 0.3])
    oracles = [mujoco.MjModel.from_xml_string(BALLS) for _ in turns]
    m, d = mjw.load(BALLS, nworld=3, device=device) if entrance == "load" else (mjw.put_model(oracles[0], device=device), None)
    d = d or mjw.make_data(m, 3)
    for oracle_model, turn in zip(oracles, turns, strict=True):
        oracle_model.qpos0[8:12], oracle_model.qpos0[13:17] = turn, turn[::-1]
        oracle_model.qpos0[:7] = [0.1, 0.2, 0.9, *turn]
        mujoco.mj_setConst(oracle_model, mujoco.MjData(oracle_model))
    m.qpos0 = np.stack([o.qpos0 for o in oracles]).astype(np.float32)
    mjw.set_const(m, d)
    for world, oracle_model in enumerate(oracles):
        for field in (*NAMES, *MOUNTED):
            if field == "geom_rbound":
                continue
            array = getattr(m, field).numpy()
            ours, theirs = array[min(world, len(array) - 1)].ravel(), np.asarray(getattr(oracle_model, field)).ravel()
            np.testing.assert_allclose(ours, theirs, rtol=5e-5, atol=5e-6, err_msg=f"{field}, world {world}")
    assert len(m.dof_invweight0) == 3 and len(m.cam_mat0) == 3


def bounding_radius(model: mujoco.MjModel, ours: np.ndarray) -> np.ndarray:
    """What MuJoCo's compiler gives a geom of this size; our own number for meshes and planes."""
    result = ours.astype(np.float64).copy()
    for i, (kind, size) in enumerate(zip(model.geom_type, model.geom_size, strict=True)):
        text = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box"}.get(int(kind))
        if text:
            xml = f'<mujoco><worldbody><geom type="{text}" size="{" ".join(map(repr, map(float, size)))}"/></worldbody></mujoco>'
            result[i] = mujoco.MjModel.from_xml_string(xml).geom_rbound[0]
    return result


def test_the_groups_are_what_they_say(device):
    m = mjw.put_model(load("zoo"), device=device)
    d = mjw.make_data(m, 2)
    before = {name: getattr(m, name).numpy().copy() for name in NAMES}
    m.body_mass = np.repeat(m.body_mass.numpy(), 2, axis=0) * np.array([[1.0], [3.0]], np.float32)
    mjw.set_const_fixed(m, d)
    assert len(m.body_subtreemass) == 2 and np.array_equal(m.body_invweight0.numpy(), before["body_invweight0"])
    mjw.set_const(m, d, mjw.SetConstGroup.KIN0)
    assert np.array_equal(m.body_invweight0.numpy(), before["body_invweight0"])
    mjw.set_const_0(m, d)
    np.testing.assert_allclose(m.dof_invweight0.numpy()[0], before["dof_invweight0"][0], rtol=1e-6)
    assert (m.dof_invweight0.numpy()[1, :5] < before["dof_invweight0"][0, :5]).all()
    ipos = m.body_ipos.numpy()
    ipos[:, 3] = 0.1  # "f", a ball of its own with a diagonal inertia
    m.body_ipos = ipos
    with pytest.raises(ModelError, match=r"body 3 'f'.*body_ipos"):
        mjw.set_const(m, d)
    with pytest.raises(ModelError, match="set_const: groups"):
        mjw.set_const(m, d, 8)


REFLECTED = """<mujoco><option timestep=".005"/><worldbody><body><joint name="a" axis="0 1 0" damping=".1" armature=".02"/><geom size=".1" pos=".3 0 0"/>
  <body pos=".5 0 0"><joint name="b" axis="0 1 0"/><geom size=".08" pos=".2 0 0"/><site name="s" pos=".3 0 0"/></body></body><site name="w" pos="0 0 1"/></worldbody>
  <tendon><spatial name="t" armature=".01"><site site="w"/><site site="s"/></spatial></tendon>
  <actuator><motor joint="a" gear="3" armature=".01" damping=".2"/><motor tendon="t" gear="-2" armature=".02" damping=".3"/>
  <position joint="b" kp="5" gear="1.5" armature=".005" damping=".1 .05 .02"/></actuator></mujoco>"""


@pytest.mark.parametrize("entrance", ["put_model", "load"])
def test_reflected_damping_and_armature_follow_gears(entrance, device):
    mjm = mujoco.MjModel.from_xml_string(REFLECTED)
    if entrance == "load":
        m, d = mjw.load(REFLECTED, nworld=3, device=device)
    else:
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, 3)
    gear = np.repeat(m.actuator_gear.numpy(), 3, axis=0)
    for factors in ((1.0, 2.0, 0.5), (0.7, 1.0, 2.5)):  # the second time from the gears of the first
        changed = gear * np.array(factors, np.float32)[:, None, None]
        m.actuator_gear = changed
        mjw.set_const(m, d)
    d.ctrl.fill_(0.4)
    d.qvel.fill_(0.5)
    for _ in range(5):
        mjw.step(m, d)
    for world, factor in enumerate(factors):
        mjd, own = mujoco.MjData(mjm), mujoco.MjModel.from_xml_string(REFLECTED)
        own.actuator_gear *= factor
        mujoco.mj_setConst(own, mujoco.MjData(own))
        for name in ("actuator_acc0", "dof_invweight0", "tendon_invweight0"):
            ours = getattr(m, name).numpy()[world]
            np.testing.assert_allclose(ours, getattr(own, name), rtol=2e-5, err_msg=f"{name}, world {world}")
        mjd.ctrl[:], mjd.qvel[:] = 0.4, 0.5
        for _ in range(5):
            mujoco.mj_step(own, mjd)
        oracle.close("qvel", d.qvel.numpy()[world], mjd.qvel, oracle.SOLVER, world)


def test_bounds_follow_sizes_of_geoms_and_heightfields(device: str) -> None:
    kinds = {"sphere": ".1", "capsule": ".1 .2", "cylinder": ".1 .3", "ellipsoid": ".1 .2 .3", "box": ".3 .2 .1"}
    geoms = "".join(f'<geom type="{kind}" size="{size}"/>' for kind, size in kinds.items())
    fields = '<hfield name="low" nrow="2" ncol="2" size="1 2 .5 .1"/><hfield name="high" nrow="2" ncol="2" size="3 1 .1 .7"/>'
    mjm = mujoco.MjModel.from_xml_string(f"""<mujoco><asset>{fields}</asset><worldbody><geom type="plane" size="2 3 .1"/>
        <geom type="hfield" hfield="high"/><geom type="hfield" hfield="low"/><body><freejoint/>{geoms}</body></worldbody></mujoco>""")
    m = mjw.put_model(mjm, {"geom_size": 2, "hfield_size": 2}, device=device)
    d = mjw.make_data(m, 2)
    size, field, factors = m.geom_size.numpy(), m.hfield_size.numpy(), (1.5, 0.5)
    for w, factor in enumerate(factors):
        size[w, 3:] *= factor
        field[w] *= 2.0 * factor
    m.geom_size.assign(size)
    m.hfield_size.assign(field)
    mjw.set_const(m, d)
    for w in range(2):
        mjm.geom_size[3:], mjm.hfield_size[:] = size[w, 3:], field[w]
        mujoco.mj_setConst(mjm, mujoco.MjData(mjm))
        for name in ("geom_size", "geom_rbound", "geom_aabb"):
            ours = getattr(m, name).numpy()[w].reshape(getattr(mjm, name).shape)
            np.testing.assert_allclose(ours, getattr(mjm, name), rtol=1e-6, atol=1e-7, err_msg=f"{name}, world {w}")


OUTPUTS = ("actuator_damping", "actuator_dampingpoly", "actuator_armature")


def actuators_own(mjm: mujoco.MjModel, factors: tuple[float, ...]) -> dict[str, np.ndarray]:
    """Damping and armature of actuators in worlds that differ, some where the model has none."""
    given = {name: np.asarray(getattr(mjm, name)) for name in OUTPUTS}
    offset = {"actuator_damping": [0.0, 0.0, 0.3], "actuator_dampingpoly": [[0.02, 0.0], [0.0, 0.01], [0.0, 0.0]], "actuator_armature": [0.0, 0.0, 0.01]}
    return {name: np.stack([f * (given[name] + (f - 1.0) * np.array(offset[name])) for f in factors]).astype(np.float32) for name in OUTPUTS}


@pytest.mark.parametrize("way", ["by name", "in place", "by name, gears later"])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_damping_and_armature_of_actuators_are_fields_of_each_world(integrator: str, way: str, device: str) -> None:
    xml, factors = REFLECTED.replace("<option", f'<option integrator="{integrator}"'), (1.0, 2.0, 3.5)
    mjm = mujoco.MjModel.from_xml_string(xml)
    m = mjw.put_model(mjm, dict.fromkeys((*OUTPUTS, "actuator_gear"), 3), device=device)
    d = mjw.make_data(m, 3)
    for name in OUTPUTS:
        np.testing.assert_allclose(getattr(m, name).numpy(), np.repeat(np.asarray(getattr(mjm, name))[None], 3, axis=0), rtol=1e-6)
    values, last = actuators_own(mjm, factors), actuators_own(mjm, (2.0, 0.6, 1.0))
    for chosen in (last, values):  # the second time from what the first one left
        for name, value in chosen.items():
            if way == "in place":
                getattr(m, name).assign(value)
            else:
                setattr(m, name, value)
        mjw.forward(m, d)
    mjw.reset_data(m, d)
    gears = np.array([1.0, 0.5, 2.0] if way.endswith("later") else [1.0, 1.0, 1.0], np.float32)
    changed = m.actuator_gear.numpy() * gears[:, None, None]
    if way == "by name":
        m.actuator_gear = changed
    else:
        m.actuator_gear.assign(changed)
    d.ctrl.fill_(0.4)
    d.qvel.fill_(0.5)
    for _ in range(5):
        mjw.step(m, d)
    speeds = []
    for world in range(3):
        own = mujoco.MjModel.from_xml_string(xml)
        for name in OUTPUTS:
            getattr(own, name)[:] = values[name][world]
        own.actuator_gear *= gears[world]
        mjd = mujoco.MjData(own)
        mjd.ctrl[:], mjd.qvel[:] = 0.4, 0.5
        for _ in range(5):
            mujoco.mj_step(own, mjd)
        oracle.close("qvel", d.qvel.numpy()[world], mjd.qvel, oracle.SOLVER, world)
        speeds.append(mjd.qvel.copy())
    assert np.abs(np.diff(speeds, axis=0)).min() > 1e-3  # it matters


def test_a_copy_of_a_model_keeps_what_its_actuators_add(device: str) -> None:
    m = mjw.put_model(mujoco.MjModel.from_xml_string(REFLECTED), device=device)
    other = dataclasses.replace(m)
    before, own = m.dof_armature.numpy(), m.actuator_armature.numpy()
    other.actuator_armature = 3.0 * own
    np.testing.assert_array_equal(m.dof_armature.numpy(), before)
    m.actuator_armature = own  # as it was
    np.testing.assert_array_equal(m.dof_armature.numpy(), before)
    assert (other.dof_armature.numpy() > before).all()


def test_steps_with_edited_masses_are_mujocos(device):
    """The softness of limits and contacts follows the masses."""
    path = shared_model("dm_humanoid/humanoid.xml")
    pair = oracle.load(path, nworld=3, device=device)
    oracle.advance(pair, 120)
    factors = (0.7, 1.0, 2.5)
    for name in ("body_mass", "body_inertia"):
        base = getattr(pair.m, name).numpy()
        setattr(pair.m, name, np.concatenate([base * factor for factor in factors]).astype(np.float32))
    mjw.set_const(pair.m, pair.d)
    for _ in range(3):
        mjw.step(pair.m, pair.d)
    for world, (mjd, factor) in enumerate(zip(pair.mjds, factors, strict=True)):
        model = mujoco.MjModel.from_xml_path(str(path))
        model.opt.enableflags = 0
        model.body_mass[:] *= factor
        model.body_inertia[:] *= factor
        mujoco.mj_setConst(model, mujoco.MjData(model))
        for _ in range(3):
            mujoco.mj_step(model, mjd)
        oracle.close("qvel", pair.d.qvel.numpy()[world], mjd.qvel, oracle.SOLVER, world)


def test_a_world_without_inertia_is_refused(device):
    m = mjw.put_model(load("zoo"), device=device)
    d = mjw.make_data(m, 2)
    m.body_mass, m.body_inertia = np.zeros((1, m.nbody), np.float32), np.zeros((1, m.nbody, 3), np.float32)
    with pytest.raises(ModelError, match="not positive definite"):
        mjw.set_const(m, d)
    assert isinstance(m.body_invweight0, wp.array)


def test_restore_false_warns_and_leaves_the_data_as_they_are():
    mjm = mujoco.MjModel.from_xml_string('<mujoco><worldbody><body><joint/><geom size=".1" pos=".2 0 0"/></body></worldbody></mujoco>')
    m = mjw.put_model(mjm)
    d = mjw.make_data(m, nworld=2)
    d.qpos.assign(np.array([[0.3], [-0.2]], np.float32))
    for set_const in (mjw.set_const, mjw.set_const_0):
        with pytest.warns(NewtonishWarning, match="restore=False, which has no effect"):
            set_const(m, d, restore=False)
    np.testing.assert_array_equal(d.qpos.numpy(), np.array([[0.3], [-0.2]], np.float32))
