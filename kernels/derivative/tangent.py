"""Gradients by positions, between the numbers of ``qpos`` and the tangent space of ``qvel``.

A rotation by the small vector w, in the frame of the body, changes a unit quaternion q by q (0, w) / 2. Along q itself nothing changes: quaternions are
normalized before they are used, so that a gradient by ``qpos`` is perpendicular to them.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import straight_dofs
from newtonish.kernels.math.quat import quat_conj, quat_mul
from newtonish.kernels.runtime.launch import launch_on
from newtonish.kernels.structs.model import Joint, Size

Rows = wp.array3d(dtype=float)  # two axes of worlds and steps, then numbers


@wp.func
def _quaternion(rows: wp.array3d(dtype=float), w: int, t: int, q: int) -> wp.vec4:
    return wp.vec4(rows[w, t, q], rows[w, t, q + 1], rows[w, t, q + 2], rows[w, t, q + 3])


@wp.kernel
def _to_tangent(size: Size, jnt: Joint, qpos: Rows, qpos_bar: Rows, bar: Rows):
    w, t = wp.tid()
    for j in range(size.njnt):
        q = jnt.qposadr[j]
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        straight = straight_dofs(kind)
        for i in range(straight):
            bar[w, t, v + i] = qpos_bar[w, t, q + i]
        if straight != 1:
            at = _quaternion(qpos, w, t, q + straight)
            by = quat_mul(quat_conj(at), _quaternion(qpos_bar, w, t, q + straight))
            for i in range(3):
                bar[w, t, v + straight + i] = 0.5 * by[1 + i]


@wp.kernel
def _from_tangent(size: Size, jnt: Joint, qpos: Rows, bar: Rows, qpos_bar: Rows):
    w, t = wp.tid()
    for j in range(size.njnt):
        q = jnt.qposadr[j]
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        straight = straight_dofs(kind)
        for i in range(straight):
            qpos_bar[w, t, q + i] = bar[w, t, v + i]
        if straight != 1:
            v += straight
            at = _quaternion(qpos, w, t, q + straight)
            by = quat_mul(at, wp.vec4(0.0, bar[w, t, v], bar[w, t, v + 1], bar[w, t, v + 2]))
            scale = 2.0 / wp.dot(at, at)
            for i in range(4):
                qpos_bar[w, t, q + straight + i] = scale * by[i]


def to_tangent(m: Any, qpos: wp.array, qpos_bar: wp.array, bar: wp.array) -> None:
    """From a gradient by the numbers of positions to one in the tangent space; arrays (any, any, nq) and (any, any, nv or more).

    Reads   m.jnt; qpos, qpos_bar
    Writes  bar
    """
    launch_on(_to_tangent, m.device, qpos.shape[:2], [m.size, m.jnt, qpos, qpos_bar, bar])


def from_tangent(m: Any, qpos: wp.array, bar: wp.array, qpos_bar: wp.array) -> None:
    """The other way; a gradient along a quaternion is 0.

    Reads   m.jnt; qpos, bar
    Writes  qpos_bar
    """
    launch_on(_from_tangent, m.device, qpos.shape[:2], [m.size, m.jnt, qpos, bar, qpos_bar])
