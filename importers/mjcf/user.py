"""User data: numbers that elements carry for the user, and ``nuser_*`` of ``size``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.mjcf.language.read import Node
from newtonish.namespaces.user import SIZES, USER

__all__ = ["check_user", "read_user_sizes", "write_user"]

WORDS = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
MOST = 1_000_000


def read_user_sizes(root: Node, log: Diagnostics) -> dict[str, int]:
    """Return what is written of ``nuser_*``, by MuJoCo's word for the kind; -1 takes as many as there are."""
    found: dict[str, int] = {}
    for section in root.sections("size"):
        for word in WORDS:
            number = section.values.get(f"nuser_{word}", -1)
            if not -1 <= number <= MOST:
                log.problem(section.at(f"nuser_{word}"), f"size, nuser_{word}", str(number), f"-1 to {MOST}", "correct it")
            elif number >= 0:
                found[word] = number
    return found


def check_user(contents: Any, log: Diagnostics) -> None:
    """Note numbers that are more than ``size`` allows."""
    sizes = contents.user_sizes
    for _, word, _, node, numbers in _objects(contents, 0, 0) if sizes else ():
        if len(numbers) > sizes.get(word, MOST):
            given, allowed = f"{len(numbers)} numbers", f"{sizes[word]}, as nuser_{word} says"
            log.problem(node.at("user"), f"{node.label}, user", given, allowed, f"raise nuser_{word}, or leave it out")


def write_user(builder: Any, contents: Any, first_actuator: int, first_sensor: int) -> None:
    """Put the numbers of all written objects into the library, and their positions beside the objects.

    Args:
        builder: A builder that has everything else.
        contents: What was resolved and written.
        first_actuator: Row of the file's first actuator.
        first_sensor: Row of the file's first sensor.
    """
    if contents.user_sizes:
        builder.libraries.add(SIZES, contents.user_sizes)
    for kind, _, row, _, numbers in _objects(contents, first_actuator, first_sensor):
        if row >= 0 and numbers:
            attribute = builder.custom_attributes[f"mujoco:user_{kind}"]
            builder._store_custom_values([(attribute, row, builder.libraries.add(USER, tuple(numbers)))])


def _objects(contents: Any, first_actuator: int, first_sensor: int) -> Iterator[tuple[str, str, int, Node, list[float]]]:
    """Kind, MuJoCo's word, row, element and numbers of every object that can have some."""
    tree = contents.tree
    for body in (tree.world, *tree.bodies):
        yield "body", "body", body.index if body is not tree.world else -1, body.node, body.node.values.get("user", ())
        for joint in body.joints:
            yield "joint", "jnt", joint.dof, joint.node, joint.values.get("user", ())
        for geom in body.geoms:
            yield "shape", "geom", geom.index, geom.node, geom.values.get("user", ())
        for site in body.sites:
            yield "shape", "site", site.index, site.node, site.values.get("user", ())
        for camera in body.cameras:
            yield "camera", "cam", camera.index, camera.node, camera.user
    for tendon in contents.tendons:
        yield "tendon", "tendon", tendon.index, tendon.node, tendon.user
    for i, actuator in enumerate(contents.actuators):
        target = actuator["mujoco:actuator_trnid"]
        yield "actuator", "actuator", first_actuator + i, target.node, target.user
    for i, sensor in enumerate(contents.sensors):
        yield "sensor", "sensor", first_sensor + i, sensor.node, sensor.node.values.get("user", ())
