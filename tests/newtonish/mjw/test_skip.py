"""Skipping stages whose results are still those of the present state."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN

from newtonish import mjw
from newtonish.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
STAGES = [mjw.Stage.NONE, mjw.Stage.POS, mjw.Stage.VEL]


def rig(device: str) -> oracle.Pair:
    pair = oracle.load(OWN / "all_sensors.xml", nworld=3, device=device)
    oracle.advance(pair, 20)
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    mjw.forward(pair.m, pair.d)
    return pair


def change(pair: oracle.Pair, stage: mjw.Stage) -> None:
    """Other values, on both sides, of all that may change when ``stage`` is skipped."""
    names = {mjw.Stage.NONE: ("qpos", "qvel", "ctrl", "qfrc_applied"), mjw.Stage.POS: ("qvel", "ctrl"), mjw.Stage.VEL: ("ctrl",)}
    for world, mjd in enumerate(pair.mjds):
        rng = np.random.default_rng(world)
        for name in names[stage]:
            array = getattr(mjd, name)
            if name == "qpos":
                mujoco.mj_integratePos(pair.mjm, array, 0.05 * rng.standard_normal(pair.mjm.nv), 1.0)
            else:
                array += 0.2 * rng.standard_normal(array.shape)
        mjd.qacc_warmstart[:] = 0.0
    oracle.push(pair)


@pytest.mark.parametrize("sensors", [True, False])
@pytest.mark.parametrize("stage", STAGES)
def test_forward_skip(stage, sensors, device):
    pair = rig(device)
    before = pair.d.sensordata.numpy().copy()
    change(pair, stage)
    for mjd in pair.mjds:
        mujoco.mj_forwardSkip(pair.mjm, mjd, int(stage), int(not sensors))
    mjw.forward_skip(pair.m, pair.d, stage, not sensors)
    oracle.compare_solution(pair)
    if not sensors:
        np.testing.assert_array_equal(pair.d.sensordata.numpy(), before)
    full = mjw.make_data(pair.m, pair.nworld)
    mjw.copy_state(pair.m, pair.d, full)
    full.qacc_warmstart.zero_()
    mjw.forward(pair.m, full)
    np.testing.assert_allclose(pair.d.qacc.numpy(), full.qacc.numpy(), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("stage", STAGES)
def test_inverse_skip(stage, device):
    pair = rig(device)
    change(pair, stage)
    for world, mjd in enumerate(pair.mjds):
        mjd.qacc[:] += np.random.default_rng(world + 9).standard_normal(pair.mjm.nv)
        mujoco.mj_inverseSkip(pair.mjm, mjd, int(stage), 0)
    pair.d.qacc.assign(np.stack([mjd.qacc for mjd in pair.mjds]).astype(np.float32))
    mjw.inverse_skip(pair.m, pair.d, stage)
    for world, mjd in enumerate(pair.mjds):
        for name in ("qfrc_inverse", "qfrc_constraint"):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), oracle.SOLVER, world)


def test_skipped_positions_are_not_computed(device):
    pair = rig(device)
    before = pair.d.xpos.numpy().copy()
    change(pair, mjw.Stage.NONE)
    mjw.forward_skip(pair.m, pair.d, mjw.Stage.POS)
    np.testing.assert_array_equal(pair.d.xpos.numpy(), before)
    mjw.forward_skip(pair.m, pair.d)
    assert not np.array_equal(pair.d.xpos.numpy(), before)


def test_other_stages_are_refused(device):
    pair = rig(device)
    with pytest.raises(ModelError, match=r"forward_skip: skipstage.*Stage\.VEL"):
        mjw.forward_skip(pair.m, pair.d, mjw.Stage.ACC)


def test_inverse_evaluates_sensors(device):
    """Sensors of positions and velocities, and accelerometers of the given acceleration."""
    pair = rig(device)
    for mjd in pair.mjds:
        mjd.qacc[:] += 0.5
        mujoco.mj_inverse(pair.mjm, mjd)
    pair.d.qacc.assign(np.stack([mjd.qacc for mjd in pair.mjds]).astype(np.float32))
    pair.d.sensordata.zero_()
    mjw.inverse(pair.m, pair.d)
    kinds = (mujoco.mjtSensor.mjSENS_ACCELEROMETER, mujoco.mjtSensor.mjSENS_FRAMELINACC, mujoco.mjtSensor.mjSENS_JOINTVEL)
    for sensor in np.flatnonzero(np.isin(pair.mjm.sensor_type, [int(kind) for kind in kinds])):
        part = slice(pair.mjm.sensor_adr[sensor], pair.mjm.sensor_adr[sensor] + pair.mjm.sensor_dim[sensor])
        for world, mjd in enumerate(pair.mjds):
            oracle.close("sensordata", pair.d.sensordata.numpy()[world, part], mjd.sensordata[part], 5e-4, world)
