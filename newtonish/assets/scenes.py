"""Scenes of many bodies, written out as MJCF text: robots side by side and boxes in a heap, as many as asked for."""

from __future__ import annotations

import copy
import math
import xml.etree.ElementTree as ElementTree

from newtonish.assets import asset_path

__all__ = ["crowd", "pile"]

_SPACE = 0.8  # m between neighbouring robots: outstretched arms touch
_REFERENCES = ("name", "joint", "site", "geom", "body", "body1", "body2")
_SIDE = 0.1  # m, half an edge of a box


def _renamed(element: ElementTree.Element, prefix: str) -> ElementTree.Element:
    """A copy with every name in it, given or referred to, under a prefix."""
    other = copy.deepcopy(element)
    for part in other.iter():
        for key in _REFERENCES:
            if key in part.attrib:
                part.set(key, prefix + part.attrib[key])
    return other


def crowd(count: int) -> str:
    """``count`` packaged humanoids in one world, in rows as long as there are rows."""
    root = ElementTree.parse(asset_path()).getroot()
    root.set("model", f"humanoids_{count}")
    world = root.find("worldbody")
    robot = world.find("body")
    sections = [root.find("contact"), root.find("actuator")]
    templates = [list(section) for section in sections]
    world.remove(robot)
    root.remove(root.find("keyframe"))
    for section in sections:
        section[:] = []
    side = math.ceil(math.sqrt(count))
    height = robot.get("pos").split()[2]
    for number in range(count):
        prefix = f"h{number}_"
        other = _renamed(robot, prefix)
        row, column = divmod(number, side)
        x, y = (_SPACE * (index - 0.5 * (side - 1)) for index in (row, column))
        other.set("pos", f"{x:g} {y:g} {height}")
        world.append(other)
        for section, template in zip(sections, templates, strict=True):
            section.extend(_renamed(element, prefix) for element in template)
    return ElementTree.tostring(root, encoding="unicode")


def pile(count: int) -> str:
    """``count`` boxes of three shapes, dropped in layers of up to 25 that are turned against each other."""
    lines = [
        f'<mujoco model="boxes_{count}">',
        '  <option timestep="0.004"/>',
        '  <default><geom friction="0.7" density="300"/></default>',
        "  <worldbody>",
        '    <geom name="floor" type="plane" size="0 0 1"/>',
    ]
    for number in range(count):
        layer, place = divmod(number, 25)
        x, y = (2.1 * _SIDE * (index - 2) for index in divmod(place, 5))
        shift = 0.35 * _SIDE * (layer % 2)
        z = _SIDE * (1.05 + 2.1 * layer)
        turn = 7.0 * math.sin(1.7 * number) if layer else 0.0
        size = (_SIDE, _SIDE * (0.8 + 0.2 * (number % 2)), _SIDE * (0.7 + 0.1 * (number % 3)))
        lines.append(
            f'    <body name="box{number}" pos="{x + shift:.4g} {y - shift:.4g} {z:.4g}" euler="0 0 {turn:.4g}"><freejoint/>'
            f'<geom type="box" size="{size[0]:.4g} {size[1]:.4g} {size[2]:.4g}"/></body>'
        )
    lines += ["  </worldbody>", "</mujoco>"]
    return "\n".join(lines) + "\n"
