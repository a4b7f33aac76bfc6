"""The conversion's tables in the order in which one needs another: bodies, shapes, forces, sensors, constants, extras.

Each function adds to ``t``: arrays under mjModel's names, structure as it is and floats with a leading axis of distinct
worlds. Names with an underscore are for later stages only. Sizes that no array shows go to ``sizes``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.convert.actuators import actuator_tables, apply_damping_ratio, joint_actuators, tendon_actuators
from newtonish.convert.bodies import body_frames, body_inertias, sleep_policies, static_tables
from newtonish.convert.cameras import camera_tables, light_tables
from newtonish.convert.convexity import note_hulls
from newtonish.convert.custom import custom_tables
from newtonish.convert.equalities import equality_tables
from newtonish.convert.equality_springs import equality_springs
from newtonish.convert.finish import derive
from newtonish.convert.geoms import body_contact_tables, check_planes, geom_tables, site_tables
from newtonish.convert.history import history_tables, plastic_tables
from newtonish.convert.joints import joint_tables
from newtonish.convert.joints import limit_solref as joint_limit_solref
from newtonish.convert.kept import picture_tables, user_tables
from newtonish.convert.keyframes import keyframe_tables
from newtonish.convert.pairs import exclude_signatures, pair_tables
from newtonish.convert.parts import Parts
from newtonish.convert.sensors import sensor_tables
from newtonish.convert.sparsity import sparsity
from newtonish.convert.springdamper import apply_springdamper
from newtonish.convert.tendons import limit_solref as tendon_limit_solref
from newtonish.convert.tendons import tendon_tables, tendon_trees
from newtonish.convert.trees import frame_flags, simple_bodies, tree_tables
from newtonish.convert.worlds import Worlds

__all__ = ["add_bodies", "add_constants", "add_extras", "add_forces", "add_relative", "add_sensors", "add_shapes"]

Table = dict[str, np.ndarray]
Sizes = dict[str, Any]
"""Integers, and the arrays of sparsity patterns."""


def add_bodies(worlds: Worlds, parts: Parts, t: Table) -> None:
    """Bodies and their joints."""
    t |= body_frames(worlds, parts.tree)
    t |= body_inertias(worlds, parts.tree)
    t |= joint_tables(worlds, parts.tree, parts.joints, t)
    t |= static_tables(parts.tree, t["body_dofnum"])


def add_shapes(worlds: Worlds, parts: Parts, t: Table) -> None:
    """Geoms, sites, and which geoms may meet."""
    shapes, meshes = parts.shapes, parts.meshes
    t |= geom_tables(worlds, shapes, parts.rules, meshes, parts.hfields, parts.fields)
    check_planes(worlds, shapes, t["geom_type"], t["body_dofnum"][t["body_weldid"]] > 0)
    note_hulls(worlds, shapes, parts.rules, t["geom_type"], t["_geom_dataid"], meshes)
    t |= site_tables(worlds, shapes, meshes)
    t |= body_contact_tables(parts.tree.nbody, t)
    t |= pair_tables(worlds, shapes)
    t |= exclude_signatures(worlds, parts.tree)


def add_forces(worlds: Worlds, parts: Parts, t: Table) -> None:
    """Actuators, tendons and equality constraints, and what they make of kinematic trees."""
    t |= actuator_tables(worlds, parts.joints, parts.actuators)
    t |= joint_actuators(t)
    t |= frame_flags(t)
    t |= tree_tables(t, sleep_policies(worlds, parts.tree))
    t |= tendon_tables(worlds, parts.tendons, t)
    t |= simple_bodies(t)
    t |= equality_tables(worlds, parts.equalities, t)
    t |= tendon_trees(t) | tendon_actuators(t)


def add_sensors(worlds: Worlds, parts: Parts, t: Table, sizes: Sizes) -> None:
    """Cameras, lights and sensors, and the memories of actuators, sensors and springs."""
    t |= camera_tables(worlds, parts.tree, parts.cameras, t)
    t |= light_tables(worlds, parts.tree, parts.lights, t)
    t |= sensor_tables(worlds, parts.sensors, t["_geom_dataid"])
    _add(t, sizes, history_tables(t))
    _add(t, sizes, plastic_tables(t))


def add_constants(worlds: Worlds, parts: Parts, t: Table) -> tuple[SimpleNamespace, np.ndarray]:
    """What follows from the reference pose, and parameters that are given relative to it.

    Returns:
        The template's statistics, and whether ``jnt_solref`` of each joint stands for force-space gains, by distinct world.
    """
    derived, statistics = derive(t, lambda dof: f"joint '{parts.joint_names[int(t['dof_jntid'][dof])]}'")
    t |= derived
    return statistics, add_relative(worlds, parts, t)


def add_relative(worlds: Worlds, parts: Parts, t: Table) -> np.ndarray:
    """Parameters that are given relative to the constants of the reference pose.

    Returns:
        Whether ``jnt_solref`` of each joint stands for force-space gains, by distinct world.
    """
    given = {name: t[name] for name in ("actuator_biasprm", "jnt_stiffness", "dof_damping")}
    t |= apply_damping_ratio(t)
    t |= apply_springdamper(worlds, parts.joints, t)
    parts.relative.update(name for name, value in given.items() if not np.array_equal(t[name], value))
    solref, forced = joint_limit_solref(worlds, parts.joints, t)
    t |= equality_springs(worlds, parts.equalities, t)
    t |= {"jnt_solref": solref, "tendon_solref_lim": tendon_limit_solref(worlds, parts.tendons, t)}
    return forced


def add_extras(worlds: Worlds, parts: Parts, t: Table, sizes: Sizes) -> dict[str, list[str]]:
    """What does not move: looks, user data, meshes, heightfields, custom elements, keyframes, sparsity patterns.

    Returns:
        Names of keyframes and custom elements, by kind.
    """
    p = parts
    sizes |= sparsity(t) | p.meshes.sizes() | p.hfields.sizes()
    _add(t, sizes, picture_tables(worlds, p.shapes, p.tendons, p.cameras, p.lights, t))
    _add(t, sizes, user_tables(worlds, p.tree.body, p.joints, p.shapes, p.cameras, p.tendons, p.actuators, p.sensors))
    custom, counts, names = custom_tables(worlds, p.objects, p.sensors)
    _add(t, sizes, (p.meshes.tables() | p.hfields.tables() | custom, counts))
    _add(t, sizes, p.meshes.octrees())
    t["_mesh_plugin"] = p.fields.meshes(p.meshes)
    sizes["nplugin"] = len(p.fields.instances)
    nact, nctrl = (int(t[f"actuator_{kind}num"].sum()) for kind in ("act", "ctrl"))
    keys, names["key"] = keyframe_tables(worlds, t, nact, nctrl, sizes["nplastic"])
    t |= keys
    sizes["nuserdata"] = max(0, int(worlds.source.custom("nuserdata")[0]))
    return names


def _add(t: Table, sizes: Sizes, made: tuple[Table, Sizes]) -> None:
    """Take over a table and its sizes."""
    t |= made[0]
    sizes |= made[1]
