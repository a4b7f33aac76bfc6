"""Speculative contacts against MuJoCo: when geoms meet, where, what hides it, and what the rows make of it."""

import mujoco
import numpy as np
import pytest

from newtonish import mjw
from newtonish.common.enums import BroadphaseType, EnableBit

SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".05 .15"',
    "ellipsoid": 'type="ellipsoid" size=".15 .1 .05"',
    "cylinder": 'type="cylinder" size=".1 .15"',
    "box": 'type="box" size=".1 .2 .05"',
    "mesh": 'type="mesh" mesh="ball"',
}
PLANE = '<geom type="plane" size="5 5 .1"/>'
SPHERE = '<body pos="0 0 .5"><freejoint/><geom size=".1" {}/></body>'
FALLING = [0, 0, -60, 0, 0, 0]


def loose(geom: str, pos: str = "0 0 .5") -> str:
    return f'<body pos="{pos}"><freejoint/><geom {geom}/></body>'


def compiled(world: str, option: str = "", flag: str = "", extra: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep=".01" gravity="0 0 0" tolerance="1e-12" {option}>
        <flag speculative="enable" {flag}/></option><asset><mesh name="ball" builtin="sphere" params="1" scale=".1 .1 .1"/></asset>
        <worldbody>{world}</worldbody>{extra}</mujoco>""")


def both(mjm: mujoco.MjModel, qvel, qpos=None, device=None, broadphase=None) -> tuple[mjw.Data, list[mujoco.MjData]]:
    """Forward dynamics of every world, ours and MuJoCo's."""
    qvel = np.array(qvel, dtype=np.float32)
    qpos = np.array(np.tile(mjm.qpos0, (len(qvel), 1)) if qpos is None else qpos, dtype=np.float32)
    m = mjw.put_model(mjm, device=device, broadphase=broadphase)
    d = mjw.make_data(m, len(qvel), nconmax=40)
    d.qpos.assign(qpos)
    d.qvel.assign(qvel)
    mjw.forward(m, d)
    mjds = [mujoco.MjData(mjm) for _ in qvel]
    for mjd, q, v in zip(mjds, qpos, qvel, strict=True):
        mjd.qpos[:], mjd.qvel[:] = q, v
        mujoco.mj_forward(mjm, mjd)
    return d, mjds


def check_contacts(d: mjw.Data, mjds: list[mujoco.MjData], order: bool = True, tolerance: float = 2e-4, skip=()) -> int:
    """The same contacts in every world, in the same order or in any; returns how many there are."""
    ncon, total = d.ncon.numpy(), 0
    dist, pos, frame, geom, dim, adr = (getattr(d.contact, name).numpy() for name in ("dist", "pos", "frame", "geom", "dim", "efc_address"))
    for w, mjd in enumerate(mjds):
        if w in skip:
            continue
        assert ncon[w] == mjd.ncon, f"world {w}: {ncon[w]} contacts, {mjd.ncon} in MuJoCo"
        left = list(range(mjd.ncon))
        for k in range(mjd.ncon):
            theirs = mjd.contact[k] if order else mjd.contact[min(left, key=lambda i: np.abs(mjd.contact[i].pos - pos[w, k]).max())]
            assert tuple(geom[w, k]) == tuple(theirs.geom) and dim[w, k] == theirs.dim
            assert (adr[w, k] >= 0) == (theirs.efc_address >= 0)
            np.testing.assert_allclose(dist[w, k], theirs.dist, rtol=tolerance, atol=1e-5, err_msg=f"world {w}, contact {k}")
            np.testing.assert_allclose(pos[w, k], theirs.pos, atol=tolerance, err_msg=f"world {w}, contact {k}")
            np.testing.assert_allclose(frame[w, k, 0], theirs.frame[:3], atol=20.0 * tolerance)
        total += mjd.ncon
    return total


def check_acceleration(d: mjw.Data, mjds: list[mujoco.MjData], tolerance: float = 1e-3) -> None:
    for w, mjd in enumerate(mjds):
        assert d.nefc.numpy()[w] == mjd.nefc
        scale = max(1.0, np.linalg.norm(mjd.qacc))
        assert np.linalg.norm(d.qacc.numpy()[w] - mjd.qacc) <= tolerance * scale, f"world {w}: {d.qacc.numpy()[w]}, {mjd.qacc}"


def turns(rng: np.random.Generator, number: int, size: float) -> np.ndarray:
    quat = size * rng.standard_normal((number, 4))
    quat[:, 0] = 1.0
    return quat / np.linalg.norm(quat, axis=1, keepdims=True)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_sphere_is_stopped_at_a_thin_wall(cone, device):
    """It would be behind the wall after one step; ours comes to rest on it where MuJoCo's does, step for step."""
    wall = '<geom type="box" size=".01 1 1" pos="1 0 .5"/>'
    mjm = compiled(wall + SPHERE.format(""), f'cone="{cone}"')
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    speeds = np.array([[60, 3, 0, 0, 0, 0], [120, 0, 8, 1, 0, 2]], dtype=np.float32)
    d.qvel.assign(speeds)
    mjds = [mujoco.MjData(mjm) for _ in speeds]
    for mjd, speed in zip(mjds, speeds, strict=True):
        mjd.qvel[:] = speed
    for step in range(12):
        mjw.step(m, d)
        for w, mjd in enumerate(mjds):
            mujoco.mj_step(mjm, mjd)
            np.testing.assert_allclose(d.qpos.numpy()[w], mjd.qpos, atol=2e-4, err_msg=f"step {step}, world {w}")
    assert (d.qpos.numpy()[:, 0] < 0.91).all()
    m.opt.enableflags = 0
    d.qpos.assign(np.tile(mjm.qpos0, (2, 1)).astype(np.float32))
    d.qvel.assign(speeds)
    for _ in range(4):
        mjw.step(m, d)
    assert (d.qpos.numpy()[:, 0] > 1.1).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_contacts_with_a_plane_ahead(shape, device):
    rng, number = np.random.default_rng(1), 40
    qpos = np.c_[rng.uniform(-0.1, 0.1, (number, 2)), rng.uniform(0.4, 0.7, number), turns(rng, number, 0.3)]
    qvel = np.c_[rng.uniform(-10, 10, (number, 2)), rng.uniform(-80, -30, number), 5 * rng.standard_normal((number, 3))]
    d, mjds = both(compiled(PLANE + loose(SHAPES[shape])), qvel, qpos, device)
    if shape == "cylinder":  # which four of a cap's sixteen corners span most is a tie, which rounding decides
        assert [mjd.ncon for mjd in mjds] == d.ncon.numpy().tolist()
        np.testing.assert_allclose(d.contact.dist.numpy()[:, 0], [mjd.contact.dist[0] if mjd.ncon else 0 for mjd in mjds], rtol=1e-4, atol=1e-5)
        return
    assert check_contacts(d, mjds) > number // 2


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_contacts_of_two_geoms_ahead(first, second, device):
    rng, number = np.random.default_rng(2), 24
    qpos = np.c_[rng.uniform(-0.03, 0.03, (number, 2)), rng.uniform(0.4, 0.7, number), turns(rng, number, 0.3), np.zeros((number, 3)), turns(rng, number, 0.3)]
    qvel = np.c_[rng.uniform(-5, 5, (number, 2)), rng.uniform(-80, -40, number), 5 * rng.standard_normal((number, 3)), rng.uniform(-5, 5, (number, 3)),
                 5 * rng.standard_normal((number, 3))]  # fmt: skip
    d, mjds = both(compiled(loose(SHAPES[first]) + loose(SHAPES[second], "0 0 0")), qvel, qpos, device)
    other = []
    if "capsule" in (first, second):  # an edge of a hull along a capsule: of the two points one may be left out that misses the deepest one
        ncon = d.ncon.numpy()
        assert [mjd.ncon > 0 for mjd in mjds] == (ncon > 0).tolist()
        other = [w for w, mjd in enumerate(mjds) if mjd.ncon != ncon[w]]
        assert len(other) <= 1
    assert check_contacts(d, mjds, order=False, skip=other, tolerance=1e-3 if "cylinder" in (first, second) else 2e-4) > number // 2


LOOKS = {  # what lies between a falling sphere and a plane, and whether it hides the plane
    "table": ('<geom type="box" size="1 1 .01" pos="0 0 .2"/>', True),
    "see-through table": ('<geom type="box" size="1 1 .01" pos="0 0 .2" rgba="1 1 1 0"/>', True),
    "table that nothing touches": ('<geom type="box" size="1 1 .01" pos="0 0 .2" contype="0" conaffinity="0"/>', False),
    "board beside": ('<geom type="box" size=".02 .02 .01" pos=".05 0 .2"/>', False),
    "board below": ('<geom type="box" size=".02 .02 .01" pos="0 0 .2"/>', True),
    "mesh": ('<geom type="mesh" mesh="ball" pos="-.01 -.02 .2"/>', True),
    "loose table": (loose('type="box" size=".3 .3 .01"', "0 0 .2"), True),
    "plank that touches": ('<geom type="box" size=".005 .2 .4" pos="0 0 .25" euler="0 21.3 0"/>', False),
    "plank that does not": ('<geom type="box" size=".005 .2 .4" pos="0.03 0 .25" euler="0 21.3 0"/>', True),
    "block around the target": ('<geom type="box" size=".3 .3 .05"/>', True),
    "block below": ('<geom type="box" size=".3 .3 .05" pos="0 0 -.3"/>', False),
}


@pytest.mark.parametrize("broadphase", [None, BroadphaseType.SAP_TILE])
@pytest.mark.parametrize("between", LOOKS)
def test_what_lies_between_hides(between, broadphase, device):
    text, hides = LOOKS[between]
    mjm = compiled(PLANE + SPHERE.format("") + text)
    rest = [0.0] * (mjm.nv - 6)
    d, mjds = both(mjm, [[*FALLING, *rest], [1, 0, -70, 0, 0, 0, *rest]], device=device, broadphase=broadphase)
    check_contacts(d, mjds)
    plane_and_sphere = [tuple(g) for g in d.contact.geom.numpy()[0, : d.ncon.numpy()[0]]]
    assert hides == (not any(0 in pair and mjm.geom_type[max(pair)] == mujoco.mjtGeom.mjGEOM_SPHERE for pair in plane_and_sphere))


@pytest.mark.parametrize("touches", [2, 4, 6, 8])
def test_only_what_a_fast_geom_can_touch_hides(touches, device):
    """Two spheres, and a board that collides with the first (2), the second (4), both or neither; one moves, or the other, or both."""
    one = loose('size=".1" contype="3" conaffinity="1"', "0 0 .6")
    two = loose('size=".1" contype="5" conaffinity="1"', "0 0 0")
    mjm = compiled(f'{one}{two}<geom type="box" size=".3 .3 .01" pos="0 0 .3" contype="0" conaffinity="{touches}"/>')
    down, up, still, slow = [0, 0, -70, 0, 0, 0], [0, 0, 70, 0, 0, 0], [0] * 6, [0, 0, 5, 0, 0, 0]
    half = [[0, 0, speed, 0, 0, 0] for speed in (-35, 35)]
    d, mjds = both(mjm, [[*down, *still], [*still, *up], [*half[0], *half[1]], [*down, *slow]], device=device)
    assert check_contacts(d, mjds) > 3


def test_parts_of_the_same_body_hide_nothing(device):
    target = '<body><freejoint/><geom type="box" size=".2 .2 .05"/>{}</body>' + SPHERE.format("")
    for part in ('<geom pos="0 0 .2" type="box" size=".2 .2 .01"/>', '<body pos="0 0 .2"><geom type="box" size=".2 .2 .01"/></body>'):
        d, mjds = both(compiled(target.format(part)), [[0] * 6 + FALLING], device=device)
        assert check_contacts(d, mjds) == 2
    d, mjds = both(compiled(target.format('<body pos="0 0 .2"><joint/><geom type="box" size=".2 .2 .01"/></body>')), [[0] * 7 + FALLING], device=device)
    assert check_contacts(d, mjds) == 1


MATERIALS = {
    "default": ("", "", ""),
    "frictionless": ('condim="1"', "", ""),
    "rolling": ('condim="6" friction=".7 .02 .01"', "", ""),
    "margin": ('margin=".02" gap=".05"', "", ""),
    "negative margin": ('margin="-.02"', "", ""),
    "soft": ('solref=".05 .7" solimp=".8 .9 .01 .3 3"', "", ""),
    "direct": ('solref="-1000 -50"', "", ""),
    "without spring": ('solref="0 -100"', "", ""),
    "stiffer than a step": ('solref=".001 1"', "", ""),
    "stiffer than a step, as it is": ('solref=".03 1"', "", 'refsafe="disable"'),
    "adhesion": ('adhesion="30" gap=".6"', "", ""),
    "moving surface": ('surfacevel="1 .5 0 0 0 0"', "", ""),
    "override": ("", 'o_margin=".06" o_solref=".04 1"', 'override="enable"'),
    "impratio": ("", 'impratio="5"', ""),
}


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "RK4", "discrete"])
@pytest.mark.parametrize("material", MATERIALS)
def test_distances_and_accelerations(material, integrator, cone, device):
    """Contacts now, ahead, in the gap, and none, each in a world of its own."""
    geom, option, flag = MATERIALS[material]
    plane = PLANE.replace("<geom", f"<geom {geom}")
    mjm = compiled(plane + SPHERE.format(geom), f'integrator="{integrator}" cone="{cone}" {option}', flag)
    qpos = np.tile(mjm.qpos0, (6, 1))
    qpos[:, 2] = (0.5, 0.5, 0.15, 0.105, 0.09, 0.9)
    qvel = [[3, 0, -50, 0, 0, 0], [0, 2, -80, 1, 2, 3], [0, 0, -50, 0, 0, 0], [1, 0, -20, 0, 0, 0], [0, 0, -20, 0, 0, 0], [0, 0, -50, 0, 0, 0]]
    d, mjds = both(mjm, qvel, qpos, device)
    assert check_contacts(d, mjds) >= 4
    check_acceleration(d, mjds)


def test_only_the_closest_point_without_multiccd(device):
    plates = loose('type="box" size=".1 .2 .05"') + loose('type="box" size=".15 .1 .05"', "0 0 0")
    mjm = compiled(plates, flag='multiccd="disable"')
    d, mjds = both(mjm, [[0, 0, -60, 0, 0, 0] + [0] * 6, [1, 0, -80, 1, 0, 0, 0, 0, 5, 0, 0, 0]], device=device)
    assert [mjd.ncon for mjd in mjds] == d.ncon.numpy().tolist() == [1, 1]


def test_a_heap_of_boxes_hit_by_a_plate(device):
    """A stack at rest, hit from above in one world and from the side in the other: contacts now and ahead in the order of the pairs."""
    boxes = "".join(loose(f'type="box" size="{0.08 + 0.02 * i} {0.08 + 0.02 * i} .1"', f"0 0 {0.0995 + 0.199 * i}") for i in range(3))
    mjm = compiled(PLANE + boxes + loose('type="box" size=".3 .3 .02"', "0 0 1"))
    above, beside = [0.0] * 18 + [0, 0, -60, 0, 0, 0], [0.0] * 18 + [60, 0, 0, 0, 0, 0]
    qpos = np.tile(mjm.qpos0, (2, 1))
    qpos[1, -7:] = [-0.6, 0.01, 0.31, np.sqrt(0.5), 0, np.sqrt(0.5), 0]
    d, mjds = both(mjm, [above, beside], qpos, device)
    assert check_contacts(d, mjds, order=False) >= 26
    check_acceleration(d, mjds)


def test_explicit_pairs_and_heightfields(device):
    pairs = '<contact><pair geom1="p" geom2="s" margin=".01"/></contact>'
    mjm = compiled(
        '<geom name="p" type="plane" size="5 5 .1" contype="0" conaffinity="0"/>' + SPHERE.format('name="s" contype="0" conaffinity="0"'), extra=pairs
    )
    d, mjds = both(mjm, [FALLING, [0, 0, -10, 0, 0, 0]], device=device)
    assert check_contacts(d, mjds) == 1
    terrain = """<asset><hfield name="h" nrow="3" ncol="3" elevation="0 0 0 0 1 0 0 0 0" size="1 1 .1 .1"/></asset>"""
    mjm = compiled('<geom type="hfield" hfield="h"/>' + SPHERE.format("") + loose('type="box" size=".2 .2 .02"', "2 0 .18") + PLANE, extra=terrain)
    qpos = np.tile(mjm.qpos0, (2, 1))
    qpos[1, 2] = 0.19
    d, mjds = both(mjm, [[0.1, *FALLING[1:], 0, 0, -30, 0, 0, 0], [0, 0, -60, 0, 0, 0, 0, 0, 0, 0, 0, 0]], qpos, device)
    assert [mjd.ncon for mjd in mjds] == d.ncon.numpy().tolist()


def test_the_flag_may_be_set_later(device):
    mjm = compiled(PLANE + '<geom type="mesh" mesh="ball" pos="2 0 .2"/>' + SPHERE.format(""), flag="")
    mjm.opt.enableflags = 0
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    speeds = np.array([FALLING, [0, 0, -20, 0, 0, 0]], dtype=np.float32)
    d.qvel.assign(speeds)
    mjw.forward(m, d)
    assert d.ncon.numpy().tolist() == [0, 0]
    m.opt.enableflags = int(EnableBit.SPECULATIVE)
    mjw.forward(m, d)
    assert d.ncon.numpy().tolist() == [1, 0] and d.nefc.numpy().tolist() == [4, 0]


def test_contacts_ahead_go_through_mjdata(device):
    """From MuJoCo's data into ours, from which rows can be made, and back."""
    mjm = compiled(PLANE + SPHERE.format('gap=".1"') + SPHERE.format('gap=".1"').replace("0 0 .5", "1 0 .19"))
    mjd, back = mujoco.MjData(mjm), mujoco.MjData(mjm)
    mjd.qvel[:6] = FALLING
    mujoco.mj_forward(mjm, mjd)
    assert mjd.contact.exclude.tolist() == [0, 1]
    m = mjw.put_model(mjm, device=device)
    d = mjw.put_data(mjm, mjd, m=m, nworld=2)
    mjw.make_constraint(m, d)
    assert d.nefc.numpy().tolist() == [mjd.nefc, mjd.nefc]
    mjw.get_data_into(back, mjm, d, world_id=1)
    assert back.contact.exclude.tolist() == [0, 1]
    np.testing.assert_allclose(back.contact.dist, mjd.contact.dist, rtol=1e-6)


def test_contacts_that_find_no_room_get_some(device):
    """Capacities that were not given grow, what contacts ahead have besides others with them."""
    mjm = compiled(PLANE + "".join(loose('type="box" size=".05 .05 .02"', f"{0.3 * i} 0 .5") for i in range(12)))
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    d.qvel.assign(np.array([FALLING * 12, [0, 0, -20, 0, 0, 0] * 12], dtype=np.float32))
    mjds = [mujoco.MjData(mjm) for _ in range(2)]
    for mjd, speed in zip(mjds, d.qvel.numpy(), strict=True):
        mjd.qvel[:] = speed
        mujoco.mj_step(mjm, mjd)
    for _ in range(2):
        mjw.step(m, d)
        if d.device.is_cuda:
            mjw.check_capacity(m, d)
    for mjd in mjds:
        mujoco.mj_step(mjm, mjd)
    np.testing.assert_allclose(d.qpos.numpy(), [mjd.qpos for mjd in mjds], atol=2e-4)


def test_trees_that_sleep(device):
    """A fast sphere wakes the box that it will hit, as in MuJoCo, and a slow one does not."""
    world = PLANE + '<body pos="0 0 .0999" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' + SPHERE.format("")
    mjm = compiled(world.replace('pos="0 0 .5"', 'pos="0 0 .7"'), flag='sleep="enable"')
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    speeds = np.zeros((2, mjm.nv), dtype=np.float32)
    speeds[:, 8] = (-60, -5)
    d.qvel.assign(speeds)
    mjw.step(m, d)
    for w in range(2):
        mjd = mujoco.MjData(mjm)
        mujoco.mj_resetData(mjm, mjd)
        mjd.qvel[:] = speeds[w]
        mujoco.mj_step(mjm, mjd)
        assert (d.tree_asleep.numpy()[w] >= 0).tolist() == (mjd.tree_asleep >= 0).tolist()
        np.testing.assert_allclose(d.qpos.numpy()[w], mjd.qpos, atol=2e-4)


def test_results_repeat_to_the_bit(device):
    mjm = compiled(PLANE + "".join(loose(SHAPES[shape], f"{0.1 * i} 0 {0.5 + 0.1 * i}") for i, shape in enumerate(SHAPES)))
    found = []
    for _ in range(2):
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, 4)
        rng = np.random.default_rng(3)
        d.qvel.assign((30 * rng.standard_normal((4, mjm.nv))).astype(np.float32))
        for _ in range(5):
            mjw.step(m, d)
        found.append(d.qpos.numpy().tobytes())
    assert found[0] == found[1]


def test_a_pair_that_is_apart_has_nothing_of_the_pair_before(device):
    """Boxes that touch, and then ellipsoids whose boxes overlap while they themselves do not."""
    boxes = loose('type="box" size=".1 .1 .1"', "0 0 0") + loose('type="box" size=".1 .1 .1"', "0 0 .19")
    long = 'type="ellipsoid" size=".3 .05 .06"'
    ellipsoids = loose(long, "2 0 0") + loose(long, "2 .09 .1")
    mjm = compiled(boxes + ellipsoids)
    still = np.zeros((2, mjm.nv))
    still[1, 0] = 0.01
    d, mjds = both(mjm, still, device=device)
    assert check_contacts(d, mjds) == 2 * 4
