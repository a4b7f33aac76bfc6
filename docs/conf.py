"""Sphinx configuration."""

import re
from pathlib import Path

_init = (Path(__file__).resolve().parents[1] / "newtonish" / "__init__.py").read_text(encoding="utf-8")

project = "newtonish"
author = "the newtonish authors"
release = re.search(r'__version__ = "([^"]+)"', _init).group(1)
version = release

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_title = f"newtonish {release}"
