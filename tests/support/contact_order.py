"""Contacts of two geoms of one type in either order: how often they are the same, and how often MuJoCo's.

    python tests/support/contact_order.py [PAIR ...] [--poses N] [--device DEVICE]

For each pair and kind of poses: those in contact; of these, those with the same contacts in either order in MuJoCo, here, and
here with ``symmetric_contacts``; then, without and with ``symmetric_contacts``, those whose depth and normal are MuJoCo's in
both orders and in one at least, and the shares of depths and of normals that are. Poses are ``deep`` and ``resting``
(see ``contact_rates``), and ``lined up``: turned by quarter turns and stacked or put beside each other, where much is equal.
"""

from __future__ import annotations

import argparse
import itertools

import mujoco
import numpy as np
from collision_oracle import Contacts, matching, random_poses, read, theirs
from contact_rates import NORMAL, SAME_POINT, SHALLOW, SHARE, kinds, resting_poses
from convex_oracle import EXTENT, collide, scene

QUARTERS = ((1, 0, 0, 0), (1, 0, 0, 1), (0, 0, 0, 1), (1, 1, 0, 0), (0, 1, 0, 0), (1, 0, 1, 0), (1, 1, 1, 1))
DEPTH = {"deeper", "shallower"}
LIKE = (
    "sphere-sphere", "capsule-capsule", "ellipsoid-ellipsoid", "cylinder-cylinder", "box-box", "wedge-wedge", "pebble-pebble",
    "wedge-pebble",
)  # fmt: skip


def both_ways(first: str, second: str, how: str, count: int, seed: int = 47, option: str = "") -> tuple[mujoco.MjModel, mujoco.MjModel, np.ndarray, np.ndarray]:
    """Two models of the same two geoms in either order, and poses of each in which they lie alike."""
    one, other = scene(first, second, option=option), scene(second, first, option=option)
    spread = EXTENT[first] + EXTENT[second]
    if how == "deep":
        poses = random_poses(one, count, 0.8 * spread, seed)
    else:
        poses = resting_poses(one, count, spread, seed) if how == "resting" else lined_up_poses(count, spread, seed)
    poses = poses.astype(np.float32).astype(float)
    return one, other, poses, np.concatenate([poses[:, 7:], poses[:, :7]], axis=1)


def lined_up_poses(count: int, spread: float, seed: int) -> np.ndarray:
    """Poses of two free geoms along the axes, one apart from the other by a part of their extents along an axis or several."""
    rng, poses = np.random.default_rng(seed), np.zeros((count, 14))
    for qpos in poses:
        for first in (3, 10):
            turn = QUARTERS[rng.integers(len(QUARTERS))]
            qpos[first : first + 4] = np.array(turn) / np.linalg.norm(turn)
        along = np.eye(4, 3)[rng.integers(4)]
        qpos[7:10] = rng.choice([-1.0, 1.0]) * rng.choice([0.15, 0.3, 0.5, 0.7, 0.9]) * spread * along
        if not along.any():
            qpos[7:10] = rng.choice([-0.2, 0.2], 3) * spread
        qpos[7:10] += rng.choice([0.0, 1e-7]) * rng.standard_normal(3)
    return poses


def identical(a: Contacts, b: Contacts, sign: float = -1.0) -> bool:
    """Same points, depths and first tangents in the same order, and normals and second tangents times ``sign``, to the bit."""
    if len(a) != len(b):
        return False
    turn = np.repeat([sign, 1.0, sign], 3)
    return np.array_equal(a.dist, b.dist) and np.array_equal(a.pos, b.pos) and np.array_equal(a.frame, turn * b.frame)


def symmetric(a: Contacts, b: Contacts) -> bool:
    """Same points and depths, and normals that point the other way, within what convex contacts must keep to."""
    if len(a) != len(b):
        return False
    order = matching(a, b)
    depth = np.abs(a.dist[order] - b.dist) <= np.maximum(SHALLOW, SHARE * np.abs(b.dist))
    turn = np.linalg.norm(a.frame[order, :3] + b.frame[:, :3], axis=1)
    apart = np.linalg.norm(a.pos[order] - b.pos, axis=1)
    return bool(depth.all() and (turn <= NORMAL).all() and (apart <= SAME_POINT).all())


def line(first: str, second: str, how: str, count: int, device: str) -> str:
    """What the file's head says, of one pair and kind of poses."""
    one, other, poses, swapped = both_ways(first, second, how, count)
    found = {s: [read(collide(m, q, device, symmetric=s)) for m, q in ((one, poses), (other, swapped))] for s in (False, True)}
    oracle = [theirs(one, poses), theirs(other, swapped)]
    touching = [k for k in range(count) if len(oracle[0][k]) and len(oracle[1][k])]
    same = {s: sum(symmetric(a[k], b[k]) for k in touching) for s, (a, b) in found.items()}
    bits = sum(identical(found[True][0][k], found[True][1][k]) for k in touching)
    mujocos = sum(symmetric(oracle[0][k], oracle[1][k]) for k in touching)
    text = f"{first}-{second:10s} {how:8s} {len(touching):4d} touch; symmetric: MuJoCo {mujocos}, here {same[False]}, option {same[True]} (bits {bits})"
    for s, (a, b) in found.items():
        wrong = [[set(kinds(x[k], y[k])) for x, y in zip((a, b), oracle, strict=True)] for k in touching]
        ways = np.array([[not w & {"touching", *DEPTH, "normal"} for w in both] for both in wrong])
        depth, normal = (1.0 - np.mean([[bool(w & names) for w in both] for both in wrong]) for names in (DEPTH, {"normal"}))
        text += f"; {'option' if s else 'without'}: both {ways.all(1).sum()}, one {ways.any(1).sum()}, depth {depth:.3f}, normal {normal:.3f}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="*", default=LIKE)
    parser.add_argument("--poses", type=int, default=300)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    for pair, how in itertools.product(arguments.pairs, ("deep", "resting", "lined up")):
        if not ("sphere" in pair and how == "resting"):  # a sphere has no flat side
            print(line(*pair.split("-"), how, arguments.poses, arguments.device), flush=True)


if __name__ == "__main__":
    main()
