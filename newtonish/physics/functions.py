"""MuJoCo's functions on ``physics.model.ptr`` and ``physics.data.ptr``, for programs that call them beside the methods of Physics.

They are those that dm_control's composer environments call; results go into the caller's arrays, of either precision. Functions
of quaternions and matrices (``mju_*``) are MuJoCo's own, which a program that calls them has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.common.enums import JointType
from newtonish.errors import UnsupportedError, problem
from newtonish.kernels.structs.container import Data, Model

__all__ = ["FUNCTIONS", "Library"]


def _jacobian(function: Callable[..., None]) -> Callable[..., None]:
    """A function that fills (3, nv) arrays of the caller's; None: not wanted."""

    def fill(m: Model, d: Data, jacp: np.ndarray | None, jacr: np.ndarray | None, index: int) -> None:
        none = np.zeros((1, 3, int(m.nv)), dtype=np.float32)
        made: list[Any] = [None if out is None else wp.array(none, dtype=wp.float32, device=d.device) for out in (jacp, jacr)]
        function(m, d, *made, int(index))
        for out, array in zip((jacp, jacr), made):
            if out is not None and array is not None:
                out[...] = array.numpy()[0]

    return fill


def _contact_force(m: Model, d: Data, index: int, result: np.ndarray) -> None:
    """Force and torque of a contact in its frame, (6,)."""
    force: Any = wp.array(np.zeros((1, 6), dtype=np.float32), dtype=wp.spatial_vector, device=d.device)
    mjw.contact_force(m, d, wp.array([int(index)], dtype=wp.int32, device=d.device), False, force)
    result[...] = force.numpy()[0]


def _ray(
    m: Model, d: Data, pnt: Any, vec: Any, geomgroup: Any, flg_static: int, bodyexclude: int, geomid: np.ndarray | None, normal: np.ndarray | None = None
) -> float:
    """Distance of the first geom that a ray meets, -1 without a hit."""
    start: Any = wp.array(np.asarray(pnt, dtype=np.float32).reshape(1, 1, 3), dtype=wp.vec3, device=d.device)
    way: Any = wp.array(np.asarray(vec, dtype=np.float32).reshape(1, 1, 3), dtype=wp.vec3, device=d.device)
    dist, geom, surface = mjw.ray(m, d, start, way, None if geomgroup is None else list(geomgroup), bool(flg_static), int(bodyexclude))
    for out, array in ((geomid, geom), (normal, surface)):
        if out is not None:
            out[...] = array.numpy()[0, 0]
    return float(dist.numpy()[0, 0])


def _integrate_pos(m: Model, qpos: np.ndarray, qvel: np.ndarray, dt: float) -> None:
    """Move coordinates (nq,) by velocities (nv,) for a time: quaternions turn by theirs in their own frame."""
    types, coordinates, dofs = (m_array.numpy() for m_array in (m.jnt_type, m.jnt_qposadr, m.jnt_dofadr))
    for kind, q, v in zip(types, coordinates, dofs):
        if kind == JointType.FREE:
            qpos[q : q + 3] += dt * np.asarray(qvel[v : v + 3])
            q, v = q + 3, v + 3
        if kind in (JointType.FREE, JointType.BALL):
            qpos[q : q + 4] = _turned(np.asarray(qpos[q : q + 4], dtype=np.float64), dt * np.asarray(qvel[v : v + 3], dtype=np.float64))
        else:
            qpos[q] += dt * qvel[v]


def _turned(quat: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """A quaternion (w, x, y, z) turned by a rotation vector in its own frame."""
    angle = float(np.linalg.norm(turn))
    w, axis = np.cos(0.5 * angle), turn * (0.5 if angle < 1e-12 else np.sin(0.5 * angle) / angle)
    w0, axis0 = quat[0], quat[1:]
    product = np.concatenate(((w0 * w - axis0 @ axis,), w0 * axis + w * axis0 + np.cross(axis0, axis)))
    return product / np.linalg.norm(product)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mj_forward": mjw.forward,
    "mj_kinematics": mjw.kinematics,
    "mj_comPos": mjw.com_pos,
    "mj_fwdPosition": mjw.fwd_position,
    "mj_subtreeVel": mjw.subtree_vel,
    "mj_contactForce": _contact_force,
    "mj_integratePos": _integrate_pos,
    "mj_jacBody": _jacobian(mjw.jac_body),
    "mj_jacGeom": _jacobian(mjw.jac_geom),
    "mj_jacSite": _jacobian(mjw.jac_site),
    "mj_ray": _ray,
}
"""By MuJoCo's names; the arguments are MuJoCo's, a Model and a Data in place of its."""


class Library:
    """A module of MuJoCo's functions that takes a Physics' pointers too.

    Args:
        rest: MuJoCo's module; what is not called with a Model of ours is its.
    """

    def __init__(self, rest: Any) -> None:
        self._rest = rest

    def __getattr__(self, name: str) -> Any:
        if name.startswith("mju_"):
            return _in_double(getattr(self._rest, name))
        if name.startswith("mj_"):
            return self._either(name)
        return getattr(self._rest, name)

    def _either(self, name: str) -> Callable[..., Any]:
        """The function of this name for a Model of ours, and MuJoCo's for others."""
        own, theirs = FUNCTIONS.get(name), getattr(self._rest, name)

        def call(*arguments: Any) -> Any:
            if not arguments or not isinstance(arguments[0], Model):
                return theirs(*arguments)
            if own is None:
                remedy = "use the methods of Physics, or newtonish.mjw with physics.m and physics.d"
                raise UnsupportedError(problem(name, "a newtonish Physics", f"MuJoCo's models, or one of {', '.join(FUNCTIONS)}", remedy))
            return own(*arguments)

        return call


def _in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays of float64 that takes those of float32 too, and writes its results into them."""

    def call(*arguments: Any) -> Any:
        single = [isinstance(each, np.ndarray) and each.dtype == np.float32 for each in arguments]
        given = [np.array(each, dtype=np.float64) if narrow else each for each, narrow in zip(arguments, single)]
        result = function(*given)
        for each, double, narrow in zip(arguments, given, single):
            if narrow and not np.array_equal(each, double.astype(np.float32), equal_nan=True):
                each[...] = double
        return result

    return call
