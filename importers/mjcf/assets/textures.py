"""The ``texture`` elements: which pictures they are made of, checked now and decoded when a viewer asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.common.paths import portable
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError
from newtonish.importers.mjcf.assets.texture_pixels import SIDES, builtin, cube_of_grid, cube_of_sides
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.pictures import Picture, open_picture
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.read import Node
from newtonish.namespaces.looks import Texture

__all__ = ["read_textures"]

Pixels = Callable[[], np.ndarray]
FILES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
MOST_WIDTH = 16384
PROCEDURAL = ("builtin", "rgb1", "rgb2", "mark", "markrgb", "random", "width", "height")


def read_textures(root: Node, settings: Settings, defaults: Defaults, log: Diagnostics) -> dict[str, Texture | None]:
    """Return the textures of a file by name, None for one with a problem; skyboxes may have an empty name."""
    textures: dict[str, Texture | None] = {}
    for section in root.sections("asset"):
        for node in section.sections("texture"):
            values, _ = defaults.values(node, None)
            name = values.get("name") or Path(portable(values.get("file", ""))).stem
            if name in textures and name:
                log.problem(node.at("name"), f"texture '{name}'", "the name again", "each name once", "rename it")
                continue
            if not name and values["type"] != "skybox":
                log.problem(node.location, node.label, "no name", "a name, unless it is a skybox", 'add name="..."')
                continue
            while name in textures:  # skyboxes need no names
                name += " "
            textures[name] = _texture(node, name.strip(), values, settings.of(node), log)
    return textures


def _texture(node: Node, name: str, values: dict[str, Any], settings: Settings, log: Diagnostics) -> Texture | None:
    """Read one element."""
    made = _Reader(node, name, values, settings, log)
    file = values.get("file", "")
    if values["builtin"] == "none" and (values.get("content_type") == "image/ktx" or portable(file).lower().endswith(".ktx")):
        if settings.texture(file).is_file():
            log.ignored("texture.ktx", node.at("file"), made.what, "a KTX picture, which is not read; materials show their colours")
            return None
    try:
        return made.texture()
    except ImporterError as error:
        log.failed(node.at("file"), made.what, error)
    except ValueError as error:
        given, allowed, remedy = error.args
        log.problem(node.location, made.what, given, allowed, remedy)
    return None


class _Reader:
    """Reads one texture; what is wrong with it is a ValueError of (given, allowed, remedy)."""

    def __init__(self, node: Node, name: str, values: dict[str, Any], settings: Settings, log: Diagnostics) -> None:
        self.what = f"texture '{name}'" if name else "texture"
        self._node, self._name, self._values, self._settings, self._log = node, name, values, settings, log

    def texture(self) -> Texture:
        """The texture, its kind chosen as MuJoCo chooses it: procedural, one file, or a file a side."""
        values = self._values
        kind, nchannel = KEYWORDS["texture"].split().index(values["type"]), values["nchannel"]
        space = KEYWORDS["colorspace"].split().index(values["colorspace"])
        if nchannel not in (1, 3, 4):
            raise ValueError(f"nchannel {nchannel}", "1, 3 or 4", "correct it")
        if nchannel != 3 and (kind or values["builtin"] != "none"):
            raise ValueError(f"nchannel {nchannel}", "3, for cubes, skyboxes and procedural textures", "correct it")
        if values["builtin"] != "none":
            return self._procedural(kind, space)
        if values.get("file"):
            picture = self._open(values["file"])
            height, width, make = self._flat(picture, nchannel) if kind == 0 else self._cube(picture)
            return Texture(self._name, kind, space or 1 + picture.srgb, height, width, nchannel, make)
        if kind == 0:
            raise ValueError("neither file nor builtin", "one of them, for type 2d", "add one")
        return self._sides(kind, space)

    def _procedural(self, kind: int, space: int) -> Texture:
        values = self._values
        width, height = values["width"], values["width"] if kind else values["height"]
        if not 1 <= width <= MOST_WIDTH or not 1 <= height <= MOST_WIDTH:
            raise ValueError(f"{width} by {height} pixels", f"a builtin texture of 1 to {MOST_WIDTH} pixels each way", "set width and height")
        make = partial(builtin, values["builtin"], bool(kind), height, width, values)
        said = {name: values[name] for name in PROCEDURAL}
        return Texture(self._name, kind, space, 6 * height if kind else height, width, 3, make, said)

    def _open(self, name: str) -> Picture:
        return open_picture(self._settings.texture(name), self._values.get("content_type", ""), limits().size)

    def _turned(self, picture: Picture, nchannel: int = 3) -> Pixels:
        """What makes the pixels of a picture, flipped as the element says."""
        return partial(_flipped, picture, nchannel, self._values["vflip"], self._values["hflip"])

    def _flat(self, picture: Picture, nchannel: int) -> tuple[int, int, Pixels]:
        return picture.height, picture.width, self._turned(picture, nchannel)

    def _cube(self, picture: Picture) -> tuple[int, int, Pixels]:
        """One square for all sides, or a grid of them."""
        rows, columns = self._values["gridsize"]
        if rows < 1 or columns < 1 or rows * columns > 12:
            raise ValueError(f"gridsize {rows} {columns}", "1 to 12 fields", "correct it")
        if picture.width % columns or picture.height % rows or picture.width // columns != picture.height // rows:
            given = f"{picture.width} by {picture.height} pixels for {rows} rows of {columns} fields"
            raise ValueError(given, "square fields", "correct gridsize, or cut the picture to fit")
        width = picture.width // columns
        if rows == columns == 1:
            return width, width, self._turned(picture)
        layout = self._values.get("gridlayout", "." * rows * columns)
        if len(layout) != rows * columns or set(layout) - set(SIDES + "."):
            raise ValueError(f"gridlayout '{layout[:20]}'", f"{rows * columns} of {SIDES} and .", "correct it")
        pixels, empty = self._turned(picture), self._values["rgb1"]
        return 6 * width, width, lambda: cube_of_grid(pixels(), rows, layout, empty)

    def _sides(self, kind: int, space: int) -> Texture:
        """A file for each side; those without one have the first colour."""
        pictures = {side: self._open(self._values[name]) for side, name in enumerate(FILES) if self._values.get(name)}
        if not pictures:
            raise ValueError("neither file nor builtin", "a file, a file a side, or builtin", "add one")
        width = next(iter(pictures.values())).width
        for picture in pictures.values():
            if (picture.width, picture.height) != (width, width):
                given = f"{picture.path.name} of {picture.width} by {picture.height} pixels"
                raise ValueError(given, f"squares of one size, {width} pixels", "scale it")
        srgb = list(pictures.values())[-1].srgb
        sides, empty = {side: self._turned(picture) for side, picture in pictures.items()}, self._values["rgb1"]
        make = lambda: cube_of_sides({side: pixels() for side, pixels in sides.items()}, width, empty)  # noqa: E731
        return Texture(self._name, kind, space or 1 + srgb, 6 * width, width, 3, make)


def _flipped(picture: Picture, nchannel: int, vflip: bool, hflip: bool) -> np.ndarray:
    """Pixels of a picture; it holds nothing of the file's text."""
    return picture.pixels(nchannel)[:: -1 if vflip else 1, :: -1 if hflip else 1]
