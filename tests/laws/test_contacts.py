"""What contacts must be without any reference: as deep as the geoms are, with one normal, the same for both geoms.

The true depth is computed apart from the code under test: the least distance by which one geom must be moved to leave the
other is the minimum over all directions of a function of the two support functions, found by sampling and a local search.
"""

import itertools

import mujoco
import numpy as np
import pytest
from collision_oracle import Contacts, matching, random_poses, read, theirs
from contact_rates import resting_poses
from convex_oracle import EXTENT, collide, explicit_pair, outside, overlap, scene

SOLIDS = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "wedge", "pebble")
PAIRS = list(itertools.combinations_with_replacement(SOLIDS, 2))
SLIM = {("capsule", "box"), ("capsule", "capsule"), ("capsule", "cylinder")}  # closed forms with a normal for each end
LIKE = [(kind, kind) for kind in SOLIDS] + [("wedge", "pebble")]  # geoms of one type, whose order is the model's
CLOSED_FORMS = ("sphere", "capsule", "box")  # functions of their own, which are the same both ways but for rounding
POSES = 30


def poses_of(mjm: mujoco.MjModel, first: str, second: str, seed: int) -> np.ndarray:
    return random_poses(mjm, POSES, 0.8 * (EXTENT[first] + EXTENT[second]), seed=seed)


def true_depth(mjm: mujoco.MjModel, mjd: mujoco.MjData, directions: np.ndarray) -> float:
    """Least way out of each other: the six best of many directions, each searched around in shrinking circles."""
    rng, best = np.random.default_rng(1), np.inf
    for start in directions[np.argsort(overlap(mjm, mjd, directions))[:6]]:
        radius, centre = 0.15, start
        for _ in range(16):
            near = np.concatenate([centre[None], centre + radius * rng.standard_normal((60, 3))])
            near /= np.linalg.norm(near, axis=1)[:, None]
            ways = overlap(mjm, mjd, near)
            centre, radius = near[ways.argmin()], 0.55 * radius
        best = min(best, float(ways.min()))
    return best


@pytest.mark.parametrize(
    ("first", "second", "multiccd", "symmetric"),
    [(*pair, flag, False) for pair in PAIRS for flag in ("enable", "disable")] + [(*pair, "enable", True) for pair in LIKE],
)
def test_contacts_are_as_deep_as_the_geoms(first, second, multiccd, symmetric, device):
    """One point: to five micrometres. A patch: never deeper by more than 1 % or 0.1 mm, and not much shallower.

    Two boxes are MuJoCo's own function, whose way out of an edge over an edge may be half a percent too long. A capsule whose
    axis is deep in a box has, as in MuJoCo, less than its depth.
    """
    mjm = scene(first, second, option=f'multiccd="{multiccd}"')
    poses = poses_of(mjm, first, second, seed=17)
    if symmetric and first != "sphere":
        poses = np.concatenate([poses, resting_poses(mjm, POSES, EXTENT[first] + EXTENT[second], seed=18)])
    mjd = mujoco.MjData(mjm)
    directions = np.random.default_rng(0).standard_normal((2500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    several = multiccd == "enable" or (first, second) == ("box", "box")
    deeper, slack = (0.01, 1e-4) if several else (1e-6, 1e-6)
    shallower, missed = (0.05, 3e-4) if several else (1e-6, 5e-6)
    touching = 0
    for qpos, found in zip(poses, read(collide(mjm, poses, device, symmetric=symmetric)), strict=True):
        mjd.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, mjd)
        true = true_depth(mjm, mjd, directions)
        assert len(found) <= 8
        if len(found) == 0:
            assert true < 1e-4
            continue
        touching += 1
        depth = -found.dist.min()
        # the search for the true depth ends at or above it
        assert depth <= true + max(deeper * true, slack), (depth, true)
        normal = found.frame[found.dist.argmin(), :3].astype(float)
        along = overlap(mjm, mjd, normal[None])[0]
        true = min(true, along)  # the normal's own way out may be better than the best that the search found
        if (first, second) != ("capsule", "box"):
            assert depth >= (1.0 - shallower) * true - missed, (depth, true)
    assert touching > POSES // 4


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_deepest_points_lie_on_both_geoms(first, second, device):
    """Half the depth to either side of a contact is the surface of one geom and of the other."""
    mjm = scene(first, second, option='multiccd="disable"')
    poses = poses_of(mjm, first, second, seed=21)
    mjd = mujoco.MjData(mjm)
    touching = 0
    for qpos, found in zip(poses, read(collide(mjm, poses, device)), strict=True):
        mjd.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, mjd)
        for k in range(len(found) if (first, second) not in (*SLIM, ("box", "box")) else 0):
            half = 0.5 * found.dist[k] * found.frame[k, :3]
            assert abs(outside(mjm, mjd, 0, found.pos[k] - half)) < 5e-4
            assert abs(outside(mjm, mjd, 1, found.pos[k] + half)) < 5e-4
            touching += 1
    assert touching > POSES // 4 or (first, second) in (*SLIM, ("box", "box"))


@pytest.mark.parametrize(("first", "second", "symmetric"), [(*pair, False) for pair in PAIRS] + [(*pair, True) for pair in LIKE])
def test_a_patch_has_one_normal(first, second, symmetric, device):
    mjm = scene(first, second)
    several = 0
    for found in read(collide(mjm, poses_of(mjm, first, second, seed=19), device, symmetric=symmetric)):
        if len(found) > 1 and (first, second) not in SLIM:
            several += 1
            np.testing.assert_array_equal(found.frame, np.broadcast_to(found.frame[0], found.frame.shape))
    assert several > 0 or first in ("sphere", "capsule", "ellipsoid") or second == "ellipsoid"


def turned(a: Contacts, b: Contacts) -> bool:
    """Whether two sets of contacts are the same but for the sides: points within 1 mm, normals turned round."""
    if len(a) != len(b):
        return False
    order = matching(a, b)
    return bool(np.abs(a.pos[order] - b.pos).max() < 1e-3 and np.abs(a.frame[order][:, :3] + b.frame[:, :3]).max() < 5e-3)


def both_ways(first: str, second: str, option: str = "") -> tuple[mujoco.MjModel, mujoco.MjModel, np.ndarray, np.ndarray]:
    """Two models of the same two geoms in either order, and poses of each in which they lie alike: deep and resting ones."""
    one, other = scene(first, second, option=option), scene(second, first, option=option)
    resting = resting_poses(one, 2 * POSES, EXTENT[first] + EXTENT[second], seed=37)
    poses = np.concatenate([poses_of(one, first, second, seed=23), resting]).astype(np.float32).astype(float)
    return one, other, poses, np.concatenate([poses[:, 7:], poses[:, :7]], axis=1)


@pytest.mark.parametrize(("first", "second"), LIKE)
def test_single_contacts_are_the_same_to_the_bit_if_geoms_change_places(first, second, device):
    """Without ``multiccd`` the same point, depth and normal; of boxes, which have several still, within rounding."""
    one, other, poses, swapped = both_ways(first, second, 'multiccd="disable"')
    touching = 0
    for a, b in zip(read(collide(one, poses, device)), read(collide(other, swapped, device)), strict=True):
        assert len(a) == len(b)
        touching += len(a) > 0
        if first in CLOSED_FORMS and len(a):
            order = matching(a, b)
            np.testing.assert_allclose(a.dist[order], b.dist, atol=1e-6)
            np.testing.assert_allclose(a.pos[order], b.pos, atol=2e-6)
            np.testing.assert_allclose(a.frame[order][:, :3], -b.frame[:, :3], atol=1e-5)
        elif len(a):
            np.testing.assert_array_equal(a.dist, b.dist)
            np.testing.assert_array_equal(a.pos, b.pos)
            np.testing.assert_array_equal(a.frame[:, :3], -b.frame[:, :3])
    assert touching > POSES // 3


@pytest.mark.parametrize(("first", "second"), LIKE)
def test_patches_are_the_same_wherever_mujoco_s_are_if_geoms_change_places(first, second, device):
    """All points are the same both ways in every pose in which MuJoCo's are, and the depth is in all.

    In the others one face leans on another by up to five degrees. MuJoCo's patch has the normal of the second geom's face, so
    that what changes places turns by the angle between the faces; contacts that did not could not be MuJoCo's both ways.
    """
    one, other, poses, swapped = both_ways(first, second)
    ours = zip(read(collide(one, poses, device)), read(collide(other, swapped, device)), strict=True)
    same, touching = 0, 0
    for (a, b), c, d in zip(ours, theirs(one, poses), theirs(other, swapped), strict=True):
        assert (len(a) > 0) == (len(b) > 0)
        if len(a) and len(c) and len(d):
            touching += 1
            same += turned(a, b)
            assert abs(a.dist.min() - b.dist.min()) < -0.02 * b.dist.min() + 1e-4
            assert turned(a, b) or not turned(c, d)
    assert touching > POSES // 3
    assert same == touching or "wedge" in (first, second) or "pebble" in (first, second) or first == "cylinder"


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_an_explicit_pair_may_name_its_geoms_in_either_order(first, second, device):
    mjm = explicit_pair(first, second, "a", "b")
    poses = poses_of(mjm, first, second, seed=29)
    same, touching = 0, 0
    for a, b in zip(read(collide(mjm, poses, device)), read(collide(explicit_pair(first, second, "b", "a"), poses, device)), strict=True):
        assert (len(a) > 0) == (len(b) > 0)
        if len(a):
            touching += 1
            assert abs(a.dist.min() - b.dist.min()) < -0.01 * b.dist.min() + 1e-4
            sign = 1.0 if a.geom[0].tolist() == b.geom[0].tolist() else -1.0
            if len(a) == len(b):
                order = matching(a, b)
                same += bool(np.abs(a.pos[order] - b.pos).max() < 1e-3 and np.abs(a.frame[order][:, :3] - sign * b.frame[:, :3]).max() < 5e-3)
    assert same >= (0.85 if (first, second) in LIKE else 1.0) * touching > 0
