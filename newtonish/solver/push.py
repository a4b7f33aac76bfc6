"""Push: a Newton state, its forces and a control into the arrays that a step reads, in one launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.common import frames
from newtonish.errors import ModelError, problem
from newtonish.kernels.bridge.frames import CTRL_DIRECT, Maps
from newtonish.kernels.bridge.states import Given, push_kernel
from newtonish.kernels.runtime.launch import launch

__all__ = ["Inputs", "make_maps", "place_mocap", "push", "push_worlds", "slice_maps"]

_PER_WORLD = ("joint", "coord", "dof", "body", "mocap", "ctrl_index")


def make_maps(model: Any, index: Any) -> Maps:
    """Device copies of the conversion's index maps, beside the model's joint frames and centres of mass.

    The frames are the model's own arrays, so that edits of them are seen without a copy.

    Args:
        model: The Newton model.
        index: Its ``newtonish.convert.maps.IndexMaps``.
    """
    maps = Maps()
    device = model.device
    for name, source in (
        ("joint", index.mjc_joint),
        ("coord", index.mjc_coord),
        ("dof", index.mjc_dof),
        ("body", index.mjc_body),
        ("mocap", index.mjc_mocap),
        ("ctrl_source", index.actuator_source),
        ("ctrl_index", index.actuator_index),
        ("ctrl_axis", index.actuator_axis),
    ):
        setattr(maps, name, wp.array(np.ascontiguousarray(source, dtype=np.int32), dtype=wp.int32, device=device))
    maps.X_p, maps.X_c, maps.com, maps.flags = model.joint_X_p, model.joint_X_c, model.body_com, model.body_flags
    return maps


def slice_maps(maps: Maps, first: int, count: int) -> Maps:
    """The maps of worlds ``first`` to ``first + count - 1``; nothing is copied."""
    part = Maps()
    for name in Maps.vars:
        array = getattr(maps, name)
        setattr(part, name, array[first : first + count] if name in _PER_WORLD and array.size else array)
    return part


class Inputs:
    """Arrays of a state and a control, with empty ones standing for those that they do not have."""

    def __init__(self, model: Any, index: Any) -> None:
        self._empty = wp.zeros(0, dtype=float, device=model.device)
        self._nothing_more = wp.zeros(0, dtype=wp.vec3, device=model.device)
        self._wrenches = wp.zeros(0, dtype=wp.spatial_vector, device=model.device)
        source = np.asarray(index.actuator_source)
        self._needs = {
            "mujoco.ctrl_more": bool(index.several_controls),
            "mujoco.ctrl": bool(np.any(source == int(CTRL_DIRECT))),
            "joint_target_q": bool(np.any(source == 0)),
            "joint_target_qd": bool(np.any(source == 1)),
        }

    def of(self, control: Any) -> list[wp.array]:
        """``joint_f, joint_target_q, joint_target_qd, mujoco.ctrl, mujoco.ctrl_more`` of a control."""
        arrays = {name: getattr(control, name, None) for name in ("joint_f", "joint_target_q", "joint_target_qd")}
        arrays["mujoco.ctrl"] = getattr(getattr(control, "mujoco", None), "ctrl", None)
        arrays["mujoco.ctrl_more"] = getattr(getattr(control, "mujoco", None), "ctrl_more", None)
        for name, needed in self._needs.items():
            if needed and arrays[name] is None:
                text = problem(f"control.{name}", "None", "an array", "make the control with model.control()")
                raise ModelError(text)
        more = arrays.pop("mujoco.ctrl_more")
        listed = [self._empty if array is None else array for array in arrays.values()]
        return [*listed, self._nothing_more if more is None else more]

    def wrenches(self, state: Any) -> wp.array:
        """``state.body_f``, or an empty array."""
        return self._wrenches if state.body_f is None else state.body_f

    def given(self, state: Any, control: Any) -> Given:
        """What a state and a control give a step, for the kernels."""
        given = Given()
        given.joint_q, given.joint_qd, given.body_f = state.joint_q, state.joint_qd, self.wrenches(state)
        given.joint_f, given.target_q, given.target_qd, given.ctrl, given.ctrl_more = self.of(control)
        return given


def push(m: Any, d: Any, maps: Maps, inputs: Inputs, state: Any, control: Any, dt: float, follow: bool = True) -> None:
    """Write positions, velocities, forces, controls, mocap poses and the time step of all worlds.

    Args:
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        maps: Index maps on the device.
        inputs: Reads the control's arrays.
        state: Newton state at the start of the step.
        control: Newton control.
        dt: Time step [s]; 0 leaves it as it is.
        follow: Whether positions and velocities are written too.
    """
    kernel = push_kernel
    if not follow:
        from newtonish.kernels.bridge.partial import push_inputs_kernel

        kernel = push_inputs_kernel
    given = inputs.given(state, control)
    launch(kernel, d, [m.size, m.opt, m.body, m.jnt, m.actuator, maps, given, float(dt), d.state])


def push_worlds(m: Any, d: Any, maps: Maps, mask: wp.array, state: Any) -> None:
    """Write positions and velocities of the masked worlds, and nothing else."""
    from newtonish.kernels.bridge.partial import push_worlds_kernel

    launch(push_worlds_kernel, d, [m.size, m.jnt, maps, mask, state.joint_q, state.joint_qd, d.state])


def place_mocap(d: Any, maps: Maps) -> None:
    """Write the poses of mocap bodies of all worlds, on the host: frames of the joints that fix them were edited between steps."""
    if not d.state.mocap_pos.size:
        return
    joint = maps.mocap.numpy()
    parent, child = (frames.from_newton(X.numpy()[joint]) for X in (maps.X_p, maps.X_c))
    pos, quat = frames.compose(*parent, *frames.invert(*child))
    d.state.mocap_pos.assign(pos.astype(np.float32))
    d.state.mocap_quat.assign(quat.astype(np.float32))
