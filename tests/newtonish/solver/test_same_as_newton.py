"""Models of Newton's own builder and importers move under our solver as under Newton's, from the same states and inputs.

Newton's side runs MuJoCo's C code, which simulates one world and compiles no kernels; ours runs both worlds at once.
"""

import warnings

import numpy as np
import pytest
from paths import shared_model

pytest.importorskip("newton")

from newton_rigs import (
    ASSETS,
    arm_with_gripper,
    four_bar,
    from_file,
    gripper_with_bar,
    motion,
    peer_motion,
    start,
    worlds,
)

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
RESTING = {
    "ant": (MODELS["ant"], 0.1, 600),
    "quadruped": (MODELS["quadruped"], 0.1, 600),
    "quadruped-urdf": (MODELS["quadruped-urdf"], 0.6, 600),
    "humanoid": (MODELS["humanoid"], 0.1, 1500),
    "hand": (lambda: from_file(shared_model("allegro_hand/right_hand.xml"), floating=True), 0.12, 250),
}
"""Model, how high it starts, and steps until it rests."""


def scenes(make, device: str, ground: bool = False):
    """The same scene as a model of two worlds and of one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = make()
        return worlds(one, 2, device, ground), worlds(one, 1, "cpu", ground)


@pytest.mark.parametrize("name", MODELS)
def test_joint_states_before_contact(name: str, device: str):
    model, single = scenes(MODELS[name], device)
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


@pytest.mark.parametrize("name", RESTING)
def test_rest_heights_on_the_ground(name: str, device: str):
    """Dropped and left alone: the roots come to rest at the same heights, and so does every body on the average."""
    make, lift, steps = RESTING[name]
    model, single = scenes(make, device, ground=True)
    values = start(model, lift, 0.02, 0.1)
    ours, _ = motion(model, values, steps, 0.004)
    theirs, _ = peer_motion(single, values, 2, steps, 0.004)
    heights = [path[-1]["body_q"].reshape(2, -1, 7)[..., 2] for path in (ours, theirs)]
    np.testing.assert_allclose(heights[0][:, 0], heights[1][:, 0], atol=1e-3)
    assert np.abs(heights[0] - heights[1]).mean() < 1e-3
    assert np.abs(theirs[-1]["body_qd"][:, :3]).max() < 0.2, "it rests"


def test_what_a_gripper_holds_rests_at_the_same_height(device: str):
    """The fingers close on a bar and keep it by friction while the arm sinks into its drives."""
    model, single = scenes(gripper_with_bar, device)
    values = start(model, 0.0, 0.0, 0.0)
    q, target = (values[name].reshape(2, -1) for name in ("joint_q", "joint_target_q"))
    q[:, 2:4] = -0.001  # a touch is found or not by the last digit
    q[:, 4:7] = [[0.65, 0.0, 0.0], [0.654, 0.0, 0.003]]
    target[:, :3] = [-0.3, 0.2, -0.01]
    values["joint_f"][:] = 0.0
    ours, _ = motion(model, values, 500, 0.004)
    theirs, _ = peer_motion(single, values, 2, 500, 0.004)
    heights = [path[-1]["body_q"].reshape(2, -1, 7)[..., 2] for path in (ours, theirs)]
    np.testing.assert_allclose(heights[0], heights[1], atol=1e-3)
    bar = theirs[-1]["body_q"].reshape(2, -1, 7)[:, -1, 2]
    assert np.abs(theirs[-1]["body_qd"]).max() < 0.02 and bar.min() > 0.0, "it is held and rests"
