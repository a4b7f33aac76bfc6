"""The constraint problem of one world, from our own float32 rows, solved by Newton's method in float64 numpy.

It says how much of a difference is the solver's: everything before the solver is taken as our arrays hold it.
"""

from __future__ import annotations

import numpy as np
import oracle

from newtonish.common.enums import ConstraintType


class RowProblem:
    """Minimise (x - x0)'M (x - x0) / 2 + the cost of the rows at J x - aref (MuJoCo's documentation, Computation, "Primal problem")."""

    def __init__(self, pair: oracle.Pair, world: int):
        d, mjm = pair.d, pair.mjm
        n = int(d.nefc.numpy()[world])
        self.ne, self.n = int(d.ne.numpy()[world]), n
        self.J = oracle.rows_of_jacobian(d, world, mjm.nv).astype(np.float64)
        self.D, self.aref, self.loss = (getattr(d.efc, x).numpy()[world, :n].astype(np.float64) for x in ("D", "aref", "frictionloss"))
        values, self.M = d.M.numpy()[world], np.zeros((mjm.nv, mjm.nv))
        for i in range(mjm.nv):
            for k in range(mjm.M_rowadr[i], mjm.M_rowadr[i] + mjm.M_rownnz[i]):
                self.M[i, mjm.M_colind[k]] = self.M[mjm.M_colind[k], i] = values[k]
        self.x0 = np.linalg.solve(self.M, d.qfrc_smooth.numpy()[world].astype(np.float64))
        elliptic = d.efc.type.numpy()[world, :n] == int(ConstraintType.CONTACT_ELLIPTIC)
        contact, owner = d.contact, d.efc.id.numpy()[world, :n]
        self.block = np.where(elliptic, contact.dim.numpy()[world][owner * elliptic], 1)
        self.scale = contact.friction.numpy()[world].astype(np.float64)[owner * elliptic]
        self.mu = contact.mu.numpy()[world].astype(np.float64)[owner * elliptic]

    def slopes(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and Hessian of the cost."""
        residual, force, curvature = self.J @ x - self.aref, np.zeros(self.n), np.zeros((self.n, self.n))
        r = 0
        while r < self.n:
            rows = slice(r, r + int(self.block[r]))
            if self.block[r] > 1:
                force[rows], curvature[rows, rows] = self.cone(residual[rows], r)
            elif self.loss[r] > 0.0 and abs(residual[r]) * self.D[r] >= self.loss[r]:
                force[r] = -np.sign(residual[r]) * self.loss[r]
            elif self.loss[r] > 0.0 or r < self.ne or residual[r] < 0.0:
                force[r], curvature[r, r] = -self.D[r] * residual[r], self.D[r]
            r = rows.stop
        return self.M @ (x - self.x0) - self.J.T @ force, self.M + self.J.T @ curvature @ self.J

    def cone(self, x: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
        """Forces of an elliptic contact and the second derivative of its cost, by the zone its residuals are in."""
        n, mu, s = len(x), self.mu[r], self.scale[r, : len(x) - 1]
        normal, tangent = mu * x[0], np.linalg.norm(s * x[1:])
        if normal >= mu * tangent:
            return np.zeros(n), np.zeros((n, n))
        if mu * normal + tangent <= 0.0:
            return -self.D[r : r + n] * x, np.diag(self.D[r : r + n])
        weight, gap = self.D[r] / (mu * mu * (1.0 + mu * mu)), normal - mu * tangent
        rate, bend = np.zeros(n), np.zeros((n, n))  # derivatives of the tangential length
        rate[1:] = s * s * x[1:] / tangent
        bend[1:, 1:] = (np.diag(s * s) - np.outer(rate[1:], rate[1:])) / tangent
        change = mu * (np.eye(n)[0] - rate)
        return -weight * gap * change, weight * (np.outer(change, change) - gap * mu * bend)

    def minimum(self, x: np.ndarray) -> np.ndarray:
        """Newton's method from ``x``, each step to the root of the slope along it, by bisection."""
        for _ in range(200):
            gradient, hessian = self.slopes(x)
            search = -np.linalg.solve(hessian, gradient)
            if -gradient @ search <= 1e-22 * abs((self.M @ x) @ x):
                break
            low, high = 0.0, 1.0
            while self.slopes(x + high * search)[0] @ search < 0.0 and high < 1e6:
                low, high = high, 2.0 * high
            for _ in range(50):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if self.slopes(x + middle * search)[0] @ search < 0.0 else (low, middle)
            x = x + high * search
        return x
