"""Coarser copies of meshes: closed where the mesh is, on its surface, facing its way."""

import numpy as np
import pytest

from newtonish.viewer.draw.detail import CELLS, coarser, level_of
from newtonish.viewer.scene.library import Library

ROUND = [entry for entry in Library().entries if len(entry.indices) > 100]


def edges(positions: np.ndarray, indices: np.ndarray) -> dict[tuple, int]:
    """How often each directed edge between places occurs, less its opposite."""
    _, place = np.unique(positions.round(6), axis=0, return_inverse=True)
    found: dict[tuple, int] = {}
    for a, b in place[indices][:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).tolist():
        if a != b:
            found[min(a, b), max(a, b)] = found.get((min(a, b), max(a, b)), 0) + (1 if a < b else -1)
    return found


@pytest.mark.parametrize("entry", ROUND, ids=lambda entry: entry.name)
@pytest.mark.parametrize("cells", CELLS)
def test_copies_are_closed_smaller_and_on_the_surface(entry, cells: int) -> None:
    copy = coarser(entry, cells)
    assert len(copy.indices) <= len(entry.indices)
    assert not any(edges(copy.positions, copy.indices).values()), "a crack"
    places = {tuple(place) for place in entry.positions.round(5).tolist()}
    assert {tuple(place) for place in copy.positions.round(5).tolist()} <= places
    assert copy.capped == entry.capped
    np.testing.assert_allclose(np.linalg.norm(copy.normals, axis=1), 1, atol=1e-5)


def test_the_coarsest_that_will_do_is_chosen() -> None:
    assert level_of(np.array([1.0, 5 * 4.0, 100 * 4.0]), 4.0).tolist() == [0, 0, len(CELLS)]
