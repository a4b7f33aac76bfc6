"""What a model remembers beside positions, velocities and activations: history buffers and plastic springs.

These are groups of their own, and kernels that do not deal with them never see them: the step of a model without delays
and plasticity is not recompiled for their sake and pays nothing for them.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar, value

f32, i32, vec2 = wp.float32, wp.int32, wp.vec2

HISTORY = group(
    "History",
    "hist",
    "",
    [
        scalar("nhistory", "numbers of the history buffers"),
        scalar("nplastic", "numbers of the plastic state"),
        value("actuator_history", wp.vec2i, "nactuator", doc="samples of the control and their InterpolationType"),
        value("actuator_historyadr", i32, "nactuator", doc="first entry in history; -1: none"),
        index("actuator_turns", "nactuator", doc="the control is a quaternion: a reset fills the buffer with identities"),
        value("sensor_history", wp.vec2i, "nsensor", doc="samples of the sensor and their InterpolationType"),
        value("sensor_historyadr", i32, "nsensor", doc="first entry in history; -1: none"),
        value("actuator_delay", f32, "nactuator", doc="delay of the control; 0: none [s]"),
        value("sensor_delay", f32, "nsensor", doc="delay of the sensor; 0: none [s]"),
        value("sensor_interval", vec2, "nsensor", doc="period of evaluation (0: every step), phase [s]"),
        index("jnt_plasticadr", "njnt", doc="first entry in plastic; -1: elastic"),
        index("tendon_plasticadr", "ntendon", doc="first entry in plastic; -1: elastic"),
        value("jnt_springyield", f32, "njnt", doc="displacement at which the spring yields [m or rad]"),
        value("tendon_springyield", f32, "ntendon", doc="displacement at which the spring yields [m]"),
    ],
)

HISTORY_STATE = group(
    "HistoryState",
    "hist",
    "",
    [
        value("history", f32, "nhistory", doc="buffers, each: user slot, cursor, times, values (MuJoCo's layout)"),
        value("plastic", f32, "nplastic", doc="rest positions of plastic springs"),
        value("ctrl", f32, "nudelay", doc="controls as the actuators see them, after their delay", flat="ctrl_delayed"),
        value("fresh", f32, "nsensordelay", doc="sensors without their delay", flat="sensordata_fresh"),
        value("qpos_spring", f32, "nqplastic", doc="coordinates at which springs rest now", flat="plastic_qpos_spring"),
        value("lengthspring", vec2, "ntenplastic", doc="lengths at which springs rest now", flat="plastic_lengthspring"),
        value("ten_length", f32, "ntenplastic", doc="length at the start of the step", flat="plastic_ten_length"),
        value("ten_J", f32, "nJplastic", doc="Jacobian at the start of the step", flat="plastic_ten_J"),
        value("resets", i32, doc="automatic resets (d.nonfinite) that this memory has followed", flat="history_resets"),
    ],
)

History = HISTORY.struct
HistoryState = HISTORY_STATE.struct
