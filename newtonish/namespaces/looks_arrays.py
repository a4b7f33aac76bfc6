"""The arrays of ``model.mujoco`` that are made of libraries when somebody asks: textures, materials, lights, skins, ``vis``.

Names, shapes and numbers are those of ``mujoco.MjModel``; everything is numpy. Arrays of lights and cameras have the rows of
``mujoco:light`` and ``mujoco:camera``; those of textures, materials and skins are shared by all worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from newtonish.namespaces.looks import ROLES, CameraLook, LightLook, Texture, table
from newtonish.namespaces.user import user_arrays
from newtonish.namespaces.visual import visual

__all__ = ["CAMERA_LOOK", "LIGHT_LOOK", "MATERIAL", "SKIN", "TEXTURE", "VISUAL", "derived"]

TEXTURE, MATERIAL, SKIN, VISUAL = "mujoco:texture", "mujoco:material", "mujoco:skin_data", "mujoco:visual"
LIGHT_LOOK, CAMERA_LOOK = "mujoco:light_look", "mujoco:camera_look"

F, I, B = np.float32, np.int32, np.bool_
_MATERIAL = {
    "rgba": (F, (4,)), "texrepeat": (F, (2,)), "texuniform": (B, ()), "emission": (F, ()), "specular": (F, ()), "shininess": (F, ()),
    "reflectance": (F, ()), "metallic": (F, ()), "roughness": (F, ()),
}  # fmt: skip
_LIGHT = {
    "type": (I, ()), "castshadow": (B, ()), "active": (B, ()), "bulbradius": (F, ()), "intensity": (F, ()), "range": (F, ()),
    "attenuation": (F, (3,)), "cutoff": (F, ()), "softness": (F, ()), "exponent": (F, ()), "ambient": (F, (3,)), "diffuse": (F, (3,)),
    "specular": (F, (3,)),
}  # fmt: skip
_CAMERA = {"ipd": (np.float64, ()), "output": (I, ())}
_TEXTURE = {"type": I, "colorspace": I, "height": I, "width": I, "nchannel": I}


def derived(model: Any) -> dict[str, Callable[[], Any]]:
    """What makes each array of a finished model, by name."""
    rows = model.libraries.rows
    makers: dict[str, Callable[[], Any]] = {
        "tex_names": lambda: [texture.name for texture in rows(TEXTURE)],
        "tex_pixels": lambda: [texture.pixels for texture in rows(TEXTURE)],
        "tex_data": lambda: _joined([texture.pixels.ravel() for texture in rows(TEXTURE)], np.uint8),
        "tex_adr": lambda: _starts([t.height * t.width * t.nchannel for t in rows(TEXTURE)]),
        "mat_names": lambda: [material.name for material in rows(MATERIAL)],
        "mat_texid": lambda: np.array([[_position(rows(TEXTURE), t) for t in m.textures] for m in rows(MATERIAL)], I).reshape(-1, len(ROLES)),
        "light_texid": lambda: np.array([_position(rows(TEXTURE), light.texture) for light in _looks(model, LIGHT_LOOK)], I),
        "vis": lambda: visual(rows(VISUAL)),
        **_skins(model),
        **user_arrays(model),
    }
    makers |= {f"tex_{name}": partial(_table, partial(rows, TEXTURE), name, kind, ()) for name, kind in _TEXTURE.items()}
    makers |= {f"mat_{name}": partial(_table, partial(rows, MATERIAL), name, *how) for name, how in _MATERIAL.items()}
    makers |= {f"light_{name}": partial(_table, partial(_looks, model, LIGHT_LOOK), name, *how) for name, how in _LIGHT.items()}
    makers |= {f"cam_{name}": partial(_table, partial(_looks, model, CAMERA_LOOK), name, *how) for name, how in _CAMERA.items()}
    return makers


def _table(rows: Callable[[], Sequence[Any]], name: str, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
    """One field of all rows; nobody may write into it, as other models share it."""
    array = table(rows(), name, dtype, shape)
    array.flags.writeable = False
    return array


def _looks(model: Any, kind: str) -> list[Any]:
    """The look of each light or camera; one that was added by hand looks as MuJoCo's does where nothing is said."""
    plain, known = (LightLook() if kind == LIGHT_LOOK else CameraLook()), model.libraries.rows(kind)
    return [known[i] if i >= 0 else plain for i in getattr(model.mujoco, kind.partition(":")[2]).numpy().tolist()]


def _position(textures: Sequence[Texture], texture: Texture | None) -> int:
    """Where a texture stands in the library; -1 for none."""
    return next((i for i, other in enumerate(textures) if other is texture), -1)


def _joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    """Arrays one behind another."""
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def _starts(sizes: Sequence[int]) -> np.ndarray:
    """Where each of some runs begins."""
    return (np.cumsum(sizes) - sizes).astype(np.int64) if len(sizes) else np.zeros(0, np.int64)


def _skins(model: Any) -> dict[str, Callable[[], Any]]:
    """The arrays of skins, those of the library; vertices, faces and bones stand one skin behind another."""

    def skins() -> Sequence[Any]:
        return model.libraries.rows(SKIN)

    def numbers(count: Callable[[Any], int]) -> tuple[np.ndarray, np.ndarray]:
        sizes = [count(skin) for skin in skins()]
        return _starts(sizes).astype(I), np.array(sizes, I)

    def bones(pick: Callable[[Any], list[np.ndarray]]) -> list[np.ndarray]:
        return [part for skin in skins() for part in pick(skin)]

    def stacked(name: str, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
        return _joined([getattr(skin, name) for skin in skins()], dtype).astype(dtype).reshape(-1, *shape)

    makers: dict[str, Callable[[], Any]] = {
        "skin_matid": lambda: np.array([_position(model.libraries.rows(MATERIAL), skin.material) for skin in skins()], I),
        "skin_texcoordadr": lambda: np.where([len(s.texcoord) > 0 for s in skins()], numbers(lambda s: len(s.texcoord))[0], -1).astype(I),
        "skin_bonevertnum": lambda: np.array([len(part) for part in bones(lambda skin: skin.vertid)], I),
        "skin_bonevertadr": lambda: _starts([len(part) for part in bones(lambda skin: skin.vertid)]).astype(I),
        "skin_bonevertid": lambda: _joined(bones(lambda skin: skin.vertid), I).astype(I),
        "skin_bonevertweight": lambda: _joined(bones(lambda skin: skin.vertweight), F).astype(F),
    }
    for name, count in {"vert": lambda s: len(s.vert), "face": lambda s: len(s.face), "bone": lambda s: s.bones}.items():
        makers[f"skin_{name}adr"] = lambda count=count: numbers(count)[0]
        makers[f"skin_{name}num"] = lambda count=count: numbers(count)[1]
    for name, how in {"vert": (F, (3,)), "texcoord": (F, (2,)), "face": (I, (3,))}.items():
        makers[f"skin_{name}"] = partial(stacked, name, *how)
    for name, how in {"bindpos": (F, (3,)), "bindquat": (F, (4,))}.items():
        makers[f"skin_bone{name}"] = partial(stacked, name, *how)
    for name, how in {"rgba": (F, (4,)), "inflate": (F, ()), "group": (I, ())}.items():
        makers[f"skin_{name}"] = partial(_table, skins, name, *how)
    return makers
