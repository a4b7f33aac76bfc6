"""Tables of actuators whose force is no gain times an input (see ``newtonish.kernels.forces.laws``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.actuator_laws import LAWS
from newtonish.common.enums import BiasType, CtrlChart, DynType, ForceLaw, GainType
from newtonish.mjw.record import ModelRecord

_OF_GAIN: dict[int, ForceLaw] = {int(row.gain): row.law for row in LAWS.values()}


def force_laws(record: ModelRecord) -> dict[str, Any]:
    """Law of each actuator, how many have one of their own, and the controls of a reset world."""
    number = record.nactuator
    law = np.zeros(number, dtype=np.int32)
    ctrl0 = np.zeros(record.nu, dtype=np.float32)
    for i in range(number):
        gain = int(record.actuator_gaintype[i])
        law[i] = int(_OF_GAIN.get(gain, ForceLaw.GAIN_BIAS))
        user = (GainType.USER, gain), (BiasType.USER, record.actuator_biastype[i]), (DynType.USER, record.actuator_dyntype[i])
        if any(int(kind) == int(given) for kind, given in user):
            law[i] = int(ForceLaw.USER)
        if law[i] == ForceLaw.SO3 and record.actuator_ctrlspec[i] == CtrlChart.QUAT:
            ctrl0[int(record.actuator_ctrladr[i])] = 1.0
    return {
        "actuator_law": law,
        "actuator_ctrl0": ctrl0,
        "nlaw": int((law != ForceLaw.GAIN_BIAS).sum()),
        "nso3": int((law == ForceLaw.SO3).sum()),
    }
