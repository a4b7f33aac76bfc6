"""What the kernels need of a model's delays and plastic springs beside MuJoCo's own fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GainType
from newtonish.mjw.record import ModelRecord

_QUATERNION = 4  # controls of an actuator whose control is an orientation


def history_tables(record: ModelRecord) -> dict[str, Any]:
    """Fields of the ``HISTORY`` group that are not MuJoCo's."""
    turns = (record.actuator_gaintype == GainType.SO3) & (record.actuator_ctrlnum == _QUATERNION)
    return {"actuator_turns": turns.astype(np.int32)}
