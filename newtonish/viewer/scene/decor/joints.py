"""Axes of joints, and actuators in the colour of their control."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.enums import ConstraintType, JointType, TrnType
from newtonish.viewer.scene.arrays import TextLabel
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.decor.limits import limit_impedance
from newtonish.viewer.scene.decor.tendons import add_pieces, pieces
from newtonish.viewer.scene.enums import Category, Kind, Label
from newtonish.viewer.scene.library import BUILT_IN
from newtonish.viewer.scene.rotations import from_z

__all__ = ["add_actuators", "add_joints", "add_slider_cranks"]

_SHAPE = np.array([BUILT_IN[name] for name in ("box", "sphere", "arrow", "arrow1")])
# geom types to the library's shapes
_PRIMITIVE = {2: "sphere", 3: "capsule", 4: "sphere", 5: "cylinder", 6: "box"}


def _joint_shapes(draft: Draft, joint: np.ndarray, width: float, length: float, ball: float) -> tuple[np.ndarray, ...]:
    """Shape, position, rotation and scale of what stands for joints (n,): an arrow along an axis, a ball, a box."""
    t = draft.tables
    kind = t.jnt_type[joint]
    position = draft.found["xanchor"][draft.shown][:, joint] + draft.offsets
    along = (kind == JointType.HINGE) | (kind == JointType.SLIDE)
    axis = draft.found["xaxis"][draft.shown][:, joint]
    own = draft.bodies.xmat[draft.shown][:, t.jnt_bodyid[joint]]
    rotation = np.where(along[:, None, None], from_z(axis.astype(float)), own)
    scale = np.where(along[:, None], [width, width, length], ball)
    return _SHAPE[kind], position, rotation, scale


def add_joints(draft: Draft) -> None:
    """Hinges and slides as arrows from their anchors, balls and free joints as balls and boxes; red as far as a limit holds them."""
    t, size, rgba = draft.tables, draft.visual.scale, draft.visual.rgba
    joint = np.flatnonzero(np.array(draft.options.jointgroup)[np.clip(t.jnt_group, 0, 5)])
    if not len(joint):
        return
    length, width = size.jointlength * draft.scale, size.jointwidth * draft.scale
    shape, position, rotation, scale = _joint_shapes(draft, joint, width, length, 0.3 * length)
    held = limit_impedance(draft, ConstraintType.LIMIT_JOINT, t.njnt, "jnt_solimp")[:, joint, None]
    color = np.ones((*position.shape[:2], 4))
    color[..., :3] = (1 - held) * rgba.joint[:3] + held * rgba.constraint[:3]
    for one in np.unique(shape).tolist():
        of = shape == one
        mine = draft.newton_bodies(t.jnt_bodyid[joint[of]])
        draft.add(one, position[:, of], rotation[:, of], scale[of], color[:, of], Kind.JOINT, joint[of], body=mine)
    names = [name or f"joint {at}" for at, name in enumerate(t.jnt_names)]
    draft.label(Label.JOINT, [names[at] for at in joint], position)


def _control_color(draft: Draft, actuator: np.ndarray) -> np.ndarray:
    """(shown, n, 4): between the colours of the least, of no and of the greatest control, or activation."""
    c, rgba = draft.found.compiled, draft.visual.rgba
    control = c.actuator_ctrladr[actuator]
    wanted = draft.options.activation
    ranged = c.actuator_ctrllimited[control]
    low, high = (np.where(ranged, draft.of(draft.found.world("actuator_ctrlrange"))[:, control, side], end) for side, end in ((0, -1.0), (1, 1.0)))
    value = draft.found["ctrl"][draft.shown][:, control].astype(float)
    if wanted:
        own = ~ranged & c.actuator_actlimited[actuator]
        act_range = draft.of(draft.found.world("actuator_actrange"))[:, actuator]
        low, high = np.where(own, act_range[..., 0], low), np.where(own, act_range[..., 1], high)
        dynamic = c.actuator_dyntype[actuator] > 0
        if dynamic.any():
            at = np.where(dynamic, (c.actuator_actadr + c.actuator_actnum - 1)[actuator], 0)
            value = np.where(dynamic, draft.found["act"][draft.shown][:, at], value)
    least = np.where(low >= 0, -1.0, low)
    most = np.where((low < 0) & (high <= 0), 1.0, high)
    middle = np.where(low >= 0, low, np.where(high <= 0, high, 0.0))
    least, most = np.minimum(least, middle - MINVAL), np.maximum(most, middle + MINVAL)
    value = np.clip(value, least, most)
    below = np.clip((middle - value) / np.maximum(middle - least, MINVAL), 0.0, 1.0)[..., None]
    above = np.clip((value - middle) / np.maximum(most - middle, MINVAL), 0.0, 1.0)[..., None]
    return below * rgba.actuatornegative + above * rgba.actuatorpositive + (1 - below - above) * rgba.actuator


def add_actuators(draft: Draft) -> None:
    """Actuators of joints, sites, bodies and tendons, by the group they are in and as far as they are not disabled."""
    c = draft.found.compiled
    group = c.actuator_group
    disabled = (int(getattr(c.opt, "disableactuator", 0)) >> np.clip(group, 0, 30)) & 1 & (group >= 0)
    each = np.flatnonzero(np.array(draft.options.actuatorgroup)[np.clip(group, 0, 5)] & (disabled == 0))
    if not len(each):
        return
    color = _control_color(draft, each)
    kind, target = c.actuator_trntype[each], c.actuator_trnid[each, 0]
    names = [name or f"actuator {at}" for at, name in enumerate(c.actuator_names)]
    on_joint = (kind == TrnType.JOINT) | (kind == TrnType.JOINTINPARENT)
    _joint_actuators(draft, each[on_joint], target[on_joint], color[:, on_joint], names)
    for at in np.flatnonzero((kind == TrnType.SITE) | (kind == TrnType.BODY) | (kind == TrnType.TENDON)):  # over actuators of one world
        glyphs: dict[int, Any] = {TrnType.SITE: _site_actuator, TrnType.BODY: _body_actuator, TrnType.TENDON: _tendon_actuator}
        add = glyphs[int(kind[at])]
        add(draft, int(each[at]), int(target[at]), color[:, at : at + 1], names)


def _joint_actuators(draft: Draft, actuator: np.ndarray, joint: np.ndarray, color: np.ndarray, names: list[str]) -> None:
    if not len(actuator):
        return
    size = draft.visual.scale
    width, length = size.actuatorwidth * draft.scale, size.actuatorlength * draft.scale
    shape, position, rotation, scale = _joint_shapes(draft, joint, width, length, 0.33 * size.jointlength * draft.scale)
    for one in np.unique(shape).tolist():
        of = shape == one
        draft.add(one, position[:, of], rotation[:, of], scale[of], color[:, of], Kind.ACTUATOR, actuator[of])
    draft.label(Label.ACTUATOR, [names[at] for at in actuator], position)


def _inflated(draft: Draft, kind: str, row: int, actuator: int, color: np.ndarray) -> np.ndarray | None:
    """A site or geom a little larger than it is, in the actuator's colour."""
    t = draft.tables
    shape = _PRIMITIVE.get(int(getattr(t, f"{kind}_type")[row]))
    if shape is None:
        return None
    at = np.array([row])
    body = getattr(t, f"{kind}_bodyid")[at]
    position, rotation = draft.bodies.on_bodies(body, t.worlds(f"{kind}_pos")[:, at], t.worlds(f"{kind}_quat")[:, at])
    size = 1.05 * draft.of(t.worlds(f"{kind}_size"))[:, at]
    if int(getattr(t, f"{kind}_type")[row]) == 2:
        size = size[..., [0, 0, 0]]
    elif shape in ("capsule", "cylinder"):
        size = size[..., [0, 0, 1]]
    draft.add(shape, position[draft.shown], rotation[draft.shown], size, color, Kind.ACTUATOR, actuator)
    return position[draft.shown]


def _site_actuator(draft: Draft, actuator: int, site: int, color: np.ndarray, names: list[str]) -> None:
    position = _inflated(draft, "site", site, actuator, color)
    if position is not None:
        draft.label(Label.ACTUATOR, [names[actuator]], position)


def _body_actuator(draft: Draft, actuator: int, body: int, color: np.ndarray, names: list[str]) -> None:
    del names
    for geom in np.flatnonzero(draft.tables.geom_bodyid == body):
        _inflated(draft, "geom", int(geom), actuator, color)


def _tendon_actuator(draft: Draft, actuator: int, tendon: int, color: np.ndarray, names: list[str]) -> None:
    path = pieces(draft, np.array([tendon]))
    if not len(path.start):
        return
    width = path.width * draft.visual.map.actuatortendon
    add_pieces(draft, path, width, color[path.world, 0], Kind.ACTUATOR, actuator)
    if draft.options.label == Label.ACTUATOR:
        draft.labels += [TextLabel(names[actuator], path.start[at].astype(np.float32)) for at in np.flatnonzero(path.first)]


def add_slider_cranks(draft: Draft) -> None:
    """The slider and the rod of slider-crank actuators; the rod is red where it is too short."""
    t, c = draft.tables, draft.found.compiled
    each = np.flatnonzero(c.actuator_trntype == TrnType.SLIDERCRANK)
    if not len(each):
        return
    crank, slider = c.actuator_trnid[each].T
    position, rotation = (part[draft.shown] for part in draft.bodies.on_bodies(t.site_bodyid, t.worlds("site_pos"), t.worlds("site_quat")))
    joint, start, axis = position[:, crank], position[:, slider], rotation[:, slider][..., 2]
    rod = draft.of(draft.found.world("actuator_cranklength"))[:, each]
    apart = joint - start
    along = (apart * axis).sum(axis=-1)
    left = along**2 + rod**2 - (apart**2).sum(axis=-1)
    end = start + axis * (along - np.sqrt(np.maximum(left, 0.0)))[..., None]
    width, rgba = draft.scale * draft.visual.scale.slidercrank, draft.visual.rgba
    broken = np.where((left < 0.0)[..., None], rgba.crankbroken, rgba.slidercrank)
    more = dict(category=Category.DYNAMIC)
    draft.connect("cylinder", width, start, end, rgba.slidercrank, Kind.ACTUATOR, each, **more)
    draft.connect("capsule", 0.5 * width, end, joint, broken, Kind.ACTUATOR, each, **more)
    names = [name or f"actuator {at}" for at, name in enumerate(c.actuator_names)]
    draft.label(Label.ACTUATOR, [names[at] for at in each], start)
