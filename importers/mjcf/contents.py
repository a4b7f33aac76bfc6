"""Contents: everything a file says, with defaults, units, names and inertia resolved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.actuators import read_actuators
from newtonish.importers.mjcf.assets.fields import FieldReader
from newtonish.importers.mjcf.assets.hfields import read_hfields
from newtonish.importers.mjcf.assets.looks import Pictures, read_looks
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.assets.meshes import read_meshes
from newtonish.importers.mjcf.assets.skins import read_skins
from newtonish.importers.mjcf.balls import balls_for_hinges
from newtonish.importers.mjcf.bodies import TreeReader
from newtonish.importers.mjcf.cameras import ZNEAR, CameraReader
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.contacts import read_excludes, read_pairs
from newtonish.importers.mjcf.custom import Custom, read_custom
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.equalities import Equality, read_equalities
from newtonish.importers.mjcf.geoms import GeomReader
from newtonish.importers.mjcf.keyframes import Inherited, Keyframe, read_keyframes
from newtonish.importers.mjcf.macros.copies import Model
from newtonish.importers.mjcf.options import read_options
from newtonish.importers.mjcf.report import note_kept_out
from newtonish.importers.mjcf.roots import RootChanges
from newtonish.importers.mjcf.sensors import Sensor, read_sensors
from newtonish.importers.mjcf.static import meshes_in_use
from newtonish.importers.mjcf.tendons import Tendon, read_tendons
from newtonish.importers.mjcf.tree import Tree
from newtonish.importers.mjcf.user import check_user, read_user_sizes
from newtonish.importers.mjcf.visual import read_visual
from newtonish.mjcf.language.read import Node

__all__ = ["Contents", "ContentsReader", "Ways", "read_contents"]


@dataclass
class Contents:
    """Everything a file says, resolved."""

    title: str
    tree: Tree
    tendons: list[Tendon]
    options: dict[str, Any]
    actuators: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    excludes: list[dict[str, Any]]
    equalities: list[Equality]
    sensors: list[Sensor]
    keys: list[Keyframe]
    custom: list[Custom]
    pictures: Pictures = field(default_factory=Pictures)
    user_sizes: dict[str, int] = field(default_factory=dict)


def read_contents(
    root: Node,
    tree: Tree,
    settings: Settings,
    defaults: Defaults,
    looks: Looks,
    log: Diagnostics,
    keyframes: Callable[[list[dict[str, Any]]], list[Keyframe]],
    *,
    title: str = "",
    skip_equality: bool = False,
) -> Contents:
    """Read everything but the tree of bodies and the pictures.

    Args:
        root: The file.
        tree: Its bodies, to whose names the rest refers.
        settings: Those of its compiler.
        defaults: Its default classes.
        looks: Its materials.
        log: Receives what is wrong.
        keyframes: Reads the keyframes, given the actuators.
        title: Name of the model.
        skip_equality: Whether equality constraints are left out.
    """
    options = read_options(root, settings, log)
    tendons = read_tendons(root, tree, settings, defaults, looks, log)
    actuators = read_actuators(root, tree, settings, defaults, log)
    pairs = read_pairs(root, tree, defaults, log)
    excludes = read_excludes(root, tree, log)
    equalities = read_equalities(root, tree, defaults, log, skip_equality)
    sensors = read_sensors(root, tree, actuators, log)
    keys = keyframes(actuators)
    custom = read_custom(root, tree, actuators, sensors, log)
    sizes = read_user_sizes(root, log)
    return Contents(title, tree, tendons, options, actuators, pairs, excludes, equalities, sensors, keys, custom, user_sizes=sizes)


class Ways(NamedTuple):
    """How the caller wants a file to be read; see ``add_mjcf``."""

    ignore_names: Sequence[str]
    ignore_classes: Sequence[str]
    use_inertials: bool
    skip_equality: bool
    balls: bool
    roots: RootChanges


class ContentsReader:
    """Reads MJCF files, those that others attach included.

    Args:
        log: Receives what is wrong, and what is left out.
        ways: How to read.
    """

    def __init__(self, log: Diagnostics, ways: Ways) -> None:
        self._log = log
        self._ways = ways

    def read(self, model: Model) -> Contents:
        """Return what a file says."""
        root, settings, defaults, log, ways = model.root, model.settings, model.defaults, self._log, self._ways
        fields = FieldReader(root, log)
        meshes = read_meshes(root, settings, defaults, fields, log, meshes_in_use(root, defaults) if settings.discardvisual else None)
        hfields = read_hfields(root, settings, log, defaults.lengths.scale)
        looks = read_looks(root, settings, defaults, log)
        geoms = GeomReader(settings, defaults, meshes, hfields, fields, looks, log)
        visual = read_visual(root)
        cameras = CameraReader(settings, defaults, log, visual.get("map", {}).get("znear", ZNEAR))
        trees = TreeReader(settings, defaults, geoms, cameras, looks, log, ways.ignore_names, ways.use_inertials, ways.ignore_classes, ways.roots)
        tree = trees.read(root)
        turned = ways.balls and balls_for_hinges(tree, log)
        changed = turned or ways.roots.changes_joints
        contents = read_contents(
            root, tree, settings, defaults, looks, log, lambda actuators: self._keyframes(model, tree, actuators, changed),
            title=root.values.get("model", ""), skip_equality=ways.skip_equality,
        )  # fmt: skip
        note_kept_out(root, log)
        contents.pictures = Pictures(looks, read_skins(root, tree, settings, looks, log, defaults.lengths.scale), visual)
        check_user(contents, log)
        return contents

    def _keyframes(self, model: Model, tree: Tree, actuators: list[dict[str, Any]], changed: bool) -> list[Keyframe]:
        """The keyframes; none where there are other joints than in the file."""
        if not changed:
            return read_keyframes(model.root, tree, actuators, self._log, self._inherited(model), model.defaults.lengths)
        for node in (key for section in model.root.sections("keyframe") for key in section.sections("key")):
            self._log.ignored("keyframes", node.location, node.label, "is left out, as there are other joints than in the file")
        return []

    def _inherited(self, model: Model) -> list[Inherited]:
        """The keyframes of attached models; such a model is read as a whole, as they follow its own order of joints."""
        result = []
        for found in model.attached:
            child = found.child
            if any(section.children for section in child.root.sections("keyframe")) or child.attached:
                contents = self.read(child)
                result.append(Inherited(found.prefix, found.copies, contents.keys, contents.tree, contents.actuators))
        return result
