"""Outputs of sensors beside MuJoCo's."""

import mujoco
import numpy as np
import oracle

SENSORS = 1e-3  # of the norm of a sensor's output; forces go through the solver


def outputs(pair, world):
    """Kind, our output and MuJoCo's, of every sensor that is evaluated."""
    mjm, ours = pair.mjm, pair.d.sensordata.numpy()[world]
    for s in range(mjm.nsensor):
        part = slice(mjm.sensor_adr[s], mjm.sensor_adr[s] + mjm.sensor_dim[s])
        if pair.m.sensor_type.numpy()[s] >= 0:
            kind = mujoco.mjtSensor(mjm.sensor_type[s]).name.removeprefix("mjSENS_")
            yield f"sensor {s} ({kind})", ours[part], pair.mjds[world].sensordata[part]


def compare_sensors(pair, seen=None, skip=()):
    for world in range(pair.nworld):
        for name, ours, theirs in outputs(pair, world):
            if name.split("(")[1].rstrip(")") not in skip:
                oracle.close(name, ours, theirs, SENSORS, world)
            if seen is not None and np.any(theirs):
                seen.add(name.split("(")[1].rstrip(")"))
