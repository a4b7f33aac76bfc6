"""Mechanics in plain NumPy for the laws: momentum and energy of a state from body poses and velocities."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation


@dataclass
class Bodies:
    """Mass properties and motion of the bodies of every world, arrays of shape (worlds, bodies, ...)."""

    mass: np.ndarray
    inertia: np.ndarray
    centre: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    @classmethod
    def of(cls, model, state, worlds: int) -> "Bodies":
        """Read a Newton model and state; ``body_qd`` is (velocity of the centre of mass, angular velocity)."""
        mass = model.body_mass.numpy().astype(float).reshape(worlds, -1)
        shape = mass.shape
        pose = state.body_q.numpy().astype(float)
        turn = Rotation.from_quat(pose[:, 3:])
        centre = pose[:, :3] + turn.apply(model.body_com.numpy())
        local, axes = model.body_inertia.numpy().astype(float), turn.as_matrix()
        motion = state.body_qd.numpy().astype(float).reshape(*shape, 6)
        inertia = (axes @ local @ axes.transpose(0, 2, 1)).reshape(*shape, 3, 3)
        return cls(mass, inertia, centre.reshape(*shape, 3), motion[..., :3], motion[..., 3:])

    @property
    def momentum(self) -> np.ndarray:
        """(worlds, 3) linear momentum."""
        return np.einsum("wb,wbi->wi", self.mass, self.velocity)

    @property
    def angular_momentum(self) -> np.ndarray:
        """(worlds, 3) angular momentum about the common centre of mass."""
        total = self.mass.sum(axis=1)[:, None]
        centre = np.einsum("wb,wbi->wi", self.mass, self.centre) / total
        arm = self.centre - centre[:, None]
        spin = np.einsum("wbij,wbj->wi", self.inertia, self.spin)
        return spin + np.einsum("wb,wbi->wi", self.mass, np.cross(arm, self.velocity))

    def energy(self, gravity: float) -> np.ndarray:
        """(worlds,) kinetic energy plus weight times height."""
        linear = 0.5 * np.einsum("wb,wbi,wbi->w", self.mass, self.velocity, self.velocity)
        angular = 0.5 * np.einsum("wbi,wbij,wbj->w", self.spin, self.inertia, self.spin)
        return linear + angular + gravity * np.einsum("wb,wb->w", self.mass, self.centre[..., 2])
