"""Models for tests of solvers, built without a file, and states for them."""

import numpy as np
import warp as wp

from newtonish import ModelBuilder, SolverMuJoCo

Axis = ModelBuilder.JointDofConfig


def transform(rng: np.random.Generator, reach: float = 0.5) -> wp.transform:
    """A random frame."""
    q = rng.standard_normal(4)
    return wp.transform(wp.vec3(*(reach * rng.standard_normal(3))), wp.quat(*(q / np.linalg.norm(q))))


def link(builder: ModelBuilder, rng: np.random.Generator, name: str) -> int:
    """A link with a centre of mass away from its origin and an inertia about no axis of its frame."""
    a = rng.standard_normal((3, 3))
    second_moment = 0.02 * (np.eye(3) + a @ a.T)
    inertia = np.trace(second_moment) * np.eye(3) - second_moment
    com = wp.vec3(*(0.2 * rng.standard_normal(3)))
    return builder.add_link(mass=float(rng.uniform(0.5, 2.0)), com=com, inertia=wp.mat33(*inertia.ravel()), label=name)


def every_joint(seed: int = 0) -> ModelBuilder:
    """A floating tree with every kind of joint, all joint frames turned and shifted, and a second tree on the world."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    names = ("base", "ball", "slider", "hinge", "six", "welded")
    base, ball, slider, hinge, six, welded = (link(builder, rng, name) for name in names)

    def frames() -> dict[str, wp.transform]:
        return {"parent_xform": transform(rng), "child_xform": transform(rng, 0.2)}

    joints = [
        builder.add_joint_free(base, **frames()),
        builder.add_joint_ball(base, ball, **frames()),
        builder.add_joint_prismatic(ball, slider, axis=(0.6, 0.0, 0.8), **frames()),
        builder.add_joint_revolute(base, hinge, axis=(0.0, 1.0, 0.0), custom_attributes={"mujoco:dof_ref": [0.3]}, **frames()),
        builder.add_joint_d6(
            hinge,
            six,
            linear_axes=[Axis(axis=(1.0, 0.0, 0.0)), Axis(axis=(0.0, 0.0, 1.0))],
            angular_axes=[Axis(axis=(0.0, 1.0, 0.0)), Axis(axis=(1.0, 0.0, 0.0))],
            **frames(),
        ),
        builder.add_joint_fixed(six, welded, **frames()),
    ]
    builder.add_articulation(joints)
    arm, tip = link(builder, rng, "arm"), link(builder, rng, "tip")
    joints = [builder.add_joint_ball(-1, arm, **frames()), builder.add_joint_revolute(arm, tip, **frames())]
    builder.add_articulation(joints)
    return builder


def replicated(builder: ModelBuilder, count: int, device: str):
    """A model of ``count`` worlds."""
    scene = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    scene.replicate(builder, count)
    return scene.finalize(device=device)


def shake(model, state, seed: int = 1, q: float = 0.3, qd: float = 0.5) -> None:
    """Give every world another state; quaternions stay unit."""
    rng = np.random.default_rng(seed)
    coords = state.joint_q.numpy() + q * rng.standard_normal(model.joint_coord_count)
    starts, types = model.joint_q_start.numpy(), model.joint_type.numpy()
    for joint in range(model.joint_count):
        at = {2: starts[joint], 4: starts[joint] + 3}.get(int(types[joint]))
        if at is not None:
            coords[at : at + 4] /= np.linalg.norm(coords[at : at + 4])
    state.joint_q.assign(coords.astype(np.float32))
    state.joint_qd.assign((qd * rng.standard_normal(model.joint_dof_count)).astype(np.float32))
