"""From a stage to its contents: prims become elements as an MJCF file has them, and these are resolved as those are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from newtonish.importers.mjcf.assets.fields import FieldReader
from newtonish.importers.mjcf.assets.hfields import read_hfields
from newtonish.importers.mjcf.assets.looks import Pictures
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.cameras import CameraReader
from newtonish.importers.mjcf.contents import Contents, read_contents
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.keyframes import read_keyframes
from newtonish.importers.mjcf.roots import RootChanges
from newtonish.importers.mjcf.user import check_user
from newtonish.importers.usd import relations
from newtonish.importers.usd.bodies import BodyReader, Wishes
from newtonish.importers.usd.contacts import Filters, read_filters
from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.distances import distance_tendons
from newtonish.importers.usd.document import check_values, element
from newtonish.importers.usd.kept import KeptReader
from newtonish.importers.usd.mass import WeighingGeoms, WeighingTree
from newtonish.importers.usd.materials import Materials
from newtonish.importers.usd.motion import MotionReader
from newtonish.importers.usd.newton_actuators import read_newton_actuators
from newtonish.importers.usd.roots import changed_roots
from newtonish.importers.usd.scene import Scene, read_scene
from newtonish.importers.usd.shapes import ShapeReader
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.read import Node

__all__ = ["StageContents", "Ways", "read_stage"]


class Ways(NamedTuple):
    """How the caller wants a stage to be read; see ``add_usd``."""

    bodies: Wishes
    roots: RootChanges
    keep_meshes: bool
    old_margins: bool
    gain_scale: float
    both_modes: bool
    self_collisions: bool
    decomposes: bool


@dataclass
class StageContents:
    """Everything a stage says, resolved."""

    source: Source
    resolver: Resolver
    scene: Scene
    bodies: BodyReader
    shapes: ShapeReader
    filters: Filters
    contents: Contents
    kept: frozenset[str] = frozenset()


def read_stage(source: Source, resolver: Resolver, ways: Ways) -> StageContents:
    """Read a stage; what is wrong with it is in ``source.log``."""
    scene = read_scene(source, resolver)
    shapes = ShapeReader(source, resolver, Materials(source, resolver), ways.keep_meshes, ways.old_margins, ways.decomposes)
    motion = MotionReader(source, resolver, scene.degree, ways.gain_scale, ways.both_modes)
    bodies = BodyReader(source, resolver, shapes, motion, ways.bodies)
    root = element("mujoco", "/")
    root.children = [scene.option, bodies.read()]
    filters = read_filters(source, resolver, bodies, ways.self_collisions)
    root.children.append(filters.section())
    _add_relations(root, source, resolver, bodies, scene)
    root.children.append(shapes.terrains)
    kept = KeptReader(source, bodies)
    kept.read(root, scene.prim)
    source.log.read = True
    check_values(root, source.log)
    contents = _resolve(root, source, scene, shapes, bodies, ways.roots)
    return StageContents(source, resolver, scene, bodies, shapes, filters, contents, kept.paths)


def _add_relations(root: Node, source: Source, resolver: Resolver, bodies: BodyReader, scene: Scene) -> None:
    """Add what connects bodies: tendons, equality constraints, actuators, and the keyframes of all."""
    tendons = relations.read_tendons(source, bodies) if resolver.mjc else element("tendon", "/")
    distance_tendons(bodies, root.children[1], tendons)
    root.children += [tendons, relations.read_equalities(source, resolver, bodies)]
    actuators = relations.read_actuators(source, bodies) if resolver.mjc else element("actuator", "/")
    actuators.children += read_newton_actuators(source, resolver, bodies, scene.option.values.get("timestep"))
    root.children.append(actuators)
    if resolver.mjc:
        root.children.append(relations.read_keyframes(source))


def _resolve(root: Node, source: Source, scene: Scene, shapes: ShapeReader, bodies: BodyReader, roots: RootChanges) -> Contents:
    """Resolve elements as those of an MJCF file."""
    log, settings, defaults = source.log, scene.settings, Defaults(root, source.log)
    materials = shapes.looks.read_loose()
    looks = Looks({str(number): texture for number, texture in enumerate(shapes.looks.textures.read_loose())}, materials, log)
    geoms = WeighingGeoms(settings, defaults, shapes.meshes, read_hfields(root, settings, log), FieldReader(root, log), looks, log)
    cameras = CameraReader(settings, defaults, log)
    trees = WeighingTree(settings, defaults, geoms, cameras, Looks(), log, roots=changed_roots(bodies, roots))
    geoms.own = trees.own = bodies.masses
    tree = trees.read(root)
    contents = read_contents(root, tree, settings, defaults, Looks(), log, lambda actuators: read_keyframes(root, tree, actuators, log))
    contents.pictures = Pictures(looks)
    check_user(contents, log)
    return contents
