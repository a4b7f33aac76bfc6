"""The perturbation: the string by which the selected point is pulled, the box that is turned, and the point itself."""

from __future__ import annotations

import numpy as np

from newtonish.common.frames import mat_from_quat
from newtonish.viewer.scene.arrays import TextLabel
from newtonish.viewer.scene.decor.devices import LINE
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.enums import Kind, Label, PerturbBit

__all__ = ["add_perturbation"]


def add_perturbation(draft: Draft) -> None:
    """What shows that a body is selected and dragged."""
    hand = draft.perturbation
    world, _ = draft.selected
    at = np.flatnonzero(draft.shown == max(world, 0))
    if hand is None or hand.body < 0 or not len(at):
        return
    point = hand.point(draft.bodies)
    mask = (np.arange(len(draft.shown)) == at[0])[:, None]

    def everywhere(position: np.ndarray) -> np.ndarray:
        return np.broadcast_to(position, (len(draft.shown), 1, 3))

    rgba, size, body = draft.visual.rgba, draft.visual.scale, hand.body
    more = dict(mask=mask, body=body)
    if draft.options.perturbobj and hand.active & PerturbBit.TRANSLATE:
        width, color = draft.scale * size.constraint, rgba.constraint * np.array([1.0, 0.0, 1.0, 1.0], dtype=np.float32)
        draft.connect("capsule", width, everywhere(point), everywhere(hand.refselpos), color, Kind.PERTURBATION, body, **more)
        draft.sphere(everywhere(hand.refselpos), 2 * width, color, Kind.PERTURBATION, body, **more)
    if draft.options.perturbobj and hand.active & PerturbBit.ROTATE:
        _box(draft, hand, everywhere, more)
    if draft.options.select:
        draft.sphere(everywhere(point), draft.scale * size.selectpoint, rgba.selectpoint, Kind.PERTURBATION, body, **more)
        if draft.options.label == Label.SELPNT:
            text = "{:.3f} {:.3f} {:.3f} (local {:.3f} {:.3f} {:.3f})".format(*point, *hand.localpos)
            draft.labels.append(TextLabel(text, point.astype(np.float32)))


def _box(draft: Draft, hand: object, everywhere: object, more: dict) -> None:
    """Edges of a box around the body, turned as the reference."""
    center, half = draft.maker.box_of(hand.body)
    turned, body = hand.reference_matrix(), draft.bodies.rotation[hand.body].astype(float)
    principal = body @ mat_from_quat(draft.maker.inertial_quat(hand.body))
    middle = draft.bodies.position[hand.body] + body @ draft.maker.body_com[hand.body] + principal @ center
    color = draft.visual.rgba.inertia * np.array([1.0, 0.0, 1.0, 1.0], dtype=np.float32)
    for axis in range(3):
        for one in (-1.0, 1.0):
            for two in (-1.0, 1.0):
                start = np.zeros(3)
                start[axis], start[(axis + 1) % 3], start[(axis + 2) % 3] = -half[axis], one * half[(axis + 1) % 3], two * half[(axis + 2) % 3]
                end = start.copy()
                end[axis] = half[axis]
                width = LINE * draft.scale
                draft.connect("cylinder", width, everywhere(middle + turned @ start), everywhere(middle + turned @ end), color,
                              Kind.PERTURBATION, hand.body, **more)  # fmt: skip
