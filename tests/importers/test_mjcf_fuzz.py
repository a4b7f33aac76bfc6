"""Whatever is in a file, the importer ends with a model or with an error of ours."""

import random
import warnings

import pytest
from mutations import drop_elements, mutate, swap_values
from paths import OWN, REPO

from newtonish import ModelBuilder
from newtonish.errors import NewtonishError

SEEDS = 40


def attempt(path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ModelBuilder().add_mjcf(str(path))
        except NewtonishError as error:
            assert error.problems and all(error.problems)


@pytest.mark.parametrize("change", [mutate, swap_values, drop_elements])
@pytest.mark.parametrize("name", ["tests/models/mjcf_tree.xml", "tests/models/mjcf_defaults.xml"])
def test_damaged_files(name: str, change, tmp_path) -> None:
    data = (REPO / name).read_bytes()
    path = tmp_path / "damaged.xml"
    for seed in range(SEEDS):
        path.write_bytes(change(data, random.Random(seed)))
        attempt(path)


def test_random_bytes(tmp_path) -> None:
    path = tmp_path / "noise.xml"
    for seed in range(SEEDS):
        draw = random.Random(seed)
        path.write_bytes(draw.choice((b"", b"<mujoco>", b"<", b"\xff\xfe")) + draw.randbytes(draw.choice((0, 3, 300))))
        attempt(path)


def test_deep_nesting(tmp_path) -> None:
    path = tmp_path / "deep.xml"
    for depth in (150, 250, 5000):
        inner = "<body>" * depth + "</body>" * depth
        path.write_text(f"<mujoco><worldbody>{inner}</worldbody></mujoco>")
        attempt(path)


def test_damaged_meshes(tmp_path) -> None:
    obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    xml = '<mujoco><asset><mesh name="m" file="m.{0}"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/>'
    for kind in ("obj", "stl", "msh", "ply"):
        (tmp_path / "a.xml").write_text(xml.format(kind) + "</body></worldbody></mujoco>")
        for seed in range(15):
            (tmp_path / f"m.{kind}").write_bytes(mutate(obj, random.Random(seed)))
            attempt(tmp_path / "a.xml")
    assert OWN.exists()
