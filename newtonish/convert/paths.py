"""Lengths of spatial tendons and of actuators on sites at a given pose, with their gradients by the dofs, in float64.

All of it follows from the Jacobians of points on bodies: a straight segment's gradient is its direction times the
relative motion of its ends, that of a site's wrench the work it does. Arrays have a leading axis of worlds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.common import frames
from newtonish.common.constants import MINVAL
from newtonish.common.enums import JointType, TrnType, WrapType
from newtonish.convert.wrapping import wrap

__all__ = ["Motion", "actuator_moments", "chain_dofs", "pose_at", "spatial_jacobian", "spatial_lengths"]

Table = dict[str, np.ndarray]


def pose_at(t: Table, qpos: np.ndarray) -> Table:
    """``xpos, xquat`` of bodies at coordinates ``qpos`` (W, nq)."""
    nworld, nbody = t["body_pos"].shape[:2]
    xpos, xquat = np.zeros((nworld, nbody, 3)), np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (nworld, nbody, 1))
    joints: dict[int, list[int]] = {}
    for j, body in enumerate(t["jnt_bodyid"]):
        joints.setdefault(int(body), []).append(j)
    for body in range(1, nbody):
        up = t["body_parentid"][body]
        pos, quat = frames.compose(xpos[:, up], xquat[:, up], t["body_pos"][:, body], frames.unit(t["body_quat"][:, body]))
        for j in joints.get(body, []):
            kind, adr = t["jnt_type"][j], int(t["jnt_qposadr"][j])
            if kind == JointType.FREE:
                pos, quat = qpos[:, adr : adr + 3], frames.unit(qpos[:, adr + 3 : adr + 7])
                continue
            anchor = pos + frames.rotate(quat, t["jnt_pos"][:, j])
            moved = (qpos[:, adr] - t["qpos0"][:, adr])[:, None]
            if kind == JointType.SLIDE:
                pos = pos + moved * frames.rotate(quat, t["jnt_axis"][:, j])
                continue
            turn = np.concatenate([np.cos(moved / 2), np.sin(moved / 2) * t["jnt_axis"][:, j]], axis=-1)
            quat = frames.quat_mul(quat, frames.unit(qpos[:, adr : adr + 4]) if kind == JointType.BALL else turn)
            pos = anchor - frames.rotate(quat, t["jnt_pos"][:, j])
        xpos[:, body], xquat[:, body] = pos, frames.unit(quat)
    return {"xpos": xpos, "xquat": xquat}


def chain_dofs(t: Table, body: int) -> list[int]:
    """Dofs that move a body, ascending."""
    dofs: list[int] = []
    while body > 0:
        dofs += range(int(t["body_dofadr"][body]), int(t["body_dofadr"][body]) + int(t["body_dofnum"][body]))
        body = int(t["body_parentid"][body])
    return sorted(dofs)


@dataclass
class Motion:
    """Poses of sites and geoms, and (if known) axes of all dofs about the world's origin, angular first."""

    t: Table
    pose: Table
    axes: np.ndarray | None = None

    def site(self, w: int, s: int) -> np.ndarray:
        """Position of a site."""
        body = self.t["site_bodyid"][s]
        return self.pose["xpos"][w, body] + frames.rotate(self.pose["xquat"][w, body], self.t["site_pos"][w, s])

    def site_quat(self, w: int, s: int) -> np.ndarray:
        """Orientation of a site."""
        return frames.quat_mul(self.pose["xquat"][w, self.t["site_bodyid"][s]], frames.unit(self.t["site_quat"][w, s]))

    def geom(self, w: int, g: int) -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation matrix of a geom."""
        body = self.t["geom_bodyid"][g]
        quat = self.pose["xquat"][w, body]
        pos = self.pose["xpos"][w, body] + frames.rotate(quat, self.t["geom_pos"][w, g])
        return pos, frames.mat_from_quat(frames.quat_mul(quat, frames.unit(self.t["geom_quat"][w, g])))

    def work(self, w: int, body: int, point: np.ndarray, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
        """Generalized force (nv) of a force at a point of a body and a torque on it."""
        assert self.axes is not None
        result = np.zeros(self.axes.shape[1])
        dofs = chain_dofs(self.t, body)
        axes = self.axes[w, dofs]
        result[dofs] = axes[:, :3] @ (torque + frames.cross(point, force)) + axes[:, 3:] @ force
        return result


Segment = tuple[int, np.ndarray, int, np.ndarray, float]


def _segments(motion: Motion, w: int, tendon: int) -> tuple[float, list[Segment]]:
    """Scaled length on geoms, and straight segments (body, point, body, point, scale) of a tendon."""
    t = motion.t
    first = int(t["tendon_adr"][tendon])
    end = first + int(t["tendon_num"][tendon])
    kind, obj, prm = t["wrap_type"], t["wrap_objid"], t["wrap_prm"][w]
    scale, curved, segments = 1.0, 0.0, []
    k = first
    while k < end - 1:
        if kind[k] == WrapType.PULLEY or kind[k + 1] == WrapType.PULLEY:
            scale = 1.0 / prm[k] if kind[k] == WrapType.PULLEY else scale
            k += 1
            continue
        geom = kind[k + 1] in (WrapType.SPHERE, WrapType.CYLINDER)
        after = k + 2 if geom else k + 1
        b0, b1 = int(t["site_bodyid"][obj[k]]), int(t["site_bodyid"][obj[after]])
        x0, x1 = motion.site(w, int(obj[k])), motion.site(w, int(obj[after]))
        found = None
        if geom:
            g, side_id = int(obj[k + 1]), round(float(prm[k + 1]))
            side = motion.site(w, side_id) if side_id >= 0 else None
            found = wrap(x0, x1, *motion.geom(w, g), float(t["geom_size"][w, g, 0]), kind[k + 1] == WrapType.CYLINDER, side)
        if found is None:
            segments.append((b0, x0, b1, x1, scale))
        else:
            bg = int(t["geom_bodyid"][g])
            curved += scale * found[0]
            segments += [(b0, x0, bg, found[1], scale), (bg, found[2], b1, x1, scale)]
        k = after
    return curved, segments


def _spatial(t: Table) -> list[int]:
    return [i for i, adr in enumerate(t["tendon_adr"]) if t["wrap_type"][adr] != WrapType.JOINT]


def spatial_lengths(motion: Motion, length: np.ndarray) -> np.ndarray:
    """``length`` (W, tendons) with the entries of spatial tendons filled in."""
    result = length.copy()
    for tendon in _spatial(motion.t):
        for w in range(len(length)):
            curved, segments = _segments(motion, w, tendon)
            result[w, tendon] = curved + sum(s * float(np.linalg.norm(x1 - x0)) for _, x0, _, x1, s in segments)
    return result


def spatial_jacobian(motion: Motion, jacobian: np.ndarray) -> np.ndarray:
    """``jacobian`` (W, tendons, nv) with the rows of spatial tendons filled in."""
    result = jacobian.copy()
    for tendon in _spatial(motion.t):
        for w in range(len(result)):
            for b0, x0, b1, x1, scale in _segments(motion, w, tendon)[1]:
                gap = x1 - x0
                norm = float(np.linalg.norm(gap))
                pull = scale * (gap / norm if norm >= MINVAL else np.array([1.0, 0.0, 0.0]))
                if b0 != b1:
                    result[w, tendon] += motion.work(w, b1, x1, pull, np.zeros(3)) - motion.work(w, b0, x0, pull, np.zeros(3))
    return result


def actuator_moments(motion: Motion, tendon: np.ndarray, tendon_length: np.ndarray, a: int) -> tuple[np.ndarray, np.ndarray]:
    """Length (W) and moment (W, nv) of an actuator on a tendon, a site, a slider-crank or a body."""
    t = motion.t
    kind, (first, second) = int(t["actuator_trntype"][a]), (int(i) for i in t["actuator_trnid"][a])
    nworld, nv = len(tendon), tendon.shape[-1]
    gear = t["actuator_gear"][:, t["actuator_outadr"][a]]
    length, moment = np.zeros(nworld), np.zeros((nworld, nv))
    if kind == TrnType.TENDON:
        return gear[:, 0] * tendon_length[:, first], gear[:, :1] * tendon[:, first]
    for w in range(nworld):
        if kind == TrnType.SITE:
            length[w], moment[w] = _site(motion, w, gear[w], first, second)
        elif kind == TrnType.SLIDERCRANK:
            length[w], moment[w] = _slidercrank(motion, w, gear[w, 0], first, second, t["actuator_cranklength"][w, a])
    return length, moment


def orientation_moments(motion: Motion, a: int) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (W, 3) and moments (W, 3, nv) of a servo of a site's orientation against another, in the site's axes."""
    site, ref = (int(i) for i in motion.t["actuator_trnid"][a])
    nworld, nv = motion.t["dof_armature"].shape
    length, moment = np.zeros((nworld, 3)), np.zeros((nworld, 3, nv))
    for w in range(nworld):
        frame = frames.mat_from_quat(motion.site_quat(w, ref)).T @ frames.mat_from_quat(motion.site_quat(w, site))
        for k in range(3):
            length[w, k] = _site(motion, w, np.eye(6)[3 + k], site, ref)[0]
            moment[w, k] = _site(motion, w, np.concatenate([np.zeros(3), frame[:, k]]), site, ref)[1]
    return length, moment


def _site(motion: Motion, w: int, gear: np.ndarray, site: int, ref: int) -> tuple[float, np.ndarray]:
    """Length and moment of a wrench on a site, in its own axes or in those of a reference site."""
    body = motion.t["site_bodyid"]
    frame = frames.mat_from_quat(motion.site_quat(w, ref if ref >= 0 else site))
    force, torque = frame @ gear[:3], frame @ gear[3:]
    moment = motion.work(w, int(body[site]), motion.site(w, site), force, torque)
    if ref < 0:
        return 0.0, moment
    moment -= motion.work(w, int(body[ref]), motion.site(w, ref), force, torque)
    moment[sorted(set(chain_dofs(motion.t, int(body[site]))) & set(chain_dofs(motion.t, int(body[ref]))))] = 0.0
    turn = frames.quat_mul(motion.site_quat(w, ref) * np.array([1.0, -1.0, -1.0, -1.0]), motion.site_quat(w, site))
    sine = float(np.linalg.norm(turn[1:]))
    angle = 2.0 * np.arctan2(sine, turn[0])
    angle -= 2.0 * np.pi * (angle > np.pi)
    rotation = turn[1:] * (angle / sine if sine >= MINVAL else 0.0)
    offset = frame.T @ (motion.site(w, site) - motion.site(w, ref))
    return float(offset @ gear[:3] + rotation @ gear[3:]), moment


def _slidercrank(motion: Motion, w: int, gear: float, crank: int, slider: int, rod: float) -> tuple[float, np.ndarray]:
    """Length and moment of a slider joined by a rod to a crank."""
    body = motion.t["site_bodyid"]
    axis = frames.mat_from_quat(motion.site_quat(w, slider))[:, 2]
    at_crank, at_slider = motion.site(w, crank), motion.site(w, slider)
    v = at_crank - at_slider
    along = float(axis @ v)
    square = along * along + rod * rod - float(v @ v)
    length, by_v, by_axis = along, axis, v
    if square > 0.0:
        root = float(np.sqrt(square))
        length, by_v, by_axis = along - root, axis * (1.0 - along / root) + v / root, v * (1.0 - along / root)
    moment = motion.work(w, int(body[crank]), at_crank, by_v, np.zeros(3))
    moment += motion.work(w, int(body[slider]), at_slider, -by_v, frames.cross(axis, by_axis))
    return gear * length, gear * moment
