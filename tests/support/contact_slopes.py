"""How distance, point and frame of a contact change with the poses of both geoms: the derivative kernels beside MuJoCo's differences, contact by contact."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
import warp as wp
from gradient_models_contacts import ASSETS, SHAPES

from newtonish import mjw
from newtonish.kernels.derivative.witness import displaced, is_known, witness_of
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Geom, HeightField, Hull, Option

NEAR, ALIKE = 3e-4, 3e-3  # distance [m] and difference of normals below which contacts of both sides are the same
TURNS = 0.1  # of a metre: what a rotation of the frame counts as
MOTIONS = 12  # along and about the axes of the world, of the first geom's body, then of the second's

wp.set_module_options({"enable_backward": False})


@wp.kernel
def _slopes(
    opt: Option, geom: Geom, hull: Hull, hfield: HeightField, kin: Kinematics, contact: Contact, status: Status, out: wp.array4d[wp.float64], known: wp.array2d[int],
):  # fmt: skip
    w, c, k = wp.tid()
    if c < status.ncon[w]:
        found = witness_of(opt, geom, hull, hfield, kin, contact, w, c)
        if k == 0:
            known[w, c] = wp.where(is_known(found), 1, 0)
        axis = wp.vec3d()
        axis[k % 3] = wp.float64(1.0)
        body = k / 6 + 1
        v = axis
        omega = wp.vec3d()
        if k % 6 >= 3:
            omega = axis
            v = wp.cross(axis, found.pos - wp.vec3d(kin.xpos[w, body]))
        still = wp.vec3d()
        if contact.geom[w, c][0] == body - 1:
            moved = displaced(found, v, omega, still, still)
        else:
            moved = displaced(found, still, still, v, omega)
        out[w, c, k, 0] = moved.dist
        for i in range(3):
            out[w, c, k, 1 + i] = moved.pos[i]
            out[w, c, k, 4 + i] = moved.turn[i]


@dataclass
class Count:
    """What came of all contacts of a pair of shapes."""

    contacts: int = 0
    right: int = 0
    refused: int = 0
    apart: int = 0
    """Contacts that the two sides do not share, and worlds where their numbers differ."""
    wrong: list[str] = field(default_factory=list)
    rough: int = 0
    """Where MuJoCo's differences to one side say something else."""


def scene(first: str, second: str) -> mujoco.MjModel:
    """Two free bodies with a shape each."""
    bodies = "".join(f'<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><freejoint/><geom {SHAPES[shape]}/></body>' for shape in (first, second))
    return mujoco.MjModel.from_xml_string(f'<mujoco><option ccd_tolerance="1e-12" ccd_iterations="50"/>{ASSETS}<worldbody>{bodies}</worldbody></mujoco>')


def _contacts(mjm: mujoco.MjModel, mjd: mujoco.MjData, qpos: np.ndarray) -> list[tuple[float, np.ndarray, np.ndarray]]:
    mjd.qpos[:] = qpos
    mujoco.mj_kinematics(mjm, mjd)
    mujoco.mj_comPos(mjm, mjd)
    mujoco.mj_collision(mjm, mjd)
    return [(c.dist, c.pos.copy(), c.frame.copy().reshape(3, 3)) for c in mjd.contact]


def _rotated(quat: np.ndarray, turn: np.ndarray) -> np.ndarray:
    by, result = np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(by, turn / max(np.linalg.norm(turn), 1e-30), np.linalg.norm(turn))
    mujoco.mju_mulQuat(result, by, quat)
    return result


def _pose(mjm: mujoco.MjModel, mjd: mujoco.MjData, rng: np.random.Generator, tilt: float, depth: float) -> np.ndarray:
    """Two geoms that overlap by ``depth``: their axes within ``tilt`` of each other or at right angles, one above the other; in any pose if it is 0."""
    qpos, toward = np.zeros(14), np.array([0.0, 0.0, 1.0])
    quats = [np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])]
    offset = rng.uniform(-0.15, 0.15, 3)
    if tilt:
        quats[0] = _rotated(quats[0], 0.02 * rng.standard_normal(3))
        for axis in range(3):
            quats[1] = _rotated(quats[1], np.eye(3)[axis] * np.pi / 2 * rng.integers(4))
        quats[1] = _rotated(quats[1], np.eye(3)[rng.integers(3)] * rng.uniform(-0.8, 0.8))
        quats[1] = _rotated(quats[1], tilt * rng.standard_normal(3))
        offset[2] = 0.0
    else:
        quats = [rng.standard_normal(4) for _ in range(2)]
        toward = rng.standard_normal(3)
        toward /= np.linalg.norm(toward)
    qpos[3:7], qpos[10:14] = (quat / np.linalg.norm(quat) for quat in quats)
    low, high = 0.0, 1.5
    for _ in range(40):
        middle = 0.5 * (low + high)
        qpos[7:10] = offset + middle * toward
        low, high = (middle, high) if _contacts(mjm, mjd, qpos) else (low, middle)
    qpos[7:10] = offset + (low - depth) * toward
    qpos = qpos.astype(np.float32).astype(float)
    for at in (3, 10):
        qpos[at : at + 4] /= np.linalg.norm(qpos[at : at + 4])
    return qpos


def _moved(qpos: np.ndarray, k: int, eps: float) -> np.ndarray:
    result, at = qpos.copy(), 7 * (k // 6)
    if k % 6 < 3:
        result[at + k % 3] += eps
    else:
        result[at + 3 : at + 7] = _rotated(result[at + 3 : at + 7], np.eye(3)[k % 3] * eps)
    return result


def _change(one: tuple[float, np.ndarray, np.ndarray], other: tuple[float, np.ndarray, np.ndarray]) -> np.ndarray:
    """Of distance, point and frame (a rotation) from ``other`` to ``one``, weighed."""
    turn = one[2].T @ other[2]
    axial = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([[one[0] - other[0]], one[1] - other[1], TURNS * axial])


def _nearest(found: list, point: np.ndarray) -> int:
    return min(range(len(found)), key=lambda j: np.linalg.norm(found[j][1] - point))


def _quotients(mjm: mujoco.MjModel, mjd: mujoco.MjData, qpos: np.ndarray, eps: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each contact by the twelve motions: centred, and to one side; NaN where its number changes."""
    here = _contacts(mjm, mjd, qpos)
    result = [(np.full((MOTIONS, 7), np.nan), np.full((MOTIONS, 7), np.nan)) for _ in here]
    for k in range(MOTIONS):
        ends = [_contacts(mjm, mjd, _moved(qpos, k, sign * eps)) for sign in (1.0, -1.0)]
        if all(len(end) == len(here) for end in ends):
            for (centred, aside), contact in zip(result, here, strict=True):
                ahead, behind = (end[_nearest(end, contact[1])] for end in ends)
                centred[k] = _change(ahead, behind) / (2.0 * eps)
                aside[k] = _change(ahead, contact) / eps
    return result


def compare(first: str, second: str, number: int, eps: tuple[float, ...] = (1e-6,), tolerance: float = 1e-3, seed: int = 0, device: str = "cpu") -> Count:
    """``number`` worlds of each kind of pose and depth; right is what one of the perturbations says, within ``tolerance`` of the largest change."""
    mjm = scene(first, second)
    mjd = mujoco.MjData(mjm)
    rng = np.random.default_rng(seed)
    kinds = [(tilt, depth) for tilt in (0.0, 0.05, 0.002) for depth in (1e-3, 1e-2, 5e-2)]
    poses = np.array([_pose(mjm, mjd, rng, *kind) for _ in range(number) for kind in kinds])
    m = mjw.put_model(mjm, strict=False, device=device)
    d = mjw.make_data(m, len(poses), nconmax=16)
    d.qpos.assign(poses.astype(np.float32))
    mjw.forward(m, d)
    ncon = d.status.ncon.numpy()
    shape = (len(poses), int(ncon.max()))
    out = wp.zeros((*shape, MOTIONS, 7), dtype=wp.float64, device=device)
    known = wp.zeros(shape, dtype=int, device=device)
    wp.launch(_slopes, (*shape, MOTIONS), [m.opt, m.geom, m.hull, m.hfield, d.kin, d.contact, d.status, out, known], device=device)
    ours = out.numpy() * np.array([1.0] * 4 + [TURNS] * 3)
    places, frames, known = d.contact.pos.numpy(), d.contact.frame.numpy(), known.numpy()
    count = Count()
    for w, qpos in enumerate(poses):
        here = _contacts(mjm, mjd, qpos)
        if len(here) != ncon[w]:
            count.apart += 1
            continue
        quotients = [_quotients(mjm, mjd, qpos, each) for each in eps]
        for c in range(len(here)):
            j = _nearest(here, places[w, c])
            count.contacts += 1
            if np.linalg.norm(here[j][1] - places[w, c]) > NEAR or np.linalg.norm(here[j][2][0] - frames[w, c][0]) > ALIKE:
                count.apart += 1
            elif not known[w, c]:
                count.refused += 1
            else:
                size = max(1.0, np.abs(ours[w, c]).max())
                errors = [np.abs(ours[w, c] - found[j][0]).max() / size for found in quotients]
                jumps = [np.abs(found[j][1] - found[j][0]).max() / size for found in quotients]
                best = int(np.argmin(np.nan_to_num(errors, nan=np.inf)))
                if errors[best] <= tolerance:
                    count.right += 1
                elif not jumps[best] <= tolerance:
                    count.rough += 1
                else:
                    count.wrong.append(f"{first} and {second}, {kinds[w % len(kinds)]}, world {w}, contact {c}: {errors[best]:.1e}")
    return count
