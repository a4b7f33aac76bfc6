"""Many worlds go through the derivatives in groups that share scratch: each has the numbers that it has by itself, to the bit."""

import numpy as np
import pytest
import warp as wp
from gradient_models import CONTACTS, EQUALITIES, pair_of
from gradient_models_forces import ROWS, STRINGS, TRANSMISSIONS
from paths import REPO

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


def test_fields_and_sensors_of_worlds_in_groups(device):
    """Scratch that worlds share leaves gradients by fields and those of sensors alone too."""
    pair = pair_of((REPO / "tests" / "models" / "smooth_sensors.xml").read_text(), 20, device, nworld=WORLDS)
    rng = np.random.default_rng(3)
    nx, ns = 2 * pair.m.nv + pair.m.size.na, pair.m.size.nsensordata
    bars, seen = (rng.standard_normal((WORLDS, n)).astype(np.float32) for n in (nx, ns))
    row = wp.zeros((WORLDS, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)

    def found(d: mjw.Data, worlds: slice) -> list[np.ndarray]:
        given, sensors = wp.array(bars[worlds], device=device), wp.array(seen[worlds], device=device)
        mass = wp.zeros((d.nworld, pair.m.nbody), dtype=float, device=device)
        friction = wp.zeros((d.nworld, pair.m.ngeom), dtype=wp.vec3, device=device)
        state, C = wp.zeros((d.nworld, nx), dtype=float, device=device), wp.zeros((d.nworld, ns, nx), dtype=float, device=device)
        mjw.step_vjp(pair.m, d, given, fields={"body_mass": mass, "geom_friction": friction})
        mjw.transition(pair.m, d, C=C)
        mjw.step_vjp(pair.m, d, given, state, sensor_bar=sensors)
        return [array.numpy() for array in (mass, friction, C, state)]

    together = found(pair.d, slice(None))
    for world in ALONE:
        alone = mjw.make_data(pair.m, 1)
        mjw.set_state(pair.m, alone, wp.clone(row[world : world + 1]), mjw.State.INTEGRATION)
        for ours, theirs in zip(found(alone, slice(world, world + 1)), together, strict=True):
            np.testing.assert_array_equal(ours[0], theirs[world])
