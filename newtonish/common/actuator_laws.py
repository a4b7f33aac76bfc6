"""Actuators whose force is no gain times an input: a row each, from MJCF's shortcut to the law of the kernels.

The importer, the exporter, the number of controls, the check of what is simulated and the tables of kernels read it. The laws themselves are
in ``kernels/forces/``, called in ``kernels/forces/laws.py``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from newtonish.common.enums import BiasType, ForceLaw, GainType

__all__ = ["LAWS", "LawKind", "law_of_gain", "words"]


class LawKind(NamedTuple):
    """One law.

    Attributes:
        law: Number of the kernels' law.
        gain: Gain by which an actuator has it.
        bias: Bias that goes with that gain and no other; None: any does.
        inputs: Input signature where none is given.
        adds_inputs: Whether each bit of the signature is a control of its own.
    """

    law: ForceLaw
    gain: GainType
    bias: BiasType | None
    inputs: int
    adds_inputs: bool


LAWS: dict[str, LawKind] = {
    "dcmotor": LawKind(ForceLaw.DCMOTOR, GainType.DCMOTOR, BiasType.DCMOTOR, 8, adds_inputs=True),
    "pid": LawKind(ForceLaw.PID, GainType.PID, None, 3, adds_inputs=True),
    "orientation": LawKind(ForceLaw.SO3, GainType.SO3, BiasType.SO3, 1, adds_inputs=False),
}
"""Laws by MJCF's shortcut."""


def law_of_gain(gain: int) -> LawKind | None:
    """The law that a gain stands for; None: a gain times an input."""
    return next((row for row in LAWS.values() if row.gain == gain), None)


def words(kinds: type[IntEnum]) -> tuple[str, ...]:
    """MJCF's words for dynamics, gains or biases, by number."""
    return tuple(kind.name.lower() for kind in kinds)
