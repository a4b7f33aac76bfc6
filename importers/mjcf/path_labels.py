"""Labels that say where in a file an element stands, as Newton's importer gives them: ``robot/worldbody/torso/shin/knee``."""

from __future__ import annotations

from collections.abc import Sequence

from newtonish.importers.mjcf.tree import Body, Joint, Tree

__all__ = ["label_by_path", "path_of_joints"]


def label_by_path(tree: Tree, title: str, first: int) -> None:
    """Give every element the path of its body and its own name.

    Args:
        tree: Its bodies, parents before children.
        title: Name of the model, where paths begin; may be empty.
        first: Number of the first body, for those without a name.
    """
    root = f"{title}/worldbody" if title else "worldbody"
    _label_shapes(tree.world, root, "world")
    for number, body in enumerate(tree.bodies, first):
        name = _plain(body.name) or f"body_{number}"
        above = root if body.parent is None or body.parent is tree.world else body.parent.label
        body.label = f"{above}/{name}"
        for place, joint in enumerate(body.joints):
            own = _plain(joint.name) or (f"{name}_freejoint" if joint.type == "free" else f"{name}_joint_{place}")
            joint.label = f"{body.label}/{own}"
        _label_shapes(body, body.label, name)


def path_of_joints(body: Body, group: Sequence[Joint]) -> str:
    """Label of the one joint that stands for several of a body, or for none."""
    names = [joint.label.rsplit("/", 1)[-1] for joint in group]
    return f"{body.label}/{'_'.join(names) or body.label.rsplit('/', 1)[-1] + '_joint'}"


def _label_shapes(body: Body, path: str, name: str) -> None:
    for kind, shapes in (("geom", body.geoms), ("site", body.sites)):
        for place, shape in enumerate(shapes):
            shape.label = f"{path}/{_plain(shape.name) or f'{name}_{kind}_{place}'}"


def _plain(name: str) -> str:
    return name.replace("-", "_")
