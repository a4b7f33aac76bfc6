"""Putting selected worlds of a state back to the model's initial values: joint coordinates, velocities and forces."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.bridge.frames import Maps
from newtonish.model.enums import StateFlags
from newtonish.model.fk import eval_fk

__all__ = ["reset_state"]

wp.set_module_options({"enable_backward": False})


@wp.kernel
def _restore(
    mask: wp.array(dtype=bool),
    rows: wp.array2d(dtype=wp.int32),
    initial: wp.array(dtype=float),
    target: wp.array(dtype=float),
):
    """Copy the rows of masked worlds."""
    w, i = wp.tid()
    if mask[w]:
        row = rows[w, i]
        if row >= 0:
            target[row] = initial[row]


@wp.kernel
def _clear_wrenches(mask: wp.array(dtype=bool), rows: wp.array2d(dtype=wp.int32), target: wp.array(dtype=wp.spatial_vector)):
    w, i = wp.tid()
    if mask[w]:
        row = rows[w, i]
        if row >= 0:
            target[row] = wp.spatial_vector()


@wp.kernel
def _mask_articulations(mask: wp.array(dtype=bool), world: wp.array(dtype=wp.int32), result: wp.array(dtype=bool)):
    i = wp.tid()
    w = world[i]
    result[i] = False
    if w >= 0:
        result[i] = mask[w]
    elif mask.shape[0] == 1:  # a model built without worlds
        result[i] = mask[0]


def reset_state(model: Any, maps: Maps, state: Any, mask: wp.array, articulations: wp.array, flags: int) -> None:
    """Restore the flagged arrays of the masked worlds.

    Args:
        model: The model with the initial values.
        maps: Rows of each world.
        state: The state, modified in place.
        mask: Boolean per world.
        articulations: Boolean scratch per articulation.
        flags: Bits of ``StateFlags``; poses and velocities of bodies follow from the joints by forward kinematics.
    """
    device = model.device
    for bit, rows, initial, target in (
        (StateFlags.JOINT_Q, maps.coord, model.joint_q, state.joint_q),
        (StateFlags.JOINT_QD, maps.dof, model.joint_qd, state.joint_qd),
    ):
        if flags & bit and target is not None:
            wp.launch(_restore, dim=rows.shape, inputs=[mask, rows, initial, target], device=device)
    if flags & StateFlags.BODY_F and state.body_f is not None:
        wp.launch(_clear_wrenches, dim=maps.body.shape, inputs=[mask, maps.body, state.body_f], device=device)
    if flags & StateFlags.BODY and articulations.shape[0]:
        inputs = [mask, model.articulation_world, articulations]
        wp.launch(_mask_articulations, dim=articulations.shape[0], inputs=inputs, device=device)
        eval_fk(model, state.joint_q, state.joint_qd, state, articulations)
