"""Mass, centre of mass and inertia of links: as written, or from the collision shapes, and how the impossible is mended.

A rigid body's principal moments are positive and none exceeds the sum of the other two. What ``<mujoco><compiler/>`` says of
moments that break this, of least masses and of the total mass is done as MuJoCo's compiler does it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.urdf.extension import Extension
from newtonish.importers.urdf.parts import Geometry, Inertial, Link, Robot
from newtonish.model.enums import GeoType
from newtonish.model.inertia import shape_mass_properties, shift_inertia
from newtonish.model.validate import corrected_inertia

__all__ = ["GEO_TYPES", "shape_scale", "weigh"]

TOLERANCE = 1e-6
"""Relative violation of the triangle inequality that counts as rounding."""

GEO_TYPES = {"box": GeoType.BOX, "sphere": GeoType.SPHERE, "cylinder": GeoType.CYLINDER, "capsule": GeoType.CAPSULE, "mesh": GeoType.MESH}


def shape_scale(geometry: Geometry) -> list[float]:
    """The three size numbers of ``ModelBuilder.add_shape``; a mesh has its scale applied already."""
    return [1.0, 1.0, 1.0] if geometry.kind == "mesh" else [*geometry.size, 0.0, 0.0][:3]


def weigh(robot: Robot, extension: Extension, cfg: Any, from_shapes: bool, balance: bool, static: set[str], log: Diagnostics) -> None:
    """Fill in mass, com and inertia of all links.

    Args:
        robot: The file's contents, collision meshes loaded.
        extension: What ``<mujoco>`` says.
        cfg: Density and hollowness of collision shapes.
        from_shapes: Leave written inertials out.
        balance: Whether moments that no body can have are shifted, where the file does not say what to do with them.
        static: Links that cannot move; they are no part of the total mass, as MuJoCo makes them part of the world.
        log: Where problems and changes are noted.
    """
    rule = "true" if from_shapes else extension.inertiafromgeom
    with np.errstate(all="ignore"):
        for link in robot.links.values():
            if link.inertial is not None and rule != "true":
                _written(link, link.inertial, extension, balance, log)
            elif rule != "false":
                if link.inertial is not None:
                    log.ignored("inertials", link.inertial.node.location, f"{link.node.label}, inertial", "left out: mass comes from the shapes", warn=False)
                _summed(link, cfg)
            if not np.isfinite([np.float32(link.mass), *np.float32(link.inertia).flat]).all():
                log.problem(link.node.location, link.node.label, "a mass or inertia that is too large", "numbers that fit 32 bits", "correct sizes and masses")
                link.mass, link.inertia = 0.0, np.zeros((3, 3))
            _bound(link, extension)
        total = sum(link.mass for link in robot.links.values() if link.name not in static)
        if extension.settotalmass > 0.0 and total > MINVAL:
            for link in robot.links.values():
                link.mass *= extension.settotalmass / total
                link.inertia = link.inertia * (extension.settotalmass / total)


def _written(link: Link, inertial: Inertial, extension: Extension, balance: bool, log: Diagnostics) -> None:
    """Take a link's inertial, its tensor turned into the link's axes: R I R^T."""
    pos, quat = inertial.frame
    link.mass, link.com = inertial.mass, pos.copy()
    moments = inertial.matrix
    principal = np.linalg.eigvalsh(moments) if np.isfinite(moments).all() else np.full(3, np.nan)
    what, place = f"{link.node.label}, inertia", inertial.node.location
    size = float(np.abs(principal).max())
    if principal[0] < -TOLERANCE * size:
        given = f"principal moments {_listed(principal)}"
        log.problem(place, what, given, "moments that are not negative", "correct the inertia: ixx, ixy, ixz, iyy, iyz, izz")
        return
    excess = principal[2] - principal[0] - principal[1]
    if excess > TOLERANCE * size:
        given = f"principal moments {_listed(principal)}, the largest above the sum of the others by {excess:.3g}"
        if extension.balanceinertia:
            moments = np.eye(3) * float(np.trace(moments)) / 3.0
            log.approximated("balanceinertia", place, what, f"{given}: all are made their mean, as balanceinertia says")
        elif balance and extension.balanceinertia is None:
            moments = corrected_inertia(np.array([1.0]), moments[None], True, None, None)[1][0]
            log.approximated("shifted inertia", place, what, f"{given}: all were raised by as much, as builder.balance_inertia says")
        else:
            allowed = "moments of a rigid body: none above the sum of the other two"
            remedy = 'correct it, or have it balanced: <mujoco><compiler balanceinertia="true"/></mujoco> in the file'
            log.problem(place, what, given, allowed, remedy)
    turn = frames.to_matrix(quat)
    link.inertia = turn @ moments @ turn.T


def _listed(values: np.ndarray) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _summed(link: Link, cfg: Any) -> None:
    """Sum the mass of a link's collision shapes."""
    parts = []
    for shape in link.collisions:
        if shape.kind == "mesh" and shape.mesh is None:
            continue
        source, what = shape.mesh, shape.node.label
        mass, com, inertia = shape_mass_properties(GEO_TYPES[shape.kind], shape_scale(shape), source, cfg.density, cfg.is_solid, cfg.margin, what)
        turn = frames.to_matrix(shape.frame[1])
        parts.append((mass, shape.frame[0] + turn @ com, turn @ inertia @ turn.T))
    link.mass = sum(mass for mass, _, _ in parts)
    if link.mass > 0.0:
        link.com = sum((mass * com for mass, com, _ in parts), np.zeros(3)) / link.mass
        link.inertia = sum((shift_inertia(mass, inertia, com - link.com) for mass, com, inertia in parts), np.zeros((3, 3)))


def _bound(link: Link, extension: Extension) -> None:
    """Raise a link's mass and principal moments to the least that the file allows."""
    link.mass = max(link.mass, extension.boundmass)
    if extension.boundinertia > 0.0:
        values, axes = np.linalg.eigh(link.inertia)
        if values[0] < extension.boundinertia:
            link.inertia = axes @ np.diag(np.maximum(values, extension.boundinertia)) @ axes.T
