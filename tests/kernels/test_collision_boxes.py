"""Boxes around geoms against boxes in float64, and the law that a pair within reach is never left out."""

import mujoco
import numpy as np
import pytest
import warp as wp
from collision_oracle import random_poses
from convex_oracle import EXTENT, scene

from newtonish import mjw
from newtonish.kernels.collision.boxes import boxes_apart
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom, Hull

PAIRS = [("sphere", "wedge"), ("capsule", "wedge"), ("ellipsoid", "pebble"), ("cylinder", "wedge"), ("box", "wedge")]
PAIRS += [("wedge", "pebble"), ("pebble", "pebble"), ("box", "box"), ("ellipsoid", "cylinder")]
REACH = 0.02


@wp.kernel(enable_backward=False)
def _apart(geom: Geom, hull: Hull, kin: Kinematics, reach: float, result: wp.array(dtype=int)):
    w = wp.tid()
    result[w] = wp.where(boxes_apart(geom, hull, kin, w, 0, 1, reach), 1, 0)


def gap_of_boxes(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> float:
    """Largest gap between the corners of the two geoms' boxes along one of their axes."""
    corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(8, 3)
    frames = [mjd.geom_xmat[g].reshape(3, 3) for g in (0, 1)]
    boxes = [mjd.geom_xpos[g] + (mjm.geom_aabb[g, :3] + corners * mjm.geom_aabb[g, 3:]) @ frames[g].T for g in (0, 1)]
    gaps = []
    for axis in np.hstack(frames).T:
        a, b = (box @ axis for box in boxes)
        gaps.append(max(a.min() - b.max(), b.min() - a.max()))
    return max(gaps)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_contact_is_left_out(first, second, device):
    """Against MuJoCo's distance, in poses around the distance at which the search for contacts begins."""
    mjm = scene(first, second)
    poses = random_poses(mjm, 400, EXTENT[first] + EXTENT[second], seed=5)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, len(poses))
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    result = wp.zeros(len(poses), dtype=int, device=device)
    wp.launch(_apart, dim=len(poses), inputs=[m.geom, m.hull, d.kin, REACH, result], device=device)
    apart = result.numpy() == 1
    mjd, gaps, distances = mujoco.MjData(mjm), [], []
    for pose in poses:
        mjd.qpos[:] = pose
        mujoco.mj_kinematics(mjm, mjd)
        gaps.append(gap_of_boxes(mjm, mjd))
        distances.append(mujoco.mj_geomDistance(mjm, mjd, 0, 1, 5.0, None))
    gaps, distances = np.array(gaps), np.array(distances)
    clear = abs(gaps - REACH) > 1e-4
    assert (apart[clear] == (gaps > REACH)[clear]).all()
    assert apart.sum() > 4
    assert not (apart & (distances <= REACH)).any()
    assert (distances <= REACH).sum() > 40
