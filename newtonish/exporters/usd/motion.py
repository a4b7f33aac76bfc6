"""Motions as layers over stages: time-sampled poses that usdview and others play.

A layer of one world has the stage as its sublayer, and opinions at the paths of the prims that move. A layer of several worlds refers
to the stage once for each, below prims that stand side by side. What a prim's transform is above and beside the motion (a parent that
moves, scale, a frame of another handedness) stays as it is: for a prim in a parent with world matrix P = P_rigid S, and with world
matrix T A, T the body's frame, the ops are S^-1, the rigid motion P_rigid^-1 T in time samples, and A.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

from newtonish.common.frames import conjugate, quat_mul, rotate
from newtonish.errors import ModelError, problem
from newtonish.exporters.usd.gathered import TOP, gather
from newtonish.exporters.usd.scenery import Scenery
from newtonish.importers import frames
from newtonish.importers.usd.poses import rigid

__all__ = ["MotionLayer"]

TYPES = Sdf.ValueTypeNames
MOVE, TURN, BEFORE, AFTER = "xformOp:translate:motion", "xformOp:orient:motion", "xformOp:transform:unscaled", "xformOp:transform:shape"
SAME = 1e-9
"""Difference of a matrix from the identity that is rounding."""
STILL = 1e-7
"""Largest change of a pose of what does not move [m, quaternion]."""


class MotionLayer:
    """Gathers poses and writes them as a layer.

    Args:
        scenery: The stage and what moves on it.
        out: The layer's file, ``.usda`` or ``.usdc`` (``.usd``).
        worlds: Numbers of the worlds to show.
        fps: Time codes in a second.
        spacing: Distance between neighbouring worlds along x and y [m]; None: what the bodies' origins span, and some more.
    """

    def __init__(self, scenery: Scenery, out: Path, worlds: Sequence[int], fps: float = 60.0, spacing: tuple[float, float] | None = None) -> None:
        self._scenery, self.path, self._fps, self._spacing = scenery, Path(out), float(fps), spacing
        count = len(scenery.prims[0].rows) if scenery.prims else 1
        self.worlds = [int(world) for world in worlds]
        if not self.worlds or not 0 <= min(self.worlds) <= max(self.worlds) < count or len(set(self.worlds)) < len(self.worlds):
            raise ModelError(problem("recording, worlds", str(self.worlds), f"different numbers from 0 to {count - 1}", "choose among them"))
        self._stage = Usd.Stage.Open(str(scenery.path))
        self._length = float(UsdGeom.GetStageMetersPerUnit(self._stage))
        self._times: list[float] = []
        self._poses: list[np.ndarray] = []
        self._needed = np.array([[item.rows[world] for item in scenery.prims] for world in self.worlds], dtype=np.int64).reshape(len(self.worlds), -1)

    def add(self, time: float, body_q: np.ndarray) -> None:
        """Take over the poses of a time.

        Args:
            time: [s]
            body_q: (body_count, 7) position [m] and quaternion x, y, z, w of all bodies of the model.
        """
        if self._times and time <= self._times[-1]:
            raise ModelError(problem("recording, time", f"{time:g} s after {self._times[-1]:g} s", "rising times", "begin another recording"))
        self._times.append(float(time))
        self._poses.append(np.array(body_q[self._needed], dtype=np.float64))

    def path_in(self, world: int, path: str) -> str:
        """Where a prim of the stage stands in the layer."""
        return path if len(self.worlds) == 1 else f"/worlds/world_{world}{path}"

    def save(self) -> None:
        """Write the layer; frames may be added and written again afterwards.

        Raises:
            OSError: The file cannot be written.
        """
        layer = Sdf.Layer.CreateAnonymous(".usda" if self.path.suffix == ".usda" else ".usdc")
        self._head(layer)
        with Sdf.ChangeBlock():
            if len(self.worlds) > 1:
                self._copies(layer)
            self._instances(layer)
            motion = self._motion()
            numbers = {item.path: k for k, item in enumerate(self._scenery.prims)}
            cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
            for number in range(len(numbers) if self._times else 0):
                self._prim(layer, number, motion, _above(self._scenery.prims[number].path, numbers), cache)
        partial = self.path.with_name(f".part_{self.path.name}")
        if not layer.Export(str(partial)):
            raise OSError(f"{self.path} cannot be written")
        os.replace(partial, self.path)

    def _head(self, layer: Any) -> None:
        """Units, times, and the stage below."""
        codes = [round(time * self._fps, 6) for time in self._times] or [0.0]
        facts: dict[str, Any] = {
            "metersPerUnit": self._length, "upAxis": str(UsdGeom.GetStageUpAxis(self._stage)), "timeCodesPerSecond": self._fps,
            "framesPerSecond": self._fps, "startTimeCode": codes[0], "endTimeCode": codes[-1],
        }  # fmt: skip
        if self._stage.HasMetadata("kilogramsPerUnit"):
            facts["kilogramsPerUnit"] = self._stage.GetMetadata("kilogramsPerUnit")
        if len(self.worlds) > 1:
            facts["defaultPrim"] = "worlds"
        elif self._stage.GetDefaultPrim():
            facts["defaultPrim"] = self._stage.GetDefaultPrim().GetName()
        for name, value in facts.items():
            layer.pseudoRoot.SetInfo(name, value)
        if len(self.worlds) == 1:
            layer.subLayerPaths.append(self._reference())

    def _reference(self) -> str:
        """The stage's file as the layer names it: beside it where that can be said."""
        try:
            return Path(os.path.relpath(self._scenery.path.resolve(), self.path.resolve().parent)).as_posix()
        except ValueError:  # another drive
            return self._scenery.path.resolve().as_posix()

    # -- several worlds -----------------------------------------------------------------------------------------------

    def _copies(self, layer: Any) -> None:
        """Refer to the stage once for each world, side by side on a square."""
        roots = [prim for prim in self._stage.GetPseudoRoot().GetChildren() if not prim.IsAbstract()]
        whole = None if len(roots) < 2 else self.path.with_name(f"{self.path.stem}_scene.usdc")
        if whole is not None:
            gather(self._stage, whole)
        Sdf.PrimSpec(layer, "worlds", Sdf.SpecifierDef, "Xform")
        columns = int(np.ceil(np.sqrt(len(self.worlds))))
        across, step = self._step()
        for number, world in enumerate(self.worlds):
            spec = Sdf.PrimSpec(layer.GetPrimAtPath("/worlds"), f"world_{world}", Sdf.SpecifierDef, "Xform")
            at = np.zeros(3)
            at[list(across)] = step * (number % columns, number // columns)
            self._put(spec, "xformOp:translate", TYPES.Double3, Gf.Vec3d(*at.tolist()))
            self._put(spec, "xformOpOrder", TYPES.TokenArray, Vt.TokenArray(["xformOp:translate"]), Sdf.VariabilityUniform)
            if whole is not None:
                spec.referenceList.Prepend(Sdf.Reference(whole.name, TOP))
            for root in roots if whole is None else ():
                copy = Sdf.PrimSpec(spec, root.GetName(), Sdf.SpecifierDef)
                copy.referenceList.Prepend(Sdf.Reference(self._reference(), root.GetPath()))

    def _step(self) -> tuple[tuple[int, int], np.ndarray]:
        """The two axes across the stage's up axis, and the distance between worlds along them in its unit."""
        across = (0, 1) if str(UsdGeom.GetStageUpAxis(self._stage)) == "Z" else (0, 2)
        if self._spacing is not None:
            return across, np.array(self._spacing) / self._length
        moved = np.concatenate([poses.reshape(-1, 7)[:, :3] for poses in self._poses] or [np.zeros((1, 3))])
        span = np.ptp(moved @ frames.to_matrix(self._scenery.base[1]), axis=0)[list(across)]  # of bodies: floors would put worlds far apart
        return across, np.maximum(1.0, 1.2 * span + 0.5) / self._length

    def _instances(self, layer: Any) -> None:
        """Prims inside instances cannot differ from them, so these become copies."""
        for item in self._scenery.prims:
            prim = self._stage.GetPrimAtPath(item.path)
            while prim and not prim.IsPseudoRoot():
                if prim.IsInstance():
                    for world in self.worlds:
                        self._over(layer, self.path_in(world, str(prim.GetPath()))).SetInfo("instanceable", False)
                prim = prim.GetParent()

    # -- poses --------------------------------------------------------------------------------------------------------

    def _motion(self) -> np.ndarray:
        """(nframe, nworld, nprim, 7) frames of the prims on the stage, in its unit, quaternions w first."""
        shape = (len(self._times), len(self.worlds), len(self._scenery.prims), 7)
        poses = np.array(self._poses).reshape(shape)
        pos, quat = poses[..., :3], np.roll(poses[..., 3:], 1, axis=-1)
        quat = quat / np.linalg.norm(quat, axis=-1, keepdims=True)
        back = frames.invert(*self._scenery.base)
        pos, quat = back[0] + rotate(back[1], pos), quat_mul(np.broadcast_to(back[1], quat.shape), quat)
        for k, item in enumerate(self._scenery.prims):
            pos[:, :, k] += rotate(quat[:, :, k], np.broadcast_to(item.offset[0], pos[:, :, k].shape))
            quat[:, :, k] = quat_mul(quat[:, :, k], np.broadcast_to(item.offset[1], quat[:, :, k].shape))
        return np.concatenate([pos / self._length, quat], axis=-1)

    def _prim(self, layer: Any, number: int, motion: np.ndarray, above: int | None, cache: Any) -> None:
        """Write the ops of one prim in every world; ``above`` is the number of the nearest prim above it that moves."""
        item, poses = self._scenery.prims[number], motion[:, :, number]
        prim = self._stage.GetPrimAtPath(item.path)
        own = _matrix(cache.GetLocalToWorldTransform(prim))
        frame = rigid(own, 1.0)
        parent = _matrix(cache.GetParentToWorldTransform(prim))
        if above is not None:
            upper = _matrix(cache.GetLocalToWorldTransform(self._stage.GetPrimAtPath(self._scenery.prims[above].path)))
            upper_frame = rigid(upper, 1.0)
            parent = np.linalg.inv(_rigid_matrix(*upper_frame.frame)) @ parent
        between = rigid(parent, 1.0)
        unscale, shape = np.linalg.inv(between.shape), frame.shape
        back = frames.invert(*between.frame)
        for column, world in enumerate(self.worlds):
            pos, quat = poses[:, column, :3], poses[:, column, 3:]
            if above is not None:
                pos, quat = _relative(motion[:, column, above], pos, quat)
            pos, quat = back[0] + rotate(back[1], pos), quat_mul(np.broadcast_to(back[1], quat.shape), quat)
            spec = self._over(layer, self.path_in(world, item.path))
            order = []
            for name, linear in ((BEFORE, unscale), ("", None), (AFTER, shape)):
                if not name:
                    self._samples(layer, spec, pos, _continuous(quat))
                    order += [MOVE, TURN]
                elif np.abs(linear - np.eye(3)).max() > SAME:
                    matrix = np.eye(4)
                    matrix[:3, :3] = linear
                    self._put(spec, name, TYPES.Matrix4d, Gf.Matrix4d(matrix.T.tolist()))
                    order.append(name)
            self._put(spec, "xformOpOrder", TYPES.TokenArray, Vt.TokenArray(order), Sdf.VariabilityUniform)

    def _samples(self, layer: Any, spec: Any, pos: np.ndarray, quat: np.ndarray) -> None:
        """Write the two ops of a motion; of what does not move one value."""
        move, turn = self._put(spec, MOVE, TYPES.Double3, None), self._put(spec, TURN, TYPES.Quatd, None)
        codes = [round(time * self._fps, 6) for time in self._times]
        if np.abs(pos - pos[0]).max() > STILL or np.abs(quat - quat[0]).max() > STILL:
            for attribute, kind, values in ((move, Gf.Vec3d, pos.tolist()), (turn, Gf.Quatd, quat.tolist())):
                path = attribute.path
                for code, value in zip(codes, values):
                    layer.SetTimeSample(path, code, kind(*value))
        else:
            move.default, turn.default = Gf.Vec3d(*pos[0].tolist()), Gf.Quatd(*quat[0].tolist())

    @staticmethod
    def _over(layer: Any, path: str) -> Any:
        """The spec of a prim, made with those above it where there is none."""
        return layer.GetPrimAtPath(path) or Sdf.CreatePrimInLayer(layer, path)

    @staticmethod
    def _put(spec: Any, name: str, kind: Any, value: Any, variability: Any = Sdf.VariabilityVarying) -> Any:
        attribute = spec.properties.get(name) or Sdf.AttributeSpec(spec, name, kind, variability)
        if value is not None:
            attribute.default = value
        return attribute


def _above(path: str, numbers: dict[str, int]) -> int | None:
    """Number of the nearest prim above a path that has one."""
    while "/" in path[1:]:
        path = path.rsplit("/", 1)[0]
        if path in numbers:
            return numbers[path]
    return None


def _matrix(matrix: Any) -> np.ndarray:
    """A matrix of USD's for columns."""
    return np.array(matrix, dtype=np.float64).T


def _rigid_matrix(pos: np.ndarray, quat: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = frames.to_matrix(quat), pos
    return matrix


def _relative(above: np.ndarray, pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frames in frames (n, 7) that move."""
    back = conjugate(above[:, 3:])
    return rotate(back, pos - above[:, :3]), quat_mul(back, quat)


def _continuous(quat: np.ndarray) -> np.ndarray:
    """Quaternions each of which is the nearer one to that before, so that players turn the short way."""
    signs = np.where(np.sum(quat[1:] * quat[:-1], axis=-1) < 0, -1.0, 1.0)
    return quat * np.concatenate([[1.0], np.cumprod(signs)])[: len(quat), None]
