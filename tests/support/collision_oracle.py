"""Two geoms on free bodies (or a geom above a plane) in many worlds, collided here and by MuJoCo, point by point."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from newtonish import mjw
from newtonish.kernels.fused.collision import launch_collision

SHAPES = {
    "sphere": 'type="sphere" size=".13"',
    "capsule": 'type="capsule" size=".09 .21"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "cylinder": 'type="cylinder" size=".15 .22"',
    "box": 'type="box" size=".12 .2 .31"',
}
TOLERANCE = {"dist": 1e-5, "pos": 1e-5, "frame": 5e-5}  # [m], [m]; frames of near-degenerate poses amplify rounding
EXTENT = {"sphere": 0.13, "capsule": 0.3, "ellipsoid": 0.3, "cylinder": 0.27, "box": 0.39}


def scene(first: str, second: str, margin: float = 0.0, gap: float = 0.0) -> mujoco.MjModel:
    """A free geom each, or a free geom and a plane."""
    width = f'margin="{margin}" gap="{gap}"'
    plane = f'<geom name="first" type="plane" size="5 5 .1" pos=".1 .2 .3" euler="10 -20 30" {width}/>'
    free = f'<body><freejoint/><geom name="first" {SHAPES.get(first, first)} {width}/></body>'
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option><flag gravity="disable"/></option><worldbody>{plane if first == "plane" else free}
        <body><freejoint/><geom name="second" {SHAPES.get(second, second)} {width}/></body></worldbody></mujoco>"""
    )


def random_quaternion(rng: np.random.Generator) -> np.ndarray:
    q = rng.standard_normal(4)
    return q / np.linalg.norm(q)


def random_poses(mjm: mujoco.MjModel, count: int, spread: float, seed: int = 0) -> np.ndarray:
    """Poses (count, nq) of the free bodies: random orientations, the last body within ``spread`` of the first or the plane."""
    rng = np.random.default_rng(seed)
    poses = np.zeros((count, mjm.nq))
    for qpos in poses:
        centre = rng.uniform(-1.0, 1.0, 3)
        for j in range(mjm.njnt):
            offset = rng.standard_normal(3)
            offset *= spread * rng.uniform() ** 0.5 / np.linalg.norm(offset)
            qpos[7 * j : 7 * j + 3] = centre + (offset if j else 0.0)
            qpos[7 * j + 3 : 7 * j + 7] = random_quaternion(rng)
        if mjm.njnt == 1:  # above or below the plane
            data = mujoco.MjData(mjm)
            mujoco.mj_kinematics(mjm, data)
            normal = data.geom_xmat[0].reshape(3, 3)[:, 2]
            qpos[:3] += normal * (rng.uniform(-0.6, 1.0) * spread - normal @ (qpos[:3] - data.geom_xpos[0]))
    return poses


@dataclass
class Contacts:
    """Contacts of one world."""

    geom: np.ndarray
    dist: np.ndarray
    pos: np.ndarray
    frame: np.ndarray
    includemargin: np.ndarray
    dim: np.ndarray
    friction: np.ndarray
    solref: np.ndarray
    solreffriction: np.ndarray
    solimp: np.ndarray

    def __len__(self) -> int:
        return len(self.dist)

    def only(self, rows: list[int]) -> Contacts:
        """Some of the contacts."""
        return Contacts(**{name: getattr(self, name)[rows] for name in FIELDS})


FIELDS = tuple(Contacts.__dataclass_fields__)


def theirs(mjm: mujoco.MjModel, poses: np.ndarray) -> list[Contacts]:
    """MuJoCo's contacts in every pose."""
    result, mjd = [], mujoco.MjData(mjm)
    for qpos in poses:
        mjd.qpos[:] = qpos
        mujoco.mj_kinematics(mjm, mjd)
        mujoco.mj_collision(mjm, mjd)
        result.append(Contacts(**{name: np.array(getattr(mjd.contact, name)) for name in FIELDS}))
    return result


def ours(mjm: mujoco.MjModel, poses: np.ndarray, device: str, nconmax: int = 16) -> list[Contacts]:
    """Our contacts, one world a pose."""
    m = mjw.put_model(mjm, strict=False, device=device)
    d = mjw.make_data(m, len(poses), nconmax=nconmax, njmax=8)
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    launch_collision(m, d)
    return read(d)


def read(d) -> list[Contacts]:
    """Contacts of every world of ``d``."""
    arrays = {name: getattr(d.contact, name).numpy().copy() for name in FIELDS}  # on a CPU they are views
    count = d.ncon.numpy()
    arrays["frame"] = arrays["frame"].reshape(*arrays["frame"].shape[:2], 9)
    return [Contacts(**{name: a[w, : count[w]] for name, a in arrays.items()}) for w in range(d.nworld)]


def compare(mjm: mujoco.MjModel, poses: np.ndarray, device: str, reach: float, ordered: bool = True) -> int:
    """Assert equal contacts in every pose, but for counts that depend on rounding; returns the number of poses with contacts."""
    touching = 0
    for pose, (a, b) in enumerate(zip(ours(mjm, poses, device), theirs(mjm, poses))):
        if near_threshold(b, reach) or near_threshold(a, reach):
            continue
        assert len(a) == len(b), f"pose {pose}: {len(a)} contacts at {a.dist} against MuJoCo's {len(b)} at {b.dist}"
        worst = difference(a, b, None if ordered else matching(a, b))
        for name, tolerance in TOLERANCE.items():
            assert worst[name] < tolerance, f"pose {pose}: {name} differs by {worst[name]:.3g}"
        touching += len(b) > 0
    return touching


def matching(a: Contacts, b: Contacts) -> np.ndarray:
    """For each contact of ``b`` the index of the nearest one of ``a`` that is not taken yet."""
    free, order = list(range(len(a))), []
    for pos in b.pos:
        best = min(free, key=lambda i: float(np.linalg.norm(a.pos[i] - pos)))
        free.remove(best)
        order.append(best)
    return np.array(order, dtype=int)


def difference(a: Contacts, b: Contacts, order: np.ndarray | None = None) -> dict[str, float]:
    """Largest differences of distance, position and frame; infinite if the numbers of contacts differ."""
    if len(a) != len(b):
        return {name: np.inf for name in ("dist", "pos", "frame")}
    order = np.arange(len(a)) if order is None else order
    return {name: float(np.abs(np.asarray(getattr(a, name))[order] - getattr(b, name)).max(initial=0.0)) for name in ("dist", "pos", "frame")}


def near_threshold(b: Contacts, reach: float, tolerance: float = 1e-5) -> bool:
    """Whether a contact is so close to the detection distance that float32 may see it on the other side."""
    return bool((np.abs(b.dist - reach) < tolerance).any())
