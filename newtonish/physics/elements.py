"""From elements of ``newtonish.mjcf`` to MuJoCo's ids: by name, or by the place among the children of a body."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.mjcf.element import Element
from newtonish.mjcf.facts import space_of
from newtonish.mjcf.namescope import FRAME_SPACE
from newtonish.physics.rows import KINDS

__all__ = ["id_of", "namespace_of"]

_BODY_OF = {"joint": "jnt_bodyid", "geom": "geom_bodyid", "site": "site_bodyid", "camera": "cam_bodyid", "light": "light_bodyid"}


def namespace_of(element: Any) -> str:
    """PyMJCF's namespace of an element; the world and attachment frames are bodies."""
    if not isinstance(element, Element):
        raise ModelError(problem("bind: element", f"a {type(element).__name__}", "an element of newtonish.mjcf, or several", "pass elements"))
    space = "body" if element.tag == "worldbody" or space_of(element._kind) == FRAME_SPACE else str(space_of(element._kind))
    if space not in KINDS:
        raise ModelError(problem(f"bind: element {element.tag}", f"kind '{space}'", ", ".join(KINDS), "read it in physics.model"))
    return space


def id_of(element: Element, compiled: Any) -> int:
    """MuJoCo's id of an element."""
    space, name = namespace_of(element), element.full_identifier
    names = getattr(compiled, KINDS[space].names)
    if name in names:
        return int(names.index(name))
    place: Iterable[Any]
    parent = element.parent
    assert parent is not None, "the root has a name"
    if space in _BODY_OF:
        like = parent.find_all(space, immediate_children_only=True)
        place = np.flatnonzero(np.asarray(getattr(compiled, _BODY_OF[space])) == id_of(parent, compiled))
    elif space == "body":
        like = [child for child in parent.all_children() if child.tag == "body" or space_of(child._kind) == FRAME_SPACE]
        place = np.flatnonzero(np.asarray(compiled.body_parentid) == id_of(parent, compiled))
        place = place[place > 0]  # the world is its own parent
    else:
        like, place = element.root_model.find_all(space), np.arange(len(names))
    ids = list(place)
    index = next((k for k, other in enumerate(like) if other is element), -1)
    if index < 0 or len(like) != len(ids):
        raise ModelError(
            problem(f"bind: {space} '{name}'", "an element that is not in this simulation", "elements of its model", "make a Physics of the model as it is now")
        )
    return int(ids[index])
