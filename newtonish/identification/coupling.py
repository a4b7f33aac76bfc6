"""Which parts of a model move apart from each other, so that one world can try a change in each of them at once.

A base that is bolted down carries kinematic trees that know nothing of one another: the four legs of a robot on a stand, two arms at a wall. A change of a number of
one leg leaves the others' motion as it was, so that a column of the Jacobian for each leg comes out of the same world. This is the colouring of sparse Jacobians
(Curtis, Powell and Reid, 1974). Trees are one part where anything may couple them: equalities, tendons, actuators, pairs of geoms that can touch, or a sensor of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from newtonish.common.enums import DisableBit, ObjType, TrnType
from newtonish.identification.columns import Place
from newtonish.identification.parameters import KINDS, Parameter

__all__ = ["Parts", "colours"]

_EVERYTHING = -1


class Parts:
    """The part of the model that each dof, parameter and measured number belongs to.

    Args:
        compiled: compiled arrays.
        places: measured numbers.
        apart: False: all of it is one part.
    """

    def __init__(self, compiled: Any, places: Sequence[Place], apart: bool = True) -> None:
        self._c = compiled
        self._leader = list(range(int(compiled.ntree)))
        if not apart:
            self._join(range(int(compiled.ntree)))
        self._couple()
        for place in places:
            self._join(self._trees_of_place(place))
        self.of_dof = np.array([self._part([int(tree)]) for tree in compiled.dof_treeid], dtype=int)
        self.of_column = np.array([self._part(self._trees_of_place(place)) for place in places], dtype=int)

    def of_parameter(self, parameter: Parameter) -> int:
        """Its part; -1 for what concerns several."""
        c, owner, i = self._c, KINDS[parameter.kind].owner, parameter.index
        if i < 0:
            return _EVERYTHING
        if owner == "body":
            return self._part([int(c.body_treeid[i])])
        if owner == "jnt":
            return self._part([int(c.body_treeid[c.jnt_bodyid[i]])])
        if owner == "geom":
            return self._part([int(c.body_treeid[c.geom_bodyid[i]])])
        return self._part(self._trees_of_actuator(i)) if owner == "actuator" else _EVERYTHING

    def _find(self, tree: int) -> int:
        while self._leader[tree] != tree:
            tree = self._leader[tree]
        return tree

    def _join(self, trees: Iterable[int]) -> None:
        roots = sorted({self._find(tree) for tree in trees if tree >= 0})
        for root in roots[1:]:
            self._leader[root] = roots[0]

    def _part(self, trees: Sequence[int]) -> int:
        roots = {self._find(tree) for tree in trees if tree >= 0}
        return roots.pop() if len(roots) == 1 and min(trees) >= 0 else _EVERYTHING

    def _couple(self) -> None:
        c = self._c
        everything = range(int(c.ntree))
        if int(c.neq) or int(c.ntendon):
            self._join(everything)
        for actuator in range(len(c.actuator_names)):
            self._join(self._trees_of_actuator(actuator))
        trees = np.asarray(c.body_treeid)[np.asarray(c.geom_bodyid)]
        kinds, others = np.asarray(c.geom_contype), np.asarray(c.geom_conaffinity)
        if int(c.opt.disableflags) & DisableBit.CONTACT:
            return
        if int(c.npair):
            self._join(everything)
        for a in everything:
            for b in range(a):
                one, two = trees == a, trees == b
                meet = (kinds[one][:, None] & others[two][None]) | (kinds[two][None] & others[one][:, None])
                if meet.any():
                    self._join((a, b))

    def _trees_of_actuator(self, actuator: int) -> list[int]:
        c = self._c
        if int(c.actuator_trntype[actuator]) in (TrnType.JOINT, TrnType.JOINTINPARENT):
            return [int(c.body_treeid[c.jnt_bodyid[int(c.actuator_trnid[actuator, 0])]])]
        return list(range(int(c.ntree)))

    def _trees_of_place(self, place: Place) -> list[int]:
        """The trees that a measured number depends on."""
        c = self._c
        if place.array == "qvel":
            return [int(c.dof_treeid[place.number])]
        if place.array == "qpos":
            joint = int(np.searchsorted(np.asarray(c.jnt_qposadr), place.number, side="right")) - 1
            return [int(c.body_treeid[c.jnt_bodyid[joint]])]
        sensor = int(np.searchsorted(np.asarray(c.sensor_adr), place.number, side="right")) - 1
        kind, i = int(c.sensor_objtype[sensor]), int(c.sensor_objid[sensor])
        if kind == ObjType.JOINT:
            return [int(c.body_treeid[c.jnt_bodyid[i]])]
        if kind == ObjType.ACTUATOR:
            return self._trees_of_actuator(i)
        return list(range(int(c.ntree)))


def colours(parts: Sequence[int]) -> np.ndarray:
    """A number for each change, 0 and up, different within a part; changes of several parts have one of their own.

    Args:
        parts: the part of each change, -1 for several.
    """
    result, used = np.zeros(len(parts), dtype=int), dict[int, int]()
    for k, part in enumerate(parts):
        if part >= 0:
            result[k] = used.get(part, 0)
            used[part] = int(result[k]) + 1
    shared = max(used.values(), default=0)
    for k, part in enumerate(parts):
        if part < 0:
            result[k], shared = shared, shared + 1
    return result
