"""Worlds that are hit in every way at once, beside worlds that must not notice; the long form is ``python tests/support/chaos.py``."""

import warnings

import chaos
import pytest


def test_worlds_that_are_hit_come_back_and_the_others_do_not_notice(device: str) -> None:
    if device != "cpu":
        pytest.skip("the two runs are compared on a CPU")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = chaos.run(nworld=60, steps=40, seed=2)
    assert found["wrong"] == 0, found["first"]
    assert found["events"] >= 12 and found["not hit"] >= 40 and sum(kind in found for kind in chaos.KINDS) >= 4
