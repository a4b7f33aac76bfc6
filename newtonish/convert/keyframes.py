"""Keyframes of the template world: saved states in MuJoCo's order and conventions.

What a keyframe leaves out keeps the reference state: qpos0, zero velocities, activations and controls, and the
mocap bodies' own poses; so does a part with the wrong number of values (which actuators left out of the model leave
behind), with a warning. Quaternions are normalised.
"""

from __future__ import annotations

import warnings

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import JointType
from newtonish.convert.history import initial_plastic
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, problem

__all__ = ["keyframe_tables"]

Table = dict[str, np.ndarray]


def keyframe_tables(worlds: Worlds, t: Table, na: int, nu: int, nplastic: int) -> tuple[Table, list[str]]:
    """The ``key_*`` fields and the keyframes' names.

    Args:
        worlds: The worlds.
        t: Tables with ``qpos0``, the joints, ``body_mocapid`` and the body frames.
        na: Number of activations.
        nu: Number of controls.
        nplastic: Numbers of the plastic state.
    """
    source, table = worlds.source, "mujoco:keyframe"
    names = [str(n) for n in worlds.template(table, source.custom("key_label"))]
    pool = source.custom("key_value")
    mocap = np.flatnonzero(t["body_mocapid"] >= 0)
    reference = {
        "qpos": t["qpos0"][0],
        "qvel": np.zeros(len(t["dof_bodyid"])),
        "act": np.zeros(na),
        "ctrl": np.zeros(nu),
        "mpos": t["body_pos"][0, mocap].reshape(-1),
        "mquat": t["body_quat"][0, mocap].reshape(-1),
        "plastic": initial_plastic(t, nplastic),
    }
    result: Table = {"key_time": worlds.template(table, source.custom("key_time"))}
    for part, default in reference.items():
        adr = worlds.template(table, source.custom(f"key_{part}_adr"))
        number = worlds.template(table, source.custom(f"key_{part}_num"))
        values = np.tile(default, (len(names), 1))
        for row in np.flatnonzero(number):
            given = pool[adr[row] : adr[row] + number[row]]
            if len(given) != len(default):
                name = names[row] or f"number {row}"
                allowed = f"{len(default)} values; this part of the keyframe keeps the reference state"
                text = problem(f"keyframe '{name}'", f"{len(given)} values of {part}", allowed, "correct the keyframe")
                warnings.warn(text, NewtonishWarning, stacklevel=4)
                continue
            values[row] = given
        result[f"key_{part}"] = values
    for kind, adr in zip(t["jnt_type"], t["jnt_qposadr"]):
        if kind <= 1:
            quat = slice(adr + 3, adr + 7) if kind == 0 else slice(adr, adr + 4)
            result["key_qpos"][:, quat] = frames.unit(result["key_qpos"][:, quat])
    for kind, adr in zip(t["jnt_type"], t["jnt_plasticadr"]):
        if kind == JointType.BALL and adr >= 0:
            quat = slice(adr, adr + 4)
            result["key_plastic"][:, quat] = frames.unit(result["key_plastic"][:, quat])
    quats = result["key_mquat"].reshape(len(names), len(mocap), 4)
    result["key_mquat"] = frames.unit(quats).reshape(len(names), 4 * len(mocap))
    return result, names
