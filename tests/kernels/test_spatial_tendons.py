"""Spatial tendons and every transmission and gain against MuJoCo: paths, moments, forces, armature, whole steps."""

from pathlib import Path

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN, shared_model

from newtonish import mjw

TENDONS, ACTUATORS = OWN / "spatial_tendons.xml", OWN / "actuator_zoo.xml"
ARRAYS = (
    "ten_length", "ten_velocity", "ten_J", "M", "qLD", "qfrc_bias", "qfrc_spring", "qfrc_damper", "qfrc_passive",
    "actuator_length", "actuator_velocity", "actuator_force", "act_dot", "qfrc_actuator", "qacc_smooth",
)  # fmt: skip


def compare_paths(pair: oracle.Pair) -> None:
    """Points that the tendons go through; ours begin at twice the address of the tendon."""
    xpos, obj = pair.d.wrap_xpos.numpy(), pair.d.wrap_obj.numpy()
    adr, num = pair.d.ten_wrapadr.numpy(), pair.d.ten_wrapnum.numpy()
    for world, mjd in enumerate(pair.mjds):
        assert num[world].tolist() == mjd.ten_wrapnum.tolist()
        points, objects = mjd.wrap_xpos.reshape(-1, 3), mjd.wrap_obj.ravel()
        for t, count in enumerate(mjd.ten_wrapnum):
            mine = slice(int(adr[world, t]), int(adr[world, t]) + int(count))
            other = slice(int(mjd.ten_wrapadr[t]), int(mjd.ten_wrapadr[t]) + int(count))
            assert obj[world, mine].tolist() == objects[other].tolist()
            oracle.close("wrap_xpos", xpos[world, mine], points[other], oracle.SMOOTH, world)


def compare_step(pair: oracle.Pair) -> None:
    """One step of both sides from the same state."""
    for mjd in pair.mjds:
        mujoco.mj_step(pair.mjm, mjd)
    mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        for name in ("qpos", "qvel", "act"):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), 5e-5, world)
    oracle.push(pair)


@pytest.mark.parametrize("integrator", ["EULER", "IMPLICITFAST"])
@pytest.mark.parametrize("path", [TENDONS, ACTUATORS], ids=["tendons", "actuators"])
def test_arrays_and_steps_agree_in_unequal_worlds(path: Path, integrator: str, device: str) -> None:
    def change(mjm: mujoco.MjModel) -> None:
        mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))

    pair = oracle.load(path, nworld=4, change=change, device=device)
    for steps in (0, 40, 120):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_arrays(pair, ARRAYS, oracle.SMOOTH)
        oracle.compare_moments(pair)
        compare_paths(pair)
        oracle.compare_rows(pair)
        oracle.compare_solution(pair)
        compare_step(pair)


@pytest.mark.parametrize(
    "name",
    [
        "arm21/arm21.xml", "myofinger/myo_sim/finger/myofinger_v0.xml", "small_mechanisms/slider_crank/slider_crank.xml",
        "converter_tests/tests/data/actuators.xml", "converter_tests/tests/data/tendon_docs.xml",
        "myotorso/myo_sim/torso/myotorso.xml",
    ],
)  # fmt: skip
def test_models_from_elsewhere_agree(name: str, device: str) -> None:
    pair = oracle.load(shared_model(name), nworld=3, device=device)
    for steps in (0, 50, 100):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        arrays = tuple(n for n in ARRAYS if pair.mjm.ntendon or not n.startswith("ten_"))
        oracle.compare_arrays(pair, arrays, 2e-4)
        oracle.compare_moments(pair)  # a path that just touches a geom may or may not have points on it: only lengths count


def test_a_trajectory_stays_with_mujocos(device: str) -> None:
    pair = oracle.load(TENDONS, nworld=2, device=device)
    for _ in range(200):
        mjw.step(pair.m, pair.d)
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
    for world, mjd in enumerate(pair.mjds):
        oracle.close("qpos", pair.d.qpos.numpy()[world], mjd.qpos, 5e-3, world)


def test_results_are_the_same_bits_again(device: str) -> None:
    runs = []
    for _ in range(2):
        pair = oracle.load(ACTUATORS, nworld=3, device=device)
        for _ in range(20):
            mjw.step(pair.m, pair.d)
        runs.append(pair.d.qpos.numpy().copy())
    assert np.array_equal(*runs)


def test_a_tendon_between_bodies_that_move_as_one_has_no_jacobian(device):
    """To the last digit, as its rows are as stiff as the inverse of its inverse weight, zero: even 1e-17 pulls in MuJoCo."""
    xml = """<mujoco><worldbody><body><joint axis="1 2 3"/><joint type="slide" axis="3 -1 2"/><geom size=".1"/>
      <body pos=".3 .1 -.2" euler="20 30 40"><geom size=".1"/><site name="a" pos=".1 .2 .3"/></body>
      <body pos="-.2 .1 .3" euler="-40 5 70"><geom size=".1"/><site name="b" pos=".3 -.2 .1"/></body></body></worldbody>
      <tendon><spatial limited="true" range="0 .1" frictionloss=".2"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(xml)
    pair = oracle.from_model(mjm, device=device)
    oracle.forward(pair)
    assert not pair.d.ten_J.numpy().any()
    assert pair.d.nefc.numpy().tolist() == [2, 2, 2]
    np.testing.assert_allclose(pair.d.qacc.numpy(), pair.d.qacc_smooth.numpy(), rtol=1e-6)
