"""Gains in newtons per metre: how far a pressed mass sinks into a plane, and a hinge goes beyond its limit.

A force-space stiffness gives F/ke whatever the mass, as long as the depth exceeds the width of the impedance (1 mm) and the time
constant is at least two time steps; MuJoCo's ``solref`` gives a depth that goes with 1/mass. Each column is one mass, all are
worlds of one model. Run with ``python examples/gain_tuning.py [--plot gains.png]``; the plot needs matplotlib.
"""

import argparse
import warnings

import numpy as np
import warp as wp

from newtonish import ModelBuilder, NewtonishWarning, SolverMuJoCo

MASSES = np.geomspace(0.01, 100.0, 5)
STIFFNESS, FORCE, TIME_STEP = 1.0e5, 500.0, 0.0005
DMAX = 0.95  # largest impedance, MuJoCo's default
FORCE_SPACE, RAW = 0, 1


def scene(mode: int, device: str):
    """A ball on a vertical slide over a plane and a hinge with a limit at 0.1 rad, a mass a world; without gravity."""
    builder, one = ModelBuilder(), ModelBuilder()
    shape = {"mujoco:solref_mode": mode, "mujoco:solref": (0.02, 1.0), "mujoco:condim": 1}
    for each in (builder, one):
        SolverMuJoCo.register_custom_attributes(each)
        each.default_shape_cfg.ke = STIFFNESS
    builder.add_shape_plane(body=-1, custom_attributes=shape)
    ball, flap = (one.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), lock_inertia=True) for _ in range(2))
    up = wp.transform((0.0, 0.0, 0.1), wp.quat_identity())
    one.add_articulation([one.add_joint_prismatic(-1, ball, axis=(0.0, 0.0, 1.0), parent_xform=up)])
    limit = {"mujoco:solreflimit_mode": [mode], "mujoco:solreflimit": [(0.02, 1.0)]}
    hinge = one.add_joint_revolute(-1, flap, limit_lower=-1.0, limit_upper=0.1, limit_ke=STIFFNESS, custom_attributes=limit)
    one.add_articulation([hinge])
    one.add_shape_sphere(ball, radius=0.1, custom_attributes=shape)
    builder.replicate(one, len(MASSES))
    model = builder.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    model.body_mass.assign(np.repeat(MASSES, 2).astype(np.float32))
    model.body_inertia.assign((np.repeat(MASSES, 2)[:, None, None] * np.eye(3)).astype(np.float32))
    damping = 2.0 * np.sqrt(STIFFNESS * MASSES / (1.0 - DMAX))  # critical: the time constant is 1/sqrt(ke factor)
    shapes = np.empty(model.shape_count)
    shapes[0], shapes[1:] = damping[0], 2.0 * damping - damping[0]  # the plane serves all worlds; a contact takes the mean
    model.shape_material_kd.assign(shapes.astype(np.float32))
    model.joint_limit_kd.assign(np.repeat(damping, 2).astype(np.float32))
    return model


def simulate(mode: int, seconds: float = 1.75, device: str = "cpu") -> np.ndarray:
    """Press until everything rests.

    Args:
        mode: FORCE_SPACE or RAW, for the shapes and the limits.
        seconds: How long.
        device: Warp device.

    Returns:
        Depth of each ball [m] and excess of each hinge [rad], (2, masses).
    """
    model = scene(mode, device)
    solver, state, control = SolverMuJoCo(model), model.state(), model.control()
    control.joint_f.assign(np.tile([-FORCE, FORCE], len(MASSES)).astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        for _ in range(round(seconds / TIME_STEP)):
            solver.step(state, state, control, None, TIME_STEP)
    position = state.joint_q.numpy().reshape(-1, 2)
    return np.stack([-position[:, 0], position[:, 1] - 0.1])


def show(results: dict[str, np.ndarray], path: str) -> None:
    """Draw depth over mass."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
    for axis, row, unit in zip(axes, (0, 1), ("depth [m]", "excess [rad]")):
        for name, values in results.items():
            axis.loglog(MASSES, values[row], "o-", label=name)
        axis.axhline(FORCE / STIFFNESS, color="0.6", linestyle="--", label="F/ke")
        axis.set_xlabel("mass [kg] or inertia [kg m²]")
        axis.set_ylabel(unit)
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="file to draw into")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    results = {
        "force-space gains": simulate(FORCE_SPACE, device=arguments.device),
        "solref (0.02, 1)": simulate(RAW, device=arguments.device),
    }
    print(f"F/ke = {FORCE / STIFFNESS:g} m; columns: masses", *(f"{mass:10g}" for mass in MASSES))
    for name, (depth, excess) in results.items():
        for what, values in (("depth [m]", depth), ("excess [rad]", excess)):
            print(f"{name:>18} {what:>13}", *(f"{value:10.3g}" for value in values))
    if arguments.plot:
        show(results, arguments.plot)


if __name__ == "__main__":
    main()
