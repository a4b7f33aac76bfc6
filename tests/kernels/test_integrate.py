"""Euler, implicitfast and Runge-Kutta steps, against MuJoCo.

Contacts, limits and friction loss are off, so that the smooth acceleration is the acceleration.
"""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, shared_model
from random_tree import random_tree

from newtonish.kernels.forces.acceleration import fwd_acceleration
from newtonish.kernels.forces.actuation import fwd_actuation
from newtonish.kernels.forces.passive import passive
from newtonish.kernels.forces.transmission import transmission
from newtonish.kernels.integrate.euler import euler
from newtonish.kernels.integrate.implicit import implicit
from newtonish.kernels.integrate.rk4 import rotation_vector_rate, rungekutta4
from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.crb import crb
from newtonish.kernels.smooth.factor import factor_m
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.smooth.rne import rne

STAGES = (
    kinematics, com_pos, crb, factor_m, transmission, com_vel, passive, rne, fwd_actuation, fwd_acceleration,
)  # fmt: skip
STATE = ("time", "qpos", "qvel", "act")
BITS = mujoco.mjtDisableBit
EULER, RK4, IMPLICITFAST = 0, 1, 3

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def forward(m, d, share: float = 0.0) -> None:
    """Forward dynamics without constraints."""
    for stage in STAGES:
        stage(m, d)
    wp.copy(d.qacc, d.qacc_smooth)


def step(m, d) -> None:
    forward(m, d)
    if m.opt.integrator == RK4:
        rungekutta4(m, d, forward)
    else:
        {EULER: euler, IMPLICITFAST: implicit}[m.opt.integrator](m, d)


def prepared(pair: oracle.Pair, integrator: int, flags: int = 0, groups: int = 0, fast: float = 1.0) -> oracle.Pair:
    """No constraints, the given options, and random velocities, controls and activations."""
    for opt in (pair.mjm.opt, pair.m.opt):
        opt.integrator = integrator
        opt.disableflags |= int(BITS.mjDSBL_CONSTRAINT) | flags
        opt.disableactuator = groups
    rng = np.random.default_rng(3)
    for mjd in pair.mjds:
        mjd.ctrl[:] = 2.0 * rng.standard_normal(mjd.ctrl.shape)
        mjd.act[:] = 0.5 * rng.standard_normal(mjd.act.shape)
        mjd.qvel[:] = fast * rng.standard_normal(mjd.qvel.shape)
        mjd.qfrc_applied[:] = rng.standard_normal(mjd.qvel.shape)
        mjd.xfrc_applied[:] = rng.standard_normal(mjd.xfrc_applied.shape)
    oracle.push(pair)
    return pair


def compare_step(pair: oracle.Pair, steps: int = 1) -> None:
    for _ in range(steps):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        step(pair.m, pair.d)
    oracle.compare_arrays(pair, STATE, oracle.SMOOTH * steps)
    oracle.compare_arrays(pair, ("qacc", "qacc_warmstart"), oracle.SMOOTH * steps)


@pytest.mark.parametrize("integrator", [EULER, RK4, IMPLICITFAST])
@pytest.mark.parametrize("robot", ["dm_humanoid/humanoid.xml", "gym_half_cheetah/half_cheetah.xml", "barkour_vb/scene.xml"])
def test_robots(robot: str, integrator: int, device: str) -> None:
    compare_step(prepared(oracle.load(shared_model(robot), device=device), integrator), steps=3)


@pytest.mark.parametrize("integrator", [EULER, RK4, IMPLICITFAST])
@pytest.mark.parametrize("seed", range(3))
def test_random_trees(seed: int, integrator: int, device: str) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(random_tree(seed)), seed=seed, device=device)
    compare_step(prepared(pair, integrator))


FLAGS = (
    0,
    BITS.mjDSBL_EULERDAMP,
    BITS.mjDSBL_DAMPER,
    BITS.mjDSBL_ACTUATION,
    BITS.mjDSBL_CLAMPCTRL,
    BITS.mjDSBL_ACTUATION | BITS.mjDSBL_SPRING | BITS.mjDSBL_DAMPER,
)


@pytest.mark.parametrize("integrator", [EULER, IMPLICITFAST])
@pytest.mark.parametrize("flags", [int(f) for f in FLAGS])
def test_disable_flags(flags: int, integrator: int, device: str) -> None:
    compare_step(prepared(oracle.load(OWN / "smooth_zoo.xml", device=device), integrator, flags))


@pytest.mark.parametrize("integrator", [EULER, RK4, IMPLICITFAST])
def test_disabled_actuators_keep_their_activation(integrator: int, device: str) -> None:
    compare_step(prepared(oracle.load(OWN / "smooth_zoo.xml", device=device), integrator, groups=12))


def test_implicit_matrix_is_mujocos(device: str) -> None:
    """The factor of M - h dF/dv, in M's sparsity."""
    pair = prepared(oracle.load(OWN / "smooth_zoo.xml", device=device), IMPLICITFAST)
    compare_step(pair)
    oracle.compare_arrays(pair, ("qH", "qHDiagInv"), oracle.SMOOTH)


def test_a_fast_free_body_keeps_its_gyroscopic_terms(device: str) -> None:
    pair = prepared(oracle.load(OWN / "smooth_zoo.xml", device=device), IMPLICITFAST, fast=15.0)
    compare_step(pair)


def test_euler_without_damping_uses_the_solvers_acceleration(device: str) -> None:
    """Velocity + h qacc."""
    pair = prepared(oracle.load(OWN / "smooth_zoo.xml", device=device), EULER)
    pair.m.dof_damping.zero_()
    pair.m.dof_dampingpoly.zero_()
    forward(pair.m, pair.d)
    before, qacc = pair.d.qvel.numpy().copy(), pair.d.qacc.numpy().copy()
    euler(pair.m, pair.d)
    np.testing.assert_allclose(pair.d.qvel.numpy(), before + np.float32(pair.mjm.opt.timestep) * qacc, rtol=1e-6, atol=1e-7)


@wp.kernel(enable_backward=False)
def _rates(rotation: wp.array(dtype=wp.vec3), omega: wp.array(dtype=wp.vec3), rate: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    rate[i] = rotation_vector_rate(rotation[i], omega[i])


@pytest.mark.parametrize("angle", [0.0, 0.01, 1.0, 1.224, 1.226, 3.0, 3.2, 6.0])
def test_rotation_vector_rate_is_the_derivative(angle: float, device: str) -> None:
    """exp(r + dr) = exp(r) exp(omega dt), differentiated numerically in float64."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(1)
    axis, omega = rng.standard_normal((8, 3)), rng.standard_normal((8, 3))
    rotation = angle * axis / np.linalg.norm(axis, axis=1, keepdims=True)
    h = 1e-5
    start = Rotation.from_rotvec(rotation)
    later, sooner = (start * Rotation.from_rotvec(sign * h * omega) for sign in (1, -1))
    expected = (later.as_rotvec() - sooner.as_rotvec()) / (2.0 * h)
    args = [wp.array(x, dtype=wp.vec3, device=device) for x in (rotation, omega)]
    rate = wp.zeros(8, dtype=wp.vec3, device=device)
    wp.launch(_rates, dim=8, inputs=[*args, rate], device=device)
    np.testing.assert_allclose(rate.numpy(), expected, rtol=2e-5, atol=2e-5)
