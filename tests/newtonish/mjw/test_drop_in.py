"""Scripts written for mujoco_warp: names, options, fields, contacts and capacities mean what they mean there."""

import dataclasses
import subprocess
import sys
import warnings

import mujoco
import mujoco_warp
import numpy as np
import oracle
import pytest
import warp as wp

from newtonish import ModelError, NewtonishWarning, mjw

ARM = """<mujoco><option timestep=".002"/><asset><mesh name="m" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset><worldbody>
<geom type="plane" size="5 5 .1" rgba=".1 .2 .3 1"/>
<body pos="0 0 .3"><joint name="a" axis="0 1 0" damping=".1"/><geom size=".05" pos=".2 0 0"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="mesh" mesh="m"/></body></body>
<body pos="0 1 .04"><freejoint/><geom size=".05"/></body></worldbody>
<actuator><motor joint="a" gear="3" armature=".3" damping=".2"/><motor joint="b" armature=".05" damping=".01"/></actuator>
<keyframe><key qpos=".1 .2 0 1 .04 1 0 0 0"/></keyframe></mujoco>"""
BOXES = (
    '<mujoco><option timestep=".002"/><worldbody><geom type="plane" size="5 5 .1"/>'
    + "".join(f'<body pos="{0.3 * i} 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for i in range(8))
    + "</worldbody></mujoco>"
)
WITHOUT_EFFECT = (
    "broadphase_filter", "ccd_tolerance", "contact_sensor_maxmatch", "deterministic", "graph_conditional", "run_qacc_smooth",
    "warn_overflow",
)  # fmt: skip


NOT_SIMULATED = {("GeomType", "FLEX"), ("GeomType", "TRIANGLE"), ("ObjType", "FLEX"), ("State", "NSTATE")}


@pytest.fixture
def mjm() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(ARM)


def test_every_public_name_is_there_or_the_page_says_why():
    """``docs/mjw.md`` lists functions; classes and enumerations are here all."""
    for name, value in vars(mujoco_warp).items():
        if isinstance(value, type) and not name.startswith("_"):
            assert hasattr(mjw, name), name
            for member in getattr(value, "__members__", {}):
                if (name, member) in NOT_SIMULATED:
                    continue
                assert int(getattr(mjw, name)[member]) == int(value[member]), f"{name}.{member}"


CLIENT = """
import importlib, sys
from newtonish import ModelError, mjw
assert mjw.install_as({name!r}) is mjw and mjw.install_as({name!r}) is mjw
client = importlib.import_module({name!r})
assert client is mjw and client.put_model is mjw.put_model
try:
    importlib.import_module({name!r} + "._src")
except ModuleNotFoundError:
    pass
else:
    raise AssertionError("private modules")
try:
    mjw.install_as("numpy")
except ModelError as error:
    assert "numpy, imported already from" in str(error), error
else:
    raise AssertionError("another package's name")
"""


@pytest.mark.parametrize("name", ("mujoco_warp", "an_engine_that_is_not_installed"))
def test_the_module_stands_under_another_name(name):
    subprocess.run([sys.executable, "-c", CLIENT.format(name=name)], check=True)


@pytest.mark.parametrize("name", ("newtonish", "mujoco_warp._src", "", 3))
def test_names_that_are_none_of_a_package_are_refused(name):
    with pytest.raises(ModelError, match=r"mjw\.install_as: name: got"):
        mjw.install_as(name)


def test_every_option_can_be_read_and_set(mjm, device):
    m = mjw.put_model(mjm, device=device)
    for field in dataclasses.fields(mujoco_warp.Option):
        value = getattr(m.opt, field.name)
        setattr(m.opt, field.name, value)
    assert set(WITHOUT_EFFECT) < {field.name for field in dataclasses.fields(mujoco_warp.Option)}


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_an_option_without_effect_says_so_once(name, mjm, device):
    m = mjw.put_model(mjm, device=device)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        setattr(m.opt, name, getattr(m.opt, name))
        assert not told
        setattr(m.opt, name, 3)
        setattr(m.opt, name, 4)
    assert len(told) == 1 and f"m.opt.{name}: got 3, which has no effect" in str(told[0].message)
    assert told[0].category is NewtonishWarning and getattr(m.opt, name) == 4


def test_options_that_mean_something(mjm, device):
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    m.opt.ccd_iterations = 12
    assert m.opt.ccd_iterations == 12 and m.hull.iterations == 12
    mjw.forward(m, d)
    assert d.ncon.numpy().min() >= 1 and not d.cfrc_int.numpy().any()
    m.opt.run_rne_postconstraint = True
    mjw.forward(m, d)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    mujoco.mj_rnePostConstraint(mjm, mjd)
    oracle.close("cfrc_int", d.cfrc_int.numpy()[1], mjd.cfrc_int, oracle.SOLVER, 1)
    m.opt.run_collision_detection = False
    d.contact.dist.fill_(-0.01)
    before = d.ncon.numpy()
    mjw.step(m, d)
    assert np.array_equal(d.ncon.numpy(), before) and np.all(d.contact.dist.numpy() == np.float32(-0.01))
    for name in ("run_collision_detection", "ccd_iterations"):
        with pytest.raises(ValueError, match=f"m.opt.{name}: got 'x'"):
            setattr(m.opt, name, "x")


@pytest.mark.parametrize("broadphase", list(mjw.BroadphaseType))
def test_every_broadphase_finds_the_contacts(broadphase, device):
    mjm = mujoco.MjModel.from_xml_string(BOXES)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    m.opt.broadphase = broadphase
    mjw.forward(m, d)
    assert d.ncon.numpy().tolist() == [32, 32]


def test_fields_and_replace(mjm, device):
    m = mjw.put_model(mjm, device=device)
    theirs = mujoco_warp.put_model(mjm)
    names = {field.name for field in dataclasses.fields(m)}
    assert names == {field.name for field in dataclasses.fields(mjw.Model)} and {"body_mass", "geom_rgba", "key_qpos"} < names
    batched = {name for name in names if getattr(getattr(m, name), "_is_batched", False)}
    known = {f.name for f in dataclasses.fields(theirs) if getattr(getattr(theirs, f.name), "_is_batched", False)}
    assert {"body_mass", "geom_rgba", "dof_damping", "actuator_armature", "qpos0"} < batched and "body_parentid" not in batched
    assert known & names <= batched
    heavy = dataclasses.replace(m, body_mass=2.0 * m.body_mass.numpy())
    heavy.opt.timestep = 0.01
    assert np.allclose(heavy.body_mass.numpy(), 2.0 * mjm.body_mass) and np.allclose(m.body_mass.numpy(), mjm.body_mass)
    assert m.opt.timestep.numpy()[0] == np.float32(0.002)
    d = mjw.make_data(heavy, 2)
    mjw.step(heavy, d)
    assert d.time.numpy()[1] == np.float32(0.01)


def test_arrays_of_quaternions_and_masks_of_integers(mjm, device):
    """mujoco_warp's type of a quaternion holds the same four numbers, w first."""
    m = mjw.put_model(mjm, batch_sizes={"body_quat": 2}, device=device)
    quat = np.tile(np.array([0.8, 0.6, 0.0, 0.0], dtype=np.float32), (2, mjm.nbody, 1))
    m.body_quat = wp.array(quat, dtype=wp.quat, device=device)
    np.testing.assert_array_equal(m.body_quat.numpy(), quat)
    d = mjw.make_data(m, 2)
    d.qvel.fill_(1.0)
    mjw.reset_data(m, d, wp.array([0, 1], dtype=wp.int32, device=device))
    np.testing.assert_array_equal(d.qvel.numpy()[:, 0], [1.0, 0.0])


def test_sizes_that_scripts_read(mjm, device):
    """Room for convex pairs and entries of rows; what mujoco_warp derives; activations' rates after a reset."""
    d = mjw.make_data(mjm, 3, nconmax=7, nccdmax=5)
    assert d.naccdmax == 15 and mjw.make_data(mjm, 1, naconmax=5).naccdmax == 5 and d.njmax_nnz >= d.njmax
    for arguments in ({"nconmax": 16, "nccdmax": 17}, {"naconmax": 16, "naccdmax": 17}):
        with pytest.raises(ModelError, match=f"{list(arguments)[1]}: got 17; allowed: at most {next(iter(arguments))}, 16"):
            mjw.make_data(mjm, 1, **arguments)
    m = mjw.put_model(mjm, device=device)
    theirs = mujoco_warp.put_model(mjm)
    for name in ("body_is_free", "body_fluid_ellipsoid"):
        np.testing.assert_array_equal(getattr(m, name).numpy(), np.asarray(getattr(theirs, name).numpy(), dtype=bool))
    assert m.nrangefinder == theirs.nrangefinder == 0 and not m.has_fluid
    assert all(getattr(m, name) == getattr(theirs, name) == 0 for name in ("nflex", "nflexvert", "nflexedge", "nflexelem"))
    d.overflow.fill_(int(mjw.OverflowType.NARROWPHASE))
    assert not (d.overflow.numpy() & int(mjw.OverflowType.CCD)).any()


def test_a_reset_clears_rates_of_activation(device):
    file = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
      <actuator><general joint="j" dyntype="filter" dynprm=".1"/></actuator></mujoco>"""
    m, d = mjw.load(file, nworld=2, device=device)
    d.ctrl.fill_(1.0)
    mjw.forward(m, d)
    mjw.reset_data(m, d, np.array([True, False]))
    assert d.act_dot.numpy()[:, 0].tolist() == [0.0, 10.0]


def test_fields_that_no_kernel_reads(mjm, device):
    m, theirs = mjw.put_model(mjm, device=device), mujoco_warp.put_model(mjm)
    for name in ("geom_rgba", "key_qpos", "mesh_vert", "mesh_face", "mesh_vertadr", "mat_rgba", "geom_aabb", "actuator_armature", "body_contype"):
        ours = getattr(m, name)
        assert ours.shape == getattr(theirs, name).shape and np.allclose(ours.numpy(), getattr(theirs, name).numpy()), name
    assert m.geom_rgba is m.geom_rgba and (m.nmesh, m.is_sparse) == (1, False)
    m.geom_rgba = np.ones((2, mjm.ngeom, 4))
    assert m.geom_rgba.shape == (2, mjm.ngeom)
    with pytest.raises(ValueError, match=r"Model\.geom_rgba: got array of shape"):
        m.geom_rgba = np.ones((2, mjm.ngeom + 1, 4))


def test_rays_pass_through_what_is_drawn_in_no_world(mjm, device):
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    mjw.forward(m, d)
    pnt, vec = (wp.array([[x]], dtype=wp.vec3, device=device) for x in ((0.2, 0.0, 1.0), (0.0, 0.0, -1.0)))
    found = []
    for alpha in ([1, 1], [1, 0], [0, 0]):  # of the ball, in each world
        rgba = np.ones((2, mjm.ngeom, 4))
        rgba[:, 1, 3] = alpha
        m.geom_rgba = rgba
        found.append(mjw.ray(m, d, pnt, vec)[1].numpy().ravel().tolist())
    assert found == [[1, 1], [1, 1], [0, 0]]


@pytest.mark.parametrize("name", ["actuator_armature", "actuator_damping"])
def test_what_actuators_add_to_joints_may_differ_between_worlds(name, mjm, device):
    m = mjw.put_model(mjm, {name: 2}, device=device)
    values = np.array([[0.3, 0.02], [0.1, 0.5]], dtype=np.float32)
    assert getattr(m, name).shape == (2, 2)
    setattr(m, name, values)
    d = mjw.make_data(m, 2)
    d.qvel.fill_(0.5)
    d.ctrl.fill_(0.2)
    mjw.forward(m, d)
    for world in range(2):
        getattr(mjm, name)[:] = values[world]
        mjd = mujoco.MjData(mjm)
        mjd.qvel[:], mjd.ctrl[:] = 0.5, 0.2
        mujoco.mj_forward(mjm, mjd)
        oracle.close("qacc", d.qacc.numpy()[world], mjd.qacc, oracle.SOLVER, world)


def test_fields_expanded_as_a_framework_does(mjm, device):
    """mjlab's way: an array of a row for each world, then written in place."""
    m = mjw.put_model(mjm, device=device)
    for field in dataclasses.fields(m):
        array = getattr(m, field.name)
        if isinstance(array, wp.array) and getattr(array, "_is_batched", False) and array.size:
            host = array.numpy()
            setattr(m, field.name, wp.array(np.repeat(host, 2, axis=0), dtype=array.dtype, ndim=array.ndim, device=device))
            assert getattr(m, field.name).shape[0] == 2, field.name
    d = mjw.make_data(m, 2)
    mjw.step(m, d)
    mass = m.body_mass.numpy()
    mass[1] *= 2.0
    m.body_mass.assign(mass)
    mjw.step(m, d)
    one = mjw.make_data(mjw.put_model(mjm, device=device), 1)
    mjw.step(mjw.put_model(mjm, device=device), one)
    assert np.isfinite(d.qpos.numpy()).all() and not np.array_equal(d.qacc.numpy()[0], d.qacc.numpy()[1])


def test_contacts_one_after_another(device):
    mjm = mujoco.MjModel.from_xml_string(BOXES)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 3)
    pose = d.qpos.numpy()
    pose[1, 2::7] = 5.0
    pose[2, 2::14] = 5.0
    d.qpos.assign(pose)
    mjw.forward(m, d)
    found = mjw.contact_list(d)
    assert found.nacon == int(d.nacon.numpy()[0]) == 48 and d.nacon.shape == (1,)
    assert found.worldid.numpy().tolist() == [0] * 32 + [2] * 16
    assert np.array_equal(found.dist.numpy()[32:], d.contact.dist.numpy()[2, :16])
    assert np.array_equal(found.geom.numpy()[:32], d.contact.geom.numpy()[0, :32])
    slots = d.contact.worldid
    assert slots.shape == d.contact.dist.shape and slots is d.contact.worldid
    assert np.array_equal(slots.numpy(), np.repeat([[0], [1], [2]], d.nconmax, axis=1))
    rows = found.efc_address.numpy()
    assert rows.shape == (48, 4) and np.array_equal(rows[:32, 0], d.contact.efc_address.numpy()[0, :32])
    assert sorted(rows[:32].ravel().tolist()) == list(range(128)) and sorted(rows[32:].ravel().tolist()) == list(range(64))
    force = wp.zeros(48, dtype=wp.spatial_vector, device=device)
    mjw.contact_force(m, d, found.id, True, force)
    assert force.numpy()[32:, 2].sum() == pytest.approx(4 * 8.0 * 9.81, rel=0.5)
    empty = mjw.contact_list(mjw.make_data(m, 2))
    assert empty.nacon == 0 and empty.frame.shape == (0,)


@pytest.mark.parametrize("capacity", [{"nconmax": 16}, {"naconmax": 128}, {"nconmax": 4, "naconmax": 128}])
@pytest.mark.parametrize("make", ["make_data", "put_data"])
def test_worlds_share_what_a_script_for_mujoco_warp_asks_for(capacity, make, device):
    """One world of eight has 32 contacts, twice its share; no box of it falls through the floor."""
    mjm = mujoco.MjModel.from_xml_string(BOXES)
    m = mjw.put_model(mjm, device=device)
    made = {"make_data": lambda: mjw.make_data(mjm, 8, njmax=160, **capacity)}
    made["put_data"] = lambda: mjw.put_data(mjm, mujoco.MjData(mjm), nworld=8, njmax=160, **capacity)
    d = made[make]()
    pose = d.qpos.numpy()
    pose[1:, 2::7] = 5.0
    d.qpos.assign(pose)
    mjd = mujoco.MjData(mjm)
    for _ in range(50):
        mjw.step(m, d)
        mujoco.mj_step(mjm, mjd)
    assert d.naconmax == 128 and not d.overflow.numpy().any()
    assert d.qpos.numpy()[0, 2::7] == pytest.approx(mjd.qpos[2::7], abs=1e-4)


def test_worlds_take_more_between_steps_until_all_is_shared_out(device):
    mjm = mujoco.MjModel.from_xml_string(BOXES)
    m = mjw.put_model(mjm, device=device)
    m.likely_contacts = 0  # so that the first estimate is too small
    d = mjw.make_data(m, 4, njmax=160, naconmax=80)
    slots = d.nconmax
    assert slots < 32
    pose = d.qpos.numpy()
    pose[2:, 2::7] = 5.0
    d.qpos.assign(pose)
    with pytest.warns(NewtonishWarning, match="contacts left out|the step was taken again"):
        mjw.forward(m, d)
        mjw.check_capacity(m, d)
    assert d.nconmax >= 32 and d.ncon.numpy()[:2].tolist() in ([32, 32], [slots, slots])
    mjw.forward(m, d)
    assert d.ncon.numpy().tolist() == [32, 32, 0, 0]
    crowded = mjw.make_data(m, 4, njmax=160, naconmax=80)
    with pytest.warns(NewtonishWarning, match="contacts left out"):
        mjw.forward(m, crowded)
        mjw.check_capacity(m, crowded)
    assert crowded.nconmax == slots and crowded.overflow.numpy().all()  # 128 wanted of 80


def test_slots_of_each_world_are_a_cap_with_a_model_of_ours(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(BOXES), device=device)
    d = mjw.make_data(m, 2, nconmax=16)
    assert (d.nconmax, d.naconmax) == (16, 32)
    with pytest.raises(ModelError, match="make_data: naconmax: got -1"):
        mjw.make_data(m, 2, naconmax=-1)
