"""Conversion of a Newton model into MuJoCo's compiled arrays: pure numpy in float64, one file an entity.

:func:`convert` is the list of steps: worlds, parts (``parts``), tables (``stages``), and the arrays made of them
(``finish``). A table holds arrays under mjModel's names, structure as it is and floats with a leading axis of distinct
worlds (see ``worlds``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.convert.again import Listed
from newtonish.convert.compiled import CompiledModel
from newtonish.convert.finish import add_differences, assemble, authored_statistics, keep_pictures
from newtonish.convert.maps import IndexMaps, build_maps
from newtonish.convert.naming import name_parts
from newtonish.convert.options import resolve_options
from newtonish.convert.parts import list_parts
from newtonish.convert.source import Source
from newtonish.convert.stages import Table, add_bodies, add_constants, add_extras, add_forces, add_sensors, add_shapes
from newtonish.convert.worlds import split_worlds

__all__ = ["CompiledModel", "IndexMaps", "convert"]


def convert(model: Any, *, options: dict[str, Any] | None = None) -> CompiledModel:
    """Compile a Newton model for MuJoCo's physics.

    Args:
        model: A ``newtonish.Model``, or any object with Newton's public model attributes.
        options: Solver options that override those of ``model.mujoco``, by SolverMuJoCo's argument names; also
            ``include_sites`` (default true) and ``skip_visual_only_geoms`` (default false).

    Raises:
        ModelError: The worlds differ in structure, or something is inconsistent.
        UnsupportedError: The model has joints that MuJoCo has no counterpart for.
    """
    source = Source(model)
    opt, batched_opt = resolve_options(source, options)
    worlds = split_worlds(source)
    parts = list_parts(worlds, options or {})
    t: Table = {}
    sizes: dict[str, Any] = {}
    add_bodies(worlds, parts, t)
    add_shapes(worlds, parts, t)
    add_forces(worlds, parts, t)
    add_sensors(worlds, parts, t, sizes)
    statistics, forced = add_constants(worlds, parts, t)
    names = add_extras(worlds, parts, t, sizes)
    compiled = assemble(worlds, t, sizes, parts.joints.nq, len(names["key"]))
    compiled.opt, compiled.stat = opt, authored_statistics(source, statistics)
    compiled.batched |= batched_opt
    compiled.jnt_forced = np.asarray(forced.any(axis=0))
    compiled.listed = Listed(worlds.index, parts, forced[worlds.inverse])
    compiled.maps = build_maps(worlds, parts.tree, parts.joints, parts.shapes, parts.tendons, parts.actuators, parts.equalities)
    add_differences(compiled, worlds, parts, t)
    name_parts(compiled, source, parts, names)
    keep_pictures(compiled, source.model, parts.meshes)
    return compiled
