"""What OpenUSD's own validators say of a stage."""

from __future__ import annotations

from typing import Any

import pytest
from pxr import Tf, UsdValidation

__all__ = ["complaints"]


def complaints(stage: Any) -> list[str]:
    """The errors of all validators; skips the test where the wheel of usd-core names validators whose libraries it does not bring, as that of 25.5 does."""
    registry = UsdValidation.ValidationRegistry()
    try:
        validators = registry.GetOrLoadAllValidators()
    except Tf.ErrorException:
        pytest.skip("this usd-core cannot load its validators")
    assert validators
    return [error.GetErrorAsString() for error in UsdValidation.ValidationContext(validators).Validate(stage)]
