"""Whatever is in a URDF file, the importer ends with a model or with an error of ours."""

import random
import warnings

import pytest
from mutations import drop_elements, mutate, swap_values
from paths import shared_model
from urdf_rigs import SHARED_URDF, inertial, joint, link, robot

from newtonish import ModelBuilder
from newtonish.errors import NewtonishError

SEEDS = 60
OWN = robot(
    '<material name="m"><color rgba="1 0 0 1"/></material>',
    link("a", inertial() + '<visual><geometry><box size="1 2 3"/></geometry><material name="m"/></visual>'),
    link("b", inertial(2.0, origin='xyz="1 2 3" rpy="0.1 0.2 0.3"') + '<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>'),
    link("c", '<collision><geometry><capsule radius="1" length="2"/></geometry></collision>'), link("d"), link("e"),
    joint("j", "a", "b", "revolute", '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="1" friction="2"/>'),
    joint("k", "b", "c", "prismatic", '<mimic joint="j" multiplier="2" offset="0.5"/>'), joint("l", "a", "d", "floating"), joint("m", "c", "e", "planar"),
    '<mujoco><compiler balanceinertia="true" boundmass="0.1"/><option timestep="0.01"/></mujoco>',
).encode()  # fmt: skip


def attempt(path, floating: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = ModelBuilder()
        try:
            builder.add_urdf(str(path), floating=floating)
        except NewtonishError as error:
            assert error.problems and all(error.problems)
            assert builder.body_count == builder.joint_count == 0


@pytest.mark.parametrize("change", [mutate, swap_values, drop_elements])
def test_damaged_files(change, tmp_path) -> None:
    path = tmp_path / "damaged.urdf"
    for seed in range(SEEDS):
        path.write_bytes(change(OWN, random.Random(seed)))
        attempt(path, floating=seed % 2 == 1)


def test_truncated_files(tmp_path) -> None:
    data = shared_model(SHARED_URDF[2]).read_bytes()
    path = tmp_path / "cut.urdf"
    for end in range(0, len(data), 37):
        path.write_bytes(data[:end])
        attempt(path, floating=False)


def test_random_bytes(tmp_path) -> None:
    path = tmp_path / "noise.urdf"
    for seed in range(SEEDS):
        path.write_bytes(random.Random(seed).randbytes(seed * 7))
        attempt(path, floating=False)


def test_numbers_that_are_extreme(tmp_path) -> None:
    words = ["1e308", "-1e308", "1e-308", "nan", "inf", "0", "-0", "9" * 60, "1_0", "0x1"]
    path = tmp_path / "extreme.urdf"
    for seed in range(SEEDS):
        draw, text = random.Random(seed), OWN.decode()
        for _ in range(3):
            number = draw.choice(["1 2 3", '"2"', '"1"', "0.1 0.2 0.3", '"0.1"', '"0.5"'])
            text = text.replace(number, number.replace(number.strip('"').split()[0], draw.choice(words), 1))
        path.write_text(text, encoding="utf-8")
        attempt(path, floating=False)
