"""Shapes that only show are left out of the simulation, unless a tendon wraps them or a contact pair names them."""

import numpy as np

from newtonish import ModelBuilder
from newtonish.solvers import SolverMuJoCo

FILE = """<mujoco><worldbody><site name="hook" pos="-.5 0 1"/>
<geom name="wheel" type="cylinder" size=".1 .05" pos="0 0 1" euler="90 0 0" contype="0" conaffinity="0"/>
<geom name="ledge" size=".1" pos=".5 0 .2" contype="0" conaffinity="0"/><geom name="shown" size=".1" pos="3 0 0" contype="0" conaffinity="0"/>
<body name="load" pos=".5 0 .45"><freejoint/><geom name="ball" size=".1" contype="0" conaffinity="0"/><site name="eye"/></body></worldbody>
<contact><pair geom1="ledge" geom2="ball"/></contact>
<tendon><spatial limited="true" range="0 1.28"><site site="hook"/><geom geom="wheel"/><site site="eye"/></spatial></tendon></mujoco>"""


def motion(device: str, **options) -> tuple[SolverMuJoCo, np.ndarray]:
    """A solver and the poses after half a second in two worlds, one of which starts with a push."""
    world, builder = ModelBuilder(), ModelBuilder()
    world.add_mjcf(FILE)
    builder.replicate(world, 2)
    model = builder.finalize(device=device)
    solver = SolverMuJoCo(model, **options)
    first, second, control = model.state(), model.state(), model.control()
    speed = first.joint_qd.numpy()
    speed[7] = 0.5
    first.joint_qd.assign(speed)
    for _ in range(250):
        solver.step(first, second, control, None, 0.002)
        first, second = second, first
    return solver, first.body_q.numpy()


def test_what_is_wrapped_or_paired_is_simulated(device: str) -> None:
    solver, poses = motion(device)
    whole, expected = motion(device, skip_visual_only_geoms=False)
    sizes = [(s.mjw_model.ngeom, s.mjw_model.ntendon, s.mjw_model.npair) for s in (solver, whole)]
    assert sizes == [(3, 1, 1), (4, 1, 1)]
    np.testing.assert_allclose(poses, expected, atol=1e-6)
    assert 0.35 < poses[0, 2] < 0.45, "the ball lies on the ledge"
    assert np.abs(poses[0] - poses[1]).max() > 0.01
