"""A step costs no more than its budget (``budget.py``)."""

import budget
import pytest


@pytest.mark.parametrize("name", budget.MODELS)
def test_a_step_keeps_within_its_budget(name):
    found, allowed = budget.spent(name), budget.allowed()[name]
    assert found["instructions"] > 1000.0
    beyond = {key: (value, allowed[key]) for key, value in found.items() if value > allowed[key]}
    assert not beyond, f"{name}, (spent, allowed): {beyond}; python tests/gpu_emulation/budget.py --write if it is worth that"
