"""Fixed tendons against MuJoCo: lengths, Jacobians, springs with dead band, dampers, friction and limit rows."""

import mujoco
import numpy as np
import oracle
from paths import OWN

from newtonish import mjw

TENDONS = OWN / "fixed_tendons.xml"


def compare_tendons(pair):
    oracle.compare_arrays(pair, ("ten_length", "ten_velocity", "ten_J"), oracle.SMOOTH)


def test_every_array_agrees_in_unequal_worlds(device):
    pair = oracle.load(TENDONS, nworld=5, device=device)
    seen = set()
    for steps in (0, 40, 120):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        compare_tendons(pair)
        oracle.compare_all(pair)
        seen |= {int(kind) for mjd in pair.mjds for kind in mjd.efc_type}
    assert {int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON), int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)} <= seen


def test_disabled_forces_are_left_out(device):
    for flag in ("SPRING", "DAMPER", "LIMIT", "FRICTIONLOSS"):
        bit = int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))

        def change(mjm, bit=bit):
            mjm.opt.disableflags |= bit

        pair = oracle.load(TENDONS, nworld=3, change=change, device=device)
        oracle.advance(pair, 60)
        oracle.forward(pair)
        oracle.compare_all(pair)


def test_the_stage_alone_gives_what_the_fused_step_gives(device):
    pair = oracle.load(TENDONS, nworld=3, device=device)
    mjw.tendon(pair.m, pair.d)
    alone = pair.d.ten_length.numpy().copy()
    mjw.forward(pair.m, pair.d)
    assert np.array_equal(alone, pair.d.ten_length.numpy())


def test_stages_one_by_one_are_the_forward_dynamics(device):
    """Springs and dampers of tendons are part of the passive stage, not of the fused step alone."""
    pair = oracle.load(TENDONS, nworld=3, device=device)
    oracle.advance(pair, 50)
    mjw.forward(pair.m, pair.d)
    expected = pair.d.qacc.numpy().copy()
    pair.d.sol.qacc.zero_()
    pair.d.frc.qfrc_passive.zero_()
    stages = (mjw.kinematics, mjw.com_pos, mjw.crb, mjw.factor_m, mjw.tendon, mjw.transmission, mjw.collision)
    forces = (mjw.make_constraint, mjw.com_vel, mjw.passive, mjw.rne, mjw.fwd_actuation, mjw.fwd_acceleration, mjw.solve)
    for stage in stages + forces:
        stage(pair.m, pair.d)
    np.testing.assert_allclose(pair.d.qacc.numpy(), expected, atol=1e-4)
