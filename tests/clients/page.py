"""Tables of ``docs/clients.md`` and other pages, between marks that name them."""

from __future__ import annotations

import os
import time
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, NEWTON_PAGE, ENVIRONMENTS_PAGE = (DOCS / name for name in ("clients.md", "newton_compatibility.md", "environments.md"))


def write(name: str, versions: str, table: list[str], page: Path = PAGE) -> None:
    """Put a table in its place, with the date and the versions it was made with."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    said = f"Of {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores; {versions}."
    page.write_text("\n".join([before + begin, "", said, "", *table, "", end + after]), encoding="utf-8")
