"""Cameras and lights: rows of their MuJoCo tables, with their poses relative to body and centre of mass at qpos0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.common import frames
from newtonish.common.constants import MINVAL
from newtonish.convert.bodies import BodyTree
from newtonish.convert.const0 import pose0
from newtonish.convert.worlds import Worlds

__all__ = ["CameraList", "camera_tables", "light_tables", "list_cameras", "mounts_at"]

Table = dict[str, np.ndarray]


@dataclass
class CameraList:
    """The cameras or lights in MuJoCo's order (by body).

    Attributes:
        kind: ``camera`` or ``light``.
        row: Their position in the template world's table.
        body: Their bodies.
        name: Their names.
    """

    kind: str
    row: np.ndarray
    body: np.ndarray
    name: list[str]

    def template(self, worlds: Worlds, name: str) -> np.ndarray:
        """An attribute that is equal in all worlds."""
        return worlds.template(f"mujoco:{self.kind}", worlds.source.custom(f"{self.kind}_{name}"))[self.row]

    def pick(self, worlds: Worlds, name: str) -> np.ndarray:
        """An attribute in each distinct world."""
        rows = worlds.pick(f"mujoco:{self.kind}", worlds.source.custom(f"{self.kind}_{name}"))
        return rows[:, self.row].astype(np.float64)


def list_cameras(worlds: Worlds, tree: BodyTree, kind: str = "camera") -> CameraList:
    """Sort the cameras, or the lights, of the template world by MuJoCo body."""
    source, table = worlds.source, f"mujoco:{kind}"
    body = _bodies(worlds, tree, worlds.template(table, source.custom(f"{kind}_body")))
    row = np.argsort(body, kind="stable")
    names = [str(name) for name in worlds.template(table, source.custom(f"{kind}_label"))]
    return CameraList(kind, row, body[row], [names[i] for i in row])


def _bodies(worlds: Worlds, tree: BodyTree, rows: np.ndarray) -> np.ndarray:
    """MuJoCo's ids of links; -1 is the world."""
    links = worlds.local("body", rows)
    return np.where(links < 0, 0, tree.to_mjc[links] if len(tree.to_mjc) else 0)


def camera_tables(worlds: Worlds, tree: BodyTree, cameras: CameraList, t: Table) -> Table:
    """Every ``cam_*`` field; floats per distinct world."""
    pixels = [list(r) for r in cameras.template(worlds, "resolution")]
    quat = cameras.pick(worlds, "quat")
    mounted = {
        "cam_projection": cameras.template(worlds, "projection"),
        "cam_resolution": np.array(pixels, dtype=np.int32).reshape(-1, 2),
        "cam_sensorsize": cameras.pick(worlds, "sensorsize")[0],
        "cam_fovy": cameras.pick(worlds, "fovy"),
        "cam_intrinsic": cameras.pick(worlds, "intrinsic"),
        "cam_quat": frames.unit(quat) if len(cameras.row) else quat,
    }
    table, turn = _mounts(worlds, tree, cameras, "cam", t)
    mat = np.zeros((len(quat), 0, 9))
    if len(cameras.row):
        mat = frames.mat_from_quat(frames.quat_mul(turn, mounted["cam_quat"])).reshape(*quat.shape[:2], 9)
    return mounted | table | {"cam_mat0": mat}


def light_tables(worlds: Worlds, tree: BodyTree, lights: CameraList, t: Table) -> Table:
    """Every ``light_*`` field; floats per distinct world."""
    direction = lights.pick(worlds, "dir")
    table, turn = _mounts(worlds, tree, lights, "light", t)
    at_rest = frames.rotate(turn, direction) if len(lights.row) else direction
    return table | {"light_dir": direction, "light_dir0": at_rest}


def _mounts(worlds: Worlds, tree: BodyTree, items: CameraList, prefix: str, t: Table) -> tuple[Table, np.ndarray]:
    """Mode, bodies and positions, and the orientations of the bodies at qpos0.

    The subtree whose centre of mass counts is that of the body aimed at, whatever the mode, else of the own one (as in MuJoCo).
    """
    aimed = items.template(worlds, "aimed").astype(bool)
    target = np.where(aimed, _bodies(worlds, tree, items.template(worlds, "target")), -1)
    pos = items.pick(worlds, "pos")
    table = {"mode": items.template(worlds, "mode"), "bodyid": items.body, "targetbodyid": target, "pos": pos}
    turn = np.zeros((len(pos), 0, 4))
    table |= {"pos0": np.zeros((len(pos), 0, 3)), "poscom0": np.zeros((len(pos), 0, 3))}
    if len(items.row):
        turn, table["pos0"], table["poscom0"] = mounts_at(t, pose0(t), items.body, target, pos)
    return {f"{prefix}_{name}": value for name, value in table.items()}, turn


def mounts_at(t: Table, pose: Table, body: np.ndarray, target: np.ndarray, pos: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of cameras or lights at a pose: orientations of their bodies, positions from the body and from the subtree's centre of mass.

    Args:
        t: ``body_mass`` and ``body_parentid``.
        pose: ``xpos, xquat, xipos`` of the bodies.
        body: Body of each.
        target: Body that each is aimed at, -1 for none.
        pos: Positions in the frames of their bodies (W, n, 3).
    """
    turn = pose["xquat"][:, body]
    arm = frames.rotate(turn, pos)
    centre = _subtree_com(t, pose)[:, np.where(target >= 0, target, body)]
    return turn, arm, pose["xpos"][:, body] + arm - centre


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
