"""What a renderer is given: triangles, textures, materials, instances, lights, labels and a camera, as numpy arrays.

Nothing here knows how to draw. A renderer keeps a copy of the library's triangles, the textures and the materials, which only ever
grow at their ends, and draws each instance as its triangles, turned, scaled, moved and coloured; :func:`vertices_of` says exactly
how. All lengths are metres, all directions unit vectors, all axes those of the world (z or y up, as the model has it).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from newtonish.viewer.scene.camera_pose import CameraPose
from newtonish.viewer.scene.enums import LightType

__all__ = ["Instances", "Light", "Material", "Scene", "TextLabel", "Texture", "Triangles", "vertices_of"]


@dataclass
class Triangles:
    """One entry of the library.

    Attributes:
        positions: (n, 3) float32 corners, in the entry's own coordinates; the built-in ones are of unit size.
        normals: (n, 3) float32 unit normals of the corners.
        indices: (k, 3) int32 corners of each triangle, counter-clockwise seen from outside.
        uvs: (n, 2) float32 texture coordinates, v from a picture's first row downwards; None: generated, see
            ``Instances.texture_scale``.
        capped: The entry is a capsule, of radius one and half length one: between z = -1 and 1 its z is scaled by the third
            scale, as everything else's; what lies beyond, its caps, by the first.
        version: Changes when the numbers were changed in place (height fields, skins), so that they have to be sent again.
        name: For messages.
    """

    positions: np.ndarray
    normals: np.ndarray
    indices: np.ndarray
    uvs: np.ndarray | None = None
    capped: bool = False
    version: int = 0
    name: str = ""


@dataclass
class Texture:
    """A picture.

    Attributes:
        kind: ``"2d"``, ``"cube"`` or ``"skybox"``.
        pixels: uint8, (height, width, channels); of cubes (6, height, width, channels), the faces in OpenGL's order +x -x +y -y +z -z.
            Rows as they are stored in MuJoCo's ``tex_data``, which is the order OpenGL is given them in.
        srgb: Whether the numbers are meant as sRGB; they are drawn linear then, as MuJoCo draws them.
        name: For messages.
    """

    kind: str
    pixels: np.ndarray
    srgb: bool = False
    name: str = ""


@dataclass
class Material:
    """How a surface looks; the numbers are those of MuJoCo's materials. Instances without one have these defaults."""

    texture: int = -1
    repeat: tuple[float, float] = (1.0, 1.0)
    uniform: bool = False
    emission: float = 0.0
    specular: float = 0.5
    shininess: float = 0.5
    reflectance: float = 0.0
    name: str = ""


@dataclass
class Instances:
    """The n drawn things, in the order static, dynamic, decor.

    Attributes:
        triangles: (n,) int32 entry of the library.
        position: (n, 3) float32 [m].
        rotation: (n, 3, 3) float32, columns are the own axes in the world.
        scale: (n, 3) float32 factors along the own axes, before the rotation.
        color: (n, 4) float32 red, green, blue, opacity, from 0 to 1; a texture multiplies it.
        material: (n,) int32 row of ``Scene.materials``, -1 for none.
        texture_scale: (n, 3) float32. The coordinates of a 2d texture are ``uvs * texture_scale[:2]``, or where triangles have no uvs
            ``0.5 * texture_scale[0] * x - 0.5, -0.5 * texture_scale[1] * y - 0.5``. A cube is looked up in the direction
            ``texture_scale * (x, y, z)``. With x, y, z the corner's position in the library.
        glow: (n,) float32, to be added to the material's emission: the selected body shines.
        shadow: (n,) bool, whether it throws a shadow.
        category: (n,) int32, of :class:`Category`.
        kind: (n,) int32, of :class:`Kind`: what it stands for.
        index: (n,) int32, which: the model's shape for geoms and sites, its body for bodies; rows of their tables for the others.
        world: (n,) int32, -1 for what all worlds share.
        body: (n,) int32, the model's body it is on, -1 for the world.
        layout: As long as it is the same number, nothing but positions and rotations has changed.
    """

    triangles: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    color: np.ndarray
    material: np.ndarray
    texture_scale: np.ndarray
    glow: np.ndarray
    shadow: np.ndarray
    category: np.ndarray
    kind: np.ndarray
    index: np.ndarray
    world: np.ndarray
    body: np.ndarray
    layout: int = 0

    def __len__(self) -> int:
        return len(self.triangles)

    @classmethod
    def empty(cls, count: int = 0) -> Instances:
        """``count`` white things without material, at the origin."""
        made = cls(**{name: np.zeros((count, *shape), dtype=dtype) for name, (shape, dtype) in _COLUMNS.items()})
        made.rotation[:] = np.eye(3)
        for name in ("scale", "color", "texture_scale"):
            getattr(made, name)[:] = 1.0
        for name in ("material", "index", "world", "body"):
            getattr(made, name)[:] = -1
        return made

    def take(self, rows: np.ndarray) -> Instances:
        """Some of the rows, in a given order."""
        return Instances(**{name: getattr(self, name)[rows] for name in _COLUMNS}, layout=self.layout)

    @classmethod
    def join(cls, parts: list[Instances], layout: int = 0) -> Instances:
        """Several, one after another."""
        if len(parts) == 1:
            return Instances(**{name: getattr(parts[0], name) for name in _COLUMNS}, layout=layout)
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}, layout=layout)


_COLUMNS: dict[str, tuple[tuple[int, ...], type]] = {
    "triangles": ((), np.int32), "position": ((3,), np.float32), "rotation": ((3, 3), np.float32), "scale": ((3,), np.float32),
    "color": ((4,), np.float32), "material": ((), np.int32), "texture_scale": ((3,), np.float32), "glow": ((), np.float32),
    "shadow": ((), np.bool_), "category": ((), np.int32), "kind": ((), np.int32), "index": ((), np.int32),
    "world": ((), np.int32), "body": ((), np.int32),
}  # fmt: skip
assert set(_COLUMNS) | {"layout"} == {column.name for column in fields(Instances)}


@dataclass
class Light:
    """A light; the numbers are those of OpenGL's fixed lights, as MuJoCo's.

    Attributes:
        type: Of :class:`LightType`.
        position, direction: In the world.
        ambient, diffuse, specular: Colours.
        attenuation: Constant, linear and quadratic, for spots and points.
        cutoff: Half angle of a spot [degrees].
        exponent: How fast a spot fades towards its edge.
        castshadow: Whether things throw shadows in it.
        headlight: It follows the camera.
        index: Row of the model's lights, -1 for the headlight and for lights a model without any is given.
    """

    type: LightType = LightType.DIRECTIONAL
    position: np.ndarray = field(default_factory=lambda: np.zeros(3, dtype=np.float32))
    direction: np.ndarray = field(default_factory=lambda: np.array([0, 0, -1], dtype=np.float32))
    ambient: tuple[float, float, float] = (0.0, 0.0, 0.0)
    diffuse: tuple[float, float, float] = (0.7, 0.7, 0.7)
    specular: tuple[float, float, float] = (0.3, 0.3, 0.3)
    attenuation: tuple[float, float, float] = (1.0, 0.0, 0.0)
    cutoff: float = 45.0
    exponent: float = 10.0
    castshadow: bool = True
    headlight: bool = False
    index: int = -1


@dataclass
class TextLabel:
    """A text that stands at a point of the world."""

    text: str
    position: np.ndarray


@dataclass
class Scene:
    """Everything a renderer needs for one picture.

    Attributes:
        library: Triangles that instances refer to; only grows.
        textures: Pictures that materials refer to; only grows.
        materials: Only grows.
        instances: What is drawn.
        lights: Up to eight, a headlight first.
        labels: Texts.
        camera: The camera's position.
        skybox: Texture of the sky, -1 for none.
        background: Colour behind everything, where there is no sky.
        haze: Colour of the horizon into which an infinite ground fades, with its strength (MuJoCo's ``vis.map.haze``) fourth.
        fog: Colour of fog, with 0 or 1 as fourth for off or on.
        fog_range: Where fog begins and where it is complete [m].
        extent: Size of the model [m]: what shadows have to cover.
        center: Its middle.
        shadow_clip, shadow_scale: As MuJoCo's ``vis.map``: how far shadows of directional lights reach, in extents; and what
            part of a spot's cutoff has shadows.
        linewidth: Width of lines [pixels].
        time: Of the state that is shown [s].
        decor_from: Number of the first instance that is decor.
    """

    library: list[Triangles]
    textures: list[Texture]
    materials: list[Material]
    instances: Instances
    lights: list[Light]
    labels: list[TextLabel]
    camera: CameraPose
    skybox: int = -1
    background: tuple[float, float, float] = (0.0, 0.0, 0.0)
    haze: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 0.3)
    fog: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    fog_range: tuple[float, float] = (3.0, 10.0)
    extent: float = 1.0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    shadow_clip: float = 1.0
    shadow_scale: float = 0.6
    linewidth: float = 1.0
    time: float = 0.0
    decor_from: int = 0


def vertices_of(scene: Scene, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and normals, (n, 3) each, of one instance's corners in the world: what a renderer's vertex shader computes."""
    shown = scene.instances
    mesh, scale = scene.library[shown.triangles[row]], shown.scale[row]
    local = mesh.positions * scale
    if mesh.capped:
        tube = np.clip(mesh.positions[:, 2], -1.0, 1.0)
        local[:, 2] = tube * scale[2] + (mesh.positions[:, 2] - tube) * scale[0]
        normals = mesh.normals  # of radius and caps alike: neither is squeezed
    else:
        normals = mesh.normals * (scale[[1, 2, 0]] * scale[[2, 0, 1]])  # the cofactors: right for flat things too
    normals = normals @ shown.rotation[row].T
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-20)
    return local @ shown.rotation[row].T + shown.position[row], normals
