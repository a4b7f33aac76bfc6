"""Skins: surfaces that follow the bodies of their bones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from newtonish.common.constants import MINVAL
from newtonish.viewer.scene.arrays import Instances, Triangles
from newtonish.viewer.scene.bodies import Bodies
from newtonish.viewer.scene.enums import Category, Kind
from newtonish.viewer.scene.library import Library
from newtonish.viewer.scene.options import VisualOptions
from newtonish.viewer.scene.rotations import from_wxyz

__all__ = ["Skins"]


class _Skin:
    """One skin of one world, with its entry in the library.

    Corners move with a mean of the motions of their bones (linear blend skinning): a sparse matrix of weights times the bones'
    motions, twelve numbers each, gives the motion of each corner.
    """

    def __init__(self, custom: Any, data: int, bones: np.ndarray, library: Library) -> None:
        def part(name: str, of: str) -> np.ndarray:
            first, count = int(getattr(custom, f"skin_{of}adr")[data]), int(getattr(custom, f"skin_{of}num")[data])
            return getattr(custom, f"skin_{name}")[first : first + count]

        self.bones, self.inflate = bones, float(custom.skin_inflate[data])
        self.material, self.color, self.group = int(custom.skin_matid[data]), custom.skin_rgba[data], int(custom.skin_group[data])
        rest = part("vert", "vert").astype(np.float32)
        self.points = np.concatenate([rest, np.ones((len(rest), 1), dtype=np.float32)], axis=1)
        self.faces = part("face", "face").astype(np.int32)
        self.turn, self.place = from_wxyz(part("bonebindquat", "bone")), part("bonebindpos", "bone")
        first, number = part("bonevertadr", "bone"), part("bonevertnum", "bone")
        at = np.concatenate([np.arange(a, a + n) for a, n in zip(first, number)]) if len(first) else np.zeros(0, dtype=int)
        entries = custom.skin_bonevertweight[at], (custom.skin_bonevertid[at], np.repeat(np.arange(len(number)), number))
        self.weights = sparse.csr_matrix(entries, shape=(len(rest), len(number)), dtype=np.float32)
        corner = np.repeat(np.arange(len(self.faces)), 3)
        ones = np.ones(len(corner), dtype=np.float32)
        self.around = sparse.csr_matrix((ones, (self.faces.reshape(-1), corner)), shape=(len(rest), len(self.faces)))
        uvs = None
        if int(custom.skin_texcoordadr[data]) >= 0:
            start = int(custom.skin_texcoordadr[data])
            uvs = custom.skin_texcoord[start : start + len(rest)].astype(np.float32)
        self.mesh = Triangles(rest, np.zeros_like(rest), self.faces, uvs, name="skin")
        self.entry = library.add(self.mesh)

    def follow(self, position: np.ndarray, rotation: np.ndarray) -> None:
        """Move the corners to where bodies (n, 3), (n, 3, 3) have them, offsets of worlds included; normals follow."""
        turned = np.matmul(rotation, np.swapaxes(self.turn, 1, 2))
        shift = position - np.matmul(turned, self.place[:, :, None])[:, :, 0]
        motion = np.concatenate([turned, shift[:, :, None]], axis=2).reshape(len(turned), 12).astype(np.float32)
        corners = (self.weights @ motion).reshape(-1, 3, 4)
        moved = np.einsum("vij,vj->vi", corners, self.points)
        edges = moved[self.faces[:, 1:]] - moved[self.faces[:, :1]]
        normals = self.around @ np.cross(edges[:, 0], edges[:, 1])  # as long as twice the areas, which weigh them
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), MINVAL)
        self.mesh.positions = np.ascontiguousarray(moved + self.inflate * normals, dtype=np.float32)
        self.mesh.normals = np.ascontiguousarray(normals, dtype=np.float32)
        self.mesh.version += 1


class Skins:
    """All skins of a model.

    Args:
        model: Newton's model.
        library: Receives an entry for each.
        shown: (worlds,) whether each world is shown.
        alpha: Factor of the opacity in transparent mode.
    """

    def __init__(self, model: Any, library: Library, shown: np.ndarray, alpha: float) -> None:
        self._alpha, self.skins, self.world = alpha, [], []
        custom = getattr(model, "mujoco", None)
        try:
            count = len(custom.skin_vertadr)
        except AttributeError:  # a model of another package, or one that has nothing of MuJoCo's
            return
        data, worlds, bones = (getattr(custom, name) for name in ("skin_data", "skin_world", "skin_bone_body"))
        first = 0
        for kind, world in zip(data.numpy().tolist() if count else [], worlds.numpy().tolist()):
            number = int(custom.skin_bonenum[kind])
            if world < 0 or shown[world]:
                self.skins.append(_Skin(custom, kind, bones.numpy()[first : first + number], library))
                self.world.append(world)
            first += number

    def place(self, options: VisualOptions, bodies: Bodies, looks: Any) -> Instances | None:
        """The skins that options show, moved to a state; None where there are none."""
        if not options.skin or not int(options.categories) & Category.DYNAMIC:
            return None
        rows = [at for at, skin in enumerate(self.skins) if options.skingroup[min(max(skin.group, 0), 5)] and skin.color[3] > 0.0]
        if not rows:
            return None
        made = Instances.empty(len(rows))
        for at, row in enumerate(rows):  # over skins
            skin = self.skins[row]
            on_world = skin.bones < 0
            rotation = np.where(on_world[:, None, None], np.eye(3), bodies.rotation[skin.bones])
            skin.follow(np.where(on_world[:, None], bodies.offsets[max(self.world[row], 0)], bodies.position[skin.bones]), rotation)
            made.triangles[at], made.index[at], made.world[at] = skin.entry, row, self.world[row]
            made.body[at] = skin.bones[0] if len(skin.bones) else -1
            plain = np.all(skin.color == np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)) and skin.material >= 0
            made.color[at] = looks.colors[skin.material] if plain else skin.color
            made.material[at] = skin.material
        if not options.texture:
            made.material[:] = looks.plain(made.material)
        if options.transparent:
            made.color[:, 3] *= self._alpha
        made.category[:], made.kind[:], made.shadow[:] = Category.DYNAMIC, Kind.SKIN, True
        return made
