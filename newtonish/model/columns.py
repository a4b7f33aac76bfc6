"""What type checkers and editors know of a builder's columns and a model's arrays: see ``columns.pyi``.

At run time these attributes come from the table of columns. ``python tests/support/stubs.py`` writes the stub from the same table.
"""

__all__ = ["BuilderColumns", "ModelColumns"]


class BuilderColumns:
    """Attributes of ModelBuilder by the names of its columns."""


class ModelColumns:
    """Attributes of Model by the names of columns, counts and starts."""
