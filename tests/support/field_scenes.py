"""Small models with signed distance fields, and MuJoCo's own evaluation of one field at a point."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

NAMES = {name: f"mujoco.sdf.{name}" for name in ("torus", "bowl", "nut", "bolt", "gear")}
CONFIG = {
    "torus": {"radius1": 0.2, "radius2": 0.08},
    "bowl": {"radius": 0.3, "height": -0.1, "thickness": 0.02},
    "nut": {},
    "bolt": {"radius": 0.25},
    "gear": {"alpha": 0.1, "diameter": 0.6, "teeth": 12},
}
CUBE = "-.1 -.1 -.1  .1 -.1 -.1  .1 .1 -.1  -.1 .1 -.1  -.1 -.1 .1  .1 -.1 .1  .1 .1 .1  -.1 .1 .1"
WEDGE = "0 0 0  .3 0 0  0 .25 0  0 0 .2"
SHAPES = {
    "plane": 'type="plane" size="1 1 .1"', "sphere": 'size=".1"', "capsule": 'type="capsule" size=".07 .1"',
    "ellipsoid": 'type="ellipsoid" size=".1 .15 .2"', "cylinder": 'type="cylinder" size=".1 .12"', "box": 'type="box" size=".1 .15 .08"', "mesh": 'type="mesh" mesh="cube"',
}  # fmt: skip
MESHES = {"cube": CUBE, "wedge": WEDGE}


def geom(kind: str, more: str = "") -> str:
    """A geom of a primitive type, or with the field of a plugin (``torus``), or of a mesh (``cube``)."""
    if kind in SHAPES:
        return f"<geom {SHAPES[kind]} {more}/>"
    plugin = f'<plugin instance="{kind}"/>' if kind in NAMES else ""
    return f'<geom type="sdf" mesh="{kind}" {more}>{plugin}</geom>'


def scene(kinds: list[str], body: str, option: str = "") -> mujoco.MjModel:
    """A model with the assets of some kinds."""
    return mujoco.MjModel.from_xml_string(scene_text(kinds, body, option))


def scene_text(kinds: list[str], body: str, option: str = "") -> str:
    """Its text."""
    used = [kind for kind in dict.fromkeys(kinds) if kind in NAMES]
    config = {kind: "".join(f'<config key="{key}" value="{value}"/>' for key, value in CONFIG[kind].items()) for kind in used}
    plugins = "".join(f'<plugin plugin="{NAMES[kind]}"><instance name="{kind}">{config[kind]}</instance></plugin>' for kind in used)
    meshes = "".join(f'<mesh name="{kind}"><plugin instance="{kind}"/></mesh>' for kind in used)
    meshes += "".join(
        f'<mesh name="{kind}" vertex="{MESHES[kind]}"/>' for kind in dict.fromkeys("cube" if kind == "mesh" else kind for kind in kinds) if kind in MESHES
    )
    return f"<mujoco><option {option}/><extension>{plugins}</extension><asset>{meshes}</asset><worldbody>{body}</worldbody></mujoco>"


def pair(first: str, second: str) -> mujoco.MjModel:
    """Two geoms, each on a free body, a plane on the world."""
    bodies = "".join(geom(kind) if kind == "plane" else f"<body><freejoint/>{geom(kind)}</body>" for kind in (first, second))
    return scene([first, second], bodies)


def names_of(mjm: mujoco.MjModel) -> dict[str | int, Any]:
    """What ``put_model`` is to be told: the name of each plugin."""
    found = [mjm.names[at : mjm.names.index(b"\0", at)].decode() for at in mjm.name_pluginadr]
    return {name: NAMES[name] for name in found}


class _Sdf(ctypes.Structure):
    _fields_ = (
        ("plugin", ctypes.POINTER(ctypes.c_void_p)), ("id", ctypes.POINTER(ctypes.c_int)), ("type", ctypes.c_int),
        ("relpos", ctypes.c_void_p), ("relmat", ctypes.c_void_p), ("geomtype", ctypes.POINTER(ctypes.c_int)),
    )  # fmt: skip


def field_of_mujoco(mjm: mujoco.MjModel, mjd: mujoco.MjData, g: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances (n,) and gradients (n, 3) of a geom at points of its field's frame: ``mjc_distance`` and ``mjc_gradient``."""
    library = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*"))))
    library.mjc_distance.restype = ctypes.c_double
    library.mjc_getSDF.restype = ctypes.c_void_p
    model, data = ctypes.c_void_p(mjm._address), ctypes.c_void_p(mjd._address)
    instance = int(mjm.geom_plugin[g])
    plugin = ctypes.c_void_p(library.mjc_getSDF(model, g) if instance >= 0 else None)
    number, kind = ctypes.c_int(instance if instance >= 0 else g), ctypes.c_int(int(mjm.geom_type[g]))
    sdf = _Sdf(ctypes.pointer(plugin), ctypes.pointer(number), 0, None, None, ctypes.pointer(kind))
    distances, gradients = np.zeros(len(points)), np.zeros((len(points), 3))
    for i, x in enumerate(points):
        at, out = (ctypes.c_double * 3)(*x), (ctypes.c_double * 3)()
        distances[i] = library.mjc_distance(model, data, ctypes.byref(sdf), at)
        library.mjc_gradient(model, data, ctypes.byref(sdf), out, at)
        gradients[i] = out[:]
    return distances, gradients
