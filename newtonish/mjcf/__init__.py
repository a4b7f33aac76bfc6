"""MJCF models as Python objects: build, read, combine, write. See the guide ``docs/mjcf.md``.

The ideas and the names are those of PyMJCF, a part of dm_control; what elements and attributes there are comes from
the table that the importer reads by.
"""

from newtonish.mjcf import traversal_utils
from newtonish.mjcf.assets import Asset
from newtonish.mjcf.attachment import AttachmentFrame
from newtonish.mjcf.element import Element
from newtonish.mjcf.export import export_with_assets
from newtonish.mjcf.namescope import NameScope
from newtonish.mjcf.parser import from_file, from_path, from_xml_string
from newtonish.mjcf.root import RootElement
from newtonish.mjcf.traversal_utils import (
    commit_defaults,
    get_attachment_frame,
    get_frame_freejoint,
    get_frame_joints,
    get_freejoint,
)

__all__ = [
    "Asset",
    "AttachmentFrame",
    "Element",
    "NameScope",
    "RootElement",
    "commit_defaults",
    "export_with_assets",
    "from_file",
    "from_path",
    "from_xml_string",
    "get_attachment_frame",
    "get_frame_freejoint",
    "get_frame_joints",
    "get_freejoint",
    "traversal_utils",
]
