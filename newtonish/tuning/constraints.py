"""Rows of joint limits, equalities and contacts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.enums import ConstraintType, DisableBit, EnableBit, EqType, JointType, ObjType
from newtonish.tuning.mechanics import Mechanics
from newtonish.tuning.rows import Row, constraint_remedies, damping_ratio, natural_frequency
from newtonish.tuning.springs import answer, impedance, reference, rest_depth

__all__ = ["contact_rows", "equality_rows", "limit_poses", "limit_rows"]

FIXED = 1e-6
"""Share of the largest inverse inertia of a group, or of its estimate, below which a direction is fixed: rounding of float32 Jacobians."""


def spring_row(
    compiled: Any, kind: str, name: str, unit: str, solref: Sequence[float], solimp: Sequence[float], estimate: float, inverse_inertia: float,
    load: float, points: int = 1, scale: float = 1.0, force_space: bool = False,
) -> Row:  # fmt: skip
    """A constraint as a spring.

    Args:
        compiled: The model.
        kind, name, unit: As of ``Row``.
        solref, solimp: MuJoCo's numbers.
        estimate, inverse_inertia: Of the row, see ``springs``.
        load: Of gravity, along the row.
        points: Contact points.
        scale: Change of the row's position with the coordinate of ``unit``.
        force_space: Whether the stiffness was asked for in N/m.
    """
    h = float(compiled.opt.timestep)
    law = reference(solref, solimp, h, not int(compiled.opt.disableflags) & DisableBit.REFSAFE)
    spring = answer(law, impedance(solimp, np.inf), estimate, inverse_inertia)
    inertia = 1.0 / max(inverse_inertia, MINVAL)
    omega = natural_frequency(spring.dynamic_stiffness, inertia)
    ratio = damping_ratio(spring.dynamic_stiffness, spring.dynamic_damping, inertia)
    depth = rest_depth(load, law, solimp, estimate) / scale
    square = scale * scale
    scaled = type(spring)(*(value * square for value in vars(spring).values()))
    remedies = constraint_remedies(unit, scaled, inertia * square, ratio, omega * h, h, law.stretched, force_space)
    return Row(
        kind, name, unit, {"solref": tuple(map(float, solref)), "solimp": tuple(map(float, solimp))}, scaled.stiffness, scaled.damping,
        scaled.dynamic_stiffness, scaled.dynamic_damping, inertia * square, None, omega, ratio, omega * h, load * scale, depth, points, law.clamps, tuple(remedies),
    )  # fmt: skip


def _sides(compiled: Any) -> list[tuple[int, int]]:
    """(joint, side) of every limit: -1 the lower, 1 the upper one."""
    scalar = np.isin(compiled.jnt_type, (JointType.SLIDE, JointType.HINGE)) & np.asarray(compiled.jnt_limited, dtype=bool)
    return [(int(j), side) for j in np.flatnonzero(scalar) for side in (-1, 1)]


def limit_poses(compiled: Any) -> tuple[list[dict[int, float]], dict[tuple[int, int], int]]:
    """Poses with joints at their limits, one joint of each kinematic tree in a pose, and the pose of each (joint, side).

    Trees do not meet in the mass matrix and in gravity's forces, so one pose serves all of them.
    """
    poses: list[dict[int, float]] = [{}]
    place: dict[tuple[int, int], int] = {}
    used: dict[int, int] = {}
    for joint, side in _sides(compiled):
        tree = int(compiled.dof_treeid[compiled.jnt_dofadr[joint]])
        used[tree] = used.get(tree, 0) + 1
        if used[tree] == len(poses):
            poses.append({})
        poses[used[tree]][int(compiled.jnt_qposadr[joint])] = float(compiled.jnt_range[joint, int(side > 0)])
        place[joint, side] = used[tree]
    return poses, place


def limit_rows(compiled: Any, mechanics: Mechanics, place: dict[tuple[int, int], int]) -> list[Row]:
    """A row for each limited hinge and slide joint, at the side that gravity loads more."""
    rows = []
    exact = int(compiled.opt.enableflags) & EnableBit.DIAGEXACT
    for joint in dict.fromkeys(joint for joint, _ in place):
        dof = int(compiled.jnt_dofadr[joint])
        loads = {side: max(0.0, side * float(mechanics.gravity[place[joint, side], dof])) for side in (-1, 1)}
        side = max(loads, key=lambda side: loads[side])
        unit_row = np.zeros((1, compiled.nv))
        unit_row[0, dof] = 1.0
        met = float(mechanics.inverse_inertia(place[joint, side], unit_row)[0, 0])
        estimate = met if exact else float(compiled.dof_invweight0[dof])
        name = f"{compiled.jnt_names[joint] or f'joint {joint}'} ({'upper' if side > 0 else 'lower'})"
        unit = "m" if compiled.jnt_type[joint] == JointType.SLIDE else "rad"
        solref, solimp = compiled.jnt_solref[joint], compiled.jnt_solimp[joint]
        rows.append(spring_row(compiled, "limit", name, unit, solref, solimp, estimate, met, loads[side], force_space=bool(compiled.jnt_forced[joint])))
    return rows


def _estimates(mechanics: Mechanics, rows: np.ndarray, imp: float) -> np.ndarray:
    """Inverse inertia that the regularisation of rows in the first pose is made of."""
    D = mechanics.d.efc_D.numpy()[0, rows].astype(float)
    return imp / ((1.0 - imp) * np.maximum(D, MINVAL))


def equality_rows(compiled: Any, mechanics: Mechanics) -> list[Row]:
    """A row for each group of active equality rows: a connect's translation, a weld's translation and rotation, a joint or tendon."""
    count = int(mechanics.d.nefc.numpy()[0])
    kind, owner = (getattr(mechanics.d, name).numpy()[0, :count] for name in ("efc_type", "efc_id"))
    pos = mechanics.d.efc_pos.numpy()[0, :count].astype(float)
    result: list[Row | None] = []
    for e in range(compiled.neq):
        own = np.flatnonzero((kind == ConstraintType.EQUALITY) & (owner == e))
        if len(own):
            imp = impedance(compiled.eq_solimp[e], float(np.linalg.norm(pos[own])))
            groups = [own[first : first + 3] for first in range(0, len(own), 3)]
            result += [_equality_row(compiled, mechanics, e, rows, imp, number > 0) for number, rows in enumerate(groups)]
    return [row for row in result if row is not None]


def _equality_row(compiled: Any, mechanics: Mechanics, e: int, rows: np.ndarray, imp: float, turns: bool) -> Row | None:
    """Rows of one unit, as the mean over their directions; None where nothing moves along them, as in a weld of torquescale 0."""
    kind = compiled.eq_type[e]
    jacobian = np.stack([mechanics.jacobian(0, int(r)) for r in rows])
    inertia = mechanics.inverse_inertia(0, jacobian)
    diagonal = np.diagonal(inertia)
    moving = diagonal > FIXED * diagonal.max()
    if not moving.any():
        return None
    force = np.linalg.pinv(inertia) @ (mechanics.moved(0, jacobian) @ mechanics.gravity[0])
    scale = 0.5 * float(compiled.eq_data[e, 10]) if turns else 1.0  # half the angle, times torquescale
    hinge = kind == EqType.JOINT and compiled.jnt_type[compiled.eq_obj1id[e]] != JointType.SLIDE
    name = _equality_name(compiled, e) + (" (rotation)" if turns else "")
    estimate = float(_estimates(mechanics, rows, imp)[moving].mean())
    met = float(diagonal[moving].mean())  # directions in which nothing moves have no spring
    solref, solimp = compiled.eq_solref[e], compiled.eq_solimp[e]
    return spring_row(compiled, "equality", name, "rad" if turns or hinge else "m", solref, solimp, estimate, met, float(np.linalg.norm(force)), scale=scale)


def _equality_name(compiled: Any, e: int) -> str:
    """Its name; of one without a name also what it couples."""
    name = compiled.eq_names[e] or f"equality{e}"
    if not re.fullmatch(r"equality\d+", name):
        return name
    kind = {EqType.JOINT: "jnt", EqType.TENDON: "tendon"}.get(EqType(int(compiled.eq_type[e])))
    kind = kind or ("site" if compiled.eq_objtype[e] == ObjType.SITE else "body")
    names = getattr(compiled, f"{kind}_names")
    ends = [int(compiled.eq_obj1id[e]), int(compiled.eq_obj2id[e])]
    return f"{name} of {', '.join(names[i] for i in ends if 0 <= i < len(names) and names[i])}"


def _geom_name(compiled: Any, geom: int) -> str:
    """Its name; of one without a name also its body's."""
    name, body = compiled.geom_names[geom] or f"geom{geom}", compiled.body_names[compiled.geom_bodyid[geom]]
    return f"{name} of {body}" if re.fullmatch(r"geom\d+", name) and body else name


def contact_rows(compiled: Any, mechanics: Mechanics) -> list[Row]:
    """A row for each pair of geoms that touch in the first pose, along the normal; their points are springs side by side."""
    contact = mechanics.d.contact
    count = int(mechanics.d.ncon.numpy()[0])
    geoms, first = contact.geom.numpy()[0, :count], contact.efc_address.numpy()[0, :count]
    pairs: dict[tuple[int, int], list[int]] = {}
    for c in np.flatnonzero(first >= 0):
        pairs.setdefault((int(geoms[c, 0]), int(geoms[c, 1])), []).append(int(c))
    shares = _shares(compiled, pairs)
    rows = [_contact_row(compiled, mechanics, pair, contacts, shares) for pair, contacts in pairs.items()]
    return [row for row in rows if row is not None]


def _trees(compiled: Any, pair: tuple[int, int]) -> list[int]:
    return [int(compiled.body_treeid[compiled.geom_bodyid[geom]]) for geom in pair]


def _shares(compiled: Any, pairs: Any) -> dict[int, int]:
    """How many pairs of each tree touch."""
    trees = [tree for pair in pairs for tree in set(_trees(compiled, pair))]
    return {tree: trees.count(tree) for tree in trees}


def _contact_row(compiled: Any, mechanics: Mechanics, pair: tuple[int, int], contacts: list[int], shares: dict[int, int]) -> Row | None:
    """Points of one pair: normals are averaged, regularisations act in parallel; None where nothing moves along the normal."""
    contact = mechanics.d.contact
    normals, parallel = [], 0.0
    kind = mechanics.d.efc_type.numpy()[0]
    for c in contacts:
        start = int(contact.efc_address.numpy()[0, c])
        edges = 2 * (int(contact.dim.numpy()[0, c]) - 1) if kind[start] == ConstraintType.CONTACT_PYRAMIDAL else 1
        rows = np.arange(start, start + edges)
        normals.append(np.mean([mechanics.jacobian(0, int(r)) for r in rows], axis=0))
        depth = float(contact.dist.numpy()[0, c]) - float(contact.includemargin.numpy()[0, c])
        imp = impedance(contact.solimp.numpy()[0, c].astype(float), depth)
        parallel += float(np.sum(1.0 / _estimates(mechanics, rows, imp)))
    normal = np.mean(normals, axis=0)
    c = contacts[0]
    solref, solimp = (getattr(contact, name).numpy()[0, c].astype(float) for name in ("solref", "solimp"))
    axis = contact.frame.numpy()[0, c].astype(float).reshape(3, 3)[0]
    name = " / ".join(_geom_name(compiled, geom) for geom in pair)
    met = float(mechanics.inverse_inertia(0, normal[None])[0, 0])
    if met * parallel <= FIXED:
        return None
    load = _contact_load(compiled, mechanics, pair, normal, axis, shares)
    forced = hasattr(compiled, "geom_gain") and all(np.any(np.asarray(compiled.geom_gain)[geom] > 0.0) for geom in pair)
    return spring_row(compiled, "contact", name, "m", solref, solimp, 1.0 / parallel, met, load, points=len(contacts), force_space=forced)


def _contact_load(compiled: Any, mechanics: Mechanics, pair: tuple[int, int], normal: np.ndarray, axis: np.ndarray, shares: dict[int, int]) -> float:
    """Weight of the lighter side: of a free tree its whole weight, shared by its pairs; of another the force that keeps its limp joints still."""
    loads = []
    for tree in set(_trees(compiled, pair)) - {-1}:
        dofs = np.flatnonzero(np.asarray(compiled.dof_treeid) == tree)
        root = int(compiled.dof_jntid[dofs[0]])
        if compiled.jnt_type[root] == JointType.FREE:
            mass = float(compiled.body_subtreemass[compiled.jnt_bodyid[root]])
            loads.append(mass * abs(float(axis @ np.asarray(compiled.opt.gravity))) / shares[tree])
            continue
        own = np.zeros((1, compiled.nv))
        own[0, dofs] = normal[dofs]
        met = float(mechanics.inverse_inertia(0, own)[0, 0])
        if met > MINVAL:
            loads.append(abs(float(mechanics.moved(0, own)[0] @ mechanics.gravity[0])) / met)
    return min(loads, default=0.0)
