"""The names of one model, and what precedes them where the model is attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newtonish.mjcf.language.names import NAMESPACES
from newtonish.mjcf.problems import refuse
from newtonish.mjcf.values import SEPARATOR

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.root import RootElement

__all__ = ["FRAME_SPACE", "SPACES", "UNNAMED", "NameScope", "Names"]

FRAME_SPACE = "attachment_frame"
SPACES = NAMESPACES | {FRAME_SPACE}
UNNAMED = "unnamed_model"


class Names:
    """Names by namespace: those of a model, or those of the joints of one attachment frame."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, Element]] = {space: {} for space in SPACES}

    def get(self, space: str, name: str) -> Element | None:
        """Return the element of a name."""
        return self._names[space].get(name)

    def has_identifier(self, space: str, name: str) -> bool:
        """Whether a name is taken."""
        return name in self._names[space]

    def add(self, space: str, name: str, element: Element, label: str) -> None:
        """Enter a name; refuse one that is taken by another element."""
        taken = self._names[space].get(name)
        if taken is not None and taken is not element:
            refuse(label, f"the name '{name}' again", f"each name once among those of {space}s", "choose another name")
        self._names[space][name] = element

    def remove(self, space: str, name: str) -> None:
        """Give a name free."""
        self._names[space].pop(name, None)


class NameScope(Names):
    """The names of a model by namespace; models attached to it have scopes of their own inside."""

    def __init__(self, root: RootElement) -> None:
        super().__init__()
        self.root = root

    @property
    def name(self) -> str:
        """Name of the model, ``unnamed_model`` for one without."""
        return self.root._values.get("model") or UNNAMED

    @property
    def parent(self) -> NameScope | None:
        """Scope of the model that this one is attached to."""
        above = self.root.parent_model
        return above.namescope if above is not None else None

    def full_prefix(self, prefix_root: NameScope | None = None) -> str:
        """Return what precedes the names as seen from ``prefix_root``, by default from the top model."""
        parts: list[str] = []
        scope: NameScope | None = self
        while scope is not None and scope is not prefix_root:
            if scope.parent is None:
                if prefix_root is not None:
                    refuse(
                        f"model '{self.name}'", f"a look from model '{prefix_root.name}'",
                        "a model that this one is attached to", "attach it first, or start at its root model",
                    )  # fmt: skip
                break
            parts.append(scope.name + SEPARATOR)
            scope = scope.parent
        return "".join(reversed(parts))
