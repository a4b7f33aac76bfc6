"""The stage of constraint rows: those of every model, and what rows and contacts of some have besides."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import ConeType, EnableBit
from newtonish.kernels.integrate.discrete.options import is_discrete
from newtonish.kernels.sleep.stage import awake_rows
from newtonish.kernels.speculative.stage import with_rows_ahead


def make_constraint(m: Any, d: Any) -> None:
    """Constraint rows with their reference accelerations.

    Reads   d.state, d.kin, d.com, d.ten, d.contact, and d.vel for equality constraints. Writes d.efc, d.status.
    MuJoCo  mj_makeConstraint and mj_referenceConstraint.
    """
    m, d = awake_rows(m, d)
    equality(m, d)
    contacts = with_rows_ahead(m, d)
    if m.simple.constraint:
        from newtonish.kernels.fused.constraint_joints import launch_constraint_joints

        launch_constraint_joints(m, contacts)
    else:
        from newtonish.kernels.fused.constraint import launch_constraint

        launch_constraint(m, contacts)
    adjust_rows(m, d)


def equality(m: Any, d: Any) -> None:
    """Equality constraints, whose rows come first."""
    if m.size.neq > 0:
        from newtonish.kernels.constraint import equality_stage

        equality_stage.equality(m, d)


def adjust_rows(m: Any, d: Any) -> None:
    """What follows once all rows are there: the exact diagonal, springs' friction, materials, springs and dampers of ``discrete``."""
    if is_discrete(m):
        spring_friction(m, d)
        from newtonish.kernels.integrate.discrete.rows import implicit_rows

        implicit_rows(m, d)
        return
    if is_exact(m):
        from newtonish.kernels.constraint.exact_diagonal import exact_diagonal

        exact_diagonal(m, d)
    spring_friction(m, d)
    if _has_material(m):
        from newtonish.kernels.constraint.material import material_rows

        material_rows(m, d)


def spring_friction(m: Any, d: Any) -> None:
    """Friction of contacts that are springs in motion too, in models with elliptic cones that have such."""
    if m.size.flg_spring != 0 and m.opt.cone == ConeType.ELLIPTIC:
        from newtonish.kernels.constraint import springs

        springs.spring_friction(m, d)


def is_exact(m: Any) -> bool:
    """Whether the flag diagexact is set."""
    return bool(m.opt.enableflags & EnableBit.DIAGEXACT)


def _has_material(m: Any) -> bool:
    """Whether contacts of the model can pull or surfaces of it move."""
    return m.size.flg_adhesion != 0 or m.size.flg_surfacevel != 0


def contact_material(m: Any, d: Any) -> None:
    """Adhesion and surface velocities of contacts, after collision."""
    if _has_material(m):
        from newtonish.kernels.constraint import material

        material.contact_material(m, d)


def adhesion_force(m: Any, d: Any) -> None:
    """Forces by which contacts pull, before the passive forces are summed."""
    if m.size.flg_adhesion != 0:
        from newtonish.kernels.constraint import material

        material.adhesion_force(m, d)
