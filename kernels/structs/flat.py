"""What type checkers and editors know of the arrays of Model and Data: see ``flat.pyi``.

At run time these attributes come from the fields of the groups. ``python tests/support/stubs.py`` writes the stub from the same fields.
"""


class ModelFields:
    """Attributes of Model: groups, and arrays by MuJoCo's names."""


class DataFields:
    """Attributes of Data: groups, and arrays by MuJoCo's names."""
