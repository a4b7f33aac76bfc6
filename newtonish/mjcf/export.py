"""Writes models with the files they need, and files in canonical form."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from newtonish.files import write_file
from newtonish.mjcf.facts import identifier_of
from newtonish.mjcf.language.names import FILES
from newtonish.mjcf.problems import refuse, short
from newtonish.mjcf.values import ESCAPED, SEPARATOR
from newtonish.mjcf.writer import Writer, gather_sources

if TYPE_CHECKING:
    from newtonish.mjcf.root import RootElement

__all__ = ["canonical", "export_with_assets", "export_with_assets_as_zip"]

_FREE_TEXT = (*FILES, "data")
"""Attributes whose words are no names of elements."""


def export_with_assets(
    mjcf_model: RootElement,
    out_dir: str | Path,
    out_file_name: str | None = None,
    *,
    precision: int | None = None,
    zero_threshold: float = 0.0,
    allow_outside: bool = False,
) -> Path:
    """Write a model and its files into a folder, which is made if it is not there; return the path of the model.

    Args:
        mjcf_model: A root element; models attached to it are in the text.
        out_dir: The folder.
        out_file_name: Name of the model's file, by default the model's name with ``.xml``.
        precision: Significant digits of numbers; None: as many as it takes to read the same number.
        zero_threshold: Numbers that are smaller than this, whatever their sign, are written as 0.
        allow_outside: Also copy files from outside of the folders that the models were read from.

    Raises:
        ModelError: A model names files outside of its folder, which may be anybody's.
    """
    from newtonish.mjcf.root import RootElement

    if not isinstance(mjcf_model, RootElement):
        refuse("export_with_assets", short(mjcf_model), "a root element", "pass element.root")
    name = f"{mjcf_model.namescope.name}.xml" if out_file_name is None else out_file_name
    if not name.endswith(".xml") or "/" in name or "\\" in name:
        refuse("export_with_assets, out_file_name", short(name), "a file name that ends with .xml", "correct it")
    check_inside(mjcf_model, allow_outside)
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for asset, contents in mjcf_model.get_assets().items():
        write_file(folder / asset, contents)
    path = folder / name
    write_file(path, mjcf_model.to_xml_string(precision=precision, zero_threshold=zero_threshold))
    return path


def check_inside(root: RootElement, allow_outside: bool) -> None:
    """Refuse to copy files from outside of a model's folder: a model of somebody else's may name any that can be read here."""
    for folder, files in gather_sources(root).items():
        outside = sorted({str(path) for path in files if not path.is_relative_to(folder)})
        if outside and not allow_outside:
            given = ", ".join(outside[:5]) + (f" and {len(outside) - 5} more" if len(outside) > 5 else "")
            remedy = "look at these files, then ask for them: allow_outside=True, or --allow-outside of 'newtonish convert'"
            refuse("files to copy", given, f"files in {folder} and below it, links followed", remedy)


def export_with_assets_as_zip(
    mjcf_model: RootElement,
    out_dir: str | Path,
    model_name: str | None = None,
    *,
    precision: int | None = None,
    zero_threshold: float = 0.0,
    allow_outside: bool = False,
) -> Path:
    """Write a model and its files into a ZIP archive ``model_name.zip``, in a folder of that name; return the path of the archive.

    Args:
        mjcf_model: A root element.
        out_dir: The folder for the archive, which is made if it is not there.
        model_name: Name of the archive, of the folder in it and of the model's file; by default the model's.
        precision: Significant digits of numbers; None: as many as it takes to read the same number.
        zero_threshold: Numbers that are smaller than this, whatever their sign, are written as 0.
        allow_outside: Also pack files from outside of the folders that the models were read from.

    Raises:
        ModelError: A model names files outside of its folder, which may be anybody's.
    """
    check_inside(mjcf_model, allow_outside)
    name = mjcf_model.namescope.name if model_name is None else model_name
    path = Path(out_dir) / f"{name}.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/{name}.xml", mjcf_model.to_xml_string(precision=precision, zero_threshold=zero_threshold))
        for asset, contents in mjcf_model.get_assets().items():
            archive.writestr(f"{name}/{asset}", contents)
    return path


def canonical(path: str | Path, allow_outside: bool = False) -> tuple[str, dict[str, bytes]]:
    """Read a file and write it again: includes merged, one section of each kind, default values of attributes as they were.

    Names with ``/`` keep it, which separates the names of models otherwise: there is one model here.

    Args:
        path: Path of an MJCF file.
        allow_outside: Whether it may name files outside of its folder.

    Returns:
        The text, and the contents of the files that it names.

    Raises:
        ImporterError: Everything that is wrong with the file.
        ModelError: It names files outside of its folder.
    """
    from newtonish.mjcf.parser import from_path

    root = from_path(path, escape_separators=True)
    check_inside(root, allow_outside)
    names = {element._values.get(identifier_of(element._kind) or "") for element in root._descendants()}
    escaped = {name for name in names if isinstance(name, str) and ESCAPED in name}
    xml = Writer(root, None, isolate=False).xml(False)
    if escaped:
        for element in xml.iter():
            for key, value in element.attrib.items():
                if ESCAPED in value and key not in _FREE_TEXT:
                    words = (word.replace(ESCAPED, SEPARATOR) if word in escaped else word for word in value.split(" "))
                    element.set(key, " ".join(words))
    etree.indent(xml)
    return etree.tostring(xml, encoding="unicode", pretty_print=True), root.get_assets()
