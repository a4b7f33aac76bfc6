"""Custom attributes of a builder that a URDF file writes on its elements: on robot, link, joint and geometry."""

from __future__ import annotations

from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.errors import ModelError
from newtonish.mjcf.language.read import Node
from newtonish.model.enums import AttributeFrequency

__all__ = ["CustomValues"]

_HOLDERS = {
    "robot": AttributeFrequency.ARTICULATION,
    "link": AttributeFrequency.BODY,
    "joint": AttributeFrequency.JOINT,
    "geometry": AttributeFrequency.SHAPE,
}
_TAKEN = ("name", "type", "version", "id")


class CustomValues:
    """Reads custom attributes.

    Args:
        builder: Whose they are.
    """

    def __init__(self, builder: Any) -> None:
        self._by_element: dict[str, dict[str, Any]] = {
            element: {
                attribute.urdf_attribute_name: attribute
                for attribute in builder.custom_attributes.values()
                if attribute.frequency == frequency and attribute.urdf_attribute_name not in _TAKEN
            }
            for element, frequency in _HOLDERS.items()
        }

    @property
    def names(self) -> dict[str, set[str]]:
        """By element, the attributes it may have."""
        return {element: set(attributes) for element, attributes in self._by_element.items()}

    def read(self, node: Node, element: str, log: Diagnostics) -> dict[str, Any]:
        """Return values by the attributes' keys, for those that are written."""
        values = {}
        for name, attribute in self._by_element[element].items():
            text = node.text.get(name)
            if text is None:
                continue
            try:
                if attribute.urdf_value_transformer is not None:
                    value = attribute.urdf_value_transformer(text, None)
                else:
                    value = attribute.convert(0, _parsed(attribute, text))
            except (ModelError, ValueError) as error:
                what = f"{node.label}, {name}"
                log.problem(node.at(name), what, f"'{text[:60]}' ({error})", "a value of the custom attribute", "correct it")
                continue
            if value is not None:
                values[attribute.key] = value

        return values


def _parsed(attribute: Any, text: str) -> Any:
    """Return the text or the numbers that a value's text stands for."""
    if attribute.dtype is str:
        return text
    words = {"true": 1.0, "false": 0.0}
    numbers = [words[word] if word in words else float(word) for word in text.split()]
    return numbers[0] if len(numbers) == 1 else numbers
