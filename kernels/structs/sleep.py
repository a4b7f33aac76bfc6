"""The groups of sleeping: which kinematic trees may sleep, which do, and what a step needs to leave those alone.

Arrays of Data are empty unless the flag ``sleep`` is set.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scratch, value

f32, i32 = wp.float32, wp.int32

SLEEP = group(
    "Sleep",
    "sleep",
    "",
    [
        value("tolerance", f32, doc="a tree whose dofs all move slower than this may sleep [m/s]", flat="sleep_tolerance"),
        value("dof_length", f32, "nv", doc="distance that a unit of each dof moves: 1 for slides, a length for rotations [m]", flat="sleep_dof_length"),
        index("tree_bodyadr", "ntree", doc="first body of each kinematic tree", flat="sleep_tree_bodyadr"),
        index("tree_bodynum", "ntree", doc="number of its bodies", flat="sleep_tree_bodynum"),
        index("tree_sleep_policy", "ntree", doc="SleepPolicy"),
        index("eq_tree1", "neq", doc="kinematic tree of an equality's first object; -1: static, -2: moved by the user"),
        index("eq_tree2", "neq", doc="the same of the second"),
        index("actuator_treeadr", "nactuator+1", doc="first entry of each actuator in actuator_treeid"),
        index("actuator_treeid", "nactuatortree", doc="trees that an actuator moves"),
        index("sensor_treeadr", "nsensor+1", doc="first entry of each sensor in sensor_treeid"),
        index("sensor_treeid", "nsensortree", doc="trees that a sensor's value follows; a sensor without any is always evaluated"),
    ],
)

SLEEP_STATE = group(
    "Rest",
    "sleep",
    "",
    [
        value("tree_asleep", i32, "ntreesleep", doc="0 or more: the next tree of the group that fell asleep together; -1: ready to sleep, less: awake for longer"),
        value("tree_awake", i32, "ntreesleep", doc="1: awake, 0: asleep"),
        value("body_awake", i32, "nbodysleep", doc="SleepState: 1 awake or moved by the user, 0 asleep, -1 static"),
        value("body_awake_ind", i32, "nbodysleep", doc="bodies that do not sleep"),
        value("parent_awake_ind", i32, "nbodysleep", doc="bodies whose parent does not sleep"),
        value("dof_awake_ind", i32, "nvsleep", doc="dofs that do not sleep"),
        value("ntree_awake", i32, doc="number of trees awake"),
        value("nbody_awake", i32, doc="number of bodies that do not sleep"),
        value("nparent_awake", i32, doc="number of bodies whose parent does not sleep"),
        value("nv_awake", i32, doc="number of dofs that do not sleep"),
        value("nmoving", i32, doc="number of bodies awake, those moved by the user included", flat="sleep_nmoving"),
        value("asleep0", i32, "ntreesleep", doc="tree_asleep after a reset", flat="sleep_asleep0"),
        value("qpos", f32, "nqsleep", doc="coordinates with which trees fell asleep", flat="sleep_qpos"),
        value("act", f32, "nasleep", doc="activations at the start of the step", flat="sleep_act"),
        value("sensordata", f32, "nsensordatasleep", doc="outputs of sensors when they were last evaluated", flat="sleep_sensordata"),
        value("held", i32, doc="1: sensordata is there", flat="sleep_held"),
        value("resets", i32, doc="automatic resets that were followed", flat="sleep_resets"),
        value("frictionloss", f32, "nvsleep", doc="frictionloss of dofs, 0 of those asleep", flat="sleep_frictionloss"),
        value("margin", f32, "njntsleep", doc="margin of joint limits, which those asleep never reach", flat="sleep_margin"),
        value("tendon_frictionloss", f32, "ntendonsleep", doc="frictionloss of tendons, 0 of those asleep", flat="sleep_tendon_frictionloss"),
        value("tendon_margin", f32, "ntendonsleep", doc="margin of limits of tendons, which those asleep never reach", flat="sleep_tendon_margin"),
        value("eq_active", wp.bool, "neqsleep", doc="equality constraints that hold, but of trees asleep", flat="sleep_eq_active"),
        value("woken", i32, doc="trees woken by the last look", flat="sleep_woken"),
        scratch("mark", i32, "ntreesleep", doc="trees that were disturbed; parents in the search for groups", flat="sleep_mark"),
        scratch("first", i32, "ntreesleep", doc="first tree of each group", flat="sleep_first"),
        scratch("last", i32, "ntreesleep", doc="last tree of each group so far; -2: one of them is not ready", flat="sleep_last"),
    ],
)  # fmt: skip

Sleep = SLEEP.struct
Rest = SLEEP_STATE.struct
