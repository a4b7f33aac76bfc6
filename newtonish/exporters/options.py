"""Options of the simulation in the text of an MJCF file."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

__all__ = ["with_options"]


def with_options(text: str, options: Mapping[str, str], flags: Mapping[str, str]) -> str:
    """The text of an MJCF file with attributes of its ``option`` and ``flag`` elements set.

    Args:
        text: Of the file.
        options: Attributes of ``option`` and their values.
        flags: Attributes of ``flag`` and ``"enable"`` or ``"disable"``.
    """
    root = etree.fromstring(text)
    section = root.find("option")
    section = etree.SubElement(root, "option") if section is None else section
    for name, value in options.items():
        section.set(name, value)
    if flags:
        switches = section.find("flag")
        switches = etree.SubElement(section, "flag") if switches is None else switches
        for name, value in flags.items():
            switches.set(name, value)
    etree.indent(root, "  ")
    return etree.tostring(root, encoding="unicode", pretty_print=True)
