"""Which shapes and joints belong to which body: looked up while building, rebuilt after bulk copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder


def group_by(keys: np.ndarray) -> dict[int, list[int]]:
    """Return, for each key, the rising positions at which it stands."""
    if not len(keys):
        return {}
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    cuts = np.flatnonzero(np.diff(ordered)) + 1
    firsts = np.concatenate([[0], cuts])
    pieces = np.split(order, cuts)
    return {int(ordered[first]): piece.tolist() for first, piece in zip(firsts, pieces)}


class Topology:
    """Shapes and joints of each body, derived from the columns and kept up to date by the add_* methods."""

    def __init__(self, builder: ModelBuilder) -> None:
        self._builder = builder
        self._shapes: dict[int, list[int]] | None = {}
        self._parents: dict[int, list[tuple[int, int]]] | None = {}
        self._children: dict[int, list[tuple[int, int]]] | None = {}

    def invalidate(self) -> None:
        """Forget everything; it is rebuilt when somebody asks."""
        self._shapes = self._parents = self._children = None

    @property
    def shapes(self) -> dict[int, list[int]]:
        """Shapes of each body; -1 is the world."""
        if self._shapes is None:
            found = group_by(self._builder._columns["shape_body"].array)
            self._shapes = {body: found.get(body, []) for body in range(-1, self._builder.body_count)}
        self._shapes.setdefault(-1, [])
        return self._shapes

    def _load_joints(self) -> None:
        parents: dict[int, list[tuple[int, int]]] = {}
        children: dict[int, list[tuple[int, int]]] = {}
        columns = self._builder._columns
        pairs = zip(columns["joint_parent"].array.tolist(), columns["joint_child"].array.tolist())
        for joint, (parent, child) in enumerate(pairs):
            parents.setdefault(child, []).append((parent, joint))
            children.setdefault(parent, []).append((child, joint))
        self._parents, self._children = parents, children

    @property
    def parents(self) -> dict[int, list[tuple[int, int]]]:
        """For each body, the (parent, joint) pairs in which it is the child."""
        if self._parents is None:
            self._load_joints()
        return self._parents

    @property
    def children(self) -> dict[int, list[tuple[int, int]]]:
        """For each body, the (child, joint) pairs in which it is the parent."""
        if self._children is None:
            self._load_joints()
        return self._children

    def add_body(self, body: int) -> None:
        """Note a new body."""
        if self._shapes is not None:
            self._shapes[body] = []

    def add_shape(self, shape: int, body: int) -> None:
        """Note a new shape."""
        if self._shapes is not None:
            self._shapes.setdefault(body, []).append(shape)

    def add_joint(self, joint: int, parent: int, child: int) -> None:
        """Note a new joint."""
        if self._parents is not None:
            self._parents.setdefault(child, []).append((parent, joint))
        if self._children is not None:
            self._children.setdefault(parent, []).append((child, joint))
