"""Coordinate frames, inertia, centres of mass, the skeleton, and names of bodies."""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.enums import Category, Frame, Kind, Label

__all__ = ["add_bodies"]


def add_bodies(draft: Draft) -> None:
    """Everything that is attached to bodies."""
    _frames(draft)
    if draft.options.inertia:
        _inertia(draft)
    if draft.options.label in (Label.BODY, Label.SELECTION):
        _names(draft)
    if draft.options.com:
        _centers(draft)
    if draft.options.autoconnect and draft.evaluation is not None:
        _skeleton(draft)
    if draft.options.perturbforce:
        _forces(draft)


def _wanted(draft: Draft, body: np.ndarray) -> np.ndarray:
    """Whether things on bodies are drawn, by the categories that are."""
    static = draft.tables.body_weldid[body] == 0
    bits = int(draft.options.categories) & (~int(Category.STATIC) if not draft.options.static else -1)
    return np.where(static, bits & Category.STATIC, bits & Category.DYNAMIC) > 0


def _frames(draft: Draft) -> None:
    frame, size = draft.options.frame, draft.visual.scale
    length, width = size.framelength * draft.scale, size.framewidth * draft.scale
    t, bodies, shown = draft.tables, draft.bodies, draft.shown
    if frame == Frame.WORLD:
        draft.axes(bodies.xpos[shown, :1], bodies.xmat[shown, :1], 2 * length, 2 * width, 0)
    elif frame == Frame.BODY:
        each = np.arange(1, t.nbody)
        position, rotation = (bodies.xipos, bodies.ximat) if draft.options.inertia else (bodies.xpos, bodies.xmat)
        draft.axes(position[shown][:, each], rotation[shown][:, each], length, width, each, _wanted(draft, each))
    elif frame in (Frame.GEOM, Frame.SITE):
        kind, groups = ("geom", draft.options.geomgroup) if frame == Frame.GEOM else ("site", draft.options.sitegroup)
        body, group = getattr(t, f"{kind}_bodyid"), getattr(t, f"{kind}_group")
        rows = draft.maker.drawn_shapes(t.maps.mjc_geom if kind == "geom" else t.maps.mjc_site)[shown]
        mask = rows & np.array(groups)[np.clip(group, 0, 5)] & _wanted(draft, body)
        position, rotation = bodies.on_bodies(body, t.worlds(f"{kind}_pos"), t.worlds(f"{kind}_quat"))
        draft.axes(position[shown], rotation[shown], length, width, np.arange(len(body)), mask)


def _inertia(draft: Draft) -> None:
    """Boxes, or ellipsoids, of even density with the mass and the inertia of each body."""
    t, shown = draft.tables, draft.shown
    each = np.arange(1, t.nbody)
    moments, mass = draft.of(t.worlds("body_inertia"))[:, each], draft.of(t.worlds("body_mass"))[:, each]
    round_ = bool(draft.visual.global_.ellipsoidinertia)
    heavy = mass > MINVAL
    safe = np.where(heavy, mass, 1.0)[..., None]
    squares = (moments.sum(axis=-1, keepdims=True) - 2.0 * moments) / (2.0 * safe)
    size = np.sqrt(np.maximum(squares, 0.0)) * np.sqrt(5.0 if round_ else 3.0)
    if draft.options.sclinertia:
        volume = size.prod(axis=-1) * (4.0 / 3.0 * np.pi if round_ else 8.0)
        size = size * np.cbrt(0.001 * mass / np.maximum(volume, MINVAL))[..., None]
    mine = draft.newton_bodies(each)
    glow = draft.visual.global_.glow * (mine == (-1 if draft.perturbation is None else draft.perturbation.body))
    draft.add(
        "sphere" if round_ else "box", draft.bodies.xipos[shown][:, each], draft.bodies.ximat[shown][:, each], size,
        draft.visual.rgba.inertia, Kind.BODY, mine, mask=heavy & _wanted(draft, each), body=mine, glow=glow,
    )  # fmt: skip


def _names(draft: Draft) -> None:
    each = np.arange(1, draft.tables.nbody)
    mask = np.ones((len(draft.shown), len(each)), dtype=bool)
    if draft.options.label == Label.SELECTION:
        world, body = draft.selected
        mask &= (draft.shown[:, None] == world) & (each == body)
    at = draft.bodies.xipos if draft.options.inertia else draft.bodies.xpos
    names = [name or f"body {body}" for body, name in enumerate(draft.tables.body_names)][1:]
    draft.label(draft.options.label, names, at[draft.shown][:, each], mask & _wanted(draft, each))


def _centers(draft: Draft) -> None:
    roots = np.flatnonzero(draft.tables.body_rootid == np.arange(draft.tables.nbody))[1:]
    radius = draft.scale * draft.visual.scale.com
    mine = draft.newton_bodies(roots)
    draft.sphere(draft.bodies.subtree_com[draft.shown][:, roots], radius, draft.visual.rgba.com, Kind.BODY, mine, body=mine)


def _skeleton(draft: Draft) -> None:
    """From each centre of mass through the anchors of the body's joints, last first, to the parent's centre of mass."""
    t = draft.tables
    each = np.arange(1, t.nbody)
    each = each[t.body_parentid[each] > 0]
    if not len(each):
        return
    centers = draft.bodies.xipos[draft.shown]
    anchors = draft.found["xanchor"][draft.shown] + draft.offsets
    width, color = draft.scale * draft.visual.scale.connect, draft.visual.rgba.connect
    at = centers[:, each].copy()
    for step in range(int(t.body_jntnum[each].max(initial=0))):
        with_joint = t.body_jntnum[each] > step
        joint = (t.body_jntadr + t.body_jntnum - 1 - step)[each[with_joint]]
        draft.connect("capsule", width, at[:, with_joint], anchors[:, joint], color, Kind.UNKNOWN, each[with_joint])
        at[:, with_joint] = anchors[:, joint]
    draft.connect("capsule", width, at, centers[:, t.body_parentid[each]], color, Kind.UNKNOWN, each)


def _forces(draft: Draft) -> None:
    """Forces on bodies from outside, those of ``state.body_f``."""
    each = np.arange(1, draft.tables.nbody)
    mine = draft.newton_bodies(each)
    force = np.zeros((*mine.shape, 3))
    if draft.state.body_f is not None and len(each):
        force += draft.state.body_f.numpy()[np.maximum(mine, 0), :3]
    start = draft.bodies.xipos[draft.shown][:, each]
    end = start + force * (draft.visual.map.force / draft.mass)
    mask = np.linalg.norm(force, axis=-1) > MINVAL
    width = draft.visual.scale.forcewidth * draft.scale
    draft.connect("arrow", width, start, end, draft.visual.rgba.force, Kind.UNKNOWN, each, mask=mask, body=mine)
