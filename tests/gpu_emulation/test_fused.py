"""Products and sums rounded once, as NVIDIA's compiler has them: results differ by rounding from those of a CPU that rounds twice."""

import pytest
from cases import CASES
from comparison import compare
from emulation.compiler import Form
from emulation.emulator import Schedule

TOLERANCE = 1e-4
# what a case's results may differ by, where rounding is magnified
LOOSER = {
    "inverse_differences": 1e-3,  # a rounding over the step of the differences
    "overlaps": 4e-4,  # the direction of least depth between curved shapes: turned by an angle, depth grows by its square, and float32 keeps seven digits of it
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case(case):
    compare(case, "", Schedule.ASCENDING, form=Form(fused=True), allowed=LOOSER.get(case.name, TOLERANCE))
