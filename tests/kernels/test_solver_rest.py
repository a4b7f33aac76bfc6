"""What rests on stiff rows: forces of the constraints after a warm start are those of the minimum, as in MuJoCo."""

import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw

# the arm hangs at the origin, where float32 holds the weld's small displacement to all its digits
LEVER = """<mujoco><option gravity="0 0 -1" jacobian="{jacobian}" solver="{solver}" iterations="{iterations}"><flag island="{island}"/></option>
<worldbody><body name="wall"><geom type="box" size=".05 .05 .05"/><site name="at" euler="0 0 90"/></body>
<body name="arm"><joint type="free"/><inertial pos="1 .25 0" mass="1" diaginertia="1 1 1"/>
<geom type="box" size=".05 .05 .05" pos="1 0 0"/></body>
<body pos="3 0 0"><joint type="free"/><geom size=".1"/></body></worldbody>
<equality><weld body1="wall" body2="arm" torquescale="4" solimp=".999 .999 .001" solref=".005 1"/></equality>
<sensor><force site="at"/><torque site="at"/></sensor></mujoco>"""


def at_rest(mjm: mujoco.MjModel, device: str) -> oracle.Pair:
    """Two worlds under unequal forces, stepped by ours until nothing moves; MuJoCo gets their states."""
    pair = oracle.from_model(mjm, nworld=2, device=device)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_resetData(mjm, mjd)
        mjd.xfrc_applied[2, :3] = (0.3 * world, 0.0, -0.5 * world)
    oracle.push(pair)
    for _ in range(400):
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mjd.qpos[:], mjd.qvel[:] = pair.d.qpos.numpy()[world], pair.d.qvel.numpy()[world]
        mjd.qacc_warmstart[:] = pair.d.qacc_warmstart.numpy()[world]
    return pair


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize(("jacobian", "island"), [("dense", "disable"), ("sparse", "enable")])
# conjugate gradients end by their tolerance: of 60 states under other forces MuJoCo's are up to 2.5e-4 off, ours 3.1e-4
@pytest.mark.parametrize(("solver", "iterations", "tolerance"), [("Newton", 100, 1e-5), ("CG", 100, 3.5e-4), ("PGS", 1000, 2e-4)])
def test_forces_of_a_weld_at_rest(solver, iterations, tolerance, jacobian, island, warm, device):
    text = LEVER.format(solver=solver, iterations=iterations, jacobian=jacobian, island=island)
    pair = at_rest(mujoco.MjModel.from_xml_string(text), device)
    if not warm:
        for mjd in pair.mjds:
            mjd.qacc_warmstart[:] = 0.0
    oracle.push(pair)
    # against MuJoCo's Newton, whichever method is ours
    best = mujoco.MjModel.from_xml_string(LEVER.format(solver="Newton", iterations=100, jacobian=jacobian, island=island))
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(best, mjd)
        scale = np.linalg.norm(mjd.sensordata)
        error = np.abs(pair.d.sensordata.numpy()[world] - mjd.sensordata).max() / scale
        assert error < tolerance, f"world {world}: sensors off by {error:.2g} of {scale:.3g}"
