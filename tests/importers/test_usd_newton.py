"""Stages that were made for Newton are read whole."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pxr")

from paths import shared_model
from usd_stages import read

STAGES = {
    "examples/assets/boxes_fourbar.usda": (4, 5, 5),
    "examples/assets/cartpole.usda": (4, 4, 4),
    "tests/assets/actuator_test.usda": (3, 3, 3),
    "tests/assets/ant.usda": (9, 9, 26),
    "tests/assets/ant_mixed.usda": (9, 9, 26),
    "tests/assets/cartpole_mjc.usda": (2, 2, 7),
    "tests/assets/four_link_chain_articulation.usda": (4, 4, 4),
    "tests/assets/humanoid.usda": (16, 16, 38),
    "tests/assets/humanoid_mjc.usda": (13, 13, 42),
    "tests/assets/mjc_schema_import.usda": (4, 4, 4),
    "tests/assets/simple_articulation_with_mesh.usda": (2, 2, 2),
    "tests/assets/site_actuator_mjc.usda": (2, 2, 4),
}
"""Bodies, joints (that of a floating base and those that close loops included) and shapes."""


@pytest.mark.parametrize("name", STAGES)
def test_counts(name: str) -> None:
    builder, _ = read(shared_model(f"usd_newton/{name}"))
    assert (builder.body_count, builder.joint_count, builder.shape_count) == STAGES[name]


@pytest.mark.parametrize("name", ("cartpole.usda", "ant.usda", "humanoid.usda", "four_link_chain_articulation.usda"))
def test_articulations_are_called_as_in_newton(name: str) -> None:
    """So that patterns by which scripts select them match."""
    newton = pytest.importorskip("newton")
    pytest.importorskip("newton_usd_schemas", reason="Newton reads no stages without its schemas")
    path = shared_model(f"usd_newton/{'examples' if name == 'cartpole.usda' else 'tests'}/assets/{name}")
    builder, _ = read(path)
    theirs = newton.ModelBuilder()
    theirs.add_usd(str(path))
    assert list(builder.articulation_label) == list(theirs.articulation_label)


def test_the_humanoid_of_usd_physics_alone() -> None:
    """Limits of generic joints in degrees, gains per degree, and limits that are springs."""
    builder, result = read(shared_model("usd_newton/tests/assets/humanoid.usda"))
    row = result["path_body_map"]["/nv_humanoid/lower_waist"]
    joint = list(builder.joint_child).index(row)
    first = builder.joint_qd_start[joint]
    lower = np.array(builder.joint_limit_lower[first : first + 2])
    np.testing.assert_allclose(np.rad2deg(lower), [-45, -75], rtol=1e-6)
    np.testing.assert_allclose(builder.joint_target_ke[first], 20 * 180 / np.pi, rtol=1e-5)
    assert sum(builder.body_mass) == pytest.approx(40.8, rel=0.05)
