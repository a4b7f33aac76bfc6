"""Push, pull and forward kinematics as kernels with adjoints, for steps that a tape records.

The functions are those of the kernels that steps launch; these are launched only to go back through them, a thread a world. Numbers of the model
have a kernel of their own, which collects what entries of fields found.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.bridge.frames import Maps, is_kinematic
from newtonish.kernels.bridge.states import Given, control_of, keep_joint, pull_joint, push_body_force, push_joint, push_joint_force
from newtonish.kernels.structs.data import State
from newtonish.kernels.structs.model import Actuator, Body, Joint, Size
from newtonish.model import fk

__all__ = ["add_kernel", "collect_kernel", "fk_kernel", "load_adjoints", "pull_kernel", "push_kernel"]

wp.set_module_options({"enable_backward": True})


@wp.kernel
def push_kernel(size: Size, body: Body, jnt: Joint, actuator: Actuator, maps: Maps, given: Given, state: State):
    """Newton's state, forces and controls into the arrays that a step reads; poses of mocap bodies are the model's, and no inputs."""
    w = wp.tid()
    for j in range(size.njnt):
        push_joint(jnt, maps, given.joint_q, given.joint_qd, state, w, j)
        push_joint_force(jnt, maps, given, state, w, j)
    for b in range(size.nbody):
        push_body_force(body, jnt, maps, given, state, w, b)
    for a in range(size.nactuator):
        if actuator.ctrlnum[a] > 0:
            first = actuator.ctrladr[a]
            state.ctrl[w, first] = control_of(jnt, actuator, maps, given, w, a)
            for k in range(1, actuator.ctrlnum[a]):
                state.ctrl[w, first + k] = given.ctrl_more[maps.ctrl_index[w, a]][k - 1]


@wp.kernel
def pull_kernel(
    size: Size,
    jnt: Joint,
    maps: Maps,
    state: State,
    old_q: wp.array(dtype=float),
    old_qd: wp.array(dtype=float),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    """Positions and velocities after a step into Newton's arrays; those of kinematic bodies stay as they were."""
    w = wp.tid()
    for j in range(size.njnt):
        if is_kinematic(maps, w, jnt.bodyid[j]):
            keep_joint(jnt, maps, old_q, old_qd, joint_q, joint_qd, w, j)
        else:
            pull_joint(jnt, maps, state, joint_q, joint_qd, w, j)


@wp.kernel(enable_backward=False)
def collect_kernel(
    first: wp.array(dtype=int), at: wp.array(dtype=int), share: wp.array(dtype=float), bar: wp.array(dtype=float), grad: wp.array(dtype=float),
):  # fmt: skip
    """Add to the gradient by each number those by its entries, which are ``first[i]`` to ``first[i + 1] - 1`` of the list."""
    i = wp.tid()
    total = wp.float32(0.0)
    for k in range(first[i], first[i + 1]):
        total += share[k] * bar[at[k]]
    grad[i] = grad[i] + total


@wp.kernel(enable_backward=False)
def add_kernel(more: wp.array2d(dtype=float), total: wp.array2d(dtype=float)):
    """Add the first numbers of each world."""
    w, i = wp.tid()
    total[w, i] = total[w, i] + more[w, i]


fk_kernel = wp.Kernel(func=fk._fk_kernel.func, key="fk_kernel", module=push_kernel.module)
"""Forward kinematics, which is compiled without an adjoint where steps launch it."""


def load_adjoints(device: Any) -> None:
    """Compile them, so that the first step on a tape may be captured."""
    wp.load_module(push_kernel.module, device=device)
