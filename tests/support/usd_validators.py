"""What OpenUSD's own validators say of a stage."""

from __future__ import annotations

from typing import Any

from pxr import Tf, UsdValidation

__all__ = ["complaints"]


def complaints(stage: Any) -> list[str]:
    """The errors of all validators that this usd-core has: the wheels of some releases name validators whose libraries they do not bring."""
    registry = UsdValidation.ValidationRegistry()
    try:
        validators = registry.GetOrLoadAllValidators()
    except Tf.ErrorException:
        validators = registry.GetOrLoadAllValidators()  # what could not be loaded is asked for once
    assert validators
    return [error.GetErrorAsString() for error in UsdValidation.ValidationContext(validators).Validate(stage)]
