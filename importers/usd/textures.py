"""Textures of materials: UsdUVTexture nodes with what leads their coordinates to them, checked now and decoded when a viewer asks.

Pictures are PNG files, as for MJCF, beside the stage or inside a package; what cannot be read is listed, and the material shows its colour.
A cube or a sky, which no node of USD's is, is one that our own stages keep: the picture of a node that nothing is connected to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Ar, Sdf, UsdShade

from newtonish.common.colours import display
from newtonish.errors import ImporterError, problem
from newtonish.importers.mjcf.assets.texture_pixels import SIDES, cube_of_grid
from newtonish.importers.pictures import MOST_BYTES, Picture, open_picture, picture_of
from newtonish.importers.usd.source import Source
from newtonish.namespaces.looks import ROLES, TEXTURE_TYPES, Texture

__all__ = ["Textures"]

SPACES = {"raw": 1, "sRGB": 2}
SPACE = "newtonish:texture"
NEUTRAL = {"inputs:scale": (1.0,) * 4, "inputs:bias": (0.0,) * 4}
EXACT = 1e-6


class Textures:
    """Reads textures, each once.

    Args:
        source: The stage.
        used: Takes the paths of nodes that gave something.

    Attributes:
        made: Textures by file and what was asked of it; None for one that cannot be read.
    """

    def __init__(self, source: Source, used: set[str]) -> None:
        self._source, self._used = source, used
        self._numbers: dict[tuple[Any, ...], float] = {}
        self.made: dict[tuple[Any, ...], Texture | None] = {}

    def read_loose(self) -> list[Texture | None]:
        """Read those that no material has, which only our own stages keep; returns all, in the order that these say."""
        for prim in self._source.of("Shader"):
            if f"{SPACE}:name" in self._source.authored(prim) and self._source.kind(prim.GetParent()) != "Material":
                self.read(prim, "rgb")
        return [self.made[key] for key in sorted(self.made, key=lambda key: self._numbers[key])]

    @staticmethod
    def is_texture(prim: Any) -> bool:
        """Whether a node is a picture."""
        shader = UsdShade.Shader(prim)
        return bool(shader) and shader.GetIdAttr().Get() == "UsdUVTexture"

    def unconnected(self, material: Any) -> dict[str, Any]:
        """Nodes of a material by the roles that they are kept for though no input of its surface can have them."""
        roles = {self._source.get(prim, f"{SPACE}:role"): prim for prim in material.GetChildren()}
        return {role: prim for role, prim in roles.items() if role in ROLES}

    def factor(self, shader: Any) -> list[float] | None:
        """What a picture's linear colour is multiplied by, as screens show it; None for nothing."""
        scale = self._source.get(shader, "inputs:scale")
        return display(scale[:3]).tolist() if isinstance(scale, list) and len(scale) == 4 and np.isfinite(scale).all() else None

    def placed(self, shader: Any) -> tuple[str, tuple[float, float] | None]:
        """Name of a picture's coordinates, and how often it repeats, None where nothing says it; turns and shifts are listed."""
        repeat, node = None, self._producer(shader, "st")
        if node is not None and self._id(node) == "UsdTransform2d":
            self._use(node)
            scale, shift = (self._pair(node, name, usual) for name, usual in (("scale", 1.0), ("translation", 0.0)))
            turn = self._constant(node, "rotation")
            ours = (0.0, 1.0 - scale[1])  # MuJoCo counts from the first row of the picture
            if turn or any(abs(own - due - round(own - due)) > EXACT for own, due in zip(shift, ours)):
                self._source.log.approximated("texture transform", self._source.place(node), "inputs:translation, rotation", "only its scale is kept")
            repeat, node = scale, self._producer(node, "in")
        if node is None or self._id(node) != "UsdPrimvarReader_float2":
            return "st", repeat
        self._use(node)
        return str(self._constant(node, "varname") or "st"), repeat

    def read(self, shader: Any, role: str) -> Texture | None:
        """The texture of a node; None, and a note, for one that cannot be read."""
        source = self._source
        self._use(shader)
        asset = self._constant(shader, "file")
        if not isinstance(asset, Sdf.AssetPath) or not asset.path:
            self._note(shader, "names no file")
            return None
        for name, neutral in NEUTRAL.items():
            value = source.get(shader, name)
            colour = name == "inputs:scale" and role in ("rgb", "rgba")
            normal = role == "normal" and value in ([2.0, 2.0, 2.0, 1.0], [2.0, 2.0, 2.0, 2.0], [-1.0, -1.0, -1.0, 0.0])
            if value is not None and not colour and not normal and tuple(value) != neutral:
                source.log.approximated("texture scale", source.place(shader), name, "is not kept: the picture counts as it is")
        for name in ("wrapS", "wrapT"):
            if self._constant(shader, name) not in (None, "repeat", "useMetadata"):
                source.log.approximated("texture wrap", source.place(shader), f"inputs:{name}", "the picture repeats, as MuJoCo's do")
        kind = source.get(shader, f"{SPACE}:type", TEXTURE_TYPES[0])
        channels = source.get(shader, f"{SPACE}:nchannel", 4 if role == "rgba" else 3)
        if kind not in TEXTURE_TYPES or channels not in (1, 3, 4):
            source.problem(shader, f"{SPACE}:type, nchannel", f"{kind}, {channels}", f"{', '.join(TEXTURE_TYPES)}; 1, 3, 4", "correct them")
            return None
        name = source.get(shader, f"{SPACE}:name", Path(asset.path).stem)
        space = str(source.get(shader, f"{SPACE}:colorspace") or self._constant(shader, "sourceColorSpace") or "auto")
        key = (asset.resolvedPath or asset.path, name, kind, channels, space)
        if key not in self.made:
            self._numbers[key] = source.number(shader, f"{SPACE}:number", np.inf)
            self.made[key] = self._texture(shader, asset, str(name), TEXTURE_TYPES.index(kind), channels, SPACES.get(space, 0))
        return self.made[key]

    def _texture(self, shader: Any, asset: Any, name: str, kind: int, channels: int, space: int) -> Texture | None:
        """Open a picture."""
        if not asset.resolvedPath:
            self._note(shader, f"leads to {asset.path}, which is not there")
            return None
        try:
            picture = _opened(asset.resolvedPath)
        except ImporterError as error:
            self._note(shader, str(error))
            return None
        height, width = picture.height, picture.width
        if kind and height not in (width, 6 * width):
            self._note(shader, f"is a picture of {width} by {height} pixels for a {TEXTURE_TYPES[kind]}, which has one square side or six")
            return None
        make: Callable[[], np.ndarray] = partial(picture.pixels, channels)
        if kind and height != width:
            make = partial(_cube, picture)
        unsaid = 0 if f"{SPACE}:number" in self._source.authored(shader) else 1 + picture.srgb  # one of ours may have been made by rule, without a file
        return Texture(name, kind, space or unsaid, height, width, channels, make)

    def _note(self, shader: Any, note: str) -> None:
        self._source.log.ignored("texture", self._source.place(shader), "inputs:file", f"{note}; the material shows its colour")

    def _use(self, node: Any) -> None:
        """Note that a node, and all that is authored on it, was taken care of."""
        self._used.add(str(node.GetPath()))
        self._source.use(node, *self._source.authored(node))

    @staticmethod
    def _id(node: Any) -> str:
        return str(UsdShade.Shader(node).GetIdAttr().Get())

    @staticmethod
    def _given(node: Any, name: str) -> Any:
        """The attribute that gives an input of a node its value, None for none."""
        given = UsdShade.Shader(node).GetInput(name)
        found = given.GetValueProducingAttributes() if given else []
        return found[0] if found else None

    def _producer(self, node: Any, name: str) -> Any:
        """The node that an input is connected to; None for a constant."""
        found = self._given(node, name)
        if found is None or UsdShade.Utils.GetType(found.GetName()) == UsdShade.AttributeType.Input:
            return None
        return found.GetPrim()

    def _constant(self, node: Any, name: str) -> Any:
        """The value of an input."""
        found = self._given(node, name)
        return None if found is None else found.Get()

    def _pair(self, node: Any, name: str, usual: float) -> tuple[float, float]:
        """An input of two numbers."""
        value = self._constant(node, name)
        pair = (usual, usual) if value is None else tuple(map(float, value))
        if len(pair) != 2 or not np.isfinite(pair).all():
            self._source.problem(node, f"inputs:{name}", str(value), "two finite numbers", "correct them")
            return usual, usual
        return pair


def _opened(path: str) -> Picture:
    """Open the picture of a resolved path, which may lead into a package.

    Raises:
        ImporterError: It cannot be read, or is no PNG picture.
    """
    if not Ar.IsPackageRelativePath(path):
        return open_picture(Path(path))
    asset = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(path))
    if asset is None or asset.GetSize() > MOST_BYTES:
        given = "nothing that can be opened" if asset is None else f"{asset.GetSize()} bytes"
        raise ImporterError(problem(f"texture file {path}", given, f"a picture of at most {MOST_BYTES} bytes", "supply the picture, or scale it down"))
    return picture_of(Path(path.rstrip("]")), bytes(asset.GetBuffer()))


def _cube(picture: Picture) -> np.ndarray:
    """Pixels of a cube whose six sides stand below one another."""
    return cube_of_grid(picture.pixels(3), 6, SIDES, (0.0, 0.0, 0.0))
