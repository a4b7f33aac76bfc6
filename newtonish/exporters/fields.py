"""Instances of distance fields, which geoms and meshes name."""

from __future__ import annotations

from lxml import etree

from newtonish.convert.fields import instances_of
from newtonish.exporters.world import CompiledWorld, add

__all__ = ["write_fields"]


def write_fields(root: etree._Element, world: CompiledWorld) -> None:
    """Write the section ``extension``, where there are fields of plugins."""
    instances = instances_of(world.compiled)
    section = add(root, "extension") if instances else None
    plugins: dict[str, etree._Element] = {}
    for field, name in zip(instances, world.names["plugin"], strict=True):
        if field.plugin not in plugins:
            plugins[field.plugin] = add(section, "plugin", plugin=field.plugin)
        element = add(plugins[field.plugin], "instance", name=name)
        for key, value in field.config:
            add(element, "config", key=key, value=value)
