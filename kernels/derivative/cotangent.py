"""Arrays for gradients by fields of the model, made when they are first asked for, and what they and the adjoint of a step are gathered from.

The adjoint of a step ends with two motions: ``lam`` of the residual, ``mu`` of the integrator's equation. With both the cost is, as a function of the
model, ``-lam r + mu (M x - (K - M) acc)``, x the solver's acceleration less the integrator's: a sum over bodies, contacts, rows and joints, and so is
its derivative. A frame of the model that moves turns motions of bodies, contacts and all that it carries along, which is why those are gathered in bodies.
"""

from __future__ import annotations

from math import prod
from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import vec6d
from newtonish.kernels.structs.field import group, scratch, value, vec5, vec10, vec12

f32, f64 = wp.float32, wp.float64
vec2, vec3, vec4 = wp.vec2, wp.vec3, wp.vec4
vec2d = wp.vec2d
vec5d = wp.types.vector(length=5, dtype=wp.float64)

BARS = group(
    "FieldBars",
    "bars",
    "",
    [
        value("body_mass", f32, "nbody", doc="gradient by m.body_mass, and so on"),
        value("body_inertia", vec3, "nbody", doc=""),
        value("body_ipos", vec3, "nbody", doc=""),
        value("body_iquat", vec4, "nbody", doc=""),
        value("body_pos", vec3, "nbody", doc=""),
        value("body_quat", vec4, "nbody", doc=""),
        value("body_gravcomp", f32, "nbody", doc=""),
        value("jnt_pos", vec3, "njnt", doc=""),
        value("jnt_axis", vec3, "njnt", doc=""),
        value("jnt_stiffness", f32, "njnt", doc=""),
        value("jnt_stiffnesspoly", vec2, "njnt", doc=""),
        value("jnt_range", vec2, "njnt", doc=""),
        value("jnt_margin", f32, "njnt", doc=""),
        value("jnt_solref", vec2, "njnt", doc=""),
        value("jnt_solimp", vec5, "njnt", doc=""),
        value("qpos_spring", f32, "nq", doc=""),
        value("dof_armature", f32, "nv", doc=""),
        value("dof_damping", f32, "nv", doc=""),
        value("dof_dampingpoly", vec2, "nv", doc=""),
        value("dof_frictionloss", f32, "nv", doc=""),
        value("dof_solref", vec2, "nv", doc=""),
        value("dof_solimp", vec5, "nv", doc=""),
        value("geom_pos", vec3, "ngeom", doc=""),
        value("geom_quat", vec4, "ngeom", doc=""),
        value("geom_friction", vec3, "ngeom", doc=""),
        value("geom_solref", vec2, "ngeom", doc=""),
        value("geom_solimp", vec5, "ngeom", doc=""),
        value("geom_margin", f32, "ngeom", doc=""),
        value("pair_friction", vec5, "npair", doc=""),
        value("pair_solref", vec2, "npair", doc=""),
        value("pair_solreffriction", vec2, "npair", doc=""),
        value("pair_solimp", vec5, "npair", doc=""),
        value("pair_margin", f32, "npair", doc=""),
        value("eq_data", vec12, "neq", doc=""),
        value("eq_solref", vec2, "neq", doc=""),
        value("eq_solimp", vec5, "neq", doc=""),
        value("tendon_stiffness", f32, "ntendon", doc=""),
        value("tendon_stiffnesspoly", vec2, "ntendon", doc=""),
        value("tendon_damping", f32, "ntendon", doc=""),
        value("tendon_dampingpoly", vec2, "ntendon", doc=""),
        value("tendon_lengthspring", vec2, "ntendon", doc=""),
        value("tendon_armature", f32, "ntendon", doc=""),
        value("tendon_frictionloss", f32, "ntendon", doc=""),
        value("tendon_range", vec2, "ntendon", doc=""),
        value("tendon_margin", f32, "ntendon", doc=""),
        value("tendon_solref_lim", vec2, "ntendon", doc=""),
        value("tendon_solimp_lim", vec5, "ntendon", doc=""),
        value("tendon_solref_fri", vec2, "ntendon", doc=""),
        value("tendon_solimp_fri", vec5, "ntendon", doc=""),
        value("actuator_gainprm", vec10, "nactuator", doc=""),
        value("actuator_biasprm", vec10, "nactuator", doc=""),
        value("actuator_dynprm", vec10, "nactuator", doc=""),
        value("actuator_gear", wp.spatial_vector, "nout", doc=""),
        value("gravity", vec3, doc="gradient by m.opt.gravity"),
    ],
)

COTANGENT = group(
    "Cotangent",
    "cotangent",
    "",
    [
        scratch("lam", vec6d, "nbody", doc="motion of the body that the adjoint of the residual is"),
        scratch("mu", vec6d, "nbody", doc="the same of the integrator's equation"),
        scratch("bar_lam", vec6d, "nbody", doc="derivative by lam of the subtree's bodies, each moved by as much"),
        scratch("bar_mu", vec6d, "nbody", doc="by mu"),
        scratch("bar_V", vec6d, "nbody", doc="by the velocity V"),
        scratch("bar_A", vec6d, "nbody", doc="by the acceleration A"),
        scratch("bar_L", vec6d, "nbody", doc="by L"),
        scratch("bar_X", vec6d, "nbody", doc="by X"),
        scratch("bar_VA", vec6d, "nbody", doc="by a velocity u that changes each acceleration by u x V"),
        scratch("turned", vec6d, "nbody", doc="by a displacement of the subtree that all its motions turn along with"),
        scratch("push", vec6d, "ncontact", doc="derivative by the relative motion lam at a contact: of the point, then the rotation"),
        scratch("push_L", vec6d, "ncontact", doc="by L"),
        scratch("push_V", vec6d, "ncontact", doc="by V"),
        scratch("place1", vec6d, "ncontact", doc="by a displacement of the first geom alone, about the centre of mass of its tree"),
        scratch("place2", vec6d, "ncontact", doc="by one of the second geom"),
        scratch("friction", vec5d, "ncontact", doc="by the contact's friction"),
        scratch("solref", vec2d, "ncontact", doc="by its solref"),
        scratch("solreffriction", vec2d, "ncontact", doc="by its solreffriction"),
        scratch("solimp", vec5d, "ncontact", doc="by its solimp"),
        scratch("margin", f64, "ncontact", doc="by its margin"),
        scratch("pull", wp.vec3d, "ntendon", doc="what the cost has of its moment: shares of lam, of the velocity and of the acceleration"),
        scratch("by_mass", f64, "nv", doc="by the diagonal of the mass matrix, of which weights of rows are made in the metric of discrete"),
        scratch("by_metric", f64, "nv", doc="by what the metric adds to it"),
        scratch("end", vec6d, "neq2", doc="by a displacement of an end of a connect or weld in its body, about the centre of mass of its tree; two of each"),
        scratch("end_lam", vec6d, "neq2", doc="by lam of the end's body"),
        scratch("end_V", vec6d, "neq2", doc="by V"),
        scratch("end_A", vec6d, "neq2", doc="by A"),
    ],
)

FieldBars = BARS.struct
Cotangent = COTANGENT.struct


def sizes_of(m: Any, nconmax: int) -> dict[str, int]:
    """Lengths that shapes of both groups name."""
    names = ("nbody", "njnt", "nq", "nv", "ngeom", "npair", "neq", "ntendon", "nactuator", "nout")
    return {name: int(getattr(m.size, name)) for name in names} | {"ncontact": nconmax, "neq2": 2 * int(m.size.neq)}


def make_cotangent(m: Any, nworld: int, nconmax: int, device: Any) -> Any:
    """Zeroed arrays for a model, with room for ``nconmax`` contacts in those of single contacts."""
    sizes = sizes_of(m, nconmax)
    cotangent = COTANGENT.struct()
    for f in COTANGENT.fields:
        setattr(cotangent, f.name, wp.zeros((nworld, *(sizes[str(dim)] for dim in f.dims)), dtype=f.dtype, device=device))
    return cotangent


def bytes_of_cotangent(m: Any, nworld: int, nconmax: int) -> int:
    """Their memory [bytes]."""
    sizes = sizes_of(m, nconmax)
    return nworld * sum(wp.types.type_size_in_bytes(f.dtype) * prod(sizes[str(dim)] for dim in f.dims) for f in COTANGENT.fields)
