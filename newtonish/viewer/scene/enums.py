"""Kinds of drawn things, under MuJoCo's numbers where it has one, so that segmentation images can be compared."""

from __future__ import annotations

from enum import IntEnum

from newtonish.common.enums import ObjType

__all__ = ["CameraType", "Category", "Frame", "Kind", "Label", "LightType", "Mouse", "PerturbBit"]


class Category(IntEnum):
    """What a drawn thing is, as ``mjtCatBit``; bits, so that several can be chosen."""

    STATIC = 1
    DYNAMIC = 2
    DECOR = 4
    ALL = 7


class Kind(IntEnum):
    """What a drawn thing stands for, as ``mjtObj``; numbers from 200 on are the scene's own."""

    UNKNOWN = ObjType.UNKNOWN
    BODY = ObjType.BODY
    XBODY = ObjType.XBODY
    JOINT = ObjType.JOINT
    DOF = ObjType.DOF
    GEOM = ObjType.GEOM
    SITE = ObjType.SITE
    CAMERA = ObjType.CAMERA
    LIGHT = ObjType.LIGHT
    SKIN = ObjType.SKIN
    EQUALITY = ObjType.EQUALITY
    TENDON = ObjType.TENDON
    ACTUATOR = ObjType.ACTUATOR
    SENSOR = ObjType.SENSOR
    CONTACT = 200
    PERTURBATION = 201
    FRAME = 202


class LightType(IntEnum):
    """How a light shines, as ``mjtLightType``."""

    SPOT = 0
    DIRECTIONAL = 1
    POINT = 2
    IMAGE = 3


class CameraType(IntEnum):
    """What moves a camera, as ``mjtCamera``."""

    FREE = 0
    TRACKING = 1
    FIXED = 2


class Mouse(IntEnum):
    """What a movement of the mouse does, as ``mjtMouse``."""

    NONE = 0
    ROTATE_V = 1
    ROTATE_H = 2
    MOVE_V = 3
    MOVE_H = 4
    ZOOM = 5


class PerturbBit(IntEnum):
    """How the selected body is perturbed, as ``mjtPertBit``; bits."""

    TRANSLATE = 1
    ROTATE = 2


class Frame(IntEnum):
    """Whose coordinate frames are drawn, as ``mjtFrame``."""

    NONE = 0
    BODY = 1
    GEOM = 2
    SITE = 3
    CAMERA = 4
    LIGHT = 5
    CONTACT = 6
    WORLD = 7


class Label(IntEnum):
    """What is labelled, as ``mjtLabel``."""

    NONE = 0
    BODY = 1
    JOINT = 2
    GEOM = 3
    SITE = 4
    CAMERA = 5
    LIGHT = 6
    TENDON = 7
    ACTUATOR = 8
    CONSTRAINT = 9
    SKIN = 11
    SELECTION = 12
    SELPNT = 13
    CONTACTPOINT = 14
    CONTACTFORCE = 15
