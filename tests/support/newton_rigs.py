"""Models built by Newton's own builder and importers, and their motion by Newton's solver and by ours."""

from pathlib import Path

import newton
import numpy as np
import warp as wp

from newtonish.solvers import SolverMuJoCo

__all__ = ["ASSETS", "PEER", "arm_with_gripper", "blank", "four_bar", "from_file", "gripper_with_bar", "motion", "peer_motion", "start", "worlds"]

PEER = newton.solvers.SolverMuJoCo
ASSETS = Path(newton.__file__).parent / "examples" / "assets"
NAMES = ("joint_q", "joint_qd", "body_q", "body_qd")


def blank() -> newton.ModelBuilder:
    """A builder of Newton's with the attributes of MuJoCo."""
    builder = newton.ModelBuilder()
    PEER.register_custom_attributes(builder)
    return builder


def from_file(path: Path, **options) -> newton.ModelBuilder:
    """What Newton's importers make of an MJCF or URDF file."""
    builder = blank()
    if path.suffix == ".urdf":
        builder.add_urdf(str(path), **options)
    else:
        builder.add_mjcf(str(path), ctrl_direct=True, **options)
    return builder


def worlds(one: newton.ModelBuilder, count: int, device: str, ground: bool = False) -> newton.Model:
    """Copies of a scene, on a plane if asked for."""
    scene = blank()
    if ground:
        scene.add_ground_plane()
    scene.replicate(one, count)
    return scene.finalize(device=device)


def start(model: newton.Model, lift: float, q: float = 0.05, qd: float = 0.3, seed: int = 1) -> dict[str, np.ndarray]:
    """Unequal coordinates, velocities and inputs of two worlds; roots are lifted, limits and unit quaternions kept."""
    rng = np.random.default_rng(seed)
    coords = model.joint_q.numpy() + q * rng.standard_normal(model.joint_coord_count)
    first, dof, kind = model.joint_q_start.numpy(), model.joint_qd_start.numpy(), model.joint_type.numpy()
    low, high = model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
    for joint in range(model.joint_count):
        at = {2: first[joint], 4: first[joint] + 3}.get(int(kind[joint]))
        if at is not None:
            coords[at : at + 4] /= np.linalg.norm(coords[at : at + 4])
        if kind[joint] in (0, 1) and q > 0 and high[dof[joint]] - low[dof[joint]] < 10.0:
            share = 0.2 * (high[dof[joint]] - low[dof[joint]])
            coords[first[joint]] = np.clip(coords[first[joint]], low[dof[joint]] + share, high[dof[joint]] - share)
        if kind[joint] == 4:
            coords[first[joint] + 2] += lift
    values = {"joint_q": coords, "joint_qd": qd * rng.standard_normal(model.joint_dof_count)}
    values["joint_f"] = rng.uniform(-0.1, 0.1, model.joint_dof_count)
    values["joint_target_q"] = model.joint_target_q.numpy() + rng.uniform(-0.1, 0.1, len(model.joint_target_q)) * (q > 0)
    ctrl = getattr(model.mujoco, "ctrl", None)
    if ctrl is not None:
        values["ctrl"] = rng.uniform(-0.3, 0.3, len(ctrl))
    return {name: value.astype(np.float32) for name, value in values.items()}


def _give(state, control, values: dict[str, np.ndarray]) -> None:
    for name, value in values.items():
        holder = state if name in ("joint_q", "joint_qd") else control.mujoco if name == "ctrl" else control
        if len(value):
            getattr(holder, name).assign(value)


def _run(solver, model, values, steps: int, dt: float) -> list[dict[str, np.ndarray]]:
    states, control, path = [model.state(), model.state()], model.control(), []
    _give(states[0], control, values)
    solver.reset(model.state())
    for _ in range(steps):
        solver.step(states[0], states[1], control, None, dt)
        states.reverse()
        path.append({name: getattr(states[0], name).numpy().copy() for name in NAMES})
    return path


def motion(model: newton.Model, values: dict[str, np.ndarray], steps: int, dt: float, **options):
    """Path of our solver: a list of arrays by name, all worlds one after another; and the solver."""
    solver = SolverMuJoCo(model, **options)
    return _run(solver, model, values, steps, dt), solver


def peer_motion(model: newton.Model, values: dict[str, np.ndarray], count: int, steps: int, dt: float, **options):
    """Path of Newton's solver on MuJoCo's C code, which simulates one world: each of the worlds in turn.

    Args:
        model: The model of one world.
        values: State and inputs of all worlds.
        count: Number of worlds.
        steps: Number of steps.
        dt: Time step [s].
        options: Arguments of Newton's solver.
    """
    solver = PEER(model, use_mujoco_cpu=True, **options)
    paths = []
    for world in range(count):
        own = {name: value.reshape(count, -1)[world] for name, value in values.items()}
        paths.append(_run(solver, model, own, steps, dt))
    joined = [{n: np.concatenate([path[k][n] for path in paths]) for n in NAMES} for k in range(steps)]
    return joined, solver


def arm_with_gripper() -> newton.ModelBuilder:
    """Two driven hinges and two fingers, the second of which mimics the first."""
    builder = blank()
    at = lambda x, y=0.0: wp.transform(wp.vec3(x, y, 0.0), wp.quat_identity())  # noqa: E731
    mass = {"mass": 0.8, "inertia": wp.mat33(np.diag([0.002, 0.01, 0.01])), "com": wp.vec3(0.15, 0.0, 0.0)}
    small = {"mass": 0.1, "inertia": wp.mat33(np.diag([1e-4, 2e-4, 2e-4]))}
    upper, lower = builder.add_link(**mass), builder.add_link(**mass)
    fingers = [builder.add_link(**small) for _ in range(2)]
    drive = {"target_ke": 60.0, "target_kd": 3.0, "armature": 0.01, "damping": 0.05}
    joints = [
        builder.add_joint_revolute(-1, upper, axis=(0.0, 1.0, 0.0), **drive),
        builder.add_joint_revolute(upper, lower, axis=(0.0, 1.0, 0.0), parent_xform=at(0.3), **drive),
    ]
    for side, finger in zip((1.0, -1.0), fingers):
        limits = {"limit_lower": -0.02, "limit_upper": 0.06, "target_ke": 400.0 if side > 0 else 0.0, "target_kd": 8.0 * (side > 0)}
        joints.append(builder.add_joint_prismatic(lower, finger, axis=(0.0, side, 0.0), parent_xform=at(0.35, 0.03 * side), **limits))
    builder.add_articulation(joints)
    builder.add_constraint_mimic(joints[3], joints[2], coef0=0.0, coef1=1.0)
    return builder


def gripper_with_bar() -> newton.ModelBuilder:
    """The same arm with pads on its fingers, and a free bar of 4 cm."""
    builder = arm_with_gripper()
    shape = newton.ModelBuilder.ShapeConfig
    for finger in (2, 3):
        builder.add_shape_box(finger, hx=0.05, hy=0.005, hz=0.03, cfg=shape(density=0.0, mu=1.0))
    bar = builder.add_link(label="bar")
    builder.add_articulation([builder.add_joint_free(bar)])
    builder.add_shape_box(bar, hx=0.03, hy=0.02, hz=0.02, cfg=shape(density=300.0, mu=1.0))
    return builder


def four_bar() -> newton.ModelBuilder:
    """A crank, a coupler and a rocker between two pivots of the world, closed by a hinge outside of the tree."""
    builder = blank()
    at = lambda x: wp.transform(wp.vec3(x, 0.0, 0.0), wp.quat_identity())  # noqa: E731
    up, length = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), -np.pi / 2), 0.4
    inertia = wp.mat33(np.diag([1e-3, 0.01, 0.01]))
    links = [builder.add_link(mass=0.5, inertia=inertia, com=wp.vec3(length / 2, 0.0, 0.0)) for _ in range(3)]
    back = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), np.pi / 2)
    y = {"axis": (0.0, 1.0, 0.0)}
    joints = [
        builder.add_joint_revolute(-1, links[0], parent_xform=wp.transform(wp.vec3(0.0, 0.0, 1.0), up), **y),
        builder.add_joint_revolute(links[0], links[1], parent_xform=wp.transform(wp.vec3(length, 0.0, 0.0), back), **y),
        builder.add_joint_revolute(links[1], links[2], parent_xform=wp.transform(wp.vec3(length, 0.0, 0.0), back), **y),
    ]
    builder.add_articulation(joints)
    builder.add_joint_revolute(-1, links[2], parent_xform=wp.transform(wp.vec3(length, 0.0, 1.0), up), child_xform=at(length), **y)
    return builder
