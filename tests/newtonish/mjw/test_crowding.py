"""Models at rest in their start pose, or falling into a heap, fit into the default capacities; others pay nothing for it."""

import mujoco
import pytest
from paths import shared_model

from newtonish import mjw
from newtonish.cli.models import model_path
from newtonish.mjw.capacity import estimate

CROWDED = {
    "replicate_scenes/stonehenge.xml": 30,
    "replicate_scenes/particle_free.xml": 200,
    "rubik_cube/cube_3x3x3.xml": 30,
    "sleep_dominos/dominos.xml": 30,
    "converter_tests/tests/data/joint_limits.xml": 3,
    "converter_tests/tests/data/joint_limits_no_autolimits.xml": 3,
    "boxes_75": 200,
}
GUIDED = ["dm_humanoid/humanoid.xml", "unitree_g1/scene.xml", "allegro_hand/right_hand.xml", "softfoot/softfoot.xml", "gym_ant/ant.xml"]


def read(name: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(shared_model(name) if name.endswith("xml") else model_path(name)))


@pytest.mark.parametrize("name", CROWDED)
def test_what_mujoco_finds_fits(name: str) -> None:
    """Contacts and rows over MuJoCo's first steps; no step of ours would warn and grow."""
    mjm = read(name)
    contacts, rows = estimate(mjw.put_model(mjm, device="cpu"), None, None)
    mjd = mujoco.MjData(mjm)
    for _step in range(CROWDED[name]):
        mujoco.mj_step(mjm, mjd)
        assert (mjd.ncon, mjd.nefc) <= (contacts, rows) and mjd.nefc <= rows
    assert contacts > max(16, 2 * mjm.ngeom)  # the plain rule would not do


@pytest.mark.parametrize("name", GUIDED)
def test_robots_keep_two_contacts_a_geom(name: str) -> None:
    m = mjw.put_model(read(name), device="cpu")
    assert m.likely_contacts <= max(16, 2 * m.ngeom)
