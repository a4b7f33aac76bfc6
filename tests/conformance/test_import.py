"""Our importer and conversion give the same device arrays as MuJoCo's compiler, field by field, on the same files."""

import pytest
from device_arrays import compare
from paths import OWN, shared_model

SHARED = [
    "dm_humanoid/humanoid.xml",
    "gym_ant/ant.xml",
    "gym_walker2d/walker2d_v5.xml",
    "gym_half_cheetah/half_cheetah.xml",
    "dmc_cartpole/cartpole.xml",
    "barkour_vb/scene.xml",
]
# what is left out is said in warnings; here only the arrays are looked at
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


@pytest.mark.parametrize("file", SHARED)
def test_a_real_model_has_equal_arrays(file, device):
    compare(shared_model(file), device)


# files named mjcf_* have parts that are refused with a warning as well; the importer's own tests compare them
@pytest.mark.parametrize("path", sorted(p for p in OWN.glob("*.xml") if not p.stem.startswith("mjcf_")), ids=lambda path: path.stem)
def test_our_own_models_have_equal_arrays(path, device):
    compare(path, device)
