"""Whole steps in the CUDA form of every kernel, with the lanes that the mapping chooses: no report, and the results of the CPU's own form.

Products and sums are rounded once here, as NVIDIA's compiler has them, so that results differ by rounding from those of a CPU, which rounds
twice. How close they are where both round alike is the matter of ``test_lanes``.
"""

import pytest
from cases import CASES
from comparison import compare
from emulation.compiler import Form
from emulation.emulator import Schedule

TOLERANCE = 1e-4
# what a case's results may differ by, where rounding is magnified
LOOSER = {
    "inverse_differences": 1e-3,  # a rounding over the step of the differences
    "overlaps": 2e-3,  # the direction of least depth between curved shapes: turned by an angle, depth grows by its square, and float32 keeps six to seven digits of it
}
# arrays of such a case that no rounding is magnified in
EXACT = {"overlaps": {"contact.dist": 1e-5}}
# whether the tolerance or float32 ended the iteration hangs on the last bits of a residual; that the results agree does not
EITHER = {"status.rounded": 1.0}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_step(case):
    exact = EITHER | EXACT.get(case.name, {})
    compare(case, "", Schedule.RANDOM, form=Form(fused=True), allowed=LOOSER.get(case.name, TOLERANCE), exact=exact)
