"""What a model keeps for viewers and for its user, as compiled arrays: materials, textures without their pixels, looks, user data.

All of it is that of the first world; models of other packages have none of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.convert.actuators import ActuatorList
from newtonish.convert.cameras import CameraList
from newtonish.convert.geoms import ShapeList
from newtonish.convert.joints import JointTable
from newtonish.convert.maps import CTRL_DIRECT
from newtonish.convert.sensors import SensorList
from newtonish.convert.tendons import TendonList
from newtonish.convert.worlds import Worlds
from newtonish.namespaces.looks import Skin
from newtonish.namespaces.looks_arrays import MATERIAL as MATERIALS
from newtonish.namespaces.looks_arrays import SKIN as SKINS
from newtonish.namespaces.looks_arrays import TEXTURE as TEXTURES
from newtonish.namespaces.looks_arrays import VISUAL
from newtonish.namespaces.user import SIZES, USER, padded, width_of

__all__ = ["Kept", "keeps_pictures", "picture_tables", "shape_colours", "user_tables"]

GREY = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)
"""Colour of geoms that say nothing of it, which lets that of their material be seen."""

MATERIAL = ("rgba", "texid", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance", "metallic", "roughness")
TEXTURE = ("type", "colorspace", "height", "width", "nchannel", "adr")
LIGHT = (
    "type", "texid", "castshadow", "active", "bulbradius", "intensity", "range", "attenuation", "cutoff", "softness", "exponent", "ambient",
    "diffuse", "specular",
)  # fmt: skip
CAMERA = ("ipd", "output")
Table = dict[str, np.ndarray]


def keeps_pictures(model: Any) -> bool:
    """Whether a model has libraries and the arrays that are made of them."""
    return getattr(model, "libraries", None) is not None and getattr(getattr(model, "mujoco", None), "mat_names", None) is not None


def picture_tables(worlds: Worlds, shapes: ShapeList, tendons: TendonList, cameras: CameraList, lights: CameraList, t: Table) -> tuple[Table, dict[str, int]]:
    """The fields ``mat_*``, ``tex_*``, ``light_*`` and ``cam_*`` of looks, which material each object has, and the sizes."""
    source = worlds.source
    material = worlds.template("shape", source.custom("geom_matid"))
    tables: Table = {
        "geom_matid": material[shapes.geom], "site_matid": material[shapes.site],
        "geom_castshadow": worlds.template("shape", source.custom("geom_castshadow"))[shapes.geom],
        "tendon_matid": worlds.template("mujoco:tendon", source.custom("tendon_matid"))[tendons.row],
    }  # fmt: skip
    if not keeps_pictures(source.model):
        return tables, {}
    look = source.model.mujoco
    tables |= {f"mat_{name}": getattr(look, f"mat_{name}") for name in MATERIAL} | {f"tex_{name}": getattr(look, f"tex_{name}") for name in TEXTURE}
    tables |= {f"light_{name}": worlds.template("mujoco:light", getattr(look, f"light_{name}"))[lights.row] for name in LIGHT}
    tables |= {f"cam_{name}": worlds.template("mujoco:camera", getattr(look, f"cam_{name}"))[cameras.row] for name in CAMERA}
    for kind in ("geom", "site"):
        tables[f"{kind}_rgba"] = shape_colours(t[f"{kind}_rgba"], tables[f"{kind}_matid"], tables["mat_rgba"])
    return tables, {"nmat": len(tables["mat_rgba"]), "ntex": len(tables["tex_type"])}


def shape_colours(rgba: np.ndarray, material: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """``geom_rgba``: grey where the colour of a shape is that of its material, as MuJoCo keeps the two apart."""
    if not len(colours):
        return rgba
    same = (material >= 0) & np.all(np.abs(np.clip(colours[material], 0.0, 1.0) - rgba) < 1e-6, axis=-1)
    return np.where(same[:, None], GREY, rgba)


def user_tables(
    worlds: Worlds,
    links: np.ndarray,
    joints: JointTable,
    shapes: ShapeList,
    cameras: CameraList,
    tendons: TendonList,
    actuators: ActuatorList,
    sensors: SensorList,
) -> tuple[Table, dict[str, int]]:
    """The fields ``*_user``, and ``nuser_*``; the world's body has none."""
    model, source = worlds.source.model, worlds.source
    if not keeps_pictures(model):
        return {}, {}
    libraries = model.libraries
    driven = np.where(actuators.source == CTRL_DIRECT, actuators.row, -1)
    wanted: dict[str, tuple[str, str, np.ndarray]] = {
        "body": ("body", "body", np.concatenate([[-1], links[1:]])), "jnt": ("joint", "joint_dof", joints.dof),
        "geom": ("shape", "shape", shapes.geom), "site": ("shape", "shape", shapes.site), "cam": ("camera", "mujoco:camera", cameras.row),
        "tendon": ("tendon", "mujoco:tendon", tendons.row), "actuator": ("actuator", "mujoco:actuator", driven),
        "sensor": ("sensor", "mujoco:sensor", sensors.row),
    }  # fmt: skip
    library, said = libraries.rows(USER), list(libraries.rows(SIZES))
    tables: Table = {}
    sizes: dict[str, int] = {}
    for word, (kind, table, rows) in wanted.items():
        at = np.append(worlds.template(table, source.custom(f"user_{kind}")), -1)[rows.astype(np.int64)]
        numbers: list[Any] = [library[i] if i >= 0 else () for i in at.tolist()]
        sizes[f"nuser_{word}"] = width_of(word, numbers, said)
        tables[f"{word}_user"] = padded(numbers, sizes[f"nuser_{word}"])
    return tables, sizes


class Kept:
    """What a compiled model says of pictures beside its arrays, that of the first world; archives do not hold it.

    Attributes:
        textures, materials: The objects of the libraries, by id.
        visual: What files say of the visualizer, later ones over earlier ones.
        skins: Each with the ids of the bodies that its bones are.
        meshes: The source of each mesh, by id.
    """

    def __init__(self, model: Any, bodies: np.ndarray, meshes: list[Any]) -> None:
        rows = model.libraries.rows
        self.textures, self.materials, self.visual = rows(TEXTURES), rows(MATERIALS), rows(VISUAL)
        self.meshes = meshes
        links = {int(link): body for body, link in enumerate(bodies.tolist())} | {-1: 0}
        self.skins: list[tuple[Skin, list[int]]] = []
        first = 0
        for world, position in zip(model.mujoco.skin_world.numpy().tolist(), model.mujoco.skin_data.numpy().tolist()):
            skin = rows(SKINS)[position]
            bones = model.mujoco.skin_bone_body.numpy()[first : first + skin.bones].tolist()
            first += skin.bones
            if world <= 0 and all(bone in links for bone in bones):
                self.skins.append((skin, [links[bone] for bone in bones]))
