"""The ``skin`` elements: surfaces for viewers that follow bodies, from the text or from MuJoCo's binary SKN files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.files import read_file
from newtonish.importers import frames
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.tree import Tree
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.looks import Skin
from newtonish.namespaces.looks_arrays import SKIN

__all__ = ["SkinAsset", "read_skins", "write_skins"]

NAME_BYTES = 40  # of a body in a SKN file


@dataclass
class SkinAsset:
    """A skin, and the names of the bodies that its bones are."""

    node: Node
    skin: Skin
    bodies: list[str]


@dataclass
class _Bone:
    """A bone as it is written."""

    body: str
    pos: np.ndarray
    quat: np.ndarray
    vertid: np.ndarray
    weight: np.ndarray


def read_skins(root: Node, tree: Tree, settings: Settings, looks: Looks, log: Diagnostics, scale: float = 1.0) -> list[SkinAsset]:
    """Return the skins of a file, their lengths times ``scale``."""
    found = []
    for section in root.children:
        for node in section.sections("skin") if section.tag in ("asset", "deformable") else ():
            try:
                found.append(_skin(node, tree, settings.of(node), looks, scale))
            except OSError as error:
                log.problem(node.at("file"), f"{node.label}, file", error.strerror or str(error), "a readable file", "check the path")
            except ValueError as error:
                given, allowed = error.args if len(error.args) == 2 else (str(error), "a whole SKN file")
                log.problem(node.location, node.label, given, allowed, "correct it")
    return found


def _skin(node: Node, tree: Tree, settings: Settings, looks: Looks, scale: float) -> SkinAsset:
    """Read one skin and check that its parts fit together."""
    values = node.values
    if values.get("file"):
        path = settings.asset(values["file"])
        vert, texcoord, face, bones = _read_skn(read_file(path, limits().size))
        name = values.get("name", Path(path).stem)
    else:
        vert, texcoord = (_rows(values.get(key, ()), count, key) for key, count in (("vertex", 3), ("texcoord", 2)))
        face = _rows(values.get("face", ()), 3, "face").astype(np.int64)
        bones = [_bone(child) for child in node.sections("bone")]
        name = values.get("name", "")
    if not len(vert) or not len(face) or not bones:
        raise ValueError(f"{len(vert)} vertices, {len(face)} faces and {len(bones)} bones", "some of each")
    if len(texcoord) not in (0, len(vert)):
        raise ValueError(f"{len(texcoord)} texture coordinates", f"one for each of {len(vert)} vertices")
    if face.min() < 0 or face.max() >= len(vert):
        raise ValueError("a face with a vertex that is not there", f"vertices 0 to {len(vert) - 1}")
    for bone in bones:
        if ("body", bone.body) not in tree.names and bone.body != "world":
            hint = nearest(bone.body, [known for kind, known in tree.names if kind == "body"])
            raise ValueError(f"a bone at body '{bone.body}'", f"the name of a body; {hint}" if hint else "the name of a body")
    skin = Skin(
        name, (scale * vert).astype(np.float32), texcoord.astype(np.float32), face.astype(np.int32),
        np.array([scale * bone.pos for bone in bones], np.float32), np.array([frames.normalize(bone.quat, "a quaternion") for bone in bones], np.float32),
        [bone.vertid.astype(np.int32) for bone in bones], _shares(bones, len(vert)),
        looks.material(node, values), tuple(values.get("rgba", (0.5, 0.5, 0.5, 1.0))), scale * values.get("inflate", 0.0), values.get("group", 0),
    )  # fmt: skip
    return SkinAsset(node, skin, [bone.body for bone in bones])


def _rows(numbers: Any, count: int, what: str) -> np.ndarray:
    """Numbers as rows of so many."""
    if len(numbers) % count:
        raise ValueError(f"{len(numbers)} numbers of {what}", f"{count} a row")
    return np.array(numbers, dtype=np.float64).reshape(-1, count)


def _bone(node: Node) -> _Bone:
    """Read one bone from the text."""
    values = node.values
    ids, weights = (np.array(values.get(key, ())) for key in ("vertid", "vertweight"))
    return _Bone(values.get("body", ""), np.array(values["bindpos"]), np.array(values["bindquat"]), ids.astype(np.int64), weights.astype(np.float64))


def _shares(bones: list[_Bone], count: int) -> list[np.ndarray]:
    """How much of each vertex each bone moves; together one."""
    total = np.zeros(count)
    for bone in bones:
        if len(bone.vertid) != len(bone.weight) or not len(bone.vertid):
            raise ValueError(f"bone '{bone.body}' with {len(bone.vertid)} vertices and {len(bone.weight)} weights", "as many of both, and some")
        if bone.vertid.min() < 0 or bone.vertid.max() >= count:
            raise ValueError(f"bone '{bone.body}' with a vertex that is not there", f"vertices 0 to {count - 1}")
        np.add.at(total, bone.vertid, bone.weight)
    if not np.all(total > 0):
        raise ValueError(f"vertex {int(np.argmin(total > 0))} without weight", "a positive sum of weights for each vertex")
    return [(bone.weight / total[bone.vertid]).astype(np.float32) for bone in bones]


def _read_skn(data: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[_Bone]]:
    """Read MuJoCo's binary form: four counts, positions, texture coordinates, faces, and the bones."""
    at = 0

    def take(kind: str, count: int) -> np.ndarray:
        nonlocal at
        if count < 0 or at + 4 * count > len(data):
            raise ValueError(f"{len(data)} bytes, fewer than its counts ask for", "a whole SKN file")
        found = np.frombuffer(data, dtype=kind, count=count, offset=at)
        at += 4 * count
        return found

    vertices, coordinates, faces, bones = (int(count) for count in take("<i4", 4))
    vert, texcoord = take("<f4", 3 * vertices).reshape(-1, 3), take("<f4", 2 * coordinates).reshape(-1, 2)
    face = take("<i4", 3 * faces).reshape(-1, 3).astype(np.int64)
    found = []
    for _ in range(bones):
        name = take("<i4", NAME_BYTES // 4).tobytes().split(b"\0")[0].decode("utf-8", "replace")
        pos, quat = take("<f4", 3).astype(np.float64), take("<f4", 4).astype(np.float64)
        count = int(take("<i4", 1)[0])
        found.append(_Bone(name, pos, quat, take("<i4", count).astype(np.int64), take("<f4", count).astype(np.float64)))
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes too many", "a whole SKN file")
    return vert, texcoord, face, found


def write_skins(builder: Any, skins: list[SkinAsset], tree: Tree) -> None:
    """Write the skins: what they are into the library, their bones as rows."""
    for number, asset in enumerate(skins):
        position = builder.libraries.add(SKIN, asset.skin)
        builder.add_custom_values(**{"mujoco:skin_label": asset.skin.name or f"skin{number}", "mujoco:skin_data": position})
        for name in asset.bodies:
            body = tree.world if name == "world" else tree.names["body", name]
            builder.add_custom_values(**{"mujoco:skin_bone_body": body.index})
