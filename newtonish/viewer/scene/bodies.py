"""Where bodies are: poses of Newton's bodies, and of MuJoCo's of all worlds with what is attached to them."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.viewer.scene.rotations import from_wxyz, matrices, turn
from newtonish.viewer.scene.tables import Tables

__all__ = ["Bodies"]


class Bodies:
    """Poses of one state, worlds moved apart; everything but the first two is computed when it is asked for.

    Args:
        tables: The converted model, or None.
        state: Has ``body_q``.
        offsets: (worlds, 3) where each world's origin is drawn [m].
        world_of: (bodies,) world of each of the model's bodies.

    Attributes:
        position: (bodies, 3) of the model's bodies [m].
        rotation: (bodies, 3, 3).
    """

    def __init__(self, tables: Tables | None, state: Any, offsets: np.ndarray, world_of: np.ndarray) -> None:
        self.tables, self.offsets = tables, offsets
        q = np.zeros((0, 7), dtype=np.float32) if state.body_q is None else state.body_q.numpy()
        self.position = q[:, :3] + offsets[np.maximum(world_of, 0)] * (world_of >= 0)[:, None]
        self.rotation = matrices(q[:, 3:])
        self._q = q
        self._world = slice(None)

    def of_world(self, world: int) -> Bodies:
        """The same of one world alone: everything has one row for worlds."""
        one = copy(self)
        for name in _CACHED:
            vars(one).pop(name, None)
        one._world, one.offsets = slice(world, world + 1), self.offsets[world : world + 1]
        return one

    def _field(self, name: str) -> np.ndarray:
        """A field of the model, with an axis for worlds in front."""
        field = self.tables.worlds(name)
        return field[self._world] if len(field) > 1 else field

    def quaternion(self, body: int) -> np.ndarray:
        """(4,) w x y z of one of the model's bodies."""
        q = self._q[body, [6, 3, 4, 5]].astype(float)
        return q / np.linalg.norm(q)

    @cached_property
    def xmat(self) -> np.ndarray:
        """(worlds, nbody, 3, 3) of MuJoCo's bodies, the world first."""
        return self._of_mujoco(self.rotation, np.eye(3))

    @cached_property
    def xpos(self) -> np.ndarray:
        """(worlds, nbody, 3) [m]."""
        return self._of_mujoco(self.position, self.offsets)

    def _of_mujoco(self, table: np.ndarray, world: np.ndarray) -> np.ndarray:
        """Rows of a table of the model's bodies for each of MuJoCo's, of which there may be none but the world."""
        rows = self.tables.maps.mjc_body[self._world]
        found = np.empty((*rows.shape, *table.shape[1:]), dtype=np.float32)
        found[:, 0], found[:, 1:] = world, table[rows[:, 1:]]
        return found

    @cached_property
    def xipos(self) -> np.ndarray:
        """(worlds, nbody, 3) centres of mass [m]."""
        return self.xpos + turn(self.xmat, self._field("body_ipos").astype(np.float32))

    @cached_property
    def ximat(self) -> np.ndarray:
        """(worlds, nbody, 3, 3) principal axes."""
        return np.matmul(self.xmat, from_wxyz(self._field("body_iquat")).astype(np.float32))

    @cached_property
    def subtree_com(self) -> np.ndarray:
        """(worlds, nbody, 3) centres of mass of bodies with all that is attached to them [m]."""
        mass = np.broadcast_to(self._field("body_mass"), self.xipos.shape[:2]).astype(np.float64)
        moment, total = self.xipos * mass[..., None], mass.copy()
        parent = self.tables.body_parentid
        for body in range(len(parent) - 1, 0, -1):  # over bodies of one world, not over worlds
            moment[:, parent[body]] += moment[:, body]
            total[:, parent[body]] += total[:, body]
        light = total < MINVAL
        return np.where(light[..., None], self.xipos, moment / np.where(light, 1.0, total)[..., None])

    def attached(self, body: np.ndarray, position: np.ndarray) -> np.ndarray:
        """(worlds, n, 3) points given in bodies' frames, (1 or worlds, n, 3)."""
        return self.xpos[:, body] + turn(self.xmat[:, body], position)

    def on_bodies(self, body: np.ndarray, position: np.ndarray, quaternion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (worlds, n, 3) and axes (worlds, n, 3, 3) of what is fixed to bodies (n,), quaternions w x y z."""
        return self.attached(body, position), np.matmul(self.xmat[:, body], from_wxyz(quaternion))

    def cameras(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (worlds, n, 3) and axes (worlds, n, 3, 3) of the model's cameras, by the rules of their modes."""
        t = self.tables
        _, rotation = self.on_bodies(t.cam_bodyid, self._field("cam_pos"), self._field("cam_quat"))
        position, away = self._mounted("cam")
        tracks = (t.cam_mode == 1) | (t.cam_mode == 2)
        rotation = np.where(tracks[:, None, None], _square(self._field("cam_mat0")), rotation)
        aimed = (t.cam_mode >= 3) & (t.cam_targetbodyid >= 0)
        return position, np.where(aimed[:, None, None], _look_at(away), rotation)

    def lights(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and directions (worlds, n, 3) of the model's lights, by the rules of their modes."""
        t = self.tables
        direction = turn(self.xmat[:, t.light_bodyid], self._field("light_dir"))
        position, away = self._mounted("light")
        tracks = (t.light_mode == 1) | (t.light_mode == 2)
        direction = np.where(tracks[:, None], self._field("light_dir0"), direction)
        aimed = (t.light_mode >= 3) & (t.light_targetbodyid >= 0)
        direction = np.where(aimed[:, None], -away, direction)
        return position, direction / np.maximum(np.linalg.norm(direction, axis=-1, keepdims=True), MINVAL)

    def _mounted(self, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions of cameras or lights, and the way to them from what they are aimed at."""
        t = self.tables
        body, mode, target = (getattr(t, f"{kind}_{name}") for name in ("bodyid", "mode", "targetbodyid"))
        position = self.attached(body, self._field(f"{kind}_pos"))
        position = np.where((mode == 1)[:, None], self.xpos[:, body] + self._field(f"{kind}_pos0"), position)
        if not (mode >= 2).any():
            return position, np.zeros_like(position)
        position = np.where((mode == 2)[:, None], self.subtree_com[:, body] + self._field(f"{kind}_poscom0"), position)
        look = np.maximum(target, 0)
        return position, position - np.where((mode == 3)[:, None], self.xpos[:, look], self.subtree_com[:, look])


_CACHED = ("xmat", "xpos", "xipos", "ximat", "subtree_com")


def _square(flat: np.ndarray) -> np.ndarray:
    return flat.reshape(*flat.shape[:2], 3, 3)


def _look_at(back: np.ndarray) -> np.ndarray:
    """Axes of cameras with z along ``back`` (..., 3) and x level."""
    z = back / np.maximum(np.linalg.norm(back, axis=-1, keepdims=True), MINVAL)
    x = np.stack([-z[..., 1], z[..., 0], np.zeros_like(z[..., 0])], axis=-1)
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), MINVAL)
    return np.stack([x, np.cross(z, x), z], axis=-1)
