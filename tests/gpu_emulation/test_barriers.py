"""A barrier that is taken out is missed: the checks of the emulation, tried on real kernels, every barrier of them."""

import dataclasses

import beside
import pytest
from barriers import Bench
from cases import CASES

# of two barriers with nothing shared between them each can go; some stand before what a lane reads of its own alone
REDUNDANT = {
    "euler": {"copy_shifted 1", "ltdl_factor 0", "solve_modified_world 0", "euler_world 0"},
    "position_joints": {"kinematics_world 2", "ltdl_factor 1", "tendon_velocity_world 0", "joint_transmission_world 0"},
    "smooth_motors": {
        "com_vel_world 0", "tendon_passive_world 0", "passive_world 1", "rne_accelerated_world 0", "rne_accelerated_world 4",
        "actuator_velocity_world 0", "_add_side_by_side 0", "motors_world 0", "xfrc_accumulate_world 1", "ltdl_solve 0",
        "acceleration_world 0",
    },
}  # fmt: skip


@pytest.fixture
def mannequin():
    (case,) = (case for case in CASES if case.name == "mannequin")
    return case


@pytest.mark.parametrize("kernel", REDUNDANT)
def test_each_barrier_is_missed(kernel, mannequin):
    verdicts = {barrier.name: verdict for barrier, verdict in Bench(mannequin, kernel, "8").verdicts()}
    assert len(verdicts) > 5
    assert {name for name, verdict in verdicts.items() if not verdict} == REDUNDANT[kernel]


def test_each_barrier_of_a_reset_is_missed(mannequin):
    bench = Bench(dataclasses.replace(mannequin, function=beside.spoilt), "euler", "8")
    verdicts = {barrier.name: verdict for barrier, verdict in bench.verdicts() if barrier.function in ("autoreset_world", "reset_state_world")}
    assert len(verdicts) > 1 and all(verdicts.values()), verdicts
