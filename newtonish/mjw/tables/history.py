"""What the kernels need of a model's delays and plastic springs beside MuJoCo's own fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GainType

_QUATERNION = 4  # controls of an actuator whose control is an orientation
_DEFAULTS = {
    "actuator_history": ("nactuator", (2,), 0),
    "actuator_historyadr": ("nactuator", (), -1),
    "actuator_delay": ("nactuator", (), 0.0),
    "sensor_history": ("nsensor", (2,), 0),
    "sensor_historyadr": ("nsensor", (), -1),
    "sensor_delay": ("nsensor", (), 0.0),
    "sensor_interval": ("nsensor", (2,), 0.0),
    "jnt_plasticadr": ("njnt", (), -1),
    "tendon_plasticadr": ("ntendon", (), -1),
    "jnt_springyield": ("njnt", (), 0.0),
    "tendon_springyield": ("ntendon", (), 0.0),
}


def history_tables(mjm: Any) -> dict[str, Any]:
    """Fields of the ``HISTORY`` group; compiled models that know nothing of delays or plasticity have none."""
    tables: dict[str, Any] = {name: int(getattr(mjm, name, 0)) for name in ("nhistory", "nplastic")}
    for name, (count, shape, fill) in _DEFAULTS.items():
        if not hasattr(mjm, name):
            tables[name] = np.full((int(getattr(mjm, count, 0)), *shape), fill)
    turns = (np.asarray(mjm.actuator_gaintype) == GainType.SO3) & (np.asarray(mjm.actuator_ctrlnum) == _QUATERNION)
    return tables | {"actuator_turns": turns.astype(np.int32)}
