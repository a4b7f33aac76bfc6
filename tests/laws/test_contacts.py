"""What contacts must be without any reference: as deep as the geoms are, with one normal, the same for both geoms.

The true depth is computed apart from the code under test: the least distance by which one geom must be moved to leave the
other is the minimum over all directions of a function of the two support functions, found by sampling and a local search.
"""

import itertools

import mujoco
import numpy as np
import pytest
from collision_oracle import matching, random_poses, read
from convex_oracle import EXTENT, MESHES, SHAPES, collide, outside, overlap, scene

SOLIDS = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "wedge", "pebble")
PAIRS = list(itertools.combinations_with_replacement(SOLIDS, 2))
SLIM = {("capsule", "box"), ("capsule", "capsule"), ("capsule", "cylinder")}  # closed forms with a normal for each end
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


@pytest.mark.parametrize("multiccd", ["enable", "disable"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_contacts_are_as_deep_as_the_geoms(first, second, multiccd, device):
    """Within 1 % or 2e-4 m, with a patch of several points as with one; never more than eight points."""
    mjm = scene(first, second, option=f'multiccd="{multiccd}"')
    poses = poses_of(mjm, first, second, seed=17)
    mjd = mujoco.MjData(mjm)
    directions = np.random.default_rng(0).standard_normal((2500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    touching = 0
    for qpos, found in zip(poses, read(collide(mjm, poses, device)), strict=True):
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
        assert depth <= true * 1.01 + 2e-4, (depth, true)
        normal = found.frame[found.dist.argmin(), :3].astype(float)
        along = overlap(mjm, mjd, normal[None])[0]
        true = min(true, along)  # the normal's own way out may be better than the best that the search found
        if (first, second) != ("capsule", "box"):  # a capsule whose axis is deep in a box: as in MuJoCo, less than its depth
            assert depth >= true * 0.99 - 3e-4, (depth, true)
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


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_patch_has_one_normal(first, second, device):
    mjm = scene(first, second)
    several = 0
    for found in read(collide(mjm, poses_of(mjm, first, second, seed=19), device)):
        if len(found) > 1 and (first, second) not in SLIM:
            several += 1
            np.testing.assert_array_equal(found.frame, np.broadcast_to(found.frame[0], found.frame.shape))
    assert several > 0 or first in ("sphere", "capsule", "ellipsoid") or second == "ellipsoid"


@pytest.mark.parametrize("kind", SOLIDS)
def test_geoms_of_one_type_may_change_places(kind, device):
    """The same points at the same distances, the normals turned round, for nine of ten poses; depths for all.

    A patch of two faces that lean on each other is made of corners of the second geom's face over the first's, as in MuJoCo:
    of hulls with many small faces only every other pose has the same points both ways.
    """
    mjm = scene(kind, kind)
    poses = poses_of(mjm, kind, kind, seed=23)
    swapped = np.concatenate([poses[:, 7:], poses[:, :7]], axis=1)
    same, touching = 0, 0
    for a, b in zip(read(collide(mjm, poses, device)), read(collide(mjm, swapped, device)), strict=True):
        assert (len(a) > 0) == (len(b) > 0)
        if len(a) == 0:
            continue
        touching += 1
        depth = -b.dist.min()
        assert abs(a.dist.min() - b.dist.min()) < 0.01 * depth + 1e-4
        if len(a) == len(b):
            order = matching(a, b)
            close = np.abs(a.pos[order] - b.pos).max() < 1e-3 and np.abs(a.frame[order][:, :3] + b.frame[:, :3]).max() < 5e-3
            same += bool(close)
    assert same >= (0.5 if kind == "pebble" else 0.85) * touching > 0


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_an_explicit_pair_may_name_its_geoms_in_either_order(first, second, device):
    def explicit(one: str, two: str) -> mujoco.MjModel:
        text = f"""<mujoco>{MESHES}<worldbody>
            <body><freejoint/><geom name="a" {SHAPES[first]} contype="0" conaffinity="0"/></body>
            <body><freejoint/><geom name="b" {SHAPES[second]} contype="0" conaffinity="0"/></body></worldbody>
            <contact><pair geom1="{one}" geom2="{two}"/></contact></mujoco>"""
        return mujoco.MjModel.from_xml_string(text)

    mjm = explicit("a", "b")
    poses = poses_of(mjm, first, second, seed=29)
    same, touching = 0, 0
    for a, b in zip(read(collide(mjm, poses, device)), read(collide(explicit("b", "a"), poses, device)), strict=True):
        assert (len(a) > 0) == (len(b) > 0)
        if len(a):
            touching += 1
            assert abs(a.dist.min() - b.dist.min()) < -0.01 * b.dist.min() + 1e-4
            sign = 1.0 if a.geom[0].tolist() == b.geom[0].tolist() else -1.0
            if len(a) == len(b):
                order = matching(a, b)
                same += bool(
                    np.abs(a.pos[order] - b.pos).max() < 1e-3
                    and np.abs(a.frame[order][:, :3] - sign * b.frame[:, :3]).max() < 5e-3
                )
    assert same >= 0.85 * touching > 0
