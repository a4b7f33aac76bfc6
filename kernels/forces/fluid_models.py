"""Forces of a medium on one body or geom, in its own frame, and their derivatives by its velocity.

Two phenomenological models of MuJoCo. The inertia box replaces a body by the box that has its inertia: viscous resistance
of the equivalent sphere and quadratic drag on each face. The ellipsoid model takes the ellipsoid of a geom: added mass,
Magnus and Kutta lift, blunt and slender drag, angular drag, viscous resistance. Method: MuJoCo's documentation, chapter
Computation, "Fluid forces". Derivation of the lift and drag slopes: with u = Q v for the unit velocity v and the matrix
Q of squared face areas, the projected area is pi d^2 |u| / sqrt(v.u), homogeneous of degree zero in the velocity.

Motions and forces are pairs (rotation, translation); a slope is the matrix that turns a change of velocity into one of
force.
"""

import warp as wp

from newtonish.common.enums import GeomType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.structs.field import vec12


@wp.struct
class Drag:
    """Torque and force, and their slopes: ``tw`` of torque by angular velocity, ``fv`` of force by linear velocity ..."""

    torque: wp.vec3
    force: wp.vec3
    tw: wp.mat33
    tv: wp.mat33
    fw: wp.mat33
    fv: wp.mat33


@wp.func
def box_drag(mass: float, inertia: wp.vec3, omega: wp.vec3, velocity: wp.vec3, density: float, viscosity: float) -> Drag:
    """Inertia-box model of a body with these principal inertias, in the frame of its principal axes."""
    drag = Drag()
    scale = 6.0 / mass
    a = wp.sqrt(wp.max(MINVAL, inertia[1] + inertia[2] - inertia[0]) * scale)
    b = wp.sqrt(wp.max(MINVAL, inertia[0] + inertia[2] - inertia[1]) * scale)
    c = wp.sqrt(wp.max(MINVAL, inertia[0] + inertia[1] - inertia[2]) * scale)
    one = wp.vec3(1.0, 1.0, 1.0)
    diameter = (a + b + c) / 3.0
    turning = wp.max(viscosity, 0.0) * wp.pi * diameter * diameter * diameter * one
    moving = wp.max(viscosity, 0.0) * 3.0 * wp.pi * diameter * one
    a4 = a * a * a * a
    b4 = b * b * b * b
    c4 = c * c * c * c
    quadratic_turning = wp.max(density, 0.0) / 64.0 * wp.vec3(a * (b4 + c4), b * (a4 + c4), c * (a4 + b4))
    quadratic_moving = 0.5 * wp.max(density, 0.0) * wp.vec3(b * c, a * c, a * b)
    speeds = wp.vec3(wp.abs(velocity[0]), wp.abs(velocity[1]), wp.abs(velocity[2]))
    rates = wp.vec3(wp.abs(omega[0]), wp.abs(omega[1]), wp.abs(omega[2]))
    turning_drag = wp.cw_mul(quadratic_turning, rates)
    moving_drag = wp.cw_mul(quadratic_moving, speeds)
    drag.torque = -wp.cw_mul(turning + turning_drag, omega)
    drag.force = -wp.cw_mul(moving + moving_drag, velocity)
    drag.tw = -wp.diag(turning + 2.0 * turning_drag)
    drag.fv = -wp.diag(moving + 2.0 * moving_drag)
    return drag


@wp.func
def semiaxes(kind: int, size: wp.vec3) -> wp.vec3:
    """Half axes of the ellipsoid that stands for a geom."""
    axes = size
    if kind == GeomType.SPHERE:
        axes = wp.vec3(size[0], size[0], size[0])
    elif kind == GeomType.CAPSULE:
        axes = wp.vec3(size[0], size[0], size[0] + size[1])
    elif kind == GeomType.CYLINDER:
        axes = wp.vec3(size[0], size[0], size[1])
    return axes


@wp.func
def _added_mass(drag: Drag, fluid: vec12, omega: wp.vec3, velocity: wp.vec3, density: float) -> Drag:
    """The medium that is carried along."""
    mass = density * wp.vec3(fluid[6], fluid[7], fluid[8])
    inertia = density * wp.vec3(fluid[9], fluid[10], fluid[11])
    momentum = wp.cw_mul(mass, velocity)
    spin = wp.cw_mul(inertia, omega)
    drag.force = wp.cross(momentum, omega)
    drag.torque = wp.cross(momentum, velocity) + wp.cross(spin, omega)
    drag.fw = wp.skew(momentum)
    drag.fv = -wp.skew(omega) * wp.diag(mass)
    drag.tv = wp.skew(momentum) - wp.skew(velocity) * wp.diag(mass)
    drag.tw = wp.skew(spin) - wp.skew(omega) * wp.diag(inertia)
    return drag


@wp.func
def _lift_and_drag(drag: Drag, axes: wp.vec3, fluid: vec12, velocity: wp.vec3, density: float) -> Drag:
    """Kutta lift, blunt and slender drag: what depends on the area that the flow sees."""
    longest = wp.max(wp.max(axes[0], axes[1]), axes[2])
    shortest = wp.min(wp.min(axes[0], axes[1]), axes[2])
    middle = axes[0] + axes[1] + axes[2] - longest - shortest
    speed = wp.length(velocity)
    if speed > MINVAL and longest > MINVAL:
        v = velocity / speed
        s = axes / longest
        faces = wp.vec3(s[1] * s[2], s[2] * s[0], s[0] * s[1])
        q = wp.cw_mul(faces, faces)
        u = wp.cw_mul(q, v)
        n = wp.dot(v, u)
        length = wp.length(u)
        if n > MINVAL:
            area = wp.pi * longest * longest * length / wp.sqrt(n)
            growth = wp.cw_mul(q, u) / (length * length) - u / n  # gradient of log(area), times the speed
            # lift
            lift = fluid[4] * density * wp.pi * longest * longest * speed * wp.sqrt(n) / length
            direction = n * v - u
            drag.force += (lift * speed) * direction
            drag.fv += lift * wp.outer(direction, -growth - v)
            drag.fv += lift * (n * wp.identity(n=3, dtype=float) + 2.0 * (wp.outer(v, u) - wp.outer(u, v)) - wp.diag(q))
            # drag
            total = area * fluid[1] + fluid[2] * (wp.pi * longest * middle - area)
            drag.force -= (density * speed * total) * velocity
            drag.fv -= (density * total * speed) * (wp.identity(n=3, dtype=float) + wp.outer(v, v))
            drag.fv -= (density * (fluid[1] - fluid[2]) * area * speed) * wp.outer(v, growth)
    return drag


@wp.func
def ellipsoid_drag(axes: wp.vec3, fluid: vec12, omega: wp.vec3, velocity: wp.vec3, density: float, viscosity: float) -> Drag:
    """Ellipsoid model of a geom with these half axes, in its frame; ``fluid`` as in ``geom.fluid``."""
    drag = Drag()
    drag = _added_mass(drag, fluid, omega, velocity, density)
    magnus = fluid[5] * density * 4.0 / 3.0 * wp.pi * axes[0] * axes[1] * axes[2]
    drag.force += magnus * wp.cross(omega, velocity)
    drag.fw -= magnus * wp.skew(velocity)
    drag.fv += magnus * wp.skew(omega)
    drag = _lift_and_drag(drag, axes, fluid, velocity, density)
    # resistance of the sphere of the mean diameter
    diameter = 2.0 / 3.0 * (axes[0] + axes[1] + axes[2])
    linear = viscosity * 3.0 * wp.pi * diameter
    angular = viscosity * wp.pi * diameter * diameter * diameter
    drag.force -= linear * velocity
    drag.fv -= linear * wp.identity(n=3, dtype=float)
    # angular drag
    longest = wp.max(wp.max(axes[0], axes[1]), axes[2])
    shortest = wp.min(wp.min(axes[0], axes[1]), axes[2])
    middle = axes[0] + axes[1] + axes[2] - longest - shortest
    most = 8.0 / 15.0 * wp.pi * middle * longest * longest * longest * longest
    moments = wp.vec3()
    for i in range(3):
        other = wp.max(axes[(i + 1) % 3], axes[(i + 2) % 3])
        own = 8.0 / 15.0 * wp.pi * axes[i] * other * other * other * other
        moments[i] = fluid[3] * own + fluid[2] * (most - own)
    resisting = wp.cw_mul(moments, omega)
    size = wp.length(resisting)
    angular += density * size
    drag.torque -= angular * omega
    drag.tw -= angular * wp.identity(n=3, dtype=float)
    if size > 0.0:
        drag.tw -= (density / size) * wp.outer(omega, wp.cw_mul(moments, resisting))
    on = fluid[0]
    drag.torque *= on
    drag.force *= on
    drag.tw *= on
    drag.tv *= on
    drag.fw *= on
    drag.fv *= on
    return drag
