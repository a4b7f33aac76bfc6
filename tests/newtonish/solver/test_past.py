"""Delays and plastic springs through SolverMuJoCo: the same motion as MuJoCo's, and a reset forgets them."""

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import OWN

import newtonish
from newtonish.solvers import SolverMuJoCo

STEPS, NWORLD = 80, 2


def build(path, device: str):
    robot = newtonish.ModelBuilder()
    robot.add_mjcf(str(path))
    main = newtonish.ModelBuilder()
    main.replicate(robot, NWORLD)
    model = main.finalize(device=device)
    return model, SolverMuJoCo(model)


def sent(world: int, k: int, nu: int) -> np.ndarray:
    return 0.7 * np.sin(0.2 * k + np.arange(nu) + world)


@pytest.mark.parametrize("name", ["delays", "plastic"])
def test_worlds_move_as_mujocos(name: str, device: str) -> None:
    path = OWN / f"{name}.xml"
    mjm = mujoco.MjModel.from_xml_path(str(path))
    model, solver = build(path, device)
    control = model.control()
    states = [model.state(), model.state()]
    mjds = [mujoco.MjData(mjm) for _ in range(NWORLD)]
    for k in range(STEPS):
        if mjm.nu:
            controls = [sent(world, k, mjm.nu) for world in range(NWORLD)]
            control.mujoco.ctrl.assign(np.concatenate(controls).astype(np.float32))
        solver.step(states[0], states[1], control, None, mjm.opt.timestep)
        states.reverse()
        for world, mjd in enumerate(mjds):
            if mjm.nu:
                mjd.ctrl[:] = controls[world]
            mujoco.mj_step(mjm, mjd)
    for world, mjd in enumerate(mjds):
        np.testing.assert_allclose(solver.mjw_data.qpos.numpy()[world], mjd.qpos, atol=5e-4)
        for memory in ("history", "plastic"):
            ours = getattr(solver.mjw_data, memory).numpy()[world]
            np.testing.assert_allclose(ours, getattr(mjd, memory), atol=2e-3 * max(1.0, np.abs(getattr(mjd, memory)).max(initial=0.0)))


def test_a_reset_forgets_the_past_of_its_worlds(device: str) -> None:
    model, solver = build(OWN / "plastic.xml", device)
    states = [model.state(), model.state()]
    initial = solver.mjw_data.plastic.numpy().copy()
    for _ in range(60):
        solver.step(states[0], states[1], None, None, 0.002)
        states.reverse()
    moved = solver.mjw_data.plastic.numpy().copy()
    assert not np.allclose(moved, initial, atol=1e-3)
    solver.reset(states[0], wp.array([True, False], dtype=bool, device=device))
    np.testing.assert_array_equal(solver.mjw_data.plastic.numpy(), [initial[0], moved[1]])
