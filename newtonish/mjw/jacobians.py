"""Jacobians of points, bodies, geoms and sites in the present state, under MuJoCo's and mujoco_warp's names."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.arguments import checked
from newtonish.kernels.analysis import jac as kernels
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.arguments import array_of, indices, optional_array
from newtonish.mjw.matching import check_pair

__all__ = ["jac", "jac_body", "jac_body_com", "jac_dot", "jac_geom", "jac_site", "jac_subtree_com"]


@checked
def jac(m: Model, d: Data, jacp: wp.array | None, jacr: wp.array | None, point: wp.array, body: wp.array | int) -> None:
    """Jacobians of a point that is fixed to a body: ``jacp @ qvel`` is its velocity, ``jacr @ qvel`` the body's rotation.

    Args:
        m: model.
        d: data; kinematics and ``com_pos`` are of the present ``qpos``, as after ``step1`` or ``forward``.
        jacp: (nworld, 3, nv) float32 that receives the translational Jacobian, world frame; None: not wanted.
        jacr: (nworld, 3, nv) float32 that receives the rotational one, world frame; None: not wanted.
        point: (nworld,) vec3, the point in the world frame [m].
        body: body for each world, (nworld,) int32, or one for all of them.

    Raises:
        ModelError: an array of another shape, type or device, or no such body.

    MuJoCo: mj_jac.
    """
    check_pair("jac", m, d)
    point = array_of("jac: point", d, point, wp.vec3, (d.nworld,))
    outputs = _outputs("jac", m, d, jacp, jacr)
    kernels.jac(m, d, *outputs, point, indices("jac: body", d, body, m.nbody), kernels.POINT)


@checked
def jac_body(m: Model, d: Data, jacp: wp.array | None, jacr: wp.array | None, body: wp.array | int) -> None:
    """Jacobians of a body's frame; as ``jac``. MuJoCo: mj_jacBody."""
    _object("jac_body", m, d, jacp, jacr, body, m.nbody, kernels.BODY)


@checked
def jac_body_com(m: Model, d: Data, jacp: wp.array | None, jacr: wp.array | None, body: wp.array | int) -> None:
    """Jacobians of a body's centre of mass; as ``jac``. MuJoCo: mj_jacBodyCom."""
    _object("jac_body_com", m, d, jacp, jacr, body, m.nbody, kernels.BODY_COM)


@checked
def jac_geom(m: Model, d: Data, jacp: wp.array | None, jacr: wp.array | None, geom: wp.array | int) -> None:
    """Jacobians of a geom's centre; as ``jac``. MuJoCo: mj_jacGeom."""
    _object("jac_geom", m, d, jacp, jacr, geom, m.ngeom, kernels.GEOM)


@checked
def jac_site(m: Model, d: Data, jacp: wp.array | None, jacr: wp.array | None, site: wp.array | int) -> None:
    """Jacobians of a site; as ``jac``. MuJoCo: mj_jacSite."""
    _object("jac_site", m, d, jacp, jacr, site, m.nsite, kernels.SITE)


@checked
def jac_subtree_com(m: Model, d: Data, jacp: wp.array, body: wp.array | int) -> None:
    """Jacobian of the centre of mass of a subtree; as ``jac``, without rotation. MuJoCo: mj_jacSubtreeCom."""
    check_pair("jac_subtree_com", m, d)
    jacp = array_of("jac_subtree_com: jacp", d, jacp, wp.float32, (d.nworld, 3, m.nv))
    kernels.jac_subtree_com(m, d, jacp, indices("jac_subtree_com: body", d, body, m.nbody))


@checked
def jac_dot(m: Model, d: Data, jacp: wp.array | None, jacr: wp.array | None, point: wp.array, body: wp.array | int) -> None:
    """Rates of change of the Jacobians of ``jac`` with the present velocities: ``jacp @ qacc + jacp_dot @ qvel`` is the
    point's acceleration.

    Args as in ``jac``; ``com_vel`` is of the present ``qvel`` as well. MuJoCo: mj_jacDot.
    """
    check_pair("jac_dot", m, d)
    point = array_of("jac_dot: point", d, point, wp.vec3, (d.nworld,))
    outputs = _outputs("jac_dot", m, d, jacp, jacr)
    kernels.jac_dot(m, d, *outputs, point, indices("jac_dot: body", d, body, m.nbody))


def _outputs(name: str, m: Model, d: Data, jacp: Any, jacr: Any) -> tuple[wp.array, wp.array]:
    shape = (d.nworld, 3, m.nv)
    return optional_array(f"{name}: jacp", d, jacp, shape), optional_array(f"{name}: jacr", d, jacr, shape)


def _object(name: str, m: Model, d: Data, jacp: Any, jacr: Any, index: Any, count: int, kind: int) -> None:
    check_pair(name, m, d)
    nowhere = wp.empty(0, dtype=wp.vec3, device=d.device)
    ids = indices(f"{name}: {name.split('_')[1]}", d, index, count)
    kernels.jac(m, d, *_outputs(name, m, d, jacp, jacr), nowhere, ids, kind)
