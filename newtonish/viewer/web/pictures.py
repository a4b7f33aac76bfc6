"""Meshes with pictures on them, as binary glTF: what a browser is sent for textured surfaces."""

from __future__ import annotations

import io

import numpy as np
import trimesh
from PIL import Image

from newtonish.common.colours import linear
from newtonish.viewer.scene.arrays import Texture, Triangles
from newtonish.viewer.web.batches import part_of

__all__ = ["pictured_mesh"]

LARGEST = 1024
"""Pictures are sent at most so wide [pixels]."""


def pictured_mesh(triangles: Triangles, part: int, texture: Texture, texture_scale: np.ndarray, color: np.ndarray, transparent: bool) -> bytes:
    """A mesh with a picture as a .glb file.

    Args:
        triangles: Entry of the scene's library.
        part: Which part of it, see :mod:`newtonish.viewer.web.batches`.
        texture: The picture.
        texture_scale: (3,) as in ``Instances``.
        color: (4,) uint8, multiplies the picture.
        transparent: Whether one sees through it.
    """
    drawn, used, faces = part_of(triangles, part)
    pixels = _linear(texture.pixels) if texture.srgb else texture.pixels
    if texture.kind == "2d":
        image, uvs = _image(pixels), _flat(triangles, used, texture_scale)
    else:
        drawn, faces, uvs = _cube(drawn, triangles.positions[used], faces, texture_scale, pixels.shape[1])
        image = _image(pixels.reshape(-1, *pixels.shape[2:]), tall=6)
    factor = np.append((color[:3] / 255.0) ** 2.2, color[3] / 255.0)  # glTF's factors are linear
    material = trimesh.visual.material.PBRMaterial(
        baseColorTexture=image, baseColorFactor=np.round(255 * factor).astype(np.uint8), metallicFactor=0.0, roughnessFactor=0.8,
        alphaMode="BLEND" if transparent else "OPAQUE", doubleSided=True,
    )  # fmt: skip
    uvs = np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=1)  # trimesh counts v upwards
    visual = trimesh.visual.TextureVisuals(uv=uvs, material=material)
    mesh = trimesh.Trimesh(drawn, faces, visual=visual, process=False)
    with io.BytesIO() as buffer:
        mesh.export(buffer, file_type="glb")
        return buffer.getvalue()


def _linear(pixels: np.ndarray) -> np.ndarray:
    """A picture in sRGB as MuJoCo's renderer shows it: the transfer function is undone, opacity is not touched."""
    if pixels.shape[-1] < 3:
        return pixels
    made = pixels.copy()
    made[..., :3] = np.round(255.0 * linear(np.arange(256) / 255.0)).astype(np.uint8)[pixels[..., :3]]
    return made


def _flat(triangles: Triangles, used: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Texture coordinates of a flat picture, those of the entry or generated ones."""
    if triangles.uvs is not None:
        return triangles.uvs[used] * scale[:2]
    corners = triangles.positions[used]
    return np.stack([0.5 * scale[0] * corners[:, 0] - 0.5, -0.5 * scale[1] * corners[:, 1] - 0.5], axis=1)


def _cube(drawn: np.ndarray, corners: np.ndarray, faces: np.ndarray, scale: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each triangle by itself, on the face of the cube that its middle looks at; the six pictures lie below one another."""
    direction = (corners * scale)[faces]  # (k, 3, 3)
    middle = direction.mean(axis=1)
    axis = np.argmax(np.abs(middle), axis=1)
    back = np.take_along_axis(middle, axis[:, None], axis=1)[:, 0] < 0.0
    x, y, z = direction[..., 0], direction[..., 1], direction[..., 2]
    sign = np.where(back, -1.0, 1.0)[:, None]
    at = axis[:, None]
    major = np.abs(np.take_along_axis(direction, np.repeat(at, 3, axis=1)[..., None], axis=2)[..., 0])
    across = np.where(at == 0, -sign * z, np.where(at == 1, x, sign * x))  # OpenGL's table of cube maps
    down = np.where(at == 1, sign * z, -y)
    margin = 0.5 / side
    s, t = (np.clip(0.5 * (value / np.maximum(major, 1e-9) + 1.0), margin, 1.0 - margin) for value in (across, down))
    face = 2 * axis + back
    uvs = np.stack([s, (face[:, None] + t) / 6.0], axis=-1).reshape(-1, 2)
    return drawn[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3), uvs


def _image(pixels: np.ndarray, tall: int = 1) -> Image.Image:
    """A picture that is not too large."""
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    image = Image.fromarray(pixels[..., 0] if channels == 1 and pixels.ndim == 3 else pixels[..., : 4 if channels >= 4 else 3])
    if image.width > LARGEST:
        image = image.resize((LARGEST, max(tall, round(image.height * LARGEST / image.width / tall) * tall)))
    return image.convert("RGBA" if image.mode == "RGBA" else "RGB")
