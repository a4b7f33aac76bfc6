"""Every kind of sensor with a delay, a period, both, or a cutoff, against MuJoCo along one motion of unequal worlds."""

import re

import mujoco
import numpy as np
import oracle
import pytest
from features import sensors as features
from sensor_oracle import SENSORS, compare_sensors, outputs

from newtonish import mjw

TIMING = {
    "held": 'nsample="4" delay=".006" interp="zoh"',
    "linear": 'nsample="6" delay=".0071" interp="linear"',
    "cubic": 'nsample="6" delay=".0071" interp="cubic"',
    "period": 'nsample="3" interval=".006"',
    "period with a phase": 'nsample="3" interval=".01 -.004"',
    "delay and period": 'nsample="5" delay=".009" interval=".006" interp="linear"',
}
NO_CUTOFF = ("framequat", "framexaxis", "frameyaxis", "framezaxis", "ballquat", "normal", "frame of a camera")  # directions have none
STEPS = 40


def all_sensors(timing: str) -> str:
    """One model with every sensor of the coverage page, each with these attributes."""
    lines = []
    for name, text in features._SENSORS.items():
        if name == "user":  # has none of these attributes
            continue
        if "cutoff" in timing and (name.startswith(NO_CUTOFF) or "cutoff" in text):
            continue
        own = re.sub(r' (delay|nsample|interval)="[^"]*"', "", text)
        lines.append(own.replace("/>", f" {timing}/>"))
    return features.model(features._WORLD, option="magnetic='.1 .2 -.5'", tail=f"{features._TAIL}<sensor>{''.join(lines)}</sensor>")


def follow(pair: oracle.Pair) -> None:
    """One step on both sides from MuJoCo's state, so that only buffers and clocks of our own go on."""
    for name in ("qpos", "qvel", "qacc_warmstart"):
        getattr(pair.d, name).assign(np.stack([getattr(mjd, name) for mjd in pair.mjds]).astype(np.float32))
    mjw.step(pair.m, pair.d)
    for mjd in pair.mjds:
        mujoco.mj_step(pair.mjm, mjd)


@pytest.mark.parametrize("timing", TIMING.values(), ids=TIMING)
def test_every_sensor_keeps_mujocos_time(timing: str, device: str) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(all_sensors(timing)), device=device)
    seen: set[str] = set()
    for _ in range(STEPS):
        follow(pair)
        compare_sensors(pair, seen)
    assert len(seen) > 30, sorted(seen)


@pytest.mark.parametrize("cutoff", [0.05, 2.0])
def test_every_sensor_is_cut_where_mujoco_cuts_it(cutoff: float, device: str) -> None:
    """Within the accuracy of what was cut, whose size an uncut copy of MuJoCo's model gives; of accelerations, that of qacc."""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(all_sensors(f'cutoff="{cutoff}"')), device=device)
    uncut = mujoco.MjModel.from_xml_string(all_sensors(f'cutoff="{cutoff}"'))
    uncut.sensor_cutoff[:] = 0.0
    cut = 0
    for _ in range(STEPS):
        before = []
        for mjd in pair.mjds:
            full = mujoco.MjData(uncut)
            for name in ("qpos", "qvel", "qacc_warmstart"):
                getattr(full, name)[:] = getattr(mjd, name)
            mujoco.mj_forward(uncut, full)
            before.append(full.sensordata.copy())
        follow(pair)
        for world in range(pair.nworld):
            cut += np.count_nonzero(np.abs(before[world] - pair.mjds[world].sensordata) > 1e-9)
            for s, (name, ours, theirs) in enumerate(outputs(pair, world)):
                adr = pair.mjm.sensor_adr[s]
                acceleration = pair.mjm.sensor_needstage[s] == mujoco.mjtStage.mjSTAGE_ACC
                whole = pair.mjds[world].qacc if acceleration else 0.0
                scale = max(1.0, np.linalg.norm(before[world][adr : adr + len(theirs)]), np.linalg.norm(whole))
                assert np.linalg.norm(ours - theirs) < SENSORS * scale, f"{name}, world {world}: {ours}, MuJoCo {theirs}"
    assert cut > 1000
