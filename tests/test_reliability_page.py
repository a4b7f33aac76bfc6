"""The figures of docs/reliability.md are those that are kept, and each trial can be made again."""

import json

import pytest
import reliability


def test_the_page_has_the_figures_that_are_kept() -> None:
    figures = json.loads(reliability.KEPT.read_text(encoding="utf-8"))
    assert set(figures) == set(reliability.TRIALS)
    text = reliability.PAGE.read_text(encoding="utf-8")
    assert reliability.page(text, figures) == text, "python tests/support/reliability.py --page writes it"


@pytest.mark.parametrize(("name", "count"), [("urdf", 20), ("mjcf", 20)])
def test_a_trial_counts(name: str, count: int) -> None:
    assert reliability.TRIALS[name].run(count, 5) == (count, 0)
