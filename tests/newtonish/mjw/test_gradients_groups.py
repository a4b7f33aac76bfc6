"""Many worlds go through the derivatives in groups that share scratch: each has the numbers that it has by itself, to the bit."""

import numpy as np
import pytest
import warp as wp
from gradient_models import CONTACTS, EQUALITIES, pair_of
from gradient_models_forces import ROWS, STRINGS, TRANSMISSIONS

from newtonish import mjw

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
WORLDS, ALONE = 37, (0, 7, 8, 36)


def derivatives(m: mjw.Model, d: mjw.Data, bars: np.ndarray) -> list[np.ndarray]:
    nx = 2 * m.nv + m.size.na
    A, B = (wp.zeros((d.nworld, nx, n), dtype=float, device=d.device) for n in (nx, m.nu))
    mjw.transition(m, d, A, B)
    state, ctrl = (wp.zeros((d.nworld, n), dtype=float, device=d.device) for n in (nx, m.nu))
    mjw.step_vjp(m, d, wp.array(bars, dtype=float, device=d.device), state, ctrl)
    return [array.numpy() for array in (A, B, state, ctrl)]


CASES = {
    "contacts": CONTACTS.format(integrator="Euler", cone="elliptic", dim=3, friction="1"),
    "equalities": EQUALITIES,
    "transmissions": TRANSMISSIONS.format(integrator="Euler"),
    "tendons": STRINGS.format(integrator="implicitfast"),
    "rows": ROWS,
}


@pytest.mark.parametrize("xml", CASES.values(), ids=CASES)
def test_worlds_in_groups_have_the_bits_of_worlds_alone(xml, device):
    pair = pair_of(xml, 20, device, nworld=WORLDS)
    rng = np.random.default_rng(3)
    bars = rng.standard_normal((WORLDS, 2 * pair.m.nv + pair.m.size.na)).astype(np.float32)
    together = derivatives(pair.m, pair.d, bars)
    row = wp.zeros((WORLDS, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    alone = mjw.make_data(pair.m, 1)
    for world in ALONE:
        mjw.set_state(pair.m, alone, wp.array(row.numpy()[world : world + 1], dtype=float, device=device), mjw.State.INTEGRATION)
        for whole, single in zip(together, derivatives(pair.m, alone, bars[world : world + 1]), strict=True):
            np.testing.assert_array_equal(whole[world], single[0])
