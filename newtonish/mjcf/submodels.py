"""Files of MJCF that an ``asset/model`` names: they come along as one text with the files they need in turn."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from newtonish.mjcf.assets import Asset, load_asset

__all__ = ["load_submodel"]


def load_submodel(where: str, name: str, folder: Path, assets: dict[str, bytes | str]) -> Asset:
    """Read a model for MJCF's own ``attach`` and return its text, its includes merged and its files by their contents."""
    from newtonish.mjcf.parser import from_text
    from newtonish.mjcf.writer import Writer, gather_sources

    source = load_asset(where, name, folder, assets)
    path = folder / name
    model = from_text(source.contents.decode("utf-8-sig"), str(path), path.parent, assets, main=path)
    writer = Writer(model, None, isolate=False)
    text = etree.tostring(writer.xml(False), encoding="unicode", pretty_print=True)
    asset = Asset(text, ".xml", source.prefix)
    asset.parts = dict(writer.assets)
    asset.sources = (*source.sources, *(path for own in gather_sources(model).values() for path in own))
    asset.default_name = model.model or ""
    return asset
