"""Errors of mypy in the host side, by package, held against ``tests/typing/errors.json``: they may fall and never rise.

    python tests/support/type_errors.py            fails where there are more than the file says
    python tests/support/type_errors.py --write    writes lower numbers into it; it never writes a higher one

Kernels are Warp's language, in which annotations have other meanings; they are left out (``tool.mypy`` in pyproject.toml).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from paths import REPO

LIMITS = REPO / "tests" / "typing" / "errors.json"
CACHE = Path.home() / ".cache" / "newtonish-tests" / "mypy"
ERROR = re.compile(r"^newtonish/(\w+)(?:\.py)?[/:].* error: ")


def package_of(line: str) -> str | None:
    """The part of the package that a line of mypy's blames; None if the line is no error."""
    found = ERROR.match(line)
    return found[1] if found else None


def count(output: str) -> Counter[str]:
    """Errors by package."""
    return Counter(filter(None, map(package_of, output.splitlines())))


def risen(found: dict[str, int], limits: dict[str, int]) -> dict[str, int]:
    """How many errors there are too many, by package."""
    return {name: number - limits.get(name, 0) for name, number in sorted(found.items()) if number > limits.get(name, 0)}


def lower(found: dict[str, int], limits: dict[str, int]) -> dict[str, int]:
    """The limits from now on; packages without errors have none."""
    least = {name: min(limit, found.get(name, 0)) for name, limit in sorted(limits.items())}
    return {name: number for name, number in least.items() if number}


def main() -> int:
    command = [sys.executable, "-m", "mypy", "-p", "newtonish", "--cache-dir", str(CACHE)]
    output = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False).stdout
    last = output.strip().splitlines()[-1] if output.strip() else ""
    if not last.startswith(("Found", "Success")):
        print(output, "mypy did not come to an end", sep="\n")
        return 1
    found, limits = count(output), json.loads(LIMITS.read_text())
    more = risen(found, limits)
    for line in output.splitlines():
        if package_of(line) in more:
            print(line)
    print(f"type errors: {sum(found.values())}, of which may be {sum(limits.values())}")
    if "--write" in sys.argv:
        LIMITS.write_text(json.dumps(lower(found, limits), indent=4) + "\n")
    elif lower(found, limits) != limits:
        print("there are fewer than before: python tests/support/type_errors.py --write keeps it so")
    if more:
        print("too many:", ", ".join(f"{number} in newtonish.{name}" for name, number in more.items()))
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
