"""Print what is left of a contact's stiffness and damping at rest and in motion: ours by mode, MuJoCo's and Newton's.

A sphere is pressed on a plane and swings about its rest; its oscillation is fitted by that of a mass on a spring and damper.

    python tests/support/spring_table.py
    python tests/support/spring_table.py --only Newton --masses 0.01,1,100
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import newton
import numpy as np
import warp as wp

import newtonish

MASSES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
KE, RATIO, FORCE, MODES = 1.0e4, 0.1, 50.0, {"SPRING": 3, "FORCE_SPACE": 0}
DMAX = 0.95


def fitted(heights: np.ndarray, mass: float, stride: int, step: float) -> tuple[float, float, float]:
    """Shares of stiffness at rest, and of stiffness and damping in motion; (n,) heights above the plane without force [m]."""
    samples = heights[::stride][:60]
    lagged = np.stack([samples[1:-1], samples[:-2], np.ones(len(samples) - 2)], axis=1)
    c1, c2, c0 = np.linalg.lstsq(lagged, samples[2:], rcond=None)[0]
    rate = np.log(complex(c1, np.sqrt(max(-c1 * c1 - 4.0 * c2, 0.0))) / 2.0) / (stride * step)
    damping = 2.0 * RATIO * np.sqrt(KE * mass)
    return -FORCE / (c0 / (1.0 - c1 - c2)) / KE, abs(rate) ** 2 * mass / KE, -2.0 * rate.real * mass / damping


def steps(mass: float) -> tuple[int, float]:
    """Every how many steps a sample is taken, and the time step [s]: the same oscillation for every mass."""
    return 50, 0.02 * np.sqrt(mass / KE)


def start(mass: float) -> tuple[float, float]:
    """Height and speed at the beginning; so slow that the sphere stays deeper than the width of MuJoCo's impedance."""
    return -FORCE / KE, 0.1 * FORCE / np.sqrt(KE * mass)


def of_mujoco(mass: float) -> Iterator[float]:
    """MuJoCo C with the solref that has the stiffness at rest."""
    damping, factor = 2.0 * RATIO * np.sqrt(KE * mass), (1.0 - DMAX) / mass
    solref = 2.0 / (damping * factor), damping * factor / (2.0 * np.sqrt(KE * factor))
    text = f"""<mujoco><option gravity="0 0 0" cone="elliptic" timestep="{steps(mass)[1]}"><flag refsafe="disable"/></option><default><geom
    solref="{solref[0]} {solref[1]}" solimp="{DMAX} {DMAX} 0.001 0.5 2"/></default><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1">
    <joint type="slide" axis="0 0 1"/><geom size="0.1" mass="{mass}"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    (data.qpos[0], data.qvel[0]), data.qfrc_applied[0] = start(mass), -FORCE
    while True:
        mujoco.mj_step(model, data)
        yield float(data.qpos[0])


def of_newton(mass: float, package: Any, mode: int, **options: Any) -> Iterator[float]:
    """A solver of a builder in Newton's terms: Newton's own or ours."""
    builder = package.ModelBuilder()
    solver_class = package.solvers.SolverMuJoCo
    solver_class.register_custom_attributes(builder)
    attributes = {"mujoco:solref_mode": mode}
    damping = 2.0 * RATIO * np.sqrt(KE * mass)
    config = package.ModelBuilder.ShapeConfig(ke=KE, kd=damping, density=0.0)
    builder.add_shape_plane(cfg=config, body=-1, custom_attributes=attributes)
    body = builder.add_body(mass=mass, inertia=wp.mat33(np.eye(3) * 0.004 * mass), lock_inertia=True)
    builder.add_shape_sphere(body, radius=0.1, cfg=config, custom_attributes=attributes)
    model = builder.finalize(device="cpu")
    model.set_gravity((0.0, 0.0, 0.0))
    solver, state, control = solver_class(model, cone="elliptic", **options), model.state(), model.control()
    height, speed = start(mass)
    q, qd, force = state.joint_q.numpy(), state.joint_qd.numpy(), control.joint_f.numpy()
    q[2], qd[2], force[2] = 0.1 + height, speed, -FORCE
    for array, values in ((state.joint_q, q), (state.joint_qd, qd), (control.joint_f, force)):
        array.assign(values)
    package.eval_fk(model, state.joint_q, state.joint_qd, state)
    other = model.state()
    while True:
        contacts = None if options.get("use_mujoco_contacts", True) else model.collide(state)
        solver.step(state, other, control, contacts, steps(mass)[1])
        state, other = other, state
        yield float(state.joint_q.numpy()[2]) - 0.1


def measured(make: Callable[[float], Iterator[float]], mass: float) -> tuple[float, float, float]:
    """What is left in one engine."""
    stride, step = steps(mass)
    course = make(mass)
    return fitted(np.array([next(course) for _ in range(60 * stride)]), mass, stride, step)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="engines whose line has this word")
    parser.add_argument("--masses", default=",".join(map(str, MASSES)), metavar="M[,M...]", help="kg")
    arguments = parser.parse_args()
    masses = [float(text) for text in arguments.masses.split(",")]
    engines: dict[str, Callable[[float], Iterator[float]]] = {name: lambda mass, mode=mode: of_newton(mass, newtonish, mode) for name, mode in MODES.items()}
    engines["MuJoCo C, solref of that stiffness at rest"] = of_mujoco
    engines["Newton, ke and kd in force space"] = lambda mass: of_newton(mass, newton, 0, use_mujoco_contacts=False)
    print("| | stiffness at rest | in motion | damping in motion |\n|---|---|---|---|")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in ((name, make) for name, make in engines.items() if arguments.only in name):
            shares = np.array([measured(make, mass) for mass in masses])
            cells = [
                f"{low:.3g}" if round(low, 2) == round(high, 2) else f"{low:.3g} to {high:.3g}" for low, high in zip(shares.min(0), shares.max(0), strict=True)
            ]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
