"""Sweep and prune: the same contacts to the bit as all pairs, its sort, its room, and when it is chosen."""

import mujoco
import numpy as np
import pytest
import warp as wp
from launching import launch_worlds
from paths import shared_model

import newtonish
from newtonish import mjw
from newtonish.common.enums import BroadphaseType, OverflowType
from newtonish.convert import convert
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError
from newtonish.kernels.collision.filter import geom_pairs
from newtonish.kernels.collision.sort import NETWORK, ordered, sort_keys
from newtonish.mjw.tables.broadphase import MANY_GEOMS

NXN, SWEEP = BroadphaseType.NXN, BroadphaseType.SAP_TILE
KINDS = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".06 .1"',
    "box": 'type="box" size=".1 .08 .05"',
    "mesh": 'type="mesh" mesh="stone"',
    "cylinder": 'type="cylinder" size=".08 .06"',
    "ellipsoid": 'type="ellipsoid" size=".1 .08 .05"',
}
STONE = '<mesh name="stone" vertex="-.1 -.1 -.05  .1 -.1 -.05  0 .1 -.05  0 0 .12  .05 .05 .1"/>'
HILLS = f'<hfield name="hills" nrow="6" ncol="6" size="1 1 .2 .1" elevation="{" ".join(str(k * 7 % 5) for k in range(36))}"/>'
SPECIAL = """<contact><pair geom1="ball0" geom2="ball1" margin="9"/><pair geom1="ball3" geom2="ball2" margin="9"/>
<pair geom1="ball4" geom2="floor"/><exclude body1="b4" body2="b5"/><exclude body1="b7" body2="b6"/></contact>"""


def pile(count: int, kinds=tuple(KINDS), special: str = SPECIAL, flags: str = "") -> mujoco.MjModel:
    """Bodies of two geoms, each with a swinging child, in a heap on a plane and a heightfield."""
    rng = np.random.default_rng(0)
    bodies = ""
    for i in range(count):
        x, y, z = rng.uniform(0, 0.25 * count ** (1 / 3), 3)
        turn = " ".join(map(str, rng.uniform(0, 180, 3)))
        masks = 'contype="2" conaffinity="3"' if i % 5 == 0 else ""
        bodies += (
            f'<body name="b{i}" pos="{x} {y} {z}" euler="{turn}"><freejoint/><geom {KINDS[kinds[i % len(kinds)]]} margin="{0.01 * (i % 2)}" {masks}/>'
            f'<geom name="ball{i}" type="sphere" size=".05" pos=".1 0 0"/><body pos="0 .1 0"><joint axis="1 0 0"/><geom size=".04"/></body></body>'
        )
    world = '<geom name="floor" type="plane" size="9 9 .1"/><geom type="hfield" hfield="hills"/><geom size=".3" contype="0" conaffinity="0"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><option>{flags}</option><asset>{STONE}{HILLS}</asset><worldbody>{world}{bodies}</worldbody>{special}</mujoco>"
    )


def both(source, device, steps=1, nworld=3, **capacity):
    """The two broadphases on the same unequal worlds."""
    result = []
    for kind in (NXN, SWEEP):
        m = mjw.put_model(source, device=device, broadphase=kind, strict=False)
        d = mjw.make_data(m, nworld, **{"nconmax": 600, **capacity})
        qpos = d.qpos.numpy().copy()
        qpos[1:] += 0.05 * np.random.default_rng(1).standard_normal(qpos[1:].shape)
        d.qpos.assign(qpos)
        for _ in range(steps):
            mjw.step(m, d)
        result.append((m, d))
    return result


def same_bits(all_pairs, swept):
    np.testing.assert_array_equal(all_pairs.ncon.numpy(), swept.ncon.numpy())
    for name in ("dist", "pos", "frame", "geom", "friction", "solref", "includemargin", "efc_address"):
        ours, theirs = (np.asarray(getattr(d.contact, name).numpy()) for d in (swept, all_pairs))
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
    np.testing.assert_array_equal(all_pairs.qpos.numpy(), swept.qpos.numpy())


@pytest.mark.parametrize("flags", ["", '<flag filterparent="disable"/>', '<flag override="enable"/>'])
def test_the_same_bits_as_all_pairs(flags, device):
    (_, a), (_, b) = both(pile(40, flags=flags), device, steps=5)
    same_bits(a, b)
    assert (a.ncon.numpy() > 60).all()
    assert len(set(a.ncon.numpy().tolist())) > 1


@pytest.mark.filterwarnings("ignore::newtonish.NewtonishWarning")
@pytest.mark.parametrize("path", ["dm_humanoid/humanoid.xml", "barkour_vb/scene_hfield_mjx.xml", "unitree_g1/scene.xml", "sleep_dominos"])
def test_the_same_bits_in_models_of_others(path, device):
    file = shared_model(path)
    for one in [file] if file.is_file() else sorted(file.glob("*.xml")):
        (_, a), (_, b) = both(mujoco.MjModel.from_xml_path(str(one)), device, steps=20)
        same_bits(a, b)


def test_the_filters_of_a_model_under_newtons_names(device):
    """Groups become masks, named pairs that masks would let meet are dropped: both broadphases keep to Newton's rules."""
    builder = newtonish.ModelBuilder()
    builder.add_ground_plane()
    groups = {0: builder.shape_collision_group[0]}
    for i in range(12):
        body = builder.add_body(xform=(0.3 * (i % 4), 0.3 * (i // 4), 0.2, 0, 0, 0, 1))
        group = (1, 2, -1, -2, 0)[i % 5]
        groups[builder.add_shape_sphere(body, radius=0.25, cfg=builder.ShapeConfig(collision_group=group))] = group
    named = {(0, 3), (1, 2), (1, 5), (2, 3), (2, 9), (3, 4), (7, 8)}
    for first, second in named:
        builder.add_shape_collision_filter_pair(second, first)

    def groups_meet(a, b):
        return a != 0 and b != 0 and (a == b if a > 0 and b > 0 else a != b)

    dropped = sorted(pair for pair in named if groups_meet(groups[pair[0]], groups[pair[1]]))
    compiled = convert(builder.finalize())
    assert compiled.geom_filter_pairs.tolist() == [list(pair) for pair in dropped]
    assert 4 < len(dropped) < len(named)
    (_, a), (_, b) = both(compiled, device)
    same_bits(a, b)
    for world, count in enumerate(b.ncon.numpy().tolist()):
        touching = {tuple(sorted(pair)) for pair in b.contact.geom.numpy()[world, :count].tolist()}
        assert len(touching) > 5
        assert all(groups_meet(groups[one], groups[other]) for one, other in touching)
        assert not touching & named


def test_no_contact_without_contacts(device):
    for flags in ('<flag contact="disable"/>', '<flag constraint="disable"/>'):
        (_, a), (_, b) = both(pile(5, special="", flags=flags), device)
        assert not a.ncon.numpy().any() and not b.ncon.numpy().any()


def test_room_for_near_pairs_grows(device):
    mjm = pile(30, special="", kinds=("sphere",))
    mjm.geom_margin[3:] = 0.3  # everything is near everything
    m = mjw.put_model(mjm, device=device, broadphase=SWEEP)
    d = mjw.make_data(m, 2, nconmax=20000)
    room = d.near.key.shape[1]
    if d.device.is_cuda:
        mjw.forward(m, d)
        with pytest.warns(NewtonishWarning, match="near pairs of geoms wanted, .*near pairs of geoms left out"):
            mjw.check_capacity(m, d)
        assert (d.overflow.numpy() & int(OverflowType.BROADPHASE)).all()
        mjw.reset_data(m, d)
    mjw.forward(m, d)  # a CPU begins again with more
    assert d.near.key.shape[1] > room and not d.overflow.numpy().any()
    exact = mjw.put_model(mjm, device=device, broadphase=NXN)
    other = mjw.make_data(exact, 2, nconmax=20000)
    mjw.forward(exact, other)
    same_bits(other, d)


def test_chosen_by_size_and_by_name(device):
    few, many = pile(5, special=""), pile(MANY_GEOMS // 3 + 1, special="")
    assert mjw.put_model(few, device=device).opt.broadphase == NXN
    swept = mjw.put_model(many, device=device)
    assert swept.opt.broadphase == SWEEP
    assert swept.size.ncollide == 0
    geom1, geom2, *_ = geom_pairs(many)
    assert swept.contact_bound >= mjw.put_model(many, device=device, broadphase=NXN).contact_bound > len(geom1) == len(geom2)
    with pytest.raises(ModelError, match=r"broadphase: got 7; allowed: NXN \(0\), SAP_TILE \(1\)"):
        mjw.put_model(few, device=device, broadphase=7)
    d = mjw.make_data(swept, 1)
    swept.opt.broadphase = NXN
    with pytest.raises(UnsupportedError, match=r"broadphase: got NXN \(0\).*put_model"):
        mjw.forward(swept, d)


def test_a_model_of_all_pairs_may_be_swept_later(device):
    mjm = pile(10)
    m = mjw.put_model(mjm, device=device, broadphase=NXN)
    d, before = mjw.make_data(m, 2, nconmax=300), mjw.make_data(m, 2, nconmax=300)
    mjw.forward(m, before)
    m.opt.broadphase = int(SWEEP)
    mjw.forward(m, d)
    same_bits(before, d)
    assert d.near.needed.numpy().min() > 0


@wp.func_native(
    """
    long long* a = (long long*)keys.data;
    const int lane = 0, lanes = 1;
"""
    + NETWORK.replace("SYNC();", "")
)
def sort_by_network(keys: wp.array(dtype=wp.int64), n: int): ...


@wp.kernel(enable_backward=False)
def _sort(keys: wp.array(dtype=wp.int64), n: int):
    sort_keys(keys, n)


@wp.kernel(enable_backward=False)
def _sort_by_network(keys: wp.array(dtype=wp.int64), n: int):
    sort_by_network(keys, n)


@wp.kernel(enable_backward=False, module="unique")  # not compiled with what needs the lanes of a world
def _ordered(x: wp.array(dtype=float), result: wp.array(dtype=int)):
    i = wp.tid()
    result[i] = ordered(x[i])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 100, 257, 1000])
def test_sorting(n, device):
    keys = np.random.default_rng(n).integers(-(2**62), 2**62, n + 3)
    expected = np.concatenate([np.sort(keys[:n]), keys[n:]])  # what lies behind stays
    kernels = [_sort] if wp.get_device(device).is_cuda else [_sort, _sort_by_network]
    for kernel in kernels:
        array = wp.array(keys, dtype=wp.int64, device=device)
        launch_worlds(kernel, 1, [array, n], device)
        np.testing.assert_array_equal(array.numpy(), expected)


def test_integers_in_the_order_of_numbers(device):
    x = np.array([-np.inf, -1e15, -2.5, -1e-30, 0.0, 1e-30, 1.0, 1.5, 1e15, np.inf], dtype=np.float32)
    result = wp.zeros(len(x), dtype=int, device=device)
    wp.launch(_ordered, len(x), [wp.array(x, device=device), result], device=device)
    assert (np.diff(result.numpy().astype(np.int64)) > 0).all()


def test_swept_contacts_pull_and_carry_like_listed_ones(device):
    """Adhesion and moving surfaces follow the contacts, whichever way their geoms were found."""
    xml = """<mujoco><worldbody><geom name="belt" type="box" size="2 2 .1" surfacevel="1 .5 0 0 0 .3"/>
        <body pos="0 0 .19"><freejoint/><geom size=".1" adhesion="3"/></body>
        <body pos=".5 0 .19"><freejoint/><geom type="capsule" size=".1 .1" euler="90 0 0"/></body></worldbody></mujoco>"""
    results = []
    for kind in (mjw.BroadphaseType.NXN, mjw.BroadphaseType.SAP_TILE):
        m = mjw.put_model(mujoco.MjModel.from_xml_string(xml), broadphase=kind, device=device)
        d = mjw.make_data(m, 2)
        qpos = d.qpos.numpy()
        qpos[1, 2] -= 0.01
        d.qpos.assign(qpos)
        for _ in range(5):
            mjw.step(m, d)
        assert d.ncon.numpy().min() >= 2
        results.append([array.numpy() for array in (d.contact.adhesion, d.contact.surfacevel, d.qpos, d.qvel)])
    assert np.any(results[0][0]) and np.any(results[0][1])
    for listed, swept in zip(*results, strict=True):
        np.testing.assert_array_equal(listed, swept)
