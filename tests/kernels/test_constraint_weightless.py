"""Equality rows of bodies without inverse weight, on hinges and balls through their centres of mass, against MuJoCo."""

import mujoco
import numpy as np
import pytest

from newtonish import mjw

SEEDS = range(40)


def cranks(seed: int) -> mujoco.MjModel:
    """Two to four symmetric bodies on joints through their centres, held to the world or to each other away from these."""
    rng = np.random.default_rng(seed)
    bodies, equalities, number = "", "", int(rng.integers(2, 5))
    for i in range(number):
        axis, mass = " ".join(map(str, rng.standard_normal(3))), 10 ** rng.uniform(-1, 1)
        joint = f'type="hinge" axis="{axis}"' if rng.random() < 0.7 else 'type="ball"'
        pos, size = (0.6 * i, *rng.uniform(-0.1, 0.1, 2)), (*rng.uniform(0.05, 0.3, 2), 0.05)
        bodies += f'<body name="b{i}" pos="{" ".join(map(str, pos))}"><joint {joint} damping=".1"/>'
        bodies += f'<geom type="box" size="{" ".join(map(str, size))}" mass="{mass}" contype="0" conaffinity="0"/></body>'
    for i in range(number):
        other = f'body2="b{i + 1}"' if rng.random() < 0.6 and i < number - 1 else ""
        if rng.random() < 0.7:
            equalities += f'<connect body1="b{i}" {other} anchor="{rng.uniform(0.1, 0.3)} {rng.uniform(-0.1, 0.1)} .02"/>'
        else:
            equalities += f'<weld body1="b{i}" {other}/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>")


def force(mjm: mujoco.MjModel, mjd: mujoco.MjData) -> np.ndarray:
    """What the constraints do to MuJoCo's acceleration; its ``qfrc_constraint`` has rounding of 1e15 times that of a Jacobian in it."""
    product = np.zeros(mjm.nv)
    mujoco.mj_mulM(mjm, mjd, product, mjd.qacc)
    return product - mjd.qfrc_smooth


# nine of ten are within the tolerance; PGS, here and in MuJoCo (0.06 at worst), ends on such rows before it is there
@pytest.mark.parametrize(("solver", "tolerance"), [("NEWTON", 5e-3), ("CG", 5e-3), ("PGS", 3e-2)])
def test_forces_on_symmetric_cranks(solver, tolerance, device):
    errors = []
    for seed in SEEDS:
        mjm = cranks(seed)
        mjm.opt.solver, mjm.opt.iterations = getattr(mujoco.mjtSolver, f"mjSOL_{solver}"), 500
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, 2)
        rng = np.random.default_rng(seed)
        pushed = rng.standard_normal((2, mjm.nv)).astype(np.float32)
        d.qfrc_applied.assign(pushed)
        d.qvel.assign(0.1 * rng.standard_normal((2, mjm.nv)).astype(np.float32))
        for _ in range(300):
            mjw.step(m, d)
        assert np.abs(d.qvel.numpy()).max() < 20.0, f"seed {seed}: the cranks fly away"
        mjw.forward(m, d)
        mjm.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
        for world in range(2):
            mjd = mujoco.MjData(mjm)
            mjd.qpos[:], mjd.qvel[:], mjd.qfrc_applied[:] = d.qpos.numpy()[world], d.qvel.numpy()[world], pushed[world]
            mujoco.mj_forward(mjm, mjd)
            theirs = force(mjm, mjd)
            errors.append(np.abs(d.qfrc_constraint.numpy()[world] - theirs).max() / max(1.0, np.abs(theirs).max()))
    assert np.median(errors) < 1e-3 and np.quantile(errors, 0.9) < tolerance, f"median {np.median(errors):.2g}, worst {max(errors):.2g}"
