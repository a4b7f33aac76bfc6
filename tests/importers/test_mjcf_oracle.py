"""The importer's result on real models equals what MuJoCo compiles from the same files."""

import pytest
from mjcf_compare import compare, load, oracle
from paths import shared_model

MODELS = (
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
)


@pytest.mark.parametrize("name", MODELS)
def test_equals_mujoco(name: str) -> None:
    path = shared_model(name)
    compare(load(path), oracle(path))
