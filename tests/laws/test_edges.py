"""Edges of what float32 simulates: mass ratios, time steps, small things far away, hard friction; beside MuJoCo C in double precision (docs/reliability.md)."""

import edges
import pytest


def test_a_heavy_box_stands_on_a_light_one_as_in_mujoco() -> None:
    for row in edges.ratios():
        assert row.ours == pytest.approx(row.theirs, rel=1e-5), row


def test_free_fall_with_steps_from_a_microsecond_to_a_fiftieth_of_a_second() -> None:
    """Steps of 1e-6 s lose what is below the last place of a height of 1 m: 0.8 % of the way."""
    for row in edges.falls():
        assert row.ours == pytest.approx(row.theirs, rel=0.01 if "1e-06" in row.case else 1e-4), row


def test_a_cube_of_a_millimetre_rests_also_a_hundred_metres_away() -> None:
    for row in edges.cubes():
        if "height" in row.quantity:
            assert row.ours == pytest.approx(row.theirs, rel=1e-5), row
        else:
            assert row.ours <= 1e-6, row  # millimetres


def test_friction_holds_a_box_on_a_slope_as_hard_as_in_mujoco() -> None:
    creep = []
    for row in edges.slopes():
        assert row.ours == pytest.approx(row.theirs, rel=1e-3), row
        creep.append(row.ours)
    assert creep[1] < 0.05 * creep[0]
