"""Models in models: the frame that a model is attached by, and what two models may not disagree about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.mjcf.defaults import effective
from newtonish.mjcf.element import Element
from newtonish.mjcf.namescope import FRAME_SPACE, Names
from newtonish.mjcf.problems import refuse, short
from newtonish.mjcf.references import MAIN

if TYPE_CHECKING:
    from newtonish.mjcf.root import RootElement

__all__ = ["GLOBAL_SECTIONS", "LARGEST", "UNSHARED", "AttachmentFrame", "DefaultElement", "SiteElement", "WorldElement", "attach", "global_options", "larger"]

GLOBAL_SECTIONS = ("compiler", "option", "size", "visual")
UNSHARED = frozenset({"meshdir", "texturedir", "assetdir", "strippath"})
"""Where a model's files are is its own affair: they are written by their contents."""

LARGEST = frozenset({"memory", "nconmax", "njmax", "nstack"})
"""Attributes of ``size`` of which the whole has the largest value that one of its models says."""

_POSE = ("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler")


class AttachmentFrame(Element):
    """The body in the parent model that stands for the world of an attached model.

    It takes a pose, joints and an inertia; everything else belongs into the attached model. It is no ``body`` for the
    parent model, and is found in the namespace ``attachment_frame`` by the attached model's name. Names of its joints are
    its own: ``x`` in the frame of ``child`` is ``child/x/`` in the whole, and a joint without a name is ``child/``.
    """

    _model: RootElement
    _names: Names

    @property
    def _label(self) -> str:
        return f"attachment frame '{self._model.namescope.name}'"

    def _inner(self, exclude_attachments: bool) -> list[Element]:
        inner = list(self._children)
        return inner if exclude_attachments else inner + self._model.worldbody._inner(False)

    def _leave(self) -> None:
        self._root._namescope.remove(FRAME_SPACE, self._model.namescope.name)
        self._root._frames.remove(self)
        self._model._frame = None

    @property
    def _empty(self) -> bool:
        return False


class DefaultElement(Element):
    """A default class, which equals its own name, as ``geom.dclass == "visual"``."""

    def __eq__(self, other: Any) -> bool:
        return self._values.get("class", MAIN) == other if isinstance(other, str) else self is other

    def __hash__(self) -> int:
        return id(self)


class WorldElement(Element):
    """The world of a model; its ``attach`` elements are in ``get_children("attach")``."""

    def attach(self, model: RootElement) -> AttachmentFrame:
        """Attach a model to the world and return the frame; see :meth:`RootElement.attach`."""
        return attach(self, model, {})


class SiteElement(Element):
    """A site, which models can be attached to."""

    def attach(self, model: RootElement) -> AttachmentFrame:
        """Attach a model where the site is and return the frame; see :meth:`RootElement.attach`."""
        if effective(self, "fromto") is not None:
            given = "a site that spans from one point to another"
            refuse(f"{self._label}, attach", given, "a site with a position", "attach to another site")
        pose = {name: effective(self, name) for name in _POSE}
        if any(name in self._values for name in _POSE[1:]):  # an orientation of its own replaces the class's
            pose = {name: value for name, value in pose.items() if name == "pos" or name in self._values}
        return attach(self._parent, model, {name: value for name, value in pose.items() if value is not None})


def attach(place: Element, model: Any, pose: dict[str, Any]) -> AttachmentFrame:
    """Attach a model to a body, a frame or the world; nothing is changed when it is refused."""
    from newtonish.mjcf.root import RootElement

    root = place._root
    label = f"model '{root.namescope.name}', attach"
    if not isinstance(model, RootElement):
        refuse(label, f"{short(model)}, a {type(model).__name__}", "an mjcf.RootElement", "pass a model's root")
    name = model.namescope.name
    if place.is_removed:
        refuse(label, f"{place._label}, which has been removed", "a place in the model", "choose another site")
    if model._frame is not None:
        given = f"model '{name}', which is attached to '{model.parent_model.namescope.name}'"
        refuse(label, given, "each model attached once", "detach it first, or attach a deep copy")
    if model is root.root_model:
        refuse(label, f"model '{name}', which '{root.namescope.name}' is part of", "another model", "attach a copy")
    if root.namescope.has_identifier(FRAME_SPACE, name):
        refuse(label, f"a second model '{name}'", "models of different names", "set the attribute model of one of them")
    _check_options(root.root_model, model)
    _enlarge(root, model)
    frame = AttachmentFrame._make(FRAME_SPACE, "body", place)
    frame._model, frame._names = model, Names()
    frame.set_attributes(**pose)
    root.namescope.add(FRAME_SPACE, name, frame, label)
    place._children.append(frame)
    root._frames.append(frame)
    model._frame = frame
    return frame


def global_options(root: RootElement) -> Iterator[tuple[str, str, Any, RootElement]]:
    """Yield (element, attribute, value, model) of all that holds for the whole, of a model and those attached to it."""
    for model in root._whole():
        for section in model._children:
            if section.tag in GLOBAL_SECTIONS:
                for element in (section, *section._descendants()):
                    path = section.tag if element is section else f"{section.tag}/{element.tag}"
                    for name, value in element._values.items():
                        if name not in UNSHARED:
                            yield path, name, value, model


def larger(name: str, one: Any, other: Any) -> Any:
    """The larger of two values of an attribute in ``LARGEST``, memory in bytes."""
    return str(max(_bytes(one), _bytes(other))) if name == "memory" else max(one, other, key=float)


def _bytes(memory: str) -> int:
    """Size in bytes of a text such as ``10M``."""
    unit = "KMGTPE".find(memory[-1:].upper()) + 1 if memory[-1:].isalpha() else 0
    return int(memory[:-1] if unit else memory) << 10 * unit


def _enlarge(parent: RootElement, child: RootElement) -> None:
    """Let a parent have what is the larger of both models, as the whole does."""
    sizes = parent._child("size")
    for name in LARGEST & set(sizes._values) & set(child._child("size")._values):
        sizes._values[name] = larger(name, sizes._values[name], child._child("size")._values[name])


def _check_options(parent: RootElement, child: RootElement) -> None:
    """Refuse two models that set one option to different values, where the larger one is not what both mean."""
    known = {(path, name): (value, model) for path, name, value, model in global_options(parent)}
    for path, name, value, model in global_options(child):
        before, owner = known.get((path, name), (None, None))
        if before is not None and not np.array_equal(before, value) and not (path == "size" and name in LARGEST):
            refuse(
                f"{path}, {name}",
                f"{short(value)} in model '{model.namescope.name}' and {short(before)} in '{owner.namescope.name}'",
                "options that agree, or stand in one of the models only", "set them to the same value",
            )  # fmt: skip
