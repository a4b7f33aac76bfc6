"""Our importer and conversion give the same device arrays as MuJoCo's compiler, field by field, on the same files."""

import pytest
from device_arrays import compare
from paths import OWN, SHARED, shared_model

DIFFERENT = {
    "flex_flag/flag.xml": "flexes are not simulated",
}
"""Models that are not compared, and why."""


def models() -> list[str]:
    """Every model of the shared folder; files that only others include are none."""
    found = (path for path in sorted(SHARED.rglob("*.xml")) if "<mujocoinclude" not in path.read_text(errors="replace"))
    names = (str(path.relative_to(SHARED)) for path in found)
    return [name for name in names if name not in DIFFERENT] or ["dm_humanoid/humanoid.xml"]


# what is left out is said in warnings; here only the arrays are compared
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


@pytest.mark.parametrize("file", models())
def test_a_real_model_has_equal_arrays(file, device):
    compare(shared_model(file), device)


# files named mjcf_* have parts that are refused with a warning as well; the importer's own tests compare them
@pytest.mark.parametrize("path", sorted(p for p in OWN.glob("*.xml") if not p.stem.startswith("mjcf_")), ids=lambda path: path.stem)
def test_our_own_models_have_equal_arrays(path, device):
    compare(path, device)
