"""Bodies and joints of every real stage equal what Newton 1.8's importer makes of them, but for what ``docs/import_differences.md`` explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr")
pytest.importorskip("newton")
pytest.importorskip("newton_usd_schemas", reason="Newton reads no stages without its schemas")

from import_sweep import files
from newton_reading import DOFS, by_newton, reading
from paths import shared_model
from usd_stages import read

from newtonish.importers import frames
from newtonish.model.enums import JointType

STAGES = [path for path in files() if path.suffix != ".urdf"]
ids = [path.stem for path in STAGES]
SERVOS = {"allegro_right", "tendon_spatial_sidesites", "mjc_schema_import"}
"""A position servo of ``mjc:*`` is gains of the joint's drive in Newton, and an actuator here."""
REFUSED = {"bodies"}
"""Newton refuses kinematic bodies below others."""
FUSED = {"scene_attributes"}
"""``mjc:compiler:fuseStatic`` is on, which Newton does not read."""
CHAINS = {"Humanoid": "ankle"}
"""Axes at different places between two bodies are joints of one D6 at one place in Newton, and joints of a chain here."""
SHAPES = {"four_link_chain_articulation"}
"""A shape in no body that collides with nothing is left out by Newton."""
FAR = 1e6
"""Stands for no limit: infinite in Newton, the builder's default here."""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Newton makes of all stages, read at once by one process."""
    shared_model("usd_newton")
    return by_newton(STAGES, tmp_path_factory.mktemp("newton") / "stages.json")


def axis_in_child(joint: dict[str, Any], axis: list[float]) -> np.ndarray:
    """An axis of a joint in its child's frame."""
    return frames.rotate(np.roll(joint["frame"][3:], 1), np.array(axis))


def same_axes(joint: dict[str, Any], his: dict[str, Any], name: str) -> list[int]:
    """Which of Newton's axes each of ours is; several joints that are one come in the order of the stage here, and in another there."""
    mine, others = (np.array([axis_in_child(one, axis) for axis in one["axes"]]).reshape(-1, 3) for one in (joint, his))
    order = list(range(len(mine)))
    if joint["type"] == int(JointType.D6):
        order = [int(np.argmax(others @ axis)) for axis in mine]
    assert sorted(order) == list(range(len(mine)))
    if joint["type"] not in (int(JointType.FREE), int(JointType.BALL)):
        np.testing.assert_allclose(mine, others[order], atol=1e-5, err_msg=f"{name} axis")
    return order


@pytest.mark.parametrize("path", STAGES, ids=ids)
def test_bodies_and_joints_equal_newtons(path: Path, theirs: dict[str, Any]) -> None:
    other, ours = theirs[str(path)], reading(*read(path))
    if path.stem in REFUSED:
        assert "kinematic" in other["error"]
        return
    if path.stem in FUSED:
        assert set(ours["bodies"]) < set(other["bodies"])
        return
    assert set(ours["bodies"]) == set(other["bodies"]) and set(ours["joints"]) == set(other["joints"])
    if path.stem not in SHAPES:
        assert ours["shapes"] == other["shapes"]
    for name, body in ours["bodies"].items():
        for quantity in ("mass", "com", "inertia", "pose"):
            mine, his = np.array(body[quantity]), np.array(other["bodies"][name][quantity])
            if quantity == "pose" and mine[3:] @ his[3:] < 0:
                mine[3:] *= -1  # of two quaternions for one rotation the other
            if quantity != "com" or body["mass"] > 0:
                np.testing.assert_allclose(mine, his, rtol=1e-4, atol=1e-5, err_msg=f"{name} {quantity}")
    for name, joint in ours["joints"].items():
        his = other["joints"][name]
        if CHAINS.get(path.stem, "-") in name:
            continue
        assert (joint["type"], joint["child"], joint["parent"]) == (his["type"], his["child"], his["parent"]), name
        np.testing.assert_allclose(joint["frame"][:3], his["frame"][:3], atol=1e-5, err_msg=f"{name} anchor")
        order = same_axes(joint, his, name)
        for column in DOFS:
            if column in ("joint_target_ke", "joint_target_kd") and path.stem in SERVOS:
                continue
            mine, other_way = np.clip(joint[column], -FAR, FAR), np.clip(his[column], -FAR, FAR)[order]
            np.testing.assert_allclose(mine, other_way, rtol=1e-4, atol=1e-6, err_msg=f"{name} {column}")
