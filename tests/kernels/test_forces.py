"""Passive forces, transmissions, actuators, applied forces and the smooth acceleration, against MuJoCo."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model
from random_tree import random_tree

from newtonish.kernels.forces.acceleration import fwd_acceleration
from newtonish.kernels.forces.actuation import actuator_velocity, fwd_actuation
from newtonish.kernels.forces.applied import xfrc_accumulate
from newtonish.kernels.forces.passive import passive
from newtonish.kernels.forces.transmission import transmission
from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.crb import crb
from newtonish.kernels.smooth.factor import factor_m
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.smooth.rne import rne

STAGES = (
    kinematics, com_pos, crb, factor_m, transmission, com_vel, passive, rne, fwd_actuation, fwd_acceleration,
)  # fmt: skip
ARRAYS = (
    "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_passive", "actuator_length", "moment_rownnz", "moment_rowadr",
    "moment_colind", "actuator_moment", "actuator_velocity", "actuator_force", "act_dot", "qfrc_actuator",
    "qfrc_smooth", "qacc_smooth",
)  # fmt: skip
BITS = mujoco.mjtDisableBit

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def drive(pair: oracle.Pair, seed: int = 3) -> None:
    """Random velocities, controls, activations and applied forces, different in every world; none applied in world 0."""
    rng = np.random.default_rng(seed)
    for world, mjd in enumerate(pair.mjds):
        mjd.ctrl[:] = 2.0 * rng.standard_normal(mjd.ctrl.shape)
        mjd.act[:] = 0.5 * rng.standard_normal(mjd.act.shape)
        mjd.qvel[:] = rng.standard_normal(mjd.qvel.shape)
        mjd.qfrc_applied[:] = rng.standard_normal(mjd.qvel.shape)
        if world > 0:
            mjd.xfrc_applied[:] = rng.standard_normal(mjd.xfrc_applied.shape)
    oracle.push(pair)


def run_and_compare(pair: oracle.Pair, arrays: tuple[str, ...] = ARRAYS) -> None:
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    for stage in STAGES:
        stage(pair.m, pair.d)
    oracle.compare_arrays(pair, arrays, oracle.SMOOTH)


@pytest.mark.parametrize("robot", ["dm_humanoid/humanoid.xml", "gym_walker2d/walker2d_v5.xml", "barkour_vb/scene.xml"])
def test_robots(robot: str, device: str) -> None:
    pair = oracle.load(shared_model(robot), device=device)
    drive(pair)
    run_and_compare(pair)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed: int, device: str) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(random_tree(seed)), seed=seed, device=device)
    drive(pair)
    run_and_compare(pair)


FLAGS = (
    0,
    BITS.mjDSBL_SPRING,
    BITS.mjDSBL_DAMPER,
    BITS.mjDSBL_SPRING | BITS.mjDSBL_DAMPER,
    BITS.mjDSBL_GRAVITY,
    BITS.mjDSBL_ACTUATION,
    BITS.mjDSBL_CLAMPCTRL,
)


@pytest.mark.parametrize("flags", [int(f) for f in FLAGS])
def test_disable_flags(flags: int, device: str) -> None:
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    pair.mjm.opt.disableflags |= flags
    pair.m.opt.disableflags |= flags
    drive(pair)
    run_and_compare(pair)


@pytest.mark.parametrize("groups", [1, 4, 12])
def test_disabled_actuator_groups(groups: int, device: str) -> None:
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    pair.mjm.opt.disableactuator = groups
    pair.m.opt.disableactuator = groups
    drive(pair)
    run_and_compare(pair)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e11])
def test_bad_controls_count_as_zero(bad: float, device: str) -> None:
    """All controls of that world, and of no other; a limit cuts a huge control before it is judged."""
    for actuator in ("first", "push"):  # without and with a control range
        pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
        drive(pair)
        pair.mjds[1].ctrl[pair.mjm.actuator(actuator).id] = bad
        oracle.push(pair)
        run_and_compare(pair)


def test_free_and_ball_rotations_beyond_a_half_turn(device: str) -> None:
    """Springs and lengths take the shortest rotation; set points of a servo on a ball joint wrap around."""
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    drive(pair)
    rng = np.random.default_rng(11)
    for mjd in pair.mjds:
        mujoco.mj_integratePos(pair.mjm, mjd.qpos, 3.0 * rng.standard_normal(pair.mjm.nv), 1.0)
        mjd.ctrl[:] = 3.0 * rng.standard_normal(pair.mjm.nu)
        mjd.qvel[:] *= 0.1
    oracle.push(pair)
    run_and_compare(pair, ARRAYS[:-1])  # large forces on light fingers: float32 loses digits in the solution


def test_actuator_velocity_alone(device: str) -> None:
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    drive(pair)
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    transmission(pair.m, pair.d)
    actuator_velocity(pair.m, pair.d)
    oracle.compare_arrays(pair, ("actuator_velocity",), oracle.SMOOTH)


def test_xfrc_accumulate_adds(device: str) -> None:
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    drive(pair)
    for stage in (kinematics, com_pos):
        stage(pair.m, pair.d)
    qfrc = wp.full((pair.nworld, pair.mjm.nv), 0.5, dtype=float, device=device)
    xfrc_accumulate(pair.m, pair.d, qfrc)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_fwdPosition(pair.mjm, mjd)
        expected = np.full(pair.mjm.nv, 0.5)
        for body in range(1, pair.mjm.nbody):
            force, torque = mjd.xfrc_applied[body, :3], mjd.xfrc_applied[body, 3:]
            mujoco.mj_applyFT(pair.mjm, mjd, force, torque, mjd.xipos[body], body, expected)
        oracle.close("xfrc_accumulate", qfrc.numpy()[world], expected, oracle.SMOOTH, world)
