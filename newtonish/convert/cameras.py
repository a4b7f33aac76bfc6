"""Cameras: rows of the MuJoCo camera table, with their poses relative to body and centre of mass at qpos0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.convert import frames
from newtonish.convert.bodies import BodyTree
from newtonish.convert.const0 import pose0
from newtonish.convert.worlds import Worlds

__all__ = ["CameraList", "camera_tables", "list_cameras"]

TABLE = "mujoco:camera"
MINVAL = 1e-15
Table = dict[str, np.ndarray]


@dataclass
class CameraList:
    """The cameras in MuJoCo's order (by body): template position in the table, bodies, names."""

    row: np.ndarray
    body: np.ndarray
    name: list[str]


def list_cameras(worlds: Worlds, tree: BodyTree) -> CameraList:
    """Sort the cameras of the template world by MuJoCo body."""
    source = worlds.source
    body = _bodies(worlds, tree, worlds.template(TABLE, source.custom("camera_body")))
    row = np.argsort(body, kind="stable")
    names = [str(name) for name in worlds.template(TABLE, source.custom("camera_label"))]
    return CameraList(row, body[row], [names[i] for i in row])


def _bodies(worlds: Worlds, tree: BodyTree, rows: np.ndarray) -> np.ndarray:
    """MuJoCo's ids of links; -1 is the world."""
    links = worlds.local("body", rows)
    return np.where(links < 0, 0, tree.to_mjc[links] if len(tree.to_mjc) else 0)


def camera_tables(worlds: Worlds, tree: BodyTree, cameras: CameraList, t: Table) -> Table:
    """Every ``cam_*`` field; floats per distinct world."""
    source = worlds.source

    def template(name: str) -> np.ndarray:
        return worlds.template(TABLE, source.custom(f"camera_{name}"))[cameras.row]

    def pick(name: str) -> np.ndarray:
        return worlds.pick(TABLE, source.custom(f"camera_{name}"))[:, cameras.row].astype(np.float64)

    aimed = template("aimed").astype(bool)
    table = {
        "cam_mode": template("mode"),
        "cam_bodyid": cameras.body,
        "cam_targetbodyid": np.where(aimed, _bodies(worlds, tree, template("target")), -1),
        "cam_projection": template("projection"),
        "cam_resolution": np.array([list(r) for r in template("resolution")], dtype=np.int32).reshape(-1, 2),
        "cam_sensorsize": pick("sensorsize")[0],
        "cam_fovy": pick("fovy"),
        "cam_intrinsic": pick("intrinsic"),
        "cam_pos": pick("pos"),
        "cam_quat": frames.unit(pick("quat")) if len(cameras.row) else pick("quat"),
    }
    centred = np.where(aimed, table["cam_targetbodyid"], cameras.body)
    return table | _at_reference(cameras, centred, t, table["cam_pos"], table["cam_quat"])


def _at_reference(cameras: CameraList, centred: np.ndarray, t: Table, pos: np.ndarray, quat: np.ndarray) -> Table:
    """Positions relative to body and to a subtree's centre of mass, and axes, at qpos0 in world axes.

    Args:
        centred: Body whose subtree counts: the one the camera is aimed at, whatever its mode, else its own (as in MuJoCo).
    """
    if not len(cameras.row):
        none = np.zeros((len(pos), 0, 3))
        return {"cam_pos0": none, "cam_poscom0": none, "cam_mat0": np.zeros((len(pos), 0, 9))}
    pose = pose0(t)
    body = cameras.body
    xpos, xquat = frames.compose(pose["xpos"][:, body], pose["xquat"][:, body], pos, quat)
    return {
        "cam_pos0": xpos - pose["xpos"][:, body],
        "cam_poscom0": xpos - _subtree_com(t, pose)[:, centred],
        "cam_mat0": frames.mat_from_quat(xquat).reshape(*xquat.shape[:2], 9),
    }


def _subtree_com(t: Table, pose: Table) -> np.ndarray:
    """Centres of mass of all subtrees at qpos0."""
    mass = t["body_mass"].copy()
    moment = mass[..., None] * pose["xipos"]
    for body in range(mass.shape[1] - 1, 0, -1):
        up = t["body_parentid"][body]
        mass[:, up] += mass[:, body]
        moment[:, up] += moment[:, body]
    empty = (mass < MINVAL)[..., None]
    return np.where(empty, pose["xipos"], moment / np.maximum(mass, MINVAL)[..., None])
