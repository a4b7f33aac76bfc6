"""Pairs of general convex geoms in many worlds, collided here and by MuJoCo, and support functions in plain numpy."""

from __future__ import annotations

import mujoco
import numpy as np

from newtonish import mjw
from newtonish.kernels.collision.stage import collision

SHAPES = {
    "plane": 'type="plane" size="5 5 .1"',
    "sphere": 'type="sphere" size=".13"',
    "capsule": 'type="capsule" size=".09 .21"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "cylinder": 'type="cylinder" size=".15 .22"',
    "box": 'type="box" size=".12 .2 .31"',
    "wedge": 'type="mesh" mesh="wedge"',
    "pebble": 'type="mesh" mesh="pebble"',
    "drum": 'type="mesh" mesh="drum"',
}
EXTENT = {"sphere": 0.13, "capsule": 0.3, "ellipsoid": 0.3, "cylinder": 0.27, "box": 0.39, "wedge": 0.3, "pebble": 0.24, "drum": 0.28}


def pebble_points() -> np.ndarray:
    """Sixty points on an ellipsoid: many vertices, and faces of three corners."""
    points = np.random.default_rng(1).standard_normal((60, 3))
    return np.round(points / np.linalg.norm(points, axis=1)[:, None] * [0.15, 0.2, 0.25], 4)


def drum_points() -> np.ndarray:
    """A prism over a polygon of nine corners, no two sides alike: faces of many corners."""
    angles = np.cumsum([0.3, 0.9, 0.5, 0.8, 0.6, 1.0, 0.4, 0.7, 0.55])
    rim = np.stack([0.25 * np.cos(angles), 0.18 * np.sin(angles)], axis=-1)
    return np.round(np.concatenate([np.pad(rim, ((0, 0), (0, 1)), constant_values=z) for z in (-0.08, 0.08)]), 4)


MESHES = f"""<asset><mesh name="wedge" vertex="-.1 -.1 -.1  .3 -.1 -.1  -.1 .25 -.1  -.1 -.1 .2  .2 .2 .2  .1 .1 -.2"/>
<mesh name="pebble" vertex="{" ".join(map(str, pebble_points().ravel()))}"/></asset>"""
DRUM = f"""<asset><mesh name="drum" vertex="{" ".join(map(str, drum_points().ravel()))}"/></asset>"""


def scene(first: str, second: str, margin: float = 0.0, gap: float = 0.0, option: str = "") -> mujoco.MjModel:
    """A free geom each, or a plane and a free geom."""
    width = f'margin="{margin}" gap="{gap}"'
    start = f'<geom {SHAPES[first]} pos=".1 .2 .3" euler="10 -20 30" {width}/>'
    if first != "plane":
        start = f"<body><freejoint/><geom {SHAPES[first]} {width}/></body>"
    meshes = MESHES + DRUM * ("drum" in (first, second))
    text = f"""<mujoco><option><flag gravity="disable" {option}/></option>{meshes}
        <worldbody>{start}<body><freejoint/><geom {SHAPES[second]} {width}/></body></worldbody></mujoco>"""
    return mujoco.MjModel.from_xml_string(text)


def explicit_pair(first: str, second: str, one: str, two: str) -> mujoco.MjModel:
    """Two free geoms "a" and "b" that collide by an explicit pair alone, which names ``one`` and then ``two``."""
    off = 'contype="0" conaffinity="0"'
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco>{MESHES}<worldbody><body><freejoint/><geom name="a" {SHAPES[first]} {off}/></body>
        <body><freejoint/><geom name="b" {SHAPES[second]} {off}/></body></worldbody>
        <contact><pair geom1="{one}" geom2="{two}"/></contact></mujoco>"""
    )


def collide(mjm: mujoco.MjModel, poses: np.ndarray, device: str, nconmax: int = 16, symmetric: bool = False):
    """Our Data after the collision stage, one world a pose."""
    m = mjw.put_model(mjm, device=device)
    m.opt.symmetric_contacts = symmetric
    d = mjw.make_data(m, len(poses), nconmax=nconmax, njmax=8)
    d.qpos.assign(poses.astype(np.float32))
    mjw.kinematics(m, d)
    collision(m, d)
    return d


def support(mjm: mujoco.MjModel, geom: int, directions: np.ndarray) -> np.ndarray:
    """Support function of a geom in its own frame, for unit vectors (n, 3)."""
    size, kind = mjm.geom_size[geom], mjm.geom_type[geom]
    u = directions
    across = np.hypot(u[:, 0], u[:, 1])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return np.full(len(u), size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return size[0] + size[1] * np.abs(u[:, 2])
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return np.linalg.norm(u * size, axis=1)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return size[0] * across + size[1] * np.abs(u[:, 2])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return np.abs(u) @ size
    mesh = mjm.geom_dataid[geom]
    first = mjm.mesh_vertadr[mesh]
    return (u @ mjm.mesh_vert[first : first + mjm.mesh_vertnum[mesh]].T).max(axis=1)


def overlap(mjm: mujoco.MjModel, mjd: mujoco.MjData, directions: np.ndarray) -> np.ndarray:
    """How far geom 1 has to move along each direction to leave geom 0; the least of all is the depth."""
    mats = mjd.geom_xmat.reshape(-1, 3, 3)
    apart = directions @ (mjd.geom_xpos[1] - mjd.geom_xpos[0])
    return support(mjm, 0, directions @ mats[0]) + support(mjm, 1, -directions @ mats[1]) - apart


def outside(mjm: mujoco.MjModel, mjd: mujoco.MjData, geom: int, point: np.ndarray) -> float:
    """How far a point lies out of a geom, at least; negative inside [m]."""
    size, kind = mjm.geom_size[geom], mjm.geom_type[geom]
    p = mjd.geom_xmat[geom].reshape(3, 3).T @ (point - mjd.geom_xpos[geom])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return float(np.linalg.norm(p) - size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return float(np.linalg.norm(p - [0.0, 0.0, np.clip(p[2], -size[1], size[1])]) - size[0])
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return float((np.linalg.norm(p / size) - 1.0) * size.min())
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return float(max(np.hypot(p[0], p[1]) - size[0], abs(p[2]) - size[1]))
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return float((np.abs(p) - size).max())
    mesh = mjm.geom_dataid[geom]
    vertices = mjm.mesh_vert[mjm.mesh_vertadr[mesh] :]
    faces = range(mjm.mesh_polyadr[mesh], mjm.mesh_polyadr[mesh] + mjm.mesh_polynum[mesh])
    corners = [vertices[mjm.mesh_polyvert[mjm.mesh_polyvertadr[f]]] for f in faces]
    return float(max(mjm.mesh_polynormal[f] @ (p - corner) for f, corner in zip(faces, corners, strict=True)))
