"""Real models as they are written against MuJoCo: every stage at three states of unequal worlds, and the importer's arrays.

``tests/support/sweep.py`` does the same for all models, also the largest, and makes the documentation's page.
"""

import mujoco
import pytest
import sweep
from paths import SHARED, shared_model

from newtonish.mjw.supported import unsupported

LARGEST = 250  # degrees of freedom
FILES = [str(path.relative_to(SHARED)) for path in sweep.models([]) if not sweep.excluded(path)]
STIFF = ("qfrc_constraint", "rows of bodies without translational inverse weight: forces of 1e8 cancel")
DEPTHS = ("contacts of convex", "penetration depths that are not the least ones")
HINGED = (("contacts of convex", "qacc", "qfrc_constraint"), "the same; and rows 1e15 times as stiff as others, limited in float32")
# what the errors of a model may begin with, and why
KNOWN = {
    "converter_tests/tests/data/attach_model.xml": STIFF,
    "converter_tests/tests/data/joint_limits.xml": STIFF,
    "converter_tests/tests/data/joint_limits_no_autolimits.xml": STIFF,
    "rubik_cube/cube_3x3x3.xml": HINGED,
    "softfoot/scene.xml": DEPTHS,
    "surfacevel/carousel.xml": DEPTHS,
    "sensor_zoo/sensor.xml": ("sensor", "forces of 1 N beside 3e8 N between overlapping geoms: one line search in float32 for all of them"),
}
pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


@pytest.mark.parametrize("file", FILES)
def test_every_stage_agrees(file, device):
    mjm = mujoco.MjModel.from_xml_path(str(shared_model(file)))
    if mjm.nv > LARGEST:
        pytest.skip(f"{mjm.nv} degrees of freedom take too long here; sweep.py has it")
    if unsupported(mjm):
        pytest.skip(f"not simulated: {unsupported(mjm)[0]}")
    states = [sweep.measured(mjm, steps, 2, device) for steps in sweep.STEPS]
    errors = [error for state in states for world in state.worlds for error in world.errors]
    if errors and file in KNOWN:
        beginning, why = KNOWN[file]
        assert all(error.startswith(beginning) for error in errors), errors
        pytest.xfail(why)
    assert not errors, "\n".join(errors)
