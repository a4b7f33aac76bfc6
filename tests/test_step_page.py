"""The page that walks through a step: its links lead to functions that exist, and what it asks to be read is about 400 lines."""

import ast
import re

from paths import REPO

PAGE = REPO / "docs" / "step_in_400_lines.md"
LINK = re.compile(r"\[`(\w+)`\]\(([^)]+\.py)\)")
LONGEST = 450


def lines_of(path: str, name: str) -> int:
    """Length of a function of a file, decorators included; 0 if it has none of that name."""
    for node in ast.parse((PAGE.parent / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node.end_lineno - min([node.lineno, *(d.lineno for d in node.decorator_list)]) + 1
    return 0


def test_links_lead_to_functions():
    links = LINK.findall(PAGE.read_text(encoding="utf-8"))
    lengths = {(name, path): lines_of(path, name) for name, path in links}
    assert len(lengths) >= 15
    assert not [link for link, length in lengths.items() if length == 0]
    assert 300 <= sum(lengths.values()) <= LONGEST


def test_a_name_that_is_gone_is_found():
    assert lines_of("../kernels/forward.py", "no_such_stage") == 0


def test_pages_link_to_files_that_exist():
    for page in sorted(PAGE.parent.rglob("*.md")):
        for target in re.findall(r"\]\((\.{0,2}/?[\w./-]+\.(?:py|md))(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(REPO)}: {target}"
