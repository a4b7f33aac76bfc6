"""Signed distance fields of MuJoCo's own plugins, in float64: nut, bolt, torus, bowl and gear.

A field is a distance ``(x, prm) -> float64`` [m], negative inside, of a point in the field's frame and of the parameters of its instance, and a
gradient of the same arguments. What is built of unions and cuts is no exact distance, only one of the right sign and about the right size. The
shapes, and the step of the differences by which gradients are taken, are those of MuJoCo's plugins ``mujoco.sdf.*``, so that contacts are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.structs.field import vec8d

f64 = wp.float64
ROOT_HALF = wp.constant(wp.float64(0.7071067811865476))
PI = wp.constant(wp.float64(3.141592653589793))
THREADS = wp.constant(wp.float64(12.0))  # turns of a screw on 1 m
TINY = wp.constant(wp.float64(MINVAL))
AHEAD = 1
"""Instead of a gradient: by differences of the distance over 1e-8 m, as MuJoCo's plugins take it."""
BOTH_WAYS = 2
"""The same by central differences over 1e-6 m each way."""


class FieldKind(NamedTuple):
    """A field by name.

    Attributes:
        distance: Warp function (x: wp.vec3d, prm: mjw.FieldParameters) -> wp.float64.
        gradient: Warp function of the same arguments -> wp.vec3d, or AHEAD or BOTH_WAYS.
        parameters: Names of the numbers of ``prm``, in their order.
        usual: What a parameter is where an instance leaves it out.
        box: Half sizes [m] of the box around the origin in which the surface is looked for, by the parameters; None: nobody said.
        prepared: Warp function (prm) -> mjw.FieldParameters: what ``distance`` and ``gradient`` take instead of the parameters, worked out once for
            many points; None: the parameters.
    """

    distance: Any
    gradient: Any
    parameters: tuple[str, ...] = ()
    usual: tuple[float, ...] = ()
    box: Callable[[Sequence[float]], tuple[float, float, float]] | None = None
    prepared: Any = None


def named(function: Any, name: str) -> Any:
    """A Python function under a name of its own, as Warp tells functions of one module apart by their names."""
    function.__name__ = function.__qualname__ = name
    return function


@wp.func
def as_given(prm: vec8d) -> vec8d:
    """Parameters of a field that wants no others."""
    return prm


@wp.func
def from_axis(x: wp.vec3d) -> wp.float64:
    """Distance from the z axis."""
    return wp.sqrt(x[0] * x[0] + x[1] * x[1])


@wp.func
def torus(x: wp.vec3d, prm: vec8d) -> wp.float64:
    """A ring around z: radius of its circle, radius of its tube."""
    out = from_axis(x) - prm[0]
    return wp.sqrt(out * out + x[2] * x[2]) - prm[1]


@wp.func
def torus_gradient(x: wp.vec3d, prm: vec8d) -> wp.vec3d:
    """Away from the nearest point of the ring's circle."""
    radius = from_axis(x)
    out = radius - prm[0]
    length = wp.max(wp.sqrt(out * out + x[2] * x[2]), TINY)
    return wp.vec3d(out * x[0] / radius, out * x[1] / radius, x[2]) / length


@wp.func
def prepared_bowl(prm: vec8d) -> vec8d:
    """The radius of a bowl's rim behind its parameters."""
    found = prm
    found[3] = wp.sqrt(prm[1] * prm[1] - prm[0] * prm[0])
    return found


@wp.func
def bowl(x: wp.vec3d, prm: vec8d) -> wp.float64:
    """A shell around a sphere, cut off at a height: height of the rim, radius of the sphere, half thickness of the shell; radius of the rim."""
    rim = prm[3]
    radius = from_axis(x)
    apart = wp.abs(wp.length(wp.vec2d(radius, x[2])) - prm[1])
    if prm[0] * radius < rim * x[2]:
        apart = wp.length(wp.vec2d(radius - rim, x[2] - prm[0]))
    return apart - prm[2]


@wp.func
def _thread(x: wp.vec3d, out: wp.float64) -> wp.float64:
    """A screw's thread: a triangle wave wound around z; ``out``: distance from its core."""
    turns = x[2] * THREADS - wp.atan2(x[1], x[0]) / PI / f64(2.0)
    wave = wp.abs(turns - wp.floor(turns) - f64(0.5))
    return (out - wave / THREADS) * ROOT_HALF


@wp.func
def _hexagon(x: wp.vec3d, out: wp.float64) -> wp.float64:
    """The hexagonal head of nut and bolt, half as high as it is wide, bevelled at the top."""
    sixth = f64(6.0) / PI / f64(2.0)
    angle = -wp.floor(wp.atan2(x[1], x[0]) * sixth + f64(0.5)) / sixth
    side = wp.sin(angle + PI * f64(0.5)) * x[0] - wp.sin(angle) * x[1] - f64(0.5)
    side = wp.max(side, wp.abs(x[2] + f64(0.25)) - f64(0.25))
    return wp.max(side, (x[2] + out - f64(0.22)) * ROOT_HALF)


@wp.func
def nut(x: wp.vec3d, prm: vec8d) -> wp.float64:
    """A hexagonal nut with a threaded hole: radius of the hole."""
    out = from_axis(x) - prm[0]
    cone = (x[2] - out) * ROOT_HALF
    hole = wp.max(_thread(x, out), -(cone + f64(0.5) * ROOT_HALF))
    hole = wp.min(hole, -cone - f64(0.05) * ROOT_HALF)
    return wp.max(_hexagon(x, out), -hole)


@wp.func
def bolt(x: wp.vec3d, prm: vec8d) -> wp.float64:
    """A bolt with a hexagonal head: radius of the core."""
    out = from_axis(x) - prm[0]
    shaft = wp.max(_thread(x, out), -(f64(0.5) - wp.abs(x[2] + f64(0.5))))
    shaft = wp.max(shaft, -((x[2] - out) * ROOT_HALF + ROOT_HALF))
    return wp.min(shaft, _hexagon(x, out))


@wp.func
def _smooth_union(a: wp.float64, b: wp.float64, width: wp.float64) -> wp.float64:
    share = wp.clamp(f64(0.5) + f64(0.5) * (b - a) / width, f64(0.0), f64(1.0))
    return b * (f64(1.0) - share) + a * share - width * share * (f64(1.0) - share)


@wp.func
def _smooth_cut(a: wp.float64, b: wp.float64, width: wp.float64) -> wp.float64:
    return wp.max(wp.max(a, b), -_smooth_union(wp.max(a, -b), wp.max(b, -a), width))


@wp.func
def _within(angle: wp.float64, stride: wp.float64) -> wp.float64:
    return angle - stride * wp.floor(angle / stride)


@wp.func
def prepared_gear(prm: vec8d) -> vec8d:
    """Of a gear's parameters: turn [rad], pitch diameter, teeth per length, radius of the hole, radius of the circle that the flanks' involutes unwind
    from, angles from tooth to tooth and between teeth [rad], thickness.
    """
    diameter = prm[1]
    teeth = prm[2]
    pressure = f64(3.096e-5) * teeth * teeth - f64(6.557e-3) * teeth + f64(0.551)
    pitch_radius = diameter / f64(2.0)
    per_length = teeth / diameter
    tip = (diameter + f64(2.0) / per_length) / f64(2.0)
    bore = tip - f64(2.2) / per_length - f64(0.14) * diameter
    if prm[4] >= f64(0.0):
        bore = prm[4] / f64(2.0)
    base = diameter * wp.cos(pressure) / f64(2.0)
    stride = PI / per_length / pitch_radius
    unwound = wp.acos(base / pitch_radius)
    involute = wp.tan(unwound) - unwound
    return vec8d(prm[0], diameter, per_length, bore, base, stride, stride / f64(2.0) - f64(2.0) * involute, prm[3])


@wp.func
def _gear_outline(x: wp.vec3d, prm: vec8d) -> wp.float64:
    """The outline of a gear in its plane: involute flanks between a circle at the tips and one at the roots."""
    diameter = prm[1]
    tip = (diameter + f64(2.0) / prm[2]) / f64(2.0)
    depth = f64(2.2) / prm[2]
    bore = prm[3]
    radius = from_axis(x)
    if bore - radius > f64(0.0):
        return bore - radius
    if tip - radius < f64(-0.2):
        return radius - tip
    base = prm[4]
    turn = wp.atan2(x[1], x[0]) + prm[0]
    stride = prm[5]
    shift = prm[6]
    left = _within(turn + shift / f64(2.0), stride) - shift / f64(2.0)
    right = _within(-turn - shift + shift / f64(2.0), stride) - shift / f64(2.0)
    flanks = f64(-1.0e6)
    if base < radius:
        along = wp.acos(base / radius)
        tangent = wp.sqrt(radius * radius - base * base)
        flanks = wp.max(tangent - base * (left + along), tangent - base * (right + along))
    walls = wp.max(left - (stride - shift), right - (stride - shift))
    cogs = _smooth_cut(radius - tip, wp.max(walls, flanks), f64(0.0035) * diameter)
    cogs = _smooth_union(radius - (tip - depth), cogs, base - tip + depth)
    return wp.max(cogs, -(radius - bore))


@wp.func
def gear(x: wp.vec3d, prm: vec8d) -> wp.float64:
    """A spur gear around z, of ``prepared_gear``: turn [rad], pitch diameter, number of teeth, thickness, diameter of the hole (negative: by the diameter)."""
    outline = _gear_outline(x, prm)
    above = wp.abs(x[2]) - prm[7] / f64(2.0)
    return wp.min(wp.max(outline, above), f64(0.0)) + wp.length(wp.vec2d(wp.max(outline, f64(0.0)), wp.max(above, f64(0.0))))


def _screw_box(prm: Sequence[float]) -> tuple[float, float, float]:
    return 0.6, 0.6, 1.0


def _torus_box(prm: Sequence[float]) -> tuple[float, float, float]:
    return prm[0] + prm[1], prm[0] + prm[1], prm[1]


def _bowl_box(prm: Sequence[float]) -> tuple[float, float, float]:
    return (prm[1] + prm[2],) * 3


def _gear_box(prm: Sequence[float]) -> tuple[float, float, float]:
    """Beyond the teeth by a twentieth, and beyond the pitch circle by a quarter."""
    tip = 0.5 * prm[1] + prm[1] / prm[2]
    width = max(1.05 * tip, 1.25 * 0.5 * prm[1])
    return width, width, 0.55 * prm[3]


FIELDS: dict[str, FieldKind] = {
    "mujoco.sdf.nut": FieldKind(nut, AHEAD, ("radius",), (0.26,), _screw_box),
    "mujoco.sdf.bolt": FieldKind(bolt, AHEAD, ("radius",), (0.255,), _screw_box),
    "mujoco.sdf.torus": FieldKind(torus, torus_gradient, ("radius1", "radius2"), (0.35, 0.15), _torus_box),
    "mujoco.sdf.bowl": FieldKind(bowl, AHEAD, ("height", "radius", "thickness"), (0.4, 1.0, 0.02), _bowl_box, prepared_bowl),
    "mujoco.sdf.gear": FieldKind(
        gear, AHEAD, ("alpha", "diameter", "teeth", "thickness", "innerdiameter"), (0.0, 2.8, 25.0, 0.2, -1.0), _gear_box, prepared_gear
    ),
}
"""MuJoCo's fields by the names of their plugins; where a field stands in it is its number in kernels."""

REGISTERED: dict[str, FieldKind] = {}
"""The caller's fields, by the names under which files speak of them (``mjw.register_field``)."""


def known_field(name: str) -> FieldKind | None:
    """MuJoCo's field of a name, or the caller's; None: there is none."""
    return FIELDS.get(name) or REGISTERED.get(name)
