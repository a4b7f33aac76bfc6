"""Writes a model into a folder, with the files it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from newtonish.mjcf.problems import refuse, short

if TYPE_CHECKING:
    from newtonish.mjcf.root import RootElement

__all__ = ["export_with_assets"]


def export_with_assets(
    mjcf_model: RootElement, out_dir: str | Path, out_file_name: str | None = None, *, precision: int | None = None
) -> Path:
    """Write a model and its files into a folder, which is made if it is not there; return the path of the model.

    Args:
        mjcf_model: A root element; models attached to it are in the text.
        out_dir: The folder.
        out_file_name: Name of the model's file, by default the model's name with ``.xml``.
        precision: Significant digits of numbers; None: as many as it takes to read the same number.
    """
    from newtonish.mjcf.root import RootElement

    if not isinstance(mjcf_model, RootElement):
        refuse("export_with_assets", short(mjcf_model), "a root element", "pass element.root")
    name = f"{mjcf_model.namescope.name}.xml" if out_file_name is None else out_file_name
    if not name.endswith(".xml") or "/" in name or "\\" in name:
        refuse("export_with_assets, out_file_name", short(name), "a file name that ends with .xml", "correct it")
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for asset, contents in mjcf_model.get_assets().items():
        (folder / asset).write_bytes(contents)
    path = folder / name
    path.write_text(mjcf_model.to_xml_string(precision=precision), encoding="utf-8")
    return path
