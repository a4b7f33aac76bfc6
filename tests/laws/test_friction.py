"""Coulomb's law: a block on a slope stays below the friction angle and slides above it as the law says."""

import numpy as np
import pytest
import warp as wp

from newtonish import ModelBuilder, SolverMuJoCo, mjw

G, MU = 9.81, 0.5
SLOPES = np.array([0.1, 0.3, 0.45, 0.55, 0.8, 1.2])  # tangent of the angle


def block(device: str):
    """A block on a plane, one world a slope: gravity is tilted instead of the plane."""
    scene = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    cfg = ModelBuilder.ShapeConfig(mu=MU, density=1000.0)
    for slope in SLOPES:
        tilt = np.arctan(slope)
        scene.begin_world(gravity=wp.vec3(G * np.sin(tilt), 0.0, -G * np.cos(tilt)))
        scene.add_shape_plane(width=0.0, length=0.0, cfg=cfg)
        body = scene.add_link()
        scene.add_shape_box(body, hx=0.1, hy=0.1, hz=0.05, cfg=cfg)
        scene.add_articulation([scene.add_joint_free(body)])
        scene.joint_q[-7 + 2] = 0.05
        scene.end_world()
    return scene.finalize(device=device)


@pytest.mark.parametrize(("cone", "tolerance"), [("pyramidal", 0.025), ("elliptic", 0.01)])
def test_a_block_on_a_slope(device: str, cone: str, tolerance: float):
    """Sliding acceleration is g (sin - mu cos); below the friction angle only the slow creep of a soft contact remains.

    The sliding block rocks on its soft contacts, which costs a percent of g; the edges of a pyramid cost another.
    """
    model = block(device)
    solver, state = SolverMuJoCo(model, cone=cone, impratio=20.0), model.state()
    speeds = {}
    h = 0.002
    for k in range(1, 501):
        solver.step(state, state, None, None, h)
        if k in (250, 500):
            speeds[k] = state.joint_qd.numpy().reshape(len(SLOPES), 6)[:, 0].astype(float)
    acceleration = (speeds[500] - speeds[250]) / (250 * h)
    tilt = np.arctan(SLOPES)
    law = G * np.maximum(np.sin(tilt) - MU * np.cos(tilt), 0.0)
    slides = SLOPES > MU
    np.testing.assert_allclose(acceleration[slides], law[slides], atol=tolerance * G)
    assert np.all(np.abs(acceleration[~slides]) < 0.002 * G)
    assert np.all(np.abs(speeds[500][~slides]) < 0.02)


@pytest.mark.parametrize("option", ['solver="PGS"', 'solver="CG"', ""])
def test_a_stack_of_ten_boxes_stays_where_it_is(option, device):
    """PGS once let it creep by 70 micrometres a second; what is left is the swing of its first seconds. In MuJoCo it moves by millimetres."""
    boxes = "".join(f'<body pos="0 0 {0.2 * i + 0.1}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>' for i in range(10))
    text = f'<mujoco><option timestep=".002" {option}/><worldbody><geom type="plane" size="5 5 1"/>{boxes}</worldbody></mujoco>'
    m, d = mjw.load(text, nworld=2, device=device)
    qvel = d.qvel.numpy()
    qvel[1, 0] = 1e-3  # the lowest box of the second world is pushed a little
    d.qvel.assign(qvel)
    mjw.step(m, d, 1500)
    moved = np.abs(d.qpos.numpy().reshape(2, 10, 7)[..., :2]).max(axis=(1, 2))
    mjw.step(m, d, 1500)
    later = np.abs(d.qpos.numpy().reshape(2, 10, 7)[..., :2]).max(axis=(1, 2))
    assert (np.maximum(moved, later) < 4e-4).all(), (moved, later)
    assert (later - moved < 1e-4).all(), (moved, later)
