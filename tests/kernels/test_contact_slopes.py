"""Derivatives of contacts by the poses of both geoms, over random poses of many pairs of shapes, shallow and deep, beside MuJoCo's differences."""

import pytest
from contact_slopes import compare


@pytest.mark.parametrize("second", ["capsule", "stick", "pin"])
def test_capsules_on_and_in_boxes(second, device):
    """Their points are where the narrowphase puts them: at ends, closest to edges and corners, or as far on as the box is wide."""
    count = compare("box", second, 12, device=device)
    assert count.contacts > 100
    assert (count.wrong, count.refused, count.apart, count.right) == ([], 0, 0, count.contacts)


@pytest.mark.parametrize(("first", "second"), [("brick", "stick"), ("brick", "pin"), ("rock", "stick")])
def test_lines_of_round_sides_on_faces_of_hulls(first, second, device):
    """They face the face, or what is deepest beside it: an edge or a corner. Refused is what an end of the capsule has turned."""
    count = compare(first, second, 12, device=device)
    assert count.contacts > 100
    assert (count.wrong, count.rough) == ([], 0)
    assert count.refused <= 0.02 * count.contacts
    assert count.right >= 0.9 * count.contacts


@pytest.mark.parametrize("first", ["stick", "pin"])
def test_lines_on_caps_and_across_their_rims(first, device):
    """A rim turns a line as an edge does. MuJoCo's search for cylinders jumps by 1e-4: one of three perturbations counts."""
    count = compare(first, "cylinder", 12, eps=(1e-6, 1e-5, 1e-4), tolerance=4e-3, device=device)
    assert count.contacts > 90
    assert count.wrong == []
    assert count.refused <= 0.03 * count.contacts
    assert count.right >= 0.8 * count.contacts
