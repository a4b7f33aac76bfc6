"""How often the contacts of convex pairs are MuJoCo's, over seeded poses: the figures of the page of coverage.

    python tests/support/contact_rates.py [PAIR ...] [--poses N] [--device DEVICE]

``deep``: random orientations, the geoms within each other. ``resting``: a face or side of one lies on one of the other,
tilted by up to seven degrees and pressed in by 0.1 to 10 mm, as geoms that lie or lean on each other do. A pair is written
``box-wedge``.
"""

from __future__ import annotations

import argparse
import itertools

import mujoco
import numpy as np
from collision_oracle import Contacts, matching, random_poses, random_quaternion, read, theirs
from convex_oracle import EXTENT, collide, overlap, scene

SOLIDS = ("capsule", "ellipsoid", "cylinder", "box", "wedge", "pebble")
TILT, PRESSED = np.deg2rad(7.0), (1e-4, 1e-2)
SHALLOW, SHARE, SAME_POINT, NORMAL = 1e-4, 0.01, 1e-4, 1e-2


def flats(mjm: mujoco.MjModel, geom: int) -> np.ndarray:
    """Outward normals of flat faces, or across straight sides, in the frame of a geom."""
    kind = mjm.geom_type[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = mjm.geom_dataid[geom]
        first = mjm.mesh_polyadr[mesh]
        return mjm.mesh_polynormal[first : first + mjm.mesh_polynum[mesh]].astype(float)
    axes = np.eye(3) if kind in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER) else np.eye(3)[:2]
    return np.concatenate([axes, -axes])


def turn_onto(normal: np.ndarray, direction: np.ndarray, spin: float) -> np.ndarray:
    """A rotation matrix that brings ``normal`` to ``direction``, with a turn about it."""

    def basis(z: np.ndarray) -> np.ndarray:
        x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])

    about = np.array([[np.cos(spin), -np.sin(spin), 0.0], [np.sin(spin), np.cos(spin), 0.0], [0.0, 0.0, 1.0]])
    return basis(direction) @ about @ basis(normal).T


def resting_poses(mjm: mujoco.MjModel, count: int, spread: float, seed: int) -> np.ndarray:
    """Poses of two free geoms, a flat of the second on one of the first."""
    rng, mjd = np.random.default_rng(seed), mujoco.MjData(mjm)
    poses, quat = np.zeros((count, mjm.nq)), np.zeros(4)
    mjd.qpos[[3, 10]] = 1.0
    mujoco.mj_kinematics(mjm, mjd)
    in_body = mjd.geom_xmat[1].reshape(3, 3).copy()
    for qpos in poses:
        qpos[3:7] = random_quaternion(rng)
        qpos[10] = 1.0
        mjd.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, mjd)
        normal = mjd.geom_xmat[0].reshape(3, 3) @ rng.choice(flats(mjm, 0))
        tilt = normal + np.tan(TILT * rng.uniform()) * np.cross(normal, random_quaternion(rng)[1:])
        turned = turn_onto(rng.choice(flats(mjm, 1)), -tilt / np.linalg.norm(tilt), rng.uniform(0.0, 6.3))
        mujoco.mju_mat2Quat(quat, (turned @ in_body.T).ravel())
        qpos[10:14] = quat
        aside = rng.standard_normal(3)
        qpos[7:10] = 0.15 * spread * (aside - aside @ normal * normal)
        mjd.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, mjd)
        pressed = PRESSED[0] * (PRESSED[1] / PRESSED[0]) ** rng.uniform()
        qpos[7:10] += (overlap(mjm, mjd, normal[None])[0] - pressed) * normal
    return poses


def kinds(a: Contacts, b: Contacts) -> tuple[str, ...]:
    """What differs between our contacts and MuJoCo's."""
    if (len(a) > 0) != (len(b) > 0):
        return ("touching",)
    found = []
    if abs(a.dist.min() - b.dist.min()) > max(SHALLOW, -SHARE * b.dist.min()):
        found.append("deeper" if a.dist.min() < b.dist.min() else "shallower")
    if np.linalg.norm(a.frame[a.dist.argmin(), :3] - b.frame[b.dist.argmin(), :3]) > NORMAL:
        found.append("normal")
    if len(a) != len(b):
        found.append("number")
    elif np.abs(a.pos[matching(a, b)] - b.pos).max() > SAME_POINT:
        found.append("points")
    return tuple(found)


def rates(first: str, second: str, how: str, count: int, device: str, option: str = "", width: tuple[float, float] = (0.0, 0.0)) -> str:
    """One line: how many touch, how many have the same contacts, and what differs in the others."""
    mjm = scene(first, second, *width, option=option)
    spread = EXTENT[first] + EXTENT[second]
    poses = random_poses(mjm, count, 0.8 * spread, seed=31) if how == "deep" else resting_poses(mjm, count, spread, seed=37)
    poses = poses.astype(np.float32).astype(float)
    number: dict[str, int] = {}
    touching = same = 0
    for a, b in zip(read(collide(mjm, poses, device)), theirs(mjm, poses), strict=True):
        if len(a) + len(b) == 0:
            continue
        touching += 1
        found = kinds(a, b)
        same += not found
        for kind in found:
            number[kind] = number.get(kind, 0) + 1
    others = ", ".join(f"{kind} {n}" for kind, n in sorted(number.items()))
    return f"{first}-{second:10s} {how:8s} {same:4d} of {touching:4d} the same; {others}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="*")
    parser.add_argument("--poses", type=int, default=300)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--option", default="", help='flags, as multiccd="disable"')
    parser.add_argument("--width", type=float, nargs=2, default=(0.0, 0.0), metavar=("MARGIN", "GAP"))
    arguments = parser.parse_args()
    pairs = [tuple(p.split("-")) for p in arguments.pairs] or list(itertools.combinations_with_replacement(SOLIDS, 2))
    for pair, how in itertools.product(pairs, ("deep", "resting")):
        print(rates(*pair, how, arguments.poses, arguments.device, arguments.option, arguments.width), flush=True)


if __name__ == "__main__":
    main()
