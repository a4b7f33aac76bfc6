"""Every MJCF among the real models: read, written and read again it is the same model, for MuJoCo and for the importer."""

import warnings
from pathlib import Path

import mjcf_compare
import mujoco
import numpy as np
import pytest
from paths import SHARED

from newtonish import ModelBuilder, mjcf

PATHS = {"names_map", "npaths", "paths", "nbuffer", "mesh_pathadr", "tex_pathadr", "hfield_pathadr", "skin_pathadr"}
"""What MjModel keeps of the names of files, which are others; the table of names follows from the names."""
NAMED_WITH_SLASHES = ("barkour_vb", "wx250s")
ALL = sorted(path.relative_to(SHARED).as_posix() for path in SHARED.rglob("*.xml"))
IMPORTED = [
    "allegro_hand/right_hand.xml", "arm21/arm21.xml", "cassie/cassie.xml", "dm_humanoid/humanoid.xml",
    "dmc_fish/fish.xml", "dmc_manipulator/manipulator.xml", "gym_ant/ant.xml", "myofinger/myo_sim/finger/myofinger_v0.xml",
    "sensor_zoo/sensor.xml", "skydio_x2/scene.xml", "small_mechanisms/car/car.xml", "wx250s/scene.xml",
]  # fmt: skip


def read(path: Path) -> mjcf.RootElement:
    return mjcf.from_path(path, escape_separators=path.relative_to(SHARED).parts[0] in NAMED_WITH_SLASHES)


def differences(one: mujoco.MjModel, other: mujoco.MjModel) -> list[str]:
    """Names of the fields that are not equal, bit by bit."""
    found = []
    for part in ("", "opt", "stat", "vis"):
        a, b = (getattr(one, part), getattr(other, part)) if part else (one, other)
        for name in dir(a):
            x = getattr(a, name)
            if name.startswith("_") or name in PATHS or not isinstance(x, (int, float, np.ndarray)):
                continue
            if not np.array_equal(x, getattr(b, name), equal_nan=np.asarray(x).dtype.kind == "f"):
                found.append(f"{part}.{name}")
    return found


@pytest.mark.skipif(not ALL, reason="needs the folder of real models beside the repository")
@pytest.mark.parametrize("name", ALL)
def test_mujoco_compiles_the_same_model(name) -> None:
    path = SHARED / name
    try:
        expected = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("MuJoCo takes this file only as a part of another")
    model = read(path)
    text, assets = model.to_xml_string(), model.get_assets()
    compiled = mujoco.MjModel.from_xml_string(text, assets)
    assert differences(compiled, expected) == []
    assert compiled.names.replace(b"\\", b"/") == expected.names
    again = mjcf.from_xml_string(text, assets=assets)
    assert again.to_xml_string() == text and again.get_assets() == assets


@pytest.mark.parametrize("name", IMPORTED)
def test_the_importer_reads_the_same_model(name) -> None:
    if not (SHARED / name).exists():
        pytest.skip("needs the folder of real models beside the repository")
    expected, found = mjcf_compare.load(SHARED / name), ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.add_mjcf(read(SHARED / name))
    assert found.entity_counts() == expected.entity_counts()
    for key in (
        "body_mass",
        "body_inertia",
        "body_q",
        "joint_X_p",
        "joint_X_c",
        "joint_q",
        "shape_transform",
        "shape_scale",
    ):
        ours, theirs = (np.array(getattr(b, key), dtype=float).ravel() for b in (found, expected))
        np.testing.assert_array_equal(ours, theirs, err_msg=key)
    for key, attribute in expected.custom_attributes.items():
        ours, theirs = (_values(a.values) for a in (found.custom_attributes[key], attribute))
        assert ours == theirs, key


def _values(values: object) -> str:
    """Values of a custom attribute in a form that can be compared; classes are not named with a slash."""
    items = values.items() if isinstance(values, dict) else enumerate(values)
    return repr([(key, np.asarray(value).tolist()) for key, value in items]).replace("\\\\", "/")
