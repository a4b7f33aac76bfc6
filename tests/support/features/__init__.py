"""Every feature of MuJoCo 4.0's rigid bodies as a small model: the rows of the coverage page, and a test each."""

from features import actuators, bodies, contacts, options, sensors
from features.table import Feature

FEATURES: list[Feature] = [
    *bodies.FEATURES,
    *contacts.FEATURES,
    *actuators.FEATURES,
    *options.FEATURES,
    *sensors.FEATURES,
]

__all__ = ["FEATURES", "Feature"]
