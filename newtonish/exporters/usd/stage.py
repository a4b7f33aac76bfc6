"""save_to_usd: one world of a model as an OpenUSD stage, UsdPhysics with ``mjc:*`` and ``newton:*``, that imports to the same arrays.

What is written is the result of compiling, as in :func:`newtonish.save_to_mjcf`, whose elements are gone through; what
neither UsdPhysics nor the schemas that are wanted have a word for stands beside them as custom attributes ``newtonish:*``, which
``ModelBuilder.add_usd`` reads and others pass over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.diagnostics import Diagnostics, Location
from newtonish.errors import ModelError, problem
from newtonish.exporters.assets import texture_coordinates
from newtonish.exporters.mjcf import compiled_tree
from newtonish.exporters.pictures import PictureWriter
from newtonish.exporters.usd.equalities import EqualityWriter
from newtonish.exporters.usd.forces import Forces, read_forces
from newtonish.exporters.usd.kept import Keeper
from newtonish.exporters.usd.layer import StageLayer, identifier
from newtonish.exporters.usd.looks import LookWriter
from newtonish.exporters.usd.materials import MaterialWriter
from newtonish.exporters.usd.meshes import MeshWriter
from newtonish.exporters.usd.paths import SCOPES, Paths
from newtonish.exporters.usd.relations import RATE, RelationWriter
from newtonish.exporters.usd.scene import write_scene
from newtonish.exporters.usd.shapes import ShapeWriter
from newtonish.exporters.usd.tree import TreeWriter
from newtonish.exporters.world import CompiledWorld
from newtonish.files import replacing
from newtonish.mjcf.language.read import Node, check_tree
from newtonish.namespaces.looks import Texture

__all__ = ["Written", "save_to_usd"]

SCHEMAS = ("mjc", "newton")
SAME = 1e-6
"""Difference of two frames that is rounding."""


@dataclass
class Written:
    """What became of a model.

    Attributes:
        top: Path of the default prim.
        bodies: Path of the prim of each body by MuJoCo's number; that of the world's scope first.
        left_out: Four-part lines, one for each thing that could not be written as it is.
        files: The textures' files beside the stage.
    """

    top: str
    bodies: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)


def save_to_usd(source: Any, path: str | PathLike[str], world: int = 0, name: str = "", schemas: Sequence[str] = SCHEMAS) -> Written:
    """Write one world of a model as a USD stage in metres and kilograms, Z up, and its textures as PNG files ``NAME_of_the_file.TEXTURE.png`` beside it.

    Args:
        source: A Model (ours or Newton's), a ``SolverMuJoCo``, or the result of ``newtonish.convert.convert``.
        path: File to write, ``.usda`` for text, ``.usdc`` or ``.usd`` for the binary form; an existing one is replaced.
        world: Whose values are written, from 0.
        name: Name of the default prim; that of the file where it is empty.
        schemas: Families of attributes to write beside UsdPhysics, one or both of ``mjc`` and ``newton``. What those that are written have no
            word for stands in ``newtonish:*`` in either case.

    Returns:
        Where the bodies stand, and what could not be written as it is, by name.

    Raises:
        ModelError: There is no such world or family of attributes, or the model cannot be converted.
        OSError: The file cannot be written.
    """
    path = Path(path)
    wanted = (schemas,) if isinstance(schemas, str) else tuple(schemas)
    if not wanted or not set(wanted) <= set(SCHEMAS):
        raise ModelError(problem("save_to_usd: schemas", repr(schemas), f"one or both of {', '.join(SCHEMAS)}", "name the families to write"))
    root, one, textures = _elements(source, world, path.stem)
    forces = read_forces(one, getattr(source, "model", source), "newton" in wanted)
    layer = Sdf.Layer.CreateAnonymous(path.suffix if path.suffix in (".usda", ".usdc") else ".usdc")
    top = "/" + identifier(name or path.stem, set(), "model")
    with Sdf.ChangeBlock():
        stage = _Stage(StageLayer(layer, wanted), root, top, one, textures, path)
        written = stage.write(forces)
    written.left_out = [*one.problems, *forces.problems, *_massless(root)]
    written.files = stage.looks.write_files()
    with replacing(path) as partial:
        if not layer.Export(str(partial)):
            raise OSError(f"{path} cannot be written")
    return written


def _elements(source: Any, world: int, stem: str) -> tuple[Node, CompiledWorld, dict[str, Texture]]:
    """The typed elements of a model, what has no words, and its textures by name."""
    files: dict[str, Texture] = {}
    tree, one = compiled_tree(source, world, "save_to_usd", filters=False, pictures=PictureWriter(stem, files))

    def node(element: Any) -> Node:
        made = Node(str(element.tag), Location("model"), dict(element.attrib))
        made.children = [node(child) for child in element]
        return made

    root = node(tree)
    log = Diagnostics("save_to_usd")
    check_tree(root, log)
    if not one.problems:
        log.check()
    _weightless(next(root.sections("worldbody")), one)
    kept = one.compiled.kept
    return root, one, {} if kept is None else dict(zip(one.names["tex"], kept.textures))


def _weightless(above: Node, one: CompiledWorld) -> None:
    """Give bodies without mass an inertial frame where it is another one than the reader would give them."""
    for body in above.sections("body"):
        if not any(body.sections("inertial")):
            number = one.names["body"].index(body.values["name"])
            pos, quat = np.array(one.body_ipos[number], dtype=float), np.array(one.body_iquat[number], dtype=float)
            if np.abs(pos - body.values["pos"]).max() > SAME or 1.0 - abs(quat @ body.values["quat"]) > SAME:
                values = {"pos": pos.tolist(), "quat": quat.tolist(), "mass": 0.0, "diaginertia": [0.0] * 3}
                body.children.append(Node("inertial", body.location, kind="inertial", values=values))
        _weightless(body, one)


def _massless(root: Node) -> list[str]:
    """Lines for bodies that move without mass: they stand on the stage, but cannot be simulated from it."""
    lines: list[str] = []

    def weighs(body: Node) -> bool:
        own = any(inertial.values["mass"] > 0 and min(inertial.values["diaginertia"]) > 0 for inertial in body.sections("inertial"))
        return own or any(weighs(child) for child in body.sections("body") if not any(child.sections("joint")))

    def walk(above: Node) -> None:
        for body in above.sections("body"):
            if any(body.sections("joint")) and not weighs(body):
                lines.append(problem(f"body '{body.values['name']}'", "no mass on a moving body", "mass and moments above zero", "give it some"))
            walk(body)

    walk(next(root.sections("worldbody")))
    return lines


class _Stage:
    """A stage in the making, and all that write it."""

    def __init__(self, layer: StageLayer, root: Node, top: str, one: CompiledWorld, textures: dict[str, Texture], out: Path) -> None:
        self._layer, self._root, self._top, self._one = layer, root, top, one
        info = layer.layer.pseudoRoot
        for key, value in (("metersPerUnit", 1.0), ("kilogramsPerUnit", 1.0), ("upAxis", "Z"), ("timeCodesPerSecond", RATE), ("defaultPrim", top[1:])):
            info.SetInfo(key, value)
        layer.define(top, "Xform").SetInfo("kind", "component")
        self._paths = Paths(root, top)
        self._keeper = Keeper(layer, self._paths)
        self.looks = LookWriter(layer, self._keeper, root, top, textures, out)

    def write(self, forces: Forces) -> Written:
        """Write everything but the files of textures."""
        layer, keeper, root, top, one, paths = self._layer, self._keeper, self._root, self._top, self._one, self._paths
        write_scene(layer, keeper, root, f"{top}/PhysicsScene")
        self.looks.write()
        meshes = MeshWriter(layer, keeper, root, top, texture_coordinates(one))
        meshes.write()
        shapes = ShapeWriter(layer, keeper, meshes, MaterialWriter(layer, top), self.looks, forces)
        tree = TreeWriter(layer, keeper, paths, shapes, forces)
        tree.write(next(root.sections("worldbody")))
        _widths(root)
        relations, equalities = RelationWriter(layer, keeper, paths), EqualityWriter(layer, keeper, paths, tree)
        for section in root.children:
            if section.tag == "equality" and section.children:
                equalities.write(section)
            elif section.tag in SCOPES:
                relations.section(section)
        names = one.names["geom"]
        relations.filters([(names[a], names[b]) for a, b in one.compiled.geom_filter_pairs])
        return Written(top, [placed.path or paths.world for placed in tree.placed.values()])


def _widths(root: Node) -> None:
    """Give fixed tendons the looks that only their class says."""
    looks = {inner.values["class"]: inner.children[0].values for section in root.sections("default") for inner in section.sections("default")}
    for tendon in (child for section in root.sections("tendon") for child in section.children):
        tendon.values |= looks.get(tendon.values.pop("class", ""), {})
