"""Children of one tag as a list that can also be asked by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from newtonish.mjcf.facts import identifier_of

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element

__all__ = ["ElementList"]


class ElementList:
    """The children of one tag, in order; a view that follows what is added and removed later."""

    def __init__(self, parent: Element, tag: str) -> None:
        self._parent = parent
        self._tag = tag

    def _items(self) -> list[Element]:
        return self._parent._tagged(self._tag)

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[Element]:
        return iter(self._items())

    def __getitem__(self, key: int | slice | str) -> Any:
        """Return a child by position or by name."""
        if not isinstance(key, str):
            return self._items()[key]
        for child in self._items():
            if child._values.get(identifier_of(child._kind) or "") == key:
                return child
        raise KeyError(f"{self._parent._label} has no {self._tag} of name {key!r}")

    def __contains__(self, key: Any) -> bool:
        if not isinstance(key, str):
            return any(child is key for child in self._items())
        return any(child._values.get(identifier_of(child._kind) or "") == key for child in self._items())

    def __delitem__(self, key: int | slice | str) -> None:
        """Remove a child from the model."""
        chosen = self[key]
        for child in chosen if isinstance(chosen, list) else [chosen]:
            child.remove()

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, (ElementList, list, tuple)):
            return NotImplemented
        own, theirs = self._items(), list(other)
        return len(own) == len(theirs) and all(a is b for a, b in zip(own, theirs))

    __hash__ = None

    def clear(self) -> None:
        """Remove all of them from the model."""
        del self[:]

    def __repr__(self) -> str:
        return repr(self._items())
