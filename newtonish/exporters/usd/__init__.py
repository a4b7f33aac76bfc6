"""Models and motions out as OpenUSD: :func:`save_to_usd` writes one world of a model as a stage that imports to the same arrays."""

from __future__ import annotations

from typing import Any

__all__ = ["save_to_usd"]


def __getattr__(name: str) -> Any:
    """Load :func:`save_to_usd`, and with it the library that writes stages."""
    if name != "save_to_usd":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from newtonish.importers.usd.runtime import need_usd

    need_usd()
    from newtonish.exporters.usd.stage import save_to_usd

    return save_to_usd
