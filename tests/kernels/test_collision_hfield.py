"""Contacts with heightfields: MuJoCo's, prism by prism, for every shape; the limit of a pair, capacity, order, terrain by world."""

import mujoco
import numpy as np
import pytest
from collision_oracle import near_threshold, random_quaternion, read
from oracle import advance, from_model
from paths import shared_model

from newtonish import mjw

SHAPES = {
    "sphere": 'type="sphere" size=".2"',
    "capsule": 'type="capsule" size=".1 .2"',
    "ellipsoid": 'type="ellipsoid" size=".2 .15 .1"',
    "cylinder": 'type="cylinder" size=".2 .1"',
    "box": 'type="box" size=".2 .15 .1"',
    "mesh": 'type="mesh" mesh="stone"',
}
STONE = '<mesh name="stone" vertex="-.2 -.2 -.1  .2 -.2 -.1  0 .2 -.1  0 0 .25  .1 .1 .2"/>'
NROW, NCOL = 8, 10
LEAST = 1e-9  # [m]; see test_a_shape_on_its_own


def samples(seed: int, count: int = NROW * NCOL) -> np.ndarray:
    return np.random.default_rng(seed).random(count)


def scene(geom: str, margin: float = 0.0, gap: float = 0.0, elevation=None, more: str = "") -> mujoco.MjModel:
    """A free geom above a tilted heightfield."""
    heights = " ".join(f"{x:.6f}" for x in (samples(0) if elevation is None else elevation))
    mjm = mujoco.MjModel.from_xml_string(
        f"""<mujoco><asset>{STONE}<hfield name="h" nrow="{NROW}" ncol="{NCOL}" size="1 .8 .3 .2" elevation="{heights}"/></asset>
        <worldbody><geom name="hills" type="hfield" hfield="h" pos=".1 .2 .3" euler="10 -20 30"/>
        <body><freejoint/><geom {geom} margin="{margin}" gap="{gap}"/></body>{more}</worldbody></mujoco>"""
    )
    mjm.opt.ccd_iterations = 300  # MuJoCo's polytope stops short of the depth of round shapes with 35
    return mjm


def random_poses(mjm: mujoco.MjModel, count: int, seed: int = 0) -> np.ndarray:
    """Poses of the free geom all over the heightfield, below it and beside it."""
    mjd = mujoco.MjData(mjm)
    mujoco.mj_kinematics(mjm, mjd)
    rng = np.random.default_rng(seed)
    local = rng.uniform((-1.2, -1.0, -0.3), (1.2, 1.0, 0.6), (count, 3))
    poses = np.zeros((count, 7))
    poses[:, :3] = mjd.geom_xpos[0] + local @ mjd.geom_xmat[0].reshape(3, 3).T
    poses[:, 3:] = [random_quaternion(rng) for _ in range(count)]
    return poses


def ours(mjm, poses, device, nconmax=50, data=None, size=None):
    m = mjw.put_model(mjm, device=device)
    if data is not None:
        m.hfield_data, m.hfield_size = data.astype(np.float32), size.astype(np.float32)
    d = mjw.make_data(m, len(poses), nconmax=nconmax, njmax=8)
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    mjw.collision(m, d)
    return read(d), d


def theirs(mjm, pose):
    from collision_oracle import theirs as contacts

    return contacts(mjm, pose[None])[0]


def agree(a, b, what: str) -> int:
    """Equal contacts; returns the number of those whose normal differs between directions of equal depth."""
    assert len(a) == len(b), f"{what}: {len(a)} contacts at {a.dist} against MuJoCo's {len(b)} at {b.dist}"
    np.testing.assert_array_equal(a.geom, b.geom)
    off = np.abs(a.dist - b.dist)
    assert (off <= np.maximum(1e-4, 0.01 * np.abs(b.dist))).all(), f"{what}: {a.dist} against {b.dist}"
    turned = np.abs(a.frame[:, :3] - b.frame[:, :3]).max(axis=-1, initial=0.0) > 1e-2
    assert (off[turned] < 1e-5).all(), f"{what}: {a.frame[turned, :3]} against {b.frame[turned, :3]}"
    np.testing.assert_allclose(a.includemargin, b.includemargin, atol=1e-7)
    np.testing.assert_allclose(a.friction, b.friction, rtol=1e-6)
    return int(turned.sum())


@pytest.mark.parametrize("margin, gap", [(0.0, 0.0), (0.03, 0.02)])
@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_on_its_own(kind, margin, gap, device):
    """Boxes and meshes are compared with MuJoCo's at a margin of a nanometre: without any, MuJoCo 4.0 gives depths that are
    less than the least displacement that separates them from the prism, which the next test holds."""
    mjm = scene(SHAPES[kind], margin, gap)
    poses = random_poses(mjm, 60)
    if margin == 0.0 and kind in ("box", "mesh"):
        oracle = scene(SHAPES[kind], LEAST)
    else:
        oracle = mjm
    total = ties = 0
    found, _ = ours(mjm, poses, device)
    for pose, a in zip(poses, found):
        b = theirs(oracle, pose)
        if near_threshold(b, margin + gap):
            continue
        b.includemargin[:] = margin
        ties += agree(a, b, f"{kind} at {pose}")
        total += len(b)
    assert total > 100
    assert ties <= total // 100


@pytest.mark.parametrize("kind", SHAPES)
def test_depths_separate(kind, device):
    """No oracle: moved by the depth of its first contact along the normal, a shape just touches that contact's prism."""
    mjm = scene(SHAPES[kind])
    poses = random_poses(mjm, 100, seed=2)
    before, _ = ours(mjm, poses, device)
    touching = [k for k, c in enumerate(before) if len(c)]
    assert len(touching) > 50
    out = poses[touching].copy()
    for row, k in enumerate(touching):
        out[row, :3] -= before[k].dist[0] * before[k].frame[0, :3]
    mjm.geom_margin[1] = 1e-3
    after, _ = ours(mjm, out, device)
    for c in after:
        assert np.abs(c.dist).min() < 1e-4


def test_terrain_and_its_size_by_world(device):
    mjm = scene(SHAPES["sphere"], 0.02)
    poses = random_poses(mjm, 3, seed=5)
    poses[:, :3] = mjm.geom_pos[0] + [[0.05, 0.1, 0.25], [-0.2, 0.0, 0.3], [0.3, 0.2, 0.2]]
    data = np.stack([samples(k) for k in range(3)])
    size = np.array([[[1, 0.8, 0.3, 0.2]], [[1.5, 0.8, 0.4, 0.2]], [[0.9, 0.7, 0.2, 0.1]]])
    found, _ = ours(mjm, poses, device, data=data, size=size)
    for w in range(3):
        mjm.hfield_data[:], mjm.hfield_size[:] = data[w], size[w]
        b = theirs(mjm, poses[w])
        assert len(b) > 0
        agree(found[w], b, f"world {w}")


def test_a_pair_has_at_most_fifty_contacts(device):
    mjm = scene('type="box" size=".6 .6 .1"', 0.1)
    poses = random_poses(mjm, 3)
    poses[:, :3] = mjm.geom_pos[0] + [[0, 0, 0.15], [0.1, 0, 0.2], [0, 0.3, 0.25]]
    poses[:, 3:] = mjm.geom_quat[0]
    found, d = ours(mjm, poses, device, nconmax=80)
    assert d.ncon.numpy().max() == 50
    for pose, a in zip(poses, found):
        b = theirs(mjm, pose)
        np.testing.assert_allclose(a.dist, b.dist, atol=1e-4)
    _, d = ours(mjm, poses, device, nconmax=20)
    assert d.ncon.numpy().tolist() == [20, 20, 20]
    assert (d.overflow.numpy() != 0).all()
    assert d.ncon_needed.numpy().max() == 50


def test_contacts_stand_in_the_order_of_the_pairs(device):
    """Heightfield pairs between pairs of other kinds; every world another pose."""
    more = """<geom type="plane" size="3 3 .1" pos="0 0 .2"/><geom type="box" size=".1 .1 .5" pos=".1 .2 .3"/>
    <body pos=".2 .2 .5"><freejoint/><geom type="sphere" size=".15"/>
    <geom type="box" size=".1 .1 .1" pos="0 .1 0" margin=".001"/></body>"""
    mjm = scene(SHAPES["capsule"], 0.01, more=more)
    rng = np.random.default_rng(8)
    poses = np.zeros((4, 14))
    for q in poses:
        q[:3] = rng.uniform((0.0, 0.1, 0.4), (0.2, 0.3, 0.6))
        q[7:10] = rng.uniform((0.15, 0.1, 0.4), (0.35, 0.3, 0.6))
        q[3:7], q[10:] = random_quaternion(rng), random_quaternion(rng)
    found, _ = ours(mjm, poses, device, nconmax=100)
    for pose, a in zip(poses, found):
        b = theirs(mjm, pose)
        assert len(set(map(tuple, b.geom.tolist()))) > 4
        b = b.only(by_pairs(mjm, b))  # MuJoCo's tree of boxes changes the order of the geoms within two bodies
        np.testing.assert_array_equal(a.geom, b.geom)
        np.testing.assert_allclose(a.dist, b.dist, atol=1e-4)


def by_pairs(mjm, contacts) -> np.ndarray:
    """Contacts by the two bodies, then by the two geoms; those of a pair as they come."""
    low, high = np.sort(contacts.geom, axis=1).T
    body = mjm.geom_bodyid
    return np.lexsort((np.arange(len(low)), high, low, body[high], body[low]))


def test_a_robot_on_a_heightfield(device):
    """The robot walks on MuJoCo's side; its contacts with the terrain are found here, and a step gives its acceleration."""
    mjm = mujoco.MjModel.from_xml_path(str(shared_model("barkour_vb/scene_hfield_mjx.xml")))
    mjm.opt.ccd_iterations = 300
    pair = from_model(mjm, nworld=3, device=device)
    advance(pair, 120)
    for mjd in pair.mjds:
        mujoco.mj_forward(mjm, mjd)
    mjw.forward(pair.m, pair.d)
    on_terrain = 0
    for mjd, a in zip(pair.mjds, read(pair.d)):
        np.testing.assert_array_equal(a.geom, mjd.contact.geom)
        np.testing.assert_allclose(a.dist, mjd.contact.dist, atol=1e-5)
        on_terrain += (mjm.geom_type[mjd.contact.geom[:, 0]] == mujoco.mjtGeom.mjGEOM_HFIELD).sum()
    assert on_terrain > 5
    qacc = pair.d.qacc.numpy()
    for w, mjd in enumerate(pair.mjds):
        assert np.linalg.norm(qacc[w] - mjd.qacc) < 1e-3 * np.linalg.norm(mjd.qacc)


def test_steps_repeat_to_the_bit_and_a_box_comes_to_rest(device):
    flat = np.zeros(NROW * NCOL)
    flat[0] = 1.0  # far away: the terrain is flat below the box
    mjm = scene('type="box" size=".1 .1 .1"', elevation=flat)
    mjm.geom_pos[0], mjm.geom_quat[0] = 0, (1, 0, 0, 0)
    results = []
    for _ in range(2):
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, 3)
        poses = np.tile([0.05, 0.05, 0.12, 1, 0, 0, 0], (3, 1)).astype(np.float32)
        poses[:, 0] += (0.0, 0.03, 0.1)
        d.qpos.assign(poses)
        for _ in range(400):
            mjw.step(m, d)
        results.append(d.qpos.numpy().tobytes())
        np.testing.assert_allclose(d.qpos.numpy()[:, 2], 0.1, atol=2e-3)
        assert np.abs(d.qvel.numpy()).max() < 1e-2
    assert results[0] == results[1]
