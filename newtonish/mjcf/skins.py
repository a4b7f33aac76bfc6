"""Skins whose bones are bodies of an attached model: their SKN file names the bodies as the whole does.

A SKN file is four counts (vertices, texture coordinates, faces, bones), the numbers of these, and for each bone the name
of its body in 40 bytes, its pose and its vertices. MuJoCo: documentation, chapter XML Reference, asset/skin.
"""

from __future__ import annotations

import struct

from newtonish.mjcf.assets import Asset
from newtonish.mjcf.problems import refuse

__all__ = ["prefixed_skin"]

_NAME = 40  # bytes of a body's name
_POSE = 7 * 4  # position and quaternion


def prefixed_skin(label: str, asset: Asset, prefix: str) -> Asset:
    """Return a SKN file like ``asset`` in which every body has ``prefix`` in front.

    Args:
        label: What messages call the element.
        asset: Contents of the file.
        prefix: The models in front of the names, such as ``arm/``.

    Raises:
        ModelError: It is no whole SKN file, or a name becomes longer than the format holds.
    """
    data = asset.contents
    try:
        vertices, texcoords, faces, bones = struct.unpack_from("<4i", data)
        at = 16 + 4 * (3 * vertices + 2 * texcoords + 3 * faces)
        parts = [data[:at]]
        for _ in range(bones):
            name = prefix.encode() + data[at : at + _NAME].rstrip(b"\0")
            if len(name) > _NAME:
                refuse(f"{label}, file", f"a bone of body '{name.decode()}'", f"names of {_NAME} bytes", "choose shorter names")
            (count,) = struct.unpack_from("<i", data, at + _NAME + _POSE)
            end = at + _NAME + _POSE + 4 + 8 * count
            parts += [name.ljust(_NAME, b"\0"), data[at + _NAME : end]]
            at = end
        whole = min(vertices, texcoords, faces, bones) >= 0 and at == len(data)
    except struct.error:
        whole = False
    if not whole:
        refuse(f"{label}, file", f"{len(data)} bytes", "a whole SKN file", "check the file")
    return Asset(b"".join(parts), asset.extension, asset.prefix)
