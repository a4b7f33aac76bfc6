"""Models of Newton's own builder and importers move under our solver as under Newton's, from the same states and inputs.

Newton's side runs MuJoCo's C code, which simulates one world and compiles no kernels; ours runs both worlds at once.
"""

import warnings

import numpy as np
import pytest
from paths import shared_model

pytest.importorskip("newton")

from newton_rigs import ASSETS, arm_with_gripper, four_bar, from_file, motion, peer_motion, start, worlds

pytestmark = pytest.mark.filterwarnings("ignore")
MODELS = {
    "humanoid": lambda: from_file(shared_model("dm_humanoid/humanoid.xml")),
    "newtons-humanoid": lambda: from_file(ASSETS / "nv_humanoid.xml"),
    "ant": lambda: from_file(shared_model("gym_ant/ant.xml")),
    "newtons-ant": lambda: from_file(ASSETS / "nv_ant.xml"),
    "cartpole": lambda: from_file(shared_model("dmc_cartpole/cartpole.xml")),
    "cartpole-urdf": lambda: from_file(ASSETS / "cartpole.urdf"),
    "quadruped": lambda: from_file(shared_model("barkour_vb/barkour_vb.xml")),
    "quadruped-urdf": lambda: from_file(ASSETS / "quadruped.urdf", floating=True),
    "robot-arm": lambda: from_file(shared_model("wx250s/wx250s.xml")),
    "arm-with-loops": lambda: from_file(shared_model("xarm7/xarm7.xml")),
    "arm-with-mimic-gripper": arm_with_gripper,
    "four-bar": four_bar,
    "hand": lambda: from_file(shared_model("allegro_hand/right_hand.xml")),
}
# what starts closed is not spread
SPREAD = {"arm-with-loops": (0.0, 0.0), "four-bar": (0.0, 0.0)}
STEPS = {"ant": 600, "quadruped": 600, "quadruped-urdf": 600, "humanoid": 1500}


def scenes(name: str, device: str, ground: bool = False):
    """The same scene as a model of two worlds and of one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = MODELS[name]()
        return worlds(one, 2, device, ground), worlds(one, 1, "cpu", ground)


@pytest.mark.parametrize("name", MODELS)
def test_joint_states_before_contact(name: str, device: str):
    model, single = scenes(name, device)
    q, qd = SPREAD.get(name, (0.05, 0.3))
    values = start(model, 5.0, q, qd)
    ours, _ = motion(model, values, 100, 0.002)
    theirs, _ = peer_motion(single, values, 2, 100, 0.002)
    moved = np.abs(theirs[-1]["joint_q"] - values["joint_q"]).max()
    assert moved > 0.01, "something moves"
    for k in (0, 9, 49, 99):
        for key in ("joint_q", "joint_qd", "body_q", "body_qd"):
            size = max(1.0, float(np.abs(theirs[k][key]).max()))
            np.testing.assert_allclose(ours[k][key], theirs[k][key], atol=1e-4 * size, err_msg=f"{key} after {k + 1} steps")


@pytest.mark.parametrize("name", STEPS)
def test_rest_heights_on_the_ground(name: str, device: str):
    """Dropped and left alone: the roots come to rest at the same heights, and so does every body on the average."""
    model, single = scenes(name, device, ground=True)
    values = start(model, 0.6 if name == "quadruped-urdf" else 0.1, 0.02, 0.1)
    ours, _ = motion(model, values, STEPS[name], 0.004)
    theirs, _ = peer_motion(single, values, 2, STEPS[name], 0.004)
    heights = [path[-1]["body_q"].reshape(2, -1, 7)[..., 2] for path in (ours, theirs)]
    np.testing.assert_allclose(heights[0][:, 0], heights[1][:, 0], atol=1e-3)
    assert np.abs(heights[0] - heights[1]).mean() < 1e-3
    assert np.abs(theirs[-1]["body_qd"][:, :3]).max() < 0.2, "it rests"
