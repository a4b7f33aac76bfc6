"""The group of arrays that the integrator ``discrete`` needs: its metric, and rows before they are scaled to it."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, value

f32 = wp.float32

METRIC = group(
    "Metric",
    "efm",
    "efm_",
    [
        value("M", f32, "nC_efm", doc="M + h D + h^2 K of what fits in M's sparsity: joints and the medium"),
        value("ts", f32, "ntendon_efm", doc="h^2 stiffness + h damping of each tendon"),
        value("act", f32, "nactuator_efm", doc="h^2 stiffness + h damping of each actuator", flat="efm_as"),
        value("sdiag", f32, "nv_efm", doc="what the metric adds to M's diagonal"),
        value("force", f32, "nv_efm", doc="qfrc_smooth with springs taken at the end of the step"),
        value("D", f32, "njmax_efm", doc="1/R of the implicit rows, seen by the bare mass matrix"),
        value("aref", f32, "njmax_efm", doc="reference acceleration of the implicit rows, without adhesion"),
    ],
)

Metric = METRIC.struct
