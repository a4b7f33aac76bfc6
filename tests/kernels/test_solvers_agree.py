"""Newton, CG and PGS minimise the same cost over the same rows: they end at the same acceleration.

How near is stated here, of the acceleration's norm: CG within 2e-4 of Newton in both cones, PGS within 5e-3 in pyramidal cones.
In elliptic cones, and with the stiff equalities, our PGS can stop short of the minimum, by up to 0.6 of the norm on these models:
that is expected to fail until PGS ends later.
"""

import mujoco
import numpy as np
import oracle
import pytest
from constraint_rigs import zoo
from paths import OWN, shared_model

from newtonish import mjw
from newtonish.kernels.enums import SolverType

NEAR = {("CG", "pyramidal"): 2e-4, ("CG", "elliptic"): 2e-4, ("PGS", "pyramidal"): 5e-3, ("PGS", "elliptic"): 5e-3}
MODELS = {
    "zoo": lambda: zoo("pyramidal", 3),
    "equalities": lambda: mujoco.MjModel.from_xml_path(str(OWN / "equality_zoo.xml")),
    "humanoid": lambda: mujoco.MjModel.from_xml_path(str(shared_model("dm_humanoid/humanoid.xml"))),
    "ant": lambda: mujoco.MjModel.from_xml_path(str(shared_model("gym_ant/ant.xml"))),
    "allegro": lambda: mujoco.MjModel.from_xml_path(str(shared_model("allegro_hand/scene_right.xml"))),
}


@pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
@pytest.mark.parametrize(("solver", "cone"), NEAR)
@pytest.mark.parametrize("name", MODELS)
def test_a_solver_ends_at_newtons_acceleration(name, solver, cone, device):
    mjm = MODELS[name]()
    mjm.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    mjm.opt.noslip_iterations = 0
    mjm.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    pair = oracle.from_model(mjm, 3, device=device)
    oracle.advance(pair, 100)
    pair.m.opt.iterations, pair.m.opt.ls_iterations = 3000, 100
    pair.m.opt.tolerance.fill_(1e-12)
    found = {}
    for kind in ("NEWTON", solver):
        pair.m.opt.solver = int(SolverType[kind])
        pair.m.touch()
        pair.d = mjw.make_data(pair.m, 3)
        oracle.push(pair)
        mjw.forward(pair.m, pair.d)
        found[kind] = pair.d.qacc.numpy().copy()
    assert pair.d.nefc.numpy().max() > 0
    norms = np.maximum(1.0, np.linalg.norm(found["NEWTON"], axis=1))
    errors = np.linalg.norm(found[solver] - found["NEWTON"], axis=1) / norms
    if solver == "PGS" and (cone == "elliptic" or name == "equalities") and errors.max() > NEAR[solver, cone]:
        pytest.xfail(f"PGS stops {errors.max():.1g} of the norm short")
    assert errors.max() <= NEAR[solver, cone], errors
