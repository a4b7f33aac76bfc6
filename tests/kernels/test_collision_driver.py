"""The driver: order, capacity, flags, batches, the broadphase, and laws that need no oracle."""

import mujoco
import numpy as np
import pytest
import warp as wp
from collision_oracle import EXTENT, SHAPES, difference, ours, random_poses, random_quaternion, read, scene

from newtonish import mjw
from newtonish.common.enums import OverflowType
from newtonish.kernels.fused.collision import launch_collision

PAIRS = [("sphere", "sphere"), ("capsule", "capsule"), ("sphere", "box"), ("capsule", "box"), ("capsule", "cylinder")]
PAIRS += [("sphere", "cylinder"), ("sphere", "capsule")]


def heap(count: int, seed: int = 0, margin: float = 0.0) -> mujoco.MjModel:
    """``count`` free geoms of all types above a plane."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["sphere", "capsule"], count)
    bodies = "".join(
        f'<body pos="{rng.uniform(-0.4, 0.4)} {rng.uniform(-0.4, 0.4)} {rng.uniform(0, 0.4)}"><freejoint/>'
        f'<geom {SHAPES[kind]} margin="{margin}" friction="{rng.uniform(0.2, 2)}"/></body>'
        for kind in kinds
    )
    return mujoco.MjModel.from_xml_string(f'<mujoco><worldbody><geom type="plane" size="3 3 1"/>{bodies}</worldbody></mujoco>')


def worlds(mjm: mujoco.MjModel, nworld: int, device: str, **capacity):
    """Unequal worlds after kinematics."""
    m = mjw.put_model(mjm, strict=False, device=device)
    d = mjw.make_data(m, nworld, **capacity)
    rng = np.random.default_rng(2)
    qpos = np.tile(mjm.qpos0, (nworld, 1))
    for row in qpos:
        mujoco.mj_integratePos(mjm, row, 0.2 * rng.standard_normal(mjm.nv), 1.0)
    d.qpos.assign(qpos.astype(np.float32))
    mjw.kinematics(m, d)
    return m, d


def test_contacts_beyond_the_capacity_are_left_out(device):
    """The first ones stay, the rest is counted; worlds with room are untouched."""
    mjm = heap(12)
    m, roomy = worlds(mjm, 4, device, nconmax=200, njmax=8)
    launch_collision(m, roomy)
    full = read(roomy)
    counts = [len(c) for c in full]
    room = sorted(counts)[1]
    assert min(counts) <= room < max(counts)
    m, tight = worlds(mjm, 4, device, nconmax=room, njmax=8)
    launch_collision(m, tight)
    assert tight.ncon.numpy().tolist() == [min(n, room) for n in counts]
    assert tight.ncon_needed.numpy().tolist() == counts
    assert tight.overflow.numpy().tolist() == [int(OverflowType.NARROWPHASE) * (n > room) for n in counts]
    assert not roomy.overflow.numpy().any()
    for few, all_of_them in zip(read(tight), full):
        for name in ("geom", "dist", "pos", "frame", "friction"):
            np.testing.assert_array_equal(getattr(few, name), getattr(all_of_them, name)[: len(few)])


def test_no_room_at_all(device):
    m, d = worlds(heap(5), 2, device, nconmax=0, njmax=8)
    launch_collision(m, d)
    assert d.ncon.numpy().tolist() == [0, 0]
    assert (d.ncon_needed.numpy() > 0).all()


@pytest.mark.parametrize("flag", [mujoco.mjtDisableBit.mjDSBL_CONTACT, mujoco.mjtDisableBit.mjDSBL_CONSTRAINT])
def test_disabled(flag, device):
    mjm = heap(5)
    mjm.opt.disableflags |= int(flag)
    m, d = worlds(mjm, 2, device)
    d.ncon.fill_(3)
    launch_collision(m, d)
    assert d.ncon.numpy().tolist() == [0, 0]


def test_needed_and_overflow_last_until_reset(device):
    m, d = worlds(heap(8), 2, device, nconmax=1, njmax=8)
    launch_collision(m, d)
    needed = d.ncon_needed.numpy().copy()
    high = d.qpos.numpy()
    high[:, 2::7] += 10.0 * (1 + np.arange(8))
    d.qpos.assign(high)
    mjw.kinematics(m, d)
    launch_collision(m, d)
    assert d.ncon.numpy().tolist() == [0, 0]
    np.testing.assert_array_equal(d.ncon_needed.numpy(), needed)
    assert (d.overflow.numpy() == OverflowType.NARROWPHASE).all()
    mjw.reset_data(m, d)
    assert not d.overflow.numpy().any()


def test_more_pairs_than_a_batch_holds(device):
    """Pairs are collected 256 at a time; contacts keep the order of the pairs."""
    mjm = heap(40, margin=0.05)
    m, d = worlds(mjm, 3, device, nconmax=2000, njmax=8)
    assert m.size.ncollide > 512
    launch_collision(m, d)
    pairs = {pair: i for i, pair in enumerate(zip(m.collide_geom1.numpy().tolist(), m.collide_geom2.numpy().tolist()))}
    data = mujoco.MjData(mjm)
    for qpos, found in zip(d.qpos.numpy(), read(d)):
        ranks = [pairs[tuple(pair)] for pair in found.geom.tolist()]
        assert ranks == sorted(ranks)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, data)
        mujoco.mj_collision(mjm, data)
        assert len(found) == data.ncon > 50
        np.testing.assert_array_equal(found.geom, data.contact.geom)
        np.testing.assert_allclose(found.dist, data.contact.dist, atol=2e-5)


def test_the_same_bits_every_time(device):
    mjm = heap(12)
    results = []
    for _ in range(2):
        m, d = worlds(mjm, 5, device, nconmax=100)
        for _ in range(2):
            launch_collision(m, d)
        results.append([np.concatenate([c.pos.ravel(), c.frame.ravel(), c.dist]) for c in read(d)])
    for a, b in zip(*results):
        assert a.tobytes() == b.tobytes()


def test_worlds_do_not_depend_on_their_neighbours(device):
    """Permuted worlds give permuted contacts, bit for bit."""
    m, d = worlds(heap(10), 6, device, nconmax=100)
    launch_collision(m, d)
    first = read(d)
    order = np.array([3, 1, 5, 0, 4, 2])
    d.qpos.assign(d.qpos.numpy()[order])
    mjw.kinematics(m, d)
    launch_collision(m, d)
    for i, found in zip(order, read(d)):
        assert found.pos.tobytes() == first[i].pos.tobytes()
        assert found.geom.tobytes() == first[i].geom.tobytes()


def test_no_geoms_and_no_pairs(device):
    for text in ("<mujoco/>", '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'):
        mjm = mujoco.MjModel.from_xml_string(text)
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, 2, nconmax=1, njmax=1)
        mjw.kinematics(m, d)
        launch_collision(m, d)
        assert d.ncon.numpy().tolist() == [0, 0]


def moved(poses: np.ndarray, shift: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """All bodies rotated about the origin by ``quat``, then shifted."""
    result = poses.copy()
    for qpos in result:
        for j in range(0, len(qpos), 7):
            position = np.zeros(3)
            mujoco.mju_rotVecQuat(position, qpos[j : j + 3].copy(), quat)
            qpos[j : j + 3] = position + shift
            rotated = np.zeros(4)
            mujoco.mju_mulQuat(rotated, quat, qpos[j + 3 : j + 7].copy())
            qpos[j + 3 : j + 7] = rotated
    return result


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_contacts_move_with_the_world(first, second, device):
    mjm = scene(first, second, 0.02)
    rng = np.random.default_rng(7)
    quat, shift = random_quaternion(rng), np.array([0.7, -1.1, 0.4])
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, quat)
    mat = mat.reshape(3, 3)
    poses = random_poses(mjm, 120, 0.8 * (EXTENT[first] + EXTENT[second]), seed=5)
    compared = 0
    for a, b in zip(ours(mjm, poses, device), ours(mjm, moved(poses, shift, quat), device)):
        if (np.abs(np.concatenate([a.dist, b.dist]) - 0.04) < 1e-5).any() or (a.dist < -0.085).any():
            continue  # at the detection distance, or so deep that several ways out may tie
        assert len(a) == len(b)
        np.testing.assert_allclose(b.dist, a.dist, atol=2e-6)
        np.testing.assert_allclose(b.pos, a.pos @ mat.T + shift, atol=2e-5)
        np.testing.assert_allclose(b.frame[:, :3], a.frame[:, :3] @ mat.T, atol=5e-5)
        compared += len(a)
    assert compared > 20


@pytest.mark.parametrize("kind", ["sphere", "capsule"])
def test_two_of_a_kind_can_be_swapped(kind, device):
    """The contact stays, its normal turns round."""
    mjm = scene(kind, kind, 0.02)
    poses = random_poses(mjm, 120, 1.5 * EXTENT[kind], seed=9)
    swapped = np.concatenate([poses[:, 7:], poses[:, :7]], axis=1)
    compared = 0
    for a, b in zip(ours(mjm, poses, device), ours(mjm, swapped, device)):
        assert len(a) == len(b)
        np.testing.assert_allclose(b.dist, a.dist, atol=2e-6)
        np.testing.assert_allclose(b.pos, a.pos, atol=2e-5)
        np.testing.assert_allclose(b.frame[:, :3], -a.frame[:, :3], atol=5e-5)
        compared += len(a)
    assert compared > 30


@pytest.mark.parametrize("first", ["plane", "sphere", "capsule"])
def test_frames_are_orthonormal_and_the_contact_lies_midway(first, device):
    """Moving along the normal by half the distance leads from the contact to both surfaces."""
    for second in ("sphere", "capsule", "box", "cylinder"):
        mjm = scene(*(pair := tuple(sorted((first, second), key=["plane", "sphere", "capsule", "cylinder", "box"].index))), 0.03)
        poses = random_poses(mjm, 60, 0.8 * (EXTENT.get(pair[0], 0.0) + EXTENT[pair[1]]), seed=4)
        for found in ours(mjm, poses, device):
            for frame in found.frame.reshape(-1, 3, 3):
                np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=2e-6)
                assert np.linalg.det(frame) > 0.99


@wp.kernel(enable_backward=False)
def _near_twin(
    geom1: wp.array(dtype=int), geom2: wp.array(dtype=int), bound: wp.array(dtype=wp.vec4), axis: wp.array(dtype=wp.vec4),
    near: wp.array(dtype=int),
):  # fmt: skip
    """Plain Warp twin of the native test of two bounds."""
    p = wp.tid()
    a = bound[geom1[p]]
    b = bound[geom2[p]]
    u = axis[geom1[p]]
    v = axis[geom2[p]]
    offset = wp.vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2])
    along = wp.vec3(u[0], u[1], u[2])
    other = wp.vec3(v[0], v[1], v[2])
    reach = u[3] + v[3]
    apart = wp.length(offset)
    if a[3] > 1.0e14:
        near[p] = int(wp.dot(along, offset) - wp.abs(wp.dot(along, other)) <= reach)
    else:
        clear = apart * apart - wp.abs(wp.dot(along, offset)) - wp.abs(wp.dot(other, offset))
        near[p] = int(apart <= a[3] + b[3] and clear <= reach * apart)


def test_broadphase_agrees_with_its_twin(device):
    from newtonish.kernels.collision.broadphase import _is_near

    @wp.kernel(module="unique")
    def native(
        geom1: wp.array(dtype=int), geom2: wp.array(dtype=int), bound: wp.array(dtype=wp.vec4),
        axis: wp.array(dtype=wp.vec4), near: wp.array(dtype=int),
    ):  # fmt: skip
        p = wp.tid()
        near[p] = _is_near(geom1, geom2, bound, axis, p)

    rng = np.random.default_rng(0)
    ngeom, npair = 60, 4000
    half = rng.uniform(0, 0.5, ngeom)
    axis = rng.standard_normal((ngeom, 4))
    axis[:, :3] *= (half / np.linalg.norm(axis[:, :3], axis=1))[:, None]
    axis[:, 3] = rng.uniform(0.05, 0.3, ngeom)
    bound = np.concatenate([rng.uniform(-1, 1, (ngeom, 3)), (axis[:, 3] + half)[:, None]], axis=1)
    axis[:6, :3] /= np.linalg.norm(axis[:6, :3], axis=1)[:, None]
    axis[:6, 3], bound[:6, 3] = 0.01, 1e15  # planes
    geom1, geom2 = rng.integers(0, ngeom, npair), rng.integers(6, ngeom, npair)
    arrays = [wp.array(a, dtype=int, device=device) for a in (geom1, geom2)]
    arrays += [wp.array(a, dtype=wp.vec4, device=device) for a in (bound, axis)]
    results = []
    for kernel in (native, _near_twin):
        near = wp.zeros(npair, dtype=int, device=device)
        wp.launch(kernel, npair, inputs=[*arrays, near], device=device)
        results.append(near.numpy())
    np.testing.assert_array_equal(*results)
    assert 0.1 < results[0].mean() < 0.9


def test_difference_refuses_unequal_counts(device):
    """The oracle's helper must not call missing contacts equal."""
    mjm = scene("sphere", "sphere")
    poses = np.array([[0, 0, 0, 1, 0, 0, 0, x, 0, 0, 1, 0, 0, 0] for x in (0.1, 5.0)], dtype=float)
    touching, apart = ours(mjm, poses, device)
    assert difference(touching, apart)["dist"] == np.inf
