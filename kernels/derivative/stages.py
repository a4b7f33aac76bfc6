"""The stages of a Runge-Kutta step, kept for its derivatives: where each was evaluated, and what a change of the step's inputs does to it.

Only a model that steps with RK4 has these arrays. A line is an input of the step, as in ``Linear.column``.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.derivative.algebra import vec6d
from newtonish.kernels.structs.field import group, scratch

f32, f64, i32 = wp.float32, wp.float64, wp.int32
COUNT = 4

STAGES = group(
    "Stages",
    "stages",
    "",
    [
        scratch("qpos", f32, COUNT, "nq", doc="position of each stage"),
        scratch("qvel", f32, COUNT, "nv", doc="velocity"),
        scratch("act", f32, COUNT, "na", doc="activation"),
        scratch("rate", f32, COUNT, "nv", doc="rates of the coordinates that the step moves by: of rotation vectors for rotations"),
        scratch("qacc", f32, COUNT, "nv", doc="acceleration"),
        scratch("turn", f64, "nv", doc="weighted mean of the rates, with which the step moves"),
        scratch("dot", f32, "na", doc="weighted mean of the rates of activations"),
        scratch("end_act", f64, "na", doc="derivative of the next activation by the present one, its rate held"),
        scratch("end_dot", f64, "na", doc="by its rate"),
        scratch("end_Z", f64, "nlawend", "nline", doc="change of the next activation that follows from the start of the step alone"),
        scratch("Q", f64, "nv", "nline", doc="change of the stage's position"),
        scratch("V", f64, "nv", "nline", doc="of its velocity"),
        scratch("Z", f64, "na", "nline", doc="of its activation"),
        scratch("R", f64, "nv", "nline", doc="of its rates"),
        scratch("sum_R", f64, "nv", "nline", doc="weighted sum of those"),
        scratch("sum_A", f64, "nv", "nline", doc="of changes of the acceleration"),
        scratch("sum_Z", f64, "na", "nline", doc="of changes of the rates of activations"),
        scratch("mean_R", f64, "nv", doc="adjoint of the mean rates"),
        scratch("mean_A", f64, "nv", doc="of the mean acceleration"),
        scratch("mean_Z", f64, "na", doc="of the mean rates of activations"),
        scratch("bar_R", f64, "nv", doc="adjoint of the stage's rates, from what follows it"),
        scratch("bar_A", f64, "nv", doc="of its acceleration"),
        scratch("bar_Z", f32, "na", doc="of its rates of activations"),
        scratch("bar_q", f64, "nv", doc="of the position at the start, stages summed so far"),
        scratch("bar_v", f64, "nv", doc="of the velocity there"),
        scratch("bar_act", f64, "na", doc="of the activation there"),
        scratch("ctrl_bar", f64, "nu", doc="of the controls"),
        scratch("qfrc_bar", f64, "nv", doc="of applied generalized forces"),
        scratch("xfrc_bar", vec6d, "nbody", doc="of forces on bodies, force first"),
        scratch("blind", i32, doc="as ``Linear.blind``, of the first stage that was looked at and has one"),
        scratch("pair", wp.vec2i, doc="the geoms"),
    ],
)

Stages = STAGES.struct
