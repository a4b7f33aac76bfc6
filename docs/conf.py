"""Sphinx configuration: Markdown pages, docstrings of the public names, and the list of arrays from their declarations."""

import re
from pathlib import Path

_init = (Path(__file__).resolve().parents[1] / "newtonish" / "__init__.py").read_text(encoding="utf-8")

project = "newtonish"
author = "the newtonish authors"
copyright = author
release = re.search(r'__version__ = "([^"]+)"', _init).group(1)
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
pygments_style, pygments_dark_style = "default", "github-dark"
highlight_language = "text"  # blocks that name no language
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
html_theme = "furo"  # search, a dark mode, "on this page"
html_title = f"newtonish {release}"
html_static_path = ["static"]
html_css_files = ["wide_tables.css"]
copybutton_exclude = ".linenos, .gp, .go"


def _table(name: str, group) -> str:
    """One group of arrays as a Markdown table."""
    lines = [f"### {name}.{group.name}", "", "| name | type | shape | |", "|---|---|---|---|"]
    for field in group.fields:
        flat = f"opt.{field.name}" if group.name == "opt" else group.flat_name(field)
        kind = field.dtype.__name__
        if kind == "vec_t":  # a length that Warp has no name for
            kind = f"vec{field.dtype._shape_[0]}"
        shape = "number" if field.dims is None else ", ".join(["W"] * field.per_world + [str(dim) for dim in field.dims])
        lines.append(f"| `{flat}` | {kind} | {shape} | {field.doc.replace('|', chr(92) + '|')} |")
    return "\n".join([*lines, ""])


def _insert_arrays(app, docname: str, source: list[str]) -> None:
    """Put the declared arrays into the page that asks for them."""
    if docname != "api/arrays":
        return
    from newtonish.kernels.structs.data import DATA_GROUPS
    from newtonish.kernels.structs.model import MODEL_GROUPS

    parts = ["## Model", "", *(_table("m", g) for g in MODEL_GROUPS), "## Data", "", *(_table("d", g) for g in DATA_GROUPS)]
    source[0] = source[0].replace("<!-- arrays -->", "\n".join(parts))


def _keep_lines_of_access(app, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """What a stage reads, writes and is in MuJoCo as lines of their own, however many lines of the docstring each takes."""
    kept: list[str] = []
    inside = False
    for line in lines:
        start = re.match(r"(Reads|Writes|MuJoCo) +(?=\S)", line)
        if start:
            kept += [] if inside or not kept or not kept[-1] else [""]
            kept.append(f"| *{start[1]}* {line[start.end() :]}")
        elif inside and line.startswith(" "):
            kept.append(f"  {line.strip()}")
        else:
            kept += ["", line] if inside and line else [line]
        inside = bool(start) or (inside and line.startswith(" "))
    lines[:] = kept


suppress_warnings = ["ref.python"]  # of annotations such as object, which attributes of two classes are called as well


def setup(app) -> None:
    app.connect("source-read", _insert_arrays)
    app.connect("autodoc-process-docstring", _keep_lines_of_access)
