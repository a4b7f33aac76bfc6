"""Stages that not every model has, which are called at every step and imported for models that have them."""

from __future__ import annotations

from newtonish.kernels.later import later
from newtonish.kernels.needs import (
    has_adhesion,
    has_equalities,
    has_history,
    has_laws,
    has_material,
    has_past,
    has_user_forces,
    is_diagnosed,
    is_exact,
    is_forced,
    is_plastic,
)

adhesion_force = later("constraint.material", "adhesion_force", has_adhesion)
contact_gains = later("collision.gains", "contact_gains", is_forced)
contact_material = later("constraint.material", "contact_material", has_material)
material_rows = later("constraint.material", "material_rows", has_material)
equality = later("constraint.equality_stage", "equality", has_equalities)
exact_rows = later("discrete.exact", "exact_rows", is_exact)
exact_diagonal = later("constraint.exact_diagonal", "exact_diagonal", is_exact)

law_transmission = later("forces.laws", "law_transmission", has_laws)
laws_and_acceleration = later("forces.laws", "laws_and_acceleration", has_laws)
advance_laws = later("forces.laws", "advance_laws", has_laws)
user_forces = later("forces.user", "user_forces", has_user_forces)

delayed_controls = later("past.delay", "delayed_controls", has_history, lambda m, d, share=0.0: d.state)
with_controls = later("past.delay", "with_controls", has_history, lambda m, d: d.state)
delay_sensors = later("past.delay", "delay_sensors", has_history)
insert_history = later("past.delay", "insert_history", has_history)
springs = later("past.plastic", "springs", is_plastic, lambda m, d: (m.jnt, m.tendon))
remember_tendons = later("past.plastic", "remember_tendons", is_plastic)
settle = later("past.plastic", "settle", has_past)
forget = later("past.plastic", "forget", has_past)

diagnose = later("support.diagnostics", "diagnose", is_diagnosed)

# called under a condition of their own
call = later("support.calls", "call")
camlight = later("smooth.camlight", "camlight")
fwd_acceleration = later("forces.acceleration", "fwd_acceleration")
implicit_rows = later("discrete.rows", "implicit_rows")
inverse_in_metric = later("discrete.stage", "inverse_in_metric")
rungekutta4 = later("integrate.rk4", "rungekutta4")
solve_in_metric = later("discrete.stage", "solve_in_metric")
tendon = later("tendon.tendon", "tendon")
