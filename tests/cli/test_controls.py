"""Control samples stay in range, repeat with their seed and differ between worlds."""

import numpy as np

from newtonish.cli.controls import Controls, control_limits
from newtonish.cli.statistics import Tally


def test_limits_of_unlimited_actuators() -> None:
    low, high = control_limits(np.array([[[-3.0, 2.0], [0.0, 0.0]]]), np.array([1, 0]))
    np.testing.assert_array_equal(low, [[-3.0, -1.0]])
    np.testing.assert_array_equal(high, [[2.0, 1.0]])


def test_limits_may_differ_between_worlds() -> None:
    low, high = control_limits(np.array([[[0.0, 1.0]], [[5.0, 6.0]]]), np.array([True]))
    sample = Controls("random", low, high, 2, seed=3).sample()
    assert 0.0 <= sample[0, 0] <= 1.0
    assert 5.0 <= sample[1, 0] <= 6.0


def test_samples_repeat_with_their_seed() -> None:
    limits = control_limits(np.tile([-2.0, 2.0], (4, 1)), np.ones(4))
    first, again, other = (Controls("random", *limits, 5, seed) for seed in (1, 1, 2))
    for _ in range(3):
        sample = first.sample()
        assert sample.dtype == np.float32 and sample.shape == (5, 4)
        np.testing.assert_array_equal(sample, again.sample())
        assert np.abs(sample - other.sample()).max() > 0.1
        assert np.abs(sample).max() <= 2.0
        assert np.abs(sample[0] - sample[1]).max() > 0.0


def test_zero_controls_and_no_actuators() -> None:
    limits = control_limits(np.zeros((1, 0, 2)), np.zeros(0))
    assert Controls("random", *limits, 3, 0).sample().shape == (3, 0)
    limits = control_limits(np.zeros((2, 2)), np.zeros(2))
    np.testing.assert_array_equal(Controls("zero", *limits, 3, 0).sample(), np.zeros((3, 2)))


def test_tally_against_numpy() -> None:
    values = np.random.default_rng(0).integers(0, 200, size=(7, 50))
    tally = Tally()
    assert (tally.mean, tally.maximum, tally.percentile(0.95)) == (0.0, 0, 0)
    for row in values:
        tally.add(row)
    assert tally.samples == values.size
    assert np.isclose(tally.mean, values.mean())
    assert tally.maximum == values.max()
    assert tally.percentile(0.95) == np.percentile(values, 95, method="inverted_cdf")
