"""MJCF models as Python objects: build, read, combine, write. See the guide ``docs/mjcf.md``.

The ideas and the names are those of PyMJCF, a part of dm_control; what elements and attributes there are comes from
the table that the importer reads by.
"""

from __future__ import annotations

from importlib import import_module
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from newtonish.arguments import checked

if TYPE_CHECKING:
    from newtonish.mjcf import traversal_utils
    from newtonish.mjcf.assets import Asset
    from newtonish.mjcf.attachment import AttachmentFrame
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.export import export_with_assets, export_with_assets_as_zip
    from newtonish.mjcf.namescope import NameScope
    from newtonish.mjcf.parser import from_file, from_path, from_xml_string, from_zip
    from newtonish.mjcf.root import RootElement
    from newtonish.mjcf.traversal_utils import (
        commit_defaults,
        get_attachment_frame,
        get_frame_freejoint,
        get_frame_joints,
        get_freejoint,
    )
    from newtonish.mjcf.values import PREFIX_SEPARATOR

_HOME = {
    "Asset": "assets", "AttachmentFrame": "attachment", "Element": "element", "NameScope": "namescope", "RootElement": "root",
    "export_with_assets": "export", "export_with_assets_as_zip": "export", "from_zip": "parser", "PREFIX_SEPARATOR": "values", "from_file": "parser", "from_path": "parser", "from_xml_string": "parser",
    "commit_defaults": "traversal_utils", "get_attachment_frame": "traversal_utils", "get_frame_freejoint": "traversal_utils",
    "get_frame_joints": "traversal_utils", "get_freejoint": "traversal_utils",
}  # fmt: skip
"""Which module has each name. They are loaded on first use, so that the importer has the language without the objects."""

__all__ = [
    "PREFIX_SEPARATOR",
    "Asset",
    "AttachmentFrame",
    "Element",
    "NameScope",
    "Physics",
    "RootElement",
    "commit_defaults",
    "export_with_assets",
    "export_with_assets_as_zip",
    "from_file",
    "from_path",
    "from_xml_string",
    "from_zip",
    "get_attachment_frame",
    "get_frame_freejoint",
    "get_frame_joints",
    "get_freejoint",
    "install_as",
    "traversal_utils",
]


def __getattr__(name: str) -> Any:
    """Load a public name and keep it for the next use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its public names are in __all__")
    if name == "Physics":
        from newtonish.physics.physics import Physics

        return Physics
    if name == "install_as":
        from newtonish.physics.drop_in import install_as

        return install_as
    module = import_module(f"{__name__}.{_HOME.get(name, name)}")
    value = getattr(module, name) if name in _HOME else module
    if isfunction(value):  # the border: what is called from inside is not checked again
        value = checked(value, f"mjcf.{name}", tuple(getattr(import_module(f"{__name__}.{_HOME[known]}"), known) for known in ("Element", "RootElement")))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
