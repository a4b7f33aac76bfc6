"""Inertia, gravity and constraint rows of a model in some poses, taken from the engine's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonish import mjw

__all__ = ["Mechanics"]


class Mechanics:
    """What rows of Jacobians meet; a pose is a world, and kinematic trees are inverted one by one.

    Attributes:
        m: Model of ``newtonish.mjw``.
        d: Data whose positions, forces and rows are of the poses, all velocities zero.
        gravity: Generalised force of gravity (poses, nv), gravity compensation included.
    """

    def __init__(self, compiled: Any, keyframe: int | None, poses: Sequence[dict[int, float]]) -> None:
        """Put a model on the CPU and find positions, inertia and rows.

        Args:
            compiled: Compiled arrays.
            keyframe: Keyframe that all poses start from; None: the reference pose.
            poses: Of each pose the positions that differ, by their places in ``qpos``.
        """
        self.m = mjw.put_model(compiled, device="cpu", strict=False)
        self.d = mjw.make_data(self.m, nworld=len(poses))
        if keyframe is not None:
            mjw.reset_data_keyframe(self.m, self.d, keyframe)
        qpos = self.d.qpos.numpy()
        for pose, values in enumerate(poses):
            for place, value in values.items():
                qpos[pose, place] = value
        self.d.qpos.assign(qpos)
        self.d.qvel.zero_()
        mjw.forward(self.m, self.d)
        if mjw.check_capacity(self.m, self.d):
            mjw.forward(self.m, self.d)
        self._read(compiled)

    @classmethod
    def of(cls, compiled: Any, m: Any, d: Any) -> Mechanics:
        """Mechanics of worlds that ``mjw.forward`` was called for, at rest."""
        found = cls.__new__(cls)
        found.m, found.d = m, d
        found._read(compiled)
        return found

    def _read(self, compiled: Any) -> None:
        """Take what is read often to the host."""
        self.gravity = self.d.qfrc_gravcomp.numpy().astype(float) - self.d.qfrc_bias.numpy()
        self._mass = self.d.M.numpy().astype(float)
        self._tree = np.asarray(compiled.dof_treeid)
        self._rows = [np.asarray(getattr(compiled, name)) for name in ("M_rownnz", "M_rowadr", "M_colind")]
        self._inverse: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        self._blocks: dict[tuple[int, int], np.ndarray] = {}

    def _block(self, pose: int, tree: int) -> tuple[np.ndarray, np.ndarray]:
        """Dofs of a tree, and the inverse of its mass matrix."""
        if (pose, tree) not in self._inverse:
            nnz, adr, columns = self._rows
            dofs = np.flatnonzero(self._tree == tree)
            mass = np.zeros((len(dofs), len(dofs)))
            for k, dof in enumerate(dofs):
                part = slice(adr[dof], adr[dof] + nnz[dof])
                inside = self._tree[columns[part]] == tree
                mass[k, columns[part][inside] - dofs[0]] = self._mass[pose, part][inside]
            mass = np.tril(mass) + np.tril(mass, -1).T
            self._blocks[pose, tree] = mass
            self._inverse[pose, tree] = dofs, np.linalg.inv(mass)
        return self._inverse[pose, tree]

    def moved(self, pose: int, rows: np.ndarray) -> np.ndarray:
        """M^-1 J' of rows (n, nv), as (n, nv)."""
        result = np.zeros_like(rows)
        for tree in np.unique(self._tree[np.any(rows != 0.0, axis=0)]):
            dofs, inverse = self._block(pose, int(tree))
            result[:, dofs] = rows[:, dofs] @ inverse
        return result

    def inverse_inertia(self, pose: int, rows: np.ndarray) -> np.ndarray:
        """J M^-1 J' of rows (n, nv)."""
        return rows @ self.moved(pose, rows).T

    def held_inertia(self, pose: int, dof: int) -> float:
        """Diagonal of the mass matrix: what a joint moves while all others are held."""
        tree = int(self._tree[dof])
        dofs, _ = self._block(pose, tree)
        place = dof - int(dofs[0])
        return float(self._blocks[pose, tree][place, place])

    def jacobian(self, pose: int, row: int) -> np.ndarray:
        """A constraint row's Jacobian (nv)."""
        J = self.d.efc.J.numpy()[pose]
        nv = self.m.nv
        if J.shape[0] > 1:
            return J[row, :nv].astype(float)
        result = np.zeros(nv)
        start, count = (int(self.d.efc_J_rowadr.numpy()[pose, row]), int(self.d.efc_J_rownnz.numpy()[pose, row]))
        result[self.d.efc_J_colind.numpy()[pose].reshape(-1)[start : start + count]] = J[0, start : start + count]
        return result

    def moment(self, output: int) -> np.ndarray:
        """Moments of an actuator's output on the dofs (nv), in the first pose."""
        result = np.zeros(self.m.nv)
        start, count = (int(getattr(self.d, name).numpy()[0, output]) for name in ("moment_rowadr", "moment_rownnz"))
        part = slice(start, start + count)
        result[self.d.moment_colind.numpy()[0, part]] = self.d.actuator_moment.numpy()[0, part]
        return result
