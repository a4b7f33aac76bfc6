"""Checks of a builder before it becomes a model: everything that is wrong is collected and raised together."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all
from newtonish.model.enums import ShapeFlags
from newtonish.model.tables import COLUMNS, COUNTED_BY

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

_MATERIALS = ("ke", "kd", "kf", "ka", "kh", "mu", "restitution", "mu_torsional", "mu_rolling")
_SHOWN = 5


def check_builder(builder: ModelBuilder, checks: set[str]) -> None:
    """Raise ModelError with all problems that the named groups of checks find.

    Args:
        builder: What to check.
        checks: Any of worlds, joints, shapes, inertia, structure, joint_ordering.
    """
    problems: list[str] = []
    if builder.current_world != -1 and "worlds" in checks:
        given = f"world {builder.current_world} still open"
        problems.append(problem("finalize", given, "closed worlds", "call end_world first"))
    if "structure" in checks:
        problems += _structure(builder)
    if problems:
        # Later checks index by what these found to be broken.
        raise_all(ModelError, "The model cannot be finished", problems)
    if "worlds" in checks:
        problems += _worlds(builder)
    if "joints" in checks:
        problems += _joints(builder)
    if "shapes" in checks:
        problems += _shapes(builder)
    if "inertia" in checks:
        problems += _inertia(builder)
    if "joint_ordering" in checks and not joints_in_tree_order(builder):
        allowed = "joints after the joint that holds their parent body"
        problems.append(problem("articulations", "joints before those above them", allowed, "add them root first"))
    raise_all(ModelError, "The model cannot be finished", problems)


def _names(labels: list[str], rows: np.ndarray) -> str:
    """Return the first few labels of rows."""
    shown = ", ".join(f"'{labels[row]}'" for row in rows[:_SHOWN].tolist())
    return shown + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


def _structure(builder: ModelBuilder) -> list[str]:
    """Check column lengths, row numbers and start arrays."""
    problems = []
    counts = builder.entity_counts()
    for name, spec in COLUMNS.items():
        column = builder._columns[name]
        if len(column) != counts[spec.entity]:
            given = f"{len(column)} rows"
            allowed = f"{counts[spec.entity]}, as many as builder.{COUNTED_BY[spec.entity]}"
            problems.append(problem(f"builder.{name}", given, allowed, "add rows by add_* methods only"))
    if problems:
        return problems
    for name, spec in COLUMNS.items():
        if spec.references is None or spec.references not in counts:
            continue
        values = builder._columns[name].array
        # Ends and starts of empty ranges may equal the count.
        limit = counts[spec.references] + (name.endswith(("_start", "_end")))
        bad = np.flatnonzero((values < -1) | (values >= limit))
        if len(bad):
            given = f"{values[bad[0]]} in row {bad[0]}"
            allowed = f"-1 to {limit - 1}"
            problems.append(problem(f"builder.{name}", given, allowed, "pass indices that add_* methods returned"))
    for name in ("joint_q_start", "joint_qd_start", "joint_cts_start"):
        if np.any(np.diff(builder._columns[name].array) < 0):
            problems.append(problem(f"builder.{name}", "falling numbers", "rising ones", "do not edit start arrays"))
    for name, spec in COLUMNS.items():
        # Limits may be infinite; materials and masses have checks of their own that name the culprits.
        elsewhere = "limit" in name or name.startswith("shape_material") or name in ("body_mass", "body_inertia")
        if spec.storage is np.float64 and not elsewhere:
            rows = builder._columns[name].array
            bad = np.flatnonzero(~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1)) if len(rows) else np.empty(0)
            if len(bad):
                given = f"{rows[bad[0]].tolist()} in row {bad[0]}"
                problems.append(problem(f"builder.{name}", given, "finite numbers", "correct the value"))
    return problems


def _worlds(builder: ModelBuilder) -> list[str]:
    """Check that entities are ordered by world, those of all worlds at either end."""
    problems = []
    for kind in ("body", "shape", "joint", "articulation", "constraint_mimic"):
        worlds = builder._columns[f"{kind}_world"].array
        if not len(worlds):
            continue
        labels = builder._columns[f"{kind}_label"]
        bad = np.flatnonzero((worlds < -1) | (worlds >= max(1, builder.world_count)))
        if len(bad):
            given = f"world {worlds[bad[0]]} of {_names(labels, bad)}"
            allowed = f"-1 to {builder.world_count - 1}"
            problems.append(problem(f"{kind} worlds", given, allowed, "use begin_world and end_world"))
            continue
        own = np.flatnonzero(worlds >= 0)
        if not len(own):
            continue
        middle = worlds[own[0] : own[-1] + 1]
        stray = own[0] + np.flatnonzero(middle < 0)
        if len(stray):
            given = f"{_names(labels, stray)} of all worlds between those of single worlds"
            allowed = "entities of all worlds before or after those of single worlds"
            problems.append(problem(f"{kind} worlds", given, allowed, "add them first or last"))
        elif np.any(np.diff(middle) < 0):
            back = own[0] + 1 + np.flatnonzero(np.diff(middle) < 0)
            given = f"{_names(labels, back)} after entities of a later world"
            problems.append(problem(f"{kind} worlds", given, "entities ordered by world", "add worlds in order"))
    return problems


def _joints(builder: ModelBuilder) -> list[str]:
    """Check that joints belong to articulations or close loops, and that articulations are not joined."""
    problems: list[str] = []
    columns = builder._columns
    parent, child = columns["joint_parent"].array, columns["joint_child"].array
    tree, label = columns["joint_articulation"].array, columns["joint_label"]
    inside = tree >= 0
    held_by = np.full(builder.body_count + 1, -1, dtype=np.int64)
    held_by[child[inside]] = tree[inside]
    above = held_by[parent]
    above[parent < 0] = -1
    crossing = np.flatnonzero(inside & (above >= 0) & (above != tree))
    # A body may be attached to joints of several articulations; only such bodies need a closer look.
    crossing = np.array([j for j in crossing.tolist() if not np.any((child == parent[j]) & (tree == tree[j]))], dtype=np.int64)
    if len(crossing):
        given = f"{_names(label, crossing)} on bodies of another articulation"
        allowed = "parent bodies of the same articulation"
        problems.append(problem("joints", given, allowed, "list connected joints in one add_articulation"))
    reached = np.zeros(builder.body_count + 1, dtype=bool)
    reached[parent[inside]] = reached[child[inside]] = True
    orphans = np.flatnonzero(~inside & (parent >= 0) & ~reached[child])
    if len(orphans):
        given = f"{_names(label, orphans)} outside any articulation"
        allowed = "joints of an articulation, of the world, or closing a loop"
        problems.append(problem("joints", given, allowed, "list them in add_articulation"))
    mimic = columns["joint_mimic_joint"].array
    followers = np.flatnonzero(mimic >= 0)
    trees = np.stack([tree[followers], tree[mimic[followers]]])
    odd = followers[(trees[0] != trees[1]) & (trees.min(axis=0) >= 0)] if len(followers) else followers
    if len(odd):
        given = f"{_names(label, odd)} following joints of another articulation"
        problems.append(problem("mimic joints", given, "joints of one articulation", "couple joints inside one"))
    lower, upper = columns["joint_limit_lower"].array, columns["joint_limit_upper"].array
    starts = columns["joint_qd_start"].array
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        rows = np.unique(np.searchsorted(starts, crossed, side="right") - 1)
        given = f"a lower limit above the upper one at {_names(label, rows)}"
        problems.append(problem("joint limits", given, "lower <= upper", "swap or correct them"))
    return problems


def joints_in_tree_order(builder: ModelBuilder) -> bool:
    """Return whether in every articulation each joint's parent body was placed by an earlier joint."""
    from newtonish.model.finalize import joint_ancestors

    above = joint_ancestors(builder)
    return bool(np.all(above < np.arange(len(above))))


def _shapes(builder: ModelBuilder) -> list[str]:
    """Check contact materials and gaps of colliding shapes."""
    problems = []
    columns = builder._columns
    collides = (columns["shape_flags"].array & int(ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES)) != 0
    label = columns["shape_label"]
    for name in _MATERIALS:
        values = columns[f"shape_material_{name}"].array
        bad = np.flatnonzero(collides & ~np.isfinite(values))
        if len(bad):
            given = f"{name} = {values[bad[0]]} of {_names(label, bad)}"
            problems.append(problem("shape materials", given, "finite numbers", "correct the ShapeConfig"))
    shrunk = np.flatnonzero(collides & (columns["shape_gap"].array < 0.0))
    if len(shrunk):
        warnings.warn(
            f"Shapes {_names(label, shrunk)} have a negative gap: their contacts are found later than at the margin. Set gap to 0 or more.",
            NewtonishWarning,
            stacklevel=6,
        )
    return problems


def _inertia(builder: ModelBuilder) -> list[str]:
    """Check that masses and inertias are finite and masses not negative."""
    problems = []
    masses, moments = builder._columns["body_mass"].array, builder._columns["body_inertia"].array
    label = builder._columns["body_label"]
    bad = np.flatnonzero(~np.isfinite(masses) | (masses < 0.0))
    if len(bad):
        given = f"mass {masses[bad[0]]} of {_names(label, bad)}"
        problems.append(problem("bodies", given, "finite and not negative", "correct the mass or the density"))
    bad = np.flatnonzero(~np.isfinite(moments.reshape(-1, 9)).all(axis=1))
    if len(bad):
        given = f"an inertia that is not finite of {_names(label, bad)}"
        problems.append(problem("bodies", given, "finite numbers", "correct the inertia"))
    return problems


def corrected_inertia(
    masses: np.ndarray,
    moments: np.ndarray,
    balance: bool,
    bound_mass: float | None,
    bound_inertia: float | None,
    tolerance: float = 1e-6,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masses and inertias that rigid bodies can have, and the rows that had to be changed.

    A rigid body's inertia is symmetric, its principal moments are not negative and each is at most the sum of the
    other two. Moments that break this are shifted together until they keep it; others are left bit-equal.

    Args:
        masses: Masses [kg].
        moments: Inertias [kg m^2], shape (n, 3, 3).
        balance: Whether the triangle inequality is enforced.
        bound_mass: Smallest mass of bodies with mass [kg].
        bound_inertia: Smallest principal moment of bodies with mass [kg m^2].
        tolerance: Relative violation that counts as rounding.
    """
    symmetric = 0.5 * (moments + moments.transpose(0, 2, 1))
    size = np.abs(moments).max(axis=(1, 2))
    skewed = np.abs(moments - symmetric).max(axis=(1, 2)) > tolerance * size
    principal = np.linalg.eigvalsh(symmetric)
    need = np.maximum(0.0, -principal[:, 0])
    if balance:
        # Shifting all three moments by s changes a + b - c by s.
        need = np.maximum(need, principal[:, 2] - principal[:, 0] - principal[:, 1])
    need = np.where(need > tolerance * size, need, 0.0)
    if bound_inertia is not None:
        need = np.where(masses > 0.0, np.maximum(need, bound_inertia - principal[:, 0]), need)
    result = np.where((skewed | (need > 0.0))[:, None, None], symmetric, moments) + need[:, None, None] * np.eye(3)
    heavy = masses if bound_mass is None else np.where(masses > 0.0, np.maximum(masses, bound_mass), masses)
    changed = np.flatnonzero(skewed | (need > 0.0) | (heavy != masses))
    return heavy, result, changed
