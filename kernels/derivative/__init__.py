"""Analytic derivatives of a step at the solver's minimum: the linearized dynamics, transition matrices, and the adjoint of a step."""
