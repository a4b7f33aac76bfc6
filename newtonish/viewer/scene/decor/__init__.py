"""Decor: what is drawn beside the model's own shapes, by the flags of the options."""

from __future__ import annotations

from newtonish.common.enums import TrnType
from newtonish.common.sensors import sensor_types
from newtonish.viewer.scene.decor.contacts import add_contacts
from newtonish.viewer.scene.decor.devices import add_cameras, add_constraints, add_lights, add_rays
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.decor.frames import add_bodies
from newtonish.viewer.scene.decor.hand import add_perturbation
from newtonish.viewer.scene.decor.joints import add_actuators, add_joints, add_slider_cranks
from newtonish.viewer.scene.decor.logged_contacts import add_logged_contacts
from newtonish.viewer.scene.decor.tendons import add_tendons
from newtonish.viewer.scene.enums import Category, Frame
from newtonish.viewer.scene.evaluation import Evaluation
from newtonish.viewer.scene.options import VisualOptions

__all__ = ["Draft", "add_decor", "needs_evaluation"]

DRAWN_SENSORS = (*sensor_types(glyph="rays"), *sensor_types(glyph="line"))


def needs_evaluation(options: VisualOptions, found: Evaluation) -> bool:
    """Whether anything that options show has to be computed by the solver's equations."""
    c = found.compiled
    if int(options.categories) & Category.DYNAMIC:
        if options.tendon and c.nwrap:
            return True
        if c.nactuator and (c.actuator_trntype == TrnType.SLIDERCRANK).any():
            return True
    if not int(options.categories) & Category.DECOR:
        return False
    if options.rangefinder and c.nsensor and any((c.sensor_type == kind).any() for kind in DRAWN_SENSORS):
        return True
    flags = ("contactpoint", "contactforce", "joint", "actuator", "autoconnect", "constraint")
    return any(getattr(options, flag) for flag in flags) or options.frame == Frame.CONTACT


def add_decor(draft: Draft, evaluated: bool) -> None:
    """Add everything that options show, in the order of MuJoCo's.

    Args:
        draft: Receives it.
        evaluated: Whether ``draft.found`` belongs to the state.
    """
    options, bits = draft.options, int(draft.options.categories)
    if evaluated and bits & Category.DYNAMIC:
        if options.tendon:
            add_tendons(draft)
        add_slider_cranks(draft)
    if not bits & Category.DECOR:
        return
    add_bodies(draft)
    add_perturbation(draft)
    for flag, add in (("joint", add_joints), ("actuator", add_actuators)):
        if getattr(options, flag) and evaluated:
            add(draft)
    if options.camera:
        add_cameras(draft)
    if options.light:
        add_lights(draft)
    for flag, add in (("rangefinder", add_rays), ("constraint", add_constraints)):
        if getattr(options, flag) and evaluated:
            add(draft)
    if evaluated and (options.contactpoint or options.contactforce or options.frame == Frame.CONTACT):
        add_contacts(draft)
    elif draft.contacts is not None and (options.contactpoint or options.contactforce):
        add_logged_contacts(draft)
