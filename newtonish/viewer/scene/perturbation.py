"""Pushing, pulling and turning a body by hand, with MuJoCo's spring: as stiff as the body is heavy, damped so that it swings over once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.frames import conjugate, mat_from_quat, quat_mul, unit
from newtonish.errors import ModelError, problem
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.camera import align_to_camera
from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import Mouse, PerturbBit
from newtonish.viewer.scene.inertia import point_mass
from newtonish.viewer.scene.posing import set_pose
from newtonish.viewer.scene.quaternions import about, rotation_vector

__all__ = ["Perturbation"]


@dataclass
class Perturbation:
    """The selected body, and where it is dragged; positions are those of the drawn scene, with the offsets of worlds.

    Attributes:
        body: The model's body, -1 for none.
        active: Bits of :class:`PerturbBit`; 0: it is selected and left alone.
        localpos: (3,) the selected point in the body's frame [m].
        refpos: (3,) where the centre of mass is to be [m].
        refquat: (4,) w x y z, how the principal axes are to be turned.
        refselpos: (3,) where the selected point is to be [m].
        localmass: Mass that is felt at the point [kg].
        scale: Displacement for a movement of the mouse over the height of the window [m].
    """

    body: int = -1
    active: int = 0
    localpos: np.ndarray = field(default_factory=lambda: np.zeros(3))
    refpos: np.ndarray = field(default_factory=lambda: np.zeros(3))
    refquat: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    refselpos: np.ndarray = field(default_factory=lambda: np.zeros(3))
    localmass: float = 1.0
    scale: float = 1.0

    def select(self, maker: Any, state: Any, body: int, point: np.ndarray | None = None) -> None:
        """Select a body, by a point of the drawn scene [m] on it; -1 selects none."""
        if not -1 <= body < maker.model.body_count:
            allowed = f"-1 to {maker.model.body_count - 1}"
            raise ModelError(problem("Perturbation.select: body", str(body), allowed, "choose a body of the model"))
        self.body, self.active = int(body), 0
        self.localpos = np.zeros(3)
        if body >= 0 and point is not None:
            bodies = maker.bodies(state)
            self.localpos = (np.asarray(point, dtype=float) - bodies.position[body]) @ bodies.rotation[body].astype(float)

    def start(self, maker: Any, state: Any, pose: CameraPose, active: int = PerturbBit.TRANSLATE) -> None:
        """Begin to drag: the reference is where the body is (``mjv_initPerturb``).

        Args:
            maker: The scene's maker.
            state: Where the bodies are.
            pose: The camera as it was drawn.
            active: TRANSLATE, ROTATE or both.
        """
        if self.body < 0:
            return
        bodies = maker.bodies(state)
        point = self.point(bodies)
        self.active = int(active)
        self.refpos, self.refquat = self._center(maker, bodies), self._turned(maker, bodies)
        self.refselpos = point.copy()
        self.localmass = point_mass(maker, state, self.body, point)
        reach = float(np.dot(point - pose.position, pose.forward))
        self.scale = pose.height * reach * (0.15 if pose.orthographic else 1.0)

    def stop(self) -> None:
        """Let go; the body stays selected."""
        self.active = 0

    def move(self, maker: Any, state: Any, action: Mouse, dx: float, dy: float, pose: CameraPose) -> None:
        """Move or turn the reference with the mouse (``mjv_movePerturb``); ``dx`` and ``dy`` in heights of the window, right and down."""
        if self.body < 0 or action in (Mouse.NONE, Mouse.ZOOM):
            return
        vector = align_to_camera(action, dx, dy, pose.forward, maker.up)
        if action in (Mouse.MOVE_V, Mouse.MOVE_H):
            self.refpos = self.refpos + vector * self.scale
            self.refselpos = self.refselpos + vector * self.scale
            return
        self.refquat = unit(quat_mul(about(vector * 2 * np.pi), self.refquat))
        # no more than a quarter of a turn away from the body, or the spring would pull the other way round
        body = self._turned(maker, maker.bodies(state))
        apart = rotation_vector(quat_mul(conjugate(body), self.refquat))
        angle = np.linalg.norm(apart)
        if angle > 0.5 * np.pi:
            self.refquat = quat_mul(body, about(apart * (0.5 * np.pi / angle)))

    def force(self, maker: Any, state: Any) -> tuple[np.ndarray, np.ndarray]:
        """Force [N] at the centre of mass and torque [N m] about it, in the world (``mjv_applyPerturbForce``)."""
        force, torque = np.zeros(3), np.zeros(3)
        if self.body < 0 or not self.active:
            return force, torque
        bodies = maker.bodies(state)
        velocity = state.body_qd.numpy()[self.body].astype(float)
        linear, angular = velocity[:3], velocity[3:]
        inertia = maker.rotational_inertia(self.body)
        spring, turning = float(maker.visual.map.stiffness), float(maker.visual.map.stiffnessrot)
        if self.active & PerturbBit.TRANSLATE:
            point = self.point(bodies)
            apart, arm = point - self.refselpos, point - self._center(maker, bodies)
            force = -spring * self.localmass * apart
            force = force - np.sqrt(spring) * self.localmass * (linear + np.cross(angular, arm))
            torque = np.cross(arm, force)
            along = apart / np.linalg.norm(apart) if np.linalg.norm(apart) > MINVAL else np.array([1.0, 0.0, 0.0])
            torque = torque - np.sqrt(turning) * inertia * np.dot(along, angular) * along
        if self.active & PerturbBit.ROTATE:
            apart = rotation_vector(quat_mul(self.refquat, conjugate(self._turned(maker, bodies))))
            torque = turning * inertia * apart - np.sqrt(turning) * inertia * angular
        return force, torque

    def apply(self, maker: Any, state: Any, paused: bool = False) -> None:
        """Act on a state before a step: a force on the body, or its pose where it is moved directly.

        The body's row of ``state.body_f`` is overwritten; rows of other bodies are left alone. Mocap bodies are moved, by the model's
        ``joint_X_p``, which steps read. While paused, floating bodies and what is attached to them are moved too (``mjv_applyPerturbPose``).
        """
        if self.body < 0 or not self.active:
            return
        if set_pose(maker, state, self, paused) or paused:
            return
        rows = state.body_f.numpy()
        rows[self.body, :3], rows[self.body, 3:] = self.force(maker, state)
        state.body_f.assign(rows)

    def clear(self, state: Any) -> None:
        """Take the force off again."""
        if self.body >= 0 and state.body_f is not None:
            rows = state.body_f.numpy()
            rows[self.body] = 0.0
            state.body_f.assign(rows)

    # -- where the body is --------------------------------------------------------------------------------------------

    def point(self, bodies: Bodies) -> np.ndarray:
        """(3,) the selected point [m]."""
        return (bodies.position[self.body] + bodies.rotation[self.body] @ self.localpos).astype(float)

    def _center(self, maker: Any, bodies: Bodies) -> np.ndarray:
        """(3,) centre of mass [m]."""
        return (bodies.position[self.body] + bodies.rotation[self.body] @ maker.body_com[self.body]).astype(float)

    def _turned(self, maker: Any, bodies: Bodies) -> np.ndarray:
        """(4,) orientation of the principal axes."""
        return quat_mul(bodies.quaternion(self.body), maker.inertial_quat(self.body))

    def reference_matrix(self) -> np.ndarray:
        """(3, 3) of ``refquat``."""
        return mat_from_quat(self.refquat)
