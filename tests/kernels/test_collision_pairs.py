"""Every pair of geom types against MuJoCo in random poses: count, order, distance, position and frame of all contacts."""

import mujoco
import numpy as np
import pytest
from collision_oracle import EXTENT, compare, difference, matching, near_threshold, ours, random_poses, scene, theirs

POSES = 250
MARGIN, GAP = 0.03, 0.02  # of each geom
EXACT = [("plane", other) for other in ("sphere", "capsule", "ellipsoid", "cylinder", "box")]
EXACT += [("sphere", other) for other in ("sphere", "capsule", "cylinder", "box")]
EXACT += [("capsule", "capsule"), ("capsule", "box")]


@pytest.mark.parametrize("margin", [0.0, 1.0], ids=["touching", "within margin"])
@pytest.mark.parametrize(("first", "second"), EXACT)
def test_random_poses(first, second, margin, device):
    mjm = scene(first, second, margin * MARGIN, margin * GAP)
    spread = 0.95 * (EXTENT.get(first, 0.0) + EXTENT[second])
    poses = random_poses(mjm, POSES, spread, seed=len(first) * 10 + len(second))
    touching = compare(mjm, poses, device, reach=2 * margin * (MARGIN + GAP))
    assert touching > POSES // 4


@pytest.mark.parametrize("swap", [False, True])
def test_order_of_the_geoms_in_the_file_does_not_matter(swap, device):
    """The geom of the lower type comes first in a contact, whichever was written first."""
    pair = ("box", "capsule") if swap else ("capsule", "box")
    mjm = scene(*pair)
    poses = random_poses(mjm, 40, 0.5, seed=3)
    assert compare(mjm, poses, device, reach=0.0) > 10
    found = np.concatenate([c.geom for c in ours(mjm, poses, device)])
    assert (found == ([1, 0] if swap else [0, 1])).all()


def core_is_outside(mjm: mujoco.MjModel, radius: float, dist: np.ndarray) -> bool:
    """Whether the capsule's axis does not enter the cylinder; MuJoCo's polytope is coarse otherwise."""
    return bool((dist > -radius + 1e-4).all())


@pytest.mark.parametrize("margin", [0.0, 1.0], ids=["touching", "within margin"])
def test_capsule_and_cylinder(margin, device):
    """MuJoCo's general convex solver is exact to its tolerance as long as the capsule's axis stays outside."""
    mjm = scene("capsule", "cylinder", margin * MARGIN, margin * GAP)
    poses = random_poses(mjm, 500, 0.5, seed=11)
    reach, checked, lying, deep = 2 * margin * (MARGIN + GAP), 0, 0, 0
    for a, b in zip(ours(mjm, poses, device), theirs(mjm, poses)):
        if near_threshold(b, reach) or len(b) == 0:
            continue
        if len(b) == 2 and np.linalg.norm(b.pos[0] - b.pos[1]) < 1e-6:
            continue  # MuJoCo lists one end of a lying capsule twice
        assert len(a) == len(b)
        worst = difference(a, b, matching(a, b))
        if len(b) == 2:
            assert max(worst.values()) < 5e-4
            lying += 1
        elif core_is_outside(mjm, 0.09, b.dist):
            assert worst["dist"] < 1e-5
            assert worst["pos"] < 5e-5
            assert worst["frame"] < 1e-4
            checked += 1
        else:
            assert a.dist[0] < b.dist[0] + 1e-5  # MuJoCo's polytope lies within the true shape: its depth is not larger
            deep += 1
    assert checked > 100
    assert deep > 50
    assert lying > 2


def test_depth_of_a_capsule_through_a_cylinder_is_least(device):
    """No direction frees the capsule with a shorter way than the reported depth."""
    mjm = scene("capsule", "cylinder")
    poses = random_poses(mjm, 200, 0.25, seed=13)
    rng = np.random.default_rng(0)
    u = rng.standard_normal((40000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    mjd, deep = mujoco.MjData(mjm), 0
    for qpos, found in zip(poses, ours(mjm, poses, device)):
        if len(found) != 1 or found.dist[0] > -0.09:
            continue
        mjd.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, mjd)
        mat = mjd.geom_xmat[1].reshape(3, 3)
        center = mat.T @ (mjd.geom_xpos[0] - mjd.geom_xpos[1])
        axis = mat.T @ mjd.geom_xmat[0].reshape(3, 3)[:, 2]
        trial = np.vstack([u, -found.frame[0, :3].astype(float) @ mat])
        depth = 0.15 * np.hypot(trial[:, 0], trial[:, 1]) + 0.22 * np.abs(trial[:, 2]) - trial @ center
        depth += 0.21 * np.abs(trial @ axis) + 0.09
        assert -found.dist[0] <= depth.min() + 1e-5
        assert -found.dist[0] >= depth[-1] - 1e-4  # the reported normal achieves the reported depth
        deep += 1
    assert deep > 50
