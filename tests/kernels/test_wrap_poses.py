"""Tendons over a sphere or cylinder, from paths that hardly touch it to deep ones; ``wrap_sweep`` makes 80,000 poses of them."""

import pytest
from wrap_sweep import KINDS, SIDES, sweep


@pytest.mark.parametrize("kind", KINDS)
def test_paths_go_the_way_that_mujoco_takes(kind, device):
    found = sweep(kind, 2000, seed=7, device=device)
    assert ((found.depth > 0) & (found.depth < 1e-3)).sum() > 800
    for side in SIDES:
        length, gradient = found.errors(side)
        assert length.max() < 1e-6, f"side site {side}: pose {length.argmax()} at depth {found.depth[length.argmax()]:.2g} radii"
        assert gradient.max() < 5e-3, f"side site {side}: pose {gradient.argmax()} at depth {found.depth[gradient.argmax()]:.2g} radii"
