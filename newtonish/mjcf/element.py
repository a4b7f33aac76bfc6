"""Elements of a model: attributes and children as Python attributes, checked when they are set."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from newtonish.arguments import checked_methods
from newtonish.errors import problem
from newtonish.mjcf import search
from newtonish.mjcf.attributes import assign, set_value, unset, xml_name
from newtonish.mjcf.children import insert, make_element, remove
from newtonish.mjcf.facts import child_is_single, identifier_of, spec_of
from newtonish.mjcf.language.names import reference
from newtonish.mjcf.language.schema import nearest
from newtonish.mjcf.lists import ElementList
from newtonish.mjcf.namescope import NameScope
from newtonish.mjcf.problems import UnknownNameError, refuse, short
from newtonish.mjcf.references import get_reference

if TYPE_CHECKING:
    from lxml import etree

    from newtonish.mjcf.language.schema import Kind
    from newtonish.mjcf.root import RootElement

__all__ = ["Element"]


class Element:
    """An element of an MJCF model.

    Attributes have MJCF's names (``class`` is ``dclass``); one that is not set is None, whatever MuJoCo's default
    or a default class says. Children that may repeat are lists that take positions and names, ``body.geom['shin']``.
    Elements come from :meth:`add` of another one; only :class:`RootElement` can be made by itself.
    """

    _kind: str
    _tag: str
    _parent: Element | None
    _root: RootElement
    _values: dict[str, Any]
    _children: list[Element]
    _explicit: bool
    _removed: bool

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        raise TypeError("an mjcf.Element is made by add() of another element; only mjcf.RootElement can be made alone")

    @classmethod
    def _make(cls, kind: str, tag: str, parent: Element | None, root: RootElement | None = None) -> Any:
        """Make an element that is not yet among its parent's children."""
        self = object.__new__(cls)
        if root is None:
            assert parent is not None  # an element without a parent is made with its root
            root = parent._root
        self._setup(kind, tag, parent, root)
        return self

    def _setup(self, kind: str, tag: str, parent: Element | None, root: RootElement) -> None:
        self._kind, self._tag, self._parent, self._root = kind, tag, parent, root
        self._values, self._children = {}, []
        self._explicit, self._removed = True, False

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def tag(self) -> str:
        """Name of the element in XML."""
        return self._tag

    @property
    def spec(self) -> Kind:
        """What the table of MJCF says about this kind of element."""
        return spec_of(self._kind)

    @property
    def parent(self) -> Element | None:
        """The element that this one is in; None for a root and for what has been removed."""
        return None if self._removed else self._parent

    @property
    def root(self) -> RootElement:
        """Root of the model that this element is in, attached or not."""
        return self._root

    @property
    def root_model(self) -> RootElement:
        """Root of the whole: the model that is attached to no other."""
        root = self._root
        while root.parent_model is not None:
            root = root.parent_model
        return root

    @property
    def parent_model(self) -> RootElement | None:
        """The model that this element's model is attached to."""
        frame = self._root._frame
        return frame._root if frame is not None else None

    @property
    def namescope(self) -> NameScope:
        """The names of the model."""
        return self._root._namescope

    @property
    def is_removed(self) -> bool:
        """Whether it is out of its model for good."""
        return self._removed

    @property
    def _label(self) -> str:
        """What messages call it."""
        name = self._values.get(identifier_of(self._kind) or "")
        return f"{self._tag} '{name}'" if name else f"element '{self._tag}'"

    def prefixed_identifier(self, prefix_root: NameScope | None = None) -> str | None:
        """Return the name as seen from the model of ``prefix_root``, with the models in between in front of it."""
        from newtonish.mjcf.naming import prefixed_name

        return prefixed_name(self, prefix_root)

    @property
    def full_identifier(self) -> str | None:
        """The name in the whole, as in the written root model; None for kinds without names."""
        return self.prefixed_identifier()

    # -- attributes ---------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        spec, key = self.spec, xml_name(name)
        if key in spec.attributes:
            return self._get(key)
        if key in spec.children:
            return self._child(key)
        raise self._unknown(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif xml_name(name) in self.spec.attributes:
            self.set_attributes(**{name: value})
        elif name in self.spec.children:
            refuse(f"{self._label}, {name}", short(value), "add and remove for children", f"use add('{name}', ...)")
        else:
            raise self._unknown(name)

    def __delattr__(self, name: str) -> None:
        key = xml_name(name)
        if key in self.spec.attributes:
            self._unset(key)
        elif key in self.spec.children:
            for child in self._tagged(key):
                child.remove()
        else:
            raise self._unknown(name)

    def __dir__(self) -> list[str]:
        words = ["dclass" if name == "class" else name for name in (*self.spec.attributes, *self.spec.children)]
        return sorted({*object.__dir__(self), *words})

    def _unknown(self, name: str) -> UnknownNameError:
        known = [*self.spec.attributes, *self.spec.children]
        hint = nearest(name, known) or "correct the name"
        allowed = ", ".join("dclass" if word == "class" else word for word in known) or "nothing"
        return UnknownNameError(problem(self._label, f"no attribute or child called '{name}'", allowed, hint))

    def _get(self, key: str) -> Any:
        """Return a value by its name in XML."""
        return get_reference(self, key) if reference(self._kind, key) else self._values.get(key)

    def get_attributes(self) -> OrderedDict[str, Any]:
        """Return what is set, by Python name, in the order of the table."""
        found = ((name, self._get(name)) for name in self.spec.attributes if name in self._values)
        return OrderedDict(("dclass" if name == "class" else name, value) for name, value in found if value is not None)

    def get_attribute_xml_string(
        self, attribute_name: str, prefix_root: NameScope | None = None, *, precision: int | None = None, zero_threshold: float = 0.0
    ) -> str | None:
        """Return an attribute as it is written; None for one that is not set. The other arguments are those of :meth:`to_xml_string`.

        Raises:
            AttributeError: There is no such attribute.
        """
        from newtonish.mjcf.writer import Writer

        if xml_name(attribute_name) not in self.spec.attributes:
            raise self._unknown(attribute_name)
        writer = Writer(self, prefix_root, precision=precision, zero_threshold=zero_threshold)
        return writer.attributes(self).get(xml_name(attribute_name))

    def set_attributes(self, **attributes: Any) -> None:
        """Set several attributes, all or none of them; None, or an empty text, resets one.

        Raises:
            ModelError: A value that MJCF does not allow, or a name that is taken.
            AttributeError: There is no such attribute.
        """
        if self._removed:
            refuse(self._label, "a change after its removal", "elements in a model", "add a new element")
        for name in attributes:
            if xml_name(name) not in self.spec.attributes:
                raise self._unknown(name)
        assign(self, {xml_name(name): value for name, value in attributes.items()})

    def _set(self, key: str, value: Any) -> None:
        """Check and keep one value, by its name in XML."""
        set_value(self, key, value)

    def _unset(self, key: str) -> None:
        """Reset one attribute."""
        unset(self, key)

    # -- children -----------------------------------------------------------------------------------------------------

    def _tagged(self, tag: str) -> list[Element]:
        """The children of one tag; attachment frames are no bodies."""
        return [child for child in self._children if child._tag == tag and child._kind == self.spec.children[tag]]

    def _child(self, tag: str) -> Any:
        """Return the list of a repeated child, or the single one."""
        how = child_is_single(self._kind, tag)
        if how is None:
            return ElementList(self, tag)
        for child in self._tagged(tag):
            return child
        if how == "added" or self._removed:
            return None
        child = make_element(self.spec.children[tag], tag, self)
        child._explicit = False  # not written as long as it is empty
        self._children.append(child)
        return child

    def get_children(self, name: str) -> Any:
        """Return the children of one tag; the same as the attribute, also for tags that are methods here."""
        if name not in self.spec.children:
            raise self._unknown(name)
        return self._child(name)

    def all_children(self) -> list[Element]:
        """Return every child that is there, in order; of single ones those with contents."""
        return [child for child in self._children if not child._empty]

    @property
    def _empty(self) -> bool:
        """Whether nothing of it needs to be written."""
        return not (self._explicit or self._values or any(not child._empty for child in self._children))

    def add(self, name: str, /, **attributes: Any) -> Any:
        """Add a child behind the others and return it.

        Args:
            name: Its tag.
            attributes: Its attributes; ``name=`` is one of them.

        Raises:
            ModelError: A wrong value, a name that is taken, or a required attribute that is missing.
            AttributeError: There is no such child, or no such attribute.
        """
        return self.insert(name, None, **attributes)

    def insert(self, tag: str, /, position: int | None, **attributes: Any) -> Any:
        """Add a child at a position among those of its tag; None: behind all. See :meth:`add`."""
        return insert(self, tag, position, attributes)

    def remove(self, affect_attachments: bool = False) -> None:
        """Take the element and what is in it out of the model; sections and defaults are emptied instead.

        Args:
            affect_attachments: Empty a section also in the models that are attached.
        """
        remove(self, affect_attachments)

    def _leave(self) -> None:
        """What else ends with the removal; attachment frames let go of their model."""

    def _descendants(self) -> Iterator[Element]:
        """Everything inside, in the order of the text, without attached models."""
        stack = list(reversed(self._children))
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element._children))

    # -- finding ------------------------------------------------------------------------------------------------------

    def find(self, namespace: str, identifier: str) -> Any:
        """Return the element of a name, None if there is none; ``child/name`` looks into an attached model.

        Raises:
            ModelError: There is no such namespace.
        """
        return search.find(self, namespace, identifier)

    def find_all(self, namespace: str, immediate_children_only: bool = False, exclude_attachments: bool = False) -> list[Any]:
        """Return the elements of a namespace below this one, in the order of the text; attached models included.

        Args:
            namespace: ``joint`` (also finds free joints), ``geom``, ``actuator``, ``attachment_frame`` and so on.
            immediate_children_only: Look at the children alone.
            exclude_attachments: Leave out what is in attached models.
        """
        return search.find_all(self, namespace, immediate_children_only, exclude_attachments)

    def _inner(self, exclude_attachments: bool) -> list[Element]:
        """Own children and, for a section, those of the same section of attached models."""
        inner = list(self._children)
        if not exclude_attachments and self._parent is self._root and self._tag != "worldbody":
            for model in self._root._attached():
                inner.extend(model._child(self._tag)._inner(False))
        return inner

    def enter_scope(self, scope_identifier: str) -> RootElement | None:
        """Return the root of an attached model by its name, ``outer/inner`` for one inside another; None without."""
        return search.enter_scope(self, scope_identifier)

    # -- the rest -----------------------------------------------------------------------------------------------------

    def is_same_as(self, other: Any) -> bool:
        """Whether another element says the same: tag, attributes and children; references are compared by name."""
        from newtonish.mjcf.compare import same

        return same(self, other)

    def to_xml(self, prefix_root: NameScope | None = None, self_only: bool = False, **options: Any) -> etree._Element:
        """Return the element as lxml's; the arguments are those of :meth:`to_xml_string`."""
        from newtonish.mjcf.writer import Writer

        return Writer(self, prefix_root, **options).xml(self_only)

    def to_xml_string(
        self,
        prefix_root: NameScope | None = None,
        self_only: bool = False,
        pretty_print: bool = True,
        *,
        precision: int | None = None,
        zero_threshold: float = 0.0,
        filename_with_hash: bool = True,
    ) -> str:
        """Return the element as text; with attached models, if it is a root or has their frames inside.

        Args:
            prefix_root: Names are written as seen from the model of this scope; by default the element's own model.
            self_only: Leave out what is inside.
            pretty_print: Put each element on a line of its own.
            precision: Significant digits of numbers; None: as many as it takes to read the same number.
            zero_threshold: Numbers that are smaller than this, whatever their sign, are written as 0.
            filename_with_hash: Make the names of files from their contents.
        """
        from lxml import etree

        xml = self.to_xml(prefix_root, self_only, precision=precision, zero_threshold=zero_threshold, filename_with_hash=filename_with_hash)
        if pretty_print:
            etree.indent(xml)
        return etree.tostring(xml, encoding="unicode", pretty_print=pretty_print)

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> Any:
        raise NotImplementedError("only a whole model can be copied: copy its root element")

    def __repr__(self) -> str:
        return f"MJCF Element: {self}"

    def __str__(self) -> str:
        text = self.to_xml_string(self_only=True, pretty_print=False)
        if any(not child._empty for child in self._children):
            text = f"{text.removesuffix('/>')}>...</{self._tag}>"
        return text


checked_methods(Element, (NameScope,))
