"""Compares the arrays of a stage that mujoco-usd-converter made with those of the MJCF file it was made from.

Two descriptions of one thing count as equal: a capsule's axis has no sense, axes of inertia are compared as tensors, a plane's
size is drawn only, sizes that a shape does not use mean nothing, contact parameters of what collides with nothing neither.
What the converter leaves out (its own warnings: cameras, lights, keyframes, sensors, colours of materials) is not compared.
"""

from __future__ import annotations

import warnings
from typing import Any

import mujoco
import numpy as np

from newtonish import ModelBuilder
from newtonish.common.compiled_fields import FIELDS
from newtonish.convert import convert
from newtonish.mjcf import from_path

TOLERANCE = 2e-6
"""Stages hold single precision."""
LEFT_OUT = ("cam_", "light_", "key_", "sensor_", "tex_", "mat_", "geom_matid", "site_matid", "tendon_matid", "geom_castshadow")
ROUNDED = ("body_sameframe", "geom_sameframe", "site_sameframe", "body_simple")
"""Short cuts that MuJoCo takes where two frames are equal to the last bit."""
MESH = "mesh_"
"""The converter merges equal vertices, and starts faces at other corners."""
CONTACT = ("geom_friction", "geom_solref", "geom_solimp", "geom_solmix", "geom_condim", "geom_priority", "geom_margin", "geom_gap")
USED = {2: 1, 3: 2, 4: 3, 5: 2, 6: 3, 0: 0}
"""Sizes that each type of geom uses, as mjtGeom."""


def mjcf(path: Any, ellipsoids: bool = True) -> Any:
    """The arrays of an MJCF file or text, perhaps without its ellipsoids."""
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = None if ellipsoids or "\n" in str(path) else from_path(str(path))
        for geom in [] if root is None else root.find_all("geom"):
            if geom.type == "ellipsoid":
                geom.remove()
        builder.add_mjcf(str(path) if root is None else root)
        return convert(builder.finalize(device="cpu"))


def matrices(quats: Any) -> np.ndarray:
    """Rotation matrices of quaternions."""
    found = np.zeros((len(quats), 9))
    for row, quat in zip(found, np.asarray(quats, dtype=np.float64)):
        mujoco.mju_quat2Mat(row, quat)
    return found.reshape(-1, 3, 3)


def canonical(m: Any, name: str) -> np.ndarray:
    """A field in a form that is equal for equal things."""
    value = np.array(getattr(m, name), dtype=np.float64)
    if name == "body_iquat":
        turns = matrices(value)
        return turns @ (np.array(m.body_inertia)[:, :, None] * turns.transpose(0, 2, 1))
    if name == "body_inertia":
        return np.sort(value, axis=-1)
    if name.endswith("quat") and value.ndim == 2:
        turns = matrices(value)
        if name == "geom_quat":
            round_ = np.isin(m.geom_type, (3, 5))
            lines = turns[round_][:, :, 2]
            turns[round_] = lines[:, :, None] * lines[:, None, :]
        return turns
    if name in ("geom_size", "site_size"):
        kinds = m.geom_type if name == "geom_size" else m.site_type
        for row, kind in zip(value, kinds):
            row[USED.get(int(kind), 3) :] = 0.0
    if name in ("geom_rgba", "site_rgba") and m.nmat:  # a stage has the colour that is seen, whosesoever it is
        material = np.array(getattr(m, f"{name[:4]}_matid"))
        plain = (material >= 0) & np.all(value == [0.5, 0.5, 0.5, 1.0], axis=-1)
        value[plain] = np.array(m.mat_rgba)[material[plain]]
    if name in CONTACT:
        value[(np.array(m.geom_contype) | np.array(m.geom_conaffinity)) == 0] = 0.0
    if name == "eq_data":  # the last number only says that a relative pose was not written
        value = value[:, :11]
    if name in ("jnt_range", "tendon_range", "actuator_forcerange", "actuator_actrange"):
        limit = {"jnt_range": "jnt_limited", "tendon_range": "tendon_limited"}.get(name, name.replace("range", "limited"))
        value[~np.array(getattr(m, limit), dtype=bool)] = 0.0
    return value


def differences(source: Any, stage: Any, other: tuple[str, ...] = ()) -> dict[str, str]:
    """What is not equal, by field; fields that begin with one of ``other`` are left out."""
    found: dict[str, str] = {}
    for name in FIELDS:
        if name.startswith((*LEFT_OUT, *ROUNDED, MESH, *other)):
            continue
        ours, theirs = canonical(stage, name), canonical(source, name)
        if ours.shape != theirs.shape:
            found[name] = f"shapes {theirs.shape} and {ours.shape}"
        elif ours.size and not np.allclose(ours, theirs, TOLERANCE, TOLERANCE, equal_nan=True):
            found[name] = f"largest difference {np.nanmax(np.abs(ours - theirs)):g}"
    return found
