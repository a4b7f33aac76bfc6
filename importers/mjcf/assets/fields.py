"""Signed distance fields of a file: instances of plugins, under ``extension`` or where they are used, and which element has which."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.errors import ModelError
from newtonish.mjcf.language.read import Node
from newtonish.model.fields import FieldInstance, field_parameters, field_surface, known_fields

__all__ = ["FieldReader"]


class FieldReader:
    """The instances of distance fields that a file declares.

    Args:
        root: The file.
        log: Receives what is wrong.
    """

    def __init__(self, root: Node, log: Diagnostics) -> None:
        self._log = log
        self._declared: dict[str, FieldInstance | None] = {}
        self._made: dict[FieldInstance, tuple[np.ndarray, np.ndarray]] = {}
        for section in root.sections("extension"):
            for plugin in section.sections("plugin"):
                for node in plugin.sections("instance"):
                    self._declare(plugin.values.get("plugin", ""), node)

    def of(self, node: Node) -> FieldInstance | None:
        """The field of a geom or mesh, from its ``plugin`` child; None where it has none, or a wrong one, which is noted."""
        child = next(node.sections("plugin"), None)
        if child is None:
            return None
        name = child.values.get("instance", "")
        if not name:
            return self._instance(child, child.values.get("plugin", ""), "")
        if child.children or (child.values.get("plugin") and name not in self._declared):
            self._log.problem(child.location, f"plugin of {node.label}", "an instance and a plugin or parameters of its own", "one of them", "keep one")
        elif name not in self._declared:
            allowed = ", ".join(f"'{other}'" for other in self._declared) or "no instance: none of a distance field is declared"
            self._log.problem(child.at("instance"), f"plugin of {node.label}, instance", f"'{name}'", allowed, "declare it under <extension>")
        return self._declared.get(name)

    def surface(self, field: FieldInstance) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and triangles of the surface of a field, made once.

        Raises:
            ValueError: There is none.
        """
        if field not in self._made:
            try:
                self._made[field] = field_surface(field)
            except ModelError as error:
                raise ValueError(str(error)) from None
        return self._made[field]

    def _declare(self, plugin: str, node: Node) -> None:
        name = node.values.get("name", "")
        if plugin not in known_fields():
            return
        if name in self._declared:
            self._log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
        self._declared[name] = self._instance(node, plugin, name)

    def _instance(self, node: Node, plugin: str, name: str) -> FieldInstance | None:
        """An instance with the parameters below a node; None, and a problem, where something is wrong."""
        if plugin not in known_fields():
            remedy = "correct it, or register a field of yours by mjw.register_field before the file is read"
            self._log.problem(node.at("plugin"), f"{node.label}, plugin", f"'{plugin}'", ", ".join(known_fields()), remedy)
            return None
        config: dict[str, str] = {}
        for item in node.sections("config"):
            key = item.values.get("key", "")
            if key in config:
                self._log.problem(item.at("key"), f"config of {node.label}", f"the key '{key}' again", "each key once", "remove one")
            config[key] = str(item.values.get("value", ""))
        field = FieldInstance(plugin, tuple(config.items()), name)
        return field if self._checked(node, field) else None

    def _checked(self, node: Node, field: FieldInstance) -> bool:
        try:
            field_parameters(field)
        except ModelError as error:
            first: Any = next(node.sections("config"), node)
            self._log.failed(first.location, node.label, error)
            return False
        return True
